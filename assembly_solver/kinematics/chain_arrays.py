"""A kinematic chain, what is prescribed to it and what it does, as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..equations.table import Table
from ..foundations.types import Array, Ints
from ..model.measures.measure import WIDEST


class Chain(NamedTuple):
    """One component as arrays; its root stands at the identity, all else is seen from there.

    Attributes:
        table: the equations, some of them added to hold what nothing drives.
        root: the body that all is seen from; bodies: that move.
        slot: (all bodies, 6), column of each unknown or -1; columns are sorted by blocks.
        first: block k has the rows first[k] .. first[k + 1] of `rows`, and the same columns.
        first_inverse: where the inverse of each block begins in a flat array.
        first_mover, movers: the bodies that have columns in each block.
        checked: equations that no block has.
        driven: equations whose targets are given for each state.
        turns: terms of several-term equations that are angles about an axis.
        moving: markers that move on their bodies.
        axes: of the unknowns, (3, 3); centre: of the bodies, (all bodies, 3).
    """

    table: Table
    root: int
    bodies: Ints
    slot: Ints
    first: Ints
    rows: Ints
    first_inverse: Ints
    first_mover: Ints
    movers: Ints
    checked: Ints
    driven: Ints
    turns: Ints
    moving: Ints
    axes: Array
    centre: Array
    length: float


class Given(NamedTuple):
    """What is prescribed at each state, time derivatives after values.

    Attributes:
        t: (states,), s.  targets: (states, driven equations, 3), mm and rad.
        frames: (states, moving markers, 12) on their bodies; twists: (states, moving, 12): spatial
        twist and its derivative, in the coordinates of the bodies.
    """

    t: Array
    targets: Array
    frames: Array
    twists: Array


class Track(NamedTuple):
    """What a chain does: for each state, body in the order of `Chain.bodies`.

    Attributes:
        poses: (states, bodies, 12); twists, changes: (states, bodies, 6), spatial twists (velocity
            at the root's origin mm/s, spin rad/s) and their time derivatives, along its axes.
        off: (states,), largest residual, mm.
        pivots: (states, blocks), smallest pivot over the largest, with the determinant's sign.
        substeps: (states,), steps that led to each state.
    """

    poses: Array
    twists: Array
    changes: Array
    off: Array
    pivots: Array
    substeps: Ints


class Now(NamedTuple):
    """Where a march is: poses, and speeds and their changes along the unknowns, (bodies, 6) each.

    `inverse` holds the inverses of the blocks one behind the other; `twist`, (bodies, 12), spatial
    twists and what speeds make of their derivatives.
    """

    poses: Array
    speed: Array
    change: Array
    inverse: Array
    twist: Array


class Scratch(NamedTuple):
    """Places for intermediate numbers, so that nothing is allocated on the way."""

    bodies: Ints
    wrenches: Array
    a: Array
    b: Array
    wrench: Array
    own: Array
    point: Array
    va: Array
    vb: Array
    f: Array
    trial: Array
    step: Array
    pair: Array
    right: Array
    pulled: Array
    matrix: Array
    spare: Array
    asked: Array
    moving: Array
    before: Array
    after: Array
    pivots: Array


def empty_track(c: Chain, states: int) -> Track:
    """Places for states, not a number where nothing came yet."""
    bodies, blocks = len(c.bodies), len(c.first) - 1
    return Track(
        poses=np.full((states, bodies, 12), np.nan),
        twists=np.full((states, bodies, 6), np.nan),
        changes=np.full((states, bodies, 6), np.nan),
        off=np.full(states, np.nan),
        pivots=np.full((states, blocks), np.nan),
        substeps=np.zeros(states, np.int64),
    )


def scratch(c: Chain) -> Scratch:
    """Scratch for a chain."""
    n, largest = len(c.rows), int(np.diff(c.first).max(initial=0))
    return Scratch(
        np.empty(WIDEST, np.int64),
        np.empty((WIDEST, 6)),
        np.empty(12),
        np.empty(12),
        np.empty(6),
        np.empty(6),
        np.empty(3),
        np.empty(12),
        np.empty(12),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty((2, largest)),
        np.empty(n),
        np.empty((2, n)),
        np.empty(largest**2),
        np.empty(largest**2),
        np.zeros((len(c.table.target), 2)),
        np.zeros((len(c.moving), 12)),
        np.empty(36),
        np.empty(36),
        np.empty(len(c.first) - 1),
    )


def point_at(c: Chain, poses: Array) -> Now:
    """A place for a point with its rates."""
    n, size = len(poses), int(c.first_inverse[-1])
    return Now(poses.copy(), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(size), np.zeros((n, 12)))
