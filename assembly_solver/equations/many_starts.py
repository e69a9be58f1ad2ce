"""Residuals and derivatives of all equations of a system at many states at once, in arrays.

The limits of the system are equations too: each is off by what it is violated.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..foundations.numerics.distinct import distinct
from ..foundations.types import Array, Ints
from ..model.measures.many import dot
from .elimination import pattern
from .many_equations import ManyEquations, displaced
from .sparse_block import SparseBlock
from .system import System
from .table import SPACE, EquationTable, TwistBasis

ROOM = 2.0
"""A setting: extents of all parts and distances in a row, in which all of them are searched."""


class ManyStarts:
    """The equations of a system with its limits at many states of its movable parts.

    The unknowns are small twists of the parts that move: translations of their centres, then
    rotations times `unit`, mm, along the axes of the world.  Residuals of angles are those at the
    reach of their constraint: at the characteristic length, which may be a hundredth of it, what
    tilts far parts would be found slowly.

    Args:
        limited: whether the limits count.

    Attributes:
        free: the parts that move; unit: the largest reach, mm.
    """

    def __init__(self, system: System, limited: bool = True) -> None:
        self.system, bounds = system, system.bounds if limited else None
        t, reach = system.table, system.reach[system.constraint_of_equation] / system.length
        self._mates = ManyEquations(
            t._replace(weight=np.where(system.angular, reach, 1.0) * t.weight)
        )
        self.unit = float(system.reach.max(initial=system.length))
        self._limits = None if bounds is None else ManyEquations(bounds.table)
        limited_parts = list(self._limits.body) if self._limits else []
        used = distinct(np.concatenate([*self._mates.body, *limited_parts]))
        fixed = system.fixed.copy()
        for parts in limited_parts:  # a limit may join them to others than their mates do
            fixed[parts] = system.grounded[parts]
        self.free: Ints = used[~fixed[used]]
        self.slot = np.full(len(system.parts), len(self.free))
        self.slot[self.free] = np.arange(len(self.free))

    @cached_property
    def size(self) -> int:
        """Number of unknowns."""
        return 6 * len(self.free)

    @property
    def has_limits(self) -> bool:
        """Whether limits count."""
        return self._limits is not None

    @property
    def table(self) -> EquationTable:
        """The equations without limits, angles at the reaches."""
        return self._mates.t

    @cached_property
    def scratch(self) -> EquationTable:
        """The same with weights that may be overwritten."""
        return self.table._replace(weight=self.table.weight.copy())

    @cached_property
    def block(self) -> SparseBlock:
        """The same as one block of unknowns."""
        system, (a, b) = self.system, self._mates.body
        equation = self._mates.equation
        pairs = [(a, b)]
        for later in range(1, len(self._mates.layers)):  # terms of one equation
            same = np.flatnonzero(equation[later:] == equation[:-later])
            pairs += [(p[same], q[same + later]) for p in (a, b) for q in (a, b)]
        links = np.concatenate([np.stack(p, axis=1) for p in pairs])
        basis = TwistBasis(np.eye(3), system.centre, self.unit)
        order = pattern(self.free, links, len(system.parts))
        return SparseBlock(np.arange(len(self.table.target)), order, SPACE, basis)

    @cached_property
    def room(self) -> tuple[Array, float]:
        """The ball in which the centres of the parts are searched: its centre, (3,), radius, mm.

        Where planes or axes lie beside each other a part would slide away for good, tilted ever
        less.
        """
        system, own = self.system, self.system.cloud_part
        at = self._centres(system.start[None])[:, 0].T
        arms = np.zeros(len(system.parts))
        np.maximum.at(arms, own, np.linalg.norm(system.cloud - system.centre[own], axis=1))
        values = np.abs(system.table.target[~system.angular]).sum()
        used = distinct(np.concatenate([self.free, system.ends.ravel()]))
        extent = np.linalg.norm(np.ptp(at[used], axis=0)) + 2.0 * arms[used].sum() + values
        return at[used].mean(axis=0), ROOM * float(max(extent, system.length))

    def is_away(self, poses: Array) -> NDArray[np.bool_]:
        """Whether a part left that ball, (starts,)."""
        if not len(self.free):
            return np.zeros(len(poses), bool)
        middle, radius = self.room
        at = self._centres(poses)[:, :, self.free] - middle[:, None, None]
        return np.asarray((dot(at, at) > radius * radius).any(axis=1))

    def off(self, f: Array) -> Array:
        """The largest residual of a constraint or limit, mm, (starts,), from those of all rows.

        As `residuals.worst_off`.
        """
        system, n = self.system, len(self.system.table.target)
        out = np.abs(f[:, n:]).max(axis=1, initial=0.0)
        squares, first = f[:, :n] ** 2, system.first_equation[:-1]
        if n:
            lengths, turns = (
                np.sqrt(np.add.reduceat(np.where(kind, squares, 0.0), first, axis=1))
                for kind in (~system.angular, system.angular)
            )
            out = np.maximum(out, np.maximum(lengths, turns).max(axis=1))
        return np.asarray(out)

    def evaluate(self, poses: Array) -> tuple[Array, Array]:
        """Residuals, mm, (starts, rows), and derivatives, (starts, rows, unknowns).

        Args:
            poses: of the parts, shape (starts, parts, 12).
        """
        value, force, torque = self._mates.terms(poses)
        centres = self._centres(poses)
        f = self._mates.residuals(value)
        j = self._jacobian(self._mates, centres, force, torque)
        if self._limits is not None:
            value, force, torque = self._limits.terms(poses)
            out, scale = self._violations(self._limits.residuals(value))
            more = self._jacobian(self._limits, centres, force, torque)
            more *= np.where(out != 0.0, scale, 0.0)[:, :, None]
            f, j = np.concatenate([f, out], 1), np.concatenate([j, more], 1)
        return f, j

    def residuals(self, poses: Array) -> Array:
        """Residuals, mm, (starts, rows)."""
        f = self._mates.residuals(self._mates.terms(poses)[0])
        if self._limits is None:
            return f
        value = self._limits.residuals(self._limits.terms(poses)[0])
        return np.concatenate([f, self._violations(value)[0]], 1)

    def _violations(self, value: Array) -> tuple[Array, Array]:
        """By what limits are violated, mm, and the length that scales each."""
        b = self.system.bounds
        assert b is not None
        scale = np.where(b.angular, self.system.length, 1.0)
        out = np.maximum(value - b.high, 0.0) + np.minimum(value - b.low, 0.0)
        return scale * out, scale

    def _centres(self, poses: Array) -> Array:
        """Centres of all parts in the world, (3, starts, parts), mm."""
        turned = self.system.centre[:, None] @ poses[:, :, 3:].reshape(*poses.shape[:2], 3, 3)
        return (turned[:, :, 0] + poses[:, :, :3]).transpose(2, 0, 1)

    def _jacobian(self, of: ManyEquations, centres: Array, force: Array, torque: Array) -> Array:
        out = of.jacobian(centres, force, torque, self.slot, len(self.free))
        out[..., 3:] /= self.unit
        return out.reshape(*out.shape[:2], self.size)

    def moved(self, poses: Array, step: Array) -> Array:
        """Poses after a step, (starts, unknowns), mm."""
        twist = step.reshape(len(poses), len(self.free), 6)
        out, centre = poses.copy(), self.system.centre[self.free]
        shifts, turns = twist[..., :3], twist[..., 3:] / self.unit
        out[:, self.free] = displaced(poses[:, self.free], centre, shifts, turns)
        return out
