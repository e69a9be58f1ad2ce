"""Poses found on the nominal assembly, corrected to the features as given.

Source: docs/theory/nominal.md, 3.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..equations.damped_steps import refine_sparse
from ..equations.elimination import pattern
from ..equations.residuals import residual_of, worst_off
from ..equations.sparse_block import SparseBlock
from ..equations.system import System
from ..equations.table import SPACE, TwistBasis
from ..foundations.graphs.connected import connected
from ..foundations.numerics.rounding import TINY
from ..foundations.types import Array, Ints

NEAR = 100.0
"""Residual, in tolerances, from which poses are no solution nearby and are left alone."""

STEPS = 8
"""Most steps of a refinement; two are enough where features are a little off."""

ROUNDS = 20
"""Rounds of weights in search of the least largest residual."""

LIGHTEST = 1e-6
"""A setting: smallest weight of a constraint relative to the largest."""

FREE = 30.0
"""Motions that change the residuals by less than so many tolerances over the characteristic length
count as free: their share of the residual is noise, and following it would go far."""


def refined(system: System, parts: Array) -> Array:
    """Poses of the parts nearby at which the residuals of the given features are least.

    Args:
        parts: (parts, 12), at which the nominal mates hold; connected parts whose mates hold up to
            rounding stay bit for bit.
    """
    residuals = residual_of(system, parts)
    if system.within(residuals, system.convergence_tolerance):
        return parts
    off = system.in_mm(residuals)
    if not off.max(initial=0.0) <= NEAR * system.tolerance:
        return parts
    bodies, constraints, links = _connected(system, off > system.convergence_tolerance)
    if len(bodies) == 0:
        return parts
    elimination = pattern(bodies, links, len(parts))
    basis = TwistBasis(np.eye(3), system.centre, system.length)
    block = SparseBlock(system.rows(constraints), elimination, SPACE, basis)
    damping = (FREE * system.tolerance / system.length) ** 2
    out = parts.copy()
    refine_sparse(system.table, out, block, damping, STEPS)
    if worst_off(system, out) > system.tolerance:
        out = _least_largest(system, out, block, damping)
    return out if worst_off(system, out) < off.max() else parts


def _least_largest(system: System, parts: Array, block: SparseBlock, damping: float) -> Array:
    """Poses nearby with the least largest residual: least squares with weights that grow with it.

    Source: C. L. Lawson's iteration for linear minimax approximation (Rice and Usow, Mathematics
    of Computation 22, 1968).
    """
    best, least, weight = parts, worst_off(system, parts), np.ones(len(system.constraints))
    out = parts.copy()
    for _ in range(ROUNDS):
        off = system.in_mm(residual_of(system, out))
        weight *= off / max(float(off.max(initial=0.0)), TINY)
        weight = np.maximum(weight / weight.max(initial=TINY), LIGHTEST)
        scale = np.sqrt(weight)[system.constraint_of_equation]
        reach = np.where(system.angular, system.reach[system.constraint_of_equation], 1.0)
        refine_sparse(system.table._replace(weight=reach * scale), out, block, damping, STEPS)
        if (worst := worst_off(system, out)) < least:
            best, least = out.copy(), worst
    return best


def _connected(system: System, wrong: NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
    """Movable parts connected with constraints that are off, their constraints, and their links."""
    ends, fixed = system.ends, system.fixed
    more = [pair for parts in system.wide.values() for pair in combinations(parts, 2)]
    links = np.concatenate([ends, np.array(more, np.int64).reshape(-1, 2)])
    links = links[~fixed[links].any(axis=1)]
    count, label = connected(len(fixed), *links.T)
    movable = np.where(fixed[ends[:, 0]], ends[:, 1], ends[:, 0])
    chosen = np.zeros(count, bool)
    chosen[label[movable[wrong & ~fixed[movable]]]] = True
    bodies = np.flatnonzero(chosen[label] & ~fixed)
    constraints = np.flatnonzero(chosen[label[movable]] & ~fixed[movable])
    return bodies, constraints, links
