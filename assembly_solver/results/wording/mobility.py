"""Singular poses, and freedoms due to special dimensions, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...diagnosis.freedoms import Diagnosis
from ...diagnosis.singularity import NearbyMobility, singular_or_special
from ...foundations.numerics.rounding import TINY
from ...model.assembly import Assembly
from .motion_modes import meeting, motion_modes
from .phrases import DOUBTED, WITHIN, be, count, listed, of_order, parts_of
from .redundancy import SPECIAL, marker_line, mate_lines, reason


def mobility_entries(
    diagnosis: Diagnosis, assembly: Assembly
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The entries of `singular` and of `special` in the result object.

    Loops whose axes are parallel or meet in a point are not special: they are listed as redundant.
    """
    found = singular_or_special(diagnosis)
    singular = [_singular(n, diagnosis, assembly) for n in found if n.singular]
    special = [_special(n, diagnosis) for n in found if n.special]
    system = diagnosis.plan.system

    def arranged(mates: list[str]) -> bool:
        return reason(mate_lines(mates, diagnosis, assembly), len(mates), system) != SPECIAL

    return singular, [entry for entry in special if not arranged(entry["mates"])]


def _names(n: NearbyMobility, diagnosis: Diagnosis) -> tuple[list[str], list[str]]:
    """The parts that move and the mates that are dependent."""
    plan = diagnosis.plan
    parts = parts_of(plan, plan.components[n.component].bodies)
    return parts, [plan.system.constraints[k] for k in sorted(n.mates)]


def _singular(n: NearbyMobility, diagnosis: Diagnosis, assembly: Assembly) -> dict[str, Any]:
    parts, mates = _names(n, diagnosis)
    modes = motion_modes(diagnosis, n.branches)
    freedoms = count(n.here, "degree") + " of freedom"
    around = " or ".join(map(str, n.around)) or "an unknown number"
    if not n.sure and n.around == (n.here,):
        words = f"{freedoms}, but not beyond doubt: {DOUBTED}"
    elif n.finite > n.here:
        words = f"{freedoms}, but {around} within the tolerance: {WITHIN}"
    elif not n.sure:
        words = f"{freedoms} here, {around} nearby, not beyond doubt: {DOUBTED}"
    elif n.moves:
        words = f"{freedoms} here, {around} nearby: this pose is singular"
    else:
        first = f"{be(n.here)} {of_order(n.order)}"
        words = f"{freedoms} here {first}, nothing moves: this pose is singular"
    if _in_line(mates, diagnosis, assembly):
        words += f" ({listed(parts, 4)} are in line)"
    return {
        "parts": parts,
        "mates": mates,
        "dof": n.here,
        "nearby": list(n.around),
        "moves": n.moves,
        "order": n.order,
        "certain": n.sure,
        "rank_gap": n.gap,
        "words": words,
        "modes": modes,
        "meeting": meeting(modes),
    }


def singular_remark(entry: dict[str, Any]) -> str:
    """A singular pose, for the sentence of a result."""
    if max(entry["nearby"], default=0) > entry["dof"]:
        return WITHIN
    if not entry["certain"]:
        return DOUBTED
    if not entry["moves"]:
        return f"this pose is singular, its freedom {of_order(entry['order'])}"
    return f"this pose is singular, {' or '.join(map(str, entry['nearby']))} nearby"


def _special(n: NearbyMobility, diagnosis: Diagnosis) -> dict[str, Any]:
    parts, mates = _names(n, diagnosis)
    return {
        "parts": parts,
        "mates": mates,
        "dof": n.here,
        "counted": n.counted,
        "moves": n.moves,
        "words": (
            f"{listed(mates)} move together only because of their special dimensions: "
            f"Kutzbach counts {n.counted}, the truth is {count(n.here, 'degree')} of freedom, "
            f"which stays through a finite movement"
        ),
    }


def _in_line(mates: list[str], diagnosis: Diagnosis, assembly: Assembly) -> bool:
    """Whether the points of some mates are on one line, projected along their axes if parallel."""
    points, along, same = [], [], diagnosis.plan.system.same_direction
    for resolved in (assembly.held[name] for name in mates):
        point, direction = marker_line(resolved, diagnosis)
        points.append(point)
        if resolved.mate.coordinates:
            along.append(direction)
    if len(points) < 3:
        return False
    offsets = np.array(points) - np.mean(points, axis=0)
    if len(along) == len(mates) and np.abs(np.cross(along, along[0])).max() < same:
        offsets = offsets - np.outer(offsets @ along[0], along[0])
    sizes = np.linalg.svd(offsets, compute_uv=False)
    return bool(sizes[1] < same * max(float(sizes[0]), TINY))
