"""The plan of a solve: what places which body, in which unknowns, in what order.

Biconnected components of the body graph are taken from the held body outward.  A branch is one pair
and is placed in closed form where its joint has one.  The loops of a flat component are taken apart
by matching and Dulmage-Mendelsohn: what is determined is solved block by block; where nothing is,
the body nearest to the root is placed by its own pair and held, so that the rest falls apart.
Loops in space are one block.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.nearest import FREE, GENERAL, PLANAR
from ..graphs.dulmage_mendelsohn import Decomposition, decompose
from ..graphs.loops import biconnected
from ..kernel import Table, jacobian, residuals
from ..numerics.linear import independent_rows, pivoted_rank
from ..placing import Cloud, Flat, align
from ..sparse import Pattern, pattern
from ..system import System
from .clusters import Bodies, body_cloud, gather
from .pairs import Pairs, analyse_pairs
from .planar import Projection, project

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

CHECK, PLACE, SETTLE, ALIGN, PLACE_FLAT, SETTLE_FLAT, DENSE, SPARSE = range(8)
"""Actions of a step.  CHECK skips a component that holds as it stands."""

LARGEST_DENSE = 40
"""Columns from which a block is solved in sparse form with its whole component."""

SPACE = np.arange(6)
PLANE = np.array([0, 1, 5])
"""The unknowns of a body in space and in a plane."""


class Program(NamedTuple):
    """The steps as arrays, for the compiled runner.

    step: (steps, 6): action, component, parent, child, kind, step behind the component.
    at, own: joint frames of the PLACE steps in parent and child coordinates.
    Rows, columns (body, unknown) and moving bodies of step s are those between first_*[s] and
    first_*[s + 1].  Flat components have theirs between first_flat[c] and first_flat[c + 1].
    """

    step: Ints
    at: Array
    own: Array
    first_row: Ints
    rows: Ints
    first_column: Ints
    column_body: Ints
    column_unknown: Ints
    first_body: Ints
    bodies: Ints
    first_flat: Ints
    flat_bodies: Ints
    flat_normal: Array
    flat_height: Array
    flat_group: Ints
    flat_groups: Ints


@dataclass(frozen=True)
class Step:
    """One step in the words of the structure, for programs and for people."""

    action: int
    component: int
    bodies: tuple[int, ...]
    rows: tuple[int, ...]
    unknowns: int
    parent: int = 0
    kind: int = FREE
    at: Array | None = None
    own: Array | None = None
    columns: tuple[tuple[int, int], ...] = ()


@dataclass(eq=False)
class Component:
    """A branch or a bundle of loops that hangs on its root body."""

    root: int
    bodies: tuple[int, ...]
    pairs: tuple[int, ...]
    promises: tuple[int, ...]
    rows: Ints
    projection: Projection | None = None
    decomposition: Decomposition | None = None
    first_step: int = 0
    end_step: int = 0
    sparse: Pattern | None = None

    @property
    def loop(self) -> bool:
        """Whether it is a loop, not a branch."""
        return len(self.pairs) > 1

    @property
    def unknowns(self) -> Ints:
        return PLANE if self.projection is not None else SPACE

    def factor_pattern(self, bodies: Bodies) -> Pattern:
        """The sparse pattern of the whole component, made when first asked for."""
        if self.sparse is None:
            links = bodies.pairs.bodies[list(self.pairs)]
            self.sparse = pattern(np.array(self.bodies), links, bodies.count)
        return self.sparse


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything about an assembly that does not change while it is solved."""

    system: System
    bodies: Bodies
    table: Table
    """Equations in body coordinates, markers of flat components turned so that rows separate."""
    cloud: Cloud
    components: list[Component]
    steps: list[Step]
    program: Program
    loose: tuple[int, ...] = field(default=())
    """Bodies that no equation ties to the rest."""


