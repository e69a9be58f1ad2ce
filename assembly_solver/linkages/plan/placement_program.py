"""The program of a planar linkage: operations in order that compute its points, in flat arrays.

Points are complex numbers, p = x + iy, mm.  An operation computes its points from earlier ones by a
closed form, in every state at once; a group is solved by iteration.  Other points are fixed.

Source: docs/theory/dyads.md, 5 and 7; the dyads: any text on planar linkages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from ...foundations.jit.decorators import borrowing
from ...foundations.types import Array, Ints
from .closed_forms import ACTUATORS
from .group_equations import PointGroup, pack_groups
from .link_length import Radius

TURN, PUSH, ALONG, SHAPE, CIRCLES, LINE_CIRCLE, LINES, SLIDES, GROUP, WITHIN = range(10)
"""Kinds of operations."""

FIRST, LAST, AT, BRANCH = 1, 2, 3, 11
"""Columns of `PlacementProgram.code` after the operation's kind: its points are
written[first:last]; then up to eight operands; the number of its branch, or -1."""

WIDTH = 12
NUMBERS = 12


class Input(NamedTuple):
    """An actuator: its value, rad or mm, is factor x input + offset, and `start` at the start."""

    factor: float
    offset: float
    start: float


@dataclass(frozen=True)
class Operation:
    """An operation of a program.

    Attributes:
        kind: one of the above; points: that it computes.
        at, by: its operands and numbers; branch: its number, -1 where there is none.
        turning: actuators of which it reads e^{i value}.
    """

    kind: int
    points: tuple[int, ...]
    at: tuple[int, ...]
    by: tuple[float, ...]
    branch: int = -1
    turning: tuple[int, ...] = ()


def turn(k: int, j: int, i: int, actuator: int, z: complex) -> Operation:
    """p_k = p_j + z e^{i value} (p_i - p_j): a driven crank."""
    return Operation(TURN, (k,), (j, i, actuator), (z.real, z.imag), turning=(actuator,))


def push(q: int, j: int, p: int, r: int, actuator: int, z0: complex, z1: complex) -> Operation:
    """p_q = p_j + (z0 + z1 value) (p_r - p_p): a driven slide."""
    return Operation(PUSH, (q,), (j, p, r, actuator), (z0.real, z0.imag, z1.real, z1.imag))


def along(k: int, j: int, a: int, b: int, z: complex) -> Operation:
    """p_k = p_j + z (p_b - p_a): a point of a known link."""
    return Operation(ALONG, (k,), (j, a, b), (z.real, z.imag))


def shape(
    m: int,
    a: int,
    b: int,
    actuator: int,
    turns: bool,
    ms: tuple[complex, complex],
    starts: tuple[complex, complex],
    ends: tuple[complex, complex],
) -> Operation:
    """A point of a shape with an actuator between its links, points a and b of which are known.

    With x(s) = x1 + x2 e^{i value} (turns) or x1 + x2 value (slides) of each of the pairs:
    p_m = p_a + (m - a) / (b - a) (p_b - p_a).
    """
    numbers = tuple(n for x in (*ms, *starts, *ends) for n in (x.real, x.imag))
    turning = (actuator,) if turns else ()
    return Operation(SHAPE, (m,), (a, b, actuator, int(turns)), numbers, turning=turning)


def circles(p: int, c1: int, r1: Radius, c2: int, r2: Radius, branch: int) -> Operation:
    """Intersection of two circles, left of c1 -> c2 where the branch's sign is +1: dyad RRR."""
    at = (c1, c2, r1.kind, r1.actuator, r2.kind, r2.actuator)
    return Operation(CIRCLES, (p,), at, (*r1.numbers, *r2.numbers), branch, r1.turning + r2.turning)


def line_circle(p: int, c: int, r: Radius, a: int, b: int, w: float, branch: int) -> Operation:
    """p_a + (t + i w) (p_b - p_a) at the radius from c, the larger t with sign +1: dyad RRP."""
    at = (c, a, b, r.kind, r.actuator)
    return Operation(LINE_CIRCLE, (p,), at, (*r.numbers, w), branch, r.turning)


