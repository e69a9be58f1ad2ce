"""CadQuery's assemblies solved, diagnosed and moved by assembly_solver.

Importing it changes nothing in CadQuery.  Functions take a `cadquery.Assembly`; `use()` lets
CadQuery's own `Assembly.solve()` run on this engine until `.leave()`.

Examples:
    >>> import cadquery as cq
    >>> import assembly_solver_cadquery as mates
    >>> door = cq.Assembly().add(cq.Workplane().box(9, 1, 20), name="leaf")
    >>> door = door.add(cq.Workplane().box(1, 9, 20), name="frame", loc=cq.Location((0, 0, 50)))
    >>> mates.ground(door, "frame")
    >>> _ = mates.mate(door, "frame@faces@>Z", "leaf@faces@>Z", "coplanar", sense="aligned")
    >>> _ = mates.solve(door).require()
"""

from __future__ import annotations

try:
    import cadquery  # noqa: F401
except ImportError:
    told = "assembly_solver_cadquery needs CadQuery: pip install 'assembly-solver[cadquery]'"
    raise ImportError(told) from None

from .bending import add_flexible
from .moving import animate, move
from .repeating import pattern
from .using import use
from .verbs import (
    check,
    diagnose,
    drive,
    ground,
    limit,
    mate,
    measure,
    position,
    remove,
    solve,
    sweep,
    to_assembly,
    tolerance,
    tolerate,
)

__all__ = [
    "add_flexible",
    "animate",
    "check",
    "diagnose",
    "drive",
    "ground",
    "limit",
    "mate",
    "measure",
    "move",
    "pattern",
    "position",
    "remove",
    "solve",
    "sweep",
    "to_assembly",
    "tolerance",
    "tolerate",
    "use",
]
