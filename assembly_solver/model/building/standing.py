"""Whether constraints hold at the start poses; needed where an assembly becomes a rigid part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import degrees, hypot, pi
from typing import NamedTuple

import numpy as np

from ...foundations.types import Array
from ..drivers.driver import Driver
from ..drivers.limit import Limit
from ..mate import Equation, ResolvedMate, resolved_sense
from ..measures.measure import IS_ANGLE, ROTATION, Marker, Measure, opposed, read
from ..part import Part


class Misfit(NamedTuple):
    """The residual of a constraint, mm; an angle is multiplied by the reach of its features."""

    name: str
    off: float


def worst_misfit(
    parts: Mapping[str, Part],
    mates: Iterable[ResolvedMate],
    drivers: Iterable[Driver],
    limits: Iterable[Limit],
) -> Misfit | None:
    """The mate, driver with a value or limit with the largest residual at the start, or None."""
    frames = {name: part.pose.frame for name, part in parts.items()}
    found = [Misfit(h.mate.name, _off(h.equations, frames, _reversed(h, frames))) for h in mates]
    found += [
        Misfit(d.name, _off(d.at(d.value), frames, None)) for d in drivers if d.value is not None
    ]
    found += [Misfit(f"limit {x.name}", _violation(x, frames)) for x in limits]
    return max(found, key=lambda m: m.off, default=None)


def _violation(limit: Limit, frames: Mapping[str, Array]) -> float:
    """How far a limit's coordinate is outside its bounds, in the turn around their middle, mm."""
    ((_, found),) = limit.equation.terms
    value = _value(found, frames, None)
    if limit.unit == "deg":
        value = limit.middle + (degrees(value) - limit.middle + 180.0) % 360.0 - 180.0
    inside = value if limit.min is None else max(value, limit.min)
    inside = inside if limit.max is None else min(inside, limit.max)
    return 0.0 if inside == value else _off(limit.at(inside), frames, None)


def _reversed(found: ResolvedMate, frames: Mapping[str, Array]) -> Marker | None:
    """The marker that counts as rotated by half a turn about its x: of an opposed sense."""
    mate = found.mate
    sense = resolved_sense(found, frames[mate.a.part], frames[mate.b.part])
    return found.b.marker if sense < 0 else None


def _off(
    equations: Iterable[Equation], frames: Mapping[str, Array], opposite: Marker | None
) -> float:
    """The distance by which a constraint is off, mm, or its largest angle if that moves more.

    A target of None is the value at the start, so it holds.
    """
    distance, turn = 0.0, 0.0
    for terms, target in equations:
        if target is None:
            continue
        off = sum(c * _value(found, frames, opposite) for c, found in terms) - target
        turns = [2 * pi * abs(c) for c, found in terms if found.kind == ROTATION]
        if turns:  # a pose does not determine whole turns
            off -= min(turns) * np.floor(off / min(turns) + 0.5)
        if IS_ANGLE[terms[0][1].kind]:
            arms = [np.linalg.norm(m.frame[:3]) for _, f in terms for m in (f.a, f.b)]
            turn = max(turn, abs(float(off)) * max(1.0, float(max(arms))))
        else:
            distance = hypot(distance, float(off))
    return max(distance, turn)


def _value(found: Measure, frames: Mapping[str, Array], opposite: Marker | None) -> float:
    """A measure at the start poses, mm or rad."""
    a, b = (opposed(m) if m is opposite else m for m in (found.a, found.b))
    return read(found._replace(a=a, b=b), frames[a.part], frames[b.part])
