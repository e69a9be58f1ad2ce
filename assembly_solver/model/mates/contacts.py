"""Mates of surfaces and guides: tangent, tab in a groove, pin in a slot, point on a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from types import MappingProxyType

import numpy as np

from ...errors import BadValue, FeatureTypeError
from ...foundations.numerics.varied import sqrt
from ...foundations.types import Array
from ..curve import Curve
from ..feature import Axis, Frame, Point, frame_of
from ..mate import (
    AXES,
    PLANES,
    POINTS,
    End,
    Equation,
    Reference,
    SensedMate,
    holds,
    in_plane,
    inclined,
    parallel,
)
from ..measures import measure as m
from ..measures.measure import Marker, Measure
from ..numbers import finite, positive, true_or_false
from .contact_pairs import (
    SHAPES,
    TANGENT,
    Contact,
    InferredSenseMate,
    Side,
    Surface,
    check_pair,
    check_side,
    contact_equations,
    surface_of,
)


@dataclass(frozen=True, kw_only=True)
class Tangent(InferredSenseMate):
    """Two surfaces touch; a cylinder is an axis with a radius, and points touch surfaces too.

    Plane-cylinder removes 2 freedoms (a line of contact), plane-sphere 1, plane-cone 2 (along a
    line through the apex), plane-torus 1; cylinder-cylinder 3 (parallel axes) or, with `skew`, 1
    (across each other, on the side of the start); cylinder-sphere 1, cylinder-torus 3 (parallel
    axes); a sphere or a point with a sphere, a cone or a torus 1, a point on a cylinder 1.

    `side` "outside": each is outside the other; in front of a plane, where its normal points.
    "inside": the smaller in the larger (a sphere or a cylinder in a bore, a sphere in a cone or in
    a torus, a cylinder through a torus); behind a plane.  Equal radii have a common centre.
    """

    side: Side = "outside"
    skew: bool = False

    kind = "tangent"
    touches = True
    takes = tuple(
        ((SHAPES[one],), (SHAPES[two],))
        for pair in sorted(TANGENT)
        for one, two in (pair, pair[::-1])
    )

    def check(self, place: str) -> None:
        SensedMate.check(self, place)
        true_or_false(self.skew, f"{place}.skew")

    def check_ends(self, a: End, b: End, place: str) -> None:
        one, two = surface_of(a), surface_of(b)
        check_pair(self, one, two, True, place)
        if self.skew and not (one.shape == two.shape == "cylinder"):
            raise BadValue(f"{place}.skew", self.skew, "given with two cylinders only")
        check_side(self, self.side, (one, two), place)
        self.check_sense(self._touch(one, two, place), a, b, place)

    def _touch(self, one: Surface, two: Surface, place: str = "") -> tuple[Equation, ...]:
        return contact_equations(one, two, Contact(0.0, self.side == "inside", self.skew, place))

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return self._touch(surface_of(a), surface_of(b))


@dataclass(frozen=True, kw_only=True)
class Width(InferredSenseMate):
    """A tab in the middle of a groove: the planes midway between their faces lie in one.

    `a` and `a2` are faces of the groove, `b` and `b2` those of the tab, each pair parallel or at
    an angle.  Without `b2` b itself is in the middle: a plane (removes 3 freedoms, as a tab
    does), an axis (2) or a point (1).
    """

    a2: Reference
    b2: Reference | None = None

    kind = "width"
    takes_more = MappingProxyType({"a2": PLANES, "b2": PLANES})
    takes = ((PLANES, (*PLANES, Axis, Point)),)

    def check_ends(self, a: End, b: End, place: str) -> None:
        for key, first in (("a2", self.a), ("b2", self.b)):
            second: Reference | None = getattr(self, key)
            if second is not None and (second.part != first.part or second == first):
                raise BadValue(f"{place}.{key}", str(second), f"another face of {first.part}")
        if self.b2 is not None and not isinstance(b.feature, PLANES):
            given = type(b.feature).__name__
            raise FeatureTypeError(self.kind, f"{place}.b", str(self.b), given, ["Plane"])
        self.check_sense(self.equations(a, b), a, b, place)

    def placed(self, a: End, b: End) -> tuple[End, End]:
        return _middle(a, a.more["a2"]), _middle(b, b.more.get("b2"))

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        height = in_plane(a.marker, b.marker)
        if isinstance(b.feature, PLANES):
            return parallel(a.marker, b.marker) + height
        if isinstance(b.feature, Axis):
            return inclined(a.marker, b.marker, 0.5 * pi) + height
        return height


def _middle(end: End, second: End | None) -> End:
    """The end with its marker on the plane midway between its two faces.

    With both normals out of the material, or both into it, the points at equal depth behind both
    faces satisfy (n - n2) . x = n . p - n2 . p2; of two normals in the same direction one is
    reversed.
    """
    if second is None:
        return end
    one, two = end.feature.frame, second.feature.frame
    p, n, p2, n2 = one[:3], one[9:], two[:3], two[9:]
    if _dot(n, n2) > 0.0:
        n2 = tuple(-v for v in n2)
    z = tuple(v - w for v, w in zip(n, n2, strict=True))
    size = sqrt(_dot(z, z))
    middle = tuple(0.5 * (v + w) for v, w in zip(p, p2, strict=True))
    off = (_dot(n, p) - _dot(n2, p2) - _dot(z, middle)) / (size * size)
    point = (middle[0] + off * z[0], middle[1] + off * z[1], middle[2] + off * z[2])
    z = (z[0] / size, z[1] / size, z[2] / size)
    frame = frame_of(point, z, (one[3], one[4], one[5]))
    return end._replace(marker=Marker(end.marker.part, frame))


def _dot(u: tuple[float, ...], v: tuple[float, ...]) -> float:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


class _SlidingPin(SensedMate):
    """A pin that slides along the x of a frame and rotates about its z."""

    def coordinate(self, name: str, a: End, b: End) -> Measure:
        if name == "length":
            return Measure(m.DISPLACEMENT, 0, 0, a.marker, b.marker)
        return SensedMate.coordinate(self, name, a, b)


@dataclass(frozen=True, kw_only=True)
class Slot(_SlidingPin):
    """A pin in a slot: a is a frame, x along the slot and z across it; b the pin's axis.

    Removes 3 freedoms, leaves the translation along the slot ("length", from the frame's origin),
    the rotation about the pin ("angle") and the depth.  `length` (mm) is the travel of the pin's
    centre from one end to the other, half of it to either side.
    """

    length: float | None = None

    kind = "slot"
    removes = 3
    takes = (((Frame,), AXES),)
    coordinates = ("length", "angle")

    def check(self, place: str) -> None:
        SensedMate.check(self, place)
        if self.length is not None:
            positive(self.length, f"{place}.length")

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        lateral = holds(Measure(m.DISPLACEMENT, 1, 0, a.marker, b.marker))
        return (*parallel(a.marker, b.marker), lateral)

    def bounds(self, a: End, b: End) -> Mapping[str, tuple[float, float]]:
        if self.length is None:
            return {}
        return {"length": (-0.5 * self.length, 0.5 * self.length)}


@dataclass(frozen=True, kw_only=True)
class PinSlot(Slot):
    """A pin in a slot that also keeps its depth: origin b on the x of a.  Removes 4 freedoms."""

    kind = "pin_slot"
    removes = 4
    takes = (((Frame,), AXES),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return Slot.equations(self, a, b) + in_plane(a.marker, b.marker)


@dataclass(frozen=True, kw_only=True)
class Path(InferredSenseMate):
    """A point on a curve, or a roller along it: a is the curve.

    A point removes 2 freedoms.  An axis is a roller or a pin, normal to the plane of a planar
    curve: it removes 3.  `offset` (mm) is the distance of its centre from a planar curve, on the
    outer side of a closed one.  "length" is the arc length from the first point of the curve.
    """

    offset: float = 0.0

    kind = "path"
    takes = (((Curve,), (*POINTS, Axis)),)
    coordinates = ("length",)

    def check(self, place: str) -> None:
        SensedMate.check(self, place)
        finite(self.offset, f"{place}.offset", "a length in mm")

    def check_ends(self, a: End, b: End, place: str) -> None:
        assert isinstance(a.feature, Curve)
        roller = isinstance(b.feature, Axis)
        if roller and not a.feature.planar:
            given = "Axis, with a curve that is not planar"
            raise FeatureTypeError(self.kind, f"{place}.b", str(self.b), given, ["Point"])
        if self.offset != 0 and not a.feature.planar:
            raise BadValue(f"{place}.offset", self.offset, "left out: the curve is not planar")
        self.check_sense(self.equations(a, b), a, b, place)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        lateral = holds(self._measure(m.OFF_CURVE, 1, a, b), self.offset)
        if isinstance(b.feature, Axis):
            return (*parallel(a.marker, b.marker), lateral)
        assert isinstance(a.feature, Curve)
        if a.feature.planar:
            return (*in_plane(a.marker, b.marker), lateral)
        return (holds(self._measure(m.OFF_CURVE, 0, a, b)), lateral)

    @staticmethod
    def _measure(kind: int, i: int, a: End, b: End) -> Measure:
        assert isinstance(a.feature, Curve)
        return Measure(kind, i, 0, a.marker, b.marker, a.feature.numbers)

    def coordinate(self, name: str, a: End, b: End) -> Measure:
        return self._measure(m.ALONG_CURVE, 0, a, b)

    def distance_apart(self, a: End, b: End, frame_a: Array, frame_b: Array) -> float | None:
        """Of a point from a polyline: the equations measure it across a direction that is
        interpolated from corner to corner, which is 0 on the line, and else up to a share more."""
        curve = a.feature
        assert isinstance(curve, Curve)
        if curve.smooth or self.offset != 0 or isinstance(b.feature, Axis):
            return None
        point = frame_b[:3] + np.array(b.marker.frame[:3]) @ frame_b[3:].reshape(3, 3)
        return curve.distance(frame_a[3:].reshape(3, 3) @ (point - frame_a[:3]))

    def bounds(self, a: End, b: End) -> Mapping[str, tuple[float, float]]:
        assert isinstance(a.feature, Curve)
        return {} if a.feature.closed else {"length": (0.0, a.feature.length)}
