"""Couplings relate joint coordinates, and count turns."""

from __future__ import annotations

import math
from typing import Any

import pytest
from mechanisms import O, angle_about, place, turned

import assembly_solver as asm
from assembly_solver.errors import BadValue, MissingKey, UnknownName
from assembly_solver.formats.native import assembly_json

X = (1, 0, 0)
TURN = 1e-9
"""Rounding of an angle of some turns, degrees."""


def train(*starts: float) -> asm.Assembly:
    """Wheels side by side on hinges of one base, each turned by some degrees at the start."""
    a = asm.Assembly("train")
    pins = {f"p{k}": asm.Axis((50 * k, 0, 0), "z", X) for k in range(len(starts))}
    a.add("base", grounded=True, features=pins)
    for k, start in enumerate(starts):
        pose = turned((0, 0, 1), start, (50 * k + 2, 1, -3))
        a.add(f"w{k}", pose=pose, features={"c": asm.Axis(O, "z", X)})
        a.mate("revolute", f"base.p{k}", f"w{k}.c", name=f"j{k}")
    return a


def angle(a: asm.Assembly, solution: asm.Solution, k: int) -> float:
    """Angle of a wheel against the base, degrees, 0 to 360."""
    base, wheel = (place(a, solution.poses, ref) for ref in (f"base.p{k}", f"w{k}.c"))
    return math.degrees(angle_about(base[3], base[1], wheel[1])) % 360


def same_angle(found: float, wanted: float) -> bool:
    return abs((found - wanted + 180) % 360 - 180) < TURN


@pytest.mark.parametrize(
    ("parameters", "ratio"),
    [
        ({"ratio": -2.5}, -2.5),
        ({"teeth": (20, 8)}, -2.5),
        ({"teeth": (20, 8), "internal": True}, 2.5),
        ({"ratio": math.sqrt(2)}, math.sqrt(2)),
    ],
)
@pytest.mark.parametrize("driven", [30.0, 360.0, 1000.0, -725.0])
def test_a_gear_follows_every_turn_of_its_driver(
    parameters: dict[str, Any], ratio: float, driven: float
) -> None:
    a = train(0, 10)
    a.mate("gear", "j0", "j1", name="mesh", **parameters)
    a.drive("motor", "j0", "angle", value=driven)
    solution = asm.solve(a).require()
    assert same_angle(angle(a, solution, 1), ratio * driven + 10)
    assert (solution.dof, solution.dof_left, solution.redundant_equations) == (1, 0, 0)
    assert solution.constants["mesh"]["value"] == pytest.approx(10, abs=TURN)
    assert solution.to_dict()["constants"]["mesh"]["unit"] == "deg"


def test_turns_go_through_a_train_of_gears() -> None:
    a = train(0, 0, 0, 0)
    for k in range(3):
        a.mate("gear", joints=[f"j{k}", f"j{k + 1}"], ratio=-1.5, constant=0)
    a.drive("motor", "j0", "angle", value=400)
    solution = asm.solve(a).require()
    for k in range(4):
        assert same_angle(angle(a, solution, k), 400 * (-1.5) ** k)


def test_the_wheel_at_the_other_end_may_be_driven() -> None:
    a = train(0, 0)
    a.mate("gear", "j0", "j1", ratio=-2.5)
    a.drive("motor", "j1", "angle", value=-900)
    assert same_angle(angle(a, asm.solve(a).require(), 0), 360)


def test_two_drivers_of_a_gear_agree_or_contradict_by_their_turns() -> None:
    a = train(0, 0)
    a.mate("gear", "j0", "j1", name="mesh", ratio=-2.5)
    a.drive("one", "j0", "angle", value=360)
    a.drive("two", "j1", "angle", value=-900)
    assert asm.solve(a).require().dof_left == 0
    a.set_driver("two", -720)  # the same pose of the wheels would need another number of turns
    solution = asm.solve(a)
    assert solution.outcome is asm.Outcome.CONFLICTING
    assert solution.conflicts[0]["mates"] == ["mesh", "one", "two"]


def test_a_free_gear_moves_the_least_and_stays_in_mesh() -> None:
    a = train(7, -3)
    a.mate("gear", "j0", "j1", ratio=-2, constant=0)
    solution = asm.solve(a).require()
    assert same_angle(angle(a, solution, 1), -2 * angle(a, solution, 0))
    assert solution.constants == {}


