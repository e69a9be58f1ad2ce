"""A planned linkage led by one of its inputs, the others held where they start."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import pi
from typing import NamedTuple

import numpy as np

from ...foundations.types import Array, Bools, Ints
from ..plan.link_length import CONSTANT
from ..plan.planning import GROUP, Planned, Step
from ..plan.program import AT, BRANCH, CIRCLES, LINE_CIRCLE
from ..plan.program import GROUP as GROUP_OP
from ..run.execution import run
from ..run.gradients import jacobian
from ..scheme.residual import residual
from ..scheme.scheme import ROTARY, SPAN, Actuator, Link, Scheme, Slot

NEAREST = 1e-6
"""Smallest distance of two pins that an input drives, beside the size: at 0 it has no direction."""


OFF = -1
"""What failed where links or slots that repeat what others say do not hold."""

REPEATS = 1e-8
"""Share of the size by which they may be off."""

SAME_VALUE = 1e-7
"""Share of what an input goes through within which two ends of branches are one."""


SAME_PLACE = 1e-4
"""Share of the size within which points are in one place: beside a dead point a point moves as the
root of what the input moves."""


class States(NamedTuple):
    """What a program made of some values of the input.

    Attributes:
        P: (points, 2, states), mm; failed: (states,), 0 or 1 + the operation that cannot be built,
            OFF where what repeats what others say does not hold.
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

    def states(
        self, signs: Ints, values: Array, start: Array | None = None, stands: float | None = None
    ) -> States:
        """The states of some values of the input.

        Args:
            signs: of the branches, (branches,); values: (states,), mm or degrees.
            start: (points, 2), assembled, from where groups come to the first state, and the value
                of the input there; where the linkage was planned by default.
        """
        program, n = self.planned.program, len(values)
        if stands is not None:
            inputs = program.inputs.copy()
            inputs[self.number, 2] = inputs[self.number, 0] * stands + inputs[self.number, 1]
            program = program._replace(inputs=inputs)
        V = np.repeat(self._held[:, None], n, axis=1)
        V[self.number] = values
        P = np.empty((program.points, 2, n))
        failed = np.zeros(n, np.int64)
        sine = np.full((program.branches, n), np.nan)
        start = self.start if start is None else np.ascontiguousarray(start)
        run(program, V, P, start, signs, failed, sine)
        if self._checked is not None:
            off = residual(self._checked, V[:0], P)
            failed[(failed == 0) & ~(off <= REPEATS * self.planned.scheme.size)] = OFF
        return States(P, failed, np.where(failed == 0, 1.0, np.nan) * np.abs(sine))

    @cached_property
    def _checked(self) -> Scheme | None:
        """What repeats what others say, as a scheme of its own; None where nothing does."""
        checked, whole = self.planned.checked, self.planned.scheme
        if not checked:
            return None
        links = tuple(x for x in checked if isinstance(x, Link))
        slots = tuple(x for x in checked if isinstance(x, Slot))
        return replace(whole, links=links, slots=slots, actuators=())

    def values(self, value: float) -> Array:
        """Value, cosine and sine of every actuator at a value of the input, (actuators, 3)."""
        inputs = self.planned.program.inputs
        held = self._held.copy()
        held[self.number] = value
        x = inputs[:, 0] * held + inputs[:, 1]
        return np.stack([x, np.cos(x), np.sin(x)], axis=1)

    def group_of(self, branch: int) -> int:
        """The group that has a sign."""
        code = self.planned.program.code
        return int(code[(code[:, 0] == GROUP_OP) & (code[:, BRANCH] == branch), AT][0])

    def determinant(self, group: int, value: float, places: Array) -> float:
        """Of the equations of a group where its points are, (points, 2), its size."""
        q = self.planned.program
        first, _, last, begin, end = q.group[group].tolist()
        J = np.empty((end - begin, end - begin))
        at = np.ascontiguousarray(places[q.member[first:last]])
        equations, given = q.equation[begin:end], q.given[begin:end]
        jacobian(equations, given, at, self.values(value), J)
        return abs(float(np.linalg.det(J)))

    @cached_property
    def dyads(self) -> list[int]:
        """Numbers of the signs that dyads have."""
        return [s.branch for s in self.planned.steps if s.branch >= 0 and s.kind != GROUP]

    @cached_property
    def start(self) -> Array:
        """(points, 2), mm, where the linkage was planned."""
        return np.ascontiguousarray(self.planned.scheme.at, float)

    def members(self, step: Step) -> tuple[str, ...]:
        """The two links of a dyad; a length that an actuator sets counts as one."""
        names: dict[str, None] = {}
        for row in self.planned.program.code[list(step.ops)].tolist():
            radii = {CIRCLES: (2, 4), LINE_CIRCLE: (3,)}.get(row[0], ())
            driven = [row[AT + k + 1] for k in radii if row[AT + k] != CONSTANT]
            names |= {self.planned.scheme.actuators[a].name: None for a in driven}
        return (*step.links[: max(0, 2 - len(names))], *names)

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


def same_place(led: Led, one: Array, two: Array) -> bool:
    """Whether the points of a linkage are in one place twice, (points, 2) each."""
    return bool(np.abs(one - two).max(initial=0.0) < SAME_PLACE * led.planned.scheme.size)
