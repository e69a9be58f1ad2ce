"""Where the paths of all solutions end: at a solution of their own, several at one, or far away."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.homotopy import (
    PREDICTED,
    UNWATCHED,
    SystemPath,
    alone,
    apart,
    apart_each,
    follow,
    unit,
)
from ...foundations.numerics.rounding import FAINT, FOURTH
from ...foundations.types import Array, Bools, Complexes, Ints
from ...foundations.watch import Watch

CLOSER = (1.0, 0.01, FOURTH)
"""Closeness of tries to follow paths, relative to `PREDICTED`: those that met are followed anew."""

ALMOST = 8.0 * FOURTH
"""How near to its end a path is that is told from where it is there: far away, or not."""

CIRCLES = tuple(ALMOST / 8.0**k for k in range(7))
"""Radii of circles round the ends of paths that meet there."""

SPOKES = 16
"""Points of a lap on such a circle."""

MOST_LAPS = 12
"""Paths that meet in one point, of which the laps are counted."""


class AllEnds(NamedTuple):
    """Where the paths of all solutions ended.

    Attributes:
        points: the different ends that are solutions, (m, n); paths: how many end at each, (m,).
        lost: where others were last seen, (k, n).
        whole: whether each path either ended at a regular point of its own, or at one where several
            end, as many on another way, or went where no solution is.
    """

    points: Complexes
    paths: Ints
    lost: Complexes
    whole: bool


Way = Callable[[int], SystemPath]
"""The n-th of two paths from the same solutions to the same end."""


def all_ends(
    way: Way, starts: Complexes, far: Callable[[Complexes], Bools], watch: Watch = UNWATCHED
) -> AllEnds:
    """The ends of the paths of all solutions; those that meet another one are followed anew.

    At an isolated solution as many paths end whatever the way; where solutions are not isolated,
    along a curve, they end anywhere.

    Args:
        far: which ends are no solution, or one that is immensely far away.
    """
    first = _ends(way(0), starts, far, watch)
    several = first.paths > 1
    if not first.whole or not several.any():
        return first
    other = _ends(way(1), starts, far, watch)
    size = way(0).size
    same = apart(first.points[several], other.points, size) <= FAINT
    same &= first.paths[several][:, None] == other.paths
    return first._replace(whole=other.whole and bool(same.any(axis=1).all()))


def _ends(
    path: SystemPath, starts: Complexes, far: Callable[[Complexes], Bools], watch: Watch
) -> AllEnds:
    points, lost = np.empty_like(starts), np.arange(len(starts))
    gone, winding = np.zeros(len(starts), bool), np.zeros(len(starts), np.int64)
    for closer in CLOSER:
        followed = follow(path, starts[lost], closer * PREDICTED, watch)
        points[lost] = path.at_end(followed.points)
        gone[lost] = far(points[lost]) & (followed.s > 1.0 - ALMOST)
        own = followed.s >= 1.0
        own[own] = alone(points[lost[own]], path.size)
        rest = np.flatnonzero(~own & ~gone[lost] & (followed.s > 1.0 - ALMOST))
        there = _round_the_end(path, starts[lost[rest]], closer * PREDICTED, watch)
        points[lost[rest]], winding[lost[rest]] = there.points, there.laps
        own[rest] = there.laps > 0
        gone[lost[rest]] = own[rest] & far(there.points)
        lost = lost[~own & ~gone[lost]]
        if not len(lost):
            break
    known = np.setdiff1d(np.flatnonzero(~gone), lost)
    near = apart(points[known], points[known], path.size) <= FAINT
    first, paths = ~np.tril(near, -1).any(axis=1), near.sum(axis=1)
    # at an isolated solution that is singular several paths end, as many as laps at least
    due = np.where(winding[known] > 0, np.maximum(winding[known], 2), 1)
    whole = not len(lost) and bool((paths >= due).all())
    return AllEnds(points[known[first]], paths[first], points[lost], whole)


class _AtTheEnd(NamedTuple):
    """The ends of paths, (m, n), and after how many laps each came back; 0 if it did not, (m,)."""

    points: Complexes
    laps: Ints


class _Circle(NamedTuple):
    """A lap round the end of a path: s = 1 - radius e^(2 pi i t), for t from 0 to 1."""

    path: SystemPath
    radius: float

    @property
    def size(self) -> int:
        return self.path.size

    def system(self, x: Complexes, t: Complexes | Array) -> tuple[Complexes, Complexes, Complexes]:
        off = self.radius * np.exp(2j * np.pi * t)
        r, j, rate = self.path.system(x, 1.0 - off)
        return r, j, rate * (-2j * np.pi * off)[:, None]

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        return self.path.lifted(x, local)

    def at_end(self, x: Complexes) -> Complexes:
        return x


def _round_the_end(
    path: SystemPath, starts: Complexes, closeness: float, watch: Watch
) -> _AtTheEnd:
    """The ends of paths that meet others there: by Cauchy's integral round them.

    Where w paths meet, each is a power series of the w-th root of 1 - s: w laps bring it back, and
    the mean over them is the end.  It is taken from the first circle that agrees with the one
    before it.

    Source: A. P. Morgan, A. J. Sommese and C. W. Wampler, Computing singular solutions to nonlinear
    analytic systems, Numerische Mathematik 58 (1991) 669.
    """
    out = _AtTheEnd(starts.copy(), np.zeros(len(starts), np.int64))
    last = np.full(starts.shape, np.nan, complex)
    for radius in CIRCLES:
        left = np.flatnonzero(out.laps == 0)
        if not len(left):
            break
        near = follow(path, starts[left], closeness, watch, np.array([1.0 - radius]))
        got = near.s >= 1.0 - radius
        got[got] = alone(near.points[got], path.size)
        left = left[got]
        found = _laps(_Circle(path, radius), near.points[got], closeness, watch)
        ends = path.at_end(found.points)
        same = apart_each(last[left], ends, path.size) <= FAINT
        last[left] = ends
        done = same & (found.laps > 0)
        out.points[left[done]], out.laps[left[done]] = ends[done], found.laps[done]
    return out


def _laps(circle: _Circle, starts: Complexes, closeness: float, watch: Watch) -> _AtTheEnd:
    """Means of points over as many laps as bring them back."""
    m, size = len(starts), circle.size
    x, laps, means = starts.copy(), np.zeros(m, np.int64), starts.copy()
    total, left = np.zeros_like(starts), np.arange(m)
    own = starts.conj().reshape(m, starts.shape[1] // size, size)
    for lap in range(1, MOST_LAPS + 1):
        ends = follow(circle, x[left], closeness, watch, np.arange(1, SPOKES + 1) / SPOKES)
        there = ends.s >= 1.0
        left, passed = left[there], ends.passed[:, there]
        if not len(left):
            break
        blocks = passed.reshape(SPOKES, *own[left].shape)
        blocks = blocks / np.sum(own[left] * blocks, axis=3)[..., None]
        total[left] += blocks.reshape(passed.shape).sum(axis=0)
        x[left] = passed[-1]
        back = apart_each(x[left], starts[left], size) <= FAINT
        laps[left[back]] = lap
        means[left[back]] = unit(total[left[back]], size)
        left = left[~back]
    return _AtTheEnd(means, laps)
