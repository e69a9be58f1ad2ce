"""Equilibrium: the forces of mates and drivers that balance the applied loads.

The rows of the Jacobian are wrenches, so the multiplier of an equation is the force that it
transmits, and equilibrium is J^T lambda + applied = 0.  The graph of parts is a tree of
biconnected blocks, rooted at the ground; they are solved from its leaves inward, each for all
states at once, and the reaction of a block on its root part is applied there.

Where rows are dependent some multipliers are free.  A function of them is determined where it
vanishes on the left null space of J, and only such functions are reported.

Source: principle of virtual work; Haug, Computer Aided Kinematics and Dynamics, chapters 6 and 8
(reaction forces from multipliers); d'Alembert where inertial loads are applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...equations.many_equations import ManyEquations, equations_alone
from ...equations.system import System
from ...foundations.graphs.biconnected import biconnected
from ...foundations.numerics.distinct import distinct
from ...foundations.numerics.rounding import AGREEMENT, FAINT
from ...foundations.types import Array, Bools, Ints
from .applied_loads import MILLI, PartMotion

MOST_NUMBERS = 4_000_000
"""Most Jacobian entries in memory at a time: 32 MB."""

SAMPLES = 5
"""States in which groups of free multipliers are determined."""


class Block(NamedTuple):
    """A biconnected block of the graph of parts.

    Attributes:
        constraints: in the block; rows: their equations.
        bodies: its parts; others: fixed parts, or the one root part, that support them.
        hangs: whether that root part is not fixed.
    """

    constraints: Ints
    rows: Ints
    bodies: tuple[int, ...]
    others: tuple[int, ...]
    hangs: bool


def blocks_of(system: System) -> list[Block]:
    """Blocks of the parts that are not fixed, from the leaves of the tree to the ground."""
    node = np.zeros(len(system.parts), np.int64)
    free = np.flatnonzero(~system.fixed)
    node[free] = np.arange(1, len(free) + 1)
    edges, owner = [], []
    for k in range(len(system.constraints)):
        nodes = list(dict.fromkeys(node[list(system.parts_of(k))].tolist()))
        ring = zip(nodes, (*nodes[1:], nodes[0]), strict=True) if len(nodes) > 2 else [nodes]
        for pair in ring if len(nodes) > 1 else ():
            edges.append(pair)
            owner.append(k)
    found = []
    for component in biconnected(len(free) + 1, edges):
        constraints = distinct(np.array([owner[e] for e in component.edges]))
        nodes = sorted({n for e in component.edges for n in edges[e]} - {component.root})
        parts = dict.fromkeys(p for k in constraints.tolist() for p in system.parts_of(k))
        bodies = tuple(int(free[n - 1]) for n in nodes)
        others = tuple(p for p in parts if p not in bodies)
        rows = system.rows(constraints)
        found.append(Block(constraints, rows, bodies, others, component.root > 0))
    return found[::-1]


@dataclass(frozen=True, eq=False)
class JointWrench:
    """Force and torque of a mate or a guide on its second part, at its reaction point.

    Attributes:
        part: the second part.
        force: (n, 3), N, torque: (n, 3), N mm, world axes; where multipliers are free, those of
            least norm.
        force_open: (n, 3, 3), projectors on the directions in which the force is undetermined.
        determined: (n, 6), which components of force and torque are determined.
    """

    part: int
    force: Array
    torque: Array
    force_open: Array
    determined: Bools


class DriverForces(NamedTuple):
    """Forces of the drivers and locked limits of a block.

    Attributes:
        force: (n, drivers), N or N mm, positive in the direction of an increasing coordinate.
        free: (n, drivers, drivers), projector on undetermined combinations.
    """

    force: Array
    free: Array


@dataclass(frozen=True, eq=False)
class Unbalanced:
    """Unbalanced loads on the bodies of a block.

    Attributes:
        bodies: parts; where: (n,), in which states.
        rest: (n, bodies, 6), unbalanced force, and torque over the characteristic length, on each
            body about its centre, N: also the direction in which they would move.
        groups: indices of bodies that move together.
    """

    bodies: tuple[int, ...]
    where: Bools
    rest: Array
    groups: list[tuple[int, ...]]

    def moves(self, group: Sequence[int]) -> Bools:
        """States, (n,), in which any of them would move."""
        size = np.nan_to_num(np.abs(self.rest)).max(axis=2)
        out: Bools = self.where & (size[:, group].max(axis=1) > FAINT * size.max(axis=1))
        return out


@dataclass(frozen=True, eq=False)
class Statics:
    """Forces in n states, by number of constraint.

    Attributes:
        balanced: (n,), which states are in equilibrium.
        driver_power: (n,), W, of all drivers together; carried: by mates and guides.
        pushed: by the drivers and locked limits of each block.
        groups: sets of constraints that are statically indeterminate together.
        unbalanced: blocks that are not in equilibrium in some state.
    """

    balanced: Bools
    driver_power: Array
    carried: dict[int, JointWrench] = field(default_factory=dict)
    pushed: dict[tuple[int, ...], DriverForces] = field(default_factory=dict)
    groups: list[frozenset[int]] = field(default_factory=list)
    unbalanced: list[Unbalanced] = field(default_factory=list)


class ReactionPoints(NamedTuple):
    """Points at which the forces of the constraints are reported.

    Attributes:
        part: (constraints,), second part; -1 for drivers and limits of one coordinate.
        point: (constraints, 3), in coordinates of that part, mm.
    """

    part: Ints
    point: Array


def balance(
    system: System, moving: PartMotion, wrenches: Array, ends: ReactionPoints, cut: float
) -> Statics:
    """Forces that balance the applied wrenches in every state.

    Args:
        moving: n >= 1 states in which the mates hold.
        wrenches: (n, parts, 6), applied, about `system.centre`, N and N mm, world axes.
        cut: singular value, relative to the largest, below which rows are dependent.
    """
    applied = wrenches.copy()
    applied[..., 3:] /= system.length
    n = len(moving.frames)
    out = Statics(np.asarray(np.isfinite(applied).all(axis=(1, 2))), np.zeros(n))
    for block in blocks_of(system):
        _Solver(system, moving, ends, block, cut).solve(applied, out)
    return out


class _Solver:
    """A block solved in all states."""

    def __init__(
        self, system: System, moving: PartMotion, ends: ReactionPoints, block: Block, cut: float
    ) -> None:
        self.system, self.ends, self.block, self.cut = system, ends, block, cut
        self.moving = moving
        self.parts = (*block.bodies, *block.others)
        self.equations = ManyEquations(equations_alone(system.table, block.rows))
        self.slot = np.full(len(system.parts), len(self.parts))
        self.slot[list(self.parts)] = np.arange(len(self.parts))
        self.rows: dict[int, slice] = {}
        """Rows in the block, by constraint."""
        start = 0
        for k in block.constraints.tolist():
            length = int(system.first_equation[k + 1] - system.first_equation[k])
            self.rows[k] = slice(start, start + length)
            start += length
        self.driven = tuple(k for k in self.rows if ends.part[k] < 0)
        sole = np.array([self.rows[k].stop == self.rows[k].start + 1 for k in self.driven], bool)
        self.first = np.array([self.rows[k].start for k in self.driven], np.int64)
        weight = system.table.weight[block.rows[self.first]]
        # at a separation of 0 the direction is unknown
        self.weight = np.where(sole, weight, np.nan)
        # share of a free multiplier from which a force component is undetermined: directions of
        # forces are known as well as those of the features
        self.open = system.same_direction
        self.linked = np.zeros((start, start), bool)
        self.together = np.eye(len(block.bodies), dtype=bool)
        """Which bodies move together in free motions."""
        self.scale = np.zeros(len(moving.frames))

    def solve(self, applied: Array, out: Statics) -> None:
        """Write the forces of the block to `out`; add its reaction on its root to `applied`."""
        n, bodies = len(applied), self.block.bodies
        where, rest = np.zeros(n, bool), np.zeros((n, len(bodies), 6))
        self.scale = np.nan_to_num(np.abs(applied)).max(axis=(1, 2))
        self._prepare(n, out)
        for states in self._slices(n):
            own = applied[states][:, bodies].reshape(-1, 6 * len(bodies))
            found = self._multipliers(states, own)
            where[states], rest[states] = found.off, found.rest.reshape(-1, len(bodies), 6)
            self._write(states, found, out)
            if self.block.hangs:
                push = np.einsum("nm,nmk->nk", found.multiplier, found.jacobian[:, :, -6:])
                applied[states, self.block.others[0]] += push
        out.balanced[where] = False
        if where.any():
            groups = [tuple(sorted(g)) for g in _grouped(range(len(bodies)), self.together)]
            out.unbalanced.append(Unbalanced(bodies, where, rest, groups))
        out.groups.extend(self._groups())

    def _prepare(self, n: int, out: Statics) -> None:
        for k in self.rows:
            if self.ends.part[k] >= 0:
                force, torque, force_open = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3, 3))
                part, determined = int(self.ends.part[k]), np.empty((n, 6), bool)
                out.carried[k] = JointWrench(part, force, torque, force_open, determined)
        if d := len(self.driven):
            out.pushed[self.driven] = DriverForces(np.empty((n, d)), np.empty((n, d, d)))

    def _slices(self, n: int) -> Iterator[slice]:
        each = max(1, MOST_NUMBERS // max(1, len(self.block.rows) * 6 * len(self.parts)))
        for start in range(0, n, each):
            yield slice(start, min(n, start + each))

    def _multipliers(self, states: slice, applied: Array) -> _BlockSolution:
        """Multipliers of the block, of least norm where they are free."""
        wide = self._jacobian(self.moving.frames[states])
        own = wide[:, :, : applied.shape[1]]
        left, values, right = np.linalg.svd(own, full_matrices=False)
        kept = values > self.cut * values[:, :1]
        left *= kept[:, None, :]
        along = np.einsum("nkc,nc->nk", right, applied) * kept
        multiplier = -np.einsum("nmk,nk->nm", left, along / np.where(kept, values, 1.0))
        rest = applied - np.einsum("nkc,nk->nc", right, along)
        with np.errstate(invalid="ignore"):  # NaN where a block farther out is not in equilibrium
            least = FAINT * np.abs(applied).max(axis=1) + AGREEMENT * self.scale[states]
            off = np.abs(rest).max(axis=1) > least
        multiplier[off] = np.nan
        for one in np.flatnonzero(off)[:SAMPLES]:
            self._note_together(right[one][kept[one]])
        return _BlockSolution(wide, multiplier, left, off, rest)

    def _jacobian(self, frames: Array) -> Array:
        """Jacobians of the block, (states, rows, 6 parts)."""
        s, of, n = self.system, self.equations, len(self.parts)
        turned = s.centre[:, None] @ frames[..., 3:].reshape(*frames.shape[:2], 3, 3)
        centres = (turned[:, :, 0] + frames[..., :3]).transpose(2, 0, 1)
        _, force, torque = of.terms(frames)
        out = of.jacobian(centres, force, torque, self.slot, n)
        out[..., 3:] /= s.length
        return out.reshape(*out.shape[:2], 6 * n)

    def _write(self, states: slice, found: _BlockSolution, out: Statics) -> None:
        """Write the forces of each constraint, from multipliers."""
        for k in set(self.rows) - set(self.driven):
            self._write_mate(states, found, out.carried[k], k)
        if self.driven:
            pushed = out.pushed[self.driven]
            pushed.force[states] = found.multiplier[:, self.first] * self.weight
            pushed.free[states] = _complement(found.left[:, self.first])
        self._write_power(states, found, out)
        for one in np.linspace(0, len(found.left) - 1, SAMPLES).astype(int):
            kept = found.left[one]
            self.linked |= np.abs(kept @ kept.T - np.eye(len(kept))) > self.open

    def _write_mate(
        self, states: slice, found: _BlockSolution, carried: JointWrench, k: int
    ) -> None:
        """Force and torque on the second part at its reaction point; which are determined."""
        s, rows, part = self.system, self.rows[k], carried.part
        first = 6 * self.parts.index(part)
        wrench = found.jacobian[:, rows, first : first + 6].copy()
        axes = self.moving.frames[states][:, part, 3:].reshape(-1, 3, 3)
        arm = (s.centre[part] - self.ends.point[k]) @ axes / s.length
        wrench[..., 3:] += np.cross(arm[:, None, :], wrench[..., :3])
        both = np.einsum("nr,nrk->nk", found.multiplier[:, rows], wrench)
        carried.force[states], carried.torque[states] = both[:, :3], both[:, 3:] * s.length
        spread = wrench.transpose(0, 2, 1) @ _complement(found.left[:, rows]) @ wrench
        carried.determined[states] = np.einsum("nii->ni", spread) < self.open**2
        values, vectors = np.linalg.eigh(spread[:, :3, :3])
        vectors *= (values > self.open**2)[:, None, :]
        carried.force_open[states] = vectors @ vectors.transpose(0, 2, 1)

    def _write_power(self, states: slice, found: _BlockSolution, out: Statics) -> None:
        """Add the power of the drivers of the block: multiplier times rate."""
        if self.moving.twists is None:
            return
        s = self.system
        twists = self.moving.twists[states][:, self.parts].copy()
        axes = self.moving.frames[states][:, self.parts, 3:].reshape(-1, len(self.parts), 3, 3)
        arm = np.einsum("pa,npar->npr", s.centre[list(self.parts)], axes)
        twists[..., :3] += np.cross(twists[..., 3:], arm)
        twists[..., 3:] *= s.length
        flat = twists.reshape(len(twists), -1)
        for k, rows in self.rows.items():
            if k >= s.mates:
                rate = np.einsum("nmc,nc->nm", found.jacobian[:, rows], flat)
                out.driver_power[states] += MILLI * np.sum(found.multiplier[:, rows] * rate, axis=1)

    def _groups(self) -> list[frozenset[int]]:
        """Groups of constraints with multipliers that are free together."""
        of_row = np.repeat(list(self.rows), [r.stop - r.start for r in self.rows.values()])
        return [frozenset(g) for g in _grouped(of_row.tolist(), self.linked) if len(g) > 1]

    def _note_together(self, held: Array) -> None:
        """Mark bodies that move together in the null space of a row basis (rank, columns)."""
        free = np.eye(held.shape[1]) - held.T @ held
        b = len(self.block.bodies)
        self.together |= np.abs(free).reshape(b, 6, b, 6).max(axis=(1, 3)) > self.open


def _complement(own: Array) -> Array:
    """Projectors, (n, rows, rows), on what is orthogonal to columns, (n, rows, rank)."""
    return np.eye(own.shape[1]) - own @ own.transpose(0, 2, 1)


def _grouped(names: Iterable[int], linked: Bools) -> list[set[int]]:
    """Connected components of a symmetric matrix, by names of its rows."""
    of_row = np.array(list(names))
    joined: list[set[int]] = []
    for row in linked:
        new = set(of_row[row].tolist())
        touched = [g for g in joined if g & new]
        joined = [g for g in joined if not g & new]
        if new:
            joined.append(new.union(*touched))
    return joined


class _BlockSolution(NamedTuple):
    """A block in s states: Jacobian (s, rows, 6 parts), its root last; multipliers (s, rows);
    left singular vectors (s, rows, rank); unbalanced states (s,); unbalanced load (s, columns)."""

    jacobian: Array
    multiplier: Array
    left: Array
    off: Bools
    rest: Array
