"""Boxes along a branch: where drivers move, one solution and no other in each box.

The test of Krawczyk (`krawczyk`) with a parameter: for every value of it in an interval there is
exactly one root in the box.  Two boxes belong to one branch where, at the value that they share,
the root of the one lies in both.

A box moves with the parameter, and its interval is seen in pieces: of the Jacobian over a piece
little is not known, and by how much it differs from that at the middle is known with its sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.rounding import EPSILON
from ...foundations.types import Array
from .krawczyk import inverse_of
from .wide_vectors import ROUNDED, Wide, exact

WIDER = 1.5
"""Radii of a box over those that one with smaller ones lets its roots have."""

MOST = 8
"""Most intervals that are looked at in one go."""

SQUARER = 0.0625
"""Least radius of a box over the largest way of its middle to an end of the interval."""

CLEAR = 1.25
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
        at: their values, (boxes, n), and their Jacobian, (boxes, n, n), over boxes of n unknowns,
            (boxes, n), and of the parameter, (boxes,); value: the values alone.
        rate: how the values go with the parameter, (1, n), where that enters linearly, beside the
            unknowns; else None.
        sharp: as `at`, with less rounding.
        pieces: of an interval, an even number: more where boxes together take little longer.
        length: the size of what is solved, in the unit of the unknowns.
    """

    at: Callable[[Wide, Wide], tuple[Wide, Wide]]
    value: Callable[[Wide, Wide], Wide]
    rate: Wide | None
    sharp: Callable[[Wide, Wide], tuple[Wide, Wide]]
    pieces: int
    length: float


class Node(NamedTuple):
    """A root: its parameter, a box of it, (n,), and the inverse of the Jacobian there, (n, n)."""

    share: float
    root: Wide
    inverse: Array


def node(along: Along, share: float, start: Array) -> Node | None:
    """The root near `start` for one value of the parameter; None where none is shown to be."""
    x, sharp = start, along._replace(at=along.sharp, value=lambda *box: along.sharp(*box)[0])
    for _ in range(STEPS):
        f, jacobian = sharp.at(exact(x), exact(np.array(share)))
        inverse = inverse_of(jacobian.mid[0])
        if inverse is None:
            return None
        step = inverse @ f.mid[0]
        size = float(np.abs(step).max(initial=0.0))
        if size <= POLISHED * along.length:
            return _enclosed(sharp, Node(share, Wide(x, np.zeros(len(x))), inverse))
        if not size <= along.length:
            return None
        x = x - step
    return None


def _enclosed(along: Along, near: Node) -> Node | None:
    found = _boxes(along, [near], 0.0)
    return near._replace(root=Wide(near.root.mid, found[0].reached)) if found else None


def followed(
    along: Along, start: Node, inside: list[Wide], first: float
) -> Iterator[list[tuple[Node, Box]]]:
    """The branch through a root as the parameter goes from its value to 1, as far as boxes join.

    Args:
        inside: further boxes of roots, which are one with the start as the first box has them;
            first: interval that is tried first.

    Yields:
        Of some intervals the root at the end of each, and the box over it.
    """
    now, width, count = start, first, 1
    most = MOST if along.rate is not None else 1
    while now.share < 1.0:
        width = min(width, 1.0 - now.share)
        count = min(count, int((1.0 - now.share) / width))
        made = _joined(along, now, width, count, inside)
        if made:
            yield made
            now, inside = made[-1][0], []
            easy = all((box.reached < EASY * box.radii).all() for _, box in made)
            width *= 2 if easy and len(made) == count else 1
            count = min(2 * count, most) if len(made) == count else 1
        elif count > 1:
            count = 1
        elif (width := width / 2) < SHORTEST:
            return


def _joined(
    along: Along, now: Node, width: float, count: int, inside: list[Wide]
) -> list[tuple[Node, Box]]:
    """Boxes over the next intervals, with the roots at their ends, as far as they join."""
    out = list[tuple[Node, Box]]()
    boxes = _boxes(along, _traced(along, now, width, count), width / 2)
    ends = [now.share + width * (k + 1) for k in range(len(boxes))]
    roots = _inside(along, boxes, np.array(ends)) if boxes else []
    for box, share, root in zip(boxes, ends, roots, strict=True):
        after = node(along, share, box.middle(share).mid) if share == 1.0 else root
        joined = all(box.has(x, now.share) for x in (now.root, *inside))
        if not joined or after is None or not box.has(after.root, share):
            break
        out.append((after, box))
        now, inside = after, []
    return out


