"""Features of a part, in part coordinates.  Frozen; lengths in mm, angles in degrees.

A surface is also a simpler feature: a sphere is a point, its centre; a cone and a torus are axes; a
cylinder is an axis with a radius.  Mates of points or axes use these; only `tangent`, and
`distance` with `surfaces`, are between the surfaces themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

from ..errors import BadValue
from ..foundations.arguments import with_named_arguments
from ..foundations.geometry.pose import Triple, plain, position, three_numbers
from ..foundations.numerics.rounding import DIGITS, ROUNDING, UNIT
from ..foundations.numerics.varied import as_float, hypot, sqrt
from ..foundations.types import Numbers
from .numbers import is_number

FrameNumbers = tuple[float, ...]
"""Origin, x, y, z: 12 numbers."""

Directed = Numbers | str
"""What is taken for a direction: three numbers of any length, or a name such as "z" or "-x"."""

NAMED_DIRECTIONS: dict[str, Triple] = {
    sign + name: tuple((-1.0 if sign == "-" else 1.0) if k == i else 0.0 for k in range(3))  # type: ignore[misc]
    for sign in ("", "+", "-")
    for i, name in enumerate("xyz")
}


_NAMED = {v: v for name, v in NAMED_DIRECTIONS.items() if name[0] != "+"}
"""One object of each, as most features have one of them."""


def three_of(frame: Sequence[float], first: int) -> Triple:
    """The origin or an axis of a frame, from the index of its first number."""
    return (frame[first], frame[first + 1], frame[first + 2])


def unit(value: Any, place: str) -> Triple:
    """A unit vector from three numbers or a name such as "z" or "-x".

    Raises BadValue: a zero vector, numbers that are not finite, or no such name.
    """
    if isinstance(value, str):
        if value not in NAMED_DIRECTIONS:
            raise BadValue(place, value, 'three numbers or one of "x", "y", "z", "-x", "-y", "-z"')
        return NAMED_DIRECTIONS[value]
    x, y, z = found = three_numbers(value, place)
    varied = not (type(x) is type(y) is type(z) is float)
    if varied or abs(x * x + y * y + z * z - 1.0) > UNIT:  # one to rounding stays bit for bit
        n = hypot(x, y, z)
        if n < ROUNDING:
            raise BadValue(place, value, "a direction that is not zero")
        return (x / n, y / n, z / n)
    return _NAMED.get(found, found)


def _normal_part(x: Triple, z: Triple) -> Triple | None:
    """The component of x normal to z, normalised; None where x is parallel to z."""
    d = x[0] * z[0] + x[1] * z[1] + x[2] * z[2]
    p = (x[0] - d * z[0], x[1] - d * z[1], x[2] - d * z[2])
    n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    return (p[0] / n, p[1] / n, p[2] / n) if n > DIGITS else None


def zero_of_angles(z: Triple) -> Triple:
    """The direction of a part whose component normal to z is the zero of angles about z: x, or y
    where that is z."""
    return (0.0, 1.0, 0.0) if _normal_part((1.0, 0.0, 0.0), z) is None else (1.0, 0.0, 0.0)


def frame_of(origin: Triple, z: Triple, x: Triple | None) -> FrameNumbers:
    """A frame with this unit z; its x is the given one, else the part's x (y where that is z)."""
    xn = _normal_part(x, z) if x is not None else None
    if xn is None:
        if id(z) in _AXES:
            return (*origin, *_AXES[id(z)])
        xn = _normal_part((1.0, 0.0, 0.0), z) or _normal_part((0.0, 1.0, 0.0), z)
    assert xn is not None
    y = (z[1] * xn[2] - z[2] * xn[1], z[2] * xn[0] - z[0] * xn[2], z[0] * xn[1] - z[1] * xn[0])
    return (*origin, *xn, *y, *z)


_AXES: dict[int, FrameNumbers] = {}
_AXES |= {id(z): frame_of(z, z, None)[3:] for z in _NAMED}
"""The axes of a frame about one of the named directions, by which object that is: numbers that vary
may equal it, and their frame follows them."""

POSITIONS = {"point", "origin"}
_DIRECTIONS = {"direction", "normal", "z"}


