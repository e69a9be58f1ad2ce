"""What waits in a document to be recomputed: formulas, and shapes of changed properties.

FreeCAD evaluates a formula when the document is recomputed; until then its property has the value
of before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import FreeCAD

OWN, SOLVE_JOINTS = "User parameter:BaseApp/Preferences/Mod/AssemblySolver", "SolveJoints"
"""Our own setting to solve FreeCAD's joints in its place; off by default."""

SETTINGS = "User parameter:BaseApp/Preferences/Mod/Assembly"
SOLVING = ("SolveInJointCreation", "SolveOnRecompute")
"""FreeCAD's settings, on by default, to solve when a joint changes and when it recomputes."""


def we_solve() -> bool:
    """Whether the user wants FreeCAD's joints to be solved by us, and nothing suspends that."""
    return bool(FreeCAD.ParamGet(OWN).GetBool(SOLVE_JOINTS, False))


def recompute_waiting(document: Any) -> None:
    """Recompute what waits in a document, without FreeCAD's own solving; else nothing happens.

    Objects that could not be recomputed before are no reason to try again.
    """
    if document.RecomputesFrozen or not any(map(_waits, document.Objects)):
        return
    with unsolved():
        document.recompute()


def _waits(thing: Any) -> bool:
    state = thing.State
    return "Touched" in state and "Invalid" not in state


@contextmanager
def unsolved() -> Iterator[None]:
    """All solving by itself suspended: FreeCAD's own, and ours in its place."""
    with ExitStack() as stack:
        for place, key in (*((SETTINGS, key) for key in SOLVING), (OWN, SOLVE_JOINTS)):
            stack.enter_context(_off(place, key))
        yield


@contextmanager
def _off(place: str, key: str) -> Iterator[None]:
    """A setting switched off, and back to what it was, set or not."""
    settings = FreeCAD.ParamGet(place)
    known, before = key in settings.GetBools(), settings.GetBool(key, True)
    settings.SetBool(key, False)
    try:
        yield
    finally:
        settings.SetBool(key, before)
        if not known:
            settings.RemBool(key)
