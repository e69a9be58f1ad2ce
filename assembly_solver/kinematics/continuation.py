"""Continuation of a kinematic chain along its driven motion: the compiled loop over states.

Four time derivatives predict the next state, `block_closure` corrects it.  A step whose correction,
or whose unpredicted change of velocity, is not small is halved: the chain stays on its branch
unless another one is nearer than such a correction.

Source: Haug, Computer Aided Kinematics and Dynamics, section 4.2, equations (4.2.1) to (4.2.3);
docs/theory/motion.md, 4.
"""

from __future__ import annotations

import numpy as np

from ..equations.table import copy, displace, largest_residual
from ..foundations.jit.decorators import apart, borrowing
from ..foundations.jit.lists import on_lists
from ..foundations.types import Array
from .block_closure import close
from .chain_arrays import (
    ALLOWANCE,
    ANY_SIDE,
    TELL,
    Chain,
    ChainState,
    MarchRecord,
    MarchSpan,
    PrescribedValues,
    Scratch,
    StateTrack,
    StepEnd,
    StepWork,
    Tolerances,
)
from .equation_rates import refer_to, spatial
from .many_states import fits_lists
from .prescribed_motion import prescribe

STRAY = 0.1
"""Largest correction of a step, as a share of the predicted motion."""

ROUGH = 0.3
"""Largest unpredicted change of velocity, as a share of the velocity."""

SHORTEST = 2.0**-24
"""Smallest step, as a part of the interval between states."""

SHARE_LEFT = 0.5
"""Share of the time left to a dead point over which a step leads, once one beyond it failed: with
more a prediction by two derivatives would not do."""

SINGULAR = 1e-4
"""A setting: smallest pivot, relative to the largest, at which rates are accurate."""

WEAK = 0.1
"""Smallest pivot below which other rows of a chain with redundant equations are looked for: errors
of poses come with its inverse, of velocities with the square, of accelerations with the cube."""

FALLEN = 0.5
"""Ratio to the largest such pivot since rows were looked for, below which they are again."""

ARRIVED, STUCK, AT_SINGULAR, ILL_CHOSEN, CROSSED = range(5)
"""Outcome of a step or march: the end is reached; no step succeeds; a state is singular; the rows
are nearly dependent, and redundant equations may replace them; a smooth step changes the sign of a
determinant, or leads away from where one is nearly 0."""


@borrowing
def _predict(c: Chain, n: ChainState, higher: Array, h: float, w: Scratch, out: Array) -> float:
    """Poses after h seconds by four time derivatives; the largest motion, mm."""
    y, far = w.own, 0.0
    for body in c.bodies:
        for i in range(6):
            sixth = higher[0][body][i] / 6 + h * higher[1][body][i] / 24
            half = n.change[body][i] / 2 + h * sixth
            y[i] = h * (n.speed[body][i] + h * half)
            far = max(far, abs(y[i]))
        copy(n.poses[body], out[body])
        displace(out[body], y, c.axes, c.centre[body], c.length)
    return far


@borrowing
def _smooth(c: Chain, n: ChainState, after: ChainState, h: float, allowance: float) -> bool:
    """Whether velocities at one end of a step are close to those predicted from the other.

    A step back in time has a negative h, s.
    """
    largest, off, span = 0.0, 0.0, abs(h)
    for body in c.bodies:
        before, change = n.speed[body], n.change[body]
        speed, change_after = after.speed[body], after.change[body]
        for i in range(6):
            largest = max(largest, abs(before[i]), abs(speed[i]))
            ahead = before[i] + h * change[i]
            back = speed[i] - h * change_after[i]
            miss = min(abs(speed[i] - ahead), abs(before[i] - back))
            if not miss <= off:
                off = miss
    return bool(off * span <= ROUGH * largest * span + allowance)


@borrowing
def count_turns_from(c: Chain, poses: Array, w: Scratch) -> None:
    """Set reference angles in equations of several terms to their values at poses."""
    for k in c.turns:
        refer_to(c.table, k, poses, w.a, w.b, w.wrench)


