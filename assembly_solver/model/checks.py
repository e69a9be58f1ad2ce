"""The kinds of checks.

Lengths in mm, angles in degrees, forces in N (torques in N mm).  A check along the motion of a
driver without a `driver` applies to each; `over` is the evaluated interval, by default the range of
the driver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..errors import BadValue, Contradiction, MissingKey, UnknownName
from .check import REGISTRY, Check, KnownNames, takes
from .mate import Reference


@dataclass(frozen=True, kw_only=True)
class Dof(Check):
    """The degrees of freedom that the mates leave, drivers not counted."""

    equals: int | None = takes("count", "exactly so many")
    min: int | None = takes("count", "at least so many")
    max: int | None = takes("count", "at most so many")

    kind = "dof"
    needs = (("equals", "min", "max"),)


@dataclass(frozen=True, kw_only=True)
class Redundant(Check):
    """The redundant equations of the mates in the solved assembly."""

    equals: int | None = takes("count", "exactly so many")
    max: int | None = takes("count", "at most so many")

    kind = "redundant"
    needs = (("equals", "max"),)


@dataclass(frozen=True, kw_only=True)
class ModeCount(Check):
    """The assembly modes in which the loops close, drivers at their values.

    Where others than those found are not excluded, it does not pass with `equals` or `max`.
    """

    equals: int | None = takes("count", "exactly so many")
    min: int | None = takes("count", "at least so many")
    max: int | None = takes("count", "at most so many")

    kind = "modes"
    needs = (("equals", "min", "max"),)


@dataclass(frozen=True, kw_only=True)
class Grashof(Check):
    """The class of the four-bar loops by Grashof's condition."""

    joint: str | None = takes("joint", "of the loops; all of them unless given")
    equals: str | None = takes("class", "the class they have to be of")

    kind = "grashof"
    needs = (("equals",),)


@dataclass(frozen=True, kw_only=True)
class AlongTheWay(Check):
    """A check of what a driver meets on its way, the others held at their values."""

    driver: str | None = takes("driver", "whose way; that of each driver unless given")
    over: tuple[float, float] | None = takes("interval", "the part of the way that is looked at")


@dataclass(frozen=True, kw_only=True)
class Range(Check):
    """A driver goes through this range in one continuous motion from where it stands."""

    driver: str | None = takes("driver", "which")
    covers: tuple[float, float] | None = takes("interval", "from, to")

    kind = "range"
    needs = (("driver",), ("covers",))


@dataclass(frozen=True, kw_only=True)
class DeadPoints(Check):
    """Dead points of a driver: where it can go no further, or where branches meet."""

    driver: str | None = takes("driver", "whose; those of each driver unless given")
    max: int = takes("count", "how many there may be", 0)
    none_in: tuple[float, float] | None = takes("interval", "where; the driver's range by default")

    kind = "dead_points"


@dataclass(frozen=True, kw_only=True)
class BranchChanges(AlongTheWay):
    """How often the motion goes over to another branch, at a change point."""

    max: int = takes("count", "how often it may", 0)

    kind = "branch_changes"


@dataclass(frozen=True, kw_only=True)
class OnBranch(Check):
    """A range of a driver lies on the branch on which a planar linkage stands."""

    driver: str | None = takes("driver", "whose; that of each driver unless given")
    covers: tuple[float, float] | None = takes("interval", "which; the driver's range by default")

    kind = "branch"


@dataclass(frozen=True, kw_only=True)
class OnCircuit(Check):
    """A range of a driver lies on the branches of the circuit on which a planar linkage stands.

    Reaching one branch from the other may need motion through a dead point of the driver.
    """

    driver: str | None = takes("driver", "whose; that of each driver unless given")
    covers: tuple[float, float] | None = takes("interval", "which; the driver's range by default")

    kind = "circuit"


@dataclass(frozen=True, kw_only=True)
class Limits(AlongTheWay):
    """No limit is touched."""

    kind = "limits"