def _traced(along: Along, now: Node, width: float, count: int) -> list[Node]:
    """Points near the branch at the middles of the next intervals, as far as there is an inverse.

    The first follows from the root, the others from the change at those before.
    """
    out, slopes = list[Node](), list[Array]()
    for k in range(count):
        share = now.share + width * (k + 0.5)
        at = exact(np.array(share))
        if not out:
            x = now.root.mid
            aimed = x - now.inverse @ along.value(exact(x), at).mid[0]
        else:
            bend = slopes[-1] - slopes[-2] if k > 1 else 0.0
            aimed = out[-1].root.mid + (slopes[-1] + bend / 2) * width
        f, jacobian = along.at(exact(aimed), at)
        inverse = inverse_of(jacobian.mid[0])
        if inverse is None:
            break
        out.append(Node(share, _point(aimed - inverse @ f.mid[0]), inverse))
        slopes.append(_slope(along, inverse))
    return out


def _slope(along: Along, inverse: Array) -> Array:
    """How a root goes with the parameter; 0 where that does not enter linearly."""
    out: Array = np.zeros(len(inverse)) if along.rate is None else -inverse @ along.rate.mid[0]
    return out


def _inside(along: Along, boxes: list[Box], shares: Array) -> list[Node | None]:
    """The root of each box for one value of the parameter, by the matrix of its middle.

    With x in the box, r the root, A the matrix: r - x is -A f(x) + (I - A J) (r - x), so that in
    the norm of the radii |r - x| <= |A f(x)| / (1 - q), q that of I - A J.
    """
    inverse, radii = np.array([b.centre.inverse for b in boxes]), np.array([b.radii for b in boxes])
    x = np.array([b.middle(s).mid for b, s in zip(boxes, shares.tolist(), strict=True)])
    for chord in range(CHORDS + 1):
        step = _solved(inverse, along.value(_point(x), _point(shares)))
        off = (_sizes(step) / radii).max(axis=1, initial=0.0)
        if chord == CHORDS or not (off >= NEAR).any():
            break
        x = x - step.mid
    out = list[Node | None]()
    for k, (box, share) in enumerate(zip(boxes, shares.tolist(), strict=True)):
        within = box.radii * (SLACK * off[k] / (1.0 - box.share))
        near = bool(off[k] < 1.0) and box.has(_point(x[k]), share)
        out.append(Node(share, Wide(x[k], within), box.centre.inverse) if near else None)
    return out


class Box(NamedTuple):
    """A box that moves with the parameter, and has exactly one root for each of its values.

    Attributes:
        centre: its middle, and the value for which that is; slope: the middle's change with the
            parameter, (n,); radii: of the box; reached: those of a box in which the roots are.
        share: the norm of I - A J over the box, in its radii, at most.
    """

    centre: Node
    slope: Array
    radii: Array
    reached: Array
    share: float

    @property
    def within(self) -> float:
        """No other root is nearer to these."""
        return float((self.radii - self.reached).min(initial=np.inf))

    def middle(self, share: float) -> Wide:
        """Its middle for a value of the parameter, with what floats round."""
        way = _point(self.slope).by(_point(np.array(share - self.centre.share)))
        return self.centre.root.plus(way)

    def has(self, root: Wide, share: float) -> bool:
        """Whether all of another box is inside for a value of the parameter."""
        return bool((_sizes(root.minus(self.middle(share))) < self.radii).all())


class _Middles(NamedTuple):
    """Middles of boxes, with the change of each with the parameter, and how far A f is from 0."""

    share: Array
    at: Array
    inverse: Array
    slope: Array
    shifts: Array


def _middles(along: Along, centres: list[Node], half: float) -> _Middles:
    share = np.array([c.share for c in centres])
    at, inverse = np.array([c.root.mid for c in centres]), np.array([c.inverse for c in centres])
    whole, slope = along.rate is None, np.zeros(at.shape)
    offset = along.value(_point(at), Wide(share, np.full(len(share), half if whole else 0.0)))
    if along.rate is not None and half:
        slope = -inverse @ along.rate.mid[0]
    return _Middles(share, at, inverse, slope, _sizes(_solved(inverse, offset)))


