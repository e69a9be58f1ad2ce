"""The plan of the same equations with other targets, from the same or from other poses.

A changed value of a driver or mate changes targets only: bodies, components and their order stay.
From the same start, what planning read of these values is read again; from another start, the
steps of a component with a changed constraint are planned again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..equations.mate_features import extent
from ..equations.system import System
from ..equations.table import SPACE, EquationTable
from ..foundations.altered import altered, altered_later, with_entries
from ..foundations.geometry.nearest_motion import FIXED
from ..foundations.remembered import remembered
from ..foundations.types import Array
from .clusters import Bodies
from .pair_analysis import PairAnalyst
from .plan import Plan, make_plan, plan_cloud, plan_steps
from .planned_later import OwnArrays, PlanLater
from .poses import body_poses
from .steps import Component, Step, compile_steps, with_frames

TARGET = EquationTable._fields.index("target")


class TargetFollowers(NamedTuple):
    """What follows from the targets of some equations.

    Attributes:
        pairs: of bodies, of their mates; of_value: the components whose steps were planned by them.
        rigid: whether one of the pairs may become rigid.
    """

    pairs: list[int]
    of_value: set[int]
    rigid: bool


def revalued(plan: Plan, targets: Mapping[int, float]) -> Plan | None:
    """The plan with new targets by equation, mm or rad, from the same start.

    Beside the targets it has the joints of the pairs whose mates changed, and of the steps that
    were planned by a changed value (`Component.read`).  None where a cluster, the heights of a
    planar component or the actions of steps may be others.
    """
    found = _known_followers(plan, targets)
    if found is None:
        return None
    table = with_values(plan.system.table, targets)
    system, target = altered(plan.system, table=table), table.target
    bodies = _with_joints(plan, system, found)
    if bodies is None:
        return None
    own = with_entries(plan.table, (TARGET, target))
    out = altered(plan, system=system, bodies=bodies, table=own, prepared=plan.prepared)
    out.__dict__.pop("given", None)  # it has targets
    return _steps_by_values(out, found.of_value, plan.steps) if found.of_value else out


class MovedValues(PlanLater):
    """Other targets by equation, mm or rad, from which nothing else follows but joints."""

    def __init__(self, like: Plan, targets: Mapping[int, float]) -> None:
        self.like, self.targets = like, targets

    @remembered
    def arrays(self) -> OwnArrays:
        """Those of the plan."""
        like = self.like
        given = with_values(like.system.table, self.targets)
        own = with_entries(like.table, (TARGET, given.target))
        return OwnArrays(given, own, like.program, like.cloud, like.bodies.centre)

    def made(self) -> Plan:
        """The plan with them."""
        found = revalued(self.like, self.targets)
        assert found is not None
        return found


def revalued_later(plan: Plan, targets: Mapping[int, float]) -> MovedValues | None:
    """As `revalued`; None also where steps follow from the targets, or a pair may become rigid."""
    found = _known_followers(plan, targets)
    return None if found is None or found.of_value or found.rigid else MovedValues(plan, targets)


def _known_followers(plan: Plan, targets: Mapping[int, float]) -> TargetFollowers | None:
    """What follows from the targets of some equations, found once."""
    equations, followers = tuple(targets), plan.followers
    if equations not in followers:
        followers[equations] = _followers(plan, equations)
    found: TargetFollowers | None = followers[equations]
    return found


def _with_joints(plan: Plan, system: System, found: TargetFollowers) -> Bodies | None:
    """The bodies of a plan with the targets of a system; None where a pair has become rigid."""
    old, now = plan.bodies, (TARGET, system.table.target)
    later: dict[str, Callable[[Any], Any]] = {"table": lambda _: with_entries(old.table, now)}
    if not found.pairs:
        return altered_later(old, later)

    def analysed() -> Bodies | None:
        own = altered(old, table=with_entries(old.table, now))
        return _pairs_again(altered(plan, system=system, bodies=own), found.pairs)

    if found.rigid:
        return analysed()
    later["pairs"] = lambda _: _not_rigid(analysed()).pairs
    return altered_later(old, later)


def _not_rigid(bodies: Bodies | None) -> Bodies:
    """Bodies of pairs none of which can be rigid."""
    assert bodies is not None
    return bodies


def _followers(plan: Plan, targets: tuple[int, ...]) -> TargetFollowers | None:
    """What follows from the targets of some equations; None where more may than can be updated."""
    if not _same_structure(plan, targets):
        return None
    pairs = _pairs_of(plan, targets)
    if pairs is None:
        return None
    of_value = {plan.readers[e] for e in targets if e in plan.readers}
    count = np.diff(plan.bodies.pairs.first_row)[pairs]
    return TargetFollowers(pairs, of_value, bool((count >= len(SPACE)).any()))


def _steps_by_values(plan: Plan, numbers: set[int], before: list[Step]) -> Plan | None:
    """The plan with the steps of some components planned again; None where these do otherwise.

    Args:
        before: its steps as they were, of the plan that has them from now on.
    """
    analyst = PairAnalyst(plan.system, plan.bodies, plan.table, plan.cloud, plan.attempts)
    components, steps = list(plan.components), list(before)
    fresh: dict[int, Step] = {}
    for k in numbers:
        begin = components[k - 1].end_step if k else 0
        components[k] = c = altered(components[k], by_value=set(components[k].by_value))
        found = plan_steps(analyst, k, c)
        if not _alike(found, steps[begin : c.end_step]):
            return None
        steps[begin : c.end_step] = found
        fresh |= dict(enumerate(found, begin))
    program = with_frames(plan.program, fresh)
    readers = {e: k for k in numbers for e in components[k].read}
    readers = plan.readers if readers.items() <= plan.readers.items() else plan.readers | readers
    loops = {k: components[k] for k in plan.loops}
    changed = {"components": components, "loops": loops, "steps": steps, "program": program}
    return altered(plan, **changed, readers=readers, followers={})


def _alike(one: list[Step], two: list[Step]) -> bool:
    """Whether steps do the same, up to the frames and the kinds of joints."""
    if len(one) != len(two):
        return False
    return all(
        (a.action, a.rows, a.columns, a.bodies) == (b.action, b.rows, b.columns, b.bodies)
        for a, b in zip(one, two, strict=True)
    )


def _pairs_of(plan: Plan, targets: Collection[int]) -> list[int] | None:
    """The pairs of mates with new targets; None where others were merged to one of their bodies,
    for which it was a pair of other bodies before."""
    if not any(e < plan.system.mate_equations for e in targets):
        return []
    bodies, of = plan.bodies, plan.system.constraint_of_equation
    changed = {int(of[e]) for e in targets}
    pairs = sorted({bodies.pair_of[k] for k in changed if k in bodies.pair_of})
    ends = [b for p in pairs for b in bodies.pairs.bodies[p].tolist()]
    return None if any(b > 0 and bodies.sizes[b] > 1 for b in ends) else pairs


def _pairs_again(plan: Plan, pairs: list[int]) -> Bodies | None:
    """The bodies with some pairs analysed again; None where one is rigid."""
    bodies: Bodies | None = plan.bodies
    for p in pairs:
        if bodies is None:
            break
        bodies = _pair_again(
            PairAnalyst(plan.system, bodies, bodies.table, plan.cloud, plan.attempts), p
        )
    return bodies


def retargeted(plan: Plan, start: Array, targets: Mapping[int, float]) -> Plan | None:
    """The plan with new targets by equation, mm or rad, from new poses of the parts, (parts, 12).

    None where it has to be made from the beginning: also where parts with one feature each scale
    angles by how far they are from each other, for then their least movement may be another.
    """
    own = plan.system
    _, length = extent(own.cloud, own.cloud_part, start, own.reaches.points)
    same = with_targets(plan, start, targets)
    if same is None or length != own.length:
        return None
    system, bodies, table, cloud = same.system, same.bodies, same.table, same.cloud
    changed = set(system.constraint_of_equation[sorted(targets)].tolist())
    for p, constraints in enumerate(bodies.constraints):
        if changed & set(constraints.tolist()):
            analyst = PairAnalyst(system, bodies, bodies.table, cloud, plan.attempts)
            updated = _pair_again(analyst, p)
            if updated is None:
                return None
            bodies = updated
    analyst = PairAnalyst(system, bodies, table, cloud, plan.attempts)
    components, steps = _steps_again(plan, analyst, changed)
    program = compile_steps(dict(enumerate(components)), len(components), steps)
    kind = plan.cautious, plan.attempts
    return Plan(system, bodies, table, cloud, components, steps, program, *kind)


def with_targets(plan: Plan, start: Array, targets: Mapping[int, float]) -> Plan | None:
    """As `retargeted`, with the steps as they are: where one does not suit the new targets, a solve
    closes its component at once.  It is made in no time, and meant for targets that may not hold.
    """
    if not _same_structure(plan, targets):
        return None
    same = _with_values(plan, targets)
    system = replace(same.system, start=start)
    bodies = replace(same.bodies, start=body_poses(plan, start))
    return replace(same, system=system, bodies=bodies, cloud=plan_cloud(system, bodies))


def _same_structure(plan: Plan, targets: Collection[int]) -> bool:
    """Whether bodies and components stay: no coupling, whose turns follow from drivers, no mate
    inside a body, no height changes."""
    return not plan.system.several and plan.structural.isdisjoint(targets)


def _with_values(plan: Plan, targets: Mapping[int, float]) -> Plan:
    """The plan with new targets in its tables, and all else as it is."""
    table = with_values(plan.system.table, targets)
    system = altered(plan.system, table=table)
    now = (TARGET, table.target)
    bodies = altered(plan.bodies, table=with_entries(plan.bodies.table, now))
    own = with_entries(plan.table, now)
    out = altered(plan, system=system, bodies=bodies, table=own)
    out.__dict__.pop("given", None)  # it has targets
    return out


def with_values(table: EquationTable, targets: Mapping[int, float]) -> EquationTable:
    """The table with new targets by equation, mm or rad."""
    target = table.target.copy()
    for e, value in targets.items():
        target[e] = value
    return with_entries(table, (TARGET, target))


def restarted(plan: Plan, start: Array) -> Plan:
    """The plan of the same equations from other poses of the parts, (parts, 12)."""
    system = replace(plan.system, start=start)
    again = retargeted(plan, start, {})
    return again or make_plan(system, plan.cautious, attempts=plan.attempts)


def _pair_again(analyst: PairAnalyst, p: int) -> Bodies | None:
    """The bodies with one pair analysed again; None where it has become rigid."""
    bodies, pairs = analyst.bodies, analyst.bodies.pairs
    one = analyst.analyse(pairs.bodies[p], pairs.rows_of(p), bodies.start, np.eye(3), False)
    if one.kind[0] == FIXED or pairs.kind[p] == FIXED:
        return None
    results = {}
    for key in ("kind", "rank", "gap", "frame_a", "frame_b", "relative"):
        results[key] = getattr(pairs, key).copy()
        results[key][p] = getattr(one, key)[0]
    return altered(bodies, pairs=pairs._replace(**results))


def _steps_again(
    plan: Plan, analyst: PairAnalyst, changed: set[int]
) -> tuple[list[Component], list[Step]]:
    """Copies of the components, and the steps, planned again where constraints changed."""
    components: list[Component] = []
    steps: list[Step] = []
    begin = 0
    for k, old in enumerate(plan.components):
        c = replace(old)
        components.append(c)
        touched = changed & set(c.constraints)
        steps += plan_steps(analyst, k, c) if touched else plan.steps[begin : old.end_step]
        begin, c.end_step = old.end_step, len(steps)
    return components, steps
