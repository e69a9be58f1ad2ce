"""Assemblies seen as planar linkages: their points obey the scheme wherever a sweep takes them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from builders import PLANAR
from mechanisms import moved, random_pose
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.errors import NoLinkage
from assembly_solver.foundations.geometry.pose import compose_all, frames_of, invert_all
from assembly_solver.linkages.scheme.assembly_view import LinkageView, view
from assembly_solver.linkages.scheme.residual import residual

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]

SAMPLES = Path(__file__).parents[3] / "samples"

RANGES: dict[str, dict[str, tuple[float, float]]] = {
    "four_bar": {"crank": (60.0, 420.0)},
    "slider_crank": {"crank": (45.0, 405.0)},
    "toggle_clamp": {"handle": (20.0, 60.0)},
    "scissor_lift": {"lift": (543.1, 640.0)},
    "excavator": {"boom cylinder": (1075.0, 1250.0)},
}

EXACT = 1e-9
"""What points of mates that hold may be off, mm: they are assembled to 1e-10 mm, and levers."""


def read(name: str) -> asm.Assembly:
    return asm.read(SAMPLES / f"{name}.assembly.json")


def seen(a: asm.Assembly) -> LinkageView:
    """An assembly whose drivers all have a value, as it is solved."""
    solution = asm.solve(a).require()
    return view(a, solution.plan, frames_of(solution.poses.values()), tuple(a.drivers))


def carried(v: LinkageView, motion: asm.Motion) -> Array:
    """Where the parts of a motion take the points of a linkage, (points, 2, states)."""
    out = np.zeros((len(v.scheme.points), 2, len(motion.t)))
    found = set()
    for number, link in enumerate(v.scheme.links):
        parts = np.flatnonzero(v.link == number)
        if number == 0:
            frames = np.repeat(np.array([[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.0]]), len(motion.t), 0)
        elif len(parts):
            gone = invert_all(v.frames[parts[:1]]).repeat(len(motion.t), 0)
            frames = compose_all(motion.frames[:, parts[0]], gone)
        else:  # a bar
            continue
        for k in link.points:
            at = v.scheme.at[k] @ np.array([v.plane.x, v.plane.y])
            now = frames[:, :3] + np.einsum("k,nkr->nr", at, frames[:, 3:].reshape(-1, 3, 3))
            out[k] = [now @ v.plane.x, now @ v.plane.y]
            found.add(k)
    assert found == set(range(len(v.scheme.points)))
    return out


def gaps(a: asm.Assembly, ranges: dict[str, tuple[float, float]], steps: int = 24) -> list[float]:
    """What a sweep is off by the scheme, and what parts come back off, mm."""
    v = seen(a)
    motion = asm.sweep(a, {name: np.linspace(*r, steps + 1) for name, r in ranges.items()})
    assert motion.valid.all()
    places = carried(v, motion)
    still = {name: np.full(steps + 1, driver.value) for name, driver in a.drivers.items()}
    driven = still | dict(motion.prescribed)
    inputs = np.array([driven[actuator.name] for actuator in v.scheme.actuators])
    worst = residual(v.scheme, inputs, places).max()
    return [worst, np.abs(v.placed(places) - motion.frames)[:, :, :3].max()]


@pytest.mark.parametrize("name", RANGES)
def test_a_sample_moves_as_its_linkage_allows_and_back(name: str) -> None:
    a = read(name)
    assert max(gaps(a, RANGES[name])) < EXACT


@pytest.mark.parametrize("name", PLANAR)
def test_a_mechanism_in_space_is_the_linkage_that_it_is_in_its_plane(name: str) -> None:
    mechanism = PLANAR[name]
    first, last = mechanism.range
    a = mechanism.build(first)
    a = moved(a, random_pose(np.random.default_rng(len(name))))
    assert max(gaps(a, {"input": (first, first + 0.9 * (last - first))})) < EXACT


# ---------------------------------------------------------------------- what CAD assemblies have


def pin(x: float, y: float, z: float = 0.0) -> asm.Axis:
    return asm.Axis((x, y, z), "z")


def arm() -> asm.Assembly:
    """An open chain of two driven hinges and a driven slide, the forearm on its back."""
    a = asm.Assembly("arm")
    a.add("frame", grounded=True, features={"shoulder": pin(10, 20)})
    ends = {"shoulder": pin(0, 0), "elbow": pin(80, 0)}
    a.add("upper", pose=asm.Pose((10, 20, 0)), features=ends)
    over = asm.Pose((90, 20, 5), (0.0, 1.0, 0.0, 0.0))
    rail = asm.Frame((0, 0, 0), (1, 0, 0), (0, 0, 1))
    a.add("fore", pose=over, features={"elbow": pin(0, 0), "rail": rail})
    a.add("hand", pose=over, features={"rail": rail, "tip": asm.Point((15, 0, 0))})
    a.mate("revolute", "frame.shoulder", "upper.shoulder", name="shoulder")
    a.mate("coaxial", "upper.elbow", "fore.elbow", name="elbow")
    a.mate("prismatic", "fore.rail", "hand.rail", name="rail")
    a.drive("lift", "shoulder", "angle", value=10.0)
    a.drive("bend", "elbow", "angle", value=-20.0)
    a.drive("reach", "rail", "length", value=30.0)
    return a


def test_an_open_chain_of_driven_joints_is_a_linkage() -> None:
    a = moved(arm(), random_pose(np.random.default_rng(3)))
    v = seen(a)
    assert [actuator.kind for actuator in v.scheme.actuators] == ["R", "R", "P"]
    ranges = {"lift": (10.0, 80.0), "bend": (-20.0, 130.0), "reach": (30.0, 50.0)}
    assert max(gaps(a, ranges)) < EXACT


def slewing() -> asm.Assembly:
    """The excavator on a turntable with an upright axis; it moves in a plane that turns with it."""
    a = read("excavator")
    a.ground("base", False)
    a.add("tracks", grounded=True, features={"ring": asm.Axis((0, 0, 0), "y")})
    a.add_features("base", {"ring": asm.Axis((0, 0, 0), "y")})
    a.mate("revolute", "tracks.ring", "base.ring", name="slew")
    a.drive("slew", "slew", "angle", value=30.0)
    return a


def test_what_moves_on_a_turntable_is_seen_in_its_plane_and_the_turntable_stays() -> None:
    a = slewing()
    v = seen(a)
    assert v.locked == ("slew",)
    assert abs(v.plane.normal[1]) < 1e-9 and abs(abs(v.plane.normal[2]) - math.cos(PI / 6)) < 1e-9
    assert max(gaps(a, {"boom cylinder": (1075.0, 1250.0)})) < EXACT


def four_bar(*, bar: bool = False, twice: bool = False, split: bool = False) -> asm.Assembly:
    """A four-bar of 100, 40, 90 and 80 mm: its coupler a mate, its pins told twice, its crank cut.

    A cut crank is two parts that share a dowel and a direction, so that they are rigid in the plane
    and slide along the dowel, where another mate holds them.
    """
    a = asm.Assembly("four-bar")
    a.add("frame", grounded=True, features={"A": pin(0, 0), "D": pin(100, 0), "face": PLANE})
    a.add(
        "crank",
        pose=at(0, 0, 60),
        features={"A": pin(0, 0), "B": pin(40, 0), "rod": ALONG_X, **POINTS["B"]},
    )
    c = meeting(40 * np.exp(1j * PI / 3), 90.0, 100.0, 80.0)
    a.add(
        "rocker",
        pose=at(100, 0, np.degrees(np.angle(c - 100))),
        features={"D": pin(0, 0), "C": pin(80, 0), **POINTS["C"]},
    )
    crank = "crank"
    if split:
        crank = "cap"
        a.add("cap", pose=at(0, 0, 60), features={"B": pin(40, 0), "rod": ALONG_X, "face": PLANE})
        a.mate("coaxial", "crank.B", "cap.B", name="dowel", sense="aligned")
        a.mate("parallel", "crank.rod", "cap.rod", name="key", sense="aligned")
        a.mate("coplanar", "frame.face", "cap.face", name="level", sense="aligned")
    for k in range(2 if twice else 1):
        a.mate("revolute", "frame.A", "crank.A", name=f"A{k}")
        a.mate("revolute", "frame.D", "rocker.D", name=f"D{k}")
    if bar:
        a.mate("distance", f"{crank}.B point", "rocker.C point", value=90.0, name="coupler")
    else:
        b = 40 * np.exp(1j * PI / 3)
        a.add(
            "coupler",
            pose=at(b.real, b.imag, np.degrees(np.angle(c - b))),
            features={"B": pin(0, 0), "C": pin(90, 0)},
        )
        for k in range(2 if twice else 1):
            a.mate("revolute", f"{crank}.B", "coupler.B", name=f"B{k}")
            a.mate("revolute", "coupler.C", "rocker.C", name=f"C{k}")
    a.drive("crank", "A0", "angle", value=60.0)
    return a


PI = math.pi
PLANE = asm.Plane((0, 0, 0), "z")
ALONG_X = asm.Axis((0, 0, 0), "x")
POINTS = {"B": {"B point": asm.Point((40, 0, 0))}, "C": {"C point": asm.Point((80, 0, 0))}}


def at(x: float, y: float, degrees: float) -> asm.Pose:
    return asm.Pose.from_axis((x, y, 0), (0, 0, 1), degrees)


def meeting(b: complex, r: float, d: complex, q: float) -> complex:
    """Where circles about b and d meet, left of b -> d."""
    s = abs(d - b)
    along = (s * s + r * r - q * q) / (2 * s)
    return b + (along + 1j * math.sqrt(r * r - along * along)) * (d - b) / s


@pytest.mark.parametrize("told", [{}, {"twice": True}, {"split": True}, {"bar": True}])
def test_pins_told_twice_parts_on_a_dowel_and_distances_make_one_four_bar(
    told: dict[str, bool],
) -> None:
    a = moved(four_bar(**told), random_pose(np.random.default_rng(5)))
    v = seen(a)
    assert len(v.scheme.links) == 4 and len(v.scheme.points) == 4
    assert sorted(len(link.points) for link in v.scheme.links) == [2, 2, 2, 2]
    assert max(gaps(a, {"crank": (60.0, 420.0)})) < EXACT


def test_links_that_are_only_kept_parallel_are_refused_by_the_mate() -> None:
    a = four_bar()
    a.add("plate", features={"rod": ALONG_X, "hole": pin(0, 0)})
    a.mate("revolute", "rocker.C", "plate.hole", name="P")
    a.add_features("frame", {"rod": ALONG_X})
    a.mate("parallel", "frame.rod", "plate.rod", name="level", sense="aligned")
    with pytest.raises(NoLinkage, match=r"mate 'level' \(parallel\): it keeps links at an angle"):
        seen(a)


def test_a_wheel_that_nothing_turns_stays_on_its_link_and_is_told() -> None:
    a = four_bar()
    a.add("wheel", features={"hub": pin(0, 0)})
    a.mate("revolute", "rocker.C", "wheel.hub", name="wheel")
    v = seen(a)
    assert v.locked == ("wheel",) and len(v.scheme.links) == 4
    assert max(gaps(a, {"crank": (60.0, 200.0)})) < EXACT


def test_a_pin_that_is_driven_along_its_slot_and_turned_is_an_open_chain() -> None:
    a = asm.Assembly("slot")
    slot = asm.Frame((0, 0, 0), (0, 0, 1), (1, 0, 0))
    a.add("frame", grounded=True, features={"slot": slot})
    ends = {"pin": pin(0, 0), "tip": asm.Point((30, 0, 0))}
    a.add("arm", pose=at(20, 0, 40), features=ends)
    a.mate("pin_slot", "frame.slot", "arm.pin", name="slot", length=100)
    a.drive("push", "slot", "length", value=20.0)
    a.drive("turn", "slot", "angle", value=40.0)
    with pytest.raises(NoLinkage, match=r"driver 'turn' .*: frame and arm share no pin"):
        seen(a)
    a.remove_driver("turn")
    a.add("strut", pose=at(20, 0, 90), features={"pin": pin(0, 0), "tip": pin(0, 50)})
    a.mate("revolute", "arm.pin", "strut.pin", name="hinge")
    a.drive("fold", "hinge", "angle", value=50.0)
    v = seen(a)
    assert [actuator.kind for actuator in v.scheme.actuators] == ["P", "R"]


def test_pins_are_one_within_the_tolerance_to_which_the_assembly_is_solved() -> None:
    a = four_bar()
    a.tolerance = 1e-2
    rng = np.random.default_rng(1)
    for name, part in list(a.parts.items()):
        off = rng.uniform(-5e-7, 5e-7, 3) * (not part.grounded)
        a.move({name: asm.Pose(part.pose.position + off, part.pose.quaternion_wxyz)})
    v = seen(a)
    assert len(v.scheme.points) == 4 and not v.scheme.slots
