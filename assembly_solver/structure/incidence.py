"""Which markers and bodies an equation reads, and which columns the unknowns of bodies have."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..kernel import Table

Ints = NDArray[np.int64]


def markers_of(t: Table, e: int) -> Ints:
    """The markers that equation e reads: the first ends of its terms, then the second ones."""
    n = t.term_measure[t.first_term[e] : t.first_term[e + 1]]
    return np.concatenate([t.marker_a[n], t.marker_b[n]])


def bodies_of(t: Table, e: int) -> tuple[int, ...]:
    """The bodies that equation e reads, each once."""
    return tuple(dict.fromkeys(t.marker_body[markers_of(t, e)].tolist()))


def slots(count: int, bodies: Iterable[int], unknowns: Ints) -> Ints:
    """Columns of the unknowns of some bodies, one body after the other; -1 elsewhere.

    Args:
        count: how many bodies there are in all; unknowns: those that each of `bodies` has.

    Returns:
        The `slot` of `kernel`, (count, 6).
    """
    out = np.full((count, 6), -1, np.int64)
    for n, body in enumerate(bodies):
        out[body, unknowns] = n * len(unknowns) + np.arange(len(unknowns))
    return out
