"""The fallbacks after the plan: singular points, wrong senses, far starts."""

from __future__ import annotations

from math import atan2, cos, degrees, pi, sin

import numpy as np
import pytest

import assembly_solver as asm
from benchmarks import families
from benchmarks.adapters.by_ourselves import solved_poses
from benchmarks.judge import judge

pytestmark = pytest.mark.quick

GROUND, CRANK, COUPLER, ROCKER = 400.0, 100.0, 300.0, 300.0
DEAD = 1.955193101291
"""Rocker angle of A.8 at which crank and coupler are in line, rad."""


def hinge(a: asm.Assembly, one: str, other: str, name: str) -> asm.Mate:
    return a.mate("revolute", one, other, name=name, sense="aligned")


def dead_linkage(rocker: float) -> asm.Assembly:
    """The four-bar of docs/theory/updates.md, 7, at its dead point, its rocker to be driven.

    Coordinates of B and C are those given there, in units of 100 mm.
    """
    b, c = np.array([0.71875, 0.695268608165]), np.array([2.875, 2.781074432661])
    z = {"z": asm.Axis((0, 0, 0), "z")}
    a = asm.Assembly("dead point")
    ground = asm.Axis((GROUND, 0, 0), "z")
    a.add("frame", grounded=True, features={"crank": asm.Axis((0, 0, 0), "z"), "rocker": ground})
    for name, length, start, end in (
        ("crank", CRANK, np.zeros(2), b),
        ("coupler", COUPLER, b, c),
        ("rocker", ROCKER, np.array([4.0, 0.0]), c),
    ):
        angle = atan2(*(end - start)[::-1])
        pose = asm.Pose.from_axis((*(100 * start), 0.0), (0, 0, 1), degrees(angle))
        a.add(name, pose=pose, features=z | {"end": asm.Axis((length, 0, 0), "z")})
    hinge(a, "frame.crank", "crank.z", "A0")
    hinge(a, "crank.end", "coupler.z", "B")
    hinge(a, "coupler.end", "rocker.end", "C")
    pivot = hinge(a, "frame.rocker", "rocker.z", "D0")
    a.drive("rocker", pivot, value=degrees(rocker))
    return a


def test_a_dead_point_is_left_on_the_side_that_exists() -> None:
    solution = asm.solve(dead_linkage(DEAD + 0.05)).require()
    angle = 2 * atan2(*solution.poses["crank"].quaternion_wxyz[:4:3][::-1])
    found = (cos(angle), sin(angle))
    roots = [(0.950116667484, 0.311894722895), (0.317472181439, 0.948267585659)]
    # the pose at the start has 12 digits; the crank's pin is that of one of the two assembly modes
    assert min(np.hypot(found[0] - x, found[1] - y) for x, y in roots) < 1e-9


def test_a_stretched_chain_is_shortened_by_a_perturbation_and_it_is_counted() -> None:
    """In line, no small motion shortens two bars: rank 4 of 5 until an unknown is perturbed."""
    a = asm.Assembly("two bars in line")
    bar = {"z": asm.Axis((0, 0, 0), "z"), "end": asm.Axis((100, 0, 0), "z")}
    tip = {"tip": asm.Point((100, 0, 0))}
    a.add("frame", grounded=True, features={"z": asm.Axis((0, 0, 0), "z")})
    a.add("near", features=bar)
    a.add("far", pose=asm.Pose((100, 0, 0)), features=bar | tip)
    hinge(a, "frame.z", "near.z", "A")
    hinge(a, "near.end", "far.z", "B")
    a.drive("length", separation=("frame.origin", "far.tip"), value=190.0)
    solution = asm.solve(a).require()
    assert solution.counts.perturbations >= 1
    end = solution.poses["far"].apply((100, 0, 0))
    assert np.linalg.norm(end) == pytest.approx(190, abs=1e-9)
    assert solution.dof == 2


def test_beyond_the_dead_point_nothing_is_called_solved() -> None:
    solution = asm.solve(dead_linkage(DEAD - 0.05))
    assert solution.outcome is not asm.Outcome.SOLVED
    assert solution.residual > 1.0  # mm: A.8 leaves 0.135 of 100 mm in its own measure


@pytest.mark.parametrize("distance", [1.0, 10.0])
def test_two_points_that_coincide_are_driven_apart(distance: float) -> None:
    """A.8: the separation of coincident points has no direction, and still opens."""
    a = asm.Assembly()
    a.add("ground", grounded=True, features={"p": asm.Point((0, 0, 0))})
    a.add("body", features={"p": asm.Point((0, 0, 0))})
    a.mate("distance", "ground.p", "body.p", value=distance)
    found = asm.solve(a).poses["body"].position
    assert np.linalg.norm(found) == pytest.approx(distance, abs=1e-9)


def test_parts_turned_over_in_a_spatial_loop_come_back_with_right_senses() -> None:
    """Half a turn across the axis is the farthest from a coaxial mate that there is."""
    case = families.stewart(seed=4)
    a = families.assembly(case)
    for name in ("cyl0", "rod3", "cyl5"):
        start = a.pose(name)
        a.move({name: start @ asm.Pose.from_axis((0, 0, 0), (1, 0, 0), 180 - 1e-9)})
    solution = asm.solve(a).require()
    verdict = judge(case, solved_poses(case, solution.poses))
    assert verdict.flips == 0
    assert verdict.mm < 1e-9


@pytest.mark.parametrize("turn", [1.0, 90.0, 91.0, 135.0, 179.0, 180.0])
def test_a_fixed_joint_has_one_root_however_far_it_starts(turn: float) -> None:
    """Fault F1: three cosines have four roots, and one of them is half a turn off."""
    for axis in ((0, 0, 1), (1, 2, 3), (1, -1, 0)):
        a = asm.Assembly()
        a.add("base", grounded=True)
        a.add("part", pose=asm.Pose.from_axis((30, -20, 10), axis, turn))
        a.mate("fixed", "base.origin", "part.origin")
        pose = asm.solve(a).poses["part"]
        assert abs(abs(pose.quaternion_wxyz[0]) - 1) < 1e-12
        assert np.abs(pose.position).max() < 1e-9


def test_scattered_starts_of_a_four_bar_all_close() -> None:
    """Noise 9 is 90 % of the size and turns of up to half a turn."""
    for seed in range(20):
        case = families.fourbar(seed=seed, noise=9.0)
        solution = asm.solve(families.assembly(case)).require()
        verdict = judge(case, solved_poses(case, solution.poses))
        assert verdict.mm < 1e-9
        assert verdict.flips == 0


def test_the_dead_point_is_where_crank_and_coupler_are_in_line() -> None:
    """The number that the tests above lean on, by the law of cosines."""
    reach = CRANK + COUPLER
    angle = pi - np.arccos((GROUND**2 + ROCKER**2 - reach**2) / (2 * GROUND * ROCKER))
    assert angle == pytest.approx(DEAD, abs=1e-11)
