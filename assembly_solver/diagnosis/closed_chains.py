"""Mates that close chains of points, parallel axes or parallel planes which cannot close.

Points, and lines that are all parallel, obey the triangle inequality: a distance that a part or a
mate prescribes is at most the sum of those along any other way between the two.  Along parallel
planes signed distances add up.  Where that fails by more than the tolerance can take up, the mates
of the chain hold together at no poses: this needs no solve.

Source: bound smoothing, G. M. Crippen and T. F. Havel, Distance Geometry and Molecular
Conformation (1988), chapter 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.feature import Axis, Feature, Frame, Plane, Point, basic_type
from ..model.mate import Mate, ResolvedMate

AT_ONE_POINT = frozenset({"coincident", "spherical", "revolute", "fixed"})
"""Kinds of mates that put the origins of two features into one place."""

ON_ONE_AXIS = frozenset({"coaxial", "cylindrical", "revolute"})
"""Kinds of mates that put the z axes of two features into one line."""

MOST_ENDS = 80
"""Most features of mates that are compared with each other."""

Node = tuple[str, str]
"""A feature by the names of its part and its own."""


def impossible_chains(assembly: Assembly, senses: Ints) -> list[frozenset[int]]:
    """Sets of mates, by number, that are proved to hold together at no poses.

    Args:
        senses: of the mates, +1 aligned, -1 opposed, 0 none.
    """
    mates = list(assembly.held.values())
    of_points = (_between_points(m) for m in mates)
    of_axes = (_between_axes(m) for m in mates)
    found = {
        *_too_long(assembly, dict(_lengths(mates, of_points)), _apart),
        *_too_long(assembly, dict(_lengths(mates, of_axes)), _beside),
        *_at_two_heights(assembly, mates, senses),
    }
    return sorted((s for s in found if not any(o < s for o in found)), key=sorted)


# ------------------------------------------------------------------ lengths of points and of axes
class _PrescribedDistance(NamedTuple):
    """A mate that prescribes the distance of two features, mm."""

    ends: tuple[Node, Node]
    features: tuple[Feature, Feature]
    length: float


def _lengths(
    mates: list[ResolvedMate], lengths: Iterator[float | None]
) -> Iterator[tuple[int, _PrescribedDistance]]:
    for k, (held, length) in enumerate(zip(mates, lengths, strict=True)):
        if length is not None:
            ends = tuple((r.part, r.feature) for r in (held.mate.a, held.mate.b))
            yield (
                k,
                _PrescribedDistance((ends[0], ends[1]), (held.a.feature, held.b.feature), length),
            )


def _distance(mate: Mate) -> float | None:
    """The value of a distance of points, axes or planes themselves, mm."""
    if mate.kind != "distance" or mate.parameters().get("surfaces"):
        return None
    return None if mate.parameters().get("skew") else float(mate.parameters()["value"])


def _types(held: ResolvedMate) -> set[type[Feature]]:
    return {basic_type(held.a.feature), basic_type(held.b.feature)}


def _between_points(held: ResolvedMate) -> float | None:
    if held.mate.kind in AT_ONE_POINT:
        return 0.0
    return _distance(held.mate) if _types(held) <= {Point, Frame} else None


def _between_axes(held: ResolvedMate) -> float | None:
    if held.mate.kind in ON_ONE_AXIS:
        return 0.0
    return _distance(held.mate) if _types(held) == {Axis} else None


def _apart(one: Array, two: Array) -> float:
    """Distance of the origins of two features of a part, mm."""
    return float(np.linalg.norm(two[:3] - one[:3]))


def _beside(one: Array, two: Array) -> float:
    """Distance of the z axes of two features of a part, mm; infinite where not parallel."""
    if np.linalg.norm(np.cross(one[9:12], two[9:12])) > AGREEMENT:
        return float("inf")
    return float(np.linalg.norm(np.cross(two[:3] - one[:3], one[9:12])))


def _too_long(
    assembly: Assembly,
    ties: Mapping[int, _PrescribedDistance],
    spacing: Callable[[Array, Array], float],
) -> Iterator[frozenset[int]]:
    """Mates along which a prescribed distance is longer than the way around."""
    frames = {
        n: np.array(f.frame)
        for tie in ties.values()
        for n, f in zip(tie.ends, tie.features, strict=True)
    }
    nodes = list(frames)
    if len(nodes) > MOST_ENDS:
        return
    at = {n: k for k, n in enumerate(nodes)}
    size = len(nodes)
    length, by = np.full((size, size), np.inf), np.full((size, size), -1)
    prescribed: list[tuple[int, int, float, int]] = []
    for (p, one), (q, two) in combinations(frames.items(), 2):
        if p[0] == q[0] and np.isfinite(far := spacing(one, two)):
            prescribed.append((at[p], at[q], far, -1))
    for k, tie in ties.items():
        prescribed.append((at[tie.ends[0]], at[tie.ends[1]], tie.length, k))
    for u, v, far, k in prescribed:
        if far < length[u, v]:
            length[[u, v], [v, u]], by[[u, v], [v, u]] = far, k
    shortest, after = _ways(length)
    for u, v, far, k in prescribed:
        if far - shortest[u, v] > assembly.tolerance:
            used = _on_the_way(after, by, u, v) | ({k} - {-1})
            if far - shortest[u, v] > _margin(assembly, len(used)):
                yield frozenset(used)


def _margin(assembly: Assembly, mates: int) -> float:
    """What the tolerance takes up in a chain, mm: each mate may be off and tilt all after it."""
    return assembly.tolerance * mates * mates


def _ways(length: Array) -> tuple[Array, Ints]:
    """Lengths of the shortest ways between all nodes, and the node after the first on each.

    Source: R. W. Floyd, Algorithm 97, Communications of the ACM 5 (1962).
    """
    size = len(length)
    shortest, after = length.copy(), np.tile(np.arange(size), (size, 1))
    for k in range(size):
        way = shortest[:, k, None] + shortest[None, k]
        nearer = way < shortest
        shortest = np.where(nearer, way, shortest)
        after = np.where(nearer, after[:, k, None], after)
    return shortest, after


def _on_the_way(after: Ints, by: Ints, u: int, v: int) -> set[int]:
    """The mates on the shortest way between two nodes."""
    used = set[int]()
    while u != v:
        following = int(after[u, v])
        used.add(int(by[u, following]))
        u = following
    return used - {-1}


# ------------------------------------------------------------------ heights of planes
class _PlaneStep(NamedTuple):
    """From one plane to a parallel one: offset along the first's normal, mm, whether the normals
    agree (+1) or oppose each other (-1), and the mate, -1 on one part."""

    to: Node
    offset: float
    sense: float
    mate: int


class _PlanePlace(NamedTuple):
    """A plane from the first one of its chain: height, mm, sense, the mates that say so."""

    height: float
    sense: float
    mates: frozenset[int]


def _at_two_heights(
    assembly: Assembly, mates: list[ResolvedMate], senses: Ints
) -> Iterator[frozenset[int]]:
    """Mates along which a plane has two heights over another one."""
    steps = _plane_steps(mates, senses)
    placed: dict[Node, _PlanePlace] = {}
    for root in steps if len(steps) <= MOST_ENDS else ():
        if root in placed:
            continue
        placed[root] = _PlanePlace(0.0, 1.0, frozenset())
        queue = [root]
        for node in queue:
            here = placed[node]
            for step in steps[node]:
                there = _PlanePlace(
                    here.height + here.sense * step.offset,
                    here.sense * step.sense,
                    here.mates | ({step.mate} - {-1}),
                )
                if step.to not in placed:
                    placed[step.to] = there
                    queue.append(step.to)
                    continue
                known = placed[step.to]
                used = known.mates ^ there.mates
                off = abs(known.height - there.height)
                if used and known.sense == there.sense and off > _margin(assembly, len(used)):
                    yield used | ({step.mate} - {-1})


def _plane_steps(mates: list[ResolvedMate], senses: Ints) -> dict[Node, list[_PlaneStep]]:
    """The steps from each plane that a mate places beside another one."""
    frames: dict[Node, Array] = {}
    out: dict[Node, list[_PlaneStep]] = {}
    for k, held in enumerate(mates):
        sense = float(senses[k])
        coplanar = held.mate.kind == "coplanar"
        offset = held.mate.parameters().get("offset", 0.0) if coplanar else _distance(held.mate)
        if _types(held) != {Plane} or not sense or offset is None:
            continue
        a, b = ((r.part, r.feature) for r in (held.mate.a, held.mate.b))
        frames |= {a: np.array(held.a.feature.frame), b: np.array(held.b.feature.frame)}
        out.setdefault(a, []).append(_PlaneStep(b, float(offset), sense, k))
        out.setdefault(b, []).append(_PlaneStep(a, -sense * float(offset), sense, k))
    for (p, one), (q, two) in combinations(frames.items(), 2):
        if p[0] == q[0] and np.linalg.norm(np.cross(one[9:12], two[9:12])) <= AGREEMENT:
            sense = float(np.sign(one[9:12] @ two[9:12]))
            offset = float((two[:3] - one[:3]) @ one[9:12])
            out[p].append(_PlaneStep(q, offset, sense, -1))
            out[q].append(_PlaneStep(p, -sense * offset, sense, -1))
    return out
