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
from ..solver.modes.choice import ReachedPoses
from ..solver.repeated_loop import solved_again
from ..structure.plan import Plan, PlannedSystem
from ..structure.redimensioned import MovedFeatures, Redimensioning
from ..structure.replan import revalued, revalued_later, with_values


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


def solved_with_moves(
    assembly: Assembly, eta: float
) -> tuple[Snapshot, PlannedSystem, ReachedPoses | None] | None:
    """As `planned_system`, and where a solve ends if it does so plainly, of an assembly of which
    only features moved since its plan was made; None where it may have another plan.

    That the plan is the same, and where the solve ends, is found in one call.
    """
    kept: _Kept | None = assembly.kept
    if kept is None or kept.now[0] == assembly.revision:
        return None
    base, moves = kept.base, assembly.moves
    by = None if moves.mates or moves.drivers else _redimensioning(base, assembly)
    if by is None:
        return None
    moved = MovedFeatures(by, feature_origins(moves.features.values()))
    planned = moved.planned()
    reached = solved_again(planned, eta)
    if not moved.same:
        return None
    snapshot = Snapshot(base.given, assembly)
    kept.now = assembly.revision, snapshot, planned
    return snapshot, planned, reached


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
    plan, moves = base.planned.known, assembly.moves
    if not _covered(base, assembly):
        return None
    if moves.features:
        found = _redimensioning(base, assembly)
        origins = feature_origins(moves.features.values())
        plan = None if found is None else found.plan_with(origins)
    if plan is not None and (moves.mates or moves.drivers):
        targets = edited_targets(plan.system, base.given, moves.mates, moves.drivers)
        if targets is None:
            return None
        if targets:
            later = revalued_later(plan, targets)
            if later is not None:
                return later.planned()
            plan = revalued(plan, targets)
    if plan is base.planned.known:
        return base.planned
    return None if plan is None else PlannedSystem(plan.system, plan)


def _covered(base: _Base, assembly: Assembly) -> bool:
    """Whether the moves of an assembly are all that was edited of it since."""
    moves = assembly.moves
    since = moves.since <= base.revision and moves.now == assembly.revision
    return since and base.revision >= 0 and base.planned.known is not None


def _redimensioning(base: _Base, assembly: Assembly) -> Redimensioning | None:
    """What makes plans with the features elsewhere that moved, if any did, and nothing but moves
    was edited; None where nothing does."""
    features, made, plan = assembly.moves.features, base.made, base.planned.known
    if not features or plan is None or not _covered(base, assembly):
        return None
    n = len(features)
    if n not in made:
        places = feature_places(base.planned.system, base.given, tuple(features))
        made[n] = Redimensioning.of(plan, places) if places is not None else None
    return made[n]


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
