"""What an edit moved of the features of an assembly, where it moved features on parts alone.

Source: docs/theory/decomposition.md, 12.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.building.moves import Moved
from ..model.mate import Equation, Reference, ResolvedMate, required_sense
from ..model.measures.measure import COSINE, Measure
from .new_targets import Differs, resolved_again, same_objects, valued_drivers
from .system import System

Triple = tuple[float, ...]


class FeaturePlaces(NamedTuple):
    """Where the origins of some features are in a system, whose mates read no more of them.

    Attributes:
        points: their numbers in `reaches`, each with that of its origin, (n, 2).
        markers, cloud: those of the table and of `System.cloud` at them, alike.
        constraints: those that refer to them.
    """

    points: Ints
    markers: Ints
    cloud: Ints
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
    points = dict(zip(_points_of(system, given, refs), range(len(refs)), strict=True))
    cloud = {rows[ref]: n for ref, n in number.items() if ref in rows}
    columns = (_columns(points), _columns(markers), _columns(cloud))
    return FeaturePlaces(*columns, frozenset(constraints))


def _points_of(system: System, given: Assembly, refs: tuple[Reference, ...]) -> list[int]:
    """The numbers of features among the points of `reaches`."""
    first = np.searchsorted(system.reaches.points.part, np.arange(len(given.parts)))
    begin = dict(zip(given.parts, first.tolist(), strict=True))
    return [begin[r.part] + [*given.parts[r.part].features].index(r.feature) for r in refs]


def _columns(of: dict[int, int]) -> Ints:
    """Keys and values, (n, 2)."""
    return np.array([*of.items()], np.int64).reshape(-1, 2)


def feature_origins(features: Iterable[Moved]) -> Array:
    """The coordinates of features on their parts, mm, one after the other: (3 n,)."""
    numbers: list[float] = []
    x: Any
    for x in features:
        numbers += x if x.__class__ is tuple else x.frame[:3]
    return np.array(numbers, float)


def _derived(system: System) -> bool:
    """Whether more of a system may follow from where features are than where they are."""
    derived = system.several or system.wide or system.taken or system.sense_by_residual
    return bool(derived or (system.fixed != system.grounded).any())


def moved_features(
    system: System, before: Assembly, after: Assembly
) -> tuple[FeaturePlaces, Array] | None:
    """The features that differ in an assembly after an edit, by their origins alone, and these.

    Args:
        system: compiled from `before`, with its own nearest senses and without active limits.

    Returns:
        Their places, and their coordinates on their parts, mm, (3 n,).  None where more may differ,
        or where other parts of the system were derived from these features: turns of coupled
        angles, senses chosen by how far mates are off, the part that is held as a reference.
    """
    settings = (before.tolerance, before.floating) == (after.tolerance, after.floating)
    if not settings or _derived(system) or not same_objects(before.limits, after.limits):
        return None
    try:
        points = _points(system, before, after)  # by their numbers among the points of `reaches`
        markers, constraints = dict[int, Triple](), list[int]()
        for k, old, new in _constraints(system, before, after):
            constraints.append(k)
            _enter_origins(system, int(system.first_equation[k]), old, new, markers)
    except Differs:
        return None
    cloud = _moved_points(before, after)
    to = [*points.values(), *markers.values(), *cloud.values()]
    columns = (
        _columns({k: n for n, k in enumerate(points)}),
        _columns({k: n for n, k in enumerate(markers, len(points))}),
        _columns({k: n for n, k in enumerate(cloud, len(points) + len(markers))}),
    )
    return FeaturePlaces(*columns, frozenset(constraints)), np.array(to, float).ravel()


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
    if required_sense(old.mate) != required_sense(new.mate) or (one is None) != (two is None):
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
