"""Words for results: contradictions, free motions, counts and lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .conflicts import Conflict
from .diagnosis.freedoms import Diagnosis, FreeMotion
from .geometry.screw import Screw
from .model.assembly import Assembly

Array = NDArray[np.float64]

ON_AXIS = 1e-6
"""How far off an axis a feature that names it may be, relative to the characteristic length."""


def describe(
    motion: FreeMotion, diagnosis: Diagnosis, assembly: Assembly, frames: Array
) -> dict[str, Any]:
    """A free motion as the result object tells it."""
    system, of_part = diagnosis.plan.system, diagnosis.plan.bodies.of_part
    order = [int(k) for b in motion.bodies for k in np.flatnonzero(of_part == b)]
    parts = [system.parts[k] for k in order]
    about = axis_name(motion.screw, parts[0], frames[order[0]], assembly, system.length)
    return {
        "parts": parts,
        "kind": motion.screw.kind,
        "idle": motion.idle,
        "axis": {
            "point": tidy(motion.screw.point, 1e-9),
            "direction": tidy(motion.screw.direction, 1e-12),
        },
        "pitch_mm": float(motion.screw.pitch),
        "words": motion_words(motion, parts, about),
    }


def motion_words(motion: FreeMotion, parts: list[str], about: str) -> str:
    """Who moves how, and what moves with it."""
    direction = ", ".join(f"{v:.4g}" for v in tidy(motion.screw.direction, 1e-6))
    say = {
        "rotation": f"turns about {about}",
        "translation": f"slides along ({direction})",
        "screw": f"screws about {about}, {short(motion.screw.pitch)} mm a turn",
    }[motion.screw.kind]
    if motion.idle:
        return f"{parts[0]} {say} and nothing else moves (idle)"
    rest = parts[1:]
    if not rest:
        return f"{parts[0]} {say}"
    return f"{parts[0]} {say}; {listed(rest, 3)} move{'s' if len(rest) == 1 else ''} with it"


def axis_name(screw: Screw, part: str, frame: Array, assembly: Assembly, length: float) -> str:
    """The mate on whose axis a part turns, or the axis itself."""
    axes = frame[3:].reshape(3, 3)
    for name, held in assembly.held.items():
        for end, ref in ((held.a, held.mate.a), (held.b, held.mate.b)):
            if ref.part != part or not end.feature.directed or not held.mate.coordinates:
                continue
            local = np.array(end.feature.frame)
            off = np.cross(frame[:3] + local[:3] @ axes - screw.point, screw.direction)
            tilt = np.cross(local[9:12] @ axes, screw.direction)
            if max(np.linalg.norm(tilt), np.linalg.norm(off) / length) < ON_AXIS:
                return name
    point = ", ".join(f"{v:.6g}" for v in tidy(screw.point, 1e-6))
    direction = ", ".join(f"{v:.4g}" for v in tidy(screw.direction, 1e-6))
    return f"the axis ({direction}) through ({point})"


def conflict_fact(c: Conflict) -> str:
    """Who contradicts whom, with the numbers of both sides."""
    names = listed(list(c.promises))
    off = f"({short(c.gap)} mm off)"
    if len(c.promises) == 1:
        return f"{names} cannot hold where its parts are held {off}"
    if c.spacing is not None:
        s = c.spacing
        why = (
            f"their features are {s.here:.6g} mm apart on {s.part} "
            f"and {s.there:.6g} mm apart on {s.other}"
        )
    else:
        left = f"the others leave {c.found:.6g} {c.unit} at best"
        why = f"{c.told} asks {c.asked:.6g} {c.unit}, {left}"
    return f"{names} cannot hold together: {why} {off}"


def conflict_words(c: Conflict) -> str:
    """A contradiction as a colleague would say it, with what would help."""
    ways = [f"a tolerance of {short(1.001 * c.accepting)} mm would accept it"]
    if not c.irreducible:
        ways.insert(0, "the set may be smaller")
    elif len(c.promises) > 1:
        ways.insert(0, "dropping any one of them solves it")
    return "; ".join([conflict_fact(c), *ways])


def short(value: float) -> str:
    return f"{value:.4g}" if value == 0 or abs(value) >= 1e-3 else f"{value:.1e}"


def count(n: int, word: str) -> str:
    return f"{n} {word}{'' if n == 1 else 's'}"


def listed(names: list[str], most: int = 6) -> str:
    if len(names) > most:
        return ", ".join(names[:most]) + f" and {len(names) - most} more"
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + f" and {names[-1]}"


def tidy(values: Array, zero: float) -> list[float]:
    return [0.0 if abs(v) < zero else float(v) for v in values]


