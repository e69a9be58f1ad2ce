"""Loads: forces and torques on parts, springs between them, masses, and gravity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot
from types import MappingProxyType
from typing import Any

from ..errors import BadValue, MissingKey, SelfMate
from ..foundations.geometry.pose import Triple, numbers, triple
from .building.groups import Pattern
from .building.roster import ReferenceLike, Roster
from .mass import Mass
from .mate import Reference
from .numbers import finite
from .references import new_name

NOTHING: Triple = (0.0, 0.0, 0.0)

STRONGEST = 1e3
"""Gravity, m/s2, from which it must have been told in mm/s2."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """A force and a torque on a part.

    Attributes:
        name: unique among the loads of its assembly.
        at: the feature whose origin the force acts at; point: that origin in its part, mm.
        force: N; torque: N mm (a torque of 1 N m is 1000).
        axes: the part whose axes both are told along, and turn with; None: those of the world.
    """

    name: str
    at: Reference
    point: Triple
    force: Triple = NOTHING
    torque: Triple = NOTHING
    axes: str | None = None


@dataclass(frozen=True, kw_only=True)
class Spring:
    """What draws two features together along the line between their origins.

    The force is `force` + `stiffness` x (distance - `length`), N; below 0 it pushes them apart.

    Attributes:
        name: unique among the springs of its assembly.
        ends: the features, on two parts; points: their origins in their parts, mm.
        stiffness: N/mm; length: of the free spring, mm; force: at that length, N.
    """

    name: str
    ends: tuple[Reference, Reference]
    points: tuple[Triple, Triple]
    stiffness: float = 0.0
    length: float = 0.0
    force: float = 0.0


class Loading(Roster):
    """The loads, springs, masses and gravity of an assembly."""

    def __init__(self) -> None:
        super().__init__()
        self._loads: dict[str, Load] = {}
        self._springs: dict[str, Spring] = {}
        self._gravity: Triple = NOTHING

    @property
    def loads(self) -> Mapping[str, Load]:
        """Loads by name, in the order they were added."""
        return MappingProxyType(self._loads)

    @property
    def springs(self) -> Mapping[str, Spring]:
        """Springs by name, in the order they were added."""
        return MappingProxyType(self._springs)

    @property
    def gravity(self) -> Triple:
        """The acceleration of gravity in the world's axes, m/s2, as (0, 0, -9.81)."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Sequence[float]) -> None:
        given = triple(numbers(value, 3, "gravity"))
        if hypot(*given) > STRONGEST:
            wanted = f"an acceleration of at most {STRONGEST:g} m/s2, as (0, 0, -9.81)"
            raise BadValue("gravity", value, wanted)
        self._gravity = given
        self.revision += 1

    def load(
        self,
        at: ReferenceLike,
        *,
        force: Sequence[float] | None = None,
        torque: Sequence[float] | None = None,
        axes: str | None = None,
        name: str | None = None,
        place: str = "",
    ) -> Load:
        """Put a force (N) and a torque (N mm) on a part, at the origin of one of its features.

        Args:
            axes: the part along whose axes they are told, and with which they turn; those of the
                world by default.
            name: made from the feature if not given.
        """
        place = place or (f"loads.{name}" if name else "loads")
        ref = self.reference(at, f"{place}.at")
        name = new_name("load", name, f"load on {ref}", self._loads, place)
        if force is None and torque is None:
            raise MissingKey(place, "a load without 'torque'", "force")
        made = Load(
            name=name,
            at=ref,
            point=triple(self._parts[ref.part].feature(ref.feature).frame[:3]),
            force=triple(numbers(NOTHING if force is None else force, 3, f"{place}.force")),
            torque=triple(numbers(NOTHING if torque is None else torque, 3, f"{place}.torque")),
            axes=None if axes is None else self.part(axes, f"{place}.axes").name,
        )
        self._loads[name] = made
        self.revision += 1
        return made

    def spring(
        self,
        a: ReferenceLike,
        b: ReferenceLike,
        *,
        stiffness: float = 0.0,
        length: float = 0.0,
        force: float = 0.0,
        name: str | None = None,
        place: str = "",
    ) -> Spring:
        """Put a spring between two features; a gas spring has a force below 0 and no stiffness.

        Args:
            stiffness: N/mm; length: of the free spring, mm; force: at that length, N, above 0
                where it draws them together.
            name: made from the features if not given.
        """
        place = place or (f"springs.{name}" if name else "springs")
        refs = (self.reference(a, f"{place}.a"), self.reference(b, f"{place}.b"))
        if refs[0].part == refs[1].part:
            raise SelfMate(f"{refs[0]} - {refs[1]}", refs[0].part, place, "spring")
        name = new_name("spring", name, f"spring {refs[0]} - {refs[1]}", self._springs, place)
        for key, value in (("stiffness", stiffness), ("length", length)):
            if finite(value, f"{place}.{key}", "a number of at least 0") < 0:
                raise BadValue(f"{place}.{key}", value, "a number of at least 0")
        if finite(force, f"{place}.force", "a force in N") == stiffness == 0:
            raise MissingKey(place, "a spring without 'force'", "stiffness")
        spots = [triple(self._parts[r.part].feature(r.feature).frame[:3]) for r in refs]
        made = Spring(
            name=name,
            ends=refs,
            points=(spots[0], spots[1]),
            stiffness=float(stiffness),
            length=float(length),
            force=float(force),
        )
        self._springs[name] = made
        self.revision += 1
        return made

    def remove_spring(self, name: str) -> None:
        """Remove a spring."""
        self._remove("spring", self._springs, name)

    def remove_load(self, name: str) -> None:
        """Remove a load."""
        self._remove("load", self._loads, name)

    def set_mass(self, name: str, mass: Mass) -> None:
        """Give a part a mass; the instances of its patterns get the same."""
        part = self.part(name)
        if not isinstance(mass, Mass):
            raise BadValue(f"parts.{name}.mass", mass, "a mass, as Mass(kg, centre)")
        self._parts[name] = replace(part, mass=mass)
        for pattern in self._seeds.get(name, ()):
            group: Any = self._groups[pattern]
            assert isinstance(group, Pattern)
            for instance in group.parts:
                self._parts[instance] = replace(self._parts[instance], mass=mass)
        self.revision += 1
