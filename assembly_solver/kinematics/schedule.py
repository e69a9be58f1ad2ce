"""What drivers do over the states of a sweep, in runs that do not turn back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

Law = Callable[[Array], tuple[Array, Array, Array]]
"""Value, first and second time derivative at some times."""


@dataclass(frozen=True, eq=False)
class Run:
    """A stretch of a sweep along which no driver of it turns back at once.

    Attributes:
        states: numbers of the states it goes through, the first of which was reached before.
        t: their times on this stretch, s, increasing.
        laws: of each driver.
        backward: whether rates are to be told for the other direction.
        silent: whether it only leads from state to state, and tells nothing of them.
    """

    states: Ints
    t: Array
    laws: Mapping[str, Law]
    backward: bool = False
    silent: bool = False


@dataclass(frozen=True, eq=False)
class Schedule:
    """The states of a sweep: their times and values, and the runs that lead through them.

    Attributes:
        t: (states,), s; values: for each driver (states,), mm or degrees.
        again: (states,): the state that each one repeats, itself where it repeats none.
    """

    t: Array
    values: Mapping[str, Array]
    runs: tuple[Run, ...]
    again: Ints

    @property
    def span(self) -> tuple[float, float]:
        """First and last time, s."""
        return float(self.t[0]), float(self.t[-1])


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
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(t, values)

    def law(at: Array) -> tuple[Array, Array, Array]:
        return spline(at), spline(at, 1), spline(at, 2)

    return law


def paired(values: Mapping[str, Array], speed: float) -> Schedule:
    """Drivers that go through their values together, the first of them at a constant speed.

    Args:
        values: equally many for each driver, mm or degrees; speed: mm or degrees a second.
    """
    names = list(values)
    every = np.stack([values[n] for n in names], axis=1)
    if len(every) == 1:
        still = {n: linear(float(v[0]), speed if k == 0 else 0.0, 0.0)
                 for k, (n, v) in enumerate(values.items())}
        alone = np.array([0])
        return Schedule(np.zeros(1), dict(values), (Run(alone, np.zeros(1), still),), alone)
    lead = int(np.argmax(np.ptp(every, axis=0) > 0.0))
    moved = np.concatenate([[True], np.any(np.diff(every, axis=0) != 0.0, axis=1)])
    kept = np.flatnonzero(moved)
    again = kept[np.cumsum(moved) - 1]
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
            runs.append(Run(kept[span], t[span], laws))
    return Schedule(t[np.cumsum(moved) - 1], dict(values), tuple(runs), again)


def grid(values: Mapping[str, Array], speed: float) -> Schedule:
    """Every combination of the values of drivers; rates are those of the last driver alone.

    The way through the grid turns at the end of each row, so that every step is to a neighbour;
    `t` runs along each row.
    """
    names = list(values)
    sizes = [len(values[n]) for n in names]
    number = np.arange(int(np.prod(sizes))).reshape(sizes)
    index = np.indices(sizes).reshape(len(sizes), -1)
    told = {n: values[n][index[k]] for k, n in enumerate(names)}
    row = paired({names[-1]: values[names[-1]]}, speed)
    runs: list[Run] = []
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
    return Schedule(np.tile(row.t, len(number.ravel()) // sizes[-1]), told, tuple(runs), again)


def _snake(sizes: list[int]) -> list[tuple[int, ...]]:
    """All index tuples, each a neighbour of the one before."""
    out: list[tuple[int, ...]] = [()]
    for size in sizes:
        rows = [[(*head, k) for k in range(size)] for head in out]
        out = [at for n, row in enumerate(rows) for at in (reversed(row) if n % 2 else row)]
    return out


def _between(told: Mapping[str, Array], start: int, end: int) -> Run:
    """From one state of a grid to another, in one second."""
    laws = {n: linear(float(v[start]), float(v[end] - v[start]), 0.0) for n, v in told.items()}
    return Run(np.array([start, end]), np.array([0.0, 1.0]), laws, silent=True)


def _along(
    row: Schedule, states: Ints, fixed: Mapping[str, Law], name: str, backward: bool
) -> list[Run]:
    """The runs of one row of a grid; backward, from its end to its begin."""
    out = []
    for run in row.runs:
        law = run.laws[name]
        if not backward:
            out.append(Run(states[run.states], run.t, {**fixed, name: law}))
            continue
        end = float(run.t[-1])
        turned = {**fixed, name: _turned(law, end)}
        out.insert(0, Run(states[run.states[::-1]], end - run.t[::-1], turned, True))
    return out


def _turned(law: Law, end: float) -> Law:
    """A law run through backward from a time on."""

    def back(t: Array) -> tuple[Array, Array, Array]:
        value, rate, acceleration = law(end - t)
        return value, -rate, acceleration

    return back


def timed(laws: Mapping[str, Law], t: Array) -> Schedule:
    """Drivers that follow laws over time."""
    values = {n: law(t)[0] for n, law in laws.items()}
    states = np.arange(len(t))
    return Schedule(t, values, (Run(states, t, dict(laws)),), states)