@dataclass(frozen=True, kw_only=True)
class Residual(AlongTheWay):
    """What the worst mate is off, in the solved assembly and on the way."""

    max: float | None = takes("size", "mm")

    kind = "residual"
    needs = (("max",),)


@dataclass(frozen=True, kw_only=True)
class TransmissionAngle(AlongTheWay):
    """The acute angle between the two links of a dyad at their common joint."""

    at: str | None = takes("joint", "which; the smallest of all unless given")
    min: float | None = takes("size", "degrees")

    kind = "transmission_angle"
    needs = (("min",),)


@dataclass(frozen=True, kw_only=True)
class Bounded(AlongTheWay):
    """A check of a value that has to stay between two bounds on the way."""

    min: float | None = takes("number", "at the least")
    max: float | None = takes("number", "at the most")


@dataclass(frozen=True, kw_only=True)
class MechanicalAdvantage(Bounded):
    """Output over input by virtual work, friction and weight aside: its size.

    The output is the force of a point along `direction`, or along its path, or the force or torque
    of a joint's coordinate or of a driver; the input that of the driver.
    """

    point: Reference | None = takes("feature", "the output: its origin")
    joint: str | None = takes("joint", "the output: its coordinate")
    coordinate: str | None = takes("coordinate", "of the joint")
    direction: tuple[float, ...] | None = takes("direction", "of the output at the point, world")

    kind = "mechanical_advantage"
    needs = (("min", "max"), ("point", "joint"))
    one_of = (("point", "joint"),)


@dataclass(frozen=True, kw_only=True)
class OutputForce(Bounded):
    """The force at a point by virtual work from a cylinder's push at its pressure, N."""

    point: Reference | None = takes("feature", "where the force acts")
    direction: tuple[float, ...] | None = takes("direction", "of the force; the path by default")

    kind = "output_force"
    needs = (("min", "max"), ("point",), ("driver",))

    def check(self, known: KnownNames, place: str) -> None:
        super().check(known, place)
        cylinder = known.cylinders.get(self.driver or "")
        if cylinder is None or cylinder.push is None:
            wanted = "a cylinder with a bore and a pressure"
            raise BadValue(f"{place}.driver", self.driver, wanted)


@dataclass(frozen=True, kw_only=True)
class Force(AlongTheWay):
    """The size of the force of a driver, or of the reaction in a joint, under the loads.

    N, and N mm for a driver of an angle.  Without `of` and `joint` it is the force of the driver
    itself.  Without `max` it is compared with the push and pull of a cylinder at its pressure.
    """

    of: str | None = takes("driver", "another driver, whose force")
    joint: str | None = takes("joint", "the joint whose reaction")
    max: float | None = takes("size", "N, or N mm; what a cylinder can do by default")

    kind = "force"
    needs = (("max", "of", "driver"),)
    one_of = (("of", "joint"),)

    def check(self, known: KnownNames, place: str) -> None:
        super().check(known, place)
        if self.max is None and self.joint is not None:
            raise MissingKey(place, "a check of the force in a joint", "max")
        name = self.of or self.driver
        if self.max is None and name is not None:
            cylinder = known.cylinders.get(name)
            if cylinder is None or cylinder.push is None:
                what = f"driver {name!r}, which is no cylinder with a bore and a pressure,"
                raise MissingKey(place, what, "max")


@dataclass(frozen=True, kw_only=True)
class Coordinate(Bounded):
    """The coordinate of a joint stays between bounds, or covers a range."""

    joint: str | None = takes("joint", "which")
    coordinate: str | None = takes("coordinate", "of the joint")
    covers: tuple[float, float] | None = takes("interval", "from, to")

    kind = "coordinate"
    needs = (("joint",), ("min", "max", "covers"))


