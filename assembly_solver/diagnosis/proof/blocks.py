"""The blocks of an assembly that are proved each by itself.

A block is a biconnected component of the graph of parts and constraints, all fixed parts being one
node.  Measures do not change when both parts move together: where the parts of a block stand
against its root does not depend on where that stands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...equations.system import System
from ...foundations.graphs.biconnected import biconnected
from ...foundations.types import Ints


@dataclass(frozen=True)
class ProvableBlock:
    """Parts that constraints tie to each other.

    Attributes:
        root: the part that stays, -1 for all that are fixed; parts: those that move.
        constraints: that read them; rows: the equations of these.
    """

    root: int
    parts: tuple[int, ...]
    constraints: tuple[int, ...]
    rows: Ints


def blocks_of(system: System) -> list[ProvableBlock]:
    """The blocks of a system, each after the one that its root moves in.

    Constraints between fixed parts alone are a block without moving parts.
    """
    node = np.where(system.fixed, 0, np.arange(1, len(system.parts) + 1))
    links, owner = list[tuple[int, int]](), list[int]()
    for k in range(len(system.constraints)):
        nodes = node[list(system.parts_of(k))].tolist()
        pairs = [(nodes[0], n) for n in nodes[1:]] + [
            (n, m) for i, n in enumerate(nodes[1:]) for m in nodes[i + 2 :]
        ]
        links += pairs
        owner += [k] * len(pairs)
    out = []
    for found in biconnected(len(node) + 1, np.array(links, np.int64).reshape(-1, 2), 0):
        constraints = tuple(sorted({owner[e] for e in found.edges}))
        nodes = {n for e in found.edges for n in links[e]} - {found.root}
        parts = tuple(sorted(n - 1 for n in nodes))
        out.append(
            ProvableBlock(found.root - 1, parts, constraints, system.rows(list(constraints)))
        )
    return out
