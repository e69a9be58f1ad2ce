"""A kinematic chain, its prescribed values and its motion as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..equations.table import EquationTable, EvaluatedEquation, evaluated_equation
from ..foundations.numerics.rounding import EPSILON
from ..foundations.types import Array, Ints

CORRECTIONS = 12
"""Most corrections of a block."""

ALLOWANCE = 0.01
"""A correction, or an unpredicted motion, within which no other branch is: this times the
characteristic length and the smallest pivot, as near a singular pose other branches are close."""

GOOD = 0.3
"""Ratio of residuals after and before a correction up to which an inverse goes on to serve."""

REFINEMENTS = 4
"""Most refinements of rates; the last one is with a new inverse."""

REFINED = 64.0 * EPSILON
"""Residual of rates, relative to the right side, to which they are refined."""

LARGE_BLOCK = 16
"""A setting: unknowns of a block from which on interpreted code closes a usual chain in arrays."""


class Chain(NamedTuple):
    """One component as arrays, its root at the identity: all poses are relative to the root.

    Attributes:
        table: the equations, including those that lock undriven coordinates.
        root: the reference body; bodies: the moving ones.
        slot: (all bodies, 6), column of each unknown or -1; columns are sorted by blocks.
        first: block k has the rows first[k] .. first[k + 1] of `rows`, and the same columns.
        first_mover, movers: the bodies that have columns in each block.
        checked: redundant equations, in no block, evaluated in every state.
        driven: equations whose targets are prescribed in each state.
        turns: terms of several-term equations that are rotations about an axis.
        moving: markers that move on their bodies.
        axes: of the unknowns, (3, 3); centre: of the bodies, (all bodies, 3), body coordinates,
            mm; length: characteristic length, mm.
    """

    table: EquationTable
    root: int
    bodies: Ints
    slot: Ints
    first: Ints
    rows: Ints
    first_mover: Ints
    movers: Ints
    checked: Ints
    driven: Ints
    turns: Ints
    moving: Ints
    axes: Array
    centre: Array
    length: float


def largest_block(c: Chain) -> int:
    """Unknowns of the largest block."""
    return int(np.diff(c.first).max(initial=0))


class PrescribedValues(NamedTuple):
    """Prescribed values in each state, with their time derivatives.

    Attributes:
        t: (states,), s.
        targets: (states, driven equations, 3), value and two derivatives, mm or rad.
        frames: (states, moving markers, 12), body coordinates, mm.
        twists: (states, moving markers, 12), spatial twist and its derivative, body coordinates.
    """

    t: Array
    targets: Array
    frames: Array
    twists: Array


class StateTrack(NamedTuple):
    """Motion of a chain, by state and body in the order of `Chain.bodies`.

    Attributes:
        poses: (states, bodies, 12), relative to the root.
        twists, changes: (states, bodies, 6), spatial twists (velocity at the origin of the root,
            mm/s; spin, rad/s) and their time derivatives, along the axes of the root.
        off: (states,), largest residual, mm.
        pivots: (states, blocks), smallest pivot over the largest, signed as the determinant.
        substeps: (states,), number of steps from the state before.
        turned: (states, turns), values of the terms `Chain.turns` with their whole turns, rad.
    """

    poses: Array
    twists: Array
    changes: Array
    off: Array
    pivots: Array
    substeps: Ints
    turned: Array


class ChainState(NamedTuple):
    """Poses of a chain with their rates at one time.

    Attributes:
        poses: (all bodies, 12), relative to the root; speed, change: (all bodies, 6), first and
            second derivatives of the unknowns, mm/s and mm/s2.
        twist: (all bodies, 12), spatial twists, and the velocity-dependent part of their
            derivatives.
        pivots: (blocks,), as of `StateTrack`; 0 where they are not known.
    """

    poses: Array
    speed: Array
    change: Array
    twist: Array
    pivots: Array


class Scratch(NamedTuple):
    """Buffers, so that the compiled loop allocates nothing."""

    found: EvaluatedEquation
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
    inverse: Array
    exchanges: Ints
    target_rates: Array
    moving: Array
    before: Array
    after: Array


ANY_SIDE, TELL, SAME_SIDE = range(3)
"""What a step does that is smooth and changes the sign of a determinant, as onto another branch: it
counts, it is told of, or it does not count."""


class Tolerances(NamedTuple):
    """Residuals, mm: `fine` ends the iteration; up to `closed` a block counts as closed.

    `side` is what counts of the signs of determinants: `ANY_SIDE`, `TELL` or `SAME_SIDE`.  At a
    least pivot below `narrow` branches may be as near as the tolerance, which is told of, too.
    """

    fine: float
    closed: float
    side: int = ANY_SIDE
    narrow: float = 0.0


class StepWork(NamedTuple):
    """Buffers of a step.

    Attributes:
        after: state after the step; poses: scratch, (all bodies, 12).
        higher: (2, all bodies, 6), third and fourth derivatives, for the prediction.
        scratch: of the chain.
    """

    after: ChainState
    poses: Array
    higher: Array
    scratch: Scratch


class StepEnd(NamedTuple):
    """End of a step: a part (0 to 1) of the interval that ends at `state`."""

    state: int
    part: float
    seconds: float


class MarchSpan(NamedTuple):
    """Span of a march: from a part (0 to 1) of the interval after state `first` to `last`."""

    first: int
    begin: float
    last: int


class MarchRecord(NamedTuple):
    """Output of a march.

    Attributes:
        track: the states reached after the first.
        trace: (2, 1 + blocks), time, s, and pivots at the last two points.
    """

    track: StateTrack
    trace: Array


def empty_state_track(c: Chain, states: int) -> StateTrack:
    """A track of NaN, to be written state by state."""
    bodies, blocks = len(c.bodies), len(c.first) - 1
    return StateTrack(
        poses=np.full((states, bodies, 12), np.nan),
        twists=np.full((states, bodies, 6), np.nan),
        changes=np.full((states, bodies, 6), np.nan),
        off=np.full(states, np.nan),
        pivots=np.full((states, blocks), np.nan),
        substeps=np.zeros(states, np.int64),
        turned=np.full((states, len(c.turns)), np.nan),
    )


def scratch(c: Chain) -> Scratch:
    """Buffers for a chain."""
    n, largest = len(c.rows), largest_block(c)
    return Scratch(
        evaluated_equation(),
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
        np.empty((largest, largest)),
        np.empty((largest, largest)),
        np.empty(largest, np.int64),
        np.zeros((len(c.table.target), 2)),
        np.zeros((len(c.moving), 12)),
        np.empty(36),
        np.empty(36),
    )


def chain_state(c: Chain, poses: Array) -> ChainState:
    """A state at a copy of poses (all bodies, 12), its rates zero."""
    n, pivots = len(poses), np.zeros(len(c.first) - 1)
    return ChainState(poses.copy(), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 12)), pivots)


def step_work(after: ChainState, scratch: Scratch) -> StepWork:
    """Buffers of a step, with zero higher derivatives."""
    return StepWork(after, after.poses.copy(), np.zeros((2, *after.speed.shape)), scratch)
