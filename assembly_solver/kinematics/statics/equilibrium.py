"""Equilibrium: the forces of mates and drivers that balance the applied loads.

The rows of the Jacobian are wrenches, so a multiplier for each equation is the force that it
carries, and equilibrium is J^T lambda + applied = 0.  The graph of parts falls into biconnected
blocks in a tree from the ground outward; they are solved from its leaves inward, each for all
states at once, and the reaction of a block on its root part is applied there.

Where rows are dependent some multipliers are free.  A function of them is determined where it
vanishes on the left null space of J, and only such functions are reported.

Source: principle of virtual work; Haug, Computer Aided Kinematics and Dynamics, chapters 6 and 8
(reaction forces from multipliers); d'Alembert where inertia is among what is applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...equations.system import System
from ...equations.table import SPACE, TwistBasis, jacobian
from ...foundations.graphs.biconnected import biconnected
from ...foundations.types import Array, Bools, Ints
from ...structure.incidence import slots
from .applied_loads import MILLI, PartMotion

BALANCE = 1e-6
"""Unbalanced force that is tolerated, relative to the largest on a part of the block."""

ROUNDING = 1e-10
"""The same relative to the largest force on any part: rounding of sums that cancel."""

OPEN = 1e-6
"""Contribution of a free multiplier from which a component of force is not determined."""

MOST_NUMBERS = 4_000_000
"""Numbers of the Jacobians in memory at a time: 32 MB."""

SAMPLES = 5
"""States at which groups of free multipliers are determined."""

WORLD = np.eye(3)


class Block(NamedTuple):
    """Parts that are in equilibrium together.

    Attributes:
        constraints: of these parts; rows: their equations.
        bodies: the parts; others: fixed parts, or the one root part, that support them.
        hangs: whether that root part has to be in equilibrium itself.
    """

    constraints: Ints
    rows: Ints
    bodies: tuple[int, ...]
    others: tuple[int, ...]
    hangs: bool


def blocks_of(system: System) -> list[Block]:
    """The blocks of the parts that are not fixed, those farthest from the ground first."""
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
        constraints = np.unique([owner[e] for e in component.edges])
        nodes = sorted({n for e in component.edges for n in edges[e]} - {component.root})
        parts = dict.fromkeys(p for k in constraints.tolist() for p in system.parts_of(k))
        bodies = tuple(int(free[n - 1]) for n in nodes)
        others = tuple(p for p in parts if p not in bodies)
        found.append(
            Block(constraints, system.rows(constraints), bodies, others, component.root > 0)
        )
    return found[::-1]


@dataclass(frozen=True, eq=False)
class JointWrench:
    """Force and torque of a mate or a guide on its second part, at the feature there.

    Attributes:
        part: the second part.
        force: N, (n, 3), torque: N mm, (n, 3), world axes; where multipliers are free, those of the
            smallest ones.
        force_open: projectors on the directions in which the force is not determined, (n, 3, 3).
        determined: which components of force and torque are determined, (n, 6).
    """

    part: int
    force: Array
    torque: Array
    force_open: Array
    determined: Bools


class DriverForces(NamedTuple):
    """Forces of the drivers and locked limits of a block.

    Attributes:
        force: N or N mm, (n, drivers), in the direction in which the coordinate grows.
        free: projector on the undetermined combinations, (n, drivers, drivers).
    """

    force: Array
    free: Array


@dataclass(frozen=True, eq=False)
class Unbalanced:
    """Loads on the bodies of a block that nothing balances.

    Attributes:
        bodies: parts; where: in which states, (n,).
        rest: unbalanced force, and torque over the characteristic length, on each body about its
            centre, N, (n, bodies, 6): also the direction in which they would move.
        groups: indices of bodies that move together.
    """

    bodies: tuple[int, ...]
    where: Bools
    rest: Array
    groups: list[tuple[int, ...]]

    def moves(self, group: Sequence[int]) -> Bools:
        """Where some of the bodies would move, (n,)."""
        size = np.nan_to_num(np.abs(self.rest)).max(axis=2)
        out: Bools = self.where & (size[:, group].max(axis=1) > OPEN * size.max(axis=1))
        return out


@dataclass(frozen=True, eq=False)
class Statics:
    """Forces in n states.

    Attributes:
        balanced: which states are in equilibrium, (n,).
        carried: by mates and guides, by their numbers in the system.
        pushed: by the drivers and locked limits of each block, by their numbers.
        groups: sets of constraints whose loads are indeterminate together.
        driver_power: of all drivers together, W, (n,).
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
        part: (constraints,), the second part; -1 for drivers and limits of one coordinate.
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
        wrenches: on each part about its `system.centre`, N and N mm, (n, parts, 6).
        cut: singular value, relative to the largest, below which rows depend on each other.
    """
    applied = wrenches.copy()
    applied[..., 3:] /= system.length
    n = len(moving.frames)
    out = Statics(np.asarray(np.isfinite(applied).all(axis=(1, 2))), np.zeros(n))
    for block in blocks_of(system):
        _Solver(system, moving, ends, block, cut).solve(applied, out)
    return out


class _Solver:
    """One block in all states."""

    def __init__(
        self, system: System, moving: PartMotion, ends: ReactionPoints, block: Block, cut: float
    ) -> None:
        self.system, self.ends, self.block, self.cut = system, ends, block, cut
        self.moving = moving
        self.parts = (*block.bodies, *block.others)
        self.slot = slots(len(system.parts), self.parts, SPACE)
        self.rows: dict[int, slice] = {}
        """The rows of each constraint in the block."""
        start = 0
        for k in block.constraints.tolist():
            length = int(system.first_equation[k + 1] - system.first_equation[k])
            self.rows[k] = slice(start, start + length)
            start += length
        self.driven = tuple(k for k in self.rows if ends.part[k] < 0)
        sole = np.array([self.rows[k].stop == self.rows[k].start + 1 for k in self.driven], bool)
        self.first = np.array([self.rows[k].start for k in self.driven], np.int64)
        weight = system.table.weight[block.rows[self.first]]
        self.weight = np.where(
            sole, weight, np.nan
        )  # at a separation of 0 the direction is unknown
        self.linked = np.zeros((start, start), bool)
        self.together = np.eye(len(block.bodies), dtype=bool)
        """Which bodies move together where nothing drives them."""
        self.scale = np.zeros(len(moving.frames))

    def solve(self, applied: Array, out: Statics) -> None:
        """Write the forces of the block to `out`, and its reaction on its root to `applied`."""
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
                root = found.jacobian[:, :, -6:]
                applied[states, self.block.others[0]] += np.einsum(
                    "nm,nmk->nk", found.multiplier, root
                )
        out.balanced[where] = False
        if where.any():
            groups = [tuple(sorted(g)) for g in _grouped(range(len(bodies)), self.together)]
            out.unbalanced.append(Unbalanced(bodies, where, rest, groups))
        out.groups.extend(self._groups())

    def _prepare(self, n: int, out: Statics) -> None:
        for k in self.rows:
            if self.ends.part[k] >= 0:
                out.carried[k] = JointWrench(
                    int(self.ends.part[k]),
                    np.empty((n, 3)),
                    np.empty((n, 3)),
                    np.empty((n, 3, 3)),
                    np.empty((n, 6), bool),
                )
        d = len(self.driven)
        if d:
            out.pushed[self.driven] = DriverForces(np.empty((n, d)), np.empty((n, d, d)))

    def _slices(self, n: int) -> Iterator[slice]:
        each = max(1, MOST_NUMBERS // max(1, len(self.block.rows) * 6 * len(self.parts)))
        for start in range(0, n, each):
            yield slice(start, min(n, start + each))

    def _multipliers(self, states: slice, applied: Array) -> _BlockSolution:
        """Multipliers of the block, the smallest where they are free."""
        s = self.system
        frames = self.moving.frames[states]
        wide = np.empty((len(frames), len(self.block.rows), 6 * len(self.parts)))
        for frame, one in zip(frames, wide, strict=True):
            jacobian(
                s.table,
                frame,
                self.block.rows,
                self.slot,
                TwistBasis(WORLD, s.centre, s.length),
                one,
            )
        own = wide[:, :, : applied.shape[1]]
        left, values, right = np.linalg.svd(own, full_matrices=False)
        kept = values > self.cut * values[:, :1]
        left *= kept[:, None, :]
        along = np.einsum("nkc,nc->nk", right, applied) * kept
        multiplier = -np.einsum("nmk,nk->nm", left, along / np.where(kept, values, 1.0))
        rest = applied - np.einsum("nkc,nk->nc", right, along)
        with np.errstate(invalid="ignore"):  # not known where a block farther out has no balance
            least = BALANCE * np.abs(applied).max(axis=1) + ROUNDING * self.scale[states]
            off = np.abs(rest).max(axis=1) > least
        multiplier[off] = np.nan
        for one in np.flatnonzero(off)[:SAMPLES]:
            self._note_together(right[one][kept[one]])
        return _BlockSolution(wide, multiplier, left, off, rest)

    def _write(self, states: slice, found: _BlockSolution, out: Statics) -> None:
        """The forces of each constraint from the multipliers."""
        for k, rows in self.rows.items():
            if self.ends.part[k] < 0:
                continue
            own = found.left[:, rows]
            free = np.eye(own.shape[1]) - own @ own.transpose(0, 2, 1)
            self._write_mate(states, found, out.carried[k], k, free)
        if self.driven:
            own, pushed = found.left[:, self.first], out.pushed[self.driven]
            pushed.force[states] = found.multiplier[:, self.first] * self.weight
            pushed.free[states] = np.eye(len(self.first)) - own @ own.transpose(0, 2, 1)
        self._write_power(states, found, out)
        for one in np.linspace(0, len(found.left) - 1, SAMPLES).astype(int):
            kept = found.left[one]
            self.linked |= np.abs(kept @ kept.T - np.eye(len(kept))) > OPEN

    def _write_mate(
        self, states: slice, found: _BlockSolution, carried: JointWrench, k: int, free: Array
    ) -> None:
        """Force and torque on the second part at its feature, and which of them are determined."""
        s, rows, part = self.system, self.rows[k], carried.part
        first = 6 * self.parts.index(part)
        wrench = found.jacobian[:, rows, first : first + 6].copy()
        axes = self.moving.frames[states][:, part, 3:].reshape(-1, 3, 3)
        arm = (s.centre[part] - self.ends.point[k]) @ axes / s.length
        wrench[..., 3:] += np.cross(arm[:, None, :], wrench[..., :3])
        both = np.einsum("nr,nrk->nk", found.multiplier[:, rows], wrench)
        carried.force[states], carried.torque[states] = both[:, :3], both[:, 3:] * s.length
        spread = wrench.transpose(0, 2, 1) @ free @ wrench
        carried.determined[states] = np.einsum("nii->ni", spread) < OPEN**2
        values, vectors = np.linalg.eigh(spread[:, :3, :3])
        vectors *= (values > OPEN**2)[:, None, :]
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
        """Constraints some of whose multipliers are free together, each group once."""
        of_row = np.repeat(list(self.rows), [r.stop - r.start for r in self.rows.values()])
        return [frozenset(g) for g in _grouped(of_row.tolist(), self.linked) if len(g) > 1]

    def _note_together(self, held: Array) -> None:
        """Note bodies that move together in the null space of a row basis (rank, columns)."""
        free = np.eye(held.shape[1]) - held.T @ held
        b = len(self.block.bodies)
        self.together |= np.abs(free).reshape(b, 6, b, 6).max(axis=(1, 3)) > OPEN


def _grouped(names: Iterable[int], linked: Bools) -> list[set[int]]:
    """Names of the rows of a symmetric matrix, grouped by its entries."""
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
    """A block in some states, s: Jacobian (s, rows, 6 parts) with the root last, multipliers
    (s, rows), an orthonormal basis of the row space's left side (s, rows, rank), which states are
    not balanced (s,) and what is left there (s, columns)."""

    jacobian: Array
    multiplier: Array
    left: Array
    off: Bools
    rest: Array
