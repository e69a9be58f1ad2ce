"""In how many ways loops close, in words."""

from __future__ import annotations

from ...solver.modes.enumeration import Modes
from .phrases import count


def ways_to_close(modes: Modes) -> str:
    """As "4 ways to close; this is +-; all of them"; nothing where there is no loop."""
    found = len(modes.all)
    if not found:
        return ""
    this = "" if modes.name is None else f"; this is {modes.name}"
    if not modes.complete:
        return f"{count(found, 'way')} to close found{this}; perhaps there are more: {modes.why}"
    solutions = modes.solutions
    of = "" if solutions is None else f", the real ones of {count(solutions, 'solution')}"
    every = "the only one" if found == 1 else "all of them"
    return f"{count(found, 'way')} to close{this}; {every}{of}"
