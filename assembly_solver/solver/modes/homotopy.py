"""Solutions of systems of polynomials followed along a path of their coefficients.

All solutions of a generic member of a family of systems are continued to the member at hand; on a
generic path in complex numbers none of them meet, so that every isolated solution is reached.

Source: A. P. Morgan and A. J. Sommese, Coefficient-parameter polynomial continuation, Applied
Mathematics and Computation 29 (1989) 123.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT, FAINT, FOURTH, ROUNDING
from ...foundations.types import Array, Bools, Complexes

FIRST_STEP = 0.02
"""First step of a path, of which the length is 1."""

PREDICTED = 10.0 * FAINT
"""Largest distance of a predicted point from the path, relative to its size."""

CORRECTIONS = 3
"""Newton steps from a predicted point to the path."""

CLOSER = (1.0, 0.01, FOURTH)
"""Closeness of tries to follow paths, relative to `PREDICTED`: those that met are followed anew."""

ALMOST = 8.0 * FOURTH
"""How near to its end a path is that is told from where it is there: far away, or not."""

MOST_STEPS = 4000
"""Most steps of all paths together."""


class SystemPath(Protocol):
    """Systems for s from 0 to 1, as many equations as unknowns; points are homogeneous (m, n)."""

    def system(self, x: Complexes, s: Array) -> tuple[Complexes, Complexes]:
        """Residuals (m, k) and their derivatives (m, k, k) by k local unknowns at the points."""

    def rate(self, x: Complexes, s: Array) -> Complexes:
        """Derivatives of the residuals by s, (m, k)."""

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        """Local unknowns (m, k) at points as changes of these, (m, n)."""

    def scaled(self, x: Complexes) -> Complexes:
        """The same points, of size 1."""


class QuadricPath(NamedTuple):
    """Symmetric forms Q(s) = constant + s linear + s^2 square of n - 1 quadrics x' Q x = 0 in n
    homogeneous unknowns x, (n - 1, n, n) each, for s from 0 to 1."""

    constant: Complexes
    linear: Complexes
    square: Complexes

    @classmethod
    def through(cls, begin: Complexes, middle: Complexes, end: Complexes) -> QuadricPath:
        """The path with these forms at s = 0, 1/2 and 1."""
        square = 2.0 * (begin + end) - 4.0 * middle
        return cls(begin, end - begin - square, square)

    def system(self, x: Complexes, s: Array) -> tuple[Complexes, Complexes]:
        """The last equation keeps the size: changes are across a point."""
        m, n = x.shape
        s = s[:, None, None, None]
        v = np.einsum("mijk,mk->mij", self.constant + s * (self.linear + s * self.square), x)
        j, r = np.empty((m, n, n), complex), np.zeros((m, n), complex)
        j[:, :-1], j[:, -1] = 2.0 * v, x.conj()
        r[:, :-1] = np.einsum("mij,mj->mi", v, x)
        return r, j

    def rate(self, x: Complexes, s: Array) -> Complexes:
        forms = self.linear + 2.0 * s[:, None, None, None] * self.square
        out = np.zeros_like(x)
        out[:, :-1] = np.einsum("mijk,mj,mk->mi", forms, x, x)
        return out

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        return local

    def scaled(self, x: Complexes) -> Complexes:
        out: Complexes = x / np.linalg.norm(x, axis=1)[:, None]
        return out


class PathEnds(NamedTuple):
    """How far paths were followed: points (m, n) at s (m,)."""

    points: Complexes
    s: Array

    @property
    def reached(self) -> Bools:
        """Which were followed to their ends, (m,)."""
        out: Bools = self.s >= 1.0
        return out


class _Tracker:
    """The paths of some solutions, all followed at once, each with steps of its own."""

    def __init__(self, path: SystemPath) -> None:
        self.path = path

    def _tangent(self, x: Complexes, s: Array) -> Complexes:
        _, j = self.path.system(x, s)
        return self.path.lifted(x, _solved(j, -self.path.rate(x, s)))

    def predicted(self, x: Complexes, s: Array, h: Array) -> Complexes:
        """The points a step h (m,) further, by Runge and Kutta's method of fourth order."""
        w = h[:, None]
        one = self._tangent(x, s)
        two = self._tangent(x + 0.5 * w * one, s + 0.5 * h)
        three = self._tangent(x + 0.5 * w * two, s + 0.5 * h)
        four = self._tangent(x + w * three, s + h)
        out: Complexes = x + w / 6.0 * (one + 2.0 * two + 2.0 * three + four)
        return out

    def corrected(self, x: Complexes, s: Array) -> tuple[Complexes, Bools, Array]:
        """Points on the paths near some points, which were found, (m,), and how far these were."""
        x, away = self.path.scaled(x), np.zeros_like(x)
        for _ in range(CORRECTIONS):
            r, j = self.path.system(x, s)
            step = self.path.lifted(x, _solved(j, r))
            away += step
            x = self.path.scaled(x - step)
        good: Bools = np.linalg.norm(step, axis=1) <= AGREEMENT
        return x, good, np.linalg.norm(away, axis=1)


