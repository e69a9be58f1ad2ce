"""Intervals of the input of a linkage with groups, with proof that these are all.

The real paths of its equations, joined where a turn begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi

import numpy as np

from ...foundations.numerics.rounding import EPSILON, FAINT
from ...foundations.types import Array, Complexes, Ints
from ..plan.group_equations import ANGLE, KIND
from ..plan.placement_program import AT, BRANCH, CIRCLES, LINE_CIRCLE, SLIDES
from ..run.gradients import on_requested_side
from .bilinear_forms import BilinearForms, NotProved, bilinear_forms
from .driven_linkage import DrivenLinkage
from .enclosed_paths import Tubes, corrected
from .every_path import SolutionPath, every_path
from .group_dead_points import GroupDeadPoint
from .intervals import COARSE_STATES, DEAD_POINT, NEAR_ENDS, OPEN, Interval, IntervalEnd

BEGINS = 0.3819660112501051
"""Where the range of an input that turns begins, as a share of a turn past the start: dead points
are often at round values."""


def proved_intervals(linkage: DrivenLinkage) -> list[Interval]:
    """The intervals for all choices of signs.

    Raises:
        NotProved: where it is not proved that these are all; what was looked at is its reason.
        Stopped: the watch of the linkage interrupted it.
    """
    if linkage.planned.checked:
        raise NotProved("links repeat what others hold")
    return list(_Builder(linkage).intervals())


class _Builder:
    def __init__(self, linkage: DrivenLinkage) -> None:
        self.linkage, self.family = linkage, bilinear_forms(linkage)
        factor, offset = linkage.planned.program.inputs[linkage.number, :2].tolist()
        unit = 1.0 if self.family.turns else self.family.size
        self.factor, self.offset = factor / unit, offset / unit
        low, high = sorted(self._inner(v) for v in linkage.search_range)
        if self.family.turns:
            low = self._inner(linkage.start_value) + BEGINS * 2.0 * pi
            high = low + 2.0 * pi
        self.low, self.high = low, high

    def _inner(self, value: float) -> float:
        """The input of the equations, rad or a share of the size, at one of the linkage."""
        return float(self.factor * value + self.offset)

    def intervals(self) -> Iterator[Interval]:
        try:
            paths = every_path(self.family, self.low, self.high, self.linkage.watch)
        except NotProved as why:
            if why.at is None:
                raise
            where = f"{self.linkage.name} {(why.at - self.offset) / self.factor:.8g}"
            raise NotProved(f"past {where} {self.linkage.unit} {why}") from None
        for chain in _chains(paths, self.family, self.low, self.high):
            interval = self._interval(chain)
            if interval is not None:
                yield interval

    # ------------------------------------------------------------------ one interval
    def _interval(self, chain: list[SolutionPath]) -> Interval | None:
        """An interval of some paths in turn; None where an angle is half a turn off."""
        points = chain[0].begin, chain[-1].end
        turn = self.high - self.low
        low = self.low if points[0] is None else points[0].s
        high = (self.high if points[1] is None else points[1].s) + turn * (len(chain) - 1)
        at = self._inputs(low, high, points)
        P = self._positions(chain, self.factor * at + self.offset, points)
        if self.factor < 0.0:
            points = points[::-1]
        ends = tuple(map(self._end, points, (float(at[0]), float(at[-1]))))
        whole = self.family.turns and points == (None, None)
        middle = len(at) // 2
        if not self._as_asked(float(at[middle]), P[..., middle]):
            return None
        signs = self._signs(P[..., middle])
        return Interval(signs, at, P, () if whole else ends)

    def _inputs(self, low: float, high: float, points: tuple[GroupDeadPoint | None, ...]) -> Array:
        """Values of the linkage's input to evaluate, ascending."""
        first, last = sorted((v - self.offset) / self.factor for v in (low, high))
        step, start = self.linkage.search_width / COARSE_STATES, self.linkage.start_value
        grid = start + step * np.arange(np.ceil((first - start) / step), (last - start) / step)
        near = min(step, 0.5 * (last - first)) * NEAR_ENDS
        crowd = np.concatenate([first + near, last - near]) if any(points) else np.empty(0)
        inner = np.concatenate([grid, crowd])
        inner = inner[(inner > first) & (inner < last)]
        return np.unique(np.concatenate([[first], inner, [last]]))

    def _positions(
        self, chain: list[SolutionPath], s: Array, points: tuple[GroupDeadPoint | None, ...]
    ) -> Array:
        """All points at inputs of the equations, (points, 2, inputs), mm."""
        order = np.argsort(s, kind="stable")
        x = np.empty((len(s), 2 * self.family.unknowns), complex)
        turn = self.high - self.low
        lap = np.clip(np.floor((s - self.low) / turn), 0, len(chain) - 1).astype(np.int64)
        for k, path in enumerate(chain):
            own = order[lap[order] == k]
            x[own] = path.solutions(s[own] - k * turn)
        x = corrected(self.family, x, s)
        for point, k in zip(points, (order[0], order[-1]), strict=True):
            if point is not None:
                x[k] = point.x
        return self.family.positions(s, x)

    def _end(self, point: GroupDeadPoint | None, value: float) -> IntervalEnd:
        if point is None:
            return IntervalEnd(value, OPEN)
        n = self.family.unknowns
        size = np.abs(point.frame[:, 0])
        moves = np.maximum(size[:n], size[n:]) > FAINT * size.max()
        operation = next(b.operation for b in self.family.blocks if moves[[*b.unknowns]].any())
        rounding = 4.0 * EPSILON * (abs(point.s) + abs(self.offset) + abs(self.factor * value))
        off, within = point.off / self.factor, (point.within + rounding) / abs(self.factor)
        return IntervalEnd(value, DEAD_POINT, self.linkage.planned.step_of(operation), off, within)

    # ------------------------------------------------------------------ signs
    def _as_asked(self, value: float, P: Array) -> bool:
        """Whether driven angles have their values, not half a turn from them."""
        q, values = self.linkage.planned.program, self.linkage.values(value)
        for first, _, last, begin, end in q.group.tolist():
            at = np.ascontiguousarray(P[q.member[first:last]])
            for row, given in zip(q.equation[begin:end], q.given[begin:end], strict=True):
                if row[KIND] == ANGLE and not on_requested_side(row, given, at, values):
                    return False
        return True

    def _signs(self, P: Array) -> Ints:
        """The signs of the dyads at a position; those of groups are as drawn."""
        q, out = self.linkage.planned.program, self.linkage.planned.signs.copy()
        z: Complexes = P @ np.array([1.0, 1j])
        for o, row in enumerate(q.code):
            at = row[AT:].tolist()
            p = int(q.written[row[1]]) if row[1] < row[2] else 0
            if row[0] == CIRCLES:
                side = ((z[p] - z[at[0]]) * np.conj(z[at[1]] - z[at[0]])).imag
            elif row[0] == LINE_CIRCLE:
                side = ((z[p] - z[at[0]]) * np.conj(z[at[2]] - z[at[1]])).real
            elif row[0] == SLIDES:
                side = self._slide_side(o, z)
            else:
                continue
            out[row[BRANCH]] = 1 if side > 0.0 else -1
        return out

    def _slide_side(self, o: int, z: Complexes) -> float:
        """Whether a slide points along the line of its pins, or against it."""
        q = self.linkage.planned.program
        row, by = q.code[o], q.numbers[o]
        ends = z[row[AT : AT + 2]]
        written = q.written[row[1] : row[2]]
        for k, pin in enumerate(ends[: len(written)]):
            arm = complex(by[1 + 2 * k], by[2 + 2 * k])
            if arm != 0.0:
                return float(((z[written[k]] - pin) / arm * np.conj(ends[1] - ends[0])).real)
        return 1.0


def _chains(
    paths: list[SolutionPath], family: BilinearForms, low: float, high: float
) -> Iterator[list[SolutionPath]]:
    """The real paths, those of successive turns joined; a closed chain begins anywhere."""
    after: dict[int, int] = {}
    if family.turns:
        first = [k for k, p in enumerate(paths) if p.begin is None]
        last = [k for k, p in enumerate(paths) if p.end is None]
        starts = Tubes.joined([paths[k].cells[0] for k in first])
        turn = np.full(len(first), high - low)
        starts = starts._replace(middle=starts.middle + turn)
        for k in last:
            ending = paths[k].cells[-1]
            own = np.flatnonzero(starts.meet(ending, np.full(len(first), high)))
            if len(own) != 1:
                raise NotProved("its paths do not close")
            after[k] = first[own[0]]
        if len(set(after.values())) < len(first):
            raise NotProved("its paths do not close")
    followed = set(after.values())
    begins = [k for k in range(len(paths)) if k not in followed]
    left = {k for k, p in enumerate(paths) if p.real}
    for k in [*begins, *range(len(paths))]:
        chain = []
        while k in left:
            left.remove(k)
            chain.append(paths[k])
            k = after.get(k, -1)
        if chain:
            yield chain
