"""Loops over single numbers: interpreted on lists they give what they give on arrays."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.equations.elimination import pattern
from assembly_solver.equations.sparse_block import NormalEquations, damped_step
from assembly_solver.equations.table import displace, gradient
from assembly_solver.foundations.jit.decorators import ASKED
from assembly_solver.foundations.jit.lists import on_lists
from assembly_solver.foundations.jit.tiers import TIER
from assembly_solver.foundations.numerics.broyden import update_inverse
from assembly_solver.foundations.numerics.inverse import invert
from assembly_solver.kinematics.world_motion import to_outer_frame
from assembly_solver.model.measures.measure import compose

SEEN: list[str] = []
"""Types of the arrays that `divided` ran on."""


@on_lists(0)
def divided(a, by) -> float:
    SEEN.append(type(a).__name__)
    total = 0.0
    for k in range(len(a)):
        a[k] = a[k] / by
        total += a[k]
    return total


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).uniform(-2.0, 2.0, shape)


A, B = numbers(2, 12)
PAIRS = pattern(np.arange(2), np.array([[0, 1]]), 2)
NORMAL = NormalEquations(10.0 * np.eye(6) + numbers(2, 6, 6), numbers(1, 6, 6), numbers(2, 6))
CALLS = [
    (compose, (2,), (A, B, np.empty(12))),
    (to_outer_frame, (2,), (A, B, np.empty(12), 6)),
    (gradient, (4,), (A[:6], B[:3], numbers(3, 3), 7.0, np.empty(6))),
    (displace, (0,), (A, B[:6], numbers(3, 3), B[6:9], 7.0)),
    (invert, (2, 3), (numbers(5, 5), 5, np.empty((6, 6)), np.empty(5, np.int64))),
    (update_inverse, (0,), (numbers(4, 4), A[:4], B[:4], np.empty((2, 4)))),
    (damped_step, (3, 4, 5), (PAIRS, NORMAL, 0.5, *map(np.zeros_like, NORMAL))),
]
"""Functions, the positions of what they write, and arguments; what the last one calls takes lists
where it may be interpreted, not where all is compiled at once."""
if ASKED == "1":
    del CALLS[-1]


def copies(args) -> list:
    """The same arguments, what is not written yet as numbers."""
    return [np.nan_to_num(v) if isinstance(v, np.ndarray) else v for v in args]


@pytest.mark.parametrize(("function", "written", "args"), CALLS)
def test_arrays_and_lists_give_the_same_numbers_to_the_last_bit(function, written, args) -> None:
    on_arrays, listed = copies(args), copies(args)
    one = function.__wrapped__(*on_arrays)
    assert one == getattr(function, "interpreted", function)(*listed)
    for k in written:
        assert on_arrays[k].tobytes() == listed[k].tobytes() != copies(args)[k].tobytes()


def test_a_division_by_zero_begins_anew_on_the_arrays() -> None:
    divide = getattr(divided, "interpreted", divided)
    a = np.array([1.0, 2.0])
    assert (divide(a, 4.0), a.tolist(), SEEN) == (0.75, [0.25, 0.5], ["list"])
    with np.errstate(divide="ignore"):
        assert divide(a, 0.0) == np.inf
    assert (a.tolist(), SEEN) == ([np.inf, np.inf], ["list", "list", "ndarray"])
    assert not TIER.listed


def test_few_rows_of_a_large_table_are_not_copied() -> None:
    """Else a solve block by block would take a time that grows with the square of the blocks."""
    called = []

    @on_lists(1, where=lambda rows, out: len(rows) > 1)
    def doubled(rows, out) -> None:
        called.append(type(out).__name__)
        out[0] = 2.0 * rows[0]

    run, out = getattr(doubled, "interpreted", doubled), np.zeros(1)
    for rows in (A[:1], A[:2]):
        run(rows, out)
        assert out[0] == 2.0 * A[0]
    assert called == ["ndarray", "list"]


def test_operations_on_arrays_come_first_and_leave_what_they_do_not_do() -> None:
    """Lists serve where they give None; a function that runs on lists stays on them."""

    def doubled(a: np.ndarray) -> float | None:
        return 2.0 * float(a.sum()) if len(a) > 2 else None

    @on_lists(in_arrays=doubled)
    def summed(a) -> float:
        SEEN.append(type(a).__name__)
        return float(sum(a))

    run = getattr(summed, "interpreted", summed)
    SEEN.clear()
    assert (run(np.ones(3)), SEEN) == (6.0, [])
    assert (run(np.ones(2)), SEEN) == (2.0, ["list"])
    TIER.listed = True
    try:
        assert (run([1.0, 1.0, 1.0]), SEEN) == (3.0, ["list", "list"])
    finally:
        TIER.listed = False
