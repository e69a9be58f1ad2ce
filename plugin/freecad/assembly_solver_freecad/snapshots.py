"""Snapshots of FreeCAD 1.2: placements of parts as JSON, in a group of the assembly.

Source: the source code of FreeCAD's Assembly workbench (CommandCreateSnapshot.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import assembly_solver as asm
from assembly_solver.freecad import FormatError, Thing, Tree

from .live import Live

STATE = "CapturedState"
"""Property of a snapshot."""


def snapshots_in(tree: Tree) -> Iterator[Thing]:
    """The snapshots of an assembly."""
    things = tree.document.things
    groups = (things.get(link.name) for link in things[tree.assembly].links("Group"))
    for group in groups:
        inner = [] if group is None else [things.get(link.name) for link in group.links("Group")]
        yield from (thing for thing in inner if thing is not None and thing.has(STATE))


def snapshot_named(tree: Tree, name: str) -> Thing:
    """The one snapshot of a label or name; FormatError: there is no one such snapshot."""
    found = [*snapshots_in(tree)]
    fits = [s for s in found if name in (s.name, s.label)]
    fits = [s for s in fits if s.name == name] or fits
    if len(fits) != 1:
        known = ", ".join(s.label for s in found)
        raise FormatError(tree.label, f"no one snapshot {name!r}; {known or 'there is none in it'}")
    return fits[0]


def at_snapshot(live: Live, snapshot: Thing) -> asm.Assembly:
    """An assembly that was read, with its parts where a snapshot has them; others stay.

    Raises:
        FormatError: the snapshot is not as FreeCAD writes it.
    """
    names = {part.Name: name for name, part in live.parts.items()}
    assembly, poses = live.assembly.copy(), {}
    try:
        for own, state in json.loads(snapshot.text(STATE)).items():
            if own in names and "placement" in state:
                *turn, w = map(float, state["placement"]["rot"])
                x, y, z = map(float, state["placement"]["pos"])
                placed = asm.Pose((x, y, z), (w, turn[0], turn[1], turn[2]))
                poses[names[own]] = live.tree.under[own] @ placed
    except (ValueError, KeyError, TypeError, AttributeError, asm.AssemblySolverError):
        raise FormatError(snapshot.label, "it is no snapshot as FreeCAD writes them") from None
    assembly.move(poses)
    return assembly
