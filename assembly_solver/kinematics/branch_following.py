"""Continuation of one chain through the runs of a schedule and past change points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array, Ints
from .chain import CLEARLY_REGULAR, PreparedChain
from .chain_arrays import (
    SAME_SIDE,
    TELL,
    Chain,
    ChainState,
    MarchRecord,
    MarchSpan,
    StateTrack,
    empty_state_track,
    step_work,
)
from .continuation import (
    ARRIVED,
    CROSSED,
    ILL_CHOSEN,
    SINGULAR,
    accept,
    is_on_other_side,
    least_pivot,
    write,
)
from .leaps import follow
from .lock_change import LockChange, Prepare, beyond_loose_locks, changed_lock, lock_at_dead_point
from .passing import NARROW, Passage, Passing
from .schedule import Law, SweepRun
from .singularities import (
    DEAD_POINT,
    Obstacle,
    change_point,
    dead_point,
    displacement,
    end_of_branch,
)
from .stepper import Stepper

BETTER = 10.0
"""Factor by which the smallest pivot must grow for a chain prepared again to be used."""

MOST_CHANGES = 20
"""Most changes of locked coordinates in a sweep."""

RECORDED = ("poses", "twists", "changes", "off", "substeps", "turned")
"""What is kept of each state."""


@dataclass(eq=False)
class ChainFollower:
    """Continuation of one chain through the runs of a sweep.

    Attributes:
        prepared, stepper: the chain and its steps; states: number of states of the sweep.
        prepare_again: prepares the chain at other poses (bodies, 12), relative to the root, where
            its equations become dependent.
        tolerance: what mates may be off, mm.
        hold_any: whether another coordinate may be locked at a dead point that a locked one makes.
        regular_only: whether it stops before a pose that may be singular, without looking at it.
        now: present state; track: motion so far.
        obstacles: singular poses met, in order; after one that stops it no state is valid.
        changes: of locked coordinates, in order; sections: the chain between them; section: of each
            state, (states,), -1 - n while change n is under way.
        singular_start: whether no rates exist because the first state is singular.
        laws: of the last run; ahead: present time, s, where a step over a singular pose passed the
            last state of the run; behind: time and poses before that singular pose.
    """

    prepared: PreparedChain
    stepper: Stepper
    states: int
    prepare_again: Prepare
    tolerance: float
    hold_any: bool = False
    regular_only: bool = False
    now: ChainState = field(init=False)
    track: StateTrack = field(init=False)
    obstacles: list[tuple[SweepRun, Obstacle]] = field(default_factory=list)
    changes: list[LockChange] = field(default_factory=list)
    sections: list[PreparedChain] = field(init=False)
    section: Ints = field(init=False)
    singular_start: bool = False
    ahead: float | None = None
    laws: Mapping[str, Law] | None = None
    behind: tuple[float, Array] | None = None

    def __post_init__(self) -> None:
        self.now = self.stepper.new_state(self.prepared.start)
        self.track = empty_state_track(self.chain, self.states)
        self.sections, self.section = [self.prepared], np.zeros(self.states, np.int64)

    @property
    def chain(self) -> Chain:
        """The arrays."""
        return self.prepared.chain

    # ---------------------------------------------------------------- a run
    def follow(self, run: SweepRun) -> bool:
        """Follow a run from its first state; whether the last one was reached."""
        if self._is_at_rest(run):
            return True
        first, begin = 0, 0.0
        if self._continues(run) or self._reverses(run):
            begin = (float(self.ahead or 0.0) - float(run.t[0])) / float(run.t[1] - run.t[0])
        elif not self._enter(run):
            return False
        while True:
            part = empty_state_track(self.chain, len(run.t))
            entered = float(run.t[first]), self.now.poses.copy()
            if begin > 0.0:
                entered = entered[0] + begin * float(run.t[first + 1] - run.t[first]), entered[1]
            if begin == 0.0:
                write(self.chain, self.now, first, 0.0, self.stepper.scratch, part)
            reached, t, status = self._march(run, first, begin, part)
            self._write_states(run, part, first if begin == 0.0 else first + 1, reached)
            if status == ARRIVED:
                return True
            least = least_pivot(self.now)
            if status == ILL_CHOSEN:
                self._prepared_again(run, t, least, better=1.0)
                first, begin = reached, 0.0
                continue
            if not self._prepared_again(run, t, least):
                if self.regular_only:
                    return False
                at, by = (reached, t, self.now.poses), self.stepper
                ahead = dead_point(by, run, *at) or end_of_branch(by, *at)
                end = self._lock_changed(run, part, entered, ahead)
                if end is None:
                    self._stop(run, ahead, part)
                    return False
                t = end
            first = int(np.searchsorted(run.t, t, side="right")) - 1
            if first == len(run.t) - 1:
                return True
            begin = float((t - run.t[first]) / (run.t[first + 1] - run.t[first]))

    def _continues(self, run: SweepRun) -> bool:
        """Whether the chain is already past a singular first state of a run."""
        if self.ahead is None or self.laws is not run.laws or len(run.t) < 2:
            return False
        return float(run.t[0]) < self.ahead < float(run.t[1])

    def _reverses(self, run: SweepRun) -> bool:
        """Whether a run reverses at a singular first state; then return to the poses before it."""
        if self.behind is None or self.laws is None or len(run.t) < 2:
            return False
        t, poses = self.behind
        names = list(self.stepper.drivers)
        told = np.array([self.laws[n](np.array([t]))[0][0] for n in names])
        here = np.array([[x[0] for x in run.laws[n](run.t[:1])] for n in names]).reshape(-1, 3)
        if len(names) == 0 or not np.abs(here[:, 1]).max() > 0.0:
            return False
        lead = int(np.argmax(np.abs(here[:, 1])))
        at = float(run.t[0] + (told[lead] - here[lead, 0]) / here[lead, 1])
        back = np.array([run.laws[n](np.array([at]))[0][0] for n in names])
        off = float(np.abs(back - told).max())
        if not run.t[0] < at < run.t[1] or off > AGREEMENT * np.abs(told).max():
            return False
        self.now.poses[:] = poses
        self.stepper.enter_at(run, at, self.now)
        self.laws, self.ahead, self.behind = run.laws, at, None
        return True

    def _is_at_rest(self, run: SweepRun) -> bool:
        """Whether nothing drives the chain in a run; then copy its first state to the others."""
        if len(self.chain.moving) or self.laws is None:
            return False
        for name in self.stepper.drivers:
            value, *rates = run.laws[name](run.t)
            if np.any(value != value[0]) or np.any(rates):
                return False
        for kept in (self.section, *(getattr(self.track, name) for name in RECORDED)):
            kept[run.states] = kept[run.states[0]]
        if not run.silent:
            self.track.twists[run.states] = self.track.changes[run.states] = 0.0
        return True

    def _enter(self, run: SweepRun) -> bool:
        """Compute rates at the first state of a run; whether they exist."""
        t, begun, here, by = float(run.t[0]), self.laws is not None, self.now.poses, self.stepper
        narrow = NARROW * float(np.sqrt(self.tolerance / self.chain.length))
        # to close what holds within the tolerance only would take any pose of any branch
        singular = not begun and by.tolerances.closed < by.residual(run, t, here) <= self.tolerance
        singular = singular and by.enter_at(run, t, self.now, self.tolerance) < narrow
        singular = singular and self.prepared.branches_meet(here, self.tolerance)
        if not singular:
            least = by.enter_at(run, t, self.now)
            singular = not least >= SINGULAR and not self._prepared_again(run, t, least)
        if not (self.prepared.singular or singular):
            self.laws = run.laws
            return True
        if begun:  # it reverses where branches cross: the continuation is not unique
            self.obstacles.append((run, end_of_branch(self.stepper, 0, t, self.now.poses)))
        else:
            self.singular_start = True
            self.now.poses[:] = self.prepared.start
            self._write_without_rates(run, 0, empty_state_track(self.chain, len(run.t)))
        return False

    def _march(
        self, run: SweepRun, s: int, begin: float, part: StateTrack
    ) -> tuple[int, float, int]:
        """Follow a run with the chain as it is: last state and time reached, s, and the outcome."""
        by, n = self.stepper, len(run.t)
        g, work = by.prescribed(run, run.t), step_work(by.new_state(self.now.poses), by.scratch)
        t = float(run.t[s])
        if n > s + 1:
            t += begin * float(run.t[s + 1] - run.t[s])
        trace = np.tile(np.concatenate([[t], self.now.pivots]), (2, 1))
        record, side = MarchRecord(part, trace), TELL
        narrow = NARROW * float(np.sqrt(self.tolerance / self.chain.length))
        while True:
            span = MarchSpan(s, begin, n - 1 if side == TELL else s + 1)
            tolerances = by.tolerances._replace(side=side, narrow=narrow)
            status, s, done = follow(self.chain, self.now, work, g, span, tolerances, record)
            self.ahead = None
            if status == ILL_CHOSEN or (status == ARRIVED and s == n - 1):
                return s, float(run.t[s]), status
            if status == ARRIVED:
                begin, side = 0.0, TELL
                continue
            t = float(run.t[s] + done * (run.t[s + 1] - run.t[s]))
            if self.regular_only:
                by.enter_at(run, t, self.now)
                return s, t, status
            passing = Passing(by, run, s, t, self.now, part, self.tolerance)
            if status == CROSSED:
                over = passing.ahead()
            else:
                over = None if self._regular() else passing.beyond(trace)
            if over is None and status == CROSSED:
                begin, side = done, SAME_SIDE
                continue
            if over is None:
                by.enter_at(run, t, self.now)
                return s, t, status
            end = self._pass(run, over, trace, part)
            s, side = int(np.searchsorted(run.t, end, side="right")) - 1, TELL
            if s >= n - 1:
                self.ahead = end
                return n - 1, end, ARRIVED
            begin = float((end - run.t[s]) / (run.t[s + 1] - run.t[s]))

    def _regular(self) -> bool:
        """Whether the pose is regular, and only the chosen ones of its equations are singular."""
        p = self.prepared
        return len(p.rows) > len(p.chain.rows) and p.regularity(self.now.poses) >= CLEARLY_REGULAR

    def _prepared_again(
        self, run: SweepRun, t: float, least: float, better: float = BETTER
    ) -> bool:
        """Prepare the chain again at its present poses; whether it is more regular then.

        Args:
            least: its smallest pivot now; better: factor by which that must grow.
        """
        before = self.prepared, self.stepper, self.now
        made = self.prepare_again(self.now.poses, self.prepared.locked, None)
        if len(made.locked) != len(self.prepared.locked):
            return False  # the pose itself is singular: it has more freedoms than its neighbours
        turns = self.chain.table.reference
        made.chain.table.reference[: len(turns)] = turns[: len(made.chain.table.reference)]
        self.prepared, self.stepper = made, replace(self.stepper, chain=made.chain)
        self.now = self.stepper.new_state(self.now.poses)
        least, fine = max(better * least, SINGULAR), self.stepper.tolerances.fine
        if self.stepper.enter_at(run, t, self.now, fine) > least and not made.singular:
            self.sections.append(made)
            return True
        self.prepared, self.stepper, self.now = before
        self.stepper.enter_at(run, t, self.now)
        return False

    def _lock_changed(
        self, run: SweepRun, part: StateTrack, entered: tuple[float, Array], dead: Obstacle
    ) -> float | None:
        """Lock another coordinate before an obstacle; the time from which it is, s, or None.

        Args:
            part: the states of the run so far; entered: time and poses from which they began.
        """
        if len(self.changes) >= MOST_CHANGES:
            return None
        lock = lock_at_dead_point(self.prepared, dead)
        if lock is None or not (self.hold_any or lock.loose):
            return None
        points = [entered]
        for s in np.flatnonzero((run.t > entered[0]) & np.isfinite(part.off)).tolist():
            poses = self.now.poses.copy()
            poses[self.chain.bodies] = part.poses[s]
            points.append((float(run.t[s]), poses))
        by = self.stepper
        found = changed_lock(by, self.prepared, self.prepare_again, run, dead, points)
        if found is None:
            return None
        self.track.off[run.states[found.first :]] = np.nan
        self._write_states(run, found.track, found.first, found.last)
        begin, end = found.change.start, found.change.end
        self.section[run.states[found.first : found.last + 1]] = len(self.sections)  # at its end
        self.section[run.states[(run.t > begin) & (run.t < end)]] = -1 - len(self.changes)
        self.obstacles = [(r, o) for r, o in self.obstacles if r is not run or o.t <= begin]
        self.prepared, self.stepper = found.prepared, replace(by, chain=found.prepared.chain)
        self.sections.append(self.prepared)
        self.changes.append(found.change)
        self.now = self.stepper.new_state(found.poses)
        self.stepper.enter_at(run, end, self.now)
        return end

    def _write_states(self, run: SweepRun, part: StateTrack, first: int, last: int) -> None:
        """Write the reached states of a run to the track, of a silent run only the last."""
        first = max(first, len(run.t) - 1) if run.silent else first
        states = run.states[first : last + 1]
        for name in RECORDED:
            getattr(self.track, name)[states] = getattr(part, name)[first : last + 1]
        self.section[states] = len(self.sections) - 1
        if run.backward:
            self.track.twists[states] *= -1.0

    def _stop(self, run: SweepRun, end: Obstacle, part: StateTrack) -> None:
        """Keep what ends a run; the state after those reached is written if it is on it."""
        s, by = end.state + 1, self.stepper
        if end.kind == DEAD_POINT:
            end = beyond_loose_locks(by, self.prepared, self.prepare_again, run, end)
            if (
                s < len(run.t)
                and by.residual(run, float(run.t[s]), end.poses) <= by.tolerances.closed
            ):
                self.now = by.new_state(end.poses)
                self._write_without_rates(run, s, part)
        self.obstacles.append((run, end))

    def _write_without_rates(self, run: SweepRun, s: int, part: StateTrack) -> None:
        """Write the present poses as a state of a run at which no rates exist."""
        now = self.stepper.new_state(self.now.poses)
        worst = self.stepper.residual(run, float(run.t[s]), now.poses)
        now.speed[:], now.change[:] = np.nan, np.nan
        write(self.chain, now, s, worst, self.stepper.scratch, part)
        self._write_states(run, part, s, s)

    def on_dead_point(self, run: SweepRun, dead: Obstacle) -> bool:
        """Whether a state of a run lies on the dead point that ends it."""
        after = run.states[dead.state + 1 : dead.state + 2]
        return dead.kind == DEAD_POINT and bool(np.isfinite(self.track.off[after]).any())

    def _pass(self, run: SweepRun, over: Passage, trace: Array, part: StateTrack) -> float:
        """Go on beyond a singular pose, which is noted; the time reached, s.

        States in between are interpolated.
        """
        by, (t, end) = self.stepper, over.ends
        self.behind = t, over.now.poses.copy()
        if is_on_other_side(over.now, over.after):
            self._note_change_point(run, over)
        self._fill(run, over, part)
        accept(self.chain, self.now, over.after, by.scratch)
        by.enter_at(run, end, self.now)
        trace[0], trace[1, 0], trace[1, 1:] = trace[1], end, self.now.pivots
        return end

    def _note_change_point(self, run: SweepRun, over: Passage) -> None:
        """Record the change point that was passed.

        A pose at which the excluded equations are independent is not singular.
        """
        found, p = change_point(self.stepper, run, *over), self.prepared
        if len(p.rows) == len(p.chain.rows) or p.regularity(found.poses) < CLEARLY_REGULAR:
            self.obstacles.append((run, found))

    def _fill(self, run: SweepRun, over: Passage, part: StateTrack) -> None:
        """Write interpolated states between two times, closed where a pose that is near does."""
        t, end = over.ends
        for s in np.flatnonzero((run.t > t) & (run.t <= end)).tolist():
            point = over.between(self.stepper, float((run.t[s] - t) / (end - t)))
            worst = self._close_nearby(run, float(run.t[s]), point)
            write(self.chain, point, s, worst, self.stepper.scratch, part)

    def _close_nearby(self, run: SweepRun, t: float, point: ChainState) -> float:
        """Close a state by less than the tolerance, if that does; what its mates are off then, mm.

        Its rates stay those of the way over, which near a singular pose no solution has as well.
        """
        by, c = self.stepper, self.chain
        near = by.new_state(point.poses)
        by.enter_at(run, t, near)
        worst = by.residual(run, t, near.poses)
        gone = [displacement(c, point.poses[b], near.poses[b], b) for b in c.bodies.tolist()]
        if worst <= by.tolerances.closed and np.abs(gone).max(initial=0.0) <= self.tolerance:
            point.poses[:] = near.poses
            return worst
        return by.residual(run, t, point.poses)