@dataclass(frozen=True, kw_only=True)
class PointStays(AlongTheWay):
    """Where a point goes: inside bounds, through a place, along a straight line."""

    point: Reference | None = takes("feature", "its origin")
    x: tuple[float, float] | None = takes("interval", "bounds in the world, mm")
    y: tuple[float, float] | None = takes("interval", "bounds in the world, mm")
    z: tuple[float, float] | None = takes("interval", "bounds in the world, mm")
    reaches: tuple[float, ...] | None = takes("position", "a place that it comes to, mm")
    within: float = takes("size", "how near it has to come there, mm", 1.0)
    straight: float | None = takes("size", "what its path may be off a straight line, mm")

    kind = "point"
    needs = (("point",), ("x", "y", "z", "reaches", "straight"))


@dataclass(frozen=True, kw_only=True)
class Speed(AlongTheWay):
    """The speed of a point at a speed of the driver."""

    point: Reference | None = takes("feature", "its origin")
    speed: float = takes("size", "of the driver, mm/s or degrees/s", 1.0)
    max: float | None = takes("size", "mm/s")

    kind = "speed"
    needs = (("point",), ("max",))


@dataclass(frozen=True, kw_only=True)
class Clearance(AlongTheWay):
    """The smallest distance between the geometry of two parts."""

    parts: tuple[str, str] | None = takes("parts", "which")
    min: float | None = takes("size", "mm")

    kind = "clearance"
    needs = (("parts",), ("min",))


@dataclass(frozen=True, kw_only=True)
class NoContact(AlongTheWay):
    """No two parts with geometry come into contact.

    The watched pairs are `parts`, else those of the assembly's `contact`, by default all that no
    mate joins.
    """

    parts: tuple[str, str] | None = takes("parts", "which; all watched pairs without it")

    kind = "contact"


@dataclass(frozen=True, kw_only=True)
class ToleranceMet(Check):
    """A measure keeps its bounds in samples of the assembly within its tolerances.

    A sample that does not close, or only in another assembly mode, does not keep them.
    """

    measure: str | None = takes("measure", "which; it needs min or max")
    meets: float | None = takes("share", "share of the samples within the bounds, at the least")
    cpk: float | None = takes("number", "process capability of the samples, at the least")
    samples: int = takes("samples", "how many", 10000)
    seed: int = takes("count", "of the samples", 1)

    kind = "tolerance"
    needs = (("measure",), ("meets", "cpk"))

    def check(self, known: KnownNames, place: str) -> None:
        super().check(known, place)
        bounded = known.measures[self.measure or ""]
        if bounded.min is None and bounded.max is None:
            raise BadValue(f"{place}.measure", self.measure, "a measure with min or max")


CHECKS: Mapping[str, type[Check]] = MappingProxyType(REGISTRY)
"""Every kind of check by its name in files."""


def check_kind(kind: Any, place: str) -> type[Check]:
    """A kind of check by its name.  Raises UnknownName: no such kind."""
    if not isinstance(kind, str) or kind not in CHECKS:
        raise UnknownName("check kind", str(kind), CHECKS, f"{place}.kind")
    return CHECKS[kind]


def make_check(kind: str, parameters: Mapping[str, Any], known: KnownNames, place: str) -> Check:
    """A check with its names resolved and its values checked; without a name.  Raises UnknownName,
    BadValue, MissingKey, Contradiction, SelfMate: as the parameters."""
    cls = check_kind(kind, place)
    roles = {f.name: f.metadata["role"] for f in cls.fields()}
    given: dict[str, Any] = {}
    for key, value in parameters.items():
        if key not in roles:
            raise UnknownName("parameter", key, (*roles, "name"), place, cls.kind)
        if value is not None:
            given[key] = roles[key].clean(value, known, f"{place}.{key}")
    for group in cls.needs:
        if not any(key in given for key in group):
            raise MissingKey(place, f"a check of kind {cls.kind}", " or ".join(group))
    for group in cls.one_of:
        both = [key for key in group if key in given]
        if len(both) > 1:
            raise Contradiction(place, *both[:2])
    out = cls(**given)
    out.check(known, place)
    return out
