"""An assembly as flat arrays: its equations, the senses of its mates, its characteristic length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.altered import MadeLater, altered, made_later
from ..foundations.collecting import uncollected
from ..foundations.geometry.pose import Pose, frames_of, poses_of
from ..foundations.graphs.connected import connected
from ..foundations.numerics.distinct import distinct
from ..foundations.numerics.rounding import EPSILON, FAINT
from ..foundations.remembered import remembered
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.drivers.quantity import Quantity
from ..model.equation_set import equation_set
from .angle_turns import count_turns
from .bounds import Bounds, TravelLimit, bounds_of, kind_of, valued_of
from .mate_features import MateFeatures, MateNumbers, mate_features
from .parallel_directions import StartedMates
from .reaches import Reaches, part_points
from .senses import contradicting_senses, senses_of
from .shared_markers import SharedMarkers, oppose
from .table import EquationTable
from .table_writer import written
from .welds import welded

CONVERGED = 1e-10
"""A setting: residual that counts as zero, mm, besides rounding, whatever the tolerance is."""

FINE = 1e-4
"""A setting: the same as a share of the tolerance, where that is less."""

SAME_PLACE = 2.0
"""Tolerances that two places of joints may be apart to be one."""


def converged(reach: float, tolerance: float) -> float:
    """The residual that counts as zero where coordinates are at most `reach`, mm."""
    rounding = 64 * EPSILON * reach
    return min(FINE * tolerance + rounding, CONVERGED + rounding, tolerance)


class Residuals(NamedTuple):
    """Residuals of the constraints of a system.

    Attributes:
        lengths, turns: of each, mm and rad, (constraints,); longest, widest: the largest of them.
    """

    lengths: Array
    turns: Array
    longest: float
    widest: float

    def first(self, count: int) -> Residuals:
        """Those of so many constraints, the first."""
        lengths, turns = self.lengths[:count], self.turns[:count]
        return Residuals(
            lengths, turns, float(lengths.max(initial=0.0)), float(turns.max(initial=0.0))
        )


@made_later("cloud", "centre", "reaches")
@dataclass(frozen=True, eq=False)
class System(MadeLater):
    """Arrays of one assembly at one revision.

    The constraints are the mates, then the drivers that have a value, then the active limits.

    Attributes:
        table: markers, measures, equations; bodies are parts.
        angular: which equations are angles.
        parts, constraints: names by index; kinds: of the constraints.
        mates, drivers: number of the constraints that are mates and drivers.
        active_limits: the limits that are constraints, each with its bound.
        bounds: all limits, None where there is none.
        first_equation: equations of constraint k are first_equation[k] .. first_equation[k + 1].
        ends: the first two parts of each constraint, shape (constraints, 2).
        wide: all parts of the constraints that have more than two, by constraint.
        taken: targets that were measured at the start poses, by equation, mm or rad.
        sense: +1, -1 for each constraint, 0 where it has none; reversed_senses: names of the mates
            whose sense is not the nearest one; sense_by_residual: whether senses were chosen by
            how far mates are off at the start.
        start: frames of the parts, shape (parts, 12).
        grounded: which parts the user grounds; fixed: those, and unless the assembly floats a
            reference part of each connected component in which nothing is grounded.
        cloud, cloud_part: origins of the distinct mate features in part coordinates, and the part.
        centre: their mean for each part, shape (parts, 3), mm.
        length: characteristic length, which scales the angles of equations, mm.
        reaches: what `reach` is computed from, on what is welded or merged.
    """

    table: EquationTable
    angular: NDArray[np.bool_]
    parts: tuple[str, ...]
    constraints: tuple[str, ...]
    kinds: tuple[str, ...]
    mates: int
    drivers: int
    active_limits: tuple[TravelLimit, ...]
    bounds: Bounds | None
    first_equation: Ints
    ends: Ints
    wide: Mapping[int, tuple[int, ...]]
    taken: Mapping[int, float]
    sense: Ints
    reversed_senses: tuple[str, ...]
    sense_by_residual: bool
    start: Array
    grounded: NDArray[np.bool_]
    fixed: NDArray[np.bool_]
    cloud: Array
    cloud_part: Ints
    centre: Array
    length: float
    reaches: Reaches
    tolerance: float

    @property
    def reach(self) -> Array:
        """What scales the angle of each constraint in verdicts, mm, (constraints,).

        The largest distance from its features to any feature of its parts and of what is rigid
        with these (see `welds`, `over_clusters`); where that is 0, the extent of its connected
        component.
        """
        return self.reaches.found

    @remembered
    def most_reach(self) -> float:
        """A length that no reach exceeds, mm."""
        return self.reaches.most

    @remembered
    def farthest(self) -> float:
        """The largest coordinate of an origin of a part at the start, mm."""
        return float(np.abs(self.start[:, :3]).max(initial=0.0))

    @remembered
    def convergence_tolerance(self) -> float:
        """Largest residual that an iteration counts as zero, mm."""
        return converged(self.farthest + self.length, self.tolerance)

    @property
    def same_place(self) -> float:
        """Distance up to which two places on a body are one, mm.

        Features that are one in the exact model are off by up to half a tolerance each; joints are
        fitted to several of them.
        """
        return SAME_PLACE * self.tolerance

    @property
    def same_direction(self) -> float:
        """Angle up to which two directions of bodies are one, rad: at the characteristic length.

        At least what poses that were solved for leave of a direction.
        """
        return max(self.same_place / self.length, FAINT)

    @property
    def mate_equations(self) -> int:
        """Number of equations of mates; those of drivers and limits follow them."""
        return int(self.first_equation[self.mates])

    def rows(self, constraints: Ints | list[int]) -> Ints:
        """Equations of some constraints, in the order of these."""
        chosen = np.asarray(constraints, np.int64)
        first = self.first_equation[chosen]
        count = self.first_equation[chosen + 1] - first
        before = count.cumsum() - count
        rows: Ints = (first - before).repeat(count) + np.arange(count.sum())
        return rows

    def in_mm(self, found: Residuals) -> Array:
        """Residuals of all or the first constraints, mm: the larger of length and angle times
        `reach`."""
        off: Array = np.maximum(found.lengths, found.turns * self.reach[: len(found.turns)])
        return off

    def in_mm_of_copies(self, off: Array) -> Array:
        """The same of copies, (copies, constraints), from residuals of their equations, (copies,
        equations), mm."""
        out, first = np.zeros((len(off), len(self.constraints))), self.first_equation
        some = np.diff(first).nonzero()[0]  # constraints that have equations
        for angles, scale in ((False, np.ones(len(some))), (True, self.reach[some] / self.length)):
            squares = np.where(self.angular == angles, off, 0.0) ** 2
            sums = np.add.reduceat(squares, first[some], axis=1)
            out[:, some] = np.maximum(out[:, some], scale * np.sqrt(sums))
        return out

    def within(self, found: Residuals, limit: float) -> bool:
        """Whether no residual exceeds so many mm: as `in_mm` tells, mostly without `reach`."""
        if not found.longest <= limit:
            return False
        if found.widest * self.most_reach <= limit:
            return True
        return float(self.in_mm(found).max(initial=0.0)) <= limit

    def parts_of(self, constraint: int) -> tuple[int, ...]:
        """All parts of a constraint."""
        return self.wide.get(constraint) or tuple(self.ends[constraint].tolist())

    @remembered
    def several(self) -> bool:
        """Whether an equation has several terms, as that of a coupling."""
        return len(self.table.coefficient) > len(self.table.target)

    @remembered
    def constraint_of_equation(self) -> Ints:
        """Index of the constraint of each equation."""
        return np.arange(len(self.constraints)).repeat(
            self.first_equation[1:] - self.first_equation[:-1]
        )


@uncollected
def compile_system(
    assembly: Assembly,
    reversed_senses: frozenset[str] | None = None,
    active_limits: tuple[TravelLimit, ...] = (),
) -> System:
    """Convert an assembly, which is not changed, to arrays.

    Args:
        reversed_senses: names of mates whose sense is the opposite of the nearest one; by default
            those that could hold with the others at no poses.
        active_limits: limits that are constraints, each at one of its bounds.
    """
    known, valued = MateNumbers(assembly), valued_of(assembly, active_limits)
    start, points = frames_of(p.pose for p in assembly.parts.values()), part_points(assembly)
    features = mate_features(known, start, points)
    driven = [equation_set(q.at(v)) for _, q, v in valued]
    limits = [equation_set([limit.equation]) for limit in assembly.limits.values()]
    markers = SharedMarkers(known.markers, driven, limits)
    every, of, count = known.sets + driven, markers.of[0], len(known.mates)
    table, first, angular, taken, before = written(every, markers, of, features.length)
    grounded = np.array([p.grounded for p in assembly.parts.values()], bool)
    ends, wide = _ends(table, first, known, [q for _, q, _ in valued])
    links, tolerance = shared_links(ends, wide), assembly.tolerance
    mates = StartedMates(table, first[: count + 1], start, grounded, tolerance)
    sense, reverse, weighed = senses_of(known, mates, reversed_senses)
    oppose(table, of, known.resolved, sense, before)
    bounds = bounds_of(assembly, limits, markers)
    found = count_turns(table, start, taken, grounded, bounds and bounds.table, tolerance)
    return System(
        table=table,
        angular=angular,
        parts=tuple(known.index),
        constraints=(*assembly.held, *(name for name, _, _ in valued)),
        kinds=(*[mate.kind for mate in known.mates], *(kind_of(q) for _, q, _ in valued)),
        mates=count,
        drivers=len(valued) - len(active_limits),
        active_limits=active_limits,
        bounds=bounds,
        first_equation=first,
        ends=ends,
        wide=wide,
        taken=found,
        sense=np.concatenate([sense, np.zeros(len(valued), np.int64)]),
        reversed_senses=reverse,
        sense_by_residual=weighed,
        start=start,
        grounded=grounded,
        fixed=_fixed_parts(assembly, grounded, _parts(ends, wide, count), links, features),
        reaches=Reaches(table, first, points, *welded(known, start, grounded), start, links),
        tolerance=tolerance,
        **features._asdict(),
    )


def over_clusters(system: System, of_part: Ints, relative: Array) -> System:
    """The system with the reaches that its constraints have on rigid clusters of parts.

    Args:
        of_part: cluster of each part, 0 those that are fixed; relative: their poses in it, or in
            the world.
    """
    known = system.reaches
    count, component = connected(len(of_part), *known.links.T)
    held = np.zeros(count, bool)
    held[component[system.grounded]] = True
    # parts that are fixed only as a reference are rigid with those of their component
    key = np.where((of_part > 0) | held[component], of_part, -1 - component)
    bodies = np.unique(key, return_inverse=True)[1]
    here = Reaches(
        system.table, known.first, known.points, bodies, relative, system.start, known.links
    )
    return altered(system, reaches=here)


def senses_at_odds(assembly: Assembly, reversed_senses: frozenset[str]) -> Ints:
    """The mates whose senses, some nearest ones reversed, can hold together at no poses."""
    system = compile_system(assembly, reversed_senses)
    n, first = system.mates, system.first_equation[: system.mates + 1]
    mates = StartedMates(system.table, first, system.start, system.grounded, system.tolerance)
    return contradicting_senses(mates, np.ones(n, np.int64))  # the markers have their senses


def shared_links(ends: Ints, wide: Mapping[int, tuple[int, ...]]) -> Ints:
    """Pairs of parts that share a constraint, shape (k, 2)."""
    more = [(parts[0], p) for parts in wide.values() for p in parts[2:]]
    return np.concatenate([ends, np.array(more, np.int64).reshape(-1, 2)])


def _parts(ends: Ints, wide: Mapping[int, tuple[int, ...]], mates: int) -> Ints:
    """The parts of each of the first `mates` constraints, one after the other."""
    more = [p for k, parts in wide.items() if k < mates for p in parts[2:]]
    return np.concatenate([ends[:mates].ravel(), np.array(more, np.int64)])


def _fixed_parts(
    assembly: Assembly,
    grounded: NDArray[np.bool_],
    mates: Ints,
    links: Ints,
    features: MateFeatures,
) -> NDArray[np.bool_]:
    """Grounded parts, and a reference part of each connected component without one, if any is held.

    The reference part is the one with the most mates; ties go to the largest sum of squared
    distances of its features from their mean, as far as the tolerance lets tell, then to the name.

    Args:
        mates: the parts of each mate; links: pairs of parts that share a constraint.
    """
    parts, n = tuple(assembly.parts), len(grounded)
    fixed = grounded.copy()
    if assembly.floating:
        return fixed
    components, label = connected(n, *links.T)
    has_ground = np.zeros(components, bool)
    has_ground[label[fixed]] = True
    if has_ground.all():
        return fixed
    degree = np.bincount(mates, minlength=n)
    arms = features.cloud - features.centre[features.cloud_part]
    squares = np.bincount(features.cloud_part, weights=np.sum(arms**2, axis=1), minlength=n)
    count = np.bincount(features.cloud_part, minlength=n)
    size, blur = np.sqrt(squares), SAME_PLACE * assembly.tolerance * np.sqrt(count)
    for component in (~has_ground).nonzero()[0].tolist():
        own = (label == component).nonzero()[0]
        own = own[degree[own] == degree[own].max()]
        own = own[size[own] >= (size - blur)[own].max()]
        fixed[min(own.tolist(), key=lambda k: parts[k])] = True
    return fixed


def _ends(
    table: EquationTable, first: Ints, known: MateNumbers, valued: list[Quantity]
) -> tuple[Ints, dict[int, tuple[int, ...]]]:
    """The first two parts of each constraint, and all parts of those that have more."""
    markers = [q.equation.terms[0][1] for q in valued]
    named = [(known.index[x.a.part], known.index[x.b.part]) for x in markers]
    ends = np.concatenate([known.parts, np.array(named, np.int64).reshape(-1, 2)])
    a = table.marker_body[table.marker_a[table.term_measure]]
    b = table.marker_body[table.marker_b[table.term_measure]]
    cuts = table.first_term[first]
    wide: dict[int, tuple[int, ...]] = {}
    of = np.arange(len(ends)).repeat(cuts[1:] - cuts[:-1])  # the constraint of each term
    one, two = ends[of].T
    other = ((a != one) & (a != two)) | ((b != one) & (b != two))
    for k in distinct(of[other]).tolist() if other.any() else ():
        terms = range(cuts[k], cuts[k + 1])
        parts = tuple(dict.fromkeys(int(p) for n in terms for p in (a[n], b[n])))
        ends[k] = parts[:2]
        if len(parts) > 2:
            wide[k] = parts
    return ends, wide


def named_poses(assembly: Assembly, system: System, parts: Array) -> dict[str, Pose]:
    """Poses of parts by name from frames, shape (parts, 12).

    A part that did not move keeps its pose bit for bit.
    """
    still = np.all(parts == system.start, axis=1)
    out = {name: part.pose for name, part in assembly.parts.items()}
    moved = [name for name, stays in zip(out, still, strict=True) if not stays]
    return out | dict(zip(moved, poses_of(parts[~still]), strict=True))
