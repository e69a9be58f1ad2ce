"""Linkages of one plan, as many as there are, on all cores."""

from __future__ import annotations

import numpy as np

from ...foundations.jit.threads import side_by_side
from ...foundations.types import Array, Ints
from ..plan.planning import LinkagePlan
from ..plan.variant_numbers import variant_numbers
from .variants import VariantNumbers, VariantStates, run_variants

AT_ONCE = 32768
"""Linkages whose numbers are in memory at once."""

IN_A_CALL = 4096
"""Linkages that a thread runs before it looks for more."""


def place_variants(
    plan: LinkagePlan, at: Array, V: Array, traced: Ints
) -> tuple[Ints, VariantStates]:
    """The signs of linkages whose points start elsewhere, (variants, branches), and their states.

    Args:
        plan: of pins, see `variant_numbers.is_of_pins`.
        at: (variants, points, 2), mm; V: inputs, (actuators, states), degrees; traced: points.
    """
    count = len(at)
    signs = np.empty((count, plan.program.branches), np.int64)
    kept = VariantStates(
        np.empty((count, len(traced), 2, V.shape[1])),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty(count),
    )
    for begin in range(0, count, AT_ONCE):
        numbers, own = variant_numbers(plan, at[begin : begin + AT_ONCE])
        signs[begin : begin + len(own)] = own
        calls = []
        for k in range(0, len(own), IN_A_CALL):
            here = slice(begin + k, min(begin + k + IN_A_CALL, count))
            some = slice(k, k + IN_A_CALL)
            given = VariantNumbers(numbers[some], at[here], own[some])
            out = VariantStates(kept.P[here], kept.failed[here], kept.built[here], kept.least[here])
            q = plan.program._replace(numbers=plan.program.numbers.copy())
            calls.append((q, given, V, traced, out))
        with np.errstate(all="ignore"):
            side_by_side(run_variants, calls)
    return signs, kept
