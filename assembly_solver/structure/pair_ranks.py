"""Whether the equations of pairs of bodies depend on each other."""

from __future__ import annotations

import numpy as np

from ..equations.table import EquationTable, TwistBasis, jacobian
from ..foundations.jit.decorators import compiled
from ..foundations.numerics.linear import pivoted_rank
from ..foundations.numerics.rounding import RANK
from ..foundations.types import Array, Bools, Ints


@compiled
def find_dependent(
    t: EquationTable,
    poses: Array,
    first: Ints,
    rows: Ints,
    moving: Ints,
    unknowns: Ints,
    basis: TwistBasis,
    out: Bools,
) -> None:
    """Overwrite whether the rows of each pair depend on each other at some poses.

    Args:
        first: the rows of pair p are rows[first[p]:first[p + 1]]; moving: the body of each pair
            that moves, in `unknowns`; out: (pairs,).
    """
    slot = np.full((len(poses), 6), -1)
    for p in range(len(moving)):
        own, body = rows[first[p] : first[p + 1]], moving[p]
        out[p] = len(own) > len(unknowns)
        if out[p]:
            continue
        for k in range(len(unknowns)):
            slot[body, unknowns[k]] = k
        derivatives = np.empty((len(own), len(unknowns)))
        jacobian(t, poses, own, slot, basis, derivatives)
        out[p] = pivoted_rank(derivatives, RANK) < len(own)
        slot[body, :] = -1
