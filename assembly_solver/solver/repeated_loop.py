"""A repeated solve of the bodies of one planar loop, in one call of machine code.

Between the stages of such a solve Python takes as long as they do, and several times as long after
other work.  They follow each other here where each ends plainly: the mates are off at the start and
hold at the end, no body turned so far that its assembly mode is in question, the same parts moved
as in the solve before, and the steps of least movement succeed.  All else is left to
`verbs.solve_attempts`, which comes to the same poses.
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np

from ..equations.constraint_residuals import constraint_residuals
from ..equations.dense_block import BLOCK_ITERATIONS
from ..equations.elimination import EliminationPattern
from ..equations.movement import LEAST, LESS, MovementSettings, differ_only, lessen_movement
from ..equations.reaches import most_reach
from ..equations.sparse_block import SparseBlock
from ..equations.system import Residuals, converged
from ..equations.table import PLANE, EquationTable, TwistBasis, copy
from ..foundations.geometry.placing import place_frames
from ..foundations.jit.decorators import apart, borrowing, compiled, spread
from ..foundations.numerics.broyden import ETA
from ..foundations.types import Array, Bools, Ints
from ..structure.moved_numbers import JoinedNumbers, move_features
from ..structure.plan import Plan, PlannedSystem
from ..structure.planned_later import OwnArrays, plan_later
from ..structure.redimensioned import MovedFeatures, Redimensioning
from ..structure.replan import MovedValues
from .least_movement import MovedParts, moved_before
from .modes.choice import FAR, SLIGHT, ReachedPoses
from .modes.sines import largest_turn
from .moved_blocks import PlaneBlock, movement_settings, settings_for
from .plan_runner import PlanArrays, run

PLAINLY, AT_START, OTHERWISE, MOVED_OTHERWISE = range(4)
"""How the stages ended: each as it mostly does, the first as the mates hold at the start, one that
is left to Python, or none, as the plan may be another."""


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


class MovingLoop(NamedTuple):
    """A loop whose features move on their parts.

    Attributes:
        loop: where the features were at first; what follows from where they are shares the memory
            of the arrays here, which are overwritten.
        joined, frames, points, weight: as of `move_features`; first: the frames of the plan.
        farthest: as of `System`; origins: as of `Reaches`, mm.
    """

    loop: RepeatedLoop
    joined: JoinedNumbers
    frames: Array
    points: Array
    weight: Array
    first: Array
    farthest: float
    origins: float


_most_reach = borrowing(most_reach)
_converged = borrowing(converged)
_settings_for = borrowing(settings_for)


# Long: compiled code has no `_replace`.
@spread
@apart
@compiled
def solve_moved(
    m: MovingLoop,
    to: Array,
    eta: float,
    plane: Ints,
    bodies: Array,
    axes: Array,
    counts: Ints,
    parts: Array,
    off: Array,
) -> tuple[int, float, float]:
    """As `solve_again`, with the features at other coordinates, (3 n,), mm; MOVED_OTHERWISE where
    the plan with them there may be another."""
    a, g = m.loop, m.loop.plan
    for n in range(len(m.first)):  # what else follows from the coordinates is overwritten
        copy(m.first[n], m.frames[n])
    same, length, outermost = move_features(
        m.joined, m.frames, m.points, m.weight, to, g.length, g.accept
    )
    if not same:
        return MOVED_OTHERWISE, 0.0, 0.0
    far = m.farthest + length
    tolerance = _converged(far, g.accept)
    plan = PlanArrays(
        g.steps, g.table, g.start, g.cloud, g.centre, length, tolerance, g.accept, eta
    )
    moved = RepeatedLoop(
        plan,
        a.given,
        a.first,
        a.angular,
        a.mates,
        a.start,
        a.fixed,
        a.moved,
        a.of_part,
        a.relative,
        max(a.reach, _most_reach(outermost, m.origins)),
        a.rows,
        a.pattern,
        a.axes,
        _settings_for(length, far, g.accept, tolerance, a.settings.directed),
    )
    return solve_again(moved, plane, bodies, axes, counts, parts, off)


class _Moving:
    """A loop with features that move, for one thread at a time."""

    def __init__(self, by: Redimensioning, before: MovedParts, block: PlaneBlock) -> None:
        self.before, self.alone, system = before, Lock(), by.plan.system
        joined, frames, points, weight = by.copied()
        moving = joined, frames, points, weight
        loop = _repeated(by.plan, before, block, ETA, by.arrays(frames, points, weight))
        far = system.farthest, system.reaches.origins
        self.loop = MovingLoop(loop, *moving, by.kept[0], *far)


def _repeated(
    plan: Plan, before: MovedParts, loop: PlaneBlock, eta: float, of: OwnArrays
) -> RepeatedLoop:
    """A loop of a plan with these arrays."""
    system, bodies = plan.system, plan.bodies
    scales = system.length, system.convergence_tolerance, system.tolerance, eta
    return RepeatedLoop(
        PlanArrays(of.program, of.table, plan.fitted_start, of.cloud, of.centre, *scales),
        of.given,
        system.first_equation,
        system.angular,
        system.mates,
        system.start,
        system.fixed,
        before.moved,
        bodies.of_part,
        bodies.relative,
        system.most_reach,
        loop.rows,
        loop.pattern,
        loop.axes,
        movement_settings(system, loop.directed),
    )


Outputs = tuple[Array, Array, Ints, Array, Array]
"""Arrays that a solve overwrites: the last five arguments of `solve_again`."""


def _outputs(plan: Plan) -> Outputs:
    """Those for a plan."""
    count, constraints = len(plan.system.start), len(plan.system.constraints)
    axes = np.zeros((len(plan.program.flat_groups), 3, 3))
    off = np.empty((2, constraints))
    return plan.fitted_start.copy(), axes, np.zeros(5, np.int64), np.empty((count, 12)), off


def solved_again(planned: PlannedSystem, eta: float) -> ReachedPoses | None:
    """Where a solve ends plainly that was prepared by one before; None where it does not.

    Args:
        planned: where its plan is made later, this does not make it.
        eta: as of `solver.solve`.
    """
    later = plan_later(planned)
    plan = planned.known if later is None else later.like
    before = None if plan is None else moved_before(plan)
    loop = None if before is None else before.loop  # once: another thread may give it up
    if plan is None or before is None or loop is None or not (later is None or later.plainly):
        return None
    out = _outputs(plan)
    if isinstance(later, MovedFeatures):
        tried = _with_moved(later, before, loop, eta, out)
        if tried is None:
            return None
        ended = tried
    else:
        own = later.arrays if isinstance(later, MovedValues) else OwnArrays.of(plan)
        ended = solve_again(_repeated(plan, before, loop, eta, own), PLANE, *out)
    if ended[0] != PLAINLY:  # nor will the next
        if later is not None:
            later.plainly = False
        elif ended[0] == OTHERWISE:
            before.loop = None
        return None
    _, _, counts, parts, off = out
    reached = ReachedPoses(planned, parts, counts)
    reached.__dict__["residuals"] = Residuals(off[0], off[1], *ended[1:])
    reached.__dict__["holds"] = True
    return reached


def _with_moved(
    moved: MovedFeatures, before: MovedParts, loop: PlaneBlock, eta: float, out: Outputs
) -> tuple[int, float, float] | None:
    """`solve_moved`; None while another thread solves the loop with moved features."""
    known: _Moving | None = moved.by.prepared.get(__name__)
    if known is None or known.before is not before:
        moved.by.prepared[__name__] = known = _Moving(moved.by, before, loop)
    if not known.alone.acquire(blocking=False):
        return None
    try:
        ended = solve_moved(known.loop, moved.to, eta, PLANE, *out)
        moved.same = ended[0] != MOVED_OTHERWISE
        return ended
    finally:
        known.alone.release()
