"""Limits in the solve: an active set around the plan.

The mates and drivers are solved first without limits.  Where a coordinate is out of its bounds, the
limit with the largest violation becomes active: it fixes the coordinate at the nearer bound, as a
driver would, and all is solved again from the same start; one limit of each component at a time.
An active limit that is not needed in the end is released.  Where the active limits cannot be met,
other sets are tried: without an earlier limit, from poses within the limit (on the other branch of
a loop), and at the other bound.

Source: the primal active-set method, J. Nocedal and S. Wright, Numerical Optimization, chapter 16.
"""

from __future__ import annotations

from dataclasses import replace
from math import degrees, inf
from typing import NamedTuple

import numpy as np

from ..equations.bounds import Bounds, TravelLimit
from ..equations.residuals import hold, residuals_at, worst_off
from ..equations.system import System, compile_system
from ..foundations.numerics.broyden import ETA
from ..foundations.types import Array
from ..foundations.watch import Stopped, Watch
from ..model.assembly import Assembly
from ..model.snapshot import Snapshot
from ..structure.plan import Plan, make_plan
from .solver import Closed, Hopeless, solve

MOST_SOLVES = 40
"""Active sets that are tried before a solve within limits fails."""

MOST_PROBES = 2
"""Poses within a limit from which a thorough search is repeated."""

ActiveLimits = tuple[TravelLimit, ...]


def coordinates(bounds: Bounds, parts: Array) -> Array:
    """Values of the limited coordinates at poses of the parts, (parts, 12), in mm and rad."""
    return residuals_at(bounds.table, parts)


def bound_violations(system: System, parts: Array) -> Array:
    """Violation of the bounds of each coordinate, mm; angles times the characteristic length.

    Positive above the upper bound, negative below the lower one; empty without limits.
    """
    b = system.bounds
    if b is None:
        return np.empty(0)
    value = coordinates(b, parts)
    out = np.maximum(value - b.high, 0.0) + np.minimum(value - b.low, 0.0)
    scaled: Array = np.where(b.angular, system.length, 1.0) * out
    return scaled


def worst_violation(system: System, parts: Array) -> float:
    """Largest residual or violation of a limit, mm; angles times the characteristic length."""
    return max(worst_off(system, parts), _largest(bound_violations(system, parts)))


def holds_within_bounds(system: System, parts: Array) -> bool:
    """Whether all constraints hold at poses of the parts, (parts, 12), and no limit is violated."""
    return within_bounds(system, parts) and hold(system, parts, system.tolerance)


def within_bounds(system: System, parts: Array) -> bool:
    """Whether no limit is violated at poses of the parts, (parts, 12)."""
    if system.bounds is None:
        return True
    return _largest(bound_violations(system, parts)) <= system.tolerance


def _largest(violations: Array) -> float:
    return float(np.abs(violations).max(initial=0.0))


def solve_within_limits(
    given: Snapshot,
    plan: Plan,
    eta: float = ETA,
    thorough: bool = True,
    reversed_senses: frozenset[str] | None = None,
    watch: Watch | None = None,
    brief: bool = False,
    hopeless: Hopeless | None = None,
) -> Closed:
    """Poses that satisfy every constraint of a plan within the limits of its assembly.

    Args:
        given, reversed_senses: the plan was made from them; plan: one without active limits.
        eta, thorough, watch, brief, hopeless: as for `solver.solve`.

    Returns:
        The poses; `plan.system` names the active limits.  Where these cannot be met it is the
        compromise with the first active set that failed; where it is hopeless, any poses.

    Raises:
        Stopped: the watch cancelled the solve.
    """
    closed = solve(plan, eta, thorough, watch, brief=brief, hopeless=hopeless)
    system = plan.system
    if system.bounds is None or not closed.holds:
        return closed
    if _largest(bound_violations(system, closed.parts)) <= system.convergence_tolerance:
        return closed
    if hopeless is not None and hopeless(True):
        return closed
    options = _Options(eta, thorough, reversed_senses, brief)
    return _ActiveSetSearch(given.assembly, plan, options, watch or Watch()).from_free(closed)


class _Node(NamedTuple):
    """An active set to try from a start (its number), or with `probe` a new start to compute."""

    active: ActiveLimits
    start: int
    probe: TravelLimit | None = None


class _Options(NamedTuple):
    """What each solve of a search is done with, see `solve_within_limits`."""

    eta: float
    thorough: bool
    senses: frozenset[str] | None
    brief: bool


