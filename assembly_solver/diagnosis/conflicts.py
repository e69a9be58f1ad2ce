"""Contradictions: irreducible sets of mates, drivers and limits that cannot hold together.

A set is contradictory if it cannot be solved alone from the same start poses, and irreducible if
it can be solved without any one of its members.  Sets are found by QuickXplain, which needs about
k log(n / k) solves for a set of k among n constraints.

Source: Junker 2004, QuickXplain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import degrees, pi, radians
from typing import NamedTuple

import numpy as np

from ..equations.angle_turns import told_by_others
from ..equations.bounds import TravelLimit
from ..equations.residuals import all_residuals, residual_of
from ..equations.system import System
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.feature import Axis, Feature, Plane, Point, basic_type
from ..model.mate import ResolvedMate
from ..model.measures.measure import ROTATION
from .closest_poses import closest_poses
from .irreducible import irreducible
from .least_largest import accepting_tolerance, is_noise, least_off
from .subset_solver import SEARCH, SubsetSolver
from .subsets import constraint_names, constraint_numbers


class Spacing(NamedTuple):
    """Distance of two features of a part, and of the features mated with them, mm."""

    part: str
    here: float
    other: str
    there: float


def spacing(one: ResolvedMate, two: ResolvedMate, tolerance: float, same: float) -> Spacing | None:
    """Distances of the features of two mates on either part, where they differ; None elsewhere.

    Args:
        tolerance: difference of two distances that is none, mm; same: of two directions, rad.
    """
    if {one.mate.a.part, one.mate.b.part} != {two.mate.a.part, two.mate.b.part}:
        return None
    if any(target for held in (one, two) for target in held.written.form.target):
        return None  # a distance is part of it
    ends = (two.a, two.b) if one.mate.a.part == two.mate.a.part else (two.b, two.a)
    here = _offset(one.a.feature, ends[0].feature, same)
    there = _offset(one.b.feature, ends[1].feature, same)
    if here is None or there is None or abs(here - there) <= tolerance:
        return None
    return Spacing(one.mate.a.part, here, one.mate.b.part, there)


def _offset(one: Feature, two: Feature, same: float) -> float | None:
    """Distance of two points, parallel axes or parallel planes of one part; None for others."""
    if basic_type(one) is not basic_type(two):
        return None
    p, q = np.array(one.frame), np.array(two.frame)
    between, z = q[:3] - p[:3], p[9:12]
    if isinstance(one, Point):
        return float(np.linalg.norm(between))
    if np.linalg.norm(np.cross(z, q[9:12])) > same or not isinstance(one, (Axis, Plane)):
        return None
    along = float(between @ z)
    return abs(along) if isinstance(one, Plane) else float(np.linalg.norm(between - along * z))


class ReachedLimit(NamedTuple):
    """A limit that takes part in a contradiction: constraint name, bound, unit of the bound."""

    constraint: str
    bound: TravelLimit
    unit: str


@dataclass(frozen=True)
class Conflict:
    """Constraints that cannot hold together.

    Attributes:
        constraints: names of mates, drivers and limits; irreducible: whether all are needed.
        reported: the constraint whose values are reported; required: the value it prescribes;
            actual: the closest value the other constraints allow, both in `unit` ("mm", "deg").
        gap: residual of the reported constraint at the closest value, mm.
        closest: whether a closer value was tried, and not found.
        tilted: whether the reported constraint asks for directions, too, that do not hold there.
        noise: where the contradiction is noise, the tolerance at which all of them hold, mm.
        spacing: where two mates join the same two parts, the distances of their features; these
            are then `required` and `actual`.
        limits: those among the constraints; stops: others, at the bound at which they stop the
            closest value.
    """

    constraints: tuple[str, ...]
    irreducible: bool
    reported: str
    required: float
    actual: float
    unit: str
    gap: float
    closest: bool
    noise: float | None = None
    spacing: Spacing | None = None
    limits: tuple[ReachedLimit, ...] = ()
    stops: tuple[ReachedLimit, ...] = ()
    tilted: bool = False


@dataclass(frozen=True)
class ConflictSearch:
    """The contradictions of an assembly, and whether they explain why it is not solved.

    Attributes:
        start: poses of the parts, (parts, 12), at which constraints hold that seemed contradictory.
        shown: whether a contradiction is proved, or all compromises are known that starts anywhere
            end at.
    """

    conflicts: tuple[Conflict, ...]
    explained: bool
    start: Array | None = None
    shown: bool = False


def find_conflicts(
    subsets: SubsetSolver, suspects: Sequence[int], likely: Sequence[int]
) -> ConflictSearch:
    """Find disjoint contradictory sets of constraints.

    Args:
        suspects: numbers of the mates, drivers with a value and limits to search, the least
            trusted last; likely: those with a residual at the best compromise: at a least-squares
            minimum only constraints that oppose each other have one.

    Raises:
        Stopped: when the budget is exceeded or the user cancels.
    """
    subsets.watch = subsets.watch.searching(SEARCH)
    left, rest = list(suspects), list(suspects)
    if len(likely) < len(left) and not subsets.holds(likely):
        left = list(likely)
    out, shown, proved = list[Conflict](), False, False
    while left and not subsets.holds(left):
        found = sorted(irreducible(subsets, left))
        conflict, poses, none = _contradiction(subsets, found)
        shown |= none
        if conflict is not None:
            out.append(conflict)
            proved |= subsets.is_impossible(found)
            left, rest = ([n for n in of if n not in set(found)] for of in (left, rest))
            if subsets.exhausted:
                break
        elif poses is not None and not subsets.exhausted and _none_holds(subsets, rest):
            subsets.note(found, poses)
            left = rest  # others among them contradict each other
        elif proved:
            break
        else:
            return ConflictSearch(tuple(out), False, poses)
    if not out:  # from other starts all hold
        return ConflictSearch((), False, subsets.solved(left, brief=True)[0].parts)
    every = tuple(_among_all(subsets, c, out) for c in out)
    return ConflictSearch(_accepted_together(subsets, every), True, shown=shown)


def _none_holds(subsets: SubsetSolver, constraints: Sequence[int]) -> bool:
    """Whether some constraints hold at no poses: by proof, or as far as many starts tell."""
    return subsets.is_impossible(constraints) or subsets.none_found(constraints)


def with_either_sense(
    search: ConflictSearch, others: Sequence[Conflict], subsets: SubsetSolver, turned: SubsetSolver
) -> ConflictSearch:
    """The same, where sets hold with turned senses and others cannot, as one set of both.

    Args:
        search: of `subsets`, with the nearest senses; others: contradictory in `turned` alone.
    """
    every, out, left = constraint_names(subsets.assembly), list[Conflict](), [*others]
    for conflict in search.conflicts:
        met = [c for c in left if {*c.constraints} & {*conflict.constraints}]
        if met and turned.holds_anywhere(conflict.constraints):
            left = [c for c in left if c not in met]
            names = {*conflict.constraints}.union(*(c.constraints for c in met))
            found = sorted(map(every.index, names))
            less = [[n for n in found if n != k] for k in found]
            conflict, _ = _described(
                subsets, found, all(subsets.holds(n) or turned.holds(n) for n in less)
            )
        out.append(conflict)
    return replace(search, conflicts=tuple(out))


def _contradiction(
    subsets: SubsetSolver, found: list[int]
) -> tuple[Conflict | None, Array | None, bool]:
    """What is said of a set that seems contradictory; None with poses where it holds after all.

    It is tried with all fallbacks and from starts anywhere.  And whether there are no such poses,
    by proof or as far as many starts tell.
    """
    sure = not subsets.exhausted and all(subsets.holds([n for n in found if n != k]) for k in found)
    proved = subsets.is_impossible(found)
    poses, none = (None, True) if proved else subsets.held_elsewhere(found)
    if not found or poses is not None:
        return None, poses, none
    conflict, poses = _described(subsets, found, sure)
    near = conflict.gap <= subsets.assembly.tolerance
    holds = near and not proved  # no contradiction: all hold there; else others are off
    return None if holds else conflict, poses, none


def _described(subsets: SubsetSolver, found: list[int], sure: bool) -> tuple[Conflict, Array]:
    """The required and the actual value of one member, and the poses where the others hold.

    The member is the first with a certain value, else with any value, else the last.
    """
    closed, _ = subsets.solved(found)
    system = closed.system
    target, numbers = system.table.target, range(len(system.constraints))
    valued = [k for k in numbers if np.any(target[system.rows([k])])]
    valued.sort(key=lambda k: _is_doubtful(system, k))
    reported = valued[0] if valued else len(system.constraints) - 1
    nearest = closest_poses(subsets, found, system, reported)
    required, actual, unit = _value(system, reported, nearest.parts)
    every = constraint_names(subsets.assembly)
    names = tuple(every[k] for k in found)
    mates = [subsets.assembly.held[n] for n in names if n in subsets.assembly.held]
    two = len(found) == len(mates) == 2
    same = system.same_direction
    apart = spacing(mates[0], mates[1], system.tolerance, same) if two else None
    gap = _gap(system, reported, nearest.parts)
    if apart is not None:
        required, actual, unit = apart.here, apart.there, "mm"
    limits, stops = (_reached(subsets.assembly, x) for x in (system.active_limits, nearest.stops))
    name = names[constraint_numbers(system)[reported]]
    if system.mates <= reported < system.mates + system.drivers:
        name = f"driver {name.removeprefix('driver ')}"
    tried, tilted = nearest.tried, unit == "mm" and _tilted(system, reported, nearest.parts)
    conflict = Conflict(
        names, sure, name, required, actual, unit, gap, tried, None, apart, limits, stops, tilted
    )
    return conflict, nearest.parts


def _tilted(system: System, k: int, parts: Array) -> bool:
    """Whether directions that constraint k asks for are off, at the reach of its parts."""
    rows = system.rows([k])
    turned = np.where(system.angular, all_residuals(system, parts) / system.table.weight, 0.0)
    return bool(np.linalg.norm(turned[rows]) * system.reach[k] > system.tolerance)


def _gap(system: System, k: int, parts: Array) -> float:
    """Residual of a constraint, mm, whole turns counted."""
    required, actual, unit = _value(system, k, parts)
    if unit == "deg" and abs(actual - required) > 180.0:  # residuals do not count whole turns
        return radians(abs(actual - required)) * float(system.reach[k])
    return float(system.in_mm(residual_of(system, parts))[k])


def _reached(assembly: Assembly, limits: Sequence[TravelLimit]) -> tuple[ReachedLimit, ...]:
    return tuple(ReachedLimit(f"limit {s.limit}", s, assembly.limits[s.limit].unit) for s in limits)


def _among_all(
    subsets: SubsetSolver, conflict: Conflict, conflicts: Sequence[Conflict]
) -> Conflict:
    """The same with what depends on everything but the members of other contradictions."""
    every = constraint_names(subsets.assembly)
    others = {n for c in conflicts if c is not conflict for n in c.constraints}
    required = [k for k, n in enumerate(every) if n not in others]
    system = subsets.solved(required)[0].system
    if is_noise(system, least_off(subsets, required)):
        noise = accepting_tolerance(subsets, required)
        conflict = replace(conflict, noise=noise if is_noise(system, noise) else None)
    return conflict


def _accepted_together(
    subsets: SubsetSolver, conflicts: tuple[Conflict, ...]
) -> tuple[Conflict, ...]:
    """The same; where all are noise, with the tolerance at which all constraints hold together."""
    if len(conflicts) < 2 or any(c.noise is None for c in conflicts):
        return conflicts
    noise = accepting_tolerance(subsets, range(len(constraint_names(subsets.assembly))))
    return conflicts if noise is None else tuple(replace(c, noise=noise) for c in conflicts)


def _is_doubtful(system: System, k: int) -> bool:
    """Whether a value was measured at the start, or is an angle with undetermined whole turns."""
    t, rows = system.table, system.rows([k]).tolist()
    if system.taken.keys() & set(rows):
        return True
    turns = t.kind[t.term_measure[t.first_term[rows[0]]]] == ROTATION
    if not turns or not np.any(np.diff(t.first_term) > 1):
        return False
    return told_by_others(t, system.start, system.grounded, rows[0]) is None


def _value(system: System, k: int, parts: Array) -> tuple[float, float, str]:
    """Required and actual value, and unit, of the equation of constraint k that is most off."""
    t = system.table
    first, end = int(system.first_equation[k]), int(system.first_equation[k + 1])
    f = all_residuals(system, parts)[first:end]
    e = first + int(np.argmax(np.abs(f)))
    angle = bool(system.angular[e])
    required = float(t.target[e])
    actual = required + float(f[e - first] / t.weight[e])
    if required == 0.0 and end - first > 1:  # several components: the length of the vector
        same = system.angular[first:end] == angle
        zero = t.target[first:end] == 0.0
        actual = float(np.linalg.norm(f[same & zero]) / t.weight[e])
    counted = told_by_others(t, system.start, system.grounded, e)
    if counted is not None:
        actual += 2 * pi * round((counted - actual) / (2 * pi))
    scale: Callable[[float], float] = degrees if angle else float
    return scale(required), scale(actual), "deg" if angle else "mm"
