"""Descents from many starts at once: the damped Gauss-Newton steps of `sparse_block`, in arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array
from .many_starts import ManyStarts
from .sparse_block import FREE_DAMPING, FRESH, IDLE, LEAST_DAMPING, LEAST_GAIN

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
        check: called at every step.
    """

    tolerance: float
    steps: int
    patience: float = 0.0
    first: bool = False
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
        out = _State(of, starts.copy(), weights)
        looked = out.norm.copy()
        for k in range(self.steps):
            solved = np.abs(out.f).max(axis=1, initial=0.0) <= self.tolerance
            going = ~(solved | out.ended)
            if not going.any() or (self.first and solved.any()):
                break
            self.check()
            if k % LOOK == 0 and k > 0:
                going &= ~of.is_away(out.poses)
                going &= out.norm <= (1.0 - self.patience) * looked
                out.ended |= ~going & ~solved
                looked = out.norm.copy()
                if not going.any():
                    break
            out.step(np.flatnonzero(going))
        return out.poses, out.f


class _State:
    """The points of some descents, with the normal equations there."""

    def __init__(self, of: ManyStarts, poses: Array, weights: Array | None) -> None:
        self.of, self.poses, self.weights = of, poses, weights
        self.f, self.j = self._evaluate(poses, np.arange(len(poses)))
        self.norm = np.linalg.norm(self.f, axis=1)
        count = len(poses)
        self.damping, self.growth = np.full(count, FRESH[0]), np.full(count, FRESH[1])
        self.idle, self.ended = np.zeros(count), np.zeros(count, bool)

    def step(self, which: NDArray[np.int64]) -> None:
        """One trial step of some of the descents."""
        f, j, before = self.f[which], self.j[which], self.norm[which]
        largest = self._largest_trace(j)
        least = (LEAST_DAMPING + FREE_DAMPING * before / self.of.unit) * largest
        fresh = self.damping[which] < 0.0
        damping = np.where(fresh, -self.damping[which] * largest, self.damping[which])
        damping = np.maximum(damping, least)
        slope = -(f[:, None] @ j)[:, 0]
        x = _damped(f, j, slope, damping)
        predicted = np.sum(x * (damping[:, None] * x + slope), axis=1)
        moved = self.of.moved(self.poses[which], x)
        new_f, new_j = self._evaluate(moved, which)
        after = np.linalg.norm(new_f, axis=1)
        gain = (before**2 - after**2) / np.where(predicted > 0.0, predicted, -1.0)
        good = (gain > LEAST_GAIN) & (after < before) & (predicted > 0.0)
        taken = which[good]
        self.poses[taken], self.f[taken], self.j[taken] = moved[good], new_f[good], new_j[good]
        idle = before - after < IDLE * before
        self.idle[taken] = np.where(idle, self.idle[which] + 1, 0.0)[good]
        self.norm[taken] = after[good]
        growth = self.growth[which]
        shrunk = damping * np.maximum(0.02, 1.0 - (2.0 * gain - 1.0) ** 3)
        grown = np.maximum(damping * growth, ROUNDING * largest)
        self.damping[which] = np.where(good, shrunk, grown)
        self.growth[which] = np.where(good, FRESH[1], 2.0 * growth)
        over = ~(self.damping[which] <= MOST_DAMPING * largest)
        self.ended[which] |= (self.idle[which] > 4) | over

    def _evaluate(self, poses: Array, which: NDArray[np.int64]) -> tuple[Array, Array]:
        """Weighted residuals and derivatives at poses of some descents."""
        f, j = self.of.evaluate(poses)
        if self.weights is not None:
            f *= self.weights[which]
            j *= self.weights[which][:, :, None]
        return f, j

    def _largest_trace(self, j: Array) -> Array:
        """The largest trace of a body's block of the normal matrix, (starts,)."""
        squares = np.sum(j * j, axis=1).reshape(len(j), -1, 6).sum(axis=2)
        return np.asarray(squares.max(axis=1, initial=0.0))


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
