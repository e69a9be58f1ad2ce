"""All paths of solutions over a range of the input, with proof that there are no others.

As many solutions are enclosed at every input as there can be: in tubes, and two each in boxes about
dead points, where they meet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...foundations.numerics.homotopy import UNWATCHED
from ...foundations.numerics.rounding import EPSILON
from ...foundations.types import Array, Complexes, Ints
from ...foundations.watch import Watch
from .bilinear_forms import BilinearForms, NotProved
from .enclosed_paths import UP, Tubes, tubes
from .every_solution import every_solution
from .group_dead_points import GroupDeadPoint, dead_point_near

FIRST_STEP = 0.01
"""Half the width of the first cells, of a turn in rad or of the size."""

SHARE = 0.6
"""Width of a cell, of that at which its path would just be enclosed, by the last one."""

GROWS = 2.5
"""Most by which a cell is wider than the last one."""

LOOKED_FOR = 0.02
"""Half width of cells below which a dead point is looked for ahead."""

AHEAD = 200.0
"""How far ahead it may be, in half widths."""

NARROWEST = 2.0**-40
"""Half width of cells below which a path is not followed."""

MOST_WORK = 1400.0
"""Most work for all paths together, in steps of a few paths at once, of about 1.3 ms each."""

PATHS_IN_STEP = 16.0
"""How many more paths make a step take twice as long."""

LOOK_AHEAD = 1.0
"""Work of a search for a dead point, in steps."""


@dataclass(eq=False)
class SolutionPath:
    """One solution from where it begins to where it ends.

    Attributes:
        low: where it begins; begin, end: its dead points, None at the ends of the range.
        real: whether it is a position of the linkage.
        cells: that enclose it, in order.
    """

    low: float
    begin: GroupDeadPoint | None
    real: bool
    cells: list[Tubes] = field(default_factory=list)
    end: GroupDeadPoint | None = None

    def solutions(self, s: Array) -> Complexes:
        """About where it is at some inputs, ascending, (m, 2n)."""
        every = Tubes.joined(self.cells)
        cell = np.searchsorted(every.middle + every.half, s)
        out = every.take(np.minimum(cell, len(self.cells) - 1)).line(s)
        first, last = self.cells[0], self.cells[-1]
        at = float(first.middle[0] - first.half[0]), float(last.middle[0] + last.half[0])
        for point, own, edge in ((self.begin, first, at[0]), (self.end, last, at[1])):
            if point is not None:
                side = point.side(own.line(np.array([edge]))[0], edge - point.s)
                near = np.abs(s - point.s) < point.half
                out[near] = point.guess(s[near] - point.s, side)
        return out


def every_path(
    family: BilinearForms, low: float, high: float, watch: Watch = UNWATCHED
) -> list[SolutionPath]:
    """All paths, those that begin at the lower end of the range first.

    Raises:
        NotProved: where it is not proved that these are all; Stopped: the watch interrupted it.
    """
    return _Following(family, low, high).paths(watch)


class _Following:
    def __init__(self, family: BilinearForms, low: float, high: float) -> None:
        self.family, self.low, self.end = family, low, high
        self.points: list[GroupDeadPoint] = []
        self.waiting: dict[int, list[int]] = {}
        self.found: list[SolutionPath] = []
        none, x = np.empty((0, 2 * family.unknowns)), np.empty((0, 2 * family.unknowns), complex)
        self.heads = Tubes(np.empty(0), np.empty(0), x, x, none, none)
        self.step, self.goal, self.looked = np.empty(0), np.empty(0), np.empty(0)
        self.towards: list[int | None] = []
        self.passed: list[set[int]] = []
        self.work = 0.0

    def paths(self, watch: Watch) -> list[SolutionPath]:
        starts = every_solution(self.family, self.low, watch)
        s = np.full(len(starts), self.low)
        first = tubes(self.family, starts, s, np.zeros(len(s)))
        off = np.abs(first.x[:, None] - first.x[None]) - first.error[:, None] - first.error[None]
        apart = (off > 0.0).any(axis=2) | np.eye(len(off), dtype=bool)
        if not apart.all():
            raise NotProved("solutions in complex numbers are not told apart")
        self._begin(first, None)
        while self.work < MOST_WORK:
            on = np.flatnonzero(self.heads.middle < self.goal)
            if not len(on):
                break
            watch.check()
            self.work += 1.0 + len(on) / PATHS_IN_STEP
            self._advance(on)
        if not (self.heads.middle >= self.goal).all() or any(self.waiting.values()):
            raise NotProved("following all its solutions takes too long")
        return self.found

    def _begin(self, first: Tubes, point: GroupDeadPoint | None) -> None:
        """Begin paths at enclosed solutions."""
        if not (first.real | first.complex).all():
            raise self._lost(float(first.middle[0]))
        n, low = len(first.half), float(first.middle[0])
        self.heads = Tubes.joined([self.heads, first])
        self.step = np.append(self.step, np.full(n, FIRST_STEP if point is None else point.half))
        self.goal = np.append(self.goal, np.full(n, self.end))
        self.looked = np.append(self.looked, np.full(n, LOOKED_FOR))
        known = self.points.index(point) if point is not None else -1
        for real in first.real.tolist():
            self.found.append(SolutionPath(low, point, real))
            self.towards.append(None)
            self.passed.append({known})

    def _lost(self, s: float) -> NotProved:
        return NotProved("not all solutions are followed with proof", s)

    def _advance(self, on: Ints) -> None:
        """A cell further on some of the paths; heads are tubes of no width at their ends."""
        heads, goal = self.heads.take(on), self.goal[on]
        half = np.minimum(self.step[on], 0.5 * (goal - heads.middle))
        middle = heads.middle + half
        found = tubes(self.family, heads.line(middle), middle, half * UP)
        good = found.meet(heads, heads.middle)
        grow = np.clip(SHARE * np.sqrt(found.reach[:, 0] / found.error[:, 0]), 0.5, GROWS)
        cut = half < self.step[on]  # by the goal
        self.step[on] = np.where(good, np.where(cut, self.step[on], grow * half), 0.5 * half)
        for k, n in enumerate(on.tolist()):
            if good[k]:
                self._accept(n, found.take(np.array([k])))
            elif self.step[n] < NARROWEST:
                raise self._lost(float(self.heads.middle[n]))
            if self.step[n] < self.looked[n] and self.heads.middle[n] < self.goal[n]:
                self._look_ahead(n)

    def _accept(self, n: int, cell: Tubes) -> None:
        at = float(cell.middle[0] + cell.half[0] / UP)
        if self.goal[n] - at <= 8.0 * EPSILON * (1.0 + abs(at)):
            at = float(self.goal[n])
        self.found[n].cells.append(cell)
        self._stand(n, cell, at)
        if at == self.goal[n]:
            self._arrive(n)

    def _stand(self, n: int, cell: Tubes, at: float) -> None:
        """A path is followed up to an input in a cell."""
        self.heads.middle[n], self.heads.x[n] = at, cell.line(np.array([at]))[0]
        self.heads.rate[n], self.heads.error[n] = cell.rate[0], cell.error[0]
        self.heads.reach[n] = cell.reach[0]

    def _look_ahead(self, n: int) -> None:
        """Look for the dead point to which a path leads, and make it its goal."""
        self.looked[n] = 0.25 * self.step[n]
        self.work += LOOK_AHEAD
        s, x = float(self.heads.middle[n]), self.heads.x[n]
        path = self.found[n]
        point = dead_point_near(self.family, x, s, (path.low, self.end), self.points)
        if point is None or not s - point.half < point.s < s + AHEAD * self.step[n]:
            return
        if point not in self.points:
            self.points.append(point)
        number, entry = self.points.index(point), point.s - point.half
        if number in self.passed[n] or entry <= path.low:
            return
        if entry < s:
            cells = [c for c in path.cells if c.middle[0] - c.half[0] < entry]
            if not cells or not self._inside(point, cells[-1], entry):
                return
            path.cells = cells
            self._stand(n, cells[-1], entry)
        self.towards[n], self.goal[n] = number, entry
        if entry <= s:
            self._arrive(n)

    def _arrive(self, n: int) -> None:
        """A path has come to the end of the range, or to the box about a dead point."""
        path, number = self.found[n], self.towards[n]
        if number is None:
            return
        point = self.points[number]
        if not self._inside(point, path.cells[-1], float(self.goal[n])):
            self.towards[n], self.goal[n] = None, self.end
            self.passed[n].add(number)
            return
        path.end = point
        both = self.waiting.setdefault(number, [])
        both.append(n)
        if len(both) == 2:
            leaving = point.leaving()
            before = [self.found[k].real for k in both]
            if leaving is None or leaving.real.tolist() != [r != point.real for r in before]:
                raise self._lost(point.s)
            self.waiting[number] = []
            self._begin(leaving, point)

    def _inside(self, point: GroupDeadPoint, cell: Tubes, s: float) -> bool:
        """Whether the solution that a cell encloses is in the box about a dead point."""
        at = np.array([s])
        found = tubes(self.family, cell.line(at), at, np.zeros(1))
        return bool(found.meet(cell, at)[0] and point.holds(found, s)[0])
