"""Every type of joint of FreeCAD 1.0: displaced, solved, measured; FreeCAD's solver agrees."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import numpy as np
import pytest
from making import AWRY, NEWER, OFF, Bench, all_numbers, between, numbers, off, seen, tilt, turned

CLOSE = 1e-8
"""mm and degrees: a normal solve reaches 1e-9 mm; sums of FreeCAD's placements lose a digit."""

FACES = ("Base.Face6 Base.Vertex7", "Part.Face6 Part.Vertex7")


def pair(bench: Bench) -> tuple[Any, Any]:
    """Two boxes, the first grounded."""
    base, part = bench.box("Base"), bench.box("Part", (15, 25, 8))
    bench.ground(base)
    return base, part


def displaced(part: Any) -> None:
    part.Placement = AWRY.multiply(part.Placement)


def agrees(bench: Bench) -> None:
    """FreeCAD's own solver finds nothing to do."""
    parts = [o for o in bench.document.Objects if o.isDerivedFrom("Part::Feature")]
    before = [FreeCAD.Placement(part.Placement) for part in parts]
    assert bench.assembly.solve() == 0
    for part, placement in zip(parts, before, strict=True):
        assert part.Placement.isSame(placement, 1e-5), part.Label  # mm: where its solver stops


DOF = {"Fixed": 0, "Revolute": 1, "Slider": 1, "Cylindrical": 2, "Ball": 3, "Parallel": 4}
DOF |= {"Perpendicular": 5, "Angle": 5}


@pytest.mark.parametrize("kind", DOF)
def test_a_displaced_joint_is_solved_and_freecad_agrees(bench: Bench, kind: str) -> None:
    base, part = pair(bench)
    more = {"Distance": 35.0} if kind == "Angle" else {}
    joint = bench.joint(kind, "Base.Face6 Base.Vertex7", "Part.Face2 Part.Vertex7", **more)
    displaced(part)
    still = numbers(base.Placement)
    assert off(joint) > 0.01
    found = asf.solve(bench.document).require()
    assert off(joint) < CLOSE
    assert (found.dof, numbers(base.Placement)) == (DOF[kind], still)
    agrees(bench)


def test_offsets_and_detached_coordinate_systems_are_taken_as_they_stand(bench: Bench) -> None:
    _, part = pair(bench)
    joint = bench.joint("Fixed", *FACES, Offset1=FreeCAD.Placement(AWRY), Detach2=True)
    joint.Placement2 = FreeCAD.Placement(FreeCAD.Vector(1, 2, 3), FreeCAD.Rotation(10, 20, 30))
    displaced(part)
    asf.solve(bench.document).require()
    assert off(joint) < CLOSE


def test_a_limited_slider_stops_where_freecad_bounds_it(bench: Bench) -> None:
    _, part = pair(bench)
    joint = bench.joint("Slider", *FACES, EnableLengthMax=True, LengthMax=15.0)
    found = asf.drive(bench.document, "Slider", 12.0).require()
    assert abs(seen(joint).Base.z - 12.0) < CLOSE
    before = numbers(part.Placement)
    found = asf.drive(bench.document, "Slider", 40.0)
    assert found.outcome.name == "CONFLICTING" and "15" in found.explanation
    assert numbers(part.Placement) == before


def test_a_joint_that_is_switched_off_holds_nothing_and_is_named(bench: Bench) -> None:
    _, part = pair(bench)
    joint = bench.joint("Fixed", *FACES)
    setattr(joint, *OFF)
    displaced(part)
    before = all_numbers(bench.document)
    found = asf.solve(bench.document).require()
    assert found.suppressed == ["Fixed"] and all_numbers(bench.document) == before


# ------------------------------------------------------------------------------------- distances
def _place(part: Any, *at: float) -> None:
    part.Placement = FreeCAD.Placement(FreeCAD.Vector(*at), FreeCAD.Rotation())


