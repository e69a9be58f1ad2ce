"""Intervals of the input on which a linkage exists for one choice of signs, and what ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.bisection import edge
from ...foundations.numerics.rounding import AGREEMENT, FAINT, FOURTH
from ...foundations.types import Array, Bools, Ints
from ..plan.placement_program import AT
from ..plan.planning import GROUP, SLOT_WITH_ENDS, PlacementStep
from ..run.branches import ZERO_SINE
from .driven_linkage import SAME_VALUE, ChosenStates, DrivenLinkage, InputStates
from .existence import EXISTS, NOWHERE, Existence

COARSE_STATES = 720
"""Values of the input that are evaluated first, besides those that are known to matter: every half
degree of a turn."""

DIVISIONS = 16
"""Parts into which the surroundings of a least half chord are divided, repeatedly."""

ROUNDS = 12
"""Number of divisions: to 1e-13 of the first interval."""

END_DIVISIONS = 64
"""Parts into which an interval with an end is divided, repeatedly: as many states cost about as
little as one."""

FIT_OFFSETS = np.array([-1.0, -0.7, -0.4, 0.4, 0.7, 1.0])
"""Values about a change point from which it is fitted, in chosen distances."""

FIT_SHARES = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0])
"""Distances from a dead point of a group from which it is fitted, as parts of the largest."""

FIT_STEPS = (1.0, 1.0, 0.1, 0.01, 0.01)
"""The largest of these distances in turn, in steps of the coarse states, each about the dead point
of the fit before: the last fit is the finest."""

NEAR_ENDS = np.array([1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10])
"""A setting: distances of states from an end, where points move fastest, in coarse steps."""

DEAD_POINT, CHANGE_POINT, LIMIT = "dead point", "change point", "limit"
LOST, OPEN = "end of the branch", ""
"""What ends an interval: LOST, redundant links no longer hold; OPEN, nothing was found."""


class IntervalEnd(NamedTuple):
    """One end of an interval.

    Attributes:
        value: of the input, mm or degrees; kind: one of the above.
        step: of the plan that cannot be built past it; None where there is none.
        off, within: how far from the value it is, with an error of `within` at most, as proved;
            None where it is not.  Points are known to the root of rounding there: those of an
            interval are of the value.
    """

    value: float
    kind: str
    step: PlacementStep | None = None
    off: float = 0.0
    within: float | None = None


@dataclass(frozen=True, eq=False)
class Interval:
    """An interval of the input on which a linkage exists with one choice of signs.

    Attributes:
        at: values of the input, (states,), ascending, mm or degrees.
        P: (points, 2, states), mm, the first and the last at the ends.
        ends: of the interval; none where it is a whole turn.
    """

    signs: Ints
    at: Array
    P: Array
    ends: tuple[IntervalEnd, ...]


def branch_intervals(linkage: DrivenLinkage, signs: Ints, proved: Existence) -> Iterator[Interval]:
    """The intervals of one choice of signs, ascending, for a linkage without groups.

    Args:
        proved: where it exists, without regard to redundant links.
    """
    for interval in _sampled_intervals(linkage, signs, proved):
        ends = tuple(
            end._replace(off=off, within=within)
            for end in interval.ends
            for off, within in [proved.enclosed(end.value)]
        )
        yield replace(interval, ends=ends)


def _sampled_intervals(
    linkage: DrivenLinkage, signs: Ints, proved: Existence
) -> Iterator[Interval]:
    chosen = ChosenStates(linkage, signs, _kept(lambda values: linkage.states(signs, values)))
    at = _sampled_inputs(chosen, proved)
    states, period = chosen.evaluate(at), linkage.period
    if period is not None and states.valid.all():
        yield from whole_turns(chosen, np.append(at, at[0] + period))
        return
    if period is not None:  # a turn from where it does not exist to there
        first = int(np.argmin(states.valid))
        at = np.append(np.roll(at, -first), at[first])
        at[len(at) - 1 - first :] += period
        states = chosen.evaluate(at)
    padded = np.concatenate([[False], states.valid, [False]]).astype(np.int8)
    firsts = np.flatnonzero(np.diff(padded) == 1)
    lasts = np.flatnonzero(np.diff(padded) == -1) - 1
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        low = interval_end(chosen, at[first], at[first - 1] if first > 0 else None)
        high = interval_end(chosen, at[last], at[last + 1] if last + 1 < len(at) else None)
        yield from divided_interval(chosen, low, at[first : last + 1], high)


def _kept(evaluate: Callable[[Array], InputStates]) -> Callable[[Array], InputStates]:
    """A function that keeps its last result: the same values are often asked for in turn."""
    last: list[tuple[Array, InputStates]] = []

    def found(values: Array) -> InputStates:
        if not last or not np.array_equal(last[0][0], values):
            last[:] = [(values, evaluate(values))]
        return last[0][1]

    return found


def _sampled_inputs(chosen: ChosenStates, proved: Existence) -> Array:
    """Values of the input to evaluate: a turn, or the range that can be built."""
    low, high = chosen.linkage.search_range
    start, period = chosen.linkage.start_value, chosen.linkage.period
    known = np.union1d(proved.samples(EXISTS), proved.samples(NOWHERE))
    if period is not None:
        at = start + period * np.arange(COARSE_STATES) / COARSE_STATES
        return np.union1d(at, start + np.mod(known - start, period))
    at = np.union1d(np.linspace(low, high, COARSE_STATES), [start, *known])
    found = np.flatnonzero(chosen.evaluate(at).valid)
    if len(found):
        low, high = at[max(found[0] - 1, 0)], at[min(found[-1] + 1, len(at) - 1)]
    return np.union1d(np.linspace(low, high, COARSE_STATES), [start, *known])


def whole_turns(chosen: ChosenStates, at: Array) -> Iterator[Interval]:
    """A whole turn, at[0] to at[-1], cut where a dyad passes a dead point or fails in between."""
    whole = float(at[-1] - at[0])
    around = np.concatenate([[at[-2] - whole], at, [at[1] + whole]])
    cuts = _cuts(chosen, around)
    if not cuts:
        yield Interval(chosen.signs, at, chosen.evaluate(at).P, ())
        return
    first = cuts[0]
    inside = np.sort(first[1].value + np.mod(at[1:] - first[1].value, whole))
    last = first[0]._replace(value=first[0].value + whole)
    between = [c for c in cuts[1:] if c[1].value < last.value]
    yield from _cut_interval(chosen, inside, first[1], between, last)


def divided_interval(
    chosen: ChosenStates, low: IntervalEnd, at: Array, high: IntervalEnd
) -> Iterator[Interval]:
    """The intervals between two ends, cut likewise; at: successive values at which it exists."""
    lost = [end.value for end in (low, high) if end.kind == LOST]
    cuts = _cuts(chosen, np.union1d(at, lost))
    yield from _cut_interval(chosen, at, low, cuts, high)


def _cut_interval(
    chosen: ChosenStates,
    at: Array,
    low: IntervalEnd,
    cuts: list[tuple[IntervalEnd, IntervalEnd]],
    high: IntervalEnd,
) -> Iterator[Interval]:
    """The intervals between two ends and the cuts between them."""
    begins = [low, *(after for _, after in cuts)]
    ends = [*(before for before, _ in cuts), high]
    step = chosen.linkage.search_width / COARSE_STATES
    for begin, end in zip(begins, ends, strict=True):
        near = min(step, 0.5 * (end.value - begin.value)) * NEAR_ENDS
        inner = at[(at > begin.value) & (at < end.value)]
        both = np.array([begin.value, end.value])
        every = np.unique(np.concatenate([both, inner, both[0] + near, both[1] - near]))
        states = chosen.evaluate(every)
        yield Interval(chosen.signs, every[states.valid], states.P[..., states.valid], (begin, end))


# ---------------------------------------------------------------------- ends
def interval_end(
    chosen: ChosenStates, inside: float, outside: float | None, failed: int = 0
) -> IntervalEnd:
    """The end between a value where the linkage exists and one where it does not, if there is.

    Args:
        failed: 1 + number of the operation that cannot be built outside, where that is known.
    """
    if outside is None:
        return IntervalEnd(float(inside), OPEN)
    inside, outside = float(inside), float(outside)
    grouped = len(chosen.linkage.planned.program.group) > 0
    fitted = _fitted_dead_point(chosen, inside, outside, failed) if grouped else None
    if fitted is not None:
        return fitted
    value, outer = _edge(chosen, inside, outside)
    both = np.array([outer] if grouped else [value, outer])  # as `_edge` asked last
    operation = int(chosen.evaluate(both).failed[-1]) - 1
    if operation < 0:
        return _change_at(chosen, value, inside) or IntervalEnd(value, LOST)
    step = chosen.linkage.planned.step_of(operation)
    if step.kind == SLOT_WITH_ENDS:
        return IntervalEnd(_limit(chosen, operation, inside, value), LIMIT, step)
    if step.kind == GROUP:
        far = float(np.copysign(FIT_STEPS[-1], inside - value))
        found = _extrapolated(chosen, step.branch, value, far)
        near = FIT_SHARES[0] * FIT_STEPS[-1] * _coarse(chosen)
        value = found if found is not None and abs(found - value) < near else value
    return IntervalEnd(value, DEAD_POINT, step)


def _change_at(chosen: ChosenStates, value: float, inside: float) -> IntervalEnd | None:
    """The change point, extrapolated, past which redundant links hold with other signs only."""
    flat = np.flatnonzero(chosen.evaluate(np.array([value])).margin[:, 0] < FAINT)
    if not len(flat):
        return None
    number = int(flat[0])  # the others stand on it
    far = float(np.copysign(_coarse(chosen), inside - value))
    margin = chosen.evaluate(value + far * FIT_SHARES).margin[number]
    if np.isnan(margin).any():
        return None
    roots = np.roots(np.polynomial.polynomial.polyfit(FIT_SHARES, margin, 5)[::-1])
    off = far * float(roots[np.argmin(np.abs(roots))].real) if len(roots) else 0.0
    if abs(off) > SAME_VALUE * chosen.linkage.search_width:
        return None
    step = next(s for s in chosen.linkage.planned.steps if s.branch == number)
    return IntervalEnd(value + off, CHANGE_POINT, step)


def _edge(chosen: ChosenStates, inside: float, outside: float) -> tuple[float, float]:
    """Adjacent values at the first of which the linkage exists, and at the second does not.

    Where a dyad ends does not depend on the signs of those that stand on it: most ends are known
    from other choices.  A group is continued from state to state, to one value at a time.
    """

    def exists(values: Array) -> Bools:
        return chosen.evaluate(values).valid

    if len(chosen.linkage.planned.program.group):
        return edge(exists, inside, outside)
    known = chosen.linkage.known_edges.setdefault((inside, outside), [])
    for both in known:
        if exists(np.array(both)).tolist() == [True, False]:
            return both
    known.append(edge(exists, inside, outside, END_DIVISIONS))
    return known[-1]


def _fitted_dead_point(
    chosen: ChosenStates, inside: float, outside: float, failed: int
) -> IntervalEnd | None:
    """The end at a dead point of a group; None where it is not known that this ends first.

    Division takes long: every second state is one in which all ways of solving a group fail.
    """
    operation = (failed or int(chosen.evaluate(np.array([outside])).failed[0])) - 1
    step = chosen.linkage.planned.step_of(operation) if operation >= 0 else None
    if step is None or step.kind != GROUP:
        return None
    value, side = inside, float(np.sign(inside - outside))
    for far in FIT_STEPS:
        found = _extrapolated(chosen, step.branch, value, side * far)
        if found is None:
            return None
        value = found
    near = side * FAINT * _coarse(chosen)
    states = chosen.evaluate(np.array([value + near, value - near]))
    ends = states.failed.tolist() == [0, 1 + operation]
    return IntervalEnd(value, DEAD_POINT, step) if ends else None


def _coarse(chosen: ChosenStates) -> float:
    """A step of the coarse states, mm or degrees."""
    return chosen.linkage.search_width / COARSE_STATES


def _extrapolated(chosen: ChosenStates, number: int, value: float, far: float) -> float | None:
    """The dead point of a group, extrapolated from determinants at some distance from it.

    The input is a smooth function of the determinant, but not the other way round, for there the
    input reverses; close to it the determinant is inaccurate.

    None where they do not tell: they hardly change, or are 0, as of a group that is loose there.

    Args:
        value: about the dead point; far: the largest distance, to where the linkage exists, in
            coarse steps.
    """
    far *= _coarse(chosen)
    at = value + far * FIT_SHARES
    states = chosen.evaluate(at)
    if not states.valid.all():
        return None
    linkage, group = chosen.linkage, chosen.linkage.group_of(number)
    margin = np.array([linkage.determinant(group, v, states.P[..., k]) for k, v in enumerate(at)])
    if not margin.max() > 0.0:
        return None
    powers = np.vander(margin / margin.max(), 6, increasing=True)
    fitted, _, rank, _ = np.linalg.lstsq(powers, FIT_SHARES, rcond=None)
    return value + far * float(fitted[0]) if rank == powers.shape[1] else None


def _limit(chosen: ChosenStates, operation: int, inside: float, last: float) -> float:
    """The input at which a point reaches the end of its slot, without the tolerance past it."""
    program = chosen.linkage.planned.program
    q, p, r = program.code[operation, AT : AT + 3]
    bounds = program.numbers[operation, :2]
    values = np.array([last + FOURTH * (inside - last), last])
    P = chosen.evaluate(values).P
    along = P[r] - P[p]
    shift = np.sum((P[q] - P[p]) * along, axis=0) / np.hypot(*along)
    bound = bounds[int(np.nanargmin(np.abs(bounds - shift[1])))]
    slope = (shift[1] - shift[0]) / (values[1] - values[0])
    return float(last - (shift[1] - bound) / slope) if slope != 0.0 else last


# ---------------------------------------------------------------------- between two samples
def _cuts(chosen: ChosenStates, at: Array) -> list[tuple[IntervalEnd, IntervalEnd]]:
    """Pairs of ends where dyads pass dead points between states, or fail for less than a step.

    Of dyads that change at one value it is known best for the first, on which the others stand.
    """
    found: list[tuple[IntervalEnd, IntervalEnd]] = []
    for number, own in enumerate(np.square(chosen.evaluate(at).margin)):
        least = (own[1:-1] <= own[:-2]) & (own[1:-1] < own[2:])
        likely = own[1:-1] < 0.5 * np.maximum(own[:-2], own[2:])
        for k in (1 + np.flatnonzero(least & likely)).tolist():
            cut = _cut(chosen, number, float(at[k - 1]), float(at[k + 1]))
            if cut is not None and not any(_same_cut(chosen, cut, other) for other in found):
                found.append(cut)
    return sorted(found, key=lambda c: c[0].value)


def _same_cut(
    chosen: ChosenStates,
    one: tuple[IntervalEnd, IntervalEnd],
    other: tuple[IntervalEnd, IntervalEnd],
) -> bool:
    """Whether two cuts are one: change points are known by their squares only."""
    change = all(end.kind == CHANGE_POINT for end in (*one, *other))
    near = (SAME_VALUE if change else AGREEMENT) * chosen.linkage.search_width
    return one[0].value <= other[1].value + near and other[0].value <= one[1].value + near


def _cut(
    chosen: ChosenStates, number: int, first: float, last: float
) -> tuple[IntervalEnd, IntervalEnd] | None:
    """The two ends about the least half chord of a dyad in an interval; None if it is not 0."""
    low, high = first, last
    for _ in range(ROUNDS):
        at = np.linspace(low, high, DIVISIONS + 1)
        states = chosen.evaluate(at)
        lost = np.flatnonzero(~states.valid)
        if len(lost):
            out = float(at[lost[len(lost) // 2]])
            return interval_end(chosen, first, out), interval_end(chosen, last, out)
        k = int(np.argmin(states.margin[number]))
        low, high = float(at[max(k - 1, 0)]), float(at[min(k + 1, DIVISIONS)])
    in_line = bool(states.margin[number, k] < ZERO_SINE)
    if not in_line or chosen.linkage.pins_meet(number, states.P[..., k]):
        return None
    radius = float(0.5 * min(at[k] - first, last - at[k]))
    step = next(s for s in chosen.linkage.planned.steps if s.branch == number)
    end = IntervalEnd(_zero_between(chosen, number, float(at[k]), radius), CHANGE_POINT, step)
    return end, end


def _zero_between(chosen: ChosenStates, number: int, near: float, radius: float) -> float:
    """Where the half chord would change its sign, by a polynomial through values at some distance.

    Close to the zero only rounding is left of the half chord.  Where another dyad changes there,
    too, it does not go on smoothly with the same signs, and its least value counts.
    """
    if not radius > 0.0:
        return near
    margin = chosen.evaluate(near + radius * FIT_OFFSETS).margin[number]
    if np.isnan(margin).any():  # it cannot be built so far from it
        return near
    found = np.polynomial.polynomial.polyfit(FIT_OFFSETS, np.sign(FIT_OFFSETS) * margin, 5)
    roots = np.roots(found[::-1])
    off = float(roots[np.argmin(np.abs(roots))].real) if len(roots) else 0.0
    value = near + radius * off
    left = chosen.evaluate(np.array([value])).margin[number, 0]
    return value if abs(off) < 0.4 and left < ZERO_SINE else near
