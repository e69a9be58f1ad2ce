"""Loops over columns of numbers: one by one in machine code, all at once where interpreted.

A loop `for s in columns(n)` whose body reads and writes `w[row, s]` is one source for both: s is a
number, or a slice.  What it computes is the same to the last bit, for every operation is rounded
alike; conditions are put as `where`, sums of conditions as `count`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .two_forms import in_two_forms

FEW = 6
"""A setting: columns up to which interpreted code takes them one by one as well."""


def _columns_at_once(n: int) -> Iterable[Any]:
    return range(n) if n <= FEW else (slice(n),)


@in_two_forms(_columns_at_once)
def columns(n: int) -> Iterable[Any]:
    """Indices of the first n columns."""
    return range(n)


def _where_at_once(condition: Any, one: Any, other: Any) -> Any:
    if isinstance(condition, np.ndarray):
        return np.where(condition, one, other)
    return one if condition else other


@in_two_forms(_where_at_once)
def where(condition: Any, one: Any, other: Any) -> Any:
    """One number where a condition holds, the other elsewhere."""
    return one if condition else other


def _count_at_once(condition: Any) -> int:
    return int(np.count_nonzero(condition))


@in_two_forms(_count_at_once)
def count(condition: Any) -> int:
    """Of a column, 1 where a condition holds, else 0; of several, in how many it does."""
    return 1 if condition else 0
