"""Limits inside the solve: an active set around the plan.

The mates and drivers are solved first as if there were no limits.  Where a coordinate is out of its
bounds, the limit that is most off holds it at the nearer bound as a driver would, and all is solved
again from the same start; limits of different components do so together.  A limit that holds by
itself in the end is let go again.  Where the bounds that were taken cannot be met, others are
tried: without a limit taken before, from poses within the limit (on the other branch of a loop), at
the other bound.

Source: the primal active-set method, J. Nocedal and S. Wright, Numerical Optimization, chapter 16.
"""

from __future__ import annotations

from dataclasses import replace
from math import degrees, inf
from typing import NamedTuple

import numpy as np

from ..equations.bounds import Bounds, Stop
from ..equations.residuals import worst_off
from ..equations.system import System, compile_system
from ..equations.table import residuals
from ..foundations.numerics.broyden import ETA
from ..foundations.types import Array
from ..foundations.watch import Stopped, Watch
from ..model.assembly import Assembly
from ..structure.plan import Plan, make_plan
from .solver import Closed, solve

MOST_SOLVES = 40
"""Sets of stops that are tried before a solve within limits is given up."""

MOST_PROBES = 2
"""Poses within a limit from which a thorough search is taken up once more."""

Stops = tuple[Stop, ...]


def coordinates(bounds: Bounds, parts: Array) -> Array:
    """What the limits bound at poses of the parts, mm and rad."""
    out = np.empty(len(bounds.names))
    residuals(bounds.table, parts, np.arange(len(out)), out)
    return out


def beyond(system: System, parts: Array) -> Array:
    """How far each coordinate is out of its bounds, mm, angles at the reach of features.

    Positive above the upper bound, negative below the lower one; empty without limits.
    """
    b = system.bounds
    if b is None:
        return np.empty(0)
    value = coordinates(b, parts)
    out = np.maximum(value - b.high, 0.0) + np.minimum(value - b.low, 0.0)
    scaled: Array = np.where(b.angular, system.length, 1.0) * out
    return scaled


def off_of(system: System, parts: Array) -> float:
    """What the worst promise or limit is off, mm, angles at the reach of features."""
    return max(worst_off(system, parts), float(np.abs(beyond(system, parts)).max(initial=0.0)))


def close(
    assembly: Assembly,
    plan: Plan,
    eta: float = ETA,
    thorough: bool = True,
    reversed_senses: frozenset[str] = frozenset(),
    watch: Watch | None = None,
    brief: bool = False,
) -> Closed:
    """Poses that hold every promise of a plan within the limits of its assembly.

    Args:
        assembly, reversed_senses: that the plan was made of; plan: one without stops.
        eta, thorough, watch, brief: as for `solver.solve`.

    Returns:
        The poses; their plan tells the limits that stopped a coordinate.  Where the limits cannot
        be met it is the compromise with the first bounds that failed.
    """
    closed = solve(plan, eta, thorough, watch, brief=brief)
    system = plan.system
    if system.bounds is None or not _holds(closed):
        return closed
    if np.abs(beyond(system, closed.parts)).max(initial=0.0) <= system.stop:
        return closed
    search = _Search(assembly, plan, eta, thorough, reversed_senses, watch or Watch(), brief)
    return search.from_free(closed)


def _holds(closed: Closed) -> bool:
    """Whether all promises hold, those of stops included."""
    return worst_off(closed.plan.system, closed.parts) <= closed.plan.system.tolerance


class _Node(NamedTuple):
    """Stops to try from a start, told by number; first the search goes where a probe leads."""

    stops: Stops
    start: int
    probe: Stop | None = None


