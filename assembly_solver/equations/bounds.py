"""What is held at a value, and what is bounded: drivers and limits on their way to equations."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.quantity import Quantity
from .angle_loops import Coordinate
from .table import Table


class Stop(NamedTuple):
    """A limit whose coordinate is held at its upper or lower bound: at a value, mm or degrees."""

    limit: str
    upper: bool
    value: float


class Bounds(NamedTuple):
    """The limits of an assembly: the value of each coordinate as one equation with target 0.

    table: of parts, weights 1; low, high: mm and rad, infinite where a bound is absent.
    An angle is read in the turn around its reference in the table: what drivers tell of it, else
    the middle of its bounds, else 0.
    """

    names: tuple[str, ...]
    table: Table
    angular: NDArray[np.bool_]
    low: Array
    high: Array


def valued_of(assembly: Assembly, stops: tuple[Stop, ...]) -> list[tuple[str, Quantity, float]]:
    """What is held at a value: drivers, then limits at a bound, with their names."""
    drivers = [(d.name, d, d.value) for d in assembly.drivers.values() if d.value is not None]
    return [*drivers, *((f"limit {s.limit}", assembly.limits[s.limit], s.value) for s in stops)]


def kind_of(q: Quantity) -> str:
    """What a driver or a limit holds, in words."""
    return f"{type(q).__name__.lower()} ({q.kind})"


def bounds_of(
    assembly: Assembly,
    table: Table,
    angular: NDArray[np.bool_],
    shared: Table,
    known: Mapping[Coordinate, float],
) -> Bounds:
    """The limits of an assembly with the table of their coordinates.

    Args:
        shared: the table of all equations, whose markers it shares, with their senses.
        known: coordinates that drivers and couplings tell, mm or rad.
    """
    limits = assembly.limits.values()
    keys = zip(table.kind, table.axis_i, table.axis_j, table.marker_a, table.marker_b, strict=True)
    scale = np.where(angular, pi / 180.0, 1.0)
    middles = np.array([x.middle for x in limits]) * scale
    table.reference[:] = [
        known.get((int(kind), int(i), int(j), int(a), int(b)), middle)
        for (kind, i, j, a, b), middle in zip(keys, middles, strict=True)
    ]
    return Bounds(
        tuple(assembly.limits),
        table._replace(marker_body=shared.marker_body, marker_frame=shared.marker_frame),
        angular,
        np.array([-inf if x.min is None else x.min for x in limits]) * scale,
        np.array([inf if x.max is None else x.max for x in limits]) * scale,
    )
