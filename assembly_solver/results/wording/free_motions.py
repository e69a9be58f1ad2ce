"""Free motions in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...diagnosis.freedoms import Diagnosis, FreeMotion
from ...diagnosis.stoppers import Removal, RemovalSearch
from ...foundations.geometry.screw import ScrewAxis
from ...foundations.numerics.rounding import AGREEMENT, DIGITS, FAINT, ROUNDING
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...structure.lower_pairs import cross
from .phrases import constraint_words, listed, numbers, part_words, short, tidy

MATE_WORDS = {
    "parallel": "a parallel mate",
    "angle": "an angle mate",
    "point_in_plane": "a point in plane mate",
    "distance": "a distance mate",
}


MOST_TOLD = 3
"""Most parts that are named as moving with the first one."""


class MateAxis(NamedTuple):
    """The axis of a mate in the coordinates of a part, and whether the mate slides along it."""

    name: str
    point: Array
    direction: Array
    slides: bool


class ToldMotion(NamedTuple):
    """A free motion in words, and what removes it, or would."""

    motion: FreeMotion
    removal: Removal
    removed_by: str
    title: str
    words: str


def moving_parts(motion: FreeMotion, diagnosis: Diagnosis) -> Iterator[str]:
    """The parts that move, component by component outward from those of the motion."""
    for body in motion.bodies:
        for dependent in diagnosis.walk.dependents(body):
            yield from diagnosis.names_of[dependent]


def told_motions(diagnosis: Diagnosis, assembly: Assembly, frames: Array) -> list[ToldMotion]:
    """The free motions in words, at frames of the parts, (parts, 12), mm.

    Only the parts that are named are looked up: in a chain half of all move in each motion.
    """
    removals = RemovalSearch(diagnosis, assembly).all()
    axes, out = mate_axes(assembly), []
    for motion, removal in zip(diagnosis.free_motions, removals, strict=True):
        diagnosis.check()
        parts = [*islice(moving_parts(motion, diagnosis), MOST_TOLD + 1)]
        frame = frames[diagnosis.index[parts[0]]]
        length = diagnosis.plan.system.length
        named = axis_name(motion.screw, axes.get(parts[0], []), frame, length)
        named = None if named is None else constraint_words(named, assembly)
        told = [part_words(p, assembly) for p in parts]
        count = sum(map(diagnosis.walk.total, motion.bodies))
        words = motion_words(motion, told, count, named)
        title = motion_title(motion, told[0], named)
        out.append(ToldMotion(motion, removal, removal_words(removal, assembly), title, words))
    return out


def motion_entry(told: ToldMotion, parts: Iterable[str] | None) -> dict[str, Any]:
    """The entry of one free motion in the result object; parts: all that move, if listed."""
    motion, removal = told.motion, told.removal
    return ({} if parts is None else {"parts": [*parts]}) | {
        "kind": motion.screw.kind,
        "idle": motion.idle,
        "axis": {
            "point": tidy(motion.screw.point, AGREEMENT),
            "direction": tidy(motion.screw.direction, ROUNDING),
        },
        "pitch_mm": float(motion.screw.pitch),
        "removed_by": {
            "drivers": list(removal.drivers),
            "driver": removal.driver._asdict() if removal.driver else None,
            "mate": removal.mate._asdict() if removal.mate else None,
            "words": told.removed_by,
        },
        "title": told.title,
        "words": told.words,
    }


def mate_axes(assembly: Assembly) -> dict[str, list[MateAxis]]:
    """The axes of the mates with joint coordinates, by part."""
    axes: dict[str, list[MateAxis]] = {}
    for name, held in assembly.held.items():
        for end, ref in ((held.a, held.mate.a), (held.b, held.mate.b)):
            if held.mate.coordinates and end.feature.directed:
                frame, can = np.array(end.feature.frame), held.mate.coordinates
                axis = MateAxis(name, frame[:3], frame[9:12], "length" in can)
                axes.setdefault(ref.part, []).append(axis)
    return axes


def removal_words(r: Removal, assembly: Assembly) -> str:
    """What removes a motion, or would remove it."""
    if r.drivers:
        return f"held by {listed(list(r.drivers))}"
    options = []
    if r.driver:
        joint = constraint_words(r.driver.joint, assembly)
        options.append(f"a driver of the {r.driver.coordinate} of {joint}")
    if r.mate:
        options.append(f"{MATE_WORDS[r.mate.kind]} of {r.mate.a} and {r.mate.b}")
    if not options:
        return "no driver and no mate of its features with a part at rest would stop it"
    return f"{' or '.join(options)} would {'stop it' if r.alone else 'tie it to other motions'}"


def motion_title(motion: FreeMotion, part: str, axis: str | None) -> str:
    """What the first part does, in a few words; `axis`: a mate with this axis, None without."""
    verb = {"rotation": "turns about", "translation": "slides along", "screw": "screws about"}
    kind, along = motion.screw.kind, tidy(motion.screw.direction, AGREEMENT)
    named = axis if axis is not None and kind != "translation" else None
    world = [name for name, x in zip("xyz", along, strict=True) if x]
    direction = world[0] if len(world) == 1 else f"({numbers(motion.screw.direction)})"
    return f"{part} {verb[kind]} {named or direction}"


def motion_words(motion: FreeMotion, parts: list[str], count: int, axis: str | None) -> str:
    """The motion of the first part and the parts that move with it.

    Args:
        parts: the first of those that move; count: how many move.
        axis: a mate with this axis, None if there is none.
    """
    screw = motion.screw
    direction = numbers(screw.direction)
    point = ", ".join(f"{v:.6g}" for v in tidy(screw.point, DIGITS))
    about = axis or f"the axis ({direction}) through ({point})"
    along = f", the axis of {axis}" if axis else ""
    say = {
        "rotation": f"turns about {about}",
        "translation": f"slides along ({direction}){along}",
        "screw": f"screws about {about}, {short(screw.pitch)} mm a turn",
    }[screw.kind]
    if motion.idle:
        return f"{parts[0]} {say} and nothing else moves (idle)"
    if count == 1:
        return f"{parts[0]} {say}"
    verb = "moves" if count == 2 else "move"
    return f"{parts[0]} {say}; {listed(parts[1:], MOST_TOLD, count - 1)} {verb} with it"


def axis_name(screw: ScrewAxis, axes: list[MateAxis], frame: Array, length: float) -> str | None:
    """The mate on whose axis a part rotates, or along which it slides; None if there is none.

    Args:
        axes: of the mates of the part; frame: of the part, (12,), mm; length: characteristic, mm.
    """
    rotation = frame[3:].reshape(3, 3)
    for axis in axes:
        if np.linalg.norm(cross(axis.direction @ rotation, screw.direction)) > FAINT:
            continue
        off = cross(frame[:3] + axis.point @ rotation - screw.point, screw.direction)
        if axis.slides if not screw.turns else np.linalg.norm(off) < FAINT * length:
            return axis.name
    return None
