"""Solids whose distances are known exactly: with plane faces only, spheres, and round bars."""

from __future__ import annotations

from itertools import pairwise
from math import pi
from typing import Any, NamedTuple

import numpy as np

from ...foundations.geometry.round_bars import RoundBar
from ...foundations.numerics.rounding import CONFUSION, DIGITS, ROUNDING
from ...foundations.types import Array


class Ball(NamedTuple):
    """The sphere that a solid is: its centre, (3,), and radius, mm."""

    centre: Array
    radius: float

    def placed(self, origin: Array, rotation: Array) -> Ball:
        """The same at an origin (3,), mm, with the rotation (3, 3) of its coordinates."""
        return Ball(origin + rotation @ self.centre, self.radius)


def is_flat(shape: Any) -> bool:
    """Whether a shape has plane faces with straight edges only."""
    return {f.geomType() for f in shape.Faces()} == {"PLANE"} and {
        e.geomType() for e in shape.Edges()
    } == {"LINE"}


def ball_of(shape: Any) -> Ball | None:
    """The sphere that a shape is; None if it is another one."""
    faces = shape.Faces()
    if len(shape.Solids()) != 1 or {f.geomType() for f in faces} != {"SPHERE"}:
        return None
    sphere = faces[0]._geomAdaptor().Sphere()
    radius, at = sphere.Radius(), sphere.Location()
    if not _fills(shape, 4.0 / 3.0 * pi * radius**3):  # of parts of several, or of one, it is less
        return None
    return Ball(np.array([at.X(), at.Y(), at.Z()]), radius)


def bars_of(shape: Any) -> tuple[RoundBar, ...]:
    """The coaxial round bars and tubes, end to end, that a solid is; else none.

    A pin, a stepped shaft, a sleeve, a cup.
    """
    faces = shape.Faces()
    sides = [f for f in faces if f.geomType() == "CYLINDER"]
    if not sides or len(shape.Solids()) != 1:
        return ()
    if {f.geomType() for f in faces} != {"CYLINDER", "PLANE"}:
        return ()
    line = sides[0]._geomAdaptor().Cylinder().Axis()
    origin, axis = _vector(line.Location()), _vector(line.Direction())
    found = dict[tuple[int, int, int], tuple[float, float, float]]()
    for side in sides:
        own = side._geomAdaptor().Cylinder()
        away, way = _vector(own.Location()) - origin, _vector(own.Axis().Direction())
        begin = float(away @ axis)
        if np.linalg.norm(away - begin * axis) > CONFUSION or abs(way @ axis) < 1.0 - ROUNDING:
            return ()
        ends = sorted(begin + np.sign(way @ axis) * v for v in side._uvBounds()[2:])
        bar = (ends[0], ends[1], own.Radius())
        a, b, radius = (round(x / CONFUSION) for x in bar)  # halves of one side have the same
        found[a, b, radius] = bar
    cuts = sorted({round(z / CONFUSION): z for bar in found.values() for z in bar[:2]}.values())
    bars = []
    for low, high in pairwise(cuts):
        middle = 0.5 * (low + high)
        radii = sorted(
            (r for begin, end, r in found.values() if begin < middle < end), reverse=True
        )
        if len(radii) not in (1, 2):
            return ()
        at = origin + middle * axis
        bars.append(RoundBar(at, axis, 0.5 * (high - low), radii[0], sum(radii[1:])))
    volume = sum(2.0 * pi * bar.half * (bar.radius**2 - bar.bore**2) for bar in bars)
    return tuple(bars) if _fills(shape, volume) else ()


def _fills(shape: Any, volume: float) -> bool:
    return abs(float(shape.Volume()) - volume) <= DIGITS * volume


def _vector(of: Any) -> Array:
    return np.array([of.X(), of.Y(), of.Z()])
