"""All states of a linkage on one branch, with the signs of dyads changed at change points.

At a change point both points of a dyad coincide, and the smooth motion continues with the other
sign: a parallelogram stays a parallelogram, at any step size.  Past a dead point, where the two
points vanish, states cannot be built until they return, and the sign is retained.

Source: docs/theory/dyads.md, 7; docs/theory/motion.md, 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from ...foundations.jit.decorators import borrowing, compiled
from ...foundations.numerics.distinct import distinct
from ...foundations.numerics.rounding import AGREEMENT, FOURTH, ROOT
from ...foundations.types import Array, Ints
from ..plan.placement_program import PlacementProgram
from ..plan.planning import LinkagePlan
from .batches import StateArrays
from .execution import run, run_straight

ZERO_SINE = 64.0 * ROOT
"""Size of a sine of states that counts as 0 at a change point: known by its square, and more."""

START_ROUNDING = AGREEMENT
"""Part of a wide step by which the first state may differ from the start by rounding."""

SAME_CHANGE = FOURTH
"""Numbers of states within which a sign changes once: a zero by its square, and by a fit."""

ZOOM, SAMPLES = 2, 17
"""Times that the surroundings of a small half chord are refined, and values evaluated each time."""


@dataclass(frozen=True)
class ChangePoint:
    """A change point that a motion passes.

    Attributes:
        branch: number of the sign that changes; state: the first one past it.
        inputs: at the change point, by the number of the actuator, degrees or mm.
    """

    branch: int
    state: int
    inputs: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class PlacedStates:
    """Points in all states; V, P, failed and sine as in `StateArrays`.

    Attributes:
        change_points: that the motion passes; signs: (branches,), in the last state.
    """

    V: Array
    P: Array
    failed: Ints
    sine: Array
    change_points: tuple[ChangePoint, ...]
    signs: Ints


@dataclass(frozen=True, eq=False)
class SignsAlong:
    """The signs along a series of states.

    Attributes:
        first: (branches,), in the first state.
        changed: fractional numbers of states, and the branch that changes its sign there.
    """

    first: Ints
    changed: list[tuple[float, int]]

    @property
    def last(self) -> Ints:
        """The signs in the last state, (branches,)."""
        return self._past(len(self.changed))

    def _past(self, changes: int) -> Ints:
        out = self.first.copy()
        for _, branch in sorted(self.changed)[:changes]:
            out[branch] *= -1
        return out

    def changes(self, branch: int, at: float) -> bool:
        """Whether the sign of a branch changes there, within rounding of the place."""
        return any(b == branch and abs(x - at) < SAME_CHANGE for x, b in self.changed)

    def parts(self, at: Array) -> Iterator[tuple[slice, Ints]]:
        """Parts of some fractional numbers of states, ascending, and the signs in each."""
        past = np.searchsorted(sorted(x for x, _ in self.changed), at, side="right")
        for n in distinct(past).tolist():
            first, last = np.searchsorted(past, [n, n + 1])
            yield slice(int(first), int(last)), self._past(n)


def place_states(
    planned: LinkagePlan, V: Array, start: Array | None = None, shape: tuple[int, ...] = ()
) -> PlacedStates:
    """Compute all states of a linkage, on the branch on which it starts.

    Args:
        V: (actuators, states), degrees or mm.
        start: (actuators,), inputs where it starts; those of the first state by default.
        shape: of a grid whose states are V in C order; otherwise the states form a sequence.
    """
    placer = _StatePlacer(planned)
    if len(shape) < 2 and not len(planned.program.group):
        placed = placer.without_change(V, start)
        if placed is not None:
            return placed
    approach = placer.approach(start, V)
    if len(shape) > 1:
        signs = planned.signs if approach is None else placer.along(planned.signs, approach).signs
        return placer.grid(V, signs, shape)
    if approach is None:
        return placer.along(planned.signs, V)
    placed = placer.along(planned.signs, np.concatenate([approach, V], axis=1))
    first = approach.shape[1]
    changes = (replace(c, state=c.state - first) for c in placed.change_points if c.state > first)
    return _selected(placed, slice(first, None), changes)


def _selected(
    placed: PlacedStates, which: slice | Ints, changes: Iterable[ChangePoint]
) -> PlacedStates:
    """Some of the states, with their change points."""
    V, P, sine = (np.ascontiguousarray(x[..., which]) for x in (placed.V, placed.P, placed.sine))
    return PlacedStates(V, P, placed.failed[which], sine, tuple(changes), placed.signs)


@borrowing
def first_zero(sine: Array, dyads: Ints, begin: int, found: Ints) -> bool:
    """Find the first state from `begin` on near which a half chord may be 0.

    There it is smaller than at its neighbours, and they differ by more than its size.

    Args:
        sine: (branches, states); dyads: the branches that are searched.
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
            if here <= max(before - here, after - here) or here <= ZERO_SINE:
                found[0], found[1] = b, s
                return True
    return False


