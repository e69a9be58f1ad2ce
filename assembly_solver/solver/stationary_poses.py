"""Poses at which a sum of squares is least, to rounding: Newton steps with second derivatives.

Descents end where their residual no longer falls.  That fixes poses to the root of rounding only,
and less where the sum is flat, as near a stretched chain: Gauss-Newton steps know the curvature of
residuals that vanish.  From there Newton's method on the stationary point of the Lagrangian is
quadratic, and its end does not depend on the path that led there.

Source: J. Nocedal and S. Wright, Numerical Optimization, chapter 18 (Newton's method on the
conditions of first order, in the null space of the constraints' derivatives).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.many_starts import ManyStarts
from ..equations.system import System
from ..foundations.numerics.rounding import AGREEMENT, EPSILON, FAINT, RANK, ROOT, TINY
from ..foundations.types import Array
from .fallbacks import SADDLES

STEPS = 40
"""Most Newton steps; near a stationary point four are enough."""

LONGEST = 0.1
"""A setting: longest step, relative to the unit of the unknowns: a longer one leads elsewhere."""

OFF_SADDLE = 0.05
"""Step off a saddle point, relative to the unit: well clear of it."""

NEAR = 1e-4
"""A setting: step, relative to the unit, after which the curvature is kept: with what it is off,
each further step is shorter by about that factor."""

FLAT = AGREEMENT
"""Curvature relative to the largest below which it is none: its quotients of differences are known
to some 1e-11.  Along directions that do not curve nothing moves."""


class _Candidate(NamedTuple):
    """Poses, (parts, 12), residuals, mm, derivatives, and which equations yield."""

    parts: Array
    f: Array
    j: Array
    yields: NDArray[np.bool_]

    def is_no_worse(self, than: _Candidate, converged: float, accepted: float) -> bool:
        """Whether what has to hold holds as well, and the sum of squares is no larger.

        What was off by more than is accepted, mm, as a limit that need not be met, may not be
        met at the cost of what held; where something was, the sum may have been too small.
        """
        off, before = (np.abs(p.f[~p.yields]) for p in (self, than))
        most = max(converged, min(float(before.max(initial=0.0)), accepted))
        one, other = (float(np.linalg.norm(p.f[p.yields])) for p in (self, than))
        less = one <= (1.0 + ROOT) * other or bool((before > accepted).any())
        return less and bool((off <= np.maximum(before, most)).all())


def stationary_poses(
    system: System, parts: Array, yielding: NDArray[np.bool_] | None = None, limited: bool = True
) -> Array:
    """Poses of the parts near some others at which the sum of squared residuals is stationary.

    Args:
        parts: (parts, 12), near the stationary point.
        yielding: equations of the system whose squares are summed, the others hold; None: all.
        limited: whether limits count, by what they are violated.

    Returns:
        Those poses, or the given ones where steps lead away or nothing is gained.  Where others
        hold it is no saddle point: a descent of the sum of all ends at none, but may at one of
        these.  Angles count at the reach of their constraint.
    """
    return _Lagrangian(ManyStarts(system, limited), yielding).settled(parts)


class _Lagrangian:
    """The sum of squares of some equations, with multipliers of those that hold."""

    def __init__(self, of: ManyStarts, yielding: NDArray[np.bool_] | None) -> None:
        self.of, self.yielding = of, yielding
        self.tolerances = of.system.convergence_tolerance, of.system.tolerance
        self.curvature = np.zeros((of.size, of.size))

    def settled(self, parts: Array) -> Array:
        """The end of Newton steps from some poses, past saddle points."""
        begun = point = self._at(parts)
        before, saddles = np.inf, 0 if self.yielding is None else SADDLES
        for _ in range(STEPS if self.of.size else 0):
            step, aside = self._step(point, before < NEAR)
            length = float(np.abs(step).max()) / self.of.unit
            ended = length <= EPSILON or (length >= 0.5 * before and before <= ROOT)
            if ended and (aside is None or saddles == 0):  # what is left is rounding
                return point.parts if point.is_no_worse(begun, *self.tolerances) else parts
            before = length
            if ended and aside is not None:
                step, length, before, saddles = OFF_SADDLE * aside, OFF_SADDLE, np.inf, saddles - 1
            step *= min(1.0, LONGEST / max(length, TINY))
            point = self._at(self.of.moved(point.parts[None], step[None])[0])
        return parts

    def _at(self, parts: Array) -> _Candidate:
        f, j = (each[0] for each in self.of.evaluate(parts[None]))
        yields = np.ones(len(f), bool)
        if self.yielding is not None:
            yields[: len(self.yielding)] = self.yielding
        return _Candidate(parts, f, j, yields)

    def _step(self, at: _Candidate, near: bool) -> tuple[Array, Array | None]:
        """The Newton step, (unknowns,), mm, and where the sum curves downwards, the direction.

        Args:
            near: with the curvature of the last step.
        """
        yields, held = at.yields, at.j[~at.yields]
        u, s, vt = np.linalg.svd(held)
        rank = int((s > RANK * s.max(initial=0.0)).sum())
        u, back, tangent = u[:, :rank], vt[:rank].T / s[:rank], vt[rank:].T
        normal = -back @ (u.T @ at.f[~yields])
        slope = at.f[yields] @ at.j[yields]
        weights = np.where(yields, at.f, 0.0)
        weights[~yields] = -u @ (back.T @ slope)
        if not near:
            self.curvature = self._curvature(at, weights)
        h = self.curvature
        curved = tangent.T @ h @ tangent
        values, vectors = np.linalg.eigh(0.5 * (curved + curved.T))
        clear = np.abs(values) > FLAT * np.abs(h).max(initial=0.0)
        along = vectors[:, clear].T @ (tangent.T @ (weights @ at.j + h @ normal))
        step = normal - tangent @ (vectors[:, clear] @ (along / np.abs(values[clear])))
        aside = None
        if clear[:1].any() and values[0] < 0.0:
            aside = tangent @ vectors[:, 0]
            aside *= self.of.unit / np.abs(aside).max()
        return step, aside

    def _curvature(self, at: _Candidate, weights: Array) -> Array:
        """Second derivatives of the Lagrangian by central differences of its slope."""
        of, n = self.of, self.of.size
        h = FAINT * of.unit
        steps = h * np.concatenate([np.eye(n), -np.eye(n)])
        f, j = of.evaluate(of.moved(np.repeat(at.parts[None], 2 * n, axis=0), steps))
        slope = (np.where(at.yields, f, weights)[:, None] @ j)[:, 0]
        return np.asarray((slope[:n] - slope[n:]) / (2.0 * h))
