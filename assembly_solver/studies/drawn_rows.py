"""Variants of a drawn linkage whose pins are elsewhere, all at once: `PIN.x` and `PIN.y` vary.

Each drawing is an assembled linkage: its links have the lengths that it shows, and move on the
branch that it shows.  A row is valid where all states of its motion can be built.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..errors import BadValue, Contradiction, MissingKey
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.building.drawing import PinDriver
from ..results.linkage_variants import LinkageVariants
from ..verbs.linkage import linkage
from .moved_rows import OF_MOTIONS, Travel, base_of, told
from .variants import Rows

FINER = 8
"""States looked at for each of a motion, where a joint comes near its dead point in one."""

NEAR = 0.5
"""Sine at a joint below which it may pass its dead point between two states."""


def of_pins(assembly: Assembly, names: Iterable[str]) -> bool:
    """Whether coordinates of pins vary; raises Contradiction where others do as well."""
    coordinates = {f"{pin}.{axis}" for pin in assembly.drawing.pins for axis in "xy"}
    known = coordinates - set(assembly.parameters)
    drawn = [name for name in names if name in known]
    others = [name for name in names if name not in known]
    if drawn and others:
        raise Contradiction("vary", drawn[0], others[0])
    return bool(drawn)


class DrawnVariants:
    """The variants of a drawn linkage over a motion.

    Args:
        nominal: drawn; names: `PIN.x` or `PIN.y`; travel: the motion.

    Raises:
        MissingKey: no motion; BadValue: a measure that is not of a pin along the drawing's x or y,
            or of the motion itself, or a linkage that is not of pins and dyads.
    """

    def __init__(self, nominal: Assembly, names: Sequence[str], travel: Travel | None) -> None:
        if travel is None:
            raise MissingKey("study", "a study of drawn pins", "over")
        driver = nominal.drivers[travel.driver]
        if not isinstance(driver, PinDriver) or None in (driver.rays or (None,)):
            wanted = "a driver with rays to two pins, so that its angle counts between pins"
            raise BadValue("over", driver.name, wanted)
        self.travel, self.linkage = travel, linkage(nominal)
        points = list(self.linkage.scheme.points)
        for name in (name.rpartition(".")[0] for name in names):
            if name not in points:
                raise BadValue("vary", name, "a pin of the linkage that moves or carries")
        self._at = [(points.index(n[:-2]), "xy".index(n[-1])) for n in names]
        self._traced = [self._point(nominal, column) for column in travel.columns]
        self._trace = list(dict.fromkeys(point for point, _ in self._traced))
        if not set(points) <= set(nominal.drawing.pins):
            raise BadValue("vary", names[0], "a linkage whose points are all drawn pins")
        self._drawn = np.array([nominal.drawing.pins[point] for point in points])
        self._run(self._drawn[None], travel.values)  # raises where it is of others

    def _point(self, nominal: Assembly, column: str) -> tuple[str, int]:
        """The pin and the axis that a column is of."""
        wanted = "a measure of a point at a pin, along x or y"
        if column in OF_MOTIONS:
            raise BadValue("measure", column, wanted)
        measure = nominal.measures[base_of(column)]
        if measure.point is None or measure.along not in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)):
            raise BadValue("measure", measure.name, wanted)
        if measure.point.feature not in self.linkage.scheme.points:
            raise BadValue("measure", measure.name, wanted)
        return measure.point.feature, int(measure.along[1])

    def _run(self, at: Array, values: Sequence[float] | Array) -> LinkageVariants:
        driven = {self.travel.driver: np.asarray(values, float)}
        return self.linkage.variants(at, driven, trace=self._trace)

    def rows(self, values: Array) -> Rows:
        """The variants with some values, (rows, names), mm."""
        at = np.tile(self._drawn, (len(values), 1, 1))
        for n, (pin, axis) in enumerate(self._at):
            at[:, pin, axis] = values[:, n]
        found = self._run(at, self.travel.values)
        reasons = found.every_reason
        self._look_between(found, reasons)
        curves = {key: found.path(key[0])[:, key[1]] for key in dict.fromkeys(self._traced)}
        asked = zip(self.travel.columns, self._traced, strict=True)
        numbers = np.stack([told(column, curves[key], self.travel) for column, key in asked])
        numbers[:, [bool(reason) for reason in reasons]] = np.nan
        return Rows(numbers, found.modes, reasons)

    def _look_between(self, found: LinkageVariants, reasons: list[str]) -> None:
        """Tell the reasons of rows that cannot be built between two of the states."""
        near = np.flatnonzero(found.valid & (found.kept.least < NEAR))
        if not len(near):
            return
        given = np.array(self.travel.values)
        steps = np.arange((len(given) - 1) * FINER + 1) / FINER
        between = self._run(found.at[near], np.interp(steps, np.arange(len(given)), given))
        for n, k in enumerate(near.tolist()):
            reasons[k] = between.reason(n)
