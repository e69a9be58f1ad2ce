"""Of the parts that a solve moved, the poses nearby at which their mate features moved least.

What stayed stays bit for bit.  The limits hold, and the assembly mode is the one that was reached.

Source: docs/theory/least_movement.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..equations.closed_form import Cloud
from ..equations.movement import FAILED, LESS, MovementSettings, lessen_movement
from ..equations.sparse_block import SparseBlock, pattern
from ..equations.system import System
from ..equations.table import SPACE, TwistBasis
from ..foundations.geometry.plane_closed_forms import DEAD
from ..foundations.types import Array
from ..structure.clusters import body_cloud
from ..structure.plan import Plan
from ..structure.poses import body_poses
from .modes.choice import SLIGHT, ReachedPoses
from .modes.enumeration import Modes
from .modes.orientation import on_parts, sines_at
from .modes.sines import SignTable
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


def with_least_movement(reached: ReachedPoses) -> ReachedPoses:
    """The same with the parts that moved as near to their start as the mates let them.

    Poses at which no less movement is found are returned as they are.
    """
    system, parts = reached.system, reached.frames
    moved = (parts != system.start).any(axis=1) & ~system.fixed
    if not moved.any():
        return reached
    plan = reached.planned.plan
    known = plan.prepared.get(__name__)
    if not isinstance(known, _MovedParts) or known.moved.tobytes() != moved.tobytes():
        known = plan.prepared[__name__] = _MovedParts(plan, moved)
    return known.nearer(reached)


class _MovedParts:
    """What the steps need of the parts that moved."""

    def __init__(self, plan: Plan, moved: NDArray[np.bool_]) -> None:
        system = plan.system
        self.plan, self.moved = plan, moved
        self._signs: SignTable | None = None
        touched: NDArray[np.bool_] = np.any(moved[system.ends], axis=1)
        more = []
        for k, parts in system.wide.items():
            touched[k] = moved[list(parts)].any()
            more += [(a, b) for n, b in enumerate(parts) for a in parts[:n]]
        links = np.concatenate([system.ends, np.array(more, np.int64).reshape(-1, 2)])
        rows = system.rows(np.flatnonzero(touched))
        t, sensed = system.table, np.flatnonzero(touched & (system.sense != 0))
        directed = t.term_measure[t.first_term[system.first_equation[sensed]]]
        bodies = np.flatnonzero(moved)
        basis = TwistBasis(np.eye(3), system.centre, system.length)
        self.block = SparseBlock(rows, pattern(bodies, links, len(moved)), SPACE, basis)
        self.cloud = _part_cloud(system)
        self.loops = any(c.loop for c in plan.components)
        self.long = len(bodies) > LONG and not self.loops
        reach = float(np.abs(system.start[:, :3]).max(initial=0.0)) + system.length
        rounding = 8 * float(np.finfo(float).eps) * reach
        weight = max(WEIGHT, (FREE * system.tolerance / system.length) ** 2)
        self.settings = MovementSettings(
            weight, 1.0, SHORT, STEPS, 0, system.convergence_tolerance, rounding, directed
        )

    def nearer(self, reached: ReachedPoses) -> ReachedPoses:
        """Poses with less movement, the same where none are found."""
        begun = self.plan.system.start
        if self.long:
            begin = np.where(self.moved[:, None], begun, reached.frames)
            status, found = self._after(reached, begin, self.settings._replace(least=2))
            if status == LESS:
                return found
        status, found = self._after(reached, reached.frames, self.settings)
        for share in SHARES if status == FAILED else ():
            one, status = self.settings._replace(share=share, steps=1), LESS
            for _ in range(STEPS):
                if status == LESS:
                    status, found = self._after(found, found.frames, one)
        return found

    def _after(
        self, reached: ReachedPoses, begin: Array, settings: MovementSettings
    ) -> tuple[int, ReachedPoses]:
        """How steps from some poses ended, and the poses there where they are nearer."""
        out, system = reached.frames.copy(), self.plan.system
        if reached.off > settings.residual:  # within the tolerance, and no better
            settings = settings._replace(residual=10.0 * reached.off)
        status = lessen_movement(system.table, out, self.block, self.cloud, settings, begin)
        if status != LESS:
            return status, reached
        allowed = max(reached.off, system.convergence_tolerance)
        if reached.off > system.convergence_tolerance:
            out, allowed = refined(system, out), min(NOISY * reached.off, system.tolerance)
        found = reached.moved(out)
        if found.off <= allowed and self._same_mode(reached, found):
            return LESS, found
        return FAILED, reached

    def _same_mode(self, reached: ReachedPoses, found: ReachedPoses) -> bool:
        """Whether the assembly mode is the same; a small rotation does not change it."""
        if not self.loops:
            return True
        turned = np.einsum("ni,ni->n", found.frames[:, 3:], reached.frames[:, 3:])
        if turned.min() > 1.0 + 2.0 * SLIGHT:
            return True
        if self._signs is None:
            modes = Modes(self.plan, body_poses(self.plan, reached.frames))
            self._signs = on_parts(modes.table, self.plan.bodies)
        before, after = (sines_at(self._signs, r.frames) for r in (reached, found))
        clear = (np.abs(before) > DEAD) & (np.abs(after) > DEAD)
        return not np.any(clear & (before * after < 0.0))


def _part_cloud(system: System) -> Cloud:
    """Mate features of the parts, in part coordinates and in the world at the start, mm."""
    order = np.argsort(system.cloud_part, kind="stable")
    part = system.cloud_part[order]
    first = np.searchsorted(part, np.arange(len(system.parts) + 1)).astype(np.int64)
    start = body_cloud(system, system.start)[order]
    return Cloud(first, np.ascontiguousarray(system.cloud[order]), np.ascontiguousarray(start))
