"""The engine's public calls for an assembly of an open document.

Formulas and shapes that wait to be recomputed are recomputed first.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import assembly_solver as asm
from assembly_solver.freecad import LEFT_OUT, simulated

from .document import Asked
from .drivable import coordinate_of, value_held
from .held_values import write
from .live import Live, read, step

Value = float | tuple[float, str]
"""Prescribed value of a joint, mm or degrees; or with its coordinate, "angle" or "length"."""

NONE: Mapping[str, Value] = MappingProxyType({})
UNCHANGED: Mapping[Any, Asked] = MappingProxyType({})


class NotHeld(asm.AssemblySolverError, ValueError):
    """Joints that could not be read and would therefore be violated by a solve."""

    def __init__(self, left_out: Mapping[str, str]) -> None:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        super().__init__(
            f"nothing was moved, for these joints cannot be held: {reasons}; "
            "deactivate or suppress them to move the others"
        )


def diagnose(of: Any = None, **limits: Any) -> asm.Solution:
    """Freedoms, redundant and contradictory joints of an assembly.  The document stays as it is.

    Args:
        of: an assembly object or a document, as for `read`; limits: as of `asm.diagnose`.
    """
    return asm.diagnose(read(of).assembly, **limits)


def solve(of: Any = None, **limits: Any) -> asm.Solution:
    """Move the parts as little as possible so that all joints hold; one undo step.

    Where the joints cannot hold, nothing is moved, and the solution says why.

    Args:
        of: an assembly object or a document, as for `read`; limits: as of `asm.solve`.

    Raises:
        NotHeld: there are joints that could not be read; nothing was moved.
    """
    live = whole(of)
    return applied(live, asm.solve(live.assembly, **limits), "Solve assembly")


def drive(
    of: Any,
    joint: str,
    value: float,
    coordinate: str | None = None,
    *,
    holding: Mapping[str, Value] = NONE,
    **limits: Any,
) -> asm.Solution:
    """Drive a joint to a value; one undo step.

    A joint with a prescribed distance or angle - FreeCAD's Distance and Angle, a mate with a value
    or an offset - gets the new value: the property changes in the same undo step.

    Args:
        of: an assembly object or a document, as for `read`.
        joint: label of a joint that turns, slides or has a value; value: degrees or mm.
        coordinate: "angle" or "length", where both can move.
        holding: prescribed values of other joints by label; (value, "length") where both can move.
        limits: as of `asm.solve`.

    Raises:
        NotHeld: there are joints that could not be read; nothing was moved.
        NotDriven: a joint cannot be driven to a value; why.
        WhichCoordinate: a joint can both turn and slide, and none is named.
    """
    told = {label: _told(held) for label, held in holding.items()} | {joint: (value, coordinate)}
    live = whole(of)
    keys = {label: value_held(live, label) for label, (_, which) in told.items() if which is None}
    asked = {label: Asked(key, told[label][0]) for label, key in keys.items() if key}
    ways = {
        label: which or coordinate_of(live, label)
        for label, (_, which) in told.items()
        if label not in asked
    }
    if asked:
        live = whole(of, {live.joints[label].Name: want for label, want in asked.items()})
    for label, which in ways.items():
        live.assembly.drive(label, label, which, value=told[label][0])
    solution = asm.solve(live.assembly, **limits)
    values = {live.joints[label]: want for label, want in asked.items()}
    return applied(live, solution, f"Drive {joint}", values)


def _told(held: Value) -> tuple[float, str | None]:
    return held if isinstance(held, tuple) else (held, None)


def whole(of: Any, asked: Mapping[str, Asked] = UNCHANGED) -> Live:
    """The assembly with all its joints; raises `NotHeld` where joints could not be read."""
    live = read(of, asked)
    all_held(live.assembly)
    return live


def all_held(assembly: asm.Assembly) -> None:
    """Raise `NotHeld` where joints could not be read, and would be violated."""
    left_out = assembly.notes.get(LEFT_OUT)
    if left_out:
        raise NotHeld(left_out)


def sweep(
    of: Any,
    joint: str,
    start: float,
    end: float,
    *,
    steps: int = 100,
    coordinate: str | None = None,
    **more: Any,
) -> asm.Motion:
    """The motion of an assembly while a joint goes from one value to another.

    The document stays as it is; `Live.place` shows a state of it.

    Args:
        of, joint, coordinate: as for `drive`; start, end: degrees or mm.
        steps: one less than there are states; more: as of `asm.sweep`.

    Raises:
        NotHeld, NotDriven, WhichCoordinate: as of `drive`.
    """
    live = whole(of)
    live.assembly.drive(joint, joint, coordinate or coordinate_of(live, joint))
    return asm.sweep(live.assembly, {joint: (start, end)}, steps=steps, **more)


def simulate(of: Any = None, simulation: str | None = None, **more: Any) -> asm.Motion:
    """The motion of a simulation of FreeCAD 1.1, by its formulas, over its time.

    The document stays as it is; `Live.place` shows a state of it.

    Args:
        of: an assembly object or a document, as for `read`.
        simulation: its label or name; by default the only one.
        more: as of `asm.sweep`, such as `time` and `steps` to replace those of the simulation.

    Raises:
        NotHeld: there are joints that could not be read.
    """
    live = whole(of)
    live.simulate(simulation)
    start, end, steps = simulated(live.assembly) or (0.0, 0.0, 1)
    return asm.sweep(live.assembly, **{"time": (start, end), "steps": steps, **more})


def check(
    of: Any = None, ranges: Mapping[str, tuple[float, float]] | None = None, **limits: Any
) -> asm.Report:
    """The linkage check of the joints of an assembly.  The document stays as it is.

    Args:
        of: an assembly object or a document, as for `read`.
        ranges: smallest and largest value by label of a joint; by default those of the joints with
            two limits.
        limits: as of `asm.check`.

    Raises:
        NotHeld, NotDriven, WhichCoordinate: as of `drive`.
    """
    live = whole(of)
    asked = {label: (None, span) for label, span in (ranges or {}).items()}
    for label, (coordinate, span) in (asked or _limited(live.assembly)).items():
        which = coordinate or coordinate_of(live, label)
        live.assembly.drive(label, label, which, range=span)
    return asm.check(live.assembly, **limits)


def _limited(assembly: asm.Assembly) -> dict[str, tuple[str | None, tuple[float, float]]]:
    """Ranges of the joints with two limits, each with the coordinate."""
    return {
        limit.joint: (limit.coordinate, (limit.min, limit.max))
        for limit in assembly.limits.values()
        if limit.joint is not None and limit.min is not None and limit.max is not None
    }


def applied(
    live: Live, solution: asm.Solution, words: str, values: Mapping[Any, Asked] = UNCHANGED
) -> asm.Solution:
    """Apply a solution, if it is one, to the parts, and prescribed values to joints; returns it."""
    if solution:
        with step(live.document, words):
            if values:
                before = live.placements
                write(values)
                live.restore(before)  # FreeCAD turns a part of an angle joint by 10 degrees
            live.move(solution.poses)
    return solution
