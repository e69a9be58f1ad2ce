"""The measures to a curve as balls: the foot of every point of a box is enclosed.

A curve is a row of segments, see `model.measures.shapes`.  The foot of a point P solves
(P - C(u)) . T(u) = 0; Newton's operator shows that for each P of a box exactly one lies in an
interval of u.  Where that reaches over the end of a segment nothing is enclosed: the value is no
number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import arb, arb_mat

from ...foundations.types import Array
from ...model.measures.shapes import CURVE_POINT_SIZE, NODES, SEGMENT_SIZE, WEIGHTS, foot
from .balls import ONE, ZERO, Scalar, Vector, column, upper

GROWTH = 4
"""By how much an interval that does not enclose the feet is widened."""

WIDENED = 8
"""Most times that it is."""

UP = column([0.0, 0.0, 1.0])


def curve_measure(along: bool, i: int, data: Array, at: int, p: Sequence[Scalar]) -> Scalar:
    """The offset of a point from a curve, up (i = 0) or lateral (1), or the arc length to its foot.

    Args:
        data, at: as of `off_curve`; p: the point in the curve's frame, three numbers.
    """
    point = Vector(column([c.value for c in p]), arb_mat([c.slope.entries() for c in p]))
    here = np.array([float(c.value.mid()) for c in p])
    k, u = foot(data, at, here, np.empty(CURVE_POINT_SIZE)) if np.isfinite(here).all() else (0, 0.0)
    segment = _Segment(data[at + 2 + SEGMENT_SIZE * k :])
    found = segment.foot(point, u)
    if along:
        return segment.arc_length(found)
    return segment.offset(point, found, i)


class _Segment:
    """One segment: position C(u), a cubic, and direction field T(u), a square, u from 0 to 1."""

    def __init__(self, numbers: Array) -> None:
        rows = [column(row) for row in numbers[: SEGMENT_SIZE - 1].reshape(7, 3)]
        self.c, self.t = rows[:4], rows[4:]
        self.before = arb(float(numbers[SEGMENT_SIZE - 1]))

    @staticmethod
    def _at(rows: list[arb_mat], u: Scalar) -> Vector:
        """A polynomial of u, with its derivative."""
        value, rate = rows[-1], column([0.0, 0.0, 0.0])
        for row in reversed(rows[:-1]):
            rate = rate * u.value + value
            value = value * u.value + row
        return Vector(value, rate * u.slope)

    @staticmethod
    def _rates(rows: list[arb_mat]) -> list[arb_mat]:
        return [k * row for k, row in enumerate(rows)][1:]

    def _off(self, point: arb_mat, u: arb) -> tuple[arb, arb]:
        """(P - C) . T, and its derivative by u."""
        still = Scalar(u, arb_mat(1, 6))
        c, t = self._at(self.c, still).value, self._at(self.t, still).value
        c1 = self._at(self._rates(self.c), still).value
        t1 = self._at(self._rates(self.t), still).value
        away = (point - c).transpose()
        return (away * t)[0, 0], (away * t1 - c1.transpose() * t)[0, 0]

    def foot(self, point: Vector, u: float) -> Scalar:
        """The interval of the feet of all points of a box, near u."""
        centre, none = arb(u), Scalar(arb("nan"), arb_mat(1, 6))
        off, rate = self._off(point.value, centre)
        radius = upper(off / rate)
        for _ in range(WIDENED):
            radius = GROWTH * radius if radius > 0.0 else 2.0**-100
            if not 0.0 <= u - radius <= u + radius <= 1.0:
                return none
            wide = centre + arb(0, radius)
            _, slope = self._off(point.value, wide)
            found = centre - off / slope
            if wide.contains_interior(found):
                return self._moving(point, self._narrowed(point.value, found))
        return none

    def _narrowed(self, point: arb_mat, u: arb) -> arb:
        """The same feet in a narrower interval: Newton's operator again, while it helps."""
        while True:
            off, _ = self._off(point, u.mid())
            _, slope = self._off(point, u)
            found = u.mid() - off / slope
            if not found.rad() < u.rad() / 2:
                return u
            u = found

    def _moving(self, point: Vector, u: arb) -> Scalar:
        """The foot with its derivative, T . dP / (C' . T - (P - C) . T')."""
        _, slope = self._off(point.value, u)
        t = self._at(self.t, Scalar(u, arb_mat(1, 6))).value
        return Scalar(u, (t.transpose() * point.slope) * (-ONE / slope))

    def offset(self, point: Vector, u: Scalar, i: int) -> Scalar:
        """The offset of the point from its foot, up or lateral."""
        tangent = _unit(self._at(self.t, u))
        z = Vector(UP, arb_mat(3, 6))
        normal = _unit(z.minus(tangent.times(tangent.dot(z))))
        if i == 1:
            normal = tangent.cross(normal)
        return normal.dot(point.minus(self._at(self.c, u)))

    def arc_length(self, u: Scalar) -> Scalar:
        """The length to the foot, by the same quadrature as it is stored."""
        rates = self._rates(self.c)
        total = Scalar(ZERO, arb_mat(1, 6))
        for node, weight in zip(NODES.tolist(), WEIGHTS.tolist(), strict=True):
            speed = self._at(rates, u.scaled(arb(node))).square().root()
            total = total.plus(speed.scaled(arb(weight)))
        whole = total.times(u)
        return Scalar(whole.value + self.before, whole.slope)


def _unit(v: Vector) -> Vector:
    """A vector over its length."""
    return v.times(Scalar(ONE, arb_mat(1, 6)).over(v.square().root()))
