"""Planar components are recognised in any position, and no other component is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import O, bennett, disturb, four_bar, linkage, moved, rssr, sarrus, turned

import assembly_solver as asm
from benchmarks import families

pytestmark = pytest.mark.quick

Z = (0.0, 0.0, 1.0)


def loops(a: asm.Assembly) -> list[dict[str, Any]]:
    return [c for c in asm.analyse(a).components if c["kind"] == "loop"]


@pytest.mark.parametrize("axis, degrees", [(Z, 0), (Z, 40), ((1, 0, 0), 90), ((1, 2, 3), 70)])
def test_a_four_bar_is_planar_however_it_stands(
    axis: tuple[float, float, float], degrees: float
) -> None:
    by = turned(axis, degrees, (100, -50, 20))
    (loop,) = loops(moved(disturb(four_bar(), 1, 5, 4), by))
    assert loop["planar"]
    assert abs(np.array(loop["normal"]) @ by.rotation[:, 2]) == pytest.approx(1, abs=1e-12)
    assert (loop["unknowns"], loop["equations"]) == (9, 8)
    assert loop["in_space"] == {"unknowns": 18, "equations": 20}


def slewing() -> asm.Assembly:
    """A four-bar that lies in an upright plane of a turntable."""
    a = asm.Assembly()
    a.add("ground", grounded=True)
    by = turned((1, 0, 0), 90)
    flat = four_bar()
    for name, part in flat.parts.items():
        a.add(name, pose=by @ part.pose, features=part.features)
    a.mate("revolute", "ground.z", "frame.y", name="slewing", sense="aligned")
    for mate in flat.mates.values():
        a.mate(mate.kind, mate.a, mate.b, name=mate.name)
    return a


@pytest.mark.parametrize("degrees", [0.0, 35.0])
def test_a_four_bar_on_a_slewing_base_is_planar_relative_to_its_base(degrees: float) -> None:
    a = slewing()
    a.drive("slew", "slewing", "angle", value=degrees)
    solution = asm.solve(disturb(a, 1, 4, 3)).require()
    (loop,) = loops(a)
    assert loop["planar"] and loop["root"] == "frame"
    assert set(loop["parts"]) == {"crank", "coupler", "rocker"}
    assert (solution.dof, solution.redundant_equations) == (2, 3)
    assert solution.residual < 1e-9
    normal = solution.poses["frame"].rotation[:, 2]
    for name in ("crank", "coupler", "rocker"):
        assert solution.poses[name].rotation[:, 2] @ normal == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("make", [rssr, bennett, sarrus])
def test_a_spatial_loop_is_not_planar(make: Any) -> None:
    (loop,) = loops(make())
    assert not loop["planar"]
    assert loop["normal"] is None
    assert loop["unknowns"] == loop["in_space"]["unknowns"]


def test_one_oblique_hinge_is_enough_to_leave_the_plane() -> None:
    names = ("frame", "crank", "coupler", "rocker")
    a = linkage(
        "oblique",
        dict.fromkeys(names, asm.Pose()),
        [
            ("revolute", "frame", "crank", O, Z),
            ("revolute", "crank", "coupler", (100, 0, 0), Z),
            ("revolute", "coupler", "rocker", (200, 150, 0), (0, 0.1, 1)),
            ("revolute", "frame", "rocker", (300, 0, 0), Z),
        ],
    )
    (loop,) = loops(a)
    assert not loop["planar"]


def test_a_slider_in_the_plane_keeps_the_plane() -> None:
    """Its slot is a face across the plane, next to a face in it."""
    (loop,) = loops(families.assembly(families.scissor(1, seed=1)))
    assert loop["planar"]
    solution = asm.solve(families.assembly(families.scissor(1, seed=1)))
    assert (solution.dof, solution.residual < 1e-9) == (1, True)


def test_free_heights_are_freedoms_and_stay_where_they_were() -> None:
    """Sleeves instead of hinges: each part keeps the mean height of its features."""
    a = four_bar("cylindrical")
    a.move({"coupler": asm.Pose((0, 0, 17)), "rocker": asm.Pose((3, 4, -8))})
    solution = asm.solve(a).require()
    heights = {n: p.position[2] for n, p in solution.poses.items()}
    wanted = {"frame": 0, "crank": 0, "coupler": 17, "rocker": -8}
    assert heights == pytest.approx(wanted, abs=1e-9)
    assert solution.dof == 4


def test_a_distance_across_the_plane_is_not_called_planar() -> None:
    """Points at different heights: their separation ties the plane to the heights."""
    a = four_bar("cylindrical")
    a.drive("wire", separation=("crank.origin", "rocker.origin"), value=40.0)
    b = asm.Assembly()
    lifted = {"crank": asm.Point((20, 0, 5)), "rocker": asm.Point((250, 10, 60))}
    for name, part in a.parts.items():
        more = {"eye": lifted[name]} if name in lifted else {}
        b.add(name, grounded=part.grounded, features={**part.features, **more})
    for mate in a.mates.values():
        b.mate(mate.kind, mate.a, mate.b, name=mate.name)
    b.mate("distance", "crank.eye", "rocker.eye", value=230.0)
    solution = asm.solve(b).require()
    eyes = [solution.poses[n].apply(p.point) for n, p in lifted.items()]
    assert np.linalg.norm(eyes[0] - eyes[1]) == pytest.approx(230, abs=1e-9)
    (loop,) = loops(b)
    assert not loop["planar"]


def test_equal_distances_across_the_plane_are_not_called_planar() -> None:
    """A lift on a column and an arm on it, whose tip is as far from two points at two heights.

    20^2 + h^2 = 20^2 + 20^2 + (30 - h)^2 at one height h only.
    """
    a, z = asm.Assembly(), (0.0, 0.0, 1.0)
    ends = {"low": asm.Point((60.0, 0, 0)), "high": asm.Point((60.0, 20.0, 30.0))}
    guide = asm.Axis((40.0, 0, 0), z)
    a.add("frame", grounded=True, features={"column": asm.Frame(O, z), "guide": guide, **ends})
    a.add("lift", pose=asm.Pose((0, 0, 8.0)), features={"slide": asm.Frame(O, z)})
    tip = asm.Point((40.0, 0, 0))
    a.add("arm", pose=asm.Pose((0, 0, 8.0)), features={"pin": asm.Axis(O, z), "tip": tip})
    a.mate("prismatic", "frame.column", "lift.slide")
    a.mate("revolute", "lift.slide", "arm.pin")
    a.mate("point_on_line", "arm.tip", "frame.guide")
    a.mate("equal_distance", "arm.tip", "frame.low", b2="frame.high")
    solution = asm.solve(a).require()
    assert solution.poses["lift"].position[2] == pytest.approx(65 / 3, abs=1e-9)
    assert (solution.dof, solution.redundant_equations) == (0, 1)
