"""Solutions of systems of polynomials followed along a path of their coefficients.

All solutions of a generic member of a family of systems are continued to the member at hand; on a
generic path in complex numbers none of them meet, so that every isolated solution is reached.

Source: A. P. Morgan and A. J. Sommese, Coefficient-parameter polynomial continuation, Applied
Mathematics and Computation 29 (1989) 123.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ..types import Array, Bools, Complexes, Ints
from ..watch import Watch
from .rounding import FAINT, ROOT, ROUNDING, TINY

UNWATCHED = Watch()

FIRST_STEP = 0.02
"""First step of a path, of which the length is 1."""

PREDICTED = 10.0 * FAINT
"""Largest distance of a predicted point from the path, relative to its size."""

CORRECTIONS = 3
"""Newton steps from a predicted point to the path."""

MOST_STEPS = 4000
"""Most steps of all paths together."""


class SystemPath(Protocol):
    """Systems for s from 0 to 1, as many equations as unknowns; points are homogeneous (m, n)."""

    def system(self, x: Complexes, s: Complexes | Array) -> tuple[Complexes, Complexes, Complexes]:
        """Residuals (m, k) at the points, their derivatives (m, k, k) by k local unknowns, and
        those by s, (m, k)."""

    @property
    def size(self) -> int:
        """How many coordinates of a point are homogeneous together."""

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        """Local unknowns (m, k) at points as changes of these, (m, n)."""

    def at_end(self, x: Complexes) -> Complexes:
        """Points at s = 1 in the unknowns of the system there."""


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

    def system(self, x: Complexes, s: Complexes | Array) -> tuple[Complexes, Complexes, Complexes]:
        """The last equation keeps the size: changes are across a point."""
        m, n = x.shape
        s = s[:, None, None, None]
        forms = self.constant + s * (self.linear + s * self.square)
        v = (forms @ x[:, None, :, None])[..., 0]
        moved = ((self.linear + 2.0 * s * self.square) @ x[:, None, :, None])[..., 0]
        j, r, rate = (
            np.empty((m, n, n), complex),
            np.zeros((m, n), complex),
            np.zeros((m, n), complex),
        )
        j[:, :-1], j[:, -1] = 2.0 * v, x.conj()
        r[:, :-1] = (v @ x[..., None])[..., 0]
        rate[:, :-1] = (moved @ x[..., None])[..., 0]
        return r, j, rate

    @property
    def size(self) -> int:
        return int(self.constant.shape[1])

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        return local

    def at_end(self, x: Complexes) -> Complexes:
        return x


class PathEnds(NamedTuple):
    """How far paths were followed: points (m, n) at s (m,), and those at the stops, (k, m, n)."""

    points: Complexes
    s: Array
    passed: Complexes


class _OnPaths(NamedTuple):
    """Points near paths: the points (m, n), how they go on with s, whether they are on them, (m,),
    and how far they were from them."""

    points: Complexes
    onward: Complexes
    good: Bools
    off: Array

    def of(self, those: Bools) -> _OnPaths:
        """Some of them."""
        points, onward = self.points[those], self.onward[those]
        return _OnPaths(points, onward, self.good[those], self.off[those])


def _corrected(
    path: SystemPath, guess: Complexes, s: Complexes | Array, closeness: float
) -> _OnPaths:
    x, off = unit(guess, path.size), np.zeros(len(guess))
    for _ in range(CORRECTIONS):
        r, j, rate = path.system(x, s)
        both = solved(j, np.stack([r, -rate], axis=2))
        step, onward = (path.lifted(x, both[..., k]) for k in (0, 1))
        x, size = unit(x - step, path.size), np.linalg.norm(step, axis=1)
        off += size
        good: Bools = (size <= ROOT) & (off <= closeness)  # the next step is its square
        if (good | ~(off <= closeness)).all():
            break
    return _OnPaths(x, onward, good, off)


class _Passed:
    """The last points on paths and their tangents, (3, m, n), from the present ones back."""

    def __init__(self, first: _OnPaths, size: int) -> None:
        self.points = np.repeat(first.points[None], 3, axis=0)
        self.onward = np.repeat(first.onward[None], 3, axis=0)
        self.back = np.repeat(np.arange(3.0)[:, None], len(first.good), axis=1)
        self.known, self.size = np.ones(len(first.good), np.int64), size

    def add(self, done: Ints, found: _OnPaths, step: Array) -> None:
        """Points a step further on some of the paths; all of these arguments are of those."""
        back = self.back[:2, done] + step * (self.known[done] > [[0], [1]])
        self.back[1:, done] = np.where(self.known[done] > [[0], [1]], back, [[1.0], [2.0]])
        for mine, new in ((self.points, found.points), (self.onward, found.onward)):
            mine[1:, done] = mine[:-1, done]
            mine[0, done] = new
        self.known[done] = np.minimum(self.known[done] + 1, 3)

    def ahead(self, on: Ints, step: Array) -> Complexes:
        """Predictions a step ahead on some paths: by the polynomial with these points and tangents.

        Of homogeneous points any multiples are the same: taken are those of which the differences
        from the present one are across it.
        """
        x, v = self.points[:, on], self.onward[:, on]
        blocks = 3, len(on), x.shape[2] // self.size, self.size
        own, x, v = x[0].conj().reshape(blocks[1:]), x.reshape(blocks), v.reshape(blocks)
        one, rate = (np.sum(own * p, axis=3)[..., None] for p in (x, v))
        x = x / one
        v = ((v - x * rate) / one).reshape(3, len(on), -1)
        x = x.reshape(v.shape)
        t = np.repeat(-self.back[:, on], 2, axis=0)[..., None]
        d = np.empty((5, *x.shape[1:]), complex)
        d[0::2], d[1::2] = v, (x[1:] - x[:-1]) / (t[2::2] - t[1:-1:2])
        out: Complexes = x[0]
        weight = step[:, None]
        for k in range(1, 6):
            out = out + np.where(self.known[on, None] > k // 2, weight * d[0], 0.0)
            if k < 5:
                d = (d[1:] - d[:-1]) / (t[k + 1 :] - t[: -k - 1])
            weight = weight * (step[:, None] - t[k])
        return out


ALL_THE_WAY = np.ones(1)


def follow(
    path: SystemPath,
    starts: Complexes,
    closeness: float = PREDICTED,
    watch: Watch = UNWATCHED,
    stops: Array = ALL_THE_WAY,
) -> PathEnds:
    """Follow solutions from s = 0 to the last stop.

    Args:
        starts: solutions at s = 0, (m, n).
        closeness: largest distance of predictions from a path, relative: less where paths are near.
        stops: values of s at which points are kept, in order, (k,).

    Raises:
        Stopped: the watch interrupted it.
    """
    s, h = np.zeros(len(starts)), np.full(len(starts), FIRST_STEP)
    kept, following = np.zeros((len(stops), *starts.shape), complex), np.zeros(len(s), np.int64)
    with np.errstate(all="ignore"):  # beyond a pole: such a step is taken back
        passed = _Passed(_corrected(path, starts, s, closeness), path.size)
        for _ in range(MOST_STEPS):
            on = np.flatnonzero((following < len(stops)) & (h > ROUNDING))
            if not len(on):
                break
            watch.check()
            goal = stops[following[on]]
            step = np.minimum(h[on], goal - s[on])
            end = np.where(step < h[on], goal, s[on] + step)
            found = _corrected(path, passed.ahead(on, step), end, closeness)
            good, order = found.good, 2.0 * passed.known[on]
            room = (0.5 * closeness / np.maximum(found.off, TINY)) ** (1.0 / order)
            longer = np.maximum(h[on], step * np.clip(room, 0.5, 2.0))  # a stop makes none shorter
            wanted = np.where(step < h[on], longer, step * np.clip(room, 0.5, 2.0))
            h[on] = np.where(good, wanted, 0.5 * step)
            s[on[good]] = end[good]
            passed.add(on[good], found.of(good), step[good])
            there = on[good & (end >= goal)]
            kept[following[there], there] = passed.points[0, there]
            following[there] += 1
    return PathEnds(passed.points[0], s, kept)


def solved(j: Complexes, r: Complexes) -> Complexes:
    """Solutions of systems (m, n, n) with right-hand sides (m, n, k); infinite of singular ones."""
    out = np.full_like(r, np.inf)
    try:
        out[:] = np.linalg.solve(j, r)
    except np.linalg.LinAlgError:
        for k in range(len(j)):
            if np.linalg.matrix_rank(j[k]) == j.shape[1]:
                out[k] = np.linalg.solve(j[k], r[k])
    return out


def unit(points: Complexes, size: int) -> Complexes:
    """Points (m, n) with coordinates of size 1 that are homogeneous together."""
    each = points.reshape(len(points), points.shape[1] // size, size)
    out: Complexes = (each / np.linalg.norm(each, axis=2)[..., None]).reshape(points.shape)
    return out


def in_pairs(points: Complexes, size: int) -> bool:
    """Whether the conjugate of each point (m, n) is another one: real equations have both."""
    sines = apart(points, points.conj(), size)
    np.fill_diagonal(sines, 1.0)
    return bool(((sines <= FAINT).sum(axis=1) == 1).all())


def alone(points: Complexes, size: int) -> Bools:
    """Which points (m, n) are far from all others, (m,)."""
    near = np.count_nonzero(apart(points, points, size) <= FAINT, axis=1)
    out: Bools = near == np.ones(len(near))
    return out


def meeting(points: Complexes, size: int) -> Bools:
    """Which points (m, n) are at one before them, (m,).

    Args:
        size: how many coordinates are homogeneous together.
    """
    out: Bools = np.any(np.tril(apart(points, points, size) <= FAINT, -1), axis=1)
    return out


def apart(one: Complexes, two: Complexes, size: int) -> Array:
    """How far points (m, n) are from others (k, n): the largest sine of coordinates homogeneous
    together, (m, k)."""
    out: Array = apart_each(one[:, None], two[None], size)
    return out


def apart_each(one: Complexes, two: Complexes, size: int) -> Array:
    """The same of points one by one, (..., n) each and (...)."""
    first, second = (x.reshape(*x.shape[:-1], x.shape[-1] // size, size) for x in (one, two))
    lengths = (np.sum(np.abs(x) ** 2, axis=-1) for x in (first, second))
    inner = np.abs(np.sum(first.conj() * second, axis=-1)) ** 2
    out = np.sqrt(np.maximum(1.0 - inner / next(lengths) / next(lengths), 0.0))
    largest: Array = out.max(axis=-1, initial=0.0)
    return largest
