"""A planned linkage led by one of its inputs, the others held where they start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .execution import run
from .planning import Planned, Step
from .scheme import ROTARY, SPAN, Actuator

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NEAREST = 1e-6
"""Smallest distance of two pins that an input drives, beside the size: at 0 it has no direction."""


SAME_VALUE = 1e-7
"""Share of what an input goes through within which two ends of branches are one."""


class States(NamedTuple):
    """What a program made of some values of the input.

    Attributes:
        P: (points, 2, states), mm; failed: (states,), 0 or 1 + the operation that cannot be built.
        room: (branches, states): the half chord of each dyad beside its radius, 0 at a dead point;
            of a group the size of its determinant.  NaN from the operation on that failed.
    """

    P: Array
    failed: Ints
    room: Array

    @property
    def valid(self) -> Bools:
        """Which states can be built."""
        out: Bools = self.failed == 0
        return out


@dataclass(frozen=True, eq=False)
class Led:
    """A plan and the input that moves.

    Attributes:
        planned: the plan; number: of the actuator among those of its scheme.
        near: value of the input in the turn that its start is told in, mm or degrees.
    """

    planned: Planned
    number: int
    near: float | None = None

    @cached_property
    def _held(self) -> Array:
        """Every input where it starts, (actuators,), mm or degrees; 0 of what has no input."""
        factor, offset, start = self.planned.program.inputs[:, :3].T
        driven = np.where(factor == 0.0, 1.0, factor)
        out: Array = np.where(factor == 0.0, 0.0, (start - offset) / driven)
        if self.near is not None and self.period is not None:
            off = self.near - out[self.number]
            out[self.number] += self.period * np.round(off / self.period)
        return out

    @property
    def here(self) -> float:
        """Where the input starts, mm or degrees."""
        return float(self._held[self.number])

    @property
    def name(self) -> str:
        """Of the input."""
        return self._actuator.name

    @property
    def unit(self) -> str:
        """Of the input."""
        return "deg" if self._actuator.kind == ROTARY else "mm"

    @property
    def _actuator(self) -> Actuator:
        return self.planned.scheme.actuators[self.number]

    @property
    def period(self) -> float | None:
        """What the input goes through in a full turn; None where it does not turn."""
        a = self._actuator
        return 2.0 * pi / abs(a.factor) if a.kind == ROTARY else None

    @cached_property
    def window(self) -> tuple[float, float]:
        """Values beyond which no state is looked for: a turn, or all that the links can reach."""
        period = self.period
        if period is not None:
            return self.here, self.here + period
        scheme = self.planned.scheme
        z = scheme.at
        far = scheme.size
        for link in scheme.links[1:]:
            pairs = combinations(link.points, 2)
            far += max((float(np.hypot(*(z[a] - z[b]))) for a, b in pairs), default=0.0)
        a = self._actuator
        far, near = far / abs(a.factor), NEAREST * scheme.size
        low, high = self.here - far, self.here + far
        if a.kind == SPAN:  # a length is above 0
            zero = (near - a.offset) / a.factor
            low, high = (max(low, zero), high) if a.factor > 0.0 else (low, min(high, zero))
        return low, high

    def states(self, signs: Ints, values: Array, start: Array | None = None) -> States:
        """The states of some values of the input.

        Args:
            signs: of the branches, (branches,); values: (states,), mm or degrees.
            start: (points, 2) near the first state, for groups; the assembled one by default.
        """
        program = self.planned.program
        n = len(values)
        V = np.repeat(self._held[:, None], n, axis=1)
        V[self.number] = values
        P = np.empty((program.points, 2, n))
        failed = np.zeros(n, np.int64)
        sine = np.full((program.branches, n), np.nan)
        run(program, V, P, self.start if start is None else start, signs, failed, sine)
        return States(P, failed, np.where(failed == 0, 1.0, np.nan) * np.abs(sine))

    @cached_property
    def start(self) -> Array:
        """(points, 2), mm, where the linkage was planned."""
        return np.ascontiguousarray(self.planned.scheme.at, float)

    def apart(self, one: float, two: float) -> float:
        """How far two values of the input are apart, beside all that it goes through."""
        share = abs(one - two) / (self.window[1] - self.window[0])
        return abs(share - round(share)) if self.period is not None else share

    def above(self, value: float, low: float) -> float:
        """The value, or of its turns the one that is next above another value."""
        if self.period is None:
            return value
        near = SAME_VALUE * self.period
        return low + float(np.mod(value - low + near, self.period)) - near

    def step_of(self, operation: int) -> Step:
        """The step that an operation belongs to."""
        return next(s for s in self.planned.steps if operation in s.ops)
