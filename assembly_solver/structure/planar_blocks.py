"""Decomposition of a planar component by matching and Dulmage-Mendelsohn, from its root outward.

What the placed bodies determine is solved block by block.  Where nothing is determined, the body
nearest to the root is placed by its pair and locked, so that the rest decomposes.

Source: docs/theory/decomposition.md, 5 and 7.
"""

from __future__ import annotations

from itertools import accumulate, chain
from math import dist
from typing import NamedTuple

import numpy as np

from ..equations.closed_form import align
from ..equations.table import PLANE, TwistBasis, residuals
from ..foundations.geometry.nearest_motion import FREE, GENERAL, PLANAR
from ..foundations.geometry.placing import points_placed
from ..foundations.geometry.pose import compose_all
from ..foundations.graphs.dulmage_mendelsohn import Decomposition, decompose
from ..foundations.numerics.linear import independent_rows
from ..foundations.types import Array, Bools, Ints
from ..foundations.watch import Watch
from .incidence import bodies_of_each, jacobian_of
from .pair_analysis import PairAnalyst
from .pair_ranks import find_dependent
from .planar import Projection
from .steps import ALIGN, DENSE, LARGEST_DENSE, PLACE_PLANAR, SETTLE_PLANAR, SPARSE, Component, Step

Column = tuple[int, int]
"""A body and one of its six unknowns."""


class _Decomposed(NamedTuple):
    """The decomposition of some rows by some columns, and how many of these each row reads."""

    found: Decomposition
    rows: Ints
    columns: Ints
    reads: Ints