@borrowing
def widest_step(V: Array, wide: Array) -> float:
    """The largest step of an input, relative to its wide step, (actuators,) each."""
    out = 0.0
    for a in range(len(V)):
        for s in range(1, V.shape[1]):
            out = max(out, abs(V[a, s] - V[a, s - 1]) / wide[a])
    return out


@compiled
def run_without_change(
    q: PlacementProgram,
    states: StateArrays,
    at: Array,
    signs: Ints,
    start: Array,
    wide: Array,
    dyads: Ints,
) -> bool:
    """Compute all states with the same signs; whether no change point lies between or before them.

    False also where inputs take wide steps, for that is then not known.

    Args:
        at: (points, 2), mm, where the points start; signs: (branches,), there.
        start, wide: (actuators,), inputs there and their wide steps; dyads: that are searched.
    """
    found, V = np.zeros(2, np.int64), states.V
    if widest_step(V, wide) > 1.0:
        return False
    first = 0.0
    for a in range(len(start)):
        first = max(first, abs(V[a, 0] - start[a]) / wide[a])
    n = int(np.ceil(first - START_ROUNDING))
    if n > 0:  # from the start to the first state, and on to the next one
        more = min(2, V.shape[1])
        approach = np.empty((len(V), n + more))
        for a in range(len(V)):
            for k in range(n):
                approach[a, k] = start[a] + k / n * (V[a, 0] - start[a])
            for k in range(more):
                approach[a, n + k] = V[a, k]
        P, failed = np.empty((len(states.P), 2, n + more)), np.empty(n + more, np.int64)
        sine = np.empty((len(states.sine), n + more))
        run_straight(q, StateArrays(approach, P, failed, sine), at, signs, 0, n + more)
        if first_zero(sine, dyads, 0, found):
            return False
    run_straight(q, states, at, signs, 0, V.shape[1])
    return not first_zero(states.sine, dyads, 0, found)


