"""The runs of a motion as far as they hold, with the poses between their states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..foundations.geometry.pose import blended
from ..foundations.numerics.rounding import DIGITS, FOURTH
from ..foundations.types import Array, Ints
from ..kinematics.assembly_motion import AssemblyMotion, followed_to
from ..results.motion import Event, Motion
from .sweep_limits import LIMIT


@dataclass(eq=False)
class RunPath:
    """A run of a motion up to where it is stopped, with the poses between its states.

    Attributes:
        n: its number; states: those that hold, (n,).
        t, frames, twists: at them, and just before what stops it; (n,), (n, parts, 12 and 6).
    """

    found: AssemblyMotion
    n: int
    states: Ints
    t: Array
    frames: Array
    twists: Array
    _between: dict[tuple[int, float], tuple[Array, Array]] = field(default_factory=dict)

    def at(self, k: int, t: float) -> Array:
        """Frames of the parts at a time in interval k, (parts, 12)."""
        return self.moving(k, t)[0]

    def moving(self, k: int, t: float) -> tuple[Array, Array]:
        """Frames and twists of the parts at a time in interval k, (parts, 12 and 6); twists are NaN
        where there are none."""
        for state in (k, k + 1):
            if t == self.t[state]:
                return self.frames[state], self.twists[state]
        if (k, t) not in self._between:
            self._between[k, t] = self._followed(k, t)
        return self._between[k, t]

    def _followed(self, k: int, t: float) -> tuple[Array, Array]:
        part = self._on(k, t)
        if part.reached[1]:
            return part.frames[1], part.twists[1]
        share = (t - self.t[k]) / (self.t[k + 1] - self.t[k])
        return blended(self.frames[k], self.frames[k + 1], share), np.nan * self.twists[k]

    def _on(self, k: int, t: float) -> AssemblyMotion:
        """The motion from the last state before a time in interval k, to that.

        It may be one between the states of the run, so that turns of drivers can be counted.
        """
        run = self.found.schedule.runs[self.n]
        before = self.found.reached[run.states] & (run.t < t) | (run.states == self.states[k])
        last = int(np.flatnonzero(before)[-1])
        *_, part = followed_to(self.found, run, last, t)
        return part

    def extend(self, stop: Event) -> None:
        """Add the state just before what stops it; its rates only at a limit, for they grow without
        bound towards a dead point."""
        last = len(self.t) - 1
        for before in (DIGITS, FOURTH):  # of the interval; nearer to a dead point not always
            end = stop.t - before * (stop.t - float(self.t[last]))
            part = self._on(last, end)
            if part.reached[1]:
                rates = part.twists[1:] if stop.kind == LIMIT else part.twists[1:] * np.nan
                self.t = np.append(self.t, end)
                self.frames = np.append(self.frames, part.frames[1:], axis=0)
                self.twists = np.append(self.twists, rates, axis=0)
                return


def run_paths(motion: Motion, found: AssemblyMotion) -> Iterator[RunPath]:
    """The runs as far as they hold."""
    stop = motion.stopped
    for n, (states, t, _) in enumerate(motion.runs):
        good = int(np.argmin(np.append(motion.valid[states], False)))
        keep = states[:good]
        path = RunPath(found, n, keep, t[:good], motion.frames[keep], motion.twists[keep])
        if 0 < good < len(states) and stop is not None and t[good - 1] < stop.t < t[good]:
            path.extend(stop)
        if len(path.t):
            yield path
        if good < len(states):
            return
