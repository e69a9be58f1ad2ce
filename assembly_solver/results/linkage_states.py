"""The states of a planar linkage: points, velocities and poses, and why some cannot be built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import AssemblySolverError, BadValue, UnknownName
from ..foundations.geometry.pose import Pose, poses_of
from ..foundations.types import Array, Bools
from ..linkages.plan.planning import Planned, Step
from ..linkages.plan.step_words import change, failure
from ..linkages.run.branches import Placed
from ..linkages.run.rates import rates
from ..linkages.scheme.assembly_view import View
from ..linkages.scheme.link_motions import Motions
from ..linkages.scheme.residual import residual
from ..linkages.scheme.scheme import ROTARY, Scheme
from ..model.assembly import Assembly
from ..model.mate import Reference
from .motion import Event
from .wording.left_out import unheld
from .wording.plain import count, short


class PartStates(NamedTuple):
    """A part over the states: its origin, mm, and the direction of its x, degrees, as seen."""

    x: Array
    y: Array
    angle: Array


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A planar linkage as it is planned.

    Attributes:
        assembly: the copy that it is of, where it is solved; view: how it is seen.
        scheme: points, links, slots, actuators; planned: how they are placed.
    """

    assembly: Assembly
    view: View
    scheme: Scheme
    planned: Planned

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of the drivers that move it."""
        return tuple(a.name for a in self.scheme.actuators)

    def number(self, name: str) -> int:
        """Number of an input."""
        if name not in self.inputs:
            raise UnknownName("input", name, self.inputs, "linkage")
        return self.inputs.index(name)

    def rows(self, told: Mapping[str, ArrayLike], states: int, place: str) -> Array:
        """Numbers for each actuator of the plan and each state; 0 where nothing is told."""
        out = np.zeros((len(self.planned.scheme.actuators), states))
        for name, given in told.items():
            out[self.number(name)] = numbers(given, f"{place}.{name}", states)
        return out

    def step_of(self, operation: int) -> Step:
        """The step that has an operation."""
        return next(step for step in self.planned.steps if operation in step.ops)


@dataclass(frozen=True, eq=False)
class States:
    """The answer to `Linkage.run`.  It is true in a condition when every state holds.

    Attributes:
        linkage: of which they are; placed: what was built.
        shape: of the grid of inputs, one number for each that has values; () where they are paired.
        going, pushing: rates of inputs, and the rates of these, by name.
    """

    linkage: Skeleton
    placed: Placed
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
        """The points, (points, 2, states), mm; NaN from the step on that cannot be built."""
        return self.placed.P[: len(self.linkage.scheme.points)]

    @cached_property
    def residual(self) -> Array:
        """What the worst link, slot or input is off, (states,), mm; of what repeats others too."""
        return residual(self.linkage.scheme, self.V, self.P)

    @cached_property
    def valid(self) -> Bools:
        """Which states hold: all could be built, nothing is beyond a limit, (states,)."""
        out: Bools = self.placed.failed == 0
        for low, high in self._beyond:
            out &= ~(low | high)
        if self.linkage.planned.checked:
            out &= self.residual <= self.linkage.assembly.tolerance
        return out

    @cached_property
    def _beyond(self) -> list[tuple[Bools, Bools]]:
        """Where each limit is passed."""
        return [stop.beyond(self.V, self._motions) for stop in self.linkage.view.stops]

    @cached_property
    def _motions(self) -> Motions:
        return Motions(self.linkage.view.scheme, self.P)

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
        """Where a point is, (states, 2), mm: of the linkage, or any feature as "part.feature"."""
        return self._followed(name, self.P)

    def velocity(self, name: str) -> Array:
        """Velocity of a point at the speeds of the inputs, (states, 2), mm/s."""
        return self._followed(name, self._rates[0])

    def acceleration(self, name: str) -> Array:
        """Acceleration of a point, (states, 2), mm/s2."""
        return self._followed(name, self._rates[1])

    def _followed(self, name: str, places: Array) -> Array:
        points = self.linkage.scheme.points
        if name in points:
            found: Array = places[points.index(name)].T
            return found
        view, ref = self.linkage.view, self._reference(name)
        k = view.parts.index(ref.part)
        own = np.array(self.linkage.assembly.part(ref.part).feature(ref.feature).frame[:3])
        at = view.frames[k, :3] + own @ view.frames[k, 3:].reshape(3, 3)
        z = Motions(view.scheme, places).point(int(view.link[k]), view.plane.see(at))
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
        """A part over the states, as it is seen; the angle is that of its x, else of its y."""
        view = self.linkage.view
        if name not in view.parts:
            raise UnknownName("part", name, view.parts)
        k = view.parts.index(name)
        z = self._motions.point(int(view.link[k]), view.plane.see(view.frames[k, :3]))
        axes = [view.plane.see(view.frames[k, i : i + 3]) for i in (3, 6)]
        ray = axes[0] if abs(axes[0]) > 0.5 else axes[1]
        turn = np.degrees(np.angle(self._motions.turn(int(view.link[k])) * ray))
        if len(self.shape) < 2:  # one after the other, so turns can be counted
            built = np.isfinite(turn)
            turn[built] = np.unwrap(turn[built], period=360.0)
        return PartStates(z.real, z.imag, turn)

    @cached_property
    def frames(self) -> Array:
        """Origin, x, y, z of each part in space, (states, parts, 12), mm."""
        return self.linkage.view.placed(self.P)

    def poses(self, state: int) -> dict[str, Pose]:
        """Poses of all parts in a state, in space; raises where it could not be built."""
        if not -len(self) <= state < len(self):
            raise BadValue("poses", state, f"a state from 0 to {len(self) - 1}")
        at = state % len(self)
        if self.placed.failed[at]:
            raise BadValue("poses", state, f"a state that holds: {self.reasons[at]}")
        found = self.linkage.view.placed(self.P[:, :, at : at + 1])[0]
        return dict(zip(self.linkage.view.parts, poses_of(found), strict=True))

    # ---------------------------------------------------------------- telling
    @cached_property
    def reasons(self) -> dict[int, str]:
        """Why states do not hold, by state."""
        k = self.linkage
        out = {}
        for state in np.flatnonzero(~self.valid).tolist():
            failed = int(self.placed.failed[state])
            if failed:
                out[state] = failure(k.step_of(failed - 1))
                continue
            stops = zip(k.view.stops, self._beyond, strict=True)
            told = [s.words(bool(hi[state])) for s, (lo, hi) in stops if lo[state] or hi[state]]
            off = f"{', '.join(c.name for c in k.planned.checked)}: off by "
            out[state] = told[0] if told else f"{off}{short(float(self.residual[state]))} mm"
        return out

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Change points on the way, where two solutions of a step become one and part again."""
        return tuple(self._event(p.branch, p.state, p.inputs) for p in self.placed.passings)

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
        """When each state is reached by the first input at its speed, (states,), s."""
        name = next(iter(self.going), None)
        if name is None:
            return np.zeros(len(self))
        row, speed = self.V[self.linkage.number(name)], np.abs(self.going[name])
        steps = np.abs(np.diff(row)) / np.broadcast_to(speed, len(row))[1:]
        return np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def sentence(self) -> str:
        """What came of it, in a sentence."""
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
            told = f"{len(self.events)} change points"
            words.append(self.events[0].words if len(self.events) == 1 else told)
        words += unheld(self.linkage.assembly)
        return "; ".join(words)

    def _where(self, states: list[int]) -> str:
        """How many states, and the inputs of the first."""
        at = ", ".join(
            f"{name} = {self.V[k, states[0]]:.6g} {self._unit(k)}"
            for k, name in enumerate(self.linkage.inputs)
        )
        return f"{count(len(states), 'state')}, {'the first ' if len(states) > 1 else ''}at {at}"

    def to_dict(self) -> dict[str, Any]:
        """The states for JSON; what could not be built has nulls."""
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
                name: {"x": _listed(self.P[n, 0]), "y": _listed(self.P[n, 1])}
                for n, name in enumerate(k.scheme.points)
            },
            "events": [e.to_dict() for e in self.events],
        }


def _listed(values: Array) -> list[float | None]:
    return [v if np.isfinite(v) else None for v in values.tolist()]


def numbers(given: ArrayLike, place: str, states: int | None = None) -> Array:
    """A series of finite numbers, or the error that names the place."""
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
