"""Contradictions: the smallest sets of mates that cannot hold together, with numbers.

A set is shown to be contradictory by solving only its own mates from the same start poses, and
shown to be irreducible by solving it without each of its members.  Sets are found by QuickXplain,
which needs about k log(n / k) solves for k guilty mates among n.

Source: Junker 2004, QuickXplain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import degrees, pi, radians
from typing import NamedTuple

import numpy as np

from ..equations.angle_turns import told_by_others
from ..equations.bounds import Stop
from ..equations.residuals import all_residuals, residual_of, worst_off
from ..equations.system import System, compile_system
from ..equations.table import Table
from ..foundations.types import Array, Ints
from ..foundations.watch import Watch
from ..model.assembly import Assembly
from ..model.feature import Axis, Feature, Plane, Point, basic_type
from ..model.measures.measure import ROTATION
from ..solver.active_set import close, off_of
from ..solver.solver import Closed, solve
from ..structure.plan import Plan, make_plan
from ..structure.replan import restarted

MOST_TRIALS = 300
"""Subsets after which the search stops and says that a set may not be the smallest."""

DESCENTS = 6
"""Times that the descent to the nearest is taken up again."""

LIGHT = 1e-3
"""Weight of an equation that gives way to the others."""

RESTARTS = 3
"""Disturbed starts from which a set has to fail as well."""


class Spacing(NamedTuple):
    """How far two features of one part are apart, and their partners on another part, mm."""

    part: str
    here: float
    other: str
    there: float


class Allowed(NamedTuple):
    """A limit that is in the way: its name as a promise, where it stops, and the unit of that."""

    promise: str
    stop: Stop
    unit: str


@dataclass(frozen=True)
class Conflict:
    """Mates that cannot hold together.

    Attributes:
        promises: names of mates, drivers and limits; irreducible: whether each of them is needed.
        told: the one whose numbers are told; asked, found: its value and what the others leave,
            in `unit` ("mm" or "deg"); gap: how far off that is at the least, mm.
        accepting: the tolerance at which all of them hold, mm.
        spacing: where two mates join the same two parts, how far apart their features are on
            each: then these are `asked` and `found`.
        allowed: the bounds of the limits among them.
    """

    promises: tuple[str, ...]
    irreducible: bool
    told: str
    asked: float
    found: float
    unit: str
    gap: float
    accepting: float
    spacing: Spacing | None = None
    allowed: tuple[Allowed, ...] = ()


@dataclass(frozen=True)
class Search:
    """What a search for contradictions came to: the sets, and whether they explain the failure."""

    conflicts: tuple[Conflict, ...]
    explained: bool


def promise_names(assembly: Assembly) -> tuple[str, ...]:
    """Mates, drivers with a value, limits; a driver with the name of a mate is told apart."""
    drivers = [d.name for d in assembly.drivers.values() if d.value is not None]
    told = (f"driver {name}" if name in assembly.held else name for name in drivers)
    return (*assembly.held, *told, *(f"limit {name}" for name in assembly.limits))


def numbers_of(system: System) -> list[int]:
    """The number of each promise of a system among all mates, valued drivers and limits."""
    first = system.mates + system.drivers
    names = system.bounds.names if system.bounds is not None else ()
    return [*range(first), *(first + names.index(stop.limit) for stop in system.stops)]


def subset(assembly: Assembly, promises: Sequence[int]) -> Assembly:
    """The same parts with only some of the mates, drivers with a value and limits, by number."""
    other, keep = assembly.copy(), set(promises)
    mates = list(assembly.held)
    drivers = [d.name for d in assembly.drivers.values() if d.value is not None]
    for k, name in enumerate(assembly.limits, len(mates) + len(drivers)):
        if k not in keep:
            other.remove_limit(name)
    for k, name in enumerate(mates):
        if k not in keep:
            other.remove(name, alone=True)
    for k, name in enumerate(drivers, len(mates)):
        if k not in keep:
            other.set_driver(name, None)
    return other


class Trial:
    """Solves subsets of the promises of an assembly, each once.

    Args:
        assembly: read only; watch: who may stop the search; then `Stopped` is raised.
    """

    def __init__(self, assembly: Assembly, watch: Watch) -> None:
        self.assembly = assembly
        self.watch = watch
        self.known: dict[frozenset[int], bool] = {}
        self._solved: dict[tuple[frozenset[int], bool, bool], tuple[Closed, bool]] = {}
        self._nearest: dict[tuple[frozenset[int], int], Array] = {}

    def system(self, promises: Sequence[int], stops: tuple[Stop, ...] = ()) -> System:
        """The system of some promises only, in their order, with limits held at bounds."""
        return compile_system(subset(self.assembly, promises), stops=stops)

    def solved(
        self, promises: Sequence[int], thorough: bool = False, brief: bool = False
    ) -> tuple[Closed, bool]:
        """The best that was found for a subset, and whether it holds; asked twice, solved once.

        Where brief, only whether it holds is asked for: a compromise may not be the best.
        """
        key = frozenset(promises)
        if (key, thorough, brief) not in self._solved:
            found = self._solve(promises, thorough, brief)
            kinds = [(thorough, brief), (False, True), (False, False), (True, False)]
            for kind in kinds if found[1] else kinds[:1]:  # what holds, holds
                self._solved[key, *kind] = found
        return self._solved[key, thorough, brief]

    def _solve(self, promises: Sequence[int], thorough: bool, brief: bool) -> tuple[Closed, bool]:
        """One attempt at a subset, and others from disturbed starts where it fails."""
        assembly = subset(self.assembly, promises)
        plan = make_plan(compile_system(assembly))
        best = close(assembly, plan, thorough=thorough, watch=self.watch, brief=brief)
        off = off_of(best.plan.system, best.parts)
        if off > plan.system.tolerance and plan.bodies.merged:
            plan = make_plan(plan.system, cautious=True)
        for k in range(RESTARTS if off > plan.system.tolerance else 0):
            again = _disturbed(plan, k)
            closed = close(assembly, again, thorough=False, watch=self.watch, brief=brief)
            less = off_of(closed.plan.system, closed.parts)
            if less < off:
                best, off = closed, less
        return best, off <= plan.system.tolerance

    def holds(self, promises: Sequence[int]) -> bool:
        """Whether a subset holds."""
        key = frozenset(promises)
        if key not in self.known and any(key <= other for other, ok in self.known.items() if ok):
            return True  # where all of them hold, some of them do
        if key not in self.known:
            self.watch.tell(len(self.known), MOST_TRIALS, "looking for contradictions")
            self.known[key] = self.solved(promises, brief=True)[1]
        return self.known[key]

    def nearest(self, promises: Sequence[int], system: System, told: int) -> Array:
        """Poses as of `nearest_without`; asked twice, they are looked for once."""
        key = frozenset(promises), numbers_of(system)[told]
        if key not in self._nearest:
            self._nearest[key] = nearest_without(self, promises, system, told)
        return self._nearest[key]

    @property
    def late(self) -> bool:
        """Whether as many subsets were solved as the search may."""
        return len(self.known) >= MOST_TRIALS


def _disturbed(plan: Plan, k: int) -> Plan:
    """The same plan from starts moved by a fifth of the reach, always the same way."""
    rng = np.random.default_rng(k)
    system = plan.system
    start = system.start.copy()
    free = ~system.held
    start[free, :3] += rng.normal(size=(int(free.sum()), 3)) * 0.2 * system.length
    return restarted(plan, start)


def find_conflicts(trial: Trial, suspects: Sequence[int], likely: Sequence[int]) -> Search:
    """Disjoint contradictory sets among some mates and drivers.

    Args:
        trial: that solves subsets of them.
        suspects: numbers of the mates, drivers with a value and limits, in this order, among which
            to look, the least trusted last.
        likely: those of them that are off at the best compromise: at a least square only mates
            that pull against each other are.
    """
    trial.watch = trial.watch.searching("while contradictions were looked for")
    left = list(suspects)
    if len(likely) < len(left) and not trial.holds(likely):
        left = list(likely)
    out: list[Conflict] = []
    while left and not trial.holds(left):
        found = sorted(_quick_xplain(trial, [], left, False))
        sure = not trial.late and all(trial.holds([n for n in found if n != k]) for k in found)
        if not found or trial.solved(found, thorough=True)[1]:
            return Search(tuple(out), False)
        told = _numbers(trial, found, sure)
        if told.gap <= trial.assembly.tolerance:  # the others leave it where it holds
            return Search(tuple(out), False)
        out.append(told)
        left = [n for n in left if n not in set(found)]
        if trial.late:
            break
    return Search(tuple(out), bool(out))


def _quick_xplain(
    trial: Trial, background: list[int], suspects: list[int], added: bool
) -> list[int]:
    """The members of `suspects` that a smallest contradiction with `background` needs."""
    if added and (trial.late or not trial.holds(background)):
        return []
    if len(suspects) == 1 or trial.late:
        return suspects
    half = len(suspects) // 2
    first, second = suspects[:half], suspects[half:]
    needed = _quick_xplain(trial, background + first, second, bool(first))
    rest = _quick_xplain(trial, background + needed, first, bool(needed))
    return rest + needed


def _numbers(trial: Trial, found: list[int], sure: bool) -> Conflict:
    """What one member asks and the nearest that the others leave it, and what all would accept.

    It is told of a member with a value where there is one, of a sure one first, else of the last.
    """
    closed, _ = trial.solved(found)
    system = closed.plan.system
    valued = [k for k in range(len(system.promises)) if _has_value(system, k)]
    valued.sort(key=lambda k: _in_doubt(system, k))
    told = valued[0] if valued else len(system.promises) - 1
    parts = trial.nearest(found, system, told)
    asked, value, unit = _value(system, told, parts)
    gap = float(system.in_mm(*residual_of(system, parts))[told])
    if unit == "deg" and abs(value - asked) > 180.0:  # further round than the pose tells
        gap = radians(abs(value - asked)) * system.length
    accepting = worst_off(system, closed.parts)
    every = promise_names(trial.assembly)
    names = tuple(every[k] for k in found)
    spacing = _spacing(trial.assembly, names, system.tolerance)
    if spacing is not None:
        asked, value, unit = spacing.here, spacing.there, "mm"
    limits = trial.assembly.limits
    allowed = tuple(Allowed(f"limit {s.limit}", s, limits[s.limit].unit) for s in system.stops)
    name = names[numbers_of(system)[told]]
    if system.mates <= told < system.mates + system.drivers:
        name = f"driver {name.removeprefix('driver ')}"
    return Conflict(names, sure, name, asked, value, unit, gap, accepting, spacing, allowed)


def _has_value(system: System, k: int) -> bool:
    return bool(np.any(system.table.target[system.rows([k])]))


def _in_doubt(system: System, k: int) -> bool:
    """Whether a value was taken from the start, or is an angle whose turns nothing else tells."""
    t, rows = system.table, system.rows([k]).tolist()
    if system.taken.keys() & set(rows):
        return True
    turns = t.kind[t.term_measure[t.first_term[rows[0]]]] == ROTATION
    if not turns or not np.any(np.diff(t.first_term) > 1):
        return False
    return told_by_others(t, system.start, system.grounded, rows[0]) is None


def _spacing(assembly: Assembly, found: tuple[str, ...], tolerance: float) -> Spacing | None:
    """Distances of two mates' features on either part, where these tell the contradiction."""
    if len(found) != 2 or not all(name in assembly.held for name in found):
        return None
    one, two = (assembly.held[name] for name in found)
    if {one.mate.a.part, one.mate.b.part} != {two.mate.a.part, two.mate.b.part}:
        return None
    ends = (two.a, two.b) if one.mate.a.part == two.mate.a.part else (two.b, two.a)
    here, there = _apart(one.a.feature, ends[0].feature), _apart(one.b.feature, ends[1].feature)
    if here is None or there is None or abs(here - there) <= tolerance:
        return None
    return Spacing(one.mate.a.part, here, one.mate.b.part, there)


