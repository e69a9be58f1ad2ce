"""The shapes of a CadQuery assembly as STEP files, for an assembly of the engine to refer to."""

from __future__ import annotations

import re
from collections.abc import Iterable

import cadquery as cq

import assembly_solver as asm

from .places import flexible_in, movable

DEVICES = re.compile("con|prn|aux|nul|(com|lpt)[0-9]", re.IGNORECASE)
"""Names that are devices on Windows, with any suffix."""


def write_solids(assy: cq.Assembly, made: asm.Assembly) -> None:
    """Write the shape of each part as NAME.step, and each flexible sub-assembly, to its folder.

    Args:
        made: the assembly of the engine, whose parts get the files as geometry.
    """
    shapes = {name: part.toCompound().moved(part.loc.inverse) for name, part, _ in movable(assy)}
    if assy.obj is not None:
        shapes[assy.name] = cq.Compound.makeCompound(assy.shapes)
    solid = [name for name in made.parts if name in shapes and shapes[name].Faces()]
    files = {name: f"{stem}.step" for name, stem in file_stems(solid).items()}
    for name, file in files.items():
        made.set_geometry(name, file)
        cq.exporters.export(cq.Workplane(obj=shapes[name]), str(made.folder / file))
    stems = file_stems(flexible_in(assy))  # in the order in which `add_flexible` named them
    for name, inner in flexible_in(assy).items():
        given = inner.copy()
        given.folder = made.folder
        for part in given.parts:
            given.set_geometry(part, files.get(f"{name}.{part}"))
        asm.write(given, made.folder / f"{stems[name]}.assembly.json")


def file_stems(names: Iterable[str]) -> dict[str, str]:
    """A name for a file of each, which any system takes, and no two alike where case is ignored."""
    made: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        stem = re.sub(r'[\\/:*?"<>|\x00-\x1f]', "_", name).rstrip(". ") or "_"
        if DEVICES.fullmatch(stem.partition(".")[0]):
            stem = f"_{stem}"
        number, made[name] = 1, stem
        while made[name].casefold() in taken:
            number += 1
            made[name] = f"{stem}_{number}"
        taken.add(made[name].casefold())
    return made
