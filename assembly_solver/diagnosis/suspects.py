"""The constraints among which contradictions are searched, in an order that rounding, the order of
the mates, and a motion of the whole assembly do not change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..equations.places import places, ranks
from ..equations.system import System
from ..foundations.types import Array
from ..solver.modes.choice import ReachedPoses
from ..solver.solver import Closed
from .subsets import constraint_numbers

PULL = 1e-3
"""A setting: share of the largest residual from which a mate counts as in conflict with others."""

EQUAL = 1e-3
"""A setting: difference of two residuals, as a share of the largest, or of two places, as a share
of the characteristic length, up to which they are equal: iterations end, and exact ties are
rounded."""


def suspects(reached: ReachedPoses, closed: Closed) -> tuple[list[int], list[int]]:
    """Constraints of the components and bodies that do not hold, limits after the drivers.

    Returns:
        Their numbers by residual, the smallest first; and of these those whose residual is at
        least `PULL` times the largest.
    """
    plan, off = reached.planned.plan, reached.each
    system = plan.system
    wrong = np.flatnonzero(off > system.tolerance)
    chosen: set[int] = set(wrong.tolist())
    touched = {int(plan.bodies.of_part[p]) for k in wrong.tolist() for p in system.parts_of(k)}
    for k, c in enumerate(plan.components):
        if k in closed.failed or chosen & set(c.constraints):
            chosen |= set(c.constraints)
            touched |= {c.root, *c.bodies}
    inner = plan.bodies.inner
    bodies = plan.bodies.of_part[system.ends[inner, 0]] if len(inner) else inner
    chosen |= {int(k) for k, b in zip(inner, bodies, strict=True) if int(b) in touched}
    number = constraint_numbers(system)
    worst = {number[k]: float(off[k]) for k in (chosen if len(wrong) else range(len(off)))}
    beyond = np.abs(reached.bound_violations).tolist()
    for k, out in enumerate(beyond, system.mates + system.drivers):
        worst[k] = max(worst.get(k, 0.0), out)
    order = _ordered(reached, worst)
    return order, [k for k in order if worst[k] > PULL * reached.off]


def _ordered(reached: ReachedPoses, worst: dict[int, float]) -> list[int]:
    """Numbers of constraints by residual; equal ones by length, by place, then by name."""
    system, numbers = reached.system, sorted(worst)
    index = {n: k for k, n in enumerate(constraint_numbers(system))}
    at = places(system, reached.frames)
    middle = at.mean(axis=0)
    off = reached.each
    centre = np.average(at, axis=0, weights=off) if off.any() else middle

    def values(of: Array) -> Array:
        return np.array([float(of[index[n]]) if n in index else 0.0 for n in numbers])

    small, near = EQUAL * reached.off, EQUAL * system.length
    keys = (
        ranks(np.array([worst[n] for n in numbers]), small).tolist(),
        ranks(values(reached.residuals.lengths), small).tolist(),
        ranks(values(np.linalg.norm(at - centre, axis=1)), near).tolist(),
        ranks(values(np.linalg.norm(at - middle, axis=1)), near).tolist(),
        _names(system, numbers),
        numbers,
    )
    return [key[-1] for key in sorted(zip(*keys, strict=True))]


def _names(system: System, numbers: Sequence[int]) -> list[str]:
    """The names of constraints by their numbers."""
    limits = system.bounds.names if system.bounds is not None else ()
    every = (*system.constraints[: system.mates + system.drivers], *limits)
    return [every[n] for n in numbers]
