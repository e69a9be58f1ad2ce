"""What the panel keeps in the document: a property of the assembly, or of its folder of mates.

Joints are named by the names of their objects there: labels change.
"""

from __future__ import annotations

import json
from typing import Any

from assembly_solver.freecad import GROUP, POSITIONS, TOP

from .live import Live, step
from .mates import folder_for
from .places import folders

WORDS = {
    "SweepKept": "Drive, range and curves of the page Sweep",
    "Tolerances": "What joints, mates and elements may be off, mm and degrees",
    POSITIONS: "Values of joints by the names of positions",
}
"""The properties, each with its description; their values are JSON."""


def kept(live: Live, name: str) -> Any:
    """What a property keeps; None where nothing is."""
    holders = [*folders(live.tree)]
    if live.tree.assembly != TOP:
        holders.insert(0, live.document.getObject(live.tree.assembly))
    texts = (getattr(holder, name, "") for holder in holders)
    return next((json.loads(text) for text in texts if text), None)


def keep(live: Live, name: str, value: Any, words: str) -> None:
    """Keep something in the document; one undo step.

    Args:
        name: of the property, one of `WORDS`; value: for JSON; words: name of the undo step.
    """
    with step(live.document, words):
        holder = live.document.getObject(live.tree.assembly)
        if live.tree.assembly == TOP:
            holder = folder_for(live.tree, live.document)
        waiting = "Touched" in holder.State
        if not hasattr(holder, name):
            hidden = (0, False, True)
            holder.addProperty("App::PropertyString", name, GROUP, WORDS[name], *hidden)
        setattr(holder, name, json.dumps(value))
        if not waiting:
            holder.purgeTouched()


def key_of(live: Live, joint: str, coordinate: str) -> str:
    """A coordinate of a joint as it is kept: the name of the joint's object, and which it is.

    Args:
        joint: its name in the assembly.
    """
    found = live.joints.get(joint)
    return f"{joint if found is None else found.Name}.{coordinate}"
