"""A simplified Newton iteration of many copies of a system that differ in some of their numbers.

All copies begin at the same poses and share the inverse of the Jacobian there, as sums whose number
grows with the parts: where their numbers differ little, each step leaves a small part of the
residuals.

Source: C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations, SIAM 1995, 5.4.1 (the
chord method).
"""

from __future__ import annotations

from typing import NamedTuple

from ..foundations.jit.decorators import borrowing, unlocked
from ..foundations.jit.lists import on_lists
from ..foundations.numerics.ordered_squares import Sums
from ..foundations.types import Array, Ints
from .table import (
    EquationTable,
    EvaluatedEquation,
    TwistBasis,
    at_new_poses,
    copy,
    displace,
    equation,
)

ITERATIONS = 30
"""Most steps of a copy."""

UNKNOWN, CLOSED, BEYOND = range(3)
"""A copy that did not converge; one that did; one that did beyond a limit."""


class OwnNumbers(NamedTuple):
    """The numbers of a table that differ between copies, with their values in each.

    Attributes:
        equations, terms, markers: those whose target, coefficient and frame differ.
        target, coefficient, frame: (copies, those), (copies, those), (copies, those, 12).
    """

    equations: Ints
    terms: Ints
    markers: Ints
    target: Array
    coefficient: Array
    frame: Array

    def part(self, some: slice | Ints) -> OwnNumbers:
        """Those of some copies."""
        numbers = self.target[some], self.coefficient[some], self.frame[some]
        return OwnNumbers(self.equations, self.terms, self.markers, *numbers)


class SharedStep(NamedTuple):
    """What all copies share.

    The first equations of the table are those of the system; then those of its limits, which are
    to be between `low` and `high`; then what is measured.

    Attributes:
        frames: (bodies, 12), mm; moving: the bodies that move, with six unknowns each.
        sums: the step that makes up for residuals, with the other sign; basis: of the unknowns.
        goal: residuals, or a step, at which a copy has converged, mm: mates that disagree then do
            so at least squares; farthest: a step beyond which it does not converge, mm.
    """

    frames: Array
    moving: Ints
    sums: Sums
    basis: TwistBasis
    low: Array
    high: Array
    goal: float
    farthest: float


class SharedEnds(NamedTuple):
    """How copies ended: their state, poses, values of measures, and residuals of the equations,
    mm."""

    state: Ints
    poses: Array
    values: Array
    off: Array

    def part(self, some: slice) -> SharedEnds:
        """Those of some copies."""
        state, poses, values, off = self
        return SharedEnds(state[some], poses[some], values[some], off[some])


@unlocked
@on_lists(4)
def close_copies(
    t: EquationTable,
    own: OwnNumbers,
    shared: SharedStep,
    first: Array,
    ends: SharedEnds,
    scratch: tuple[EvaluatedEquation, Array, Array, Array],
) -> None:
    """Close the copies of a table; its own numbers are overwritten.

    Args:
        first: first step of each copy, (copies, unknowns), mm.
        scratch: the last equation, residuals, (equations,), sums, and a step, (unknowns,).
    """
    found, off, summed, step = scratch
    for s in range(len(first)):
        put_numbers(t, own, s)
        poses = ends.poses[s]
        for body in range(len(shared.frames)):
            copy(shared.frames[body], poses[body])
        copy(first[s], step)
        ends.state[s] = UNKNOWN
        for _ in range(ITERATIONS):
            _move(poses, shared, step)
            at_new_poses(found)
            worst = all_residuals(t, poses, found, off)
            size = _next_step(shared.sums, off, summed, step)
            if not size < shared.farthest:
                break
            # a table without equations has a step of 0, and no residual to ask for
            if size <= shared.goal or abs(off[worst]) <= shared.goal:
                ends.state[s] = CLOSED
                break
        if ends.state[s] == CLOSED and not within_limits(
            t, poses, shared.low, shared.high, len(off), found
        ):
            ends.state[s] = BEYOND
        copy(off, ends.off[s])
        before = len(off) + len(shared.low)
        for n in range(len(ends.values[s])):
            ends.values[s][n], _ = equation(t, poses, before + n, found)


@borrowing
def put_numbers(t: EquationTable, own: OwnNumbers, s: int) -> None:
    """Give a table the numbers of copy s."""
    for k in range(len(own.equations)):
        t.target[own.equations[k]] = own.target[s][k]
    for k in range(len(own.terms)):
        t.coefficient[own.terms[k]] = own.coefficient[s][k]
    for k in range(len(own.markers)):
        copy(own.frame[s][k], t.marker_frame[own.markers[k]])


@borrowing
def _move(poses: Array, shared: SharedStep, step: Array) -> None:
    """Move the poses in place by a step."""
    basis = shared.basis
    for n in range(len(shared.moving)):
        body = shared.moving[n]
        own = step[6 * n : 6 * n + 6]
        displace(poses[body], own, basis.axes, basis.centre[body], basis.length)


@borrowing
def all_residuals(t: EquationTable, poses: Array, found: EvaluatedEquation, off: Array) -> int:
    """Residuals of the first equations, mm, into `off`; returns the number of the largest."""
    worst = 0
    for e in range(len(off)):
        off[e], _ = equation(t, poses, e, found)
        if abs(off[e]) > abs(off[worst]):
            worst = e
    return worst


@borrowing
def _next_step(sums: Sums, off: Array, summed: Array, step: Array) -> float:
    """The step that makes up for residuals, into `step`; returns its largest number, mm."""
    given = len(off)
    for n in range(len(summed)):
        v = 0.0
        for k in range(sums.first[n], sums.first[n + 1]):
            e = sums.number[k]
            v += sums.factor[k] * (off[e] if e < given else summed[e - given])
        summed[n] = v
    size = 0.0
    for u in range(len(step)):
        step[u] = -summed[sums.place[u]]
        if not abs(step[u]) <= size:  # what is no number is the largest
            size = abs(step[u])
    return size


@borrowing
def within_limits(
    t: EquationTable, poses: Array, low: Array, high: Array, first: int, found: EvaluatedEquation
) -> bool:
    """Whether all coordinates that have limits are between these, where a solve goes on freely."""
    for k in range(len(low)):
        value, _ = equation(t, poses, first + k, found)
        if not low[k] < value < high[k]:
            return False
    return True
