"""In how many ways loops close, in words."""

from __future__ import annotations

from typing import Any

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
    dead = sum(m.closures > 1 for m in modes.all)
    meet = f"; in {dead} of them several closures meet" if dead else ""
    return f"{count(found, 'way')} to close{this}; {every}{of}{meet}"


def ways_at_a_glance(modes: Modes) -> str:
    """The same where closed forms tell them at once; else that they were not counted."""
    if not modes.has_loops:
        return ""
    if not modes.in_closed_form:
        return "ways to close: not counted here; `analyse` does, where that can be known"
    return ways_to_close(modes)


def modes_entry(
    modes: Modes | None, found: list[dict[str, Any]], left_out: list[str]
) -> dict[str, Any]:
    """The entry `modes` in the result object of an analysis.

    Args:
        modes: None where they were not searched; found: each mode with its name.
        left_out: what was not searched, and why.
    """
    return {
        "complete": modes is not None and modes.complete,
        "real": None if modes is None else len(found),
        "complex": None if modes is None else modes.solutions,
        "names": [mode["name"] for mode in found],
        "found": found,
        "words": "; ".join(left_out) if modes is None else ways_to_close(modes),
    }
