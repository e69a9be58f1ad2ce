"""Equations of two surfaces at a given gap, or in contact: the table of pairs of shapes.

A point is a sphere and a line a cylinder of radius 0, so that one table serves distances between
centres and axes, distances between surfaces, and tangency, where the gap is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import pi
from typing import Literal, NamedTuple

from ...errors import BadValue, FeatureTypeError
from ...foundations.numerics.varied import cos, radians, sin
from ..equation_set import EquationForm
from ..feature import Axis, Cone, Feature, Frame, Plane, Point, Sphere, Torus, basic_type
from ..mate import (
    End,
    Equation,
    Mate,
    SensedMate,
    holds,
    in_plane,
    inclined,
    on_axis,
    parallel,
    together,
)
from ..measures import measure as m
from ..measures.measure import Marker, Measure

Side = Literal["outside", "inside"]
SIDES: tuple[Side, ...] = ("outside", "inside")

SHAPES: dict[str, type[Feature]] = {
    "point": Point,
    "sphere": Sphere,
    "line": Axis,
    "cylinder": Axis,
    "plane": Plane,
    "cone": Cone,
    "torus": Torus,
}
"""Shapes by name, and the feature type of each; a line with a radius is a cylinder."""


_SHAPE_OF = {t: name for name, t in reversed(SHAPES.items())} | {Frame: "point"}


class Surface(NamedTuple):
    """One of two surfaces: its shape, marker, feature; radius of a sphere or a cylinder, mm."""

    shape: str
    marker: Marker
    feature: Feature
    radius: float = 0.0


class Contact(NamedTuple):
    """The gap of two surfaces, mm; whether one is inside the other; whether axes are skew."""

    gap: float = 0.0
    inside: bool = False
    skew: bool = False
    place: str = ""

    @property
    def sign(self) -> float:
        """+1 on the side of the normal, -1 on the other."""
        return -1.0 if self.inside else 1.0

    def within(self, room: float) -> float:
        """The distance of centres or axes, one inside the other, from the difference of the
        radii.  Raises BadValue: the gap is larger."""
        if room < self.gap:
            wanted = '"outside": neither goes into the other so far'
            raise BadValue(f"{self.place}.side", "inside", wanted)
        return room - self.gap


Pair = Callable[[Surface, Surface, Contact], tuple[Equation, ...]]


def surface_of(end: End, bare: bool = False) -> Surface:
    """The surface of a feature; bare, only its point, line or plane."""
    feature = end.feature
    kind = basic_type(feature) if bare else type(feature)
    shape = _SHAPE_OF.get(kind) or kind.__name__.lower()
    radius = 0.0
    if not bare and isinstance(feature, Sphere):
        radius = feature.radius
    elif not bare and kind is Axis and isinstance(feature, Axis) and feature.radius:
        shape, radius = "cylinder", feature.radius
    return Surface(shape, end.marker, feature, radius)


def _spheres(a: Surface, b: Surface, c: Contact) -> tuple[Equation, ...]:
    distance = c.within(abs(a.radius - b.radius)) if c.inside else a.radius + b.radius + c.gap
    if distance == 0.0:
        return together(a.marker, b.marker)
    return (holds(Measure(m.SEPARATION, 0, 0, a.marker, b.marker), distance),)


def _at_radius(line: Marker, point: Marker, distance: float) -> tuple[Equation, ...]:
    if distance == 0.0:
        return on_axis(line, point)
    return (holds(Measure(m.RADIUS, 0, 0, line, point), distance),)


def _cylinder_sphere(cylinder: Surface, sphere: Surface, c: Contact) -> tuple[Equation, ...]:
    r, r2 = cylinder.radius, sphere.radius
    distance = c.within(r - r2) if c.inside else r + r2 + c.gap
    return _at_radius(cylinder.marker, sphere.marker, distance)


def _cylinders(a: Surface, b: Surface, c: Contact) -> tuple[Equation, ...]:
    distance = a.radius + b.radius + c.gap
    if c.skew:
        if c.inside:
            raise BadValue(f"{c.place}.side", "inside", '"outside" for axes across each other')
        return (holds(Measure(m.GAP, 0, 0, a.marker, b.marker), distance),)
    if c.inside:
        distance = c.within(abs(a.radius - b.radius))
    return parallel(a.marker, b.marker) + _at_radius(a.marker, b.marker, distance)


def _plane_sphere(plane: Surface, sphere: Surface, c: Contact) -> tuple[Equation, ...]:
    return in_plane(plane.marker, sphere.marker, c.sign * (sphere.radius + c.gap))


def plane_line(plane: Marker, line: Marker, height: float) -> tuple[Equation, ...]:
    """A line parallel to a plane, at a height above it, mm (2 equations)."""
    return inclined(plane, line, 0.5 * pi) + in_plane(plane, line, height)


def _plane_cylinder(plane: Surface, cylinder: Surface, c: Contact) -> tuple[Equation, ...]:
    return plane_line(plane.marker, cylinder.marker, c.sign * (cylinder.radius + c.gap))


def _planes(a: Surface, b: Surface, c: Contact) -> tuple[Equation, ...]:
    return parallel(a.marker, b.marker) + in_plane(a.marker, b.marker, c.sign * c.gap)


def _plane_cone(plane: Surface, cone: Surface, c: Contact) -> tuple[Equation, ...]:
    """Contact along a line through the apex."""
    assert isinstance(cone.feature, Cone)
    inclination = 0.5 * pi - c.sign * radians(cone.feature.angle)
    height = in_plane(plane.marker, cone.marker, c.sign * c.gap)
    return inclined(plane.marker, cone.marker, inclination) + height


def _plane_torus(plane: Surface, torus: Surface, c: Contact) -> tuple[Equation, ...]:
    """The lowest point of the tube's centre line is lower by the ring's radius times the sine."""
    assert isinstance(torus.feature, Torus)
    height = Measure(m.DISPLACEMENT, 2, 0, plane.marker, torus.marker)
    lower = Measure(m.SINE, 0, 0, plane.marker, torus.marker)
    terms = ((1.0, height), (-c.sign * torus.feature.radius, lower))
    return (Equation(terms, c.sign * (torus.feature.tube + c.gap)),)


def _cone_sphere(cone: Surface, sphere: Surface, c: Contact) -> tuple[Equation, ...]:
    assert isinstance(cone.feature, Cone)
    half = radians(cone.feature.angle)
    inside = c.inside and sphere.radius + c.gap > 0.0  # a point on the cone has no side
    numbers = (cos(half), sin(half), 0.0 if inside else 1.0)
    off = Measure(m.CONE, 0, 0, cone.marker, sphere.marker, numbers)
    return (holds(off, (-1.0 if inside else 1.0) * (sphere.radius + c.gap)),)


def _torus_sphere(torus: Surface, sphere: Surface, c: Contact) -> tuple[Equation, ...]:
    assert isinstance(torus.feature, Torus)
    radius, tube = torus.feature.radius, torus.feature.tube
    distance = c.within(tube - sphere.radius) if c.inside else tube + sphere.radius + c.gap
    if distance == 0.0:
        circle = Measure(m.RADIUS, 0, 0, torus.marker, sphere.marker)
        return (holds(circle, radius), *in_plane(torus.marker, sphere.marker))
    return (holds(Measure(m.RING, 0, 0, torus.marker, sphere.marker, (radius,)), distance),)


def _torus_cylinder(torus: Surface, cylinder: Surface, c: Contact) -> tuple[Equation, ...]:
    """A cylinder parallel to the torus axis, outside the torus or through it."""
    assert isinstance(torus.feature, Torus)
    radius, tube = torus.feature.radius, torus.feature.tube
    r = cylinder.radius
    distance = c.within(radius - tube - r) if c.inside else radius + tube + r + c.gap
    axes = (torus.marker, cylinder.marker)
    return parallel(*axes) + _at_radius(*axes, distance)


_SPHERES, _CYLINDERS = ("point", "sphere"), ("line", "cylinder")
PAIRS: dict[tuple[str, str], Pair] = {
    **{(x, y): _spheres for x in _SPHERES for y in _SPHERES},
    **{(x, y): _cylinder_sphere for x in _CYLINDERS for y in _SPHERES},
    **{(x, y): _cylinders for x in _CYLINDERS for y in _CYLINDERS},
    **{("plane", x): _plane_sphere for x in _SPHERES},
    **{("plane", x): _plane_cylinder for x in _CYLINDERS},
    **{("cone", x): _cone_sphere for x in _SPHERES},
    **{("torus", x): _torus_sphere for x in _SPHERES},
    **{("torus", x): _torus_cylinder for x in _CYLINDERS},
    ("plane", "plane"): _planes,
    ("plane", "cone"): _plane_cone,
    ("plane", "torus"): _plane_torus,
}
"""The equations of two shapes, in one order of the two."""

UNCURVED = ("point", "line", "plane")
TANGENT = {
    pair for pair in PAIRS if "line" not in pair and not all(shape in UNCURVED for shape in pair)
}
"""Pairs with a curved shape and without a line."""


def contact_equations(a: Surface, b: Surface, contact: Contact) -> tuple[Equation, ...]:
    """The equations of two surfaces, in the order of the table.  Raises BadValue: neither fits into
    the other, or skew axes inside each other."""
    if (a.shape, b.shape) not in PAIRS:
        a, b = b, a
    return PAIRS[a.shape, b.shape](a, b, contact)


def check_pair(mate: Mate, a: Surface, b: Surface, tangent: bool, place: str) -> None:
    """Raise FeatureTypeError where the table has no such pair, with the possible partners."""
    pairs: Collection[tuple[str, str]] = TANGENT if tangent else PAIRS
    for end, surface, reference in (("a", a, mate.a), ("b", b, mate.b)):
        if tangent and surface.shape == "line":
            wanted, at = ["Axis with a radius"], f"{place}.{end}"
            raise FeatureTypeError(mate.kind, at, str(reference), "Axis without a radius", wanted)
    if (a.shape, b.shape) in pairs or (b.shape, a.shape) in pairs:
        return
    known = {y for x, y in pairs if x == a.shape} | {x for x, y in pairs if y == a.shape}
    wanted = sorted(known) if known else ["none: it touches nothing"]
    given = f"{b.shape}, with a {a.shape}"
    raise FeatureTypeError(mate.kind, f"{place}.b", str(mate.b), given, wanted)


def check_side(mate: Mate, side: str, surfaces: tuple[Surface, Surface], place: str) -> None:
    """Raise BadValue for an unknown side, or "inside" of two shapes without an inside."""
    if not isinstance(side, str) or side not in SIDES:
        raise BadValue(f"{place}.side", side, "outside or inside")
    if side == "inside" and all(s.shape in UNCURVED for s in surfaces):
        raise BadValue(f"{place}.side", side, '"outside": neither of the two has an inside')


def sense_of(kinds: set[int], a: End, b: End) -> Measure | None:
    """The measure that decides the sense of equations between measures of these kinds at the
    start; None without a sense."""
    if m.GAP in kinds:
        return Measure(m.GAP, 0, 0, a.marker, b.marker)
    return Measure(m.COSINE, 2, 2, a.marker, b.marker) if m.TILT in kinds else None


class InferredSenseMate(SensedMate):
    """A mate that has a sense if its equations compare two directions."""

    def chosen_by(self, a: End, b: End, form: EquationForm) -> Measure | None:
        return sense_of({x[0] for x in form.measure}, a, b) if self.sense == "nearest" else None

    def check_sense(self, equations: tuple[Equation, ...], a: End, b: End, place: str) -> None:
        """Raise BadValue for a sense of features without two directions to compare."""
        kinds = {found.kind for terms, _ in equations for _, found in terms}
        if self.sense != "nearest" and sense_of(kinds, a, b) is None:
            raise BadValue(f"{place}.sense", self.sense, "left out: these two have no sense")
