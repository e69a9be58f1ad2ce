"""Circuits and branches of each driver, the others locked, with coupler curves of points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import AssemblySolverError
from ..foundations.watch import Watch
from ..linkages.circuits.circuit import Circuit
from ..model.assembly import Assembly
from ..model.mate import Reference
from ..verbs.linkage import Linkage, linkage
from .findings import CouplerCurve

NONE = "no circuits and branches"


@dataclass(frozen=True)
class DriverCircuits:
    """Circuits of a driver, the others locked.

    Attributes:
        circuits: that of the start first; coupler_curves: over that one.
        words: what was not searched, or why there are none; "" if neither.
    """

    circuits: tuple[Circuit, ...] = ()
    coupler_curves: tuple[CouplerCurve, ...] = ()
    words: str = ""


def circuits_of(
    given: Assembly, driver: str, points: Iterable[Reference], watch: Watch
) -> DriverCircuits:
    """The circuits of a driver of a solved assembly, and coupler curves over that of the start.

    The curves are those of pins of a drawing that are on one link only, and of `points`.
    """
    try:
        seen = linkage(given)
    except AssemblySolverError as why:
        return DriverCircuits(words=f"{NONE}: {why}")
    if driver not in seen.inputs:
        return DriverCircuits(words=f"{NONE}: {driver} moves nothing in a plane")
    found = seen.circuits(driver, cancel=watch.over)
    watch.check()
    start = [x for x in found if x.start][:1]
    curves = tuple(curve for x in start for curve in _curves(seen, x, points))
    return DriverCircuits(found.found, curves, found.words)


def _curves(seen: Linkage, circuit: Circuit, points: Iterable[Reference]) -> Iterator[CouplerCurve]:
    """The paths of points over a circuit."""
    frames = [seen.view.placed(b.positions) for b in circuit.branches]
    numbers = tuple(b.number for b in circuit.branches)
    named = {pin: Reference(link, pin) for pin, link in _tracers(seen.assembly)}
    named |= {str(p): p for p in points if p not in named.values()}
    for name, point in named.items():
        part = seen.view.parts.index(point.part)
        own = np.array(seen.assembly.part(point.part).feature(point.feature).frame[:3])
        lines = tuple(
            f[:, part, :3] + np.einsum("nkr,k->nr", f[:, part, 3:].reshape(-1, 3, 3), own)
            for f in frames
        )
        yield CouplerCurve(name, circuit.input, circuit.number, numbers, lines)


def _tracers(given: Assembly) -> Iterator[tuple[str, str]]:
    """Pins of a drawing that are on one moving link only, with the link."""
    drawing = given.drawing
    for pin in drawing.pins:
        links = drawing.links_at(pin)
        slides = drawing.slots_with(pin)
        if len(links) == 1 and not slides and not given.part(links[0]).grounded:
            yield pin, links[0]
