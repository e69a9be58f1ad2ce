"""The shapes of a document's parts as geometry files, for what is asked of their contact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import Part

import assembly_solver as asm

from .live import Live

DEVIATION = 0.05
"""Largest distance of triangles from a curved face, mm, as of STEP files."""


def with_shapes(live: Live, folder: Path) -> asm.Assembly:
    """A copy of the assembly whose parts have the triangles of their shapes, in files of a folder.

    They are within 0.05 mm of curved faces.  Parts without faces get none.
    """
    out = live.assembly.copy()
    for k, (name, part) in enumerate(live.parts.items()):
        lines = [*_off(part)] if hasattr(part, "Placement") else []
        if lines:
            file = folder / f"{k}.off"
            file.write_text("\n".join(lines), encoding="ascii")
            out.set_geometry(name, str(file))
    return out


def _off(part: Any) -> Iterator[str]:
    """The triangles of a part in its own coordinates, in the lines of an OFF file."""
    shape = Part.getShape(part)
    if shape.isNull() or not shape.Faces:
        return
    points, triangles = shape.tessellate(DEVIATION)
    back = part.Placement.inverse()
    yield f"OFF\n{len(points)} {len(triangles)} 0"
    for x, y, z in map(back.multVec, points):
        yield f"{x!r} {y!r} {z!r}"
    for a, b, c in triangles:
        yield f"3 {a} {b} {c}"