def test_a_rack_moves_by_the_arc_of_its_pinion() -> None:
    a = train(0)
    a.ground("base")
    a.add("rack", pose=turned((0, 0, 1), 0, (5, 12, 0)))
    a.add("rail", grounded=True, pose=turned((0, 1, 0), 90, (0, 12, 0)))
    a.mate("prismatic", "rail.origin", "rack.origin", name="slide")
    a.mate("rack_and_pinion", "j0", "slide", name="mesh", radius=12, constant=3)
    a.drive("motor", "j0", "angle", value=810)
    solution = asm.solve(a).require()
    assert solution.poses["rack"].position[0] == pytest.approx(3 + 12 * math.radians(810), abs=1e-9)
    a.set_driver("motor", None)
    a.drive("pull", "slide", "length", value=3 + 12 * math.pi)
    assert same_angle(angle(a, asm.solve(a).require(), 0), 180)


@pytest.mark.parametrize(("crossed", "ratio"), [(False, 0.4), (True, -0.4)])
def test_a_belt_turns_pulleys_by_their_radii(crossed: bool, ratio: float) -> None:
    a = train(0, 0)
    a.mate("belt", "j0", "j1", radii=(20, 50), crossed=crossed)
    a.drive("motor", "j0", "angle", value=500)
    assert same_angle(angle(a, asm.solve(a).require(), 1), ratio * 500)


def test_a_linear_coupling_counts_in_degrees_and_mm() -> None:
    a = train(0, 0, 0)
    a.mate(
        "linear",
        joints=["j0", "j1", "j2"],
        coordinates=["angle"] * 3,
        coefficients=[1, 2, -3],
        constant=60,
        name="sum",
    )
    a.drive("one", "j0", "angle", value=30)
    a.drive("two", "j1", "angle", value=90)
    solution = asm.solve(a).require()
    assert same_angle(angle(a, solution, 2), (30 + 2 * 90 - 60) / 3)
    assert solution.dof == 2


def test_a_coupling_may_have_twelve_joints_and_no_more() -> None:
    a = train(*(10.0 * k for k in range(13)))
    joints = [f"j{k}" for k in range(13)]
    with pytest.raises(BadValue, match="it must be the names of 2 to 12 joints"):
        a.mate("linear", joints=joints, coordinates=["angle"] * 13, coefficients=[1] * 13)
    with pytest.raises(MissingKey, match="linear needs 'coordinates'"):
        a.mate("linear", joints=joints[:2], coefficients=[1, 2])
    twelve = {"coordinates": ["angle"] * 12, "coefficients": [1] * 12}
    a.mate("linear", joints=joints[:12], constant=0, **twelve)
    solution = asm.solve(a).require()
    total = sum(angle(a, solution, k) for k in range(12))
    assert same_angle(total, 0)
    assert solution.dof == 12  # eleven of the coupling and the wheel beside it


def test_a_planet_turns_with_its_carrier() -> None:
    """Fixed sun of 30 teeth, planet of 15: it turns three times a turn of the carrier."""
    a = asm.Assembly("planetary")
    a.add("sun", grounded=True, features={"c": asm.Axis(O, "z", X)})
    hub = {"c": asm.Axis(O, "z", X), "p": asm.Axis((45, 0, 0), "z", X)}
    a.add("carrier", features=hub)
    a.add("planet", pose=turned((0, 0, 1), 0, (45, 0, 0)), features={"c": asm.Axis(O, "z", X)})
    a.mate("revolute", "carrier.c", "sun.c", name="centre")
    a.mate("revolute", "carrier.p", "planet.c", name="pin")
    a.mate("gear", "centre", "pin", teeth=(30, 15), constant=0)
    a.drive("motor", "centre", "angle", value=-40)  # of the sun against the carrier
    solution = asm.solve(a).require()
    planet = place(a, solution.poses, "planet.c")
    assert same_angle(math.degrees(math.atan2(planet[1][1], planet[1][0])), 3 * 40)
    assert solution.dof == 1


def test_a_coupling_goes_with_its_joint() -> None:
    a = train(0, 0)
    a.mate("gear", "j0", "j1", name="mesh", ratio=-1)
    a.remove("j1")
    assert list(a.mates) == ["j0"]


def test_couplings_survive_the_file_byte_for_byte() -> None:
    a = train(0, 0, 0)
    a.mate("gear", "j0", "j1", name="mesh", teeth=(20, 8), internal=True)
    a.mate("belt", "j1", "j2", name="belt", radii=(1.5, 3), constant=4)
    once = assembly_json.dump(a)
    again = assembly_json.read_text(once, "train")
    assert assembly_json.dump(again) == once
    assert again.mates == a.mates


