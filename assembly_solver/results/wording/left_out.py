"""Joints of a file that no mate represents: unsupported or suppressed ones."""

from __future__ import annotations

from ...formats import LEFT_OUT, SUPPRESSED
from ...model.assembly import Assembly
from .phrases import listed


def left_out(assembly: Assembly) -> dict[str, str]:
    """Unsupported joints, with the reason."""
    found = assembly.notes.get(LEFT_OUT)
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def left_out_rows(assembly: Assembly) -> list[dict[str, str]]:
    """Unsupported joints for a table: the name, and the reason in words."""
    return [{"name": k, "words": f"{k}: {why}"} for k, why in left_out(assembly).items()]


def suppressed(assembly: Assembly) -> list[str]:
    """Names of the suppressed joints."""
    found = assembly.notes.get(SUPPRESSED)
    return [str(name) for name in found] if isinstance(found, list) else []


def skipped_notes(assembly: Assembly) -> list[str]:
    """Unsupported and suppressed joints, for a sentence about the assembly."""
    out = []
    if unsupported := list(left_out(assembly)):
        out.append(f"left out of the file and not held: {listed(unsupported, 3)}")
    if off := suppressed(assembly):
        out.append(f"switched off in the file: {listed(off, 3)}")
    return out
