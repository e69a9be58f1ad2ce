"""From closed states to forces in the user's names: what acts, what holds it, what does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..diagnosis.freedoms import LARGEST_CUT, OFF_SHARE
from ..equations.system import System
from ..foundations.geometry.pose import compose_all
from ..foundations.types import Array, Bools
from ..kinematics.statics.applied_loads import (
    Action,
    Moving,
    gathered,
    loads,
    resistances,
    springs,
    weights,
)
from ..kinematics.statics.equilibrium import OPEN, Carried, Ends, Statics, Unbalanced, balance
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.mate import Reference
from ..model.mates.joints import Planar
from ..results.forces import DriverForce, Forces, Loose, Power, Reaction, Shared
from ..results.wording.forces import amount, shares, way_of
from ..results.wording.free_motions import MateAxis, mate_axes

SINGULAR = 1e-6
"""Singular value, relative to the largest, below which a pose counts as singular: no force is
passed on a million times as large.  A pose whose mates are off by d may be the square root of d
from a singular one, in shares of the characteristic length: that counts as well."""

SHARE = 1e-6
"""Share of the largest force, or couple, from which a load that is shared is told."""

TAKES_PART = 1e-3
"""Share of a direction that must be open to a mate for it to share a force along it."""


class States(NamedTuple):
    """States of an assembly, n of them.

    Attributes:
        t: s; valid: which are closed; moving: their parts, anything where they are not.
        off: what mates are off at the worst, mm; place: where a state is, in words.
    """

    t: Array
    valid: Bools
    moving: Moving
    off: float
    place: Callable[[int], str]


def forces_of(assembly: Assembly, system: System, states: States, inertia: bool) -> Forces:
    """The forces that hold an assembly in some states.

    Args:
        system: of the assembly, with a row for each driver that holds; its senses are those of
            the states.
        inertia: whether the masses resist their acceleration, which must be known.
    """
    return _Teller(assembly, system, states, inertia).forces()


class _Teller:
    """Statics of the valid states, told of all states."""

    def __init__(self, assembly: Assembly, system: System, states: States, inertia: bool) -> None:
        self.assembly, self.system, self.states, self.inertia = assembly, system, states, inertia
        self.ends = _ends(assembly, system)
        valid = states.valid
        self.moving = Moving(
            *(None if x is None else np.array(x[valid]) for x in states.moving)  # type: ignore[arg-type]
        )
        self.loads = [*loads(assembly, self.moving), *springs(assembly, self.moving)]
        self.weights = weights(assembly, self.moving)
        self.resistances = resistances(assembly, self.moving) if inertia else []
        self.statics = self._balance()

    @property
    def _actions(self) -> list[Action]:
        return [*self.loads, *self.weights, *self.resistances]

    def _balance(self) -> Statics:
        s = self.system
        part, point = np.full(len(s.promises), -1, np.int64), np.zeros((len(s.promises), 3))
        for k, end in self.ends.items():
            part[k], point[k] = s.parts.index(end.on.part), end.frame[:3]
        wrenches = gathered(self._actions, self.moving.frames, s.centre)
        near = OFF_SHARE * sqrt(self.states.off / s.length)
        cut = min(max(SINGULAR, near), LARGEST_CUT)
        return balance(s, self.moving, wrenches, Ends(part, point), cut)

    def forces(self) -> Forces:
        """All of it, by name."""
        s, states = self.system, self.states
        pushed = self._pushed()
        stops = {f"limit {stop.limit}": stop for stop in s.stops}
        moved = np.flatnonzero(~s.held)
        parts = list(self.assembly.parts.values())
        weighed = self.inertia or any(self.assembly.gravity)
        bare = [parts[k].name for k in moved.tolist() if parts[k].whole_mass is None]
        return Forces(
            t=states.t,
            valid=states.valid,
            balanced=self._flags(self.statics.balanced),
            drivers={k: d for k, d in pushed.items() if k not in stops},
            stops={stop.limit: pushed[k] for k, stop in stops.items() if k in pushed},
            reactions=self._reactions(0, s.mates),
            guides=self._reactions(s.mates, len(s.promises)),
            shared=tuple(self._shared_drivers() + self._shared_mates()),
            loose=tuple(self._loose()),
            power=self._power(),
            inertia=self.inertia,
            massless=tuple(bare) if weighed else (),
            free=tuple(s.parts[k] for k in np.flatnonzero(s.held & ~s.grounded).tolist()),
            scale=max((a.size for a in self._actions), default=0.0),
            _place=states.place,
        )

    def _told(self, values: Array) -> Array:
        """Numbers of the valid states among all states, NaN at the others."""
        out = np.full((len(self.states.valid), *values.shape[1:]), np.nan)
        out[self.states.valid] = values
        return out

    def _flags(self, values: Bools) -> Bools:
        """The same of truth values, false at the others."""
        out = np.zeros((len(self.states.valid), *values.shape[1:]), bool)
        out[self.states.valid] = values
        return out

    # ------------------------------------------------------------------ drivers
    def _unit(self, promise: int) -> str:
        first = self.system.first_equation[promise]
        return "N mm" if self.system.angular[first] else "N"

    def _pushed(self) -> dict[str, DriverForce]:
        """What each driver and each held limit does, by its name among the promises."""
        s, none = self.system, np.full(len(self.states.valid), np.nan)
        sole = [k for k in range(s.mates, len(s.promises)) if k not in self.ends]
        values = dict.fromkeys(sole, none)
        for promises, (force, free) in self.statics.pushed.items():
            for j, k in enumerate(promises):
                values[k] = self._told(np.where(free[:, j, j] < OPEN**2, force[:, j], np.nan))
        out = {}
        for k, value in values.items():
            name = s.promises[k]
            cylinder = self.assembly.cylinders.get(name)
            can = (None, None) if cylinder is None else (cylinder.push, cylinder.pull)
            out[name] = DriverForce(name, self._unit(k), value, *can)
        return out

    def _shared_drivers(self) -> list[Shared]:
        out = []
        for promises, (force, free) in self.statics.pushed.items():
            loose = [j for j in range(len(promises)) if (free[:, j, j] >= OPEN**2).any()]
            for group in self.statics.groups:
                for unit in ("N", "N mm"):
                    own = [j for j in loose if promises[j] in group]
                    own = [j for j in own if self._unit(promises[j]) == unit]
                    if len(own) > 1:
                        spread = free[:, own][:, :, own].sum(axis=(1, 2))
                        total = np.where(spread < OPEN**2, force[:, own].sum(axis=1), np.nan)
                        out.append(self._shared([promises[j] for j in own], None, total, unit))
        return out

    def _shared(self, promises: list[int], on: str | None, total: Array, unit: str) -> Shared:
        names = [self.system.promises[k] for k in promises]
        told = None
        if np.isfinite(total).any():
            told = amount(float(total[np.nanargmax(np.abs(total))]), unit)
        return Shared(tuple(names), on, self._told(total), unit, shares(names, told, on))

    # ------------------------------------------------------------------ mates
    def _reactions(self, first: int, end: int) -> dict[str, Reaction]:
        """What some of the promises carry."""
        frames = self.moving.frames
        out = {}
        for k in (k for k in self.ends if first <= k < end):
            told = self.ends[k]
            part = self.system.parts.index(told.on.part)
            frame = compose_all(frames[:, part], np.tile(told.frame, (len(frames), 1)))
            out[self.system.promises[k]] = self._reaction(k, frame, self.statics.carried.get(k))
        return out

    def _reaction(self, k: int, frame: Array, carried: Carried | None) -> Reaction:
        """What is carried at a frame; nothing is known of a mate between parts that are held."""
        if carried is None:
            n = len(frame)
            nothing = np.full((n, 3), np.nan)
            carried = Carried(
                0, nothing, nothing, np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 6), bool)
            )
        both = np.concatenate([carried.force, carried.torque], axis=1)
        both = np.where(carried.determined, both, np.nan)
        known = carried.force - np.einsum("nij,nj->ni", carried.force_open, carried.force)
        return Reaction(
            name=self.system.promises[k],
            kind=self.ends[k].kind,
            on=self.ends[k].on,
            point=self._told(frame[:, :3]),
            force=self._told(both[:, :3]),
            torque=self._told(both[:, 3:]),
            determined=self._flags(carried.determined),
            known=self._told(known),
            pin=self._told(_pin(self.ends[k].pin, frame[:, 9:], known, carried.force_open)),
        )

    @cached_property
    def _largest(self) -> float:
        """The largest force of all mates, N; a torque as the couple over the length that it has."""
        length = self.system.length
        carried = self.statics.carried.values()
        sizes = [
            np.abs(v).max(initial=0.0, where=np.isfinite(v))
            for c in carried
            for v in (c.force, c.torque / length)
        ]
        return float(max(sizes, default=0.0))

    def _shared_mates(self) -> list[Shared]:
        """Loads that several mates bring to one part, in a direction in which each is open."""
        s = self.system
        out: list[Shared] = []
        for group in self.statics.groups:
            near: dict[int, list[int]] = {}
            for k in sorted(group):
                for part in s.parts_of(k):
                    near.setdefault(part, []).append(k)
            for part, promises in near.items():
                sole = all(k < s.mates and len(s.parts_of(k)) == 2 for k in promises)
                if len(promises) > 1 and sole and not s.held[part]:
                    found = self._shared_on(part, promises)
                    if found is not None and found.names not in {x.names for x in out}:
                        out.append(found)
        return out

    def _shared_on(self, part: int, mates: list[int]) -> Shared | None:
        """What some mates bring to a part where none of them is determined.

        The part is in equilibrium with what else acts on it, so that their sum is determined.
        """
        s = self.system
        mates = [k for k in mates if self.statics.carried[k].force_open.any()]
        if len(mates) < 2:
            return None
        carried = [self.statics.carried[k] for k in mates]
        forces = np.stack([c.force if c.part == part else -c.force for c in carried])
        opened = np.stack([c.force_open for c in carried])
        total = np.einsum("nij,nj->ni", _spanned(opened.sum(axis=0)), forces.sum(axis=0))
        size = np.nan_to_num(np.linalg.norm(total, axis=1))
        worst = int(np.argmax(size))
        if size[worst] <= SHARE * self._largest:
            return None
        way = total[worst] / size[worst]
        takes = np.linalg.norm(opened[:, worst] @ way, axis=1) > TAKES_PART
        if takes.sum() < 2:
            return None
        along = _spanned(opened[takes].sum(axis=0))
        whole = np.einsum("nij,nj->ni", along, forces[takes].sum(axis=0))
        names = [k for k, one in zip(mates, takes, strict=True) if one]
        return self._shared(names, s.parts[part], np.linalg.norm(whole, axis=1), "N")

    # ------------------------------------------------------------------ what is not held
    def _loose(self) -> list[Loose]:
        axes = mate_axes(self.assembly) if self.statics.unbalanced else {}
        return [
            self._way(u, list(group), axes)
            for u in self.statics.unbalanced
            for group in u.groups
            if u.moves(group).any()
        ]

    def _way(self, u: Unbalanced, group: list[int], axes: dict[str, list[MateAxis]]) -> Loose:
        """A motion that is not in equilibrium, told where it is the farthest off."""
        s = self.system
        bodies, rest = [u.bodies[j] for j in group], u.rest[:, group]
        where = u.moves(group)
        size2 = np.where(where, np.sum(rest**2, axis=(1, 2)), 0.0)
        worst = int(np.argmax(size2))
        way = way_of(
            rest[worst], bodies, s.parts, self.moving.frames[worst], s.centre, s.length, axes
        )
        own = rest[:, bodies.index(way.part)]
        if way.unit == "N":
            per = np.linalg.norm(own[:, :3], axis=1)
        else:
            per = np.linalg.norm(own[:, 3:], axis=1) / s.length
        missing = np.where(where, size2 / np.where(per > 0.0, per, np.inf), 0.0)
        missing[where & (missing == 0.0)] = np.nan  # it does not move there, others do
        moves = np.linalg.norm(rest[worst], axis=1) > OPEN * np.sqrt(size2[worst])
        parts = tuple(s.parts[b] for b, m in zip(bodies, moves, strict=True) if m)
        return Loose(parts, way.words, self._told(missing), way.unit)

    # ------------------------------------------------------------------ power
    def _power(self) -> Power | None:
        twists = self.moving.twists
        if twists is None:
            return None
        sums = [
            sum((a.power(twists) for a in actions), np.zeros(len(twists)))
            for actions in (self.loads, self.weights, self.resistances)
        ]
        drivers = self.statics.driver_power
        return Power(*(self._told(p) for p in (drivers, *sums)))


class _End(NamedTuple):
    """Where a mate or a guide is told: the feature, its frame, and whether it is a pin along z."""

    kind: str
    on: Reference
    frame: tuple[float, ...]
    pin: bool


def _ends(assembly: Assembly, system: System) -> dict[int, _End]:
    """Where mates and guides are told, by their numbers among the promises."""
    out = {}
    for k, h in enumerate(assembly.held.values()):
        turns = "angle" in h.mate.coordinates and not isinstance(h.mate, Planar)
        out[k] = _End(h.mate.kind, h.mate.b, h.b.feature.frame, turns)
    for k in range(system.mates, system.mates + system.drivers):
        driver = assembly.drivers[system.promises[k]]
        if isinstance(driver, Guide):
            on = Reference(driver.part, driver.feature or "origin")
            out[k] = _End(driver.kind, on, driver.own.frame, False)
    return out


def _pin(across: bool, axis: Array, known: Array, opened: Array) -> Array:
    """Size of a force, or of its part across an axis; NaN where it is not determined.

    Args:
        across: whether of its part across the axis.
        axis: unit vectors (n, 3); known: the determined part of the force; opened: projectors on
            the other directions, (n, 3, 3).
    """
    if across:
        opened = opened - np.einsum("nij,nj,nk->nik", opened, axis, axis)
        known = known - np.sum(known * axis, axis=1, keepdims=True) * axis
    size: Array = np.linalg.norm(known, axis=1)
    return np.where(np.abs(opened).max(axis=(1, 2)) < OPEN, size, np.nan)


def _spanned(symmetric: Array) -> Array:
    """Projectors on the ranges of sums of projectors, (n, 3, 3)."""
    values, vectors = np.linalg.eigh(symmetric)
    vectors = vectors * (values > OPEN)[:, None, :]
    out: Array = vectors @ vectors.transpose(0, 2, 1)
    return out
