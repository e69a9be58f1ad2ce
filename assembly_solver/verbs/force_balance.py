"""Static balance of closed states, reported by the names of drivers, mates and limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.system import System
from ..foundations.geometry.pose import compose_all
from ..foundations.numerics.linear import rank_cut
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array, Bools
from ..kinematics.statics.applied_loads import (
    Action,
    PartMotion,
    gathered,
    loads,
    resistances,
    springs,
    weights,
)
from ..kinematics.statics.equilibrium import (
    JointWrench,
    ReactionPoints,
    Statics,
    Unbalanced,
    balance,
)
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.mate import Reference
from ..model.mates.joints import Planar
from ..results.forces import (
    DriverForce,
    Forces,
    IndeterminateLoad,
    Power,
    Reaction,
    UnbalancedMotion,
)
from ..results.wording.forces import amount, load_direction, shares
from ..results.wording.free_motions import MateAxis, mate_axes

SINGULAR = 1e-6
"""A setting: singular value, relative to the largest, below which a pose counts as singular: no
force is amplified a million times. A pose with residual d may be sqrt(d) from a singular one (both
relative to the characteristic length): that counts as singular as well."""

TAKES_PART = 1e-3
"""A setting: share of a direction that must be undetermined in a mate for it to share a force along
it."""


class ForceStates(NamedTuple):
    """States of an assembly whose forces are computed, n of them.

    Attributes:
        t: s, (n,); valid: which are closed, (n,); moving: of the parts, anything where not valid.
        off: largest residual of the mates, mm; place: names a state by its number.
    """

    t: Array
    valid: Bools
    moving: PartMotion
    off: float
    place: Callable[[int], str]


def forces_of(assembly: Assembly, system: System, states: ForceStates, inertia: bool) -> Forces:
    """The forces that balance an assembly in each of the states.

    Args:
        system: with a row for each active driver, and the senses of the states.
        inertia: include inertia forces; the accelerations must be known.
    """
    return _ForceReport(assembly, system, states, inertia).forces()


class _ForceReport:
    """Statics of the valid states, reported for all states."""

    def __init__(
        self, assembly: Assembly, system: System, states: ForceStates, inertia: bool
    ) -> None:
        self.assembly, self.system, self.states, self.inertia = assembly, system, states, inertia
        self.ends, self.open = _ends(assembly, system), system.same_direction
        valid = states.valid
        self.moving = PartMotion(
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
        part, point = np.full(len(s.constraints), -1, np.int64), np.zeros((len(s.constraints), 3))
        for k, end in self.ends.items():
            part[k], point[k] = s.parts.index(end.on.part), end.frame[:3]
        wrenches = gathered(self._actions, self.moving.frames, s.centre)
        cut = rank_cut(sqrt(self.states.off / s.length), SINGULAR)
        return balance(s, self.moving, wrenches, ReactionPoints(part, point), cut)

    def forces(self) -> Forces:
        """The result, by name."""
        s, states = self.system, self.states
        pushed = self._pushed()
        stops = {f"limit {stop.limit}": stop for stop in s.active_limits}
        moved = np.flatnonzero(~s.fixed)
        parts = list(self.assembly.parts.values())
        weighed = self.inertia or any(self.assembly.gravity)
        bare = [parts[k].name for k in moved.tolist() if parts[k].whole_mass is None]
        return Forces(
            t=states.t,
            valid=states.valid,
            balanced=self._expanded(self.statics.balanced),
            drivers={k: d for k, d in pushed.items() if k not in stops},
            stops={stop.limit: pushed[k] for k, stop in stops.items() if k in pushed},
            reactions=self._reactions(0, s.mates),
            guides=self._reactions(s.mates, len(s.constraints)),
            shared=tuple(self._shared_drivers() + self._shared_mates()),
            loose=tuple(self._unbalanced_motions()),
            power=self._power(),
            inertia=self.inertia,
            massless=tuple(bare) if weighed else (),
            free=tuple(s.parts[k] for k in np.flatnonzero(s.fixed & ~s.grounded).tolist()),
            scale=max((a.size for a in self._actions), default=0.0),
            _place=states.place,
        )

    def _expanded(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the valid states expanded to all states, NaN or false in the others."""
        missing = False if values.dtype == bool else np.nan
        out = np.full((len(self.states.valid), *values.shape[1:]), missing)
        out[self.states.valid] = values
        return out

    # ------------------------------------------------------------------ drivers
    def _unit(self, constraint: int) -> str:
        first = self.system.first_equation[constraint]
        return "N mm" if self.system.angular[first] else "N"

    def _pushed(self) -> dict[str, DriverForce]:
        s, none = self.system, np.full(len(self.states.valid), np.nan)
        sole = [k for k in range(s.mates, len(s.constraints)) if k not in self.ends]
        values = dict.fromkeys(sole, none)
        for constraints, (force, free) in self.statics.pushed.items():
            for j, k in enumerate(constraints):
                known = free[:, j, j] < self.open**2
                values[k] = self._expanded(np.where(known, force[:, j], np.nan))
        out = {}
        for k, value in values.items():
            name = s.constraints[k]
            cylinder = self.assembly.cylinders.get(name)
            can = (None, None) if cylinder is None else (cylinder.push, cylinder.pull)
            out[name] = DriverForce(name, self._unit(k), value, *can)
        return out

    def _shared_drivers(self) -> list[IndeterminateLoad]:
        out = []
        for constraints, (force, free) in self.statics.pushed.items():
            is_free = (np.einsum("njj->nj", free) >= self.open**2).any(axis=0)
            undetermined = np.flatnonzero(is_free).tolist()
            for group in self.statics.groups:
                for unit in ("N", "N mm"):
                    shared = [
                        j
                        for j in undetermined
                        if constraints[j] in group and self._unit(constraints[j]) == unit
                    ]
                    if len(shared) > 1:
                        spread = free[:, shared][:, :, shared].sum(axis=(1, 2))
                        total = force[:, shared].sum(axis=1)
                        total = np.where(spread < self.open**2, total, np.nan)
                        names = [constraints[j] for j in shared]
                        out.append(self._shared(names, None, total, unit))
        return out

    def _shared(
        self, constraints: list[int], on: str | None, total: Array, unit: str
    ) -> IndeterminateLoad:
        names = [self.system.constraints[k] for k in constraints]
        largest = None
        if np.isfinite(total).any():
            largest = amount(float(total[np.nanargmax(np.abs(total))]), unit)
        return IndeterminateLoad(
            tuple(names), on, self._expanded(total), unit, shares(names, largest, on)
        )

    # ------------------------------------------------------------------ mates
    def _reactions(self, first: int, end: int) -> dict[str, Reaction]:
        """Reactions of the mates and guides numbered from `first` to below `end`."""
        frames = self.moving.frames
        out = {}
        for k in (k for k in self.ends if first <= k < end):
            end_feature = self.ends[k]
            part = self.system.parts.index(end_feature.on.part)
            frame = compose_all(frames[:, part], np.tile(end_feature.frame, (len(frames), 1)))
            out[self.system.constraints[k]] = self._reaction(k, frame, self.statics.carried.get(k))
        return out

    def _reaction(self, k: int, frame: Array, carried: JointWrench | None) -> Reaction:
        """The reaction at a frame, (n, 12); NaN for a mate between parts that do not move."""
        if carried is None:
            n = len(frame)
            none, every = np.full((n, 3), np.nan), np.tile(np.eye(3), (n, 1, 1))
            carried = JointWrench(0, none, none, every, np.zeros((n, 6), bool))
        both = np.concatenate([carried.force, carried.torque], axis=1)
        both = np.where(carried.determined, both, np.nan)
        known = carried.force - np.einsum("nij,nj->ni", carried.force_open, carried.force)
        return Reaction(
            name=self.system.constraints[k],
            kind=self.ends[k].kind,
            on=self.ends[k].on,
            point=self._expanded(frame[:, :3]),
            force=self._expanded(both[:, :3]),
            torque=self._expanded(both[:, 3:]),
            determined=self._expanded(carried.determined),
            known=self._expanded(known),
            pin=self._expanded(_pin(self.ends[k].pin, frame[:, 9:], known, carried.force_open)),
        )

    @cached_property
    def _largest(self) -> float:
        """The largest force of all mates, N; torques divided by the characteristic length."""
        length = self.system.length
        sizes = [
            np.abs(v).max(initial=0.0, where=np.isfinite(v))
            for c in self.statics.carried.values()
            for v in (c.force, c.torque / length)
        ]
        return float(max(sizes, default=0.0))

    def _shared_mates(self) -> list[IndeterminateLoad]:
        """Loads that several mates share on one part: the sum is determined, the parts are not."""
        s = self.system
        out: list[IndeterminateLoad] = []
        for group in self.statics.groups:
            near: dict[int, list[int]] = {}
            for k in sorted(group):
                for part in s.parts_of(k):
                    near.setdefault(part, []).append(k)
            for part, constraints in near.items():
                sole = all(k < s.mates and len(s.parts_of(k)) == 2 for k in constraints)
                if len(constraints) > 1 and sole and not s.fixed[part]:
                    found = self._shared_on(part, constraints)
                    if found is not None and found.names not in {x.names for x in out}:
                        out.append(found)
        return out

    def _shared_on(self, part: int, mates: list[int]) -> IndeterminateLoad | None:
        """The sum of the forces of some mates on a part where none of them is determined.

        The part is in equilibrium with its other forces, so that the sum is determined.
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
        if size[worst] <= self.open * self._largest:
            return None
        direction = total[worst] / size[worst]
        takes = np.linalg.norm(opened[:, worst] @ direction, axis=1) > TAKES_PART
        if takes.sum() < 2:
            return None
        along = _spanned(opened[takes].sum(axis=0))
        whole = np.einsum("nij,nj->ni", along, forces[takes].sum(axis=0))
        names = [k for k, one in zip(mates, takes, strict=True) if one]
        return self._shared(names, s.parts[part], np.linalg.norm(whole, axis=1), "N")

    # ------------------------------------------------------------------ unbalanced motions
    def _unbalanced_motions(self) -> list[UnbalancedMotion]:
        axes = mate_axes(self.assembly) if self.statics.unbalanced else {}
        return [
            self._way(u, list(group), axes)
            for u in self.statics.unbalanced
            for group in u.groups
            if u.moves(group).any()
        ]

    def _way(
        self, u: Unbalanced, group: list[int], axes: dict[str, list[MateAxis]]
    ) -> UnbalancedMotion:
        """A motion that is not in equilibrium, at the state where it is most unbalanced."""
        s = self.system
        bodies, rest = [u.bodies[j] for j in group], u.rest[:, group]
        where = u.moves(group)
        size2 = np.where(where, np.sum(rest**2, axis=(1, 2)), 0.0)
        worst = int(np.argmax(size2))
        motion = load_direction(
            rest[worst], bodies, s.parts, self.moving.frames[worst], s.centre, s.length, axes
        )
        unbalanced = rest[:, bodies.index(motion.part)]
        part, length = (slice(3), 1.0) if motion.unit == "N" else (slice(3, 6), s.length)
        per = np.linalg.norm(unbalanced[:, part], axis=1) / length
        missing = np.where(where, size2 / np.where(per > 0.0, per, np.inf), 0.0)
        missing[where & (missing == 0.0)] = np.nan  # this part does not move there, others do
        moves = np.linalg.norm(rest[worst], axis=1) > FAINT * np.sqrt(size2[worst])
        parts = tuple(s.parts[b] for b, m in zip(bodies, moves, strict=True) if m)
        return UnbalancedMotion(parts, motion.words, self._expanded(missing), motion.unit)

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
        return Power(*(self._expanded(p) for p in (drivers, *sums)))


class _LoadPoint(NamedTuple):
    """Feature at which the force of a mate or guide is reported; pin: whether a pin along z."""

    kind: str
    on: Reference
    frame: tuple[float, ...]
    pin: bool


def _ends(assembly: Assembly, system: System) -> dict[int, _LoadPoint]:
    """Load points of mates and guides by the numbers of their constraints."""
    out = {}
    for k, h in enumerate(assembly.held.values()):
        turns = "angle" in h.mate.coordinates and not isinstance(h.mate, Planar)
        out[k] = _LoadPoint(h.mate.kind, h.mate.b, h.b.feature.frame, turns)
    for k in range(system.mates, system.mates + system.drivers):
        driver = assembly.drivers[system.constraints[k]]
        if isinstance(driver, Guide):
            on = Reference(driver.part, driver.feature or "origin")
            out[k] = _LoadPoint(driver.kind, on, driver.own.frame, False)
    return out


def _pin(across: bool, axis: Array, known: Array, opened: Array) -> Array:
    """Magnitude of a force, or of its component normal to an axis; NaN where not determined.

    Of the force the determined part is `known`, (n, 3), N; `opened`: projectors on the undetermined
    directions, (n, 3, 3).
    """
    if across:
        opened = opened - np.einsum("nij,nj,nk->nik", opened, axis, axis)
        known = known - np.sum(known * axis, axis=1, keepdims=True) * axis
    size: Array = np.linalg.norm(known, axis=1)
    return np.where(np.abs(opened).max(axis=(1, 2)) < FAINT, size, np.nan)


def _spanned(symmetric: Array) -> Array:
    """Projectors on the ranges of sums of projectors, (n, 3, 3)."""
    values, vectors = np.linalg.eigh(symmetric)
    vectors = vectors * (values > FAINT)[:, None, :]
    out: Array = vectors @ vectors.transpose(0, 2, 1)
    return out