def test_a_coupling_solved_twice_is_solved_once() -> None:
    a = train(3, 4, 5)
    a.mate("gear", "j0", "j1", ratio=-0.7)
    a.mate("gear", "j1", "j2", ratio=1.3)
    first = asm.solve(a).require()
    first.apply()
    assert asm.solve(a).poses == first.poses


@pytest.mark.parametrize("counted", [-650.0, -200.0, 30.0, 200.0, 390.0, 750.0])
@pytest.mark.parametrize("ratio", [-0.75, 1 / 12, math.sqrt(2)])
def test_wheels_in_mesh_stay_whatever_turns_they_were_reached_with(
    counted: float, ratio: float
) -> None:
    """Poses do not tell whole turns: of a clock with the hour at 62.5 degrees they are two."""
    a = train(counted, ratio * counted)
    a.mate("gear", "j0", "j1", ratio=ratio, constant=0)
    solution = asm.solve(a).require()
    assert same_angle(angle(a, solution, 0), counted)
    assert same_angle(angle(a, solution, 1), ratio * counted)
    solution.apply()
    assert asm.solve(a).poses == solution.poses


def test_a_wheel_that_passes_half_a_turn_stays_there() -> None:
    """Read anew its angle is a whole turn less, with which the second wheel is half a turn off."""
    a = train(179, -0.75 * 179 - 50)
    for k in range(2):
        a.add_features(f"w{k}", {"tip": asm.Point((100, 0, 0))})
        a.mate("point_in_plane", f"w{k}.tip", "base.xy")
    a.mate("gear", "j0", "j1", name="mesh", ratio=-0.75, constant=0)
    solution = asm.solve(a).require()
    first, second = (angle(a, solution, k) for k in range(2))
    assert first > 180
    assert 0.75 * (first - 179) + (second - 175.75) == pytest.approx(50, abs=TURN)
    solution.apply()
    assert asm.solve(a).poses == solution.poses


def test_a_coupling_of_couplings_is_refused() -> None:
    a = train(0, 0)
    a.mate("gear", "j0", "j1", name="mesh", ratio=-1)
    with pytest.raises(asm.AssemblySolverError, match="no coordinate 'angle' of 'mesh'"):
        a.mate("gear", "j0", "mesh", ratio=2)
    with pytest.raises(BadValue, match=r"gear: None is not possible here, it must be a gear with"):
        a.mate("gear", "j0", "j1")


# ------------------------------------------------------------------------------ which way it turns
def pair(kind: str, ups: tuple[str, str], swapped: bool, **parameters: Any) -> asm.Assembly:
    """Two wheels on one base, axes up or down, the joint of the second told from either side."""
    a = asm.Assembly("pair")
    pins = {f"p{k}": asm.Axis((50 * k, 0, 0), up) for k, up in enumerate(ups)}
    a.add("base", grounded=True, features=pins)
    for k, up in enumerate(ups):
        a.add(f"w{k}", features={"c": asm.Axis(O, up)}, pose=asm.Pose((50 * k, 0, 0)))
        ends = (f"base.p{k}", f"w{k}.c")
        a.mate("revolute", *(reversed(ends) if swapped and k else ends), name=f"j{k}")
    a.mate(kind, "j0", "j1", name="mesh", constant=0.0, **parameters)
    a.drive("motor", "j0", "angle", value=0.0)
    return a


WAYS: list[tuple[str, dict[str, Any]]] = [
    ("gear", {"ratio": 1.0}),
    ("gear", {"ratio": -1.0}),
    ("gear", {"teeth": (12, 12)}),
    ("gear", {"teeth": (12, 12), "internal": True}),
    ("belt", {"radii": (10, 10)}),
    ("belt", {"radii": (10, 10), "crossed": True}),
]


@pytest.mark.parametrize(("kind", "parameters"), WAYS)
@pytest.mark.parametrize("ups", [("z", "z"), ("z", "-z"), ("-z", "-z")])
@pytest.mark.parametrize("swapped", [False, True])
def test_the_way_that_a_coupling_is_said_to_turn_is_that_of_its_wheels(
    kind: str, parameters: dict[str, Any], ups: tuple[str, str], swapped: bool
) -> None:
    a = pair(kind, ups, swapped, **parameters)
    start = asm.solve(a).require()
    a.set_driver("motor", 10.0)
    turned_by = []
    for wheel in ("w0", "w1"):
        before, after = start.poses[wheel], asm.solve(a).require().poses[wheel]
        x, y, _ = after.rotation @ before.rotation.T @ (1.0, 0.0, 0.0)
        turned_by.append(math.degrees(math.atan2(y, x)))
    assert [abs(turn) for turn in turned_by] == pytest.approx([10.0, 10.0], abs=1e-9)
    way = "the same way round" if turned_by[0] * turned_by[1] > 0 else "the other way round"
    assert start.couplings == {"mesh": f"w1 turns as far as w0, {way}"}
    assert f"  mesh: w1 turns as far as w0, {way}" in str(start)


