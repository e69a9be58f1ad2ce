"""The values of drivers over the states of a sweep, in runs in which none reverses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..foundations.types import Array, Ints
from ..model.laws.spline import smooth
from .prescribed_motion import quintic

FOLLOWS = 1e-9
"""Largest deviation of the interpolation between states from a law, relative to its range."""

SAME = 1e-9
"""Relative difference up to which successive values are the same."""

PART_STEPS = 100
"""Most steps of a run where the sweep can be interrupted between runs."""

TURN = 30.0
"""Largest rotation of a driver from state to state, degrees: so turns of joints are counted."""

HALVINGS = 10
"""Times that the interval between two states is halved to follow a law."""

JUMPS = 60
"""Times that an interval is halved to distinguish a jump from a steep rise."""

Law = Callable[[Array], tuple[Array, Array, Array]]
"""Value, first and second time derivative at some times."""


@dataclass(frozen=True, eq=False)
class SweepRun:
    """A part of a sweep in which no driver reverses.

    Attributes:
        states: numbers of its states, (n,), the first of which was reached before.
        t: their times in this run, (n,), s, increasing; laws: of each driver.
        backward: whether rates are reported for the other direction.
        silent: whether it only connects two states and reports neither.
    """

    states: Ints
    t: Array
    laws: Mapping[str, Law]
    backward: bool = False
    silent: bool = False


@dataclass(frozen=True, eq=False)
class Schedule:
    """The states of a sweep: their times and values, and the runs through them.

    Attributes:
        t: (states,), s; values: for each driver (states,), mm or degrees.
        again: (states,): the state that each one repeats, itself where it repeats none.
        hidden: number of intermediate states, at the end of the arrays.
    """

    t: Array
    values: Mapping[str, Array]
    runs: tuple[SweepRun, ...]
    again: Ints
    hidden: int = 0

    @property
    def span(self) -> tuple[float, float]:
        """First and last time, s."""
        return float(self.t[0]), float(self.t[len(self.t) - self.hidden - 1])

    def in_parts(self) -> Schedule:
        """The same with runs of no more than PIECE steps, between which a watch is looked at."""
        runs = []
        for run in self.runs:
            for k in range(0, max(len(run.t) - 1, 1), PART_STEPS):
                part = slice(k, k + PART_STEPS + 1)
                runs.append(replace(run, states=run.states[part], t=run.t[part]))
        return replace(self, runs=tuple(runs))


def linear(value: float, rate: float, begin: float) -> Law:
    """A law of constant rate: `value` at time `begin`."""

    def law(t: Array) -> tuple[Array, Array, Array]:
        return value + rate * (t - begin), np.full(len(t), rate), np.zeros(len(t))

    return law


def _smooth(t: Array, values: Array) -> Law:
    """A law through values at times: a straight line where they are on one, else a cubic spline."""
    slope = (values[-1] - values[0]) / (t[-1] - t[0])
    straight = values[0] + slope * (t - t[0])
    if np.abs(values - straight).max() <= 1e-12 * np.abs(values).max():
        return linear(float(values[0]), float(slope), float(t[0]))
    return smooth(t, values).jet


def together(values: Mapping[str, Array], speed: float, angles: Collection[str]) -> Schedule:
    """Drivers that go through their values at the same time, the first at a constant speed.

    Args:
        values: equally many for each driver, mm or degrees; speed: mm or degrees a second.
        angles: the drivers whose values are degrees.
    """
    return _in_short_turns(_paired(values, speed), angles)


def _in_short_turns(s: Schedule, angles: Collection[str]) -> Schedule:
    """A schedule with more states where drivers rotate by more than TURN."""
    parts = [_turns(run, angles) for run in s.runs]
    if not any(len(p) for p in parts):
        return s
    n, runs, more = len(s.t), [], []
    for run, between in zip(s.runs, parts, strict=True):
        every = np.concatenate([run.t, between])
        order = np.argsort(every, kind="stable")
        states = np.concatenate([run.states, n + np.arange(len(between))])
        runs.append(replace(run, states=states[order], t=every[order]))
        more.append((between, {name: run.laws[name](between)[0] for name in s.values}))
        n += len(between)
    t = np.concatenate([s.t, *(b for b, _ in more)])
    told = {name: np.concatenate([v, *(m[name] for _, m in more)]) for name, v in s.values.items()}
    again = np.concatenate([s.again, np.arange(len(s.t), n)])
    return Schedule(t, told, tuple(runs), again, n - len(s.t))


def _turns(run: SweepRun, angles: Collection[str]) -> Array:
    """Times between the states of a run, so that no driver turns by more than TURN in between."""
    parts = np.ones(max(len(run.t) - 1, 0), np.int64)
    for name in angles:
        turn = np.abs(np.diff(run.laws[name](run.t)[0]))
        parts = np.maximum(parts, np.ceil(turn / TURN - 1e-9).astype(np.int64))
    far = np.flatnonzero(parts > 1)
    spans = zip(run.t[far].tolist(), run.t[far + 1].tolist(), parts[far].tolist(), strict=True)
    return np.concatenate([np.linspace(a, b, k + 1)[1:-1] for a, b, k in spans] or [np.empty(0)])


def _paired(values: Mapping[str, Array], speed: float) -> Schedule:
    """The same without intermediate states."""
    names = list(values)
    every = np.stack([values[n] for n in names], axis=1)
    same = SAME * (1.0 + np.abs(every).max(axis=0))
    moved = np.concatenate([[True], np.any(np.abs(np.diff(every, axis=0)) > same, axis=1)])
    kept = np.flatnonzero(moved)
    again = kept[np.cumsum(moved) - 1]
    if len(kept) == 1:
        still = {
            n: linear(float(every[0, k]), speed if k == 0 else 0.0, 0.0)
            for k, n in enumerate(names)
        }
        alone = SweepRun(kept, np.zeros(1), still)
        return Schedule(np.zeros(len(every)), dict(values), (alone,), again)
    lead = int(np.argmax(np.ptp(every, axis=0) > 0.0))
    short = every[kept]
    steps = np.diff(short[:, lead])
    wait = np.abs(steps)
    wait[wait == 0.0] = np.abs(np.diff(short, axis=0)).max(axis=1)[wait == 0.0]
    t = np.concatenate([[0.0], np.cumsum(wait)]) / speed
    ends = [0, *(np.flatnonzero(np.sign(steps[1:]) != np.sign(steps[:-1])) + 1), len(kept) - 1]
    runs = []
    for first, last in pairwise(ends):
        if last > first:
            span = np.arange(first, last + 1)
            laws = {n: _smooth(t[span], short[span, k]) for k, n in enumerate(names)}
            runs.append(SweepRun(kept[span], t[span], laws))
    return Schedule(t[np.cumsum(moved) - 1], dict(values), tuple(runs), again)


def grid(values: Mapping[str, Array], speed: float, angles: Collection[str]) -> Schedule:
    """Every combination of the values of drivers; rates are those of the last driver alone.

    Every second row is traversed backward, so that every step is to a neighbour; `t` is that of a
    row.
    """
    names = list(values)
    sizes = [len(values[n]) for n in names]
    number = np.arange(int(np.prod(sizes))).reshape(sizes)
    index = np.indices(sizes).reshape(len(sizes), -1)
    told = {n: values[n][index[k]] for k, n in enumerate(names)}
    row = _paired({names[-1]: values[names[-1]]}, speed)
    runs: list[SweepRun] = []
    end: int | None = None
    for n, outer in enumerate(_snake(sizes[:-1])):
        states = number[outer]
        at = zip(names, outer, strict=False)
        fixed = {d: linear(float(values[d][k]), 0.0, 0.0) for d, k in at}
        enter = int(states[-1 if n % 2 else 0])
        if end is not None:
            runs.append(_between(told, end, enter))
        runs += _along(row, states, fixed, names[-1], bool(n % 2))
        end = int(states[0 if n % 2 else -1])
    again = number[..., row.again].ravel()
    t = np.tile(row.t, len(number.ravel()) // sizes[-1])
    return _in_short_turns(Schedule(t, told, tuple(runs), again), angles)


def _snake(sizes: list[int]) -> list[tuple[int, ...]]:
    """All index tuples, each a neighbour of the one before."""
    out: list[tuple[int, ...]] = [()]
    for size in sizes:
        rows = [[(*head, k) for k in range(size)] for head in out]
        out = [at for n, row in enumerate(rows) for at in (reversed(row) if n % 2 else row)]
    return out


def _between(told: Mapping[str, Array], start: int, end: int) -> SweepRun:
    """From one state of a grid to another, in one second."""
    laws = {n: linear(float(v[start]), float(v[end] - v[start]), 0.0) for n, v in told.items()}
    return SweepRun(np.array([start, end]), np.array([0.0, 1.0]), laws, silent=True)


def _along(
    row: Schedule, states: Ints, fixed: Mapping[str, Law], name: str, backward: bool
) -> list[SweepRun]:
    """The runs of one row of a grid; backward, from its end to its begin."""
    out = []
    for run in row.runs:
        law = run.laws[name]
        if not backward:
            out.append(SweepRun(states[run.states], run.t, {**fixed, name: law}))
            continue
        end = float(run.t[-1])
        turned = {**fixed, name: _reversed(law, end)}
        out.insert(0, SweepRun(states[run.states[::-1]], end - run.t[::-1], turned, True))
    return out


def _reversed(law: Law, end: float) -> Law:
    """A law reversed in time from `end` on."""

    def back(t: Array) -> tuple[Array, Array, Array]:
        value, rate, acceleration = law(end - t)
        return value, -rate, acceleration

    return back


def timed(
    laws: Mapping[str, Law], t: Array, angles: Collection[str], guides: Sequence[Law]
) -> Schedule:
    """Drivers that follow laws over time, through more states where they bend between those.

    Args:
        angles: the drivers whose values are degrees; guides: laws that are followed besides.
    """
    turning = [laws[n] for n in angles]
    between = _between_states((*laws.values(), *guides), turning, t)
    every = np.concatenate([t, between])
    order = np.argsort(every, kind="stable")
    values = {n: law(every)[0] for n, law in laws.items()}
    run = SweepRun(order, every[order], dict(laws))
    return Schedule(every, values, (run,), np.arange(len(every)), len(between))


def _between_states(laws: Sequence[Law], turning: Sequence[Law], t: Array) -> Array:
    """Times between others, so many that polynomials of degree five through all follow the laws.

    Those that are `turning` go by no more than TURN from one to the next.
    """
    out: list[Array] = []
    a, b = t[:-1], t[1:]
    for _ in range(HALVINGS):
        bad = np.zeros(len(a), bool)
        for law in laws:
            reach = float(np.ptp(np.concatenate([law(x)[0] for x in (t, *out, 0.5 * (a + b))])))
            for share in (0.3, 0.5, 0.8):
                way, *_ = between(law(a), law(b), b - a, share)
                miss = np.abs(way - law(a + share * (b - a))[0])
                bad |= miss > FOLLOWS * reach + 1e-9
        for law in turning:
            bad |= np.abs(law(b)[0] - law(a)[0]) > TURN
        if not bad.any():
            break
        middle = 0.5 * (a[bad] + b[bad])
        out.append(middle)
        a, b = np.concatenate([a[bad], middle]), np.concatenate([middle, b[bad]])
    return np.concatenate([*out, np.empty(0)])


def first_jump(law: Law, t: Array) -> tuple[float, float, float] | None:
    """The first jump of a law: time, and value before and after it; None where it has none.

    Args:
        t: increasing times, s; a law that jumps there and back between two of them is not caught.
    """
    a, b = t[:-1], t[1:]
    (va, ra, _), (vb, rb, _) = law(a), law(b)
    least = FOLLOWS * float(np.ptp(np.append(va, vb))) + 1e-9
    steep = np.abs(vb - va) > 2.0 * (b - a) * np.maximum(np.abs(ra), np.abs(rb)) + least
    a, b, va, vb = a[steep], b[steep], va[steep], vb[steep]
    for _ in range(JUMPS):
        middle = 0.5 * (a + b)
        vm = law(middle)[0]
        first = np.abs(vm - va) >= np.abs(vb - vm)
        a, va = np.where(first, a, middle), np.where(first, va, vm)
        b, vb = np.where(first, middle, b), np.where(first, vm, vb)
    found = np.flatnonzero(np.abs(vb - va) > least)
    return (float(b[found[0]]), float(va[found[0]]), float(vb[found[0]])) if len(found) else None


def between(
    start: tuple[Array, Array, Array], end: tuple[Array, Array, Array], h: Array | float, x: float
) -> tuple[Array, Array, Array]:
    """The polynomial of degree five between two values with their derivatives.

    Args:
        start, end: value, rate and acceleration; h: the time between them, s; x: 0 to 1.

    Returns:
        Value, rate and acceleration at x.
    """
    (a, da, dda), (b, db, ddb) = start, end
    value, rate, acc = quintic(a, h * da, h * h * dda, b, h * db, h * h * ddb, x)
    return value, rate / h, acc / (h * h)