class PlanarSteps:
    """Plans the steps of a planar component, from its root outward.

    Among bodies of equal depth and mates the one that is least off at the start is locked first, so
    that a displaced body comes home alone.  With `rank`, of each body, the first in that order: the
    component has been planned, and the steps are without the frames of joints.
    """

    def __init__(
        self,
        analyst: PairAnalyst,
        number: int,
        component: Component,
        projection: Projection,
        watch: Watch | None = None,
        rank: dict[int, int] | None = None,
    ) -> None:
        self.watch, self.rank = watch or Watch(), rank
        self.analyst, self.number, self.component = analyst, number, component
        self.projection = projection
        self.ends = bodies_of_each(analyst.table, projection.plane)
        """The bodies that each row in the plane depends on."""
        self.poses = analyst.bodies.start.copy()
        self.axes = np.eye(3)
        self._basis = TwistBasis(self.axes, analyst.bodies.centre, analyst.system.length)
        if rank is None:
            align(self.poses, projection.flat, analyst.bodies.centre, analyst.cloud, self.axes)
            component.independent = self._independent()
        self.rows_of_pair = component.independent or {}
        self.rows = [e for rows in self.rows_of_pair.values() for e in rows]
        self.columns = [(b, k) for b in component.bodies for k in PLANE.tolist()]
        self.row_ends, self.row_columns = self._incidence()
        self.open_rows: Bools = np.ones(len(self.rows), bool)
        self.open_columns: Bools = np.ones(len(self.columns) + 1, bool)  # the last one is none
        self.open_columns[-1] = False
        self.depth = component.depths()
        self.out: list[Step] = []
        self._residual: dict[int, float] = {}
        self._distances: dict[int, float] = {}

    def unknowns_of(self, row: int) -> list[Column]:
        """The unknowns of moving bodies that a row in the plane reads."""
        own = PLANE[2:] if row in self.projection.spins else PLANE
        ends = (b for b in self.ends[row] if b != self.component.root)
        return [(b, k) for b in ends for k in own.tolist()]

    def _incidence(self) -> tuple[Ints, Ints]:
        """The bodies of each row, the root instead of further ones, and the unknowns that it reads
        by their numbers, -1 where there is none."""
        ends, c = [self.ends[e] for e in self.rows], self.component
        count = [*map(len, ends)]
        most = max(count, default=0)
        if most * len(ends) > sum(count):
            ends = [own + (c.root,) * (most - len(own)) for own in ends]
        flat = np.fromiter(chain.from_iterable(ends), np.int64, most * len(ends))
        bodies = flat.reshape(len(ends), most)
        unknowns = np.full((self.analyst.bodies.count, len(PLANE)), -1)
        unknowns[list(c.bodies)] = np.arange(len(self.columns)).reshape(-1, len(PLANE))
        columns = unknowns[bodies]
        if self.projection.spins:
            spins = [e in self.projection.spins for e in self.rows]
            columns[spins, :, :2] = -1
        return bodies, columns.reshape(len(ends), most * len(PLANE))

    def _independent(self) -> dict[tuple[int, ...], list[int]]:
        """Rows in the plane of each pair, without those that depend on its others."""
        out: dict[tuple[int, ...], list[int]] = {}
        for e, ends in self.ends.items():
            in_order = len(ends) == 2 and ends[0] < ends[1]
            out.setdefault(ends if in_order else tuple(sorted(ends)), []).append(e)
        of_two = [(e, rows) for e, rows in out.items() if len(rows) > 1 and len(e) == 2]
        moving = [b if b != self.component.root else a for (a, b), _ in of_two]
        dependent, basis = np.empty(len(of_two), bool), self._basis
        every = np.array([e for _, rows in of_two for e in rows], np.int64)
        first = np.array([0, *accumulate(len(rows) for _, rows in of_two)], np.int64)
        bodies, table = np.array(moving, np.int64), self.analyst.table
        find_dependent(table, self.poses, first, every, bodies, PLANE, basis, dependent)
        for n in dependent.nonzero()[0].tolist():
            self.watch.check()
            (a, b), rows = of_two[n]
            j = self._closed_jacobian(a if moving[n] == b else b, moving[n], rows)
            out[a, b] = [rows[i] for i in independent_rows(j)]
        return out

    def _closed_jacobian(self, fixed: int, moving: int, rows: list[int]) -> Array:
        """The derivatives of the rows of a pair where it is closed."""
        self.component.by_value.update(rows)
        pair = self.analyst.analyse(
            np.array([fixed, moving]), np.array(rows), self.poses, self.axes, True
        )
        poses = self.poses.copy()
        poses[moving] = compose_all(poses[fixed][None], pair.relative)[0]
        return jacobian_of(self.analyst.table, poses, np.array(rows), [moving], PLANE, self._basis)

    def steps(self) -> list[Step]:
        """ALIGN, then blocks and locked bodies until every column is in a step."""
        c = self.component
        certified = (*self.projection.heights, *self.projection.certified)
        self.out.append(Step(ALIGN, self.number, c.bodies, tuple(certified), 3 * len(c.bodies)))
        decomposed = self._decompose(self.open_rows, self.open_columns)
        c.decomposition = decomposed.found
        while True:
            self.watch.check()
            self._solve_determined(decomposed)
            if not self.open_columns.any():
                break
            rest = self._lock_one()
            if rest is None:
                open_ = (mask.nonzero()[0] for mask in (self.open_rows, self.open_columns))
                self._block(*(which.tolist() for which in open_))
                break
            decomposed = rest
        if any(len(s.columns) > LARGEST_DENSE for s in self.out if s.action == DENSE):
            plane, n = tuple(self.projection.plane), 3 * len(c.bodies)
            return [self.out[0], Step(SPARSE, self.number, c.bodies, plane, n)]
        return self.out

    def _decompose(self, rows: Bools, columns: Bools) -> _Decomposed:
        """The decomposition of some rows by some columns."""
        which = rows.nonzero()[0], columns.nonzero()[0]
        read, number = self.row_columns[which[0]], columns.cumsum() - 1
        used = columns[read]
        count = used.sum(axis=1)
        first = np.zeros(len(count) + 1, np.int64)
        count.cumsum(out=first[1:])
        found = decompose(len(which[0]), len(which[1]), first, number[read[used]])
        return _Decomposed(found, *which, count)

    def _solve_determined(self, decomposed: _Decomposed) -> None:
        """Append the over- and well-determined blocks; the under-determined rest stays open."""
        d, rows, columns, reads = decomposed
        blocks = d.listed()
        if len(d.over_cols):
            over = d.over_rows[reads[d.over_rows] > 0]
            blocks = [(over.tolist(), d.over_cols.tolist()), *blocks]
        of_row, of_column = rows.tolist(), columns.tolist()
        for r, c in blocks:
            self._block([of_row[i] for i in r], [of_column[i] for i in c])
        self.open_rows[:] = self.open_columns[:] = False
        self.open_rows[rows[d.under_rows]] = True
        self.open_columns[columns[d.under_cols]] = True

    def _block(self, rows: list[int], columns: list[int]) -> None:
        """Append a block of rows and columns, by their numbers."""
        equations = tuple([self.rows[r] for r in rows])
        unknowns = tuple([self.columns[c] for c in columns])
        bodies = tuple(dict.fromkeys([b for b, _ in unknowns]))
        step = Step(DENSE, self.number, bodies, equations, len(columns), columns=unknowns)
        self.out.append(step)

    def _lock_one(self) -> _Decomposed | None:
        """Place one body by its pair with a placed one; None where that would over-determine.

        Nearest to the root first, then most mates, then by `rank`, else smallest residual at the
        start, then farthest from the root: not the order in which the parts were named.
        """
        bodies, ends = self.component.bodies, self.row_ends
        unplaced = np.zeros(self.analyst.bodies.count, bool)
        unplaced[list(bodies)] = self.open_columns[:-1].reshape(-1, len(PLANE)).any(axis=1)
        for body, parent in self._candidates({*unplaced.nonzero()[0].tolist()}):
            self.watch.check()
            first = len(PLANE) * bodies.index(body)
            own = first + self.open_columns[first : first + len(PLANE)].nonzero()[0]
            others = (unplaced[ends] & (ends != body)).any(axis=1)
            rest = self.open_rows & others, self.open_columns.copy()
            rest[1][own] = False
            found = self._decompose(*rest)
            if len(found.found.over_rows) == 0:
                rows = (self.open_rows & ~others).nonzero()[0].tolist()
                columns = [self.columns[c] for c in own.tolist()]
                self._lock(body, parent, [self.rows[r] for r in rows], columns)
                self.open_rows, self.open_columns = rest
                return found
        return None

    def _candidates(self, open_bodies: set[int]) -> list[tuple[int, int]]:
        """Bodies with a pair with a placed one, and that one; those to be locked first in front."""
        constraints = self.analyst.bodies.constraints
        mates = dict.fromkeys(open_bodies, 0)
        parent: dict[int, tuple[int, int]] = {}
        off: dict[int, float] = {}
        for p, (a, b) in zip(self.component.pairs, self.component.links, strict=False):
            for body, other in ((a, b), (b, a)):
                if body not in open_bodies:
                    continue
                mates[body] += len(constraints[p])
                if other not in open_bodies:
                    key = (self.depth[other], other)
                    if body not in parent or key < parent[body]:
                        parent[body] = key
                    if self.rank is None:
                        off[body] = off.get(body, 0.0) + self._off(p)
        stop = self.analyst.system.tolerance  # what holds is not off
        last = {b: round(v / stop) for b, v in off.items()} if self.rank is None else self.rank
        turn = {b: (self.depth[b], -mates[b], last[b]) for b in parent}
        first = sorted(parent, key=turn.__getitem__)
        if self.rank is None and len({*turn.values()}) < len(turn):
            first.sort(key=lambda b: (*turn[b], -self._distance(b)))
        return [(b, parent[b][1]) for b in first]

    def _off(self, p: int) -> float:
        """The largest residual of a pair at the start, mm, by which bodies are ordered."""
        if p not in self._residual:
            m, rows = self.analyst, self.analyst.bodies.pairs.rows_of(p)
            self.component.by_value.update(rows.tolist())
            self._residual[p] = residuals(m.table, m.bodies.start, rows, np.empty(len(rows)))
        return self._residual[p]

    def _distance(self, body: int) -> float:
        """Distance of a body's centre from the root's at the start, in characteristic lengths."""
        if not self._distances:
            m, ends = self.analyst, [*self.component.bodies, self.component.root]
            which = np.array(ends)
            at = points_placed(m.bodies.start, which, m.bodies.centre[which]).tolist()
            far = [round(dist(x, at[-1]) / m.system.length, 6) for x in at]
            self._distances = dict(zip(ends, far, strict=True))
        return self._distances[body]

    def _lock(self, body: int, parent: int, rows: list[int], columns: list[Column]) -> None:
        """Append the step that places a body by its pair, in closed form where it has one."""
        m = self.analyst
        ends = {b for e in rows for b in self.ends[e]} - {body}
        pair = None
        if len(columns) == 3 and len(ends) <= 1:  # one joint: with the body that its rows name
            parent = next(iter(ends), parent)
        if self.rank is None and len(columns) == 3 and len(ends) <= 1:
            self.component.by_value.update(rows)
            pair = m.analyse(np.array([parent, body]), np.array(rows), self.poses, self.axes, True)
        if pair is None or int(pair.kind[0]) == GENERAL or pair.gap[0] > m.system.tolerance:
            action, count, kind, frames = SETTLE_PLANAR, len(columns), GENERAL, (None, None)
        else:
            kind = PLANAR if int(pair.kind[0]) == FREE else int(pair.kind[0])
            action, count, frames = PLACE_PLANAR, 3, (pair.frame_a[0], pair.frame_b[0])
        bodies, ordered = (body,), tuple(columns)
        self.out.append(
            Step(action, self.number, bodies, tuple(rows), count, parent, kind, *frames, ordered)
        )
