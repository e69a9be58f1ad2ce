"""Descents from many starts at once: the damped Gauss-Newton steps of `sparse_block`, in arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..foundations.jit.decorators import in_machine_code
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array, Ints
from .dense_block import STATIONARY
from .many_starts import ManyStarts
from .sparse_block import FREE_DAMPING, FRESH, IDLE, LEAST_DAMPING, LEAST_GAIN, solve_each
from .table import EXHAUSTED, SOLVED, STALLED

LOOK = 20
"""Steps after which a brief descent is judged."""

MOST_DAMPING = 1e12
"""A setting: damping, relative to the largest trace, with which a step is none."""


@dataclass(frozen=True)
class Descents:
    """When descents end: where a part is away, too.

    Attributes:
        tolerance: largest residual that counts as zero, mm; steps: most of them.
        patience: relative decrease in `LOOK` steps below which one ends; 0: at stationary points.
        first: end all as soon as one reaches the tolerance.
        alike: by the same arithmetic whether machine code is ready or not, where poses are told.
        check: called at every step.
    """

    tolerance: float
    steps: int
    patience: float = 0.0
    first: bool = False
    alike: bool = False
    check: Callable[[], object] = lambda: None

    def run(
        self, of: ManyStarts, starts: Array, weights: Array | None = None
    ) -> tuple[Array, Array]:
        """Descend from each of some poses of the parts, (starts, parts, 12).

        Args:
            weights: of the residuals in each descent, (starts, rows); 1 where none are given.

        Returns:
            The poses reached, and the weighted residuals there, mm, (starts, rows).
        """
        out = _State(of, starts.copy(), weights, self.tolerance)
        in_arrays = self.alike or of.has_limits
        for k in range(0, self.steps, LOOK):
            self.check()
            out.advance(min(LOOK, self.steps - k), in_arrays)
            going = out.status == EXHAUSTED
            if not going.any() or (self.first and (out.status == SOLVED).any()):
                break
            before, after = out.norms
            over = of.is_away(out.poses) | (after > (1.0 - self.patience) * before)
            out.status[going & over] = STALLED
        return out.poses, out.residuals()


class StatesOfEquations(Protocol):
    """Equations at many states: their residuals and derivatives, and the states after steps."""

    @property
    def unit(self) -> float:
        """What turns are multiplied by, mm."""

    def evaluate(self, poses: Array) -> tuple[Array, Array]:
        """Residuals, mm, (states, rows), and derivatives, (states, rows, unknowns)."""

    def moved(self, poses: Array, step: Array) -> Array:
        """Poses after a step, (states, unknowns), mm."""


class DescentState:
    """The points of some descents, with the normal equations there.

    Args:
        fresh: first damping over the largest trace, negative, or damping; growth; idle steps.

    Attributes:
        status: of each, EXHAUSTED while it goes on; norms: of the residuals, mm, (2, starts),
            before and after the last steps.
        going: damping, growth and idle steps of each, (starts, 3).
    """

    def __init__(
        self,
        of: StatesOfEquations,
        poses: Array,
        weights: Array | None,
        tolerance: float,
        fresh: tuple[float, float, float] = FRESH,
    ) -> None:
        count = len(poses)
        self.equations, self.poses, self.weights = of, poses, weights
        self.tolerance = tolerance
        self.status, self.norms = np.full(count, EXHAUSTED), np.zeros((2, count))
        self.going = np.tile(fresh, (count, 1))
        self.f, self.j = np.empty((count, 0)), np.empty((count, 0, 0))
        self.is_evaluated = False

    def steps(self, steps: int) -> None:
        """Some trial steps of those that go on, in arrays."""
        if not self.is_evaluated:
            self.f, self.j = self._evaluate(self.poses, np.arange(len(self.poses)))
            self.is_evaluated = True
        self.norms[0] = self.norms[1] = _norms(self.f)
        for _ in range(steps):
            which = self._open()
            if not len(which):
                return
            self.step(which)
        self._open()

    def _open(self) -> Ints:
        """The descents that go on; those that reached the tolerance are solved."""
        which = np.flatnonzero(self.status == EXHAUSTED)
        solved = np.abs(self.f[which]).max(axis=1, initial=0.0) <= self.tolerance
        self.status[which[solved]] = SOLVED
        going: Ints = which[~solved]
        return going

    def step(self, which: Ints) -> None:
        """One trial step of some of the descents."""
        f, j, before = self.f[which], self.j[which], self.norms[1, which]
        largest = self._largest_trace(j)
        flat = largest <= 0.0  # no motion changes a residual: it ends here
        least = (LEAST_DAMPING + FREE_DAMPING * before / self.equations.unit) * largest
        damping, growth, idle = self.going[which].T
        damping = np.where(damping < 0.0, -damping * largest, damping)
        damping = np.maximum(damping, least)
        slope = -(f[:, None] @ j)[:, 0]
        x = _damped(f, j, slope, np.where(flat, 1.0, damping))
        predicted = (x * (damping[:, None] * x + slope)).sum(axis=1)
        moved = self.equations.moved(self.poses[which], x)
        new_f, new_j = self._evaluate(moved, which)
        after = _norms(new_f)
        gain = (before**2 - after**2) / np.where(predicted > 0.0, predicted, -1.0)
        good = (gain > LEAST_GAIN) & (after < before) & (predicted > 0.0)
        taken = which[good]
        self.poses[taken], self.f[taken], self.j[taken] = moved[good], new_f[good], new_j[good]
        idle = np.where(good, np.where(before - after < IDLE * before, idle + 1.0, 0.0), idle)
        self.norms[1, taken] = after[good]
        shrunk = damping * np.maximum(0.02, 1.0 - (2.0 * gain - 1.0) ** 3)
        damping = np.where(good, shrunk, np.maximum(damping * growth, ROUNDING * largest))
        growth = np.where(good, FRESH[1], 2.0 * growth)
        self.going[which] = np.array([damping, growth, idle]).T
        over = ~(damping <= MOST_DAMPING * largest)
        least = ~good & (predicted >= 0.0) & (predicted <= STATIONARY * before**2)
        self.status[which[(idle > 4.0) | over | least | flat]] = STALLED

    def _evaluate(self, poses: Array, which: Ints) -> tuple[Array, Array]:
        """Weighted residuals and derivatives at poses of some descents."""
        f, j = self.equations.evaluate(poses)
        if self.weights is not None:
            f *= self.weights[which]
            j *= self.weights[which][:, :, None]
        return f, j

    def _largest_trace(self, j: Array) -> Array:
        """The largest trace of a body's block of the normal matrix, (starts,)."""
        squares = (j * j).sum(axis=1).reshape(len(j), -1, 6).sum(axis=2)
        return np.asarray(squares.max(axis=1, initial=0.0))


