"""The nominal assembly: features that agree within the tolerance are made equal, others stay."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanisms import four_bar, hinge, parallelogram

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.foundations.geometry.pose import frames_of
from assembly_solver.foundations.types import Array
from assembly_solver.structure.nominal import merged, nominal
from assembly_solver.structure.plan import make_plan

pytestmark = pytest.mark.quick

PARTS = np.zeros(1, np.int64)
IDENTITY = frames_of([asm.Pose()])


def frame(origin: tuple[float, ...], z: tuple[float, ...], x: tuple[float, ...]) -> Array:
    """Origin and axes as 12 numbers; x is made normal to z."""
    third = np.array(z, float) / np.linalg.norm(z)
    first = np.array(x, float) - (np.array(x) @ third) * third
    first /= np.linalg.norm(first)
    return np.concatenate([origin, first, np.cross(third, first), third])


def made(frames: list[Array], tolerance: float = 1e-4) -> tuple[Array, float]:
    """The nominal markers of one body whose frame is that of its part, and their shift."""
    part = np.zeros(len(frames), np.int64)
    found = nominal(part, np.array(frames), PARTS, IDENTITY, 100.0, tolerance)
    return found.frames, found.shift


def test_directions_within_the_tolerance_at_the_reach_become_one() -> None:
    tilt = 0.9e-6  # 100 mm away 0.9e-4 mm
    x = (0.6, 0.8, 0.0)
    one, two = frame((0, 0, 0), (0.8, -0.6, 0), x), frame((100, 0, 0), (0.8, -0.6, tilt), x)
    (a, b), shift = made([one, two])
    assert np.array_equal(a[9:], b[9:])
    assert a[9:] @ np.array([0.8, -0.6, tilt / 2]) == pytest.approx(1.0, abs=1e-12)
    assert 0.4e-4 < shift < 1e-4


def test_directions_of_a_short_body_agree_at_the_reach_of_its_mates() -> None:
    for tilt, same in ((1e-4, False), (0.5e-6, True)):  # at 100 mm 0.01 mm and 0.5e-4 mm
        one = frame((0, 0, 0), (0.8, -0.6, 0.0), (0.3, 0.4, 0.9))
        two = frame((0, 0, 0.05), (0.8, -0.6, tilt), (0.3, 0.4, 0.9))
        (a, b), _ = made([one, two])
        assert np.array_equal(a[9:], b[9:]) == same


def test_directions_that_differ_by_more_stay() -> None:
    one = frame((0, 0, 0), (0.8, -0.6, 0.0), (0.3, 0.4, 0.9))
    two = frame((100, 0, 0), (0.8, -0.6, 5e-6), (0.3, 0.4, 0.9))
    found, _ = made([one, two])
    assert np.abs(found - [one, two]).max() < 1e-11


def test_an_axis_near_one_of_its_part_is_along_it() -> None:
    (found,), _ = made([frame((5, 6, 7), (1e-7, -2e-7, -1), (1, 0, 0))])
    assert found[9:].tolist() == [0, 0, -1]
    assert found[:3].tolist() == [5, 6, 7]


def test_right_angles_become_right_and_the_more_frequent_direction_stays() -> None:
    u, v = np.array([0.48, 0.6, 0.64]), np.array([-0.8, 0.6, 0.0]) * 1.0
    v = v - (v @ u) * u
    v /= np.linalg.norm(v)
    skew = v + 3e-7 * u
    side = np.cross(u, v)
    frames = [frame((k * 50, 0, 0), tuple(u), tuple(v + 0.5 * side)) for k in range(2)]
    found, _ = made([*frames, frame((0, 50, 0), tuple(skew), tuple(side + 0.2 * u))])
    assert np.array_equal(found[0, 9:], frames[0][9:])
    assert abs(found[2, 9:] @ found[0, 9:]) < 1e-15


def test_points_come_to_common_lines_planes_and_points() -> None:
    z, x = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    at = [(10, 20, 0), (10 + 4e-5, 20, 80), (90, 5, 2e-5), (90 + 3e-5, 5 - 3e-5, 30)]
    found, shift = made([frame(p, z, x) for p in at])
    assert np.ptp(found[:2, :2], axis=0).tolist() == [0, 0]
    assert np.ptp(found[2:, :2], axis=0).tolist() == [0, 0]
    assert found[0, 2] == found[2, 2]
    assert found[0, 0] == pytest.approx(10 + 2e-5, abs=1e-9)
    assert shift < 1e-4


def test_a_row_of_points_a_tolerance_apart_is_no_point() -> None:
    rows = np.array([[0.9e-4 * k, 0.0] for k in range(50)])
    found, _ = merged(np.zeros(50, np.int64), rows, np.array([1e-4]), 1.0)
    assert np.array_equal(found, rows)


def test_many_rows_are_merged_as_few_are() -> None:
    draw = np.random.default_rng(5)
    spots = draw.uniform(-50, 50, (40, 3))
    rows = np.repeat(spots, 3, axis=0) + draw.uniform(-1e-5, 1e-5, (120, 3))
    found, label = merged(np.zeros(120, np.int64), rows, np.array([1e-4]), 50.0)
    assert len(np.unique(found, axis=0)) == len(np.unique(label)) == 40
    assert np.abs(found.reshape(40, 3, 3) - rows.reshape(40, 3, 3).mean(axis=1)[:, None]).max() < (
        1e-13
    )


@pytest.mark.parametrize("make", [four_bar, hinge, parallelogram])
def test_an_exact_model_is_its_own_nominal_model(make: object) -> None:
    assert callable(make)
    plan = make_plan(compile_system(make()))
    assert plan.bodies.shift == 0.0


def test_grounded_parts_are_aligned_with_each_other() -> None:
    tilt = math.degrees(1e-7)
    a = asm.Assembly("stands", tolerance=1e-4)
    pin = {"pin": asm.Axis((0, 0, 0), "z")}
    a.add("left", grounded=True, features=pin)
    a.add(
        "right", grounded=True, features=pin, pose=asm.Pose.from_axis((50, 0, 0), (1, 0, 0), tilt)
    )
    a.add("bar", features={"one": asm.Axis((0, 0, 0), "z"), "two": asm.Axis((50, 0, 0), "z")})
    a.mate("coaxial", "left.pin", "bar.one")
    a.mate("coaxial", "right.pin", "bar.two")
    found = asm.solve(a).require()
    assert found.dof == 1  # it slides along both
    assert max(m["residual_mm"] for m in found.to_dict()["mates"]) < 1e-8
    assert found.redundant_equations == 3
