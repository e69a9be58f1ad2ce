"""Forces of an assembly: of drivers and limits, reactions of mates, and what is unbalanced.

Forces are in N, torques in N mm; in words N, kN and N m.  Statically indeterminate components are
NaN in arrays and null in JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.numerics.ties import first_largest
from ..foundations.types import Array, Bools
from ..model.mate import Reference
from .motion import json_numbers
from .wording.forces import amount
from .wording.phrases import count, listed

ALIKE = 1.0 + AGREEMENT
"""Ratio up to which forces count as equal; the first is reported."""

ARM = 1e3
"""Lever arm, mm, by which torques are compared with forces."""


@dataclass(frozen=True, eq=False)
class DriverForce:
    """Force or torque of a driver, or of a limit that blocks a coordinate.

    Attributes:
        unit: "N" for lengths and separations, "N mm" for angles.
        value: positive in the direction of growing coordinate, (n,): a cylinder under compression
            pushes with a positive force.  NaN where it is not determined.
        push, pull: capacity of a cylinder at its pressure, N; None where not specified.
    """

    name: str
    unit: str
    value: Array
    push: float | None = None
    pull: float | None = None

    @property
    def beyond(self) -> Bools:
        """Where the force exceeds the capacity, (n,)."""
        most = np.inf if self.push is None else self.push
        least = -np.inf if self.pull is None else -self.pull
        with np.errstate(invalid="ignore"):
            out: Bools = (self.value > most) | (self.value < least)
        return out


@dataclass(frozen=True, eq=False)
class Reaction:
    """Reaction of a mate on its second part, at the origin of the feature there; world axes.

    Attributes:
        name, kind: of the mate; on: the feature of the second part.
        point: mm, force: N, torque: N mm, (n, 3) each; a component that is not determined is NaN.
        determined: which components of force and torque are determined, (n, 6).
        known: projection of the force on the determined directions, (n, 3), N.
        pin: size of the force, N, (n,); for a joint with a rotation axis, across the axis.
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
class IndeterminateLoad:
    """A load that several mates or drivers carry together, statically indeterminate.

    Attributes:
        names: of the mates or drivers; on: the part that they act on, None for drivers.
        total: their sum, (n,), in `unit`, N or N mm; NaN where it is not determined either.
    """

    names: tuple[str, ...]
    on: str | None
    total: Array
    unit: str
    words: str


@dataclass(frozen=True, eq=False)
class UnbalancedMotion:
    """A motion that nothing drives and that is not in equilibrium.

    Attributes:
        parts: that would move; words: how.
        missing: the force or torque that would balance it, (n,), in `unit`, N or N mm; 0 where it
            is in equilibrium.
    """

    parts: tuple[str, ...]
    words: str
    missing: Array
    unit: str


class Power(NamedTuple):
    """Power of drivers, of loads and springs, of weights, and of inertia, W, (n,) each.

    That of inertia is minus the rate of the kinetic energy.
    """

    drivers: Array
    loads: Array
    gravity: Array
    inertia: Array

    @property
    def left(self) -> Array:
        """Their sum, W, (n,): rounding, where everything is in equilibrium."""
        return self.drivers + self.loads + self.gravity + self.inertia


class Peak(NamedTuple):
    """The largest absolute value: name, value, state."""

    name: str
    value: float
    state: int


