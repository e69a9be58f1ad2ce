"""Mates that close chains of points, parallel axes or parallel planes which cannot close.

Points, and lines that are all parallel, obey the triangle inequality: a distance that a part or a
mate prescribes is at most the sum of those along any other way between the two.  Along parallel
planes signed distances add up.  Where that fails by more than the tolerance can take up, the mates
of the chain hold together at no poses: this needs no solve.

Each mate of a chain may be off by the tolerance, and its directions by the tolerance over its
reach: all directions of the chain agree up to the sum of these angles.  A step from one feature to
the next, seen along or across any of the directions instead of its own, then differs by at most its
length times that sum, and no step in the room in which poses are searched is longer than the room.

Source: bound smoothing, G. M. Crippen and T. F. Havel, Distance Geometry and Molecular
Conformation (1988), chapter 5.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..equations.many_starts import ManyStarts
from ..equations.system import System
from ..foundations.numerics.rounding import AGREEMENT, ROUNDING
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


def impossible_chains(assembly: Assembly, system: System) -> list[frozenset[int]]:
    """Sets of mates, by number, that hold together at no poses in the room of `ManyStarts`.

    Args:
        system: of the assembly.
    """
    mates = list(assembly.held.values())
    of_points = (_between_points(m) for m in mates)
    of_axes = (_between_axes(m) for m in mates)
    slack = _Slack(system)
    found = {
        *_too_long(dict(_lengths(mates, of_points)), _apart, slack.of_points),
        *_too_long(dict(_lengths(mates, of_axes)), _beside, slack.of_directions),
        *_at_two_heights(mates, system.sense, slack.of_directions),
    }
    return sorted((s for s in found if not any(o < s for o in found)), key=sorted)


@dataclass(frozen=True)
class _Slack:
    """What the tolerance takes up in a closed chain, mm, by its mates and how many steps it has."""

    system: System

    def of_points(self, mates: Collection[int], steps: int) -> float:
        """Of points: each mate may be off."""
        return len(mates) * self.system.tolerance

    def of_directions(self, mates: Collection[int], steps: int) -> float:
        """Of axes or planes: a tilt of any mate counts at every step."""
        reach = np.maximum(self.system.reach[list(mates)], ROUNDING)
        tilt = float((self.system.tolerance / reach).sum()) + steps * AGREEMENT
        return self.of_points(mates, steps) + steps * tilt * self._across

    @cached_property
    def _across(self) -> float:
        """Largest distance of two features of mates, mm: a part reaches out of the room by at most
        an eighth of it."""
        return 2.5 * ManyStarts(self.system).room[1]


Slack = Callable[[Collection[int], int], float]


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
    ties: Mapping[int, _PrescribedDistance], spacing: Callable[[Array, Array], float], slack: Slack
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
        if (over := far - shortest[u, v]) > 0.0:
            steps = [k, *_on_the_way(after, by, u, v)]
            used = frozenset(steps) - {-1}
            if used and over > slack(used, len(steps)):
                yield used


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


def _on_the_way(after: Ints, by: Ints, u: int, v: int) -> Iterator[int]:
    """The mates of the steps on the shortest way between two nodes, -1 on one part."""
    while u != v:
        following = int(after[u, v])
        yield int(by[u, following])
        u = following


# ------------------------------------------------------------------ heights of planes
class _PlaneStep(NamedTuple):
    """From one plane to a parallel one: offset along the first's normal, mm, whether the normals
    agree (+1) or oppose each other (-1), and the mate, -1 on one part."""

    to: Node
    offset: float
    sense: float
    mate: int


class _PlanePlace(NamedTuple):
    """A plane from the first one of its chain: height, mm, sense, the mates that say so, and in
    how many steps."""

    height: float
    sense: float
    mates: frozenset[int]
    steps: int


def _at_two_heights(
    mates: list[ResolvedMate], senses: Ints, slack: Slack
) -> Iterator[frozenset[int]]:
    """Mates along which a plane has two heights over another one."""
    steps = _plane_steps(mates, senses)
    placed: dict[Node, _PlanePlace] = {}
    for root in steps if len(steps) <= MOST_ENDS else ():
        if root in placed:
            continue
        placed[root] = _PlanePlace(0.0, 1.0, frozenset(), 0)
        queue = [root]
        for node in queue:
            here = placed[node]
            for step in steps[node]:
                there = _PlanePlace(
                    here.height + here.sense * step.offset,
                    here.sense * step.sense,
                    here.mates | ({step.mate} - {-1}),
                    here.steps + 1,
                )
                if step.to not in placed:
                    placed[step.to] = there
                    queue.append(step.to)
                    continue
                known = placed[step.to]
                used = known.mates ^ there.mates
                off, count = abs(known.height - there.height), known.steps + there.steps
                if used and known.sense == there.sense and off > slack(used, count):
                    yield used


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
