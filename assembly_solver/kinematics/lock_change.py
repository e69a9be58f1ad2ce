"""A locked coordinate released before a dead point that it makes, and another locked instead.

The other one is brought to rest first, so that no velocity jumps: it is driven from its value, rate
and acceleration to rest by a polynomial, and locked from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..equations.table import TwistBasis, jacobian
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array
from .chain import PreparedChain, own_table
from .chain_arrays import ChainState, StateTrack, empty_state_track
from .continuation import SINGULAR, write
from .locked_coordinates import LockedCoordinate
from .schedule import Law, SweepRun
from .singularities import Obstacle, dead_point
from .stepper import DriverEquation, Stepper

BEFORE = (0.02, 0.01, 0.005, 0.002, 5e-4, 1e-4, 3e-5, 1e-5, 1e-6)
"""A setting: times tried from the release to the dead point, as shares of the run."""

BRAKING = (3.0, 1.0)
"""Times tried in which the other comes to rest, as shares of that to the dead point."""

APART = 1e-3
"""A setting: share of the time to come to rest over which an acceleration is a difference of
rates."""

REGULAR = 10.0 * SINGULAR
"""Least pivot where a coordinate is released, and while the other comes to rest."""

BRAKE = "\0brake"
"""Name of the driver that brings a coordinate to rest; no driver of a user has it."""

Prepare = Callable[[Array, Sequence[LockedCoordinate], LockedCoordinate | None], PreparedChain]
"""Prepares a chain at poses with coordinates that stay locked, and one that is not locked."""


class LockChange(NamedTuple):
    """A change of the coordinate that is locked.

    Attributes:
        run: in which it happens; start: time of the release, s; end: from when the other is locked.
        released, held: the two coordinates.
        braking: the chain in between, in which a driver brings the other one to rest; row: its
            equation; law: of that driver, at rest from `end` on.
    """

    run: SweepRun
    start: float
    end: float
    released: LockedCoordinate
    held: LockedCoordinate
    braking: PreparedChain
    row: int
    law: Law


class ChangedChain(NamedTuple):
    """A chain after a change of its lock.

    Attributes:
        prepared: the chain; poses: of all bodies at `change.end`.
        track: the states `first` to `last` of the run, from the release to the end.
    """

    change: LockChange
    prepared: PreparedChain
    poses: Array
    track: StateTrack
    first: int
    last: int


def lock_at_dead_point(prepared: PreparedChain, dead: Obstacle) -> LockedCoordinate | None:
    """The locked coordinate that bears the largest force at a dead point; None where none does."""
    force = np.abs(dead.force)
    at = np.array([int(np.flatnonzero(dead.rows == e)[0]) for e in prepared.locks], np.int64)
    if len(at) == 0 or force[at].max() < FAINT * force.max():
        return None
    return prepared.locked[int(np.argmax(force[at]))]


def beyond_loose_locks(
    by: Stepper, prepared: PreparedChain, again: Prepare, run: SweepRun, dead: Obstacle
) -> Obstacle:
    """The dead point that is left where what is locked because nothing drives it gives way.

    A loose lock makes a dead point a little before that of the mechanism; with others locked there,
    the next one is nearer by the square.
    """
    for _ in BEFORE:
        lock = lock_at_dead_point(prepared, dead)
        if lock is None or not lock.loose:
            break
        made = again(dead.poses, [h for h in prepared.locked if h is not lock], lock)
        if len(made.locked) != len(prepared.locked) or made.singular:
            break
        stepper = replace(by, chain=made.chain)
        found = dead_point(stepper, run, dead.state, dead.t, dead.poses)
        if found is None or found.t <= dead.t:
            break
        prepared, dead = made, found
    return dead


def changed_lock(
    by: Stepper,
    prepared: PreparedChain,
    again: Prepare,
    run: SweepRun,
    dead: Obstacle,
    points: Sequence[tuple[float, Array]],
) -> ChangedChain | None:
    """The chain taken past a dead point with another coordinate locked; None where that fails.

    Args:
        points: times, s, increasing, and poses (all bodies, 12) on the way to the dead point.
    """
    released = lock_at_dead_point(prepared, dead)
    if released is None or not points:
        return None
    whole = float(run.t[-1] - run.t[0])
    for share in BEFORE:
        start = dead.t - share * whole
        known = [p for p in points if p[0] <= start]
        if not known:
            continue
        now = _state_at(by, run, known[-1], start)
        if now is None:
            continue
        others = [h for h in prepared.locked if h is not released]
        made = again(now.poses, others, released)
        if len(made.locked) != len(prepared.locked) or made.singular:
            continue
        if made.locked[len(others)].loose and not released.loose:
            continue
        turns = by.chain.table.reference
        made.chain.table.reference[: len(turns)] = turns[: len(made.chain.table.reference)]
        for braking in BRAKING:
            brake = _Brake(by, made, len(others), run, start, braking * (dead.t - start))
            found = brake.followed(now, released)
            if found is not None:
                return found
    return None


def _state_at(
    by: Stepper, run: SweepRun, known: tuple[float, Array], t: float
) -> ChainState | None:
    """The state at a time, s, from a known pose before it; None where it is nearly singular."""
    begin, poses = known
    now, after = by.new_state(poses), by.new_state(poses)
    by.enter_at(run, begin, now)
    if t > begin and not by.go_to(run, begin, t, now, after):
        return None
    now = after if t > begin else now
    return now if by.enter_at(run, t, now) >= REGULAR else None


class _Brake:
    """A chain in which the coordinate that will be locked comes to rest."""

    def __init__(
        self,
        by: Stepper,
        made: PreparedChain,
        number: int,
        run: SweepRun,
        start: float,
        whole: float,
    ) -> None:
        made = made._replace(chain=made.chain._replace(table=own_table(made.chain.table)))
        self.by, self.made, self.number, self.run, self.start = by, made, number, run, start
        self.row, self.near = int(made.locks[number]), APART * whole
        self.end = min(start + whole, float(run.t[-1]))
        driven = np.append(made.chain.driven, self.row)
        drivers = {**by.drivers, BRAKE: DriverEquation(self.row, False)}
        self.stepper = replace(by, chain=made.chain._replace(driven=driven), drivers=drivers)

    def followed(self, now: ChainState, released: LockedCoordinate) -> ChangedChain | None:
        """The states from the release to rest, with the chain after them; None if it sticks."""
        law = self._law(now)
        if law is None:
            return None
        run, by = replace(self.run, laws={**self.run.laws, BRAKE: law}), self.stepper
        after, track = by.new_state(now.poses), empty_state_track(by.chain, len(run.t))
        inside = np.flatnonzero((run.t > self.start) & (run.t < self.end)).tolist()
        last = int(np.searchsorted(run.t, self.end, side="right")) - 1
        t = self.start
        here = by.new_state(now.poses)
        by.enter_at(run, t, here)
        for s in [*inside, -1]:
            at = self.end if s < 0 else float(run.t[s])
            if not by.go_to(run, t, at, here, after) or by.enter_at(run, at, after) < REGULAR:
                return None
            s = last if s < 0 and float(run.t[last]) == self.end else s
            if s >= 0:
                write(by.chain, after, s, 0.0, by.scratch, track)
            (here, after), t = (after, here), at
        value = float(law(np.array([self.end]))[0][0])
        self.made.chain.table.target[self.row] = value
        locked = list(self.made.locked)
        locked[self.number] = held = locked[self.number]._replace(value=value)
        braking = self.made._replace(chain=self.stepper.chain)
        times = self.run, self.start, self.end
        change = LockChange(*times, released, held, braking, self.row, law)
        first = int(np.searchsorted(run.t, self.start, side="right"))
        prepared = self.made._replace(locked=tuple(locked))
        return ChangedChain(change, prepared, here.poses, track, first, last)

    def _law(self, now: ChainState) -> Law | None:
        """From the motion at the release to rest; the rate changes by a cubic polynomial."""
        ahead = self.by.new_state(now.poses)
        if not self.by.go_to(self.run, self.start, self.start + self.near, now, ahead):
            return None
        value, rate = float(self.made.chain.table.target[self.row]), self._rate(now)
        change, whole = (self._rate(ahead) - rate) / self.near, self.end - self.start
        square = -3.0 * rate / whole**2 - 2.0 * change / whole
        cube = 2.0 * rate / whole**3 + change / whole**2
        way = np.polynomial.Polynomial([value, rate, change / 2.0, square / 3.0, cube / 4.0])
        start = self.start

        def law(t: Array) -> tuple[Array, Array, Array]:
            x = np.clip(t - start, 0.0, whole)
            moves = (t - start) < whole
            rates, changes = way.deriv(1)(x), way.deriv(2)(x)
            return way(x), np.where(moves, rates, 0.0), np.where(moves, changes, 0.0)

        return law

    def _rate(self, state: ChainState) -> float:
        """Rate of the coordinate, mm/s or rad/s."""
        c = self.made.chain
        out = np.empty((1, len(c.rows)))
        basis = TwistBasis(c.axes, c.centre, c.length)
        jacobian(c.table, state.poses, np.array([self.row]), c.slot, basis, out)
        speed = np.zeros(len(c.rows))
        free = c.slot >= 0
        speed[c.slot[free]] = state.speed[free]
        return float(out[0] @ speed) / float(c.table.weight[self.row])
