"""A placement program over intervals of its input: what proves where a linkage can be built.

Every operation is evaluated as in `closed_forms`, in Taylor models over many cells of the input, or
to many digits at a single one.  The numbers of the program are taken as they are.  What decides
whether it can be built is a condition: a function that is positive where it can.

Source: docs/theory/dyads.md, 5 and 11.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from ...foundations.numerics.fixed_balls import FixedBall, Undecided, fixed_turn
from ...foundations.numerics.rounding import EPSILON
from ...foundations.numerics.taylor_models import Numbers, TaylorModel
from ...foundations.types import Array, Bools, Ints
from ..plan.link_length import CONSTANT, DRIVEN
from ..plan.placement_program import (
    ALONG,
    AT,
    BRANCH,
    CIRCLES,
    FIRST,
    LAST,
    LINE_CIRCLE,
    LINES,
    PUSH,
    SHAPE,
    SLIDES,
    TURN,
)
from .driven_linkage import DrivenLinkage


class Enclosed(Protocol):
    """What operations are done with: enclosures of numbers, as `TaylorModel` has them."""

    def __add__(self, other: Self) -> Self: ...
    def __sub__(self, other: Self) -> Self: ...
    def __neg__(self) -> Self: ...
    def __mul__(self, other: Self) -> Self: ...
    def times(self, factor: complex | float) -> Self: ...
    def plus(self, number: complex | float) -> Self: ...
    def signed(self, sign: Array) -> Self: ...
    def conjugate(self) -> Self: ...
    def square_size(self) -> Self: ...
    def reciprocal(self) -> Self: ...
    def root(self, touching: Bools) -> Self: ...
    @property
    def real(self) -> Self: ...
    @property
    def imag(self) -> Self: ...


M = TypeVar("M", bound=Enclosed)


class Condition(NamedTuple, Generic[M]):
    """What must be positive for an operation, as it is enclosed.

    Attributes:
        passes: whether the linkage exists on either side of a zero, as lines that turn parallel.
    """

    model: M
    passes: bool = False


class Cells(NamedTuple):
    """Intervals of the input, each for one choice of signs; (cells,) each.

    Attributes:
        low, high: mm or degrees; choice: number of the choice of signs.
        touching: the condition that has a zero in the interval; -1 where none has.
    """

    low: Array
    high: Array
    choice: Ints
    touching: Ints

    def take(self, which: Bools | Ints | slice) -> Cells:
        """Some of the cells."""
        return Cells(self.low[which], self.high[which], self.choice[which], self.touching[which])

    @classmethod
    def joined(cls, parts: list[Cells]) -> Cells:
        """The cells of several in turn."""
        return cls(*(np.concatenate(x) for x in zip(*parts, strict=True)))


class EnclosedPlacement(ABC, Generic[M]):
    """The points of a linkage over cells of its input, and the conditions on the way there."""

    def __init__(self, linkage: DrivenLinkage, cells: Cells, signs: Ints) -> None:
        """Evaluate.

        Args:
            signs: (cells, branches), +1 or -1.
        """
        self.linkage, self.cells, self.signs = linkage, cells, signs
        self.q = linkage.planned.program
        self.conditions: list[Condition[M]] = []
        self._points: dict[int, M] = {}
        self._values, self._turns = self._inputs()
        place = {
            TURN: self._turn,
            PUSH: self._push,
            ALONG: self._along,
            SHAPE: self._shape,
            CIRCLES: self._circles,
            LINE_CIRCLE: self._line_circle,
            LINES: self._lines,
            SLIDES: self._slides,
        }
        with np.errstate(all="ignore"):
            for o, row in enumerate(self.q.code):
                placed = place.get(int(row[0]), self._within)(o, row[AT:], self.q.numbers[o])
                for k, model in zip(self.q.written[row[FIRST] : row[LAST]], placed, strict=False):
                    self._points[int(k)] = model

    # ------------------------------------------------------------------ inputs
    @abstractmethod
    def _inputs(self) -> tuple[list[M], list[M]]:
        """Value, rad or mm, and e^{i value} of every actuator."""

    @abstractmethod
    def _constant(self, z: complex | float) -> M:
        """A number as it is."""

    def _at(self, k: int) -> M:
        """A point."""
        if k not in self._points:
            x, y = self.linkage.start[k] if k < len(self.linkage.start) else (0.0, 0.0)
            self._points[k] = self._constant(complex(x, y))
        return self._points[k]

    def _vector(self, a: int, b: int) -> M:
        return self._at(b) - self._at(a)

    def _square_radius(self, kind: int, actuator: int, by: Array) -> M:
        first, second = complex(by[0], by[1]), complex(by[2], by[3])
        if kind == CONSTANT:
            return self._constant(first).square_size()
        f = (self._values if kind == DRIVEN else self._turns)[actuator]
        return f.times(second).plus(first).square_size()

    # ------------------------------------------------------------------ operations
    def _turn(self, o: int, at: Ints, by: Array) -> tuple[M, ...]:
        j, i, a = at[:3].tolist()
        turned = (self._turns[a] * self._vector(j, i)).times(complex(by[0], by[1]))
        return (self._at(j) + turned,)

    def _push(self, o: int, at: Ints, by: Array) -> tuple[M, ...]:
        j, p, r, a = at[:4].tolist()
        share = self._values[a].times(complex(by[2], by[3])).plus(complex(by[0], by[1]))
        return (self._at(j) + share * self._vector(p, r),)

    def _along(self, o: int, at: Ints, by: Array) -> tuple[M, ...]:
        j, a, b = at[:3].tolist()
        return (self._at(j) + self._vector(a, b).times(complex(by[0], by[1])),)

    def _shape(self, o: int, at: Ints, by: Array) -> tuple[M, ...]:
        a, b, v, turns = at[:4].tolist()
        f = (self._turns if turns else self._values)[v]
        m, e, p = (
            f.times(complex(by[k + 2], by[k + 3])).plus(complex(by[k], by[k + 1]))
            for k in (0, 4, 8)
        )
        share = (m - e) * (p - e).reciprocal()
        return (self._at(a) + share * self._vector(a, b),)

    def _circles(self, o: int, at: Ints, by: Array) -> tuple[M, ...]:
        c1, c2, kind, a, other, b = at[:6].tolist()
        d = self._vector(c1, c2)
        q = d.square_size()
        one, two = self._square_radius(kind, a, by[:4]), self._square_radius(other, b, by[4:])
        foot = q + one - two
        square = (q * one).times(4.0) - foot * foot
        if kind == other == CONSTANT and by[:2].any() and by[4:6].any():
            # in factors it is not less well known where one link is much shorter than the other
            both = (one * two).root(np.zeros(len(self.cells.low), bool)).times(2.0)
            square = (both - (one + two - q)) * (both + (one + two - q))
        root = self._root(o, square)
        share = (foot + root.times(1j)) * q.reciprocal()
        return (self._at(c1) + (share * d).times(0.5),)

    def _line_circle(self, o: int, at: Ints, by: Array) -> tuple[M, ...]:
        c, a, b, kind, actuator = at[:5].tolist()
        d, side = self._vector(a, b), float(by[4])
        q, m = d.square_size(), self._vector(a, c) * d.conjugate()
        across = m.imag - q.times(side)
        radius = self._square_radius(kind, actuator, by[:4])
        root = self._root(o, q * radius - across * across)
        share = ((m.real + root) * q.reciprocal()).plus(1j * side)
        return (self._at(a) + share * d,)

    def _lines(self, o: int, at: Ints, by: Array) -> tuple[M, ...]:
        a, b, c, d = at[:4].tolist()
        one, two = self._vector(a, b), self._vector(c, d)
        start = self._at(a) + one.times(1j * by[0])
        between = self._at(c) + two.times(1j * by[1]) - start
        cross = (one.conjugate() * two).imag
        self.conditions.append(Condition(cross, True))
        t = (between.conjugate() * two).imag * cross.reciprocal()
        return (start + t * one,)

    def _slides(self, o: int, at: Ints, by: Array) -> tuple[M, ...]:
        a, d = at[:2].tolist()
        along, side = self._vector(a, d), float(by[0])
        q = along.square_size()
        root = self._root(o, q - self._constant(side).square_size())
        u = root.plus(-1j * side) * along * q.reciprocal()
        return (
            self._at(a) + u.times(complex(by[1], by[2])),
            self._at(d) + u.times(complex(by[3], by[4])),
        )

    def _within(self, o: int, at: Ints, by: Array) -> tuple[M, ...]:
        q, p, r = at[:3].tolist()
        d = self._vector(p, r)
        far = d.square_size().root(np.zeros(len(self.cells.low), bool))
        distance = (self._vector(p, q) * d.conjugate()).real * far.reciprocal()
        if not np.isnan(by[0]):
            self.conditions.append(Condition(distance.plus(-float(by[0]))))
        if not np.isnan(by[1]):
            self.conditions.append(Condition((-distance).plus(float(by[1]))))
        return ()

    def _root(self, o: int, square: M) -> M:
        """The signed root of a condition."""
        touching = self.cells.touching == len(self.conditions)
        self.conditions.append(Condition(square))
        return square.root(touching).signed(self.signs[:, self.q.code[o, BRANCH]].astype(float))


class TaylorPlacement(EnclosedPlacement[TaylorModel]):
    """Over cells, in Taylor models."""

    def _inputs(self) -> tuple[list[TaylorModel], list[TaylorModel]]:
        low, high, n = self.cells.low, self.cells.high, len(self.cells.low)
        middle, half = 0.5 * (low + high), 0.5 * (high - low) * (1.0 + 4.0 * EPSILON)
        off = 4.0 * EPSILON * (np.abs(low) + np.abs(high))
        moved = TaylorModel(middle, half, off, half, 4.0 * EPSILON * half)
        values, turns = [], []
        for a, (x, c, s) in enumerate(self.linkage.values(self.linkage.start_value)):
            value, turn = _known(float(x), n, 8.0), _known(complex(c, s), n, 8.0)
            if a == self.linkage.number:
                value = moved.times(self.q.inputs[a, 0]).plus(self.q.inputs[a, 1])
                turn = _unit(value)
            values.append(value)
            turns.append(turn)
        return values, turns

    def _constant(self, z: complex | float) -> TaylorModel:
        return _known(z, len(self.cells.low), 0.0)


class FixedPlacement(EnclosedPlacement[FixedBall]):
    """At a single value of the input, to many digits, as far as it can be built there."""

    def __init__(self, linkage: DrivenLinkage, cells: Cells, signs: Ints) -> None:
        with suppress(Undecided):
            super().__init__(linkage, cells, signs)

    def _inputs(self) -> tuple[list[FixedBall], list[FixedBall]]:
        values = []
        for a, (factor, offset, start) in enumerate(self.q.inputs[:, :3].tolist()):
            value = FixedBall.of(start)
            if a == self.linkage.number:
                value = FixedBall.of(float(self.cells.low[0])).times(factor).plus(offset)
            values.append(value)
        return values, [fixed_turn(value) for value in values]

    def _constant(self, z: complex | float) -> FixedBall:
        return FixedBall.of(z)


def _known(z: complex | float, n: int, roundings: float) -> TaylorModel:
    """A number that is known to some roundings, for n cells."""
    none = np.zeros(n)
    error = roundings * EPSILON * abs(z)
    return TaylorModel(np.full(n, z), none, np.full(n, error), none, none)


def _unit(value: TaylorModel) -> TaylorModel:
    """e^{i value}."""
    turn = np.exp(1j * value.value)
    turned, size = 1j * turn * value.slope, np.abs(value.value)
    error = value.error + 0.5 * value.reach**2 + 8.0 * EPSILON * (1.0 + size)
    rate = 1j * turn * value.rate
    spread = value.spread + np.abs(value.rate) * (value.reach + 8.0 * EPSILON * (1.0 + size))
    up = 1.0 + 16.0 * EPSILON
    return TaylorModel(turn, turned, error * up, rate, spread * up)


def enclosed_conditions(
    placed: TaylorPlacement, number: Ints
) -> tuple[Numbers, Array, Array, Array]:
    """Of each cell the condition with a number: value, error with reach, rate and spread."""
    models = [c.model for c in placed.conditions]
    k = np.arange(len(number))
    rows = (
        np.array([getattr(m, name) for m in models])[number, k]
        for name in ("value", "reach", "rate", "spread")
    )
    value, reach, rate, spread = rows
    return value, reach, rate, spread
