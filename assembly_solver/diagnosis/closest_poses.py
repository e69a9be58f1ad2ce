"""The poses at which all constraints but one hold and that one is nearest to holding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..equations.angle_turns import told_by_others
from ..equations.bounds import TravelLimit
from ..equations.residuals import all_residuals, residual_of, worst_off
from ..equations.system import System
from ..equations.table import EquationTable
from ..foundations.types import Array, Ints
from ..solver.active_set import bound_violations
from ..solver.multistart import ALIKE, Closure
from ..solver.sizes import is_small, one_moves
from ..solver.stationary_poses import stationary_poses
from ..structure.replan import with_targets
from .other_starts import disturbed, many_turned
from .subset_solver import RESTARTS, TURNED, SubsetSolver
from .subsets import constraint_numbers

DESCENTS = 6
"""Most descents to the closest value from one start."""

LIGHT = 1e-3
"""A setting: weight of the equations of the constraint that yields to the others, and what those
may be off, as a share of what it gains: a part tilted within their tolerance gains far more."""

SHARES = (0.5, 0.1, 0.02)
"""Shares of the residual by which the value is brought nearer to the required one on trial."""

MOST_STEPS = 24
"""Most steps nearer to the required value."""

MOST_LIMITS = 4
"""Most limits that are taken as stopping a value."""


class Nearest(NamedTuple):
    """Poses of the parts, (parts, 12), where all but one hold, limits included; whether nothing
    nearer was found when it was tried; the limits at their bounds there that stop the value."""

    parts: Array
    tried: bool
    stops: tuple[TravelLimit, ...] = ()


def closest_poses(
    subsets: SubsetSolver, found: Sequence[int], system: System, yielding: int, brief: bool = False
) -> Nearest:
    """Poses where all constraints but one hold, and its residual is smallest; memoised.

    Args:
        found: the contradictory set; system: of its mates, its drivers and its active limits;
            yielding: the index in the system of the constraint that yields; brief: without trials
            of nearer ones.
    """
    key = frozenset(found), constraint_numbers(system)[yielding], system.active_limits, brief
    if key not in subsets.nearest:
        subsets.nearest[key] = _within_limits(subsets, found, system, yielding, brief)
    out: Nearest = subsets.nearest[key]
    return out


def _within_limits(
    subsets: SubsetSolver, found: Sequence[int], system: System, yielding: int, brief: bool
) -> Nearest:
    """The closest poses, with those limits at their bounds that would be exceeded without."""
    number = found[constraint_numbers(system)[yielding]]
    limited = sorted({*found, *subsets.limits_among(found)})
    if not subsets.solved([k for k in limited if k != number])[1]:
        limited = list(found)
    active: list[TravelLimit] = list(system.active_limits)
    while True:
        search = _ClosestPoses(subsets, limited, active, len(system.active_limits), yielding)
        parts, least = search.descended(brief)
        if np.isfinite(least):
            parts = at_rest(search.system, parts, search.rows)
        out = Nearest(parts, False) if brief else search.nearest(parts, least)
        if out.parts is not parts:
            out = out._replace(parts=at_rest(search.system, out.parts, search.rows))
        out = out if brief else search.with_directions(out)
        more = search.exceeded(out.parts)
        if more is None or len(search.stops) == MOST_LIMITS:
            stops = search.at_bounds(out.parts)
            return out._replace(stops=stops, tried=out.tried and more is None)
        active.append(more)


class _ClosestPoses:
    """The search for the closest poses of one constraint.

    Of the active limits those from `first_stop` on stop the value: they are bounds, and equations
    only where they would be exceeded.
    """

    def __init__(
        self,
        subsets: SubsetSolver,
        found: Sequence[int],
        active: Sequence[TravelLimit],
        first_stop: int,
        yielding: int,
    ) -> None:
        self.subsets, self.found, self.yielding = subsets, found, yielding
        self.stops = tuple(active[first_stop:])
        self.system = system = subsets.system(found, tuple(active))
        self.unstopped = subsets.system(found, tuple(active[:first_stop])) if self.stops else system
        self.rows = system.rows([yielding])
        number = constraint_numbers(system)[yielding]
        self.others = [k for n, k in enumerate(found) if n != number]
        limits = system.bounds.names if system.bounds is not None else ()
        first = system.mates + system.drivers
        self.limited = np.array([first + k != number for k in range(len(limits))], bool)

    def exceeded(self, parts: Array) -> TravelLimit | None:
        """The limit, besides the yielding one, that is exceeded most, at the bound."""
        bounds = self.system.bounds
        out = np.where(self.limited, bound_violations(self.system, parts), 0.0)
        if bounds is None or np.abs(out).max(initial=0.0) <= self.system.tolerance:
            return None
        k = int(np.argmax(np.abs(out)))
        limit = self.subsets.assembly.limits[bounds.names[k]]
        return TravelLimit(limit.name, bool(out[k] > 0), limit.bound(bool(out[k] > 0)))

    def at_bounds(self, parts: Array) -> tuple[TravelLimit, ...]:
        """Those of the stops whose limits are at their bounds."""
        first = len(self.system.constraints) - len(self.stops)
        off = self.system.in_mm(residual_of(self.system, parts))[first:]
        return tuple(s for s, d in zip(self.stops, off, strict=True) if d <= self.system.tolerance)

    def with_directions(self, nearest: Nearest) -> Nearest:
        """The same where the directions that the constraint asks for hold, too, if that is found.

        Else a part may be tilted by them towards its value, by the more the more is asked.
        """
        system, target = self.system, self.system.table.target
        valued = self.rows[(target[self.rows] != 0.0) & ~system.angular[self.rows]]
        turned = self.rows[system.angular[self.rows]]
        off = np.abs(all_residuals(system, nearest.parts)[turned]).max(initial=0.0)
        if not len(valued) or off <= system.convergence_tolerance:
            return nearest
        parts = at_rest(system, nearest.parts, valued)
        left = replace(system, table=system.table._replace(target=target.copy()))
        left.table.target[valued] += (
            all_residuals(system, parts)[valued] / system.table.weight[valued]
        )
        if worst_off(left, parts) > system.tolerance or self.exceeded(parts) is not None:
            return nearest
        self.rows = valued
        out = self.nearest(parts, self.off(parts))
        return out._replace(parts=at_rest(system, out.parts, valued))

    def descended(self, brief: bool) -> tuple[Array, float]:
        """The best poses by descents in which the constraint has a thousandth of the weight.

        After each the others are closed.  Near a stretched chain the descent is slow and repeated.
        Brief: only from where the others hold.
        """
        system = self.system
        limits = enumerate(system.active_limits, system.mates + system.drivers)
        active = tuple(s for k, s in limits if k != self.yielding)
        rest = self.subsets.system(self.others, active)
        light = replace(system, table=with_light_rows(system, self.rows))
        alone = self.subsets.solved(self.others)[0].parts
        together = alone if brief else self.subsets.solved(self.found)[0].parts
        starts = [alone] if brief else [alone, together]  # they may lie on different branches
        groups = [np.stack(starts)] if self.subsets.descends(light) else [s[None] for s in starts]
        found = [end for group in groups for end in self._downhill(group, light, rest)]
        return min(found, key=lambda end: end[1])

    def _downhill(self, starts: Array, light: System, rest: System) -> list[tuple[Array, float]]:
        """The best poses from each of some starts, side by side, and what they leave open, mm."""
        best = [(start, np.inf) for start in starts]
        descent = self.subsets.closure(light, attempts=1)  # downhill from there
        closure = self.subsets.closure(rest)
        going = list(range(len(starts)))
        for _ in range(DESCENTS):
            ends = closure.all_from(descent.all_from(np.stack([best[k][0] for k in going])))
            further = []
            for k, parts in zip(going, ends, strict=True):
                if worst_off(rest, parts) > rest.tolerance:
                    continue  # the others do not close from there
                before, off = best[k][1], self.off(parts)
                if off < before:
                    best[k] = parts, off
                if off < (1 - ALIKE) * before:
                    further.append(k)
            going = further
            if not going:
                break
        return best

    def off(self, parts: Array) -> float:
        """Residual of the yielding constraint, mm."""
        return float(self.system.in_mm(residual_of(self.system, parts))[self.yielding])

    def nearer(self, parts: Array, share: float, starts: Sequence[Array] = ()) -> Array | None:
        """Poses where the residual is less by a share, all others holding; None if none is found.

        The values of the yielding constraint are set that much nearer to the required ones, and
        all is closed from those poses, or from some starts.
        """
        enough = min(self.system.tolerance, LIGHT * share * self.off(parts))
        t = self.system.table
        for closure in self._closures() if starts else self.closures:
            f = all_residuals(self.system, parts)[self.rows]
            target = closure.system.table.target.copy()
            target[self.rows] = t.target[self.rows] + (1 - share) * f / t.weight[self.rows]
            system = closure.system
            trial = replace(system, table=system.table._replace(target=target))
            for out in closure.each_from(starts or [parts], target):
                if worst_off(trial, out) <= enough and self.exceeded(out) is None:
                    return out
        return None

    @cached_property
    def closures(self) -> tuple[Closure, ...]:
        """Closures of the system without the stops and with them."""
        return self._closures()

    def _closures(self) -> tuple[Closure, ...]:
        systems = {id(s): s for s in (self.unstopped, self.system)}.values()
        return tuple(self.subsets.closure(s, replanned=with_targets) for s in systems)

    def nearest(self, parts: Array, least: float) -> Nearest:
        """The same after steps nearer to the required value, until none succeeds."""
        t, system = self.system.table, self.system
        counted = told_by_others(t, system.start, system.grounded, int(self.rows[0])) is not None
        if not np.isfinite(least) or self.off(parts) <= system.tolerance or counted:
            return Nearest(parts, np.isfinite(least))
        for _ in range(MOST_STEPS):
            better = self._nearer_if_any(parts)
            if better is None:
                return Nearest(parts, True)
            parts = better
            if self.off(parts) <= system.tolerance:
                break
        return Nearest(parts, False)

    def _nearer_if_any(self, parts: Array) -> Array | None:
        """Nearer poses, as near as one trial comes; where there are none about, from elsewhere."""
        *far, little = SHARES
        near = self.nearer(parts, little)
        if near is not None:
            farther = (self.nearer(parts, share) for share in far)
            return next((p for p in farther if p is not None), near)
        starts = [self.system.start]
        if self.subsets.descends(self.system):
            starts += [*many_turned(self.system, range(1, TURNED + 1))]
        if self.subsets.descends(self.system) or not one_moves(
            self.system
        ):  # a plan closes a pair anyhow
            starts += [disturbed(self.system, k) for k in range(RESTARTS)]
        return self.nearer(parts, little, starts)


def at_rest(system: System, parts: Array, rows: Ints) -> Array:
    """Poses near some others at which some equations are as near to holding as the rest lets them,
    to rounding; those themselves where the system is large."""
    if not is_small(system):
        return parts
    yielding = np.zeros(len(system.table.target), bool)
    yielding[rows] = True
    return stationary_poses(system, parts, yielding, limited=False)


def with_light_rows(system: System, rows: Ints) -> EquationTable:
    """The equations of a system, some of which yield to all others."""
    weight = system.table.weight.copy()
    weight[rows] *= LIGHT
    return system.table._replace(weight=weight)