SHAPES: dict[str, tuple[Callable[[Bench, str], Any], str]] = {
    "vertex": (lambda b, n: b.box(n), "Vertex7"),
    "line": (lambda b, n: b.box(n), "Edge8"),
    "circle": (lambda b, n: b.round("Cylinder", n, Radius=3, Height=12), "Edge2"),
    "plane": (lambda b, n: b.box(n), "Face6"),
    "cylinder": (lambda b, n: b.round("Cylinder", n, Radius=4, Height=12), "Face1"),
    "sphere": (lambda b, n: b.round("Sphere", n, Radius=5), "Face1"),
    "torus": (lambda b, n: b.round("Torus", n, Radius1=8, Radius2=2), "Face1"),
    "cone": (lambda b, n: b.round("Cone", n, Radius1=2, Radius2=4, Height=10), "Face1"),
}
RADII = {"circle": 3.0, "cylinder": 4.0, "sphere": 5.0}
KNOWN = {
    ("vertex", "vertex"): "points",
    ("line", "vertex"): "point to axis",
    ("line", "line"): "axes",
    ("line", "circle"): "axes",
    ("circle", "circle"): "axes",
    ("circle", "vertex"): "point over plane",
    ("plane", "vertex"): "point over plane",
    ("plane", "line"): "axis over plane",
    ("plane", "plane"): "planes",
    ("plane", "cylinder"): "axis over plane",
    ("plane", "sphere"): "point over plane",
    ("plane", "torus"): "planes",
    ("cylinder", "vertex"): "point to axis",
    ("cylinder", "cylinder"): "axes",
    ("cylinder", "sphere"): "point to axis",
    ("cylinder", "torus"): "axes",
    ("sphere", "vertex"): "points",
    ("sphere", "sphere"): "points",
    ("torus", "sphere"): "point to axis",
    ("torus", "torus"): "planes",
}
"""What FreeCAD measures between, by its source; every other pair it makes a planar joint of."""


def measured(joint: Any, what: str, first: str) -> tuple[float, float]:
    """The distance that a joint has, mm, and what its axes are out of line, from its frames."""
    found = seen(joint)
    base = (found if began(joint) == first else found.inverse()).Base
    if what == "points":
        return base.Length, 0.0
    if what == "point to axis":
        return float(np.hypot(base.x, base.y)), 0.0
    if what == "axes":
        return float(np.hypot(base.x, base.y)), tilt(joint)
    if what == "axis over plane":
        return base.z, abs(between(joint) - 90.0)
    return base.z, tilt(joint) if what == "planes" else 0.0


def began(joint: Any) -> str:
    """The part that a joint refers to first; FreeCAD 1.0's solve may exchange its two."""
    root, paths = joint.Reference1
    return str(root.Name if NEWER else paths[0].split(".")[0])


def bench_of(bench: Bench, one: str, two: str) -> tuple[Any, Any]:
    (first, element), (second, other) = SHAPES[one], SHAPES[two]
    base, part = first(bench, "Base"), second(bench, "Part")
    bench.ground(base)
    _place(part, 30, 12, 50)
    joint = bench.joint("Distance", f"Base.{element}", f"Part.{other}", Distance=7.0)
    return joint, part


def misses(joint: Any, one: str, two: str, first: str = "Base") -> float:
    """What a distance of 7 mm is off by, mm, or its axes are out of line, from its frames."""
    what = KNOWN[one, two]
    plane = ("planes", "point over plane", "axis over plane")
    radii = sum(RADII.get(k, 0.0) for k in ((two,) if what in plane else (one, two)))
    length, crooked = measured(joint, what, first)
    return max(abs(length - (7.0 + radii)), crooked)


@pytest.mark.parametrize(("one", "two"), KNOWN)
def test_a_distance_is_between_what_the_elements_are(bench: Bench, one: str, two: str) -> None:
    joint, part = bench_of(bench, one, two)
    displaced(part)
    asf.solve(bench.document).require()
    assert misses(joint, one, two) < CLOSE
    agrees(bench)


ORDERS = [*dict.fromkeys([*KNOWN, *((two, one) for one, two in KNOWN)])]
MISSED = {("circle", "vertex"), ("line", "line"), ("circle", "line")}
MISSED |= {(kind, "plane") for kind in ("line", "cylinder", "sphere", "torus")}
"""Where FreeCAD 1.0's own solver does not arrive from these starts; of two it says that it did."""


@pytest.mark.skipif(NEWER, reason="MISSED was found with FreeCAD 1.0's solver")
@pytest.mark.parametrize(("one", "two"), ORDERS)
def test_where_freecad_solves_a_distance_nothing_is_left_to_do(
    bench: Bench, one: str, two: str
) -> None:
    joint, part = bench_of(bench, one, two)
    displaced(part)
    bench.assembly.solve()  # in 1.0 it puts the elements of the joint into the order of KNOWN
    there = FreeCAD.Placement(part.Placement)
    known = (one, two, "Base") if (one, two) in KNOWN else (two, one, "Part")
    arrived = misses(joint, *known) < 1e-5  # mm: where FreeCAD's solver stops
    assert arrived is ((one, two) not in MISSED)
    asf.solve(bench.document).require()
    assert misses(joint, *known) < CLOSE
    assert not arrived or part.Placement.isSame(there, 1e-5)


@pytest.mark.parametrize(("one", "two"), [("plane", "line"), ("cylinder", "vertex")])
def test_the_order_of_the_two_elements_says_nothing(bench: Bench, one: str, two: str) -> None:
    joint, part = bench_of(bench, two, one)
    displaced(part)
    asf.solve(bench.document).require()
    back = seen(joint).inverse().Base
    away = back.z if one == "plane" else float(np.hypot(back.x, back.y))
    assert abs(away - 7.0 - RADII.get(one, 0.0)) < CLOSE


