"""Residuals and derivatives of all equations of a system at many states at once, in arrays.

The limits of the system are equations too: each is off by what it is violated.
"""

from __future__ import annotations

from functools import cached_property
from math import pi

import numpy as np
from numpy.typing import NDArray

from ..foundations.types import Array, Ints
from ..model.measures.many import Frames, cross, dot, measures
from ..model.measures.measure import ROTATION
from .elimination import pattern
from .sparse_block import SparseBlock
from .system import System
from .table import SPACE, EquationTable, TwistBasis

ROOM = 2.0
"""A setting: extents of all parts and distances in a row, in which all of them are searched."""


class _Evaluation:
    """The equations of a table, grouped by the kind of their measures."""

    def __init__(self, t: EquationTable) -> None:
        self.t = t
        n, count = t.term_measure, np.diff(t.first_term)
        self.equation = np.repeat(np.arange(len(t.target)), count)
        kinds = t.kind[n]
        order = np.argsort(kinds, kind="stable")
        cuts = np.flatnonzero(np.diff(kinds[order])) + 1
        self.groups = [g for g in np.split(order, cuts) if len(g)]
        self.body = [t.marker_body[m[n]] for m in (t.marker_a, t.marker_b)]
        within = np.arange(len(n)) - np.repeat(t.first_term[:-1], count)
        self.layers = [np.flatnonzero(within == k) for k in range(int(count.max(initial=0)))]
        self.scale = t.coefficient * t.weight[self.equation]
        self.turns = np.flatnonzero(kinds == ROTATION)
        self.periodic = np.flatnonzero(t.period > 0.0)
        self.own = t.marker_frame.reshape(-1, 4, 3)

    def vectors(self, poses: Array) -> Array:
        """Origins and axes of the markers in the world, (3, starts, 4 markers)."""
        of = self.t.marker_body
        out = self.own @ poses[:, of, 3:].reshape(len(poses), len(of), 3, 3)
        out[:, :, 0] += poses[:, of, :3]
        return np.ascontiguousarray(out.transpose(3, 0, 1, 2)).reshape(3, len(poses), 4 * len(of))

    def terms(self, poses: Array) -> tuple[Array, Array, Array]:
        """Values of all terms, (starts, terms), and forces and torques, (3, starts, terms)."""
        t, vectors = self.t, self.vectors(poses)
        shape = len(poses), len(t.term_measure)
        value, force, torque = np.empty(shape), np.empty((3, *shape)), np.empty((3, *shape))
        for group in self.groups:
            n = t.term_measure[group]
            a, b = (Frames(vectors, 4 * m[n]) for m in (t.marker_a, t.marker_b))
            found = measures(int(t.kind[n[0]]), t.axis_i[n], t.axis_j[n], t.data, a, b)
            value[:, group], force[:, :, group], torque[:, :, group] = found
        return value, force, torque

    def residuals(self, value: Array) -> Array:
        """Residuals, mm, (starts, equations), from the values of the terms, which are changed."""
        t = self.t
        if len(self.turns):
            off = value[:, self.turns] - t.reference[self.turns] + pi
            value[:, self.turns] -= 2.0 * pi * np.floor(off / (2.0 * pi))
        value = value * t.coefficient
        out = np.tile(-t.target, (len(value), 1))
        for layer in self.layers:
            out[:, self.equation[layer]] += value[:, layer]
        if len(self.periodic):
            period = t.period[self.periodic]
            out[:, self.periodic] -= period * np.floor(out[:, self.periodic] / period + 0.5)
        out *= t.weight
        return out


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
        self._mates = _Evaluation(
            t._replace(weight=np.where(system.angular, reach, 1.0) * t.weight)
        )
        self.unit = float(system.reach.max(initial=system.length))
        self._limits = None if bounds is None else _Evaluation(bounds.table)
        limited_parts = list(self._limits.body) if self._limits else []
        used = np.unique(np.concatenate([*self._mates.body, *limited_parts]))
        fixed = system.fixed.copy()
        for parts in limited_parts:  # a limit may join them to others than their mates do
            fixed[parts] = system.grounded[parts]
        self.free: Ints = used[~fixed[used]].astype(np.int64)
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
        used = np.unique(np.concatenate([self.free, system.ends.ravel()]))
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

    def _jacobian(self, of: _Evaluation, centres: Array, force: Array, torque: Array) -> Array:
        starts, n = force.shape[1], len(self.free)
        out = np.zeros((starts, len(of.t.target), n + 1, 6))
        for body, sign in zip(of.body, (-1.0, 1.0), strict=True):
            about = (torque - cross(centres.take(body, axis=2), force)) / self.unit
            slope = np.concatenate([force, about]) * (sign * of.scale)
            slope = slope.transpose(1, 2, 0)
            for layer in of.layers:
                out[:, of.equation[layer], self.slot[body[layer]]] += slope[:, layer]
        return out[:, :, :n].reshape(starts, len(of.t.target), 6 * n)

    def moved(self, poses: Array, step: Array) -> Array:
        """Poses after a step, (starts, unknowns), mm."""
        s, n = len(poses), len(self.free)
        twist, own = step.reshape(s, n, 6), poses[:, self.free]
        q = rotations(twist[..., 3:] / self.unit)
        arm = self.system.centre[self.free][:, None] @ own[..., 3:].reshape(s, n, 3, 3)
        arm = arm[..., 0, :]
        out = poses.copy()
        turned = own[..., 3:].reshape(s, n, 3, 3) @ q.swapaxes(-1, -2)
        out[:, self.free, 3:] = turned.reshape(s, n, 9)
        back = arm - (q @ arm[..., None])[..., 0]
        out[:, self.free, :3] = own[..., :3] + back + twist[..., :3]
        return out


def rotations(vectors: Array) -> Array:
    """Rotation matrices, (..., 3, 3), of rotation vectors, (..., 3), rad."""
    angle = np.sqrt(np.sum(vectors**2, axis=-1))
    h = np.sinc(0.5 * angle / pi)
    s, k = np.sinc(angle / pi), 0.5 * h * h
    out = np.zeros((*angle.shape, 3, 3))
    x, y, z = np.moveaxis(vectors, -1, 0)
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = x, y, z
    out -= out.swapaxes(-1, -2)
    turned: Array = np.eye(3) + s[..., None, None] * out + k[..., None, None] * (out @ out)
    return turned
