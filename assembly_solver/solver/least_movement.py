"""Of the parts that a solve moved, the poses nearby at which their mate features moved least.

What stayed stays bit for bit.  The limits hold, and the assembly mode is the one that was reached.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..equations.movement import FAILED, LEAST, LESS, NO_GAIN, differ_only
from ..equations.movement_descent import NARROWER
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
from .modes.sines import SignTable, largest_turn, reversed_signs
from .moved_blocks import DESCENT, PlaneBlock, Whole, part_cloud, separate
from .moved_groups import moved_groups
from .refinement import refined

NOISY = 2.0
"""Multiple of the residual at which mates still hold where features are a little off: how it is
shared among redundant mates depends on the pose."""

SIGNS = "signs"
"""The name by which plans know those of their assembly modes."""

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
    return _LeastMovement(known, reached, keep, watch).nearer()


def _known(reached: ReachedPoses) -> MovedParts | None:
    """What the solve before prepared, where the same parts moved."""
    system, plan = reached.planned.system, reached.planned.known
    known = None if plan is None else moved_before(plan)
    if known is None:
        return None
    same = differ_only(reached.frames, system.start, system.fixed, known.moved)
    return known if same else None


def moved_before(plan: Plan) -> MovedParts | None:
    """The parts that the last solve with a plan of this structure moved, if any did."""
    known: MovedParts | None = plan.prepared.get(__name__)
    return known


def _prepared(reached: ReachedPoses) -> MovedParts | None:
    """What the steps need, None where no part moved."""
    system = reached.system
    moved: NDArray[np.bool_] = (reached.frames != system.start).any(axis=1) & ~system.fixed
    if not moved.any():
        return None
    plan = reached.planned.plan
    plan.prepared[__name__] = known = MovedParts(plan, moved)
    return known


def know_moved(plan: Plan, parts: Array) -> None:
    """Prepare the steps for solves with a plan that move the parts which are elsewhere at these
    poses, (parts, 12), than at its start."""
    system = plan.system
    moved: NDArray[np.bool_] = (parts != system.start).any(axis=1) & ~system.fixed
    if moved.any():
        plan.prepared[__name__] = known = MovedParts(plan, moved)
        for group in range(len(known.groups.parts)):
            known.whole(plan, group)


def movement(reached: ReachedPoses) -> float:
    """The movement of all mate features since the start: root of the sum of squares, mm."""
    start, here = (body_cloud(reached.system, x) for x in (reached.system.start, reached.frames))
    return float(np.linalg.norm(here - start))


def _in_loops(plan: Plan) -> NDArray[np.bool_]:
    """Which parts are on bodies that close a loop."""
    out = np.zeros(plan.bodies.count, bool)
    for component in plan.loops.values():
        out[list(component.bodies)] = True
    return out[plan.bodies.of_part]


class MovedParts:
    """What the steps need of the parts that moved, by the structure of their plan.

    What is least is found group by group: the steps of each have a status.

    Attributes:
        loop: see `repeated_loop`; None where it does not serve, or did not.
    """

    def __init__(self, plan: Plan, moved: NDArray[np.bool_]) -> None:
        self.moved = moved
        self.looped = _in_loops(plan)
        self.groups = moved_groups(plan.system, moved)
        self.apart, self.others = separate(plan, self.groups)
        self.loops = bool(self.looped.any())
        self.several = self.others.union(f.group for f in self.apart.flat)
        self.loop = self._only_loop(plan)

    def _only_loop(self, plan: Plan) -> PlaneBlock | None:
        """The planar loop whose bodies are all that moved, where each is one part, not limited."""
        blocks, others = self.apart.flat, self.others or len(self.apart.steps)
        limited = plan.bodies.merged or plan.system.bounds is not None
        alone = len(self.groups.parts) == len(blocks) == 1
        return blocks[0] if alone and not others and not limited else None

    def whole(self, plan: Plan, group: int) -> Whole:
        """All parts of a group as one block, which a plan knows from one solve to the next."""
        by, cloud, known = plan.computed.get(__name__, (None, None, None))
        if by is not self:
            cloud, known = part_cloud(plan.system), dict[int, Whole]()
            plan.computed[__name__] = self, cloud, known
        if group not in known:
            loop = bool(self.looped[self.groups.parts[group]].any())
            known[group] = Whole(plan, self.groups, group, loop, cloud)
        found: Whole = known[group]
        return found


class _LeastMovement:
    """The steps of one solve.

    Args:
        reached: from where; known: its parts that moved; keep: as of `with_least_movement`.
    """

    def __init__(self, known: MovedParts, reached: ReachedPoses, keep: bool, watch: Watch) -> None:
        self.known, self.reached, self.keep, self.watch = known, reached, keep, watch
        self.plan, self.groups = reached.planned.plan, known.groups

    def nearer(self) -> ReachedPoses:
        """Poses with less movement, the same where none are found."""
        known, reached = self.known, self.reached
        status, best = [LEAST] * len(self.groups.parts), reached
        far: set[int] = set()
        again: Sequence[int] = range(len(self.groups.parts))
        if not reached.refolded:
            out = known.apart.lessened(self.plan, reached, status)
            best = self._judged(best, status, out)
            again = [g for g, s in enumerate(status) if s == FAILED or g in known.others]
            far = self._far()
        if again:
            self.watch.check()
            out, tried = reached.frames.copy(), [LEAST] * len(status)
            for group in again:
                tried[group] = known.whole(self.plan, group).lessened(self.plan, reached, out)
            best = self._judged(best, tried, out)
            for group in again:
                status[group] = tried[group]
        if not far and max(status) < FAILED:
            return best
        failed = {g for g, s in enumerate(status) if s >= FAILED}
        return self._from_afar(best, far, failed)

    def _far(self) -> set[int]:
        """Groups of which a part turned so far that there may be several least movements nearby."""
        several, reached = self.known.several, self.reached
        if not several or reached.turn > FAR:
            return set()
        start, frames = self.plan.system.start, reached.frames
        trace = np.sum(start[:, 3:] * frames[:, 3:], axis=1)
        return several.intersection(self.groups.of_part[:-1][trace <= 1.0 + 2.0 * FAR].tolist())

    def _from_afar(self, best: ReachedPoses, far: set[int], failed: set[int]) -> ReachedPoses:
        """The nearest of some poses and the ends of descents, from those reached and the start."""
        plan, reached = self.plan, self.reached
        for at_start in (False, True):
            status, out = [LEAST] * len(self.groups.parts), reached.frames.copy()
            for group in far | failed:
                self.watch.check()
                whole = self.known.whole(plan, group)
                begin = whole.at_start(plan, out) if at_start else out
                status[group] = whole.descended(plan, reached.off, begin, np.zeros(1), out)
            now, before = (self._squares(x) for x in (out, best.frames))
            for group in np.flatnonzero(now >= (1.0 - NO_GAIN) ** 2 * before).tolist():
                status[group] = max(status[group], LEAST)
            best = self._judged(best, status, out)
            failed = {g for g in failed if status[g] >= FAILED}
        return self._step_by_step(best, failed) if failed else best

    def _step_by_step(self, best: ReachedPoses, groups: set[int]) -> ReachedPoses:
        """Poses with less movement, each step judged: within limits and the assembly mode."""
        regions = {group: np.zeros(1) for group in groups}
        for _ in range(DESCENT):
            self.watch.check()
            status, out = [LEAST] * len(self.groups.parts), best.frames.copy()
            for group, region in regions.items():
                whole = self.known.whole(self.plan, group)
                status[group] = whole.descended(self.plan, best.off, out, region, out, 1)
            best = self._judged(best, status, out)
            for group, region in regions.items():
                if status[group] >= FAILED:
                    region *= NARROWER
            regions = {group: region for group, region in regions.items() if region[0] > 0.0}
            if not regions:
                break
        return best

    def _squares(self, frames: Array) -> Array:
        """Squared movement of the features of each group since the start, mm^2."""
        system = self.plan.system
        away = body_cloud(system, frames) - body_cloud(system, system.start)
        out = np.zeros(len(self.groups.parts) + 1)
        np.add.at(out, self.groups.of_part[system.cloud_part], np.sum(away * away, axis=1))
        return out[:-1]

    def _judged(self, best: ReachedPoses, status: list[int], out: Array) -> ReachedPoses:
        """The best poses with the groups that moved less at others where they hold there.

        Args:
            status: how the steps of each group ended; FAILED or REFUSED where it does not hold.
            out: where they ended, (parts, 12).
        """
        if LESS not in status:
            return best
        less = [g for g, s in enumerate(status) if s == LESS]
        reached, system = self.reached, self.plan.system
        every = len(less) == len(status)
        found = reached.moved(out if every else self._put(less, out, best.frames))
        allowed = system.convergence_tolerance
        open_: set[int] = set()
        together = False
        if found.exceeds(allowed):
            together = reached.exceeds(allowed)
            if together:  # what redundant mates are off by is shared by all that is connected
                found, allowed = reached.moved(refined(system, found.frames)), NOISY * reached.off
            open_ = self._open(found, min(allowed, system.tolerance))
        switched = self._switched(found)
        wrong = open_ | switched
        good = [g for g in less if g not in wrong]
        if len(good) == len(less):
            return found
        for g in less:
            status[g] = REFUSED if g in switched and g not in open_ else FAILED
        if together:
            return best
        for g in good:
            status[g] = LESS
        return reached.moved(self._put(good, found.frames, best.frames))

    def _put(self, groups: list[int], frames: Array, best: Array) -> Array:
        """The best poses with those of some groups, and of what stayed, replaced."""
        taken = np.zeros(len(self.groups.parts) + 1, bool)
        taken[[*groups, -1]] = True
        return np.where(taken[self.groups.of_part[:-1], None], frames, best)

    def _open(self, found: ReachedPoses, allowed: float) -> set[int]:
        """Groups of which a mate or a limit is off by more."""
        if not found.exceeds(allowed):
            return set()
        limits = np.abs(found.bound_violations) > allowed
        wrong = self.groups.of_constraint[found.each > allowed], self.groups.of_limit[limits]
        return set(np.concatenate(wrong).tolist())

    def _switched(self, found: ReachedPoses) -> set[int]:
        """Groups in another assembly mode that may not be; no small rotation leads there."""
        reached = self.reached
        if reached.refolded:
            modes = modes_around(self.plan, reached.frames)
            signs = on_parts(modes.table, modes.plan.bodies)
        elif self.keep and self.known.loops:
            if largest_turn(reached.frames, found.frames) > SLIGHT:
                return set()
            signs = self._signs()
        else:
            return set()
        wrong = reversed_signs(signs, reached.frames, found.frames, DEAD, CLEAR)
        if not wrong.any():
            return set()
        return set(self.groups.of_part[signs.body[wrong]].ravel().tolist())

    def _signs(self) -> SignTable:
        """The signs of assembly modes, which a plan knows from one solve to the next."""
        plan, known = self.plan, known_signs(self.plan)
        if known is not None and known.table is not None:
            return known.table
        by, table, signs = plan.computed.get(SIGNS, (None, None, None))
        if by is not self.known or table is not plan.table:
            modes = Modes(plan, body_poses(plan, self.reached.frames))
            signs = on_parts(modes.table, plan.bodies)
            plan.computed[SIGNS] = self.known, plan.table, signs
        found: SignTable = signs
        return found
