"""Boxes along a branch: where drivers move, one solution and no other in each box.

The test of Krawczyk with a parameter: for every value of it in an interval there is exactly one
root in the box.  Two boxes belong to one branch where, at the value that they share, the root of
the one lies in both.

Source: A. Neumaier, Interval Methods for Systems of Equations, Cambridge 1990, chapter 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat

from ...foundations.types import Array
from .balls import column, middle, upper
from .krawczyk import identity, inverse_of

Along = Callable[[arb_mat, arb], tuple[arb_mat, arb_mat]]
"""Equations, (n, 1), and their Jacobian, (n, n), over a box of n unknowns, for a parameter."""

WIDER = 2.0
"""Radii of a box over how far its root moves while the parameter goes from its middle to an end."""

SQUARER = 0.25
"""Least radius of a box over the largest such way."""

TRIES = 3
"""How often a box is made wider before the interval is halved."""

SHORTEST = 2.0**-12
"""Shortest interval of the parameter, whose whole range is 0 to 1."""

POLISHED = 2.0**-40
"""Newton step over the characteristic length up to which a root is refined."""

STEPS = 8
"""Most such steps."""

SLACK = 1.0 + 2.0**-30
"""More than sums of a thousand rounded products are off."""


class Node(NamedTuple):
    """A root: its parameter, a tight box of it, (n, 1), and the inverse of the Jacobian there."""

    share: float
    root: arb_mat
    inverse: arb_mat


def node(along: Along, share: float, start: arb_mat, length: float) -> Node | None:
    """The root near `start` for one value of the parameter; None where none is shown to be."""
    x, at = start.mid(), arb(share)
    for _ in range(STEPS):
        f, jacobian = along(x, at)
        inverse = inverse_of(middle(jacobian))
        if inverse is None:
            return None
        step = inverse * f
        size = float(_sizes(step).max(initial=0.0))
        if size <= POLISHED * length:
            break
        if not size <= length:
            return None
        x = (x - step).mid()
    found = _box(along, Node(share, x, inverse), at, step, POLISHED * length)
    return None if found is None else Node(share, found.enclosure, inverse)


def followed(
    along: Along, start: Node, inside: list[arb_mat], length: float, first: float
) -> Iterator[tuple[Node, Box]]:
    """The branch through a root as the parameter goes from its value to 1, as far as boxes join.

    Args:
        inside: further boxes of roots, which are one with the start as the first box has them;
            length: the size of what is solved, in the unit of the unknowns; first: interval that
            is tried first.

    Yields:
        The root at the end of each interval, and the box over it.
    """
    now, width = start, first
    while now.share < 1.0:
        width = min(width, 1.0 - now.share)
        made = _next(along, now, now.share + width, inside, length)
        if made is not None:
            yield made
            now, inside, width = made[0], [], 2 * width
        elif (width := width / 2) < SHORTEST:
            return


def _next(
    along: Along, now: Node, share: float, inside: list[arb_mat], length: float
) -> tuple[Node, Box] | None:
    """The root at the end of an interval, by a box over it with those at its begin."""
    half = (now.share + share) / 2
    aimed = (now.root - now.inverse * along(now.root.mid(), arb(half))[0]).mid()
    f, jacobian = along(aimed, arb(half))
    inverse = inverse_of(middle(jacobian))
    if inverse is None:
        return None
    centre = Node(half, (aimed - inverse * f).mid(), inverse)
    over = arb(half, (share - now.share) / 2)
    shift = inverse * along(centre.root, over)[0]
    box = _box(along, centre, over, shift, POLISHED * length)
    if box is None or not all(map(box.has, (now.root, *inside))):
        return None
    ahead = (centre.root - inverse * along(centre.root, arb(share))[0]).mid()
    after = node(along, share, ahead, length)
    return (after, box) if after is not None and box.has(after.root) else None


class Box(NamedTuple):
    """A box with one root for each value of the parameter, what has these, how far others are."""

    whole: arb_mat
    enclosure: arb_mat
    within: float

    def has(self, root: arb_mat) -> bool:
        """Whether it has all of another box."""
        return all(w.contains(v) for w, v in zip(self.whole.entries(), root.entries(), strict=True))


def _box(along: Along, centre: Node, over: arb, shift: arb_mat, least: float) -> Box | None:
    """A box about a point with exactly one root for each value of the parameter, or None.

    Args:
        shift: the Newton steps there, for all values; least: radius.
    """
    x, n = centre.root, centre.root.nrows()
    moves = _sizes(shift)
    if not np.isfinite(moves).all():
        return None
    floor = max(SQUARER * float(moves.max(initial=0.0)), least)
    radii = WIDER * moves + floor
    for _ in range(TRIES):
        whole = column(v + arb(0, r) for v, r in zip(x.entries(), radii.tolist(), strict=True))
        f, jacobian = along(whole, over)
        if not all(v.is_finite() for v in f.entries()):
            return None
        rest = _sizes(identity(n) - centre.inverse * jacobian).reshape(n, n)
        reached = (moves + rest @ radii) * SLACK
        if (reached < radii).all():
            near = column(v + arb(0, r) for v, r in zip(x.entries(), reached.tolist(), strict=True))
            return Box(whole, near, float((radii - reached).min(initial=np.inf)))
        if not np.isfinite(reached).all() or reached.max() > 4 * radii.max():
            return None
        radii = WIDER / 1.5 * reached + floor
    return None


def _sizes(matrix: arb_mat) -> Array:
    """Upper bounds of the magnitudes of the entries, one after the other."""
    return np.array([upper(v) for v in matrix.entries()])
