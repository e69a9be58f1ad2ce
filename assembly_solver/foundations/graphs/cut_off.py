"""The nodes that some links alone connect to the ground, looked for beside these links."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence, Set as AbstractSet
from dataclasses import dataclass, field

GROUND = -1
"""The number of the ground as the other end of a link."""


@dataclass(eq=False)
class _Side:
    """Nodes that are connected without the links that are cut, and those of them to go on from."""

    nodes: list[int]
    edge: list[int] = field(default_factory=list)
    grounded: bool = False


def cut_off(
    links: Sequence[Sequence[tuple[int, int]]],
    cut: AbstractSet[int],
    begin: Iterable[int],
    grounded: bool,
) -> list[int]:
    """The nodes that are not connected to the ground without some links.

    The nodes on all sides of the cut are followed by turns, until all but one side have ended: the
    work grows with the smaller sides, not with the graph.

    Args:
        links: of each node, number of the link and the other node, or `GROUND`.
        cut: links that are cut; begin: all nodes at their ends.
        grounded: whether with these all nodes are connected to the ground: where none of them is a
            link to it, a last side then is.
    """
    of = {node: _Side([node], [node]) for node in begin}
    grounded &= GROUND not in (node for n in of for link, node in links[n] if link in cut)
    turns = deque(of.values())
    ended: list[_Side] = []
    while turns:
        side = turns.popleft()
        if side.grounded or not side.edge:
            ended += [side] if side.nodes else []
            continue
        if grounded and not turns and not any(s.grounded for s in ended):
            break
        _follow(side, links, cut, of)
        turns.append(side)
        while turns and not turns[0].nodes:  # merged into another
            turns.popleft()
    return [node for side in ended if not side.grounded for node in side.nodes]


def _follow(
    side: _Side,
    links: Sequence[Sequence[tuple[int, int]]],
    cut: AbstractSet[int],
    of: dict[int, _Side],
) -> None:
    """Go on from one node of a side; sides that meet become this one."""
    for link, node in links[side.edge.pop()]:
        if link in cut:
            continue
        if node == GROUND:
            side.grounded = True
        elif node not in of:
            of[node] = side
            side.nodes.append(node)
            side.edge.append(node)
        elif (other := of[node]) is not side:
            of.update(dict.fromkeys(other.nodes, side))
            side.nodes += other.nodes
            side.edge += other.edge
            side.grounded |= other.grounded
            other.nodes, other.edge = [], []
