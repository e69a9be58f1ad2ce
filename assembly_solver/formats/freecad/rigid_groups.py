"""Rigid groups of FreeCAD 1.2: parts that keep their relative poses.

A group is listed among the joints, but has no type and no references: it lists parts.  FreeCAD
fixes them at the stored placements and ignores joints between them; here such a joint is solved
like any other, and one that does not hold is reported as contradicting the group.

Source: the source code of FreeCAD's Assembly workbench (JointObject.py, AssemblyObject.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import NotUnderstood
from ...foundations.geometry.pose import Pose
from .joints import MateDefinition, Side, frame_of
from .parts import BrokenReference, Tree
from .records import Thing

MEMBERS = "ObjectsToRigidGroup"
"""Property of a rigid group that lists its parts."""


def mates_of_group(tree: Tree, group: Thing) -> Iterator[tuple[str, MateDefinition]]:
    """For each part of a group but the first: its object, and the mate that fixes it to the first.

    Raises BrokenReference, NotUnderstood: the group is unsupported.
    """
    first, *others = _parts(tree, group)
    for other in others:
        there = frame_of(tree.pose(other).to(tree.pose(first)))
        sides = Side(first, frame_of(Pose())), Side(other, there)
        yield other, MateDefinition("fixed", *sides, {})


def _parts(tree: Tree, group: Thing) -> list[str]:
    names = [*dict.fromkeys(link.name for link in group.links(MEMBERS))]
    if len(names) < 2:
        raise NotUnderstood("it is a rigid group of fewer than two parts")
    for name in names:
        if name not in tree.parts:
            thing = tree.document.things.get(name)
            label = name if thing is None else thing.label
            raise BrokenReference(f"{label!r} is no part of the assembly that could move")
    return names
