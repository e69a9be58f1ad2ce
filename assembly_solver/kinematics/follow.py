"""One chain followed through the runs of a schedule, past singular poses where a branch goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .arrays import Chain, Now, Track
from .chain import Prepared
from .march import ARRIVED, SINGULAR, march, take, write
from .schedule import Run, Schedule
from .singular import Obstacle, bridged, dead_point, lost, root_of_determinant
from .stepper import Stepper

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

WINDOW = 5e-3
"""Pivot beside a singular pose from which the states near it are filled."""

LEAPS = (1.0, 3.0, 10.0, 30.0)
"""How far beyond a singular pose a step is tried, in distances from the pose before it."""


@dataclass(eq=False)
class Follower:
    """One chain on its way.

    Attributes:
        prepared, stepper: it, and what takes its steps; states: how many there are in all.
        now: where it is; track: what it did so far.
        obstacles: what it met, in order; where the last stops it, the states behind are not valid.
    """

    prepared: Prepared
    stepper: Stepper
    states: int
    now: Now = field(init=False)
    track: Track = field(init=False)
    obstacles: list[tuple[Run, Obstacle]] = field(default_factory=list)
    singular_start: bool = False

    def __post_init__(self) -> None:
        self.now = self.stepper.fresh(self.prepared.start)
        self.track = _empty(self.chain, self.states)

    @property
    def chain(self) -> Chain:
        """The arrays."""
        return self.prepared.chain

    # ---------------------------------------------------------------- a run
    def go(self, run: Run) -> bool:
        """Follow a run from its first state; whether it came to its last one."""
        g, n, by = self.stepper.given(run, run.t), len(run.t), self.stepper
        part = _empty(self.chain, n)
        least, pivots = by.enter_at(run, float(run.t[0]), self.now)
        if not least >= SINGULAR:
            self.singular_start = True
            return False
        write(self.chain, self.now, 0, 0.0, by.scratch, part)
        trace = np.tile(np.concatenate([run.t[:1], pivots]), (2, 1))
        s, begin, reached = 0, 0.0, 0
        after = by.fresh(self.now.poses)
        kept, higher = self.now.poses.copy(), np.zeros((2, *self.now.speed.shape))
        while True:
            status, s, done = march(
                self.chain, self.now, after, kept, higher, g, s, begin, n - 1, by.fine,
                by.stop, by.scratch, part, trace,
            )  # fmt: skip
            if status == ARRIVED:
                reached = n - 1
                break
            t = float(run.t[s] + done * (run.t[s + 1] - run.t[s]))
            end = self._leap(run, s, t, trace, part)
            reached = s
            if end is None:
                self.obstacles.append((run, self._stopped(run, s, t)))
                break
            reached = s = int(np.searchsorted(run.t, end, side="right")) - 1
            if s >= n - 1:
                reached = n - 1
                break
            begin = float((end - run.t[s]) / (run.t[s + 1] - run.t[s]))
        self._keep(run, part, reached)
        self._crossings(run, part, reached)
        return reached == n - 1

    def _keep(self, run: Run, part: Track, reached: int) -> None:
        """Enter the states of a run that were reached."""
        states = run.states[: reached + 1]
        for whole, own in zip(self.track, part, strict=True):
            whole[states] = own[: reached + 1]
        if run.backward:
            self.track.twists[states] *= -1.0

    def _leap(self, run: Run, s: int, t: float, trace: Array, part: Track) -> float | None:
        """Step over a singular pose close ahead, onto the same branch; the time behind it.

        The states on the way are filled from both sides.  None where nothing leads on.
        """
        (t0, *before), (t1, *last) = trace.tolist()
        if t1 <= t0:
            return None
        k = int(np.argmin(np.abs(last)))
        slope = abs(last[k] - before[k]) / (t1 - t0)
        ahead = abs(last[k]) / slope if slope > 0.0 else 0.0
        ahead = min(max(ahead, 1e-9 * (t1 - t0)), 10.0 * float(np.diff(run.t).max()))
        by = self.stepper
        after = by.fresh(self.now.poses)
        for far in LEAPS:
            end = t + ahead * (1.0 + far)
            if by.step_to(run, t, end, self.now, after)[0] != ARRIVED:
                continue
            wide = self._wide(run, s, t + ahead, WINDOW / slope if slope > 0.0 else 0.0, part)
            ends = (t, end) if wide is None else wide[0]
            now, after = (self.now, after) if wide is None else wide[1]
            found = root_of_determinant(by, run, ends[0], ends[1], now)
            if found is not None:
                self.obstacles.append((run, found))
            self._bridge(run, ends, now, after, part)
            take(self.chain, self.now, after, by.scratch)
            trace[0], trace[1, 0] = trace[1], ends[1]
            trace[1, 1:] = by.enter_at(run, ends[1], self.now)[1]
            return ends[1]
        return None

    def _wide(
        self, run: Run, s: int, middle: float, half: float, part: Track
    ) -> tuple[tuple[float, float], tuple[Now, Now]] | None:
        """Two points on either side of a singular pose, where rates are known well; if there are.

        Args:
            s: the state before; middle: when the pose is passed; half: how far they are from it.
        """
        by, low = self.stepper, float(run.t[s])
        start = max(middle - half, low)
        half = middle - start
        first, now, after = (by.fresh(self.now.poses) for _ in range(3))
        first.poses[self.chain.bodies] = part.poses[s]
        by.enter_at(run, low, first)
        if start > low and by.step_to(run, low, start, first, now)[0] != ARRIVED:
            return None
        now = first if start <= low else now
        end = middle + half
        if not half > 0.0 or by.step_to(run, start, end, now, after)[0] != ARRIVED:
            return None
        return (start, end), (now, after)

    def _bridge(
        self, run: Run, ends: tuple[float, float], now: Now, after: Now, part: Track
    ) -> None:
        """Write the states between two times, from both."""
        t, end = ends
        for s in np.flatnonzero((run.t > t) & (run.t <= end)).tolist():
            share = float((run.t[s] - t) / (end - t))
            point = bridged(self.stepper, now, after, end - t, share)
            self.stepper.scratch.pivots[:] = 0.0
            write(self.chain, point, s, 0.0, self.stepper.scratch, part)

    def _stopped(self, run: Run, s: int, t: float) -> Obstacle:
        """What stops the chain between states s and s + 1 of a run."""
        return dead_point(self.stepper, run, s, t, self.now.poses) or lost(
            self.stepper, s, t, self.now.poses
        )

    # ---------------------------------------------------------------- change points
    def _crossings(self, run: Run, part: Track, reached: int) -> None:
        """Change points that lie between two states or on one, told by the determinants."""
        known = [o.t for r, o in self.obstacles if r is run]
        p = part.pivots[: reached + 1]
        if p.shape[1] == 0:
            return
        flips = np.any(np.sign(p[1:]) * np.sign(p[:-1]) < 0, axis=1)
        for s in np.flatnonzero(flips).tolist():
            low, high = float(run.t[s]), float(run.t[s + 1])
            if any(low <= t <= high for t in known):
                continue
            point = self.stepper.fresh(self.prepared.start)
            point.poses[self.chain.bodies] = part.poses[s]
            self.stepper.enter_at(run, low, point)
            found = root_of_determinant(self.stepper, run, low, high, point)
            if found is not None:
                self.obstacles.append((run, found))
        self.obstacles.sort(key=lambda o: o[1].stops)


def _empty(c: Chain, states: int) -> Track:
    """Places for states, not a number where nothing came yet."""
    bodies, blocks = len(c.bodies), len(c.first) - 1
    return Track(
        poses=np.full((states, bodies, 12), np.nan),
        twists=np.full((states, bodies, 6), np.nan),
        changes=np.full((states, bodies, 6), np.nan),
        off=np.full(states, np.nan),
        pivots=np.full((states, blocks), np.nan),
        substeps=np.zeros(states, np.int64),
    )


def follow(follower: Follower, schedule: Schedule) -> None:
    """Follow a chain through all runs, until something stops it."""
    for run in schedule.runs:
        if not follower.go(run):
            return
