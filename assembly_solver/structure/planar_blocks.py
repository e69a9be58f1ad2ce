"""Taking a flat component apart, by matching and Dulmage-Mendelsohn, from its root outward.

What the placed bodies determine is solved block by block.  Where nothing is determined, the body
nearest to the root is placed by its own pair and held, so that the rest falls apart.
"""

from __future__ import annotations

import numpy as np

from ..equations.closed_form import align
from ..equations.table import PLANE, jacobian, residuals
from ..foundations.geometry.nearest_motion import FREE, GENERAL, PLANAR
from ..foundations.geometry.pose import compose_all
from ..foundations.graphs.dulmage_mendelsohn import Decomposition, decompose
from ..foundations.numerics.linear import independent_rows, pivoted_rank
from ..foundations.types import Array, Ints
from .incidence import bodies_of_each, slots
from .pair_analysis import PairAnalyst
from .planar import Projection
from .steps import ALIGN, DENSE, LARGEST_DENSE, PLACE_FLAT, SETTLE_FLAT, SPARSE, Component, Step

Column = tuple[int, int]
"""A body and one of its six unknowns."""


class FlatSteps:
    """Takes a flat component apart, from its root outward."""

    def __init__(
        self, maker: PairAnalyst, number: int, component: Component, projection: Projection
    ) -> None:
        self.maker, self.number, self.component = maker, number, component
        self.projection = projection
        self.poses = maker.bodies.start.copy()
        self.axes = np.eye(3)
        align(self.poses, projection.flat, maker.bodies.centre, maker.cloud, self.axes)
        self.ends = bodies_of_each(maker.table, projection.plane)
        """The bodies that each row in the plane reads."""
        self.rows_of_pair = self._independent()
        self.open_rows = [e for rows in self.rows_of_pair.values() for e in rows]
        self.open_columns = {(b, k) for b in component.bodies for k in PLANE.tolist()}
        self.depth = component.depths()
        self.out: list[Step] = []

    def _independent(self) -> dict[tuple[int, ...], list[int]]:
        """Rows in the plane of each pair, without those that follow from its others."""
        out: dict[tuple[int, ...], list[int]] = {}
        for e, ends in self.ends.items():
            out.setdefault(tuple(sorted(ends)), []).append(e)
        for ends, rows in out.items():
            if len(rows) > 1 and len(ends) == 2:
                a, b = ends
                moving = b if b != self.component.root else a
                j = self._jacobian(np.array(rows), moving)
                if pivoted_rank(j.copy(), 1e-9) < len(rows):
                    j = self._closed_jacobian(a if moving == b else b, moving, rows)
                    out[ends] = [rows[i] for i in independent_rows(j)]
        return out

    def _jacobian(self, rows: Ints, body: int, poses: Array | None = None) -> Array:
        m = self.maker
        slot = slots(m.bodies.count, [body], PLANE)
        j = np.empty((len(rows), 3))
        at = self.poses if poses is None else poses
        jacobian(m.table, at, rows, slot, self.axes, m.bodies.centre, m.system.length, j)
        return j

    def _closed_jacobian(self, still: int, moving: int, rows: list[int]) -> Array:
        pair = self.maker.analyse(
            np.array([still, moving]), np.array(rows), self.poses, self.axes, True
        )
        poses = self.poses.copy()
        poses[moving] = compose_all(poses[still][None], pair.relative)[0]
        return self._jacobian(np.array(rows), moving, poses)

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
        self, rows: list[int], columns: set[Column]
    ) -> tuple[Decomposition, list[int], list[Column]]:
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

    def _solve_determined(self, d: Decomposition, rows: list[int], columns: list[Column]) -> None:
        """Append the over- and well-determined blocks; keep the under-determined rest open."""
        empty = [r for r in d.over_rows.tolist() if not set(self._columns(rows[r])) & set(columns)]
        over = [r for r in d.over_rows.tolist() if r not in set(empty)]
        blocks = [(over, d.over_cols.tolist())] if len(d.over_cols) else []
        blocks += [(r.tolist(), c.tolist()) for r, c in d.blocks]
        for r, c in blocks:
            self._block([rows[i] for i in r], [columns[i] for i in c])
        self.open_rows = [rows[i] for i in d.under_rows.tolist()]
        self.open_columns = {columns[i] for i in d.under_cols.tolist()}

    def _columns(self, e: int) -> list[Column]:
        unknowns = (5,) if e in self.projection.spins else (0, 1, 5)
        return [(body, k) for body in self.ends[e] for k in unknowns]

    def _block(self, rows: list[int], columns: list[Column]) -> None:
        bodies = tuple(sorted({b for b, _ in columns}))
        self.out.append(
            Step(DENSE, self.number, bodies, tuple(rows), len(columns), columns=tuple(columns))
        )

    def _hold_one(self) -> tuple[Decomposition, list[int], list[Column]] | None:
        """Place one body by its pair with a placed one; None where that would bind too much.

        Nearest to the root first, then most mates, then least off at the start, then farthest out:
        geometry decides, not the order in which the parts were named.
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
        """Bodies that hang on a placed one, and that one, those to be held first in front."""
        pairs, promises = self.maker.bodies.pairs, self.maker.bodies.promises
        mates = dict.fromkeys(open_bodies, 0)
        parent: dict[int, tuple[int, int]] = {}
        off: dict[int, float] = {}
        for p in self.component.pairs:
            a, b = pairs.bodies[p].tolist()
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
        stop = self.maker.system.stop  # what is off by rounding is not off
        order = sorted(
            parent,
            key=lambda b: (self.depth[b], -mates[b], round(off[b] / stop), -self._distance(b)),
        )
        return [(b, parent[b][1]) for b in order]

    def _distance(self, body: int) -> float:
        """How far a body's centre starts from the root's, to a millionth of the length."""
        m = self.maker
        ends = [body, self.component.root]
        axes = m.bodies.start[ends, 3:].reshape(-1, 3, 3)
        shift = np.einsum("nk,nkr->nr", m.bodies.centre[ends], axes)
        one, two = m.bodies.start[ends, :3] + shift
        return round(float(np.linalg.norm(one - two)) / m.system.length, 6)

    def _hold(self, body: int, parent: int, own: list[int], columns: set[Column]) -> None:
        m = self.maker
        ends = {b for e in own for b in self.ends[e]} - {body}
        pair = None
        if len(columns) == 3 and len(ends) <= 1:  # one joint: with the body that its rows name
            parent = next(iter(ends), parent)
            pair = m.analyse(np.array([parent, body]), np.array(own), self.poses, self.axes, True)
        if pair is None or int(pair.kind[0]) == GENERAL or pair.gap[0] > m.system.tolerance:
            step = Step(
                SETTLE_FLAT,
                self.number,
                (body,),
                tuple(own),
                len(columns),
                parent,
                GENERAL,
                columns=tuple(sorted(columns)),
            )
        else:
            kind = int(pair.kind[0])
            step = Step(
                PLACE_FLAT,
                self.number,
                (body,),
                tuple(own),
                3,
                parent,
                PLANAR if kind == FREE else kind,
                pair.frame_a[0],
                pair.frame_b[0],
                tuple(sorted(columns)),
            )
        self.out.append(step)