OTHERS = [
    pair
    for pair in combinations_with_replacement(SHAPES, 2)
    if pair not in KNOWN and pair[::-1] not in KNOWN
]


@pytest.mark.parametrize(("one", "two"), OTHERS)
def test_a_pair_that_freecad_has_no_distance_for_is_named_and_nothing_moves(
    bench: Bench, one: str, two: str
) -> None:
    bench_of(bench, one, two)
    before = all_numbers(bench.document)
    assert "has no meaning" in asf.diagnose(bench.document).left_out["Distance"]
    with pytest.raises(asf.NotHeld, match=f"nothing was moved.*{one}.*{two}.*has no meaning"):
        asf.solve(bench.document)
    assert all_numbers(bench.document) == before


# ------------------------------------------------------------------------------------- couplings
def wheels(bench: Bench) -> tuple[Any, Any]:
    """Two wheels that turn on one plate."""
    plate = bench.box("Plate", (100, 20, 5))
    bench.ground(plate)
    joints = []
    for name, at in (("One", 20), ("Two", 60)):
        wheel = bench.round("Cylinder", name, Radius=5, Height=4)
        _place(wheel, at, 10, 5)
        joint = bench.joint("Revolute", "Plate.Face6 Plate.Vertex2", f"{name}.Face3 {name}.Edge1")
        joint.Label = f"Turn {name}"
        joint.Detach1 = True
        joint.Placement1 = FreeCAD.Placement(FreeCAD.Vector(at, 10, 5), FreeCAD.Rotation())
        joints.append(joint)
    asf.solve(bench.document).require()
    return joints[0], joints[1]


@pytest.mark.parametrize(("kind", "ratio"), [("Gears", -2.0), ("Belt", 2.0)])
def test_wheels_turn_by_their_radii(bench: Bench, kind: str, ratio: float) -> None:
    one, two = wheels(bench)
    bench.joint(kind, "One.Face3 One.Edge1", "Two.Face3 Two.Edge1", Distance=20.0, Distance2=10.0)
    start = turned(one), turned(two)
    asf.drive(bench.document, "Turn One", start[0] + 30.0).require()
    sense = np.sign(seen(one).Rotation.multVec(FreeCAD.Vector(0, 0, 1)).z)
    assert abs(turned(one) - start[0] - 30.0) < CLOSE
    assert sense == np.sign(seen(two).Rotation.multVec(FreeCAD.Vector(0, 0, 1)).z)
    assert abs((turned(two) - start[1] - ratio * 30.0 + 180.0) % 360.0 - 180.0) < CLOSE


def test_a_screw_moves_by_its_pitch_and_a_rack_by_the_radius_of_its_pinion(bench: Bench) -> None:
    base = bench.box("Base")
    bench.ground(base)
    bench.box("Nut"), bench.box("Rod")
    slide = bench.joint("Slider", "Base.Face6 Base.Vertex7", "Nut.Face6 Nut.Vertex7", "Slide")
    turn = bench.joint("Revolute", "Base.Face6 Base.Vertex7", "Rod.Face6 Rod.Vertex7", "Turn")
    bench.joint("Screw", "Nut.Face6 Nut.Vertex7", "Rod.Face6 Rod.Vertex7", Distance=8.0)
    asf.solve(bench.document).require()
    before = seen(slide).Base.z, turned(turn)
    asf.drive(bench.document, "Turn", before[1] + 45.0).require()
    assert abs(abs(seen(slide).Base.z - before[0]) - 8.0 * 45.0 / 360.0) < CLOSE


def test_a_rack_moves_by_the_arc_of_its_pinion(bench: Bench) -> None:
    base = bench.box("Base", (60, 60, 60))
    bench.ground(base)
    bench.box("Rack"), bench.box("Pinion")
    slide = bench.joint("Slider", "Base.Face2 Base.Vertex7", "Rack.Face2 Rack.Vertex7", "Slide")
    turn = bench.joint("Revolute", "Base.Face6 Base.Vertex7", "Pinion.Face6 Pinion.Vertex7", "Turn")
    rack, pinion = "Rack.Face2 Rack.Vertex7", "Pinion.Face6 Pinion.Vertex7"
    bench.joint("RackPinion", rack, pinion, Distance=9.0)
    asf.solve(bench.document).require()
    before = seen(slide).Base.z, turned(turn)
    asf.drive(bench.document, "Turn", before[1] + 20.0).require()
    moved = seen(slide).Base.z - before[0]
    assert abs(abs(moved) - 9.0 * np.radians(20.0)) < CLOSE