def _boxes(along: Along, centres: list[Node], half: float) -> list[Box]:
    """Boxes about points with one root for each value of the parameter, up to the first failure.

    Args:
        half: of the interval of the parameter about that of each centre.
    """
    if not centres:
        return []
    m, linear = _middles(along, centres, half), along.rate is not None and half > 0.0
    farthest = np.maximum(np.abs(m.slope) * half, m.shifts).max(axis=1, initial=0.0)
    floor = np.maximum(SQUARER * farthest, POLISHED * along.length)[:, None]
    radii = floor + (0.0 if linear or not half else WIDER) * m.shifts
    out: list[Box | None] = [None] * len(centres)
    left = np.arange(len(centres))
    for _ in range(TRIES):
        if not len(left):
            break
        own, r = _Middles(*(w[left] for w in m)), radii[left]
        reached, rest = _reached(along, own, half if linear else 0.0, half, r)
        good = (CLEAR * reached < r).all(axis=1)
        for k in np.flatnonzero(good).tolist():
            n, share = int(left[k]), SLACK * float((rest[k] / r[k]).max(initial=0.0))
            out[n] = Box(centres[n], m.slope[n], r[k], reached[k], share)
        again = ~good & (reached.max(axis=1, initial=0.0) <= 4 * r.max(axis=1, initial=0.0))
        radii[left] = WIDER * reached + floor[left]
        left = left[again]
    failed = next((k for k, b in enumerate(out) if b is None), len(out))
    return [b for b in out[:failed] if b is not None]


def _reached(
    along: Along, m: _Middles, way: float, half: float, radii: Array
) -> tuple[Array, Array]:
    """How far roots are from the middles of boxes at most, and what of that their radii make, both
    (boxes, n); inf or no number where that is not known.

    With c the point, s its parameter, A the inverse and v = -A f_s, the middle is c + v (t - s) at
    t.  There A f is A f(c, s) and what A f_s + A J v sums to on the way from s, piece by piece.

    Args:
        way: how far the middles go to either side with the parameter, whose intervals are `half`.
    """
    (boxes, n), pieces = m.at.shape, along.pieces if way else 1
    at = (2 * np.arange(pieces) + 1 - pieces) * (way / pieces)  # of few bits: nothing is rounded
    middles = m.at[:, None] + m.slope[:, None] * at[:, None]
    wide = (np.abs(m.slope) * (way / pieces) + radii)[:, None] * SLACK + ROUNDED * np.abs(middles)
    over = Wide((m.share[:, None] + at).ravel(), np.full(boxes * pieces, half / pieces))
    f, jacobian = along.at(Wide(middles.reshape(-1, n), wide.reshape(-1, n)), over)
    jacobian = Wide(*(w.reshape(boxes, pieces, n, n) for w in jacobian))
    off = _off_identity(m.inverse[:, None], jacobian)
    rest = (off @ radii[:, None, :, None])[..., 0].max(axis=1)
    reached = (m.shifts + rest) * SLACK
    if way and along.rate is not None:
        change = along.rate.at(None).plus(_times(jacobian, m.slope[:, None]))
        moved = _sizes(_solved(m.inverse[:, None], change))
        sides = moved.reshape(boxes, 2, -1, n).sum(axis=2).max(axis=1)
        reached = (m.shifts + rest + sides * (2 * way / pieces)) * SLACK
    known = np.isfinite(np.reshape(f.mid + f.rad, (boxes, -1))).all(axis=1, keepdims=True)
    return np.where(known, reached, np.inf), rest


def _off_identity(inverse: Array, jacobian: Wide) -> Array:
    """Upper bounds of the magnitudes of I - A J, (..., n, n)."""
    sizes, n = np.abs(inverse), inverse.shape[-1]
    rest = np.abs(np.eye(n) - inverse @ jacobian.mid)
    rounded = (n + 4) * EPSILON * (sizes @ np.abs(jacobian.mid))
    out: Array = (rest + sizes @ jacobian.rad + rounded) * SLACK
    return out


def _solved(inverse: Array, values: Wide) -> Wide:
    """Inverses times values, (..., n)."""
    columns = Wide(*(w[..., None] for w in values))
    return Wide(*(w[..., 0] for w in _point(inverse).times(columns)))


def _times(jacobian: Wide, slope: Array) -> Wide:
    """Jacobians, (..., n, n), times vectors."""
    return Wide(*(w[..., 0] for w in jacobian.times(_point(slope[..., None]))))


def _point(x: Array) -> Wide:
    """Numbers without a radius."""
    return Wide(x, np.zeros(np.shape(x)))


def _sizes(numbers: Wide) -> Array:
    """Upper bounds of the magnitudes."""
    out: Array = (np.abs(numbers.mid) + numbers.rad) * SLACK
    return out
