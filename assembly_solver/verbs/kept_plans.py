"""System and plan of each assembly, kept until it is edited, and over edits of numbers alone.

A plan is what the solver carries out; to make it takes ten times as long as a solve.  It is kept
where its assembly has the same equations but for their targets, or for where features are on their
parts, and where nothing that planning read of these has changed: see `equations.new_targets` and
`structure.replan.revalued`, `equations.moved_features` and `structure.redimensioned`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..equations.moved_features import feature_origins, feature_places, moved_features
from ..equations.new_targets import edited_targets, new_targets
from ..equations.system import compile_system
from ..foundations.altered import altered
from ..model.assembly import Assembly
from ..model.snapshot import Snapshot
from ..structure.plan import Plan, PlannedSystem
from ..structure.redimensioned import Redimensioning
from ..structure.replan import revalued, with_values


class _Base(NamedTuple):
    """What the plans over moved features are made from: an assembly at a revision, its plan, and
    what makes others of it by the number of features that moved, None where nothing does.

    Features are only added to the moves since a revision: their number tells which they are.
    """

    revision: int
    given: Assembly
    planned: PlannedSystem
    made: dict[int, Redimensioning | None]


class _Kept:
    """What is kept of an assembly.

    Attributes:
        now: its revision, a copy of it at that, its system and plan.
        base: of a plan over moved features what it was made from.
    """

    def __init__(self, revision: int, given: Assembly, planned: PlannedSystem) -> None:
        self.now: tuple[int, Snapshot, PlannedSystem] = revision, Snapshot(given), planned
        self.base = _Base(revision, given, planned, {})


def plan_of(assembly: Assembly) -> Plan:
    """The plan of an assembly."""
    return planned_system(assembly)[1].plan


def planned_system(assembly: Assembly) -> tuple[Snapshot, PlannedSystem]:
    """An assembly as it is now, and its system with its plan."""
    kept: _Kept | None = assembly.kept
    if kept is None:
        given = assembly.copy()
        return _keep(assembly, PlannedSystem(compile_system(given)), given)
    revision, snapshot, planned = kept.now
    if revision == assembly.revision:
        return snapshot.again(), planned
    moved = _over_moves(kept.base, assembly)
    if moved is not None:
        snapshot = Snapshot(kept.base.given, assembly)
        kept.now = assembly.revision, snapshot, moved
        return snapshot, moved  # what this solve edits of its copy reaches none made `again`
    now = assembly.copy()
    found = _over_values(snapshot.again().assembly, planned, now)
    return _keep(assembly, found or PlannedSystem(compile_system(now)), now)


def _keep(
    assembly: Assembly, planned: PlannedSystem, given: Assembly
) -> tuple[Snapshot, PlannedSystem]:
    """A copy of an assembly and its plan, which is made from nothing else, kept."""
    assembly.kept = _Kept(assembly.revision, given, planned)
    return Snapshot(given), planned


def keep_plan(assembly: Assembly, plan: Plan) -> None:
    """Keep a plan that was made from an earlier one."""
    _keep(assembly, PlannedSystem(plan.system, plan), assembly.copy())


def lend_plan(of: Assembly, to: Assembly) -> None:
    """Let the plan of an assembly serve for an edited copy of it, as if it were edited itself."""
    _, snapshot, planned = of.kept.now
    to.kept = _Kept(-1, snapshot.again().assembly, planned)


def _over_moves(base: _Base, assembly: Assembly) -> PlannedSystem | None:
    """The system and the plan of an assembly of which features moved or values changed; None where
    it may be another one, or more was edited."""
    plan, moves, made = base.planned.known, assembly.moves, base.made
    covered = moves.since <= base.revision and moves.now == assembly.revision
    if plan is None or base.revision < 0 or not covered:
        return None
    features = moves.features
    if features:
        n = len(features)
        if n not in made:
            places = feature_places(base.planned.system, base.given, tuple(features))
            made[n] = Redimensioning.of(plan, places) if places is not None else None
        found = made[n]
        plan = None if found is None else found.plan_with(feature_origins(features.values()))
    if plan is not None and (moves.mates or moves.drivers):
        targets = edited_targets(plan.system, base.given, moves.mates, moves.drivers)
        if targets != {}:
            plan = None if targets is None else revalued(plan, targets)
    if plan is base.planned.known:
        return base.planned
    return None if plan is None else PlannedSystem(plan.system, plan)


def _over_values(before: Assembly, planned: PlannedSystem, given: Assembly) -> PlannedSystem | None:
    """The system and the plan with the values of an edited assembly, None where they differ."""
    system, plan = planned.system, planned.known
    targets = new_targets(system, before, given)
    if targets is None:
        return _over_dimensions(before, plan, given)
    if not targets:
        return planned
    if plan is None:
        return PlannedSystem(altered(system, table=with_values(system.table, targets)))
    return _alone(revalued(plan, targets))


def _over_dimensions(before: Assembly, plan: Plan | None, given: Assembly) -> PlannedSystem | None:
    """The same with the features of an edited assembly."""
    moved = None if plan is None else moved_features(plan.system, before, given)
    if plan is None or moved is None:
        return None
    places, to = moved
    found = Redimensioning.of(plan, places)
    return _alone(None if found is None else found.plan_with(to))


def _alone(plan: Plan | None) -> PlannedSystem | None:
    """A plan that refers to none that it was made of: others may be made of it, on and on."""
    if plan is None:
        return None
    for owner in (plan, plan.bodies, plan.system):
        owner.settle()
    return PlannedSystem(plan.system, plan)
