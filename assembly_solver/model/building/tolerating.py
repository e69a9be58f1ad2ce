"""Editing of the measures and the tolerances of an assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...errors import AssemblySolverError, DuplicateName
from ...foundations.geometry.pose import plain
from ..mate import Mate
from ..references import check_name
from ..tolerances.named_measure import MEASURING, NamedMeasure, resolve_measure
from ..tolerances.tolerance import Tolerance, TolerancedNames, make_tolerance
from .driving import FeaturePair
from .positions import PositionEditing
from .roster import ReferenceLike


class ToleranceEditing(PositionEditing):
    """The measures and the tolerances of an assembly, by name."""

    def __init__(self) -> None:
        super().__init__()
        self._measures: dict[str, NamedMeasure] = {}
        self._tolerances: dict[str, Tolerance] = {}

    @property
    def measures(self) -> Mapping[str, NamedMeasure]:
        """Measures by name, in the order they were added."""
        return MappingProxyType(self._measures)

    @property
    def tolerances(self) -> Mapping[str, Tolerance]:
        """Tolerances by name, in the order they were added."""
        return MappingProxyType(self._tolerances)

    def set_driver(self, name: str, value: float | None, place: str = "") -> None:
        """Prescribe another value of a driver instead of its law; None leaves it free, without the
        tolerances of its value.

        Args:
            value: mm or degrees; of a guide the time at which it prescribes the frame, s.

        Raises UnknownName: no such driver; BadValue: a value that the quantity cannot have.
        """
        super().set_driver(name, value, place)
        if value is None and any(t.driver == name for t in self._tolerances.values()):
            self._drop_stale()

    def measure(
        self,
        name: str,
        *,
        joint: str | Mate | None = None,
        coordinate: str | None = None,
        separation: FeaturePair | None = None,
        distance: FeaturePair | None = None,
        angle: FeaturePair | None = None,
        about: ReferenceLike | None = None,
        point: ReferenceLike | None = None,
        along: str | Sequence[float] | None = None,
        min: float | None = None,
        max: float | None = None,
        place: str = "",
    ) -> NamedMeasure:
        """Name a scalar that studies and tolerances measure, mm or degrees.

        Args:
            name: unique among the measures.
            joint, coordinate, separation, distance, angle, about: as in `drive`.
            point: a feature whose origin is measured along `along`, a direction in the world.
            min, max: bounds that it is to keep.

        Raises MissingKey: nothing is measured; BadValue: invalid bounds; DuplicateName,
        UnknownName, Contradiction, SelfMate: as the arguments.

        Examples:
            >>> from assembly_solver import Assembly, Point
            >>> a = Assembly("rod")
            >>> _ = a.add("rod", features={"end": Point((30, 4, 0))})
            >>> a.measure("height", point="rod.end", along="y").value(a, {})
            4.0
        """
        place = place or f"measures.{name}"
        check_name(name, place)
        if name in self._measures:
            raise DuplicateName("measure", name, place)
        given = (joint, coordinate, separation, distance, angle, about, point, along)
        named = dict(zip(MEASURING, given, strict=True))
        fields = resolve_measure(self._quantity_entries(), named, place)
        made = NamedMeasure(name=name, min=plain(min), max=plain(max), **fields)
        made.check(place)
        return self._put_in_order("measures", made)

    def _tolerated_names(self) -> TolerancedNames:
        return TolerancedNames(self, self._parameters, self.reference)

    def remove_measure(self, name: str) -> None:
        """Remove a measure, with the checks that name it.  Raises UnknownName: no such measure."""
        self._remove("measure", self._measures, name)
        self._drop_stale()

    def tolerate(self, name: str, *, place: str = "", **given: Any) -> Tolerance:
        """Say what a dimension, a feature or a joint may be off.

        Args:
            name: unique among the tolerances.
            given: `parameter`, `driver` or `mate` (with `value`, the name of its number) with
                `plus` and `minus`, mm or degrees, and `distribution` and `sigma`; `feature` with
                `position` or `angle`; or `joint` with `radial`: see `Tolerance`.

        Raises MissingKey: nothing is tolerated, or bounds are missing; BadValue: invalid bounds;
        DuplicateName, UnknownName, Contradiction, FeatureTypeError: as the arguments.

        Examples:
            >>> from assembly_solver import Assembly
            >>> a = Assembly("rod")
            >>> _ = a.parameter("L", 30)
            >>> a.tolerate("length", parameter="L", plus=0.1, minus=0.05).plus
            0.1
        """
        place = place or f"tolerances.{name}"
        check_name(name, place)
        if name in self._tolerances:
            raise DuplicateName("tolerance", name, place)
        values = {key: plain(value) for key, value in given.items()}
        made = make_tolerance(name, values, self._tolerated_names(), place)
        return self._put_in_order("tolerances", made)

    def remove_tolerance(self, name: str) -> None:
        """Remove a tolerance.  Raises UnknownName: no such tolerance."""
        self._remove("tolerance", self._tolerances, name)

    def _drop_stale(self) -> None:
        super()._drop_stale()
        entries, known = self._quantity_entries(), self._tolerated_names()
        for measure in list(self._measures.values()):
            try:
                resolve_measure(entries, measure.named(), "")
            except AssemblySolverError:
                del self._measures[measure.name]
        for tolerance in list(self._tolerances.values()):
            try:
                make_tolerance(tolerance.name, tolerance.parameters(), known, "")
            except AssemblySolverError:
                del self._tolerances[tolerance.name]
