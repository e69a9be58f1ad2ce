"""Where a linkage of dyads exists, proved: every cell of the input is decided, or enclosed.

Cells are divided until every condition has a sign, or a rate of one sign.  In the latter the zero,
if there is one, is the only one: interval Newton steps enclose it, and the rest has a sign.  Beside
a zero points move with its square root: there cells are graded towards it.

Source: R. E. Moore and others, Introduction to Interval Analysis, SIAM 2009, sections 8.1 and 8.2;
docs/theory/dyads.md, 11.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundations.numerics.fixed_balls import FixedBall
from ...foundations.numerics.rounding import AGREEMENT, EPSILON, FAINT
from ...foundations.types import Array, Bools, Ints
from .driven_linkage import DrivenLinkage
from .enclosed_placement import Cells, FixedPlacement, TaylorPlacement, enclosed_conditions

FIRST_CELLS = 64
"""Cells into which the range of the input is divided first."""

PARTS = 4
"""Parts into which a cell that is not decided is divided."""

NARROWEST = 2.0**-26
"""Share of the range of the input below which a cell is not divided: a double zero is known to the
root of rounding only."""

MOST_CELLS = 2000
"""Most cells of a choice of signs that wait at once: more are of a condition that is 0 everywhere,
as in a linkage that moves only by its special lengths."""

OFFSET = 0.3819660112501051
"""Share of a cell by which cells are shifted: dead points are often at round values, which then lie
within cells."""

LEAST_MARGIN = 16.0
"""Roundings of the input that an enclosure is widened by: beside it a condition has a sign."""

MANY_ROUNDINGS = 16.0
"""Roundings of the input from which on an enclosure is narrowed with more digits."""

SHRINKS = 0.6
"""Share of its width to which a step has to reduce an enclosure, to be followed by another one."""

EXISTS, NOWHERE, ENDS, OPEN = range(4)
"""What is known of a cell: the linkage can be built all over it; nowhere; up to a zero of one
condition in it; nothing."""


@dataclass(frozen=True, eq=False)
class Existence:
    """What is known of one choice of signs all over the range of the input.

    Attributes:
        low, high: of the cells, in order, mm or degrees, (cells,); kind: one of the above.
        zeros: (zeros, 2): enclosures of the zeros of conditions, where there is one each.
        poles: likewise of those that the linkage passes through infinity.
        period: of the input, degrees; None where it does not turn.
    """

    low: Array
    high: Array
    kind: Ints
    zeros: Array
    poles: Array
    period: float | None

    def samples(self, kind: int) -> Array:
        """A value in the middle of every run of cells of a kind."""
        first, last = self._runs(kind)
        return 0.5 * (self.low[first] + self.high[last])

    def enclosed(self, value: float) -> tuple[float, float | None]:
        """How far from a value the middle of the zeros about it is, and they from that at most.

        0 and None where there is none.
        """
        zeros = self.zeros
        if self.period is not None:
            zeros = zeros + self.period * np.rint((value - zeros) / self.period)
        near = np.abs(zeros - value).max(axis=1, initial=0.0)
        near = zeros[near < AGREEMENT * (self.high[-1] - self.low[0])]
        if not len(near):
            return 0.0, None
        middle = 0.5 * float(near.min() + near.max())
        rounding = 4.0 * EPSILON * abs(middle)
        return middle - value, float(np.abs(near - middle).max()) + rounding

    def undecided(self, ends: Array) -> Array:
        """Where nothing is proved, but about ends of branches that were found; (intervals, 2)."""
        first, last = self._runs(OPEN)
        both = np.stack([self.low[first], self.high[last]], axis=1)
        whole = self.high[-1] - self.low[0]
        width = np.maximum(both[:, 1] - both[:, 0], AGREEMENT * whole)[:, None]
        off = self._distance(both.mean(axis=1)[:, None], ends)
        explained = (off <= width).any(axis=1) & (width[:, 0] <= FAINT * whole)
        out: Array = both[~explained]
        return out

    def _distance(self, one: Array, two: Array) -> Array:
        off: Array = np.abs(one - two)
        if self.period is None:
            return off
        out: Array = np.abs(off - self.period * np.rint(off / self.period))
        return out

    def _runs(self, kind: int) -> tuple[Ints, Ints]:
        """First and last cells of the runs of a kind."""
        padded = np.concatenate([[False], self.kind == kind, [False]]).astype(np.int8)
        change = np.diff(padded)
        return np.flatnonzero(change == 1), np.flatnonzero(change == -1) - 1


class ExistenceSearch:
    """The search over cells for several choices of signs at once."""

    def __init__(self, linkage: DrivenLinkage, choices: Ints) -> None:
        self.linkage, self.choices = linkage, choices
        self.found: list[tuple[Cells, int]] = []
        self.zeros: list[tuple[int, int, float, float]] = []
        self.passes = np.empty(0, bool)

    def run(self) -> list[Existence]:
        waiting = self._first_cells()
        while len(waiting.low) and len(waiting.low) <= MOST_CELLS * len(self.choices):
            self.linkage.watch.check()
            waiting = Cells.joined([waiting.take(slice(0)), *self._decided(waiting)])
        self._note(waiting, np.ones(len(waiting.low), bool), OPEN)
        cells = Cells.joined([c for c, _ in self.found])
        kind = np.repeat([k for _, k in self.found], [len(c.low) for c, _ in self.found])
        zeros = np.array(self.zeros).reshape(-1, 4)
        poles = self.passes[zeros[:, 1].astype(np.int64)]
        out = []
        for n in range(len(self.choices)):
            own = np.flatnonzero(cells.choice == n)
            own = own[np.argsort(cells.low[own], kind="stable")]
            here = zeros[:, 0] == n
            both = zeros[here & ~poles, 2:], zeros[here & poles, 2:]
            known = cells.low[own], cells.high[own], kind[own]
            out.append(Existence(*known, *both, self.linkage.period))
        return out

    def _first_cells(self) -> Cells:
        low, high = self.linkage.search_range
        width = (high - low) / FIRST_CELLS
        if self.linkage.period is not None:
            ends = low + width * (np.arange(FIRST_CELLS + 1) - OFFSET)
        else:
            inner = low + width * (np.arange(FIRST_CELLS) + OFFSET)
            ends = np.concatenate([[low], inner, [high]])
        n, m = len(self.choices), len(ends) - 1
        choice, none = np.repeat(np.arange(n), m), np.full(n * m, -1)
        return Cells(np.tile(ends[:-1], n), np.tile(ends[1:], n), choice, none)

    def _placed(self, cells: Cells) -> TaylorPlacement:
        placed = TaylorPlacement(self.linkage, cells, self.choices[cells.choice])
        self.passes = np.array([c.passes for c in placed.conditions], bool)
        return placed

    def _decided(self, cells: Cells) -> list[Cells]:
        """Note the cells that are decided; the parts of the others."""
        placed, k = self._placed(cells), np.arange(len(cells.low))
        value = np.array([c.model.value for c in placed.conditions]).reshape(-1, len(k))
        reach = np.array([c.model.reach for c in placed.conditions]).reshape(-1, len(k))
        value = np.where(self.passes[:, None], np.abs(value), value)
        passed = (value > reach) | (np.arange(len(value))[:, None] == cells.touching)
        first = np.argmin(passed, axis=0) if len(passed) else np.zeros(len(k), np.int64)
        exists, touching = passed.all(axis=0), cells.touching >= 0
        self._note(cells, exists & ~touching, EXISTS)
        self._note(cells, exists & touching, ENDS)
        if exists.all():
            return []
        nowhere = ~exists & (value[first, k] < -reach[first, k])
        self._note(cells, nowhere, NOWHERE)
        left = ~exists & ~nowhere
        self._note(cells, left & touching, OPEN)
        left &= ~touching
        _, _, rate, spread = enclosed_conditions(placed, first)
        monotone = left & (np.abs(rate) > spread)
        parts = self._parts(cells, left & ~monotone)
        return [parts, *self._around_zeros(cells.take(monotone), first[monotone])]

    def _note(self, cells: Cells, which: Bools, kind: int) -> None:
        if which.any():
            self.found.append((cells.take(which), kind))

    def _parts(self, cells: Cells, which: Bools) -> Cells:
        """The parts of some cells; those that are narrow enough are left open."""
        width = cells.high - cells.low
        narrow = which & (width < NARROWEST * self.linkage.search_width)
        self._note(cells, narrow, OPEN)
        rest = cells.take(which & ~narrow)
        share = np.linspace(0.0, 1.0, PARTS + 1)
        ends = rest.low[:, None] + share * (rest.high - rest.low)[:, None]
        ends[:, -1] = rest.high
        choice, touching = np.repeat(rest.choice, PARTS), np.repeat(rest.touching, PARTS)
        return Cells(ends[:, :-1].ravel(), ends[:, 1:].ravel(), choice, touching)

    # ------------------------------------------------------------------ zeros
    def _around_zeros(self, cells: Cells, condition: Ints) -> list[Cells]:
        """What is beside the zeros of conditions that rise or fall all over their cells."""
        if not len(cells.low):
            return []
        low, high = self._zeros(cells, condition)
        least = LEAST_MARGIN * EPSILON * (np.abs(cells.low) + np.abs(cells.high))
        margin = 4.0 * (high - low) + least
        near, far = np.fmax(cells.low, low - margin), np.fmin(cells.high, high + margin)
        before, after = self._signs(cells, condition, near), self._signs(cells, condition, far)
        middle = self._signs(cells, condition, 0.5 * (cells.low + cells.high))
        zero = low <= high
        proved = zero & (before * after < 0.0)
        nowhere = ~zero & (middle < 0.0) & ~self.passes[condition]
        self._note(cells, nowhere, NOWHERE)
        waiting = [self._parts(cells, ~proved & ~nowhere)]
        for k in np.flatnonzero(proved).tolist():
            choice, number = int(cells.choice[k]), int(condition[k])
            cell, known = cells.take(slice(k, k + 1)), (float(low[k]), float(high[k]))
            known = self._to_more_digits(cell, number, *known)
            self.zeros.append((choice, number, *known))
            waiting.append(_cells(near[[k]], far[[k]], choice, number))
            sides = (before[k], near[k], cells.low[k]), (after[k], far[k], cells.high[k])
            for sign, start, end in sides:
                if sign > 0.0 or self.passes[number]:
                    waiting.append(_graded(float(start), float(end), float(margin[k]), choice))
                else:
                    both = np.sort([start, end])
                    side = _cells(both[:1], both[1:], choice, -1)
                    self._note(side, np.ones(1, bool), NOWHERE)
        return waiting

    def _zeros(self, cells: Cells, condition: Ints) -> tuple[Array, Array]:
        """Where a zero of a condition can be, by interval Newton steps; low > high: nowhere."""
        low, high = cells.low.copy(), cells.high.copy()
        active = np.arange(len(low))
        while len(active):
            now = cells.take(active)._replace(low=low[active], high=high[active])
            number, middle = condition[active], 0.5 * (now.low + now.high)
            _, _, rate, spread = enclosed_conditions(self._placed(now), number)
            value, error = self._values(now, number, middle)
            half = 0.5 * (now.high - now.low)
            ends = [
                -half * (value + i * error) / (rate + j * spread) for i in (-1, 1) for j in (-1, 1)
            ]
            wide = 4.0 * EPSILON * (np.abs(middle) + half)
            low[active] = np.fmax(now.low, middle + np.min(ends, axis=0) - wide)
            high[active] = np.fmin(now.high, middle + np.max(ends, axis=0) + wide)
            width = high[active] - low[active]
            active = active[(width >= 0.0) & (width < SHRINKS * 2.0 * half)]
        return low, high

    def _values(self, cells: Cells, condition: Ints, at: Array) -> tuple[Array, Array]:
        """Values of conditions at single inputs, with the bounds of their errors."""
        placed = self._placed(cells._replace(low=at, high=at))
        value, reach, _, _ = enclosed_conditions(placed, condition)
        return value, reach

    def _to_more_digits(
        self, cell: Cells, number: int, low: float, high: float
    ) -> tuple[float, float]:
        """A narrower enclosure of the only zero of a condition in a cell, by its signs."""
        rounding = EPSILON * (abs(low) + abs(high))
        if high - low < MANY_ROUNDINGS * rounding:
            return low, high
        one, two = (self._to_many_digits(cell, number, x) for x in (low, high))
        if one is None or two is None or one.sign * two.sign >= 0:
            return low, high
        near = low + (high - low) * (float(one) / (float(one) - float(two)))
        both = max(low, near - 4.0 * rounding), min(high, near + 4.0 * rounding)
        signs = [x.sign for y in both if (x := self._to_many_digits(cell, number, y)) is not None]
        known = signs in ([1, -1], [-1, 1])
        return both if known else (low, high)

    def _to_many_digits(self, cell: Cells, number: int, at: float) -> FixedBall | None:
        """A condition at a value of the input; None where it cannot be built so far."""
        here = cell._replace(low=np.array([at]), high=np.array([at]))
        placed = FixedPlacement(self.linkage, here, self.choices[cell.choice])
        return placed.conditions[number].model if number < len(placed.conditions) else None

    def _signs(self, cells: Cells, condition: Ints, at: Array) -> Array:
        """Their signs, 0 where rounding decides."""
        value, error = self._values(cells, condition, at)
        return np.where(np.abs(value) > error, np.sign(value), 0.0)


def _cells(low: Array, high: Array, choice: int, touching: int) -> Cells:
    n = len(low)
    return Cells(low, high, np.full(n, choice), np.full(n, touching))


def _graded(near: float, far: float, least: float, choice: int) -> Cells:
    """Cells from a zero to the end of its cell, each twice as wide as the one before it."""
    if near == far:
        return _cells(np.empty(0), np.empty(0), choice, -1)
    steps = max(1, int(np.ceil(np.log2(max(abs(far - near) / least, 2.0)))))
    ends = near + (far - near) * np.append(0.0, 2.0 ** np.arange(-steps, 1.0))
    ends[-1] = far
    both = np.sort(np.stack([ends[:-1], ends[1:]]), axis=0)
    return _cells(both[0], both[1], choice, -1)
