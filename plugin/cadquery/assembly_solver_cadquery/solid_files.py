"""The shapes of a CadQuery assembly as STEP files, for an assembly of the engine to refer to."""

from __future__ import annotations

import cadquery as cq

import assembly_solver as asm

from .places import flexible_in, movable


def write_solids(assy: cq.Assembly, made: asm.Assembly) -> None:
    """Write the shape of each part as NAME.step, and each flexible sub-assembly, to its folder.

    Args:
        made: the assembly of the engine, whose parts get the files as geometry.
    """
    shapes = {name: part.toCompound().moved(part.loc.inverse) for name, part, _ in movable(assy)}
    if assy.obj is not None:
        shapes[assy.name] = cq.Compound.makeCompound(assy.shapes)
    files = {}
    for name in made.parts:
        if name in shapes and shapes[name].Faces():
            files[name] = f"{name.replace('/', '_')}.step"
            made.set_geometry(name, files[name])
            cq.exporters.export(cq.Workplane(obj=shapes[name]), str(made.folder / files[name]))
    for name, inner in flexible_in(assy).items():
        given = inner.copy()
        given.folder = made.folder
        for part in given.parts:
            given.set_geometry(part, files.get(f"{name}.{part}"))
        asm.write(given, made.folder / f"{name.replace('/', '_')}.assembly.json")
