"""The senses of mates: those asked for, and nearest ones that can hold together with them.

Around a cycle of parallel directions the signs of the mates multiply to +1, or these mates hold
together at no poses.  Mates enter a forest one after the other, senses asked for first; a nearest
sense that closes a cycle wrongly is reversed.  Several directions between two frames have to agree
by a rotation, not by a reflection: of the rotations that fit, the one nearest to the start is
taken.

Source: balance of signed graphs, Harary 1953; maximum spanning tree, Kruskal 1956; best rotation
between vectors, Kabsch 1976.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.graphs.connected import connected
from ..foundations.types import Array, Ints
from ..model.mate import required_sense, resolved_sense
from .mate_features import MateNumbers
from .parallel_directions import ParallelEdges, StartedMates, most_binding_first, parallel_edges

FITTING = 0.99
"""Cosine between directions of two frames from which a rotation brings them together."""

MOST_DIRECTIONS = 6
"""Directions between two frames of which all senses are tried."""


class Senses(NamedTuple):
    """The senses of mates.

    Attributes:
        sign: +1 aligned, -1 opposed, 0 none, (mates,).
        reversed: names of the mates whose sense is not the nearest one.
        by_residual: whether it counted how far mates are off at the start.
    """

    sign: Ints
    reversed: tuple[str, ...]
    by_residual: bool


def senses_of(
    known: MateNumbers, mates: StartedMates, reversed_senses: frozenset[str] | None
) -> Senses:
    """The senses asked for and the nearest ones, some of these reversed.

    Args:
        known: of the mates.
        reversed_senses: names of mates whose sense is the opposite of the nearest one; None: those
            that could hold with the others at no poses.
    """
    sign = np.array([required_sense(mate) for mate in known.mates], np.int64)
    chosen = [k for k, h in enumerate(known.resolved) if h.chosen_by is not None]
    free = np.zeros(len(known.mates), bool)
    free[chosen] = True
    for k in chosen:
        sign[k] = resolved_sense(known.resolved[k], *mates.start[known.parts[k]])
    by_residual = False
    if reversed_senses is None:
        other, by_residual = _contradicting(mates, sign, free)
    else:
        other = free & np.array([mate.name in reversed_senses for mate in known.mates], bool)
    names = tuple(known.mates[k].name for k in other.nonzero()[0].tolist())
    return Senses(np.where(other, -sign, sign), names, by_residual)


def _contradicting(
    mates: StartedMates, sign: Ints, free: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], bool]:
    """Which nearest senses could hold with the others at no poses, and are reversed, (mates,).

    And whether that depends on how far mates are off at the start.
    """
    out = np.zeros(len(sign), bool)
    if not free.any():
        return out, False
    edges = parallel_edges(mates, sign, free)
    if not edges.free.any() or edges.angle.sum() < np.pi / 2:  # the start is near senses that agree
        return out, False
    before = edges.sign
    edges = _rotations_between_frames(edges)
    unbalanced = _unbalanced(edges)
    weighed = bool(edges.free[unbalanced].any())
    if weighed:
        order = most_binding_first(mates, edges)
        edges = _balanced(edges, order[unbalanced[order]])
    out[edges.mate[edges.sign != before]] = True
    return out, weighed


def contradicting_senses(mates: StartedMates, sign: Ints) -> Ints:
    """The mates whose senses can hold together at no poses, whatever else is asked.

    Args:
        sign: the sense of each mate, +1 or -1, 0 where it has none.
    """
    edges = parallel_edges(mates, sign, np.zeros(len(sign), bool))
    return edges.mate[_unbalanced(edges)] if len(edges.mate) else edges.mate


# ------------------------------------------------------------------ directions of two frames
def _rotations_between_frames(edges: ParallelEdges) -> ParallelEdges:
    """The same with signs that fit a rotation between any two frames; these are no longer free."""
    sign, free = edges.sign.copy(), edges.free.copy()
    for chosen in _between_frames(edges):
        _, first, of = np.unique(edges.node[chosen], axis=0, return_index=True, return_inverse=True)
        here = [chosen[of.ravel() == n] for n in range(len(first))]
        a, b = np.swapaxes(edges.direction[chosen[first]], 0, 1)
        now = [set(sign[some].tolist()) for some in here]
        if all(len(s) == 1 for s in now) and _fit(a, b, np.array([min(s) for s in now]))[1]:
            continue
        stated = [set(sign[some[~free[some]]].tolist()) for some in here]
        if any(len(s) > 1 for s in stated):  # they contradict, whatever the others are
            continue
        allowed = [s or {1, -1} for s in stated]
        x, y = edges.frame[chosen[0]]
        best = _nearest_rotation(a, b, allowed, edges.rotation[x].T @ edges.rotation[y])
        if best is not None:
            sign[chosen], free[chosen] = best[of.ravel()], False
    return edges._replace(sign=sign, free=free)


def _between_frames(edges: ParallelEdges) -> Iterator[Ints]:
    """The edges between any two frames that have several directions in common, some free."""
    order = np.lexsort(edges.frame.T)
    cuts = np.any(np.diff(edges.frame[order], axis=0) != 0, axis=1).nonzero()[0] + 1
    for chosen in np.split(order, cuts):
        several = np.any(edges.node[chosen] != edges.node[chosen[0]])
        far = edges.angle[chosen].sum() >= np.pi / 2
        if several and far and edges.free[chosen].any():
            yield chosen


def _fit(a: Array, b: Array, sign: Ints) -> tuple[Array, bool]:
    """The best rotation of some directions b, (n, 3), to a times their signs; whether it fits."""
    u, _, vt = np.linalg.svd((a * sign[:, None]).T @ b)
    u[:, 2] *= np.sign(np.linalg.det(u @ vt))
    rotation = u @ vt
    reached = np.einsum("ni,ij,nj,n->n", a, rotation, b, sign)
    return rotation, bool(reached.min() >= FITTING)


def _nearest_rotation(a: Array, b: Array, signs: list[set[int]], start: Array) -> Ints | None:
    """The signs, of those allowed, that fit by the rotation nearest to the start, or None."""
    best, nearest = None, -np.inf
    if len(signs) > MOST_DIRECTIONS:
        return None
    for some in product(*(sorted(s) for s in signs)):
        sign = np.array(some)
        rotation, fits = _fit(a, b, sign)
        near = float(np.sum(rotation * start))
        if fits and near > nearest:
            best, nearest = sign, near
    return best


# ------------------------------------------------------------------ cycles of directions
def _unbalanced(edges: ParallelEdges) -> NDArray[np.bool_]:
    """The edges of connected components in which some cycle contradicts.

    There the two ways of a direction are connected in the double cover of the graph.
    """
    n = int(edges.node.max()) + 1
    x, y = edges.node.T
    crossed = n * (edges.sign < 0)
    ends = np.concatenate([x, x + n]), np.concatenate([y + crossed, y + n - crossed])
    label = connected(2 * n, *ends)[1]
    found: NDArray[np.bool_] = (label[:n] == label[n:])[x]
    return found


def _balanced(edges: ParallelEdges, order: Ints) -> ParallelEdges:
    """The same with free signs reversed that contradict edges before them in an order."""
    forest, sign = _SignedForest(int(edges.node.max()) + 1), edges.sign.copy()
    for e in order.tolist():
        x, y = edges.node[e].tolist()
        if edges.free[e] and forest.sign_between(x, y) == -sign[e]:
            sign[e] *= -1
        forest.join(x, y, int(sign[e]))
    return edges._replace(sign=sign)


class _SignedForest:
    """Sets of nodes with the sign of each node relative to the root of its set."""

    def __init__(self, size: int) -> None:
        self._up, self._sign = list(range(size)), [1] * size

    def _root(self, n: int) -> tuple[int, int]:
        """The root of a node, and its sign relative to it."""
        path = []
        while self._up[n] != n:
            path.append(n)
            n = self._up[n]
        sign = 1
        for k in reversed(path):
            sign *= self._sign[k]
            self._up[k], self._sign[k] = n, sign
        return n, sign

    def sign_between(self, x: int, y: int) -> int:
        """+1 or -1 between two nodes of one set, 0 between nodes of different ones."""
        (a, one), (b, two) = self._root(x), self._root(y)
        return one * two if a == b else 0

    def join(self, x: int, y: int, sign: int) -> None:
        """Merge the sets of two nodes with this sign between the nodes."""
        (a, one), (b, two) = self._root(x), self._root(y)
        if a != b:
            self._up[a], self._sign[a] = b, one * sign * two
