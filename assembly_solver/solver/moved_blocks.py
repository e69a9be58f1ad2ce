"""The parts that a solve moved as blocks, in each of which the steps of least movement are taken.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..equations.closed_form import Cloud, plane_axes
from ..equations.elimination import pattern
from ..equations.movement import FAILED, LEAST, LESS, NO_WORSE, MovementSettings, lessen_movement
from ..equations.movement_descent import descend_movement
from ..equations.sparse_block import SparseBlock
from ..equations.system import System
from ..equations.table import PLANE, SPACE, EquationTable, TwistBasis
from ..equations.tree_movement import FREEDOMS, JointTree, lessen_tree_movement
from ..foundations.altered import altered
from ..foundations.geometry.placing import frames_placed
from ..foundations.types import Array, Ints
from ..structure.clusters import body_cloud
from ..structure.plan import Plan
from ..structure.poses import body_poses
from ..structure.steps import PLACE, Component
from .modes.choice import ReachedPoses
from .refinement import FREE

WEIGHT = 1e-6
"""A setting: weight of the movement against the equations, relative to the largest trace of a
block."""

SHORT = 1e-10
"""A setting: square of a step, relative to that of the movement, that is the last one."""

STEPS = 30
"""Most steps in the null space; four to seven are usual for parts that are off by 20 degrees."""

DESCENT = 60
"""Most steps of a descent within a trust region; ten to twenty are usual from afar."""

EACH = 0.25
"""Share of the residual of a mate that each of its equations may have where a step ends."""

LONG = 20
"""Parts of open chains from which the steps begin at the start poses: in a long chain the errors of
parts that are placed one after the other add up, those of a projection do not."""

LONG_BLOCK = 400
"""A setting: equations of a block from which on steps are taken again with a lighter weight."""


def _directed(system: System, touched: NDArray[np.bool_]) -> Ints:
    """The measures of the constraints with a sense, of those that are touched."""
    t, sensed = system.table, np.flatnonzero(touched & (system.sense != 0))
    return t.term_measure[t.first_term[system.first_equation[sensed]]]


def _settings(system: System, directed: Ints) -> MovementSettings:
    """What ends the steps of parts whose constraints have these directed measures."""
    reach = system.farthest + system.length
    rounding = 8 * float(np.finfo(float).eps) * reach
    weight = max(WEIGHT, (FREE * system.tolerance / system.length) ** 2)
    return MovementSettings(
        weight, SHORT, STEPS, 0, system.convergence_tolerance, rounding, directed
    )


def _lessened(
    t: EquationTable,
    poses: Array,
    block: SparseBlock,
    cloud: Cloud,
    settings: MovementSettings,
    begin: Array,
) -> int:
    """As `lessen_movement`; where that leads nowhere, with the square of the weight once more.

    In a chain of many loops the equations resist some motions so little that the weight of the
    movement outdoes them; so small a weight everywhere would make noise in features count.
    """
    status = lessen_movement(t, poses, block, cloud, settings, begin)
    if status == FAILED and len(block.rows) > LONG_BLOCK:  # others descend from afar
        lighter = settings._replace(weight=settings.weight**2)
        status = lessen_movement(t, poses, block, cloud, lighter, begin)
    return status


class Whole:
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
        self.settings = _settings(system, _directed(system, touched))

    def lessened(self, plan: Plan, reached: ReachedPoses) -> tuple[int, Array]:
        """How the steps ended, and where: poses of the parts."""
        settings = self.settings
        if self.long and not reached.refolded:
            begin = self.at_start(plan, reached.frames)
            status, out = self._from(plan, begin, reached, settings._replace(least=2))
            if status == LESS:
                return status, out
        return self._from(plan, reached.frames, reached, settings)

    def descended(
        self, plan: Plan, reached: ReachedPoses, begin: Array, region: Array, steps: int = DESCENT
    ) -> tuple[int, Array]:
        """The same by so many steps within a trust region: its radius, mm, 0 at first."""
        out, table = reached.frames.copy(), plan.system.table
        residual = self.settings.residual
        if reached.off > residual:
            residual = NO_WORSE * reached.off
        settings = self.settings._replace(steps=steps, residual=EACH * residual)
        status = descend_movement(table, out, self.block, self.cloud, settings, begin, region)
        return status, out

    def at_start(self, plan: Plan, frames: Array) -> Array:
        """Poses with the parts that moved at their start."""
        return np.where(self.moved[:, None], plan.system.start, frames)

    def _from(
        self, plan: Plan, begin: Array, reached: ReachedPoses, settings: MovementSettings
    ) -> tuple[int, Array]:
        out, table = reached.frames.copy(), plan.system.table
        return _lessened(table, out, self.block, self.cloud, settings, begin), out


class Separate:
    """Trees and planar loops that move apart from each other, as bodies of the plan.

    Attributes:
        tree: bodies on lower pairs, if any; flat: blocks in planes.
        moved, body: parts that move, and the body of each; free: all that are not fixed.
    """

    def __init__(
        self, plan: Plan, moved: NDArray[np.bool_], steps: list[int], flat: list[SparseBlock]
    ) -> None:
        self.numbers, self.flat = np.array(steps, np.int64), flat
        self.tree = _tree(plan, steps) if steps else None
        self.moved, self.free = np.flatnonzero(moved), np.flatnonzero(~plan.system.fixed)
        self.body = plan.bodies.of_part[self.moved]
        touched: NDArray[np.bool_] = np.any(moved[plan.system.ends], axis=1)
        self.settings = _settings(plan.system, _directed(plan.system, touched))

    def redimensioned(self, plan: Plan) -> Separate:
        """The same for a plan of which features are elsewhere on their parts."""
        centre, length = plan.bodies.centre, plan.system.length
        bases = (block.basis._replace(centre=centre, length=length) for block in self.flat)
        flat = [b._replace(basis=basis) for b, basis in zip(self.flat, bases, strict=True)]
        tree = None if self.tree is None else self.tree._replace(length=length)
        settings = _settings(plan.system, self.settings.directed)
        return altered(self, flat=flat, tree=tree, settings=settings).revalued(plan)

    def revalued(self, plan: Plan) -> Separate:
        """The same for a plan that differs in targets, and in frames of joints, only."""
        tree, program = self.tree, plan.program
        if tree is None:
            return self
        if (program.step[self.numbers, 4] != tree.kind).any():
            return altered(self, tree=_tree(plan, self.numbers.tolist()))
        at, own = program.at[self.numbers], program.own[self.numbers]
        return altered(self, tree=tree._replace(at=at, own=own))

    def lessened(self, plan: Plan, reached: ReachedPoses) -> tuple[int, Array]:
        """How the steps ended, and where: poses of the parts."""
        poses, all_ = self._bodies(plan, reached.frames), [LEAST]
        settings = self.settings
        if self.tree is not None:
            start = self._bodies(plan, plan.system.start)
            status = lessen_tree_movement(self.tree, poses, start, start, plan.cloud)
            if status == FAILED:
                status = lessen_tree_movement(self.tree, poses, poses, start, plan.cloud)
            all_.append(status)
        for block in self.flat:
            all_.append(_lessened(plan.table, poses, block, plan.cloud, settings, poses))
        if FAILED in all_ or LESS not in all_:
            return max(all_), reached.frames
        out, bodies = reached.frames.copy(), plan.bodies
        if bodies.merged:
            out[self.moved] = frames_placed(poses, self.body, bodies.relative[self.moved])
        else:
            out[self.free] = poses[1:]
        return LESS, out

    def _bodies(self, plan: Plan, frames: Array) -> Array:
        """Poses of the bodies from those of the parts."""
        bodies = plan.bodies
        if bodies.merged:
            return body_poses(plan, frames)
        poses = bodies.start.copy()
        poses[1:] = frames[self.free]
        return poses


def separate(plan: Plan, moved: NDArray[np.bool_]) -> Separate | None:
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
    return Separate(plan, moved, steps, flat)


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


def _tree(plan: Plan, numbers: list[int]) -> JointTree:
    """Bodies that are placed one after the other, by the steps of these numbers."""
    steps = [plan.steps[n] for n in numbers]
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
