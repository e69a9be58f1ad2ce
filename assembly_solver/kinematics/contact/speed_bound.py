"""Bounds of the relative speed of bodies that a chain of joints turning at constant rates moves.

A joint e of the chain moves a point p at |v_e(p)|; the sum of these speeds bounds that of p.  The
joint's own turn leaves the distance of p from its axis as it is, so |v_e(p)| changes at most by
|w_e| times the sum of the speeds of the joints between p and e, which is bounded first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from ...foundations.graphs.biconnected import biconnected
from ...foundations.numerics.rounding import AGREEMENT, ROUNDING
from ...foundations.types import Array

LOWER_PAIRS = frozenset({"revolute", "prismatic", "cylindrical", "screw", "coaxial"})
"""Kinds of mates that leave a turn about an axis and a slide along it, both fixed in the bodies."""


DRIVEN = frozenset({"revolute", "prismatic", "screw"})
"""Those of one coordinate: a driver of it moves one body as seen from the other, in loops, too."""


class OpenChains:
    """The bodies of an assembly that are joined by a lower pair on no loop, or a driven one."""

    def __init__(self, n: int, joints: Iterable[tuple[int, int, str, bool]]) -> None:
        """`joints`: two bodies of n, the kind of a mate between them, and whether it is driven."""
        kinds: dict[tuple[int, int], set[str]] = {}
        driven = set[tuple[int, int]]()
        for a, b, kind, moved in joints:
            if a != b:
                edge = min(a, b), max(a, b)
                kinds.setdefault(edge, set()).add(kind)
                driven |= {edge} if moved and kind in DRIVEN else set()
        edges = list(kinds)
        open_ones = {edges[c.edges[0]] for c in biconnected(n, edges) if len(c.edges) == 1}
        self._beside: dict[int, list[int]] = {k: [] for k in range(n)}
        for edge in edges:
            if edge in driven or (edge in open_ones and kinds[edge] <= LOWER_PAIRS):
                a, b = edge
                self._beside[a].append(b)
                self._beside[b].append(a)

    def path(self, a: int, b: int) -> list[int] | None:
        """The bodies from a to b, both included; None where no such joints connect them."""
        before = {a: a}
        queue = [a]
        for body in queue:
            for other in self._beside[body]:
                if other not in before:
                    before[other] = body
                    queue.append(other)
        if b not in before:
            return None
        out = [b]
        while out[-1] != a:
            out.append(before[out[-1]])
        return out[::-1]


def speed_bound(
    path: list[int],
    motions: Mapping[int, tuple[Array, Array]],
    t: Array,
    centre: Array,
    radius: float,
) -> Array | None:
    """Largest speed of the points of a sphere as seen from the last body, in each interval.

    Args:
        path: bodies; the sphere is fixed to the first, at centre (n, 3) in the world, mm.
        motions: frames (n, 12) and twists (n, 6) of each body in the n states, world, mm, rad, s.
        t: (n,), s.

    Returns:
        (n - 1,), mm/s; None where a joint does not turn and slide at constant rates.
    """
    total, nearest_end = np.zeros(len(t) - 1), 0.5 * np.diff(t)
    for a, b in pairwise(path):
        (fa, ta), (fb, tb) = motions[a], motions[b]
        axes = fb[:, 3:].reshape(-1, 3, 3)
        at = [x[:, :3] + np.cross(x[:, 3:], centre - f[:, :3]) for f, x in ((fa, ta), (fb, tb))]
        spin = ta[:, 3:] - tb[:, 3:]
        own = ta[:, :3] - tb[:, :3] - np.cross(tb[:, 3:], fa[:, :3] - fb[:, :3])
        away = fa[:, :3] - fb[:, :3]
        screw = np.concatenate([_seen(axes, own - np.cross(spin, away)), _seen(axes, spin)], axis=1)
        reach = 1.0 + float(np.abs(away).max())
        size, other = float(np.abs(screw).max()), float(np.abs([ta, tb]).max())
        # a joint at rest has the rounding of the others; a state without rates is none at rest
        if not np.all(np.ptp(screw, axis=0) <= (AGREEMENT * size + ROUNDING * other) * reach):
            return None
        rate = float(np.linalg.norm(spin, axis=1).max())
        speed = np.linalg.norm(at[0] - at[1], axis=1) + radius * rate
        total += np.maximum(speed[:-1], speed[1:]) + rate * nearest_end * total
    return total


def _seen(axes: Array, vectors: Array) -> Array:
    out: Array = np.einsum("nkr,nr->nk", axes, vectors)
    return out
