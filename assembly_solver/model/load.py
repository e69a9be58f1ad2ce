"""Loads: forces and torques on parts, masses, and gravity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot
from types import MappingProxyType
from typing import Any

from ..errors import BadValue, DuplicateName, MissingKey, UnknownName
from ..geometry.pose import Triple, numbers, triple
from .ends import fresh
from .groups import Pattern
from .mass import Mass
from .mate import Reference
from .roster import ReferenceLike, Roster

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


class Loading(Roster):
    """The loads, masses and gravity of an assembly."""

    def __init__(self) -> None:
        super().__init__()
        self._loads: dict[str, Load] = {}
        self._gravity: Triple = NOTHING

    @property
    def loads(self) -> Mapping[str, Load]:
        """Loads by name, in the order they were added."""
        return MappingProxyType(self._loads)

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
        if name is not None and (not isinstance(name, str) or not name):
            raise BadValue(f"{place}.name", name, "a name that is not empty")
        if name in self._loads:
            raise DuplicateName("load", str(name), place)
        if force is None and torque is None:
            raise MissingKey(place, "a load without 'torque'", "force")
        made = Load(
            name=name or fresh(f"load on {ref}", self._loads),
            at=ref,
            point=triple(self._parts[ref.part].feature(ref.feature).frame[:3]),
            force=triple(numbers(NOTHING if force is None else force, 3, f"{place}.force")),
            torque=triple(numbers(NOTHING if torque is None else torque, 3, f"{place}.torque")),
            axes=None if axes is None else self.part(axes, f"{place}.axes").name,
        )
        self._loads[made.name] = made
        self.revision += 1
        return made

    def remove_load(self, name: str) -> None:
        """Remove a load."""
        if name not in self._loads:
            raise UnknownName("load", name, self._loads)
        del self._loads[name]
        self.revision += 1

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
