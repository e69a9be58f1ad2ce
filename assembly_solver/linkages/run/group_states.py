"""The states of a chunk in which a group is solved, one after the other or many at once.

Interpreted code may predict some states from those before them and correct them at once: what does
not hold then is solved alone.
"""

from __future__ import annotations

from functools import partial
from math import nan

import numpy as np

from ...foundations.jit.decorators import borrowing, borrowing_in_form
from ...foundations.numerics.lu import factorise, least_pivot
from ...foundations.types import Array, Bools
from ..plan.closed_forms import ACTUATORS, BRANCH_SINE
from ..plan.placement_program import PlacementProgram, point_row
from .group_memory import (
    ASSEMBLED,
    BRANCH,
    BY_DAMPING,
    ITERATIONS,
    LATEST,
    MANY,
    MATRIX,
    NOW,
    REQUESTED,
    SHORTEST_LINK,
    STATES,
    STEP_START,
    STEPS,
    TOLERANCE,
    TRAIL,
    TRAILING,
    GroupMemory,
    GroupTask,
    change_to,
    group_task,
    read_state,
    remember_state,
)
from .group_newton import (
    CONTRACTION,
    DAMPED_REACH,
    DEAD_PIVOT,
    LEAST_MOVE,
    MAX_DEVIATION,
    MIN_STEP,
    NEWTON_ITERATIONS,
    damped,
    from_prediction,
    passed,
    solve_state,
)
from .groups_at_once import EquationsAtOnce, Points, least_pivots, newton_at_once

AHEAD = 4
"""States that are solved at once at first, where many may be."""

STEP_PARTS = MIN_STEP ** np.linspace(0.0, 1.0, 9)
"""Parts of the change from one state to the next that are tried at once."""


@borrowing
def _store_one(
    q: PlacementProgram, g: int, w: Array, s: int, t: GroupTask, determinant: float
) -> bool:
    """Store a group in state s of a chunk, NaN where that was not solved; whether it was."""
    first = q.group[g, 0]
    scale = t.size[BRANCH] if t.size[BRANCH] != 0.0 else 1.0
    holds = not np.isnan(determinant)
    if holds and least_pivot(t.matrices[MATRIX], len(t.equation)) > DEAD_PIVOT:
        remember_state(t, q.group[g, 2] - first)
    else:
        t.counts[TRAILING] = 0
    w[BRANCH_SINE, s] = determinant / scale
    for k in range(first, q.group[g, 1]):
        row = point_row(q, q.member[k])
        w[row, s] = t.points[NOW, k - first, 0] if holds else nan
        w[row + 1, s] = t.points[NOW, k - first, 1] if holds else nan
    return holds


@borrowing
def _one_by_one(
    q: PlacementProgram, g: int, w: Array, m: GroupMemory, n: int, beyond: bool
) -> None:
    """`solve_group`, each state predicted from those before it."""
    t, tried = group_task(q, g, m), True
    for s in range(n):
        determinant = solve_state(t) if tried and read_state(q, g, w, s, t) else nan
        holds = _store_one(q, g, w, s, t, determinant)
        tried = tried and (holds or beyond)


