"""The structures of planar loops of hinges that no part of can be placed before the others.

They are called Baranov trusses; without one of their links they are the Assur groups.  Of n loops
they have 2 n + 1 links and 3 n hinges, and no part of the links is rigid alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import inf

from .loop_structure import Structure, links_of, ordered

Edges = list[tuple[int, int]]


@cache
def trusses(loops: int) -> list[Structure]:
    """All of two loops and more."""
    found = set()
    for core in _cores(loops):
        for single in combinations(range(len(core)), 2 * len(core) - 3 * loops):
            chains = [(a, b, 1 if k in single else 2) for k, (a, b) in enumerate(core)]
            joints = links_of(tuple(chains))
            if not _has_rigid_part(joints):
                order = ordered(joints)
                assert order is not None
                found.add(order.structure)
    return sorted(found)


def _cores(loops: int) -> Iterator[Edges]:
    """Multigraphs of links with three hinges and more: no chain has more than two hinges."""
    known = set()
    for links in range(2, 2 * loops - 1):
        edges = links + loops - 1
        if 2 * edges < 3 * loops:
            continue
        for edges_are in _graphs([*combinations(range(links), 2)], edges, [0] * links):
            order = ordered(edges_are)
            if order is not None and order.structure not in known:
                known.add(order.structure)
                yield edges_are


def _graphs(pairs: Edges, edges: int, degree: list[int], most: float = inf) -> Iterator[Edges]:
    """Edges between pairs of links; the first link has most of them, and to the first others."""
    if not pairs:
        if edges == 0 and min(degree) >= 3 and max(degree) == degree[0]:
            yield []
        return
    (a, b), rest = pairs[0], pairs[1:]
    for n in range(int(min(edges, most)), -1, -1):
        after = degree.copy()
        after[a] += n
        after[b] += n
        fewer = n if a == 0 and rest and rest[0][0] == 0 else inf
        for others in _graphs(rest, edges - n, after, fewer):
            yield [(a, b)] * n + others


def _has_rigid_part(joints: Edges) -> bool:
    """Whether some of the links, not all, keep their places among themselves."""
    links = range(1 + max(max(ends) for ends in joints))
    for n in range(2, len(links)):
        for some in combinations(links, n):
            if 2 * sum(a in some and b in some for a, b in joints) >= 3 * (n - 1):
                return True
    return False
