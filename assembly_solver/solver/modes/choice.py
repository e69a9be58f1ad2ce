"""Poses that a solve led to, and the assembly mode in which it leaves them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...equations.residuals import residual_of
from ...equations.system import System
from ...errors import UnknownMode
from ...foundations.types import Array, Ints
from ...foundations.watch import Watch
from ...structure.plan import Planned
from ...structure.poses import body_poses
from ..active_set import beyond
from ..outcome import Counts
from ..solver import Closed
from .enumeration import Modes

FAR = 0.7
"""Cosine of the turn from which a part may have gone to another assembly mode."""

SLIGHT = 0.9987
"""The same of a start whose mates hold: half the turn from a clear sign to a dead point."""

NEAREST_OF = 64
"""Assembly modes among which the nearest is looked for unasked."""


@dataclass(frozen=True, eq=False)
class Reached:
    """Poses that a plan led to, and what its promises are off there."""

    planned: Planned
    frames: Array
    lengths: Array
    turns: Array
    beyond: Array
    counts: Ints
    rungs: tuple[str, ...] = ()

    @classmethod
    def at(cls, planned: Planned, frames: Array) -> Reached:
        """Poses at which no work was done."""
        work = np.zeros(len(Counts._fields), np.int64)
        system = planned.system
        return cls(planned, frames, *residual_of(system, frames), beyond(system, frames), work)

    @classmethod
    def of(cls, closed: Closed) -> Reached:
        """What a solve came to."""
        at = cls.at(Planned(closed.plan.system, closed.plan), closed.parts)
        return replace(at, counts=closed.counts, rungs=closed.rungs)

    def moved(self, parts: Array) -> Reached:
        """Other poses of the parts that the same work led to."""
        return replace(self.at(self.planned, parts), counts=self.counts, rungs=self.rungs)

    @property
    def system(self) -> System:
        return self.planned.system

    @cached_property
    def each(self) -> Array:
        """What each promise is off, mm, angles at the reach of features."""
        return self.system.in_mm(self.lengths, self.turns)

    @cached_property
    def off(self) -> float:
        """What the worst of them, or of the limits, is off."""
        return float(max(self.each.max(initial=0.0), np.abs(self.beyond).max(initial=0.0)))


def kept_or_nearest(begun: Reached, reached: Reached, watch: Watch) -> Reached:
    """The same in the mode that the start was in, or else in the mode nearest to the start.

    A start whose mates hold is in a mode, and keeps it where it has a pose at the values that
    drivers ask for now.  The nearest is looked for where a part turned far: within a mode parts
    turn as far as their start was off; farther, and a dead point may lie between.
    """
    system = reached.system
    assembled = float(begun.each[: system.mates].max(initial=0.0)) <= system.tolerance
    least = np.sum(reached.frames[:, 3:] * system.start[:, 3:], axis=1).min(initial=3.0)
    near = least > 1.0 + 2.0 * (SLIGHT if assembled else FAR)
    if near or not any(c.loop for c in reached.planned.plan.components):
        return reached
    inner, plan = watch.searching("in search of the nearest mode"), reached.planned.plan
    modes = Modes(plan, body_poses(plan, reached.frames), NEAREST_OF, inner)
    before = modes.switched_from
    if assembled and before is None:
        return reached
    found = (modes.named(before) if assembled and before else None) or modes.nearest
    if found is None or found.name == modes.name:
        return reached
    return reached.moved(found.parts)


def in_mode(reached: Reached, mode: str, watch: Watch) -> Reached | None:
    """The same solved in the mode of this name; None where it has no such pose here."""
    inner, plan = watch.searching(f"in search of mode {mode}"), reached.planned.plan
    modes = Modes(plan, body_poses(plan, reached.frames), watch=inner)
    if not modes.is_name(mode):
        raise UnknownMode(mode, [m.name for m in modes.all])
    found = modes.named(mode)
    return None if found is None else reached.moved(found.parts)
