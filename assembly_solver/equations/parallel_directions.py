"""The directions that mates keep parallel, as a graph: what senses have to agree on.

A node is a direction of a rigid frame, either way; an edge is a mate.  Parts that are grounded, or
that mates keep from rotating relative to each other, are one frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.geometry.pose import compose_all
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array, Ints
from ..model.measures.measure import TILT, TURN
from .table import EquationTable, residuals

SAME_DIRECTION = 3
"""Decimals of unit vectors that agree where two directions of one frame are one."""


class StartedMates(NamedTuple):
    """The equations of mates, whose senses are not yet in the markers, at the start.

    Attributes:
        table: of parts; first_equation: of each mate, (mates + 1,).
        start: frames of the parts, (parts, 12); grounded: which of them are.
        tolerance: residual, mm, with which a mate holds.
    """

    table: EquationTable
    first_equation: Ints
    start: Array
    grounded: NDArray[np.bool_]
    tolerance: float


class ParallelEdges(NamedTuple):
    """Mates that keep two directions parallel: arrays over edges.

    Attributes:
        mate: index of the mate; marker: the two markers, (edges, 2).
        frame: the frames, the smaller number first, (edges, 2); node: of the directions there.
        direction: unit vectors in the two frames, of nodes, (edges, 2, 3).
        sign: +1 where the mate wants the two vectors the same way, else -1.
        angle: from the sense of the mate at the start, rad, 0 to pi; free: it is a nearest one.
        rotation: of the frames in the world at the start, as columns, (parts, 3, 3).
    """

    mate: Ints
    marker: Ints
    frame: Ints
    node: Ints
    direction: Array
    sign: Ints
    angle: Array
    free: NDArray[np.bool_]
    rotation: Array


def parallel_edges(mates: StartedMates, sign: Ints, free: NDArray[np.bool_]) -> ParallelEdges:
    """The graph of the directions that mates keep parallel.

    Args:
        sign: the required or the nearest sense of each mate, +1 or -1, 0 where it has none.
        free: which of them are nearest ones.
    """
    t, start = mates.table, mates.start
    single = np.flatnonzero(np.diff(t.first_term)[: mates.first_equation[-1]] == 1)
    measure = t.term_measure[t.first_term[single]]
    zero = (t.target[single] == 0.0) & (t.axis_i[measure] == 0)
    tilted = zero & (t.kind[measure] == TILT)
    root, into = _frames(mates, measure[zero & (t.kind[measure] == TURN)])
    mate = np.searchsorted(mates.first_equation, single[tilted], side="right") - 1
    marker = np.stack([t.marker_a[measure[tilted]], t.marker_b[measure[tilted]]], axis=1)
    frame = root[t.marker_body[marker]]
    swapped = frame[:, 0] > frame[:, 1]
    marker[swapped], frame[swapped] = marker[swapped, ::-1], frame[swapped, ::-1]
    body, own = t.marker_body[marker], t.marker_frame[marker, 9:12]
    world = np.einsum("eni,enij->enj", own, start[body, 3:].reshape(-1, 2, 3, 3))
    z = np.einsum("enij,enj->eni", into[body], own)
    rounded = np.round(z, SAME_DIRECTION)
    leading = np.argmax(rounded != 0.0, axis=2)[..., None]
    way = np.sign(np.take_along_axis(rounded, leading, axis=2))
    key = np.concatenate([frame[..., None], rounded * way + 0.0], axis=2)
    _, node = np.unique(key.reshape(-1, 4), axis=0, return_inverse=True)
    node = node.reshape(-1, 2)
    wanted = np.where(sign[mate] == 0, 1, sign[mate])
    cosine = np.clip(wanted * np.einsum("ei,ei->e", world[:, 0], world[:, 1]), -1.0, 1.0)
    product = wanted * np.prod(way[..., 0], axis=1).astype(np.int64)
    rotation = np.swapaxes(start[:, 3:].reshape(-1, 3, 3), 1, 2).copy()
    rotation[mates.grounded] = np.eye(3)
    some = np.flatnonzero((frame[:, 0] != frame[:, 1]) | (node[:, 0] == node[:, 1]))
    return ParallelEdges(
        mate=mate[some],
        marker=marker[some],
        frame=frame[some],
        node=node[some],
        direction=(z * way)[some],
        sign=product[some],
        angle=np.arccos(cosine)[some],
        free=free[mate[some]],
        rotation=rotation,
    )


def _frames(mates: StartedMates, turns: Ints) -> tuple[Ints, Array]:
    """The rigid frame of each part, and the rotation (3, 3) that takes its vectors there.

    The frame of grounded parts is that of the world.
    """
    t, n = mates.table, len(mates.start)
    root, into = np.arange(n), np.tile(np.eye(3), (n, 1, 1))
    still = np.flatnonzero(mates.grounded)
    if len(still):
        root[still] = still[0]
        into[still] = np.swapaxes(mates.start[still, 3:].reshape(-1, 3, 3), 1, 2)
    axes = t.marker_frame[:, 3:].reshape(-1, 3, 3)
    for a, b in zip(t.marker_a[turns].tolist(), t.marker_b[turns].tolist(), strict=True):
        x, y = int(t.marker_body[a]), int(t.marker_body[b])
        if mates.grounded[root[y]]:
            a, b, x, y = b, a, y, x
        if root[x] != root[y]:
            members = root == root[y]
            into[members] = into[x] @ axes[a].T @ axes[b] @ into[y].T @ into[members]
            root[members] = root[x]
    return root, into


def most_binding_first(mates: StartedMates, edges: ParallelEdges) -> Ints:
    """The edges in the order in which their senses count, by geometry alone.

    Senses that were asked for, then those of mates that hold at the start, then by how clear the
    sense is there.
    """
    t, first = mates.table, mates.first_equation
    off = np.empty(first[-1])
    residuals(t, mates.start, np.arange(first[-1]), off)
    off[np.isin(t.kind[t.term_measure[t.first_term[: first[-1]]]], (TILT, TURN))] = 0.0
    worst = np.maximum.reduceat(np.abs(off), first[:-1])
    stands = (worst[edges.mate] <= mates.tolerance) & (edges.angle <= FAINT)
    frames = compose_all(mates.start[t.marker_body], t.marker_frame)
    place = frames[edges.marker, :3].mean(axis=1)
    away = np.linalg.norm(place - place.mean(axis=0), axis=1)
    near = np.round(np.column_stack([place, away]) / mates.tolerance)
    unclear = np.round(np.minimum(edges.angle, np.pi - edges.angle) / FAINT)
    order: Ints = np.lexsort((*near.T, unclear, ~stands, edges.free))
    return order
