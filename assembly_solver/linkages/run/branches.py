"""All states of a linkage on one branch: signs are kept, and change where it passes through.

A sign tells which of two points a dyad takes.  Where both points become one and part again, at a
change point, the smooth motion goes over to the other sign: a parallelogram stays one, at any size
of step.  Such points are looked for between states too, and told.  Where the two points vanish, at
a dead point, states cannot be built until they are back, and the sign is kept.

Source: docs/theory/dyads.md, 7; docs/theory/motion.md, 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from ...foundations.jit import decorators
from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.types import Array, Ints
from ..plan.planning import Planned
from ..plan.program import Program
from .execution import run, run_straight

TOUCHES = 1e-6
"""Half chord beside its radius that is none: rounding leaves the root of 1e-16 and some more."""

ROUNDED = 1e-9
"""Part of a wide step by which the first state may be off the start: rounding, and no way."""

ZOOM, SAMPLES = 2, 17
"""Times that the surroundings of a small half chord are looked at, and places each time."""


@dataclass(frozen=True)
class Passing:
    """A change point that a motion passes.

    Attributes:
        branch: number of the sign that changes; state: the first one behind it.
        inputs: where, by the number of the actuator, degrees or mm.
    """

    branch: int
    state: int
    inputs: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Placed:
    """Points in all states.

    Attributes:
        V: (actuators, states), inputs; P: (points, 2, states), mm, NaN where it cannot be built.
        failed: (states,), 0 or 1 + number of the operation that cannot be built.
        sine: (branches, states), half chords beside their radius, with the sign of the branch.
        passings: change points on the way; signs: at the end of it.
    """

    V: Array
    P: Array
    failed: Ints
    sine: Array
    passings: tuple[Passing, ...]
    signs: Ints


def place(
    planned: Planned, V: Array, start: Array | None = None, shape: tuple[int, ...] = ()
) -> Placed:
    """Place a linkage in all states, on the branch on which it starts.

    Args:
        planned: the plan; V: (actuators, states), degrees or mm.
        start: (actuators,), inputs where it starts; at the first state without.
        shape: of a grid whose states are V in C order; else they follow one another.
    """
    way = _Way(planned)
    if len(shape) < 2 and not len(planned.program.group):
        placed = way.straight(V, start)
        if placed is not None:
            return placed
    ahead = way.approach(start, V)
    if len(shape) > 1:
        signs = planned.signs if ahead is None else way.along(planned.signs, ahead).signs
        return way.grid(V, signs, shape)
    if ahead is None:
        return way.along(planned.signs, V)
    return _behind(way.along(planned.signs, np.concatenate([ahead, V], axis=1)), ahead.shape[1])


def _behind(placed: Placed, first: int) -> Placed:
    """The states from one on."""
    passings = tuple(replace(p, state=p.state - first) for p in placed.passings if p.state > first)
    V, P, sine = (np.ascontiguousarray(x[..., first:]) for x in (placed.V, placed.P, placed.sine))
    return Placed(V, P, placed.failed[first:], sine, passings, placed.signs)


@borrowing
def first_touch(sine: Array, dyads: Ints, begin: int, found: Ints) -> bool:
    """The first state from `begin` on about which a half chord could be none.

    It is smaller than its neighbours, and they differ by more than is left of it.

    Args:
        sine: (branches, states); dyads: the branches that are looked at.
        found: (2,), written: branch and state.
    """
    states = sine.shape[1]
    for s in range(begin, states):
        for b in dyads:
            here = abs(sine[b, s])
            before = abs(sine[b, s - 1]) if s > 0 else here
            after = abs(sine[b, s + 1]) if s + 1 < states else here
            if here > before or here > after:
                continue
            if here <= max(before - here, after - here) or here <= TOUCHES:
                found[0], found[1] = b, s
                return True
    return False


@borrowing
def widest(V: Array, wide: Array) -> float:
    """The largest step of an input, in the steps that are wide."""
    out = 0.0
    for a in range(len(V)):
        for s in range(1, V.shape[1]):
            out = max(out, abs(V[a, s] - V[a, s - 1]) / wide[a])
    return out


@compiled
def passes_nothing(
    q: Program,
    V: Array,
    P: Array,
    at: Array,
    signs: Ints,
    failed: Ints,
    sine: Array,
    start: Array,
    wide: Array,
    dyads: Ints,
) -> bool:
    """Place all states with the same signs; whether no change point lies between or before them.

    Not known where inputs go wide steps.  Arguments as those of `run` and `first_touch`.

    Args:
        start: (actuators,), inputs where the linkage starts; wide: their wide steps.
    """
    found = np.zeros(2, np.int64)
    if widest(V, wide) > 1.0:
        return False
    ahead = 0.0
    for a in range(len(start)):
        ahead = max(ahead, abs(V[a, 0] - start[a]) / wide[a])
    n = int(np.ceil(ahead - ROUNDED))
    if n > 0:  # on the way there, and on to the next state
        more = min(2, V.shape[1])
        way = np.empty((len(V), n + more))
        for a in range(len(V)):
            for k in range(n):
                way[a, k] = start[a] + k / n * (V[a, 0] - start[a])
            for k in range(more):
                way[a, n + k] = V[a, k]
        across = np.empty((len(sine), n + more))
        ends = np.empty((len(P), 2, n + more))
        run_straight(q, way, ends, at, signs, np.empty(n + more, np.int64), across, 0, n + more)
        if first_touch(across, dyads, 0, found):
            return False
    run_straight(q, V, P, at, signs, failed, sine, 0, V.shape[1])
    return not first_touch(sine, dyads, 0, found)


@dataclass(eq=False)
class _Way:
    """Places the states of one plan."""

    planned: Planned

    def straight(self, V: Array, start: Array | None) -> Placed | None:
        """All states with the signs of the start, if they stay; None where that is not known."""
        p, s = self.planned, V.shape[1]
        V = np.ascontiguousarray(V, float)
        P, failed = np.empty((p.program.points, 2, s)), np.empty(s, np.int64)
        sine, at = np.empty((p.program.branches, s)), p.scheme.at
        begin = V[:, 0] if start is None else start
        with nullcontext() if decorators.ACTIVE else np.errstate(all="ignore"):
            stays = passes_nothing(
                p.program, V, P, at, p.signs, failed, sine, begin, p.wide, p.dyads
            )
        return Placed(V, P, failed, sine, (), p.signs) if stays else None

    def approach(self, start: Array | None, V: Array) -> Array | None:
        """Inputs from the start to the first state, (actuators, states); None where it is there."""
        if start is None or not len(self.planned.signs):
            return None
        wide = (V[:, 0] - start) / self.planned.wide
        steps = int(np.ceil(np.abs(wide).max(initial=0.0) - ROUNDED))
        if steps == 0:
            return None
        share = np.arange(steps) / steps
        out: Array = start[:, None] + share * (V[:, 0] - start)[:, None]
        return out

    def run(self, V: Array, signs: Ints) -> Placed:
        """The states with the same signs in all."""
        q, s = self.planned.program, V.shape[1]
        P, failed = np.empty((q.points, 2, s)), np.empty(s, np.int64)
        sine = np.empty((q.branches, s))
        run(q, V, P, self.planned.scheme.at, signs, failed, sine)
        return Placed(V, P, failed, sine, (), signs)

    def along(self, signs: Ints, V: Array) -> Placed:
        """The states one after the other, from one that has the signs."""
        if widest(V, self.planned.wide) > 1.0:
            return self._closely(signs, V)
        placed = self.run(V, signs)
        found = np.zeros(2, np.int64)
        if not first_touch(placed.sine, self.planned.dyads, 0, found):
            return placed
        return self._through(placed, found)

    def _closely(self, signs: Ints, V: Array) -> Placed:
        """The same, with states between that are not wide apart."""
        steps = np.abs(np.diff(V, axis=1)) / self.planned.wide[:, None]
        between = np.maximum(np.ceil(steps.max(axis=0)), 1.0).astype(np.int64)
        at = np.concatenate([[0], np.cumsum(between)])
        close = np.array([np.interp(np.arange(at[-1] + 1), at, row) for row in V])
        close[:, at] = V
        found = self.along(signs, close)
        passings = tuple(
            Passing(p.branch, int(np.searchsorted(at, p.state)), p.inputs) for p in found.passings
        )
        return Placed(
            V,
            np.ascontiguousarray(found.P[:, :, at]),
            found.failed[at],
            np.ascontiguousarray(found.sine[:, at]),
            passings,
            found.signs,
        )

    # ---------------------------------------------------------------- change points
    def _through(self, placed: Placed, found: Ints) -> Placed:
        """Go over to the other sign at each change point, first things first."""
        q, V = self.planned.program, placed.V
        signs, passings = placed.signs.copy(), list[Passing]()
        begin, done = 0, set[tuple[int, int]]()
        while first_touch(placed.sine, self.planned.dyads, begin, found):
            b, s = (int(v) for v in found)
            if (b, s) in done:
                begin = s + 1 if all((k, s) in done for k in self.planned.dyads.tolist()) else s
                placed.sine[b, s] = np.inf if begin == s else placed.sine[b, s]
                continue
            done.add((b, s))
            at = self._touch(V, signs, b, s)
            if at is None:
                placed.sine[b, s] = np.copysign(np.inf, placed.sine[b, s])
                continue
            first = int(np.floor(at)) + 1
            signs[b] = -signs[b]
            where = tuple(float(np.interp(at, np.arange(V.shape[1]), row)) for row in V)
            passings.append(Passing(b, first, where))
            run(q, V, placed.P, self.planned.scheme.at, signs, placed.failed, placed.sine, first)
            begin = max(first, s)
        return Placed(V, placed.P, placed.failed, placed.sine, tuple(passings), signs)

    def _touch(self, V: Array, signs: Ints, b: int, s: int) -> float | None:
        """Where about a state a half chord is none, as a number of a state; None if it is not."""
        low, high = float(max(s - 1, 0)), float(min(s + 1, V.shape[1] - 1))
        for _ in range(ZOOM):
            at = np.linspace(low, high, SAMPLES)
            h = np.abs(self._sine(V, signs, b, at))
            if np.isnan(h).any():
                return None
            k = int(np.argmin(h))
            low, high = float(at[max(k - 1, 0)]), float(at[min(k + 1, SAMPLES - 1)])
        at = np.linspace(low, high, SAMPLES)
        h = np.abs(self._sine(V, signs, b, at))
        k = int(np.argmin(h))
        if np.isnan(h).any() or k in (0, SAMPLES - 1):
            return None
        x = (at - at[k]) / (high - low)
        with_sign = np.where(np.arange(SAMPLES) < k, h, -h)
        with_sign[k] = 0.0
        rest = np.arange(SAMPLES) != k
        fit = np.polynomial.polynomial.polyfit(x[rest], with_sign[rest], 5)
        roots = np.polynomial.polynomial.polyroots(fit)
        root = float(roots[np.argmin(np.abs(roots))].real) if len(roots) else 0.0
        where = at[k] + root * (high - low)
        left = float(np.abs(self._sine(V, signs, b, np.array([where])))[0])
        return where if left <= TOUCHES else None

    def _sine(self, V: Array, signs: Ints, b: int, at: Array) -> Array:
        """A half chord between states."""
        numbers = np.arange(V.shape[1])
        between = np.array([np.interp(at, numbers, row) for row in V])
        out: Array = self.run(between, signs).sine[b]
        return out

    # ---------------------------------------------------------------- grids
    def grid(self, V: Array, signs: Ints, shape: tuple[int, ...]) -> Placed:
        """A grid of inputs: each line from the one that it begins on."""
        whole = self.run(V, signs)
        found = np.zeros(2, np.int64)
        if not first_touch(whole.sine, self.planned.dyads, 0, found):
            return whole
        numbers = np.arange(V.shape[1]).reshape(shape)
        at: dict[tuple[int, ...], Ints] = {(0,) * len(shape): signs}
        passings: list[Passing] = []
        for states, index in _lines(numbers):
            line = self.along(at[index[0]], np.ascontiguousarray(V[:, states]))
            whole.P[:, :, states], whole.failed[states] = line.P, line.failed
            whole.sine[:, states] = line.sine
            now = at[index[0]].copy()
            ahead = list(line.passings)
            for n, place_of in enumerate(index):
                while ahead and ahead[0].state <= n:
                    passed = ahead.pop(0)
                    now = now.copy()
                    now[passed.branch] *= -1
                    passings.append(Passing(passed.branch, int(states[n]), passed.inputs))
                at.setdefault(place_of, now)
        return Placed(V, whole.P, whole.failed, whole.sine, tuple(passings), signs)


def _lines(numbers: Ints) -> Iterator[tuple[Ints, list[tuple[int, ...]]]]:
    """The lines of a grid, each after one that goes through its first state: numbers and places."""
    shape = numbers.shape
    for axis in range(len(shape)):
        for before in product(*(range(n) for n in shape[:axis])):
            rest = (0,) * (len(shape) - axis - 1)
            index = [(*before, k, *rest) for k in range(shape[axis])]
            yield np.array([numbers[i] for i in index]), index
