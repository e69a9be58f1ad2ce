"""A planned linkage driven by one of its inputs, the others locked where they start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import pi
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.rounding import EPSILON, FAINT, FOURTH, RANK, ROOT
from ...foundations.types import Array, Bools, Ints
from ...foundations.watch import Watch
from ..plan.link_length import CONSTANT
from ..plan.placement_program import AT, BRANCH, CIRCLES, GROUP as GROUP_OP, LINE_CIRCLE
from ..plan.planning import GROUP, LinkagePlan, PlacementStep
from ..run.batches import StateArrays
from ..run.execution import run
from ..run.gradients import jacobian
from ..scheme.residual import residual
from ..scheme.scheme import ROTARY, SPAN, Actuator, Scheme, SchemeLink, SchemeSlot

REDUNDANT_FAILED = -1
SINE_AT_DEAD_POINT = 4.0 * ROOT
"""Sine of the angle of a dyad below which it is not known: the root of 16 roundings."""

FITS_NEAR = 256.0 * EPSILON
"""Share of the size, over such a sine, that redundant links may be off near a dead point.

A square of a half chord is off by 16 roundings of its radius times five lengths (`TOUCHING`).
Where these are of the size, as of a linkage that is drawn about the origin, the point is off by 40
roundings of the size over the sine.  This is 6.4 times as much, for arms and dyads that stand on
it: a choice, for nothing bounds what chains of them add.  On the wrong side the point itself is off
by twice the sine times its radius: that fits only where the sine is below 12 roots of a rounding
times the root of the size over the radius.
"""

SAME_VALUE = 8.0 * ROOT
"""Share of the range of the input within which two ends of branches are the same: a dead point is
known by its square only."""

SAME_POSITION = FOURTH
"""Share of the size within which points coincide: near a dead point a point moves as the square
root of the input."""


class InputStates(NamedTuple):
    """The states at some values of the input.

    Attributes:
        P, failed: as in `StateArrays`; REDUNDANT_FAILED where redundant links do not hold.
        margin: (branches, states), size of `sine` there; NaN from the operation on that failed.
    """

    P: Array
    failed: Ints
    margin: Array

    @property
    def valid(self) -> Bools:
        """Which states can be built, (states,)."""
        out: Bools = self.failed == 0
        return out


@dataclass(frozen=True, eq=False)
class DrivenLinkage:
    """A plan and the input that moves.

    Attributes:
        number: of the actuator among those of its scheme.
        near: value of the input that selects the turn of its start value, mm or degrees.
        watch: interrupts what is searched of it.
    """

    planned: LinkagePlan
    number: int
    near: float | None = None
    watch: Watch = field(default_factory=Watch)

    @cached_property
    def known_edges(self) -> dict[tuple[float, float], list[tuple[float, float]]]:
        """By an interval of the input the pairs of values between which something ends in it."""
        return {}

    @cached_property
    def _inputs_at_start(self) -> Array:
        """Every input where it starts, (actuators,), mm or degrees; 0 for locked actuators."""
        factor, offset, start = self.planned.program.inputs[:, :3].T
        driven = np.where(factor == 0.0, 1.0, factor)
        out: Array = np.where(factor == 0.0, 0.0, (start - offset) / driven)
        if self.near is not None and self.period is not None:
            off = self.near - out[self.number]
            out[self.number] += self.period * np.round(off / self.period)
        return out

    @property
    def start_value(self) -> float:
        """Where the input starts, mm or degrees."""
        return float(self._inputs_at_start[self.number])

    @property
    def name(self) -> str:
        return self._actuator.name

    @property
    def unit(self) -> str:
        return "deg" if self._actuator.kind == ROTARY else "mm"

    @property
    def _actuator(self) -> Actuator:
        return self.planned.scheme.actuators[self.number]

    @property
    def period(self) -> float | None:
        """Change of the input in a full turn, degrees; None where it does not turn."""
        a = self._actuator
        return 2.0 * pi / abs(a.factor) if a.kind == ROTARY else None

    @cached_property
    def search_range(self) -> tuple[float, float]:
        """The values that are searched, mm or degrees: one turn, or all that links can reach."""
        if self.period is not None:
            return self.start_value, self.start_value + self.period
        scheme, a = self.planned.scheme, self._actuator
        z, far = scheme.at, scheme.size
        for link in scheme.links[1:]:
            pairs = combinations(link.points, 2)
            far += max((float(np.hypot(*(z[p] - z[q]))) for p, q in pairs), default=0.0)
        far *= (1.0 + FOURTH) / abs(a.factor)  # what happens at the end of their reach is within
        near = FAINT * scheme.size
        low, high = self.start_value - far, self.start_value + far
        if a.kind == SPAN:  # a length is above 0
            zero = (near - a.offset) / a.factor
            low, high = (max(low, zero), high) if a.factor > 0.0 else (low, min(high, zero))
        return low, high

    @property
    def search_width(self) -> float:
        """Extent of the values that are searched, mm or degrees."""
        low, high = self.search_range
        return high - low

    def states(
        self,
        signs: Ints,
        values: Array,
        start: Array | None = None,
        stands: float | None = None,
        beyond: bool = True,
    ) -> InputStates:
        """The states at some values of the input.

        Args:
            signs: (branches,); values: (states,), mm or degrees.
            start: (points, 2), mm: assembled points from which groups are continued to the first
                state; those of the plan by default.
            stands: the value of the input at `start`, mm or degrees.
            beyond: as of `run`.
        """
        program, n = self.planned.program, len(values)
        if stands is not None:
            inputs = program.inputs.copy()
            inputs[self.number, 2] = inputs[self.number, 0] * stands + inputs[self.number, 1]
            program = program._replace(inputs=inputs)
        V = np.repeat(self._inputs_at_start[:, None], n, axis=1)
        V[self.number] = values
        P = np.empty((program.points, 2, n))
        failed = np.zeros(n, np.int64)
        sine = np.full((program.branches, n), np.nan)
        start = self.start if start is None else np.ascontiguousarray(start)
        run(program, StateArrays(V, P, failed, sine), start, signs, beyond=beyond, many=True)
        if self._checked is not None:
            off = residual(self._checked, V[:0], P)
            least = np.min(np.abs(sine), axis=0, initial=1.0)
            near = FITS_NEAR / np.maximum(least, SINE_AT_DEAD_POINT)
            holds = off <= np.maximum(ROOT, near) * self.planned.scheme.size
            failed[(failed == 0) & ~holds] = REDUNDANT_FAILED
        return InputStates(P, failed, np.where(failed == 0, 1.0, np.nan) * np.abs(sine))

    def pins_meet(self, branch: int, P: Array) -> bool:
        """Whether the outer pins of a dyad in line lie on each other; P: (points, 2), mm.

        Then its links have one length and it turns freely (`FreeDyads`).
        """
        code = self.planned.program.code
        (one,) = code[code[:, BRANCH] == branch]
        apart = float(np.hypot(*(P[one[AT]] - P[one[AT + 1]])))
        return bool(one[0] == CIRCLES) and apart <= FAINT * self.planned.scheme.size

    @cached_property
    def _checked(self) -> Scheme | None:
        """The redundant links and slots as a scheme; None where there are none."""
        checked, whole = self.planned.checked, self.planned.scheme
        if not checked:
            return None
        links = tuple(x for x in checked if isinstance(x, SchemeLink))
        slots = tuple(x for x in checked if isinstance(x, SchemeSlot))
        return replace(whole, links=links, slots=slots, actuators=())

    def values(self, value: float | Array) -> Array:
        """Value, cosine and sine of every actuator at values of the input, (..., actuators, 3)."""
        inputs = self.planned.program.inputs
        locked = np.tile(self._inputs_at_start, (*np.shape(value), 1))
        locked[..., self.number] = value
        x = inputs[:, 0] * locked + inputs[:, 1]
        return np.stack([x, np.cos(x), np.sin(x)], axis=-1)

    def group_of(self, branch: int) -> int:
        """Number of the group that has a sign."""
        code = self.planned.program.code
        return int(code[(code[:, 0] == GROUP_OP) & (code[:, BRANCH] == branch), AT][0])

    def determinant(self, group: int, value: float, positions: Array) -> float:
        """Size of the determinant of a group's equations at positions, (points, 2), mm."""
        return abs(float(np.linalg.det(self._derivative(group, value, positions))))

    def groups_stand(self, value: float, positions: Array) -> bool:
        """Whether no group moves from positions, (points, 2), mm, where the input stands still."""
        for group in range(len(self.planned.program.group)):
            sizes = np.linalg.svd(self._derivative(group, value, positions))[1]
            if sizes[-1] <= RANK * sizes[0]:
                return False
        return True

    def _derivative(self, group: int, value: float, positions: Array) -> Array:
        """What a group's equations change by with its points."""
        q = self.planned.program
        first, _, last, begin, end = q.group[group].tolist()
        J = np.empty((end - begin, end - begin))
        at = np.ascontiguousarray(positions[q.member[first:last]])
        equations, given = q.equation[begin:end], q.given[begin:end]
        jacobian(equations, given, at, self.values(value), J)
        return J

    @cached_property
    def dyads(self) -> list[int]:
        """Numbers of the signs of dyads."""
        return [s.branch for s in self.planned.steps if s.branch >= 0 and s.kind != GROUP]

    @cached_property
    def start(self) -> Array:
        """(points, 2), mm, where the linkage was planned."""
        return np.ascontiguousarray(self.planned.scheme.at, float)

    def members(self, step: PlacementStep) -> tuple[str, ...]:
        """The names of the two links of a dyad; a length set by an actuator counts as one."""
        names: dict[str, None] = {}
        for row in self.planned.program.code[list(step.ops)].tolist():
            radii = {CIRCLES: (2, 4), LINE_CIRCLE: (3,)}.get(row[0], ())
            driven = [row[AT + k + 1] for k in radii if row[AT + k] != CONSTANT]
            names |= {self.planned.scheme.actuators[a].name: None for a in driven}
        return (*step.links[: max(0, 2 - len(names))], *names)

    def distance(self, values: Array, value: float) -> Array:
        """Differences from a value of the input as shares of its range, turns removed."""
        share: Array = np.abs(values - value) / self.search_width
        return np.abs(share - np.rint(share)) if self.period is not None else share

    def next_turn_above(self, value: float, low: float) -> float:
        """The value, plus whole turns if it turns, that is next above another one."""
        if self.period is None:
            return value
        near = SAME_VALUE * self.period
        return low + float(np.mod(value - low + near, self.period)) - near


@dataclass(frozen=True, eq=False)
class ChosenStates:
    """The states of a linkage for one choice of signs and of solutions of groups.

    Attributes:
        signs: (branches,); evaluate: the states at some values of the input, mm or degrees.
    """

    linkage: DrivenLinkage
    signs: Ints
    evaluate: Callable[[Array], InputStates]


def same_position(linkage: DrivenLinkage, one: Array, two: Array) -> bool:
    """Whether two sets of points, (points, 2) each, mm, coincide."""
    return bool(same_positions(linkage, one, two[None])[0])


def same_positions(linkage: DrivenLinkage, one: Array, others: Array) -> Bools:
    """With which sets of points, (sets, points, 2), a set of points, (points, 2), coincides."""
    off = np.abs(one - others).max(axis=(1, 2), initial=0.0)
    out: Bools = off < SAME_POSITION * linkage.planned.scheme.size
    return out
