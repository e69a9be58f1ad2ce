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
from ..foundations.types import Array, Ints
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

_Directions = dict[int, Vector]
"""The z axes of markers."""


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


@cache
def _measures_of(measures: tuple[tuple[int, int], ...]) -> _Measures:
    """As `_Measures`, from kinds and axes."""
    kinds = {k for k, _ in measures}
    tilts, turns, moves = (
        tuple(sorted(i for k, i in measures if k == kind))
        for kind in (m.TILT, m.TURN, m.DISPLACEMENT)
    )
    shapes = kinds - {m.TILT, m.TURN, m.DISPLACEMENT, m.RADIUS, m.SEPARATION}
    return _Measures(
        tilts,
        turns,
        moves,
        rotates=m.ROTATION in kinds,
        separates=m.SEPARATION in kinds,
        keeps_direction=tilts == (0, 1) or turns == (0, 1, 2),
        reads_frame=bool(shapes) or moves not in ((), (2,), (0, 1), (0, 1, 2)),
    )


class _MarkerPair(NamedTuple):
    """Equations of one constraint between one pair of markers on two bodies."""

    a: int
    b: int
    body_a: int
    body_b: int
    rows: dict[tuple[int, int], int]
    """Equation by (measure kind, axis)."""
    measures: _Measures


def groups_of(
    table: EquationTable, constraints: list[list[int]]
) -> tuple[list[_MarkerPair], list[int]]:
    """The equations of constraints by their pairs of markers, and those of several terms."""
    every = np.array([e for rows in constraints for e in rows], np.int64)
    first = table.first_term[every]
    n = table.term_measure[first]
    single = (table.first_term[every + 1] - first == 1).tolist()
    ends = table.marker_a[n], table.marker_b[n]
    columns = (table.kind[n], table.axis_i[n], *ends, *(table.marker_body[of] for of in ends))
    told = zip(single, *(column.tolist() for column in columns), strict=True)
    out, several = [], []
    for rows in constraints:
        found: dict[tuple[int, int, int, int], dict[tuple[int, int], int]] = {}
        for e, (alone, kind, i, a, b, x, y) in zip(rows, told, strict=False):  # `told` goes on
            if alone:
                found.setdefault((a, b, x, y), {})[kind, i] = e
            else:
                several.append(e)
        out += [_MarkerPair(*places, r, _measures_of(tuple(r))) for places, r in found.items()]
    return out, several


def project(
    table: EquationTable, root: int, bodies: list[int], constraints: list[list[int]]
) -> Projection | None:
    """The planar form of a component: a root, moving bodies, the equations of each constraint.

    None where it has none.  The markers of the table are in body coordinates.
    """
    groups, several = groups_of(table, constraints)
    markers = np.array([(g.a, g.b) for g in groups], np.int64).ravel()
    along = dict(zip(markers.tolist(), table.marker_frame[markers, 9:].tolist(), strict=True))
    keepers: dict[int, list[_MarkerPair]] = {}
    for g in groups:
        if g.measures.keeps_direction:
            for body in (g.body_a, g.body_b):
                keepers.setdefault(body, []).append(g)
    for candidate, own in _candidates(table, root, keepers.get(root, []), along):
        keepers[root] = own
        normal = _spread(table, root, candidate, keepers, along)
        if len(normal) <= len(bodies):
            continue
        found = _sort(table, normal, groups)
        if found is not None and _sort_several(table, normal, several, found):
            flat = _heights(table, root, bodies, normal, found[3])
            if _level(table, flat, groups, several):
                return Projection(flat, *found)
    return None


def _level(
    table: EquationTable, flat: PlanarComponent, groups: list[_MarkerPair], several: list[int]
) -> bool:
    """Whether every distance of points is one in the plane: its ends share a group of heights.

    Those that are terms of an equation of several, as of equal distances, too.
    """
    group = dict(zip(flat.bodies.tolist(), flat.group.tolist(), strict=True))
    ends = [(g.body_a, g.body_b) for g in groups if g.measures.separates]
    for e in several:
        for n in table.term_measure[table.first_term[e] : table.first_term[e + 1]].tolist():
            if int(table.kind[n]) == m.SEPARATION:
                a, b = table.marker_body[[table.marker_a[n], table.marker_b[n]]].tolist()
                ends.append((a, b))
    return all(group[a] == group[b] for a, b in ends)


def _candidates(
    table: EquationTable, root: int, keepers: list[_MarkerPair], along: _Directions
) -> list[tuple[Vector, list[_MarkerPair]]]:
    """Directions on the root that mates keep parallel to others, those of most mates first; with
    each the mates of the root that may keep it."""
    found: list[tuple[Vector, list[int]]] = []
    turns = [k for k, g in enumerate(keepers) if g.measures.turns]
    for k, g in enumerate(keepers):
        marker = g.a if g.body_a == root else g.b
        ways = [along[marker]]
        if not g.measures.tilts:
            ways += table.marker_frame[marker, 3:9].reshape(2, 3).tolist()
        for z in ways:
            same = (own for old, own in found if abs(abs(_dot(old, z)) - 1) < AGREEMENT)
            if (known := next(same, None)) is None:
                found.append((z, known := []))
            known.append(k)
    found.sort(key=lambda f: -len(f[1]))
    return [(z, [keepers[k] for k in sorted({*own, *turns})]) for z, own in found]