class _ActiveSetSearch:
    """Depth-first search over active sets.

    Start 0 is the user's; the others are poses computed with a probe, a limit at some value.
    """

    def __init__(self, assembly: Assembly, plan: Plan, options: _Options, watch: Watch) -> None:
        self.assembly, self.plan, self.options = assembly, plan, options
        self.watch = watch.searching("while limits were kept")
        self.probes = MOST_PROBES if options.thorough else 0
        self.starts = [plan.system.start]
        self.known: dict[tuple[frozenset[TravelLimit], int], Closed] = {}
        self.counts = np.zeros(5, np.int64)

    def from_free(self, free: Closed) -> Closed:
        """The search, from the solution without limits.

        A probe becomes a new start; a set that does not hold is tried without an earlier limit.
        """
        self.known[frozenset(), 0] = free
        self.counts += free.counts
        best, least, failed = free, np.inf, None
        stack = [_Node((), 0)]
        while stack and len(self.known) < MOST_SOLVES:
            node = stack.pop()
            if node.probe is not None:
                if len(self.starts) <= self.probes:  # from those poses, whether they hold
                    probed = self._at((*node.active, node.probe), node.start)
                    self.starts.append(probed.parts)
                    stack.append(_Node(node.active, len(self.starts) - 1))
                continue
            closed = self._at(node.active, node.start)
            if not closed.holds:
                failed, self.options = failed or closed, self.options._replace(thorough=False)
                for earlier in node.active[:-1]:
                    fewer = tuple(s for s in node.active if s != earlier)
                    if (frozenset(fewer), node.start) not in self.known:
                        stack.append(_Node(fewer, node.start))
                continue
            out = self._violations(closed)
            worst = _largest(out)
            if worst <= closed.plan.system.convergence_tolerance:
                return self._result(self._released(node.active, node.start, closed))
            if worst < least:
                best, least = closed, worst
            stack += self._tighter(node.active, node.start, closed, out)
        if failed is not None and least > best.plan.system.tolerance:
            best = failed
        return self._result(best)

    def _result(self, closed: Closed) -> Closed:
        """The result with all the work done, on the user's start."""
        system = replace(closed.plan.system, start=self.starts[0])
        return replace(closed, plan=replace(closed.plan, system=system), counts=self.counts)

    def _at(self, active: ActiveLimits, start: int) -> Closed:
        """The solution with an active set from a start, cached."""
        key = frozenset(active), start
        if key not in self.known:
            o = self.options
            system = compile_system(self.assembly, o.senses, tuple(sorted(active)))
            plan = make_plan(replace(system, start=self.starts[start]))
            try:
                self.known[key] = solve(plan, o.eta, o.thorough, self.watch, brief=o.brief)
            except Stopped as interruption:
                interruption.closed = self._result(interruption.closed)
                raise
            self.counts += self.known[key].counts
        return self.known[key]

    def _violations(self, closed: Closed) -> Array:
        """Violation of each coordinate's bounds, 0 for active limits."""
        system = closed.plan.system
        out = bound_violations(system, closed.parts)
        assert system.bounds is not None
        names = system.bounds.names
        out[[names.index(s.limit) for s in system.active_limits]] = 0.0
        return out

    def _tighter(self, active: ActiveLimits, start: int, closed: Closed, out: Array) -> list[_Node]:
        """What to try where limits are violated; the last is tried first.

        The worst limit of each component at its bound; a start at which the worst of all is as far
        inside its bound as it was outside; and that limit at its other bound.
        """
        b = closed.plan.system.bounds
        assert b is not None
        worst = np.abs(out).max()
        violated = np.flatnonzero(np.abs(out) > closed.plan.system.convergence_tolerance).tolist()
        violated.sort(key=lambda k: (-round(abs(out[k]) / worst, 9), b.names[k]))
        chosen: dict[int, TravelLimit] = {}
        for k, c in zip(violated, _components(closed.plan, b, violated), strict=True):
            chosen.setdefault(c, self._active_limit(b.names[k], out[k] > 0))
        first = next(iter(chosen.values()))
        value = coordinates(b, closed.parts)[violated[0]]
        within = 2 * first.value - (degrees(value) if b.angular[violated[0]] else float(value))
        nodes = [_Node((*active, *chosen.values()), start)]
        limit = self.assembly.limits[first.limit]
        if len(self.starts) <= self.probes:
            low = -inf if limit.min is None else limit.min
            inside = max(low, within if limit.max is None else min(within, limit.max))
            nodes.insert(0, _Node(active, start, first._replace(value=inside)))
        if start == 0 and (limit.min if first.upper else limit.max) is not None:
            opposite = self._active_limit(first.limit, not first.upper)
            nodes.insert(0, _Node((*active, opposite), start))
        return nodes

    def _active_limit(self, name: str, upper: bool) -> TravelLimit:
        return TravelLimit(name, bool(upper), self.assembly.limits[name].bound(bool(upper)))

    def _released(self, active: ActiveLimits, start: int, closed: Closed) -> Closed:
        """The solution without the active limits that are not needed."""
        k, most = 0, len(self.known) + 2 * len(active)
        while k < len(active) and len(active) > 1 and len(self.known) < most:
            fewer = active[:k] + active[k + 1 :]
            trial = self._at(fewer, start)
            tolerance = trial.plan.system.convergence_tolerance
            if trial.holds and _largest(self._violations(trial)) <= tolerance:
                active, closed, k = fewer, trial, 0
            else:
                k += 1
        return closed


def _components(plan: Plan, b: Bounds, limits: list[int]) -> list[int]:
    """The component of each of some limits, -1 for a limit across several."""
    home = {body: k for k, c in enumerate(plan.components) for body in c.bodies}
    table = b.table
    n = table.term_measure[table.first_term[limits]]
    ends = [table.marker_body[m[n]] for m in (table.marker_a, table.marker_b)]
    out = []
    for x, y in plan.bodies.of_part[np.stack(ends, axis=1)].tolist():
        either = [plan.components[home[b]] for b in (x, y) if b in home]
        inside = [plan.components.index(c) for c in either if {x, y} <= {*c.bodies, c.root}]
        out.append(inside[0] if inside else -1)
    return out