def make_plan(system: System) -> Plan:
    """Plan the solution of a system."""
    bodies = gather(system)
    cloud = _cloud(system, bodies)
    components = _components(system, bodies)
    table = _flatten(system, bodies, components)
    steps: list[Step] = []
    maker = _Maker(system, bodies, table, cloud)
    for k, component in enumerate(components):
        component.first_step = len(steps)
        steps += maker.steps(k, component)
        component.end_step = len(steps)
    return Plan(system, bodies, table, cloud, components, steps, _program(components, steps))


def _cloud(system: System, bodies: Bodies) -> Cloud:
    """Mate features of the bodies; a cluster starts where its features fit best."""
    of_body = bodies.of_part[system.cloud_part]
    order = np.argsort(of_body, kind="stable")
    first = np.searchsorted(of_body[order], np.arange(bodies.count + 1)).astype(np.int64)
    own = body_cloud(system, bodies.relative)[order]
    start = body_cloud(system, system.start)[order]
    return Cloud(first, np.ascontiguousarray(own), np.ascontiguousarray(start))


def _components(system: System, bodies: Bodies) -> list[Component]:
    edges = bodies.pairs.bodies
    first = system.first_equation
    out = []
    for found in biconnected(bodies.count, edges, 0):
        pairs = tuple(sorted(found.edges))
        members = set(edges[list(pairs)].ravel().tolist()) - {found.root}
        promises = [int(k) for p in pairs for k in (*bodies.promises[p], *bodies.drivers[p])]
        rows = [np.arange(first[k], first[k + 1]) for k in promises]
        out.append(
            Component(
                found.root,
                tuple(sorted(members)),
                pairs,
                tuple(promises),
                np.concatenate([*rows, np.empty(0, np.int64)]),
            )
        )
    return out


def _flatten(system: System, bodies: Bodies, components: list[Component]) -> Table:
    """Find the flat components and turn their markers."""
    frames = bodies.table.marker_frame.copy()
    first = system.first_equation
    for component in components:
        if component.loop:
            promises = [list(range(first[k], first[k + 1])) for k in component.promises]
            component.projection = project(
                bodies.table, component.root, list(component.bodies), promises
            )
        if component.projection is not None:
            for marker, frame in component.projection.frames.items():
                frames[marker] = frame
    return bodies.table._replace(marker_frame=frames)


class _Maker:
    """Makes the steps of one component after the other."""

    def __init__(self, system: System, bodies: Bodies, table: Table, cloud: Cloud) -> None:
        self.system, self.bodies, self.table, self.cloud = system, bodies, table, cloud

    def steps(self, number: int, component: Component) -> list[Step]:
        """The steps of a component, its CHECK first."""
        rows = tuple(component.rows.tolist())
        check = Step(CHECK, number, component.bodies, rows, 0)
        if not component.loop:
            return [check, self._branch(number, component)]
        if component.projection is not None:
            return [check, *_FlatMaker(self, number, component, component.projection).steps()]
        n = 6 * len(component.bodies)
        action = DENSE if n <= LARGEST_DENSE else SPARSE
        columns = tuple((b, k) for b in component.bodies for k in range(6))
        return [check, Step(action, number, component.bodies, rows, n, columns=columns)]

    def _branch(self, number: int, component: Component) -> Step:
        p = component.pairs[0]
        child = component.bodies[0]
        rows = tuple(component.rows.tolist())
        columns = tuple((child, k) for k in range(6))
        pairs, n = self.bodies.pairs, p
        if len(self.bodies.drivers[p]):
            pairs, n = self._driven(p, component.rows), 0
        if pairs.kind[n] == GENERAL or pairs.gap[n] > self.system.tolerance:
            return Step(
                SETTLE, number, (child,), rows, 6, component.root, GENERAL, columns=columns
            )
        swap = int(pairs.bodies[n, 0]) != component.root
        at, own = pairs.frame_a[n], pairs.frame_b[n]
        if swap:
            at, own = own, at
        return Step(
            PLACE, number, (child,), rows, 6, component.root, int(pairs.kind[n]), at, own, columns
        )

    def _driven(self, p: int, rows: Ints) -> Pairs:
        """The pair with its drivers as mates."""
        return self.analyse(self.bodies.pairs.bodies[p], rows, self.bodies.start, np.eye(3), False)

    def analyse(self, ends: Ints, rows: Ints, start: Array, axes: Array, flat: bool) -> Pairs:
        """Analyse one pair of bodies by some rows; ends[1] is the one that moves."""
        pairs = Pairs(
            np.asarray(ends, np.int64).reshape(1, 2),
            np.array([0, len(rows)]),
            np.asarray(rows, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1),
            np.zeros((1, 12)),
            np.zeros((1, 12)),
            np.zeros((1, 12)),
        )
        s = self.system
        analyse_pairs(
            self.table,
            start,
            pairs,
            np.zeros(1, np.int64),
            axes,
            flat,
            self.bodies.centre,
            s.length,
            s.stop,
        )
        return pairs


