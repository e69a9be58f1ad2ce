"""The pebble game: generic rank of a constraint graph, its redundant edges and its freedoms.

Vertices have freedoms (pebbles): in the plane and on the sphere 3 for a body and 2 for a point, in
space 6 for a body.  An edge is one scalar constraint in general position; parallel edges are
several.  A set of edges is independent if no set of vertices with f freedoms has more than
f - `rigid` edges of it inside, 3 in the plane, 6 in space.  An accepted edge takes a pebble from
the end that it leaves and points at the other: pebbles + edges that leave = freedoms, always.

What is accepted depends on the order of the edges, how many are does not: it is the rank of the
graph in general position.  The theorem is for the plane and the sphere (bodies and points), and for
bars and hinges between bodies in space.

Sources: Lee and Streinu, Pebble game algorithms and sparse graphs, 2008; Shai and Müller, A novel
combinatorial algorithm for determining the generic mobility of planar and spherical mechanisms,
2013, whose third step is done here along directed paths and does not take pebbles of the other end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from .strong_components import Successors, strong_components

NOWHERE = -1
"""The tail of an edge that was rejected."""

MOST_GAMES = 256
"""Most games by which the smallest sets with edges too many are looked for: these may be many."""


class RigidityCircuit(NamedTuple):
    """Why an edge was rejected: without any one of these edges it would be accepted."""

    edges: tuple[int, ...]
    """Accepted edges from which the rejected one follows, ascending."""
    vertices: tuple[int, ...]
    """The smallest set of vertices that they make rigid and that contains both ends, ascending."""


@dataclass(frozen=True, eq=False)
class Game:
    """Result of the pebble game.

    Attributes:
        freedoms, pebbles: of each vertex, before and after; rigid: freedoms of a rigid set.
        tail: the end that each accepted edge leaves; `NOWHERE` for a rejected one.
        circuits: of each rejected edge, by its number.
        grounded: the fixed vertex, which keeps its pebbles; None where there is none.
    """

    freedoms: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    rigid: int
    pebbles: tuple[int, ...]
    tail: tuple[int, ...]
    circuits: dict[int, RigidityCircuit]
    grounded: int | None = None

    @property
    def accepted(self) -> tuple[bool, ...]:
        """Whether each edge is independent of those before it."""
        return tuple(tail != NOWHERE for tail in self.tail)

    @property
    def rank(self) -> int:
        """Number of accepted edges, whatever their order."""
        return len(self.edges) - len(self.circuits)

    @property
    def free(self) -> tuple[int, ...]:
        """Freedoms of each vertex: its pebbles; 0 for the ground."""
        return tuple(0 if v == self.grounded else n for v, n in enumerate(self.pebbles))

    @property
    def dof(self) -> int:
        """Degrees of freedom relative to the ground; without one with those of the whole."""
        return sum(self.free)

    def ground(self, vertex: int) -> Game:
        """The same game with one vertex as the ground, to which its pebbles are moved.

        Raises:
            ValueError: the vertex has fewer freedoms than a rigid set (it is a point).
        """
        own = self.freedoms[vertex]
        if own != self.rigid:
            raise ValueError(f"vertex {vertex} has {own} freedoms, the ground needs {self.rigid}")
        board = _Board.of(self)
        while board.pebbles[vertex] < self.rigid and board.bring(vertex):
            pass
        return replace(board.game(self), grounded=vertex)

    def loose(self) -> tuple[int, ...]:
        """Vertices that can move relative to the ground, ascending.

        Raises:
            ValueError: there is no ground.
        """
        if self.grounded is None:
            raise ValueError("no vertex is held; ground one first")
        start = {v for v, n in enumerate(self.free) if n}
        return tuple(sorted(_Board.of(self).reaching(start)))

    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Assur groups of the vertices that cannot move, each after those that it is attached to.

        They are the strong components of the directed edges without the ground.  Vertices that
        dependent edges tie, of which any one may be rejected, are in one group.  Neither the groups
        nor their order depend on the order of the edges: of several possible next groups the one
        with the smallest vertex is next.
        """
        held = sorted(set(range(len(self.freedoms))) - {*self.loose(), self.grounded})
        if not held:
            return ()
        place = {v: n for n, v in enumerate(held)}
        each = zip(self.tail, self.edges, strict=True)
        arrows = [(t, a + b - t) for t, (a, b) in each if t in place and a + b - t in place]
        for tied in self.tied():
            ring = [v for v in self._ends(tied) if v in place]
            arrows += zip(ring, [*ring[1:], *ring[:1]], strict=True)
        heads: Successors = [[] for _ in held]
        for t, h in arrows:
            heads[place[t]].append(place[h])
        return tuple(tuple(held[n] for n in group) for group in strong_components(heads))

    def tied(self) -> list[tuple[int, ...]]:
        """Sets of edges any two of which are in a circuit, each ascending.

        These sets are the same for every basis of a matroid: those that fundamental circuits with
        common edges form.

        Source: Oxley, Matroid Theory, 2011, 4.1 (connected matroids).
        """
        sets: list[set[int]] = []
        for rejected, circuit in self.circuits.items():
            joined = {rejected, *circuit.edges}
            apart = [s for s in sets if not s & joined]
            sets = [*apart, joined.union(*(s for s in sets if s & joined))]
        return [tuple(sorted(s)) for s in sets]

    def too_many(self, edges: Sequence[int]) -> int:
        """How many of some edges depend on the others of them."""
        return len(self._among(edges).circuits)

    def smallest_tied(self, tied: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The sets of edges with too many among themselves that have none too many any more
        without any one of their vertices: of a set of `tied`, itself if it is one.

        Whatever the order of the edges; the whole set where there are too many to try.
        """
        known: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
        found = self._smallest(tied, known)
        return sorted(found) if len(known) < MOST_GAMES else [tied]

    def _smallest(
        self, tied: tuple[int, ...], known: dict[tuple[int, ...], set[tuple[int, ...]]]
    ) -> set[tuple[int, ...]]:
        """As `smallest_tied`; known: what was found among the edges of fewer vertices."""
        found: set[tuple[int, ...]] = set()
        for v in self._ends(tied):
            rest = tuple(e for e in tied if v not in self.edges[e])
            if rest not in known and len(known) < MOST_GAMES:
                known[rest] = set()
                for own in self._among(rest).tied():
                    known[rest] |= self._smallest(tuple(rest[e] for e in own), known)
            found |= known.get(rest, set())
        return found or {tied}

    def _among(self, edges: Sequence[int]) -> Game:
        """The game of some edges alone."""
        return play(self.freedoms, [self.edges[e] for e in edges], self.rigid)

    def _ends(self, edges: Sequence[int]) -> tuple[int, ...]:
        """The vertices of some edges, ascending."""
        return tuple(sorted({v for e in edges for v in self.edges[e]}))

    def rigid_components(self) -> tuple[tuple[int, ...], ...]:
        """Maximal rigid sets of two or more vertices, each ascending.

        Two of them may share a point, never a body.
        """
        board, inside = _Board.of(self), list[set[int]]()
        for e in np.flatnonzero(self.accepted).tolist():
            u, v = self.edges[e]
            if any(u in s and v in s for s in inside) or board.gather(u, v, self.rigid + 1):
                continue
            free = {w for w, n in enumerate(board.pebbles) if n and w not in (u, v)}
            inside.append(set(range(len(self.freedoms))) - board.reaching(free))
        return tuple(sorted({tuple(sorted(component)) for component in inside}))


def play(freedoms: Sequence[int], edges: Sequence[tuple[int, int]], rigid: int = 3) -> Game:
    """Play the game without a ground.

    Args:
        freedoms: of each vertex, at most `rigid`, and any two vertices more than `rigid` together.
        edges: pairs of different vertices, one for each scalar constraint; of dependent ones the
            first are accepted.
        rigid: freedoms of a rigid set: 3 in the plane and on the sphere, 6 in space.

    Raises:
        ValueError: an edge joins a vertex to itself, or a vertex has too few or too many freedoms.
    """
    for v, f in enumerate(freedoms):
        if not rigid < 2 * f <= 2 * rigid:
            raise ValueError(f"vertex {v} has {f} freedoms, not {rigid // 2 + 1} to {rigid}")
    board = _Board(list(freedoms), list(freedoms), [(int(a), int(b)) for a, b in edges])
    circuits: dict[int, RigidityCircuit] = {}
    # pairs of vertices between which no edge is independent
    full: dict[tuple[int, int], RigidityCircuit] = {}
    for e, (a, b) in enumerate(board.edges):
        if a == b:
            raise ValueError(f"edge {e} joins vertex {a} to itself")
        ends = (min(a, b), max(a, b))
        if ends not in full and board.gather(a, b, rigid + 1):
            board.direct(e, a if board.pebbles[a] >= board.pebbles[b] else b)
            continue
        if ends not in full:
            full[ends] = board.circuit(a, b)
        circuits[e] = full[ends]
    return board.game(Game(tuple(freedoms), tuple(board.edges), rigid, (), (), circuits))


@dataclass(eq=False)
class _Board:
    """Pebbles and directed edges during a game."""

    freedoms: list[int]
    pebbles: list[int]
    edges: list[tuple[int, int]]
    leaving: list[list[int]] = field(init=False)
    """Accepted edges that leave each vertex."""
    tail: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.leaving = [[] for _ in self.freedoms]
        self.tail = [NOWHERE] * len(self.edges)

    @classmethod
    def of(cls, game: Game) -> _Board:
        """The board at the end of a game."""
        board = cls(list(game.freedoms), list(game.pebbles), list(game.edges))
        board.tail = list(game.tail)
        for e, tail in enumerate(game.tail):
            if tail != NOWHERE:
                board.leaving[tail].append(e)
        return board

    def game(self, before: Game) -> Game:
        """The game with the pebbles and edges of the board."""
        return replace(before, pebbles=tuple(self.pebbles), tail=tuple(self.tail))

    def direct(self, edge: int, tail: int) -> None:
        """Accept an edge: it leaves `tail` and takes a pebble from it."""
        self.pebbles[tail] -= 1
        self.leaving[tail].append(edge)
        self.tail[edge] = tail

    def gather(self, u: int, v: int, wanted: int) -> bool:
        """Move pebbles to two vertices, none between them, until they have `wanted` together."""
        while self.pebbles[u] + self.pebbles[v] < wanted:
            if not (self.bring(u, v) or self.bring(v, u)):
                return False
        return True

    def bring(self, vertex: int, spared: int = NOWHERE) -> bool:
        """Move a pebble to a vertex along a path that avoids `spared`, and reverse the path."""
        if self.pebbles[vertex] == self.freedoms[vertex]:
            return False
        edges, tails, leaving, pebbles = self.edges, self.tail, self.leaving, self.pebbles
        reached = {vertex: NOWHERE, spared: NOWHERE}  # by which edge
        ahead = [vertex]
        for node in ahead:  # breadth first: the nearest pebble
            for e in leaving[node]:
                a, b = edges[e]
                other = b if a == node else a
                if other in reached:
                    continue
                reached[other] = e
                if pebbles[other]:
                    pebbles[other] -= 1
                    pebbles[vertex] += 1
                    while other != vertex:
                        e = reached[other]
                        tail = tails[e]
                        leaving[tail].remove(e)
                        leaving[other].append(e)
                        tails[e], other = other, tail
                    return True
                ahead.append(other)
        return False

    def circuit(self, u: int, v: int) -> RigidityCircuit:
        """The rigid set around two vertices that can get no more pebbles: all that they reach."""
        seen = _reached({u, v}, lambda n: (sum(self.edges[e]) - n for e in self.leaving[n]))
        inside = sorted(e for node in seen for e in self.leaving[node])
        return RigidityCircuit(tuple(inside), tuple(sorted(seen)))

    def reaching(self, goal: set[int]) -> set[int]:
        """Vertices from which directed edges lead to some vertices, those included."""
        entering: list[list[int]] = [[] for _ in self.freedoms]
        for (a, b), tail in zip(self.edges, self.tail, strict=True):
            if tail != NOWHERE:
                entering[a + b - tail].append(tail)
        return _reached(goal, entering.__getitem__)


def _reached(start: set[int], beyond: Callable[[int], Iterable[int]]) -> set[int]:
    """Vertices that some vertices lead to, step by step, those included."""
    seen, ahead = set(start), list(start)
    for node in ahead:
        for other in beyond(node):
            if other not in seen:
                seen.add(other)
                ahead.append(other)
    return seen
