"""Components whose bodies move in parallel planes, recognised from their equations.

Motions that keep a direction n form a subalgebra (translations and rotations about n).  So if every
body is connected to the root by a chain of mates that keep n, all finite motions keep it, whatever
the other mates are; the equations then separate into those in the plane, those of the heights
(linear) and those of tilts, which are satisfied identically (certified, and dropped).

Source: docs/theory/planar.md, 1 to 3, relative to the root of the component.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ..equations.closed_form import PlanarComponent
from ..equations.table import EquationTable
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array, Bools, Ints
from ..model.measures import measure as m
from .lower_pairs import cross, frame_along
from .planar_rows import CERTIFIED, HEIGHT, IN_PLANE, SPIN, clear, place_of, sort_rows


class Projection(NamedTuple):
    """A planar component: its bodies with normals and heights, and its equations sorted."""

    flat: PlanarComponent
    frames: dict[int, Array]
    """Markers that were turned within their mate's freedom so that rows separate."""
    plane: list[int]
    """Equations in the plane."""
    spins: set[int]
    """Those of them that depend on rotations only."""
    heights: list[int]
    certified: list[int]


Vector = list[float]


class _Measures(NamedTuple):
    """Which measures the equations of one constraint between one pair of markers have.

    Attributes:
        tilts, turns, moves: their axes; rotates, separates: whether they have such a measure.
        keeps_direction: whether directions of both bodies stay parallel: z by tilts, all by turns.
        reads_frame: whether they depend on the frame of marker a, as those of a slot do.
    """

    tilts: tuple[int, ...]
    turns: tuple[int, ...]
    moves: tuple[int, ...]
    rotates: bool
    separates: bool
    keeps_direction: bool
    reads_frame: bool


_BY_AXIS = (m.TILT, m.TURN, m.DISPLACEMENT)
"""Measures of which the axis counts, a bit each, the lowest; others have one bit for all axes."""

_BITS = np.array([[1 << (9 + kind)] * 3 for kind in range(len(m.IS_ANGLE))])
_BITS[list(_BY_AXIS)] = 1 << np.arange(9).reshape(3, 3)


@cache
def _measures_of(bits: int) -> _Measures:
    """As `_Measures`, from the bits of the measures."""
    tilts, turns, moves = (
        tuple(i for i in range(3) if bits & int(_BITS[kind, i])) for kind in _BY_AXIS
    )
    kinds = {kind for kind in range(len(_BITS)) if bits & int(_BITS[kind, 0])}
    return _Measures(
        tilts,
        turns,
        moves,
        rotates=m.ROTATION in kinds,
        separates=m.SEPARATION in kinds,
        keeps_direction=tilts == (0, 1) or turns == (0, 1, 2),
        reads_frame=bool(kinds.difference(_BY_AXIS, (m.RADIUS, m.SEPARATION)))
        or moves not in ((), (2,), (0, 1), (0, 1, 2)),
    )


class _MarkerPairs(NamedTuple):
    """Pairs of markers on two bodies, each with the equations of one constraint between them.

    Attributes:
        rows: the equations, those of a pair one after the other; told: of each its pair, the kind
            of its measure and its axis, (rows, 3).
        markers, bodies: the two of each pair; along: the z axes of these markers.
        measures: of each pair; several: the equations of several terms, which are in none.
    """

    rows: Ints
    told: Ints
    markers: Ints
    bodies: list[list[int]]
    along: list[list[Vector]]
    measures: list[_Measures]
    several: list[int]