class _ManyStates:
    """States of a chunk that are predicted from those before them, and corrected at once.

    What one state is accepted by in `group_newton` each of them is accepted by.
    """

    def __init__(self, q: PlacementProgram, g: int, w: Array, t: GroupTask) -> None:
        first, known, last = q.group[g, :3].tolist()
        rows = np.array([point_row(q, k) for k in q.member[first:last].tolist()], np.int64)
        self.rows, self.unknown, self.w, self.t = rows, known - first, w, t
        self.equations = EquationsAtOnce(t.equation, t.given)
        self.inputs = ACTUATORS + np.arange(3 * len(t.inputs)).reshape(-1, 3)
        self.solved = 0

    def solve(self, s: int, n: int) -> int:
        """Solve the states from s on, n at most; how many were."""
        w, u = self.w, self.unknown
        at = (w[self.rows, s : s + n] + 1j * w[self.rows + 1, s : s + n]).T
        known = np.isfinite(at[:, u:]).all(axis=1)
        n = n if known.all() else int(np.argmin(known))
        values = np.moveaxis(w[self.inputs, s : s + n], 2, 0)
        at, bound = at[:n], self._predict(at[:n], s, n)
        predicted = at[:, :u].copy()
        determinant, J, good = self._corrected(at, values)
        good &= (_largest(at[:, :u] - predicted) <= bound) & (least_pivots(J) > DEAD_PIVOT)
        n = n if good.all() else int(np.argmin(good))
        if n > 0:
            self._store(s, at[:n], values[:n], determinant[:n])
        return n

    def _corrected(self, at: Points, values: Array) -> tuple[Array, Array, Bools]:
        """Determinants and matrices by Newton's method, and which states are on the branch."""
        t = self.t
        determinant, J, spent = newton_at_once(
            self.equations, at, values, t.size[TOLERANCE], NEWTON_ITERATIONS, CONTRACTION
        )
        t.counts[ITERATIONS] += spent.sum()
        good = (determinant != 0.0) & (determinant * t.size[BRANCH] >= 0.0)
        return determinant, J, good & self.equations.on_requested_side(at, values)

    def _predict(self, at: Array, s: int, n: int) -> Array:
        """Write the unknown points; return how far they may be from where they are, (n,), mm."""
        t, u, before = self.t, self.unknown, min(self.solved, TRAIL, s)
        shortest = t.size[SHORTEST_LINK]
        change = np.abs(np.diff(self.w[self.inputs[:, 0], s - before : s + n], axis=1))
        path = np.append(0.0, np.cumsum(change.sum(axis=0)))
        if before < 2 or not (np.diff(path) > 0.0).all():
            at[:, :u] = t.points[LATEST, :u].view(complex)[:, 0]
            return np.full(n, DAMPED_REACH * shortest)
        columns = self.w[:, s - before : s]
        points = (columns[self.rows[:u]] + 1j * columns[self.rows[:u] + 1]).T
        base = path[:before]
        parts = (path[before:, None, None] - base) / (base[:, None] - base)
        parts[:, range(before), range(before)] = 1.0
        at[:, :u] = (parts.prod(axis=2).T[..., None] * points[:, None]).sum(axis=0)
        speed = _largest(points[-1:] - points[-2:-1]) / (base[-1] - base[-2])
        moved = speed * np.diff(path[before - 1 :])  # what is predicted further on may be far off
        out: Array = MAX_DEVIATION * np.maximum(moved, LEAST_MOVE * shortest)
        return out

    def _store(self, s: int, at: Points, values: Array, determinant: Array) -> None:
        t, u, w, n = self.t, self.unknown, self.w, len(at)
        rows = self.rows[:u]
        w[rows, s : s + n], w[rows + 1, s : s + n] = at[:, :u].real.T, at[:, :u].imag.T
        w[BRANCH_SINE, s : s + n] = determinant / (t.size[BRANCH] or 1.0)
        points = np.ascontiguousarray(at).view(float).reshape(n, -1, 2)
        flat = points[:, :u].reshape(n, -1)
        t.points[LATEST, : points.shape[1]], t.values[LATEST] = points[-1], values[-1]
        t.trail[:, : 2 * u] = np.concatenate([flat[::-1], t.trail[:, : 2 * u]])[:TRAIL]
        t.counts[[STATES, TRAILING]] += n

    # ------------------------------------------------------------------ one state
    def solve_alone(self) -> float:
        """Solve the requested state as `solve_state`; its determinant, NaN where that fails."""
        t = self.t
        determinant = from_prediction(t) if t.counts[TRAILING] > 1 else 0.0
        determinant = determinant or self._continued(LATEST)
        if determinant == 0.0:
            determinant = damped(t)
            t.counts[BY_DAMPING] += 0 if np.isnan(determinant) else 1
        if np.isnan(determinant) and not passed(t):
            determinant = self._continued(ASSEMBLED) or nan
        t.counts[STATES] += 0 if np.isnan(determinant) else 1
        return determinant

    def _continued(self, origin: int) -> float:
        """Solve the requested state from a solved one, in steps of which all lengths are tried."""
        t, u, n = self.t, self.unknown, len(self.t.equation)
        points, values, members = t.points, t.values, len(self.rows)
        begin, end = (points[k, :members].view(complex)[:, 0] for k in (origin, REQUESTED))
        first, last = values[origin, :, 0], values[REQUESTED, :, 0]
        change = [
            change_to(t.inputs, a, *both) for a, both in enumerate(zip(first, last, strict=True))
        ]
        reached, now = 0.0, begin
        while reached < 1.0:
            part = np.unique(np.minimum(1.0, reached + STEP_PARTS))[::-1, None]
            at = np.repeat(now[None], len(part), axis=0)
            at[:, u:] = np.where(part == 1.0, end[u:], begin[u:] + part * (end - begin)[u:])
            x = first + part * change
            inputs = np.stack([x, np.cos(x), np.sin(x)], axis=2)
            inputs[part[:, 0] == 1.0] = values[REQUESTED]
            _, J, good = self._corrected(at, inputs)
            t.counts[STEPS] += len(part)
            if not good.any():
                break
            k = int(np.argmax(good))
            reached, now, t.matrices[MATRIX, :n, :n] = float(part[k, 0]), at[k], J[k]
        points[STEP_START, :u] = points[NOW, :u] = now[:u, None].view(float)
        return factorise(t.matrices[MATRIX], n, t.pivots) if reached == 1.0 else 0.0


def _largest(moved: Points) -> Array:
    """Largest displacement along an axis of each state, (states,), mm."""
    out: Array = np.maximum(np.abs(moved.real), np.abs(moved.imag)).max(axis=1)
    return out


def _as_asked(q: PlacementProgram, g: int, w: Array, m: GroupMemory, n: int, beyond: bool) -> None:
    """`solve_group` where interpreted."""
    if not m.counts[g, MANY]:
        return _one_by_one(q, g, w, m, n, beyond)
    t = group_task(q, g, m)
    many, s, ahead, tried = _ManyStates(q, g, w, t), 0, AHEAD, True
    while s < n:
        done = many.solve(s, min(ahead, n - s)) if tried else 0
        s, many.solved = s + done, many.solved + done
        if done == ahead:
            ahead *= 2
        elif s < n:
            ahead = max(1, ahead // 2)
            asked = tried and read_state(q, g, w, s, t)
            holds = _store_one(q, g, w, s, t, many.solve_alone() if asked else nan)
            tried = tried and (holds or beyond)
            s, many.solved = s + 1, many.solved + 1 if t.counts[TRAILING] > 0 else 0


@partial(borrowing_in_form, interpreted=_as_asked)
def solve_group(
    q: PlacementProgram, g: int, w: Array, m: GroupMemory, n: int, beyond: bool
) -> None:
    """Compute the unknown points of a group in the first n states of a chunk; NaN where that fails.

    Writes BRANCH_SINE: the determinant over that of the assembled group.

    Args:
        beyond: whether the states after one that fails are tried as well, which takes long.
    """
    _one_by_one(q, g, w, m, n, beyond)
