"""What waits in a document to be recomputed: formulas, and shapes of changed properties.

FreeCAD evaluates a formula when the document is recomputed; until then its property has the value
of before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import FreeCAD

SETTINGS = "User parameter:BaseApp/Preferences/Mod/Assembly"
SOLVING = ("SolveInJointCreation", "SolveOnRecompute")
"""FreeCAD's settings, on by default, to solve when a joint changes and when it recomputes."""


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
    """FreeCAD's own solving suspended."""
    settings = FreeCAD.ParamGet(SETTINGS)
    known = settings.GetBools()
    before = {key: settings.GetBool(key, True) for key in SOLVING}
    for key in SOLVING:
        settings.SetBool(key, False)
    try:
        yield
    finally:
        for key, value in before.items():
            settings.SetBool(key, value)
            if key not in known:
                settings.RemBool(key)