def follow(path: SystemPath, starts: Complexes, closeness: float = PREDICTED) -> PathEnds:
    """Follow solutions from s = 0 to s = 1.

    Args:
        starts: solutions at s = 0, (m, n).
        closeness: largest distance of predictions from a path, relative: less where paths are near.
    """
    tracker = _Tracker(path)
    x = path.scaled(starts)
    s, h = np.zeros(len(x)), np.full(len(x), FIRST_STEP)
    with np.errstate(invalid="ignore", over="ignore"):  # beyond a pole: such a step is taken back
        for _ in range(MOST_STEPS):
            on = np.flatnonzero((s < 1.0) & (h > ROUNDING))
            if not len(on):
                break
            step = np.minimum(h[on], 1.0 - s[on])
            guess = tracker.predicted(x[on], s[on], step)
            end = np.where(step < h[on], 1.0, s[on] + step)
            found, good, off = tracker.corrected(guess, end)
            good &= off <= closeness
            done = on[good]
            x[done], s[done] = found[good], end[good]
            h[on] = np.where(good, np.where(off < 0.02 * closeness, 2.0, 1.0), 0.5) * h[on]
    return PathEnds(x, s)


class AllEnds(NamedTuple):
    """Where the paths of all solutions ended.

    Attributes:
        points: the different ends of those that were followed to it, (m, n), and are solutions.
        lost: where others were last seen, (k, n): there solutions meet.
        whole: whether each path either ended at a point of its own, or went where none is.
    """

    points: Complexes
    lost: Complexes
    whole: bool


def all_ends(
    path: SystemPath, starts: Complexes, far: Callable[[Complexes], Bools], size: int
) -> AllEnds:
    """The ends of the paths of all solutions; those that meet another one are followed anew.

    Args:
        far: which points are at no solution, or at one that is immensely far away.
        size: how many coordinates of a point are homogeneous together.
    """
    points, lost = np.empty_like(starts), np.arange(len(starts))
    reached, gone = np.zeros((2, len(starts)), bool)
    for closer in CLOSER:
        followed = follow(path, starts[lost], closer * PREDICTED)
        points[lost], reached[lost] = followed.points, followed.reached
        gone[lost] = far(followed.points) & (followed.s > 1.0 - ALMOST)
        known = np.flatnonzero(reached & ~gone)
        met = meeting(points[known], FAINT, size)
        apart = known[~met[:, 0]]
        lost = np.setdiff1d(np.flatnonzero(~gone), known[~met.any(axis=1)])
        if not len(lost):
            break
    return AllEnds(points[apart], points[np.setdiff1d(lost, known)], not len(lost))


def _solved(j: Complexes, r: Complexes) -> Complexes:
    """Solutions of systems (m, n, n); where one is singular, its right-hand side without end."""
    out = np.full_like(r, np.inf)
    try:
        out[:] = np.linalg.solve(j, r[..., None])[..., 0]
    except np.linalg.LinAlgError:
        for k in range(len(j)):
            if np.linalg.matrix_rank(j[k]) == j.shape[1]:
                out[k] = np.linalg.solve(j[k], r[k])
    return out


def scaled(points: Complexes) -> Complexes:
    """Homogeneous points (m, n) with their largest coordinate 1."""
    k = np.argmax(np.abs(points), axis=1)
    out: Complexes = points / points[np.arange(len(points)), k][:, None]
    return out


def in_pairs(points: Complexes, size: int) -> bool:
    """Whether the conjugate of each point (m, n) is another one: real equations have both."""
    cosine = _cosines(points, points.conj(), size)
    np.fill_diagonal(cosine, 0.0)
    near = 1.0 - np.minimum(cosine, 1.0) ** 2 <= FAINT**2
    return bool((near.sum(axis=1) == 1).all())


def meeting(points: Complexes, apart: float, size: int) -> Bools:
    """Which points (m, n) are less than `apart` from one before and behind them.

    Args:
        size: how many coordinates are homogeneous together.

    Columns: one before, one behind; (m, 2).
    """
    cosine = np.minimum(_cosines(points, points, size), 1.0)
    near = np.sqrt(1.0 - cosine**2) <= apart
    return np.stack([np.tril(near, -1).any(axis=1), np.triu(near, 1).any(axis=1)], axis=1)


def _cosines(one: Complexes, two: Complexes, size: int) -> Array:
    """Of points (m, n) and others (k, n) the least cosine of coordinates homogeneous together."""
    first, second = (x.reshape(len(x), x.shape[1] // size, size) for x in (one, two))
    first, second = (x / np.linalg.norm(x, axis=2)[..., None] for x in (first, second))
    cosines: Array = np.abs(np.einsum("ajk,bjk->abj", first.conj(), second))
    out: Array = cosines.min(axis=2, initial=1.0)
    return out
