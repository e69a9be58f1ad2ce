"""Every type of native joint: displaced, solved, measured; FreeCAD's own solver agrees."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import numpy as np
import pytest
from coupled import nut, rack, wheels_coupled
from distances import KNOWN, MISSED, ORDERS, RADII, SHAPES, bench_of, misses, solved_by_freecad
from making import AWRY, OFF, Bench, all_numbers, numbers, off, seen, turned

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
@pytest.mark.parametrize(("one", "two"), KNOWN)
def test_a_distance_is_between_what_the_elements_are(bench: Bench, one: str, two: str) -> None:
    joint, part = bench_of(bench, one, two)
    displaced(part)
    asf.solve(bench.document).require()
    assert misses(joint, one, two) < CLOSE
    agrees(bench)


@pytest.mark.parametrize(("one", "two"), ORDERS)
def test_where_freecad_solves_a_distance_nothing_is_left_to_do(
    bench: Bench, one: str, two: str
) -> None:
    joint, part = bench_of(bench, one, two)
    displaced(part)
    solved_by_freecad(bench)
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
@pytest.mark.parametrize(("kind", "ratio"), [("Gears", -2.0), ("Belt", 2.0)])
def test_wheels_turn_by_their_radii(bench: Bench, kind: str, ratio: float) -> None:
    one, two = wheels_coupled(bench, kind)
    start = turned(one), turned(two)
    asf.drive(bench.document, "Turn One", start[0] + 30.0).require()
    sense = np.sign(seen(one).Rotation.multVec(FreeCAD.Vector(0, 0, 1)).z)
    assert abs(turned(one) - start[0] - 30.0) < CLOSE
    assert sense == np.sign(seen(two).Rotation.multVec(FreeCAD.Vector(0, 0, 1)).z)
    assert abs((turned(two) - start[1] - ratio * 30.0 + 180.0) % 360.0 - 180.0) < CLOSE


def test_a_nut_moves_by_the_pitch_of_its_screw(bench: Bench) -> None:
    turn, slide = nut(bench)
    before = seen(slide).Base.z, turned(turn)
    asf.drive(bench.document, "Turn", before[1] + 45.0).require()
    assert abs(abs(seen(slide).Base.z - before[0]) - 8.0 * 45.0 / 360.0) < CLOSE


def test_a_rack_moves_by_the_arc_of_its_pinion(bench: Bench) -> None:
    turn, slide = rack(bench)
    before = seen(slide).Base.z, turned(turn)
    asf.drive(bench.document, "Turn", before[1] + 20.0).require()
    moved = seen(slide).Base.z - before[0]
    assert abs(abs(moved) - 9.0 * np.radians(20.0)) < CLOSE
