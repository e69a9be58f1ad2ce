"""Editing of the named positions of an assembly: values that its drivers take together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ...errors import AssemblySolverError, BadValue, Contradiction, DuplicateName, UnknownName
from ..drivers.driver import Driver
from ..mates.couplings import with_coordinates
from ..numbers import finite
from ..references import check_name
from .driving import DriverEditing

MODE = "mode"
"""Key of the assembly mode beside the names of drivers in a file."""


@dataclass(frozen=True)
class Position:
    """A named position of an assembly: what it does not tell stays as it is.

    Attributes:
        values: by what takes them: a driver, or a coordinate of a joint, as "hinge.angle", mm or
            degrees; of a guide the time, s.
        mode: the assembly mode in which its loops close; None: the one that is reached.
    """

    name: str
    values: Mapping[str, float]
    mode: str | None = None


class PositionEditing(DriverEditing):
    """The named positions of an assembly."""

    def __init__(self) -> None:
        super().__init__()
        self._positions: dict[str, Position] = {}

    @property
    def positions(self) -> Mapping[str, Position]:
        """Positions by name, in the order they were added."""
        return MappingProxyType(self._positions)

    def position(
        self, name: str, values: Mapping[str, float], *, mode: str | None = None, place: str = ""
    ) -> Position:
        """Store a position; `take_position` brings the drivers to it.

        Args:
            name: unique among the positions.
            values: by the name of a driver, of a joint, or of a joint's coordinate, as
                "hinge.angle": mm or degrees, of a guide s; `standing` has those of the present.
            mode: assembly mode to close in, as of `solve`.

        Raises UnknownName: no such driver or joint; MissingKey: a joint with two coordinates;
        BadValue: a value that it cannot have; Contradiction: one driver would get two values;
        DuplicateName: the name is taken.

        Examples:
            >>> from assembly_solver import Assembly, Axis
            >>> a = Assembly("hinge")
            >>> _ = a.add("frame", grounded=True, features={"pin": Axis((0, 0, 0), "z")})
            >>> _ = a.add("door", features={"pin": Axis((0, 0, 5), "z")})
            >>> _ = a.mate("revolute", "frame.pin", "door.pin", name="hinge")
            >>> _ = a.position("open", {"hinge": 110})
            >>> a.take_position("open").values
            {'hinge': 110.0}
        """
        place = place or f"positions.{name}"
        check_name(name, place)
        if name in self._positions:
            raise DuplicateName("position", name, place)
        if mode is not None and (not isinstance(mode, str) or not mode or MODE in values):
            raise BadValue(f"{place}.{MODE}", mode, "the name of an assembly mode, as '+-'")
        told: dict[str, float] = {}
        drivers: dict[str, str] = {}
        for key, value in values.items():
            where = f"{place}.{key}"
            driver = self._driver_named(key, where)
            if driver.words in drivers:
                raise Contradiction(place, repr(drivers[driver.words]), repr(key))
            drivers[driver.words] = key
            told[key] = finite(driver.checked(value, where), where)
        return self._put(self._positions, name, Position(name, told, mode))

    def take_position(self, name: str, place: str = "") -> Position:
        """Give the drivers the values of a position, instead of their values and laws.

        Joints without a driver get one.  The parts stay: `solve` moves them, in the mode of the
        position with `solve(a, mode=a.take_position(name).mode)`.

        Raises UnknownName: no such position.
        """
        if name not in self._positions:
            raise UnknownName("position", name, self._positions, place)
        position = self._positions[name]
        for key, value in position.values.items():
            self.set_driver(self.driver_of(key).name, value)
        return position

    def remove_position(self, name: str) -> None:
        """Remove a position.  Raises UnknownName: no such position."""
        self._remove("position", self._positions, name)

    def driver_of(self, name: str, place: str = "") -> Driver:
        """The driver of that name, or of a joint or one of its coordinates, as "hinge.angle"; it is
        added where there is none.

        Raises UnknownName: no such driver or joint; MissingKey: a joint with two coordinates.
        """
        driver = self._driver_named(name, place)
        if driver.name not in self._drivers:
            self._put_in_order("drivers", driver)
        return driver

    def _driver_named(self, name: str, place: str) -> Driver:
        """The driver of `driver_of`, not added."""
        if name in self._drivers:
            return self._drivers[name]
        joint, _, coordinate = name.rpartition(".")
        if name in self._held or coordinate not in ("angle", "length"):
            joint, coordinate = name, ""
        known = with_coordinates(self._held)
        if joint not in known:
            raise UnknownName("driver", name, (*self._drivers, *known), place)
        named = {"joint": joint, "coordinate": coordinate or None}
        for driver in self._drivers.values():
            if driver.joint == joint and coordinate in ("", driver.coordinate):
                return driver
        return Driver(name=name, range=None, **self._resolve_quantity("a driver", named, place))

    def _drop_stale(self) -> None:
        super()._drop_stale()
        for name, position in list(self._positions.items()):
            values = {k: v for k, v in position.values.items() if self._drives(k)}
            if not values and position.values:
                del self._positions[name]
            elif len(values) < len(position.values):
                self._positions[name] = replace(position, values=values)

    def _drives(self, name: str) -> bool:
        try:
            self._driver_named(name, "")
        except AssemblySolverError:
            return False
        return True
