"""What would stop a free motion: a driver of a joint coordinate, or one more mate.

Everything is tried, nothing is guessed: the rate at which a measure changes along each free motion
is its wrench times the twists of the two parts.  A measure that does not change along any motion
says nothing new; one that changes along this motion only stops this one and no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.feature import OWN_FEATURES, Feature, Plane, Point
from ..model.mate import POINTS, Mate
from ..model.measures import measure as m
from ..model.measures.measure import Marker, Measure, read
from .freedoms import Diagnosis, FreeMotion

CHANGES = 1e-6
"""Rate of a measure along a motion of unit size, mm per mm, from which it counts as changing."""

WELL = 1e-2
"""Rate from which a measure settles a motion well."""

FEATURES = 6
"""Features of a part that are tried for a new mate."""

Named = TypeVar("Named")


class Coordinate(NamedTuple):
    """A joint coordinate that a driver can name."""

    joint: str
    coordinate: str


class NewMate(NamedTuple):
    """A mate between two features that would remove a motion."""

    kind: str
    a: str
    b: str


@dataclass(frozen=True)
class Removal:
    """What stops a motion.

    Attributes:
        drivers: with a value, that stop it already.
        driver: a coordinate that a driver could hold; mate: a mate that could be added.
        alone: whether these stop no other motion; else they take one freedom of several away.
    """

    drivers: tuple[str, ...] = ()
    driver: Coordinate | None = None
    mate: NewMate | None = None
    alone: bool = True


def rates(d: Diagnosis, found: Measure, motions: Sequence[FreeMotion]) -> Array:
    """How fast a measure changes along some motions, mm; angles at the reach of features."""
    system, wrench = d.plan.system, np.empty(6)
    ends = [d.index[found.a.part], d.index[found.b.part]]
    read(found, d.parts[ends[0]], d.parts[ends[1]], wrench)
    scale = system.length if m.IS_ANGLE[found.kind] else 1.0
    first, second = (int(d.plan.bodies.of_part[k]) for k in ends)
    return np.array([scale * wrench @ (d.twist(v, second) - d.twist(v, first)) for v in motions])


class Removals:
    """Finds for every free motion what stops it.

    Args:
        diagnosis: at the closed pose; assembly: whose coordinates and features are tried.
    """

    def __init__(self, diagnosis: Diagnosis, assembly: Assembly) -> None:
        self.diagnosis, self.assembly = diagnosis, assembly
        self.system = diagnosis.plan.system
        self.index = diagnosis.index
        self.of_part = diagnosis.plan.bodies.of_part
        self.motions = diagnosis.free_motions
        self.beside: dict[int, list[int]] = {}
        for k, motion in enumerate(self.motions):
            self.beside.setdefault(motion.component, []).append(k)

    def all(self) -> list[Removal]:
        """What stops each free motion, in their order."""
        held = self._held()
        return [Removal(held[k]) if held[k] else self._new(k) for k in range(len(self.motions))]

    # ------------------------------------------------------------------ rates
    def _rates(self, found: Measure, motions: Sequence[int]) -> Array:
        """How fast a measure changes along some motions, mm; angles at the reach of features."""
        return rates(self.diagnosis, found, [self.motions[k] for k in motions])

    def _moves(self, motion: FreeMotion, part: str) -> bool:
        return bool(np.any(self.diagnosis.twist(motion, int(self.of_part[self.index[part]]))))

    # ------------------------------------------------------------------ drivers with a value
    def _held(self) -> list[tuple[str, ...]]:
        """For each motion the drivers that hold it, where together they do."""
        drivers = [d for d in self.assembly.drivers.values() if d.value is not None]
        held: list[tuple[str, ...]] = [()] * len(self.motions)
        if not drivers or not self.motions:
            return held
        along = [self._along(d) for d in drivers]
        names = [d.name for d, rows in zip(drivers, along, strict=True) for _ in rows]
        rates = np.concatenate(along)
        inverse = np.linalg.pinv(rates, rcond=CHANGES)
        off = inverse @ rates - np.eye(len(self.motions))
        for k in np.flatnonzero(np.abs(off).max(axis=1) < CHANGES).tolist():
            share = np.abs(inverse[k]) * np.abs(rates).max(axis=1)
            used = share > CHANGES * share.max()
            held[k] = tuple(dict.fromkeys(n for n, u in zip(names, used, strict=True) if u))
        return held

    def _along(self, driver: Driver) -> Array:
        """How fast what a driver holds changes along every motion: a row for each equation."""
        assert driver.value is not None
        measures = [found for terms, _ in driver.at(driver.value) for _, found in terms]
        out = np.zeros((len(measures), len(self.motions)))
        concerned = list(range(len(self.motions)))
        if driver.joint is not None:  # between two bodies of one component: only its motions
            ends = {int(self.of_part[self.index[e.part]]) for e in measures[0][3:5]}
            near = {self.diagnosis.component_of.get(body) for body in ends}
            concerned = [k for c in near if c is not None for k in self.beside.get(c, [])]
        if concerned:
            out[:, concerned] = [self._rates(found, concerned) for found in measures]
        return out

    # ------------------------------------------------------------------ something new
    def _new(self, k: int) -> Removal:
        """A driver and a mate that would stop a motion, and no other where one does."""
        motion = self.motions[k]
        driver, touched = self._best(k, self._coordinates(motion))
        mate, others = self._best(k, self._mates(motion))
        alone = min(touched, others) == 0
        if alone:
            driver, mate = (driver if touched == 0 else None), (mate if others == 0 else None)
        return Removal((), driver, mate, alone)

    def _best(
        self, k: int, candidates: Iterator[tuple[Named, list[Measure]]]
    ) -> tuple[Named | None, int]:
        """The first candidate that removes one freedom, this motion, and how many others it ties.

        Where none stops this motion alone, the one that ties the fewest others.
        """
        beside = self.beside[self.motions[k].component]
        best, fewest = None, len(beside)
        for name, measures in candidates:
            rates = np.array([self._rates(found, beside) for found in measures])
            size = np.abs(rates).max(axis=0)
            others = int(np.sum(size > CHANGES)) - 1
            removes_one = len(rates) == 1 or np.linalg.matrix_rank(rates, tol=CHANGES) == 1
            if size[beside.index(k)] > WELL and others < fewest and removes_one:
                best, fewest = name, others
                if others == 0:
                    break
        return best, fewest

    def _coordinates(self, motion: FreeMotion) -> Iterator[tuple[Coordinate, list[Measure]]]:
        """Joint coordinates of the component, those of the first part that moves first."""
        component = self.diagnosis.plan.components[motion.component]
        first = motion.bodies[0]
        names = [self.system.promises[k] for k in component.promises]
        held = [self.assembly.held[name] for name in names if name in self.assembly.held]
        held.sort(key=lambda h: first not in self._bodies(h.mate))
        for h in held:
            for coordinate in h.mate.coordinates:
                name = Coordinate(h.mate.name, coordinate)
                yield name, [h.mate.coordinate(coordinate, h.a, h.b)]

    def _bodies(self, mate: Mate) -> set[int]:
        return {int(self.of_part[self.index[part]]) for part in (mate.a.part, mate.b.part)}

    def _mates(self, motion: FreeMotion) -> Iterator[tuple[NewMate, list[Measure]]]:
        """Mates of few equations between the first part that moves and one at rest."""
        body = motion.bodies[0]
        part = self.system.parts[int(np.flatnonzero(self.of_part == body)[0])]
        other = self._at_rest(motion, part)
        for own in (False, True):
            for kind in (_parallel, _angle, _in_plane, _distance):
                for x, f in _features(self.assembly, other, own):
                    for y, g in _features(self.assembly, part, own):
                        found = kind(self.diagnosis, self.index, (other, f), (part, g))
                        if found:
                            name = kind.__name__.strip("_")
                            yield NewMate(KINDS[name], f"{other}.{x}", f"{part}.{y}"), found

    def _at_rest(self, motion: FreeMotion, part: str) -> str:
        """A part that stands still in a motion: one mated with the part, else a held one."""
        for h in self.assembly.held.values():
            ends = {h.mate.a.part, h.mate.b.part}
            for other in ends - {part} if part in ends else ():
                if not self._moves(motion, other):
                    return other
        return self.system.parts[int(np.flatnonzero(self.system.held)[0])]


# ---------------------------------------------------------------------------------- new mates
KINDS = {
    "parallel": "parallel",
    "angle": "angle",
    "in_plane": "point_in_plane",
    "distance": "distance",
}
"""Kinds of mates that are tried, by the functions below that measure them."""

OnPart = tuple[str, Feature]


def _features(assembly: Assembly, part: str, own: bool) -> list[tuple[str, Feature]]:
    """Some features of a part: those that it was given, or those that every part has."""
    given = assembly.parts[part].features
    if own:  # the axes first: they say best what is meant; a name that was given means that
        unnamed = ((name, f) for name, f in OWN_FEATURES.items() if name not in given)
        return sorted(unnamed, key=lambda item: len(item[0]))
    return list(given.items())[:FEATURES]


def _sine(d: Diagnosis, index: dict[str, int], a: OnPart, b: OnPart) -> float | None:
    """Sine of the angle between two directions at the closed pose; None where one is missing."""
    if not (a[1].directed and b[1].directed):
        return None
    u, v = (np.array(f.frame[9:12]) @ d.parts[index[p], 3:].reshape(3, 3) for p, f in (a, b))
    return float(np.linalg.norm(np.cross(u, v)))


def _markers(a: OnPart, b: OnPart) -> tuple[Marker, Marker]:
    return Marker(a[0], a[1].frame), Marker(b[0], b[1].frame)


def _parallel(d: Diagnosis, index: dict[str, int], a: OnPart, b: OnPart) -> list[Measure]:
    """Two directions that are parallel now stay so: the cosines across the first."""
    sine = _sine(d, index, a, b)
    if sine is None or sine > CHANGES:
        return []
    ends = _markers(a, b)
    return [Measure(m.COSINE, 0, 2, *ends), Measure(m.COSINE, 1, 2, *ends)]


def _angle(d: Diagnosis, index: dict[str, int], a: OnPart, b: OnPart) -> list[Measure]:
    """The angle that two directions enclose now."""
    sine = _sine(d, index, a, b)
    return [Measure(m.INCLINATION, 2, 2, *_markers(a, b))] if sine and sine > WELL else []


def _in_plane(d: Diagnosis, index: dict[str, int], a: OnPart, b: OnPart) -> list[Measure]:
    """The height of a point over a plane."""
    if isinstance(a[1], Plane) and isinstance(b[1], POINTS):
        return [Measure(m.DISPLACEMENT, 2, 0, *_markers(a, b))]
    if isinstance(b[1], Plane) and isinstance(a[1], POINTS):
        return [Measure(m.DISPLACEMENT, 2, 0, *_markers(b, a))]
    return []


def _distance(d: Diagnosis, index: dict[str, int], a: OnPart, b: OnPart) -> list[Measure]:
    """The distance of two points that are apart now."""
    if not (isinstance(a[1], Point) and isinstance(b[1], Point)):
        return []
    p, q = (
        np.array(f.frame[:3]) @ d.parts[index[part], 3:].reshape(3, 3) + d.parts[index[part], :3]
        for part, f in (a, b)
    )
    apart = float(np.linalg.norm(p - q))
    return [Measure(m.SEPARATION, 0, 0, *_markers(a, b))] if apart > WELL else []
