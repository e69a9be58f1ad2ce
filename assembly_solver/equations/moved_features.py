"""What an edit moved of the features of an assembly, where it moved features on parts alone.

Source: docs/theory/decomposition.md, 12.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..foundations.altered import altered
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.mate import Equation, Reference, ResolvedMate, required_sense
from ..model.measures.measure import COSINE, Measure
from .mate_features import extent
from .new_targets import Differs, resolved_again, same_objects, valued_drivers
from .system import System

Triple = tuple[float, ...]


class MovedFeatures(NamedTuple):
    """Markers of mates and drivers with other origins on their parts, and the system with these.

    Attributes:
        markers: of its table, (n,); by: how far they moved, in part coordinates, mm, (n, 3).
        constraints: those that refer to them; points: of `System.cloud` that moved.
    """

    system: System
    markers: Ints
    by: Array
    constraints: frozenset[int]
    points: Ints


class FeaturePlaces(NamedTuple):
    """Where the numbers of some features are in a system, whose mates read no more of them.

    Attributes:
        refs: the features; was: their origins, mm, (n, 3); points: their numbers in `reaches`.
        markers, cloud: those of the table and of `System.cloud` at them, each with the number of
            its feature; constraints: those that refer to them.
    """

    refs: tuple[Reference, ...]
    was: Array
    points: Ints
    markers: Ints
    of_marker: Ints
    cloud: Ints
    of_cloud: Ints
    constraints: frozenset[int]


def feature_places(
    system: System, given: Assembly, refs: tuple[Reference, ...]
) -> FeaturePlaces | None:
    """The places of features that mates refer to, or nothing, as of `model.dimensions.Moves`.

    None where other parts of the system were derived from them.

    Args:
        system: compiled from `given`.
    """
    if _derived(system):
        return None
    number, rows = {ref: n for n, ref in enumerate(refs)}, dict[Reference, int]()
    markers, constraints, t = dict[int, int](), set[int](), system.table
    for k, found in enumerate(given.held.values()):
        for ref, _ in found.features():
            rows.setdefault(ref, len(rows))
        both = ((found.mate.a, found.a), (found.mate.b, found.b))
        of = {id(end.marker): number.get(ref) for ref, end in both}
        if all(n is None for n in of.values()):
            continue
        constraints.add(k)
        for e, equation in enumerate(found.equations, int(system.first_equation[k])):
            n = t.term_measure[t.first_term[e]]
            (_, measure), *more = equation.terms
            if more or not {id(measure.a), id(measure.b)} <= of.keys():
                return None
            ends = ((t.marker_a[n], measure.a), (t.marker_b[n], measure.b))
            for marker, x in ends:
                feature = of[id(x)]
                if feature is not None:
                    markers[int(marker)] = feature
    cloud = {rows[ref]: n for ref, n in number.items() if ref in rows}
    return FeaturePlaces(
        refs,
        _origins(given, refs),
        _points_of(system, given, refs),
        *_columns(markers),
        *_columns(cloud),
        frozenset(constraints),
    )


def _points_of(system: System, given: Assembly, refs: tuple[Reference, ...]) -> Ints:
    """The numbers of features among the points of `reaches`."""
    first = np.searchsorted(system.reaches.points.part, np.arange(len(given.parts)))
    begin = dict(zip(given.parts, first.tolist(), strict=True))
    return np.array(
        [begin[r.part] + [*given.parts[r.part].features].index(r.feature) for r in refs], np.int64
    )


def _columns(of: dict[int, int]) -> tuple[Ints, Ints]:
    """Keys and values."""
    return np.array([*of], np.int64), np.array([*of.values()], np.int64)


def moved_at(system: System, places: FeaturePlaces, after: Assembly) -> MovedFeatures:
    """The features of an assembly after an edit that moved those at some places alone."""
    to = _origins(after, places.refs)
    frames, at, cloud = system.table.marker_frame.copy(), system.reaches.points.at, system.cloud
    by = (to - places.was)[places.of_marker]
    frames[places.markers, :3] += by
    at, cloud = at.copy(), cloud.copy()
    at[places.points], cloud[places.cloud] = to, to[places.of_cloud]
    again = _with_features(system, frames, at, cloud, float(np.abs(to).max()))
    return MovedFeatures(again, places.markers, by, places.constraints, places.cloud)


def _origins(assembly: Assembly, refs: tuple[Reference, ...]) -> Array:
    """The origins of features on their parts, mm."""
    parts = assembly.parts
    return np.array([parts[ref.part].features[ref.feature].frame[:3] for ref in refs])


def _derived(system: System) -> bool:
    """Whether more of a system may follow from where features are than where they are."""
    derived = system.several or system.wide or system.taken or system.sense_by_residual
    return bool(derived or (system.fixed != system.grounded).any())


def moved_features(system: System, before: Assembly, after: Assembly) -> MovedFeatures | None:
    """The features that differ in an assembly after an edit: by their origins alone.

    Args:
        system: compiled from `before`, with its own nearest senses and without active limits.

    Returns:
        None where more may differ, or where other parts of the system were derived from these
        features: turns of coupled angles, senses chosen by how far mates are off, the part that is
        held as a reference.
    """
    settings = (before.tolerance, before.floating) == (after.tolerance, after.floating)
    if not settings or _derived(system) or not same_objects(before.limits, after.limits):
        return None
    try:
        points = _points(system, before, after)  # by their numbers among the points of `reaches`
        origins, constraints = dict[int, Triple](), list[int]()
        for k, old, new in _constraints(system, before, after):
            constraints.append(k)
            _enter_origins(system, int(system.first_equation[k]), old, new, origins)
    except Differs:
        return None
    markers = np.array(list(origins), np.int64)
    frames = system.table.marker_frame.copy()
    by = np.array(list(origins.values()), float).reshape(-1, 3) - frames[markers, :3]
    frames[markers, :3] += by
    moved = _moved_points(before, after)
    farthest = max((abs(x) for p in (*points.values(), *origins.values()) for x in p), default=0.0)
    at, cloud = _with(system.reaches.points.at, points), _with(system.cloud, moved)
    again = _with_features(system, frames, at, cloud, farthest)
    rows = np.array(list(moved), np.int64)
    return MovedFeatures(again, markers, by, frozenset(constraints), rows)


def _with(points: Array, moved: dict[int, Triple]) -> Array:
    """Points, (n, 3), with others by their numbers."""
    out = points.copy()
    for n, origin in moved.items():
        out[n] = origin
    return out


def _points(system: System, before: Assembly, after: Assembly) -> dict[int, Triple]:
    """The origins of features that moved, mm; raises where anything else of the parts differs."""
    own, moved = system.reaches.points, dict[int, Triple]()
    if len(before.parts) != len(after.parts):
        raise Differs
    for k, (p, q) in enumerate(zip(before.parts.values(), after.parts.values(), strict=True)):
        if p is q:
            continue
        shared = p.pose is q.pose and p.inner is q.inner and p.derived is q.derived
        if not shared or (p.name, p.grounded) != (q.name, q.grounded):
            raise Differs
        if p.features is q.features:
            continue
        if [*p.features] != [*q.features]:
            raise Differs
        first = int(np.searchsorted(own.part, k))
        both = zip(p.features.values(), q.features.values(), strict=True)
        for n, (one, two) in enumerate(both, first):
            if one is not two:
                if type(one) is not type(two) or one.frame[3:] != two.frame[3:]:
                    raise Differs
                moved[n] = two.frame[:3]
    return moved


def _constraints(
    system: System, before: Assembly, after: Assembly
) -> Iterator[tuple[int, tuple[Equation, ...], tuple[Equation, ...]]]:
    """The constraints that were resolved again: their number and equations; raises if others."""
    for k, old, new in resolved_again(before, after, _same_sense):
        yield k, old.equations, new.equations
    if same_objects(before.drivers, after.drivers):
        return
    a, b = valued_drivers(before), valued_drivers(after)
    if len(a) != len(b):
        raise Differs
    for k, (one, two) in enumerate(zip(a, b, strict=True), system.mates):
        if one is not two:
            same = one.name == two.name and type(one) is type(two) and one.value == two.value
            if not same or one.value is None or two.value is None:
                raise Differs
            yield k, one.at(one.value), two.at(two.value)


def _same_sense(old: ResolvedMate, new: ResolvedMate) -> bool:
    """Whether two states of a mate choose its sense alike: by directions, which did not change."""
    one, two = old.chosen_by, new.chosen_by
    if required_sense(old) != required_sense(new) or (one is None) != (two is None):
        return False
    if one is None or two is None:
        return True
    return one[:3] == two[:3] and one.kind == COSINE and _same_ways(one, two)


def _same_ways(one: Measure, two: Measure) -> bool:
    """Whether the markers of two measures have the same parts and axes."""
    ends = ((one.a, two.a), (one.b, two.b))
    return all(x is y or (x.part == y.part and x.frame[3:] == y.frame[3:]) for x, y in ends)


def _enter_origins(
    system: System,
    first: int,
    old: tuple[Equation, ...],
    new: tuple[Equation, ...],
    origins: dict[int, Triple],
) -> None:
    """Enter the markers of equations with other origins; raises where more differs.

    Args:
        first: number of the first equation.
    """
    t = system.table
    if len(old) != len(new):
        raise Differs
    for e, (one, two) in enumerate(zip(old, new, strict=True), first):
        if one is two:
            continue
        (c, x), (d, y) = one.terms[0], two.terms[0]
        same = c == d and x[:3] == y[:3] and x.data == y.data and _same_ways(x, y)
        if not same or one.target != two.target or len(one.terms) != len(two.terms):
            raise Differs
        measure = t.term_measure[t.first_term[e]]
        for column, u, v in ((t.marker_a, x.a, y.a), (t.marker_b, x.b, y.b)):
            if u is not v and u.frame[:3] != v.frame[:3]:
                origins[int(column[measure])] = v.frame[:3]


def _moved_points(before: Assembly, after: Assembly) -> dict[int, Triple]:
    """The origins of the features of mates that moved, by their numbers in `System.cloud`."""
    row, moved = dict[Reference, int](), dict[int, Triple]()
    for old, new in zip(before.held.values(), after.held.values(), strict=True):
        for (ref, one), (_, two) in zip(old.features(), new.features(), strict=True):
            n = row.setdefault(ref, len(row))
            if one is not two:
                moved[n] = two.frame[:3]
    return moved


def _with_features(
    system: System, frames: Array, at: Array, cloud: Array, farthest: float
) -> System:
    """The system with other frames of the markers and other origins of the features.

    Args:
        farthest: the largest of their coordinates that are others, mm.
    """
    own = system.reaches.points._replace(at=at)
    centre, length = extent(cloud, system.cloud_part, system.start, own)
    table = system.table._replace(marker_frame=frames, weight=np.where(system.angular, length, 1.0))
    reaches = system.reaches.moved(table, own, farthest)
    out = altered(system, table=table, cloud=cloud, centre=centre, length=length, reaches=reaches)
    out.__dict__.pop("convergence_tolerance", None)
    return out