def _transformed(v: Sequence[float], motion: Sequence[float], moved: float) -> Triple:
    """A vector rotated by a motion, and a point also translated: `moved` is 1."""
    x, y, z = v
    m = motion
    return (
        m[3] * x + m[6] * y + m[9] * z + moved * m[0],
        m[4] * x + m[7] * y + m[10] * z + moved * m[1],
        m[5] * x + m[8] * y + m[11] * z + moved * m[2],
    )


@dataclass(frozen=True)
class Feature:
    """Geometry on a part that mates refer to, in part coordinates; `frame` is its marker."""

    frame: FrameNumbers = field(init=False, repr=False, compare=False)

    @property
    def directed(self) -> bool:
        """Whether the feature has a direction."""
        return True

    def moved(self, motion: Sequence[float]) -> Self:
        """This feature after a rigid motion, with its zero of angles.

        Args:
            motion: 12 numbers: origin, x, y, z of the moved coordinate system, mm.
        """
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        for name in POSITIONS & values.keys():
            values[name] = _transformed(values[name], motion, 1.0)
        for name in _DIRECTIONS & values.keys():
            values[name] = _transformed(values[name], motion, 0.0)
        if "points" in values:
            values["points"] = tuple(_transformed(p, motion, 1.0) for p in values["points"])
        origin, x, y, z = (self.frame[k : k + 3] for k in (0, 3, 6, 9))
        x, y, z = (_transformed(axis, motion, 0.0) for axis in (x, y, z))
        values["frame"] = (*_transformed(origin, motion, 1.0), *x, *y, *z)
        if "x" in values:
            values["x"] = x
        out = copy(self)  # already validated
        out._set(**values)
        return out

    def placed_at(self, at: Any) -> Self:
        """This feature, one of a type in `PLACED`, at another position, with its directions.

        Raises BadValue: not three finite numbers.
        """
        key = "origin" if isinstance(self, Frame) else "point"
        p, out = position(at, key), object.__new__(type(self))
        out.__dict__.update(self.__dict__)
        out.__dict__[key], out.__dict__["frame"] = p, (*p, *self.frame[3:])
        return out

    def _orient(self, origin: str, axis: str) -> None:
        """Check the origin and the z axis, fields of these names, and `x`; set the frame."""
        given = vars(self)
        p, z = position(given[origin], origin), unit(given[axis], axis)
        x = unit(given["x"], "x") if given["x"] is not None else None
        if x is not None and _normal_part(x, z) is None:
            raise BadValue("x", given["x"], "a direction that is not parallel to the axis")
        self._set(**{origin: p, axis: z}, x=x, frame=frame_of(p, z, x))

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


@with_named_arguments
@dataclass(frozen=True)
class Point(Feature):
    """A point: three coordinates, mm.  Raises BadValue: not three finite numbers."""

    point: Triple

    if TYPE_CHECKING:  # what is given becomes a triple

        def __init__(self, point: Numbers) -> None: ...

    def __post_init__(self) -> None:
        p = position(self.point, "point")
        self._set(point=p, frame=(*p, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))

    @property
    def directed(self) -> bool:
        return False


@with_named_arguments
@dataclass(frozen=True)
class Axis(Feature):
    """A directed line: the axis of a hole, a pin, an edge.

    Attributes:
        point: any point on it, mm; direction: "z", "-x", ... or three numbers, made a unit vector.
        x: direction of angle 0 about it; by default the part's x (y for an axis along x).
        radius: of the hole or pin, mm.

    Raises BadValue: a zero direction, an x parallel to it, a negative radius, numbers not finite.
    """

    point: Triple
    direction: Triple
    x: Triple | None = None
    radius: float | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            point: Numbers,
            direction: Directed,
            x: Directed | None = None,
            radius: float | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        self._orient("point", "direction")
        radius = plain(self.radius)
        if radius is not None and not (is_number(radius) and isfinite(radius) and radius >= 0):
            raise BadValue("radius", radius, "a length of at least 0")
        self._set(radius=radius)


def _length(value: Any, place: str) -> float:
    """A length above 0."""
    value = plain(value)
    if not (is_number(value) and isfinite(value) and value > 0):
        raise BadValue(place, value, "a length above 0")
    return as_float(value)


