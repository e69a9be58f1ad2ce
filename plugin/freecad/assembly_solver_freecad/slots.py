"""A slot by its two round ends: which of three selected elements is the pin, and its travel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import assembly_solver as asm
from assembly_solver.freecad import DIGITS

KINDS = ("slot", "pin_slot")


class SlotElements(NamedTuple):
    """The numbers of an end and of the pin in the selection, and their features for a mate.

    Attributes:
        frame: at the centre of the slot, x along it and z along the pin; length: between the axes
            of its ends, mm.
    """

    end: int
    pin: int
    frame: asm.Frame
    axis: asm.Axis
    length: float


def slot_in(parts: Sequence[str], picks: Sequence[asm.Pick]) -> SlotElements | None:
    """The slot of two round elements of one part and the pin of another; None if it is none."""
    axes = [pick.reading(asm.Axis) for pick in picks]
    for one, two, pin in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        first, second, along = axes[one], axes[two], axes[pin]
        if first is None or second is None or not isinstance(along, asm.Axis):
            continue
        made = _between(first, second)
        if made is not None and parts[one] == parts[two] != parts[pin]:
            return SlotElements(one, pin, made[0], along, made[1])
    return None


def _between(one: asm.Feature, two: asm.Feature) -> tuple[asm.Frame, float] | None:
    """The frame midway between two parallel axes, and their distance."""
    z, other = (np.array(f.frame[9:]) for f in (one, two))
    at = np.array(one.frame[:3])
    way = np.array(two.frame[:3]) - at
    way -= (way @ z) * z
    length = float(np.linalg.norm(way))
    if length < DIGITS or np.linalg.norm(np.cross(z, other)) > DIGITS:
        return None
    middle, x = at + 0.5 * way, way / length
    return asm.Frame(tuple(middle.tolist()), tuple(z.tolist()), tuple(x.tolist())), length
