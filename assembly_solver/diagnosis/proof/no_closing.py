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

TOGETHER = 128
"""Boxes that are looked at in one go."""

NARROWED = 0.7
"""Share of the widths up to which a box is made narrower again before it is halved."""

SMALLEST = 2.0**-30
"""Width of a box over the first one at which the search ends: a solution may be there."""


@dataclass(frozen=True)
class ClosureProof:
    """Boxes of `unknowns` joint coordinates that cover all of them, each empty."""

    boxes: int
    unknowns: int


def closes_nowhere(tree: ClosingJoints, most: int) -> ClosureProof | None:
    """A proof that no joint coordinates let everything close; None where none is found.

    Args:
        most: boxes.
    """
    low, high = (np.array([v]) for v in (tree.low, tree.high))
    if not tree.rows or not 0 < low.size <= MOST_UNKNOWNS:
        return None
    whole, seen = np.maximum(high - low, 1.0), 0
    asked = np.array([[x.low, x.high] for x in tree.rows])
    while len(low):
        box = between(low[-TOGETHER:], high[-TOGETHER:])
        low, high = low[:-TOGETHER], high[:-TOGETHER]
        seen += len(box.mid)
        found = _narrower(tree, box, asked)
        if found is None or seen > most:
            return None
        if (found[1] - found[0] < SMALLEST * whole).all(axis=1).any():
            return None
        low, high = np.concatenate([low, found[0]]), np.concatenate([high, found[1]])
    return ClosureProof(seen, len(tree.low))


def _narrower(tree: ClosingJoints, box: Wide, asked: Array) -> tuple[Array, Array] | None:
    """What is left of boxes, their ends, (boxes, unknowns); None where a middle closes.

    Args:
        asked: bounds of each row, (rows, 2).
    """
    (value, slope), (here, _) = (tree.measured(b) for b in (box, Wide(box.mid, 0 * box.rad)))
    if not (np.isfinite(slope.mid).all() and np.isfinite(slope.rad).all()):
        return None
    if ((here.mid >= asked[:, 0]) & (here.mid <= asked[:, 1])).all(axis=1).any():
        return None
    low, high = np.maximum(asked[:, 0], value.low), np.minimum(asked[:, 1], value.high)
    left = np.logical_not((low > high).any(axis=1))
    box, here, slope = (Wide(w.mid[left], w.rad[left]) for w in (box, here, slope))
    right = between(low[left] - here.high, high[left] - here.low)
    size = np.max((np.abs(slope.mid) + slope.rad) * box.rad[:, None], axis=2)
    size = np.where(size > 0.0, size, 1.0)
    weights = _combinations(slope.mid * box.rad[:, None], right.mid, 1.0 / size)
    combined = Wide(weights, np.zeros(weights.shape))
    low, high, empty = _solved(combined.times(slope), combined.times(right.at(..., None)), box.rad)
    narrow = (high - low) / np.maximum(2.0 * box.rad, TINY)
    smear = np.max((np.abs(slope.mid) + slope.rad) / tree.scales[:, None], axis=1)
    widest = np.argmax(smear * (high - low), axis=1)
    ends = box.mid + low - ROUNDED * np.abs(box.mid), box.mid + high + ROUNDED * np.abs(box.mid)
    again = ~empty & (narrow[np.arange(len(widest)), widest] < NARROWED)
    halves = [_half(*ends, widest, k) for k in (0, 1)]
    return tuple(
        np.concatenate([ends[k][again], *(h[k][~again & ~empty] for h in halves)]) for k in (0, 1)
    )  # type: ignore[return-value]


def _half(low: Array, high: Array, widest: Ints, upper: int) -> tuple[Array, Array]:
    """One of the two halves of boxes along an unknown of each."""
    n = np.arange(len(low))
    middle = (low[n, widest] + high[n, widest]) / 2
    low, high = low.copy(), high.copy()
    (low if upper else high)[n, widest] = middle
    return low, high


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
