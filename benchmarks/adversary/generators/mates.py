"""Mates of every kind that hold where they are drawn: features in the world, and parameters.

A maker gets a `Draw`, a random point with three directions, and returns the feature on either part.
What it makes leaves nothing to chance: the mate holds at the poses of the parts, whatever they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import assembly_solver as asm

Array = NDArray[np.float64]

Z = np.array([0.0, 0, 1])


class Draw:
    """Features of one mate in the world: a point, a direction, one across it, and a sense.

    `flat` draws directions along z or across it only, so that many assemblies move in a plane.
    """

    def __init__(self, rng: np.random.Generator, flat: bool) -> None:
        self.rng, self.flat = rng, flat
        self.p = rng.uniform(-100, 100, 3)
        self.u = self.direction()
        across = np.cross(self.u, rng.normal(size=3))
        if flat:
            across = Z if abs(self.u[2]) < 0.5 else np.cross(self.u, self._level())
        self.v = across / np.linalg.norm(across)
        self.w = np.cross(self.u, self.v)
        self.sense = 1 if rng.random() < 0.5 else -1

    def _level(self) -> Array:
        t = self.rng.uniform(0, 2 * math.pi)
        return np.array([math.cos(t), math.sin(t), 0.0])

    def direction(self) -> Array:
        """Any direction; of a planar assembly mostly z."""
        if self.flat:
            return Z if self.rng.random() < 0.75 else self._level()
        v = self.rng.normal(size=3)
        return np.asarray(v / np.linalg.norm(v))

    def some(self) -> float:
        return float(self.rng.uniform(-50, 50))

    def axis(self, point: Array, direction: Array) -> asm.Axis:
        return asm.Axis(tuple(point), tuple(direction))

    def plane(self, point: Array, normal: Array) -> asm.Plane:
        return asm.Plane(tuple(point), tuple(normal))

    def point(self, point: Array) -> asm.Point:
        return asm.Point(tuple(point))

    def frame(self, point: Array) -> asm.Frame:
        return asm.Frame(tuple(point), tuple(self.u), tuple(self.v))

    @property
    def sensed(self) -> dict[str, Any]:
        return {"sense": "aligned" if self.sense > 0 else "opposed"}


Made = tuple[Any, Any, dict[str, Any]]


def _distance(d: Draw) -> Made:
    other = d.p + 60 * d.v + d.some() * d.w
    return d.point(d.p), d.point(other), {"value": float(np.linalg.norm(other - d.p))}


def _angle(d: Draw) -> Made:
    """Between 20 and 160 degrees, in the plane of u and v."""
    t = d.rng.uniform(20, 160)
    other = math.cos(math.radians(t)) * d.u + math.sin(math.radians(t)) * d.v
    return d.axis(d.p, d.u), d.axis(d.p + d.some() * d.w, other), {"value": float(t)}


MAKERS: dict[str, Callable[[Draw], Made]] = {
    "angle": _angle,
    "coaxial": lambda d: (d.axis(d.p, d.u), d.axis(d.p + d.some() * d.u, d.sense * d.u), d.sensed),
    "coincident": lambda d: (d.point(d.p), d.point(d.p), {}),
    "coplanar": lambda d: (
        d.plane(d.p, d.u),
        d.plane(d.p + d.some() * d.v, d.sense * d.u),
        d.sensed,
    ),
    "cylindrical": lambda d: (d.frame(d.p), d.frame(d.p + d.some() * d.u), {}),
    "distance": _distance,
    "fixed": lambda d: (d.frame(d.p), d.frame(d.p), {}),
    "line_in_plane": lambda d: (d.plane(d.p, d.u), d.axis(d.p + d.some() * d.w, d.v), {}),
    "parallel": lambda d: (d.axis(d.p, d.u), d.axis(d.p + 30, d.sense * d.u), d.sensed),
    "perpendicular": lambda d: (d.axis(d.p, d.u), d.axis(d.p + 30, d.v), {}),
    "planar": lambda d: (d.frame(d.p), d.frame(d.p + d.some() * d.v), {}),
    "point_in_plane": lambda d: (d.plane(d.p, d.u), d.point(d.p + d.some() * d.v), {}),
    "point_on_line": lambda d: (d.axis(d.p, d.u), d.point(d.p + d.some() * d.u), {}),
    "prismatic": lambda d: (d.frame(d.p), d.frame(d.p + d.some() * d.u), {}),
    "revolute": lambda d: (d.frame(d.p), d.frame(d.p), {}),
    "spherical": lambda d: (d.point(d.p), d.point(d.p), {}),
}


def _swung(d: Draw) -> Made:
    """Shafts at up to 60 degrees about v, which does not change."""
    t = d.rng.uniform(-1, 1)
    z = math.cos(t) * d.u + math.sin(t) * d.w
    return d.frame(d.p), asm.Frame(tuple(d.p), tuple(z), tuple(d.v)), {}


def _touching(d: Draw) -> Made:
    """A cylinder on a plane, in a bore or across another one; a ball on a plane."""
    r = float(d.rng.uniform(3, 12))
    rod = asm.Axis(tuple(d.p + r * d.u + d.some() * d.w), tuple(d.v), radius=r)
    forms: list[Callable[[], Any]] = [
        lambda: (d.plane(d.p, d.u), rod, {}),
        lambda: (d.plane(d.p, d.u), asm.Sphere(rod.point, radius=r), {}),
        lambda: (
            asm.Axis(tuple(d.p), tuple(d.u), radius=r),
            asm.Axis(tuple(d.p + 4 * r * d.v), tuple(d.sense * d.u), radius=5 * r),
            {"side": "inside"} | d.sensed,
        ),
        lambda: (
            asm.Axis(tuple(d.p + 2 * r * d.w), tuple(d.u), radius=r),
            asm.Axis(tuple(d.p + d.some() * d.v), tuple(d.v), radius=r),
            {"skew": True},
        ),
    ]
    return forms[int(d.rng.integers(4))]()


def _threaded(d: Draw) -> Made:
    """A nut at some height on its thread, rotated accordingly."""
    pitch, way, t = float(d.rng.uniform(2, 30)), d.some(), d.rng.uniform(-3, 3)
    x = math.cos(t) * d.v + math.sin(t) * d.w
    nut = asm.Frame(tuple(d.p + way * d.u), tuple(d.u), tuple(x))
    return d.frame(d.p), nut, {"pitch": pitch, "constant": way - pitch * t / (2 * math.pi)}


def _along(d: Draw) -> Made:
    """A point on a polyline in the plane across u, at a fifth of a side."""
    corners = [d.p, d.p + 40 * d.v, d.p + 40 * d.v + 30 * d.w, d.p - 10 * d.v + 50 * d.w]
    at = 0.8 * corners[1] + 0.2 * corners[2]
    closed = bool(d.rng.integers(2))
    return asm.Curve(tuple(tuple(c) for c in corners), closed=closed), d.point(at), {}


SURFACES_AND_GUIDES: dict[str, Callable[[Draw], Made]] = {
    "constant_velocity": _swung,
    "path": _along,
    "pin_slot": lambda d: (d.frame(d.p), d.axis(d.p + d.some() * d.v, d.sense * d.u), d.sensed),
    "screw": _threaded,
    "slot": lambda d: (
        d.frame(d.p),
        d.axis(d.p + d.some() * d.v + 9 * d.u, d.sense * d.u),
        d.sensed,
    ),
    "tangent": _touching,
    "universal": lambda d: (d.frame(d.p), asm.Frame(tuple(d.p), tuple(d.v), tuple(d.w)), {}),
}


def seen_from(pose: asm.Pose, feature: Any) -> Any:
    """A feature of the world in the coordinates of a part."""
    back = pose.inverse()
    if isinstance(feature, asm.Curve):
        return replace(feature, points=tuple(tuple(back.apply(p)) for p in feature.points))
    frame = np.array(feature.frame).reshape(4, 3)
    origin = tuple(back.apply(frame[0]))
    if isinstance(feature, asm.Point):
        return replace(feature, point=origin)
    x, z = frame[1] @ pose.rotation, frame[3] @ pose.rotation
    if isinstance(feature, asm.Axis):
        return replace(feature, point=origin, direction=tuple(z), x=tuple(x))
    return type(feature)(origin, tuple(z), tuple(x))


# ---------------------------------------------------------------- every form of every kind
def _turned_about(d: Draw) -> Made:
    """A signed angle about w; the directions are not quite across it."""
    t = math.radians(d.rng.uniform(-170, 170))
    tilt, more = d.rng.uniform(-0.5, 0.5, 2)
    one, two = d.u + tilt * d.w, math.cos(t) * d.u + math.sin(t) * d.v + more * d.w
    about = {"about": ("a" if d.rng.random() < 0.5 else "b", d.axis(d.p + d.some() * d.u, d.w))}
    return d.axis(d.p, one), d.axis(d.p + 30, two), {"value": math.degrees(t), "more": about}


def _from_line(d: Draw) -> Made:
    far = _length(d)
    q = d.p + far * d.v + d.some() * d.u
    return d.axis(d.p, d.u), d.point(q), {"value": far}


def _from_plane(d: Draw) -> Made:
    far = d.some()
    return d.plane(d.p, d.u), d.point(d.p + far * d.u + d.some() * d.v), {"value": far}


def _between_lines(d: Draw) -> Made:
    far = _length(d)
    q = d.p + far * d.v + d.some() * d.u
    return d.axis(d.p, d.u), d.axis(q, d.sense * d.u), {"value": far, **d.sensed}


def _line_over_plane(d: Draw) -> Made:
    far = d.some()
    q = d.p + far * d.u + d.some() * d.w
    return d.plane(d.p, d.u), d.axis(q, d.v), {"value": far}


def _between_planes(d: Draw) -> Made:
    far = d.some()
    q = d.p + far * d.u + d.some() * d.w
    return d.plane(d.p, d.u), d.plane(q, d.sense * d.u), {"value": far, **d.sensed}


def _across(d: Draw) -> Made:
    """Two lines across each other, their common normal along w."""
    far, t = float(d.rng.uniform(5, 60)), d.rng.uniform(0.3, math.pi - 0.3)
    other = math.cos(t) * d.u + math.sin(t) * d.v
    q = d.p + far * d.w + d.some() * other
    return d.axis(d.p + d.some() * d.u, d.u), d.axis(q, other), {"value": far, "skew": True}


def _over_surface(d: Draw) -> Made:
    """Room between a ball and a plane, a ball and a rod, or two balls."""
    r, room = float(d.rng.uniform(3, 12)), float(d.rng.uniform(0.5, 20))
    ball = partial(asm.Sphere, radius=r)
    more = {"value": room, "surfaces": True}
    forms: list[Callable[[], Any]] = [
        lambda: (d.plane(d.p, d.u), ball(d.p + (r + room) * d.u + d.some() * d.v), more),
        lambda: (_rod(d, r), ball(d.p + (2 * r + room) * d.v + d.some() * d.u), more),
        lambda: (ball(d.p), ball(d.p + (2 * r + room) * d.v), more),
    ]
    return forms[int(d.rng.integers(3))]()


def _rod(d: Draw, radius: float) -> asm.Axis:
    return asm.Axis(tuple(d.p), tuple(d.u), radius=radius)


def _length(d: Draw) -> float:
    """A length; a tenth of them 0."""
    return 0.0 if d.rng.random() < 0.1 else float(d.rng.uniform(1, 120))


def _offset(d: Draw) -> Made:
    far = d.some()
    a, b = d.plane(d.p, d.u), d.plane(d.p + far * d.u + d.some() * d.v, d.sense * d.u)
    return a, b, {"offset": far, **d.sensed}


def _points_apart(d: Draw) -> Made:
    far = _length(d)
    return d.point(d.p), d.point(d.p + far * d.v), {"value": far}


def _mirrored(d: Draw) -> Made:
    far = d.some()
    about = {"about": ("c", d.plane(d.p + d.some() * d.v, d.u))}
    return d.point(d.p + far * d.u), d.point(d.p - far * d.u), {"more": about}


def _as_far(d: Draw) -> Made:
    """b and b2 as far from a, or from a and from a2."""
    far, t = float(d.rng.uniform(5, 90)), d.rng.uniform(0.3, 2.8)
    way = math.cos(t) * d.u + math.sin(t) * d.w
    start, more = d.p, {}
    if d.rng.random() < 0.5:
        start = d.p + d.some() * d.v
        more = {"a2": ("a", d.point(start))}
    more["b2"] = ("c" if d.rng.random() < 0.5 else "b", d.point(start + far * way))
    return d.point(d.p), d.point(d.p + far * d.u), {"more": more}


def _centred(d: Draw) -> Made:
    """A tab, a plane, an axis or a point in the middle of a groove."""
    half, tab = d.rng.uniform(5, 30, 2)
    sides = d.p + half * d.u, d.p - half * d.u + d.some() * d.v
    groove = {"a2": ("a", d.plane(sides[1], -d.u))}
    a, q = d.plane(sides[0], d.u), d.p + d.some() * d.v
    face = d.plane(q + tab * d.u, d.sense * d.u)
    b2 = {"b2": ("b", d.plane(q - tab * d.u + d.some() * d.w, -d.sense * d.u))}
    forms: list[Callable[[], Any]] = [
        lambda: (a, face, {**d.sensed, "more": {**groove, **b2}}),
        lambda: (a, d.plane(q, d.sense * d.u), {**d.sensed, "more": groove}),
        lambda: (a, d.axis(q, d.v), {"more": groove}),
        lambda: (a, d.point(q), {"more": groove}),
    ]
    return forms[int(d.rng.integers(4))]()


def _any_contact(d: Draw) -> Made:
    """Every pair of surfaces that can touch."""
    r, wide, s = float(d.rng.uniform(3, 9)), float(d.rng.uniform(20, 30)), d.some()
    inside = bool(d.rng.random() < 0.5)
    sign, more = (-1.0 if inside else 1.0), {"side": "inside" if inside else "outside"}
    ball = partial(asm.Sphere, radius=r)
    bore = asm.Axis(tuple(d.p), tuple(d.u), radius=wide)
    apart = wide - r if inside else wide + r
    torus = asm.Torus(tuple(d.p), tuple(d.u), radius=wide, tube=r + 2)
    ring = d.p + wide * d.v
    half = float(d.rng.uniform(15, 60))
    t = math.radians(half)
    cone = asm.Cone(tuple(d.p), tuple(d.u), angle=half)
    slope, out = (math.cos(t) * d.u + math.sin(t) * d.v, math.cos(t) * d.v - math.sin(t) * d.u)
    tilt = d.rng.uniform(0.3, 1.2)
    lean = math.cos(tilt) * d.u + math.sin(tilt) * d.w
    low = sign * (wide * math.sin(tilt) + r + 2)
    apex = math.radians(90 - sign * half)
    forms: list[Callable[[], Any]] = [
        lambda: (d.plane(d.p, d.u), ball(d.p + sign * r * d.u + s * d.v), more),
        lambda: (
            d.plane(d.p, d.u),
            asm.Axis(tuple(d.p + sign * r * d.u + s * d.w), tuple(d.v), radius=r),
            more,
        ),
        lambda: (bore, ball(d.p + apart * d.v + s * d.u), more),
        lambda: (
            bore,
            asm.Axis(tuple(d.p + apart * d.v + s * d.u), tuple(d.sense * d.u), radius=r),
            {**more, **d.sensed},
        ),
        lambda: (asm.Sphere(tuple(d.p), radius=wide), ball(d.p + apart * d.v), more),
        lambda: (
            torus,
            ball(ring + (2.0 if inside else 2 * r + 2) * (math.cos(s) * d.u + math.sin(s) * d.v)),
            more,
        ),
        lambda: (
            torus,
            asm.Axis(
                tuple(d.p + (wide - 2 * r - 2 if inside else wide + 2 * r + 2) * d.v + s * d.u),
                tuple(d.sense * d.u),
                radius=r,
            ),
            {**more, **d.sensed},
        ),
        lambda: (cone, ball(d.p + 40 * slope + sign * r * out), more),
        lambda: (
            d.plane(d.p, d.u),
            asm.Cone(
                tuple(d.p + s * d.v), tuple(math.cos(apex) * d.u + math.sin(apex) * d.w), angle=half
            ),
            more,
        ),
        lambda: (
            d.plane(d.p, d.u),
            asm.Torus(tuple(d.p + low * d.u), tuple(lean), radius=wide, tube=r + 2),
            more,
        ),
    ]
    return forms[int(d.rng.integers(10))]()


EVERY: dict[str, Callable[[Draw], Made]] = {
    **MAKERS,
    **SURFACES_AND_GUIDES,
    "angle, about": _turned_about,
    "coplanar, offset": _offset,
    "distance, points": _points_apart,
    "distance, line": _from_line,
    "distance, plane": _from_plane,
    "distance, lines": _between_lines,
    "distance, line and plane": _line_over_plane,
    "distance, planes": _between_planes,
    "distance, skew": _across,
    "distance, surfaces": _over_surface,
    "equal_distance": _as_far,
    "symmetric": _mirrored,
    "tangent, any": _any_contact,
    "width": _centred,
}
"""Makers by the kind and, after a comma, its form.  `more` among the parameters are further
features by parameter: the part that has it, a, b or a third one, c, and the feature."""
