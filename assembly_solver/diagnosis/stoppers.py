"""What would remove a free motion: a driver of a joint coordinate, or one more mate.

The rate of a measure along a free motion is its wrench times the relative twist of the two parts.
A measure without a rate along any motion would be redundant; one with a rate along a single motion
removes this motion and no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import dist, hypot
from typing import NamedTuple, TypeVar

import numpy as np

from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.feature import OWN_FEATURES, Feature, Plane, Point
from ..model.mate import POINTS, Mate, ResolvedMate
from ..model.measures import measure as m
from ..model.measures.measure import Marker, Measure, read
from .freedoms import Diagnosis, FreeMotion

CLEAR_RATE = 1e-2
"""A setting: rate above which a measure may be proposed: the motion is well determined by it."""

FEATURES = 6
"""Most features of a part that are tried for a new mate."""

Candidate = TypeVar("Candidate")


class FreeCoordinate(NamedTuple):
    """A joint coordinate that can be driven."""

    joint: str
    coordinate: str


class NewMate(NamedTuple):
    """A mate between two features that would remove a motion."""

    kind: str
    a: str
    b: str


class Removal(NamedTuple):
    """What removes a free motion.

    Attributes:
        drivers: names of drivers with a value that remove it already.
        driver: a coordinate that could be driven; mate: a mate that could be added.
        alone: whether these remove this motion only; otherwise one freedom of several.
    """

    drivers: tuple[str, ...] = ()
    driver: FreeCoordinate | None = None
    mate: NewMate | None = None
    alone: bool = True


def rates(d: Diagnosis, found: Measure, motions: Sequence[FreeMotion]) -> Array:
    """Rates of a measure along some motions, (motions,), mm; angles times the length."""
    return relative_twists(d, found.a.part, found.b.part, motions) @ _wrench(d, found)


def relative_twists(d: Diagnosis, a: str, b: str, motions: Sequence[FreeMotion]) -> Array:
    """Twists of a part b relative to a part a in some motions, (motions, 6)."""
    first, second = (int(d.plan.bodies.of_part[d.index[part]]) for part in (a, b))
    return d.twists(motions, second) - d.twists(motions, first)


def _wrench(d: Diagnosis, found: Measure) -> Array:
    """The wrench of a measure, (6,); that of an angle times the length."""
    wrench = np.empty(6)
    read(found, d.parts[d.index[found.a.part]], d.parts[d.index[found.b.part]], wrench)
    return wrench * d.plan.system.length if m.IS_ANGLE[found.kind] else wrench


def driven_measures(driver: Driver) -> list[Measure]:
    """The measures that a driver prescribes: one, or several where its measure is singular."""
    if driver.value is None:
        return [driver.measure]
    return [found for terms, _ in driver.at(driver.value) for _, found in terms]


class RemovalSearch:
    """Finds for every free motion what would remove it, by trying coordinates and features."""

    def __init__(self, diagnosis: Diagnosis, assembly: Assembly) -> None:
        self.diagnosis, self.assembly = diagnosis, assembly
        self.system = diagnosis.plan.system
        self.index = diagnosis.index
        self.of_part = diagnosis.plan.bodies.of_part
        self.motions = diagnosis.free_motions
        self.mates_of: dict[str, list[Mate]] = {}
        for h in assembly.held.values():
            for part in {h.mate.a.part, h.mate.b.part}:
                self.mates_of.setdefault(part, []).append(h.mate)
        self.of_component: dict[int, list[int]] = {}
        for k, motion in enumerate(self.motions):
            self.of_component.setdefault(motion.component, []).append(k)
        self._twists: dict[tuple[int, str, str], Array] = {}
        self._mates_in: dict[int, list[tuple[ResolvedMate, set[int]]]] = {}
        self._placed: dict[tuple[str, bool], list[PlacedFeature]] = {}

    def all(self) -> list[Removal]:
        """What removes each free motion, in their order."""
        driven = self._driven()
        return [Removal(names) if names else self._new(k) for k, names in enumerate(driven)]

    # ------------------------------------------------------------------ rates
    def _rates(self, found: Measure, motions: Sequence[int]) -> Array:
        """As `rates`, for motions by index."""
        return rates(self.diagnosis, found, [self.motions[k] for k in motions])

    def _rates_in(self, component: int, found: Measure) -> Array:
        """The same for all motions of a component."""
        key = component, found.a.part, found.b.part
        if key not in self._twists:
            motions = [self.motions[k] for k in self.of_component[component]]
            self._twists[key] = relative_twists(self.diagnosis, *key[1:], motions)
        return self._twists[key] @ _wrench(self.diagnosis, found)

    def _moves(self, motion: FreeMotion, part: str) -> bool:
        return bool(np.any(self.diagnosis.twists([motion], int(self.of_part[self.index[part]]))))

    # ------------------------------------------------------------------ drivers with a value
    def _driven(self) -> list[tuple[str, ...]]:
        """For each motion the drivers that together determine it, if they do."""
        drivers = [d for d in self.assembly.drivers.values() if d.value is not None]
        out: list[tuple[str, ...]] = [()] * len(self.motions)
        if not drivers or not self.motions:
            return out
        along = [self._along(d) for d in drivers]
        names = [d.name for d, rows in zip(drivers, along, strict=True) for _ in rows]
        rates = np.concatenate(along)
        inverse = np.linalg.pinv(rates, rcond=FAINT)
        off = inverse @ rates - np.eye(len(self.motions))
        for k in np.flatnonzero(np.abs(off).max(axis=1) < FAINT).tolist():
            share = np.abs(inverse[k]) * np.abs(rates).max(axis=1)
            used = share > FAINT * share.max()
            out[k] = tuple(dict.fromkeys(n for n, u in zip(names, used, strict=True) if u))
        return out

    def _along(self, driver: Driver) -> Array:
        """Rates of the equations of a driver along all motions, (equations, motions)."""
        measures = driven_measures(driver)
        out = np.zeros((len(measures), len(self.motions)))
        chosen = list(range(len(self.motions)))
        if driver.joint is not None:  # between two bodies of one component: only its motions
            ends = {int(self.of_part[self.index[e.part]]) for e in measures[0][3:5]}
            near = {self.diagnosis.component_of.get(body) for body in ends}
            chosen = [k for c in near if c is not None for k in self.of_component.get(c, [])]
        if chosen:
            out[:, chosen] = [self._rates(found, chosen) for found in measures]
        return out

    # ------------------------------------------------------------------ new drivers and mates
    def _new(self, k: int) -> Removal:
        """A driver and a mate that would remove a motion; if one does so alone, only such."""
        self.diagnosis.check()
        motion = self.motions[k]
        driver, by_driver = self._best(k, self._coordinates(motion))
        mate, by_mate = self._best(k, self._mates(motion))
        alone = min(by_driver, by_mate) == 0
        if alone:
            driver, mate = (driver if by_driver == 0 else None), (mate if by_mate == 0 else None)
        return Removal((), driver, mate, alone)

    def _best(
        self, k: int, candidates: Iterator[tuple[Candidate, list[Measure]]]
    ) -> tuple[Candidate | None, int]:
        """The candidate, if any, that removes one freedom and changes along the fewest other
        motions, and their number."""
        component = self.motions[k].component
        motions = self.of_component[component]
        best, fewest, own = None, len(motions), motions.index(k)
        for name, measures in candidates:
            rates = np.array([self._rates_in(component, found) for found in measures])
            size = np.abs(rates).max(axis=0)
            if size[own] <= CLEAR_RATE:
                continue
            others = int(np.count_nonzero(size > FAINT)) - 1
            if others >= fewest:
                continue
            if len(rates) == 1 or np.linalg.matrix_rank(rates, tol=FAINT) == 1:
                best, fewest = name, others
                if others == 0:
                    break
        return best, fewest

    def _coordinates(self, motion: FreeMotion) -> Iterator[tuple[FreeCoordinate, list[Measure]]]:
        """Joint coordinates of the component, those of the first moving body first."""
        if motion.component < 0:  # no joint ties it to anything
            return
        first, moving = motion.bodies[0], set(motion.bodies)
        near = [x for x in self._joined(motion.component) if not moving.isdisjoint(x[1])]
        for h, _ in sorted(near, key=lambda x: first not in x[1]):
            for coordinate in h.mate.coordinates:
                name = FreeCoordinate(h.mate.name, coordinate)
                yield name, [h.mate.coordinate(coordinate, h.a, h.b)]

    def _joined(self, component: int) -> list[tuple[ResolvedMate, set[int]]]:
        """The mates of a component, and the bodies that each joins."""
        if component not in self._mates_in:
            own = self.diagnosis.plan.components[component].constraints
            names = [self.system.constraints[k] for k in own]
            held = [self.assembly.held[name] for name in names if name in self.assembly.held]
            ends = [(h.mate.a.part, h.mate.b.part) for h in held]
            bodies = [{int(self.of_part[self.index[p]]) for p in both} for both in ends]
            self._mates_in[component] = list(zip(held, bodies, strict=True))
        return self._mates_in[component]

    def _mates(self, motion: FreeMotion) -> Iterator[tuple[NewMate, list[Measure]]]:
        """Mates of few equations between the first moving part and one at rest."""
        body = motion.bodies[0]
        part = self.diagnosis.names_of[body][0]
        other = self._at_rest(motion, part)
        if other is None:
            return
        for standard in (False, True):
            for kind, measures in KINDS.items():
                for x in self._features(other, standard):
                    for y in self._features(part, standard):
                        found = measures(x, y)
                        if found:
                            yield NewMate(kind, f"{other}.{x.name}", f"{part}.{y.name}"), found

    def _features(self, part: str, standard: bool) -> list[PlacedFeature]:
        """Features of a part: those defined by the user, or the standard ones of every part."""
        key = part, standard
        if key not in self._placed:
            defined = self.assembly.parts[part].features
            if standard:  # the axes first, their names are short; a user's feature hides them
                rest = ((name, f) for name, f in OWN_FEATURES.items() if name not in defined)
                some = sorted(rest, key=lambda item: len(item[0]))
            else:
                some = list(islice(defined.items(), FEATURES))
            pose = self.diagnosis.parts[self.index[part]].tolist()
            self._placed[key] = [PlacedFeature.of(part, *each, pose) for each in some]
        return self._placed[key]

    def _at_rest(self, motion: FreeMotion, part: str) -> str | None:
        """A part at rest in a motion: one that is mated with the part, else a fixed one, if any."""
        for mate in self.mates_of.get(part, ()):
            for other in {mate.a.part, mate.b.part} - {part}:
                if not self._moves(motion, other):
                    return other
        return next((self.system.parts[k] for k in np.flatnonzero(self.system.fixed)), None)


# ---------------------------------------------------------------------------------- new mates
class PlacedFeature(NamedTuple):
    """A feature of a part, with its origin, mm, and its direction, if it has one, in the world."""

    part: str
    name: str
    feature: Feature
    at: tuple[float, ...]
    along: tuple[float, ...] | None

    @classmethod
    def of(cls, part: str, name: str, feature: Feature, pose: list[float]) -> PlacedFeature:
        """That of a part with a pose, (12,)."""
        frame = feature.frame
        at = tuple(x + y for x, y in zip(_turned(pose, frame[:3]), pose, strict=False))
        along = _turned(pose, frame[9:12]) if feature.directed else None
        return cls(part, name, feature, at, along)


def _turned(pose: list[float], v: tuple[float, ...]) -> tuple[float, ...]:
    """A vector of a part in the world."""
    x, y, z = v
    return tuple(x * pose[k] + y * pose[k + 3] + z * pose[k + 6] for k in (3, 4, 5))


def _sine(a: PlacedFeature, b: PlacedFeature) -> float | None:
    """Sine of the angle between two directions at the closed pose; None where one is missing."""
    if a.along is None or b.along is None:
        return None
    (x, y, z), (p, q, r) = a.along, b.along
    return hypot(y * r - z * q, z * p - x * r, x * q - y * p)


def _markers(a: PlacedFeature, b: PlacedFeature) -> tuple[Marker, Marker]:
    return Marker(a.part, a.feature.frame), Marker(b.part, b.feature.frame)


def _parallel(a: PlacedFeature, b: PlacedFeature) -> list[Measure]:
    """The cosines across the first direction, of two that are parallel now."""
    sine = _sine(a, b)
    if sine is None or sine > FAINT:
        return []
    return [Measure(m.COSINE, axis, 2, *_markers(a, b)) for axis in (0, 1)]


def _angle(a: PlacedFeature, b: PlacedFeature) -> list[Measure]:
    """The angle of two directions that are not parallel now."""
    sine = _sine(a, b)
    return [Measure(m.INCLINATION, 2, 2, *_markers(a, b))] if sine and sine > CLEAR_RATE else []


def _in_plane(a: PlacedFeature, b: PlacedFeature) -> list[Measure]:
    """The height of a point over a plane."""
    for plane, point in ((a, b), (b, a)):
        if isinstance(plane.feature, Plane) and isinstance(point.feature, POINTS):
            return [Measure(m.DISPLACEMENT, 2, 0, *_markers(plane, point))]
    return []


def _distance(a: PlacedFeature, b: PlacedFeature) -> list[Measure]:
    """The distance of two points that do not coincide now."""
    if not (isinstance(a.feature, Point) and isinstance(b.feature, Point)):
        return []
    away = dist(a.at, b.at)
    return [Measure(m.SEPARATION, 0, 0, *_markers(a, b))] if away > CLEAR_RATE else []


KINDS = {"parallel": _parallel, "angle": _angle, "point_in_plane": _in_plane, "distance": _distance}
"""Kinds of mates that are tried, and their measures, none where a kind does not suit."""
