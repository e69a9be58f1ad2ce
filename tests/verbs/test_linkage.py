"""The verb `linkage`: the poses of `sweep` and `solve`, reasons by name, features as points."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from mechanisms import linkage as hinged, moved, random_pose
from numpy.typing import NDArray
from stored_linkages import NAMES, drawn, entries, inputs

import assembly_solver as asm
from assembly_solver import linkage
from assembly_solver.errors import BadValue, NoLinkage, Overdriven, UnknownName

Array = NDArray[np.float64]

SAMPLES = Path(__file__).parents[2] / "samples"

RANGES: dict[str, dict[str, Array]] = {
    "four_bar": {"crank": np.linspace(60.0, 420.0, 25)},
    "slider_crank": {"crank": np.linspace(45.0, 405.0, 25)},
    "toggle_clamp": {"handle": np.linspace(20.0, 60.0, 9)},
    "scissor_lift": {"lift": np.linspace(543.1, 640.0, 9)},
    "excavator": {"boom cylinder": np.linspace(1075.0, 1250.0, 9)},
}

EXACT = 1e-9
"""mm; what `sweep` leaves is 1e-12, and what the start leaves, 1e-10, is carried by levers."""


def sample(name: str) -> asm.Assembly:
    return asm.read(SAMPLES / f"{name}.assembly.json")


def pin(x: float, y: float, z: float = 0.0) -> asm.Axis:
    return asm.Axis((x, y, z), "z")


@pytest.mark.parametrize("name", RANGES)
def test_the_poses_of_all_parts_are_those_of_a_sweep(name: str) -> None:
    a = sample(name)
    states, motion = linkage(a).run(RANGES[name]), asm.sweep(a, RANGES[name])
    assert states and motion
    assert np.abs(states.frames - motion.frames)[:, :, :3].max() < EXACT


def test_a_grid_of_both_cylinders_of_the_excavator_is_what_solve_finds() -> None:
    a = sample("excavator")
    values = {"boom cylinder": [1050.0, 1200.0], "bucket cylinder": [1265.0, 1300.0, 1330.0]}
    states = linkage(a).run(values, grid=True)
    assert len(states) == 6 and states
    assert states.V.T.tolist() == [
        [b, k] for b in values["boom cylinder"] for k in values["bucket cylinder"]
    ]
    for state, (boom, bucket) in enumerate(states.V.T.tolist()):
        a.set_driver("boom cylinder", boom)
        a.set_driver("bucket cylinder", bucket)
        found = asm.solve(a).require().poses
        for part, pose in states.poses(state).items():
            off = np.subtract(pose.position, found[part].position)
            assert np.abs(off).max() < 1e-7, part  # as far as two solves agree


def peaucellier(back: int = 1) -> asm.Assembly:
    """Peaucellier's inversor of rods of 200 and 100 mm and a crank of 80 mm; P draws a line.

    With OA = OB = L and AP = BP = AC = BC = r it is OC . OP = L2 - r2; C goes on a circle through
    O of diameter 160, so that P is on the line at (L2 - r2) / 160 from O.
    """
    far, near, crank = 200.0, 100.0, 80.0
    turn_at_start = math.radians(20.0)
    c = crank + crank * np.exp(1j * turn_at_start)
    p = c / abs(c) * (far**2 - near**2) / abs(c)
    half = 0.5 * (abs(c) + abs(p))
    aside = math.sqrt(far**2 - half**2)
    unit = c / abs(c)
    spots = {
        "O": 0j,
        "G": complex(crank),
        "C": c,
        "P": p,
        "A": unit * complex(half, aside),
        "B": unit * complex(half, -aside),
    }
    bars = ("GC", "OA", "OB", "AC", "BC", "AP", "BP")
    a = asm.Assembly("Peaucellier")
    named = {k: pin(spots[k].real, spots[k].imag) for k in "OG"}
    a.add("frame", grounded=True, features=named)
    for n, bar in enumerate(bars):
        over = n % 2 == back  # every other bar lies on its back: its axes point down
        one, two = spots[bar[0]], spots[bar[1]]
        turn = math.degrees(np.angle(two - one))
        way = asm.Pose.from_axis((one.real, one.imag, 0), (0, 0, 1), turn)
        flip = asm.Pose.from_axis((0, 0, 0), (1, 0, 0), 180.0 if over else 0.0)
        spots_of = {bar[0]: pin(0, 0), bar[1]: pin(abs(two - one), 0)}
        a.add(bar, pose=way @ flip, features=spots_of)
    seen = {"O": "frame", "G": "frame"}
    for bar in bars:
        for k in bar:
            if k in seen:
                a.mate("revolute", f"{seen[k]}.{k}", f"{bar}.{k}", name=f"{k} {bar}")
            seen.setdefault(k, bar)
    a.drive("crank", "G GC", "angle", value=math.degrees(turn_at_start))
    return a


@pytest.mark.parametrize("seed", range(3))
def test_peaucellier_draws_a_straight_line_wherever_it_stands(seed: int) -> None:
    a = peaucellier(seed % 2)
    if seed:
        a = moved(a, random_pose(np.random.default_rng(seed)))
    built = linkage(a)
    start = a.drivers["crank"].value
    assert start is not None
    values = start + np.linspace(-40.0, 30.0, 15)
    states = built.run(crank=values)
    assert states, states.sentence
    motion = asm.sweep(a, {"crank": values})
    assert np.abs(states.frames - motion.frames)[:, :, :3].max() < EXACT
    path = states.point("AP.P")
    path = path - path[0]
    assert np.linalg.svd(path, compute_uv=False)[1] < 1e-9 * np.abs(path).max()


def test_states_that_cannot_be_built_say_which_links_do_not_meet_and_the_rest_stays() -> None:
    a = sample("toggle_clamp")
    built = linkage(a)
    states = built.run(handle=[20.0, 60.0, 66.0, 180.0, 30.0])
    assert states.valid.tolist() == [True, True, False, False, True]
    assert states.reasons == {
        2: "handle stop: handle pivot angle is beyond its max of 65 deg",
        3: "arm and link do not meet at link.arm pin (RRR dyad)",
    }
    assert states.sentence == (
        "3 of 5 states hold; "
        "handle stop: handle pivot angle is beyond its max of 65 deg in 1 state, "
        "at handle = 66 deg; "
        "arm and link do not meet at link.arm pin (RRR dyad) in 1 state, at handle = 180 deg"
    )
    with pytest.raises(BadValue, match=r"do not meet at link\.arm pin"):
        states.poses(3)


def test_any_feature_of_any_part_can_be_followed() -> None:
    a = sample("excavator")
    values = {"bucket cylinder": np.linspace(1265.0, 1330.0, 5)}
    states, motion = linkage(a).run(values), asm.sweep(a, values)
    for name in ("bucket.tooth", "boom.foot pin", "base.boom pin"):
        assert np.abs(states.point(name) - motion.point(name).position[:, :2]).max() < EXACT
    with pytest.raises(UnknownName, match=r"no point 'bucket\.tooht'"):
        states.point("bucket.tooht")


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("slider_crank", ("piston.wrist pin", "connecting rod.big end")),
        ("scissor_lift", ("platform.centre", "arm 2.head")),
        ("excavator", ("bucket.tooth", "boom.idler pin")),
    ],
)
def test_velocities_and_accelerations_are_those_of_a_sweep(
    name: str, points: tuple[str, ...]
) -> None:
    """Of points of the linkage and of other features, to 1e-9 of the largest."""
    a = sample(name)
    ((driver, values),) = RANGES[name].items()
    states = linkage(a).run({driver: values}, speed={driver: 30.0})
    motion = asm.sweep(a, {driver: values}, speed=30.0)
    for point in points:
        track = motion.point(point)
        for ours, theirs in (
            (states.velocity(point), track.velocity),
            (states.acceleration(point), track.acceleration),
        ):
            assert np.abs(ours - theirs[:, :2]).max() < 1e-9 * max(np.abs(theirs).max(), 1.0)


def test_an_input_that_speeds_up_pushes_its_points_along() -> None:
    """The pin of a crank of r mm at w rad/s and e rad/s2: r w, and r (e, w2) along and across."""
    states = linkage(sample("four_bar")).run(
        crank=[90.0], speed={"crank": math.degrees(2.0)}, acc={"crank": math.degrees(5.0)}
    )
    r = 60.0
    assert np.abs(states.velocity("crank.pin")[0] - [-2.0 * r, 0.0]).max() < 1e-9
    assert np.abs(states.acceleration("crank.pin")[0] - [-5.0 * r, -4.0 * r]).max() < 1e-9


def test_a_part_is_told_as_it_is_seen() -> None:
    a = sample("four_bar")
    values = np.linspace(60.0, 420.0, 7)
    x, y, angle = linkage(a).run(crank=values).part("crank")
    assert np.abs(angle - values).max() < 1e-9  # counted in turns
    assert np.abs([x, y]).max() < 1e-9


def test_a_linkage_prints_its_steps_in_order() -> None:
    lines = str(linkage(sample("four_bar"))).splitlines()
    assert lines[0] == "4 links, 2 steps; driven by crank"
    assert [line.split("  ")[0] for line in lines[1:]] == ["step", "actuated joint", "RRR dyad"]


# ---------------------------------------------------------------------- what is asked wrongly


def test_an_input_that_is_none_is_told_with_those_that_are() -> None:
    built = linkage(sample("four_bar"))
    with pytest.raises(UnknownName, match="no input 'crnk'; did you mean 'crank'"):
        built.run(crnk=[1.0])
    with pytest.raises(BadValue, match="a series of finite numbers"):
        built.run(crank=[1.0, math.nan])


def test_inputs_without_values_stay_where_they_start() -> None:
    states = linkage(sample("excavator")).run({"bucket cylinder": [1270.0, 1300.0]})
    assert states.V.tolist() == [[1075.0, 1075.0], [1270.0, 1300.0]]


def geared() -> asm.Assembly:
    """Two wheels on a frame that a pair of gears ties, and a crank-rocker on the second."""
    a = asm.Assembly("train")
    a.add("frame", grounded=True, features={"a": pin(0, 0), "b": pin(90, 0)})
    a.add("one", features={"axle": pin(0, 0)})
    a.add("two", pose=asm.Pose((90, 0, 0)), features={"axle": pin(0, 0)})
    a.mate("revolute", "frame.a", "one.axle", name="A")
    a.mate("revolute", "frame.b", "two.axle", name="B")
    a.mate("gear", joints=("A", "B"), ratio=2.0, name="teeth")
    a.drive("motor", "A", "angle", value=0.0)
    return a


def test_what_points_cannot_tell_is_named_and_pointed_to_sweep() -> None:
    with pytest.raises(NoLinkage, match=r"mate 'teeth' \(gear\): .*`sweep` can move it"):
        linkage(geared())


def test_without_a_driver_there_is_nothing_to_plan() -> None:
    a = sample("four_bar")
    a.remove_driver("crank")
    with pytest.raises(NoLinkage, match="four_bar: it has no driver; a linkage needs one"):
        linkage(a)


def test_a_second_driver_of_one_freedom_is_told_where_both_have_a_value() -> None:
    a = sample("four_bar")
    rocker = float(asm.sweep(a, {"crank": [60.0]}).joint("rocker pivot").value[0])
    a.drive("rocker", "rocker pivot", "angle")
    assert linkage(a).inputs == ("crank",)
    a.set_driver("rocker", rocker)
    with pytest.raises(Overdriven, match="'rocker': crank determines it already"):
        linkage(a)


def test_of_drivers_without_a_value_only_those_that_others_leave_no_freedom_are_dropped() -> None:
    """A bar of a triangle, which cannot turn, and one beside it, which can."""
    pins = ("frame", "one", (0, 0, 0)), ("frame", "two", (4, 0, 0)), ("one", "two", (4, 3, 0))
    hinges = [("revolute", *pin, (0, 0, 1)) for pin in (*pins, ("frame", "wheel", (0, 9, 0)))]
    for order in ((1, 4), (4, 1)):
        a = hinged("triangle", dict.fromkeys(("frame", "one", "two", "wheel"), asm.Pose()), hinges)
        for n in order:
            a.drive(f"input {n}", f"revolute {n}", "angle")
        assert linkage(a).inputs == ("input 4",)


def test_what_nothing_drives_stays_and_is_told() -> None:
    a = sample("excavator")
    a.remove_cylinder("bucket cylinder")
    built = linkage(a)
    assert built.inputs == ("boom cylinder",)
    assert built.held
    states = built.run({"boom cylinder": [1075.0, 1100.0]})
    assert states


def test_the_verb_stays_a_verb_whatever_was_imported_before() -> None:
    from assembly_solver.linkages.scheme import assembly_view

    assert callable(asm.linkage) and asm.linkage.__name__ == "linkage"
    assert assembly_view.__name__ == "assembly_solver.linkages.scheme.assembly_view"


# ---------------------------------------------------------------------- drawings


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_stands_where_it_is_known_to_stand_with_the_pins_that_were_drawn(
    name: str,
) -> None:
    entry = entries()[name]
    built = asm.linkage(drawn(entry))
    assert set(built.scheme.points) == set(entry["joints"])
    assert [row[3] for row in built.I] == [kind for kind, *_ in entry["actuators"]]
    states = built.run(inputs(entry))
    assert states, states.sentence
    for state, known in entry["states"].items():
        off = [states.point(pin)[int(state)] - spot for pin, spot in known["exact"].items()]
        assert np.abs(off).max() < 1e-9


def test_slots_with_ends_stop_the_pin_and_tell_it() -> None:
    m = asm.Assembly("slider")
    m.pins(O=(0, 0), A=(0, 30), Q=(50, 0), E=(20, 0), F=(60, 0))
    m.link("frame", "O E F", grounded=True)
    m.link("crank", "O A")
    m.link("rod", "A Q")
    m.slot("guide", "E F", "Q")
    m.drive("crank", at="O", angle=(0, 180))
    built = asm.linkage(m)
    assert [built.scheme.points[k] for k in built.S[0]] == ["Q", "E", "F"]
    states = built.run(crank=[90.0, 60.0, 0.0])
    assert states.valid.tolist() == [True, False, False]  # Q at 50, 66.6 and 88.3 mm
    assert states.reasons[1] == "guide: beyond an end of the slot"
    assert np.abs(states.point("Q")[0] - [50.0, 0.0]).max() < 1e-9


def test_re_interpreted_slots_stay_within_the_error_that_was_asked_for() -> None:
    a = drawn(entries()["RRRP"])
    values = inputs(entries()["RRRP"])
    exact, far = asm.linkage(a), asm.linkage(a, reinterpret=True, error=1e-3)
    assert exact.S.shape == (2, 3) and far.S.shape == (0, 3)
    points = len(exact.scheme.points)
    apart = far.run(values).P[:points] - exact.run(values).P
    assert 0.0 < np.abs(apart).max() < 1e-2  # the slot's error, and what levers make of it


def test_a_state_that_is_not_there_is_told() -> None:
    states = asm.linkage(asm.read("samples/four_bar.assembly.json")).run(crank=[0, 90])
    assert states.poses(-1) == states.poses(1)
    with pytest.raises(asm.AssemblySolverError, match=r"poses: 7 .* a state from 0 to 1"):
        states.poses(7)