@dataclass(eq=False)
class _StatePlacer:
    planned: LinkagePlan

    def empty(self, V: Array) -> StateArrays:
        """Room for the states of inputs, (actuators, states)."""
        q, n = self.planned.program, V.shape[1]
        P, failed = np.empty((q.points, 2, n)), np.empty(n, np.int64)
        return StateArrays(V, P, failed, np.empty((q.branches, n)))

    def first_zero(self, sine: Array, begin: int, found: Ints, dyads: Ints | None = None) -> bool:
        with np.errstate(all="ignore"):
            return first_zero(sine, self.planned.dyads if dyads is None else dyads, begin, found)

    def without_change(self, V: Array, start: Array | None) -> PlacedStates | None:
        """All states with the signs of the start, if these hold; None where that is not known."""
        p, states = self.planned, self.empty(np.ascontiguousarray(V, float))
        begin = states.V[:, 0] if start is None else start
        with np.errstate(all="ignore"):
            same = run_without_change(
                p.program, states, p.scheme.at, p.signs, begin, p.wide, p.dyads
            )
        return PlacedStates(*states, (), p.signs) if same else None

    def approach(self, start: Array | None, V: Array) -> Array | None:
        """Inputs from the start to the first state, (actuators, states); None where it is there."""
        if start is None or not len(self.planned.signs):
            return None
        wide = (V[:, 0] - start) / self.planned.wide
        steps = int(np.ceil(np.abs(wide).max(initial=0.0) - START_ROUNDING))
        if steps == 0:
            return None
        share = np.arange(steps) / steps
        out: Array = start[:, None] + share * (V[:, 0] - start)[:, None]
        return out

    def run(self, V: Array, signs: Ints) -> PlacedStates:
        states = self.empty(V)
        run(self.planned.program, states, self.planned.scheme.at, signs)
        return PlacedStates(*states, (), signs)

    def along(self, signs: Ints, V: Array) -> PlacedStates:
        """The states one after the other, from one that has the signs."""
        if widest_step(V, self.planned.wide) > 1.0:
            return self._refined(signs, V)
        placed = self.run(V, signs)
        found = np.zeros(2, np.int64)
        if not self.first_zero(placed.sine, 0, found):
            return placed
        return self._through_changes(placed, found)

    def _refined(self, signs: Ints, V: Array) -> PlacedStates:
        """The same, with intermediate states so that no step is wide."""
        steps = np.abs(np.diff(V, axis=1)) / self.planned.wide[:, None]
        between = np.maximum(np.ceil(steps.max(axis=0)), 1.0).astype(np.int64)
        at = np.concatenate([[0], np.cumsum(between)])
        close = np.array([np.interp(np.arange(at[-1] + 1), at, row) for row in V])
        close[:, at] = V
        found = self.along(signs, close)
        changes = (replace(c, state=int(np.searchsorted(at, c.state))) for c in found.change_points)
        return _selected(found, at, changes)

    # ---------------------------------------------------------------- change points
    def _through_changes(self, placed: PlacedStates, found: Ints) -> PlacedStates:
        """Change the sign at each change point in turn, and compute the states past it again."""
        q, V = self.planned.program, placed.V
        states = StateArrays(V, placed.P, placed.failed, placed.sine)
        signs, changes = SignsAlong(placed.signs, []), list[ChangePoint]()
        begin, dyads = 0, self.planned.dyads
        left = dyads  # to be looked at in the state `begin`: several may change there
        while self.first_zero(placed.sine, begin, found, left) or len(left) < len(dyads):
            b, s = (int(v) for v in found)
            if len(left) < len(dyads) and (s != begin or b not in left):
                begin, left = begin + 1, dyads
                continue
            begin, left = s, left[left != b]
            at = self._change_near(V, signs, b, s)
            if at is None or signs.changes(b, at):
                continue
            first = int(np.floor(at)) + 1
            signs.changed.append((at, b))
            where = tuple(float(np.interp(at, np.arange(V.shape[1]), row)) for row in V)
            changes.append(ChangePoint(b, first, where))
            run(q, states, self.planned.scheme.at, signs.last, first)
        return PlacedStates(V, placed.P, placed.failed, placed.sine, tuple(changes), signs.last)

    def _change_near(self, V: Array, signs: SignsAlong, b: int, s: int) -> float | None:
        """Where near a state a half chord is 0, as a fractional state number; None if it is not."""
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
        return where if left <= ZERO_SINE else None

    def _sine(self, V: Array, signs: SignsAlong, b: int, at: Array) -> Array:
        """The half chord of a branch at fractional state numbers, ascending."""
        numbers = np.arange(V.shape[1])
        between = np.array([np.interp(at, numbers, row) for row in V])
        out = np.empty(len(at))
        for own, chosen in signs.parts(at):
            out[own] = self.run(np.ascontiguousarray(between[:, own]), chosen).sine[b]
        return out

    # ---------------------------------------------------------------- grids
    def grid(self, V: Array, signs: Ints, shape: tuple[int, ...]) -> PlacedStates:
        """A grid of inputs: each line continues from the state that it begins at."""
        whole = self.run(V, signs)
        found = np.zeros(2, np.int64)
        if not self.first_zero(whole.sine, 0, found):
            return whole
        numbers = np.arange(V.shape[1]).reshape(shape)
        at: dict[tuple[int, ...], Ints] = {(0,) * len(shape): signs}
        changes: list[ChangePoint] = []
        for states, index in _lines(numbers):
            line = self.along(at[index[0]], np.ascontiguousarray(V[:, states]))
            whole.P[:, :, states], whole.failed[states] = line.P, line.failed
            whole.sine[:, states] = line.sine
            now = at[index[0]].copy()
            left = list(line.change_points)
            for n, position in enumerate(index):
                while left and left[0].state <= n:
                    passed = left.pop(0)
                    now = now.copy()
                    now[passed.branch] *= -1
                    changes.append(replace(passed, state=int(states[n])))
                at.setdefault(position, now)
        return PlacedStates(V, whole.P, whole.failed, whole.sine, tuple(changes), signs)


def _lines(numbers: Ints) -> Iterator[tuple[Ints, list[tuple[int, ...]]]]:
    """The lines of a grid, state numbers and indices, each after one through its first state."""
    shape = numbers.shape
    for axis in range(len(shape)):
        for before in product(*(range(n) for n in shape[:axis])):
            rest = (0,) * (len(shape) - axis - 1)
            index = [(*before, k, *rest) for k in range(shape[axis])]
            yield np.array([numbers[i] for i in index]), index
