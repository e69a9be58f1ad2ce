"""The measures of mates between two frames as balls.

Each is the exact function of which `model.measures` computes the rounded value, of the numbers as
they are stored.  Its derivative, by a twist of body b, follows from that of the frames: nothing of
the wrenches there is used here.

Source: docs/theory/equations.md, 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import floor, log2
from typing import NamedTuple

from flint import arb, arb_mat

from ...foundations.types import Array
from ...model.measures.measure import (
    ALONG_CURVE,
    CONE,
    COSINE,
    DISPLACEMENT,
    GAP,
    INCLINATION,
    OFF_CURVE,
    RADIUS,
    RING,
    ROTATION,
    SEPARATION,
    SINE,
    TILT,
    TURN,
)
from .ball_curves import curve_measure
from .balls import ONE, PRECISION, Scalar, Vector, angle_of, crossing, upper

TERMS = 40
"""Terms of the series of arcsin(s) / s: at `NEAR` the rest is below 2^-160."""

NEAR = 2.0**-4
"""Square of the sine up to which that series is used."""


class BallFrame(NamedTuple):
    """A marker in the world.

    Attributes:
        origin: mm; axes: x, y, z; gram: their scalar products, (3, 3), as they are stored: no
            rotation changes these.
    """

    origin: Vector
    axes: tuple[Vector, Vector, Vector]
    gram: arb_mat


def ball_measure(
    kind: int, i: int, j: int, data: Array, reference: float, a: BallFrame, b: BallFrame
) -> Scalar:
    """A measure between two markers, mm or rad, and its derivative by a twist of body b.

    Args:
        kind, i, j, data: as of `measure`; reference: the angle that one about an axis is
            within half a turn of, rad.
    """
    if kind == ROTATION:
        return _rotation(a, b, arb(reference))
    if kind in (OFF_CURVE, ALONG_CURVE):
        point = [axis.dot(_offset(a, b)) for axis in a.axes]
        return curve_measure(kind == ALONG_CURVE, i, data, j, point)
    if kind in (CONE, RING):
        return _profiled(kind, data[j : j + 3], a, b)
    return _BY_KIND[kind](a, b, i, j)


def _offset(a: BallFrame, b: BallFrame) -> Vector:
    return b.origin.minus(a.origin)


def _inclination(a: BallFrame, b: BallFrame, i: int, j: int) -> Scalar:
    one, other = a.axes[i], b.axes[j]
    return angle_of(one.cross(other).square().root(), one.dot(other))


def _displacement(a: BallFrame, b: BallFrame, i: int, j: int) -> Scalar:
    return a.axes[i].dot(_offset(a, b))


def _separation(a: BallFrame, b: BallFrame, i: int, j: int) -> Scalar:
    return _offset(a, b).square().root()


def _profile(a: BallFrame, b: BallFrame) -> tuple[Scalar, Scalar]:
    """Distance of p_b from a's z axis, and its height along it, mm."""
    z, away = a.axes[2], _offset(a, b)
    height = away.dot(z)
    return away.minus(z.times(height)).square().root(), height


def _radius(a: BallFrame, b: BallFrame, i: int, j: int) -> Scalar:
    return _profile(a, b)[0]


def _gap(a: BallFrame, b: BallFrame, i: int, j: int) -> Scalar:
    normal = a.axes[2].cross(b.axes[2])
    return normal.dot(_offset(a, b)).over(normal.square().root())


def _cosine(a: BallFrame, b: BallFrame, i: int, j: int) -> Scalar:
    return a.axes[i].dot(b.axes[j])


def _sine(a: BallFrame, b: BallFrame, i: int, j: int) -> Scalar:
    return a.axes[2].cross(b.axes[2]).square().root()


def _rotation(a: BallFrame, b: BallFrame, reference: arb) -> Scalar:
    """The angle about a_z from a_x to b_x, of its values the one nearest to a reference."""
    x, (ax, ay, _) = b.axes[0].value, (axis.value for axis in a.axes)
    c, s = _product(ax, x), _product(ay, x)
    sine, cosine = reference.sin(), reference.cos()
    turned = arb.atan2(s * cosine - c * sine, c * cosine + s * sine)
    jumps = not (c * cosine + s * sine > 0 or (s * cosine - c * sine).abs_lower() > 0)
    return Scalar(arb("nan") if jumps else turned + reference, _turning(a, b, c, s))


