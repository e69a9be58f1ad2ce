"""Assembly by minimisation: the configuration nearest to the start that satisfies the equations.

Source: Haug, section 4.3, equations (4.3.2) to (4.3.4): minimise |q - q0|^2 + r |residual|^2 for
growing r, each from the last.  The inner minimiser is Gauss-Newton with Levenberg's damping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array
from .cholesky import cholesky, gram, solve_cholesky
from .newton import Function, Outcome, Root, solve

WEIGHTS = tuple(10.0**k for k in range(9))
"""The weights r of the residuals, in the order of use."""

STEP = 1e-12
"""Step, relative to 1 + |q|, at which one minimisation ends."""


@dataclass(frozen=True, eq=False)
class Assembled:
    """Where the minimisation ended, and what Newton's method made of it."""

    root: Root
    """`root.outcome` is SOLVED only where the residual is within tolerance."""
    path: Array
    """Minimiser for each weight, shape (number of weights, n)."""

    @property
    def x(self) -> Array:
        return self.root.x

    @property
    def outcome(self) -> Outcome:
        return self.root.outcome


def assemble(
    residual: Function,
    jacobian: Function,
    start: ArrayLike,
    tolerance: float = 1e-5,
    weights: Sequence[float] = WEIGHTS,
    iterations: int = 100,
) -> Assembled:
    """Find the solution of residual(q) = 0 nearest to `start`, or show how near it can come.

    At a regular solution the residual falls as 1/r, at a singular one the error only as
    r^(-1/3): so the last minimiser is finished by Newton's method.  Where the equations cannot be
    met the path tends to a point of least residual, and the outcome is not SOLVED.

    Args:
        residual: of q, shape (m,).
        jacobian: of q, shape (m, n).
        start: q0, shape (n,).
        tolerance: norm of the residuals that counts as solved.
        weights: values of r, growing.
        iterations: steps allowed for each weight.
    """
    q0 = np.array(start, dtype=float)
    q = q0
    path = np.empty((len(weights), len(q0)))
    for k, weight in enumerate(weights):
        q = path[k] = _minimise(residual, jacobian, q0, q, weight, iterations)
    return Assembled(solve(residual, jacobian, q, tolerance), path)


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
            # definite, as the distance has its own unit rows, but those drown in great weights
            step = _solved(normal + damping * np.eye(n), downhill)
            trial = np.concatenate([q + step - q0, root * residual(q + step)])
            gained = f @ f - trial @ trial
            # rounding of the sum hides gains below it: such a step is taken, not fought
            if gained >= -1e-15 * (f @ f):
                break
            damping = max(4.0 * damping, 1e-3 * float(normal.diagonal().max()))
        else:
            return q
        promised = step @ (damping * step + downhill)
        ratio = gained / promised if promised > 0.0 else 1.0
        damping *= max(1.0 / 3.0, 1.0 - (2.0 * ratio - 1.0) ** 3)
        q, f = q + step, trial
        if np.linalg.norm(step) <= STEP * (1.0 + np.linalg.norm(q)):
            break
    return q


def _solved(normal: Array, downhill: Array) -> Array:
    """Solution of the normal equations; the shortest one where rounding made them singular."""
    factor, out = normal.copy(), downhill.copy()
    if cholesky(factor):
        solve_cholesky(factor, out)
        return out
    try:
        return np.asarray(np.linalg.solve(normal, downhill), float)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(normal, downhill)[0], float)
