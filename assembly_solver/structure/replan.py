"""The plan of the same equations with other targets, from other poses.

A changed value of a driver or mate changes targets only: bodies, components and their order stay,
and only the steps of its component are planned again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..equations.table import EquationTable
from ..foundations.geometry.nearest_motion import FIXED
from ..foundations.types import Array
from .clusters import Bodies
from .pair_analysis import PairAnalyst
from .plan import Plan, make_plan, plan_cloud, plan_steps
from .poses import body_poses
from .steps import Component, Step, compile_steps


def retargeted(plan: Plan, start: Array, targets: Mapping[int, float]) -> Plan | None:
    """The plan with new targets by equation, mm or rad, from new poses of the parts, (parts, 12).

    None where it has to be made from the beginning.
    """
    same = with_targets(plan, start, targets)
    if same is None:
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
    program = compile_steps(components, steps)
    kind = plan.cautious, plan.attempts
    return Plan(system, bodies, table, cloud, components, steps, program, *kind)


def with_targets(plan: Plan, start: Array, targets: Mapping[int, float]) -> Plan | None:
    """As `retargeted`, with the steps as they are: where one does not suit the new targets, a solve
    closes its component at once.  It is made in no time, and meant for targets that may not hold.
    """
    rows = np.array(sorted(targets), np.int64)
    values = np.array([targets[e] for e in rows.tolist()])
    changed = set(plan.system.constraint_of_equation[rows].tolist())
    several = np.diff(plan.table.first_term) > 1  # the turns in couplings follow from drivers
    if several.any() or changed & set(plan.bodies.inner.tolist()):
        return None
    if any(changed & set(c.constraints) and not _in_plane(c, targets) for c in plan.components):
        return None

    def changed_table(table: EquationTable) -> EquationTable:
        target = table.target.copy()
        target[rows] = values
        return table._replace(target=target)

    system = replace(plan.system, start=start, table=changed_table(plan.system.table))
    table, in_bodies = changed_table(plan.table), changed_table(plan.bodies.table)
    bodies = replace(plan.bodies, start=body_poses(plan, start), table=in_bodies)
    cloud = plan_cloud(system, bodies)
    return replace(plan, system=system, bodies=bodies, table=table, cloud=cloud)


def restarted(plan: Plan, start: Array) -> Plan:
    """The plan of the same equations from other poses of the parts, (parts, 12)."""
    system = replace(plan.system, start=start)
    again = retargeted(plan, start, {})
    return again or make_plan(system, plan.cautious, attempts=plan.attempts)


def _in_plane(c: Component, targets: Mapping[int, float]) -> bool:
    """Whether only equations in the plane of a planar component have new targets."""
    own = set(targets) & set(c.rows.tolist())
    return c.projection is None or own <= set(c.projection.plane)


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
    return replace(bodies, pairs=pairs._replace(**results))


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
