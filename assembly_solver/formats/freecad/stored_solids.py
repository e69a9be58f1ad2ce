"""The solids of the parts of an assembly in its FreeCAD file, to draw them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...errors import AssemblySolverError
from ...foundations.geometry.pose import Pose
from ...model.assembly import Assembly
from .assembly import SOURCE
from .fcstd import tree_named
from .parts import CONTAINERS, DATUMS, DEEPEST, GROUPS, LINKS, SKETCH, Tree
from .records import Document, Thing
from .stored_document import STORED, StoredDocument, StoredThing, read_document


class StoredSolid(NamedTuple):
    """A solid of a part: its BREP text, a name of that text, and its pose in the part."""

    text: str
    name: str
    pose: Pose


def stored_solids(assembly: Assembly) -> dict[str, list[StoredSolid]]:
    """The solids by part; none of a part without one, or of an assembly read from another format.

    Hidden objects are left out, as in FreeCAD, and what cannot be read.
    """
    note = assembly.notes.get(SOURCE)
    if assembly.file is not None or not isinstance(note, dict):
        return {}
    try:
        document = read_document(assembly.folder / str(note.get("file")))
        tree = tree_named(document, str(note.get("assembly")))
    except (AssemblySolverError, OSError):  # it was moved or changed since it was read
        return {}
    out = {}
    for name, part in assembly.parts.items():
        thing = tree.parts.get(str(part.notes.get(SOURCE)))
        solids = [] if thing is None else list(_solids(tree, thing, document, Pose(), 0))
        if solids:
            out[name] = solids
    return out


def _solids(
    tree: Tree, thing: Thing, home: Document, at: Pose, depth: int
) -> Iterator[StoredSolid]:
    """The solids of an object whose frame is at a pose in the part."""
    if depth > DEEPEST:
        return
    if thing.type in LINKS:
        try:
            target, document = tree.resolved(thing, home)
        except AssemblySolverError:
            return
        at = at @ target.placement() if thing.flag("LinkTransform") else at
        yield from _solids(tree, target, document, at, depth + 1)
        return
    if thing.type in (*CONTAINERS, *GROUPS):
        for link in thing.links("Group"):
            inner = home.things.get(link.name)
            if inner is not None and _drawn(inner):
                step = Pose() if inner.type in GROUPS else inner.placement()
                yield from _solids(tree, inner, home, at @ step, depth + 1)
        return
    solid = _stored(thing, home)
    if solid is not None:  # its text is placed as the object is
        yield StoredSolid(*solid, at @ thing.placement().inverse())


def _drawn(thing: Thing) -> bool:
    return thing.flag("Visibility", True) and thing.type not in (*DATUMS, SKETCH)


def _stored(thing: Thing, home: Document) -> tuple[str, str] | None:
    """The text of an object's solid, and its name; None where there is none that can be read."""
    if not isinstance(home, StoredDocument) or not isinstance(thing, StoredThing):
        return None
    if not thing.shape_file.endswith(STORED):
        return None
    try:
        text, member = home.solid(thing)
    except AssemblySolverError:
        return None
    return text, f"{home.file}/{member}"
