"""Sub-assemblies whose parts go on moving against each other in the assembly they are added to."""

from __future__ import annotations

import cadquery as cq

import assembly_solver as asm

from .kept import kept, whole
from .places import flexible_in, listed, pose_of, set_flexible
from .solid_files import file_stems


@asm.refusing_others
def add_flexible(
    assy: cq.Assembly,
    sub: cq.Assembly,
    name: str | None = None,
    loc: cq.Location | None = None,
    *,
    grounded: bool = False,
) -> None:
    """Add a sub-assembly with its mates, constraints, drivers and limits; its children are parts.

    `Assembly.add` of CadQuery adds the shapes, as one rigid part.  Here each child of `sub` is the
    part "name.child", which queries find as "name/child@faces@>Z"; mates, drivers and limits of
    `sub` are "name.mate".  What is grounded in it stays together, and stays in its place with
    `grounded`.  As in CadQuery it is a copy: later changes of `sub` do not count.

    Args:
        name, loc: as of `Assembly.add`, by default those of `sub`.
        grounded: whether what is grounded in it is grounded here.

    Raises:
        AssemblySolverError: the name is taken, `sub` has a shape of its own, something in it is
            flexible, or its constraints hold it to the world; then nothing is added.
    """
    name, inner = name or sub.name, whole(sub).copy()
    if name in assy.objects:
        raise asm.AssemblySolverError(f"there is already an object {name!r} in {assy.name!r}")
    if sub.obj is not None:
        told = "the shape of the sub-assembly itself has to be one of its children"
        raise asm.AssemblySolverError(f"{name!r} cannot be flexible: {told}")
    others = [part for part in inner.parts if part not in {c.name for c in sub.children}]
    if others:
        told = f"beside its children {listed(others)}, of constraints to the world or flexible"
        raise asm.AssemblySolverError(f"{name!r} cannot be flexible: {told}")
    pose = pose_of(sub.loc if loc is None else loc)
    stem = file_stems([*flexible_in(assy), name])[name]
    file = f"{stem}.assembly.json"  # which `to_assembly` writes
    kept(assy).add_assembly(name, inner, rigid=False, pose=pose, grounded=grounded, file=file)
    assy.add(sub, name=name, loc=sub.loc if loc is None else loc)
    set_flexible(assy, {name: inner})