def _spread(
    table: EquationTable,
    root: int,
    normal: Vector,
    keepers: dict[int, list[_MarkerPair]],
    along: _Directions,
) -> dict[int, Vector]:
    """The normal in the coordinates of every body that a chain of mates connects to the root.

    Args:
        keepers: the mates of each body that keep directions; along: the z axes of markers.
    """
    known = {root: normal}
    queue = [root]
    for body in queue:
        for g in keepers.get(body, ()):
            forward = g.body_a == body
            other = g.body_b if forward else g.body_a
            if other in known:
                continue
            here, there = (g.a, g.b) if forward else (g.b, g.a)
            if g.measures.turns:
                one, two = table.marker_frame[[here, there], 3:].reshape(2, 3, 3)
                known[other] = ((one @ known[body]) @ two).tolist()
            else:
                cosine = _dot(along[here], known[body])
                if abs(abs(cosine) - 1) > AGREEMENT:
                    continue
                known[other] = along[there] if cosine > 0 else [-x for x in along[there]]
            queue.append(other)
    return known


_Sorted = tuple[dict[int, Array], list[int], set[int], list[int], list[int]]
"""Turned markers, and equations in the plane, spins among them, of heights, and certified."""


def _sort_several(
    table: EquationTable, normal: dict[int, Vector], rows: list[int], found: _Sorted
) -> bool:
    """Sort equations of several terms as their terms; False where these do not agree."""
    frames, plane, spins, _, _ = found
    for e in rows:
        places = set()
        for n in table.term_measure[table.first_term[e] : table.first_term[e + 1]].tolist():
            ends = int(table.marker_a[n]), int(table.marker_b[n])
            if frames.keys() & ends:
                return False
            normals = np.array([normal[int(table.marker_body[marker])] for marker in ends])
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


def _sort(
    table: EquationTable, normal: dict[int, Vector], groups: list[_MarkerPair]
) -> _Sorted | None:
    """Sort each equation to the plane, the heights or the certified; None where one is oblique."""
    markers = np.array([(g.a, g.b) for g in groups], np.int64).reshape(-1, 2)
    given = table.marker_frame[markers]
    frames = given.copy()
    normals = _normals(table, normal, markers)
    ups = _cosines(frames, normals)
    oblique = np.flatnonzero(np.abs(np.abs(ups[:, 0, 2]) - 1) >= AGREEMENT)
    for k in oblique.tolist():
        if not _turn(groups[k].measures, frames[k, 0], frames[k, 1], normals[k, 0]):
            return None
    turned = {}
    if len(oblique):
        other = (frames != given).any(axis=2)
        turned = dict(zip(markers[other].tolist(), frames[other], strict=True))
        ups = _cosines(frames, normals)
    told = [v for n, g in enumerate(groups) for kind, i in g.rows for v in (n, kind, i)]
    own = (g.measures for g in groups)
    held = [(bool(of.tilts), bool(of.turns) and not of.keeps_direction) for of in own]
    places = np.empty(len(told) // 3, np.int64)
    pairs = np.array(told, np.int64).reshape(-1, 3), ups, np.array(held, bool).reshape(-1, 2)
    if not sort_rows(*pairs, places):
        return None
    found: tuple[list[int], ...] = ([], [], [], [])
    rows = [e for g in groups for e in g.rows.values()]
    for e, place in zip(rows, places.tolist(), strict=True):
        found[place].append(e)
        if place == SPIN:
            found[IN_PLANE].append(e)
    return turned, found[IN_PLANE], set(found[SPIN]), found[HEIGHT], found[CERTIFIED]


def _normals(table: EquationTable, normal: dict[int, Vector], markers: Ints) -> Array:
    """The normals of the bodies of markers, shape of these and 3."""
    known, place = [*normal], np.empty(max(normal) + 1, np.int64)
    place[known] = np.arange(len(known))
    out: Array = np.array([*normal.values()], float)[place[table.marker_body[markers]]]
    return out


def _cosines(frames: Array, normals: Array) -> Array:
    """Cosines of the axes of markers, (..., 12), with the normals of their bodies: (..., 3)."""
    axes = frames[..., 3:].reshape(*normals.shape[:-1], 3, 3)
    out: Array = np.einsum("...vk,...k->...v", axes, normals)
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
    table: EquationTable, root: int, bodies: list[int], normal: dict[int, Vector], rows: list[int]
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
    normals, heights = np.array([normal[b] for b in every]), np.array([height[b] for b in every])
    groups = np.array([group[b] for b in every], np.int64)
    return PlanarComponent(np.array(every, np.int64), normals, heights, groups, count)


def _rises(
    table: EquationTable, normal: dict[int, Vector], rows: list[int]
) -> tuple[list[list[int]], list[float]]:
    """The two bodies of each equation of heights, and how much higher the second one is."""
    e = np.array(rows, np.int64)
    term = table.first_term[e]
    n = table.term_measure[term]
    markers = np.stack([table.marker_a[n], table.marker_b[n]], axis=1)
    ends, frames = table.marker_body[markers].tolist(), table.marker_frame[markers]
    up = _normals(table, normal, markers)
    axes = frames[np.arange(len(n)), 0].reshape(-1, 4, 3)[np.arange(len(n)), 1 + table.axis_i[n]]
    one, two = np.einsum("nmk,nmk->mn", up, frames[..., :3])
    sign = np.copysign(1.0, np.einsum("nk,nk->n", up[:, 0], axes))
    return ends, (sign * table.target[e] / table.coefficient[term] + one - two).tolist()
