"""The numbers of a program for linkages of the same plan whose points start elsewhere.

All dimensions are read from where the points start, assembled.  What is read here for many
linkages at once is what `dyad_rules` reads for one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...foundations.types import Array, Ints
from . import placement_program as ops
from .link_length import CONSTANT
from .placement_program import AT, BRANCH, FIRST
from .planning import LinkagePlan

KINDS = {ops.TURN, ops.ALONG, ops.CIRCLES}
"""The operations of linkages of pins whose joints are driven by angles: others are not read."""


def is_of_pins(plan: LinkagePlan) -> bool:
    """Whether a plan is of pins and driven angles alone, with nothing that is redundant."""
    kinds = {int(code[0]) for code in plan.program.code}
    radii = [
        int(code[AT + k]) for code in plan.program.code if code[0] == ops.CIRCLES for k in (2, 4)
    ]
    plain = set(radii) <= {CONSTANT} and not plan.scheme.slots
    return kinds <= KINDS and plain and not plan.checked


def variant_numbers(plan: LinkagePlan, at: Array) -> tuple[Array, Ints]:
    """Numbers of the operations, and signs of the branches, where points start elsewhere.

    Args:
        plan: as `is_of_pins`; at: where the points start, (variants, points, 2), mm.

    Returns:
        (variants, operations, NUMBERS) and (variants, branches); not finite where points coincide
        that a dimension is read from.
    """
    q, z = plan.program, at[..., 0] + 1j * at[..., 1]
    numbers = np.tile(q.numbers, (len(at), 1, 1))
    signs = np.ones((len(at), q.branches), np.int64)
    with np.errstate(all="ignore"):
        for o, code in enumerate(q.code):
            p, (one, two, three) = z[:, q.written[code[FIRST]]], code[AT : AT + 3].tolist()
            if code[0] == ops.CIRCLES:
                c, d = z[:, one], z[:, two]
                numbers[:, o, 0], numbers[:, o, 4] = np.abs(p - c), np.abs(p - d)
                side = ((d - c).conj() * (p - c)).imag
                signs[:, code[BRANCH]] = np.where(side < 0.0, -1, 1)
            else:
                first, last = (two, three) if code[0] == ops.ALONG else (one, two)
                ratio = (p - z[:, one]) / (z[:, last] - z[:, first])
                if code[0] == ops.TURN:
                    ratio *= _back(plan, z, three)
                numbers[:, o, 0], numbers[:, o, 1] = ratio.real, ratio.imag
    return numbers, signs


def _back(plan: LinkagePlan, z: NDArray[np.complex128], number: int) -> NDArray[np.complex128]:
    """e^{-i value} of an angle that is driven, where the points start, (variants,)."""
    i, j, k = plan.scheme.actuators[number].points
    turn = (z[:, k] - z[:, j]) / (z[:, i] - z[:, j])
    out: NDArray[np.complex128] = np.abs(turn) / turn
    return out
