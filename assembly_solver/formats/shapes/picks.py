"""Picks of a solid: a face, an edge or a vertex, and the features that it can be read as.

A hole is an axis with a radius for a mate of axes, a frame for a joint, a point at its middle for
a ball joint: the first reading that the mate accepts is used.  Several faces of one surface are one
pick; faces of different surfaces are an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import dist, hypot

import numpy as np

from ...errors import FeatureTypeError, FormatError
from ...foundations.geometry.pose import Triple, triple
from ...foundations.numerics.rounding import DIGITS
from ...model.curve import Curve
from ...model.feature import Axis, Cone, Feature, Frame, Plane, Point, Sphere, Torus
from ...model.mate import Mate

TYPES: dict[str, type[Feature]] = {
    "point": Point,
    "axis": Axis,
    "plane": Plane,
    "frame": Frame,
    "curve": Curve,
}
"""Readings that can be requested by a word."""

SHAPED: dict[str, type[Feature]] = {
    "plane": Plane,
    "hole": Axis,
    "cylinder": Axis,
    "cone": Cone,
    "sphere": Sphere,
    "torus": Torus,
    "line": Axis,
    "vertex": Point,
    "coordinate system": Frame,
}
"""Kinds whose first reading, where it is of this type, is the shape itself.  Readings of other
kinds, as of a circle or a free-form face, are only a centre or an axis, which nothing can touch."""

APART = 1e-4
"""A setting: distance along an axis below which centres are at one position for CadQuery's
selectors, mm."""


@dataclass(frozen=True, eq=False)
class Pick:
    """A face, edge, wire or vertex of a solid, or several of one surface, line or point.

    Attributes:
        kind: what it is: plane, hole (a cylinder around the outside), cylinder, cone, sphere,
            torus, circle, line, wire, vertex, or the modeller's own word for another shape.
        feature: the default reading, in part coordinates, mm.
        others: the other readings, the likeliest first.
        centre: its centre of mass, mm; size: its area (mm2), length (mm), or 0.
        radius: of a hole, cylinder, sphere, torus or circle, mm; else 0.
        span: of a cylinder or a line along its axis, from the feature's point, mm; else 0, 0.
        count: the number of faces, edges or vertices in it.
        follow: computes the curve along it; empty where there is none.
    """

    kind: str
    feature: Feature
    others: tuple[Feature, ...]
    centre: Triple
    size: float
    radius: float = 0.0
    span: tuple[float, float] = (0.0, 0.0)
    count: int = 1
    follow: Callable[[], tuple[Curve, ...]] = tuple

    @property
    def readings(self) -> tuple[Feature, ...]:
        """All readings, the likeliest first."""
        return (self.feature, *self.others)

    def reading(self, wanted: type[Feature] | tuple[type[Feature], ...]) -> Feature | None:
        """The first reading of one of these types; None where it has none."""
        found = next((f for f in self.readings if isinstance(f, wanted)), None)
        types = wanted if isinstance(wanted, tuple) else (wanted,)
        return next(iter(self.follow()), None) if found is None and Curve in types else found

    @property
    def own_shape(self) -> Feature | None:
        """The reading that is the shape itself, which others can touch; None where none is."""
        given = type(self.feature).__name__.lower() == self.kind  # a feature, not of a solid
        shaped = given or isinstance(self.feature, SHAPED.get(self.kind, ()))
        return self.feature if shaped else None

    def rank(self, reading: Feature) -> int:
        """Position of a reading in the list of readings; their number where it is none of them."""
        known = [k for k, f in enumerate(self.readings) if f is reading]
        return known[0] if known else len(self.readings)

    @property
    def words(self) -> str:
        """Description for messages: "hole of radius 4 mm at (0, 0, 5)"."""
        at = self.feature.frame[:3] if not isinstance(self.feature, Curve) else self.centre
        of = f" of radius {self.radius:.6g} mm" if self.radius else ""
        return f"{self.kind}{of} at ({', '.join(f'{round(v, 9) + 0.0:.6g}' for v in at)})"

    def joined(self, other: Pick) -> Pick | None:
        """Both as one pick where they are of one surface, line or point; else None."""
        if not self._one_with(other):
            return None
        count, size = self.count + other.count, self.size + other.size
        share = self.size / size if size else 0.5
        middle = share * np.array(self.centre) + (1.0 - share) * np.array(other.centre)
        both = replace(self, centre=triple(middle), size=size, count=count)
        if isinstance(self.feature, Plane):
            feature, others = plane_at(self.feature.frame, both.centre)
            return replace(both, feature=feature, others=others)
        return both if self.span == (0.0, 0.0) else along(both, *self._united(other))

    def _one_with(self, other: Pick) -> bool:
        """Whether the other is of the same surface, line, circle or point."""
        if self.kind != other.kind or isinstance(self.feature, Curve):
            return False
        if abs(self.radius - other.radius) > DIGITS:
            return False
        f, g = self.feature.frame, other.feature.frame
        if self.kind == "circle" and dist(f[:3], g[:3]) > DIGITS:
            return False
        return same_carrier(self.feature, other.feature)

    def _united(self, other: Pick) -> tuple[float, float]:
        """The span of both, measured from the middle of this one."""
        origin, z = np.array(self.feature.frame[:3]), np.array(self.feature.frame[9:])
        half = 0.5 * (self.span[1] - self.span[0])
        away = float((np.array(other.feature.frame[:3]) - origin) @ z)
        reach = 0.5 * (other.span[1] - other.span[0])
        return min(-half, away - reach), max(half, away + reach)


def plane_at(frame: Sequence[float], centre: Triple) -> tuple[Plane, tuple[Feature, ...]]:
    """Readings of a planar face through a point, z of the frame pointing out of the material."""
    z, x = triple(frame[9:12]), triple(frame[3:6])
    return Plane(centre, z, x), (Frame(centre, z, x), Axis(centre, z, x), Point(centre))


def along(pick: Pick, low: float, high: float) -> Pick:
    """The pick with the point of its axis in the middle of a span, mm from its present point."""
    assert isinstance(pick.feature, Axis)
    f, half = np.array(pick.feature.frame), 0.5 * (high - low)
    feature = replace(pick.feature, point=triple(f[:3] + 0.5 * (low + high) * f[9:]))
    return replace(pick, feature=feature, others=beside_axis(feature), span=(-half, half))


def beside_axis(axis: Axis) -> tuple[Feature, ...]:
    """The other readings of an axis."""
    f = axis.frame
    return (Frame(axis.point, axis.direction, (f[3], f[4], f[5])), Point(axis.point))


def same_carrier(a: Feature, b: Feature) -> bool:
    """Whether two features are of one surface, one line or one point."""
    if type(a) is not type(b):
        return False
    f, g = a.frame, b.frame
    z, gap = f[9:], (g[0] - f[0], g[1] - f[1], g[2] - f[2])
    sizes = [getattr(a, key, 0.0) - getattr(b, key, 0.0) for key in ("tube", "angle")]
    if max(map(abs, sizes)) > DIGITS:
        return False
    if isinstance(a, (Cone, Torus)):
        return hypot(*gap) <= DIGITS and _aside(z, g[9:]) <= DIGITS
    if isinstance(a, Plane):
        return (
            abs(gap[0] * z[0] + gap[1] * z[1] + gap[2] * z[2]) <= DIGITS
            and dist(g[9:], z) <= DIGITS
        )
    if isinstance(a, Axis):
        return _aside(gap, z) <= DIGITS and _aside(z, g[9:]) <= DIGITS
    return isinstance(a, Point) and hypot(*gap) <= DIGITS


def _aside(a: Sequence[float], b: Sequence[float]) -> float:
    """Length of the cross product, in plain numbers: it is computed for all pairs of many faces."""
    (x, y, z), (u, v, w) = a, b
    return hypot(y * w - z * v, z * u - x * w, x * v - y * u)


def one_pick(picks: Sequence[Pick], place: str, select: str) -> Pick:
    """All picks as one; FormatError where they are not of one surface, line or point."""

    def join(one: Pick, other: Pick) -> Pick:
        both = one.joined(other)
        if both is None:
            raise FormatError(
                place,
                f"{select!r} picks {len(picks)} things that are not one: {one.words}, "
                f"{other.words}{', ...' if len(picks) > 2 else ''}; pick one of them"
                f"{_parting(picks, select)}",
            )
        return both

    return reduce(join, picks)


def _parting(picks: Sequence[Pick], select: str) -> str:
    """A phrase with a selector that picks one of several, by radius or as the outermost; or ""."""
    for one in picks:
        others = [pick for pick in picks if one.joined(pick) is None]
        if one.radius and all(abs(pick.radius - one.radius) > DIGITS for pick in others):
            return f", as {select}@radius={one.radius:.9g}"
    for k, axis in enumerate("XYZ"):
        for sign, direction in ((">", 1.0), ("<", -1.0)):
            positions = [direction * pick.centre[k] for pick in picks]
            end = picks[positions.index(max(positions))]
            others = [pick for pick in picks if end.joined(pick) is None]
            if all(direction * pick.centre[k] < max(positions) - APART for pick in others):
                return f", as {select}@{sign}{axis}"
    return ""


def fitting(
    kind: type[Mate], a: Pick, b: Pick, place: str, surfaces: bool = False
) -> tuple[Feature, Feature]:
    """The likeliest readings of two picks that a kind of mate accepts.

    Args:
        place: of the mate, for errors.
        surfaces: whether the mate is between surfaces whatever its kind, as a `distance` of them.

    Raises:
        FeatureTypeError: the mate accepts no pair of readings.
    """
    pairs = [(a.reading(one), b.reading(two)) for one, two in kind.takes]
    if surfaces or kind.touches:
        _check_shapes(kind, (a, b), place)
        pairs = [
            (f if f is a.own_shape else None, g if g is b.own_shape else None) for f, g in pairs
        ]
    found = [(f, g) for f, g in pairs if f is not None and g is not None]
    if not found:
        end, pick, side = ("a", a, 0) if not any(f for f, _ in pairs) else ("b", b, 1)
        wanted = sorted({t.__name__ for pair in kind.takes for t in pair[side]})
        given = type(pick.feature).__name__
        raise FeatureTypeError(kind.kind, f"{place}.{end}", pick.words, given, wanted)
    return min(found, key=lambda pair: a.rank(pair[0]) + b.rank(pair[1]))


def _check_shapes(kind: type[Mate], picks: Sequence[Pick], place: str) -> None:
    """Raise where no reading of a pick is the shape itself."""
    for end, pick in zip("ab", picks, strict=True):
        if pick.own_shape is None:
            wanted = ("plane", "cylinder", "cone", "sphere", "torus", "line", "vertex")
            raise FeatureTypeError(kind.kind, f"{place}.{end}", pick.words, pick.kind, wanted)


def grouped(picks: Sequence[Pick]) -> list[tuple[Pick, frozenset[int]]]:
    """The picks with those of one surface as one, and the numbers of the picks in each."""
    out: list[tuple[Pick, frozenset[int]]] = []
    for number, pick in enumerate(picks):
        for k, (known, pieces) in enumerate(out):
            both = known.joined(pick)
            if both is not None:
                out[k] = (both, pieces | {number})
                break
        else:
            out.append((pick, frozenset({number})))
    return out
