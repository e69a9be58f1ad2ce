"""Equal pairs: the same mates on the same features, wherever these are on the bodies.

The analysis of a pair does not depend on where its features are on either body, as long as their
arrangement is the same: a thousand bolts in a thousand holes are one analysis.
"""

from __future__ import annotations

import itertools

import numpy as np

from ..equations.table import EquationTable, residuals
from ..foundations.geometry.nearest_motion import GENERAL
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array, Ints
from .pairs import Pairs

GRID = 2.0**20 * ROUNDING
"""Size of the cells by which arrangements are compared, in units of the characteristic length and
rad: so wide that hardly two equal ones are in different cells."""


class EqualPairs:
    """Which pairs are equal, and how the results of one are copied to another.

    The markers of the table are in body coordinates, lengths and poses (bodies, 12) in mm.  For
    each pair `first` is the number of the first that is equal to it, which may be itself.
    """

    def __init__(self, table: EquationTable, start: Array, pairs: Pairs, length: float) -> None:
        self._table, self._start, self._pairs = table, start, pairs
        rows, count = pairs.rows, np.diff(pairs.first_row)
        n = table.term_measure[table.first_term[rows]]
        a, b = table.marker_a[n], table.marker_b[n]
        forward = table.marker_body[a] == np.repeat(pairs.bodies[:, 0], count)
        ends = [table.marker_frame[np.where(forward, *m)] for m in ((a, b), (b, a))]
        single = np.diff(table.first_term)[rows] == 1
        # an equation of several terms never equals another one
        axes, own = (table.axis_i[n], table.axis_j[n]), np.where(single, -1, rows)
        self._bases = [end[pairs.first_row[:-1]] for end in ends]
        arrangement = [
            compose_all(invert_all(np.repeat(base, count, axis=0)), end)
            for base, end in zip(self._bases, ends, strict=True)
        ]
        shape = np.concatenate(arrangement, axis=1)
        shape[:, [0, 1, 2, 12, 13, 14]] /= length
        reach = max(float(np.abs(f[:, :3]).max(initial=0.0)) for f in (*ends, start))
        self._rounding = ROUNDING * (length + reach)
        cells = np.round(shape / GRID) + 0.0  # + 0.0: the cell of -1e-20 is that of 0
        keys = np.column_stack([table.kind[n], *axes, forward, own, table.target[rows], cells])
        self.first = self._first_equal(keys, shape, self._rounding / length)

    def _first_equal(self, keys: Array, shape: Array, most: float) -> Ints:
        """The first pair in the same cells, if it differs by no more than rounding."""
        begin = self._pairs.first_row
        first_of: dict[bytes, int] = {}
        cuts = enumerate(itertools.pairwise(begin.tolist()))
        first = np.array(
            [first_of.setdefault(keys[x:y].tobytes(), k) for k, (x, y) in cuts], np.int64
        )
        number, count = np.arange(len(first)), np.diff(begin)
        like = np.arange(begin[-1]) + np.repeat(begin[first] - begin[number], count)
        difference = np.abs(shape - shape[like]).max(axis=1, initial=0.0)
        other = np.repeat(number, count)[difference > most]
        first[other] = other
        return first

    def copy_results(self, tolerance: float) -> Ints:
        """Copy the results of the first of equal pairs to the others.

        Returns the pairs that have to be analysed by themselves: those equal to a pair that is
        general or does not close, and those whose residual would grow by more than rounding.
        """
        p, number = self._pairs, np.arange(len(self.first))
        known = (p.kind[self.first] != GENERAL) & (p.gap[self.first] <= tolerance)
        copies = number[(self.first != number) & known]
        like = self.first[copies]
        on_a, on_b = (compose_all(base[copies], invert_all(base[like])) for base in self._bases)
        p.kind[copies], p.rank[copies] = p.kind[like], p.rank[like]
        p.frame_a[copies] = compose_all(on_a, p.frame_a[like])
        p.frame_b[copies] = compose_all(on_b, p.frame_b[like])
        p.relative[copies] = compose_all(compose_all(on_a, p.relative[like]), invert_all(on_b))
        self._measure(copies)
        off = p.gap[copies] > p.gap[like] + self._rounding
        return np.concatenate([number[(self.first != number) & ~known], copies[off]])

    def _measure(self, copies: Ints) -> None:
        """The largest residual of each pair at its relative pose, all of them in one table."""
        if len(copies) == 0:
            return
        t, p = self._table, self._pairs
        count = np.diff(p.first_row)[copies]
        of = np.repeat(np.arange(len(copies)), count)
        rows = np.concatenate([p.rows_of(n) for n in copies])
        term = t.first_term[rows]
        n, every = t.term_measure[term], np.arange(len(rows))
        a, b = t.marker_a[n], t.marker_b[n]
        swapped = (t.marker_body[a] != p.bodies[copies[of], 0]).astype(np.int64)
        poses = np.empty((2 * len(copies), 12))
        poses[0::2] = self._start[p.bodies[copies, 0]]
        poses[1::2] = compose_all(poses[0::2], p.relative[copies])
        copied = t._replace(
            marker_body=np.concatenate([2 * of + swapped, 2 * of + 1 - swapped]),
            marker_frame=t.marker_frame[np.concatenate([a, b])],
            kind=t.kind[n],
            axis_i=t.axis_i[n],
            axis_j=t.axis_j[n],
            marker_a=every,
            marker_b=every + len(rows),
            first_term=np.arange(len(rows) + 1),
            term_measure=every,
            coefficient=t.coefficient[term],
            reference=t.reference[term],
            target=t.target[rows],
            period=t.period[rows],
            weight=t.weight[rows],
        )
        off = np.empty(len(rows))
        residuals(copied, poses, every, off)
        p.gap[copies] = np.maximum.reduceat(np.abs(off), np.cumsum(count) - count)
