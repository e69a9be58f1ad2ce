"""Single steps of a chain, at any time of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import NamedTuple

import numpy as np

from ..foundations.geometry.pose import compose_all
from ..foundations.types import Array
from .chain_arrays import Chain, Given, Now, Scratch, empty_track, point_at, scratch
from .continuation import ARRIVED, STUCK, enter, march, step, take
from .schedule import Run


@dataclass(frozen=True)
class Prescribed:
    """A driver as its equation has it: equation, and radians or mm for each of its units."""

    equation: int
    angular: bool

    @property
    def scale(self) -> float:
        """What one unit of the driver is in the equation."""
        return pi / 180.0 if self.angular else 1.0


class Guided(NamedTuple):
    """A marker that moves on its body as a guide tells: over the time of a run.

    Attributes:
        marker: its number; base: the frame that the guide is told in, on the body, (12,).
        motion: frames, twists of origins, and their derivatives at some times, seen in `base`.
    """

    marker: int
    base: Array
    motion: Callable[[Array], tuple[Array, Array, Array]]

    def resting(self, time: float) -> Guided:
        """The same marker at rest where it is at a time, s."""
        frame, _, _ = self.motion(np.array([time]))

        def rest(t: Array) -> tuple[Array, Array, Array]:
            none = np.zeros((len(t), 6))
            return np.repeat(frame, len(t), axis=0), none, none

        return self._replace(motion=rest)

    def at(self, t: Array) -> tuple[Array, Array]:
        """Frames on the body, (n, 12), and spatial twists with their derivatives, (n, 12)."""
        frames, speeds, changes = self.motion(t)
        axes = self.base[3:].reshape(3, 3)
        parts = (*np.split(speeds, 2, axis=1), *np.split(changes, 2, axis=1))
        v, s, a, b = (x @ axes for x in parts)
        on_body = compose_all(np.repeat(self.base[None], len(t), axis=0), frames)
        p = on_body[:, :3]
        spatial = v - np.cross(s, p)
        bent = a - np.cross(b, p) - np.cross(s, v)
        return on_body, np.concatenate([spatial, s, bent, b], axis=1)


@dataclass(frozen=True, eq=False)
class Stepper:
    """A chain with the drivers and guides that change in it, and what residuals to come to.

    Attributes:
        fine, stop: residuals to come to and to hold, mm.
    """

    chain: Chain
    drivers: Mapping[str, Prescribed]
    guides: Mapping[int, Guided]
    fine: float
    stop: float

    @cached_property
    def scratch(self) -> Scratch:
        """Places for intermediate numbers."""
        return scratch(self.chain)

    def fresh(self, poses: Array) -> Now:
        """A place for a point with its rates."""
        return point_at(self.chain, poses)

    def given(self, run: Run, t: Array) -> Given:
        """What a run prescribes at some times."""
        driven = self.chain.driven.tolist()
        names = {p.equation: n for n, p in self.drivers.items()}
        targets = np.empty((len(t), len(driven), 3))
        for d, e in enumerate(driven):
            found = np.stack(run.laws[names[e]](t), axis=1)
            targets[:, d] = found * self.drivers[names[e]].scale
        frames, twists = np.empty((2, len(t), len(self.chain.moving), 12))
        for q, marker in enumerate(self.chain.moving.tolist()):
            frames[:, q], twists[:, q] = self.guides[marker].at(t)
        return Given(t, targets, frames, twists)

    def enter_at(self, run: Run, t: float, now: Now) -> tuple[float, Array]:
        """Take rates at poses that hold at a time; the smallest pivot, and all of them."""
        g, kept = self.given(run, np.array([t])), now.poses.copy()
        least = enter(self.chain, now, kept, g, 0, self.stop, self.scratch)
        return least, self.scratch.pivots.copy()

    def go_to(self, run: Run, start: float, end: float, now: Now, after: Now) -> bool:
        """As many steps as it takes between two times; whether `after` came to the second.

        Where that is singular, it is closed there, with rates of less meaning.
        """
        t = np.array([start, end])
        spare, kept = self.fresh(now.poses), now.poses.copy()
        take(self.chain, after, now, self.scratch)
        status, _, done = march(
            self.chain,
            after,
            spare,
            kept,
            np.zeros((2, *now.speed.shape)),
            self.given(run, t),
            0,
            0.0,
            1,
            self.fine,
            self.stop,
            self.scratch,
            empty_track(self.chain, 2),
            np.zeros((2, 1 + len(self.chain.first) - 1)),
        )
        if status == ARRIVED:
            return True
        status, _ = self.step_to(run, start + done * (end - start), end, after, spare)
        take(self.chain, after, spare, self.scratch)
        return status != STUCK

    def step_to(
        self, run: Run, start: float, end: float, now: Now, after: Now
    ) -> tuple[int, Array]:
        """One step between two times: what became of it, and the pivots."""
        g, none = self.given(run, np.array([end])), np.zeros((2, *now.speed.shape))
        status, _ = step(
            self.chain,
            now,
            after,
            now.poses.copy(),
            none,
            g,
            0,
            1.0,
            end - start,
            self.fine,
            self.stop,
            self.scratch,
        )
        return status, self.scratch.pivots.copy()
