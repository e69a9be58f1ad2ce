"""Closing usual chains at many states at once, with rates, in arrays: see `block_closure`.

The same iteration: the inverses at the predicted poses correct them, and give the rates, refined
with the Jacobian at the solution.

Source: Haug, Computer Aided Kinematics and Dynamics, equations (4.2.1) to (4.2.3);
docs/theory/motion.md, 4.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..equations.many_equations import ManyEquations, displaced, equations_alone, frames, terms_of
from ..equations.table import ONE_OF
from ..foundations.numerics.inverse import invert_all
from ..foundations.types import Array, Bools, Ints
from ..model.measures.many import cross, dot
from ..model.measures.many_rates import KINDS, wrench_rates
from .chain_arrays import (
    ALLOWANCE,
    CORRECTIONS,
    GOOD,
    LARGE_BLOCK,
    REFINED,
    REFINEMENTS,
    Chain,
    ChainState,
    PrescribedValues,
    Scratch,
    Tolerances,
    largest_block,
)

NUMBERS = 2**18
"""A setting: numbers of all dense Jacobians that are computed at once."""


class ClosedStates(NamedTuple):
    """A chain at many states.

    Attributes:
        poses: (states, bodies, 12), those of `Chain.bodies`; speed, change: (states, bodies, 6),
            derivatives of the unknowns; twists, changes: as of `StateTrack`.
        off: (states,), largest residual, mm; infinite where the chain does not close.
        accurate: (states,), whether its rates are.
        corrected: (states,), sum of the largest corrections, mm.
        pivots: (states, blocks), as of `StateTrack`.
    """

    poses: Array
    speed: Array
    change: Array
    twists: Array
    changes: Array
    off: Array
    accurate: Bools
    corrected: Array
    pivots: Array


class _Linearised(NamedTuple):
    """Jacobians, (states, rows, unknowns), and inverses of their diagonal blocks."""

    jacobian: Array
    blocks: list[tuple[int, int]]
    inverses: list[Array]

    def solved(self, right: Array) -> Array:
        """Solutions, (states, unknowns), of block after block."""
        x = np.zeros_like(right)
        for (low, high), inverse in zip(self.blocks, self.inverses, strict=True):
            rest = right[:, low:high] - _times(self.jacobian[:, low:high, :low], x[:, :low])
            x[:, low:high] = _times(inverse, rest)
        return x

    def refined(self, right: Array) -> tuple[Array, Bools]:
        """The same refined by residuals, and where these became small."""
        x = self.solved(right)
        for _ in range(REFINEMENTS):
            rest = right - _times(self.jacobian, x)
            good = np.abs(rest).max(axis=1) <= REFINED * np.abs(right).max(axis=1)
            if good.all():
                break
            x += self.solved(rest)
        return x, good


def _times(matrices: Array, vectors: Array) -> Array:
    out: Array = (matrices @ vectors[..., None])[..., 0]
    return out


def is_usual(c: Chain) -> bool:
    """Whether a chain is one of those that `ManyStates` closes."""
    t = c.table
    kinds = set(t.kind[t.term_measure[terms_of(t, c.rows)]].tolist())
    odd = len(c.checked) + len(c.turns) + len(c.moving)
    return odd == 0 and 0 < len(c.rows) ** 2 <= NUMBERS and kinds <= KINDS


def fits_lists(c: Chain, *_: Any) -> bool:
    """Whether a chain is a good part of the table, and is not closed in arrays alone."""
    return ONE_OF * len(c.rows) >= len(c.table.target) and not _fits_arrays(c)


def _fits_arrays(c: Chain) -> bool:
    """Whether a chain has a large block, and `ManyStates` closes it."""
    return largest_block(c) >= LARGE_BLOCK and is_usual(c)


class ManyStates:
    """The equations of a chain at many states.

    Bodies are those of the chain in its order, then its root.
    """

    def __init__(self, c: Chain) -> None:
        self.c = c
        of = np.full(len(c.slot), len(c.bodies))
        of[c.bodies] = np.arange(len(c.bodies))
        table = equations_alone(c.table, c.rows)
        table = table._replace(marker_body=of[table.marker_body])
        self.of = ManyEquations(table)
        self.blocks = list(pairwise(c.first.tolist()))
        self.centre = np.concatenate([c.centre[c.bodies], np.zeros((1, 3))])
        slot = c.slot[c.bodies]
        self.unknown = np.where(slot < 0, len(c.rows), slot)  # of each body, the last one is 0
        self.column = np.empty(len(c.rows) + 1, np.int64)
        self.column[self.unknown.ravel()] = np.arange(self.unknown.size)
        self.column = self.column[:-1]

    @cached_property
    def driven(self) -> list[tuple[int, int]]:
        """Row and number of each driven equation."""
        rows = {e: r for r, e in enumerate(self.c.rows.tolist())}
        return [(rows[e], d) for d, e in enumerate(self.c.driven.tolist()) if e in rows]

    def wanted(self, g: PrescribedValues, s: Ints) -> Array:
        """Targets of the equations with their derivatives, (3, states, rows), at states s."""
        out = np.zeros((3, len(s), len(self.c.rows)))
        out[0] = self.of.t.target
        for r, d in self.driven:
            out[:, :, r] = g.targets[s, d].T
        return out

    def close(
        self, poses: Array, wanted: Array, limits: Tolerances, farthest: float = np.inf
    ) -> ClosedStates:
        """Close the chain from predicted poses of its bodies, to targets as of `wanted`.

        All states are given up where each is corrected by more than `farthest`, mm.
        """
        root = np.tile(np.eye(4, 3)[[3, 0, 1, 2]].ravel(), (len(poses), 1, 1))
        poses = np.concatenate([poses, root], axis=1)
        value, *wrench = self.of.terms(poses)
        at, pivots = self._linearised(poses, wrench)
        f = self.of.residuals(value, wanted[0])
        off, far, exact = np.abs(f).max(axis=1), np.zeros(len(poses)), True
        for _ in range(CORRECTIONS):
            going = off > limits.fine
            if not going.any():
                break
            step = self.of_bodies(np.where(going[:, None], -at.solved(f), 0.0))
            moved = self.moved(poses, step)
            value, *other = self.of.terms(moved)
            rest = self.of.residuals(value, wanted[0])
            after = np.abs(rest).max(axis=1)
            nearer, slow = bool((after < off)[going].any()), True
            if nearer or (after <= limits.closed).all():
                slow = bool(((after > limits.closed) & (after > GOOD * off)).any())
                poses, wrench, f, off = moved, other, rest, after
                far, exact = far + np.abs(step).max(axis=(1, 2)), False
                if (far > farthest).all():
                    break
                if not nearer:
                    break
            elif exact:
                break
            if slow:
                (at, pivots), exact = self._linearised(poses, wrench), True
        off = np.where((off <= limits.closed) & (far <= farthest), off, np.inf)
        if np.isinf(off).all():  # rates would be of no pose
            none = (np.full((*poses[:, :-1].shape[:2], 6), np.nan),) * 4
            return ClosedStates(poses[:, :-1], *none, off, np.isfinite(off), far, pivots)
        if not exact and (far > ALLOWANCE * np.abs(pivots).min(axis=1) * self.c.length).any():
            at, pivots = self._linearised(poses, wrench)
        return self._with_rates(poses, wrench, at, wanted, (off, far, pivots))

    def of_bodies(self, x: Array) -> Array:
        """Unknowns, (states, unknowns), by bodies: (states, bodies, 6)."""
        padded = np.concatenate([x, np.zeros((len(x), 1))], axis=1)
        return np.asarray(padded[:, self.unknown])

    def moved(self, poses: Array, step: Array) -> Array:
        """Poses after a step, (states, bodies, 6), mm; the root, where it is among them, stays."""
        n, out = step.shape[1], poses.copy()
        shifts, turns = self._along(step)
        out[:, :n] = displaced(poses[:, :n], self.centre[:n], shifts, turns)
        return out

    def _along(self, x: Array) -> tuple[Array, Array]:
        """Translations, mm, and rotations, rad, of bodies along the axes of the root."""
        return x[..., :3] @ self.c.axes, x[..., 3:] @ self.c.axes / self.c.length

    def _centres(self, poses: Array) -> Array:
        """Centres of all bodies, (3, states, bodies), mm."""
        turned = self.centre[:, None] @ poses[..., 3:].reshape(*poses.shape[:2], 3, 3)
        return (turned[:, :, 0] + poses[..., :3]).transpose(2, 0, 1)

    def _jacobian(self, poses: Array, wrench: list[Array]) -> Array:
        c, count = self.c, len(self.c.bodies)
        every = np.arange(count + 1)
        out = self.of.jacobian(self._centres(poses), wrench[0], wrench[1], every, count)
        out = out.reshape(*out.shape[:3], 2, 3) @ c.axes.T
        out[..., 1, :] /= c.length
        return out.reshape(*out.shape[:2], 6 * count)[:, :, self.column]

    def _linearised(self, poses: Array, wrench: list[Array]) -> tuple[_Linearised, Array]:
        """The Jacobians with inverses, and the pivots of the blocks."""
        j = self._jacobian(poses, wrench)
        found = [invert_all(j[:, low:high, low:high]) for low, high in self.blocks]
        inverses, pivots = zip(*found, strict=True)
        return _Linearised(j, self.blocks, list(inverses)), np.stack(pivots, axis=1)

    def _with_rates(
        self,
        poses: Array,
        wrench: list[Array],
        at: _Linearised,
        wanted: Array,
        ends: tuple[Array, Array, Array],
    ) -> ClosedStates:
        """The closed states with their rates; `wanted`: targets with derivatives."""
        (off, far, pivots), weight = ends, self.of.t.weight
        at = at._replace(jacobian=self._jacobian(poses, wrench))
        x, good = at.refined(wanted[1] * weight)
        speed = self.of_bodies(x)
        p = self._centres(poses)
        velocity, spin = (v.transpose(2, 0, 1) for v in self._along(speed))
        n = velocity.shape[2]
        twist = np.zeros((3, *p.shape))  # the last column is the root's
        twist[0, :, :, :n], twist[1, :, :, :n] = velocity - cross(spin, p[:, :, :n]), spin
        twist[2, :, :, :n] = -cross(spin, velocity)
        y, fine = at.refined((wanted[2] - self._velocity_terms(poses, wrench, twist)) * weight)
        change = self.of_bodies(y)
        linear, angular = (v.transpose(2, 0, 1) for v in self._along(change))
        linear = linear + twist[2, :, :, :n] - cross(angular, p[:, :, :n])
        return ClosedStates(
            poses[:, :n],
            speed,
            change,
            np.concatenate([twist[0, :, :, :n], spin]).transpose(1, 2, 0),
            np.concatenate([linear, angular]).transpose(1, 2, 0),
            off,
            good & fine,
            far,
            pivots,
        )

    def _velocity_terms(self, poses: Array, wrench: list[Array], twist: Array) -> Array:
        """Velocity-dependent part of the second derivative of each equation, (states, rows)."""
        of, (force, torque) = self.of, wrench
        vectors, total = of.vectors(poses), np.empty(force.shape[1:])
        for alike in of.groups:
            group = alike.terms
            (va, sa, ca), (vb, sb, cb) = (twist[..., body[group]] for body in of.body)
            own = force[:, :, group], torque[:, :, group]
            at = frames(vectors, alike)
            df, dt = wrench_rates(alike.kind, alike.i, at, ((va, sa), (vb, sb)), own)
            total[:, group] = dot(own[0], cb - ca) + dot(df, vb - va) + dot(dt, sb - sa)
        out = np.zeros((len(poses), len(self.c.rows)))
        for layer in of.layers:
            out[:, of.equation[layer]] += (total * of.t.coefficient)[:, layer]
        return out


def close_alone(
    c: Chain, n: ChainState, kept: Array, w: Scratch, tolerances: Tolerances, farthest: float
) -> tuple[float, float] | None:
    """`block_closure.close` in arrays, of a usual chain with a large block; None of others."""
    if not _fits_arrays(c):
        return None
    wanted = np.concatenate([c.table.target[None, c.rows], w.target_rates[c.rows].T])
    found = ManyStates(c).close(n.poses[None, c.bodies], wanted[:, None], tolerances, farthest)
    n.poses[c.bodies], n.pivots[:] = found.poses[0], found.pivots[0]
    if np.isfinite(found.off[0]):  # `enter` may go on from others: they keep their rates, as there
        n.speed[c.bodies], n.change[c.bodies] = found.speed[0], found.change[0]
    return float(found.off[0]), float(found.corrected[0])
