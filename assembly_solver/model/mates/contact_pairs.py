"""Which equations bring two surfaces to touch, or to stand apart by a gap: the table of pairs.

A point counts as a ball and a line as a rod without thickness, so that one table serves distances
between centres and axes, distances between surfaces, and tangency, where the gap is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, radians, sin
from typing import Literal, NamedTuple

from ...errors import BadValue, FeatureTypeError
from ..feature import Axis, Cone, Feature, Frame, Plane, Point, Sphere, Torus, basic_type
from ..mate import End, Equation, Mate, holds, in_plane, inclined, on_axis, parallel, together
from ..measures import measure as m
from ..measures.measure import Marker, Measure
from ..numbers import finite

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


class Surface(NamedTuple):
    """One of two surfaces: its shape, marker, feature; radius of a ball or a rod, mm."""

    shape: str
    marker: Marker
    feature: Feature
    radius: float = 0.0


class Contact(NamedTuple):
    """How two surfaces stand: this far apart, mm; one inside the other; rods across each other."""

    gap: float = 0.0
    inside: bool = False
    skew: bool = False
    place: str = ""

    @property
    def sign(self) -> float:
        """+1 on the side that a normal points to, -1 on the other."""
        return -1.0 if self.inside else 1.0

    def within(self, room: float) -> float:
        """The distance of centres or axes inside, from the room between; an error where none is."""
        if room < self.gap:
            wanted = '"outside": neither goes into the other so far'
            raise BadValue(f"{self.place}.side", "inside", wanted)
        return room - self.gap


Pair = Callable[[Surface, Surface, Contact], tuple[Equation, ...]]


def surface_of(end: End, bare: bool = False) -> Surface:
    """The surface of a feature; bare, only the point, the line or the plane that carries it."""
    feature = end.feature
    kind = basic_type(feature) if bare else type(feature)
    shape = next((name for name, t in SHAPES.items() if t is kind), kind.__name__.lower())
    shape = "point" if kind is Frame else shape
    radius = 0.0
    if not bare and isinstance(feature, Sphere):
        radius = feature.radius
    elif not bare and kind is Axis and isinstance(feature, Axis) and feature.radius:
        shape, radius = "cylinder", feature.radius
    return Surface(shape, end.marker, feature, radius)


def _balls(a: Surface, b: Surface, c: Contact) -> tuple[Equation, ...]:
    apart = a.radius + b.radius + c.gap
    if c.inside:
        apart = c.within(abs(a.radius - b.radius))
    if apart == 0.0:
        return together(a.marker, b.marker)
    return (holds(Measure(m.SEPARATION, 0, 0, a.marker, b.marker), apart),)


def _at_radius(line: Marker, point: Marker, apart: float) -> tuple[Equation, ...]:
    if apart == 0.0:
        return on_axis(line, point)
    return (holds(Measure(m.RADIUS, 0, 0, line, point), apart),)


def _rod_ball(rod: Surface, ball: Surface, c: Contact) -> tuple[Equation, ...]:
    apart = rod.radius + ball.radius + c.gap
    if c.inside:
        apart = c.within(rod.radius - ball.radius)
    return _at_radius(rod.marker, ball.marker, apart)


def _rods(a: Surface, b: Surface, c: Contact) -> tuple[Equation, ...]:
    apart = a.radius + b.radius + c.gap
    if c.skew:
        if c.inside:
            raise BadValue(f"{c.place}.side", "inside", '"outside" for axes across each other')
        return (holds(Measure(m.GAP, 0, 0, a.marker, b.marker), apart),)
    if c.inside:
        apart = c.within(abs(a.radius - b.radius))
    return parallel(a.marker, b.marker) + _at_radius(a.marker, b.marker, apart)


def _plane_ball(plane: Surface, ball: Surface, c: Contact) -> tuple[Equation, ...]:
    return in_plane(plane.marker, ball.marker, c.sign * (ball.radius + c.gap))


def plane_line(plane: Marker, line: Marker, height: float) -> tuple[Equation, ...]:
    """A line along a plane, at a height over it (2 equations)."""
    return inclined(plane, line, 0.5 * pi) + in_plane(plane, line, height)


def _plane_rod(plane: Surface, rod: Surface, c: Contact) -> tuple[Equation, ...]:
    return plane_line(plane.marker, rod.marker, c.sign * (rod.radius + c.gap))


def _planes(a: Surface, b: Surface, c: Contact) -> tuple[Equation, ...]:
    return parallel(a.marker, b.marker) + in_plane(a.marker, b.marker, c.sign * c.gap)


def _plane_cone(plane: Surface, cone: Surface, c: Contact) -> tuple[Equation, ...]:
    """Along a line through the apex."""
    assert isinstance(cone.feature, Cone)
    leaning = 0.5 * pi - c.sign * radians(cone.feature.angle)
    height = in_plane(plane.marker, cone.marker, c.sign * c.gap)
    return inclined(plane.marker, cone.marker, leaning) + height


def _plane_ring(plane: Surface, ring: Surface, c: Contact) -> tuple[Equation, ...]:
    """The lowest point of the tube's middle is the ring's radius times the sine lower."""
    assert isinstance(ring.feature, Torus)
    height = Measure(m.DISPLACEMENT, 2, 0, plane.marker, ring.marker)
    lower = Measure(m.SINE, 0, 0, plane.marker, ring.marker)
    terms = ((1.0, height), (-c.sign * ring.feature.radius, lower))
    return (Equation(terms, c.sign * (ring.feature.tube + c.gap)),)


def _cone_ball(cone: Surface, ball: Surface, c: Contact) -> tuple[Equation, ...]:
    assert isinstance(cone.feature, Cone)
    half = radians(cone.feature.angle)
    inside = c.inside and ball.radius + c.gap > 0.0  # a point on the cone is on either side
    numbers = (cos(half), sin(half), 0.0 if inside else 1.0)
    off = Measure(m.CONE, 0, 0, cone.marker, ball.marker, numbers)
    return (holds(off, (-1.0 if inside else 1.0) * (ball.radius + c.gap)),)


def _ring_ball(ring: Surface, ball: Surface, c: Contact) -> tuple[Equation, ...]:
    assert isinstance(ring.feature, Torus)
    radius, tube = ring.feature.radius, ring.feature.tube
    apart = c.within(tube - ball.radius) if c.inside else tube + ball.radius + c.gap
    if apart == 0.0:
        circle = Measure(m.RADIUS, 0, 0, ring.marker, ball.marker)
        return (holds(circle, radius), *in_plane(ring.marker, ball.marker))
    return (holds(Measure(m.RING, 0, 0, ring.marker, ball.marker, (radius,)), apart),)


def _ring_rod(ring: Surface, rod: Surface, c: Contact) -> tuple[Equation, ...]:
    """A rod along the ring's axis, outside the ring or through it."""
    assert isinstance(ring.feature, Torus)
    radius, tube = ring.feature.radius, ring.feature.tube
    apart = radius + tube + rod.radius + c.gap
    if c.inside:
        apart = c.within(radius - tube - rod.radius)
    return parallel(ring.marker, rod.marker) + _at_radius(ring.marker, rod.marker, apart)


