"""Loads: forces and torques on parts, springs between them, masses, gravity; their editing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from types import MappingProxyType

from ..errors import BadValue, MissingKey, SelfMate
from ..foundations.geometry.pose import Triple, numbers, triple
from .building.roster import PartEditing, ReferenceLike
from .mass import Mass
from .mate import Reference
from .numbers import finite, not_negative
from .references import new_name

NOTHING: Triple = (0.0, 0.0, 0.0)

STRONGEST = 1e3
"""Gravity, m/s2, above which its unit must have been mm/s2."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """A force and a torque on a part.

    Attributes:
        at: the feature at whose origin the force acts; point: that origin in its part, mm.
        force: N; torque: N mm (1 N m is 1000); both along the axes of the part `axes`, with which
            they rotate, or along those of the world.
        axes: a part, or None for the world.
    """

    name: str
    at: Reference
    point: Triple
    force: Triple = NOTHING
    torque: Triple = NOTHING
    axes: str | None = None


@dataclass(frozen=True, kw_only=True)
class Spring:
    """A spring along the line between the origins of two features.

    The tension is `force` + `stiffness` x (distance - `length`), N; below 0 it is compression.

    Attributes:
        ends: the features, on two parts; points: their origins in their parts, mm.
        stiffness: N/mm; length: of the free spring, mm; force: at that length, N.
    """

    name: str
    ends: tuple[Reference, Reference]
    points: tuple[Triple, Triple]
    stiffness: float = 0.0
    length: float = 0.0
    force: float = 0.0


class LoadEditing(PartEditing):
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
        """The acceleration of gravity in world axes, m/s2, as (0, 0, -9.81); no gravity is 0.

        Setting it raises BadValue for other than three finite numbers, or above 1000 m/s2.
        """
        return self._gravity

    @gravity.setter
    def gravity(self, value: Sequence[float]) -> None:
        gravity = triple(numbers(value, 3, "gravity"))
        if hypot(*gravity) > STRONGEST:
            wanted = f"an acceleration of at most {STRONGEST:g} m/s2, as (0, 0, -9.81)"
            raise BadValue("gravity", value, wanted)
        self._gravity = gravity
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
        """Apply a force and a torque to a part, at the origin of one of its features.

        Args:
            force: N; torque: N mm; at least one of the two.
            axes: a part along whose axes both are, with which they rotate; by default the world's.
            name: unique among the loads; derived from the feature `at` by default.

        Raises MissingKey: neither force nor torque; UnknownName: no such feature or part;
        DuplicateName: the name is taken; BadValue: not three finite numbers.
        """
        place = place or (f"loads.{name}" if name else "loads")
        ref = self.reference(at, f"{place}.at")
        name = new_name("load", name, f"load on {ref}", self._loads, place)
        if force is None and torque is None:
            raise MissingKey(place, "a load without 'torque'", "force")
        new = Load(
            name=name,
            at=ref,
            point=triple(self._parts[ref.part].feature(ref.feature).frame[:3]),
            force=triple(numbers(NOTHING if force is None else force, 3, f"{place}.force")),
            torque=triple(numbers(NOTHING if torque is None else torque, 3, f"{place}.torque")),
            axes=None if axes is None else self.part(axes, f"{place}.axes").name,
        )
        return self._put(self._loads, name, new)

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
        """Add a spring between two features; a gas spring has a force below 0 and no stiffness.

        Args:
            a, b: features on two parts; it acts between their origins.
            stiffness: N/mm; length: of the free spring, mm; force: tension at that length, N.
            name: unique among the springs; derived from the features by default.

        Raises:
            SelfMate: both features are on one part; MissingKey: neither force nor stiffness.
            UnknownName: no such feature; DuplicateName: the name is taken; BadValue: a stiffness
                or length below 0, or a number that is not finite.
        """
        place = place or (f"springs.{name}" if name else "springs")
        refs = (self.reference(a, f"{place}.a"), self.reference(b, f"{place}.b"))
        if refs[0].part == refs[1].part:
            raise SelfMate(f"{refs[0]} - {refs[1]}", refs[0].part, place, "spring")
        name = new_name("spring", name, f"spring {refs[0]} - {refs[1]}", self._springs, place)
        for key, value in (("stiffness", stiffness), ("length", length)):
            not_negative(value, f"{place}.{key}")
        if finite(force, f"{place}.force", "a force in N") == stiffness == 0:
            raise MissingKey(place, "a spring without 'force'", "stiffness")
        one, two = (triple(self._parts[r.part].feature(r.feature).frame[:3]) for r in refs)
        values = {"stiffness": float(stiffness), "length": float(length), "force": float(force)}
        new = Spring(name=name, ends=refs, points=(one, two), **values)
        return self._put(self._springs, name, new)

    def remove_spring(self, name: str) -> None:
        """Remove a spring.  Raises UnknownName: no such spring."""
        self._remove("spring", self._springs, name)

    def remove_load(self, name: str) -> None:
        """Remove a load.  Raises UnknownName: no such load."""
        self._remove("load", self._loads, name)

    def set_mass(self, name: str, mass: Mass) -> None:
        """Set the mass of a part, and of the instances of its patterns.

        Raises UnknownName: no such part; BadValue: no `Mass`.
        """
        self.part(name)
        if not isinstance(mass, Mass):
            raise BadValue(f"parts.{name}.mass", mass, "a mass, as Mass(kg, centre)")
        self._alter(name, mass=mass)
