"""Driver values over the states of a sweep, in runs in which no driver reverses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..errors import BadValue
from ..foundations.numerics.rounding import AGREEMENT, ROUNDING
from ..foundations.types import Array, Ints
from ..model.laws.spline import smooth
from .prescribed_motion import quintic

PART_STEPS = 100
"""Most steps of a run of a sweep that can be interrupted (between runs)."""

TURN = 30.0
"""Largest rotation of a driver between states, degrees, so that turns can be counted."""

MOST_TURNS = 10_000
"""Most turns of a driver in one sweep."""

HALVINGS = 10
"""Most halvings of the interval between two states to fit a law."""

JUMPS = 60
"""Halvings of an interval that distinguish a jump from a steep rise."""

Law = Callable[[Array], tuple[Array, Array, Array]]
"""Value, rate and acceleration, (n,) each, at times (n,), s."""


@dataclass(frozen=True, eq=False)
class SweepRun:
    """A part of a sweep in which no driver reverses.

    Attributes:
        states: indices of its states, (n,); the first is the end of the run before.
        t: their times in this run, (n,), s, increasing; laws: by driver.
        backward: whether reported rates have the opposite sign.
        silent: whether it only connects two states; the last alone is recorded.
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
        again: (states,), index of the state that each one repeats, or its own index.
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
        """The same with runs of at most PART_STEPS steps, to be interrupted between them."""
        runs = []
        for run in self.runs:
            for k in range(0, max(len(run.t) - 1, 1), PART_STEPS):
                part = slice(k, k + PART_STEPS + 1)
                runs.append(replace(run, states=run.states[part], t=run.t[part]))
        return replace(self, runs=tuple(runs))


def linear(value: float, rate: float, begin: float) -> Law:
    """A law of constant rate, `value` at `begin`, s."""

    def law(t: Array) -> tuple[Array, Array, Array]:
        return value + rate * (t - begin), np.full(len(t), rate), np.zeros(len(t))

    return law


def _smooth(t: Array, values: Array) -> Law:
    """A law through values at times: linear where they are collinear, else a cubic spline."""
    slope = (values[-1] - values[0]) / (t[-1] - t[0])
    straight = values[0] + slope * (t - t[0])
    if np.abs(values - straight).max() <= ROUNDING * np.abs(values).max():
        return linear(float(values[0]), float(slope), float(t[0]))
    return smooth(t, values).jet


def together(values: Mapping[str, Array], speed: float, angles: Collection[str]) -> Schedule:
    """Schedule of drivers that move together, the first that moves at a constant speed.

    Args:
        values: for each driver (states,), mm or degrees; speed: mm/s or degrees/s.
        angles: the drivers whose values are degrees.
    """
    return _in_short_turns(_paired(values, speed), angles)


def _in_short_turns(s: Schedule, angles: Collection[str]) -> Schedule:
    """A schedule with extra states where drivers rotate by more than TURN."""
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
    """Intermediate times of a run, so that no driver rotates by more than TURN in a step."""
    parts = np.ones(max(len(run.t) - 1, 0), np.int64)
    for name in angles:
        turn = np.abs(np.diff(run.laws[name](run.t)[0]))
        if not turn.sum() <= 360 * MOST_TURNS:
            told = f"{turn.sum() / 360:.6g} turns"
            raise BadValue(f"sweep.{name}", told, f"at most {MOST_TURNS} turns")
        parts = np.maximum(parts, np.ceil(turn / TURN - AGREEMENT).astype(np.int64))
    far = np.flatnonzero(parts > 1)
    spans = zip(run.t[far].tolist(), run.t[far + 1].tolist(), parts[far].tolist(), strict=True)
    return np.concatenate([np.linspace(a, b, k + 1)[1:-1] for a, b, k in spans] or [np.empty(0)])


def _paired(values: Mapping[str, Array], speed: float) -> Schedule:
    """`together` without intermediate states."""
    names = list(values)
    every = np.stack([values[n] for n in names], axis=1)
    same = AGREEMENT * (1.0 + np.abs(every).max(axis=0))
    moved = np.concatenate([[True], np.any(np.abs(np.diff(every, axis=0)) > same, axis=1)])
    kept = np.flatnonzero(moved)
    again = kept[np.cumsum(moved) - 1]
    if len(kept) == 1:
        rates = [speed, *[0.0] * (len(names) - 1)]
        first = zip(names, every[0].tolist(), rates, strict=True)
        alone = SweepRun(kept, np.zeros(1), {n: linear(v, rate, 0.0) for n, v, rate in first})
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
    """Every combination of driver values, (n,) each; rates are for the last driver alone.

    Every second row is reversed, so that every step is to a neighbour; `t` restarts in each row.
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
    """A silent run between two states of a grid, 1 s."""
    laws = {n: linear(float(v[start]), float(v[end] - v[start]), 0.0) for n, v in told.items()}
    return SweepRun(np.array([start, end]), np.array([0.0, 1.0]), laws, silent=True)


def _along(
    row: Schedule, states: Ints, fixed: Mapping[str, Law], name: str, backward: bool
) -> list[SweepRun]:
    """The runs of one row of a grid, reversed in time if `backward`."""
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
    """The law at the reversed time `end` - t."""

    def back(t: Array) -> tuple[Array, Array, Array]:
        value, rate, acceleration = law(end - t)
        return value, -rate, acceleration

    return back


def timed(
    laws: Mapping[str, Law], t: Array, angles: Collection[str], guides: Sequence[Law]
) -> Schedule:
    """Schedule of drivers with laws, with extra states where the laws are curved.

    Args:
        t: of the states, s; angles: the drivers in degrees; guides: further laws to resolve.
    """
    turning = [laws[n] for n in angles]
    between = _between_states((*laws.values(), *guides), turning, t)
    every = np.concatenate([t, between])
    order = np.argsort(every, kind="stable")
    values = {n: law(every)[0] for n, law in laws.items()}
    run = SweepRun(order, every[order], dict(laws))
    return Schedule(every, values, (run,), np.arange(len(every)), len(between))


def _between_states(laws: Sequence[Law], turning: Sequence[Law], t: Array) -> Array:
    """Intermediate times such that polynomials of degree five through all times fit the laws.

    Laws in `turning` change by at most TURN from one time to the next.
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
                bad |= miss > AGREEMENT * (reach + 1.0)
        for law in turning:
            bad |= np.abs(law(b)[0] - law(a)[0]) > TURN
        if not bad.any():
            break
        middle = 0.5 * (a[bad] + b[bad])
        out.append(middle)
        a, b = np.concatenate([a[bad], middle]), np.concatenate([middle, b[bad]])
    return np.concatenate([*out, np.empty(0)])


def first_jump(law: Law, t: Array) -> tuple[float, float, float] | None:
    """The first jump of a law: time, s, and values before and after it; None without a jump.

    Args:
        t: increasing times, s; a jump that reverses between two of them is not detected.
    """
    a, b = t[:-1], t[1:]
    (va, ra, _), (vb, rb, _) = law(a), law(b)
    least = AGREEMENT * (float(np.ptp(np.append(va, vb))) + 1.0)
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
        start, end: value, rate and acceleration; h: time between them, s; x: share, 0 to 1.

    Returns:
        Value, rate and acceleration at x.
    """
    (a, da, dda), (b, db, ddb) = start, end
    value, rate, acc = quintic(a, h * da, h * h * dda, b, h * db, h * h * ddb, x)
    return value, rate / h, acc / (h * h)
