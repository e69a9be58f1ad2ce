"""The span of time of a file's simulation, stored as a note of the assembly read from it."""

from __future__ import annotations

from ..model.assembly import Assembly

SIMULATION = "x-simulation"
"""Note of an assembly: first time, last time and time step, s."""

KEYS = ("start", "end", "step")


def note_span(assembly: Assembly, start: float, end: float, step: float) -> None:
    """Store first time, last time and time step, s."""
    assembly.notes[SIMULATION] = dict(zip(KEYS, (start, end, step), strict=True))


def simulated(assembly: Assembly) -> tuple[float, float, int] | None:
    """First and last time (s) and number of steps of a file's simulation; None without duration."""
    note = assembly.notes.get(SIMULATION)
    times = [note.get(key) for key in KEYS] if isinstance(note, dict) else []
    if len(times) < len(KEYS) or not all(isinstance(t, (int, float)) for t in times):
        return None
    start, end, step = (float(t) for t in times if t is not None)
    return (start, end, max(1, round((end - start) / step))) if end > start and step > 0 else None
