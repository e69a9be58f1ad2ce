"""The order of a freedom that nothing finite follows: up to which power of the way mates hold.

Along a free motion v the coordinates across it are chosen such that all equations hold but their
combinations that are dependent at the pose; what is left of those over the way t is r(t), the
reduced equations of Lyapunov and Schmidt.  Where r is of order k + 1 in t, mates hold up to order k
and not to order k + 1: the freedom is infinitesimal of order k.  With one free motion every motion
is along it, so that k is the order of the pose.  With several, r is of order 2 along all of them
where the quadratic forms of r have no root but 0, which is tried from many starts.

Source: the reduction of Lyapunov and Schmidt; any text on bifurcations.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement, pairwise

import numpy as np

from ..foundations.numerics.rounding import EPSILON
from ..foundations.types import Array

LARGEST_ORDER = 6
"""Highest order of r that is told from rounding."""

WAYS = 0.06 * 2.0 ** -np.arange(6.0)
"""Ways along the free motion over the characteristic length, each half of the one before."""

ROUND = 2.0**16 * EPSILON
"""What is left over the characteristic length that is rounding."""

WHOLE = 0.1
"""How far the order may be from a whole number, by two pairs of ways."""

STARTS = 40
"""Directions from which a common root of the quadratic forms is looked for."""

FLAT = 2.0**-10
"""Value of the forms in a direction over the largest that is no root."""

Reduced = Callable[[Array], Array | None]
"""What is left of the dependent equations after a way in the null space, over the characteristic
length like the way; None where the others do not close."""


def order_of(reduced: Reduced, free: int) -> int | None:
    """The order up to which mates hold along the free motions; None where it is not clear.

    Args:
        free: number of free motions.
    """
    if free == 1:
        return _of_one(reduced)
    return 1 if _only_first(reduced, free) else None


def _of_one(reduced: Reduced) -> int | None:
    sizes = []
    for way in WAYS.tolist():
        ends = _both_ways(reduced, np.array([way]))
        if ends is None:
            return None
        sizes.append(float(np.abs(ends).max(initial=0.0)))
    clear = np.array([s for s in sizes if s > ROUND])
    for one, two in pairwise(np.log2(clear[:-1] / clear[1:]).tolist()):
        whole = int(np.rint(two))
        near = abs(two - whole) < WHOLE and abs(one - whole) < 2 * WHOLE
        if near and 2 <= whole <= LARGEST_ORDER:
            return whole - 1
    return None


def _both_ways(reduced: Reduced, way: Array) -> Array | None:
    """What is left after a way and after the opposite one, (2, m)."""
    ends = reduced(way), reduced(-way)
    return None if ends[0] is None or ends[1] is None else np.array(ends)


def _only_first(reduced: Reduced, free: int) -> bool:
    """Whether the part of second order has no root but 0."""
    way, unit, squares = float(WAYS[2]), np.eye(free), dict[tuple[int, int], Array]()
    for i, j in combinations_with_replacement(range(free), 2):
        ends = _both_ways(reduced, way * np.maximum(unit[i], unit[j]))
        if ends is None:
            return False
        squares[i, j] = ends.mean(axis=0) / (way * way)
    forms = np.empty((free, free, len(squares[0, 0])))
    for (i, j), both in squares.items():
        mixed = (both - squares[i, i] - squares[j, j]) / 2
        forms[i, j] = forms[j, i] = both if i == j else mixed
    return _rootless(np.moveaxis(forms, -1, 0))


def _rootless(forms: Array) -> bool:
    """Whether quadratic forms, (m, n, n), have no common root but 0, as far as starts tell."""
    most = float(np.abs(forms).max(initial=0.0))
    if most == 0.0:
        return False
    rng = np.random.default_rng(0)
    for _ in range(STARTS):
        v = rng.normal(size=forms.shape[1])
        for _ in range(STARTS):
            v = v / float(np.linalg.norm(v))
            value = np.einsum("mij,i,j->m", forms, v, v)
            if np.abs(value).max() < FLAT * most:
                return False
            v = v - np.linalg.lstsq(2 * forms @ v, value, rcond=None)[0]
    return True
