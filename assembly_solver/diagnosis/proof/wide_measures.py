"""The measures of mates over many boxes at once, in floats, with their derivatives by a twist.

The same functions as in `ball_measures`, but of cones, rings and curves.  Where one is not
enclosed, as where an angle may jump, there is no number.

Source: docs/theory/equations.md, 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...foundations.types import Array, Ints
from ...model.measures.measure import (
    COSINE,
    DISPLACEMENT,
    GAP,
    INCLINATION,
    RADIUS,
    ROTATION,
    SEPARATION,
    SINE,
    TILT,
    TURN,
)
from .wide_vectors import ROUNDED, Wide, exact

NEAR = 2.0**-4
"""Square of the sine up to which the series of arcsin(s) / s is used."""

TERMS = 16
"""Terms of that series: at `NEAR` the rest is below 2^-64."""

COEFFICIENTS = np.cumprod([1.0, *((2 * k + 1) / (2 * k + 2) for k in range(TERMS - 1))]) / (
    2 * np.arange(TERMS) + 1
)
"""Of arcsin(s) / s in powers of s^2: (2k)! / (4^k k!^2 (2k + 1))."""

CHANGES = (COEFFICIENTS * np.arange(TERMS))[1:]
"""Those of its derivative by s^2."""


class MarkerEnds:
    """The markers of terms of one kind, (boxes, terms, ...), in the world.

    Args:
        axes: of a and of b, one in each row, (..., 3, 3); off: from a to b, mm; arm: of b about the
            centre of its part, mm; products: of the axes of a and of b with each other, which no
            rotation changes, (1, terms, 3, 3); which: the axes of a and of b that each term reads,
            (2, terms); reference: the angle that one about an axis is within half a turn of, rad,
            (terms,).
    """

    def __init__(
        self,
        axes: tuple[Wide, Wide],
        off: Wide,
        arm: Wide,
        products: tuple[Wide, Wide],
        which: Ints,
        reference: Array,
    ) -> None:
        (self.a, self.b), self.off, self.arm = axes, off, arm
        self.products, self.which, self.reference = products, which, reference

    @cached_property
    def own(self) -> tuple[Wide, Wide]:
        """The axes that the terms read."""
        n = np.arange(self.which.shape[1])
        one, two = (w.at(n, k) for w, k in zip((self.a, self.b), self.which, strict=True))
        return one, two

    @cached_property
    def tips(self) -> tuple[Wide, Wide]:
        """The z axes."""
        return self.a.at(slice(None), 2), self.b.at(slice(None), 2)

    @property
    def none(self) -> Wide:
        """No derivative."""
        return Wide(*np.zeros((2, *self.off.mid.shape)))


class Sloped(NamedTuple):
    """Measures, (boxes, terms), mm or rad, and their derivatives by the velocity of the centre of
    the part of b, and by its spin, (boxes, terms, 3)."""

    value: Wide
    force: Wide
    torque: Wide


def _displacement(e: MarkerEnds) -> Sloped:
    axis, _ = e.own
    return Sloped(axis.dot(e.off), axis, e.arm.cross(axis))


def _separation(e: MarkerEnds) -> Sloped:
    size = e.off.dot(e.off).root()
    way = e.off.each(size.inverse())
    return Sloped(size, way, e.arm.cross(way))


def _radius(e: MarkerEnds) -> Sloped:
    """With u = off - (off . z) z its derivative is (u + (off . z) (z . z - 1) z) / |u|."""
    z, _ = e.tips
    height = e.off.dot(z)
    away = e.off.minus(z.each(height))
    size = away.dot(away).root()
    rest = z.each(height.by(z.dot(z).plus(exact(np.array(-1.0)))))
    way = away.plus(rest).each(size.inverse())
    return Sloped(size, way, e.arm.cross(way))


def _gap(e: MarkerEnds) -> Sloped:
    """With n = a x b it changes with b by ((a . b) v - (v . b) a) / |n|, v what n leaves of off."""
    a, b = e.tips
    normal = a.cross(b)
    over = normal.dot(normal).root().inverse()
    way = normal.each(over)
    value = way.dot(e.off)
    rest = e.off.minus(way.each(value))
    turn = rest.each(a.dot(b)).minus(a.each(rest.dot(b))).each(over)
    return Sloped(value, way, e.arm.cross(way).plus(turn))


def _cosine(e: MarkerEnds) -> Sloped:
    a, b = e.own
    return Sloped(a.dot(b), e.none, b.cross(a))


def _inclination(e: MarkerEnds) -> Sloped:
    a, b = e.own
    normal = a.cross(b)
    sine = normal.dot(normal).root()
    return Sloped(_angle(sine, a.dot(b), 0.0), e.none, normal.each(sine.inverse()))


def _sine(e: MarkerEnds) -> Sloped:
    a, b = e.tips
    normal = a.cross(b)
    sine = normal.dot(normal).root()
    return Sloped(sine, e.none, normal.each(a.dot(b).by(sine.inverse())))


def _rotation(e: MarkerEnds) -> Sloped:
    """The derivative is that of `ball_measures`: n = a_x x a_y, x = b_x."""
    ax, ay, x = e.a.at(slice(None), 0), e.a.at(slice(None), 1), e.b.at(slice(None), 0)
    c, s, normal = ax.dot(x), ay.dot(x), ax.cross(ay)
    along, one = x.dot(normal), exact(np.array(1.0))
    a, b = e.products
    xx, yy, xy = (a.at(slice(None), *k) for k in ((0, 0), (1, 1), (0, 1)))
    size = b.at(slice(None), 0, 0)
    divisor = size.by(xx.by(yy).minus(xy.by(xy))).minus(along.by(along))
    divisor = divisor.plus(one.minus(yy).by(c).by(c)).plus(one.minus(xx).by(s).by(s))
    divisor = divisor.plus(_twice(c.by(s).by(xy)))
    torque = normal.each(size).minus(x.each(along)).each(divisor.inverse())
    return Sloped(_angle(s, c, e.reference), e.none, torque)


def _tilt(e: MarkerEnds) -> Sloped:
    """With n = a x b, c = a . b: n changes by (c - b a^T) w, and n . b is 0."""
    a, b = e.tips
    axis, _ = e.own
    normal, cosine = a.cross(b), a.dot(b)
    part = axis.dot(normal)
    factor, change = _angle_over_sine(normal.dot(normal), cosine)
    torque = axis.each(cosine).minus(a.each(axis.dot(b))).each(factor)
    more = normal.each(part.by(change).by(_twice(cosine)))
    return Sloped(factor.by(part), e.none, torque.plus(more))


def _turn(e: MarkerEnds) -> Sloped:
    """A component of the rotation vector, from the skew part of the rotation a to b."""
    pairs = ((2, 1), (0, 2), (1, 0))
    own = [[w.at(slice(None), k) for k in range(3)] for w in (e.a, e.b)]
    skew = [_half(own[0][p].dot(own[1][q]).minus(own[0][q].dot(own[1][p]))) for p, q in pairs]
    slope = [_half(own[1][q].cross(own[0][p]).minus(own[1][p].cross(own[0][q]))) for p, q in pairs]
    square = skew[0].by(skew[0]).plus(skew[1].by(skew[1])).plus(skew[2].by(skew[2]))
    trace = [own[0][k].dot(own[1][k]) for k in range(3)]
    cosine = _half(trace[0].plus(trace[1]).plus(trace[2]).plus(exact(np.array(-1.0))))
    factor, change = _angle_over_sine(square, cosine)
    n = np.arange(e.which.shape[1])
    part = _stacked(skew).at(n, e.which[0])
    rate = slope[0].each(skew[0]).plus(slope[1].each(skew[1])).plus(slope[2].each(skew[2]))
    torque = _stacked(slope).at(n, e.which[0]).each(factor)
    return Sloped(factor.by(part), e.none, torque.plus(rate.each(_twice(part.by(change)))))


KINDS: dict[int, Callable[[MarkerEnds], Sloped]] = {
    DISPLACEMENT: _displacement,
    SEPARATION: _separation,
    RADIUS: _radius,
    GAP: _gap,
    COSINE: _cosine,
    INCLINATION: _inclination,
    SINE: _sine,
    ROTATION: _rotation,
    TILT: _tilt,
    TURN: _turn,
}
"""The measures that are known, by their kind."""


def _half(x: Wide) -> Wide:
    return Wide(x.mid / 2, x.rad / 2)


def _twice(x: Wide) -> Wide:
    return Wide(2 * x.mid, 2 * x.rad)


def _stacked(each: list[Wide]) -> Wide:
    """Numbers or vectors of terms next to each other, (boxes, terms, 3, ...)."""
    return Wide(*(np.stack([w[k] for w in each], axis=2) for k in (0, 1)))


def _angle(sine: Wide, cosine: Wide, reference: Array | float) -> Wide:
    """The angle within half a turn of a reference; no number where it may jump."""
    angle = np.arctan2(sine.mid, cosine.mid)
    size = np.hypot(sine.mid, cosine.mid)
    share = np.hypot(sine.rad, cosine.rad) * (1.0 + ROUNDED) / size
    off = np.arcsin(np.where(share < 1.0, share, np.nan)) * (1.0 + ROUNDED)
    off = off + ROUNDED * (np.pi + np.abs(reference))
    turned = angle + 2 * np.pi * np.round((reference - angle) / (2 * np.pi))
    clear = np.abs(turned - reference) + off < np.pi
    return Wide(np.where(clear, turned, np.nan), off)


def _angle_over_sine(square: Wide, cosine: Wide) -> tuple[Wide, Wide]:
    """theta / sin(theta) from the square of the sine, and its derivative by that.

    Both grow with the square, all coefficients being positive.  Beyond `NEAR`: no number.
    """
    low, high = np.maximum(square.low, 0.0), square.high
    near = (cosine.low > 0.0) & (high <= NEAR)
    ends = np.stack([low, np.where(near, high, 0.0)])
    out = []
    for coefficients in (COEFFICIENTS, CHANGES):
        least, largest = np.polyval(coefficients[::-1], ends)
        mid, rad = (least + largest) / 2, (largest - least) / 2
        out.append(Wide(np.where(near, mid, np.nan), rad + ROUNDED * largest))
    return out[0], out[1]
