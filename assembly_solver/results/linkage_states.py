"""The states of a planar linkage: points, velocities, poses, and why some are not valid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import AssemblySolverError, BadValue, UnknownName
from ..foundations.arguments import with_checked_calls
from ..foundations.geometry.pose import Pose, poses_of
from ..foundations.types import Array, Bools
from ..linkages.plan.planning import LinkagePlan
from ..linkages.plan.step_words import change, failure
from ..linkages.run.branches import PlacedStates
from ..linkages.run.linkage_rates import rates
from ..linkages.scheme.assembly_view import LinkageView
from ..linkages.scheme.link_motions import LinkMotions
from ..linkages.scheme.residual import residual
from ..linkages.scheme.scheme import ROTARY, Scheme
from ..model.assembly import Assembly
from ..model.mate import Reference
from .motion import Event, json_numbers
from .wording.left_out import skipped_notes
from .wording.phrases import count, short


class PartStates(NamedTuple):
    """A part over the states, (states,) each: its origin, mm, and angle, degrees, in the view."""

    x: Array
    y: Array
    angle: Array


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A planar linkage with its plan.

    Attributes:
        assembly: a solved copy; view: its projection on the plane.
        scheme: points, links, slots, actuators; planned: the steps that compute their positions.
    """

    assembly: Assembly
    view: LinkageView
    scheme: Scheme
    planned: LinkagePlan

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of the drivers that move it."""
        return tuple(a.name for a in self.scheme.actuators)

    def number(self, name: str) -> int:
        """Index of an input; raises `UnknownName` for one that does not exist."""
        if name not in self.inputs:
            raise UnknownName("input", name, self.inputs, "linkage")
        return self.inputs.index(name)

    def rows(self, series: Mapping[str, ArrayLike], states: int, place: str) -> Array:
        """Values by input as (actuators, states); 0 for inputs that are not given.

        Args:
            place: named in the error; raises `BadValue` for a series that is not valid.
        """
        out = np.zeros((len(self.planned.scheme.actuators), states))
        for name, given in series.items():
            out[self.number(name)] = numbers(given, f"{place}.{name}", states)
        return out


@with_checked_calls
@dataclass(frozen=True, eq=False)
class States:
    """The answer to `Linkage.run`; true in a condition when every state holds.

    Attributes:
        linkage: with its plan; placed: the computed points.
        shape: of the grid of inputs, one number for each that has values; () where they are paired.
        going, pushing: first and second time derivatives of the inputs by name, mm or deg, and s.
    """

    linkage: Skeleton
    placed: PlacedStates
    shape: tuple[int, ...]
    going: Mapping[str, ArrayLike]
    pushing: Mapping[str, ArrayLike]

    def __len__(self) -> int:
        return len(self.placed.failed)

    def __bool__(self) -> bool:
        return bool(self.valid.all())

    def __repr__(self) -> str:
        return f"States({self.linkage.assembly.name!r}: {self.sentence})"

    def __str__(self) -> str:
        return self.sentence

    # ---------------------------------------------------------------- numbers
    @property
    def V(self) -> Array:  # noqa: N802 (name of the source)
        """The inputs, (inputs, states), degrees and mm."""
        return self.placed.V[: len(self.linkage.inputs)]

    @property
    def P(self) -> Array:  # noqa: N802
        """The points, (points, 2, states), mm; NaN from the first step without a solution."""
        return self.placed.P[: len(self.linkage.scheme.points)]

    @cached_property
    def residual(self) -> Array:
        """Largest residual of links, slots and inputs, (states,), mm; redundant ones included."""
        return residual(self.linkage.scheme, self.V, self.P)

    @cached_property
    def valid(self) -> Bools:
        """Which states hold: all points exist and no limit is violated, (states,)."""
        out: Bools = self.placed.failed == 0
        for low, high in self._beyond:
            out &= ~(low | high)
        if self.linkage.planned.checked:
            out &= self.residual <= self.linkage.assembly.tolerance
        return out

    @cached_property
    def _beyond(self) -> list[tuple[Bools, Bools]]:
        """Where each limit is violated, below and above, (states,) each."""
        return [stop.violated(self.V, self._motions) for stop in self.linkage.view.end_stops]

    @cached_property
    def _motions(self) -> LinkMotions:
        return LinkMotions(self.linkage.view.scheme, self.P)

    @cached_property
    def _rates(self) -> tuple[Array, Array]:
        """Velocities and accelerations of the points, (points, 2, states) each."""
        k, n = self.linkage, len(self)
        speed, push = k.rows(self.going, n, "speed"), k.rows(self.pushing, n, "acc")
        out = np.empty_like(self.placed.P), np.empty_like(self.placed.P)
        rates(k.planned.program, self.placed.V, speed, push, self.placed.P, *out)
        return out

    # ---------------------------------------------------------------- points and parts
    def point(self, name: str) -> Array:
        """Position of a point, (states, 2), mm: of the linkage, or a feature as "part.feature"."""
        return self._followed(name, self.P)

    def velocity(self, name: str) -> Array:
        """Velocity of a point at the speeds of the inputs, (states, 2), mm/s."""
        return self._followed(name, self._rates[0])

    def acceleration(self, name: str) -> Array:
        """Acceleration of a point, (states, 2), mm/s2."""
        return self._followed(name, self._rates[1])

    def _followed(self, name: str, values: Array) -> Array:
        """A point or feature by positions, velocities or accelerations of the linkage's points."""
        points = self.linkage.scheme.points
        if name in points:
            found: Array = values[points.index(name)].T
            return found
        view, ref = self.linkage.view, self._reference(name)
        k = view.parts.index(ref.part)
        own = np.array(self.linkage.assembly.part(ref.part).feature(ref.feature).frame[:3])
        at = view.frames[k, :3] + own @ view.frames[k, 3:].reshape(3, 3)
        z = LinkMotions(view.scheme, values).point(int(view.link[k]), view.plane.to_plane(at))
        return np.stack([z.real, z.imag], axis=1)

    def _reference(self, name: str) -> Reference:
        """A feature that is no point of the linkage."""
        assembly = self.linkage.assembly
        if name in assembly.drawing.pins:  # one that lies on another
            return Reference(assembly.drawing.links_at(name)[0], name)
        try:
            return assembly.reference(name)
        except AssemblySolverError:
            raise UnknownName("point", name, self.linkage.scheme.points, "linkage") from None

    def part(self, name: str) -> PartStates:
        """A part over the states, in the view; the angle is that of its x axis, else of its y.

        Raises:
            UnknownName: for a part that does not exist.
        """
        view = self.linkage.view
        if name not in view.parts:
            raise UnknownName("part", name, view.parts)
        k = view.parts.index(name)
        z = self._motions.point(int(view.link[k]), view.plane.to_plane(view.frames[k, :3]))
        axes = [view.plane.to_plane(view.frames[k, i : i + 3]) for i in (3, 6)]
        ray = axes[0] if abs(axes[0]) > 0.5 else axes[1]
        turn = np.degrees(np.angle(self._motions.rotation(int(view.link[k])) * ray))
        if len(self.shape) < 2:  # one after the other, so turns can be counted
            built = np.isfinite(turn)
            turn[built] = np.unwrap(turn[built], period=360.0)
        return PartStates(z.real, z.imag, turn)

    @cached_property
    def frames(self) -> Array:
        """Origin, x, y, z of each part in space, (states, parts, 12), mm."""
        return self.linkage.view.placed(self.P)

    def poses(self, state: int) -> dict[str, Pose]:
        """Poses of all parts in a state, in space; raises `BadValue` where it does not exist."""
        if not -len(self) <= state < len(self):
            raise BadValue("poses", state, f"a state from 0 to {len(self) - 1}")
        at = state % len(self)
        if self.placed.failed[at]:
            raise BadValue("poses", state, f"a state that holds: {self.reasons[at]}")
        found = self.linkage.view.placed(self.P[:, :, at : at + 1])[0]
        return dict(zip(self.linkage.view.parts, poses_of(found), strict=True))

    # ---------------------------------------------------------------- output
    @cached_property
    def reasons(self) -> dict[int, str]:
        """Why states do not hold, by index of the state."""
        k = self.linkage
        out = {}
        for state in np.flatnonzero(~self.valid).tolist():
            failed = int(self.placed.failed[state])
            if failed:
                out[state] = failure(k.planned.step_of(failed - 1))
                continue
            limits = zip(k.view.end_stops, self._beyond, strict=True)
            violated = (s.words(bool(b[state])) for s, (a, b) in limits if a[state] or b[state])
            checked = ", ".join(c.name for c in k.planned.checked)
            off = f"{checked}: off by {short(float(self.residual[state]))} mm"
            out[state] = next(violated, off)
        return out

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Change points, where two solutions of a step coincide and separate again."""
        return tuple(self._event(p.branch, p.state, p.inputs) for p in self.placed.change_points)

    def _event(self, branch: int, state: int, inputs: tuple[float, ...]) -> Event:
        k = self.linkage
        step = next(s for s in k.planned.steps if s.branch == branch)
        before = self.V[:, max(state - 1, 0)]
        moved = np.abs(self.V[:, min(state, len(self) - 1)] - before)
        driver = int(np.argmax(moved))
        name, value = k.inputs[driver], inputs[driver]
        words = f"at {name} = {value:.6g} {self._unit(driver)}: {change(step)}"
        t = float(np.interp(state, np.arange(len(self)), self.t))
        return Event("change point", name, value, t, step.joint, words, False)

    def _unit(self, number: int) -> str:
        return "deg" if self.linkage.scheme.actuators[number].kind == ROTARY else "mm"

    @cached_property
    def t(self) -> Array:
        """Time of each state by the first input at its speed, (states,), s."""
        name = next(iter(self.going), None)
        if name is None:
            return np.zeros(len(self))
        row, speed = self.V[self.linkage.number(name)], np.abs(self.going[name])
        steps = np.abs(np.diff(row)) / np.broadcast_to(speed, len(row))[1:]
        return np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def sentence(self) -> str:
        """The result in one sentence."""
        n, good = len(self), int(self.valid.sum())
        if good == n:
            worst = short(float(self.residual.max(initial=0.0)))
            words = [f"{count(n, 'state')} {'holds' if n == 1 else 'hold'} ({worst} mm)"]
        else:
            words = [f"{good} of {count(n, 'state')} hold"]
        grouped: dict[str, list[int]] = {}
        for state, why in self.reasons.items():
            grouped.setdefault(why, []).append(state)
        words += [f"{why} in {self._where(states)}" for why, states in grouped.items()]
        if self.events:
            several = f"{len(self.events)} change points"
            words.append(self.events[0].words if len(self.events) == 1 else several)
        words += skipped_notes(self.linkage.assembly)
        return "; ".join(words)

    def _where(self, states: list[int]) -> str:
        """The number of states, and the inputs of the first, in words."""
        at = ", ".join(
            f"{name} = {self.V[k, states[0]]:.6g} {self._unit(k)}"
            for k, name in enumerate(self.linkage.inputs)
        )
        return f"{count(len(states), 'state')}, {'the first ' if len(states) > 1 else ''}at {at}"

    def to_dict(self) -> dict[str, Any]:
        """The states for JSON; points that do not exist have nulls."""
        k = self.linkage
        return {
            "valid": bool(self),
            "sentence": self.sentence,
            "t": self.t.tolist(),
            "states_valid": self.valid.tolist(),
            "reasons": [self.reasons.get(state, "") for state in range(len(self))],
            "drivers": {
                name: {"unit": self._unit(n), "value": self.V[n].tolist()}
                for n, name in enumerate(k.inputs)
            },
            "points": {
                name: {"x": json_numbers(self.P[n, 0]), "y": json_numbers(self.P[n, 1])}
                for n, name in enumerate(k.scheme.points)
            },
            "events": [e.to_dict() for e in self.events],
        }


def numbers(given: ArrayLike, place: str, states: int | None = None) -> Array:
    """A series of finite numbers, (n,); raises `BadValue`, which names the place, for others."""
    try:
        out = np.asarray(given, float)
    except (TypeError, ValueError):
        raise BadValue(place, given, "a number or a series of numbers") from None
    if out.ndim == 0:
        out = out.reshape(1)
    if out.ndim != 1 or not len(out) or not np.isfinite(out).all():
        raise BadValue(place, given, "a number or a series of finite numbers")
    if states is not None and len(out) not in (1, states):
        raise BadValue(place, len(out), f"one number, or one for each of {states} states")
    return out