@apart
@borrowing
def step(
    c: Chain,
    n: ChainState,
    work: StepWork,
    g: PrescribedValues,
    end: StepEnd,
    tolerances: Tolerances,
) -> tuple[int, float]:
    """One step from state `n`, which is not changed.

    Args:
        work: `after` and the pivots in `scratch` are written; `higher` is for the prediction.

    Returns:
        ARRIVED, AT_SINGULAR where the chain closes with inaccurate rates, CROSSED, else STUCK; and
        the largest residual of the blocks, mm.
    """
    prescribe(c, g, end.state, end.part, work.scratch)
    return _advance(c, n, work, end.seconds, tolerances)


@on_lists(2, where=fits_lists)
def _advance(
    c: Chain, n: ChainState, work: StepWork, h: float, tolerances: Tolerances
) -> tuple[int, float]:
    """`step` over h seconds where the values at its end are prescribed."""
    after, w = work.after, work.scratch
    predicted = _predict(c, n, work.higher, h, w, after.poses)
    # with the largest pivot that there is: what is farther off does not count
    farthest = STRAY * predicted + ALLOWANCE * c.length
    residual, corrected = close(c, after, work.poses, w, tolerances, farthest)
    least = least_pivot(after)
    allowance = ALLOWANCE * least * c.length
    if not (residual <= tolerances.closed and corrected <= STRAY * predicted + allowance):
        return STUCK, residual
    if not least >= SINGULAR:
        return AT_SINGULAR, residual
    if not _smooth(c, n, after, h, allowance):
        return STUCK, residual
    crosses = tolerances.side != ANY_SIDE and is_on_other_side(n, after)
    return CROSSED if crosses else ARRIVED, residual


@borrowing
def is_on_other_side(n: ChainState, after: ChainState) -> bool:
    """Whether a determinant has another sign in one state than in another."""
    other = False
    for k in range(len(n.pivots)):
        other = other or n.pivots[k] * after.pivots[k] < 0.0
    return other


@borrowing
def least_pivot(n: ChainState) -> float:
    """The smallest absolute pivot of all blocks."""
    least = 1.0
    for p in n.pivots:
        least = min(least, abs(p))
    return least


@borrowing
def enter(
    c: Chain, n: ChainState, kept: Array, g: PrescribedValues, s: int, closed: float, w: Scratch
) -> float:
    """Rates of `n` at state s, where its mates hold; the smallest absolute pivot.

    Args:
        kept: scratch poses; closed: residual up to which the mates hold, mm.
    """
    prescribe(c, g, s, 1.0, w)
    count_turns_from(c, n.poses, w)
    close(c, n, kept, w, Tolerances(closed, np.inf), np.inf)
    return least_pivot(n)


@apart
@borrowing
def write(c: Chain, n: ChainState, s: int, residual: float, w: Scratch, out: StateTrack) -> None:
    """Write a closed state to a track, with spatial twists and their derivatives."""
    out.off[s] = max(residual, largest_residual(c.table, n.poses, c.checked, w.found))
    copy(n.pivots, out.pivots[s])
    for q in range(len(c.turns)):
        out.turned[s, q] = c.table.reference[c.turns[q]]
    a = c.axes
    for q in range(len(c.bodies)):
        body = c.bodies[q]
        copy(n.poses[body], out.poses[s, q])
        spatial(n.poses[body], c.centre[body], n.speed[body], a, c.length, w.point, n.twist[body])
        change, found, p = n.change[body], out.changes[s, q], w.point
        for r in range(3):
            found[3 + r] = change[3] * a[0, r] + change[4] * a[1, r] + change[5] * a[2, r]
            found[3 + r] /= c.length
        for r in range(3):
            x, y = (r + 1) % 3, (r + 2) % 3
            found[r] = change[0] * a[0, r] + change[1] * a[1, r] + change[2] * a[2, r]
            found[r] += n.twist[body, 6 + r] - (found[3 + x] * p[y] - found[3 + y] * p[x])
        for r in range(6):
            out.twists[s, q, r] = n.twist[body, r]


@apart
@borrowing
def accept(c: Chain, n: ChainState, after: ChainState, w: Scratch) -> None:
    """Copy the state after a step to `n`."""
    for body in c.bodies:
        copy(after.speed[body], n.speed[body])
        copy(after.change[body], n.change[body])
        copy(after.poses[body], n.poses[body])
    copy(after.pivots, n.pivots)
    count_turns_from(c, n.poses, w)


