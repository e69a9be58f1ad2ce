"""The answers to variants of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..foundations.types import Array


class Row(NamedTuple):
    """The answer to one variant.

    Attributes:
        measures: mm or degrees, NaN where it is not valid; mode: of the assembly, empty without.
        reason: why it is not valid, empty where it is.
    """

    measures: Array
    mode: str
    reason: str


class Rows(NamedTuple):
    """The answers to some variants: what `Row` has, measures by column, (measures, rows)."""

    measures: Array
    mode: Sequence[str]
    reason: Sequence[str]


def rows_of(rows: Sequence[Row]) -> Rows:
    """Some rows as columns."""
    measures = np.array([row.measures for row in rows]).reshape(len(rows), -1).T
    return Rows(measures, [row.mode for row in rows], [row.reason for row in rows])
