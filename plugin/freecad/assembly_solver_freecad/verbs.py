"""What can be done with an assembly of a document: the engine's verbs on what is open."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import assembly_solver as asm
from assembly_solver.freecad import SUPPRESSED, simulated

from .document import Asked
from .held_values import NotDriven, formula_of, property_of, write
from .live import Live, read, step

NONE: Mapping[str, float] = MappingProxyType({})
UNCHANGED: Mapping[Any, Asked] = MappingProxyType({})


class NotHeld(asm.AssemblySolverError, ValueError):
    """Joints that the engine could not read, and that a solve would therefore break."""

    def __init__(self, left_out: Mapping[str, str]) -> None:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        super().__init__(f"nothing was moved, for these joints cannot be held: {reasons}")


def diagnose(of: Any = None, **limits: Any) -> asm.Solution:
    """Freedoms, redundant and contradictory joints of an assembly.  The document stays as it is.

    Args:
        of: an assembly object or a document, as for `read`; limits: as of `asm.diagnose`.
    """
    return asm.diagnose(read(of).assembly, **limits)


def solve(of: Any = None, **limits: Any) -> asm.Solution:
    """Move the parts so that all joints hold, as little as that needs; one undo step.

    Where the joints cannot hold, nothing is moved, and the solution says why.

    Args:
        of: an assembly object or a document, as for `read`; limits: as of `asm.solve`.

    Raises:
        NotHeld: there are joints that could not be read; nothing was moved.
    """
    live = read(of)
    return _applied(live, asm.solve(live.assembly, **limits), "Solve assembly")


def drive(
    of: Any,
    joint: str,
    value: float,
    coordinate: str | None = None,
    *,
    holding: Mapping[str, float] = NONE,
    **limits: Any,
) -> asm.Solution:
    """Bring a joint to a value and the other parts with it; one undo step.

    A joint that holds a distance or an angle - FreeCAD's Distance and Angle, a mate with a value or
    an offset - holds the new one from then on: the property changes in the same undo step.

    Args:
        of: an assembly object or a document, as for `read`.
        joint: label of a joint that turns, slides or holds a value; value: degrees or mm.
        coordinate: "angle" or "length", where the joint has both.
        holding: values of other joints by label, held at the same time.
        limits: as of `asm.solve`.

    Raises:
        NotHeld: there are joints that could not be read; nothing was moved.
        NotDriven: a joint cannot be brought to a value; why.
    """
    live, told = read(of), {**holding, joint: value}
    keys = {label: _key(live, label) for label in told if label != joint or coordinate is None}
    asked = {label: Asked(key, told[label]) for label, key in keys.items() if key}
    if asked:
        live = read(of, {live.joints[label].Name: want for label, want in asked.items()})
    for label, held in told.items():
        if label not in asked:
            _add_driver(live, label, coordinate if label == joint else None, value=held)
    solution = asm.solve(live.assembly, **limits)
    values = {live.joints[label]: want for label, want in asked.items()}
    return _applied(live, solution, f"Drive {joint}", values)


def _key(live: Live, label: str) -> str:
    """The property with the value that a joint holds; "" where it holds none."""
    joint = live.joints.get(label)
    key = "" if joint is None else property_of(joint)
    if key:
        _not_switched_off(live, label)
    if key and (formula := formula_of(joint, key)):
        why = f"takes its {key} from the formula {formula}, change what that reads"
        raise NotDriven(label, why, _drivable(live, label))
    return key


def _add_driver(live: Live, label: str, coordinate: str | None, **told: Any) -> None:
    """Have a joint driven that turns or slides."""
    mates, joint = live.assembly.mates, live.joints.get(label)
    _not_switched_off(live, label)
    if joint is not None and label in mates and not mates[label].coordinates:
        why = "has no value, and no one axis to turn about or to slide along"
        if property_of(joint):
            why = "holds its value, and no motion leads it; drive brings it to another one"
        raise NotDriven(label, why, _drivable(live, label))
    live.assembly.drive(label, label, coordinate, **told)


def _not_switched_off(live: Live, label: str) -> None:
    if label in live.assembly.notes.get(SUPPRESSED, ()):
        raise NotDriven(label, "is switched off", _drivable(live))


def _drivable(live: Live, but: str = "") -> list[str]:
    """Labels of the joints that can be brought to a value."""
    mates = live.assembly.mates
    found = [n for n, joint in live.joints.items() if n in mates and joint is not None and n != but]
    return [n for n in found if mates[n].coordinates or property_of(live.joints[n])]


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
    """
    live = read(of)
    _add_driver(live, joint, coordinate)
    return asm.sweep(live.assembly, {joint: (start, end)}, steps=steps, **more)


def simulate(of: Any = None, simulation: str | None = None, **more: Any) -> asm.Motion:
    """The motion that a simulation of FreeCAD 1.1 asks for, by its formulas, over its time.

    The document stays as it is; `Live.place` shows a state of it.

    Args:
        of: an assembly object or a document, as for `read`.
        simulation: its label or name; if not given the only one.
        more: as of `asm.sweep`, as `time` and `steps` instead of the simulation's own.
    """
    live = read(of)
    live.simulate(simulation)
    start, end, steps = simulated(live.assembly) or (0.0, 0.0, 1)
    return asm.sweep(live.assembly, **{"time": (start, end), "steps": steps, **more})


def check(
    of: Any = None, ranges: Mapping[str, tuple[float, float]] | None = None, **limits: Any
) -> asm.Report:
    """What the joints of an assembly meet on their ways.  The document stays as it is.

    Args:
        of: an assembly object or a document, as for `read`.
        ranges: smallest and largest value by label of a joint; if not given, those of the joints
            that are limited on both sides.
        limits: as of `asm.check`.
    """
    live = read(of)
    asked = {label: (None, span) for label, span in (ranges or {}).items()}
    for label, (coordinate, span) in (asked or _limited(live.assembly)).items():
        _add_driver(live, label, coordinate, range=span)
    return asm.check(live.assembly, **limits)


def _limited(assembly: asm.Assembly) -> dict[str, tuple[str | None, tuple[float, float]]]:
    """Ranges of the joints that are limited on both sides, each with the coordinate."""
    return {
        limit.joint: (limit.coordinate, (limit.min, limit.max))
        for limit in assembly.limits.values()
        if limit.joint is not None and limit.min is not None and limit.max is not None
    }


def _applied(
    live: Live, solution: asm.Solution, words: str, values: Mapping[Any, Asked] = UNCHANGED
) -> asm.Solution:
    """The solution, its poses given to the parts, and values to joints, where it is one."""
    if solution.left_out:
        raise NotHeld(solution.left_out)
    if solution:
        with step(live.document, words):
            if values:
                before = live.placements
                write(values)
                live.restore(before)  # FreeCAD turns a part of an angle joint by 10 degrees
            live.move(solution.poses)
    return solution
