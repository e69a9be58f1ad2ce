"""What can be done with an assembly of a document: the engine's verbs on what is open."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import assembly_solver as asm

from .live import Live, read, step

NONE: Mapping[str, float] = MappingProxyType({})


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

    Args:
        of: an assembly object or a document, as for `read`.
        joint: label of a joint that turns or slides; value: degrees or mm.
        coordinate: "angle" or "length", where the joint has both.
        holding: values of other joints by label, held at the same time.
        limits: as of `asm.solve`.

    Raises:
        NotHeld: there are joints that could not be read; nothing was moved.
    """
    live = read(of)
    for label, held in {**holding, joint: value}.items():
        which = coordinate if label == joint else None
        live.assembly.drive(label, label, which, value=held)
    return _applied(live, asm.solve(live.assembly, **limits), f"Drive {joint}")


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
    assembly = read(of).assembly
    assembly.drive(joint, joint, coordinate)
    return asm.sweep(assembly, {joint: (start, end)}, steps=steps, **more)


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
    assembly = read(of).assembly
    asked = {label: (None, span) for label, span in (ranges or {}).items()}
    for label, (coordinate, span) in (asked or _limited(assembly)).items():
        assembly.drive(label, label, coordinate, range=span)
    return asm.check(assembly, **limits)


def _limited(assembly: asm.Assembly) -> dict[str, tuple[str | None, tuple[float, float]]]:
    """Ranges of the joints that are limited on both sides, each with the coordinate."""
    return {
        limit.joint: (limit.coordinate, (limit.min, limit.max))
        for limit in assembly.limits.values()
        if limit.joint is not None and limit.min is not None and limit.max is not None
    }


def _applied(live: Live, solution: asm.Solution, words: str) -> asm.Solution:
    """The solution, its poses given to the parts where it is one."""
    if solution.left_out:
        raise NotHeld(solution.left_out)
    if solution:
        with step(live.document, words):
            live.place(solution.poses)
    return solution
