"""The equations of a table at many states at once, in arrays."""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.rounding import TINY
from ..foundations.types import Array, Ints
from ..model.measures.many import Frames, cross, measures
from ..model.measures.measure import ROTATION
from .table import EquationTable

BELOW, ABOVE = [7, 2, 3], [5, 6, 1]
"""Numbers in a matrix of what each component of a vector product with a vector adds and takes."""


class AlikeTerms(NamedTuple):
    """Terms whose measures are of one kind.

    Attributes:
        terms: their numbers; kind, i, j: of their measures; a, b: index of the origins of their
            markers among `vectors`.
    """

    terms: Ints
    kind: int
    i: Ints
    j: Ints
    a: Ints
    b: Ints


def terms_of(t: EquationTable, rows: Ints) -> Ints:
    """Numbers of the terms of some equations."""
    first, count = t.first_term[rows], np.diff(t.first_term)[rows]
    begin = np.cumsum(count) - count
    out: Ints = np.repeat(first - begin, count) + np.arange(count.sum())
    return out


def equations_alone(t: EquationTable, rows: Ints) -> EquationTable:
    """A table of some equations, whose markers are those of each term: all a, then all b."""
    terms = terms_of(t, rows)
    n, count = t.term_measure[terms], len(terms)
    markers = np.concatenate([t.marker_a[n], t.marker_b[n]])
    return t._replace(
        marker_body=t.marker_body[markers],
        marker_frame=t.marker_frame[markers],
        kind=t.kind[n],
        axis_i=t.axis_i[n],
        axis_j=t.axis_j[n],
        marker_a=np.arange(count),
        marker_b=np.arange(count, 2 * count),
        first_term=np.cumsum([0, *(t.first_term[rows + 1] - t.first_term[rows])]),
        term_measure=np.arange(count),
        coefficient=t.coefficient[terms],
        reference=t.reference[terms],
        target=t.target[rows],
        period=t.period[rows],
        weight=t.weight[rows],
    )


class ManyEquations:
    """The equations of a table, grouped by the kind of their measures.

    Attributes:
        t: the table; equation: of each term; body: of marker a and of marker b of each term.
        groups: the terms of each kind; layers: the first terms of all equations, the second, ...
        scale: coefficient times weight of each term.
    """

    def __init__(self, t: EquationTable) -> None:
        self.t = t
        n, count = t.term_measure, np.diff(t.first_term)
        self.equation = np.repeat(np.arange(len(t.target)), count)
        kinds = t.kind[n]
        order = np.argsort(kinds, kind="stable")
        cuts = np.flatnonzero(np.diff(kinds[order])) + 1
        self.groups = [_alike(t, g) for g in np.split(order, cuts) if len(g)]
        self.body = [t.marker_body[m[n]] for m in (t.marker_a, t.marker_b)]
        within = np.arange(len(n)) - np.repeat(t.first_term[:-1], count)
        self.layers = [np.flatnonzero(within == k) for k in range(int(count.max(initial=0)))]
        self.scale = t.coefficient * t.weight[self.equation]
        self.turns = np.flatnonzero(kinds == ROTATION)
        self.periodic = np.flatnonzero(t.period > 0.0)
        self.own = t.marker_frame.reshape(-1, 4, 3)

    def vectors(self, poses: Array) -> Array:
        """Origins and axes of the markers in the world, (3, starts, 4 markers)."""
        of = self.t.marker_body
        out = self.own @ poses[:, of, 3:].reshape(len(poses), len(of), 3, 3)
        out[:, :, 0] += poses[:, of, :3]
        return np.ascontiguousarray(out.transpose(3, 0, 1, 2)).reshape(3, len(poses), 4 * len(of))

    def terms(self, poses: Array) -> tuple[Array, Array, Array]:
        """Values of all terms, (starts, terms), and forces and torques, (3, starts, terms)."""
        t, vectors = self.t, self.vectors(poses)
        shape = len(poses), len(t.term_measure)
        value, force, torque = np.empty(shape), np.empty((3, *shape)), np.empty((3, *shape))
        for g in self.groups:
            found = measures(g.kind, g.i, g.j, t.data, *frames(vectors, g))
            value[:, g.terms], force[:, :, g.terms], torque[:, :, g.terms] = found
        return value, force, torque

    def residuals(self, value: Array, targets: Array | None = None) -> Array:
        """Residuals, mm, (starts, equations), from the values of the terms, which are changed.

        Args:
            targets: of each start, (starts, equations); those of the table where none are given.
        """
        t = self.t
        if len(self.turns):
            off = value[:, self.turns] - t.reference[self.turns] + pi
            value[:, self.turns] -= 2.0 * pi * np.floor(off / (2.0 * pi))
        value = value * t.coefficient
        out = np.tile(-t.target, (len(value), 1)) if targets is None else -targets
        for layer in self.layers:
            out[:, self.equation[layer]] += value[:, layer]
        if len(self.periodic):
            period = t.period[self.periodic]
            out[:, self.periodic] -= period * np.floor(out[:, self.periodic] / period + 0.5)
        out *= t.weight
        return out

    def jacobian(
        self, centres: Array, force: Array, torque: Array, slot: Ints, count: int
    ) -> Array:
        """Derivatives, (starts, equations, count, 6), by shifts of bodies and turns about centres.

        Along and about the axes of the world, mm and rad.

        Args:
            centres: of the bodies, world, (3, starts, bodies), mm; force, torque: of `terms`.
            slot: number of each body among those that move; `count` where it does not.
        """
        out = np.zeros((force.shape[1], len(self.t.target), count + 1, 6))
        for body, sign in zip(self.body, (-1.0, 1.0), strict=True):
            about = torque - cross(centres.take(body, axis=2), force)
            slope = (np.concatenate([force, about]) * (sign * self.scale)).transpose(1, 2, 0)
            for layer in self.layers:
                out[:, self.equation[layer], slot[body[layer]]] += slope[:, layer]
        return out[:, :, :count]


