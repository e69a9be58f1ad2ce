"""The answer to one variant of a study."""

from __future__ import annotations

from typing import NamedTuple

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
