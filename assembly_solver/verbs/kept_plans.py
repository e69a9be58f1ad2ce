"""System and plan of each assembly, kept until it is edited, and over edits of numbers alone.

A plan is what the solver carries out; to make it takes ten times as long as a solve.  It is kept
where its assembly has the same equations but for their targets, or for where features are on their
parts, and where nothing that planning read of these has changed: see `equations.new_targets` and
`structure.replan.revalued`, `equations.moved_features` and `structure.redimensioned`.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from ..equations.moved_features import moved_features
from ..equations.new_targets import new_targets
from ..equations.system import compile_system
from ..foundations.altered import altered
from ..model.assembly import Assembly
from ..structure.plan import Plan, PlannedSystem
from ..structure.redimensioned import redimensioned
from ..structure.replan import revalued, with_values


class _Kept(NamedTuple):
    """What is kept of an assembly: its revision, a copy of it at that, its system and plan."""

    revision: int
    given: Assembly
    planned: PlannedSystem


_KEPT: WeakKeyDictionary[Assembly, _Kept] = WeakKeyDictionary()


def plan_of(assembly: Assembly) -> Plan:
    """The plan of an assembly."""
    return planned_system(assembly, assembly.copy()).plan


def planned_system(assembly: Assembly, given: Assembly) -> PlannedSystem:
    """The system of an assembly with its plan; `given` is a copy of it as it is now."""
    kept = _KEPT.get(assembly)
    if kept is not None and kept.revision == assembly.revision:
        return kept.planned
    planned = None if kept is None else _over_values(kept, given)
    if planned is None:
        planned = PlannedSystem(compile_system(given))
    _KEPT[assembly] = _Kept(assembly.revision, given, planned)
    return planned


def keep_plan(assembly: Assembly, plan: Plan) -> None:
    """Keep a plan that was made from an earlier one."""
    planned = PlannedSystem(plan.system, plan)
    _KEPT[assembly] = _Kept(assembly.revision, assembly.copy(), planned)


def lend_plan(of: Assembly, to: Assembly) -> None:
    """Let the plan of an assembly serve for an edited copy of it, as if it were edited itself."""
    _KEPT[to] = _KEPT[of]._replace(revision=-1)


def _over_values(kept: _Kept, given: Assembly) -> PlannedSystem | None:
    """The system and the plan with the values of an edited assembly, None where they differ."""
    system, plan = kept.planned.system, kept.planned.known
    targets = new_targets(system, kept.given, given)
    if targets is None:
        return _over_dimensions(kept, given)
    if not targets:
        return kept.planned
    if plan is None:
        return PlannedSystem(altered(system, table=with_values(system.table, targets)))
    again = revalued(plan, targets)
    return None if again is None else PlannedSystem(again.system, again)


def _over_dimensions(kept: _Kept, given: Assembly) -> PlannedSystem | None:
    """The same with the features of an edited assembly."""
    moved = moved_features(kept.planned.system, kept.given, given)
    if moved is None:
        return None
    if kept.planned.known is None:
        return PlannedSystem(moved.system)
    again = redimensioned(kept.planned.known, moved)
    return None if again is None else PlannedSystem(again.system, again)
