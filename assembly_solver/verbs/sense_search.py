"""The search for nearest senses to reverse where the mates cannot be solved otherwise.

Groups of mates that close by themselves (two bodies, components of the plan, rigid bodies) fail or
hold independently of each other: each trial is one solve in which every failed group reverses one
more sense, and each group keeps what helped it.  A group that is given up keeps its nearest senses:
it is contradictory, the others hold all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from math import radians

import numpy as np

from ..diagnosis.other_starts import many_turned
from ..diagnosis.subsets import constraint_names, mates_only, subset
from ..equations.places import constraints_by_tilt
from ..equations.residuals import residual_of
from ..equations.system import System, compile_system, senses_at_odds
from ..foundations.numerics.distinct import distinct
from ..foundations.types import Array, Ints
from ..foundations.watch import Watch
from ..model.assembly import Assembly
from ..model.snapshot import Snapshot
from ..solver.active_set import solve_within_limits
from ..solver.modes.choice import ReachedPoses
from ..solver.multistart import ends_from
from ..solver.sizes import is_small
from ..structure.clusters import has_noise
from ..structure.plan import PlannedSystem, make_plan

PATIENCE = 8
"""Trials of a group one after the other without help after which it is given up."""

STARTS = 24
"""Starts anywhere from which senses are given up that no start of a small assembly closes."""

HELPED = 0.5
"""Share of the sum of squared residuals around the parts of a mate to which its reversal reduces it
where it helps."""

DOUBTFUL = radians(45.0)
"""Tilt at the start beyond which a nearest sense is in doubt, rad."""

Reversals = frozenset[int]
"""Mates whose senses are reversed, by index."""


def with_reversed_senses(
    given: Assembly, reached: ReachedPoses, watch: Watch
) -> ReachedPoses | None:
    """Poses with some nearest senses reversed at which more mates hold; None where there are none.

    For mates that do not hold even without drivers and limits.  A driver out of its range or a
    limit is no reason to flip a part, but the value of a driver may turn what the start leaves in
    doubt: a sense that is not stated is chosen here, the value is the user's.
    """
    if not any(g.candidates for g in _failed_groups(given, reached)):
        return None
    wrong = _wrong(given, reached.system, watch)
    if not wrong.open_at(given, reached):
        return None
    inner = watch.searching("while nearest senses were reversed")
    before = names = frozenset(reached.system.reversed_senses)
    alone = _pairs_that_fail(given, reached)
    if alone is not None:
        begun = _solved(alone, None, inner)
        every = np.arange(begun.system.mates)
        found = _closed(alone, begun, _Wrong(every), inner) or begun
        names |= frozenset(found.system.reversed_senses)
        reached = _solved(given, names, inner)
    return _closed(given, reached, wrong, inner) or (None if names == before else reached)


def with_stated_senses(given: Assembly, system: System, names: Collection[str]) -> Assembly:
    """A copy in which the senses that some mates have in a system are asked for."""
    other = given.copy()
    for name in names:
        sign = system.sense[system.constraints.index(name)]
        other.change(name, sense="aligned" if sign > 0 else "opposed")
    return other


def _without_limits(assembly: Assembly) -> Assembly:
    """A copy without limits."""
    return subset(assembly, range(len(constraint_names(assembly)) - len(assembly.limits)))


def _pairs_that_fail(given: Assembly, reached: ReachedPoses) -> Assembly | None:
    """Only the mates between any two bodies that cannot hold even by themselves, if there are any.

    Not where these are all mates.
    """
    plan = reached.planned.plan
    wrong = np.flatnonzero(plan.bodies.pairs.gap > reached.system.tolerance).tolist()
    mates = {k for p in wrong for k in plan.bodies.constraints[p].tolist()}
    if not mates or len(mates) == reached.system.mates:
        return None
    return subset(mates_only(given), sorted(mates))


@dataclass(frozen=True)
class _Wrong:
    """What does not hold, and may turn senses.

    Attributes:
        alone: mates that do not hold together without drivers and limits, by index.
        driven: mates and drivers that do not without limits; doubtful: the mates whose senses
            these may turn.
    """

    alone: Ints
    driven: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    doubtful: frozenset[int] = frozenset()

    def open_at(self, given: Assembly, at: ReachedPoses) -> list[_Group]:
        """The groups that do not hold at some poses, with the senses that may be turned."""
        out = []
        for group in _failed_groups(given, at):
            if not np.isin(group.mates, self.alone).any():
                driven = np.isin(group.mates, self.driven).any()
                group.candidates = [k for k in group.candidates if driven and k in self.doubtful]
                if not group.candidates:
                    continue
            out.append(group)
        return out


def _wrong(given: Assembly, system: System, watch: Watch) -> _Wrong:
    """What does not hold in an assembly that has no solution with the nearest senses."""
    alone, every = np.arange(system.mates), np.arange(system.mates + system.drivers)
    limited = system.bounds is not None
    if system.drivers or limited:
        alone = _off(mates_only(given), watch)
    if not system.drivers:
        return _Wrong(alone)
    tilts = residual_of(system, system.start).turns[: system.mates]
    doubtful = frozenset(np.flatnonzero(tilts > DOUBTFUL).tolist())
    if limited and doubtful:
        every = _off(_without_limits(given), watch)
    return _Wrong(alone, every, doubtful)


def _off(assembly: Assembly, watch: Watch) -> Ints:
    """The mates and drivers of an assembly that do not hold together, by index."""
    system = compile_system(assembly)
    inner = watch.searching("while it was solved without its drivers")
    off = _not_held(system, inner)
    if off is not None:
        return np.flatnonzero(off.each > system.tolerance)
    closed = solve_within_limits(Snapshot(assembly), make_plan(system, watch=inner), watch=inner)
    return np.flatnonzero(ReachedPoses.of(closed).each > system.tolerance)


def _solved(
    given: Assembly, senses: frozenset[str] | None, watch: Watch, thorough: bool = False
) -> ReachedPoses:
    """The poses reached with some senses reversed; None: those that `compile_system` reverses."""
    system = compile_system(given, senses)
    off = _not_held(system, watch)
    if off is not None:
        return off
    known = frozenset(system.reversed_senses)
    closed = solve_within_limits(
        Snapshot(given),
        make_plan(system, watch=watch),
        thorough=thorough,
        reversed_senses=known,
        watch=watch,
        brief=True,
    )
    return ReachedPoses.of(closed)


def _not_held(system: System, watch: Watch) -> ReachedPoses | None:
    """The compromise of a small system that holds from no start; None of others."""
    if not is_small(system) or has_noise(system):
        return None
    starts = np.concatenate([system.start[None], many_turned(system, range(1, STARTS + 1))])
    found = ends_from(system, starts, watch, first=True)
    if found.off.min() > system.tolerance:
        return ReachedPoses.at(PlannedSystem(system), found.parts[0])
    return None


def _closed(
    given: Assembly, reached: ReachedPoses, wrong: _Wrong, watch: Watch
) -> ReachedPoses | None:
    """The poses with more senses reversed at which more groups hold; None where there are none."""
    groups = wrong.open_at(given, reached)
    found = _closed_together(given, reached, groups, watch)
    if found is None and len(groups) > 1:  # they may depend on each other after all
        for group in wrong.open_at(given, reached):
            found = _closed_together(given, reached, [group], watch)
            if found is not None and len(wrong.open_at(given, found)) < len(groups):
                break
            found = None
    if found is None or not 0 < len(wrong.open_at(given, found)) < len(groups):
        return found
    return _closed(given, found, wrong, watch) or found


def _closed_together(
    given: Assembly, reached: ReachedPoses, groups: list[_Group], watch: Watch
) -> ReachedPoses | None:
    """The poses with more senses reversed at which some of the groups hold; None: none does.

    Senses that can hold together at no poses are not solved with.  Those that helped a group most
    are solved with thoroughly before it is given up.
    """
    system = reached.system
    before = frozenset(map(system.constraints.index, system.reversed_senses))

    def names(reversals: Iterable[Reversals]) -> frozenset[str]:
        turned = before.symmetric_difference(frozenset().union(*reversals))
        return frozenset(system.constraints[k] for k in turned)

    def solved(reversals: list[Reversals], thorough: bool = False) -> ReachedPoses:
        watch.tell(sum(g.closed for g in groups), len(groups), "reversing nearest senses")
        return _solved(given, names(reversals), watch, thorough)

    def contradicting(reversals: list[Reversals]) -> set[int]:
        watch.check()
        return set(senses_at_odds(given, names(reversals)).tolist())

    while True:
        trials = _next_trials(groups, contradicting)
        if not any(g.tried for g in groups):
            break
        reached = solved(trials)
        for trial, group in zip(trials, groups, strict=True):
            if group.tried:
                group.judge(trial, reached)
    if any(g.helped for g in groups):
        reached = solved([g.kept or g.helped for g in groups], thorough=True)
        for group in groups:
            group.close_at(reached)
    if not any(g.closed for g in groups):
        return None
    if not all(g.closed for g in groups):
        reached = solved([g.kept for g in groups])
    return _released(groups, reached, solved)


def _next_trials(
    groups: list[_Group], contradicting: Callable[[list[Reversals]], set[int]]
) -> list[Reversals]:
    """The next reversals of each group, of those whose senses can hold together."""
    trials = [g.next() for g in groups]
    while any(g.tried for g in groups):
        wrong = contradicting(trials)
        refuted = [n for n, g in enumerate(groups) if g.tried and wrong & set(g.mates.tolist())]
        if not refuted:
            break
        for n in refuted:
            groups[n].failures += 1
            trials[n] = groups[n].next()
    return trials


def _released(
    groups: list[_Group], found: ReachedPoses, solved: Callable[[list[Reversals]], ReachedPoses]
) -> ReachedPoses:
    """The same with the nearest sense where a group holds with it as well."""
    before = [g.kept for g in groups]
    orders = [[k for k in g.candidates if k in g.kept] for g in groups]
    for n in range(max(map(len, orders), default=0)):
        both = zip(groups, orders, strict=True)
        fewer = [g.kept.difference(order[n : n + 1]) or g.kept for g, order in both]
        if fewer == [g.kept for g in groups]:
            continue
        trial = solved(fewer)
        for kept, group in zip(fewer, groups, strict=True):
            if group.holds(trial):
                group.kept = kept
    return found if before == [g.kept for g in groups] else solved([g.kept for g in groups])


@dataclass
class _Group:
    """Mates and drivers that do not hold together, and what is known of their senses.

    Attributes:
        mates: of the group, with its drivers; candidates: those with a nearest sense, the most
            tilted first.
        around: the mates on the moving parts of each candidate.
        off: residuals of all mates, mm, the best so far; kept: reversals that led there.
        closed: the mates hold; tried: there was another trial to make.
        helped: reversals that helped a group that was given up.
    """

    mates: Ints
    candidates: list[int]
    around: dict[int, list[int]]
    off: Array
    closed: bool = False
    tried: bool = False
    kept: Reversals = frozenset()
    helped: Reversals = frozenset()
    failures: int = 0
    trials: Iterator[Reversals] = field(default_factory=lambda: iter(()))

    def __post_init__(self) -> None:
        self.trials = self._trials()

    def _trials(self) -> Iterator[Reversals]:
        """Single mates, again while that helps, then pairs of mates."""
        before: Reversals | None = None
        while self.kept != before:
            before = self.kept
            yield from (frozenset({k}) for k in self.candidates)
        for k, one in enumerate(self.candidates):
            yield from (frozenset({one, other}) for other in self.candidates[:k])

    def next(self) -> Reversals:
        """The reversals of the next trial: those kept where it is closed, none where given up."""
        tried = None if self.closed or self.failures >= PATIENCE else next(self.trials, None)
        self.tried = tried is not None
        if tried is not None:
            return self.kept ^ tried
        if not self.closed and self.kept:
            self.helped, self.kept = self.kept, frozenset()
        return self.kept

    def judge(self, trial: Reversals, reached: ReachedPoses) -> None:
        """Keep a trial that closed the group or helped it."""
        self.closed = self.holds(reached)
        near = sorted({k for mate in trial ^ self.kept for k in self.around[mate]})
        now, before = reached.each**2, self.off**2
        helps = now[near].sum() <= HELPED * before[near].sum()
        if self.closed or (helps and now[self.mates].sum() < before[self.mates].sum()):
            self.kept, self.off, self.failures = trial, reached.each, 0
        else:
            self.failures += 1

    def close_at(self, reached: ReachedPoses) -> None:
        """Keep after all what helped, where the group holds with it."""
        if not self.closed and self.helped and self.holds(reached):
            self.closed, self.kept = True, self.helped

    def holds(self, reached: ReachedPoses) -> bool:
        """Whether the mates of the group hold at some poses."""
        return bool(np.all(reached.each[self.mates] <= reached.system.tolerance))


def _failed_groups(given: Assembly, reached: ReachedPoses) -> list[_Group]:
    """The groups that do not hold.  Mates of one rigid body are one, each component is one."""
    system, plan = reached.system, reached.planned.plan
    count = system.mates + system.drivers
    label = np.full(count, -1, np.int64)
    for n, component in enumerate(plan.components):
        label[[k for k in component.constraints if k < count]] = n
    inner = plan.bodies.inner[plan.bodies.inner < count]
    label[inner] = len(plan.components) + plan.bodies.of_part[system.ends[inner, 0]]
    each, fixed = reached.each[:count], set(np.flatnonzero(system.fixed).tolist())
    ranked = _ranked(given, reached)
    on_part: dict[int, list[int]] = {p: [] for p in range(len(system.parts))}
    for k in range(count):
        for p in set(system.parts_of(k)) - fixed:
            on_part[p].append(k)
    out = []
    for n in distinct(label[each > system.tolerance]).tolist():
        mates = np.flatnonzero(label == n)
        wrong = mates[each[mates] > system.tolerance]
        parts = {p for k in wrong.tolist() for p in system.parts_of(k)}
        around = {k: [m for p in system.parts_of(k) for m in on_part[p]] for k in ranked}
        candidates = [
            k for k in ranked if label[k] == n and around[k] and parts & set(system.parts_of(k))
        ]
        out.append(_Group(mates, candidates, around, reached.each))
    return out


def _ranked(given: Assembly, reached: ReachedPoses) -> list[int]:
    """Mates with a nearest sense, the most tilted first, equal ones by their places."""
    free = {k for k, h in enumerate(given.held.values()) if h.chosen_by is not None}
    order = constraints_by_tilt(reached.system, reached.residuals.turns)
    return [k for k in order.tolist() if k in free]
