"""Steps of a chain between any two times of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import NamedTuple

import numpy as np

from ..equations.table import residuals
from ..foundations.geometry.pose import compose_all
from ..foundations.types import Array
from .chain_arrays import (
    Chain,
    ChainState,
    MarchRecord,
    MarchSpan,
    PrescribedValues,
    Scratch,
    StepEnd,
    Tolerances,
    chain_state,
    empty_state_track,
    scratch,
    step_work,
)
from .continuation import ARRIVED, ILL_CHOSEN, STUCK, accept, enter, step
from .leaps import follow
from .prescribed_motion import prescribe
from .schedule import SweepRun


@dataclass(frozen=True)
class DriverEquation:
    """The equation of a driver; `angular`: whether it is an angle."""

    equation: int
    angular: bool

    @property
    def scale(self) -> float:
        """Unit of the driver (degree or mm) in that of the equation (rad or mm)."""
        return pi / 180.0 if self.angular else 1.0


class GuidedMarker(NamedTuple):
    """A marker moved on its body by a guide, over the time of a run.

    Attributes:
        marker: its number; base: frame of the guide, (12,), body coordinates, mm.
        motion: frames (n, 12), velocities of origins with spins (n, 6), and their derivatives
            (n, 6) at n times, in `base`; mm, rad, s.
    """

    marker: int
    base: Array
    motion: Callable[[Array], tuple[Array, Array, Array]]

    def resting(self, time: float) -> GuidedMarker:
        """The marker at rest in its position at a time, s."""
        frame, _, _ = self.motion(np.array([time]))

        def rest(t: Array) -> tuple[Array, Array, Array]:
            none = np.zeros((len(t), 6))
            return np.repeat(frame, len(t), axis=0), none, none

        return self._replace(motion=rest)

    def at(self, t: Array) -> tuple[Array, Array]:
        """Frames (n, 12), and spatial twists with derivatives (n, 12), body coordinates."""
        frames, speeds, changes = self.motion(t)
        axes = self.base[3:].reshape(3, 3)
        parts = (*np.split(speeds, 2, axis=1), *np.split(changes, 2, axis=1))
        v, s, a, b = (x @ axes for x in parts)
        on_body = compose_all(np.repeat(self.base[None], len(t), axis=0), frames)
        p = on_body[:, :3]
        spatial = v - np.cross(s, p)
        spatial_rate = a - np.cross(b, p) - np.cross(s, v)
        return on_body, np.concatenate([spatial, s, spatial_rate, b], axis=1)


@dataclass(frozen=True, eq=False)
class Stepper:
    """Steps of a chain with its drivers and guides, at any time of a run."""

    chain: Chain
    drivers: Mapping[str, DriverEquation]
    guides: Mapping[int, GuidedMarker]
    tolerances: Tolerances

    @cached_property
    def scratch(self) -> Scratch:
        """Buffers for intermediate numbers."""
        return scratch(self.chain)

    def new_state(self, poses: Array) -> ChainState:
        """A state at a copy of poses, without rates."""
        return chain_state(self.chain, poses)

    def prescribed(self, run: SweepRun, t: Array) -> PrescribedValues:
        """Prescribed values of a run at times t (n,), s."""
        driven = self.chain.driven.tolist()
        names = {p.equation: n for n, p in self.drivers.items()}
        targets = np.empty((len(t), len(driven), 3))
        for d, e in enumerate(driven):
            found = np.stack(run.laws[names[e]](t), axis=1)
            targets[:, d] = found * self.drivers[names[e]].scale
        frames, twists = np.empty((2, len(t), len(self.chain.moving), 12))
        for q, marker in enumerate(self.chain.moving.tolist()):
            frames[:, q], twists[:, q] = self.guides[marker].at(t)
        return PrescribedValues(t, targets, frames, twists)

    def residual(self, run: SweepRun, t: float, poses: Array) -> float:
        """Largest residual at poses with the drivers at a time of a run, s; mm."""
        c = self.chain
        prescribe(c, self.prescribed(run, np.array([t])), 0, 1.0, self.scratch)
        off = np.empty(len(c.rows))
        residuals(c.table, poses, c.rows, off)
        return float(np.abs(off).max(initial=0.0))

    def enter_at(
        self, run: SweepRun, t: float, now: ChainState, within: float | None = None
    ) -> float:
        """Compute rates at time t, s, where mates hold; the smallest pivot.

        Args:
            within: residual, mm, above which poses are corrected; by default that of closed mates.
        """
        g, kept = self.prescribed(run, np.array([t])), now.poses.copy()
        closed = self.tolerances.closed if within is None else within
        return enter(self.chain, now, kept, g, 0, closed, self.scratch)

    def go_to(
        self, run: SweepRun, start: float, end: float, now: ChainState, after: ChainState
    ) -> bool:
        """Follow the chain between two times, s, in steps; whether `after` reached the second.

        Where that is singular, the chain is closed with inaccurate rates.
        """
        t = np.array([start, end])
        spare = self.new_state(now.poses)
        accept(self.chain, after, now, self.scratch)
        record = MarchRecord(empty_state_track(self.chain, 2), np.zeros((2, len(self.chain.first))))
        values, span = self.prescribed(run, t), MarchSpan(0, 0.0, 1)
        work = step_work(spare, self.scratch)
        status, _, done = follow(self.chain, after, work, values, span, self.tolerances, record)
        if status in (ARRIVED, ILL_CHOSEN):
            return True
        status = self.step_to(run, start + done * (end - start), end, after, spare)
        accept(self.chain, after, spare, self.scratch)
        return status != STUCK

    def step_to(
        self, run: SweepRun, start: float, end: float, now: ChainState, after: ChainState
    ) -> int:
        """One step between times, s; the outcome, see `continuation`."""
        values, last = self.prescribed(run, np.array([end])), StepEnd(0, 1.0, end - start)
        work = step_work(after, self.scratch)
        return step(self.chain, now, work, values, last, self.tolerances)[0]
