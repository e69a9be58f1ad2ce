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
from ..model.measure import DISPLACEMENT, IS_ANGLE, ROTATION
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
    SPHERICAL: (),
    PLANAR: ((DISPLACEMENT, 0), (DISPLACEMENT, 1), (ROTATION, 0)),
}
"""The measures, kind and axis, that tell the motion in a joint but for turns of any axis."""

PLACES = tuple((DISPLACEMENT, i) for i in range(3))
"""Those of a joint that is none of these."""

TELLING = 0.05
"""Least of a free motion of unit size that a joint coordinate has to tell to hold it."""


class Hold(NamedTuple):
    """A joint coordinate that nothing drives and that is held.

    Attributes:
        pair: where; kind, axis: the measure; bodies, frames: its two markers.
    """

    pair: int
    kind: int
    axis: int
    bodies: tuple[int, int]
    frames: tuple[Array, Array]


class Prepared(NamedTuple):
    """A component ready to be followed.

    Attributes:
        chain: the arrays; start: poses of all bodies seen from the root.
        held: what is held because nothing drives it.
        rows: all equations, those left out included.
    """

    chain: Chain
    start: Array
    held: tuple[Hold, ...]
    rows: Ints

    def slack(self, poses: Array) -> float:
        """How far all equations are from being singular: a singular value over the largest.

        It is the last one that has to be there.  What is held does not count.
        """
        c = self.chain
        j = np.empty((len(self.rows), len(c.rows)))
        jacobian(c.table, poses, self.rows, c.slot, c.axes, c.centre, c.length, j)
        values = np.linalg.svd(j, compute_uv=False)
        rank = len(c.rows) - len(self.held)
        return float(values[rank - 1] / values[0]) if 0 < rank <= len(values) else 1.0


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
    return Prepared(chain, start, tuple(work.held), work.rows)


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
        """Equations that hold what is free, in joint coordinates, those that tell most of it.

        What no joint coordinate tells, as the spin of a link between two balls, is held as an
        angle about the axis that it turns about.
        """
        pairs, first = self.plan.bodies.pairs, len(self.table.target)
        plain = [
            self._coordinate(p, kind, axis)
            for p in self.component.pairs
            for kind, axis in FREEDOMS.get(int(pairs.kind[p]), PLACES)
        ]
        self._add(plain)
        told = self._jacobian(np.arange(first, first + len(plain))) @ null_space(j, CUT)
        told[np.linalg.norm(told, axis=1) < TELLING] = 0.0
        order, rank = pivot_rows(told, TELLING)
        chosen = np.sort(order[: min(rank, missing)])
        self.held = [plain[k] for k in chosen.tolist()]
        rows = first + chosen
        while len(rows) < missing:
            free = null_space(np.concatenate([j, self._jacobian(rows)]), CUT)[:, 0]
            self.held.append(self._spin(free))
            self._add(self.held[-1:])
            rows = np.append(rows, len(self.table.target) - 1)
        return rows

    def _coordinate(self, pair: int, kind: int, axis: int) -> Hold:
        """A coordinate of the joint that a pair amounts to."""
        pairs = self.plan.bodies.pairs
        a, b = (int(v) for v in pairs.bodies[pair])
        return Hold(pair, kind, axis, (a, b), (pairs.frame_a[pair], pairs.frame_b[pair]))

    def _spin(self, free: Array) -> Hold:
        """The angle about the axis about which a free motion turns most from body to body."""
        turns = np.zeros((len(self.start), 3))
        for (body, u), x in zip(self.columns, free.tolist(), strict=True):
            if u >= 3:
                turns[body] += x * self.axes[u - 3]
        pairs = self.plan.bodies.pairs
        ends = pairs.bodies[list(self.component.pairs)]
        swing = np.linalg.norm(turns[ends[:, 0]] - turns[ends[:, 1]], axis=1)
        best = int(np.argmax(np.round(swing / swing.max(), 9)))
        still, spun = sorted(ends[best].tolist(), key=lambda b: float(np.linalg.norm(turns[b])))
        axis = turns[spun] - turns[still]
        axis /= np.linalg.norm(axis)
        there = frame_along(np.zeros(3), axis)
        across = self._across(still, axis)
        mark = frame_along(np.zeros(3), axis)
        mark[3:6], mark[6:9] = across, np.cross(axis, across)
        own = [_on(self.start[b], f) for b, f in ((spun, there), (still, mark))]
        return Hold(self.component.pairs[best], ROTATION, 0, (spun, still), (own[0], own[1]))

    def _across(self, body: int, axis: Array) -> Array:
        """A direction of a body across an axis: that of its joint that lies across most."""
        pairs = self.plan.bodies.pairs
        ways = [frame_along(np.zeros(3), axis)[3:6]]
        for p in self.component.pairs:
            for end, frame in ((0, pairs.frame_a[p]), (1, pairs.frame_b[p])):
                if int(pairs.bodies[p, end]) == body and int(pairs.kind[p]) == REVOLUTE:
                    ways.append(frame[9:12] @ self.start[body, 3:].reshape(3, 3))
        level = [w - (w @ axis) * axis for w in ways[1:]] or ways
        best: Array = max(level, key=lambda w: round(float(np.linalg.norm(w)), 9))
        size = float(np.linalg.norm(best))
        return best / size if size > TELLING else ways[0]

    def _add(self, holds: list[Hold]) -> None:
        """Add equations that hold joint coordinates at what they are."""
        t = self.table
        n, m, q = len(holds), len(t.marker_body), len(t.kind)
        ends = np.array([h.bodies for h in holds], np.int64).reshape(-1, 2)
        frames = np.array([h.frames for h in holds]).reshape(-1, 2, 12)
        kind = np.array([h.kind for h in holds], np.int64)
        self.table = t._replace(
            marker_body=np.concatenate([t.marker_body, ends[:, 0], ends[:, 1]]),
            marker_frame=np.concatenate([t.marker_frame, frames[:, 0], frames[:, 1]]),
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
            moving=np.intersect1d(moving, markers_in(t, taken)),
            axes=np.ascontiguousarray(self.axes),
            centre=self.plan.bodies.centre,
            length=self.plan.system.length,
        )


def _on(pose: Array, frame: Array) -> Array:
    """A frame in the coordinates of a body at a pose."""
    out: Array = compose_all(invert_all(pose[None]), frame[None])[0]
    return out


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
