"""The basic mates of assembly design, one class each."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from ...errors import BadValue
from ...foundations.geometry.pose import Triple
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.numerics.varied import radians
from ..feature import Axis, Plane, basic_type, frame_of, three_of
from ..mate import (
    AXES,
    DIRECTIONS,
    FRAMES,
    PLANES,
    POINTS,
    End,
    Equation,
    Mate,
    Reference,
    SensedMate,
    holds,
    in_plane,
    inclined,
    on_axis,
    parallel,
    together,
    unturned,
)
from ..measures import measure as m
from ..measures.measure import Marker, Measure, opposed
from ..numbers import finite, true_or_false
from . import contact_pairs as pairs


@dataclass(frozen=True, kw_only=True)
class Coincident(Mate):
    """Two points are one: removes 3 freedoms, leaves every rotation about it."""

    kind = "coincident"
    by_markers = True
    removes = 3
    takes = ((POINTS, POINTS),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return together(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Coaxial(SensedMate):
    """Two axes lie on one line: removes 4 freedoms, leaves slide and spin."""

    kind = "coaxial"
    by_markers = True
    removes = 4
    takes = ((AXES, AXES),)
    coordinates = ("angle", "length")

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return parallel(a.marker, b.marker) + on_axis(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Coplanar(SensedMate):
    """Two planes lie in one: (P_b - P_a) . u_a = offset (mm).  Removes 3 freedoms."""

    offset: float = 0.0

    kind = "coplanar"
    by_markers = True
    removes = 3
    takes = ((PLANES, PLANES),)

    def check(self, place: str) -> None:
        SensedMate.check(self, place)
        finite(self.offset, f"{place}.offset")

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return parallel(a.marker, b.marker) + in_plane(a.marker, b.marker, self.offset)


@dataclass(frozen=True, kw_only=True)
class Parallel(SensedMate):
    """Two directions are parallel: removes 2 freedoms."""

    kind = "parallel"
    by_markers = True
    removes = 2
    takes = ((DIRECTIONS, DIRECTIONS),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return parallel(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Perpendicular(Mate):
    """Two directions are at a right angle: removes 1 freedom."""

    kind = "perpendicular"
    by_markers = True
    removes = 1
    takes = ((DIRECTIONS, DIRECTIONS),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return inclined(a.marker, b.marker, radians(90.0))


@dataclass(frozen=True, kw_only=True)
class Angle(Mate):
    """Two directions enclose an angle of 0 to 180 degrees: removes 1 freedom.

    With `about`, an axis of one of the two parts, it is the signed angle about that axis from
    direction a to direction b, both projected along the axis.  0 and 180 degrees without `about`
    are the parallel mate of that sense, which removes 2.  `value` is in degrees.
    """

    value: float
    about: Reference | None = None

    kind = "angle"
    takes = ((DIRECTIONS, DIRECTIONS),)
    takes_more = MappingProxyType({"about": DIRECTIONS})

    def check(self, place: str) -> None:
        value = finite(self.value, f"{place}.value", "an angle in degrees")
        if self.about is None and not 0 <= value <= 180:
            wanted = 'an angle of 0 to 180 degrees (or "about")'
            raise BadValue(f"{place}.value", self.value, wanted)

    @property
    def flat(self) -> bool:
        """Whether the directions are parallel at the required angle."""
        return self.about is None and min(self.value, 180 - self.value) < AGREEMENT

    def check_ends(self, a: End, b: End, place: str) -> None:
        if self.about is None:
            return
        about = a.more["about"].marker
        if about.part not in (a.marker.part, b.marker.part):
            raise BadValue(f"{place}.about", str(self.about), "an axis of one of the two parts")
        for end in (a, b):
            fixed = end.marker.part == about.part  # that of the other part depends on its pose
            if fixed and _across(end.marker.frame, about.frame) is None:
                raise BadValue(f"{place}.about", str(self.about), "an axis across both directions")

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        if self.flat:
            marker = b.marker if self.value < 90 else opposed(b.marker)
            return parallel(a.marker, marker)
        if self.about is None:
            return inclined(a.marker, b.marker, radians(self.value))
        about = a.more["about"].marker
        fixed, other, sign = (a, b, 1.0) if about.part == a.marker.part else (b, a, -1.0)
        axis = about.frame
        x = _across(fixed.marker.frame, axis)
        base = Marker(fixed.marker.part, frame_of(three_of(axis, 0), three_of(axis, 9), x))
        rotated = Marker(other.marker.part, x_along_z(other.marker.frame))
        return (holds(Measure(m.ROTATION, 0, 0, base, rotated), sign * radians(self.value)),)


def _across(frame: tuple[float, ...], axis: tuple[float, ...]) -> Triple | None:
    """The z of a frame, or None where it is parallel to the z of another one."""
    z, n = three_of(frame, 9), three_of(axis, 9)
    along = z[0] * n[0] + z[1] * n[1] + z[2] * n[2]
    return z if abs(along) < 1 - AGREEMENT else None


def x_along_z(frame: tuple[float, ...]) -> tuple[float, ...]:
    """The frame with its axes permuted so that x is the former z."""
    return (*frame[:3], *frame[9:], *frame[3:6], *frame[6:9])


@dataclass(frozen=True, kw_only=True)
class Distance(pairs.InferredSenseMate):
    """Two features at a distance (mm), measured from points, axes and planes.

    Point-point removes 1 freedom, axis-point 1, plane-point 1 (signed along the normal), parallel
    axes 3, axis parallel to a plane 2 (signed), parallel planes 3 (signed along a's normal); with
    `skew` the shortest distance of two axes in general position, 1.  A distance of 0 between
    points, or of a point from an axis, is their coincidence.  A frame is taken as its origin, a
    sphere as its centre, a cylinder, a cone and a torus as their axes; with `surfaces` the distance
    is the gap between the surfaces instead, with the pairs and the `side` of `Tangent`.
    """

    value: float
    skew: bool = False
    surfaces: bool = False
    side: pairs.Side = "outside"

    kind = "distance"
    takes = tuple((x, y) for x in (POINTS, (Axis,), (Plane,)) for y in (POINTS, (Axis,), (Plane,)))

    def check(self, place: str) -> None:
        SensedMate.check(self, place)
        finite(self.value, f"{place}.value", "a length in mm")
        for name in ("skew", "surfaces"):
            true_or_false(getattr(self, name), f"{place}.{name}")
        if self.side != "outside" and not self.surfaces:
            raise BadValue(f"{place}.side", self.side, 'given with "surfaces" only')

    def check_ends(self, a: End, b: End, place: str) -> None:
        if self.value < 0 and Plane not in (basic_type(a.feature), basic_type(b.feature)):
            raise BadValue(f"{place}.value", self.value, "at least 0 (signed only from a plane)")
        one, two = self._surfaces(a, b)
        pairs.check_pair(self, one, two, False, place)
        if self.skew and not {one.shape, two.shape} <= {"line", "cylinder"}:
            raise BadValue(f"{place}.skew", self.skew, "given with two axes only")
        pairs.check_side(self, self.side, (one, two), place)
        if self.surfaces or self.sense != "nearest":  # nothing can be wrong with others
            self.check_sense(self._at_distance(a, b, place), a, b, place)

    def _surfaces(self, a: End, b: End) -> tuple[pairs.Surface, pairs.Surface]:
        return pairs.surface_of(a, not self.surfaces), pairs.surface_of(b, not self.surfaces)

    def _at_distance(self, a: End, b: End, place: str = "") -> tuple[Equation, ...]:
        contact = pairs.Contact(self.value, self.side == "inside", self.skew, place)
        return pairs.contact_equations(*self._surfaces(a, b), contact)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return self._at_distance(a, b)


@dataclass(frozen=True, kw_only=True)
class PointOnLine(Mate):
    """A point lies on an axis: removes 2 freedoms."""

    kind = "point_on_line"
    by_markers = True
    removes = 2
    takes = ((POINTS, (Axis,)), ((Axis,), POINTS))

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        line, point = (a, b) if isinstance(a.feature, Axis) else (b, a)
        return on_axis(line.marker, point.marker)


@dataclass(frozen=True, kw_only=True)
class PointInPlane(Mate):
    """A point lies in a plane, or at `offset` (mm) along its normal: removes 1 freedom."""

    offset: float = 0.0

    kind = "point_in_plane"
    by_markers = True
    removes = 1
    takes = ((POINTS, (Plane,)), ((Plane,), POINTS))

    def check(self, place: str) -> None:
        finite(self.offset, f"{place}.offset")

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        plane, point = (a, b) if isinstance(a.feature, Plane) else (b, a)
        return in_plane(plane.marker, point.marker, self.offset)


@dataclass(frozen=True, kw_only=True)
class LineInPlane(Mate):
    """An axis lies in a plane, or at `offset` (mm) along its normal: removes 2 freedoms."""

    offset: float = 0.0

    kind = "line_in_plane"
    removes = 2
    takes = (((Axis,), (Plane,)), ((Plane,), (Axis,)))

    def check(self, place: str) -> None:
        finite(self.offset, f"{place}.offset")

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        plane, line = (a, b) if isinstance(a.feature, Plane) else (b, a)
        return pairs.plane_line(plane.marker, line.marker, self.offset)


@dataclass(frozen=True, kw_only=True)
class Fixed(Mate):
    """Two frames are one: removes all 6 freedoms."""

    kind = "fixed"
    by_markers = True
    removes = 6
    takes = ((FRAMES, FRAMES),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return together(a.marker, b.marker) + unturned(a.marker, b.marker)