@with_named_arguments
@dataclass(frozen=True)
class Sphere(Point):
    """A sphere about the point; `radius` in mm.  Raises BadValue: a radius that is not above 0."""

    radius: float = field(kw_only=True)

    if TYPE_CHECKING:

        def __init__(self, point: Numbers, *, radius: float) -> None: ...

    def __post_init__(self) -> None:
        Point.__post_init__(self)
        self._set(radius=_length(self.radius, "radius"))


@with_named_arguments
@dataclass(frozen=True)
class Cone(Axis):
    """A cone: the point is its apex, the direction is from the apex into it.

    `angle` is half the opening angle, between the axis and the surface, degrees.

    Raises BadValue: an angle that is not between 0 and 90 degrees.
    """

    radius: None = field(init=False, default=None)
    angle: float = field(kw_only=True)

    if TYPE_CHECKING:

        def __init__(
            self, point: Numbers, direction: Directed, x: Directed | None = None, *, angle: float
        ) -> None: ...

    def __post_init__(self) -> None:
        Axis.__post_init__(self)
        if not (is_number(self.angle) and 0 < self.angle < 90):
            raise BadValue("angle", self.angle, "half an opening angle, between 0 and 90 degrees")
        self._set(angle=as_float(self.angle))


@with_named_arguments
@dataclass(frozen=True)
class Torus(Axis):
    """A torus: the point is its centre, the direction its axis.

    Attributes:
        radius: of the centre line of the tube, mm; tube: radius of the tube, mm.

    Raises BadValue: a tube that is not thinner than the ring, or a length that is not above 0.
    """

    radius: float = field(kw_only=True)
    tube: float = field(kw_only=True)

    if TYPE_CHECKING:

        def __init__(
            self,
            point: Numbers,
            direction: Directed,
            x: Directed | None = None,
            *,
            radius: float,
            tube: float,
        ) -> None: ...

    def __post_init__(self) -> None:
        Axis.__post_init__(self)
        self._set(radius=_length(self.radius, "radius"), tube=_length(self.tube, "tube"))
        if self.tube >= self.radius:
            raise BadValue("tube", self.tube, f"thinner than the ring ({self.radius:g} mm)")


@with_named_arguments
@dataclass(frozen=True)
class Plane(Feature):
    """A plane through a point (mm), with a normal that points out of the material.

    Attributes:
        x: direction of angle 0 about the normal; by default the part's x (y for a normal along x).

    Raises BadValue: a zero normal, an x parallel to it, or numbers that are not finite.
    """

    point: Triple
    normal: Triple
    x: Triple | None = None

    if TYPE_CHECKING:

        def __init__(self, point: Numbers, normal: Directed, x: Directed | None = None) -> None: ...

    def __post_init__(self) -> None:
        self._orient("point", "normal")


@with_named_arguments
@dataclass(frozen=True)
class Frame(Feature):
    """A coordinate system: origin (mm), z axis and x axis (made normal to z).  Raises BadValue: a
    zero z, an x parallel to it, or numbers that are not finite."""

    origin: Triple
    z: Triple = (0.0, 0.0, 1.0)
    x: Triple | None = None

    if TYPE_CHECKING:

        def __init__(
            self, origin: Numbers, z: Directed = (0.0, 0.0, 1.0), x: Directed | None = None
        ) -> None: ...

    def __post_init__(self) -> None:
        self._orient("origin", "z")


PLACED = frozenset((Point, Axis, Sphere, Cone, Torus, Plane, Frame))
"""Types of features that have a position, which their directions do not depend on."""


def basic_type(feature: Feature) -> type[Feature]:
    """The type of a feature where its surface is not used: Point, Axis, Plane, Frame."""
    for kind in (Point, Axis, Plane, Frame):
        if isinstance(feature, kind):
            return kind
    return type(feature)


_O: Triple = (0.0, 0.0, 0.0)
OWN_FEATURES: dict[str, Feature] = {
    "origin": Frame(_O, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
    "x": Axis(_O, (1.0, 0.0, 0.0)),
    "y": Axis(_O, (0.0, 1.0, 0.0)),
    "z": Axis(_O, (0.0, 0.0, 1.0)),
    "xy": Plane(_O, (0.0, 0.0, 1.0)),
    "yz": Plane(_O, (1.0, 0.0, 0.0)),
    "zx": Plane(_O, (0.0, 1.0, 0.0)),
}
"""The features of every part: its coordinate system, axes and planes."""
