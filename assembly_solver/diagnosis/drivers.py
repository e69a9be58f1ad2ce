"""Drivers that are too many and drivers that are missing, and what would complete the set.

The six steps of Haug with joint coordinates as the coordinates that are suggested.  The free
motions at a closed pose, which come of the elimination of the mates (steps 1 to 4), are a basis of
what drivers can move; the rates of the drivers along them, reduced with full pivoting, tell which
drivers follow from the others (5), and how many are missing (6); the rates of the joint coordinates
below them tell which would do, by the size of their pivots.

A rank is that of one pose.  So the same is asked a little away, and a driver counts as too many
only if the rank does not rise there.

Source: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, section 4.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..foundations.geometry.screw import screw_of
from ..foundations.numerics.elimination import eliminate, partition
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.mates.couplings import Coupling
from ..model.measures.measure import Measure
from .freedoms import Diagnosis, FreeMotion
from .singularity import aside
from .stoppers import CHANGES, rates

LOOKS = 2
"""Places near by where the rank is taken again."""

FREE_DRIVER = 16.0
"""Weight of the pivot of a driver that is there and has no value: it is meant to be used."""

ON_THE_FRAME = 4.0
"""Weight of the pivot of a coordinate of a joint with a part at rest: motors stand there."""


class Suggestion(NamedTuple):
    """A coordinate that a driver could give values to.

    Attributes:
        driver: one that is there and has no value, or None for a new one of
        joint, coordinate: a joint coordinate.
    """

    driver: str | None
    joint: str | None = None
    coordinate: str | None = None


class Repeated(NamedTuple):
    """A driver that is too many.

    Attributes:
        driver: which; by: the other drivers that with the mates tell what it tells; none where the
            mates alone do.  Any of all these may be left out.
    """

    driver: str
    by: tuple[str, ...]


@dataclass(frozen=True)
class Drivers:
    """What some drivers determine of an assembly.

    Attributes:
        names: of the drivers that were looked at.
        repeated: those that are too many; missing: how many more would be needed.
        suggested: coordinates that would complete the set, as many as are missing if there are.
        idle: freedoms left in which a part only spins on the spot; no driver is missing for them.
        dead: drivers that move nothing at this pose, but do near by.
        singular: whether the mates leave more freedoms at this pose than near by.  Both are told
            as they are near by.
    """

    names: tuple[str, ...]
    repeated: tuple[Repeated, ...]
    missing: int
    suggested: tuple[Suggestion, ...]
    idle: int
    dead: tuple[str, ...] = ()
    singular: bool = False


def judge(d: Diagnosis, assembly: Assembly, names: Iterable[str]) -> Drivers:
    """What the drivers of these names determine at a closed pose.

    Args:
        d: by the mates alone, at a pose where the drivers hold as well.
        assembly: whose drivers and joint coordinates are named.
    """
    chosen = tuple(sorted(names))
    here = _Look(d, assembly, chosen)
    near = (aside(d, seed) for seed in range(LOOKS))
    looks = [_Look(other, assembly, chosen) for other in near if other is not None]
    best = max((here, *looks), key=lambda look: (-look.dof, look.rank))
    if (best.dof, best.rank) == (here.dof, here.rank):
        return here.told()
    singular = best.dof < here.dof
    still = {r.driver for r in here.repeated} - {r.driver for r in best.repeated}
    return best.told(() if singular else tuple(sorted(still)), singular)


def left_over(d: Diagnosis, assembly: Assembly) -> int:
    """Degrees of freedom that the drivers with a value leave at a closed pose."""
    driven = [x.name for x in assembly.drivers.values() if x.value is not None]
    look = _Look(d, assembly, tuple(driven)) if driven else None
    return d.dof - (look.rank if look else 0)


class _Look:
    """Drivers and free motions at one pose."""

    def __init__(self, d: Diagnosis, assembly: Assembly, names: tuple[str, ...]) -> None:
        self.d, self.assembly, self.names = d, assembly, names
        self.motions = [*d.free_motions, *_loose(d)]
        self.dof = len(self.motions)
        self.beside: dict[int, list[int]] = {}
        for k, motion in enumerate(self.motions):
            self.beside.setdefault(motion.component, []).append(k)
        self.of_row: list[str] = []
        measures: list[Measure] = []
        for name in names:
            for found in _measures(assembly.drivers[name]):
                measures.append(found)
                self.of_row.append(name)
        self.rows = self._rates(measures)
        reduced = eliminate(self.rows, cut=CHANGES)
        self.rank = reduced.rank
        self.kept = sorted(reduced.rows[: self.rank].tolist())
        self.surplus = sorted(reduced.redundant.tolist())

    def _rates(self, measures: Sequence[Measure]) -> Array:
        """Rates of some measures along all motions, rounding taken off."""
        out = np.zeros((len(measures), self.dof))
        for row, found in enumerate(measures):
            near = [k for c in self._behind(found) for k in self.beside.get(c, ())]
            if near:
                out[row, near] = rates(self.d, found, [self.motions[k] for k in near])
        return np.where(np.abs(out) > CHANGES, out, 0.0)

    def _behind(self, found: Measure) -> set[int]:
        """The components whose motions the ends of a measure take part in."""
        out = set()
        for end in (found.a, found.b):
            body = int(self.d.plan.bodies.of_part[self.d.index[end.part]])
            while body:
                k = self.d.component_of.get(body, -body)
                out.add(k)
                body = self.d.plan.components[k].root if k >= 0 else 0
        return out

    @property
    def repeated(self) -> tuple[Repeated, ...]:
        """The drivers that follow from others: each with those that it is a combination of."""
        kept = self.rows[self.kept]
        out: dict[str, set[str]] = {}
        for row in self.surplus:
            by = out.setdefault(self.of_row[row], set())
            if self.kept:
                share = np.linalg.lstsq(kept.T, self.rows[row], rcond=CHANGES)[0]
                used = np.flatnonzero(np.abs(share) * np.abs(kept).max(axis=1) > CHANGES)
                by |= {self.of_row[self.kept[k]] for k in used.tolist()}
        return tuple(Repeated(k, tuple(sorted(by - {k}))) for k, by in sorted(out.items()))

    def told(self, dead: tuple[str, ...] = (), singular: bool = False) -> Drivers:
        """The answer at this pose."""
        spins = np.eye(self.dof)[[k for k, v in enumerate(self.motions) if v.idle]]
        held = self.rows[self.kept]
        idle = len(spins) - eliminate(held @ spins.T, cut=CHANGES).rank
        missing = self.dof - self.rank - idle
        suggested = self._suggested(np.concatenate([held, spins])) if missing else ()
        return Drivers(self.names, self.repeated, missing, suggested, idle, dead, singular)

    def _suggested(self, settled: Array) -> tuple[Suggestion, ...]:
        """Coordinates whose rates are independent of rows that are settled, and of each other."""
        found = list(self._candidates())
        rows = self._rates([measure for _, measure, _ in found])
        weighted = rows * np.array([weight for _, _, weight in found])[:, None]
        without = set(partition(settled, weighted, CHANGES).redundant_drivers.tolist())
        return tuple(s for k, (s, _, _) in enumerate(found) if k not in without)

    def _candidates(self) -> Iterable[tuple[Suggestion, Measure, float]]:
        """Drivers without a value, then joint coordinates: what would be driven, and its weight."""
        for driver in self.assembly.drivers.values():
            if driver.name not in self.names:
                yield Suggestion(driver.name), driver.measure, FREE_DRIVER
        of_part = self.d.plan.bodies.of_part
        for name, held in self.assembly.held.items():
            at_rest = any(of_part[self.d.index[end.marker.part]] == 0 for end in (held.a, held.b))
            weight = ON_THE_FRAME if at_rest else 1.0
            known = () if isinstance(held.mate, Coupling) else held.mate.coordinates
            for coordinate in known:
                measure = held.mate.coordinate(coordinate, held.a, held.b)
                yield Suggestion(None, name, coordinate), measure, weight


def _measures(driver: Driver) -> list[Measure]:
    """What a driver gives values to: one measure, or what holds it where it has no slope."""
    if driver.value is None:
        return [driver.measure]
    return [found for terms, _ in driver.at(driver.value) for _, found in terms]


def _loose(d: Diagnosis) -> list[FreeMotion]:
    """Six motions of every part that no mate ties to another, told apart by negative components."""
    out = []
    for body in range(1, d.plan.bodies.count):
        if body not in d.component_of:
            at = d.poses[body, :3]
            for axis in np.eye(3):
                spin = np.concatenate([np.cross(at, axis), axis]) / d.plan.system.length
                turning, sliding = screw_of(np.zeros(3), axis, at), screw_of(axis, np.zeros(3), at)
                slide = np.concatenate([axis, np.zeros(3)])
                out.append(FreeMotion((body,), turning, False, -body, {body: spin}))
                out.append(FreeMotion((body,), sliding, False, -body, {body: slide}))
    return out
