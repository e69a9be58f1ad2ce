"""Redundant mates in words: who repeats whom, about what, why, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence
from math import radians
from typing import Any, NamedTuple

import numpy as np

from ...diagnosis.freedoms import Diagnosis
from ...diagnosis.redundancy import Redundancy
from ...foundations.geometry.lines import meeting_point
from ...foundations.types import Array
from ...model.assembly import Assembly
from .plain import count, listed, vector

ON_LINE = 1e-6
"""How far off one line axes may be that lie on it, relative to the characteristic length."""

SPECIAL = "because of their special dimensions"

ROUNDING = 1e-9
"""Disagreement, mm or degrees, that is not told."""


class Line(NamedTuple):
    """The z of a mate in the world, and whether its parts may slide along it or turn about it."""

    point: Array
    direction: Array
    slides: bool
    turns: bool


def agreement(redundant: list[dict[str, Any]]) -> str:
    """Whether redundant equations agree, as they are told, else by how much the worst disagree."""
    told = []
    for unit in ("mm", "deg") if redundant else ():
        worst = max(r[f"disagreement_{unit}"] for r in redundant)
        if worst > ROUNDING:
            told.append(f"{worst:.3g} {unit}")
    return f" that disagree by up to {' and '.join(told)}" if told else ", consistent"


def repeated(
    r: Redundancy, diagnosis: Diagnosis, assembly: Assembly, only_here: Sequence[set[str]] = ()
) -> dict[str, Any]:
    """A group of mates with redundant equations as the result object tells it.

    Args:
        only_here: mates that are dependent at this pose only, a singular one, by loop.
    """
    system = diagnosis.plan.system
    names = [system.promises[k] for k in r.mates]
    repeating = [system.promises[k] for k in r.repeating]
    about = _about(r)
    lines = mate_lines(names, diagnosis, assembly)
    why = reason(lines, len(names), system.length) if r.loop else None
    if why and any(mates <= set(names) for mates in only_here):
        why += " and this pose is singular"
    off = max(r.off_mm, radians(r.off_deg) * system.length)
    told = "they agree to rounding" if off <= system.stop else f"they disagree by {_off(r)}"
    if r.loop:
        subject = f"{listed(names)}: {count(r.equations, 'equation')} "
        subject += "repeats around their loop" if r.equations == 1 else "repeat around their loop"
    else:
        others = [n for n in names if n not in repeating]
        each = count(r.equations // len(repeating), "equation")
        verb = "repeats" if len(repeating) == 1 else "each repeat"
        subject = f"{listed(repeating)} {verb} {each}"
        subject += f" of {listed(others)}" if others else ", as its parts are held"
    same = not r.loop and len(lines) == len(names) > 1 and _one_line(lines, system.length)
    words = subject + " on the same line" * same
    words += f" ({', '.join(about)})" if about else ""
    words += f", {why}" if why else ""
    return {
        "parts": _parts(r, diagnosis),
        "mates": names,
        "repeating": repeating,
        "equations": r.equations,
        "about": about,
        "why": why,
        "disagreement_mm": r.off_mm,
        "disagreement_deg": r.off_deg,
        "words": f"{words}; {told}",
    }


def _parts(r: Redundancy, diagnosis: Diagnosis) -> list[str]:
    """The parts that the mates of a group hold, each once."""
    system = diagnosis.plan.system
    return list(dict.fromkeys(system.parts[p] for k in r.mates for p in system.parts_of(k)))


def _about(r: Redundancy) -> list[str]:
    """What the mates of a group say twice."""
    out = []
    if len(r.turns):
        kinds = ("turn about " + vector(r.turns[0]), "direction", "orientation")
        out.append(kinds[len(r.turns) - 1])
    if len(r.shifts):
        across = np.cross(*r.shifts[:2]) if len(r.shifts) > 1 else r.shifts[0]
        way = vector(across)
        kinds = (f"position along {way}", f"position across {way}", "position")
        out.append(kinds[len(r.shifts) - 1])
    return out


def _off(r: Redundancy) -> str:
    """By how much the mates of a group disagree."""
    told = [(r.off_mm, "mm"), (r.off_deg, "deg")]
    return " and ".join(f"{off:.3g} {unit}" for off, unit in told if off > ROUNDING)


def mate_lines(names: list[str], diagnosis: Diagnosis, assembly: Assembly) -> list[Line]:
    """The axes and normals of those of some mates that have one."""
    index = {name: k for k, name in enumerate(diagnosis.plan.system.parts)}
    out = []
    for name in names:
        held = assembly.held[name]
        if held.a.feature.directed:
            frame = diagnosis.parts[index[held.mate.a.part]]
            local, axes = np.array(held.a.feature.frame), frame[3:].reshape(3, 3)
            point, direction = frame[:3] + local[:3] @ axes, local[9:12] @ axes
            can = held.mate.coordinates
            out.append(Line(point, direction, "length" in can, "angle" in can))
    return out


def reason(lines: list[Line], mates: int, length: float) -> str:
    """Why mates around a loop say something twice: how their axes lie."""
    if len(lines) == mates:
        for n in (line.direction for line in lines):
            along = [bool(np.linalg.norm(np.cross(n, x.direction)) < ON_LINE) for x in lines]
            across = [x.slides and bool(abs(n @ x.direction) < ON_LINE) for x in lines]
            if all(along):
                return f"because their {_what(lines)} are parallel"
            if all(x or y for x, y in zip(along, across, strict=True)):
                return "because they move in parallel planes"
        ways = np.array([x.point for x in lines]), np.array([x.direction for x in lines])
        if all(x.turns for x in lines) and meeting_point(*ways, ON_LINE * length) is not None:
            return "because their axes meet in one point"
    return SPECIAL


def _what(lines: list[Line]) -> str:
    """Axes, planes, or both."""
    axes = [x.turns or x.slides for x in lines]
    return "axes" if all(axes) else "axes and planes" if any(axes) else "planes"


def _one_line(lines: list[Line], length: float) -> bool:
    """Whether all lines are one."""
    first = lines[0]
    return all(
        (line.turns or line.slides)
        and np.linalg.norm(np.cross(line.direction, first.direction)) < ON_LINE
        and np.linalg.norm(np.cross(line.point - first.point, first.direction)) < ON_LINE * length
        for line in lines
    )
