"""A component prepared for motion: square blocks of independent equations, and what is held.

At a pose that holds, redundant equations are left out by rank; what no driver moves is held in its
joint coordinates, chosen by pivot size; the square rest is sorted into blocks by matching and
Dulmage-Mendelsohn.  Where the equations of a component are square by themselves, no rank is taken
of the whole, so that the work grows with the number of blocks.

Source: Haug, Computer Aided Kinematics and Dynamics, section 4.6 (independent coordinates).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.nearest import (
    CYLINDRICAL,
    FIXED,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..geometry.pose import compose_all, invert_all
from ..graphs.dulmage_mendelsohn import Decomposition, decompose
from ..kernel import PLANE, SPACE, Table, jacobian, residuals
from ..model.measure import DISPLACEMENT, IS_ANGLE, ROTATION, TURN
from ..numerics.linear import null_space, pivot_rows
from ..structure.clusters import IDENTITY
from ..structure.incidence import slots
from ..structure.lower_pairs import frame_along
from ..structure.plan import Plan
from ..structure.steps import Component
from .arrays import Chain

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

CUT = 1e-9
"""Pivot, relative to the largest, below which an equation counts as dependent."""

SMALL = 9
"""Columns up to which blocks are solved together: to begin with one costs as much."""

FREEDOMS: dict[int, tuple[tuple[int, int], ...]] = {
    FIXED: (),
    REVOLUTE: ((ROTATION, 0),),
    PRISMATIC: ((DISPLACEMENT, 2),),
    CYLINDRICAL: ((ROTATION, 0), (DISPLACEMENT, 2)),
    SPHERICAL: ((TURN, 0), (TURN, 1), (TURN, 2)),
    PLANAR: ((DISPLACEMENT, 0), (DISPLACEMENT, 1), (ROTATION, 0)),
}
"""The measures, kind and axis, that tell the motion in a joint."""

ANY = tuple((kind, i) for kind in (DISPLACEMENT, TURN) for i in range(3))


class Hold(NamedTuple):
    """A joint coordinate that nothing drives and that is held: the pair, the measure and axis."""

    pair: int
    kind: int
    axis: int


class Prepared(NamedTuple):
    """A component ready to be followed.

    Attributes:
        chain: the arrays; start: poses of all bodies seen from the root.
        held: what is held because nothing drives it.
        rank: independent equations; redundant: equations beyond them.
    """

    chain: Chain
    start: Array
    held: tuple[Hold, ...]
    redundant: int


def prepare(
    plan: Plan, poses: Array, component: Component, driven: Ints, moving: Ints
) -> Prepared:
    """Sort a component into blocks at poses that hold.

    Args:
        poses: of all bodies in the world, (bodies, 12).
        driven: equations whose targets will change; moving: markers that will move on their bodies.
    """
    start = np.tile(IDENTITY, (len(poses), 1))
    members = list(component.bodies)
    away = invert_all(poses[component.root][None])
    start[members] = compose_all(np.repeat(away, len(members), axis=0), poses[members])
    work = _Work(plan, start, component, driven, moving)
    rows, columns, blocks = work.choose()
    chain = work.lay_out(rows, columns, _merged(blocks), moving)
    return Prepared(chain, start, tuple(work.held), len(work.rows) + len(work.held) - len(rows))


class _Work:
    """One component on its way to blocks."""

    def __init__(
        self, plan: Plan, start: Array, component: Component, driven: Ints, moving: Ints
    ) -> None:
        self.plan, self.start, self.component = plan, start, component
        guided = bool(np.isin(moving, markers_in(plan.table, component.rows)).any())
        own = plan.bodies.table if guided else plan.table
        self.table = own._replace(
            target=own.target.copy(),
            reference=own.reference.copy(),
            marker_frame=own.marker_frame.copy(),
        )
        self.driven = np.intersect1d(component.rows, driven)
        flat = component.projection
        if flat is not None and not guided and np.isin(self.driven, flat.plane).all():
            self.unknowns, self.rows = PLANE, np.array(flat.plane, np.int64)
            normal = flat.flat.normal[0]
            self.axes = frame_along(normal, normal)[3:].reshape(3, 3)
        else:
            self.unknowns, self.rows, self.axes = SPACE, component.rows, np.eye(3)
        self.columns = [(b, int(u)) for b in component.bodies for u in self.unknowns]
        self.slot = slots(plan.bodies.count, component.bodies, self.unknowns)
        self.held: list[Hold] = []

    # ---------------------------------------------------------------- choosing
    def choose(self) -> tuple[Ints, Ints, list[tuple[Ints, Ints]]]:
        """Rows, columns and blocks (both by place in these) of the square system."""
        n = len(self.columns)
        found = self._decompose(self.rows)
        if len(found.well_rows) == len(self.rows) == n and self._regular(found):
            return self.rows, np.arange(n), list(found.blocks)
        j = self._jacobian(self.rows)
        order, rank = pivot_rows(j, CUT)
        rows = self.rows[np.sort(order[:rank])]
        if rank < n:
            rows = np.concatenate([rows, self._hold(j, n - rank)])
        return rows, np.arange(n), list(self._decompose(rows).blocks)

    def _jacobian(self, rows: Ints) -> Array:
        out = np.empty((len(rows), len(self.columns)))
        jacobian(
            self.table, self.start, rows, self.slot, self.axes, self.plan.bodies.centre,
            self.plan.system.length, out,
        )  # fmt: skip
        return out

    def _decompose(self, rows: Ints) -> Decomposition:
        """The blocks by which unknowns each equation can see: angles see rotations only."""
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

    def _regular(self, found: Decomposition) -> bool:
        """Whether no block is singular at the start."""
        for rows, columns in found.blocks:
            j = self._jacobian(self.rows[rows])[:, columns]
            if pivot_rows(j, CUT)[1] < len(columns):
                return False
        return True

    # ---------------------------------------------------------------- holding
    def _hold(self, j: Array, missing: int) -> Ints:
        """Equations that hold what is free in its joint coordinates; those that tell most of it."""
        pairs = self.plan.bodies.pairs
        first = len(self.table.target)
        candidates = [
            Hold(p, kind, axis)
            for p in self.component.pairs
            for kind, axis in FREEDOMS.get(int(pairs.kind[p]), ANY)
        ]
        self._add(candidates)
        told = self._jacobian(np.arange(first, first + len(candidates))) @ null_space(j, CUT)
        order, _ = pivot_rows(told, 0.0)
        chosen = np.sort(order[:missing])
        self.held = [candidates[k] for k in chosen.tolist()]
        return first + chosen

    def _add(self, holds: list[Hold]) -> None:
        """Add equations that hold joint coordinates at what they are."""
        t, pairs = self.table, self.plan.bodies.pairs
        n, m, q = len(holds), len(t.marker_body), len(t.kind)
        ends = np.array([pairs.bodies[h.pair] for h in holds], np.int64).reshape(-1, 2)
        a = np.array([pairs.frame_a[h.pair] for h in holds]).reshape(-1, 12)
        b = np.array([pairs.frame_b[h.pair] for h in holds]).reshape(-1, 12)
        turned = np.array([h.kind == TURN for h in holds], bool)
        world = compose_all(self.start[ends[:, 0]], a)
        b[turned, 3:] = compose_all(invert_all(self.start[ends[:, 1]]), world)[turned, 3:]
        kind = np.array([h.kind for h in holds], np.int64)
        self.table = t._replace(
            marker_body=np.concatenate([t.marker_body, ends[:, 0], ends[:, 1]]),
            marker_frame=np.concatenate([t.marker_frame, a, b]),
            kind=np.concatenate([t.kind, kind]),
            axis_i=np.concatenate([t.axis_i, np.array([h.axis for h in holds], np.int64)]),
            axis_j=np.concatenate([t.axis_j, np.zeros(n, np.int64)]),
            marker_a=np.concatenate([t.marker_a, m + np.arange(n)]),
            marker_b=np.concatenate([t.marker_b, m + n + np.arange(n)]),
            first_term=np.concatenate([t.first_term, t.first_term[-1] + 1 + np.arange(n)]),
            term_measure=np.concatenate([t.term_measure, q + np.arange(n)]),
            coefficient=np.concatenate([t.coefficient, np.ones(n)]),
            reference=np.concatenate([t.reference, np.zeros(n)]),
            target=np.concatenate([t.target, np.zeros(n)]),
            period=np.concatenate([t.period, np.where(kind == ROTATION, 2 * np.pi, 0.0)]),
            weight=np.concatenate(
                [t.weight, np.where(IS_ANGLE[kind], self.plan.system.length, 1.0)]
            ),
        )
        rows = np.arange(len(t.target), len(t.target) + n)
        self.table.target[rows] = _values(self.table, self.start, rows)

    # ---------------------------------------------------------------- arrays
    def lay_out(
        self, rows: Ints, columns: Ints, blocks: list[tuple[Ints, Ints]], moving: Ints
    ) -> Chain:
        """The chain with its columns in the order of the blocks."""
        t, slot = self.table, np.full_like(self.slot, -1)
        sizes = np.array([len(r) for r, _ in blocks], np.int64)
        ordered = [c for _, own in blocks for c in columns[own].tolist()]
        movers: list[list[int]] = []
        for s, c in enumerate(ordered):
            slot[self.columns[c]] = s
        for _, own in blocks:
            movers.append(sorted({self.columns[int(columns[c])][0] for c in own}))
        taken = np.concatenate([*(rows[r] for r, _ in blocks), np.empty(0, np.int64)])
        several = np.flatnonzero(np.diff(t.first_term) > 1)
        several = np.intersect1d(several, taken)
        terms = [k for e in several for k in range(int(t.first_term[e]), int(t.first_term[e + 1]))]
        turns = [k for k in terms if t.kind[t.term_measure[k]] == ROTATION]
        own = t.term_measure[t.first_term[taken[taken >= len(self.plan.table.target)]]]
        return Chain(
            table=t,
            root=self.component.root,
            bodies=np.array(sorted(self.component.bodies), np.int64),
            slot=slot,
            first=_offsets(sizes),
            rows=taken,
            first_inverse=_offsets(sizes**2),
            first_mover=_offsets(np.array([len(m) for m in movers], np.int64)),
            movers=np.array([b for m in movers for b in m], np.int64),
            checked=np.setdiff1d(self.rows, taken),
            driven=self.driven,
            turns=np.array(turns, np.int64),
            locked=own[t.kind[own] == TURN],
            moving=np.intersect1d(moving, markers_in(t, taken)),
            axes=np.ascontiguousarray(self.axes),
            centre=self.plan.bodies.centre,
            length=self.plan.system.length,
        )


def _merged(blocks: list[tuple[Ints, Ints]]) -> list[tuple[Ints, Ints]]:
    """Blocks that follow each other as one, where that is no larger than SMALL."""
    out: list[tuple[Ints, Ints]] = []
    for rows, columns in blocks:
        if out and len(out[-1][0]) + len(rows) <= SMALL:
            before = out.pop()
            rows, columns = (np.concatenate(x) for x in zip(before, (rows, columns), strict=True))
        out.append((rows, columns))
    return out


def _offsets(sizes: Ints) -> Ints:
    """Where things of these sizes begin, one behind the other, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def markers_in(t: Table, rows: Ints) -> Ints:
    """The markers that some equations read."""
    spans = [np.arange(t.first_term[e], t.first_term[e + 1]) for e in rows.tolist()]
    n = t.term_measure[np.concatenate([*spans, np.empty(0, np.int64)])]
    return np.unique(np.concatenate([t.marker_a[n], t.marker_b[n]]))


def _values(t: Table, poses: Array, rows: Ints) -> Array:
    """What the sums of some equations are, mm and rad."""
    out = np.empty(len(rows))
    residuals(t, poses, rows, out)
    values: Array = out / t.weight[rows] + t.target[rows]
    return values
