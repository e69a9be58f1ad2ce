"""Rigid clusters: parts that cannot move against each other become one body.

Body 0 is everything that is held.  Each further body has the frame of one of its parts; the other
parts stand at a constant pose in it.  Pairs are formed between bodies, and pairs that turn out
fixed merge their bodies, until none is left.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ..equations.system import System
from ..equations.table import Table
from ..foundations.geometry.nearest_motion import FIXED, FREE
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.types import Array, Ints
from ..model.measures.measure import DISPLACEMENT, TILT, TURN
from .equal_pairs import Alike
from .pairs import Pairs, analyse_pairs


@dataclass(frozen=True, eq=False)
class Bodies:
    """Parts gathered to bodies.

    Attributes:
        of_part: body of each part; relative: pose of each part in its body, shape (parts, 12).
        table: the equations with markers in body coordinates.
        start: frames of the bodies at the start, (bodies, 12); centre: mean of their features.
        pairs: between bodies, by their mates; promises: the mates of each.
        drivers: the drivers of each pair, as promises.
        wide: promises between more than two bodies, and those bodies.
        inner: promises between parts of one body.
        merged: whether fixed pairs made bodies of several parts, grounds left out.
    """

    of_part: Ints
    relative: Array
    table: Table
    start: Array
    centre: Array
    pairs: Pairs
    promises: list[Ints]
    drivers: list[Ints]
    wide: dict[int, tuple[int, ...]]
    inner: Ints
    merged: bool

    @property
    def links(self) -> Ints:
        """Pairs of bodies that share a promise: the pairs, then those of the wide promises."""
        more = [ends for found in self.wide.values() for ends in itertools.combinations(found, 2)]
        return np.concatenate([self.pairs.bodies, np.array(more, np.int64).reshape(-1, 2)])

    @property
    def count(self) -> int:
        return len(self.start)

    def parts(self, body: int) -> Ints:
        """The parts of a body."""
        return np.flatnonzero(self.of_part == body)


IDENTITY = np.array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], float)


def make_pairs(system: System, ends: Ints, promises: Ints) -> tuple[Pairs, list[Ints]]:
    """Group promises by the two bodies that they join; results of the analysis still empty."""
    ends = np.sort(ends[promises], axis=1)
    key = ends[:, 0] * (ends.max(initial=0) + 1) + ends[:, 1]
    order = np.argsort(key, kind="stable")
    cut = np.flatnonzero(np.diff(key[order])) + 1
    groups = np.split(promises[order], cut) if len(promises) else []
    n = len(groups)
    bounds = np.concatenate([[0], cut, [len(promises)]])[: n + 1]
    equations = np.diff(system.first_equation)[promises[order]]
    pairs = Pairs(
        bodies=ends[order][bounds[:-1]].astype(np.int64),
        first_row=np.concatenate([[0], np.cumsum(equations)])[bounds].astype(np.int64),
        rows=system.rows(promises[order]),
        kind=np.zeros(n, np.int64),
        rank=np.zeros(n, np.int64),
        gap=np.zeros(n),
        frame_a=np.zeros((n, 12)),
        frame_b=np.zeros((n, 12)),
        relative=np.zeros((n, 12)),
    )
    return pairs, groups


def gather(system: System, cautious: bool = False) -> Bodies:
    """Find the held parts and the rigid clusters of an assembly.

    Args:
        cautious: merge only pairs that hold in one place.  Others hold in several, and the one
            found may not suit the mates with third parts.
    """
    merged = False
    held = system.held
    of_part = np.cumsum(~held).astype(np.int64)
    of_part[held] = 0
    relative = np.tile(IDENTITY, (len(of_part), 1))
    relative[held] = system.start[held]
    mates = np.arange(system.mates)
    while True:
        table, start, centre = _lay(system, of_part, relative)
        ends, wide = _ends(system, of_part)
        apart = ends[:, 0] != ends[:, 1]
        apart[list(wide)] = False
        pairs, groups = make_pairs(system, ends, mates[apart[: system.mates]])
        _analyse(system, table, start, centre, pairs)
        rigid = np.flatnonzero((pairs.kind == FIXED) & (pairs.gap <= system.tolerance))
        if cautious:
            rigid = rigid[[_one_place(table, pairs, p) for p in rigid.tolist()]]
        if len(rigid) == 0:
            break
        merged = True
        of_part, relative = _merge(of_part, relative, pairs, rigid)
    drivers = np.arange(system.mates, len(system.promises))
    by_pair = {(int(a), int(b)): k for k, (a, b) in enumerate(pairs.bodies)}
    driven: list[list[int]] = [[] for _ in groups]
    loose = []
    for d in drivers[apart[system.mates :]]:
        a, b = sorted(int(v) for v in ends[d])
        if (a, b) in by_pair:
            driven[by_pair[a, b]].append(int(d))
        else:
            loose.append(int(d))
    if loose:
        pairs, groups, driven = _add_loose(ends, pairs, groups, driven, loose)
    return Bodies(
        of_part,
        relative,
        table,
        start,
        centre,
        pairs,
        groups,
        [np.array(d, np.int64) for d in driven],
        wide,
        np.array([k for k in np.flatnonzero(~apart).tolist() if k not in wide], np.int64),
        merged,
    )


def _ends(system: System, of_part: Ints) -> tuple[Ints, dict[int, tuple[int, ...]]]:
    """The two bodies of each promise, and all those of the promises between more than two."""
    ends = of_part[system.ends]
    wide = {}
    for k, parts in system.wide.items():
        found = tuple(dict.fromkeys(of_part[list(parts)].tolist()))
        ends[k] = (found * 2)[:2]
        if len(found) > 2:
            wide[k] = found
    return ends, wide


def _one_place(table: Table, pairs: Pairs, p: int) -> bool:
    """Whether a fixed pair can hold in one place only.

    It can where tilts alone settle the orientation: then the displacements are linear.
    """
    rows = pairs.rows[pairs.first_row[p] : pairs.first_row[p + 1]]
    measures = table.term_measure[table.first_term[rows]]
    kinds = table.kind[measures]
    if np.any(np.diff(table.first_term)[rows] > 1):
        return False
    if not np.isin(kinds, (TILT, TURN, DISPLACEMENT)).all():
        return False
    if np.any(kinds == TURN):
        return True
    first = int(pairs.bodies[p, 0])
    tilted = measures[kinds == TILT]
    a, b = table.marker_a[tilted], table.marker_b[tilted]
    marker = np.where(table.marker_body[a] == first, a, b)
    return bool(np.linalg.matrix_rank(table.marker_frame[marker, 9:12], tol=1e-6) > 1)


def _analyse(system: System, table: Table, start: Array, centre: Array, pairs: Pairs) -> None:
    """Analyse the pairs; those that are alike only once."""
    alike = Alike(table, start, pairs, system.length)

    def analyse(which: Ints) -> None:
        axes = np.eye(3)
        analyse_pairs(table, start, pairs, which, axes, False, centre, system.length, system.stop)

    own = np.arange(len(alike.first))
    analyse(own[alike.first == own])
    analyse(alike.carry(system.stop))


def _lay(system: System, of_part: Ints, relative: Array) -> tuple[Table, Array, Array]:
    """Markers in body coordinates, and the starts and centres of the bodies."""
    t = system.table
    n = int(of_part.max(initial=0)) + 1
    part = t.marker_body
    table = t._replace(
        marker_body=of_part[part], marker_frame=compose_all(relative[part], t.marker_frame)
    )
    start = np.tile(IDENTITY, (n, 1))
    in_own_frame = np.all(relative == IDENTITY, axis=1) & (of_part > 0)
    start[of_part[in_own_frame]] = system.start[in_own_frame]
    cloud_body = of_part[system.cloud_part]
    points = body_cloud(system, relative)
    count = np.maximum(np.bincount(cloud_body, minlength=n), 1)
    centre = np.stack(
        [np.bincount(cloud_body, weights=points[:, r], minlength=n) for r in range(3)], axis=1
    )
    return table, start, centre / count[:, None]


def body_cloud(system: System, relative: Array) -> Array:
    """Mate features in body coordinates, shape (features, 3)."""
    pose = relative[system.cloud_part]
    turned = np.einsum("nk,nkr->nr", system.cloud, pose[:, 3:].reshape(-1, 3, 3))
    points: Array = turned + pose[:, :3]
    return points


def _merge(of_part: Ints, relative: Array, pairs: Pairs, rigid: Ints) -> tuple[Ints, Array]:
    """Join bodies along rigid pairs; every part's pose is re-expressed in the new body."""
    n = int(of_part.max(initial=0)) + 1
    a, b = pairs.bodies[rigid].T
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(n, n)).tocsr()
    graph = graph + graph.T
    pose_of = {}
    inverse = invert_all(pairs.relative[rigid])
    for k, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        pose_of[x, y] = pairs.relative[rigid[k]]
        pose_of[y, x] = inverse[k]
    _, label = connected_components(graph, directed=False)
    in_new = np.tile(IDENTITY, (n, 1))
    seen: set[int] = set()
    for body in range(n):
        if int(label[body]) in seen:
            continue
        seen.add(int(label[body]))
        order, before = breadth_first_order(graph, body, directed=False)
        for child in order[1:]:
            parent = int(before[child])
            in_new[child] = compose_all(in_new[parent][None], pose_of[parent, int(child)][None])[0]
    relative = compose_all(in_new[of_part], relative)
    _, first = np.unique(label, return_index=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[label][of_part].astype(np.int64), relative


def _add_loose(
    ends: Ints, pairs: Pairs, groups: list[Ints], driven: list[list[int]], loose: list[int]
) -> tuple[Pairs, list[Ints], list[list[int]]]:
    """Pairs of bodies that only drivers join: free pairs without mates."""
    keys: dict[tuple[int, int], list[int]] = {}
    for d in loose:
        a, b = sorted(int(v) for v in ends[d])
        keys.setdefault((a, b), []).append(d)
    n = len(keys)
    frames = np.tile(IDENTITY, (n, 1))
    pairs = Pairs(
        np.concatenate([pairs.bodies, np.array(list(keys), np.int64)]),
        np.concatenate([pairs.first_row, np.full(n, pairs.first_row[-1])]),
        pairs.rows,
        np.concatenate([pairs.kind, np.full(n, FREE)]),
        np.concatenate([pairs.rank, np.zeros(n, np.int64)]),
        np.concatenate([pairs.gap, np.zeros(n)]),
        np.concatenate([pairs.frame_a, frames]),
        np.concatenate([pairs.frame_b, frames]),
        np.concatenate([pairs.relative, frames]),
    )
    none = [np.empty(0, np.int64) for _ in keys]
    return pairs, [*groups, *none], [*driven, *keys.values()]
