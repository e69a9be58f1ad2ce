"""Features of a part, in part coordinates: Point, Axis, Plane, Frame.  Frozen; lengths in mm."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot, isfinite, sqrt
from typing import Any

from ..errors import BadValue
from ..geometry.pose import Triple, numbers, position

FrameNumbers = tuple[float, ...]
"""Origin, x, y, z: 12 numbers."""

NAMED_DIRECTIONS: dict[str, Triple] = {
    sign + name: tuple((-1.0 if sign == "-" else 1.0) * float(k == i) for k in range(3))  # type: ignore[misc]
    for sign in ("", "+", "-")
    for i, name in enumerate("xyz")
}


def unit(value: Any, place: str) -> Triple:
    """A unit vector from three numbers or a name such as "z" or "-x"."""
    if isinstance(value, str):
        if value not in NAMED_DIRECTIONS:
            raise BadValue(place, value, 'three numbers or one of "x", "y", "z", "-x", "-y", "-z"')
        return NAMED_DIRECTIONS[value]
    x, y, z = numbers(value, 3, place)
    if abs(x * x + y * y + z * z - 1.0) > 1e-15:  # a unit vector to rounding stays bit for bit
        n = hypot(x, y, z)
        if n < 1e-12:
            raise BadValue(place, value, "a direction that is not zero")
        x, y, z = x / n, y / n, z / n
    return (x, y, z)


def _normal_part(x: Triple, z: Triple) -> Triple | None:
    """The part of x normal to z, as a unit vector; None where x is parallel to z."""
    d = x[0] * z[0] + x[1] * z[1] + x[2] * z[2]
    p = (x[0] - d * z[0], x[1] - d * z[1], x[2] - d * z[2])
    n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    return (p[0] / n, p[1] / n, p[2] / n) if n > 1e-6 else None


def frame_of(origin: Triple, z: Triple, x: Triple | None) -> FrameNumbers:
    """A frame with this z; its x is the given one, or else the part's x (y where that is z)."""
    xn = _normal_part(x, z) if x is not None else None
    if xn is None:
        xn = _normal_part((1.0, 0.0, 0.0), z) or _normal_part((0.0, 1.0, 0.0), z)
    assert xn is not None
    y = (
        z[1] * xn[2] - z[2] * xn[1],
        z[2] * xn[0] - z[0] * xn[2],
        z[0] * xn[1] - z[1] * xn[0],
    )
    return (*origin, *xn, *y, *z)


def _zero_direction(x: Any, z: Triple, place: str) -> Triple | None:
    if x is None:
        return None
    out = unit(x, place)
    if _normal_part(out, z) is None:
        raise BadValue(place, x, "a direction that is not parallel to the axis")
    return out


@dataclass(frozen=True)
class Feature:
    """Something on a part that a mate can hold."""

    frame: FrameNumbers = field(init=False, repr=False, compare=False)

    @property
    def directed(self) -> bool:
        """Whether the feature has a direction."""
        return True

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Point(Feature):
    """A point."""

    point: Triple

    def __post_init__(self) -> None:
        p = position(self.point, "point")
        self._set(point=p, frame=(*p, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))

    @property
    def directed(self) -> bool:
        return False


@dataclass(frozen=True)
class Axis(Feature):
    """A directed line: the axis of a hole, a pin, an edge.

    Attributes:
        point: any point on it; direction: its direction, "z" or three numbers.
        x: the zero of angles about it; radius: of the hole or pin, mm.
    """

    point: Triple
    direction: Triple
    x: Triple | None = None
    radius: float | None = None

    def __post_init__(self) -> None:
        p, z = position(self.point, "point"), unit(self.direction, "direction")
        x = _zero_direction(self.x, z, "x")
        if self.radius is not None and not (isfinite(self.radius) and self.radius >= 0):
            raise BadValue("radius", self.radius, "a length of at least 0")
        self._set(point=p, direction=z, x=x, frame=frame_of(p, z, x))


@dataclass(frozen=True)
class Plane(Feature):
    """A plane with a normal that points out of the material."""

    point: Triple
    normal: Triple
    x: Triple | None = None

    def __post_init__(self) -> None:
        p, z = position(self.point, "point"), unit(self.normal, "normal")
        x = _zero_direction(self.x, z, "x")
        self._set(point=p, normal=z, x=x, frame=frame_of(p, z, x))


@dataclass(frozen=True)
class Frame(Feature):
    """A coordinate system: origin, z axis and x axis (made normal to z)."""

    origin: Triple
    z: Triple = (0.0, 0.0, 1.0)
    x: Triple | None = None

    def __post_init__(self) -> None:
        p, z = position(self.origin, "origin"), unit(self.z, "z")
        x = _zero_direction(self.x, z, "x")
        self._set(origin=p, z=z, x=x, frame=frame_of(p, z, x))


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
"""What every part has without being told."""
