"""A list of modes is not called complete where a body of the loop turns idly, or nearly so."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def ring(seed: int, apart: float, kinds: str = "RRRRRR") -> asm.Assembly:
    """Hinges and cylinders in space; two of one link are on one line but for an angle, rad."""
    draw, n = np.random.default_rng(seed), len(kinds)
    turn = 2 * np.pi * np.arange(n) / n
    points = 90 * np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    points += 25 * draw.normal(size=(n, 3))
    ways = np.array([unit(v) for v in draw.normal(size=(n, 3))])
    across = unit(np.cross(ways[2], ways[0]))
    points[3], ways[3] = points[2] + 40 * ways[2], unit(ways[2] + apart * across)
    a = asm.Assembly()
    for k in range(n):
        own = {f"j{i}": asm.Frame(points[i], ways[i]) for i in (k - 1, k) if i >= 0}
        own = own if k else {"j0": own["j0"], f"j{n - 1}": asm.Frame(points[-1], ways[-1])}
        a.add(f"link{k}", features=own, grounded=k == 0)
    for k, kind in enumerate(kinds):
        mate = {"R": "revolute", "C": "cylindrical"}[kind]
        a.mate(mate, f"link{k}.j{k}", f"link{(k + 1) % n}.j{k}")
    return a


@pytest.mark.parametrize("apart", [0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_loop_with_a_link_that_hardly_holds_its_angle_is_not_called_complete(
    seed: int, apart: float
):
    a = ring(seed, apart)
    modes = asm.modes(a)
    assert {m.complete for m in modes} == {False}
    assert {m.why for m in modes} == {
        "a body in them turns idly, or nearly so: that has no closures to count"
    }
    if apart <= 1e-6:  # less than the tolerance at 40 mm
        assert asm.mobility(a).idle == 1


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_loop_with_a_link_that_holds_its_angle_is_complete(seed: int):
    modes = asm.modes(ring(seed, 1e-3))
    assert {(m.complete, m.solutions) for m in modes} == {(True, 16)}
    assert len(modes) == 2


@pytest.mark.parametrize(
    ("seed", "apart", "told"), [(0, 1e-4, None), (1, 1e-4, None), (0, 1e-2, 16)]
)
def test_solutions_are_not_counted_where_joints_are_nearly_at_no_angle(
    seed: int, apart: float, told: int | None
):
    """12 and 14 of 16 were told, by how many were nearer than a threshold."""
    modes = asm.modes(ring(seed, apart, "CRRRR"))
    assert {(m.complete, m.solutions) for m in modes} == {(True, told)}
    assert len(modes) == 2
