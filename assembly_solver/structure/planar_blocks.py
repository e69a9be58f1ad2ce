"""Decomposition of a planar component by matching and Dulmage-Mendelsohn, from its root outward.

What the placed bodies determine is solved block by block.  Where nothing is determined, the body
nearest to the root is placed by its pair and locked, so that the rest decomposes.

Source: docs/theory/decomposition.md, 5 and 7.
"""

from __future__ import annotations

from itertools import accumulate
from math import dist

import numpy as np

from ..equations.closed_form import align
from ..equations.table import PLANE, TwistBasis, residuals
from ..foundations.geometry.nearest_motion import FREE, GENERAL, PLANAR
from ..foundations.geometry.placing import points_placed
from ..foundations.geometry.pose import compose_all
from ..foundations.graphs.dulmage_mendelsohn import Decomposition, decompose
from ..foundations.numerics.linear import independent_rows
from ..foundations.types import Array
from ..foundations.watch import Watch
from .incidence import bodies_of_each, jacobian_of
from .pair_analysis import PairAnalyst
from .pair_ranks import find_dependent
from .planar import Projection
from .steps import ALIGN, DENSE, LARGEST_DENSE, PLACE_PLANAR, SETTLE_PLANAR, SPARSE, Component, Step

Column = tuple[int, int]
"""A body and one of its six unknowns."""


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
        self.columns = {
            e: [(b, k) for b in ends for k in ((5,) if e in projection.spins else (0, 1, 5))]
            for e, ends in self.ends.items()
        }
        """The unknowns that each of them reads, those of the root included."""
        self.poses = analyst.bodies.start.copy()
        self.axes = np.eye(3)
        self._basis = TwistBasis(self.axes, analyst.bodies.centre, analyst.system.length)
        if rank is None:
            align(self.poses, projection.flat, analyst.bodies.centre, analyst.cloud, self.axes)
            component.independent = self._independent()
        self.rows_of_pair = component.independent or {}
        self.open_rows = [e for rows in self.rows_of_pair.values() for e in rows]
        self.open_columns = {(b, k) for b in component.bodies for k in PLANE.tolist()}
        self.depth = component.depths()
        self.out: list[Step] = []
        self._residual: dict[int, float] = {}
        self._distances: dict[int, float] = {}

    def _independent(self) -> dict[tuple[int, ...], list[int]]:
        """Rows in the plane of each pair, without those that depend on its others."""
        out: dict[tuple[int, ...], list[int]] = {}
        for e, ends in self.ends.items():
            out.setdefault(tuple(sorted(ends)), []).append(e)
        of_two = [(e, rows) for e, rows in out.items() if len(rows) > 1 and len(e) == 2]
        moving = [b if b != self.component.root else a for (a, b), _ in of_two]
        dependent, basis = np.empty(len(of_two), bool), self._basis
        every = np.array([e for _, rows in of_two for e in rows], np.int64)
        first = np.array([0, *accumulate(len(rows) for _, rows in of_two)], np.int64)
        bodies, table = np.array(moving, np.int64), self.analyst.table
        find_dependent(table, self.poses, first, every, bodies, PLANE, basis, dependent)
        for n in np.flatnonzero(dependent).tolist():
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
        found = self._decompose(self.open_rows, self.open_columns)
        c.decomposition = found[0]
        while self.open_columns:
            self.watch.check()
            self._solve_determined(*found)
            if not self.open_columns:
                break
            rest = self._lock_one()
            if rest is None:
                self._block(self.open_rows, sorted(self.open_columns))
                break
            found = rest
        if any(len(s.columns) > LARGEST_DENSE for s in self.out if s.action == DENSE):
            rows, n = tuple(self.projection.plane), 3 * len(c.bodies)
            return [self.out[0], Step(SPARSE, self.number, c.bodies, rows, n)]
        return self.out

    def _decompose(
        self, rows: list[int], columns: set[Column]
    ) -> tuple[Decomposition, list[int], list[Column]]:
        order = sorted(columns)
        number = {c: i for i, c in enumerate(order)}
        first, entries = [0], []
        for e in rows:
            entries += [number[c] for c in self.columns[e] if c in number]
            first.append(len(entries))
        return decompose(len(rows), len(order), first, entries), rows, order

    def _solve_determined(self, d: Decomposition, rows: list[int], columns: list[Column]) -> None:
        """Append the over- and well-determined blocks; the under-determined rest stays open."""
        open_ = set(columns)
        over = [r for r in d.over_rows.tolist() if not open_.isdisjoint(self.columns[rows[r]])]
        blocks = [(over, d.over_cols.tolist())] if len(d.over_cols) else []
        blocks += d.listed()
        for r, c in blocks:
            self._block([rows[i] for i in r], [columns[i] for i in c])
        self.open_rows = [rows[i] for i in d.under_rows.tolist()]
        self.open_columns = {columns[i] for i in d.under_cols.tolist()}

    def _block(self, rows: list[int], columns: list[Column]) -> None:
        bodies = tuple(sorted({b for b, _ in columns}))
        self.out.append(
            Step(DENSE, self.number, bodies, tuple(rows), len(columns), columns=tuple(columns))
        )

    def _lock_one(self) -> tuple[Decomposition, list[int], list[Column]] | None:
        """Place one body by its pair with a placed one; None where that would over-determine.

        Nearest to the root first, then most mates, then by `rank`, else smallest residual at the
        start, then farthest from the root: not the order in which the parts were named.
        """
        open_bodies = {b for b, _ in self.open_columns}
        for body, parent in self._candidates(open_bodies):
            self.watch.check()
            columns = {c for c in self.open_columns if c[0] == body}
            rows = [e for e in self.open_rows if not (set(self.ends[e]) & open_bodies - {body})]
            rest = [e for e in self.open_rows if e not in set(rows)]
            found = self._decompose(rest, self.open_columns - columns)
            if len(found[0].over_rows) == 0:
                self._lock(body, parent, rows, columns)
                self.open_rows = rest
                self.open_columns -= columns
                return found
        return None

    def _candidates(self, open_bodies: set[int]) -> list[tuple[int, int]]:
        """Bodies with a pair with a placed one, and that one; those to be locked first in front."""
        pairs, constraints = self.analyst.bodies.pairs, self.analyst.bodies.constraints
        mates = dict.fromkeys(open_bodies, 0)
        parent: dict[int, tuple[int, int]] = {}
        off: dict[int, float] = {}
        for p in self.component.pairs:
            a, b = pairs.bodies[p].tolist()
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

        def turn(b: int) -> tuple[float, ...]:
            first = (self.depth[b], -mates[b])
            if self.rank is not None:
                return (*first, self.rank[b])
            return (*first, round(off[b] / stop), -self._distance(b))

        return [(b, parent[b][1]) for b in sorted(parent, key=turn)]

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

    def _lock(self, body: int, parent: int, rows: list[int], columns: set[Column]) -> None:
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
        bodies, ordered = (body,), tuple(sorted(columns))
        self.out.append(
            Step(action, self.number, bodies, tuple(rows), count, parent, kind, *frames, ordered)
        )
