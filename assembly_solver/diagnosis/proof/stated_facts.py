"""What equations state of points and directions, as numbers that no pose changes.

Of a system with its senses these follow from its measures: distances of two points, coordinates of
a point in the frame of another part, distances of a point from an axis, angles of two directions,
and directions that are one.  Relations of several measures count where they give one of these its
value; what a curve or a value measured at the start asks for is left out: that can make a proof
fail, not wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import acos, cos, pi, sin
from typing import NamedTuple

import numpy as np

from ...equations.system import System
from ...foundations.types import Array
from ...model.measures.measure import (
    COSINE,
    DISPLACEMENT,
    INCLINATION,
    IS_ANGLE,
    RADIUS,
    ROTATION,
    SEPARATION,
    TILT,
    TURN,
)
from .known_measures import known_measures, terms_of


class OwnVector(NamedTuple):
    """A point or a direction of a part, in its coordinates."""

    part: int
    at: tuple[float, float, float]

    @property
    def vector(self) -> Array:
        """As an array, (3,)."""
        return np.array(self.at)


class Coordinates(NamedTuple):
    """Coordinates of a point b in a frame of another part.

    Attributes:
        axes: directions of the part of a as rows, (k, 3); values: along them, mm, (k,).
    """

    a: OwnVector
    axes: Array
    values: Array
    b: OwnVector
    constraint: int


class Sum(NamedTuple):
    """Coordinates of one axis each, with coefficients, whose sum a constraint states, mm."""

    terms: tuple[tuple[float, Coordinates], ...]
    value: float
    constraint: int


class Stated(NamedTuple):
    """A distance, mm, or an angle, rad, that a constraint states of two spots."""

    a: OwnVector
    b: OwnVector
    value: float
    constraint: int


class FromAxis(NamedTuple):
    """The distance of point b from an axis through a, mm."""

    a: OwnVector
    axis: OwnVector
    value: float
    b: OwnVector


class Between(NamedTuple):
    """A measure between bounds: of `ALONG` e . (p_b - p_a), of `SQUARE` the square of that vector,
    of `ACROSS` the square of its part across e, of `COSINES` e . d.

    Attributes:
        what: which of these; e, d: directions of the parts of a and of b.
        a, b: the points; of `COSINES` directions that have to be parallel for it.
        low, high: mm, its square, or a cosine.
    """

    what: int
    a: OwnVector
    b: OwnVector
    e: OwnVector
    d: OwnVector
    low: float
    high: float


ALONG, SQUARE, ACROSS, COSINES = range(4)


@dataclass
class Facts:
    """What is stated; of `turns` the direction about which two others are `value` apart, rad.

    Attributes:
        loose: how far a value is off, at most, for each mm that the equations are, mm; an angle on
            the shortest arm of all constraints.
    """

    distances: list[Stated] = field(default_factory=list)
    coordinates: list[Coordinates] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    from_axis: list[FromAxis] = field(default_factory=list)
    angles: list[Stated] = field(default_factory=list)
    same: list[Stated] = field(default_factory=list)
    turns: list[tuple[OwnVector, OwnVector, OwnVector, OwnVector]] = field(default_factory=list)
    loose: float = 1.0

    @property
    def spots(self) -> list[OwnVector]:
        """The points of which something is stated."""
        ends = [(x.a, x.b) for x in self.distances]
        ends += [(x.a, x.b) for x in self.coordinates]
        ends += [(x.a, x.b) for sum_ in self.sums for _, x in sum_.terms]
        ends += [(x.a, x.b) for x in self.from_axis]
        return [spot for pair in ends for spot in pair]

    @property
    def parts(self) -> list[int]:
        """The parts of which something is stated, -1 for all that are fixed."""
        ways = [spot for x in (*self.angles, *self.same) for spot in (x.a, x.b)]
        ways += [spot for turn in self.turns for spot in turn]
        return sorted({spot.part for spot in (*self.spots, *ways)})


def facts_of(system: System) -> Facts:
    """What the equations of the mates and drivers of a system state."""
    out, t = Facts(), system.table
    known, last = known_measures(system)
    least = float(np.min(system.reach, initial=np.inf))
    for k in range(system.mates + system.drivers):
        by_markers: dict[tuple[int, int], list[tuple[int, int, int, float]]] = {}
        for e in system.rows([k]).tolist():
            terms = terms_of(t, e)
            x = last.get(e, terms[0])
            if e not in last and (len(terms) > 1 or e in system.taken or x.coefficient == 0.0):
                if e not in system.taken and all(x.key[0] == DISPLACEMENT for x in terms):
                    out.sums.append(_sum(system, k, e))
                continue
            value = float(t.target[e]) / x.coefficient
            if e in last:
                value, loose = known[x.key]
                out.loose = max(out.loose, loose * (least if IS_ANGLE[x.key[0]] else 1.0))
            m = x.measure
            row = int(t.kind[m]), int(t.axis_i[m]), int(t.axis_j[m])
            by_markers.setdefault((int(t.marker_a[m]), int(t.marker_b[m])), []).append(
                (*row, value)
            )
        for (a, b), rows in by_markers.items():
            _add(out, system, k, a, b, rows)
    return out


def _sum(system: System, k: int, e: int) -> Sum:
    """An equation of several displacements."""
    t, out = system.table, list[tuple[float, Coordinates]]()
    for x in terms_of(t, e):
        here, there = (_Marker(system, int(of[x.measure])) for of in (t.marker_a, t.marker_b))
        axis = here.axes[[int(t.axis_i[x.measure])]]
        out.append((x.coefficient, Coordinates(here.origin, axis, np.zeros(1), there.origin, k)))
    return Sum(tuple(out), float(t.target[e]), k)


def _add(
    out: Facts, system: System, k: int, a: int, b: int, rows: list[tuple[int, int, int, float]]
) -> None:
    """Add what the equations of a constraint between two markers state."""
    here, there = _Marker(system, a), _Marker(system, b)
    lines = [(i, v) for kind, i, _, v in rows if kind == DISPLACEMENT]
    if lines:
        axes = np.array([here.axes[i] for i, _ in lines])
        values = np.array([v for _, v in lines])
        out.coordinates.append(Coordinates(here.origin, axes, values, there.origin, k))
    swing = {i for kind, i, _, v in rows if kind == TILT and v == 0.0} == {0, 1}
    turn = {i for kind, i, _, v in rows if kind == TURN and v == 0.0} == {0, 1, 2}
    for i in range(0 if turn else 2, 3 if turn or swing else 0):
        out.same.append(Stated(here.direction(i), there.direction(i), 0.0, k))
    for kind, i, j, value in rows:
        if kind == SEPARATION:
            out.distances.append(Stated(here.origin, there.origin, value, k))
        elif kind == RADIUS:
            out.from_axis.append(FromAxis(here.origin, here.direction(2), value, there.origin))
        elif kind == INCLINATION:
            out.angles.append(Stated(here.direction(i), there.direction(j), value, k))
        elif kind == COSINE and abs(value) <= 1.0:
            out.angles.append(Stated(here.direction(i), there.direction(j), acos(value), k))
        elif kind == ROTATION:
            z, far = here.direction(2), there.direction(2)
            turned = cos(value) * here.axes[0] + sin(value) * here.axes[1]
            out.turns.append((z, far, _spot(here.part, turned), there.direction(0)))


def limits_of(system: System) -> list[Between]:
    """What the limits of coordinates of one measure allow."""
    out, b = list[Between](), system.bounds
    for k in range(0 if b is None else len(b.names)):
        assert b is not None
        t, n = b.table, int(b.table.first_term[k])
        if t.first_term[k + 1] - n > 1 or t.coefficient[n] != 1.0:
            continue
        m, bounds = int(t.term_measure[n]), (float(b.low[k]), float(b.high[k]))
        ends = _Marker(system, int(t.marker_a[m])), _Marker(system, int(t.marker_b[m]))
        out += _allowed(int(t.kind[m]), int(t.axis_i[m]), int(t.axis_j[m]), ends, bounds)
    return out


def _allowed(
    kind: int, i: int, j: int, ends: tuple[_Marker, _Marker], bounds: tuple[float, float]
) -> list[Between]:
    """What bounds of a measure between two markers allow; an angle about an axis by its cosine."""
    (here, there), (low, high) = ends, bounds
    if kind not in (DISPLACEMENT, SEPARATION, RADIUS, INCLINATION, ROTATION):
        return []  # of a curve or a profile, whose j is no axis
    a, b = here.origin, there.origin
    e, d = here.direction(i), there.direction(j)
    if kind == DISPLACEMENT:
        return [Between(ALONG, a, b, e, d, low, high)]
    if kind in (SEPARATION, RADIUS):
        what, squares = SQUARE if kind == SEPARATION else ACROSS, (max(low, 0.0) ** 2, high**2)
        return [Between(what, a, b, here.direction(2), d, *squares)]
    if kind == INCLINATION:
        return [Between(COSINES, e, e, e, d, cos(min(high, pi)), cos(max(low, 0.0)))]
    half = (high - low) / 2
    if not half < pi:
        return []
    middle = (high + low) / 2
    x = cos(middle) * here.axes[0] + sin(middle) * here.axes[1]
    y = cos(middle) * here.axes[1] - sin(middle) * here.axes[0]
    z, far = (here.direction(2), there.direction(2)), there.direction(0)
    ahead = Between(COSINES, *z, _spot(here.part, x), far, cos(half), 1.0)
    beside = Between(COSINES, *z, _spot(here.part, y), far, -sin(half), sin(half))
    return [ahead, beside] if half < pi / 2 else [ahead]


class _Marker:
    """A marker in part coordinates."""

    def __init__(self, system: System, marker: int) -> None:
        frame = system.table.marker_frame[marker].reshape(4, 3)
        self.part = int(system.table.marker_body[marker])
        if system.fixed[self.part]:  # all fixed parts are one: in the world
            pose = system.start[self.part].reshape(4, 3)
            frame = frame @ pose[1:]
            frame[0] += pose[0]
            self.part = -1
        self.origin, self.axes = _spot(self.part, frame[0]), frame[1:]

    def direction(self, i: int) -> OwnVector:
        """One of its axes."""
        return _spot(self.part, self.axes[i])


def _spot(part: int, v: Array) -> OwnVector:
    return OwnVector(part, (float(v[0]), float(v[1]), float(v[2])))