@borrowing
def set_higher(c: Chain, n: ChainState, after: ChainState, h: float, higher: Array) -> None:
    """Third and fourth derivatives after a step of h seconds, from the rates at both ends."""
    for body in c.bodies:
        for i in range(6):
            v, a = after.speed[body, i], after.change[body, i]
            gained = a - n.change[body, i]
            rest = n.speed[body, i] - v + h * a
            jerk = (6.0 * rest - 2.0 * h * gained) / (h * h)
            higher[0, body, i] = jerk
            higher[1, body, i] = 2.0 * (h * jerk - gained) / (h * h)


@borrowing
def march(
    c: Chain,
    n: ChainState,
    work: StepWork,
    g: PrescribedValues,
    span: MarchSpan,
    tolerances: Tolerances,
    record: MarchRecord,
) -> tuple[int, int, float]:
    """Follow a chain from state `n`, with rates, at the begin of the span; `n` is overwritten.

    Returns:
        ARRIVED and the last state, or another outcome and the last state reached; and the part of
        the next interval reached, 0 to 1.
    """
    w, trace = work.scratch, record.trace
    largest = least_pivot(n)
    done, part = span.begin, 1.0 - span.begin
    clear_higher(c, work.higher)
    for s in range(span.first + 1, span.last + 1):
        whole, count, residual, closes = g.t[s] - g.t[s - 1], 0, 0.0, True
        while done < 1.0:
            count += 1
            end = done + part if done + part < 1.0 else 1.0
            h = (end - done) * whole
            status, residual = step(c, n, work, g, StepEnd(s, end, h), tolerances)
            if tolerances.side == TELL and (
                status == CROSSED
                or (status == ARRIVED and _is_narrow(trace, work.after, tolerances.narrow))
            ):
                return CROSSED, s - 1, done
            if status != ARRIVED:
                clear_higher(c, work.higher)
                closes = closes and residual <= tolerances.closed
                part *= 0.5
                if part < SHORTEST:
                    return status, s - 1, done
                continue
            set_higher(c, n, work.after, h, work.higher)
            accept(c, n, work.after, w)
            done = end
            part = min(2.0 * part, 1.0 - done)
            copy(trace[1], trace[0])
            trace[1, 0] = g.t[s - 1] + done * whole
            copy(n.pivots, trace[1, 1:])
            if not closes:
                part = min(part, max(SHARE_LEFT * part_left(trace, whole), SHORTEST))
        write(c, n, s, residual, w, record.track)
        record.track.substeps[s] = count
        done, part = 0.0, 1.0
        least = least_pivot(n)
        if len(c.checked) > 0 and least < WEAK and least < FALLEN * largest:
            return ILL_CHOSEN, s, 0.0
        largest = max(largest, least)
    return ARRIVED, span.last, 0.0


@borrowing
def _is_narrow(trace: Array, after: ChainState, narrow: float) -> bool:
    """Whether a pivot is least and below `narrow` at the last state of a trace (`MarchRecord`)."""
    for k in range(len(after.pivots)):
        before, least, later = trace[0, 1 + k], trace[1, 1 + k], after.pivots[k]
        if abs(least) < narrow and min(before * least, later * least) > least * least:
            return True
    return False


@borrowing
def part_left(trace: Array, whole: float) -> float:
    """Time from the last state to a dead point ahead, as a part of an interval; infinite for none.

    There pivots fall with the root of the time that is left.

    Args:
        trace: of a `MarchRecord`; whole: the interval, s.
    """
    k = 1
    for i in range(2, len(trace[1])):
        if abs(trace[1, i]) < abs(trace[1, k]):
            k = i
    before, last = trace[0, k] * trace[0, k], trace[1, k] * trace[1, k]
    if not last < before:
        return np.inf
    return float((trace[1, 0] - trace[0, 0]) * last / (before - last) / whole)


@borrowing
def clear_higher(c: Chain, higher: Array) -> None:
    """Set the third and fourth derivatives to zero."""
    for d in range(2):
        for body in c.bodies:
            for i in range(6):
                higher[d, body, i] = 0.0
