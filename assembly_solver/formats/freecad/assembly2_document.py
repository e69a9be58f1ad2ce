"""FreeCAD documents of the workbenches Assembly2 and A2plus: their parts and constraints.

They have no assembly object: constraints at the top of the document name two objects and an element
of each.  Placements are in the document's frame, whatever container an object is in.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...foundations.geometry.pose import Pose
from .parts import ASSEMBLY, SCRIPTED, TOP, Tree
from .records import Document, Thing

INFO = "ConstraintInfo"
"""Group of the properties of a constraint; copies of it for display have another group."""

BESIDE = (
    "it is a constraint of Assembly2 or A2plus on a part of an assembly with joints of FreeCAD's "
    "own; make a joint in its place, or delete it"
)

FIXED = "fixedPosition"
"""Property of a part: whether it is grounded; imported parts have it."""


def constraints_in(document: Document) -> list[Thing]:
    """Constraints of Assembly2 or A2plus in a document without an assembly object of FreeCAD."""
    if any(t.type == ASSEMBLY for t in document.things.values()):
        return []
    return [*_constraints(document)]


def skipped_constraints(tree: Tree) -> dict[str, str]:
    """Constraints on parts of an assembly object of FreeCAD by label, and why they are skipped."""
    if isinstance(tree, ConstrainedTree):
        return {}
    found = (t for t in _constraints(tree.document) if not t.flag("Suppressed"))
    ends = {t.label: {t.text("Object1"), t.text("Object2")} for t in found}
    return {label: BESIDE for label, names in ends.items() if names & tree.members}


def _constraints(document: Document) -> Iterator[Thing]:
    things = document.things.values()
    return (t for t in things if t.type == SCRIPTED and t.group("Type") == INFO)


class ConstrainedTree(Tree):
    """A document of Assembly2 or A2plus; a part is named by a constraint or has `FIXED`."""

    def __init__(self, document: Document) -> None:
        self.document, self.assembly = document, TOP
        self.joints = {t.name: t for t in constraints_in(document)}
        named = {t.text(f"Object{k}") for t in self.joints.values() for k in (1, 2)}
        self.parts = {
            t.name: t
            for t in document.things.values()
            if t.has("Placement") and (t.name in named or t.has(FIXED))
        }
        self.under = {name: Pose() for name in self.parts}
        self.members = set(document.things)

    @property
    def label(self) -> str:
        return self.document.title

    @property
    def grounded(self) -> set[str]:
        return {name for name, thing in self.parts.items() if thing.flag(FIXED)}
