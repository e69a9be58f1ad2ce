"""Boxes along a branch: where drivers move, one solution and no other in each box.

The test of Krawczyk (`krawczyk`) with a parameter: for every value of it in an interval there is
exactly one root in the box.  Two boxes belong to one branch where, at the value that they share,
the root of the one lies in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat

from ...foundations.numerics.rounding import EPSILON
from ...foundations.types import Array
from .balls import column, middle, upper
from .krawczyk import inverse_of

WIDER = 1.5
"""Radii of a box over those that one with smaller ones lets its roots have."""

SQUARER = 0.25
"""Least radius of a box over the largest way of its middle to an end of the interval."""

CLEAR = 1.125
"""Radius of a box over how far its roots are from its middle, at least."""

EASY = 0.6
"""The same the other way about where the next interval is twice as long."""

TRIES = 3
"""How often a box is made wider before the interval is halved."""

SHORTEST = 2.0**-16
"""Shortest interval of the parameter, whose whole range is 0 to 1."""

POLISHED = 2.0**-40
"""Newton step over the characteristic length up to which a root is refined."""

STEPS = 8
"""Most such steps."""

CHORDS = 3
"""Most steps with one matrix towards a root within an interval."""

NEAR = 2.0**-10
"""Such a step over the radii of the box up to which more are taken."""

SLACK = 1.0 + 2.0**-30
"""More than sums of a thousand rounded products are off."""


class Along(NamedTuple):
    """Equations with a parameter.

    Attributes:
        at: their values, (n, 1), and their Jacobian, (n, n), over a box of n unknowns and of the
            parameter; value: the values alone.
        linear: whether the parameter enters linearly, beside the unknowns.
        length: the size of what is solved, in the unit of the unknowns.
    """

    at: Callable[[arb_mat, arb], tuple[arb_mat, arb_mat]]
    value: Callable[[arb_mat, arb], arb_mat]
    linear: bool
    length: float


class Node(NamedTuple):
    """A root: its parameter, a tight box of it, (n, 1), and the inverse of the Jacobian there."""

    share: float
    root: arb_mat
    inverse: arb_mat


def node(along: Along, share: float, start: arb_mat) -> Node | None:
    """The root near `start` for one value of the parameter; None where none is shown to be."""
    x, at = start.mid(), arb(share)
    for _ in range(STEPS):
        f, jacobian = along.at(x, at)
        inverse = inverse_of(middle(jacobian))
        if inverse is None:
            return None
        step = inverse * f
        size = float(_sizes(step).max(initial=0.0))
        if size <= POLISHED * along.length:
            return _enclosed(along, Node(share, x, inverse))
        if not size <= along.length:
            return None
        x = (x - step).mid()
    return None


def _enclosed(along: Along, near: Node) -> Node | None:
    found = _box(along, near, 0.0)
    if found is None:
        return None
    each = zip(near.root.entries(), found.reached.tolist(), strict=True)
    return near._replace(root=column(v + arb(0, r) for v, r in each))


def followed(
    along: Along, start: Node, inside: list[arb_mat], first: float
) -> Iterator[tuple[Node, Box]]:
    """The branch through a root as the parameter goes from its value to 1, as far as boxes join.

    Args:
        inside: further boxes of roots, which are one with the start as the first box has them;
            first: interval that is tried first.

    Yields:
        The root at the end of each interval, and the box over it.
    """
    now, width = start, first
    while now.share < 1.0:
        width = min(width, 1.0 - now.share)
        made = _next(along, now, now.share + width, inside)
        if made is not None:
            yield made
            (now, box), inside = made, []
            width *= 2 if (box.reached < EASY * box.radii).all() else 1
        elif (width := width / 2) < SHORTEST:
            return


def _next(along: Along, now: Node, share: float, inside: list[arb_mat]) -> tuple[Node, Box] | None:
    """The root at the end of an interval, by a box over it with those at its begin."""
    half = (now.share + share) / 2
    aimed = (now.root - now.inverse * along.value(now.root.mid(), arb(half))).mid()
    f, jacobian = along.at(aimed, arb(half))
    inverse = inverse_of(middle(jacobian))
    if inverse is None:
        return None
    centre = Node(half, (aimed - inverse * f).mid(), inverse)
    box = _box(along, centre, (share - now.share) / 2)
    if box is None or not all(box.has(root, now.share) for root in (now.root, *inside)):
        return None
    last = share == 1.0
    after = node(along, share, box.middle(share)) if last else _inside(along, box, share)
    return (after, box) if after is not None and box.has(after.root, share) else None


def _inside(along: Along, box: Box, share: float) -> Node | None:
    """The root of a box for one value of the parameter, by the matrix of its middle.

    With x in the box, r the root, A the matrix: r - x is -A f(x) + (I - A J) (r - x), so that in
    the norm of the radii |r - x| <= |A f(x)| / (1 - q), q that of I - A J.
    """
    x, inverse = box.middle(share).mid(), box.centre.inverse
    for _ in range(CHORDS):
        step = inverse * along.value(x, arb(share))
        off = float((_sizes(step) / box.radii).max(initial=0.0))
        if not off < 1.0:
            return None
        if off < NEAR:
            break
        x = (x - step).mid()
    else:
        off = float((_sizes(inverse * along.value(x, arb(share))) / box.radii).max(initial=0.0))
    within = box.radii * (SLACK * off / (1.0 - box.share))
    each = zip(x.entries(), within.tolist(), strict=True)
    return Node(share, column(v + arb(0, r) for v, r in each), inverse)


class Box(NamedTuple):
    """A box that moves with the parameter, and has exactly one root for each of its values.

    Attributes:
        centre: its middle, and the value for which that is; slope: the middle's change with the
            parameter; radii: of the box; reached: those of a box in which the roots are.
        share: the norm of I - A J over the box, in its radii, at most.
    """

    centre: Node
    slope: arb_mat
    radii: Array
    reached: Array
    share: float

    @property
    def within(self) -> float:
        """No other root is nearer to these."""
        return float((self.radii - self.reached).min(initial=np.inf))

    def middle(self, share: float) -> arb_mat:
        """Its middle for a value of the parameter."""
        return self.centre.root + self.slope * arb(share - self.centre.share)

    def has(self, root: arb_mat, share: float) -> bool:
        """Whether all of another box is inside for a value of the parameter."""
        return bool((_sizes(root - self.middle(share)) < self.radii).all())


def _box(along: Along, centre: Node, half: float) -> Box | None:
    """The box about a point with one root for each value of the parameter, or None.

    Args:
        half: of the interval of the parameter about that of the centre.
    """
    x, inverse = centre.root, centre.inverse
    over = arb(centre.share, half)
    offset, rate = _newton(along, centre, half)
    slope = (-rate).mid()
    way, shifts = _sizes(slope) * half, _sizes(offset)
    farthest = float(np.maximum(way, shifts).max(initial=0.0))
    floor = max(SQUARER * farthest, POLISHED * along.length)
    radii = np.full(len(shifts), floor) if along.linear else WIDER * shifts + floor
    for _ in range(TRIES):
        if not np.isfinite(radii).all():
            return None
        each = zip(x.entries(), ((way + radii) * SLACK).tolist(), strict=True)
        f, jacobian = along.at(column(v + arb(0, r) for v, r in each), over)
        if not all(v.is_finite() for v in f.entries()):
            return None
        rest = _off_identity(inverse, jacobian) @ radii
        fixed = shifts + half * _sizes(rate + inverse * (jacobian * slope))
        reached = (fixed + rest) * SLACK
        if (CLEAR * reached < radii).all():
            share = SLACK * float((rest / radii).max(initial=0.0))
            return Box(centre, slope, radii, reached, share)
        if reached.max() > 4 * radii.max():
            return None
        radii = WIDER * reached + floor
    return None


def _newton(along: Along, centre: Node, half: float) -> tuple[arb_mat, arb_mat]:
    """The inverse times the equations at a point: its values, and how they go with the parameter.

    With c the point, s its parameter, A the inverse and v = -A f_s, the middle of a box is
    c + v (t - s) at t.  There A f is in A f(c, s) + (A f_s + A J v) (t - s), J over the box.
    """
    x, inverse, none = centre.root, centre.inverse, arb_mat(centre.root.nrows(), 1)
    if not along.linear or not half:
        return inverse * along.value(x, arb(centre.share, half)), none
    before, after = (along.value(x, arb(centre.share + h)) for h in (-half, half))
    middle_of, change = inverse * (before + after), inverse * (after - before)
    return middle_of * arb(0.5), change * (arb(0.5) / arb(half))


def _off_identity(inverse: arb_mat, jacobian: arb_mat) -> Array:
    """Upper bounds of the magnitudes of I - A J, (n, n): in floats, with what these round."""
    n = jacobian.nrows()
    known, over = middle(inverse), np.zeros((2, n * n))
    for k, v in enumerate(jacobian.entries()):
        if not v.is_zero():
            near = float(v.mid())
            over[:, k] = near, upper(v - near)
    mid, rad = over.reshape(2, n, n)
    sizes = np.abs(known)
    rounded = (n + 4) * EPSILON * (sizes @ np.abs(mid))
    return (np.abs(np.eye(n) - known @ mid) + sizes @ rad + rounded) * SLACK


def _sizes(matrix: arb_mat) -> Array:
    """Upper bounds of the magnitudes of the entries, one after the other."""
    return np.array([upper(v) for v in matrix.entries()])
