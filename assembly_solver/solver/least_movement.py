"""Of the parts that a solve moved, the poses nearby at which their mate features moved least.

What stayed stays bit for bit.  The limits hold, and the assembly mode is the one that was reached.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..equations.closed_form import Cloud, plane_axes
from ..equations.elimination import pattern
from ..equations.movement import FAILED, LEAST, LESS, MovementSettings, differ_only, lessen_movement
from ..equations.sparse_block import SparseBlock
from ..equations.system import System
from ..equations.table import PLANE, SPACE, EquationTable, TwistBasis
from ..equations.tree_movement import FREEDOMS, JointTree, lessen_tree_movement
from ..foundations.altered import altered
from ..foundations.geometry.plane_closed_forms import DEAD
from ..foundations.geometry.pose import compose_all
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..structure.clusters import body_cloud
from ..structure.plan import Plan
from ..structure.poses import body_poses
from ..structure.steps import PLACE, Component, Step
from .modes.choice import SLIGHT, ReachedPoses
from .modes.enumeration import Modes
from .modes.orientation import on_parts
from .modes.sines import SignTable, reversed_sign, turned
from .refinement import FREE, refined

WEIGHT = 1e-6
"""A setting: weight of the movement against the equations, relative to the largest trace of a
block."""

SHORT = 1e-10
"""A setting: square of a step, relative to that of the movement, that is the last one."""

STEPS = 30
"""Most steps in the null space; four to seven are usual for parts that are off by 20 degrees."""

SHARES = (1.0, 0.25)
"""Shares of a step that are tried one by one where all steps at once do not succeed."""

NOISY = 2.0
"""Multiple of the residual at which mates still hold where features are a little off: how it is
shared among redundant mates depends on the pose."""

LONG = 20
"""Parts of open chains from which the steps begin at the start poses: in a long chain the errors of
parts that are placed one after the other add up, those of a projection do not."""


REFUSED = 3
"""Beside LESS, LEAST and FAILED: there is less movement, but in another assembly mode."""


def with_least_movement(reached: ReachedPoses, watch: Watch) -> ReachedPoses:
    """The same with the parts that moved as near to their start as the mates let them.

    Poses at which no less movement is found are returned as they are.

    Raises:
        Stopped: the watch interrupted it.
    """
    known = _known(reached) or _prepared(reached)
    if known is None:
        return reached
    watch.place = "before the parts were moved as little as the mates let them"
    watch.check()
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


def movement(reached: ReachedPoses) -> float:
    """The movement of all mate features since the start: root of the sum of squares, mm."""
    start, here = (body_cloud(reached.system, x) for x in (reached.system.start, reached.frames))
    return float(np.linalg.norm(here - start))


class _MovedParts:
    """What the steps need of the parts that moved, for their plan, which has it."""

    def __init__(self, plan: Plan, moved: NDArray[np.bool_]) -> None:
        self.moved = moved
        self.loops = any(c.loop for c in plan.components)
        self.apart = _separate(plan, moved)
        self._whole: _Whole | None = None
        self._signs: SignTable | None = None

    def revalued(self, plan: Plan) -> _MovedParts:
        """The same for a plan that differs in targets, and in frames of joints, only."""
        apart = None if self.apart is None else self.apart.revalued(plan)
        return altered(self, apart=apart, _signs=None)

    def whole(self, plan: Plan) -> _Whole:
        """All of them as one block."""
        if self._whole is None:
            self._whole = _Whole(plan, self.moved)
        return self._whole

    def nearer(self, plan: Plan, reached: ReachedPoses, watch: Watch) -> ReachedPoses:
        """Poses with less movement, the same where none are found."""
        block: _Separate | _Whole | None = self.apart
        if block is not None:
            status, found = self._after(plan, block, reached, block.settings)
        if block is None or status == FAILED:
            watch.check()
            block = self.whole(plan)
            status, found = self._after(plan, block, reached, block.settings)
        for share in SHARES if status in (FAILED, REFUSED) else ():
            one, status = block.settings._replace(share=share, steps=1), LESS
            for _ in range(STEPS):
                if status == LESS:
                    watch.check()
                    status, found = self._after(plan, block, found, one)
        return found

    def _after(
        self,
        plan: Plan,
        block: _Separate | _Whole,
        reached: ReachedPoses,
        settings: MovementSettings,
    ) -> tuple[int, ReachedPoses]:
        """How steps from some poses ended, and the poses there where they are nearer."""
        status, out = block.lessened(plan, reached, settings)
        if status != LESS:
            return status, reached
        system = plan.system
        found, allowed = reached.moved(out), system.convergence_tolerance
        if found.off > allowed and reached.off > allowed:
            found, allowed = reached.moved(refined(system, out)), NOISY * reached.off
        if found.off > min(allowed, system.tolerance):
            return FAILED, reached
        return (LESS, found) if self._same_mode(plan, reached, found) else (REFUSED, reached)

    def _same_mode(self, plan: Plan, reached: ReachedPoses, found: ReachedPoses) -> bool:
        """Whether the assembly mode is the same; a small rotation does not change it."""
        if not self.loops or not turned(reached.frames, found.frames, SLIGHT):
            return True
        if self._signs is None:
            modes = Modes(plan, body_poses(plan, reached.frames))
            self._signs = on_parts(modes.table, plan.bodies)
        return not reversed_sign(self._signs, reached.frames, found.frames, DEAD)


def _settings(system: System, touched: NDArray[np.bool_]) -> MovementSettings:
    """What ends the steps of parts whose constraints are those that are touched."""
    t, sensed = system.table, np.flatnonzero(touched & (system.sense != 0))
    directed = t.term_measure[t.first_term[system.first_equation[sensed]]]
    reach = float(np.abs(system.start[:, :3]).max(initial=0.0)) + system.length
    rounding = 8 * float(np.finfo(float).eps) * reach
    weight = max(WEIGHT, (FREE * system.tolerance / system.length) ** 2)
    return MovementSettings(
        weight, 1.0, SHORT, STEPS, 0, system.convergence_tolerance, rounding, directed
    )


class _Whole:
    """All parts that moved as one block in space, in any structure."""

    def __init__(self, plan: Plan, moved: NDArray[np.bool_]) -> None:
        self.moved, system = moved, plan.system
        touched: NDArray[np.bool_] = np.any(moved[system.ends], axis=1)
        more = []
        for k, parts in system.wide.items():
            touched[k] = moved[list(parts)].any()
            more += [(a, b) for n, b in enumerate(parts) for a in parts[:n]]
        links = np.concatenate([system.ends, np.array(more, np.int64).reshape(-1, 2)])
        bodies = np.flatnonzero(moved)
        basis = TwistBasis(np.eye(3), system.centre, system.length)
        elimination = pattern(bodies, links, len(moved))
        self.block = SparseBlock(system.rows(np.flatnonzero(touched)), elimination, SPACE, basis)
        self.cloud = _part_cloud(system)
        self.long = len(bodies) > LONG and not any(c.loop for c in plan.components)
        self.settings = _settings(system, touched)

    def lessened(
        self, plan: Plan, reached: ReachedPoses, settings: MovementSettings
    ) -> tuple[int, Array]:
        """How the steps ended, and where: poses of the parts."""
        table = plan.system.table
        if self.long and settings.steps > 1:
            begin = np.where(self.moved[:, None], plan.system.start, reached.frames)
            status, out = self._from(table, begin, reached, settings._replace(least=2))
            if status == LESS:
                return status, out
        status, out = self._from(table, reached.frames, reached, settings)
        if status == FAILED and reached.off > settings.residual:  # within the tolerance, no better
            wide = settings._replace(residual=10.0 * reached.off)
            status, out = self._from(table, reached.frames, reached, wide)
        return status, out

    def _from(
        self, table: EquationTable, begin: Array, reached: ReachedPoses, settings: MovementSettings
    ) -> tuple[int, Array]:
        out = reached.frames.copy()
        status = lessen_movement(table, out, self.block, self.cloud, settings, begin)
        return status, out


class _Separate:
    """Trees and planar loops that move apart from each other, as bodies of the plan.

    Attributes:
        tree: bodies on lower pairs, if any; flat: blocks in planes.
        moved, body: parts that move, and the body of each; free: all that are not fixed.
    """

    def __init__(
        self, plan: Plan, moved: NDArray[np.bool_], steps: list[int], flat: list[SparseBlock]
    ) -> None:
        self.numbers, self.flat = steps, flat
        self.steps = [plan.steps[n] for n in steps]
        self.tree = _tree(plan, self.steps) if steps else None
        self.moved, self.free = np.flatnonzero(moved), np.flatnonzero(~plan.system.fixed)
        self.body = plan.bodies.of_part[self.moved]
        self.settings = _settings(plan.system, np.any(moved[plan.system.ends], axis=1))

    def revalued(self, plan: Plan) -> _Separate:
        """The same for a plan that differs in targets, and in frames of joints, only."""
        steps = [plan.steps[n] for n in self.numbers]
        new = [k for k, step in enumerate(steps) if step is not self.steps[k]]
        tree = self.tree
        if tree is None or not new:
            return self
        if any(steps[k].kind != tree.kind[k] for k in new):
            return altered(self, steps=steps, tree=_tree(plan, steps))
        at, own = tree.at.copy(), tree.own.copy()
        for k in new:
            at[k], own[k] = steps[k].at, steps[k].own
        return altered(self, steps=steps, tree=tree._replace(at=at, own=own))

    def lessened(
        self, plan: Plan, reached: ReachedPoses, settings: MovementSettings
    ) -> tuple[int, Array]:
        """How the steps ended, and where: poses of the parts."""
        poses, all_ = self._bodies(plan, reached.frames), [LEAST]
        if self.tree is not None:
            start = self._bodies(plan, plan.system.start)
            status = lessen_tree_movement(self.tree, poses, start, start, plan.cloud)
            if status == FAILED:
                status = lessen_tree_movement(self.tree, poses, poses, start, plan.cloud)
            all_.append(status)
        for block in self.flat:
            all_.append(lessen_movement(plan.table, poses, block, plan.cloud, settings, poses))
        if FAILED in all_ or LESS not in all_:
            return max(all_), reached.frames
        out, bodies = reached.frames.copy(), plan.bodies
        own = poses[self.body]
        out[self.moved] = compose_all(own, bodies.relative[self.moved]) if bodies.merged else own
        return LESS, out

    def _bodies(self, plan: Plan, frames: Array) -> Array:
        """Poses of the bodies from those of the parts."""
        bodies = plan.bodies
        if bodies.merged:
            return body_poses(plan, frames)
        poses = bodies.start.copy()
        poses[1:] = frames[self.free]
        return poses


def _separate(plan: Plan, moved: NDArray[np.bool_]) -> _Separate | None:
    """The trees and planar loops of the parts that moved; None where there is anything else."""
    of_part, moving = plan.bodies.of_part, np.zeros(plan.bodies.count, bool)
    moving[of_part[moved]] = True
    moving[0] = moving[of_part[~moved]] = False
    steps, flat, placed = list[int](), list[SparseBlock](), set[int]()
    places = [n for n, s in enumerate(plan.steps) if s.action == PLACE and s.kind in FREEDOMS]
    branches = {plan.steps[n].component: n for n in places}
    for number, component in enumerate(plan.components):
        own = [body for body in component.bodies if moving[body]]
        root, branch = component.root, branches.get(number)
        if not own and not moving[root]:
            continue
        if own and branch is not None and (root in placed or not moving[root]):
            steps.append(branch)
            placed.add(own[0])
        elif component.projection is not None and not moving[root]:
            flat.append(_in_plane(plan, component, own))
        else:
            return None
    return _Separate(plan, moved, steps, flat)


def _in_plane(plan: Plan, component: Component, moving: list[int]) -> SparseBlock:
    """The bodies of a component that move in parallel planes."""
    assert component.projection is not None
    bodies, axes = plan.bodies, np.empty((3, 3))
    plane_axes(bodies.start, component.root, component.projection.flat.normal[0], axes)
    elimination = pattern(np.array(moving), np.array(component.links), bodies.count)
    rows = np.array(component.projection.plane, np.int64)
    return SparseBlock(
        rows, elimination, PLANE, TwistBasis(axes, bodies.centre, plan.system.length)
    )


def _tree(plan: Plan, steps: list[Step]) -> JointTree:
    """Bodies that are placed one after the other, by these steps."""
    index, parents = {s.bodies[0]: k for k, s in enumerate(steps)}, {s.parent for s in steps}
    freedoms = [FREEDOMS[s.kind] for s in steps]
    columns = np.array([f for each in freedoms for f in each], np.int64).reshape(-1, 2)
    return JointTree(
        np.array([s.bodies[0] for s in steps], np.int64),
        np.array([s.parent for s in steps], np.int64),
        np.array([index.get(s.parent, -1) for s in steps], np.int64),
        np.array([k for k, s in enumerate(steps) if s.bodies[0] not in parents], np.int64),
        np.array([s.kind for s in steps], np.int64),
        np.array([s.at for s in steps]),
        np.array([s.own for s in steps]),
        np.cumsum([0, *map(len, freedoms)], dtype=np.int64),
        np.ascontiguousarray(columns[:, 0]),
        np.ascontiguousarray(columns[:, 1]),
        plan.system.length,
    )


def _part_cloud(system: System) -> Cloud:
    """Mate features of the parts, in part coordinates and in the world at the start, mm."""
    order = np.argsort(system.cloud_part, kind="stable")
    part = system.cloud_part[order]
    first = np.searchsorted(part, np.arange(len(system.parts) + 1)).astype(np.int64)
    start = body_cloud(system, system.start)[order]
    return Cloud(first, np.ascontiguousarray(system.cloud[order]), np.ascontiguousarray(start))
