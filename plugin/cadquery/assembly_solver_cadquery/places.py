"""Parts of a CadQuery assembly and where they are: its root and its direct children.

A child with children is one rigid part, as in CadQuery; if it was added as a flexible one, each of
its children is a part, "child.inner".  All poses are in the frame of the assembly: the root is at
its origin.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

import cadquery as cq
from OCP.gp import gp_Quaternion, gp_Trsf, gp_Vec

import assembly_solver as asm

STILL = asm.Pose()

FLEXIBLE = "_assembly_solver_flexible"
"""Name of the attribute of a `cadquery.Assembly` with what its flexible sub-assemblies hold."""


def flexible_in(assy: cq.Assembly) -> dict[str, asm.Assembly]:
    """The flexible sub-assemblies by name, each as it was when it was added."""
    found: dict[str, asm.Assembly] = vars(assy).get(FLEXIBLE, {})
    return found


def set_flexible(assy: cq.Assembly, held: Mapping[str, asm.Assembly]) -> None:
    """Enter flexible sub-assemblies, which are children already."""
    if held:
        vars(assy)[FLEXIBLE] = {**flexible_in(assy), **held}


def movable(assy: cq.Assembly) -> Iterator[tuple[str, cq.Assembly, asm.Pose]]:
    """The parts but the root: name, object, and the pose that its location is relative to."""
    bending = flexible_in(assy)
    for child in assy.children:
        if child.name not in bending:
            yield child.name, child, STILL
            continue
        at = pose_of(child.loc)
        yield from ((f"{child.name}.{inner.name}", inner, at) for inner in child.children)


def pose_of(location: cq.Location) -> asm.Pose:
    """A location as a pose, mm."""
    motion = location.wrapped.Transformation()
    at, q = motion.TranslationPart(), motion.GetRotation()
    return asm.Pose((at.X(), at.Y(), at.Z()), (q.W(), q.X(), q.Y(), q.Z()))


def location_of(pose: asm.Pose) -> cq.Location:
    """A pose as a location."""
    w, x, y, z = pose.quaternion_wxyz
    motion = gp_Trsf()
    motion.SetRotation(gp_Quaternion(x, y, z, w))
    motion.SetTranslationPart(gp_Vec(*pose.position))
    return cq.Location(motion)


class Standing(NamedTuple):
    """A part of an assembly: its name, its pose, and whether it is the root, which is fixed."""

    name: str
    pose: asm.Pose
    root: bool


def parts_of(assy: cq.Assembly) -> list[Standing]:
    """The parts of an assembly at their present poses."""
    out = [Standing(assy.name, STILL, True)] if assy.obj is not None else []
    return out + [Standing(n, at @ pose_of(part.loc), False) for n, part, at in movable(assy)]


def part_of(assy: cq.Assembly, name: str) -> Standing | None:
    """A part by its name; None where there is none."""
    if assy.obj is not None and name == assy.name:
        return Standing(name, STILL, True)
    found = next((known for known in movable(assy) if known[0] == name), None)
    return Standing(name, found[2] @ pose_of(found[1].loc), False) if found is not None else None


def part_and_place(assy: cq.Assembly, name: str) -> tuple[str, asm.Pose]:
    """The part that an object of the assembly belongs to, and its pose in that part."""
    if name not in assy.objects:
        raise unknown("object", name, list(assy.objects))
    found, pose, bending = assy.objects[name], STILL, flexible_in(assy)
    while found is not assy:
        above = found.parent
        if above is None:
            raise asm.AssemblySolverError(f"object {name!r} is in {assy.name!r} no longer")
        if above is assy and found.name in bending:
            inside = [f"{name}.{inner.name}" for inner in found.children]
            raise asm.AssemblySolverError(f"{name!r} is flexible; of its parts {listed(inside)}")
        if above is assy:
            return found.name, pose
        if above.parent is assy and above.name in bending:
            return f"{above.name}.{found.name}", pose
        pose = pose_of(found.loc) @ pose
        found = above
    return assy.name, pose


def colours_of(assy: cq.Assembly) -> dict[str, str]:
    """The colour of each part in CadQuery, "#rrggbb"; parts of several colours have none."""
    shown = {assy.name: {assy.color}} if assy.obj is not None else {}
    for name, part, _ in movable(assy):
        around = part.parent or assy
        shown[name] = {colour or around.color or assy.color for *_, colour in part}
    only = {name: next(iter(found)) for name, found in shown.items() if len(found) == 1}
    return {name: _written(colour) for name, colour in only.items() if colour is not None}


def _written(colour: cq.Color) -> str:
    return "#" + "".join(f"{round(255 * share):02x}" for share in colour.toTuple()[:3])


def unknown(what: str, name: str, known: list[str]) -> asm.AssemblySolverError:
    """The error for an unknown name, with similar ones."""
    inside = [other for other in known if other.endswith(f"/{name}")]
    near = inside or get_close_matches(name, known, n=3)
    if near:
        told = f"did you mean {' or '.join(map(repr, near))}?"
        return asm.AssemblySolverError(f"no {what} {name!r}; {told}")
    return asm.AssemblySolverError(f"no {what} {name!r}; {listed(known)}")


def free_name(name: str, taken: Container[str]) -> str:
    """The name, or if taken the name with the first free number, as "name (2)"."""
    free, count = name, 2
    while free in taken:
        free, count = f"{name} ({count})", count + 1
    return free


def listed(known: list[str]) -> str:
    """Names in a sentence, the first of many."""
    some = ", ".join(map(repr, known[:6])) + (", ..." if len(known) > 6 else "")
    return f"there is {some or 'none'}"


def copied(assy: cq.Assembly) -> cq.Assembly:
    """A copy of an assembly that shares its shapes, without constraints and mates."""
    copy = cq.Assembly(assy.obj, assy.loc, assy.name, assy.color, metadata=assy.metadata)
    for child in assy.children:
        copy.add(child)
    set_flexible(copy, flexible_in(assy))
    return copy


def set_poses(assy: cq.Assembly, poses: dict[str, asm.Pose]) -> None:
    """Set the locations of parts, unchanged ones too."""
    for name, part, at in movable(assy):
        if name in poses:
            part.loc = location_of(at.to(poses[name]))
