"""Drivers and limits as equations and bounds."""

from __future__ import annotations

from math import inf, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.quantity import Quantity
from ..model.equation_set import EquationSet
from .shared_markers import SharedMarkers
from .table import EquationTable
from .table_writer import written


class TravelLimit(NamedTuple):
    """A limit that is active at its upper or lower bound, `value` in mm or degrees."""

    limit: str
    upper: bool
    value: float


class Bounds(NamedTuple):
    """The limits of an assembly: the value of each coordinate as one equation with target 0.

    An angle takes the value within half a turn of its reference in the table: the value known from
    drivers, else the middle of its bounds, else 0.

    Attributes:
        table: of parts, weights 1; angular: which coordinates are angles.
        low, high: mm and rad, infinite where a bound is absent.
    """

    names: tuple[str, ...]
    table: EquationTable
    angular: NDArray[np.bool_]
    low: Array
    high: Array


def valued_of(
    assembly: Assembly, active_limits: tuple[TravelLimit, ...]
) -> list[tuple[str, Quantity, float]]:
    """Name, coordinate and value of the drivers with a value, then of the active limits."""
    drivers = [(d.name, d, d.value) for d in assembly.drivers.values() if d.value is not None]
    return drivers + [
        (f"limit {s.limit}", assembly.limits[s.limit], s.value) for s in active_limits
    ]


def kind_of(q: Quantity) -> str:
    """Class and kind of a driver or a limit, for people."""
    return f"{type(q).__name__.lower()} ({q.kind})"


def bounds_of(assembly: Assembly, sets: list[EquationSet], markers: SharedMarkers) -> Bounds | None:
    """The limits of an assembly, each angle at the middle of its bounds; None for none.

    Args:
        sets: the coordinates that have limits; markers: of all equations, those of these
            sets as of a second table, with the final senses.
    """
    if not sets:
        return None
    table, _, angular, _, _ = written(sets, markers, markers.of[1], 1.0)
    limits = assembly.limits.values()
    scale = np.where(angular, pi / 180.0, 1.0)
    table.reference[:] = np.array([x.middle for x in limits]) * scale
    return Bounds(
        tuple(assembly.limits),
        table,
        angular,
        np.array([-inf if x.min is None else x.min for x in limits]) * scale,
        np.array([inf if x.max is None else x.max for x in limits]) * scale,
    )
