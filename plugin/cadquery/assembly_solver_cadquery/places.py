"""Parts of a CadQuery assembly and where they are: its root and its direct children.

A child with children is one rigid part, as in CadQuery.  All poses are in the frame of the
assembly: the root is at its origin.
"""

from __future__ import annotations

from collections.abc import Container
from difflib import get_close_matches
from typing import NamedTuple

import cadquery as cq
from OCP.gp import gp_Quaternion, gp_Trsf, gp_Vec

import assembly_solver as asm

STILL = asm.Pose()


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
    return out + [Standing(child.name, pose_of(child.loc), False) for child in assy.children]


def part_of(assy: cq.Assembly, name: str) -> Standing | None:
    """A part by its name; None where there is none."""
    if assy.obj is not None and name == assy.name:
        return Standing(name, STILL, True)
    found = next((child for child in assy.children if child.name == name), None)
    return Standing(name, pose_of(found.loc), False) if found is not None else None


def part_and_place(assy: cq.Assembly, name: str) -> tuple[str, asm.Pose]:
    """The part that an object of the assembly belongs to, and its pose in that part."""
    if name not in assy.objects:
        raise unknown("object", name, list(assy.objects))
    found, pose = assy.objects[name], STILL
    while found is not assy and found.parent is not assy:
        pose = pose_of(found.loc) @ pose
        if found.parent is None:
            raise asm.AssemblySolverError(f"object {name!r} is in {assy.name!r} no longer")
        found = found.parent
    return found.name, pose


def colours_of(assy: cq.Assembly) -> dict[str, str]:
    """The colour of each part in CadQuery, "#rrggbb"; parts of several colours have none."""
    shown = {assy.name: {assy.color}} if assy.obj is not None else {}
    for child in assy.children:
        shown[child.name] = {colour or assy.color for *_, colour in child}
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


def set_poses(assy: cq.Assembly, poses: dict[str, asm.Pose]) -> None:
    """Set the locations of children, unchanged ones too."""
    for child in assy.children:
        if child.name in poses:
            child.loc = location_of(poses[child.name])