def test_on_axes_that_are_not_parallel_the_angles_are_told() -> None:
    a = pair("gear", ("z", "x"), False, ratio=-2.5)
    words = "the angle of j1 grows 2.5 times as far as that of j0, the other way round"
    assert asm.solve(a).couplings == {"mesh": words}


def planet_gear(*joints: str) -> asm.Assembly:
    """A sun and a planet on a carrier, in mesh by the angles of two joints."""
    a = asm.Assembly("train")
    a.add("housing", grounded=True, features={"axis": asm.Axis(O, "z")})
    a.add("sun", features={"axis": asm.Axis(O, "z")})
    a.add("carrier", features={"axis": asm.Axis(O, "z"), "pin": asm.Axis((42, 0, 0), "z")})
    a.add("planet", features={"axis": asm.Axis(O, "z")}, pose=asm.Pose((42, 0, 0)))
    a.mate("revolute", "housing.axis", "sun.axis", name="bearing of the sun")
    a.mate("revolute", "housing.axis", "carrier.axis", name="bearing of the carrier")
    a.mate("revolute", "carrier.axis", "sun.axis", name="sun on carrier")
    a.mate("revolute", "carrier.pin", "planet.axis", name="pin")
    a.mate("gear", joints=joints, teeth=(24, 18), name="mesh")
    return a


def test_of_wheels_on_a_carrier_it_is_said_that_the_ratio_is_seen_from_it() -> None:
    words = "planet turns 1.333 times as far as sun, the other way round, as seen from carrier"
    assert asm.solve(planet_gear("sun on carrier", "pin")).couplings == {"mesh": words}


def test_wheels_that_no_part_carries_both_are_told() -> None:
    """By the sun's angle in the housing and the planet's on the carrier it is another train."""
    words = (
        "the angle of pin grows 1.333 times as far as that of bearing of the sun, the other way "
        "round; no part carries both axes, as that of two wheels in mesh does"
    )
    assert asm.solve(planet_gear("bearing of the sun", "pin")).couplings == {"mesh": words}


# ------------------------------------------------------------------------------ through other parts
ARM, WIDTH, PITCH = 120.0, 2 * 120.0 * math.cos(math.radians(30.0)), 3.0


def screw_jack() -> asm.Assembly:
    """Four arms of 120 mm at 30 degrees, hinged in a rhombus; a screw pulls its sides together."""
    a = asm.Assembly("jack")
    a.add("base", grounded=True, features={"pin": asm.Axis(O, "z")})
    height = ARM  # 2 x 120 mm x sin 30 degrees
    a.add("saddle", pose=asm.Pose((0, height, 0)), features={"pin": asm.Axis(O, "z")})
    for name, x in (("nut", WIDTH / 2), ("bearing", -WIDTH / 2)):
        features = {"pin": asm.Axis(O, "z"), "bore": asm.Frame(O, "x", "y")}
        a.add(name, pose=asm.Pose((x, height / 2, 0)), features=features)
    arms = {"base right": 30, "base left": 150, "saddle right": -30, "saddle left": -150}
    for name, degrees in arms.items():
        end, side = name.split()
        foot = (0, 0, 0) if end == "base" else (0, height, 0)
        pins = {"p": asm.Axis(O, "z", X), "q": asm.Axis((ARM, 0, 0), "z", X)}
        a.add(name, pose=turned((0, 0, 1), degrees, foot), features=pins)
        a.mate("revolute", f"{end}.pin", f"{name}.p", name=f"{name} foot")
        joined = "nut" if side == "right" else "bearing"
        a.mate("revolute", f"{name}.q", f"{joined}.pin", name=f"{name} head")
    a.add(
        "screw",
        pose=asm.Pose((-WIDTH / 2, height / 2, 0)),
        features={"axis": asm.Frame(O, "x", "y")},
    )
    a.mate("revolute", "bearing.bore", "screw.axis", name="crank")
    a.mate("screw", "screw.axis", "nut.bore", pitch=PITCH, name="thread")
    a.mate("gear", joints=["base right foot", "base left foot"], ratio=-1, name="teeth")
    a.mate("parallel", "base.x", "saddle.x", name="level", sense="aligned")
    a.drive("turns", "crank", value=0)
    return a


def height_after(degrees: float) -> float:
    """Height of the saddle, by the right triangle of an arm."""
    half = (WIDTH - PITCH * degrees / 360.0) / 2
    return 2 * math.sqrt(ARM**2 - half**2)


