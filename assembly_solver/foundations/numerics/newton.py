"""Newton's method for a dense system given by two functions, with an updated inverse Jacobian.

The exact Moore-Penrose inverse is taken at the start and where the guard of `update` asks for it;
between, the inverse is updated from the steps themselves.

Source: Ding and others, equations (8) to (25); damping of a step of a fresh inverse is added here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array
from .broyden import ETA, HALVE, RECOMPUTE, UPDATE, judge, update_inverse
from .linear import INVERSE_CUT, pseudo_inverse
from .perturbation import perturb

Function = Callable[[Array], Array]

HALVINGS = 30
"""Halvings of a step before it is given up: 1e-9 of the step is no step."""


class Outcome(Enum):
    """How an iteration ended, in a sentence."""

    SOLVED = "the residual is within tolerance"
    STALLED = "no step reduces the residual any more, and it is not within tolerance"
    EXHAUSTED = "the iterations were used up before the residual came within tolerance"


@dataclass(frozen=True)
class Counts:
    """What an iteration cost."""

    inverses: int = 0
    """Exact inverses."""
    updates: int = 0
    """Rank-one updates of an inverse."""
    reduced_updates: int = 0
    """Those among them with alpha = 0.8."""
    perturbations: int = 0
    """Changes of single unknowns that were kept to leave a singular point."""
    iterations: int = 0
    """Trial steps, not counting halvings."""


@dataclass(frozen=True, eq=False)
class Root:
    """Where an iteration ended."""

    x: Array
    outcome: Outcome
    residual: float
    """Euclidean norm of the residuals at x."""
    counts: Counts


def solve(
    residual: Function,
    jacobian: Function,
    x: ArrayLike,
    tolerance: float = 1e-5,
    eta: float = ETA,
    iterations: int = 200,
    update: bool = True,
    perturb_to: int | None = None,
) -> Root:
    """Solve residual(x) = 0 from x.

    Args:
        residual: of x, shape (m,).
        jacobian: of x, shape (m, n).
        x: start, shape (n,); left as it is.
        tolerance: norm of the residuals that counts as solved.
        eta: least reduction for which the inverse is updated, equation (25).
        iterations: trial steps allowed.
        update: False for the classical method: full steps, an exact inverse for each.
        perturb_to: row deficiency of the Jacobian above which a point is left as singular;
            None to stay.
    """
    search = _Search(residual, jacobian, np.array(x, dtype=float), perturb_to)
    if search.norm <= tolerance:
        return search.root(Outcome.SOLVED)
    search.invert()
    for _ in range(iterations):
        if search.norm <= tolerance:  # a perturbation may land there
            return search.root(Outcome.SOLVED)
        going = search.step(tolerance, eta) if update else search.full_step(tolerance)
        if search.norm <= tolerance:
            return search.root(Outcome.SOLVED)
        if not going:
            return search.root(Outcome.STALLED)
    return search.root(Outcome.EXHAUSTED)


class _Search:
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
        """Leave a singular point, then take the exact inverse."""
        if self.perturb_to is not None:
            left = perturb(self.jacobian, self.x, self.perturb_to)
            if left.kept:
                self.perturbations += len(left.kept)
                self.move(left.x, self.residual(left.x))
            if not left.reached:
                self.perturb_to = None  # nothing near here reaches it: do not pay for it again
        a = np.ascontiguousarray(self.jacobian(self.x), dtype=float)
        pseudo_inverse(a, self.inverse, INVERSE_CUT * max(1, *a.shape))
        self.inverses += 1
        self.fresh = True

    def step(self, tolerance: float, eta: float) -> bool:
        """One step under the guard; False where no step leads downhill."""
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
        """Halve the step until it leads downhill; False where it never does."""
        for k in range(1, HALVINGS + 1):
            scale = 0.5**k
            x = self.x + scale * delta
            f = self.residual(x)
            if np.linalg.norm(f) < (1.0 - 1e-4 * scale) * self.norm:
                self.move(x, f)
                return True
        return False

    def full_step(self, tolerance: float) -> bool:
        """One step of the classical method, up or down; False where it leads nowhere."""
        self.steps += 1
        x = self.x - self.inverse @ self.f
        f = self.residual(x)
        if not np.isfinite(f).all():
            return False
        self.move(x, f)
        if self.norm > tolerance:
            self.invert()
        return True

    def root(self, outcome: Outcome) -> Root:
        counts = Counts(self.inverses, self.updates, self.reduced, self.perturbations, self.steps)
        return Root(self.x, outcome, self.norm, counts)
