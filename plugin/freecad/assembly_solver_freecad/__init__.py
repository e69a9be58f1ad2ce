"""Assembly Solver in FreeCAD: solve, diagnose, drive and sweep what is open.

Examples:
    import FreeCAD, assembly_solver_freecad as asf
    doc = FreeCAD.openDocument("excavator.FCStd")
    print(asf.diagnose(doc))
    asf.drive(doc, "Slider", 120).require()
"""

from importlib import import_module
from inspect import isfunction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .drivable import WhichCoordinate as WhichCoordinate
    from .editing import flip as flip, suppress as suppress
    from .elements import pick as pick
    from .held_values import NotDriven as NotDriven
    from .live import Live as Live, assemblies as assemblies, read as read, step as step
    from .mates import (
        choices as choices,
        ground as ground,
        mate as mate,
        rechoose as rechoose,
        selection_of as selection_of,
    )
    from .named_positions import (
        ClosingWay as ClosingWay,
        JointGone as JointGone,
        drop_position as drop_position,
        keep_position as keep_position,
        keep_snapshot as keep_snapshot,
        modes as modes,
        positions as positions,
        take_mode as take_mode,
        take_position as take_position,
    )
    from .tolerating import (
        Tolerable as Tolerable,
        keep_tolerances as keep_tolerances,
        kept_tolerances as kept_tolerances,
        tolerable as tolerable,
        tolerance as tolerance,
        tolerated as tolerated,
    )
    from .verbs import (
        NotHeld as NotHeld,
        check as check,
        diagnose as diagnose,
        drive as drive,
        simulate as simulate,
        solve as solve,
        sweep as sweep,
    )

_HOME = {
    "ClosingWay": "named_positions",
    "JointGone": "named_positions",
    "Live": "live",
    "NotDriven": "held_values",
    "NotHeld": "verbs",
    "Tolerable": "tolerating",
    "WhichCoordinate": "drivable",
    "assemblies": "live",
    "check": "verbs",
    "choices": "mates",
    "diagnose": "verbs",
    "drive": "verbs",
    "drop_position": "named_positions",
    "flip": "editing",
    "ground": "mates",
    "keep_position": "named_positions",
    "keep_snapshot": "named_positions",
    "keep_tolerances": "tolerating",
    "kept_tolerances": "tolerating",
    "mate": "mates",
    "modes": "named_positions",
    "pick": "elements",
    "positions": "named_positions",
    "read": "live",
    "rechoose": "mates",
    "selection_of": "mates",
    "simulate": "verbs",
    "solve": "verbs",
    "step": "live",
    "suppress": "editing",
    "sweep": "verbs",
    "take_mode": "named_positions",
    "take_position": "named_positions",
    "tolerable": "tolerating",
    "tolerance": "tolerating",
    "tolerated": "tolerating",
}
"""Module of each public name, loaded when the name is used: FreeCAD starts without the engine."""

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_HOME[name]}", __name__), name)
    if not isfunction(found):
        return found
    from assembly_solver import refusing_others

    return refusing_others(found)


def __dir__() -> list[str]:
    """The public names, which FreeCAD's console offers while one types."""
    return sorted(__all__)
