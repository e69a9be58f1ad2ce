"""Of the parts that a solve moved, the poses nearby at which their mate features moved least.

What stayed stays bit for bit.  The limits hold, and the assembly mode is the one that was reached.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..equations.movement import FAILED, LEAST, LESS, NO_GAIN, differ_only
from ..equations.movement_descent import NARROWER
from ..foundations.altered import altered
from ..foundations.geometry.plane_closed_forms import DEAD
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..structure.clusters import body_cloud
from ..structure.plan import Plan
from ..structure.poses import body_poses
from .modes.choice import FAR, SLIGHT, ReachedPoses
from .modes.enumeration import CLEAR, Modes, modes_around
from .modes.known_signs import known_signs
from .modes.orientation import on_parts
from .modes.sines import SignTable, reversed_sign, turned
from .moved_blocks import DESCENT, Separate, Whole, separate
from .refinement import refined

NOISY = 2.0
"""Multiple of the residual at which mates still hold where features are a little off: how it is
shared among redundant mates depends on the pose."""

REFUSED = 3
"""Beside LESS, LEAST and FAILED: there is less movement, but in another assembly mode."""


def with_least_movement(reached: ReachedPoses, keep: bool, watch: Watch) -> ReachedPoses:
    """The same with the parts that moved as near to their start as the mates let them.

    Poses at which no less movement is found are returned as they are.

    Args:
        keep: whether the assembly mode stays, as one that is asked for, or that of a start whose
            mates hold, does; from elsewhere the motion may lead through other modes.

    Raises:
        Stopped: the watch interrupted it.
    """
    known = _known(reached) or _prepared(reached)
    if known is None:
        return reached
    watch.place = "before the parts were moved as little as the mates let them"
    watch.check()
    known.keep = keep
    return known.nearer(reached.planned.plan, reached, watch)


def _known(reached: ReachedPoses) -> _MovedParts | None:
    """What the solve before prepared, where the same parts moved."""
    system, plan = reached.system, reached.planned.known
    known = None if plan is None else plan.prepared.get(__name__)
    if not isinstance(known, _MovedParts):
        return None
    same = differ_only(reached.frames, system.start, system.fixed, known.moved)
    return known if same else None


def _prepared(reached: ReachedPoses) -> _MovedParts | None:
    """What the steps need, None where no part moved."""
    system = reached.system
    moved: NDArray[np.bool_] = (reached.frames != system.start).any(axis=1) & ~system.fixed
    if not moved.any():
        return None
    plan = reached.planned.plan
    plan.prepared[__name__] = known = _MovedParts(plan, moved)
    return known


def know_moved(plan: Plan, parts: Array) -> None:
    """Prepare the steps for solves with a plan that move the parts which are elsewhere at these
    poses, (parts, 12), than at its start."""
    system = plan.system
    moved: NDArray[np.bool_] = (parts != system.start).any(axis=1) & ~system.fixed
    if moved.any():
        plan.prepared[__name__] = known = _MovedParts(plan, moved)
        known.whole(plan)


def movement(reached: ReachedPoses) -> float:
    """The movement of all mate features since the start: root of the sum of squares, mm."""
    start, here = (body_cloud(reached.system, x) for x in (reached.system.start, reached.frames))
    return float(np.linalg.norm(here - start))


class _MovedParts:
    """What the steps need of the parts that moved, for their plan, which has it."""

    def __init__(self, plan: Plan, moved: NDArray[np.bool_]) -> None:
        self.moved = moved
        self.loops = any(c.loop for c in plan.components)
        self.apart = separate(plan, moved)
        self.keep = True
        self._whole: Whole | None = None
        self._signs: SignTable | None = None

    def revalued(self, plan: Plan) -> _MovedParts:
        """The same for a plan that differs in targets, and in frames of joints, only."""
        apart = None if self.apart is None else self.apart.revalued(plan)
        return altered(self, apart=apart, _signs=None)

    def redimensioned(self, plan: Plan) -> _MovedParts:
        """The same for a plan of which features are elsewhere on their parts."""
        apart = None if self.apart is None else self.apart.redimensioned(plan)
        return altered(self, apart=apart, _signs=None, _whole=None)

    def whole(self, plan: Plan) -> Whole:
        """All of them as one block."""
        if self._whole is None:
            self._whole = Whole(plan, self.moved)
        return self._whole

    def nearer(self, plan: Plan, reached: ReachedPoses, watch: Watch) -> ReachedPoses:
        """Poses with less movement, the same where none are found."""
        block: Separate | Whole | None = None if reached.refolded else self.apart
        if block is not None:
            status, found = self._judged(plan, reached, *block.lessened(plan, reached))
        if block is None or status == FAILED:
            watch.check()
            status, found = self._judged(plan, reached, *self.whole(plan).lessened(plan, reached))
        failed = status in (FAILED, REFUSED)
        if failed or self._far(plan, reached):
            found = self._from_afar(plan, reached, found, failed, watch)
        return found

    def _far(self, plan: Plan, reached: ReachedPoses) -> bool:
        """Whether a part turned so far that there may be several least movements nearby."""
        tree = self.apart is not None and not self.apart.flat
        return not tree and turned(plan.system.start, reached.frames, FAR)

    def _from_afar(
        self, plan: Plan, reached: ReachedPoses, best: ReachedPoses, failed: bool, watch: Watch
    ) -> ReachedPoses:
        """The nearest of some poses and the ends of descents, from those reached and the start."""
        whole = self.whole(plan)
        for begin in (reached.frames, whole.at_start(plan, reached.frames)):
            watch.check()
            descended = whole.descended(plan, reached, begin, np.zeros(1))
            status, found = self._judged(plan, reached, *descended)
            failed = failed and status in (FAILED, REFUSED)
            if movement(found) < (1.0 - NO_GAIN) * movement(best):
                best = found
        return self._step_by_step(plan, reached, watch) if failed else best

    def _step_by_step(self, plan: Plan, reached: ReachedPoses, watch: Watch) -> ReachedPoses:
        """Poses with less movement, each step judged: within limits and the assembly mode."""
        found, region = reached, np.zeros(1)
        for _ in range(DESCENT):
            watch.check()
            status, out = self.whole(plan).descended(plan, found, found.frames, region, 1)
            status, there = self._judged(plan, reached, status, out)
            if status == LESS:
                found = there
            elif status != LEAST:
                region *= NARROWER
            if region[0] == 0.0:
                break
        return found

    def _judged(
        self, plan: Plan, reached: ReachedPoses, status: int, out: Array
    ) -> tuple[int, ReachedPoses]:
        """How steps from some poses ended, and the poses there where they are nearer and hold."""
        if status != LESS:
            return status, reached
        system = plan.system
        found, allowed = reached.moved(out), system.convergence_tolerance
        if found.exceeds(allowed) and reached.exceeds(allowed):
            found, allowed = reached.moved(refined(system, out)), NOISY * reached.off
        if found.exceeds(min(allowed, system.tolerance)):
            return FAILED, reached
        return (LESS, found) if self._same_mode(plan, reached, found) else (REFUSED, reached)

    def _same_mode(self, plan: Plan, reached: ReachedPoses, found: ReachedPoses) -> bool:
        """Whether the assembly mode is the same, or may change; no small rotation does so."""
        if reached.refolded:
            modes = modes_around(plan, reached.frames)
            signs = on_parts(modes.table, modes.plan.bodies)
            return not reversed_sign(signs, reached.frames, found.frames, DEAD, CLEAR)
        if not (self.keep and self.loops) or not turned(reached.frames, found.frames, SLIGHT):
            return True
        if self._signs is None:
            known = known_signs(plan)
            self._signs = known.table if known is not None else None
        if self._signs is None:
            modes = Modes(plan, body_poses(plan, reached.frames))
            self._signs = on_parts(modes.table, plan.bodies)
        return not reversed_sign(self._signs, reached.frames, found.frames, DEAD, CLEAR)
