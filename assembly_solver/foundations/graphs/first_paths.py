"""Shortest paths in a graph that grows edge by edge, searched from both ends."""

from __future__ import annotations

from collections.abc import Iterable

Layers = list[set[int]]


class GrowingGraph:
    """An undirected graph with numbered edges; an edge may join more than two nodes.

    Edges are added in the order of their numbers.
    """

    def __init__(self) -> None:
        self._near: dict[int, list[tuple[int, int]]] = {}

    def add(self, edge: int, nodes: Iterable[int]) -> None:
        """Add an edge between some nodes."""
        ends = sorted(nodes)
        for node in ends:
            near = self._near.setdefault(node, [])
            near += [(edge, other) for other in ends if other != node]

    def first_path(self, start: int, goal: int) -> list[int] | None:
        """Edges of the shortest path; None where there is none.

        Of several the one that breadth-first search from `start` finds: the first by (edge, node)
        at each step.  Both ends are searched in turn, the side with fewer edges next, so a node
        with many edges is not expanded where a path past it is found without.
        """
        ahead: Layers = [{start}]
        behind: Layers = [{goal}]
        seen = {start}, {goal}
        while not ahead[-1] & behind[-1]:
            side = int(self._edges(behind[-1]) < self._edges(ahead[-1]))
            layers = (ahead, behind)[side]
            new = {other for node in layers[-1] for _, other in self._near.get(node, ())}
            new -= seen[side]
            if not new:
                return None
            seen[side].update(new)
            layers.append(new)
        return self._walk(start, ahead, behind)

    def _edges(self, nodes: set[int]) -> int:
        return sum(len(self._near.get(node, ())) for node in nodes)

    def _walk(self, start: int, ahead: Layers, behind: Layers) -> list[int]:
        """The first path through the layers from `start` and those from the goal."""
        on_path = [ahead[-1] & behind[-1]]
        for layer in reversed(ahead[:-1]):
            later = on_path[-1]
            on_path.append({node for node in layer if any(o in later for _, o in self._near[node])})
        out, node = [], start
        for layer in on_path[-2::-1]:
            edge, node = next((k, o) for k, o in self._near[node] if o in layer)
            out.append(edge)
        for layer in reversed(behind[:-1]):
            edge, node = min((k, n) for n in layer for k, o in self._near[n] if o == node)
            out.append(edge)
        return out
