"""Gears and belts in words: how far the second part turns for the first, and which way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.mate import ResolvedMate
from ...model.mates.couplings import Coupling, LinearCoupling
from .phrases import constraint_words, part_words

NO_CARRIER = "; no part carries both axes, as that of two wheels in mesh does"
"""Told of gears and belts: their ratio is that of wheels as seen from the part with both axes."""


class TurningPart(NamedTuple):
    """A part that turns on another one, and its axis in the world, (3,), about which it counts."""

    part: str
    base: str
    axis: Array


def coupling_words(assembly: Assembly, frames: Array) -> dict[str, str]:
    """A sentence on each coupling of two angles, by mate.

    Args:
        frames: of the parts in the world, (parts, 12), mm.
    """
    out = {}
    for name, held in assembly.held.items():
        mate = held.mate
        if isinstance(mate, Coupling) and mate.wanted == ("angle", "angle"):
            one, two = (assembly.held[joint] for joint in mate.joints)
            ratio = -mate.factors[0] / mate.factors[1]
            apart = "" if isinstance(mate, LinearCoupling) else NO_CARRIER
            out[name] = _words(assembly, one, two, ratio, frames, apart)
    return out


def _words(
    assembly: Assembly,
    one: ResolvedMate,
    two: ResolvedMate,
    ratio: float,
    frames: Array,
    apart: str,
) -> str:
    """Of parts that turn on one and the same part: as they are seen from it; else with `apart`."""
    far = "as far" if abs(abs(ratio) - 1.0) < FAINT else f"{abs(ratio):.4g} times as far"
    pair = _on_one_base(assembly, one, two, frames)
    if pair is not None:
        cosine = float(pair[0].axis @ pair[1].axis)
        if abs(cosine) > 1.0 - FAINT:
            first, second = (part_words(turning.part, assembly) for turning in pair)
            base = pair[0].base
            seen = "" if assembly.parts[base].grounded else _seen_from(base, assembly)
            return f"{second} turns {far} as {first}, {_way(ratio * cosine)}{seen}"
    first, second = (constraint_words(joint.mate.name, assembly) for joint in (one, two))
    told = f"the angle of {second} grows {far} as that of {first}, {_way(ratio)}"
    return told if pair else told + apart


def _seen_from(base: str, assembly: Assembly) -> str:
    return f", as seen from {part_words(base, assembly)}"


def _way(sign: float) -> str:
    return "the same way round" if sign > 0.0 else "the other way round"


def _on_one_base(
    assembly: Assembly, one: ResolvedMate, two: ResolvedMate, frames: Array
) -> tuple[TurningPart, TurningPart] | None:
    """The two parts that turn, where their joints are on one part; None elsewhere."""
    index = {name: k for k, name in enumerate(assembly.parts)}
    for a in _turning(one, index, frames):
        for b in _turning(two, index, frames):
            if a.base == b.base and a.part != b.part:
                return a, b
    return None


def _turning(joint: ResolvedMate, index: dict[str, int], frames: Array) -> list[TurningPart]:
    """Each part of a joint on the other one; the angle is that of b on a about z of a."""
    a, b = joint.mate.a.part, joint.mate.b.part
    z = np.array(joint.a.marker.frame[9:]) @ frames[index[a]][3:].reshape(3, 3)
    return [TurningPart(b, a, z), TurningPart(a, b, -z)]
