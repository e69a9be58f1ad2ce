"""Named measures: scalars of an assembly that tolerances and studies ask for, mm or degrees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import degrees
from typing import Any

import numpy as np

from ...errors import BadValue, Contradiction, MissingKey
from ...foundations.geometry.pose import STILL, Pose, triple
from ...foundations.types import Array
from ..drivers.quantity import NAMING, Quantity, QuantityEntries, resolve_quantity
from ..entries import NamedEntries
from ..feature import Frame, unit
from ..mate import Reference, holds, resolved_sense
from ..measures import measure as m
from ..measures.measure import Marker, Measure, opposed, read
from ..numbers import finite
from ..references import end_of

WORLD = ""
"""The part of a marker that is fixed in the world."""

MEASURING = (*NAMING, "point", "along")
"""The keys that name what is measured."""


@dataclass(frozen=True, kw_only=True)
class NamedMeasure(Quantity):
    """A scalar that is measured at the poses of a solution, mm or degrees.

    Attributes:
        point: a feature whose origin is measured along `along`, a direction in the world, a unit
            vector; other quantities as those of drivers and limits.
        min, max: bounds that it is to keep; None without.
    """

    point: Reference | None = None
    along: tuple[float, ...] | None = None
    min: float | None = None
    max: float | None = None

    @property
    def kind(self) -> str:
        return "point" if self.point is not None else super().kind

    @property
    def words(self) -> str:
        return f"point {self.point}" if self.point is not None else super().words

    def named(self) -> dict[str, Any]:
        """The keys of `MEASURING` as in a file, references as pairs of part and feature."""
        if self.point is None:
            return super().named()
        assert self.along is not None
        return {"point": list(self.point), "along": list(self.along)}

    def check(self, place: str) -> None:
        """Raise BadValue where the bounds are no finite numbers in order."""
        for key in ("min", "max"):
            if getattr(self, key) is not None:
                finite(getattr(self, key), f"{place}.{key}")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise BadValue(f"{place}.max", self.max, f"at least {self.min:g}, the min")

    def reading(self, assembly: NamedEntries, poses: Mapping[str, Pose] | Array) -> Measure:
        """The measure at some poses, mm or rad: the same, or with b reversed, where the mate that
        the coordinate is of is opposed there."""
        found = self.measure
        if self.joint is None:
            return found
        a, b = (frame_at(assembly, poses, k.part) for k in (found.a, found.b))
        sense = resolved_sense(assembly.held[self.joint], a, b)
        return found._replace(b=opposed(found.b)) if sense < 0 else found

    def value(self, assembly: NamedEntries, poses: Mapping[str, Pose] | Array) -> float:
        """What is measured at some poses.

        Args:
            assembly: of which it is a measure, or a copy with other dimensions.
            poses: by part, those absent at their start; or world frames of all parts in their
                order, as `Solution.frames`, (parts, 12), mm.

        Returns:
            A length, mm, signed where the mate of that name is; or an angle, -180 to 180 degrees.
        """
        found = self.reading(assembly, poses)
        a, b = (frame_at(assembly, poses, k.part) for k in (found.a, found.b))
        value = read(found, a, b)
        return degrees(value) if self.unit == "deg" else value


def frame_at(assembly: NamedEntries, poses: Mapping[str, Pose] | Array, part: str) -> Array:
    """The world frame of a part at some poses, as of `NamedMeasure.value`, (12,), mm."""
    if part == WORLD:
        return STILL.frame
    if isinstance(poses, Mapping):
        return (poses[part] if part in poses else assembly.parts[part].pose).frame
    return np.asarray(poses[list(assembly.parts).index(part)], float)


def resolve_measure(
    entries: QuantityEntries, named: Mapping[str, Any], place: str
) -> dict[str, Any]:
    """The fields of a measure except its name and bounds, from the keys of `MEASURING`.

    Raises UnknownName, MissingKey, Contradiction, SelfMate, BadValue.
    """
    given = [key for key in MEASURING if named.get(key) is not None]
    if "along" in given and "point" not in given:
        raise MissingKey(place, "a measure with 'along'", "point")
    if "point" not in given:
        return resolve_quantity(entries, "a measure", named, place)
    others = [key for key in given if key not in ("point", "along")]
    if others:
        raise Contradiction(place, "point", others[0])
    if "along" not in given:
        raise MissingKey(place, "a measure of a point", "along")
    point = entries.reference(named["point"], f"{place}.point")
    along = unit(named["along"], f"{place}.along")
    base = Marker(WORLD, Frame((0.0, 0.0, 0.0), along).frame)
    height = Measure(m.DISPLACEMENT, 2, 0, base, end_of(point, entries.parts).marker)
    return {"point": point, "along": triple(along), "equation": holds(height)}
