"""Intervals of the input with groups: solutions are sampled, then followed both ways."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array, Ints
from .driven_linkage import ChosenStates, DrivenLinkage, InputStates, same_position
from .group_solutions import solutions
from .intervals import COARSE_STATES, Interval, divided_interval, interval_end, whole_turns

SAMPLED_INPUTS = 24
"""Values of the input at which solutions are sampled."""

TRIES = 48
"""Random starts for each group at each of them."""

END_STATES = 11
"""States that are concentrated at either end of an interval; no continuation starts there."""

LARGEST = 8
"""Largest number of unknown points of a group whose solutions are sampled."""

BATCH = 60
"""States that are continued before their validity is checked."""

TURNS = 4
"""Turns of the input after which a solution that does not return to its start is left open."""


def traced_intervals(
    linkage: DrivenLinkage, signs: Ints, moving: list[float]
) -> Iterator[Interval]:
    """The intervals of one choice of dyad signs, for every solution that is found.

    Args:
        moving: values of the input at which positions were found that move while it stands still.
            From there on only the assembled one is followed: what others reach is cut into pieces
            where they meet those.
    """
    low, high = linkage.search_range
    found: list[Interval] = []
    for value in [linkage.start_value, *np.linspace(low, high, SAMPLED_INPUTS + 1)[1:]]:
        for start in _solutions_at(linkage, signs, float(value), moving):
            if not any(_lies_on(linkage, interval, float(value), start) for interval in found):
                new = list(_traced_from(linkage, signs, float(value), start))
                found += new
                yield from new


def _solutions_at(
    linkage: DrivenLinkage, signs: Ints, value: float, moving: list[float]
) -> list[Array]:
    """Solutions at a value of the input, (points, 2) each, mm; at the start the assembled first."""
    found = [] if moving or too_large(linkage) else solutions(linkage, signs, value, TRIES)
    # The assembled one may be a dead point.  Of others a search ends beside it, by the root of what
    # it leaves, where a group stands by far: two dead points at one value are not taken for moving.
    if sum(not linkage.groups_stand(value, P) for P in found) > 1:
        moving.append(value)
        found = []
    own = tuple(signs) == tuple(linkage.planned.signs) and value == linkage.start_value
    return [linkage.start, *found] if own else found


def too_large(linkage: DrivenLinkage) -> bool:
    """Whether there are groups whose solutions are not sampled."""
    group = linkage.planned.program.group
    return bool((group[:, 1] - group[:, 0]).max(initial=0) > LARGEST)


def _lies_on(linkage: DrivenLinkage, interval: Interval, value: float, positions: Array) -> bool:
    """Whether a solution lies on an interval, in any of its turns."""
    turns = [value]
    if linkage.period is not None:
        begin = linkage.next_turn_above(value, float(interval.at[0]))
        turns = [begin + k * linkage.period for k in range(TURNS + 1)]
    for v in turns:
        if interval.at[0] <= v <= interval.at[-1]:
            crowd = min(END_STATES, (len(interval.at) - 1) // 2)
            inner = slice(crowd, len(interval.at) - crowd)
            at, P = interval.at[inner], interval.P[..., inner]
            near = _continued_states(linkage, interval.signs, at, P).evaluate(np.array([v]))
            if near.valid[0] and same_position(linkage, near.P[..., 0], positions):
                return True
    return False


def _traced_from(
    linkage: DrivenLinkage, signs: Ints, value: float, start: Array
) -> Iterator[Interval]:
    """The intervals on which a solution lies, or connected with it without a dead point."""
    up, closed, above = _follow(linkage, signs, value, start, 1)
    if closed:
        yield from whole_turns(_continued_states(linkage, signs, *up), up[0])
        return
    down, _, below = _follow(linkage, signs, value, start, -1)
    at = np.concatenate([down[0][:0:-1], up[0]])
    P = np.concatenate([down[1][..., :0:-1], up[1]], axis=2)
    chosen = _continued_states(linkage, signs, at, P)
    step = linkage.search_width / COARSE_STATES
    low, high = (
        interval_end(chosen, last, None if _outside(linkage, beyond) else beyond, failed)
        for last, beyond, failed in ((at[0], at[0] - step, below), (at[-1], at[-1] + step, above))
    )
    yield from divided_interval(chosen, low, at, high)


def _outside(linkage: DrivenLinkage, value: float) -> bool:
    """Whether a value of the input is outside of the range that is searched."""
    low, high = linkage.search_range
    if linkage.period is not None:
        return abs(value - linkage.start_value) > TURNS * linkage.period
    return not low <= value <= high


def _follow(
    linkage: DrivenLinkage, signs: Ints, value: float, start: Array, direction: int
) -> tuple[tuple[Array, Array], bool, int]:
    """States from a solution in one direction while valid; whether they return to the start.

    The last is 1 + number of the operation that cannot be built in the state after them, or 0.
    """
    low, high = linkage.search_range
    step = linkage.search_width / COARSE_STATES
    far = TURNS * (linkage.period or 0.0) or (high - value if direction > 0 else value - low)
    at = value + (direction * step) * np.arange(int(far / step + AGREEMENT) + 1, dtype=np.float64)
    reached = np.ascontiguousarray(start)[..., None]
    found, n, failed = [], 0, 0
    while n < len(at):
        linkage.watch.check()
        stands = float(at[max(n - 1, 0)])
        states = linkage.states(signs, at[n : n + BATCH], reached[..., -1], stands, False)
        valid = int(np.argmin(np.append(states.valid, False)))
        reached = states.P[..., :valid]
        found.append(reached)
        n += valid
        failed = int(states.failed[valid]) if valid < len(states.failed) else 0
        if valid < BATCH:
            break
    at, P = at[:n], np.concatenate(found, axis=2)
    if linkage.period is not None:
        for k in range(COARSE_STATES, n, COARSE_STATES):
            if same_position(linkage, P[..., k], P[..., 0]):
                return (at[: k + 1], P[..., : k + 1]), True, 0
    return (at, P), False, failed


def _continued_states(linkage: DrivenLinkage, signs: Ints, at: Array, P: Array) -> ChosenStates:
    """States by continuation from known states, begun in the middle of the requested values: at the
    ends, which are dead points, no continuation can start."""

    def evaluate(values: Array) -> InputStates:
        k = int(np.argmin(np.abs(at - values[len(values) // 2])))
        start, stands = np.ascontiguousarray(P[..., k]), float(at[k])
        down = linkage.states(signs, values[len(values) // 2 :: -1], start, stands)
        if len(values) == 1:
            return down
        if down.valid[0]:
            start, stands = down.P[..., 0], float(values[len(values) // 2])
        up = linkage.states(signs, values[len(values) // 2 + 1 :], start, stands)
        return InputStates(
            np.concatenate([down.P[..., ::-1], up.P], axis=2),
            np.concatenate([down.failed[::-1], up.failed]),
            np.concatenate([down.margin[:, ::-1], up.margin], axis=1),
        )

    return ChosenStates(linkage, signs, evaluate)
