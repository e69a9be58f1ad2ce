"""Newton's method for a dense system, with a Broyden-updated inverse Jacobian.

The exact Moore-Penrose inverse is computed at the start and where `broyden.judge` requires it;
otherwise the inverse is updated by the last step.

Source: Ding and others, equations (8) to (25); the halving of a step of an exact inverse is added
here (docs/theory/updates.md, 5. The guard).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array
from .broyden import ENOUGH, ETA, HALVE, RECOMPUTE, UPDATE, judge, update_inverse
from .linear import pseudo_inverse
from .perturbation import perturb
from .rounding import ROUNDING

Function = Callable[[Array], Array]

HALVINGS = 30
"""Halvings of a step before it counts as zero: then it is `AGREEMENT` of itself."""

TOLERANCE = 1e-5
"""A setting: norm of the residuals that counts as solved where the caller says nothing else."""


class RootOutcome(Enum):
    """How an iteration ended."""

    SOLVED = "the residual is within tolerance"
    STALLED = "no step reduces the residual any more, and it is not within tolerance"
    EXHAUSTED = "the iterations were used up before the residual came within tolerance"


@dataclass(frozen=True)
class IterationCounts:
    """Work of an iteration."""

    inverses: int = 0
    """Exact inverses."""
    updates: int = 0
    """Rank-one updates of an inverse."""
    reduced_updates: int = 0
    """Updates with alpha = 0.8."""
    perturbations: int = 0
    """Changes of single unknowns by which singular points were left."""
    iterations: int = 0
    """Trial steps, not counting halvings."""


@dataclass(frozen=True, eq=False)
class Root:
    """Result of an iteration."""

    x: Array
    outcome: RootOutcome
    residual: float
    """Euclidean norm of the residuals at x."""
    counts: IterationCounts


def solve(
    residual: Function,
    jacobian: Function,
    x: ArrayLike,
    tolerance: float = TOLERANCE,
    eta: float = ETA,
    iterations: int = 200,
    update: bool = True,
    perturb_to: int | None = None,
) -> Root:
    """Solve residual(x) = 0 from x, shape (n,), which is not changed.

    Args:
        residual, jacobian: of x, shapes (m,) and (m, n).
        tolerance: norm of the residuals that counts as solved.
        eta: least reduction for which the inverse is updated, equation (25).
        update: False for the classical method: full steps, an exact inverse for each.
        perturb_to: row deficiency of the Jacobian above which a point counts as singular, and is
            left by `perturb`; None never.
    """
    search = _NewtonIteration(residual, jacobian, np.array(x, dtype=float), perturb_to)
    if search.norm <= tolerance:
        return search.root(RootOutcome.SOLVED)
    search.invert()
    for _ in range(iterations):
        if search.norm <= tolerance:  # a perturbation may land there
            return search.root(RootOutcome.SOLVED)
        continues = search.step(tolerance, eta) if update else search.full_step(tolerance)
        if search.norm <= tolerance:
            return search.root(RootOutcome.SOLVED)
        if not continues:
            return search.root(RootOutcome.STALLED)
    return search.root(RootOutcome.EXHAUSTED)


class _NewtonIteration:
    """The point, its residuals, the inverse and the counts of one solve."""

    def __init__(
        self, residual: Function, jacobian: Function, x: Array, perturb_to: int | None
    ) -> None:
        self.residual, self.jacobian, self.perturb_to = residual, jacobian, perturb_to
        self.inverses = self.updates = self.reduced = self.perturbations = self.steps = 0
        self.fresh = False
        self.move(x, residual(x))
        m, n = len(self.f), len(x)
        self.inverse = np.zeros((n, m))
        self.work = np.zeros((2, max(m, n)))

    def move(self, x: Array, f: Array) -> None:
        self.x, self.f, self.norm = x, f, float(np.linalg.norm(f))

    def invert(self) -> None:
        """Leave a singular point, then compute the exact inverse."""
        if self.perturb_to is not None:
            left = perturb(self.jacobian, self.x, self.perturb_to)
            if left.kept:
                self.perturbations += len(left.kept)
                self.move(left.x, self.residual(left.x))
            if not left.reached:
                self.perturb_to = None  # not reachable near here: do not try again
        a = np.ascontiguousarray(self.jacobian(self.x), dtype=float)
        pseudo_inverse(a, self.inverse, ROUNDING * max(1, *a.shape))
        self.inverses += 1
        self.fresh = True

    def step(self, tolerance: float, eta: float) -> bool:
        """One guarded step; False where no step reduces the residual."""
        self.steps += 1
        delta = -self.inverse @ self.f
        x = self.x + delta
        f = self.residual(x)
        after = float(np.linalg.norm(f))
        if after <= tolerance:
            self.move(x, f)
            return True
        verdict = judge(self.norm, after, eta, self.fresh)
        if verdict == UPDATE:
            alpha = update_inverse(self.inverse, delta, f - self.f, self.work)
            self.move(x, f)
            if alpha > 0.0:
                self.updates += 1
                self.reduced += alpha < 1.0
                self.fresh = False
                return True
        elif verdict == RECOMPUTE:
            self.move(x, f)
        elif verdict == HALVE and not self.shorter_step(delta):
            return False
        if self.norm > tolerance:
            self.invert()
        return True

    def shorter_step(self, delta: Array) -> bool:
        """Halve the step until the residual falls; False where it never does."""
        for k in range(1, HALVINGS + 1):
            scale = 0.5**k
            x = self.x + scale * delta
            f = self.residual(x)
            if np.linalg.norm(f) < (1.0 - ENOUGH * scale) * self.norm:
                self.move(x, f)
                return True
        return False

    def full_step(self, tolerance: float) -> bool:
        """One step of the classical method; False where the residual is not finite."""
        self.steps += 1
        x = self.x - self.inverse @ self.f
        f = self.residual(x)
        if not np.isfinite(f).all():
            return False
        self.move(x, f)
        if self.norm > tolerance:
            self.invert()
        return True

    def root(self, outcome: RootOutcome) -> Root:
        work = (self.inverses, self.updates, self.reduced, self.perturbations, self.steps)
        return Root(self.x, outcome, self.norm, IterationCounts(*work))
