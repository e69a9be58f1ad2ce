"""The compiled residuals of constraints, each of one or more equations."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ..foundations.jit.decorators import apart, compiled, spread
from ..foundations.jit.lists import on_lists
from ..foundations.types import Array, Ints
from .table import EquationTable, EvaluatedEquation, are_many, equation, evaluated_equation


@on_lists(5, 6, where=are_many)
def _constraint_residuals(
    t: EquationTable,
    poses: Array,
    first: Ints,
    angular: NDArray[np.bool_],
    length: float,
    out: Array,
    found: EvaluatedEquation,
) -> tuple[float, float]:
    longest = widest = 0.0
    for k in range(len(first) - 1):
        lengths = turns = 0.0
        for e in range(first[k], first[k + 1]):
            f, _ = equation(t, poses, e, found)
            if angular[e]:
                turns += f * f
            else:
                lengths += f * f
        lengths, turns = sqrt(lengths), sqrt(turns) / length
        out[0][k], out[1][k] = lengths, turns
        if lengths > longest or lengths != lengths:  # one that is no number is the largest
            longest = lengths
        if turns > widest or turns != turns:
            widest = turns
    return longest, widest


@spread
@apart
@compiled
def constraint_residuals(
    t: EquationTable,
    poses: Array,
    first: Ints,
    angular: NDArray[np.bool_],
    length: float,
    out: Array,
) -> tuple[float, float]:
    """The largest root sums of squares of the lengths, mm, and of the angles, rad, of a constraint.

    Args:
        first: equations of constraint k are first[k] .. first[k + 1]; angular: which are angles.
        length: characteristic, mm; out: overwritten by those of each, shape (2, constraints).
    """
    return _constraint_residuals(t, poses, first, angular, length, out, evaluated_equation())
