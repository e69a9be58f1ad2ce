"""The equations that place a group: solved from a start, compared, and what they leave."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...equations.closed_form import plane_axes
from ...equations.dense_block import BLOCK_ITERATIONS, DenseBlock, NewtonSettings, solve_dense
from ...equations.sparse_block import FRESH, SparseBlock, solve_sparse
from ...equations.table import TwistBasis, displace, residuals
from ...foundations.geometry.pose import IDENTITY, blended, compose_all, invert_all
from ...foundations.numerics.broyden import ETA
from ...foundations.numerics.linear import null_space, rank_cut
from ...foundations.numerics.rounding import FAINT, FOURTH
from ...foundations.types import Array
from ...structure.dyads import AssurGroup
from ...structure.incidence import bodies_of, jacobian_of, slots
from ...structure.plan import Plan
from ...structure.steps import LARGEST_DENSE
from .orientation import features_at

STEPS = 100
"""Iterations of a large group from one start."""

STRIDE = 0.02
"""How far along a motion, in characteristic lengths, equations are tried to hold."""

DIFFERENT = FOURTH
"""Distance of features, relative to the characteristic length, and of directions, from which
solutions differ."""

ON_THE_WAY = 0.3
"""Share of a turn after which equations are tried to hold: two of their solutions are at its ends,
and a third one of a mechanism that is symmetric would be in the middle."""


class GroupProblem:
    """The equations of a group, with the placed bodies fixed.

    Args:
        stage_of: the number of the stage that places each body and bare link.
    """

    def __init__(
        self, plan: Plan, stage_of: Mapping[int, int], group: AssurGroup, poses: Array
    ) -> None:
        self.plan, self.group = plan, group
        c, self.length = group.joints.component, self.plan.system.length
        here, t = stage_of[group.bodies[0]], self.plan.table
        self.axes = np.eye(3)
        rows = c.rows.tolist()
        if c.projection is not None:
            plane_axes(poses, c.root, c.projection.flat.normal[0], self.axes)
            rows = c.projection.plane
        inside, placed = set(group.bodies), stage_of
        kept = []
        for e in rows:
            ends = bodies_of(t, e)
            if inside & {*ends} and all(placed.get(b, here + 1) <= here for b in ends):
                kept.append(e)
        self.rows, self.bodies = np.array(kept, np.int64), np.array(group.bodies, np.int64)
        self.unknowns = c.unknowns
        self.basis = TwistBasis(self.axes, self.plan.bodies.centre, self.length)
        self.slot = slots(len(poses), group.bodies, self.unknowns)
        self.whole = inside == set(c.bodies)
        self.free: bool | None = None
        """Whether it moves; None before it was solved."""
        self.spins = 0
        """Freedoms of first order that move no feature, such as that of a rod between balls."""
        self.redundant = False
        """Whether nothing but these is left to it and yet equations depend on each other."""

    def solve(self, poses: Array) -> bool:
        """Solve from some poses, which are overwritten."""
        plan, counts, s = self.plan, np.zeros(5, np.int64), self.plan.system
        columns, tolerance = len(self.bodies) * len(self.unknowns), s.convergence_tolerance
        if columns > LARGEST_DENSE and self.whole:
            component = self.group.joints.component
            p = component.factor_pattern(plan.bodies)
            sparse = SparseBlock(self.rows, p, self.unknowns, self.basis)
            solve_sparse(plan.table, poses, sparse, tolerance, STEPS, np.array(FRESH), counts)
        else:
            dense = DenseBlock(self.rows, self.bodies, self.slot, self.basis)
            settings = NewtonSettings(tolerance, ETA, 0, BLOCK_ITERATIONS, 0.0)
            solve_dense(plan.table, poses, dense, settings, counts)
        off = residuals(plan.table, poses, self.rows, np.empty(len(self.rows)))
        if off <= s.tolerance and self.free is None:
            self.free = False
            self.free = any(self._goes_on(poses, v) for v in self._motions(poses, off))
        return bool(off <= s.tolerance)

    def _motions(self, poses: Array, off: float) -> list[Array]:
        """Motions that the equations leave to first order, but for spins that move no feature.

        Each as twists of the bodies in the basis, (bodies, 6); mates hold to `off`, mm.  Also
        those are taken of which a diagnosis is in doubt.
        """
        plan, bodies = self.plan, self.bodies.tolist()
        j = jacobian_of(plan.table, poses, self.rows, bodies, self.unknowns, self.basis)
        null = null_space(j, rank_cut(max(off, plan.bodies.shift) / self.length, FAINT)).T
        steps = np.zeros((len(null), len(bodies), 6))
        steps[:, :, self.unknowns] = null.reshape(len(null), len(bodies), len(self.unknowns))
        little, start = FAINT * self.length, self.points(poses)
        moved = [self.points(self._displaced(poses, little * v)) - start for v in steps]
        rates = np.reshape(moved, (len(null), start.size)) / little
        ways, sizes, _ = np.linalg.svd(rates, full_matrices=False)
        seen = ways.T[sizes > DIFFERENT]
        self.spins = len(null) - len(seen)
        self.redundant = not len(seen) and len(j) > j.shape[1] - len(null)
        return list(np.tensordot(seen, steps, 1))

    def _displaced(self, poses: Array, step: Array) -> Array:
        out = poses.copy()
        for body, own in zip(self.bodies.tolist(), step, strict=True):
            displace(out[body], own, self.axes, self.basis.centre[body], self.length)
        return out

    def _goes_on(self, poses: Array, motion: Array) -> bool:
        """Whether a motion to first order is one: a dead point, and a shaky frame, have none."""
        start = self.points(poses)
        for sign in (STRIDE, -STRIDE):
            moved = self._displaced(poses, sign * self.length * motion)
            asked = float(np.abs(self.points(moved) - start).max())
            if self.solve(moved) and np.abs(self.points(moved) - start).max() > 0.5 * asked:
                return True
        return False

    def points(self, poses: Array) -> Array:
        """The mate features of the group in the world, by which solutions are compared."""
        cloud = self.plan.cloud
        return np.concatenate([features_at(poses, b, cloud) for b in self.bodies.tolist()])

    def differ(self, one: Array, two: Array) -> bool:
        """Whether solutions with the same signs, as poses, are different; never where it moves."""
        if self.free:
            return False
        away = np.abs(self.points(one) - self.points(two)).max()
        return bool(away > DIFFERENT * self.length) or self._turned(one, two)

    def _turned(self, one: Array, two: Array) -> bool:
        """Whether bodies are turned about their features, which are where they were, otherwise
        than by free spins: not all that mates hold is a point."""
        b, cloud = self.bodies, self.plan.cloud
        if np.abs(one[b, 3:] - two[b, 3:]).max() <= DIFFERENT:
            return False
        middle = np.tile(IDENTITY, (len(b), 1))
        for own, body in zip(middle, b.tolist(), strict=True):
            own[:3] = cloud.own[cloud.first[body] : cloud.first[body + 1]].mean(axis=0)
        ends = compose_all(one[b], middle), compose_all(two[b], middle)
        between = one.copy()
        between[b] = compose_all(blended(*ends, ON_THE_WAY), invert_all(middle))
        off = residuals(self.plan.table, between, self.rows, np.empty(len(self.rows)))
        return bool(off > self.plan.system.tolerance)
