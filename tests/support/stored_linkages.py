"""The planar linkages of MotionGen as drawings, for the tests that simulate them."""

from __future__ import annotations

from typing import Any

import numpy as np
from facts import facts
from numpy.typing import NDArray

import assembly_solver as asm

Array = NDArray[np.float64]

NAMES = (
    "RRRR",
    "RRRP",
    "RRPR",
    "RRPP",
    "RPPR",
    "RPRP",
    "PRRP",
    "RPPP",
    "PRPP",
    "multi-slot",
    "millipede",
    "pantograph",
    "seven-bar (Ex.1)",
)


def entries() -> dict[str, dict[str, Any]]:
    """The linkages of MotionGen among the facts, by their names."""
    return {entry["name"]: entry for entry in facts("motiongen.json")["mechanisms"]}


def drawn(entry: dict[str, Any]) -> asm.Assembly:
    """An entry as a drawing: link k is "link k", link 0 the ground, slot k "slot k".

    Its drivers are "input 1", "input 2", ... in the order of its actuators, without values.  The
    ends of its slots do not stop anything, as its stored states know no stops.
    """
    m = asm.Assembly(entry["name"])
    m.pins(entry["joints"])
    for k, pins in enumerate(entry["links"]):
        m.link(f"link {k}", pins, grounded=k == 0)
    ends: dict[tuple[str, str, int], list[str]] = {}
    for pin, first, last, link in entry["slots"]:
        ends.setdefault((first, last, link), []).append(pin)
    for k, ((first, last, link), pins) in enumerate(ends.items(), 1):
        m.slot(f"slot {k}", (first, last), pins, link=f"link {link}", stops=False)
    for k, (kind, i, j, last) in enumerate(entry["actuators"], 1):
        if kind == "R":
            m.drive(f"input {k}", at=j, rays=(i, last))
        else:
            m.drive(f"input {k}", at=j, slot=_slot_from(m, j, i))
    return m


def _slot_from(m: asm.Assembly, pin: str, end: str) -> str:
    """The slot that a pin slides in from an end."""
    slots = m.drawing.slots_with(pin)
    return next(name for name in slots if m.drawing.slots[name].ends[0] == end)


def inputs(entry: dict[str, Any]) -> dict[str, Array]:
    """The values of the drivers in all states, degrees and mm."""
    values = entry.get("inputs")
    if values is None:  # the pantograph: equal steps
        values = [np.linspace(*pair, entry["n_states"]) for pair in entry["inputs_first_last"]]
    kinds = [kind for kind, *_ in entry["actuators"]]
    return {
        f"input {k}": np.degrees(v) if kind == "R" else np.asarray(v, float)
        for k, (v, kind) in enumerate(zip(values, kinds, strict=True), 1)
    }


def places(m: asm.Assembly, pin: str, frames: Array) -> Array:
    """Where a pin is, x and y, by the frames (states, parts, 12) of the parts."""
    part = list(m.parts).index(m.drawing.links_at(pin)[0])
    x, y = m.drawing.pins[pin]
    f = frames[:, part]
    return np.asarray(f[:, :2] + x * f[:, 3:5] + y * f[:, 6:8])
