"""Ways past a singular pose: where branches cross, the one of smooth velocity.

A linkage whose lengths are off by less than the tolerance has branches that do not quite cross, or
a gap without any pose; where the mates hold within the tolerance on the smooth way, they count as
crossing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array
from .chain_arrays import ChainState, StateTrack
from .continuation import ARRIVED, SHORTEST, SINGULAR, is_on_other_side, least_pivot
from .schedule import SweepRun
from .singularities import interpolated, points_around
from .stepper import Stepper

WINDOW = 5e-3
"""A setting: pivot at the two states between which a singular pose is interpolated."""

NARROW = 4.0
"""Pivot below which branches may be as near as the tolerance, in roots of its share of the
characteristic length: near a singular pose mates are off by the square of the pivot."""

STEPS_OVER = (1.0, 3.0, 10.0, 30.0)
"""Step lengths tried past a singular pose, in distances from the pose before it."""

ASIDE = tuple(2.0**-k for k in range(8))
"""How far on both sides of a gap a step over it begins and ends, in intervals between states; and
of a singular pose, in the distance at which pivots are `WINDOW`."""

BETWEEN = (0.25, 0.5, 0.75)
"""Where between two states mates are evaluated, as shares."""


class Passage(NamedTuple):
    """Times, s, and states of a chain before and after a singular pose, or a `gap` in its place."""

    ends: tuple[float, float]
    now: ChainState
    after: ChainState
    gap: bool = False

    def between(self, by: Stepper, share: float) -> ChainState:
        """The state at share 0 to 1 of the way."""
        return interpolated(by, self.now, self.after, self.ends[1] - self.ends[0], share)


@dataclass(frozen=True, eq=False)
class Passing:
    """Ways past the singular pose just ahead of time t, s, after state s of a run.

    Attributes:
        now: the chain at t; part: the states of the run so far.
        tolerance: what mates may be off, mm.
    """

    by: Stepper
    run: SweepRun
    s: int
    t: float
    now: ChainState
    part: StateTrack
    tolerance: float

    def ahead(self) -> Passage | None:
        """A smooth step over the narrow place just ahead, by which a determinant changes sign.

        None where it leads to another branch: the mates do not hold on the way.
        """
        low, end = self.run.t[self.s : self.s + 2].tolist()
        after, shortest = self.by.new_state(self.now.poses), SHORTEST * (end - low)
        while self.by.step_to(self.run, self.t, end, self.now, after) != ARRIVED:
            end = 0.5 * (self.t + end)
            if end - self.t < shortest:
                return None
        if not is_on_other_side(self.now, after):
            return self._over_gap()
        return self._counting(Passage((self.t, end), self.now, after))

    def beyond(self, trace: Array) -> Passage | None:
        """A step over the singular pose, on the same branch; trace: of the march to it."""
        by, run, t, now = self.by, self.run, self.t, self.now
        (t0, *before), (t1, *last) = trace.tolist()
        if t1 <= t0:
            return None
        k = int(np.argmin(np.abs(last)))
        slope = abs(last[k] - before[k]) / (t1 - t0)
        ahead = abs(last[k]) / slope if slope > 0.0 else 0.0
        ahead = min(max(ahead, AGREEMENT * (t1 - t0)), 10.0 * float(np.diff(run.t).max()))
        after = by.new_state(now.poses)
        for far in STEPS_OVER:
            end = t + ahead * (1.0 + far)
            if by.step_to(run, t, end, now, after) != ARRIVED:
                continue
            near = self._counting(Passage((t, end), now, after))
            if near is not None:
                return self._from_afar(t + ahead, WINDOW / slope if slope > 0.0 else 0.0) or near
        return self._over_gap()

    def _from_afar(self, middle: float, half: float) -> Passage | None:
        """The passage from `half` before a singular pose to as far behind it, s, or from nearer,
        where rates are accurate."""
        known = float(self.run.t[self.s]), self._state(self.s)
        for nearer in ASIDE[:4]:
            wide = points_around(self.by, self.run, known, middle, half * nearer)
            found = None if wide is None else self._counting(Passage(wide[0], *wide[1]))
            if found is not None:
                return found
        return None

    def _over_gap(self) -> Passage | None:
        """A step over a gap between two branches in which the mates hold within the tolerance."""
        by, run, whole = self.by, self.run, float(np.diff(self.run.t[self.s : self.s + 2])[0])
        low, known = -np.inf, self.now
        for aside in ASIDE:
            start, end = self.t - aside * whole, self.t + aside * whole
            before = np.flatnonzero(run.t[: self.s + 1] <= start)[-1:]
            if not np.isfinite(self.part.off[before]).any():
                continue
            if low < run.t[before[0]]:
                low, known = float(run.t[before[0]]), self._state(int(before[0]))
                by.enter_at(run, low, known)
            now, after = by.new_state(known.poses), by.new_state(known.poses)
            if not start > low:
                now = known
            elif not by.go_to(run, low, start, known, now):
                continue
            if least_pivot(now) >= SINGULAR:  # from there on: its rates are accurate
                low, known = start, now
            if by.step_to(run, start, end, now, after) == ARRIVED and is_on_other_side(now, after):
                found = self._counting(Passage((start, end), now, after, True))
                if found is not None:
                    return found
        return None

    def _state(self, s: int) -> ChainState:
        """State s, without rates."""
        poses = self.now.poses.copy()
        poses[self.by.chain.bodies] = self.part.poses[s]
        return self.by.new_state(poses)

    def _counting(self, found: Passage) -> Passage | None:
        """A passage, if the mates hold on the way, or its ends are on one side."""
        if is_on_other_side(found.now, found.after):
            t, end = found.ends
            for share in BETWEEN:
                poses = found.between(self.by, share).poses
                if not self.by.residual(self.run, t + share * (end - t), poses) <= self.tolerance:
                    return None
        return found
