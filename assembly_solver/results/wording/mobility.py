"""Singular poses, and freedom owed to special dimensions, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...diagnosis.freedoms import Diagnosis
from ...diagnosis.singularity import Nearby, nearby
from ...model.assembly import Assembly
from .plain import count, listed
from .redundancy import SPECIAL, mate_lines, reason

IN_LINE = 1e-6
"""How far from one line points may be that lie on it, relative to how far they reach."""


def mobility(
    diagnosis: Diagnosis, assembly: Assembly
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Singular loops, and loops that move by special dimensions, as the result object tells them.

    A loop whose axes are parallel or meet in a point is no news: its redundant mates say so.
    """
    found = nearby(diagnosis)
    singular = [_singular(n, diagnosis, assembly) for n in found if n.singular]
    special = [_special(n, diagnosis) for n in found if n.special]
    length = diagnosis.plan.system.length
    told = [
        entry
        for entry in special
        if reason(mate_lines(entry["mates"], diagnosis, assembly), len(entry["mates"]), length)
        == SPECIAL
    ]
    return singular, told


def _names(n: Nearby, diagnosis: Diagnosis) -> tuple[list[str], list[str]]:
    """The parts that move and the mates that are dependent."""
    plan = diagnosis.plan
    bodies = plan.components[n.component].bodies
    parts = [plan.system.parts[k] for b in bodies for k in np.flatnonzero(plan.bodies.of_part == b)]
    return parts, [plan.system.promises[k] for k in sorted(n.mates)]


def _singular(n: Nearby, diagnosis: Diagnosis, assembly: Assembly) -> dict[str, Any]:
    parts, mates = _names(n, diagnosis)
    freedoms = count(n.here, "degree") + " of freedom"
    around = " or ".join(map(str, n.around)) or "an unknown number"
    if not n.sure and n.around == (n.here,):
        words = f"{freedoms}, but not beyond doubt: a singular pose is very near"
    elif not n.sure:
        words = f"{freedoms} here, {around} nearby, not beyond doubt: a singular pose is very near"
    elif n.moves:
        words = f"{freedoms} here, {around} nearby: this pose is singular"
    else:
        first = "is" if n.here == 1 else "are"
        words = f"{freedoms} here {first} of first order only, nothing moves: this pose is singular"
    if _in_line(mates, diagnosis, assembly):
        words += f" ({listed(parts, 4)} are in line)"
    return {
        "parts": parts,
        "mates": mates,
        "dof": n.here,
        "nearby": list(n.around),
        "moves": n.moves,
        "certain": n.sure,
        "rank_gap": n.gap,
        "words": words,
    }


def aside(entry: dict[str, Any]) -> str:
    """A singular pose in the sentence of a result."""
    if not entry["certain"]:
        return "a singular pose is very near"
    if not entry["moves"]:
        return "this pose is singular, its freedom of first order only"
    return f"this pose is singular, {' or '.join(map(str, entry['nearby']))} nearby"


def _special(n: Nearby, diagnosis: Diagnosis) -> dict[str, Any]:
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
    """Whether the places of some mates lie in one line, seen along their axes where parallel."""
    index = {name: k for k, name in enumerate(diagnosis.plan.system.parts)}
    points, along = [], []
    for name in mates:
        held = assembly.held[name]
        frame = diagnosis.parts[index[held.mate.a.part]]
        local, axes = np.array(held.a.feature.frame), frame[3:].reshape(3, 3)
        points.append(frame[:3] + local[:3] @ axes)
        if held.mate.coordinates:
            along.append(local[9:12] @ axes)
    if len(points) < 3:
        return False
    seen = np.array(points) - np.mean(points, axis=0)
    if len(along) == len(mates) and np.abs(np.cross(along, along[0])).max() < IN_LINE:
        seen = seen - np.outer(seen @ along[0], along[0])
    sizes = np.linalg.svd(seen, compute_uv=False)
    return bool(sizes[1] < IN_LINE * max(float(sizes[0]), 1e-300))
