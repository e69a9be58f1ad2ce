"""Loops that close nowhere: boxes of joint coordinates are divided until each is shown to be empty.

Over a box every measure is enclosed, and by the mean value theorem every combination of them.  The
combinations that the middle of a box leaves across all slopes are off by the square of its size
only: where a loop fails to close by a gap, boxes of the size of its root are enough.  Combinations
that tell one coordinate make the box narrower.

Source: E. Hansen and G. W. Walster, Global Optimization Using Interval Analysis, 2nd ed., Dekker
2004 (the method); S. M. Rump, BIT 39, 1999 (the arithmetic).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...foundations.numerics.rounding import FAINT, TINY
from ...foundations.types import Array, Ints
from .closing_joints import ClosingJoints
from .wide_vectors import ROUNDED, Wide

MOST_BOXES = 2**14
"""Boxes of all senses together after which no proof is found."""

MOST_UNKNOWNS = 8
"""Most joint coordinates: boxes grow in number with each."""

FEWER = 4
"""Of so many boxes one is spent on directions alone."""

TOGETHER = 128
"""Boxes that are looked at in one go."""

NARROWED = 0.7
"""Share of the widths up to which a box is made narrower again before it is halved."""

SMALLEST = 2.0**-30
"""Width of a box over the first one at which the search ends: a solution may be there."""

COARSE = 2.0**-10
"""Change of cosines up to which boxes of directions alone are divided."""


@dataclass(frozen=True)
class ClosureProof:
    """Boxes of `unknowns` joint coordinates that cover all of them, each empty."""

    boxes: int
    unknowns: int


class _Boxes(NamedTuple):
    """Boxes by their ends, (boxes, unknowns), and how many were looked at before."""

    low: Array
    high: Array
    seen: int = 0


def closes_nowhere(tree: ClosingJoints, most: int) -> ClosureProof | None:
    """A proof that no joint coordinates let everything close; None where none is found.

    Directions have fewer unknowns, between narrower bounds: their boxes are divided first, and
    those that are left are divided further with the places.

    Args:
        most: boxes.
    """
    turns, every = tree.of_directions(), _Boxes(np.array([tree.low]), np.array([tree.high]))
    n = len(turns.low)
    first = _Boxes(every.low[:, :n], every.high[:, :n])
    left = _divided(turns, first, most // FEWER, coarse=True)
    if left is not None and not len(left.low):
        return ClosureProof(left.seen, n)
    if left is not None:
        ends = zip(left[:2], every[:2], strict=True)
        low, high = (np.hstack([x, np.repeat(y[:, n:], len(x), axis=0)]) for x, y in ends)
        every = _Boxes(low, high, left.seen)
    left = _divided(tree, every, most)
    return None if left is None else ClosureProof(left.seen, len(tree.low))


def _divided(tree: ClosingJoints, boxes: _Boxes, most: int, coarse: bool = False) -> _Boxes | None:
    """What is left of boxes, where everything may close.

    None where there is nothing to close, and with too many unknowns or boxes.

    Args:
        coarse: whether any may be left, no smaller than they need be; else None from the first on.
    """
    low, high, seen = boxes
    if not tree.rows or not 0 < low.shape[1] <= MOST_UNKNOWNS:
        return None
    kept = [(low[:0], high[:0])]
    asked = np.array([[x.low, x.high] for x in tree.rows])
    rough = np.maximum((asked[:, 1] - asked[:, 0]) / tree.scales, COARSE)
    whole = np.maximum(np.array(tree.high) - tree.low, 1.0)
    while len(low):
        box = between(low[-TOGETHER:], high[-TOGETHER:])
        ends = low[-TOGETHER:], high[-TOGETHER:]
        low, high = low[:-TOGETHER], high[:-TOGETHER]
        seen += len(box.mid)
        found = _narrower(tree, box, asked, rough, coarse)
        if found is None or seen > most:
            return None
        done, *new = found
        small = (new[1] - new[0] < SMALLEST * whole).all(axis=1)
        if not coarse and (done.any() or small.any()):
            return None
        kept.append((ends[0][done], ends[1][done]))
        low, high = (np.concatenate(w) for w in zip((low, high), new, strict=True))
    low, high = (np.concatenate(w) for w in zip(*kept, strict=True))
    return _Boxes(low, high, seen)


def _narrower(
    tree: ClosingJoints, box: Wide, asked: Array, rough: Array, coarse: bool
) -> tuple[NDArray[np.bool_], Array, Array] | None:
    """Which boxes are done with, and what is left of the others: ends, (boxes, unknowns).

    Done with are those in whose middle everything closes, and with `coarse` those in which no row
    changes by more than `rough`.  None where slopes are not known.

    Args:
        asked: bounds of each row, (rows, 2).
    """
    (value, slope), (here, _) = (tree.measured(b) for b in (box, Wide(box.mid, 0 * box.rad)))
    if not (np.isfinite(slope.mid).all() and np.isfinite(slope.rad).all()):
        return None
    done = np.all((here.mid >= asked[:, 0]) & (here.mid <= asked[:, 1]), axis=1)
    changes = (np.abs(slope.mid) + slope.rad) * (2 * box.rad[:, None] / tree.scales[:, None])
    low, high = np.maximum(asked[:, 0], value.low), np.minimum(asked[:, 1], value.high)
    empty = (low > high).any(axis=1)
    if coarse:
        done |= ~empty & (changes <= rough[:, None]).all(axis=(1, 2))
    left = ~done & ~empty
    box, here, slope = (Wide(w.mid[left], w.rad[left]) for w in (box, here, slope))
    right = between(low[left] - here.high, high[left] - here.low)
    size = np.max((np.abs(slope.mid) + slope.rad) * box.rad[:, None], axis=2)
    size = np.where(size > 0.0, size, 1.0)
    weights = _combinations(slope.mid * box.rad[:, None], right.mid, 1.0 / size)
    combined = Wide(weights, np.zeros(weights.shape))
    low, high, empty = _solved(combined.times(slope), combined.times(right.at(..., None)), box.rad)
    narrowed = (high - low) / np.maximum(2.0 * box.rad, TINY)
    widest = _widest(changes[left] * narrowed[:, None], rough)
    ends = box.mid + low - ROUNDED * np.abs(box.mid), box.mid + high + ROUNDED * np.abs(box.mid)
    again = ~empty & (narrowed[np.arange(len(widest)), widest] < NARROWED)
    return done, *_halved(*ends, widest, ~empty, again)


def _widest(changes: Array, rough: Array) -> Ints:
    """The unknown along which each box is halved.

    The first that a row tells alone, as long as that changes by more than is rough: such unknowns
    are not divided together.  Else the one by which a row changes most.

    Args:
        changes: of rows over the width of each unknown, in their scales, (boxes, rows, unknowns);
            rough: of each row, (rows,), more than it is let off.
    """
    others = changes.sum(axis=2, keepdims=True) - changes
    alone = ((others <= COARSE) & (changes > rough[:, None])).any(axis=1)
    most = np.argmax(changes.max(axis=1), axis=1)
    out: Ints = np.where(alone.any(axis=1), np.argmax(alone, axis=1), most)
    return out


def _halved(
    low: Array, high: Array, widest: Ints, left: NDArray[np.bool_], again: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """The boxes that are left, of which those not to be looked at again are halved."""
    n, cut = np.flatnonzero(left & ~again), (low + high) / 2
    lower, upper = high[n].copy(), low[n].copy()
    here = np.arange(len(n)), widest[n]
    lower[here] = upper[here] = cut[n, widest[n]]
    return np.concatenate([low[again], low[n], upper]), np.concatenate(
        [high[again], lower, high[n]]
    )


def _combinations(slopes: Array, off: Array, weights: Array) -> Array:
    """Combinations of rows that are enclosed, (boxes, combinations, rows).

    Each row, the left singular vectors of the slopes, those that tell one unknown, and what the
    best fit leaves.

    Args:
        slopes: at the middles, for the whole of each box, (boxes, rows, unknowns); off: what the
            middles leave, (boxes, rows); weights: of the rows, (boxes, rows).
    """
    weighted, m = slopes * weights[..., None], slopes.shape[1]
    u, sizes, v = np.linalg.svd(weighted, full_matrices=True)
    k = sizes.shape[1]
    kept = sizes > FAINT * sizes[:, :1]
    over = np.where(kept, 1.0 / np.where(kept, sizes, 1.0), 0.0)
    ways = np.swapaxes(u, 1, 2)
    told = np.einsum("bkj,bk,bkr->bjr", v[:, :k], over, ways[:, :k])
    target = off * weights
    rest = target - np.einsum("brj,bj->br", weighted, np.einsum("bjr,br->bj", told, target))
    every = np.concatenate([ways, told, rest[:, None]], axis=1) * weights[:, None]
    return np.concatenate([np.broadcast_to(np.eye(m), (len(every), m, m)), every], axis=1)


def _solved(slopes: Wide, right: Wide, radii: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Where the changes of the unknowns are that combinations allow, and which boxes are empty.

    Args:
        slopes: of the combinations, (boxes, combinations, unknowns); right: what they ask, (boxes,
            combinations, 1).
    """
    most = (np.abs(slopes.mid) + slopes.rad) * radii[:, None]
    total = most.sum(axis=2, keepdims=True) * (1.0 + ROUNDED)
    empty = (np.abs(right.mid) - right.rad > total).any(axis=(1, 2))
    rest = np.maximum(total - most, 0.0) + ROUNDED * total
    sign = np.where(slopes.mid < 0.0, -1.0, 1.0)
    middle, wide = sign * right.mid, right.rad + rest + ROUNDED * np.abs(right.mid)
    least, largest = np.abs(slopes.mid) - slopes.rad, np.abs(slopes.mid) + slopes.rad
    told = (least > ROUNDED * largest) & (most > ROUNDED * total)
    least, largest = np.where(told, least, 1.0), np.where(told, largest, 1.0)
    low, high = middle - wide, middle + wide
    low = np.where(low < 0.0, low / least, low / largest)
    high = np.where(high > 0.0, high / least, high / largest)
    low = np.where(told, low - ROUNDED * np.abs(low), -np.inf).max(axis=1)
    high = np.where(told, high + ROUNDED * np.abs(high), np.inf).min(axis=1)
    empty |= ((low > high) | (low > radii) | (high < -radii)).any(axis=1)
    return np.fmax(low, -radii), np.fmin(high, radii), empty


def between(low: Array, high: Array) -> Wide:
    """Intervals by their ends."""
    mid = low + (high - low) / 2
    rad = np.maximum(high - mid, mid - low)
    return Wide(mid, rad * (1.0 + ROUNDED) + ROUNDED * np.abs(mid))
