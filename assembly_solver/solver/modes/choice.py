"""The poses that a solve reached, and the choice of their assembly mode."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...equations.residuals import residual_of
from ...equations.system import Residuals, System
from ...errors import UnknownMode
from ...foundations.remembered import remembered
from ...foundations.types import Array, Ints
from ...foundations.watch import Watch
from ...structure.plan import PlannedSystem
from ...structure.poses import body_poses
from ..active_set import bound_violations
from ..outcome import Counts
from ..solver import Closed
from .enumeration import LONGEST, Modes, modes_around
from .known_signs import known_signs
from .sines import largest_turn

FAR = 0.7
"""Cosine of the rotation from which a part may have changed its assembly mode."""

SLIGHT = 0.9987
"""The same for a start whose mates hold: half the rotation from a clear sign to a dead point."""

NO_WORK = np.zeros(len(Counts._fields), np.int64)
"""The counts of poses at which nothing was done yet, which all of these share."""
NO_WORK.flags.writeable = False

NEAREST_OF = 64
"""Assembly modes among which the nearest is searched where no mode is requested."""


@dataclass(eq=False)
class ReachedPoses:
    """Poses of the parts, (parts, 12), and the residuals of the constraints there.

    Attributes:
        counts: work done; fallbacks: those that helped.
        modes: of a solve from afar, around the poses at which it ended.
        refolded: whether pairs are in a mode that was asked for, which the plan may not place.
    """

    planned: PlannedSystem
    frames: Array
    counts: Ints
    fallbacks: tuple[str, ...] = ()
    modes: Modes | None = None
    refolded: bool = False

    @classmethod
    def at(cls, planned: PlannedSystem, frames: Array) -> ReachedPoses:
        """Poses at which no work was done."""
        return cls(planned, frames, NO_WORK)

    @classmethod
    def of(cls, closed: Closed) -> ReachedPoses:
        """The result of a solve."""
        planned = PlannedSystem(closed.plan.system, closed.plan)
        reached = cls(planned, closed.parts, closed.counts, closed.fallbacks)
        reached.__dict__["residuals"] = closed.residuals
        return reached

    def moved(self, parts: Array) -> ReachedPoses:
        """Other poses of the parts from the same work."""
        work = self.planned, parts, self.counts, self.fallbacks, self.modes, self.refolded
        return ReachedPoses(*work)

    @property
    def folded(self) -> bool:
        """Whether a solve from afar ended where closures of a loop meet."""
        if self.modes is None:
            return False
        signs = self.modes.signs(body_poses(self.modes.plan, self.frames))
        return "0" in signs[:LONGEST]

    @property
    def system(self) -> System:
        return self.planned.system

    @remembered
    def turn(self) -> float:
        """Cosine of the largest rotation of a part since the start."""
        return float(largest_turn(self.planned.system.start, self.frames))

    @remembered
    def residuals(self) -> Residuals:
        """Residual of each constraint."""
        return residual_of(self.planned.system, self.frames)

    @remembered
    def bound_violations(self) -> Array:
        """Violations of the limited coordinates, mm."""
        return bound_violations(self.system, self.frames)

    @remembered
    def each(self) -> Array:
        """Residual of each constraint, mm; angles times the characteristic length."""
        return self.system.in_mm(self.residuals)

    @remembered
    def off(self) -> float:
        """Largest residual, or violation of a limit, mm."""
        return float(
            max(self.each.max(initial=0.0), np.abs(self.bound_violations).max(initial=0.0))
        )

    def exceeds(self, limit: float) -> bool:
        """Whether the largest residual, or violation of a limit, is above so many mm, as `off`."""
        system = self.planned.system
        if not system.within(self.residuals, limit):
            return True
        return system.bounds is not None and bool((np.abs(self.bound_violations) > limit).any())

    @remembered
    def holds(self) -> bool:
        """Whether the constraints and the limits hold."""
        return not self.exceeds(self.planned.system.tolerance)

    @remembered
    def assembled(self) -> bool:
        """Whether the mates hold, without drivers: such a start is in an assembly mode."""
        system, found = self.planned.system, self.residuals
        if system.mates < len(system.constraints):
            found = found.first(system.mates)
        return system.within(found, system.tolerance)


def in_start_mode_or_nearest(
    begun: ReachedPoses, reached: ReachedPoses, watch: Watch
) -> ReachedPoses:
    """The same in the mode of the start, or else in the mode nearest to the start.

    A start whose mates hold is in a mode, which is kept where it has a pose at the present values
    of the drivers.  The nearest mode is searched where a part rotated far: within a mode, parts
    rotate about as far as their start was off; beyond that a dead point may be between.
    """
    assembled = begun.assembled
    if reached.turn > (SLIGHT if assembled else FAR):  # without a plan
        return reached
    start, known = reached.system.start, known_signs(reached.planned.known)
    if assembled and known is not None and not known.switched(start, reached.frames):
        return reached
    plan = reached.planned.plan
    if not plan.loops:
        return reached
    inner = watch.searching("in search of the nearest mode")
    modes = Modes(plan, body_poses(plan, reached.frames), NEAREST_OF, inner)
    before = modes.switched_from
    if assembled and before is None:
        return reached
    found = (modes.named(before) if assembled and before else None) or modes.nearest
    if found is not None and found.name != modes.name:
        reached = reached.moved(found.parts)
    return reached if assembled else replace(reached, modes=modes)


def in_mode(reached: ReachedPoses, mode: str, watch: Watch) -> ReachedPoses | None:
    """The same solved in the mode of this name; None where it has no such pose here."""
    inner, plan = watch.searching(f"in search of mode {mode}"), reached.planned.plan
    modes = modes_around(plan, reached.frames, watch=inner)
    if not modes.is_name(mode):
        raise UnknownMode(mode, [m.name for m in modes.all])
    found = modes.named(mode)
    return None if found is None else replace(reached.moved(found.parts), refolded=modes.folds)
