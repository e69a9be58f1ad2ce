"""Redundant drivers, missing drivers, and joint coordinates that would complete the set.

The six steps of Haug with joint coordinates as candidates.  The free motions at a closed pose
replace the elimination of the mates (steps 1 to 4).  The rates of the drivers along them are
reduced with full pivoting: dependent rows are redundant drivers (5), and the rank deficit is the
number of missing drivers (6).  The rates of the joint coordinates, reduced after them, give the
suggestions by the size of their pivots.

A rank is that of one pose.  The same is therefore computed at neighbouring poses, and a driver is
redundant only if the rank does not rise there.

Source: Haug, section 4.6; docs/theory/perturbation.md, 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.elimination import eliminate, partition
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.mates.couplings import Coupling
from ..model.measures.measure import Measure
from .freedoms import Diagnosis
from .singularity import perturbed_diagnosis
from .stoppers import driven_measures, rates

NEIGHBOURS = 2
"""Neighbouring poses at which the rank is computed again."""

FREE_DRIVER = 16.0
"""Weight of the pivot of an existing driver without a value: it is meant to be used."""

ON_THE_FRAME = 4.0
"""Weight of the pivot of a coordinate of a joint with a fixed part: motors are mounted there."""


class Suggestion(NamedTuple):
    """A coordinate that could be driven: an existing driver without a value, else the "angle" or
    "length" of a joint, by the name of its mate.
    """

    driver: str | None
    joint: str | None = None
    coordinate: str | None = None


class RedundantDriver(NamedTuple):
    """A driver, and the others that determine it together with the mates, if these alone do not.

    Any one of all these may be removed.
    """

    driver: str
    by: tuple[str, ...]


class DriverDiagnosis(NamedTuple):
    """Redundant and missing drivers of a set.

    Attributes:
        names: of the drivers of the set.
        repeated: the redundant ones; missing: number of further drivers needed.
        suggested: coordinates that would complete the set, as many as are missing if possible.
        idle: idle freedoms that remain; they need no driver.
        dead: drivers at a dead point: they are independent only at neighbouring poses.
        singular: whether the mates leave more freedoms at this pose than at neighbouring ones; the
            other attributes are then those of a neighbouring pose.
    """

    names: tuple[str, ...]
    repeated: tuple[RedundantDriver, ...]
    missing: int
    suggested: tuple[Suggestion, ...]
    idle: int
    dead: tuple[str, ...] = ()
    singular: bool = False


def diagnose_drivers(d: Diagnosis, assembly: Assembly, names: Iterable[str]) -> DriverDiagnosis:
    """Find the redundant and the missing drivers of a set, from the diagnosis of the mates alone at
    a closed pose where the drivers hold as well.
    """
    chosen = tuple(sorted(names))
    here = _DriverRates(d, assembly, chosen)
    near = (perturbed_diagnosis(d, seed) for seed in range(NEIGHBOURS))
    others = [_DriverRates(other, assembly, chosen) for other in near if other is not None]
    best = max((here, *others), key=lambda pose: (-pose.dof, pose.rank))
    if (best.dof, best.rank) == (here.dof, here.rank):
        return here.diagnosis()
    singular = best.dof < here.dof
    dead = {r.driver for r in here.repeated} - {r.driver for r in best.repeated}
    return best.diagnosis(() if singular else tuple(sorted(dead)), singular)


def remaining_dof(d: Diagnosis, assembly: Assembly) -> int:
    """Degrees of freedom that the drivers with a value leave at a closed pose."""
    driven = [x.name for x in assembly.drivers.values() if x.value is not None]
    return d.dof - (_DriverRates(d, assembly, tuple(driven)).rank if driven else 0)


class _DriverRates:
    """Rates of drivers along the free motions at one pose."""

    def __init__(self, d: Diagnosis, assembly: Assembly, names: tuple[str, ...]) -> None:
        self.d, self.assembly, self.names = d, assembly, names
        self.motions = d.free_motions
        self.dof = len(self.motions)
        self.of_component: dict[int, list[int]] = {}
        for k, motion in enumerate(self.motions):
            self.of_component.setdefault(motion.component, []).append(k)
        driven = [(name, x) for name in names for x in driven_measures(assembly.drivers[name])]
        self.of_row = [name for name, _ in driven]
        self.rows = self._rates([measure for _, measure in driven])
        reduced = eliminate(self.rows, cut=FAINT)
        self.rank = reduced.rank
        self.independent = sorted(reduced.rows[: self.rank].tolist())
        self.redundant = sorted(reduced.redundant.tolist())

    def _rates(self, measures: Sequence[Measure]) -> Array:
        """Rates of some measures along all motions, (measures, motions), rounding set to zero."""
        out = np.zeros((len(measures), self.dof))
        for row, found in enumerate(measures):
            near = [k for c in self._components(found) for k in self.of_component.get(c, ())]
            if near:
                out[row, near] = rates(self.d, found, [self.motions[k] for k in near])
        return np.where(np.abs(out) > FAINT, out, 0.0)

    def _components(self, found: Measure) -> set[int]:
        """The components whose motions move an end of a measure; negative for unmated bodies."""
        out = set()
        for end in (found.a, found.b):
            body = int(self.d.plan.bodies.of_part[self.d.index[end.part]])
            while body:
                k = self.d.component_of.get(body, -body)
                out.add(k)
                body = self.d.plan.components[k].root if k >= 0 else 0
        return out

    @property
    def repeated(self) -> tuple[RedundantDriver, ...]:
        """The redundant drivers, each with those whose combination it is."""
        independent = self.rows[self.independent]
        out: dict[str, set[str]] = {}
        for row in self.redundant:
            by = out.setdefault(self.of_row[row], set())
            if self.independent:
                share = np.linalg.lstsq(independent.T, self.rows[row], rcond=FAINT)[0]
                used = np.flatnonzero(np.abs(share) * np.abs(independent).max(axis=1) > FAINT)
                by |= {self.of_row[self.independent[k]] for k in used.tolist()}
        return tuple(RedundantDriver(k, tuple(sorted(by - {k}))) for k, by in sorted(out.items()))

    def diagnosis(self, dead: tuple[str, ...] = (), singular: bool = False) -> DriverDiagnosis:
        """The redundant and missing drivers at this pose."""
        spins = np.eye(self.dof)[[k for k, v in enumerate(self.motions) if v.idle]]
        driven = self.rows[self.independent]
        idle = len(spins) - eliminate(driven @ spins.T, cut=FAINT).rank
        missing = self.dof - self.rank - idle
        suggested = self._suggested(np.concatenate([driven, spins])) if missing else ()
        return DriverDiagnosis(self.names, self.repeated, missing, suggested, idle, dead, singular)

    def _suggested(self, driven: Array) -> tuple[Suggestion, ...]:
        """Coordinates whose rates are independent of the driven rows, and of each other."""
        found = list(self._candidates())
        rows = self._rates([measure for _, measure, _ in found])
        weighted = rows * np.array([weight for _, _, weight in found])[:, None]
        dependent = set(partition(driven, weighted, FAINT).redundant_drivers.tolist())
        return tuple(s for k, (s, _, _) in enumerate(found) if k not in dependent)

    def _candidates(self) -> Iterable[tuple[Suggestion, Measure, float]]:
        """Drivers without a value, then joint coordinates, each with its measure and weight."""
        for driver in self.assembly.drivers.values():
            if driver.name not in self.names:
                yield Suggestion(driver.name), driver.measure, FREE_DRIVER
        of_part = self.d.plan.bodies.of_part
        for name, held in self.assembly.held.items():
            at_rest = any(of_part[self.d.index[end.marker.part]] == 0 for end in (held.a, held.b))
            weight = ON_THE_FRAME if at_rest else 1.0
            for coordinate in () if isinstance(held.mate, Coupling) else held.mate.coordinates:
                measure = held.mate.coordinate(coordinate, held.a, held.b)
                yield Suggestion(None, name, coordinate), measure, weight
