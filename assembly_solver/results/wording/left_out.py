"""Joints of a file that no mate represents, and what else its reader had to decide."""

from __future__ import annotations

from ...formats import LEFT_OUT, READ_AS, SUPPRESSED
from ...model.assembly import Assembly
from .phrases import listed


def left_out(assembly: Assembly) -> dict[str, str]:
    """Unsupported joints, with the reason."""
    return _note(assembly, LEFT_OUT)


def left_out_rows(assembly: Assembly) -> list[dict[str, str]]:
    """Unsupported joints for a table: the name, and the reason in words."""
    return [{"name": k, "words": f"{k}: {why}"} for k, why in left_out(assembly).items()]


def read_as_rows(assembly: Assembly) -> list[dict[str, str]]:
    """What the reader of a file had to decide, for a table: what it is about, and in words."""
    found = _note(assembly, READ_AS)
    return [{"name": k, "words": f"{k}: {why}"} for k, why in found.items()]


def _note(assembly: Assembly, key: str) -> dict[str, str]:
    found = assembly.notes.get(key)
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


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