class _State(DescentState):
    """Descents of the states of a system."""

    def __init__(
        self, of: ManyStarts, poses: Array, weights: Array | None, tolerance: float
    ) -> None:
        super().__init__(of, poses, weights, tolerance)
        self.of = of

    def advance(self, steps: int, in_arrays: bool) -> None:
        """Some trial steps of those that go on."""
        of = self.of
        if in_arrays:
            self.steps(steps)
            return
        weights = np.tile(of.table.weight, (len(self.poses), 1))
        if self.weights is not None:
            weights *= self.weights
        ends = self.going, self.status, self.norms
        args = of.scratch, self.poses, weights, of.block, self.tolerance, steps, *ends
        if in_machine_code(solve_each, args, lambda: self.steps(steps)):
            self.is_evaluated = False

    def residuals(self) -> Array:
        """Weighted residuals of all, mm, (starts, rows)."""
        if self.is_evaluated:
            return self.f
        f = self.of.residuals(self.poses)
        return f if self.weights is None else f * self.weights


def _norms(f: Array) -> Array:
    """Norms of the residuals, (starts,)."""
    return np.asarray(np.sqrt((f * f).sum(axis=1)))


def _damped(f: Array, j: Array, slope: Array, damping: Array) -> Array:
    """Damped steps, (starts, unknowns), by the smaller of the two normal matrices."""
    rows, unknowns = j.shape[1:]
    other = j.swapaxes(1, 2)
    small = rows < unknowns
    matrix = j @ other if small else other @ j
    diagonal = np.arange(min(rows, unknowns))
    matrix[:, diagonal, diagonal] += damping[:, None]
    if not small:
        return np.asarray(np.linalg.solve(matrix, slope[..., None])[..., 0], float)
    out: Array = (other @ np.linalg.solve(matrix, -f[..., None]))[..., 0]
    return out
