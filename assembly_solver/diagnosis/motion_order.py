"""The order of a freedom that nothing finite follows: up to which power of the way mates hold.

Of one free motion r(t) is what is left of the reduced equations after the way t.  Of several it is
the least that is left at the distance t in any direction: the mates hold along no curve better than
that.  Where r is of order k + 1 in t, mates hold up to order k and not to order k + 1: the freedom
is infinitesimal of order k.

Source: docs/theory/higher_order.md, 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol

import numpy as np

from ..foundations.numerics.rounding import EPSILON, TINY
from ..foundations.types import Array
from .motion_branches import directions
from .reduced_equations import LONGEST

LARGEST_ORDER = 6
"""Highest order of r that is told from rounding."""

WAYS = 2.0 ** -np.arange(6.0)
"""Ways along the free motion over the longest one, each half of the one before."""

ROUND = 2.0**16 * EPSILON
"""What is left over the characteristic length that is rounding."""

WHOLE = 0.1
"""How far the order may be from a whole number, by two pairs of ways."""

DESCENTS = 25
"""Most steps to the least that is left at a distance."""

GAIN = 0.01
"""Share of what is left by which a step has to lessen it, or it is the last."""

FOLLOWED = 4
"""Directions with the least that are followed to smaller distances."""


class Reduced(Protocol):
    """What is left of the dependent equations after a way in the null space, and its rates."""

    free: int
    zero: float
    longest: float

    def left(self, way: Array) -> Array | None:
        """As of `ReducedEquations`."""

    def with_rates(self, way: Array) -> tuple[Array, Array] | None:
        """As of `ReducedEquations`."""


def order_of(reduced: Reduced) -> int | None:
    """The order up to which mates hold along the free motions; None where it is not clear."""
    sizes = _of_one(reduced) if reduced.free == 1 else _least_of_several(reduced)
    noise = reduced.zero * (reduced.longest / LONGEST * WAYS) ** 2 / WHOLE
    clear = np.array([s for s, n in zip(sizes, noise.tolist(), strict=False) if s > max(ROUND, n)])
    for one, two in pairwise(np.log2(clear[:-1] / clear[1:]).tolist()):
        whole = int(np.rint(two))
        near = abs(two - whole) < WHOLE and abs(one - whole) < 2 * WHOLE
        if near and 2 <= whole <= LARGEST_ORDER:
            return whole - 1
    return None


def _of_one(reduced: Reduced) -> Iterator[float]:
    """What is left along the only free motion, by the worse of its two ways."""
    for way in (reduced.longest * WAYS).tolist():
        one, other = reduced.left(np.array([way])), reduced.left(np.array([-way]))
        if one is None or other is None:
            return
        yield float(np.abs([one, other]).max(initial=0.0))


def _least_of_several(reduced: Reduced) -> Iterator[float]:
    """The least that is left at each distance from the pose, from many directions."""
    ways = directions(reduced.free)
    for radius in (reduced.longest * WAYS).tolist():
        least = [found for way in ways if (found := _least(reduced, way, radius)) is not None]
        if not least:
            return
        least.sort(key=lambda found: found[0])
        ways = np.array([way for _, way in least[:FOLLOWED]])
        yield least[0][0]


def _least(reduced: Reduced, way: Array, radius: float) -> tuple[float, Array] | None:
    """The least that is left at a distance near a way, and where: damped Gauss-Newton steps."""
    way = way * (radius / float(np.linalg.norm(way)))
    here, damping = reduced.with_rates(way), 0.0
    if here is None:
        return None
    size = float(np.linalg.norm(here[0]))
    for _ in range(DESCENTS):
        left, rates = here
        unit = way / radius
        level = rates - np.outer(rates @ unit, unit)
        scale = float(np.linalg.norm(level))
        rows = np.concatenate([level, np.sqrt(damping) * scale * np.eye(reduced.free)])
        wanted = np.concatenate([left, np.zeros(reduced.free)])
        step = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        step = step * min(1.0, radius / 2.0 / max(float(np.linalg.norm(step)), TINY))
        there = way - step
        there = there * (radius / float(np.linalg.norm(there)))
        found = reduced.with_rates(there)
        less = np.inf if found is None else float(np.linalg.norm(found[0]))
        if found is None or less >= size:
            damping = max(4.0 * damping, 2.0**-6)
            continue
        gained, way, here = less < (1.0 - GAIN) * size, there, found
        size, damping = less, damping / 4.0
        if not gained or size <= ROUND:
            break
    return size, way