@dataclass(frozen=True, eq=False)
class Forces:
    """The forces in n states; true in a condition when all are closed and in equilibrium.

    Attributes:
        t: s, (n,); valid: which states are closed; balanced: which of those are in equilibrium.
        drivers, stops, reactions: by the names of drivers, limits and mates; guides: reactions of
            the drivers that guide a part, by their names.
        shared: statically indeterminate loads; loose: what is not in equilibrium.
        power: None where velocities are unknown; inertia: whether inertia forces are included.
        massless: moving parts without a mass, if gravity or inertia act.
        free: parts that were fixed as reference, as nothing of theirs is grounded.
        scale: the largest applied force, N, with torques divided by 1 m; 0 without loads.
    """

    t: Array
    valid: Bools
    balanced: Bools
    drivers: Mapping[str, DriverForce]
    stops: Mapping[str, DriverForce]
    reactions: Mapping[str, Reaction]
    guides: Mapping[str, Reaction]
    shared: tuple[IndeterminateLoad, ...]
    loose: tuple[UnbalancedMotion, ...]
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
        return _peak({name: r.pin for name, r in self.reactions.items()})

    def place(self, state: int) -> str:
        """A state in words: the value of the driver, or the time; "" where there is but one."""
        return self._place(state)

    @cached_property
    def sentence(self) -> str:
        """The result in one sentence."""
        if not self.valid.any():
            return "no state is closed, so no force is known"
        words = [self._equilibrium]
        words += [self._driver(d) for d in self.drivers.values() if np.isfinite(d.value).any()]
        words += [self._guide(r) for r in self.guides.values() if np.isfinite(r.force).all(1).any()]
        if self.largest is not None and self.largest.value > AGREEMENT * self.scale:
            name, value, state = self.largest
            which = " that is determined" if self.shared else ""
            where = f"{name}{self._at(state)}"
            words.append(f"largest joint force{which} {amount(value, 'N')} ({where})")
        words += [s.words for s in self.shared]
        if self.massless:
            words.append(f"without a mass: {listed(list(self.massless), 3)}")
        if self.free:
            words.append(f"{listed(list(self.free), 3)} held, as nothing there is grounded")
        return "; ".join(words)

    @property
    def _equilibrium(self) -> str:
        if self.loose:
            where = self._counted(self.valid & ~self.balanced)
            most = [amount(float(np.nanmax(np.abs(x.missing))), x.unit) for x in self.loose]
            words = [f"{x.words} ({size})" for x, size in zip(self.loose, most, strict=True)]
            return f"not in equilibrium{where}: {listed(words, 3)}"
        if self.scale == 0.0:
            return "no load, no weight: nothing to hold"
        kind = "in dynamic equilibrium" if self.inertia else "in equilibrium"
        return kind + self._counted(self.balanced)

    def _counted(self, which: Bools) -> str:
        """As in " in 3 of 5 states"; "" where there is but one."""
        n, k = len(self.t), int(which.sum())
        some = "all" if k == n else f"{k} of"
        return f" in {some} {count(n, 'state')}" if n != 1 else ""

    def _driver(self, d: DriverForce) -> str:
        candidates = d.beyond if d.beyond.any() else np.isfinite(d.value)
        sizes = np.where(candidates, np.abs(d.value), -1.0)
        state = first_largest(sizes, float(sizes.max()))
        value = float(d.value[state])
        if abs(value) <= AGREEMENT * self.scale * (ARM if d.unit == "N mm" else 1.0):
            return f"{d.name} 0 {'N m' if d.unit == 'N mm' else 'N'}"
        verb = "" if d.unit == "N mm" else "pushes " if value > 0 else "pulls "
        many = len(self.t) > 1
        size = amount(value if d.unit == "N mm" and not many else abs(value), d.unit)
        up_to = "up to " if many else ""
        can = d.push if value > 0 else d.pull
        limit = f", more than its {amount(can, 'N')}" if d.beyond[state] and can else ""
        return f"{d.name} {verb}{up_to}{size}{self._at(state, ' at ')}{limit}"

    def _guide(self, r: Reaction) -> str:
        """The largest force and the largest torque of a guide, in words."""
        force, torque = (np.nan_to_num(np.linalg.norm(x, axis=1)) for x in (r.force, r.torque))
        up_to = "up to " if len(self.t) > 1 else ""
        size = f"{amount(float(force.max()), 'N')} and {amount(float(torque.max()), 'N mm')}"
        return f"{r.name} carries {up_to}{size}"

    def _at(self, state: int, word: str = ", ") -> str:
        place = self.place(state)
        return f"{word}{place}" if place else ""

    def to_dict(self) -> dict[str, Any]:
        """The forces for JSON: numbers for each state, null where not determined."""
        return {
            "sentence": self.sentence,
            "inertia": self.inertia,
            "t": self.t.tolist(),
            "valid": self.valid.tolist(),
            "balanced": self.balanced.tolist(),
            "drivers": {d.name: _driver_entry(d) for d in self.drivers.values()},
            "stops": {d.name: _driver_entry(d) for d in self.stops.values()},
            "mates": {r.name: _reaction_entry(r) for r in self.reactions.values()},
            "guides": {r.name: _reaction_entry(r) for r in self.guides.values()},
            "largest": None if self.largest is None else self.largest._asdict(),
            "shared": [
                {**vars(s), "names": list(s.names), "total": json_numbers(s.total)}
                for s in self.shared
            ],
            "not_in_equilibrium": [
                {
                    "parts": list(x.parts),
                    "missing": json_numbers(x.missing),
                    "unit": x.unit,
                    "words": x.words,
                }
                for x in self.loose
            ],
            "power_w": None
            if self.power is None
            else {key: json_numbers(value) for key, value in self.power._asdict().items()},
            "massless": list(self.massless),
        }

    def __str__(self) -> str:
        return self.sentence


def _peak(values: Mapping[str, Array]) -> Peak | None:
    """The largest absolute value of all; None where none is a number."""
    best: Peak | None = None
    for name, value in values.items():
        if np.isfinite(value).any():
            sizes = np.abs(value)
            state = first_largest(sizes, float(np.nanmax(sizes)))
            if best is None or abs(value[state]) > ALIKE * abs(best.value):
                best = Peak(name, float(value[state]), state)
    return best


def _driver_entry(d: DriverForce) -> dict[str, Any]:
    out = {"unit": d.unit, "force": json_numbers(d.value)}
    return out | {k: v for k, v in (("push", d.push), ("pull", d.pull)) if v is not None}


def _reaction_entry(r: Reaction) -> dict[str, Any]:
    return {
        "kind": r.kind,
        "on": list(r.on),
        "point_mm": json_numbers(r.point),
        "force_n": json_numbers(r.force),
        "torque_n_mm": json_numbers(r.torque),
        "pin_n": json_numbers(r.pin),
    }