def _alike(t: EquationTable, terms: Ints) -> AlikeTerms:
    n = t.term_measure[terms]
    markers = 4 * t.marker_a[n], 4 * t.marker_b[n]
    return AlikeTerms(terms, int(t.kind[n[0]]), t.axis_i[n], t.axis_j[n], *markers)


def frames(vectors: Array, alike: AlikeTerms) -> tuple[Frames, Frames]:
    """Frames of markers a and b of some terms."""
    return Frames(vectors, alike.a), Frames(vectors, alike.b)


def displaced(poses: Array, centre: Array, shifts: Array, turns: Array) -> Array:
    """Poses, (states, bodies, 12), after shifts of the centres, mm, and turns about them, rad.

    Args:
        centre: of the bodies, body coordinates, (bodies, 3), mm.
        shifts, turns: (states, bodies, 3), along the axes of the world.
    """
    axes, q = poses[..., 3:].reshape(*poses.shape[:2], 3, 3), rotations(turns)
    arm = (centre[:, None] @ axes)[..., 0, :]
    out = np.empty_like(poses)
    out[..., 3:] = (axes @ q.swapaxes(-1, -2)).reshape(*poses.shape[:2], 9)
    back = arm - (q @ arm[..., None])[..., 0]
    out[..., :3] = poses[..., :3] + back + shifts
    return out


def rotations(vectors: Array) -> Array:
    """Rotation matrices, (..., 3, 3), of rotation vectors, (..., 3), rad."""
    square = (vectors * vectors).sum(axis=-1)
    angle = np.maximum(np.sqrt(square), TINY)
    half = np.sin(0.5 * angle) / angle
    along = (2.0 * half * half)[..., None] * vectors
    out: Array = along[..., :, None] * vectors[..., None, :]
    across = (np.sin(angle) / angle)[..., None] * vectors
    flat = out.reshape(*angle.shape, 9)
    flat[..., ::4] += (1.0 - 2.0 * half * half * square)[..., None]
    flat[..., BELOW] += across
    flat[..., ABOVE] -= across
    return out
