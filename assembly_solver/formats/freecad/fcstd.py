"""FreeCAD files, NAME.FCStd: assemblies of FreeCAD 1.x, Assembly2 and A2plus, read and written.

FreeCAD is not needed.  `NAME.FCStd#Assembly001` is the assembly of that name or label in a file,
`NAME.FCStd#Simulation` the one with that simulation, whose motions are its drivers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...errors import FormatError
from ...foundations.geometry.pose import Pose
from ...model.assembly import Assembly
from .. import LEFT_OUT
from ..shapes import binary_brep, brep
from . import zip
from .assembly import SOURCE, make_assembly, tree_of
from .assembly2_document import ConstrainedTree, constraints_in
from .parts import ASSEMBLY, TOP, Tree
from .positions import add_positions
from .simulations import add_motions, simulation_named
from .stored_document import (
    BINARY,
    DOCUMENT,
    STORED,
    StoredDocument,
    member,
    placement_text,
    read_document,
)


# -------------------------------------------------------------------------------------- reading
def read(path: str | Path, choice: str = "") -> Assembly:
    """The assembly in a FreeCAD file, with notes as of `make_assembly`.

    Args:
        choice: name or label of the assembly, or of its simulation, where there are several.

    Raises:
        FormatError: the file is not valid, or has no such assembly.
    """
    path = Path(path)
    document = read_document(path)
    simulation, owner = simulation_named(document, choice) or (None, None)
    tree = tree_of(document, choice if owner is None else owner.name)
    made = make_assembly(tree, path.parent)
    assembly = made.assembly
    if simulation is not None:
        add_motions(tree, assembly, made.joints, simulation)
    add_positions(tree, assembly, made.joints)
    assembly.notes[SOURCE] = {"file": path.name, "assembly": tree.assembly}
    if skipped := _mates_of_the_add_on(tree):
        assembly.notes[LEFT_OUT] = {**assembly.notes.get(LEFT_OUT, {}), **skipped}
    return assembly


def _mates_of_the_add_on(tree: Tree) -> dict[str, str]:
    """Labels of mates of the add-on, which only FreeCAD can read, with the reason."""
    members = (t for name, t in tree.document.things.items() if name in tree.members)
    labels = [t.label for t in members if t.has("MateKind") and not t.flag("Suppressed")]
    return dict.fromkeys(labels, "it is a mate of the add-on for FreeCAD; solve it there")


# -------------------------------------------------------------------------------------- writing
def write(assembly: Assembly, path: str | Path) -> None:
    """Write the file that the assembly was read from with the parts at their poses.

    In the document only the placements of parts that moved change.  Where such a part is a solid
    and no link, the location at the end of its geometry changes too: FreeCAD uses it when it opens
    the file.  The other members of the zip are the same bytes.  Mates and parts that were added
    since are not written.

    Raises:
        FormatError: the assembly was not read from such a file, the file is missing, or a part or
            its geometry cannot be written.
    """
    path = Path(path)
    source, root = _source(assembly, path)
    document = read_document(source)
    tree = tree_named(document, root)
    moved: dict[str, Pose] = {}
    for name, part in assembly.parts.items():
        thing = part.notes.get(SOURCE)
        if thing not in document.things:
            raise FormatError(path.name, f"part {name!r} is not in {source.name}; {_ONLY}")
        if thing in tree.parts and tree.pose(thing) != part.pose:
            moved[thing] = tree.placement_for(thing, part.pose)
    members = _solids(document, moved) | {DOCUMENT: _document(document, moved)} if moved else {}
    path.write_bytes(zip.replaced(source, members))


def tree_named(document: StoredDocument, root: str) -> Tree:
    """The assembly of a name that an earlier read stored."""
    if root == TOP and constraints_in(document):
        return ConstrainedTree(document)
    if root not in document.things or document.things[root].type != ASSEMBLY:
        words = "an assembly of constraints" if root == TOP else f"the assembly {root}"
        raise FormatError(document.file.name, f"{words} is no longer in it")
    return Tree(document, root)


def _document(document: StoredDocument, moved: Mapping[str, Pose]) -> bytes:
    """The text of the document with new placements."""
    new: dict[tuple[int, int], bytes] = {}
    for name, pose in moved.items():
        text = placement_text(pose).encode()
        for key in ("Placement", "LinkPlacement"):
            span = document.placement_span(name, key)
            if span is not None:
                new[span] = text
    data = document.data
    for (begin, end), text in sorted(new.items(), reverse=True):
        data = data[:begin] + text + data[end:]
    return data


def _solids(document: StoredDocument, moved: Mapping[str, Pose]) -> dict[str, bytes]:
    """The geometry of parts that have a solid, at the new poses, by member of the zip."""
    out = {}
    for name, pose in moved.items():
        file = document.things[name].shape_file
        if not file:
            continue
        if not file.endswith(STORED):
            problem = f"the geometry of {name} is stored as {file}, which cannot be moved"
            raise FormatError(document.file.name, problem)
        move = binary_brep.moved if file.endswith(BINARY) else brep.moved
        if data := member(document.file, file):
            out[file] = move(data, pose, file)
    return out


_ONLY = "a .FCStd file is written back with new placements, nothing more"


def _source(assembly: Assembly, path: Path) -> tuple[Path, str]:
    """The file that an assembly was read from, and the name of the assembly object in it."""
    note = assembly.notes.get(SOURCE)
    if not isinstance(note, dict) or not all(isinstance(note.get(k), str) for k in _NOTE):
        raise FormatError(path.name, f"{assembly.name!r} was not read from one; {_ONLY}")
    source = assembly.folder / note["file"]
    if not source.is_file():
        raise FormatError(path.name, f"{source} is needed and not there; {_ONLY}")
    return source, note["assembly"]


_NOTE = ("file", "assembly")