def _turning(a: BallFrame, b: BallFrame, c: arb, s: arb) -> arb_mat:
    """The derivative of the angle of c = a_x . b_x and s = a_y . b_x by a twist of b, (1, 6).

    With n = a_x x a_y and x = b_x that by a rotation is (n |x|^2 - x (x . n)) / (c^2 + s^2), whose
    divisor is |x|^2 |n|^2 - (x . n)^2 where a_x and a_y are exact: much tighter than the quotient.
    """
    x, normal = b.axes[0].value, crossing(a.axes[0].value) * a.axes[1].value
    (xx, xy), yy, size = (a.gram[0, 0], a.gram[0, 1]), a.gram[1, 1], b.gram[0, 0]
    along = _product(x, normal)
    divisor = size * (xx * yy - xy * xy) - along * along
    divisor += (ONE - yy) * c * c + (ONE - xx) * s * s + 2 * c * s * xy
    turn = (normal * size - x * along) * (ONE / divisor)
    return arb_mat(1, 6, [0, 0, 0, *turn.entries()])


def _product(one: arb_mat, other: arb_mat) -> arb:
    return (one.transpose() * other)[0, 0]


def _tilt(a: BallFrame, b: BallFrame, i: int, j: int) -> Scalar:
    axis = a.axes[2].cross(b.axes[2])
    factor = _angle_over_sine(axis.square(), a.axes[2].dot(b.axes[2]))
    return factor.times(a.axes[i].dot(axis))


def _turn(a: BallFrame, b: BallFrame, i: int, j: int) -> Scalar:
    """Component i of the rotation vector, from the skew part of the rotation a to b."""
    half = ONE / 2
    skew = [
        a.axes[p].dot(b.axes[q]).minus(a.axes[q].dot(b.axes[p])).scaled(half)
        for p, q in ((2, 1), (0, 2), (1, 0))
    ]
    square = skew[0].times(skew[0]).plus(skew[1].times(skew[1])).plus(skew[2].times(skew[2]))
    trace = [a.axes[k].dot(b.axes[k]) for k in range(3)]
    cosine = trace[0].plus(trace[1]).plus(trace[2]).scaled(half)
    cosine = Scalar(cosine.value - half, cosine.slope)
    return _angle_over_sine(square, cosine).times(skew[i])


def _profiled(kind: int, data: Array, a: BallFrame, b: BallFrame) -> Scalar:
    """The distance from a cone or from a ring about a_z."""
    rho, height = _profile(a, b)
    if kind == RING:
        off = Scalar(rho.value - arb(float(data[0])), rho.slope)
        return off.times(off).plus(height.times(height)).root()
    c, s = arb(float(data[0])), arb(float(data[1]))
    behind = rho.scaled(s).plus(height.scaled(c)).value
    if data[2] <= 0.0 or behind >= 0:
        return rho.scaled(c).minus(height.scaled(s))
    distance = rho.times(rho).plus(height.times(height)).root()
    if behind < 0:
        return distance
    return Scalar(arb("nan"), distance.slope)  # it may be either


_BY_KIND: dict[int, Callable[[BallFrame, BallFrame, int, int], Scalar]] = {
    INCLINATION: _inclination,
    DISPLACEMENT: _displacement,
    SEPARATION: _separation,
    RADIUS: _radius,
    GAP: _gap,
    TILT: _tilt,
    TURN: _turn,
    COSINE: _cosine,
    SINE: _sine,
}


# ------------------------------------------------------------------------------------- the angle
@cache
def _coefficients() -> tuple[arb, ...]:
    """Those of arcsin(s) / s in powers of s^2: (2k)! / (4^k k!^2 (2k + 1))."""
    found, central = [], ONE
    for k in range(TERMS):
        found.append(central / (2 * k + 1))
        central = central * (2 * k + 1) / (2 * k + 2)
    return tuple(found)


def _angle_over_sine(square: Scalar, cosine: Scalar) -> Scalar:
    """theta / sin(theta) from the square of the sine; the cosine tells the side.

    It is analytic where the angle is 0: there it is the series with a bound of its rest.
    """
    q = square.value
    if cosine.value > 0 and upper(q) <= NEAR:
        value, slope = _series(q)
        return Scalar(value, square.slope * slope)
    sine = square.root()
    return angle_of(sine, cosine).over(sine)


def _series(q: arb) -> tuple[arb, arb]:
    """arcsin(s) / s and its derivative by q = s^2, |q| <= `NEAR`.

    The coefficients a_k are at most 1 / (2k + 1), so the rest is at most |q|^n / (1 - |q|), and
    that of the derivative half of |q|^(n - 1) / (1 - |q|): of a small q few terms are enough.
    """
    size = q.abs_upper()
    n = min(2 + PRECISION // max(-floor(log2(max(upper(q), 2.0**-PRECISION))), 1), TERMS)
    found = _coefficients()[:n]
    value, slope = _polynomial(found, q), _polynomial([k * c for k, c in enumerate(found)][1:], q)
    rest = size ** (n - 1) / (ONE - size)
    return value + arb(0, rest), slope + arb(0, rest)


def _polynomial(coefficients: Sequence[arb], x: arb) -> arb:
    total = arb(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


NO_SLOPE = arb_mat(3, 6)
"""The derivative of what does not move with body b."""