@pytest.mark.parametrize("driven", [90.0, 360.0, 3600.0, -720.0])
def test_turns_go_from_a_crank_to_its_thread_through_hinges_across_it(driven: float) -> None:
    """Bearing and nut share the screw's direction and that of the hinges: neither turns against the
    other, so the thread turns as often as the crank."""
    a = screw_jack()
    a.set_driver("turns", driven)
    solution = asm.solve(a).require()
    assert solution.poses["saddle"].position[1] == pytest.approx(height_after(driven), abs=1e-7)
    solution.apply()
    assert asm.solve(a).poses["saddle"].position[1] == pytest.approx(height_after(driven), abs=1e-7)


@pytest.mark.parametrize("span", [(-720.0, 0.0), (3600.0, 0.0), (360.0, 720.0)])
def test_a_sweep_begins_at_the_turns_of_its_first_value(span: tuple[float, float]) -> None:
    """From a crank that stands at 0 degrees; a whole turn away it is the same pose of the crank."""
    motion = asm.sweep(screw_jack(), "turns", angle=span, steps=2)
    height = motion.point("saddle.pin").position[:, 1]
    wanted = [height_after(x) for x in (span[0], sum(span) / 2, span[1])]
    assert height == pytest.approx(wanted, abs=1e-7)


def test_a_law_that_begins_turns_away_is_swept_as_it_is_solved() -> None:
    a = screw_jack()
    a.remove_driver("turns")
    a.drive("turns", "crank", law="720 + 360*t")
    heights = asm.sweep(a, time=(0, 2), steps=2).point("saddle.pin").position[:, 1]
    assert heights == pytest.approx([height_after(x) for x in (720, 1080, 1440)], abs=1e-7)
    assert asm.solve(a).poses["saddle"].position[1] == pytest.approx(heights[0], abs=1e-7)


def test_a_sweep_of_an_angle_between_features_begins_at_its_turns() -> None:
    a = train(0, 0)
    a.mate("gear", "j0", "j1", name="mesh", ratio=-0.4)
    a.drive("motor", angle=("base.x", "w0.x"), about="base.p0", value=300)
    wheel = asm.sweep(a, "motor", angle=(300, 400), steps=4).joint("j1").value
    assert wheel - wheel[0] == pytest.approx([0, -10, -20, -30, -40], abs=1e-9)
    assert same_angle(angle(a, asm.solve(a), 1), float(wheel[0]))


@pytest.mark.parametrize("begin", [-360.0, 360.0])
def test_a_sweep_of_a_gear_begins_at_the_turns_of_its_first_value(begin: float) -> None:
    a = train(0, 0)
    a.mate("gear", "j0", "j1", name="mesh", ratio=-0.4)
    a.drive("motor", "j0", value=0)
    motion = asm.sweep(a, "motor", angle=(begin, 0), steps=4)
    assert motion.joint("j1").value[0] == pytest.approx(-0.4 * begin, abs=1e-9)
    a.set_driver("motor", begin)
    assert same_angle(angle(a, asm.solve(a), 1), -0.4 * begin)


@pytest.mark.parametrize("turns", [0.5, 2.0])
def test_a_thread_keeps_the_constant_of_its_start_where_it_is_applied_and_swept(
    turns: float,
) -> None:
    """A nut 80 mm high at 0 degrees goes down by 5 mm a turn."""
    a, z = asm.Assembly("nut"), asm.Axis((0, 0, 0), "z")
    a.add("base", features={"z": z}, grounded=True)
    a.add("spindle", features={"z": z})
    a.add("nut", features={"z": z}, pose=asm.Pose((0, 0, 80)))
    a.mate("revolute", "base.z", "spindle.z", name="bearing")
    a.mate("prismatic", "base.z", "nut.z", name="guide")
    a.mate("screw", "spindle.z", "nut.z", name="thread", pitch=5)
    a.drive("turn", "bearing", value=360 * turns)
    motion = asm.sweep(a, "turn", angle=(360, 720), steps=1)
    assert motion.joint("guide", "length").value == pytest.approx([75, 70], abs=1e-9)
    asm.solve(a).apply()
    assert a.mates["thread"].constant == pytest.approx(80)  # type: ignore[attr-defined]
    a.set_driver("turn", 0)
    assert asm.solve(a).poses["nut"].position[2] == pytest.approx(80, abs=1e-9)
    with pytest.raises(UnknownName, match=r"no mate with a constant 'guide'; .*thread"):
        a.keep_constants({"guide": 1.0})