def _pairs_of(table: EquationTable, rows: Ints, of: Ints) -> _MarkerPairs:
    """The pairs of markers of equations, each of a constraint, by the first equation of each."""
    term = table.first_term[rows]
    alone = table.first_term[rows + 1] - term == 1
    several = rows[~alone].tolist()
    if several:
        rows, term, of = rows[alone], term[alone], of[alone]
    n = table.term_measure[term]
    a, b = table.marker_a[n], table.marker_b[n]
    key = (of * len(table.marker_body) + a) * len(table.marker_body) + b
    new = _begins(key)
    if len(set(key[new].tolist())) < new.sum():  # equations of others are between those of a pair
        _, first, same = np.unique(key, return_index=True, return_inverse=True)
        order = first[same].argsort(kind="stable")
        rows, n, a, b = rows[order], n[order], a[order], b[order]
        new = _begins(key[order])
    told = np.empty((len(rows), 3), np.int64)
    told[:, 0], told[:, 1], told[:, 2] = new.cumsum() - 1, table.kind[n], table.axis_i[n]
    begin = new.nonzero()[0]
    markers = np.empty((len(begin), 2), np.int64)
    markers[:, 0], markers[:, 1] = a[begin], b[begin]
    bits = np.bitwise_or.reduceat(_BITS[told[:, 1], told[:, 2]], begin) if len(begin) else begin
    return _MarkerPairs(
        rows,
        told,
        markers,
        table.marker_body[markers].tolist(),
        table.marker_frame[markers, 9:].tolist(),
        [*map(_measures_of, bits.tolist())],
        several,
    )


def _begins(keys: Ints) -> Bools:
    """Where a key differs from the one before."""
    out = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=out[1:])
    return out


def project(
    table: EquationTable, root: int, bodies: list[int], rows: Ints, of: Ints
) -> Projection | None:
    """The planar form of a component: a root, moving bodies, its equations by constraint.

    None where it has none.  The markers of the table are in body coordinates.

    Args:
        rows: the equations; of: a number of the constraint of each.
    """
    pairs = _pairs_of(table, rows, of)
    keepers: dict[int, list[int]] = {}
    for k, (measures, ends) in enumerate(zip(pairs.measures, pairs.bodies, strict=True)):
        if measures.keeps_direction:
            for body in ends:
                keepers.setdefault(body, []).append(k)
    for candidate, own in _candidates(table, root, keepers.get(root, []), pairs):
        keepers[root] = own
        normal = _spread(table, root, candidate, keepers, pairs)
        if len(normal) <= len(bodies):
            continue
        normals = np.zeros((max(normal) + 1, 3))
        normals[[*normal]] = [*normal.values()]
        found = _sort(table, normals, pairs)
        if found is not None and _sort_several(table, normals, pairs.several, found):
            flat = _heights(table, root, bodies, normals, found[3])
            if _level(table, flat, pairs):
                return Projection(flat, *found)
    return None


def _level(table: EquationTable, flat: PlanarComponent, pairs: _MarkerPairs) -> bool:
    """Whether every distance of points is one in the plane: its ends share a group of heights.

    Those that are terms of an equation of several, as of equal distances, too.
    """
    measures = zip(pairs.measures, pairs.bodies, strict=True)
    ends = [bodies for own, bodies in measures if own.separates]
    for e in pairs.several:
        for n in table.term_measure[table.first_term[e] : table.first_term[e + 1]].tolist():
            if int(table.kind[n]) == m.SEPARATION:
                ends.append(table.marker_body[[table.marker_a[n], table.marker_b[n]]].tolist())
    if not ends:
        return True
    group = dict(zip(flat.bodies.tolist(), flat.group.tolist(), strict=True))
    return all(group[a] == group[b] for a, b in ends)


def _candidates(
    table: EquationTable, root: int, keepers: list[int], pairs: _MarkerPairs
) -> list[tuple[Vector, list[int]]]:
    """Directions on the root that mates keep parallel to others, those of most mates first; with
    each the pairs of markers of the root that may keep it."""
    found: list[tuple[Vector, list[int]]] = []
    turns = [k for k in keepers if pairs.measures[k].turns]
    for k in keepers:
        end = pairs.bodies[k].index(root)
        ways = [pairs.along[k][end]]
        if not pairs.measures[k].tilts:
            ways += table.marker_frame[pairs.markers[k, end], 3:9].reshape(2, 3).tolist()
        for z in ways:
            same = (own for old, own in found if abs(abs(_dot(old, z)) - 1) < AGREEMENT)
            if (known := next(same, None)) is None:
                found.append((z, known := []))
            known.append(k)
    found.sort(key=lambda f: -len(f[1]))
    return [(z, sorted({*own, *turns})) for z, own in found]


