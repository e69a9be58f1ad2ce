"""The proof that nothing moves: no motion of parts whose mates hold leads out of a box.

Of the coordinates of a block as many are held as it has free motions; for the others, y, a largest
independent set of equations is solved.  Over a box of the held ones, h, the mean value form bounds
every y with which those equations hold, within it: a motion can leave only where an h is at its
bound.  There, in cells, one combination of all equations that has no first order at the pose is
shown to be farther from 0 than what the equations may be off by lets it be.

Source: R. E. Moore and others, Introduction to Interval Analysis, SIAM 2009, chapters 6 and 8;
docs/theory/higher_order.md, 6.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat

from ...equations.system import System
from ...foundations.geometry.pose import Pose
from ...foundations.numerics.linear import left_null_space
from ...foundations.numerics.rounding import FAINT, RANK
from ...foundations.types import Array, Ints
from .ball_block import AS_STORED, BallBlock
from .balls import column, matrix_of, middle, precise, upper
from .blocks import blocks_of
from .certificate import Confinement
from .certifying import LARGEST, independent
from .krawczyk import identity, inverse_of

SIZES = [2.0**-k for k in range(3, 13)]
"""Bounds of the held coordinates that are tried, over the characteristic length."""

WIDER = 4.0
"""Bounds of the others over what they change at first order."""

SLACKS = [1.0, 2.0**-10, 2.0**-20]
"""What equations may be off by over the tolerance: the first with which something is proved."""

NARROWINGS = 6
"""Most times that they are narrowed."""

NARROWED = 0.9
"""Share of its size to which this has to bring a box, to be done again."""

MOST_CELLS = 256
"""Most cells of the bounds of the held coordinates."""


class _Box(NamedTuple):
    """Bounds of the held coordinates and of those that are solved for: middles and radii, mm."""

    held: Array
    wide: Array
    solved: Array
    near: Array


class _Rates(NamedTuple):
    """The Jacobian J over a box and, A being the inverse at the pose, A, I - A Jy and A Jh."""

    jacobian: arb_mat
    inverse: arb_mat
    rest: arb_mat
    along: arb_mat


class Confined:
    """A block at poses that hold, with as many coordinates held as it has free motions.

    Args:
        free: number of the free motions; slack: what mates may be off by, mm.
    """

    def __init__(self, balls: BallBlock, free: int, slack: float) -> None:
        self.balls, self.length = balls, balls.system.length
        self.slack = slack * _weights(balls)
        n = self.balls.size
        f, jacobian = self.balls.evaluate([arb(0)] * n)
        self.holds = all(upper(v) < r for v, r in zip(f.entries(), self.slack, strict=True))
        start = middle(jacobian)
        self.columns, self.rows = independent(start, n - free)
        self.held: Ints = np.setdiff1d(np.arange(n), self.columns)
        self.dependent = left_null_space(start, RANK)
        near = inverse_of(start[np.ix_(self.rows, self.columns)])
        self.inverse = None if near is None else matrix_of(near)
        self.start = start

    def within(self) -> float | None:
        """How far a coordinate can change at most, mm; None where that is not bounded."""
        found = None
        for size in SIZES if self.holds and self.inverse is not None else ():
            box = self._all_around(size * self.length)
            if box is not None and self._leaves_nowhere(box):
                found = float(max(box.wide.max(), (np.abs(box.solved) + box.near).max(initial=0.0)))
            elif found is not None:
                break
        return found

    def _all_around(self, size: float) -> _Box | None:
        """The box about the pose in which the held coordinates change by a size; None without."""
        assert self.inverse is not None
        free, inverse = len(self.held), middle(self.inverse)
        follow = np.abs(inverse @ self.start[np.ix_(self.rows, self.held)]).sum(axis=1)
        near = WIDER * (size * follow + np.abs(inverse) @ self.slack[self.rows]) + size
        box = _Box(np.zeros(free), np.full(free, size), np.zeros(len(near)), near)
        rates = self._rates(box)
        inside = None if rates is None else self._narrowed(box, rates)
        if inside is None or not (np.abs(inside.solved) + inside.near < near).all():
            return None
        return inside

    def _narrowed(self, box: _Box, rates: _Rates) -> _Box | None:
        """A box with all that is in another one and in which the equations hold; None if empty."""
        for _ in range(NARROWINGS):
            f = self.balls.values(self._whole(box), AS_STORED, self.rows)
            moved = rates.rest * _balls(box.near) - rates.along * _balls(box.wide)
            moved -= rates.inverse * (f + _balls(self.slack[self.rows]))
            reached = [arb(m) + v for m, v in zip(box.solved, moved.entries(), strict=True)]
            every = zip(box.solved.tolist(), box.near.tolist(), reached, strict=True)
            inside = [common for one in every if (common := _common(*one))]
            if len(inside) < len(reached):
                return None
            middles, radii = np.array(inside).T
            small = radii.sum() > NARROWED * box.near.sum()
            box = box._replace(solved=middles, near=radii)
            if small:
                break
        return box

    def _rates(self, box: _Box) -> _Rates | None:
        """What the Jacobian is all over a box; None where it, or an equation, has no number."""
        f, jacobian = self.balls.evaluate(self._whole(box, wide=True))
        if not all(v.is_finite() for v in (*f.entries(), *jacobian.entries())):
            return None
        assert self.inverse is not None
        rows, inverse = self.rows.tolist(), self.inverse
        rest = identity(len(rows)) - inverse * _part(jacobian, rows, self.columns)
        return _Rates(jacobian, inverse, rest, inverse * _part(jacobian, rows, self.held))

    def _whole(self, box: _Box, wide: bool = False) -> list[arb]:
        """All coordinates in the middle of a box, or all over it."""
        x, share = [arb(0)] * self.balls.size, float(wide)
        for columns, at, by in (
            (self.held, box.held, box.wide),
            (self.columns, box.solved, box.near),
        ):
            for c, m, r in zip(columns.tolist(), at.tolist(), by.tolist(), strict=True):
                x[c] = arb(m, share * r)
        return x

    def _leaves_nowhere(self, box: _Box) -> bool:
        """Whether nothing holds where a held coordinate is at its bound."""
        waiting, rates = list[_Box](), self._rates(box)
        for k in range(len(self.held)):
            for side in (-1.0, 1.0):
                held, wide = box.held.copy(), box.wide.copy()
                held[k], wide[k] = side * box.wide[k], 0.0
                waiting.append(box._replace(held=held, wide=wide))
        for _ in range(MOST_CELLS):
            if not waiting or rates is None:
                break
            inside = self._narrowed(waiting.pop(), rates)
            if inside is not None and not self._off(inside, rates):
                if not inside.wide.any():
                    return False
                waiting += _halves(inside)
        return not waiting and rates is not None

    def _off(self, box: _Box, rates: _Rates) -> bool:
        """Whether a combination of the equations is off by more than the slack in a box."""
        f = self.balls.values(self._whole(box), AS_STORED, np.arange(len(self.slack)))
        way = self.dependent @ (self.dependent.T @ middle(f)[:, 0])
        factors = matrix_of([way.tolist()])
        slope = factors * rates.jacobian
        off = (factors * f)[0, 0] + arb(0, float(np.abs(way) @ self.slack))
        for radii, columns in ((box.wide, self.held), (box.near, self.columns)):
            off += (_part(slope, [0], columns) * _balls(radii))[0, 0]
        return off.is_finite() and not off.contains(0)


def confined(
    system: System, parts: Collection[int], poses: Sequence[Pose], free: int
) -> Confinement | None:
    """How far the parts of a block can move at most; None where nothing is proved.

    Args:
        parts: all that move of a block; poses: of all parts, as shown, where the mates hold.
        free: their free motions of first order.

    Returns:
        The largest change of a coordinate: of the displacement of a part's centre, or of twice the
        tangent of half its angle times the characteristic length.
    """
    for block in blocks_of(system):
        if set(block.parts) == set(parts) and 6 * len(parts) <= LARGEST:
            with precise():
                balls = BallBlock(system, block, poses)
                for share in SLACKS:
                    within = Confined(balls, free, share * system.tolerance).within()
                    if within is not None:
                        return Confinement(within, share * system.tolerance)
    return None


def _weights(balls: BallBlock) -> Array:
    """What an equation is off by over what its mate is, at least: angles count at its reach."""
    s, rows = balls.system, balls.block.rows
    reach = s.reach[s.constraint_of_equation[rows]]
    with np.errstate(divide="ignore"):
        return np.where(s.angular[rows], np.fmax(s.length / reach, 1.0), 1.0) * (1.0 + FAINT)


def _part(matrix: arb_mat, rows: Sequence[int], columns: Ints) -> arb_mat:
    """Some rows and columns of a matrix."""
    some = [matrix[r, c] for r in rows for c in columns.tolist()]
    return arb_mat(len(rows), len(columns), some)


def _balls(radii: Array) -> arb_mat:
    return column(arb(0, float(r)) for r in radii)


def _common(centre: float, radius: float, other: arb) -> tuple[float, float] | None:
    """Middle and radius of what two intervals have in common, rounded outward; None if nothing."""
    low = max(arb(centre) - arb(radius), other.lower())
    high = min(arb(centre) + arb(radius), other.upper())
    if low > high:
        return None
    mid = float(((low + high) / 2).mid())
    return mid, max(upper(high - arb(mid)), upper(low - arb(mid)))


def _halves(box: _Box) -> list[_Box]:
    """A box halved where the held coordinates are widest."""
    k = int(np.argmax(box.wide))
    out = []
    for side in (-0.5, 0.5):
        held, wide = box.held.copy(), box.wide.copy()
        wide[k] = np.nextafter(0.5 * wide[k], np.inf)
        held[k] += side * box.wide[k]
        out.append(box._replace(held=held, wide=wide))
    return out
