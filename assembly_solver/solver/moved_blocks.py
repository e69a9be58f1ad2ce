"""The parts that a solve moved as blocks, in each of which the steps of least movement are taken.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from ..equations.closed_form import Cloud, plane_axes
from ..equations.elimination import EliminationPattern, pattern
from ..equations.movement import FAILED, LESS, NO_WORSE, MovementSettings, lessen_movement
from ..equations.movement_descent import descend_movement
from ..equations.sparse_block import SparseBlock
from ..equations.system import System
from ..equations.table import PLANE, SPACE, EquationTable, TwistBasis
from ..equations.tree_model import FREEDOMS, JointTree
from ..equations.tree_movement import lessen_tree_movement
from ..foundations.geometry.placing import frames_placed
from ..foundations.numerics.rounding import EPSILON
from ..foundations.types import Array, Ints
from ..structure.clusters import body_cloud
from ..structure.pairs import KIND_NAMES
from ..structure.plan import Plan
from ..structure.poses import body_poses
from ..structure.steps import PLACE, Component
from .modes.choice import ReachedPoses
from .moved_groups import MovedGroups
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

PLACED_IN_TREE = np.array([kind in FREEDOMS for kind in range(len(KIND_NAMES))])
"""Whether a joint of a kind, by its number, is one of a tree."""

LONG_BLOCK = 64
"""A setting: equations of a block, as of ten loops in a plane, from which on steps are taken again
with a lighter weight."""


def _directed(system: System, constraints: Ints) -> Ints:
    """The measures of those constraints that have a sense."""
    t, sensed = system.table, constraints[system.sense[constraints] != 0]
    measures: Ints = t.term_measure[t.first_term[system.first_equation[sensed]]]
    return measures


def movement_settings(system: System, directed: Ints) -> MovementSettings:
    """What ends the steps of parts whose constraints have these directed measures."""
    length, tolerance, converged = system.length, system.tolerance, system.convergence_tolerance
    return settings_for(length, system.farthest + length, tolerance, converged, directed)


def settings_for(
    length: float, reach: float, tolerance: float, converged: float, directed: Ints
) -> MovementSettings:
    """The same of a system with this length and these tolerances, with coordinates of at most
    `reach`, mm."""
    rounding = 8 * EPSILON * reach
    weight = max(WEIGHT, (FREE * tolerance / length) ** 2)
    return MovementSettings(weight, SHORT, STEPS, 0, converged, rounding, directed)


def _lessened(
    t: EquationTable,
    poses: Array,
    block: SparseBlock,
    cloud: Cloud,
    settings: MovementSettings,
    begin: Array,
) -> int:
    """As `lessen_movement`; where that leads nowhere, with the square of the weight once more.

    In a chain of some ten loops the equations may resist a motion so little that the weight of the
    movement outdoes them; so small a weight at first would make noise in features count.
    """
    status = lessen_movement(t, poses, block, cloud, settings, begin)
    if status == FAILED and len(block.rows) > LONG_BLOCK:  # others descend from afar
        lighter = settings._replace(weight=settings.weight**2)
        status = lessen_movement(t, poses, block, cloud, lighter, begin)
    return status


class Whole:
    """Parts that moved, those of a group, as one block in space, in any structure."""

    def __init__(
        self, plan: Plan, groups: MovedGroups, group: int, loop: bool, cloud: Cloud
    ) -> None:
        system, self.parts = plan.system, groups.parts[group]
        constraints = groups.constraints[group]
        wide = [system.wide[k] for k in constraints.tolist() if k in system.wide]
        more = [pair for parts in wide for pair in combinations(parts, 2)]
        links = np.concatenate([system.ends[constraints], np.array(more, np.int64).reshape(-1, 2)])
        basis = TwistBasis(np.eye(3), system.centre, system.length)
        elimination = pattern(self.parts, links, len(system.parts))
        self.block = SparseBlock(system.rows(constraints), elimination, SPACE, basis)
        self.cloud = cloud
        self.long = len(self.parts) > LONG and not loop
        self.settings = movement_settings(system, _directed(system, constraints))

    def lessened(self, plan: Plan, reached: ReachedPoses, out: Array) -> int:
        """How the steps ended; where they did with less movement, the poses of its parts in `out`.

        Args:
            out: poses of all parts, those of `reached` in this block.
        """
        settings = self.settings
        if self.long and not reached.refolded:
            begin = self.at_start(plan, reached.frames)
            if self._from(plan, begin, out, settings._replace(least=2)) == LESS:
                return LESS
        return self._from(plan, out, out, settings)

    def descended(
        self, plan: Plan, off: float, begin: Array, region: Array, out: Array, steps: int = DESCENT
    ) -> int:
        """The same by so many steps within a trust region.

        Args:
            off: the largest residual at the poses `out`, mm; begin: from where the steps begin.
            region: its radius, mm, 0 at first.
        """
        residual = self.settings.residual
        if off > residual:
            residual = NO_WORSE * off
        settings = self.settings._replace(steps=steps, residual=EACH * residual)
        table = plan.system.table
        return descend_movement(table, out, self.block, self.cloud, settings, begin, region)

    def at_start(self, plan: Plan, frames: Array) -> Array:
        """Poses with the parts that moved at their start."""
        out = frames.copy()
        out[self.parts] = plan.system.start[self.parts]
        return out

    def _from(self, plan: Plan, begin: Array, out: Array, settings: MovementSettings) -> int:
        return _lessened(plan.system.table, out, self.block, self.cloud, settings, begin)


class PlaneBlock(NamedTuple):
    """Bodies of a planar loop that move, all of one group.

    Attributes:
        rows: equations; pattern: of the bodies; axes: of the unknowns, (3, 3), the third across
            the plane; directed: measures whose markers have z axes that must not be reversed.
    """

    group: int
    rows: Ints
    pattern: EliminationPattern
    axes: Array
    directed: Ints


class Separate:
    """Groups of trees and planar loops, as bodies of the plan.

    Attributes:
        steps: those of the program that place bodies on lower pairs; branched: their groups;
            flat: blocks in planes.
        moved, body: parts that move, and the body of each; free: all that are not fixed.
    """

    def __init__(
        self, plan: Plan, groups: MovedGroups, steps: Ints, of: Ints, flat: list[PlaneBlock]
    ) -> None:
        self.steps, self.flat = steps, flat
        self.branched = sorted(set(of.tolist()))
        self.moved = (groups.of_part[:-1] >= 0).nonzero()[0]
        self.free = _rows((~plan.system.fixed).nonzero()[0])
        self.body = plan.bodies.of_part[self.moved]

    def _tree_of(self, plan: Plan) -> JointTree:
        """The tree of a plan, which knows it from one solve to the next."""
        by, program, known = plan.computed.get(__name__, (None, None, None))
        tree: JointTree = known
        if by is not self:
            tree = _tree(plan, self.steps)
        elif program is plan.program:
            return tree
        elif (plan.program.step[self.steps, 4] != tree.kind).any():
            tree = _tree(plan, self.steps)
        else:
            at, own = plan.program.at[self.steps], plan.program.own[self.steps]
            tree = tree._replace(at=at, own=own)
        plan.computed[__name__] = self, plan.program, tree
        return tree

    def lessened(self, plan: Plan, reached: ReachedPoses, status: list[int]) -> Array:
        """Where the steps ended: poses of the parts.

        Args:
            status: LEAST of each group; how the steps of those of these blocks ended.
        """
        if not len(self.steps) and not self.flat:
            return reached.frames
        poses, less = self._bodies(plan, reached.frames), False
        if len(self.steps):
            tree, start = self._tree_of(plan), self._bodies(plan, plan.system.start)
            ended = lessen_tree_movement(tree, poses, start, start, plan.cloud)
            if ended == FAILED:
                ended = lessen_tree_movement(tree, poses, poses, start, plan.cloud)
            less = ended == LESS
            for group in self.branched:
                status[group] = ended
        for group, rows, elimination, axes, directed in self.flat:
            basis = TwistBasis(axes, plan.bodies.centre, plan.system.length)
            block = SparseBlock(rows, elimination, PLANE, basis)
            settings = movement_settings(plan.system, directed)
            ended = _lessened(plan.table, poses, block, plan.cloud, settings, poses)
            less = less or ended == LESS
            if FAILED in (ended, status[group]):
                status[group] = FAILED
            elif ended == LESS:
                status[group] = LESS
        return self._parts(plan, reached.frames, poses) if less else reached.frames

    def _bodies(self, plan: Plan, frames: Array) -> Array:
        """Poses of the bodies from those of the parts."""
        bodies = plan.bodies
        if bodies.merged:
            return body_poses(plan, frames)
        poses = bodies.start.copy()
        poses[1:] = frames[self.free]
        return poses

    def _parts(self, plan: Plan, frames: Array, poses: Array) -> Array:
        """Poses of the parts with those that moved as their bodies are."""
        out, bodies = frames.copy(), plan.bodies
        if bodies.merged:
            out[self.moved] = frames_placed(poses, self.body, bodies.relative[self.moved])
        else:
            out[self.free] = poses[1:]
        return out


def _rows(numbers: Ints) -> Ints | slice:
    """Rows by their numbers; those that follow each other as a slice, which is read sooner."""
    if len(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1:
        return slice(int(numbers[0]), int(numbers[-1]) + 1)
    return numbers


def moving_bodies(plan: Plan, groups: MovedGroups) -> Ints:
    """The group of each body all parts of which moved, -1 of others."""
    of_part, of = plan.bodies.of_part, groups.of_part[:-1]
    out = np.full(plan.bodies.count, -1)
    out[of_part] = of
    out[of_part[of < 0]] = out[0] = -1
    return out


def separate(plan: Plan, groups: MovedGroups) -> tuple[Separate, set[int]]:
    """The groups that are trees and planar loops; those in which there is anything else."""
    group, step = moving_bodies(plan, groups), plan.program.step
    places = ((step[:, 0] == PLACE) & PLACED_IN_TREE[step[:, 4]]).nonzero()[0]
    _, branches, root, body, _, _ = step[places].T
    of, base, placed = group[body], group[root], np.zeros(len(group), bool)
    placed[body[of >= 0]] = True
    astray = (base >= 0) & ~((of >= 0) & placed[root])
    others = {*of[astray].tolist(), *base[astray].tolist()}
    flat: list[PlaneBlock] = []
    components = range(len(plan.program.first_flat) - 1)
    for k in sorted({*components}.difference(branches.tolist())):
        component = plan.loops.get(k) or plan.components[k]
        own: dict[int, list[int]] = {}
        for number in component.bodies:
            own.setdefault(int(group[number]), []).append(number)
        own.pop(-1, None)
        if component.projection is not None and group[component.root] < 0:
            flat += [_in_plane(plan, component, g, bodies) for g, bodies in own.items()]
        else:
            others.update(own, [int(group[component.root])])
    flat = [f for f in flat if f.group not in others]
    chosen = np.array([g not in others for g in range(len(groups.parts))] + [False])[of]
    return Separate(plan, groups, places[chosen], of[chosen], flat), others - {-1}


def _in_plane(plan: Plan, component: Component, group: int, moving: list[int]) -> PlaneBlock:
    """The bodies of a component that move in parallel planes, those of a group."""
    assert component.projection is not None
    bodies, axes = plan.bodies, np.empty((3, 3))
    plane_axes(bodies.start, component.root, component.projection.flat.normal[0], axes)
    elimination = pattern(np.array(moving), np.array(component.links), bodies.count)
    rows = np.array(component.projection.plane, np.int64)
    directed = _directed(plan.system, np.array(component.constraints, np.int64))
    return PlaneBlock(group, rows, elimination, axes, directed)


def _tree(plan: Plan, steps: Ints) -> JointTree:
    """Bodies that are placed one after the other, by these steps."""
    _, _, parent, body, kind, _ = plan.program.step[steps].T.copy()
    joint, carries = np.full(plan.bodies.count, -1), np.zeros(plan.bodies.count, bool)
    joint[body] = np.arange(len(body))
    carries[parent] = True
    freedoms = [FREEDOMS[k] for k in kind.tolist()]
    columns = np.array([*chain.from_iterable(freedoms)], np.int64).reshape(-1, 2)
    return JointTree(
        body,
        parent,
        joint[parent],
        (~carries[body]).nonzero()[0],
        kind,
        plan.program.at[steps],
        plan.program.own[steps],
        np.cumsum([0, *map(len, freedoms)], dtype=np.int64),
        np.ascontiguousarray(columns[:, 0]),
        np.ascontiguousarray(columns[:, 1]),
        plan.system.length,
    )


def part_cloud(system: System) -> Cloud:
    """Mate features of the parts, in part coordinates and in the world at the start, mm."""
    order = system.cloud_part.argsort(kind="stable")
    part = system.cloud_part[order]
    first = part.searchsorted(np.arange(len(system.parts) + 1)).astype(np.int64)
    start = body_cloud(system, system.start)[order]
    return Cloud(first, np.ascontiguousarray(system.cloud[order]), np.ascontiguousarray(start))
