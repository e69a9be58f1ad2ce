"""Couplings: linear relations between joint coordinates, with whole turns counted.

A coupling names joints instead of features; its ends are features of the parts that the joints
move.  A `constant` of None is that of the start pose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import BadValue, MissingKey, UnknownName
from ...foundations.numerics.varied import as_float, degrees, radians
from ..equation_set import equation_set
from ..mate import Equation, Mate, ResolvedMate
from ..measures.measure import IS_ANGLE, WIDEST, Measure
from ..numbers import finite, not_zero, positive, several, true_or_false


@dataclass(frozen=True, kw_only=True)
class Coupling(Mate):
    """A relation between the coordinates of joints: removes 1 freedom.

    Attributes:
        joints: names of the mates whose coordinates are related.
        constant: degrees if all coordinates are angles, else mm; None: that of the start pose.
    """

    joints: tuple[str, ...]
    constant: float | None = None

    removes = 1

    @property
    def wanted(self) -> tuple[str, ...]:
        """The coordinate of each joint: "angle" or "length"."""
        raise NotImplementedError

    @property
    def factors(self) -> tuple[float, ...]:
        """Coefficients of the coordinates, mm and degrees: the weighted sum is the constant."""
        raise NotImplementedError

    def check(self, place: str) -> None:
        if self.constant is not None:
            finite(self.constant, f"{place}.constant")

    def relation(self, measures: tuple[Measure, ...]) -> Equation:
        """The equation between the measures of the coordinates, in mm or rad."""
        angles = [bool(IS_ANGLE[found.kind]) for found in measures]
        alone = all(angles)  # rad if all are angles, else mm
        terms = [
            (factor if alone or not angle else degrees(factor), found)
            for factor, found, angle in zip(self.factors, measures, angles, strict=True)
        ]
        terms.sort(key=lambda term: bool(IS_ANGLE[term[1].kind]))  # the first term defines the unit
        constant = self.constant
        if constant is not None and alone:
            constant = radians(constant)
        return Equation(tuple(terms), constant)


@dataclass(frozen=True, kw_only=True)
class Gear(Coupling):
    """Two gears: angle 2 = ratio x angle 1 + constant; above 0 both turn the same way.

    Each angle is that of the joint's second part about the z axis of its first.  Give `ratio`
    (negative for external gears on parallel axes), or `teeth` of both, and `internal` where the
    second is a ring.
    """

    ratio: float | None = None
    teeth: tuple[int, int] | None = None
    internal: bool = False

    kind = "gear"
    wanted = ("angle", "angle")

    def check(self, place: str) -> None:
        Coupling.check(self, place)
        true_or_false(self.internal, f"{place}.internal")
        if (self.ratio is None) == (self.teeth is None):
            raise BadValue(place, self.ratio, 'a gear with either "ratio" or "teeth"')
        if self.ratio is not None:
            not_zero(self.ratio, f"{place}.ratio")
            if self.internal:
                raise BadValue(f"{place}.internal", True, 'left out: the sign of "ratio" tells it')
        else:
            teeth = several(self.teeth, 2, f"{place}.teeth", "two numbers")
            if not all(isinstance(z, int) and not isinstance(z, bool) and z > 0 for z in teeth):
                raise BadValue(f"{place}.teeth", self.teeth, "two numbers of teeth")

    @property
    def factors(self) -> tuple[float, ...]:
        if self.ratio is not None:
            return (-self.ratio, 1.0)
        assert self.teeth is not None
        ratio = self.teeth[0] / self.teeth[1]
        return (-ratio if self.internal else ratio, 1.0)


@dataclass(frozen=True, kw_only=True)
class RackAndPinion(Coupling):
    """A pinion on a rack: length 2 = radius x angle 1 + constant; joints are rotary, linear.

    A negative radius puts the rack on the other side of the pinion.
    """

    radius: float

    kind = "rack_and_pinion"
    wanted = ("angle", "length")

    def check(self, place: str) -> None:
        Coupling.check(self, place)
        not_zero(self.radius, f"{place}.radius")

    @property
    def factors(self) -> tuple[float, ...]:
        return (-radians(self.radius), 1.0)


@dataclass(frozen=True, kw_only=True)
class Belt(Coupling):
    """A belt over two pulleys: angle 2 = radius 1 / radius 2 x angle 1 + constant.

    A `crossed` belt reverses the rotation of the second one.
    """

    radii: tuple[float, float]
    crossed: bool = False

    kind = "belt"
    wanted = ("angle", "angle")

    def check(self, place: str) -> None:
        Coupling.check(self, place)
        true_or_false(self.crossed, f"{place}.crossed")
        for value in several(self.radii, 2, f"{place}.radii", "two numbers"):
            positive(value, f"{place}.radii")

    @property
    def factors(self) -> tuple[float, ...]:
        ratio = self.radii[0] / self.radii[1]
        return (ratio if self.crossed else -ratio, 1.0)


@dataclass(frozen=True, kw_only=True)
class LinearCoupling(Coupling):
    """Joint coordinates in a linear relation: sum of coefficient x coordinate = constant.

    Coordinates are in mm and degrees.
    """

    coordinates: tuple[str, ...]  # type: ignore[misc]  # of its joints: the key in files
    coefficients: tuple[float, ...]

    kind = "linear"

    def check(self, place: str) -> None:
        Coupling.check(self, place)
        if not self.coordinates:
            raise MissingKey(place, self.kind, "coordinates")
        for key in ("coordinates", "coefficients"):
            count = len(self.joints)
            several(getattr(self, key), count, f"{place}.{key}", f"{count}, one for each joint")
        for value in self.coefficients:
            not_zero(value, f"{place}.coefficients")

    @property
    def wanted(self) -> tuple[str, ...]:
        return tuple(self.coordinates)

    @property
    def factors(self) -> tuple[float, ...]:
        return tuple(as_float(c) for c in self.coefficients)


def coordinates_of(found: ResolvedMate) -> tuple[str, ...]:
    """The coordinates of a mate; none of a coupling."""
    return () if isinstance(found.mate, Coupling) else found.mate.coordinates


def with_coordinates(mates: Mapping[str, ResolvedMate]) -> list[str]:
    """The names of the mates that have a coordinate."""
    return [name for name, found in mates.items() if coordinates_of(found)]


def joints_of(joints: Any, known: Mapping[str, ResolvedMate], place: str) -> tuple[str, ...]:
    """The names of two or more existing joints.  Raises BadValue: too few or too many; UnknownName:
    no such joint."""
    if not isinstance(joints, (tuple, list)) or not 2 <= len(joints) <= WIDEST // 2:
        raise BadValue(place, joints, f"the names of 2 to {WIDEST // 2} joints")
    names = tuple(j.name if isinstance(j, Mate) else str(j) for j in joints)
    for name in names:
        if name not in known:
            raise UnknownName("joint", name, with_coordinates(known), place)
    return names


def coupled(
    cls: type[Coupling],
    name: str,
    joints: tuple[str, ...],
    parameters: Mapping[str, Any],
    known: Mapping[str, ResolvedMate],
    place: str,
) -> ResolvedMate:
    """A coupling with the coordinates of its joints resolved, and its equation.  Raises BadValue,
    UnknownName: as the joints and the parameters."""
    values: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in parameters.items()}
    first, last = known[joints[0]], known[joints[-1]]
    coupling = cls(a=first.mate.b, b=last.mate.b, name=name, joints=joints, **values)
    coupling.check(place)
    if len(coupling.wanted) != len(joints):
        raise BadValue(f"{place}.joints", list(joints), f"{len(coupling.wanted)} joints")
    if len({*zip(joints, coupling.wanted, strict=True)}) < len(joints):
        raise BadValue(f"{place}.joints", list(joints), "coordinates that differ")
    measures = []
    for joint, wanted in zip(joints, coupling.wanted, strict=True):
        found = known[joint]
        if wanted not in coordinates_of(found):
            raise UnknownName("coordinate", wanted, coordinates_of(found), place, repr(joint))
        measures.append(found.mate.coordinate(wanted, found.a, found.b))
    relation = equation_set([coupling.relation(tuple(measures))])
    return ResolvedMate(coupling, first.b, last.b, relation, None)
