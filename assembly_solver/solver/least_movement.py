"""Of the parts that a solve moved, the poses nearby at which their mate features moved least.

What stayed stays bit for bit.  The limits hold, and the assembly mode is the one that was reached.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..equations.closed_form import Cloud
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
from .modes.sines import SignTable, reversed_signs, turned
from .moved_blocks import DESCENT, Whole, part_cloud, separate
from .moved_groups import moved_groups
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
        for group in range(known.groups.total):
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


class _MovedParts:
    """What the steps need of the parts that moved, for their plan, which has it.

    What is least is found group by group: the steps of each have a status.
    """

    def __init__(self, plan: Plan, moved: NDArray[np.bool_]) -> None:
        self.moved = moved
        self.looped = _in_loops(plan)
        self.groups = moved_groups(plan.system, moved)
        self.apart, self.others = separate(plan, self.groups)
        self.loops = bool(self.looped.any())
        self.several = self.others.union(f.group for f in self.apart.flat)
        self.keep = True
        self._whole: dict[int, Whole] = {}
        self._cloud: Cloud | None = None
        self._signs: SignTable | None = None

    def revalued(self, plan: Plan) -> _MovedParts:
        """The same for a plan that differs in targets, and in frames of joints, only."""
        return altered(self, apart=self.apart.revalued(plan), _signs=None)

    def redimensioned(self, plan: Plan) -> _MovedParts:
        """The same for a plan of which features are elsewhere on their parts."""
        apart = self.apart.revalued(plan)
        return altered(self, apart=apart, _signs=None, _whole={}, _cloud=None)

    def whole(self, plan: Plan, group: int) -> Whole:
        """All parts of a group as one block."""
        if self._cloud is None:
            self._cloud = part_cloud(plan.system)
        if group not in self._whole:
            loop = bool(self.looped[self.groups.parts[group]].any())
            self._whole[group] = Whole(plan, self.groups, group, loop, self._cloud)
        return self._whole[group]

    def nearer(self, plan: Plan, reached: ReachedPoses, watch: Watch) -> ReachedPoses:
        """Poses with less movement, the same where none are found."""
        status, best = [LEAST] * self.groups.total, reached
        far: set[int] = set()
        again: Sequence[int] = range(self.groups.total)
        if not reached.refolded:
            out = self.apart.lessened(plan, reached, status)
            best = self._judged(plan, reached, best, status, out)
            again = [g for g, s in enumerate(status) if s == FAILED or g in self.others]
            far = self._far(plan, reached)
        if again:
            watch.check()
            out, tried = reached.frames.copy(), [LEAST] * len(status)
            for group in again:
                tried[group] = self.whole(plan, group).lessened(plan, reached, out)
            best = self._judged(plan, reached, best, tried, out)
            for group in again:
                status[group] = tried[group]
        failed = {g for g, s in enumerate(status) if s >= FAILED}
        return self._from_afar(plan, reached, best, far, failed, watch) if far or failed else best

    def _far(self, plan: Plan, reached: ReachedPoses) -> set[int]:
        """Groups of which a part turned so far that there may be several least movements nearby."""
        start = plan.system.start
        if not self.several or not turned(start, reached.frames, FAR):
            return set()
        trace = np.sum(start[:, 3:] * reached.frames[:, 3:], axis=1)
        return self.several.intersection(
            self.groups.of_part[:-1][trace <= 1.0 + 2.0 * FAR].tolist()
        )

    def _from_afar(
        self,
        plan: Plan,
        reached: ReachedPoses,
        best: ReachedPoses,
        far: set[int],
        failed: set[int],
        watch: Watch,
    ) -> ReachedPoses:
        """The nearest of some poses and the ends of descents, from those reached and the start; and
        from there with a lighter weight: near a singular pose the usual one outdoes equations."""
        groups = far | failed
        for at_start, lighter in ((False, False), (True, False), (False, True)):
            if lighter and failed:
                best = self._step_by_step(plan, reached, best, failed, watch)
            given = best if lighter else reached
            status, out = [LEAST] * self.groups.total, given.frames.copy()
            for group in groups:
                watch.check()
                whole = self.whole(plan, group)
                begin = whole.at_start(plan, out) if at_start else out
                settings = whole.descent(given.off, lighter=lighter)
                status[group] = whole.descended(plan, settings, begin, np.zeros(1), out)
            now, before = (self._squares(plan, x) for x in (out, best.frames))
            for group in np.flatnonzero(now >= (1.0 - NO_GAIN) ** 2 * before).tolist():
                status[group] = max(status[group], LEAST)
            best = self._judged(plan, reached, best, status, out)
            failed = {g for g in failed if status[g] >= FAILED}
        return best

    def _step_by_step(
        self, plan: Plan, reached: ReachedPoses, best: ReachedPoses, groups: set[int], watch: Watch
    ) -> ReachedPoses:
        """Poses with less movement, each step judged: within limits and the assembly mode."""
        regions = {group: np.zeros(1) for group in groups}
        for _ in range(DESCENT):
            watch.check()
            status, out = [LEAST] * self.groups.total, best.frames.copy()
            for group, region in regions.items():
                whole = self.whole(plan, group)
                status[group] = whole.descended(plan, whole.descent(best.off, 1), out, region, out)
            best = self._judged(plan, reached, best, status, out)
            for group, region in regions.items():
                if status[group] >= FAILED:
                    region *= NARROWER
            regions = {group: region for group, region in regions.items() if region[0] > 0.0}
            if not regions:
                break
        return best

    def _squares(self, plan: Plan, frames: Array) -> Array:
        """Squared movement of the features of each group since the start, mm^2."""
        system = plan.system
        away = body_cloud(system, frames) - body_cloud(system, system.start)
        out = np.zeros(self.groups.total + 1)
        np.add.at(out, self.groups.of_part[system.cloud_part], np.sum(away * away, axis=1))
        return out[:-1]

    def _judged(
        self, plan: Plan, reached: ReachedPoses, best: ReachedPoses, status: list[int], out: Array
    ) -> ReachedPoses:
        """The best poses with the groups that moved less at others where they hold there.

        Args:
            status: how the steps of each group ended; FAILED or REFUSED where it does not hold.
            out: where they ended, (parts, 12).
        """
        less = [g for g, s in enumerate(status) if s == LESS]
        if not less:
            return best
        system = plan.system
        found = reached.moved(self._put(less, out, best.frames))
        allowed = system.convergence_tolerance
        open_: set[int] = set()
        together = False
        if found.exceeds(allowed):
            together = reached.exceeds(allowed)
            if together:  # what redundant mates are off by is shared by all that is connected
                found, allowed = reached.moved(refined(system, found.frames)), NOISY * reached.off
            open_ = self._open(found, min(allowed, system.tolerance))
        switched = self._switched(plan, reached, found)
        good = [g for g in less if g not in open_ and g not in switched]
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
        if len(groups) == self.groups.total:
            return frames
        taken = np.zeros(self.groups.total + 1, bool)
        taken[[*groups, -1]] = True
        return np.where(taken[self.groups.of_part[:-1], None], frames, best)

    def _open(self, found: ReachedPoses, allowed: float) -> set[int]:
        """Groups of which a mate or a limit is off by more."""
        if not found.exceeds(allowed):
            return set()
        limits = np.abs(found.bound_violations) > allowed
        wrong = self.groups.of_constraint[found.each > allowed], self.groups.of_limit[limits]
        return set(np.concatenate(wrong).tolist())

    def _switched(self, plan: Plan, reached: ReachedPoses, found: ReachedPoses) -> set[int]:
        """Groups in another assembly mode that may not be; no small rotation leads there."""
        if reached.refolded:
            modes = modes_around(plan, reached.frames)
            signs = on_parts(modes.table, modes.plan.bodies)
        elif self.keep and self.loops and turned(reached.frames, found.frames, SLIGHT):
            signs = self._known_signs(plan, reached)
        else:
            return set()
        wrong = reversed_signs(signs, reached.frames, found.frames, DEAD, CLEAR)
        if not wrong.any():
            return set()
        return set(self.groups.of_part[signs.body[wrong]].ravel().tolist())

    def _known_signs(self, plan: Plan, reached: ReachedPoses) -> SignTable:
        """The signs of the assembly mode at the poses that were reached."""
        if self._signs is None:
            known = known_signs(plan)
            self._signs = known.table if known is not None else None
        if self._signs is None:
            modes = Modes(plan, body_poses(plan, reached.frames))
            self._signs = on_parts(modes.table, plan.bodies)
        return self._signs