def _spread(
    table: EquationTable,
    root: int,
    normal: Vector,
    keepers: dict[int, list[int]],
    pairs: _MarkerPairs,
) -> dict[int, Vector]:
    """The normal in the coordinates of every body that a chain of mates connects to the root.

    Args:
        keepers: the pairs of markers of each body that keep directions.
    """
    known = {root: normal}
    queue = [root]
    for body in queue:
        for k in keepers.get(body, ()):
            a, b = pairs.bodies[k]
            here, other = (0, b) if a == body else (1, a)
            if other in known:
                continue
            if pairs.measures[k].turns:
                one, two = table.marker_frame[pairs.markers[k], 3:].reshape(2, 3, 3)
                one, two = (one, two) if here == 0 else (two, one)
                known[other] = ((one @ known[body]) @ two).tolist()
            else:
                cosine, there = _dot(pairs.along[k][here], known[body]), pairs.along[k][1 - here]
                if abs(abs(cosine) - 1) > AGREEMENT:
                    continue
                known[other] = there if cosine > 0 else [-x for x in there]
            queue.append(other)
    return known


_Sorted = tuple[dict[int, Array], list[int], set[int], list[int], list[int]]
"""Turned markers, and equations in the plane, spins among them, of heights, and certified."""


def _sort_several(table: EquationTable, normal: Array, rows: list[int], found: _Sorted) -> bool:
    """Sort equations of several terms as their terms; False where these do not agree."""
    frames, plane, spins, _, _ = found
    for e in rows:
        places = set()
        for n in table.term_measure[table.first_term[e] : table.first_term[e + 1]].tolist():
            ends = int(table.marker_a[n]), int(table.marker_b[n])
            if frames.keys() & ends:
                return False
            normals = normal[table.marker_body[list(ends)]]
            up, up_b = _cosines(table.marker_frame[list(ends)], normals).tolist()
            upright, upright_b = (abs(abs(c[2]) - 1) < AGREEMENT for c in (up, up_b))
            i = int(table.axis_i[n])
            places.add(place_of(int(table.kind[n]), i, abs(up[i]), upright, upright_b))
        if not places <= {IN_PLANE, SPIN}:
            return False
        plane.append(e)
        if places == {SPIN}:
            spins.add(e)
    return True


def _sort(table: EquationTable, normal: Array, pairs: _MarkerPairs) -> _Sorted | None:
    """Sort each equation to the plane, the heights or the certified; None where one is oblique.

    Args:
        normal: of each body, (bodies, 3).
    """
    given = table.marker_frame[pairs.markers]
    frames = given.copy()
    normals = normal[table.marker_body[pairs.markers]]
    ups = _cosines(frames, normals)
    oblique = (np.abs(np.abs(ups[:, 0, 2]) - 1) >= AGREEMENT).nonzero()[0]
    for k in oblique.tolist():
        if not _turn(pairs.measures[k], frames[k, 0], frames[k, 1], normals[k, 0]):
            return None
    turned = {}
    if len(oblique):
        other = (frames != given).any(axis=2)
        turned = dict(zip(pairs.markers[other].tolist(), frames[other], strict=True))
        ups = _cosines(frames, normals)
    held = [(of.tilts != (), of.turns != () and not of.keeps_direction) for of in pairs.measures]
    places = np.empty(len(pairs.rows), np.int64)
    if not sort_rows(pairs.told, ups, np.array(held, bool).reshape(-1, 2), places):
        return None
    spins, heights, certified = (
        pairs.rows[places == place].tolist() for place in (SPIN, HEIGHT, CERTIFIED)
    )
    plane = pairs.rows[(places == IN_PLANE) | (places == SPIN)].tolist()
    return turned, plane, set(spins), heights, certified


