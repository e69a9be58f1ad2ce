"""Redundant mates in words: which repeat which, in which directions, why, and how consistent."""

from __future__ import annotations

from collections.abc import Sequence
from math import radians
from typing import Any, NamedTuple

import numpy as np

from ...diagnosis.freedoms import Diagnosis
from ...diagnosis.redundancy import Redundancy
from ...equations.system import System
from ...foundations.geometry.lines import meeting_point
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.mate import ResolvedMate
from .phrases import constraint_words, count, listed, vector

SPECIAL = "because of their special dimensions"


class MateLine(NamedTuple):
    """The z axis of a mate in the world, and whether its parts can slide along or turn about it."""

    point: Array
    direction: Array
    slides: bool
    turns: bool


def agreement(redundant: list[dict[str, Any]]) -> str:
    """The largest inconsistency of redundant equations, from their entries in the result object."""
    words = []
    for unit in ("mm", "deg") if redundant else ():
        worst = max(r[f"disagreement_{unit}"] for r in redundant)
        if worst > AGREEMENT:
            words.append(f"{worst:.3g} {unit}")
    verb = "disagrees" if sum(r["equations"] for r in redundant) == 1 else "disagree"
    return f" that {verb} by up to {' and '.join(words)}" if words else ", consistent"


def redundancy_entry(
    r: Redundancy, diagnosis: Diagnosis, assembly: Assembly, only_here: Sequence[set[str]] = ()
) -> dict[str, Any]:
    """The entry of `redundant` in the result object for a group of mates.

    Args:
        only_here: mates that are dependent at this pose only, a singular one, by loop.
    """
    system = diagnosis.plan.system
    names = [system.constraints[k] for k in r.mates]
    repeating = [system.constraints[k] for k in r.repeating]
    parts = dict.fromkeys(system.parts[p] for k in r.mates for p in system.parts_of(k))
    about = _about(r)
    lines = mate_lines(names, diagnosis, assembly)
    why = reason(lines, len(names), system) if r.loop else None
    if why and any(mates <= set(names) for mates in only_here):
        why += " and this pose is singular"
    off = max(r.off_mm, radians(r.off_deg) * system.length)
    agree = off <= system.convergence_tolerance
    told, again = ([constraint_words(n, assembly) for n in of] for of in (names, repeating))
    if r.loop:
        subject = f"{listed(told)}: {count(r.equations, 'equation')} "
        subject += "repeats around their loop" if r.equations == 1 else "repeat around their loop"
    else:
        others = [n for n in told if n not in again]
        each = count(r.equations // len(repeating), "equation")
        verb = "repeats" if len(repeating) == 1 else "each repeat"
        subject = f"{listed(again)} {verb} {each}"
        subject += f" of {listed(others)}" if others else ", as its parts are held"
    same = not r.loop and len(lines) == len(names) > 1 and _one_line(lines, system)
    words = subject + " on the same line" * same
    words += f" ({', '.join(about)})" if about else ""
    words += f", {why}" if why else ""
    return {
        "parts": list(parts),
        "mates": names,
        "repeating": repeating,
        "equations": r.equations,
        "about": about,
        "why": why,
        "disagreement_mm": r.off_mm,
        "disagreement_deg": r.off_deg,
        "words": f"{words}; they {'agree to rounding' if agree else f'disagree by {_off(r)}'}",
    }


def _about(r: Redundancy) -> list[str]:
    """What the mates of a group constrain twice."""
    out = []
    if len(r.turns):
        kinds = ("turn about " + vector(r.turns[0]), "direction", "orientation")
        out.append(kinds[len(r.turns) - 1])
    if len(r.shifts):
        across = np.cross(*r.shifts[:2]) if len(r.shifts) > 1 else r.shifts[0]
        direction = vector(across)
        kinds = (f"position along {direction}", f"position across {direction}", "position")
        out.append(kinds[len(r.shifts) - 1])
    return out


def _off(r: Redundancy) -> str:
    """The inconsistency of the mates of a group."""
    values = [(r.off_mm, "mm"), (r.off_deg, "deg")]
    return " and ".join(f"{off:.3g} {unit}" for off, unit in values if off > AGREEMENT)


def mate_lines(names: list[str], diagnosis: Diagnosis, assembly: Assembly) -> list[MateLine]:
    """The axes or normals of those mates that have one."""
    out = []
    for name in names:
        resolved = assembly.held[name]
        if resolved.a.feature.directed:
            can = resolved.mate.coordinates
            out.append(MateLine(*marker_line(resolved, diagnosis), "length" in can, "angle" in can))
    return out


def marker_line(resolved: ResolvedMate, diagnosis: Diagnosis) -> tuple[Array, Array]:
    """Origin, mm, and z axis of the first feature of a mate in the world, (3,) each."""
    frame = diagnosis.parts[diagnosis.index[resolved.mate.a.part]]
    local, axes = np.array(resolved.a.feature.frame), frame[3:].reshape(3, 3)
    return frame[:3] + local[:3] @ axes, local[9:12] @ axes


def reason(lines: list[MateLine], mates: int, system: System) -> str:
    """Why mates around a loop are redundant: the arrangement of their axes.

    Args:
        mates: number of all mates of the loop; system: says which directions and places are one.
    """
    if len(lines) == mates:
        same = system.same_direction
        ways = np.array([line.direction for line in lines])
        for n in ways:
            along = (np.linalg.norm(np.cross(n, ways), axis=1) < same).tolist()
            across = [x.slides and bool(abs(n @ x.direction) < same) for x in lines]
            if all(along):
                return f"because their {_what(lines)} are parallel"
            if all(x or y for x, y in zip(along, across, strict=True)):
                return "because they move in parallel planes"
        axes = np.array([x.point for x in lines]), np.array([x.direction for x in lines])
        if all(x.turns for x in lines) and meeting_point(*axes, same * system.length) is not None:
            return "because their axes meet in one point"
    return SPECIAL


def _what(lines: list[MateLine]) -> str:
    """ "axes", "planes", or both."""
    axes = [x.turns or x.slides for x in lines]
    return "axes" if all(axes) else "axes and planes" if any(axes) else "planes"


def _one_line(lines: list[MateLine], system: System) -> bool:
    """Whether all lines are one."""
    if not all(line.turns or line.slides for line in lines):
        return False
    first = lines[0]
    ways = np.array([line.direction for line in lines])
    apart = (np.array([line.point for line in lines]) - first.point) / system.length
    off = np.cross(np.concatenate([ways, apart]), first.direction)
    return bool(np.linalg.norm(off, axis=1).max() < system.same_direction)
