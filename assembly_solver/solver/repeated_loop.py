"""A repeated solve of the bodies of one planar loop, in one call of machine code.

Between the stages of such a solve Python takes as long as they do, and several times as long after
other work.  They follow each other here where each ends plainly: the mates are off at the start and
hold at the end, no body turned so far that its assembly mode is in question, the same parts moved
as in the solve before, and the steps of least movement succeed.  All else is left to
`verbs.solve_attempts`, which comes to the same poses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..equations.constraint_residuals import constraint_residuals
from ..equations.dense_block import BLOCK_ITERATIONS
from ..equations.elimination import EliminationPattern
from ..equations.movement import LEAST, LESS, MovementSettings, differ_only, lessen_movement
from ..equations.sparse_block import SparseBlock
from ..equations.system import Residuals
from ..equations.table import PLANE, EquationTable, TwistBasis
from ..foundations.geometry.placing import place_frames
from ..foundations.jit.decorators import apart, borrowing, compiled, spread
from ..foundations.types import Array, Bools, Ints
from ..structure.plan import PlannedSystem
from .least_movement import moved_before
from .modes.choice import FAR, SLIGHT, ReachedPoses
from .modes.sines import largest_turn
from .moved_blocks import movement_settings
from .plan_runner import PlanArrays, run

PLAINLY, AT_START, OTHERWISE = range(3)
"""How the stages ended: each as it mostly does, the first as the mates hold at the start, or one
that is left to Python."""


class RepeatedLoop(NamedTuple):
    """What does not change while a loop is solved again.

    Attributes:
        plan: its bodies have one part each; rows, pattern, axes: of the loop, as of `PlaneBlock`.
        given: equations of the parts; first, angular: as of `constraint_residuals`.
        mates: how many of the constraints are mates.
        start: poses of the parts, (parts, 12); fixed: which are; moved: which the solve before
            moved; of_part, relative: as of `Bodies`.
        reach: a length that no reach exceeds, mm; settings: of the steps of least movement.
    """

    plan: PlanArrays
    given: EquationTable
    first: Ints
    angular: Bools
    mates: int
    start: Array
    fixed: Bools
    moved: Bools
    of_part: Ints
    relative: Array
    reach: float
    rows: Ints
    pattern: EliminationPattern
    axes: Array
    settings: MovementSettings


@borrowing
def _largest(off: Array, count: int) -> float:
    """The largest of the first so many residuals."""
    out = 0.0
    for k in range(count):
        out = max(out, off[k])
    return out


@spread
@apart
@compiled
def solve_again(
    a: RepeatedLoop, plane: Ints, bodies: Array, axes: Array, counts: Ints, parts: Array, off: Array
) -> tuple[int, float, float]:
    """PLAINLY, AT_START or OTHERWISE; and the largest residuals at the end, mm and rad.

    Args:
        plane: `PLANE`; bodies: their poses at the start, (bodies, 12), overwritten, as are axes and
            counts: see `plan_runner.run`.
        parts: overwritten by the poses of the parts, (parts, 12).
        off: overwritten by the residuals of the constraints, (2, constraints).
    """
    plan, length = a.plan, a.plan.length
    longest, _ = constraint_residuals(a.given, a.start, a.first, a.angular, length, off)
    if not longest > plan.accept:
        return AT_START, 0.0, 0.0
    nearest = FAR if _largest(off[0], a.mates) > plan.accept else SLIGHT
    last = len(plan.steps.step)
    s, _ = run(plan, bodies, axes, counts, 0, last, BLOCK_ITERATIONS)
    if s < last:
        return OTHERWISE, 0.0, 0.0
    place_frames(bodies, a.of_part, a.relative, parts)
    longest, widest = constraint_residuals(a.given, parts, a.first, a.angular, length, off)
    if not (longest <= plan.tolerance and widest * a.reach <= plan.tolerance):
        return OTHERWISE, 0.0, 0.0
    nearby = largest_turn(a.start, parts) > nearest
    if not (nearby and differ_only(parts, a.start, a.fixed, a.moved)):
        return OTHERWISE, 0.0, 0.0
    block = SparseBlock(a.rows, a.pattern, plane, TwistBasis(a.axes, plan.centre, length))
    ended = lessen_movement(plan.table, bodies, block, plan.cloud, a.settings, bodies)
    if ended == LEAST:
        return PLAINLY, longest, widest
    if ended != LESS:
        return OTHERWISE, 0.0, 0.0
    before = parts.copy()
    place_frames(bodies, a.of_part, a.relative, parts)
    longest, widest = constraint_residuals(a.given, parts, a.first, a.angular, length, off)
    holds = longest <= plan.tolerance and widest * a.reach <= plan.tolerance
    if not (holds and largest_turn(before, parts) > SLIGHT):
        return OTHERWISE, 0.0, 0.0
    return PLAINLY, longest, widest


def solved_again(planned: PlannedSystem, eta: float) -> ReachedPoses | None:
    """Where a solve ends plainly that was prepared by one before; None where it does not.

    Args:
        eta: as of `solver.solve`.
    """
    plan = planned.known
    before = None if plan is None else moved_before(plan)
    loop = None if before is None else before.loop  # once: another thread may give it up
    if plan is None or before is None or loop is None:
        return None
    system, of, start = plan.system, plan.bodies, plan.fitted_start
    scales = system.length, system.convergence_tolerance, system.tolerance, eta
    a = RepeatedLoop(
        PlanArrays(plan.program, plan.table, start, plan.cloud, of.centre, *scales),
        system.table,
        system.first_equation,
        system.angular,
        system.mates,
        system.start,
        system.fixed,
        before.moved,
        of.of_part,
        of.relative,
        system.most_reach,
        loop.rows,
        loop.pattern,
        loop.axes,
        movement_settings(system, loop.directed),
    )
    bodies, counts, parts = start.copy(), np.zeros(5, np.int64), np.empty((len(system.start), 12))
    axes = np.zeros((len(plan.program.flat_groups), 3, 3))
    off = np.empty((2, len(system.constraints)))
    ended, *most = solve_again(a, PLANE, bodies, axes, counts, parts, off)
    if ended == OTHERWISE:
        before.loop = None  # the next will not end plainly either
    if ended != PLAINLY:
        return None
    reached = ReachedPoses(planned, parts, counts)
    reached.__dict__["residuals"] = Residuals(off[0], off[1], *most)
    return reached