_BALLS, _RODS = ("point", "sphere"), ("line", "cylinder")
PAIRS: dict[tuple[str, str], Pair] = {
    **{(x, y): _balls for x in _BALLS for y in _BALLS},
    **{(x, y): _rod_ball for x in _RODS for y in _BALLS},
    **{(x, y): _rods for x in _RODS for y in _RODS},
    **{("plane", x): _plane_ball for x in _BALLS},
    **{("plane", x): _plane_rod for x in _RODS},
    **{("cone", x): _cone_ball for x in _BALLS},
    **{("torus", x): _ring_ball for x in _BALLS},
    **{("torus", x): _ring_rod for x in _RODS},
    ("plane", "plane"): _planes,
    ("plane", "cone"): _plane_cone,
    ("plane", "torus"): _plane_ring,
}
"""What two shapes are to each other, in one order of the two."""

FLAT = ("point", "line", "plane")
TANGENT = {
    pair for pair in PAIRS if "line" not in pair and not all(shape in FLAT for shape in pair)
}
"""Pairs of which one at least is curved, and none a line without thickness."""


def apart(a: Surface, b: Surface, contact: Contact) -> tuple[Equation, ...]:
    """The equations of two surfaces in contact, in the order of the table."""
    if (a.shape, b.shape) not in PAIRS:
        a, b = b, a
    return PAIRS[a.shape, b.shape](a, b, contact)


def check_pair(mate: Mate, a: Surface, b: Surface, tangent: bool, place: str) -> None:
    """Raise where a pair has no meaning, with what one of the two could be with."""
    pairs = TANGENT if tangent else set(PAIRS)
    for end, surface, reference in (("a", a, mate.a), ("b", b, mate.b)):
        if tangent and surface.shape == "line":
            wanted = ["Axis with a radius"]
            given = "Axis without a radius"
            raise FeatureTypeError(mate.kind, f"{place}.{end}", str(reference), given, wanted)
    if (a.shape, b.shape) in pairs or (b.shape, a.shape) in pairs:
        return
    known = {y for x, y in pairs if x == a.shape} | {x for x, y in pairs if y == a.shape}
    wanted = sorted(known) if known else ["none: it touches nothing"]
    given = f"{b.shape}, with a {a.shape}"
    raise FeatureTypeError(mate.kind, f"{place}.b", str(mate.b), given, wanted)


def check_side(mate: Mate, side: str, surfaces: tuple[Surface, Surface], place: str) -> None:
    """Raise where a side is no word, or two flat things are asked to be in each other."""
    if side not in SIDES:
        raise BadValue(f"{place}.side", side, "outside or inside")
    if side == "inside" and all(s.shape in FLAT for s in surfaces):
        raise BadValue(f"{place}.side", side, '"outside": neither of the two has an inside')


def sense_of(equations: tuple[Equation, ...], a: End, b: End) -> Measure | None:
    """The measure that tells the sense of equations at the start: None where they have none."""
    kinds = {found.kind for terms, _ in equations for _, found in terms}
    if m.GAP in kinds:
        return Measure(m.GAP, 0, 0, a.marker, b.marker)
    return Measure(m.COSINE, 2, 2, a.marker, b.marker) if m.TILT in kinds else None


def check_sense(sense: str, equations: tuple[Equation, ...], a: End, b: End, place: str) -> None:
    """Raise where a sense is given to features that have no two directions to compare."""
    if sense != "nearest" and sense_of(equations, a, b) is None:
        raise BadValue(f"{place}.sense", sense, "left out: these two have no sense")


def positive(value: object, place: str) -> float:
    """A length above 0."""
    length = finite(value, place, "a length above 0")
    if length <= 0:
        raise BadValue(place, value, "a length above 0")
    return length