class _FlatMaker:
    """Takes a flat component apart, from its root outward."""

    def __init__(
        self, maker: _Maker, number: int, component: Component, projection: Projection
    ) -> None:
        self.maker, self.number, self.component = maker, number, component
        self.projection = projection
        self.poses = maker.bodies.start.copy()
        self.axes = np.eye(3)
        align(self.poses, projection.flat, maker.bodies.centre, maker.cloud, self.axes)
        self.rows_of_pair = self._independent()
        self.open_rows = [e for rows in self.rows_of_pair.values() for e in rows]
        self.ends = self._ends()
        self.open_columns = {(b, k) for b in component.bodies for k in PLANE.tolist()}
        self.depth = self._depths()
        self.out: list[Step] = []

    def _ends(self) -> dict[int, tuple[int, int]]:
        t = self.maker.table
        out = {}
        for e in self.projection.plane:
            n = t.term_measure[t.first_term[e]]
            out[e] = (
                int(t.marker_body[t.marker_a[n]]),
                int(t.marker_body[t.marker_b[n]]),
            )
        return out

    def _independent(self) -> dict[tuple[int, int], list[int]]:
        """Rows in the plane of each pair, without those that follow from its others."""
        out: dict[tuple[int, int], list[int]] = {}
        for e, (a, b) in self._ends().items():
            out.setdefault((min(a, b), max(a, b)), []).append(e)
        for (a, b), rows in out.items():
            if len(rows) > 1:
                moving = b if b != self.component.root else a
                j = self._jacobian(np.array(rows), moving)
                if pivoted_rank(j.copy(), 1e-9) < len(rows):
                    j = self._closed_jacobian(a if moving == b else b, moving, rows)
                    out[a, b] = [rows[i] for i in independent_rows(j)]
        return out

    def _jacobian(self, rows: Ints, body: int, poses: Array | None = None) -> Array:
        m = self.maker
        slot = np.full((m.bodies.count, 6), -1, np.int64)
        slot[body, PLANE] = np.arange(3)
        j = np.empty((len(rows), 3))
        at = self.poses if poses is None else poses
        jacobian(m.table, at, rows, slot, self.axes, m.bodies.centre, m.system.length, j)
        return j

    def _closed_jacobian(self, still: int, moving: int, rows: list[int]) -> Array:
        pair = self.maker.analyse(
            np.array([still, moving]), np.array(rows), self.poses, self.axes, True
        )
        from .clusters import compose_all

        poses = self.poses.copy()
        poses[moving] = compose_all(poses[still][None], pair.relative)[0]
        return self._jacobian(np.array(rows), moving, poses)

    def _depths(self) -> dict[int, int]:
        near: dict[int, list[int]] = {}
        for p in self.component.pairs:
            a, b = (int(v) for v in self.maker.bodies.pairs.bodies[p])
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
        depth = {self.component.root: 0}
        queue = [self.component.root]
        for body in queue:
            for other in near.get(body, ()):
                if other not in depth:
                    depth[other] = depth[body] + 1
                    queue.append(other)
        return depth

    def steps(self) -> list[Step]:
        """ALIGN, then blocks and held bodies until every column has its place."""
        c = self.component
        certified = (*self.projection.heights, *self.projection.certified)
        self.out.append(Step(ALIGN, self.number, c.bodies, tuple(certified), 3 * len(c.bodies)))
        found = self._decompose(self.open_rows, self.open_columns)
        c.decomposition = found[0]
        while self.open_columns:
            self._solve_determined(*found)
            if not self.open_columns:
                break
            again = self._hold_one()
            if again is None:
                self._block(self.open_rows, sorted(self.open_columns))
                break
            found = again
        if any(len(s.columns) > LARGEST_DENSE for s in self.out if s.action == DENSE):
            rows, n = tuple(self.projection.plane), 3 * len(c.bodies)
            return [self.out[0], Step(SPARSE, self.number, c.bodies, rows, n)]
        return self.out

    def _decompose(
        self, rows: list[int], columns: set[tuple[int, int]]
    ) -> tuple[Decomposition, list[int], list[tuple[int, int]]]:
        order = sorted(columns)
        number = {c: i for i, c in enumerate(order)}
        first, entries = [0], []
        for e in rows:
            for body in self.ends[e]:
                for k in (5,) if e in self.projection.spins else (0, 1, 5):
                    if (body, k) in number:
                        entries.append(number[body, k])
            first.append(len(entries))
        return decompose(len(rows), len(order), first, entries), rows, order

    def _solve_determined(
        self, d: Decomposition, rows: list[int], columns: list[tuple[int, int]]
    ) -> None:
        """Append the over- and well-determined blocks; keep the under-determined rest open."""
        empty = [r for r in d.over_rows.tolist() if not set(self._columns(rows[r])) & set(columns)]
        over = [r for r in d.over_rows.tolist() if r not in set(empty)]
        blocks = [(over, d.over_cols.tolist())] if len(d.over_cols) else []
        blocks += [(r.tolist(), c.tolist()) for r, c in d.blocks]
        for r, c in blocks:
            self._block([rows[i] for i in r], [columns[i] for i in c])
        self.open_rows = [rows[i] for i in d.under_rows.tolist()]
        self.open_columns = {columns[i] for i in d.under_cols.tolist()}

    def _columns(self, e: int) -> list[tuple[int, int]]:
        unknowns = (5,) if e in self.projection.spins else (0, 1, 5)
        return [(body, k) for body in self.ends[e] for k in unknowns]

    def _block(self, rows: list[int], columns: list[tuple[int, int]]) -> None:
        bodies = tuple(sorted({b for b, _ in columns}))
        self.out.append(
            Step(DENSE, self.number, bodies, tuple(rows), len(columns), columns=tuple(columns))
        )

    def _hold_one(
        self,
    ) -> tuple[Decomposition, list[int], list[tuple[int, int]]] | None:
        """Place one body by its pair with a placed one; None where that would bind too much.

        Nearest to the root first, then most mates, then least off at the start: geometry decides,
        not the order in which the parts were named.
        """
        open_bodies = {b for b, _ in self.open_columns}
        for body, parent in self._candidates(open_bodies):
            columns = {c for c in self.open_columns if c[0] == body}
            own = [e for e in self.open_rows if not (set(self.ends[e]) & open_bodies - {body})]
            rest = [e for e in self.open_rows if e not in set(own)]
            found = self._decompose(rest, self.open_columns - columns)
            if len(found[0].over_rows) == 0:
                self._hold(body, parent, own, columns)
                self.open_rows = rest
                self.open_columns -= columns
                return found
        return None

    def _candidates(self, open_bodies: set[int]) -> list[tuple[int, int]]:
        pairs, promises = self.maker.bodies.pairs, self.maker.bodies.promises
        mates = dict.fromkeys(open_bodies, 0)
        parent: dict[int, tuple[int, int]] = {}
        off: dict[int, float] = {}
        for p in self.component.pairs:
            a, b = (int(v) for v in pairs.bodies[p])
            for body, other in ((a, b), (b, a)):
                if body not in open_bodies:
                    continue
                mates[body] += len(promises[p])
                if other not in open_bodies:
                    key = (self.depth[other], other)
                    if body not in parent or key < parent[body]:
                        parent[body] = key
                    rows = pairs.rows[pairs.first_row[p] : pairs.first_row[p + 1]]
                    out = np.empty(len(rows))
                    worst = residuals(self.maker.table, self.maker.bodies.start, rows, out)
                    off[body] = off.get(body, 0.0) + worst
        order = sorted(parent, key=lambda b: (self.depth[b], -mates[b], off[b]))
        return [(b, parent[b][1]) for b in order]

    def _hold(
        self, body: int, parent: int, own: list[int], columns: set[tuple[int, int]]
    ) -> None:
        m = self.maker
        ends = {b for e in own for b in self.ends[e]} - {body}
        whole = len(columns) == 3 and len(ends) <= 1
        pair = None
        if whole:
            pair = m.analyse(np.array([parent, body]), np.array(own), self.poses, self.axes, True)
        if pair is None or int(pair.kind[0]) == GENERAL or pair.gap[0] > m.system.tolerance:
            step = Step(
                SETTLE_FLAT, self.number, (body,), tuple(own), len(columns), parent, GENERAL,
                columns=tuple(sorted(columns)),
            )  # fmt: skip
        else:
            kind = int(pair.kind[0])
            step = Step(
                PLACE_FLAT, self.number, (body,), tuple(own), 3, parent,
                PLANAR if kind == FREE else kind, pair.frame_a[0], pair.frame_b[0],
                tuple(sorted(columns)),
            )  # fmt: skip
        self.out.append(step)


