"""An assembly of a live document as an engine assembly, and the placement of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import FreeCAD

from assembly_solver import Assembly, Pose, Position
from assembly_solver.freecad import (
    ASSEMBLY,
    TOP,
    FormatError,
    Made,
    Tree,
    add_motions,
    add_positions,
    make_assembly,
    positions_in,
    simulations_in,
    tree_of,
    trees_in,
)

from .document import AS_IT_IS, Asked, LiveDocument, bring_up_to_date, placement_of
from .reading import with_mates
from .waiting import recompute_waiting


class Live:
    """An assembly of a document, read once; only placements are written back.

    Attributes:
        document: of FreeCAD; assembly: the engine's, parts and mates named by their labels.
        tree: the document as it was read.
        parts: moving object by name of the part; joints: object by name of the mate, including
            joints that are switched off or could not be read.
    """

    def __init__(self, tree: Tree, made: Made, document: Any) -> None:
        self.document = document
        self.assembly: Assembly = made.assembly
        self.parts: dict[str, Any] = {k: document.getObject(v) for k, v in made.parts.items()}
        self.joints: dict[str, Any] = {k: document.getObject(v) for k, v in made.joints.items()}
        self.tree, self._names, self._mates = tree, made.parts, made.joints

    def simulate(self, simulation: str | None = None) -> None:
        """Add the motions of a simulation of FreeCAD to the assembly as drivers over time.

        Args:
            simulation: its label or name; if not given the only one.

        Raises:
            FormatError: there is no one such simulation.
        """
        found = [*simulations_in(self.tree.document, self.tree.assembly)]
        fits = [s for s in found if simulation in (None, s.name, s.label)]
        fits = [s for s in fits if s.name == simulation] or fits
        if len(fits) != 1:
            known = ", ".join(s.label for s in found)
            which = "no one simulation" + (f" {simulation!r}" if simulation else "")
            raise FormatError(self.tree.label, f"{which}; {known or 'there is none in it'}")
        add_motions(self.tree, self.assembly, self._mates, fits[0])

    @property
    def names(self) -> list[str]:
        """All names of joints and parts."""
        return [*self.joints, *self.parts]

    @property
    def positions(self) -> dict[str, Position]:
        """The positions that the document keeps now; those of joints that are gone, too."""
        return positions_in(self.tree, self._mates)

    @property
    def placements(self) -> dict[str, Any]:
        """The present placements of the parts, for `restore`.

        The origin of an assembly, which joints can refer to, has none.
        """
        placed = {n: part for n, part in self.parts.items() if hasattr(part, "Placement")}
        return {name: FreeCAD.Placement(part.Placement) for name, part in placed.items()}

    def move(self, poses: Mapping[str, Pose]) -> None:
        """Place parts as `place` does, for good: joints are updated as well.

        Joints whose elements were changed get their present frames, as after a solve of FreeCAD's
        own; mates get the present names of their elements.
        """
        self.place(poses)
        for name in self.tree.members:
            bring_up_to_date(self.tree.document.things.get(name))

    def place(self, poses: Mapping[str, Pose]) -> None:
        """Place parts at poses in the assembly; parts that are there already are not touched.

        No undo step is made (see `step`) and nothing is recomputed.  Where a placement cannot be
        written, those written before are restored.
        """
        before: dict[str, Any] = {}
        try:
            for name, pose in poses.items():
                own = self._names[name]
                if self.tree.pose(own) != pose:
                    before[name] = FreeCAD.Placement(self.parts[name].Placement)
                    _put(self.parts[name], self.placement_for(name, pose))
        except BaseException:
            self.restore(before)
            raise

    def placement_for(self, name: str, pose: Pose) -> Any:
        """The placement that has a part at a pose in the assembly."""
        return placement_of(self.tree.placement_for(self._names[name], pose))

    def restore(self, placements: Mapping[str, Any]) -> None:
        """Restore placements of parts."""
        for name, placement in placements.items():
            if not same(self.parts[name].Placement, placement):
                _put(self.parts[name], placement)


def _put(part: Any, placement: Any) -> None:
    """Place an object without marking it as to be recomputed, as FreeCAD's own solver does."""
    waiting = "Touched" in part.State
    part.Placement = placement
    if not waiting:
        part.purgeTouched()


def same(one: Any, other: Any) -> bool:
    """Whether two placements are the same bit for bit."""
    return bool(one.Base == other.Base and one.Rotation.Q == other.Rotation.Q)


@contextmanager
def step(document: Any, words: str) -> Iterator[None]:
    """One undo step of a document, rolled back where an exception leaves it.

    Inside an open step no new one is opened: all changes become one step.
    """
    if document.HasPendingTransaction:
        yield
        return
    document.openTransaction(words)
    try:
        yield
    except BaseException:
        FreeCAD.closeActiveTransaction(True)
        raise
    FreeCAD.closeActiveTransaction()  # unlike a commit it closes a step without changes too


def assemblies(document: Any = None) -> list[Any]:
    """The top-level assemblies of a document; the document itself if it has none."""
    document = _active(document)
    roots = [tree.assembly for tree in trees_in(LiveDocument(document))]
    return [document if root == TOP else document.getObject(root) for root in roots]


def read(of: Any = None, asked: Mapping[str, Asked] = AS_IT_IS) -> Live:
    """An assembly of a document as a `Live`; what waits to be recomputed is recomputed first.

    Args:
        of: an assembly object; or a document: its only assembly, or its top-level objects where it
            has none; the active document by default.  A document of Assembly2 or A2plus is an
            assembly as a whole.
        asked: values that replace properties of joints, by the names of the joints' objects.

    Raises:
        FormatError: the document has several assemblies.
    """
    chosen, document = "", of
    if of is not None and hasattr(of, "TypeId") and hasattr(of, "Document"):
        if of.TypeId != ASSEMBLY:
            raise FormatError(of.Label, f"it is no assembly but a {of.TypeId}")
        chosen, document = of.Name, of.Document
    document = _active(document)
    recompute_waiting(document)
    return _read(document, chosen, asked)


def read_as_it_is(assembly: Any) -> Live:
    """An assembly as a `Live`, while something in its document is being changed or recomputed."""
    return _read(assembly.Document, assembly.Name, AS_IT_IS)


def _read(document: Any, chosen: str, asked: Mapping[str, Asked]) -> Live:
    found = LiveDocument(document, asked)
    tree = tree_of(found, chosen)
    made = with_mates(tree, make_assembly(tree))
    add_positions(tree, made.assembly, made.joints)
    return Live(tree, made, document)


def _active(document: Any) -> Any:
    document = document or FreeCAD.ActiveDocument
    if document is None:
        raise FormatError("FreeCAD", "no document is open")
    if not hasattr(document, "Objects"):
        words = f"{document!r} is no document and no assembly in one; give FreeCAD.ActiveDocument"
        raise FormatError("FreeCAD", words)
    return document
