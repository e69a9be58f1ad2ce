"""Positions that a document keeps of an assembly, as the add-on for FreeCAD writes them.

They are JSON in a property of the assembly, or of the add-on's folder of mates: by name the values
of joints, which are named by the names of their objects, and the assembly mode.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from ...errors import AssemblySolverError, FormatError
from ...model.assembly import Assembly
from ...model.building.positions import Position
from .. import READ_AS
from .parts import Tree

POSITIONS, GROUP = "Positions", "Assembly Solver"
"""The property, and the heading under which it stands: another program's is left alone."""

FOLDER = "App::DocumentObjectGroupPython"
"""Type of the folder of mates."""


def positions_in(tree: Tree, joints: Mapping[str, str]) -> dict[str, Position]:
    """The positions that a document keeps of an assembly.

    Args:
        joints: names of objects by name of the mate; others keep the names of their objects.

    Raises:
        FormatError: the property is not as it is written.
    """
    things, labels = tree.document.things, {name: label for label, name in joints.items()}
    holders = [n for n in tree.members if n in things and things[n].type == FOLDER]
    own = [things[n] for n in (tree.assembly, *sorted(holders)) if n in things]
    texts = [thing.text(POSITIONS) for thing in own if thing.group(POSITIONS) == GROUP]
    found = {}
    try:
        for name, entry in json.loads(next(filter(None, texts), "{}")).items():
            keys = (key.rpartition(".") for key in entry["values"])
            named = [f"{labels.get(joint, joint)}.{coordinate}" for joint, _, coordinate in keys]
            values = dict(zip(named, entry["values"].values(), strict=True))
            found[name] = Position(name, values, entry["mode"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FormatError(tree.label, "its positions are not as the add-on writes them") from None
    return found


def add_positions(tree: Tree, assembly: Assembly, joints: Mapping[str, str]) -> None:
    """Add the positions that a document keeps of an assembly.

    One that the joints cannot take is named, with the reason, in the note `READ_AS`.
    """
    for name, position in positions_in(tree, joints).items():
        try:
            assembly.position(name, position.values, mode=position.mode)
        except AssemblySolverError as error:
            words = f"it is not read: {error}"
            assembly.notes[READ_AS] = {**assembly.notes.get(READ_AS, {}), f"position {name}": words}
