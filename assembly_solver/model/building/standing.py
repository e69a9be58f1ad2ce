"""Whether mates hold at the start poses: asked where an assembly is taken for a rigid part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import degrees, pi
from typing import NamedTuple

import numpy as np

from ...foundations.types import Array
from ..drivers.driver import Driver
from ..drivers.limit import Limit
from ..mate import Equation, Held, sense_taken
from ..measures.measure import IS_ANGLE, ROTATION, Marker, Measure, opposed, read
from ..part import Part


class Misfit(NamedTuple):
    """A promise that does not hold, and by how much, mm; angles at the reach of its features."""

    name: str
    off: float


def worst_misfit(
    parts: Mapping[str, Part],
    held: Iterable[Held],
    drivers: Iterable[Driver],
    limits: Iterable[Limit],
) -> Misfit | None:
    """The mate, driver with a value or limit that is off most at the start; None without any."""
    frames = {name: part.pose.frame for name, part in parts.items()}
    found = [Misfit(h.mate.name, _off(h.equations, frames, _turned(h, frames))) for h in held]
    found += [
        Misfit(d.name, _off(d.at(d.value), frames, None)) for d in drivers if d.value is not None
    ]
    found += [Misfit(f"limit {x.name}", _beyond(x, frames)) for x in limits]
    return max(found, key=lambda m: m.off, default=None)


def _beyond(limit: Limit, frames: Mapping[str, Array]) -> float:
    """How far a limit's coordinate is out of its bounds, read in the turn around their middle."""
    ((_, found),) = limit.equation.terms
    value = _value(found, frames, None)
    if limit.unit == "deg":
        value = limit.middle + (degrees(value) - limit.middle + 180.0) % 360.0 - 180.0
    inside = value if limit.min is None else max(value, limit.min)
    inside = inside if limit.max is None else min(inside, limit.max)
    return 0.0 if inside == value else _off(limit.at(inside), frames, None)


def _turned(held: Held, frames: Mapping[str, Array]) -> Marker | None:
    """The marker that is turned half a turn about its x, where the sense is opposed."""
    mate = held.mate
    taken = sense_taken(held, frames[mate.a.part], frames[mate.b.part])
    return held.b.marker if taken < 0 else None


def _off(
    equations: Iterable[Equation], frames: Mapping[str, Array], turned: Marker | None
) -> float:
    """The largest residual.  A constant that is taken from the start pose holds there."""
    worst = 0.0
    for terms, target in equations:
        if target is None:
            continue
        off = sum(c * _value(found, frames, turned) for c, found in terms) - target
        turns = [2 * pi * abs(c) for c, found in terms if found.kind == ROTATION]
        if turns:  # a pose does not tell whole turns
            off -= min(turns) * np.floor(off / min(turns) + 0.5)
        if IS_ANGLE[terms[0][1].kind]:
            arms = [np.linalg.norm(m.frame[:3]) for _, f in terms for m in (f.a, f.b)]
            off *= max(1.0, float(max(arms)))
        worst = max(worst, abs(float(off)))
    return worst


def _value(found: Measure, frames: Mapping[str, Array], turned: Marker | None) -> float:
    """A measure at the start poses, mm or rad."""
    a, b = (opposed(m) if m is turned else m for m in (found.a, found.b))
    return read(found._replace(a=a, b=b), frames[a.part], frames[b.part])
