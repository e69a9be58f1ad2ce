"""Which markers and bodies an equation reads, and which columns the unknowns of bodies have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..equations.table import EquationTable, TwistBasis, jacobian
from ..foundations.types import Array, Ints


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
    """Columns, (count, 6), of the unknowns of some of all bodies, one after the other; else -1."""
    out = np.full((count, 6), -1, np.int64)
    for n, body in enumerate(bodies):
        out[body, unknowns] = n * len(unknowns) + np.arange(len(unknowns))
    return out


def jacobian_of(
    t: EquationTable,
    poses: Array,
    rows: Ints,
    bodies: Sequence[int],
    unknowns: Ints,
    basis: TwistBasis,
) -> Array:
    """Derivatives of rows by the unknowns of some bodies, (rows, bodies * unknowns)."""
    out = np.empty((len(rows), len(bodies) * len(unknowns)))
    jacobian(t, poses, rows, slots(len(poses), bodies, unknowns), basis, out)
    return out
