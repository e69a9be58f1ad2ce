"""Which markers and bodies an equation reads, and which columns the unknowns of bodies have."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..equations.table import EquationTable
from ..foundations.types import Ints


def markers_of(t: EquationTable, e: int) -> Ints:
    """The markers that equation e reads: the first ends of its terms, then the second ones."""
    n = t.term_measure[t.first_term[e] : t.first_term[e + 1]]
    return np.concatenate([t.marker_a[n], t.marker_b[n]])


def bodies_of(t: EquationTable, e: int) -> tuple[int, ...]:
    """The bodies that equation e reads, each once."""
    return tuple(dict.fromkeys(t.marker_body[markers_of(t, e)].tolist()))


def bodies_of_each(t: EquationTable, rows: list[int]) -> dict[int, tuple[int, ...]]:
    """The bodies that each of these equations reads."""
    e = np.array(rows, np.int64)
    n = t.term_measure[t.first_term[e]]
    single = (t.first_term[e + 1] - t.first_term[e] == 1).tolist()
    a, b = (t.marker_body[marker[n]].tolist() for marker in (t.marker_a, t.marker_b))
    ends = zip(rows, single, a, b, strict=True)
    return {e: (x, y) if alone and x != y else bodies_of(t, e) for e, alone, x, y in ends}


def slots(count: int, bodies: Iterable[int], unknowns: Ints) -> Ints:
    """Columns of the unknowns of some bodies, one body after the other; -1 elsewhere.

    Args:
        count: how many bodies there are in all; unknowns: those that each of `bodies` has.

    Returns:
        Column of each unknown of each body, shape (count, 6).
    """
    out = np.full((count, 6), -1, np.int64)
    for n, body in enumerate(bodies):
        out[body, unknowns] = n * len(unknowns) + np.arange(len(unknowns))
    return out
