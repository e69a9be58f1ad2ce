"""Rigid groups of FreeCAD 1.2: parts that keep the places that they have to each other.

A group stands among the joints and is none: it has no type and no references, it lists parts.
FreeCAD welds them as they stand and passes over joints between them; here such a joint is solved
like any other, so that one that does not hold contradicts the group by name.

Source: the source code of FreeCAD's Assembly workbench (JointObject.py, AssemblyObject.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import NotUnderstood
from ...foundations.geometry.pose import Pose
from .joints import Side, Wanted, frame_of
from .parts import BrokenReference, Tree
from .records import Thing

MEMBERS = "ObjectsToRigidGroup"
"""Property of a rigid group that lists its parts."""


def welded(tree: Tree, group: Thing) -> Iterator[tuple[str, Wanted]]:
    """For each part of a group but the first: its object, and the mate that holds it to the first.

    Raises:
        BrokenReference, NotUnderstood: the group cannot be held; why.
    """
    first, *others = _parts(tree, group)
    for other in others:
        there = frame_of(tree.pose(other).to(tree.pose(first)))
        sides = Side(first, frame_of(Pose())), Side(other, there)
        yield other, Wanted("fixed", *sides, {})


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
