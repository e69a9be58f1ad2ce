"""Names become numbers: an assembly as flat arrays.

`compile_system` lays markers, measures and equations in one table, decides the senses that were
left to the start, and takes the characteristic length from the reach of the features.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..foundations.geometry.pose import Pose, frames_of, poses_of
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.drivers.quantity import Quantity
from ..model.mate import Held, Reference, sense_asked, sense_taken
from ..model.measures.measure import IS_ANGLE, Measure
from .angle_turns import count_turns
from .bounds import Bounds, Stop, bounds_of, kind_of, valued_of
from .table import Table

SMALLEST_REACH = 1e3
"""Tolerances that features must reach apart for angles to be told by them: see `_reach`."""


@dataclass(frozen=True, eq=False)
class System:
    """Arrays of one assembly at one revision.

    A *promise* is a mate, a driver that has a value, or a limit that is held at a bound, in this
    order.

    Attributes:
        table: markers, measures, equations; bodies are parts.
        parts, promises: names by index; mates, drivers: how many promises are which.
        stops: the limits that are held, and where; bounds: all limits, None where there is none.
        angular: which equations are angles.
        first_equation: equations of promise k are first_equation[k] .. first_equation[k + 1].
        ends: the first two parts of each promise, shape (promises, 2).
        wide: all parts of the promises that have more than two, by promise.
        taken: targets that were taken from the start pose, by equation.
        sense: +1, -1 for each promise, 0 where it has none.
        start: frames of the parts, shape (parts, 12).
        grounded: which parts the user holds; held: those, and one of each connected component in
            which nothing is grounded.
        cloud, cloud_part: origins of the distinct mate features in part coordinates.
        centre: their mean for each part; length: characteristic length, mm.
    """

    table: Table
    angular: NDArray[np.bool_]
    parts: tuple[str, ...]
    promises: tuple[str, ...]
    kinds: tuple[str, ...]
    mates: int
    drivers: int
    stops: tuple[Stop, ...]
    bounds: Bounds | None
    first_equation: Ints
    ends: Ints
    wide: Mapping[int, tuple[int, ...]]
    taken: Mapping[int, float]
    sense: Ints
    start: Array
    grounded: NDArray[np.bool_]
    held: NDArray[np.bool_]
    cloud: Array
    cloud_part: Ints
    centre: Array
    length: float
    tolerance: float

    @cached_property
    def stop(self) -> float:
        """Largest residual at which the iteration stops, mm."""
        reach = float(np.abs(self.start[:, :3]).max(initial=0.0)) + self.length
        rounding = 64 * float(np.finfo(float).eps) * reach
        return min(1e-4 * self.tolerance + rounding, self.tolerance)

    @property
    def mate_equations(self) -> int:
        """Equations of mates; those of drivers and limits follow them."""
        return int(self.first_equation[self.mates])

    def rows(self, promises: Ints | list[int]) -> Ints:
        """Equations of some promises, in order."""
        chosen = np.asarray(promises, np.int64)
        first = self.first_equation[chosen]
        count = self.first_equation[chosen + 1] - first
        before = np.cumsum(count) - count
        rows: Ints = np.repeat(first - before, count) + np.arange(count.sum())
        return rows

    def in_mm(self, lengths: Array, turns: Array) -> Array:
        """What promises are off as one number each: lengths in mm, or angles (rad) at the reach of
        features where these are more."""
        off: Array = np.maximum(lengths, turns * self.length)
        return off

    def parts_of(self, promise: int) -> tuple[int, ...]:
        """All parts that a promise holds together."""
        found = self.wide.get(promise)
        return found if found is not None else tuple(self.ends[promise].tolist())

    @cached_property
    def promise_of_equation(self) -> Ints:
        """The promise behind each equation."""
        return np.repeat(np.arange(len(self.promises)), np.diff(self.first_equation))


class _Writer:
    """Collects markers and equations row by row, in flat lists: no object an equation.

    Args:
        beside: another table over the same markers.
    """

    def __init__(self, index: Mapping[str, int], beside: _Writer | None = None) -> None:
        self.index = index
        self.marker_of: dict[int, int] = beside.marker_of if beside else {}
        self.body: list[int] = beside.body if beside else []
        self.frame: list[tuple[float, ...]] = beside.frame if beside else []
        self.measures: list[int] = []
        self.first_term = [0]
        self.coefficient: list[float] = []
        self.target: list[float] = []
        self.open: list[int] = []
        """Equations whose target is taken from the start."""
        self.data: list[float] = []
        self.data_of: dict[tuple[float, ...], int] = {}

    def marker(self, m: tuple[str, tuple[float, ...]]) -> int:
        found = self.marker_of.get(id(m))
        if found is None:
            found = self.marker_of[id(m)] = len(self.body)
            self.body.append(self.index[m[0]])
            self.frame.append(m[1])
        return found

    def equation(self, terms: tuple[tuple[float, Measure], ...], target: float | None) -> None:
        known = self.marker_of
        for c, (kind, i, j, a, b, data) in terms:
            if data:
                j = self._place_of(data)
            self.coefficient.append(c)
            m, n = known.get(id(a)), known.get(id(b))
            if m is None:
                m = self.marker(a)
            if n is None:
                n = self.marker(b)
            self.measures += (kind, i, j, m, n)
        self.first_term.append(len(self.coefficient))
        if target is None:
            self.open.append(len(self.target))
        self.target.append(target or 0.0)

    def _place_of(self, data: tuple[float, ...]) -> int:
        if data not in self.data_of:
            self.data_of[data] = len(self.data)
            self.data += data
        return self.data_of[data]

    def table(self, length: float) -> tuple[Table, NDArray[np.bool_]]:
        """The table, and which of its equations are angles."""
        measures = np.array(self.measures, np.int64).reshape(-1, 5)
        kind, i, j, a, b = np.ascontiguousarray(measures.T)
        first = np.array(self.first_term, np.int64)
        angular = IS_ANGLE[kind[first[:-1]]] if len(first) > 1 else np.empty(0, bool)
        table = Table(
            marker_body=np.array(self.body, np.int64),
            marker_frame=np.array(self.frame, float).reshape(-1, 12),
            kind=kind,
            axis_i=i,
            axis_j=j,
            marker_a=a,
            marker_b=b,
            first_term=first,
            term_measure=np.arange(len(kind)),
            coefficient=np.array(self.coefficient),
            reference=np.zeros(len(kind)),
            target=np.array(self.target),
            period=np.zeros(len(self.target)),
            weight=np.where(angular, length, 1.0),
            data=np.array(self.data, float),
        )
        return table, angular


def compile_system(
    assembly: Assembly, reversed_senses: frozenset[str] = frozenset(), stops: tuple[Stop, ...] = ()
) -> System:
    """Lay an assembly out as arrays.

    Args:
        assembly: read, not changed.
        reversed_senses: mates whose nearest sense is to be taken the other way round.
        stops: limits that are held at a bound, as drivers are held at their values.
    """
    parts = tuple(assembly.parts)
    index = {name: k for k, name in enumerate(parts)}
    held = list(assembly.held.values())
    valued = valued_of(assembly, stops)
    writer = _Writer(index)
    first = [0]
    for equations in (*(h.equations for h in held), *(q.at(value) for _, q, value in valued)):
        for terms, target in equations:
            writer.equation(terms, target)
        first.append(len(writer.target))
    beside = _Writer(index, writer)
    for limit in assembly.limits.values():
        beside.equation(*limit.equation)

    start = frames_of(part.pose for part in assembly.parts.values())
    cloud, cloud_part = _cloud(held, index)
    centre, length = _reach(cloud, cloud_part, start, SMALLEST_REACH * assembly.tolerance)
    table, angular = writer.table(length)
    grounded = np.array([p.grounded for p in assembly.parts.values()], bool)
    quantities = [q for _, q, _ in valued]
    ends, wide = _ends(table, np.array(first, np.int64), held, quantities, index)
    sense = _senses(held, start, index, reversed_senses)
    _reverse(table, writer, held, sense)
    bounded = bool(assembly.limits)
    turns = count_turns(table, start, np.array(writer.open, np.int64), grounded, bounded)
    return System(
        table=table,
        angular=angular,
        parts=parts,
        promises=(*assembly.held, *(name for name, _, _ in valued)),
        kinds=(*(h.mate.kind for h in held), *(kind_of(q) for _, q, _ in valued)),
        mates=len(held),
        drivers=len(valued) - len(stops),
        stops=stops,
        bounds=bounds_of(assembly, *beside.table(1.0), table, turns.known)
        if assembly.limits
        else None,
        first_equation=np.array(first, np.int64),
        ends=ends,
        wide=wide,
        taken=turns.taken,
        sense=np.concatenate([sense, np.zeros(len(valued), np.int64)]),
        start=start,
        grounded=grounded,
        held=_held(parts, grounded, ends, wide, len(held), cloud_part, cloud - centre[cloud_part]),
        cloud=cloud,
        cloud_part=cloud_part,
        centre=centre,
        length=length,
        tolerance=assembly.tolerance,
    )


def _held(
    parts: tuple[str, ...],
    grounded: NDArray[np.bool_],
    ends: Ints,
    wide: Mapping[int, tuple[int, ...]],
    mates: int,
    cloud_part: Ints,
    arms: Array,
) -> NDArray[np.bool_]:
    """Which parts are held: in a connected component without a grounded part, one.

    It is the one with the most mates; ties go to the longest reach of its features (`arms`, from
    their mean), then to the name.
    """
    n = len(parts)
    held = grounded.copy()
    more = [(parts_of[0], p) for parts_of in wide.values() for p in parts_of[2:]]
    links = np.concatenate([ends, np.array(more, np.int64).reshape(-1, 2)])
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n, n))
    count, label = connected_components(graph, directed=False)
    has_ground = np.zeros(count, bool)
    has_ground[label[held]] = True
    if has_ground.all():
        return held
    degree = np.bincount(ends[:mates].ravel(), minlength=n)
    reach2 = np.bincount(cloud_part, weights=np.sum(arms**2, axis=1), minlength=n)
    reach2 = np.round(reach2 / max(float(reach2.max(initial=0.0)), 1e-300), 9)
    for k in sorted(range(n), key=lambda k: (-degree[k], -reach2[k], parts[k])):
        if not has_ground[label[k]]:
            has_ground[label[k]] = held[k] = True
    return held


def _ends(
    table: Table, first: Ints, held: list[Held], valued: list[Quantity], index: Mapping[str, int]
) -> tuple[Ints, dict[int, tuple[int, ...]]]:
    """The first two parts of each promise, and all parts of those that have more."""
    pairs = [(index[h.mate.a.part], index[h.mate.b.part]) for h in held]
    for q in valued:
        found = q.equation.terms[0][1]
        pairs.append((index[found.a.part], index[found.b.part]))
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    a = table.marker_body[table.marker_a[table.term_measure]]
    b = table.marker_body[table.marker_b[table.term_measure]]
    cuts = table.first_term[first]
    own = np.repeat(ends, np.diff(cuts), axis=0)  # the two parts, for each term
    other = (a[:, None] != own).all(axis=1) | (b[:, None] != own).all(axis=1)
    wide = {}
    for k in np.unique(np.repeat(np.arange(len(ends)), np.diff(cuts))[other]).tolist():
        terms = range(cuts[k], cuts[k + 1])
        parts = tuple(dict.fromkeys(int(p) for n in terms for p in (a[n], b[n])))
        ends[k] = parts[:2]
        if len(parts) > 2:
            wide[k] = parts
    return ends, wide


def _cloud(held: list[Held], index: Mapping[str, int]) -> tuple[Array, Ints]:
    """Origins of the distinct features that mates hold, and the part of each."""
    seen: dict[Reference, tuple[float, ...]] = {}
    for mate, a, b, *_ in held:
        seen[mate.a] = a.feature.frame
        seen[mate.b] = b.feature.frame
    points = np.array([f[:3] for f in seen.values()], float).reshape(-1, 3)
    return points, np.array([index[ref.part] for ref in seen], np.int64)


def _reach(cloud: Array, cloud_part: Ints, start: Array, least: float) -> tuple[Array, float]:
    """Mean of each part's features, and how far features reach from it (root mean square).

    A reach below `least` is rounding of features at one place, and counts as none.
    """
    n = len(start)
    count = np.bincount(cloud_part, minlength=n)
    centre = (
        np.stack(
            [np.bincount(cloud_part, weights=cloud[:, r], minlength=n) for r in range(3)], axis=1
        )
        / np.maximum(count, 1)[:, None]
    )
    spread = np.linalg.norm(cloud - centre[cloud_part], axis=1)[count[cloud_part] > 1]
    length = float(np.sqrt(np.mean(spread**2))) if len(spread) else 0.0
    if length < least:  # one feature a part: how far the parts, or the features, lie apart
        length = float(np.linalg.norm(np.ptp(start[:, :3], axis=0))) if n else 0.0
    if length < least:
        length = float(np.abs(cloud).max(initial=0.0))
    return centre, length if length >= least else 1.0


def _senses(
    held: list[Held], start: Array, index: Mapping[str, int], reversed_senses: frozenset[str]
) -> Ints:
    """+1 aligned, -1 opposed, 0 none; `nearest` by the sign of its measure at the start."""
    out = []
    for h in held:
        sense = sense_asked(h)
        if h.chosen_by is not None:
            sense = sense_taken(h, *(start[index[end.part]] for end in (h.mate.a, h.mate.b)))
            sense = -sense if h.mate.name in reversed_senses else sense
        out.append(sense)
    return np.array(out, np.int64)


def _reverse(table: Table, writer: _Writer, held: list[Held], sense: Ints) -> None:
    """Turn marker b of every opposed mate by half a turn about its x."""
    markers = [writer.marker_of[id(held[k].b.marker)] for k in np.flatnonzero(sense < 0)]
    table.marker_frame[markers, 6:] *= -1.0


def named_poses(assembly: Assembly, system: System, found: Array) -> dict[str, Pose]:
    """Poses of parts by name; a part that did not move keeps its pose bit for bit."""
    still = np.all(found == system.start, axis=1)
    out = {name: part.pose for name, part in assembly.parts.items()}
    moved = [name for name, stays in zip(out, still, strict=True) if not stays]
    return out | dict(zip(moved, poses_of(found[~still]), strict=True))
