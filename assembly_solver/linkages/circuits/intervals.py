"""Where a linkage exists for one choice of signs: intervals of its input, and what ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.bisection import edges
from ...foundations.types import Array, Ints
from ..plan.planning import GROUP, HELD, Step
from ..plan.program import AT
from .driven_linkage import Led, States
from .short_intervals import missed

SAMPLES = 720
"""Places at which an input is looked at first: every half degree of a turn.  What lies between two
of them is found where dyads of constant lengths can be built for so short only (`slivers`)."""

TOUCHES = 1e-6
"""Half chord beside its radius that is none at a change point: what rounding leaves of it."""

CLOSER = 16
"""Places in which a stretch about a least half chord is divided, time after time."""

ROUNDS = 12
"""Times that it is divided: to 1e-13 of it."""

ASIDE = np.array([-1.0, -0.7, -0.4, 0.4, 0.7, 1.0])
"""Places beside a change point from which it is computed, in distances to be chosen."""

BACK = 0.01 * np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0])
"""Places before a dead point of a group from which it is computed, in steps of the samples."""

NEAR_ENDS = np.array([1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10])
"""Distances of states beside an end, where points go fastest, in steps of the samples."""

DEAD_POINT, CHANGE_POINT, LIMIT = "dead point", "change point", "limit"
LOST, OPEN = "end of the branch", ""
"""What ends an interval; LOST where links that repeat what others say hold no further, OPEN where
nothing was found to end it."""


class Edge(NamedTuple):
    """One end of an interval.

    Attributes:
        value: of the input, mm or degrees; kind: one of the above.
        step: of the plan that cannot be built beyond it; None where there is none.
    """

    value: float
    kind: str
    step: Step | None = None


@dataclass(frozen=True, eq=False)
class Piece:
    """An interval of the input on which a linkage exists with one choice of signs.

    Attributes:
        signs: of the branches; at: values of the input, (states,), ascending; P: (points, 2,
            states), mm, the first and the last at the ends.
        ends: of the interval; none where it is a whole turn.
    """

    signs: Ints
    at: Array
    P: Array
    ends: tuple[Edge, ...]


Look = Callable[[Array], States]
"""The states at some values of the input, on one choice of signs and of solutions of groups."""


def pieces(led: Led, signs: Ints) -> Iterator[Piece]:
    """The intervals of one choice of signs, in the order of the input; without groups."""

    def look(values: Array) -> States:
        return led.states(signs, values)

    at = _samples(led, look)
    states, period = look(at), led.period
    if period is not None and states.valid.all():
        yield from turn(led, look, signs, np.append(at, at[0] + period))
        return
    if period is not None:  # a turn from where it does not exist to there
        first = int(np.argmin(states.valid))
        at = np.append(np.roll(at, -first), at[first])
        at[len(at) - 1 - first :] += period
        states = look(at)
    padded = np.concatenate([[False], states.valid, [False]]).astype(np.int8)
    firsts = np.flatnonzero(np.diff(padded) == 1)
    lasts = np.flatnonzero(np.diff(padded) == -1) - 1
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        low = edge(led, look, at[first], at[first - 1] if first > 0 else None)
        high = edge(led, look, at[last], at[last + 1] if last + 1 < len(at) else None)
        yield from stretch(led, look, signs, low, at[first : last + 1], high)


def _samples(led: Led, look: Look) -> Array:
    """Values of the input to look at: a turn, or about those that can be built."""
    low, high = led.window
    if led.period is not None:
        at = led.here + led.period * np.arange(SAMPLES) / SAMPLES
        around = np.concatenate([at[-1:] - led.period, at, at[:1] + led.period])
        more = led.here + np.mod(missed(led, look, around) - led.here, led.period)
        return np.union1d(at, more)
    at = np.union1d(np.linspace(low, high, SAMPLES), [led.here])
    found = np.flatnonzero(look(at).valid)
    if len(found):
        low, high = at[max(found[0] - 1, 0)], at[min(found[-1] + 1, len(at) - 1)]
    at = np.union1d(np.linspace(low, high, SAMPLES), [led.here])
    return np.union1d(at, missed(led, look, at))


def turn(led: Led, look: Look, signs: Ints, at: Array) -> Iterator[Piece]:
    """Whole turns, cut where a dyad passes a dead point or, between samples, is lost.

    Args:
        at: samples, the last of which is the first again.
    """
    whole = float(at[-1] - at[0])
    around = np.concatenate([[at[-2] - whole], at, [at[1] + whole]])
    cuts = _cuts(led, look, around)
    if not cuts:
        yield Piece(signs, at, look(at).P, ())
        return
    first = cuts[0]
    inside = np.sort(first[1].value + np.mod(at[1:] - first[1].value, whole))
    last = first[0]._replace(value=first[0].value + whole)
    between = [c for c in cuts[1:] if c[1].value < last.value]
    yield from _divided(led, look, signs, inside, first[1], between, last)


def stretch(led: Led, look: Look, signs: Ints, low: Edge, at: Array, high: Edge) -> Iterator[Piece]:
    """A stretch of samples that exist, between its ends, cut where it has to be."""
    lost = [end.value for end in (low, high) if end.kind == LOST]
    cuts = _cuts(led, look, np.union1d(at, lost))
    yield from _divided(led, look, signs, at, low, cuts, high)


def _divided(
    led: Led,
    look: Look,
    signs: Ints,
    at: Array,
    low: Edge,
    cuts: list[tuple[Edge, Edge]],
    high: Edge,
) -> Iterator[Piece]:
    """The pieces between two ends and the cuts between them."""
    begins = [low, *(after for _, after in cuts)]
    ends = [*(before for before, _ in cuts), high]
    step = (led.window[1] - led.window[0]) / SAMPLES
    for begin, end in zip(begins, ends, strict=True):
        near = min(step, 0.5 * (end.value - begin.value)) * NEAR_ENDS
        inner = at[(at > begin.value) & (at < end.value)]
        both = np.array([begin.value, end.value])
        every = np.unique(np.concatenate([both, inner, both[0] + near, both[1] - near]))
        states = look(every)
        yield Piece(signs, every[states.valid], states.P[..., states.valid], (begin, end))


# ---------------------------------------------------------------------- ends
def edge(led: Led, look: Look, inside: float, outside: float | None) -> Edge:
    """The end between a value at which it exists and one at which it does not, if there is one."""
    if outside is None:
        return Edge(float(inside), OPEN)
    last, beyond = edges(lambda v: look(v).valid, np.array([inside]), np.array([outside]))
    operation, value = int(look(beyond).failed[0]) - 1, float(last[0])
    if operation < 0:
        return Edge(value, LOST)
    step = led.step_of(operation)
    if step.kind == HELD:
        return Edge(_limit(led, look, operation, inside, value), LIMIT, step)
    if step.kind == GROUP:
        value = _turning_back(led, look, step.branch, value, inside)
    return Edge(value, DEAD_POINT, step)


def _turning_back(led: Led, look: Look, number: int, value: float, inside: float) -> float:
    """The dead point of a group, close to which it is not known well, from determinants aside.

    The input is a smooth function of the determinant, not the other way round: there it turns back.
    """
    low, high = led.window
    way = float(np.copysign((high - low) / SAMPLES, inside - value))
    at = value + way * BACK
    states = look(at)
    if not states.valid.all():
        return value
    group = led.group_of(number)
    room = np.array([led.determinant(group, at[k], states.P[..., k]) for k in range(len(at))])
    off = float(np.polynomial.polynomial.polyfit(room / room.max(), BACK, 5)[0])
    return value + way * off if abs(off) < BACK[0] else value


def _limit(led: Led, look: Look, operation: int, inside: float, last: float) -> float:
    """Where a point comes to the end of its slot, from the little past it that counts as within."""
    program = led.planned.program
    q, p, r = program.code[operation, AT : AT + 3]
    bounds = program.numbers[operation, :2]
    values = np.array([last + 1e-4 * (inside - last), last])
    P = look(values).P
    along = P[r] - P[p]
    way = np.sum((P[q] - P[p]) * along, axis=0) / np.hypot(*along)
    bound = bounds[int(np.nanargmin(np.abs(bounds - way[1])))]
    slope = (way[1] - way[0]) / (values[1] - values[0])
    return float(last - (way[1] - bound) / slope) if slope != 0.0 else last


# ---------------------------------------------------------------------- between two samples
def _cuts(led: Led, look: Look, at: Array) -> list[tuple[Edge, Edge]]:
    """Where dyads pass dead points between samples, or are lost for less than a step.

    Args:
        at: successive values at which it exists.
    """
    found: list[tuple[Edge, Edge]] = []
    for number, own in enumerate(np.square(look(at).room)):
        least = (own[1:-1] <= own[:-2]) & (own[1:-1] < own[2:])
        likely = own[1:-1] < 0.5 * np.maximum(own[:-2], own[2:])
        for k in (1 + np.flatnonzero(least & likely)).tolist():
            cut = _cut(led, look, number, float(at[k - 1]), float(at[k + 1]))
            if cut is not None:
                found.append(cut)
    found.sort(key=lambda c: c[0].value)
    near = 1e-9 * (led.window[1] - led.window[0])
    return [c for n, c in enumerate(found) if n == 0 or c[0].value > found[n - 1][1].value + near]


def _cut(led: Led, look: Look, number: int, first: float, last: float) -> tuple[Edge, Edge] | None:
    """The end and the begin about the least half chord of a dyad in a stretch, if it is nought."""
    low, high = first, last
    for _ in range(ROUNDS):
        at = np.linspace(low, high, CLOSER + 1)
        states = look(at)
        lost = np.flatnonzero(~states.valid)
        if len(lost):
            out = float(at[lost[len(lost) // 2]])
            return edge(led, look, first, out), edge(led, look, last, out)
        k = int(np.argmin(states.room[number]))
        low, high = float(at[max(k - 1, 0)]), float(at[min(k + 1, CLOSER)])
    if not states.room[number, k] < TOUCHES:
        return None
    value = _crossing(look, number, float(at[k]), float(0.5 * min(at[k] - first, last - at[k])))
    step = next(s for s in led.planned.steps if s.branch == number)
    return Edge(value, CHANGE_POINT, step), Edge(value, CHANGE_POINT, step)


def _crossing(look: Look, number: int, near: float, aside: float) -> float:
    """Where the half chord would change its sign: by a polynomial through places aside.

    Close to that place rounding is all that is left of it.
    """
    if not aside > 0.0:
        return near
    room = look(near + aside * ASIDE).room[number]
    found = np.polynomial.polynomial.polyfit(ASIDE, np.sign(ASIDE) * room, 5)
    roots = np.roots(found[::-1])
    off = float(roots[np.argmin(np.abs(roots))].real) if len(roots) else 0.0
    return near + aside * off if abs(off) < 0.4 else near
