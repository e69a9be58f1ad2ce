"""How long the states of a linkage take: t = sum of t_i + t_sys + t_0, fitted to the machine.

Each t_i is that of a step for all states: 2 n (a + l) Ca for points in closed form, and for a group
of n points (2 n)^3 Cn + 2 n Ce; the second term is the time to set up its equations, which the
source counts as part of Cn.  t_sys grows with links and slots, for no subsets are tried; t_0 is the
same for all.  The constants are measured once in a process, on linkages of dyads and of groups.

Source: MotionGen, section 6, equations (29) to (31); docs/theory/dyads.md, 8 and 9.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...errors import BadValue
from ...foundations.types import Array
from ..plan.cost import Cost, cost
from ..plan.placement_program import FIRST, GROUP, LAST, TURN, WITHIN
from ..plan.planning import LinkagePlan, plan_linkage
from ..scheme.scheme import ROTARY, Actuator, Scheme, SchemeLink
from .branches import place_states

DYADS, FEW_DYADS = 12, (1, 4)
"""Dyads in series of the linkage of closed forms, and of others that are planned only."""

RINGS = (4, 20)
"""Legs of the linkages of one group; the group has one point more."""

FEW, MANY = 4, 44
"""States of the two runs whose difference is the time of states alone; ten times as many each until
the longer one takes `LONG`."""

LONG = 1e-4
"""A setting: processor time, s, that is long enough to be measured, while the states fit into
the cache."""

SPAN = 1e-3
"""A setting: travel of the crank over all states, rad: every state is near the start."""

ROUNDS = 5
"""Runs of which the fastest counts: what else the machine does adds time only."""


@dataclass(frozen=True)
class TimeEstimate:
    """The three parts of (29), s: `positions` of all states, `analysis` of the system, `rest`."""

    positions: float
    analysis: float
    rest: float

    @property
    def total(self) -> float:
        """Planning a linkage and computing its states once, s of processor time."""
        return self.positions + self.analysis + self.rest


@dataclass(frozen=True)
class TimeConstants:
    """What the machine takes, s: for a unit of `arcs`, Ca, and of `groups`, Cn; for an `equation`
    of a group, Ce; to plan a `link` or slot; for the `rest`, t_0."""

    arc: float
    group: float
    equation: float
    link: float
    rest: float


@dataclass(frozen=True)
class StateWork:
    """What the engine itself does for one state, slots taken as they are, counted as in (30).

    Attributes:
        arcs: units of closed forms; groups: 2n of each group.
        links: links and slots, from which the steps are planned.
    """

    arcs: int
    groups: tuple[int, ...]
    links: int

    @property
    def cubes(self) -> int:
        """Units of the groups."""
        return sum(unknowns**3 for unknowns in self.groups)


@dataclass(frozen=True)
class LinkageCost(Cost):
    """The structural complexity (31) of a linkage, and its estimated time."""

    work: StateWork

    def time(self, states: int = 1) -> TimeEstimate:
        """The estimate (29) for a number of states; the first call measures the machine.

        Reading the assembly into links and points, and its first solve, are not part of it.

        Raises:
            BadValue: a number of states below 0.
        """
        if states < 0:
            raise BadValue("linkage.cost", states, "a number of states")
        c, w = time_constants(), self.work
        state = w.arcs * c.arc + w.cubes * c.group + sum(w.groups) * c.equation
        return TimeEstimate(states * state, w.links * c.link, c.rest)


def linkage_cost(scheme: Scheme, planned: LinkagePlan) -> LinkageCost:
    """The cost of a linkage, as it was given and as it was planned.

    Raises:
        SlotOutOfReach, NotDriven: as of `cost`.
    """
    counted = cost(planned.scheme)
    return LinkageCost(counted.arcs, counted.groups, _work(scheme, planned))


def _work(scheme: Scheme, planned: LinkagePlan) -> StateWork:
    code = planned.program.code
    points = code[:, LAST] - code[:, FIRST]
    closed = (code[:, 0] != GROUP) & (code[:, 0] != WITHIN)
    turned = int((code[:, 0] == TURN).sum())
    groups = tuple((2 * points[code[:, 0] == GROUP]).tolist())
    return StateWork(
        4 * int(points[closed].sum()) + 2 * turned, groups, len(scheme.links) + len(scheme.slots)
    )


# ------------------------------------------------------------------ measuring the machine
@cache
def time_constants() -> TimeConstants:
    """The constants of this machine, measured at the first call of a process."""
    series, small, large = (_Timed(s) for s in (_dyads(DYADS), *map(_ring, RINGS)))
    arc = series.state / series.work.arcs
    n, m = small.work.groups[0], large.work.groups[0]
    # a n^3 + b n = t at both sizes; neither is negative
    group = max((large.state / m - small.state / n) / (m * m - n * n), 0.0)
    equation = max(small.state / n - group * n * n, 0.0)
    link, rest = _analysis([(t.work.links, t.plan) for t in (series, small, large)])
    # beside other work the least of them is 0
    rest += float(np.median([t.start for t in (series, small, large)]))
    return TimeConstants(arc, group, equation, link, rest)


def _analysis(measured: list[tuple[int, float]]) -> tuple[float, float]:
    """What planning takes for each link, and besides, s, from links and times of linkages."""
    for scheme in map(_dyads, FEW_DYADS):
        measured.append((len(scheme.links), _planning(scheme)))
    sizes, times = np.array(measured).T
    # relative to the times: those of small linkages count as much
    rows = np.stack([sizes, np.ones(len(sizes))], axis=1) / times[:, None]
    link, rest = np.linalg.lstsq(rows, np.ones(len(sizes)), rcond=None)[0]
    return max(float(link), 0.0), max(float(rest), 0.0)


class _Timed:
    """Processor times of a linkage, s: `plan`, a `state`, and `start`, what a run takes besides."""

    def __init__(self, scheme: Scheme) -> None:
        planned = plan_linkage(scheme)
        self.work = _work(scheme, planned)
        self.plan = _planning(scheme)
        few, many, long = FEW, MANY, 0.0
        while long < LONG:
            short, long = (_placing(planned, states) for states in (few, many))
            self.state = max(long - short, 0.0) / (many - few)
            self.start = max(short - few * self.state, 0.0)
            few, many = 10 * few, 10 * many


def _planning(scheme: Scheme) -> float:
    """Processor time of planning a linkage, s."""
    return _fastest(lambda: plan_linkage(scheme))


def _placing(planned: LinkagePlan, states: int) -> float:
    """Processor time of some states near the start, s."""
    values = float(planned.program.inputs[0, 2]) + np.linspace(0.0, SPAN, states)
    return _fastest(lambda: place_states(planned, np.degrees(values)[None]))


def _fastest(call: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return min(times)


def _scheme(at: Array, links: list[tuple[int, ...]], angle: tuple[int, int, int]) -> Scheme:
    """Points, complex, and links of them, driven by an angle."""
    named = tuple(SchemeLink(f"link {n}", points) for n, points in enumerate(links))
    places = np.stack([at.real, at.imag], axis=1)
    points = tuple(f"j{n}" for n in range(len(at)))
    return Scheme(points, places, named, (), (Actuator("input", ROTARY, angle),))


def _dyads(n: int) -> Scheme:
    """A crank and n rockers in series, coupled by bars."""
    feet = 10.0 * np.arange(n + 1)
    tips = feet + 8.0j + 2.0
    links = [tuple(range(n + 1)), *((k, n + 1 + k) for k in range(n + 1))]
    links += [(n + 1 + k, n + 2 + k) for k in range(n)]
    return _scheme(np.concatenate([feet, tips]), links, (1, 0, n + 1))


def _ring(n: int) -> Scheme:
    """A ring of n bars on n legs, one of two bars whose angle drives: a group of n + 1 points."""
    turn = np.exp(2j * np.pi * np.arange(n) / n)
    feet, tips = 6.0 * turn, 4.0 * turn * np.exp(0.22j)
    knee = (feet[0] + tips[0]) / 2 - 0.7 - 0.9j
    links = [tuple(range(n)), (0, 2 * n), (2 * n, n)]
    links += [(k, n + k) for k in range(1, n)]
    links += [(n + k, n + (k + 1) % n) for k in range(n)]
    return _scheme(np.array([*feet, *tips, knee]), links, (0, 2 * n, n))