def _program(components: list[Component], steps: list[Step]) -> Program:
    """Lay the steps out as arrays."""

    def joined(lists: list[tuple[int, ...]]) -> tuple[Ints, Ints]:
        first = np.concatenate([[0], np.cumsum([len(v) for v in lists])]).astype(np.int64)
        return first, np.array([v for values in lists for v in values], np.int64)

    table = np.array(
        [
            (s.action, s.component, s.parent, s.bodies[0], s.kind, components[s.component].end_step)
            for s in steps
        ],
        np.int64,
    ).reshape(-1, 6)
    none = np.zeros(12)
    first_row, rows = joined([s.rows for s in steps])
    first_column, column_body = joined([tuple(b for b, _ in s.columns) for s in steps])
    _, column_unknown = joined([tuple(k for _, k in s.columns) for s in steps])
    first_body, bodies = joined([s.bodies for s in steps])
    empty = Flat(
        np.empty(0, np.int64), np.empty((0, 3)), np.empty(0), np.empty(0, np.int64), 0
    )
    flats = [c.projection.flat if c.projection is not None else empty for c in components]
    lengths = [len(f.bodies) for f in flats]
    return Program(
        step=table,
        at=np.array([s.at if s.at is not None else none for s in steps]).reshape(-1, 12),
        own=np.array([s.own if s.own is not None else none for s in steps]).reshape(-1, 12),
        first_row=first_row,
        rows=rows,
        first_column=first_column,
        column_body=column_body,
        column_unknown=column_unknown,
        first_body=first_body,
        bodies=bodies,
        first_flat=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        flat_bodies=np.concatenate([*(f.bodies for f in flats), np.empty(0, np.int64)]),
        flat_normal=np.concatenate([*(f.normal for f in flats), np.empty((0, 3))]),
        flat_height=np.concatenate([*(f.height for f in flats), np.empty(0)]),
        flat_group=np.concatenate([*(f.group for f in flats), np.empty(0, np.int64)]),
        flat_groups=np.array([f.groups for f in flats], np.int64),
    )
