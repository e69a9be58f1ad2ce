"""Penalty method: the solution of equations that is nearest to the start.

Source: Haug, section 4.3, equations (4.3.2) to (4.3.4): minimise |q - q0|^2 + r |residual|^2 for
growing r, each from the minimiser before, by Gauss-Newton steps with Levenberg's damping.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array
from .cholesky import cholesky, gram, solve_cholesky
from .newton import TOLERANCE, Function, Root, RootOutcome, solve
from .rounding import EPSILON, ROUNDING

WEIGHTS = tuple(10.0**k for k in range(9))
"""The weights r of the residuals, in order."""

LEAST_DAMPING = 1e-3
"""A setting: the least damping after a failed step, relative to the largest square."""

ROOT_STEPS = 52
"""Most steps of Newton's method from the last minimiser: even at a singular solution each of them
halves the error, which a double can be 52 times."""

STEP = ROUNDING
"""Step, relative to 1 + |q|, at which one minimisation ends."""


@dataclass(frozen=True, eq=False)
class Assembled:
    """Result of the penalty method."""

    root: Root
    """`root.outcome` is SOLVED only where the residual is within tolerance."""
    path: Array
    """Minimiser for each weight, shape (weights, n)."""

    @property
    def x(self) -> Array:
        return self.root.x

    @property
    def outcome(self) -> RootOutcome:
        return self.root.outcome


def assemble(
    residual: Function,
    jacobian: Function,
    start: ArrayLike,
    tolerance: float = TOLERANCE,
    iterations: int = 100,
) -> Assembled:
    """Solve residual(q) = 0 near `start`, or find a least residual.

    At a regular solution the residual falls as 1/r, at a singular one the error only as r^(-1/3):
    so Newton's method starts from the last one.  Without a solution the path tends to a point of
    least residual, and the outcome is not SOLVED.

    Args:
        residual, jacobian: of q, shapes (m,) and (m, n).
        start: q0, shape (n,).
        tolerance: norm of the residuals that counts as solved.
        iterations: steps allowed for each weight.
    """
    q0 = np.array(start, dtype=float)
    q = q0
    path = np.empty((len(WEIGHTS), len(q0)))
    for k, weight in enumerate(WEIGHTS):
        q = path[k] = _minimise(residual, jacobian, q0, q, weight, iterations)
    return Assembled(solve(residual, jacobian, q, tolerance, iterations=ROOT_STEPS), path)


def _minimise(
    residual: Function, jacobian: Function, q0: Array, q: Array, weight: float, iterations: int
) -> Array:
    """Minimiser of |q - q0|^2 + weight |residual|^2 near q."""
    n, root = len(q), np.sqrt(weight)
    damping, normal = 0.0, np.empty((n, n))
    f = np.concatenate([q - q0, root * residual(q)])
    for _ in range(iterations):
        slope = root * jacobian(q)
        gram(slope, normal)
        normal[np.diag_indices(n)] += 1.0
        downhill = -f[:n] - slope.T @ f[n:]
        for _ in range(iterations):
            # definite by the unit rows of the distance, up to rounding of large weights
            step = _solved(normal + damping * np.eye(n), downhill)
            trial = np.concatenate([q + step - q0, root * residual(q + step)])
            gained = f @ f - trial @ trial
            # a gain below the rounding of the sum counts as one
            if gained >= -4.0 * EPSILON * (f @ f):
                break
            damping = max(4.0 * damping, LEAST_DAMPING * float(normal.diagonal().max()))
        else:
            return q
        predicted = step @ (damping * step + downhill)
        ratio = gained / predicted if predicted > 0.0 else 1.0
        damping *= max(1.0 / 3.0, 1.0 - (2.0 * ratio - 1.0) ** 3)
        q, f = q + step, trial
        if np.linalg.norm(step) <= STEP * (1.0 + np.linalg.norm(q)):
            break
    return q


def _solved(normal: Array, downhill: Array) -> Array:
    """Solution of the normal equations; the shortest one where they are singular."""
    factor, out = normal.copy(), downhill.copy()
    if cholesky(factor):
        solve_cholesky(factor, out)
        return out
    try:
        return np.asarray(np.linalg.solve(normal, downhill), float)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(normal, downhill)[0], float)
