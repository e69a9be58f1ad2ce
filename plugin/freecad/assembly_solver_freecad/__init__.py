"""Assembly Solver in FreeCAD: solve, diagnose, drive and sweep what is open.

Example:
    import FreeCAD, assembly_solver_freecad as asf
    doc = FreeCAD.openDocument("excavator.FCStd")
    print(asf.diagnose(doc))
    asf.drive(doc, "Slider", 120).require()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .drivable import WhichCoordinate as WhichCoordinate
    from .elements import pick as pick
    from .held_values import NotDriven as NotDriven
    from .live import Live as Live
    from .live import assemblies as assemblies
    from .live import read as read
    from .live import step as step
    from .mates import choices as choices
    from .mates import ground as ground
    from .mates import mate as mate
    from .mates import rechoose as rechoose
    from .mates import selection_of as selection_of
    from .verbs import NotHeld as NotHeld
    from .verbs import check as check
    from .verbs import diagnose as diagnose
    from .verbs import drive as drive
    from .verbs import simulate as simulate
    from .verbs import solve as solve
    from .verbs import sweep as sweep

_HOME = {
    "Live": "live",
    "NotDriven": "held_values",
    "NotHeld": "verbs",
    "WhichCoordinate": "drivable",
    "assemblies": "live",
    "check": "verbs",
    "choices": "mates",
    "diagnose": "verbs",
    "drive": "verbs",
    "ground": "mates",
    "mate": "mates",
    "pick": "elements",
    "read": "live",
    "rechoose": "mates",
    "selection_of": "mates",
    "simulate": "verbs",
    "solve": "verbs",
    "step": "live",
    "sweep": "verbs",
}
"""Module of each public name, loaded when the name is used: FreeCAD starts without the engine."""

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