class _Search:
    """Sets of stops that are tried, depth first.

    Start 0 is the user's, the others are poses to which a probe led.
    """

    def __init__(
        self,
        assembly: Assembly,
        plan: Plan,
        eta: float,
        thorough: bool,
        senses: frozenset[str],
        watch: Watch,
        brief: bool,
    ) -> None:
        self.assembly, self.plan, self.eta = assembly, plan, eta
        self.thorough, self.senses, self.brief = thorough, senses, brief
        self.watch = watch.searching("while limits were kept")
        self.probes = MOST_PROBES if thorough else 0
        self.starts = [plan.system.start]
        self.known: dict[tuple[frozenset[Stop], int], Closed] = {}
        self.counts = np.zeros(5, np.int64)

    def from_free(self, free: Closed) -> Closed:
        """The search from the solution without limits on."""
        self.known[frozenset(), 0] = free
        self.counts += free.counts
        best, least, failed = free, np.inf, None
        stack = [_Node((), 0)]
        while stack and len(self.known) < MOST_SOLVES:
            node = stack.pop()
            if node.probe is not None:
                stack += self._probed(node.stops, node.start, node.probe)
                continue
            closed = self._at(node.stops, node.start)
            if not _holds(closed):
                failed, self.thorough = failed or closed, False
                stack += [_Node(s, node.start) for s in self._fewer(node.stops, node.start)]
                continue
            out = self._beyond(closed)
            worst = float(np.abs(out).max())
            if worst <= closed.plan.system.stop:
                return self._told(self._released(node.stops, node.start, closed))
            if worst < least:
                best, least = closed, worst
            stack += self._tighter(node.stops, node.start, closed, out)
        return self._told(best if failed is None or least <= best.plan.system.tolerance else failed)

    def _told(self, closed: Closed) -> Closed:
        """The result with all the work done, on the user's start."""
        system = replace(closed.plan.system, start=self.starts[0])
        return replace(closed, plan=replace(closed.plan, system=system), counts=self.counts)

    def _at(self, stops: Stops, start: int) -> Closed:
        """The solution with some stops from some start; asked twice, it is solved once."""
        key = frozenset(stops), start
        if key not in self.known:
            system = compile_system(self.assembly, self.senses, tuple(sorted(stops)))
            plan = make_plan(replace(system, start=self.starts[start]))
            try:
                self.known[key] = solve(plan, self.eta, self.thorough, self.watch, brief=self.brief)
            except Stopped as stop:
                stop.closed = self._told(stop.closed)
                raise
            self.counts += self.known[key].counts
        return self.known[key]

    def _beyond(self, closed: Closed) -> Array:
        """How far each coordinate is out of its bounds; a stop that holds is not."""
        system = closed.plan.system
        out = beyond(system, closed.parts)
        assert system.bounds is not None
        names = system.bounds.names
        out[[names.index(s.limit) for s in system.stops]] = 0.0
        return out

    def _tighter(self, stops: Stops, start: int, closed: Closed, out: Array) -> list[_Node]:
        """What to try where limits do not hold, last what is tried first.

        That is, with the worst limit of each component at its bound; from poses at which the worst
        of all is as far within as it was beyond; and with that one at its other bound.
        """
        b = closed.plan.system.bounds
        assert b is not None
        worst = np.abs(out).max()
        found = np.flatnonzero(np.abs(out) > closed.plan.system.stop).tolist()
        found.sort(key=lambda k: (-round(abs(out[k]) / worst, 9), b.names[k]))
        taken: dict[int, Stop] = {}
        for k, c in zip(found, _components(closed.plan, b, found), strict=True):
            taken.setdefault(c, self._stop(b.names[k], out[k] > 0))
        first = next(iter(taken.values()))
        value = coordinates(b, closed.parts)[found[0]]
        within = 2 * first.value - (degrees(value) if b.angular[found[0]] else float(value))
        nodes = [_Node((*stops, *taken.values()), start)]
        limit = self.assembly.limits[first.limit]
        if len(self.starts) <= self.probes:
            low = -inf if limit.min is None else limit.min
            inside = max(low, within if limit.max is None else min(within, limit.max))
            nodes.insert(0, _Node(stops, start, first._replace(value=inside)))
        if start == 0 and (limit.min if first.upper else limit.max) is not None:
            nodes.insert(0, _Node((*stops, self._stop(first.limit, not first.upper)), start))
        return nodes

    def _stop(self, name: str, upper: bool) -> Stop:
        return Stop(name, bool(upper), self.assembly.limits[name].bound(bool(upper)))

    def _fewer(self, stops: Stops, start: int) -> list[Stops]:
        """Without one of the earlier stops, where that is new."""
        fewer = [tuple(s for s in stops if s != gone) for gone in stops[:-1]]
        return [f for f in fewer if (frozenset(f), start) not in self.known]

    def _probed(self, stops: Stops, start: int, probe: Stop) -> list[_Node]:
        """On from where holding a limit at some value leads, whether or not all holds there."""
        if len(self.starts) > self.probes:
            return []
        self.starts.append(self._at((*stops, probe), start).parts)
        return [_Node(stops, len(self.starts) - 1)]

    def _released(self, stops: Stops, start: int, closed: Closed) -> Closed:
        """The solution without the stops that are not needed."""
        k, most = 0, len(self.known) + 2 * len(stops)
        while k < len(stops) and len(stops) > 1 and len(self.known) < most:
            fewer = stops[:k] + stops[k + 1 :]
            trial = self._at(fewer, start)
            if _holds(trial) and np.abs(self._beyond(trial)).max() <= trial.plan.system.stop:
                stops, closed, k = fewer, trial, 0
            else:
                k += 1
        return closed


def _components(plan: Plan, b: Bounds, limits: list[int]) -> list[int]:
    """The component in which each of some limits acts, -1 where one reaches across several."""
    home = {body: c for c, found in enumerate(plan.components) for body in found.bodies}
    table = b.table
    n = table.term_measure[table.first_term[limits]]
    ends = [table.marker_body[m[n]] for m in (table.marker_a, table.marker_b)]
    out = []
    for x, y in plan.bodies.of_part[np.stack(ends, axis=1)].tolist():
        own = [home[body] for body in (x, y) if body in home]
        inside = [c for c in own if {x, y} <= {*plan.components[c].bodies, plan.components[c].root}]
        out.append(inside[0] if inside else -1)
    return out
