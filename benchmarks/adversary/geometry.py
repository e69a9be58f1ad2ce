"""Features in the world, and what a mate of each kind is off by: plain vector geometry.

Written from what the kinds mean, not from the engine's equations.  Every formula is analytic but
for `off`, so that poses moved by i times a small step give exact derivatives.  mm and rad.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import assembly_solver as asm

from .draft import Array


def dot(a: Array, b: Array) -> Array:
    """Scalar products over the last axis."""
    return np.asarray((a * b).sum(-1))


def size(a: Array) -> Array:
    """Lengths over the last axis, analytic."""
    return np.sqrt(dot(a, a))


def unit(a: Array) -> Array:
    """Vectors of length 1."""
    return np.asarray(a / size(a)[..., None])


class Atom(NamedTuple):
    """One geometric condition of a mate.

    Attributes:
        rows: values that vanish where it holds, (states, rows), mm or rad.
        off: by how much it is off in the first state; turn: whether that is an angle.
        count: how many of the rows are independent.
    """

    rows: Array
    off: float
    turn: bool
    count: int  # type: ignore[assignment]  # of tuples it is a method


@dataclass(frozen=True)
class Spot:
    """A feature in the world over some states: point, z and x, each (states, 3)."""

    p: Array
    z: Array
    x: Array
    feature: Any

    @cached_property
    def y(self) -> Array:
        """The third axis."""
        return np.cross(self.z, self.x)


def local(feature: Any) -> tuple[Array, Array, Array]:
    """Point, direction and zero of angles of a feature, in its part."""
    point = getattr(feature, "origin", None)
    point = getattr(feature, "point", (0.0, 0.0, 0.0)) if point is None else point
    found = (getattr(feature, name, None) for name in ("direction", "normal", "z"))
    z = unit(np.array(next((v for v in found if v is not None), (0.0, 0.0, 1.0)), float))
    given = getattr(feature, "x", None)
    for x in (given, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)):
        if x is not None:
            across = np.array(x, float) - (np.array(x, float) @ z) * z
            if np.linalg.norm(across) > 1e-6:
                break
    return np.array(point, float), z, unit(across)


def spot(feature: Any, rotation: Array, position: Array) -> Spot:
    """A feature of a part at poses: rotations (states, 3, 3), positions (states, 3)."""
    p, z, x = local(feature)
    return Spot(rotation @ p + position, rotation @ z, rotation @ x, feature)


# ---------------------------------------------------------------- conditions
def gap(*lengths: Array) -> Atom:
    """Lengths that vanish: components across each other, or a vector of three."""
    rows = np.concatenate([v if v.ndim == 2 else v[:, None] for v in lengths], axis=1)
    return Atom(rows, float(np.linalg.norm(rows[0].real)), False, rows.shape[1])


def off_line(line: Spot, p: Array) -> Array:
    """The vector from a line to a point, normal to the line."""
    d = p - line.p
    return np.asarray(d - dot(d, line.z)[:, None] * line.z)


def on_line(line: Spot, p: Array) -> Atom:
    """A point on a line."""
    found = gap(off_line(line, p))
    return found._replace(count=2)


def height(plane: Spot, p: Array) -> Array:
    """Of a point above a plane, along its normal."""
    return dot(p - plane.p, plane.z)


def aligned(u: Array, v: Array, sense: int) -> Atom:
    """Directions that are the same (+1), opposite (-1), or either (0)."""
    across = np.cross(u, v)
    c = float(dot(u, v)[0].real)
    s = float(np.linalg.norm(across[0].real))
    rows = v - sense * u if sense else across  # the difference vanishes in one sense only
    return Atom(rows, math.atan2(s, abs(c) if sense == 0 else sense * c), True, 2)


def inclined(u: Array, v: Array, degrees: float) -> Atom:
    """Directions at an angle of 0 to 180 degrees."""
    if min(degrees, 180 - degrees) < 1e-9:
        return aligned(u, v, 1 if degrees < 90 else -1)
    c = dot(u, v)
    angle = math.atan2(float(np.linalg.norm(np.cross(u, v)[0].real)), float(c[0].real))
    row = (c - math.cos(math.radians(degrees))) / math.sin(math.radians(degrees))
    return Atom(row[:, None], abs(angle - math.radians(degrees)), True, 1)


def same_axes(a: Spot, b: Spot) -> Atom:
    """Frames that are not turned against each other."""
    axes = ((a.x, b.x), (a.y, b.y), (a.z, b.z))
    twice = np.linalg.norm(sum(np.cross(u, v)[0].real for u, v in axes))
    trace = sum(float(dot(u, v)[0].real) for u, v in axes)
    rows = np.concatenate([v - u for u, v in axes], axis=1) / math.sqrt(2)
    return Atom(rows, math.atan2(float(twice), trace - 1), True, 3)


def turned(axis: Array, u: Array, v: Array) -> Array:
    """Signed angle about an axis from u to v, seen along it; first order in imaginary parts."""
    s = dot(axis, np.cross(u, v))
    c = dot(u, v) - dot(u, axis) * dot(v, axis)
    angle = np.arctan2(s.real, c.real)
    return angle + 1j * (c.real * s.imag - s.real * c.imag) / (c.real**2 + s.real**2)


def at_angle(found: Array, wanted: float, period: float = 2 * math.pi) -> Atom:
    """An angle, rad, that has a value up to whole turns."""
    row = found - wanted
    turns = np.round(row.real / period)
    row = row - turns * period
    return Atom(row[:, None], abs(float(row[0].real)), True, 1)


def far(v: Array, value: float, count: int = 3) -> Atom:
    """A vector of this length; where that is 0, the vector vanishes (so many equations)."""
    if value == 0:
        return gap(v)._replace(count=count)
    return gap(size(v) - value)


# ---------------------------------------------------------------- kinds
Ends = Mapping[str, Spot]
Params = Mapping[str, Any]
SENSES = {"aligned": 1, "opposed": -1, "nearest": 0}


def _sense(p: Params) -> int:
    return SENSES[p.get("sense", "nearest")]


def shape_of(feature: Any) -> str:
    """Point, line or plane: what distances are measured from."""
    if isinstance(feature, asm.Plane):
        return "plane"
    return "line" if isinstance(feature, asm.Axis) else "point"


def _ordered(e: Ends, first: str) -> tuple[Spot, Spot]:
    """The two ends, the one of this shape first."""
    a, b = e["a"], e["b"]
    return (a, b) if shape_of(a.feature) == first else (b, a)


def coincident(e: Ends, p: Params) -> list[Atom]:
    """Points together."""
    return [gap(e["b"].p - e["a"].p)]


def coaxial(e: Ends, p: Params) -> list[Atom]:
    """Axes on one line."""
    a, b = e["a"], e["b"]
    return [aligned(a.z, b.z, _sense(p)), on_line(a, b.p)]


def coplanar(e: Ends, p: Params) -> list[Atom]:
    """Planes in one, or at an offset."""
    a, b = e["a"], e["b"]
    return [aligned(a.z, b.z, _sense(p)), gap(height(a, b.p) - p.get("offset", 0.0))]


def parallel(e: Ends, p: Params) -> list[Atom]:
    """Directions alike."""
    return [aligned(e["a"].z, e["b"].z, _sense(p))]


def perpendicular(e: Ends, p: Params) -> list[Atom]:
    """Directions across each other."""
    return [inclined(e["a"].z, e["b"].z, 90.0)]


def angle(e: Ends, p: Params) -> list[Atom]:
    """Between directions, or about an axis."""
    if "about" not in e:
        return [inclined(e["a"].z, e["b"].z, p["value"])]
    return [at_angle(turned(e["about"].z, e["a"].z, e["b"].z), math.radians(p["value"]))]


def _skew(a: Spot, b: Spot, value: float) -> list[Atom]:
    n = unit(np.cross(a.z, b.z))
    d = dot(n, b.p - a.p)
    return [gap(d * np.sign(d[0].real) - value)]


def distance(e: Ends, p: Params) -> list[Atom]:
    """Of points, lines and planes; of surfaces with `surfaces`."""
    value = p["value"]
    if p.get("surfaces"):
        return contact(e, p, value)
    shapes = {shape_of(s.feature) for s in e.values()}
    if p.get("skew"):
        return _skew(e["a"], e["b"], value)
    if shapes == {"plane"}:
        return [aligned(e["a"].z, e["b"].z, _sense(p)), gap(height(e["a"], e["b"].p) - value)]
    if shapes == {"point"}:
        return [far(e["b"].p - e["a"].p, value)]
    if "plane" in shapes:
        plane, other = _ordered(e, "plane")
        up = gap(height(plane, other.p) - value)
        return [inclined(plane.z, other.z, 90.0), up] if "line" in shapes else [up]
    line, other = _ordered(e, "line")
    apart = far(off_line(line, other.p), value, 2)
    if shapes == {"line"}:
        apart = far(off_line(e["a"], e["b"].p), value, 2)
        return [aligned(line.z, other.z, _sense(p)), apart]
    return [apart]


def point_on_line(e: Ends, p: Params) -> list[Atom]:
    """A point on an axis."""
    line, point = _ordered(e, "line")
    return [on_line(line, point.p)]


def point_in_plane(e: Ends, p: Params) -> list[Atom]:
    """A point in a plane, or above it."""
    plane, point = _ordered(e, "plane")
    return [gap(height(plane, point.p) - p.get("offset", 0.0))]


def line_in_plane(e: Ends, p: Params) -> list[Atom]:
    """An axis in a plane, or above it."""
    plane, line = _ordered(e, "plane")
    up = gap(height(plane, line.p) - p.get("offset", 0.0))
    return [inclined(plane.z, line.z, 90.0), up]


def fixed(e: Ends, p: Params) -> list[Atom]:
    """Frames together."""
    return [same_axes(e["a"], e["b"]), *coincident(e, p)]


def revolute(e: Ends, p: Params) -> list[Atom]:
    """A hinge."""
    return [*parallel(e, p), *coincident(e, p)]


def prismatic(e: Ends, p: Params) -> list[Atom]:
    """A slide."""
    return [same_axes(e["a"], e["b"]), on_line(e["a"], e["b"].p)]


def universal(e: Ends, p: Params) -> list[Atom]:
    """A Cardan joint: the pins of the cross meet at a right angle."""
    return [*coincident(e, p), *perpendicular(e, p)]


def constant_velocity(e: Ends, p: Params) -> list[Atom]:
    """Shafts that meet and turn alike: the rotation between them is about an axis across a."""
    a, b = e["a"], e["b"]
    turn = np.stack([np.cross(u, v) for u, v in ((a.x, b.x), (a.y, b.y), (a.z, b.z))]).sum(0) / 2
    s = dot(turn, a.z)
    whole = float(np.linalg.norm(turn[0].real))
    trace = float((dot(a.x, b.x) + dot(a.y, b.y) + dot(a.z, b.z))[0].real)
    angle = math.atan2(whole, (trace - 1) / 2)
    off = abs(float(s[0].real)) * (angle / whole if whole > 1e-9 else 1.0)
    return [*coincident(e, p), Atom(s[:, None], off, True, 1)]


def screw(e: Ends, p: Params) -> list[Atom]:
    """A nut on its thread; the turns of the angle are not seen."""
    a, b = e["a"], e["b"]
    way = height(a, b.p) - p["constant"]
    wound = way - p["pitch"] * turned(a.z, a.x, b.x) / (2 * math.pi)
    wound = wound - p["pitch"] * np.round(wound.real / p["pitch"])
    return [*coaxial(e, p), gap(wound)]


def slot(e: Ends, p: Params) -> list[Atom]:
    """A pin between the flanks of a slot."""
    a, b = e["a"], e["b"]
    return [aligned(a.z, b.z, _sense(p)), gap(dot(b.p - a.p, a.y))]


def pin_slot(e: Ends, p: Params) -> list[Atom]:
    """The same at the depth of the slot."""
    return [*slot(e, p), gap(height(e["a"], e["b"].p))]


def symmetric(e: Ends, p: Params) -> list[Atom]:
    """Two points, each the mirror image of the other."""
    plane, b = e["about"], e["b"].p
    image = e["a"].p - 2 * height(plane, e["a"].p)[:, None] * plane.z
    return [gap(b - image)]


def equal_distance(e: Ends, p: Params) -> list[Atom]:
    """Two points as far apart as two others."""
    first = e.get("a2", e["a"])
    return [gap(size(e["b"].p - e["a"].p) - size(e["b2"].p - first.p))]


def _middle(one: Spot, two: Spot | None) -> Spot:
    """The plane midway between two parallel faces, with the normal of the first."""
    if two is None:
        return one
    return Spot((one.p + two.p) / 2, one.z, one.x, one.feature)


def width(e: Ends, p: Params) -> list[Atom]:
    """A tab, a plane, an axis or a point in the middle of a groove with parallel faces."""
    groove, tab = _middle(e["a"], e["a2"]), _middle(e["b"], e.get("b2"))
    up = gap(height(groove, tab.p))
    shape = shape_of(e["b"].feature)
    if shape == "point" and not isinstance(e["b"].feature, asm.Frame):
        return [up]
    if shape == "line":
        return [inclined(groove.z, tab.z, 90.0), up]
    return [aligned(groove.z, tab.z, _sense(p)), up]


# ---------------------------------------------------------------- surfaces
def surface_of(feature: Any) -> str:
    """The shape that touches."""
    for kind in (asm.Sphere, asm.Cone, asm.Torus):
        if isinstance(feature, kind):
            return kind.__name__.lower()
    if isinstance(feature, asm.Axis) and feature.radius:
        return "cylinder"
    return shape_of(feature)


def tangent(e: Ends, p: Params) -> list[Atom]:
    """Surfaces that touch."""
    return contact(e, p, 0.0)


def contact(e: Ends, p: Params, room: float) -> list[Atom]:
    """Two surfaces with so much room between them, mm."""
    a, b = e["a"], e["b"]
    shapes = (surface_of(a.feature), surface_of(b.feature))
    if shapes not in CONTACTS:
        a, b, shapes = b, a, shapes[::-1]
    return CONTACTS[shapes](a, b, p, room)


def _radius(s: Spot) -> float:
    """Of a sphere, a cylinder or a ring; 0 of a point, a line or a cone."""
    return float(getattr(s.feature, "radius", None) or 0.0)


def _radii(a: Spot, b: Spot, p: Params, room: float) -> float:
    """Distance of the centres or axes of two round surfaces."""
    if p.get("side") == "inside":
        return abs(_radius(a) - _radius(b)) - room
    return _radius(a) + _radius(b) + room


def _side(p: Params) -> float:
    return -1.0 if p.get("side") == "inside" else 1.0


def _plane_sphere(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    return [gap(height(a, b.p) - _side(p) * (_radius(b) + room))]


def _plane_cylinder(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    return [inclined(a.z, b.z, 90.0), *_plane_sphere(a, b, p, room)]


def _plane_cone(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    apex = gap(height(a, b.p) - _side(p) * room)
    return [inclined(a.z, b.z, 90.0 - _side(p) * b.feature.angle), apex]


def _plane_torus(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    lower = _radius(b) * size(np.cross(a.z, b.z)) + b.feature.tube
    return [gap(height(a, b.p) - _side(p) * (lower + room))]


def _spheres(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    return [far(b.p - a.p, _radii(a, b, p, room))]


def _cylinder_sphere(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    return [far(off_line(a, b.p), _radii(a, b, p, room), 2)]


def _cylinders(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    if p.get("skew"):
        return _skew(a, b, _radii(a, b, p, room))
    return [aligned(a.z, b.z, _sense(p)), *_cylinder_sphere(a, b, p, room)]


def _torus_sphere(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    aside = size(off_line(a, b.p)) - _radius(a)
    ring = np.sqrt(aside**2 + height(a, b.p) ** 2)
    r, tube = _radius(b), a.feature.tube
    return [gap(ring - (tube - r - room if p.get("side") == "inside" else tube + r + room))]


def _torus_cylinder(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    ring, tube, r = _radius(a), a.feature.tube, _radius(b)
    inside = p.get("side") == "inside"
    apart = ring - tube - r - room if inside else ring + tube + r + room
    return [aligned(a.z, b.z, _sense(p)), far(off_line(a, b.p), apart, 2)]


def _cone_sphere(a: Spot, b: Spot, p: Params, room: float) -> list[Atom]:
    """Outside behind the apex it is the apex that the sphere touches."""
    t = math.radians(a.feature.angle)
    aside, along = size(off_line(a, b.p)), height(a, b.p)
    outside = aside * math.cos(t) - along * math.sin(t)
    if _side(p) > 0 and (along * math.cos(t) + aside * math.sin(t))[0].real < 0:
        return _spheres(a, b, {}, room)
    return [gap(_side(p) * outside - _radius(b) - room)]


CONTACTS: dict[tuple[str, str], Callable[[Spot, Spot, Params, float], list[Atom]]] = {
    ("plane", "sphere"): _plane_sphere,
    ("plane", "cylinder"): _plane_cylinder,
    ("plane", "cone"): _plane_cone,
    ("plane", "torus"): _plane_torus,
    ("sphere", "sphere"): _spheres,
    ("sphere", "point"): _spheres,
    ("cylinder", "sphere"): _cylinder_sphere,
    ("cylinder", "point"): _cylinder_sphere,
    ("cylinder", "cylinder"): _cylinders,
    ("torus", "sphere"): _torus_sphere,
    ("torus", "cylinder"): _torus_cylinder,
    ("cone", "sphere"): _cone_sphere,
    ("cone", "point"): _cone_sphere,
}


def path(e: Ends, p: Params) -> list[Atom]:
    """A point on a polyline; an open one goes on straight beyond its ends, where `beyond` sees it.

    The nearest side decides.
    """
    return [min(_sides(e, p.get("ends", False)), key=lambda atom: atom.off)]


def _sides(e: Ends, ends: bool) -> list[Atom]:
    """The point off each side; with `ends` no side goes beyond its corners."""
    knots = [e[f"knot {k}"].p for k in range(sum(key.startswith("knot") for key in e))]
    closed, out = e["a"].feature.closed, []
    sides = list(pairwise([*knots, knots[0]] if closed else knots))
    for k, (one, two) in enumerate(sides):
        u, d = unit(two - one), e["b"].p - one
        t, far_end = float(dot(d, u)[0].real), float(size(two - one)[0].real)
        low = -np.inf if k == 0 and not (closed or ends) else 0.0
        high = np.inf if k == len(sides) - 1 and not (closed or ends) else far_end
        off = float(np.linalg.norm((d[0] - np.clip(t, low, high) * u[0]).real))
        out.append(Atom(d - dot(d, u)[:, None] * u, off, False, 2))
    return out


KINDS: dict[str, Callable[[Ends, Params], list[Atom]]] = {
    "angle": angle,
    "coaxial": coaxial,
    "coincident": coincident,
    "constant_velocity": constant_velocity,
    "coplanar": coplanar,
    "cylindrical": coaxial,
    "distance": distance,
    "equal_distance": equal_distance,
    "fixed": fixed,
    "line_in_plane": line_in_plane,
    "parallel": parallel,
    "path": path,
    "perpendicular": perpendicular,
    "pin_slot": pin_slot,
    "planar": coplanar,
    "point_in_plane": point_in_plane,
    "point_on_line": point_on_line,
    "prismatic": prismatic,
    "revolute": revolute,
    "screw": screw,
    "slot": slot,
    "spherical": coincident,
    "symmetric": symmetric,
    "tangent": tangent,
    "universal": universal,
    "width": width,
}
"""Every kind of mate of features; couplings relate coordinates of joints: see `judge`."""