def lines(p: int, a: int, b: int, w: float, c: int, d: int, w2: float) -> Operation:
    """p_a + (t + i w) (p_b - p_a) = p_c + (u + i w2) (p_d - p_c): dyads of two slides."""
    return Operation(LINES, (p,), (a, b, c, d), (w, w2))


def slides(
    k1: int, k2: int | None, a: int, d: int, w: float, z1: complex, z2: complex, branch: int
) -> Operation:
    """Two links on pins a and d, one sliding along the other: dyad RPR.

    With the unit u that has Im(conj(u) (p_d - p_a)) = w, mm: p_k1 = p_a + z1 u, p_k2 = p_d + z2 u;
    u points along p_d - p_a with sign +1, against it with -1.  Without k2 only the first is
    computed.
    """
    points = (k1,) if k2 is None else (k1, k2)
    return Operation(SLIDES, points, (a, d), (w, z1.real, z1.imag, z2.real, z2.imag), branch)


def group(number: int, known: PointGroup, branch: int) -> Operation:
    """The unknown points of a group, by iteration; its branch: the sign of its determinant."""
    return Operation(GROUP, known.unknowns, (number,), (), branch)


def stays_within(q: int, p: int, r: int, low: float | None, high: float | None) -> Operation:
    """The distance of q from p toward r lies within low and high, mm (None: no bound)."""
    bounds = (nan if low is None else low, nan if high is None else high)
    return Operation(WITHIN, (), (q, p, r), bounds)


class PlacementProgram(NamedTuple):
    """Operations in order, for compiled code.

    Points from `points` on are marks: NaN where a check fails.
    """

    code: Ints
    """(operations, WIDTH): kind, range in `written`, operands, branch."""
    numbers: Array
    """(operations, NUMBERS)"""
    written: Ints
    fixed: Ints
    """Points that no operation computes."""
    inputs: Array
    """(actuators, 4): factor, offset, value at the start, 1 where e^{i value} is read."""
    group: Ints
    """(groups, 5): first point, first that is known, last; first and last equation."""
    member: Ints
    """Points of the groups, unknown ones first."""
    equation: Ints
    """(equations, 12), see `group_equations`."""
    given: Array
    """(equations, 12)"""
    points: int
    marks: int
    branches: int


def assemble(
    ops: Sequence[Operation], groups: Sequence[PointGroup], points: int, inputs: Sequence[Input]
) -> PlacementProgram:
    """Lay out operations for compiled code.

    Args:
        points: number of all points, with auxiliary ones that only operations read.
    """
    code = np.zeros((len(ops), WIDTH), np.int64)
    numbers = np.zeros((len(ops), NUMBERS))
    written: list[int] = []
    marks = 0
    for row, values, op in zip(code, numbers, ops, strict=True):
        placed = op.points
        if op.kind == WITHIN:
            placed = (points + marks,)
            marks += 1
        row[:AT] = op.kind, len(written), len(written) + len(placed)
        row[AT : AT + len(op.at)] = op.at
        row[BRANCH] = op.branch
        values[: len(op.by)] = op.by
        written += placed
    packed = pack_groups(groups)
    turning = {a for op in ops for a in op.turning}
    turning |= {a for g in groups for e in g.equations for a in e.turning}
    computed = set(written)
    return PlacementProgram(
        code,
        numbers,
        np.array(written, np.int64),
        np.array([k for k in range(points) if k not in computed], np.int64),
        np.array([(*n, a in turning) for a, n in enumerate(inputs)], float).reshape(-1, 4),
        *packed,
        points,
        marks,
        1 + max((op.branch for op in ops), default=-1),
    )


@borrowing
def point_row(q: PlacementProgram, k: int) -> int:
    """Row of x of a point in a chunk of states, see `closed_forms`; y is the next."""
    return ACTUATORS + 3 * len(q.inputs) + 2 * k
