"""The forces of an assembly: what drivers push with, what mates carry, and what nothing holds.

Forces are N, torques N mm; words have N, kN and N m.  What statics does not determine is NaN in
arrays and null in JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..foundations.types import Array, Bools
from ..model.mate import Reference
from .wording.forces import amount
from .wording.plain import count, listed

ALIKE = 1.0 + 1e-9
"""Forces that differ by less are one: the first is told."""

NOTHING = 1e-9
"""What is rounding beside the largest force that acts."""

ARM = 1e3
"""mm: at it a torque is told as a force."""


@dataclass(frozen=True, eq=False)
class DriverForce:
    """What a driver, or a limit at which a coordinate is stopped, pushes with.

    Attributes:
        unit: "N" of lengths and separations, "N mm" of angles.
        value: in the direction in which the coordinate grows, (n,): a cylinder that is pressed
            together pushes with a positive force.  NaN where it is not determined.
        push, pull: what a cylinder can at its pressure, N; None where that is not told.
    """

    name: str
    unit: str
    value: Array
    push: float | None = None
    pull: float | None = None

    @property
    def beyond(self) -> Bools:
        """Where it would have to push or pull harder than it can, (n,)."""
        most = np.inf if self.push is None else self.push
        least = -np.inf if self.pull is None else -self.pull
        with np.errstate(invalid="ignore"):
            out: Bools = (self.value > most) | (self.value < least)
        return out


@dataclass(frozen=True, eq=False)
class Reaction:
    """What a mate does to its second part, at the origin of the feature there; world axes.

    Attributes:
        name, kind: of the mate; on: the feature of the second part.
        point: mm, force: N, torque: N mm, (n, 3) each; a component that is not determined is NaN.
        determined: which components of force and torque are, (n, 6).
        known: the part of the force that is determined, whatever its direction, (n, 3), N.
        pin: size of the force, N, (n,): of a joint that turns about an axis, across that axis.
    """

    name: str
    kind: str
    on: Reference
    point: Array
    force: Array
    torque: Array
    determined: Bools
    known: Array
    pin: Array


@dataclass(frozen=True, eq=False)
class Shared:
    """A load that several mates or drivers carry together, in shares that statics does not tell.

    Attributes:
        names: of the mates or drivers; on: the part that they act on, None for drivers.
        total: how much, (n,), N or N mm as `unit` says; NaN where that is not determined either.
    """

    names: tuple[str, ...]
    on: str | None
    total: Array
    unit: str
    words: str


@dataclass(frozen=True, eq=False)
class Loose:
    """What is not in equilibrium: a motion that nothing drives.

    Attributes:
        parts: that would move; words: how.
        missing: the force (N) or torque (N mm, as `unit` says) that would hold it, (n,); 0 where
            it is in equilibrium.
    """

    parts: tuple[str, ...]
    words: str
    missing: Array
    unit: str


class Power(NamedTuple):
    """Work for each second, W, (n,) each: of drivers, of loads and springs, of weights, and of
    inertia, which is minus the growth of the kinetic energy."""

    drivers: Array
    loads: Array
    gravity: Array
    inertia: Array

    @property
    def left(self) -> Array:
        """What they do not balance: rounding, where everything is in equilibrium."""
        return self.drivers + self.loads + self.gravity + self.inertia


class Peak(NamedTuple):
    """The largest value of something: whose, how much, in which state."""

    name: str
    value: float
    state: int


@dataclass(frozen=True, eq=False)
class Forces:
    """The forces in n states.  True in a condition when all are closed and in equilibrium.

    Attributes:
        t: s, (n,); valid: which states are closed; balanced: which of those are in equilibrium.
        drivers, stops, reactions: by the names of drivers, limits and mates; guides: what those
            drivers do that guide a part along, by their names.
        shared: loads whose split is not determined; loose: what is not in equilibrium.
        power: where velocities are known; inertia: whether that of the masses was counted.
        massless: parts that move, have no mass, and should where gravity or inertia count.
        free: parts that were held though nothing grounds them.
        scale: the largest force that acts, N, a torque as one of 1 m; 0 where nothing does.
    """

    t: Array
    valid: Bools
    balanced: Bools
    drivers: Mapping[str, DriverForce]
    stops: Mapping[str, DriverForce]
    reactions: Mapping[str, Reaction]
    guides: Mapping[str, Reaction]
    shared: tuple[Shared, ...]
    loose: tuple[Loose, ...]
    power: Power | None
    inertia: bool
    massless: tuple[str, ...]
    free: tuple[str, ...]
    scale: float
    _place: Callable[[int], str]

    def __bool__(self) -> bool:
        return bool(self.valid.all() and self.balanced.all())

    @cached_property
    def largest(self) -> Peak | None:
        """The largest force in a joint, with its state; None where none is known."""
        pins = {name: r.pin for name, r in self.reactions.items()}
        return _peak(pins)

    def place(self, state: int) -> str:
        """Where a state is, in words: the value of the driver, or the time; "" where it is one."""
        return self._place(state)

    @cached_property
    def sentence(self) -> str:
        """What came of it, in one sentence."""
        if not self.valid.any():
            return "no state is closed, so no force is known"
        told = [self._equilibrium]
        told += [self._driver(d) for d in self.drivers.values() if np.isfinite(d.value).any()]
        told += [self._guide(r) for r in self.guides.values() if np.isfinite(r.force).all(1).any()]
        if self.largest is not None and self.largest.value > NOTHING * self.scale:
            name, value, state = self.largest
            which = " that is determined" if self.shared else ""
            where = f"{name}{self._at(state)}"
            told.append(f"largest joint force{which} {amount(value, 'N')} ({where})")
        told += [s.words for s in self.shared]
        if self.massless:
            told.append(f"without a mass: {listed(list(self.massless), 3)}")
        if self.free:
            told.append(f"{listed(list(self.free), 3)} held, as nothing there is grounded")
        return "; ".join(told)

    @property
    def _equilibrium(self) -> str:
        states = "" if len(self.t) == 1 else f" in {self._counted(int(self.balanced.sum()))}"
        if self.loose:
            bad = int(np.sum(self.valid & ~self.balanced))
            where = "" if len(self.t) == 1 else f" in {self._counted(bad)}"
            told = [f"{x.words} ({_most(x)})" for x in self.loose]
            return f"not in equilibrium{where}: {listed(told, 3)}"
        if self.scale == 0.0:
            return "no load, no weight: nothing to hold"
        return ("in dynamic equilibrium" if self.inertia else "in equilibrium") + states

    def _counted(self, k: int) -> str:
        """So many of the states."""
        n = len(self.t)
        return f"all {count(n, 'state')}" if k == n else f"{k} of {count(n, 'state')}"

    def _driver(self, d: DriverForce) -> str:
        told_of = d.beyond if d.beyond.any() else np.isfinite(d.value)
        state = int(np.argmax(np.where(told_of, np.abs(d.value), -1.0)))
        value = float(d.value[state])
        if abs(value) <= NOTHING * self.scale * (ARM if d.unit == "N mm" else 1.0):
            return f"{d.name} 0 {'N m' if d.unit == 'N mm' else 'N'}"
        verb = "" if d.unit == "N mm" else "pushes " if value > 0 else "pulls "
        many = len(self.t) > 1
        told = amount(value if d.unit == "N mm" and not many else abs(value), d.unit)
        up_to = "up to " if many else ""
        can = d.push if value > 0 else d.pull
        limit = f", more than its {amount(can, 'N')}" if d.beyond[state] and can else ""
        return f"{d.name} {verb}{up_to}{told}{self._at(state, ' at ')}{limit}"

    def _guide(self, r: Reaction) -> str:
        """What guides a part, in words: its largest force, and its largest torque."""
        force, torque = (np.nan_to_num(np.linalg.norm(x, axis=1)) for x in (r.force, r.torque))
        up_to = "up to " if len(self.t) > 1 else ""
        told = f"{amount(float(force.max()), 'N')} and {amount(float(torque.max()), 'N mm')}"
        return f"{r.name} carries {up_to}{told}"

    def _at(self, state: int, word: str = ", ") -> str:
        place = self.place(state)
        return f"{word}{place}" if place else ""

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data: numbers a state, null where not determined."""
        return {
            "sentence": self.sentence,
            "inertia": self.inertia,
            "t": self.t.tolist(),
            "valid": self.valid.tolist(),
            "balanced": self.balanced.tolist(),
            "drivers": {d.name: _pushed(d) for d in self.drivers.values()},
            "stops": {d.name: _pushed(d) for d in self.stops.values()},
            "mates": {r.name: _carried(r) for r in self.reactions.values()},
            "guides": {r.name: _carried(r) for r in self.guides.values()},
            "largest": None if self.largest is None else self.largest._asdict(),
            "shared": [
                {
                    "names": list(s.names),
                    "on": s.on,
                    "total": _plain(s.total),
                    "unit": s.unit,
                    "words": s.words,
                }
                for s in self.shared
            ],
            "not_in_equilibrium": [
                {
                    "parts": list(x.parts),
                    "missing": _plain(x.missing),
                    "unit": x.unit,
                    "words": x.words,
                }
                for x in self.loose
            ],
            "power_w": None
            if self.power is None
            else {key: _plain(value) for key, value in self.power._asdict().items()},
            "massless": list(self.massless),
        }

    def __str__(self) -> str:
        return self.sentence


def _most(loose: Loose) -> str:
    return amount(float(np.nanmax(np.abs(loose.missing))), loose.unit)


def _peak(values: Mapping[str, Array]) -> Peak | None:
    """Whose value is the largest in size, and where; None where none is a number."""
    best: Peak | None = None
    for name, value in values.items():
        if np.isfinite(value).any():
            state = int(np.nanargmax(np.abs(value)))
            if best is None or abs(value[state]) > ALIKE * abs(best.value):
                best = Peak(name, float(value[state]), state)
    return best


def _plain(values: Array) -> Any:
    """Numbers as lists, None where not a number."""
    out = values.astype(object)
    out[~np.isfinite(values)] = None
    return out.tolist()


def _pushed(d: DriverForce) -> dict[str, Any]:
    out = {"unit": d.unit, "force": _plain(d.value)}
    return out | {k: v for k, v in (("push", d.push), ("pull", d.pull)) if v is not None}


def _carried(r: Reaction) -> dict[str, Any]:
    return {
        "kind": r.kind,
        "on": list(r.on),
        "point_mm": _plain(r.point),
        "force_n": _plain(r.force),
        "torque_n_mm": _plain(r.torque),
        "pin_n": _plain(r.pin),
    }
