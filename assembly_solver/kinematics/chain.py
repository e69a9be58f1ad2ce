"""A component prepared for motion: square blocks of independent equations, undriven motion locked.

At a solved pose redundant equations are excluded by rank; undriven freedoms are locked in joint
coordinates, chosen by pivot size; the square system is decomposed into blocks by matching and
Dulmage-Mendelsohn decomposition.  Where the equations are square from the outset, only ranks of
blocks are computed, so that the cost grows with the number of blocks.

Source: Haug, Computer Aided Kinematics and Dynamics, section 4.6 (independent coordinates);
docs/theory/motion.md, 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..equations.many_equations import terms_of
from ..equations.table import PLANE, SPACE, EquationTable, TwistBasis, jacobian, move, residuals
from ..errors import FreeInNoJoint
from ..foundations.geometry.pose import IDENTITY, compose_all, invert_all
from ..foundations.graphs.dulmage_mendelsohn import Decomposition, decompose
from ..foundations.numerics.distinct import distinct, in_both, in_first_alone
from ..foundations.numerics.linear import null_space, pivot_rows
from ..foundations.numerics.rounding import FAINT, RANK
from ..foundations.types import Array, Ints
from ..model.measures.measure import IS_ANGLE, ROTATION
from ..structure.incidence import slots
from ..structure.lower_pairs import frame_along
from ..structure.plan import Plan
from ..structure.steps import Component
from .chain_arrays import Chain
from .locked_coordinates import (
    LEAST_SHARE,
    LockedCoordinate,
    coordinates,
    idle_spins,
    spin,
    with_locked,
)

NEAR_BY = 0.02
"""Perturbation by which a pose is tested for singularity, in characteristic lengths."""

NEAR_CUT = FAINT
"""`RANK` at the perturbed pose."""

MOST_STEPS = 12
"""Most Newton steps to close the mates at the perturbed pose."""

CLEARLY_REGULAR = 1e-3
"""A setting: ratio of singular values from which a pose is far from any singular one."""

SMALL = 9
"""Columns up to which blocks are merged, to save the overhead of a block."""


class PreparedChain(NamedTuple):
    """A component prepared for continuation.

    Attributes:
        chain: the arrays; start: poses of all bodies, (bodies, 12), relative to the root.
        locked: coordinates that nothing drives, with their values; locks: their equations.
        rows: all equations, redundant ones and locks included.
        singular: whether the poses are singular: at a neighbouring pose the rank is higher.
    """

    chain: Chain
    start: Array
    locked: tuple[LockedCoordinate, ...]
    locks: Ints
    rows: Ints
    singular: bool

    def regularity(self, poses: Array) -> float:
        """The rank-th singular value over the largest at poses (bodies, 12) from the root."""
        return self._regularity(poses, self.rows, len(self.chain.rows))

    def branches_meet(self, poses: Array, tolerance: float) -> bool:
        """Whether branches meet within a tolerance at poses.

        Drivers and locks left out a dead point is regular, unless by a guide: then nothing is said.
        At the distance d from where branches meet singular values are d and mates are off by the
        square of d, both relative to the characteristic length, on a branch and beside it.

        Args:
            poses: (bodies, 12), from the root; tolerance: what mates may be off, mm.
        """
        c = self.chain
        mates = in_first_alone(self.rows, np.concatenate([c.driven, self.locks]))
        rank = len(c.rows) - len(c.driven) - len(self.locks)
        least = np.sqrt(tolerance / c.length)
        return not len(c.moving) and self._regularity(poses, mates, rank) < float(least)

    def _regularity(self, poses: Array, rows: Ints, rank: int) -> float:
        """The rank-th singular value of rows over the largest; 1 where there is none."""
        c = self.chain
        j = np.empty((len(rows), len(c.rows)))
        jacobian(c.table, poses, rows, c.slot, TwistBasis(c.axes, c.centre, c.length), j)
        values = np.linalg.svd(j, compute_uv=False)
        return float(values[rank - 1] / values[0]) if 0 < rank <= len(values) else 1.0


def prepare(
    plan: Plan,
    poses: Array,
    component: Component,
    driven: Ints,
    moving: Ints,
    released: Sequence[LockedCoordinate],
    keep: Sequence[LockedCoordinate] = (),
    avoid: LockedCoordinate | None = None,
) -> PreparedChain:
    """Decompose a component into blocks at poses where the mates hold.

    Args:
        poses: of all bodies in the world, (bodies, 12).
        driven: equations whose targets will change; moving: markers that will move on their bodies.
        released: coordinates of drivers without a value: locked first.
        keep: coordinates that are locked already, and stay so; avoid: one that is not locked.

    Raises:
        FreeInNoJoint: a free motion is neither a joint coordinate nor a spin.
    """
    start = np.tile(IDENTITY, (len(poses), 1))
    members = list(component.bodies)
    start[members] = relative_to_root(poses, component)
    work = _ChainBuilder(plan, start, component, driven, moving)
    own = [h for h in released if set(h.bodies) <= {component.root, *component.bodies}]
    known = [*keep] if avoid is None else [*keep, avoid]
    work.choices = [
        [h for h in group if not any(h.same(other) for other in known)]
        for group in (own, coordinates(plan.bodies.pairs, component))
    ]
    rows, blocks = work.choose(keep)
    arrays = work.lay_out(rows, _merged(blocks), moving)
    locks = np.arange(len(rows) - len(work.locked), len(rows))
    locks, every = rows[locks], np.concatenate([work.rows, rows[locks]])
    target = arrays.table.target[locks].tolist()
    locked = tuple(h._replace(value=x) for h, x in zip(work.locked, target, strict=True))
    return PreparedChain(arrays, start, locked, locks, every, work.singular)


class _ChainBuilder:
    """Decomposes one component into blocks."""

    def __init__(
        self, plan: Plan, start: Array, component: Component, driven: Ints, moving: Ints
    ) -> None:
        self.plan, self.start, self.component = plan, start, component
        guided = bool(np.isin(moving, markers_in(plan.table, component.rows)).any())
        self.table = own_table(plan.bodies.table if guided else plan.table)
        self.driven = in_both(component.rows, driven)
        flat = component.projection
        if flat is not None and not guided and np.isin(self.driven, flat.plane).all():
            unknowns, self.rows = PLANE, np.array(flat.plane, np.int64)
            normal = flat.flat.normal[0]
            axes = np.ascontiguousarray(frame_along(normal, normal)[3:].reshape(3, 3))
        else:
            unknowns, self.rows, axes = SPACE, component.rows, np.eye(3)
        self.spatial = unknowns is SPACE
        self.basis = TwistBasis(axes, plan.bodies.centre, plan.system.length)
        self.columns = [(b, int(u)) for b in component.bodies for u in unknowns]
        self.slot = slots(plan.bodies.count, component.bodies, unknowns)
        self.locked: list[LockedCoordinate] = []
        self.choices: list[list[LockedCoordinate]] = []
        self.singular = False

    # ---------------------------------------------------------------- selection
    def choose(self, keep: Sequence[LockedCoordinate]) -> tuple[Ints, list[tuple[Ints, Ints]]]:
        """Rows, locks last, and blocks (indices into rows and columns) of the square system."""
        n = len(self.columns)
        spins = self._spins(keep)
        if (square := self._square([*keep, *spins])) is not None:
            return square
        j = self._jacobian(self.rows)
        order, rank = pivot_rows(j, RANK)
        rows = self.rows[np.sort(order[:rank])]
        if rank < n:
            self.singular = self._rank_near_by() > rank
            rows = np.concatenate([rows, self._lock(j, n - rank, keep, spins)])
        return rows, list(self._decompose(rows).blocks)

    def _spins(self, keep: Sequence[LockedCoordinate]) -> list[LockedCoordinate]:
        """The spins of bodies between two balls that are not kept already."""
        if not self.spatial:
            return []
        least = FAINT * self.basis.length
        found = idle_spins(self.plan.bodies.pairs, self.component, self.table, self.start, least)
        known = {h.bodies[0] for h in keep if h.loose and h.kind == ROTATION}
        return [h for h in found if h.bodies[0] not in known]

    def _square(
        self, locks: Sequence[LockedCoordinate]
    ) -> tuple[Ints, list[tuple[Ints, Ints]]] | None:
        """As `choose`, where all equations with these locks are square and every block regular.

        With the spins of bodies between two balls a loop in space falls apart into small blocks.
        """
        if len(self.rows) + len(locks) != len(self.columns):
            return None
        before = self.table
        self._add(locks)
        rows = np.append(self.rows, np.arange(len(before.target), len(self.table.target)))
        found = self._decompose(rows)
        if len(found.well_rows) == len(rows) and self._regular(rows, found):
            self.locked = [*locks]
            return rows, list(found.blocks)
        self.table = before
        return None

    def _rank_near_by(self) -> int:
        """Rank of the equations at a perturbed closed pose; 0 if there is none.

        Source: Haug, section 4.6; docs/theory/perturbation.md, 3.
        """
        mates = in_first_alone(self.rows, self.driven)
        free = null_space(self._jacobian(mates), RANK)
        way = free @ np.sqrt(np.arange(2.0, 2.0 + free.shape[1]))
        y = NEAR_BY * self.basis.length * way / np.abs(way).max()
        bodies = np.array(self.component.bodies, np.int64)
        poses, off = self.start, np.empty(len(mates))
        for _ in range(MOST_STEPS):
            poses = moved(poses, bodies, self.slot, y, self.basis)
            residuals(self.table, poses, mates, off)
            if np.abs(off).max(initial=0.0) <= self.plan.system.convergence_tolerance:
                return pivot_rows(self._jacobian(self.rows, poses), NEAR_CUT)[1]
            y = np.linalg.lstsq(self._jacobian(mates, poses), -off, rcond=NEAR_CUT)[0]
        return 0

    def _jacobian(self, rows: Ints, poses: Array | None = None) -> Array:
        out = np.empty((len(rows), len(self.columns)))
        at = self.start if poses is None else poses
        jacobian(self.table, at, rows, self.slot, self.basis, out)
        return out

    def _decompose(self, rows: Ints) -> Decomposition:
        """Blocks by the unknowns in each equation; angles depend on rotations only."""
        t = self.table
        entries: list[int] = []
        first = [0]
        for e in rows.tolist():
            seen: dict[int, None] = {}
            for k in range(int(t.first_term[e]), int(t.first_term[e + 1])):
                q = int(t.term_measure[k])
                for marker in (t.marker_a[q], t.marker_b[q]):
                    of_body = self.slot[int(t.marker_body[marker])]
                    for s in of_body[3:] if IS_ANGLE[t.kind[q]] else of_body:
                        if s >= 0:
                            seen[int(s)] = None
            entries += seen
            first.append(len(entries))
        return decompose(len(rows), len(self.columns), first, entries)

    def _regular(self, rows: Ints, found: Decomposition) -> bool:
        """Whether all blocks of some rows are regular at the start."""
        return all(
            pivot_rows(self._jacobian(rows[own])[:, columns], RANK)[1] >= len(columns)
            for own, columns in found.blocks
        )

    # ---------------------------------------------------------------- locking
    def _lock(
        self,
        j: Array,
        missing: int,
        keep: Sequence[LockedCoordinate],
        spins: list[LockedCoordinate],
    ) -> Ints:
        """Equations that lock the free motions in the joint coordinates with the largest rates.

        Freedoms without one are locked as an angle about their axis, those of bodies between two
        balls before all others.  Those to keep come first, whatever their rates.
        """
        self.locked = [*keep[:missing]]
        rows = len(self.table.target) + np.arange(len(self.locked))
        self._add(self.locked)
        for group in (spins, *self.choices):
            if len(rows) == missing or not group:
                continue
            first = len(self.table.target)
            self._add(group)
            free = null_space(np.concatenate([j, self._jacobian(rows)]), RANK)
            told = self._jacobian(np.arange(first, first + len(group))) @ free
            told[np.linalg.norm(told, axis=1) < LEAST_SHARE] = 0.0
            order, rank = pivot_rows(told, LEAST_SHARE)
            chosen = np.sort(order[: min(rank, missing - len(rows))])
            self.locked += [group[k] for k in chosen.tolist()]
            rows = np.append(rows, first + chosen)
        while len(rows) < missing:
            free = null_space(np.concatenate([j, self._jacobian(rows)]), RANK)[:, 0]
            turns = np.zeros((len(self.start), 3))
            for (body, u), x in zip(self.columns, free.tolist(), strict=True):
                if u >= 3:
                    turns[body] += x * self.basis.axes[u - 3]
            locked = spin(self.plan.bodies.pairs, self.component, self.start, turns)
            if locked is None:
                raise self._not_lockable(free)
            self.locked.append(locked)
            self._add(self.locked[-1:])
            rows = np.append(rows, len(self.table.target) - 1)
        return rows

    def _not_lockable(self, free: Array) -> FreeInNoJoint:
        """The error for a free motion without joint coordinate or axis."""
        moves = np.abs(free) > LEAST_SHARE * np.abs(free).max()
        bodies = {body for (body, _), m in zip(self.columns, moves, strict=True) if m}
        named = zip(self.plan.system.parts, self.plan.bodies.of_part.tolist(), strict=True)
        return FreeInNoJoint([name for name, body in named if body in bodies])

    def _add(self, holds: Sequence[LockedCoordinate]) -> None:
        self.table = with_locked(self.table, holds, self.start, self.basis.length)

    # ---------------------------------------------------------------- arrays
    def lay_out(self, rows: Ints, blocks: list[tuple[Ints, Ints]], moving: Ints) -> Chain:
        """The chain, its columns in the order of the blocks."""
        t, slot = self.table, np.full_like(self.slot, -1)
        sizes = np.array([len(r) for r, _ in blocks], np.int64)
        ordered = [[self.columns[c] for c in own.tolist()] for _, own in blocks]
        for s, unknown in enumerate(chain.from_iterable(ordered)):
            slot[unknown] = s
        movers = [sorted({body for body, _ in own}) for own in ordered]
        taken = np.concatenate([*(rows[r] for r, _ in blocks), np.empty(0, np.int64)])
        several = np.flatnonzero(np.diff(t.first_term) > 1)
        several = in_both(several, np.concatenate([taken, self.rows]))
        terms = [k for e in several for k in range(int(t.first_term[e]), int(t.first_term[e + 1]))]
        turns = [k for k in terms if t.kind[t.term_measure[k]] == ROTATION]
        return Chain(
            table=t,
            root=self.component.root,
            bodies=np.array(sorted(self.component.bodies), np.int64),
            slot=slot,
            first=_offsets(sizes),
            rows=taken,
            first_mover=_offsets(np.array([len(m) for m in movers], np.int64)),
            movers=np.array([b for m in movers for b in m], np.int64),
            checked=in_first_alone(self.rows, taken),
            driven=self.driven,
            turns=np.array(turns, np.int64),
            moving=in_both(moving, markers_in(t, taken)),
            axes=self.basis.axes,
            centre=self.basis.centre,
            length=self.basis.length,
        )


def _merged(blocks: list[tuple[Ints, Ints]]) -> list[tuple[Ints, Ints]]:
    """Successive blocks merged up to SMALL columns."""
    out: list[tuple[Ints, Ints]] = []
    for rows, columns in blocks:
        if out and len(out[-1][0]) + len(rows) <= SMALL:
            before = out.pop()
            rows, columns = (np.concatenate(x) for x in zip(before, (rows, columns), strict=True))
        out.append((rows, columns))
    return out


def own_table(t: EquationTable) -> EquationTable:
    """The table with copies of what a sweep changes."""
    return t._replace(
        target=t.target.copy(), reference=t.reference.copy(), marker_frame=t.marker_frame.copy()
    )


def moved(poses: Array, bodies: Ints, slot: Ints, y: Array, basis: TwistBasis) -> Array:
    """Poses after a step y (columns,) of the unknowns of bodies, mm."""
    out = poses.copy()
    move(poses, bodies, slot, y, 1.0, basis, out)
    return out


def relative_to_root(poses: Array, c: Component) -> Array:
    """Poses of the bodies of a component relative to its root."""
    away = np.repeat(invert_all(poses[c.root][None]), len(c.bodies), axis=0)
    return compose_all(away, poses[list(c.bodies)])


def _offsets(sizes: Ints) -> Ints:
    """Offsets of concatenated arrays of these sizes, and the total."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def markers_in(t: EquationTable, rows: Ints) -> Ints:
    """Numbers of markers in equations."""
    n = t.term_measure[terms_of(t, rows)]
    return distinct(np.concatenate([t.marker_a[n], t.marker_b[n]]))