def _apart(one: Feature, two: Feature) -> float | None:
    """Distance of two points, parallel axes or parallel planes of one part; None for others."""
    if basic_type(one) is not basic_type(two):
        return None
    p, q = np.array(one.frame), np.array(two.frame)
    between, z = q[:3] - p[:3], p[9:12]
    if isinstance(one, Point):
        return float(np.linalg.norm(between))
    if np.linalg.norm(np.cross(z, q[9:12])) > 1e-9 or not isinstance(one, (Axis, Plane)):
        return None
    along = float(between @ z)
    return abs(along) if isinstance(one, Plane) else float(np.linalg.norm(between - along * z))


def nearest_without(trial: Trial, found: Sequence[int], system: System, told: int) -> Array:
    """Poses at which all but one hold, and that one is off as little as they allow.

    Its equations weigh a thousandth of the others in a descent of all; then the others are closed.
    Where the least lies at a stretched chain the descent is slow, and is taken up again.

    Args:
        found: the contradictory set; system: its mates and drivers, and its limits at the bounds
            where they are in the way; told: the one that gives way, as a promise of the system.
    """
    number = numbers_of(system)[told]
    others = [k for n, k in enumerate(found) if n != number]
    stops = tuple(s for k, s in enumerate(system.stops, system.mates + system.drivers) if k != told)
    rest = trial.system(others, stops)
    light = replace(system, table=yielding(system, system.rows([told])))
    nearest, least = trial.solved(others)[0].parts, np.inf
    for parts in (nearest, trial.solved(found)[0].parts):  # they may lie on different branches
        gap = np.inf
        far, home = make_plan(replace(light, start=parts)), make_plan(replace(rest, start=parts))
        for _ in range(DESCENTS):
            near = solve(restarted(far, parts), thorough=False, watch=trial.watch).parts
            closed = solve(restarted(home, near), thorough=False, watch=trial.watch)
            if worst_off(closed.plan.system, closed.parts) > system.tolerance:
                break  # no way home from there
            off = float(system.in_mm(*residual_of(system, closed.parts))[told])
            if off < least:
                nearest, least = closed.parts, off
            if not off < (1 - 1e-6) * gap:
                break
            gap, parts = off, closed.parts
    return nearest


def yielding(system: System, rows: Ints) -> Table:
    """The equations of a system, some of which give way to all others."""
    weight = system.table.weight.copy()
    weight[rows] *= LIGHT
    return system.table._replace(weight=weight)


def _value(system: System, k: int, parts: Array) -> tuple[float, float, str]:
    """Asked and found value of the equation of promise k that is most off, and its unit."""
    t = system.table
    first, end = int(system.first_equation[k]), int(system.first_equation[k + 1])
    f = all_residuals(system, parts)[first:end]
    e = first + int(np.argmax(np.abs(f)))
    angle = bool(system.angular[e])
    asked = float(t.target[e])
    found = asked + float(f[e - first] / t.weight[e])
    if asked == 0.0 and end - first > 1:  # off in a plane or about a point: the whole distance
        same = system.angular[first:end] == angle
        zero = t.target[first:end] == 0.0
        found = float(np.linalg.norm(f[same & zero]) / t.weight[e])
    counted = told_by_others(t, system.start, system.grounded, e)
    if counted is not None:
        found += 2 * pi * round((counted - found) / (2 * pi))
    scale: Callable[[float], float] = degrees if angle else float
    return scale(asked), scale(found), "deg" if angle else "mm"