def _cosines(frames: Array, normals: Array) -> Array:
    """Cosines of the axes of markers, (..., 12), with the normals of their bodies: (..., 3)."""
    axes = frames[..., 3:].reshape(*normals.shape[:-1], 3, 3)
    out: Array = (axes @ normals[..., None])[..., 0]
    return out


def _turn(measures: _Measures, frame: Array, other: Array, na: Array) -> bool:
    """Rotate markers whose z is not along the normal, as far as their equations allow, so that each
    row is along or across; False where they do not."""
    if measures.rotates:
        return True
    if measures.reads_frame:
        return not measures.tilts or all(clear(float(frame[k : k + 3] @ na)) for k in (3, 6, 9))
    if measures.turns:
        rotation = frame_along(na, na)[3:].reshape(3, 3)
        if measures.moves == (0, 1):  # a slide may be turned about its own direction only
            z = frame[9:12].copy()
            if abs(float(z @ na)) > AGREEMENT:
                return False
            rotation = np.array([na, cross(z, na), z])
        relative = rotation @ frame[3:].reshape(3, 3).T
        frame[3:] = rotation.ravel()
        other[3:] = (relative @ other[3:].reshape(3, 3)).ravel()
        return measures.moves in ((), (0, 1), (0, 1, 2))
    if measures.tilts or measures.moves == (0, 1):
        if abs(float(frame[9:12] @ na)) > AGREEMENT:
            return False
        frame[3:6] = na
        frame[6:9] = cross(frame[9:12], na)
        return True
    if measures.moves == (0, 1, 2):
        frame[3:] = frame_along(na, na)[3:]
    return True


def _dot(one: Vector, two: Vector) -> float:
    """The scalar product."""
    return one[0] * two[0] + one[1] * two[1] + one[2] * two[2]


def _heights(
    table: EquationTable, root: int, bodies: list[int], normal: Array, rows: list[int]
) -> PlanarComponent:
    """Heights of the bodies along the normal: a linear system, solved along a spanning tree."""
    links: dict[int, list[tuple[int, float]]] = {}
    for (a, b), rise in zip(*_rises(table, normal, rows), strict=True):
        links.setdefault(a, []).append((b, rise))
        links.setdefault(b, []).append((a, -rise))
    height: dict[int, float] = {}
    group: dict[int, int] = {}
    count = 0
    for first in (root, *bodies):
        if first in group:
            continue
        height[first], group[first] = 0.0, count
        queue = [first]
        for body in queue:
            for other, rise in links.get(body, ()):
                if other not in group:
                    height[other], group[other] = height[body] + rise, count
                    queue.append(other)
        count += 1
    every = [root, *bodies]
    heights, which = np.array([height[b] for b in every]), np.array(every, np.int64)
    groups = np.array([group[b] for b in every], np.int64)
    return PlanarComponent(which, normal[which], heights, groups, count)


def _rises(
    table: EquationTable, normal: Array, rows: list[int]
) -> tuple[list[list[int]], list[float]]:
    """The two bodies of each equation of heights, and how much higher the second one is."""
    e = np.array(rows, np.int64)
    term = table.first_term[e]
    n = table.term_measure[term]
    ends, heights = np.empty((len(n), 2), np.int64), np.empty((2, len(n)))
    for end, marker in enumerate((table.marker_b[n], table.marker_a[n])):
        ends[:, 1 - end] = body = table.marker_body[marker]
        up, frame = normal[body], table.marker_frame[marker]
        heights[end] = (up * frame[:, :3]).sum(axis=1)
    axes = frame.reshape(-1, 4, 3)[np.arange(len(n)), 1 + table.axis_i[n]]
    rise = table.target[e] / table.coefficient[term]
    rise *= np.copysign(1.0, (up * axes).sum(axis=1))
    return ends.tolist(), (rise + heights[1] - heights[0]).tolist()
