"""What a file asks for and no mate stands for: joints that were not read, or are switched off."""

from __future__ import annotations

from ...formats import LEFT_OUT, SUPPRESSED
from ...model.assembly import Assembly
from .plain import listed


def left_out(assembly: Assembly) -> dict[str, str]:
    """Joints that could not be read, with the reason; nothing holds them."""
    found = assembly.notes.get(LEFT_OUT)
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def left_out_rows(assembly: Assembly) -> list[dict[str, str]]:
    """The same for a table: the name, and the reason in words."""
    return [{"name": k, "words": f"{k}: {why}"} for k, why in left_out(assembly).items()]


def suppressed(assembly: Assembly) -> list[str]:
    """Joints that are switched off."""
    found = assembly.notes.get(SUPPRESSED)
    return [str(name) for name in found] if isinstance(found, list) else []


def unheld(assembly: Assembly) -> list[str]:
    """What a sentence about the assembly goes on with."""
    out = []
    if lost := list(left_out(assembly)):
        out.append(f"left out of the file and not held: {listed(lost, 3)}")
    if off := suppressed(assembly):
        out.append(f"switched off in the file: {listed(off, 3)}")
    return out
