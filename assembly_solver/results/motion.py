"""The answer to a sweep: the driven motion of an assembly, in the user's names, mm and degrees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownName
from ..foundations.arguments import with_checked_calls
from ..foundations.geometry.pose import quaternions
from ..foundations.markup.snippet import plot, rows_table, snippet
from ..foundations.markup.svg_axes import VerticalLine
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array, Ints
from ..kinematics.assembly_motion import AssemblyMotion
from ..kinematics.measure_rates import count_turns, read_along
from ..kinematics.world_motion import MotionArrays
from ..model.assembly import Assembly
from ..model.building.roster import ReferenceLike
from ..model.drivers.quantity import Quantity
from ..model.mates.couplings import Coupling
from ..model.measures.measure import IS_ANGLE, Measure, opposed
from .changing import OverStates, charts_over, extreme_rows
from .contacts import ClearanceCurve, WatchedContacts
from .tracks import JointTrack, PartTrack, PointTrack
from .wording.left_out import left_out_rows, read_as_rows, skipped_notes
from .wording.phrases import count, listed, short

if TYPE_CHECKING:
    from .proved_steps import ProvedStep


@dataclass(frozen=True)
class Event:
    """A singular pose, a release, a limit, a contradiction or a contact that a motion reached.

    Attributes:
        kind: "dead point", "change point", "limit", "contradiction", "end of the branch", or
            "release" where another coordinate is held from there on.
        driver: the moving driver; value: its value there, mm or degrees; t: the time, s.
        joint: the joint or limit that blocks, or at which branches separate; "" if there is none.
        words: a sentence; stops: whether the motion stops there.
    """

    kind: str
    driver: str
    value: float
    t: float
    joint: str
    words: str
    stops: bool

    def to_dict(self) -> dict[str, Any]:
        """The entry of `events` in the result object."""
        return dict(vars(self))


@dataclass(frozen=True)
class ContactEvent(Event):
    """Two parts that come into contact; `joint` names both.

    Attributes:
        at: the values of the moving drivers, mm or degrees; parts: the two.
        point, normal: where they touch, mm, and the direction out of the second part, world.
        depth_mm: how deep they overlap there: 0, where the first contact was found.
    """

    at: Mapping[str, float]
    parts: tuple[str, str]
    point: tuple[float, ...]
    normal: tuple[float, ...]
    depth_mm: float = 0.0


@with_checked_calls
@dataclass(frozen=True, eq=False)
class Motion:
    """The answer to `sweep`; true in a condition when every state holds.

    Attributes:
        assembly: a copy, at the poses from which the motion started.
        t: (states,), s; valid: (states,); reasons: why a state is not valid, "" where it is.
        parts: names, in the order of the arrays.
        frames: (states, parts, 12), origin, x, y, z of each part in the world, mm.
        twists: (states, parts, 6), velocity of its origin mm/s and spin rad/s, world axes.
        accelerations: (states, parts, 6), mm/s2 and rad/s2.  All three are NaN where not valid;
            rates are NaN also in a valid state that is exactly on a dead point: see `has_rates`.
        residual_mm: (states,), the largest of the mates that move.
        prescribed: value of each swept driver, (states,), mm or degrees.
        runs: sections of the sweep: the states in the order of the motion, their times, and
            whether the rates refer to the opposite direction.
        events: singular poses and limits that were reached, in order.
        again: (states,), the state that each one repeats, itself where it repeats none.
        tell_held: computes `held`.
        senses: +1, -1 or 0, the sense used for each mate; seconds: computing time.
        failed: why there is no motion at all, "" where there is one.
        halted: why it was interrupted, by budget or cancellation, "" if it was not.
        whole: the motion with additional states at kinks of the laws, None without any.
        followed: the motion of the bodies, to which states can be added; None where there is none.
        contacts, clearances: what was watched for contact, or None; how near pairs come.
        proved: what is proved of the steps between valid states, None where it was not asked.
        measured: couplings without a constant, which `assembly` has as it was at the start.
    """

    assembly: Assembly
    t: Array
    valid: NDArray[np.bool_]
    reasons: tuple[str, ...]
    parts: tuple[str, ...]
    frames: Array
    twists: Array
    accelerations: Array
    residual_mm: Array
    prescribed: Mapping[str, Array]
    runs: tuple[tuple[Ints, Array, bool], ...]
    events: tuple[Event, ...]
    again: Ints
    tell_held: Callable[[], tuple[str, ...]]
    senses: Mapping[str, int]
    seconds: float
    failed: str = ""
    halted: str = ""
    whole: Motion | None = None
    followed: AssemblyMotion | None = None
    contacts: WatchedContacts | None = None
    clearances: tuple[ClearanceCurve, ...] = ()
    proved: tuple[ProvedStep, ...] | None = None
    measured: frozenset[str] = frozenset()

    def without(self, hidden: int) -> Motion:
        """The motion without its last `hidden` states, which were added between the others."""
        if hidden == 0:
            return self
        n = len(self.t) - hidden
        names = ("t", "valid", "reasons", "frames", "twists", "accelerations", "residual_mm")
        return replace(
            self,
            **{name: getattr(self, name)[:n] for name in names},
            again=self.again[:n],
            prescribed={name: v[:n] for name, v in self.prescribed.items()},
            runs=tuple((s[s < n], t[s < n], back) for s, t, back in self.runs),
            whole=self,
        )

    def __bool__(self) -> bool:
        return bool(self.valid.all())

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"Motion({self.assembly.name!r}: {self.sentence})"

    @property
    def stopped(self) -> Event | None:
        """The event that stopped the motion; None if it reached its end."""
        return next((e for e in self.events if e.stops), None)

    @cached_property
    def has_rates(self) -> NDArray[np.bool_]:
        """Valid states with velocities: all but one exactly on a dead point, (states,)."""
        return self.valid & np.isfinite(self.twists).all(axis=(1, 2))

    @cached_property
    def held(self) -> tuple[str, ...]:
        """The locked joint coordinates, which nothing drives, in words."""
        return self.tell_held()

    @cached_property
    def certified(self) -> dict[str, Any] | None:
        """What `sweep(certify=True)` proved, in numbers and `words`; None where it was not asked.

        `proved` is how many of the `steps` stay on their branch: from the one state to the other
        no other solution is within `within_mm`, and none of these is farther than `off_mm` from
        the branch.  The other steps have the `reason`, and where `at` the proof ends.
        """
        if self.proved is None:
            return None
        from .proved_steps import steps_entry

        return steps_entry(self.proved)

    @cached_property
    def sentence(self) -> str:
        """The result in one sentence."""
        n, good = len(self.t), int(self.valid.sum())
        if self.failed:
            return self.failed
        worst = float(np.nanmax(self.residual_mm)) if good else 0.0
        rounding = 0.0 < worst <= AGREEMENT  # its digits are others in machine code
        told = "below 1e-9" if rounding else short(worst)
        if good == n:
            result = f"{count(n, 'state')} {'holds' if n == 1 else 'hold'}"
        else:
            result = f"{good} of {count(n, 'state')} hold"
        words = [f"{result} ({told} mm)", *(e.words for e in self.events if e.stops)]
        words += [self.halted] if self.halted else []
        passed = [e for e in self.events if not e.stops]
        for kind in dict.fromkeys(e.kind for e in passed):
            those = [e.words for e in passed if e.kind == kind]
            words.append(those[0] if len(those) == 1 else count(len(those), kind))
        if self.contacts is not None:
            words.append(self.contacts.words)
        if self.clearances:
            words.append(min(self.clearances, key=lambda c: c.least_mm).words)
        if self.certified is not None:
            words.append(self.certified["words"])
        if self.held:
            words.append(f"not driven, so held: {listed(list(self.held))}")
        words += skipped_notes(self.assembly)
        return "; ".join(words)

    @property
    def over(self) -> OverStates:
        """What tells the states apart: the driver if there is only one, else the time."""
        if len(self.driven) == len(self.prescribed) == 1:
            ((name, track),) = self.driven.items()
            return OverStates(name, track.unit, self.prescribed[name])
        return OverStates("t", "s", self.t)

    @property
    def scalars(self) -> list[OverStates]:
        """Every coordinate of every joint."""
        named = [(which, self.joint(*which)) for which in self.coordinates]
        return [OverStates(" ".join(which), track.unit, track.value) for which, track in named]

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence, charts and extremes of what changes, events."""
        near = [OverStates(c.name, "mm", c.values) for c in self.clearances]
        over, scalars = self.over, [*near, *self.scalars]
        lines = [
            VerticalLine(e.t if over.unit == "s" else e.value, e.kind)
            for e in self.events
            if over.unit == "s" or e.driver == over.name
        ]
        columns = ("coordinate", "unit", ">smallest", f">at {over.name}", ">largest", ">at")
        tables = [
            rows_table("Coordinates that change", columns, extreme_rows(over, scalars)),
            rows_table("On the way", ("event", ""), [(e.kind, e.words) for e in self.events]),
        ]
        charts = charts_over(over, scalars, lines)
        return snippet(self.sentence, bool(self), [*map(plot, charts), *tables])

    # ------------------------------------------------------------------ scalars
    @cached_property
    def driven(self) -> dict[str, JointTrack]:
        """The swept drivers, from the motion of the parts."""
        drivers = self.assembly.drivers
        return {
            name: self.quantity(drivers[name])
            for name in self.prescribed
            if drivers[name].kind != "motion"
        }

    def quantity(self, quantity: Quantity) -> JointTrack:
        """A joint coordinate or separation over the motion, NaN where a state is not valid.

        The angle of a swept driver is its prescribed value; other angles are counted beyond a turn.
        """
        if self.whole is not None:
            track, n = self.whole.quantity(quantity), len(self.t)
            cut = (x[:n] for x in (track.value, track.rate, track.acc))
            return JointTrack(track.name, track.unit, *cut)
        ((_, found),) = quantity.equation.terms
        drivers = self.assembly.drivers
        same = (n for n in self.prescribed if drivers[n].equation == quantity.equation)
        prescribed = self.prescribed.get(next(same, ""))
        out = self._along(found, self.senses.get(quantity.joint or "", 0) < 0)
        if not IS_ANGLE[found.kind]:
            return JointTrack(quantity.words, "mm", *out.T)
        if prescribed is not None:
            angle = np.where(self.valid, prescribed, np.nan)
            return JointTrack(quantity.words, "deg", angle, *np.degrees(out[:, 1:]).T)
        value = out[:, 0].copy()
        for states, t, backward in self.runs:
            valid = states[self.valid[states]]
            if len(valid) == 0:
                continue
            start, rates = value[valid[0]], -out[valid, 1] if backward else out[valid, 1]
            value[valid] = count_turns(out[valid, 0], rates, out[valid, 2], t[: len(valid)])
            value[valid] += start - value[valid[0]]
        value = value[self.again]
        return JointTrack(quantity.words, "deg", np.degrees(value), *np.degrees(out[:, 1:]).T)

    def joint(self, name: str, coordinate: str | None = None) -> JointTrack:
        """A joint coordinate by its mate; the coordinate may be omitted where there is only one.

        Raises:
            UnknownName: for a mate or a coordinate that does not exist.
        """
        return self.quantity(self.assembly.coordinate(name, coordinate))

    @property
    def coordinates(self) -> tuple[tuple[str, str], ...]:
        """Name of the joint and coordinate, for every joint of the assembly, in its order."""
        return tuple(
            (name, coordinate)
            for name, mate in self.assembly.mates.items()
            if not isinstance(mate, Coupling)
            for coordinate in mate.coordinates
        )

    def _along(self, found: Measure, reverse: bool) -> Array:
        """A measure with its first and second time derivative, (states, 3), mm and rad."""
        if reverse:
            found = found._replace(b=opposed(found.b))
        parts = [self.parts.index(m.part) for m in (found.a, found.b)]
        return read_along(found, parts, MotionArrays(self.frames, self.twists, self.accelerations))

    # ------------------------------------------------------------------ parts and points
    def _number(self, part: str) -> int:
        if part not in self.parts:
            raise UnknownName("part", part, self.parts)
        return self.parts.index(part)

    def part(self, name: str) -> PartTrack:
        """A part over the motion; raises `UnknownName` for a part that does not exist."""
        k = self._number(name)
        frames, v, a = self.frames[:, k], self.twists[:, k], self.accelerations[:, k]
        q = np.full((len(frames), 4), np.nan)
        q[self.valid] = quaternions(frames[self.valid])
        flips = np.sum(q[1:] * q[:-1], axis=1) < 0.0
        q[1:] *= np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)[:, None]
        spin, spin_rate = np.degrees(v[:, 3:]), np.degrees(a[:, 3:])
        return PartTrack(frames[:, :3], q, v[:, :3], spin, a[:, :3], spin_rate)

    def point(self, reference: ReferenceLike) -> PointTrack:
        """The origin of a feature over the motion; raises `UnknownName` for an unknown one."""
        ref = self.assembly.reference(reference)
        local = np.array(self.assembly.part(ref.part).feature(ref.feature).frame[:3])
        k = self._number(ref.part)
        arm = np.einsum("nkr,k->nr", self.frames[:, k, 3:].reshape(-1, 3, 3), local)
        spin, turning = self.twists[:, k, 3:], self.accelerations[:, k, 3:]
        speed = np.cross(spin, arm)
        return PointTrack(
            self.frames[:, k, :3] + arm,
            self.twists[:, k, :3] + speed,
            self.accelerations[:, k, :3] + np.cross(turning, arm) + np.cross(spin, speed),
        )

    # ------------------------------------------------------------------ output
    def to_dict(self) -> dict[str, Any]:
        """The object that `sweep --json` prints; states that are not valid have nulls."""
        joints: dict[str, dict[str, Any]] = {}
        for name, coordinate in self.coordinates:
            track = self.joint(name, coordinate)
            joints.setdefault(name, {})[coordinate] = _track_entry(track)
        return {
            "valid": bool(self),
            "sentence": self.sentence,
            "t": json_numbers(self.t),
            "states_valid": self.valid.tolist(),
            "reasons": list(self.reasons),
            "stopped": None if self.stopped is None else self.stopped.to_dict(),
            "drivers": {name: _track_entry(track) for name, track in self.driven.items()},
            "joints": joints,
            "events": [e.to_dict() for e in self.events],
            "held": list(self.held),
            "left_out": left_out_rows(self.assembly),
            "read_as": read_as_rows(self.assembly),
            **({} if self.contacts is None else {"contact": self.contacts.to_dict()}),
            **({"clearance": [c.to_dict() for c in self.clearances]} if self.clearances else {}),
            **({} if self.certified is None else {"certified": self.certified}),
            "seconds": self.seconds,
        }


def _track_entry(track: JointTrack) -> dict[str, Any]:
    return {
        "unit": track.unit,
        **{name: json_numbers(getattr(track, name)) for name in ("value", "rate", "acc")},
    }


def json_numbers(values: Array) -> Any:
    """Numbers for JSON as lists, null where there is none."""
    out = values.astype(object)
    out[~np.isfinite(values)] = None
    return out.tolist()
