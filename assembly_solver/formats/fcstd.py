"""FreeCAD files, NAME.FCStd: assemblies of FreeCAD 1.x read without FreeCAD, and written back.

A file can hold several assemblies: `NAME.FCStd#Assembly001` is the one of that name or label.
Writing puts new placements into the file that the assembly was read from and leaves every other
byte of it alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import FormatError, NotUnderstood
from ..geometry.pose import Pose
from ..model.assembly import Assembly
from ..model.feature import Feature
from . import LEFT_OUT, SUPPRESSED, brep, freecad_zip
from .carriers import Coupled
from .freecad_couplings import KINDS, Couplings
from .freecad_document import DOCUMENT, Document, Thing, member, placement_text, read_document
from .freecad_joints import JOINT_TYPES, Wanted, wanted
from .freecad_parts import ASSEMBLY, BrokenReference, Tree

SOURCE = "x-freecad"
"""Note of an assembly: its file and the assembly object in it; of a part: its object."""

OLDER = {"SubElement1": "Assembly2 or A2plus", "Object1": "Assembly2 or A2plus"}
"""Properties of constraints of workbenches that were before FreeCAD's own."""


# -------------------------------------------------------------------------------------- reading
def read(path: str | Path, choice: str = "") -> Assembly:
    """The assembly in a FreeCAD file; `choice` is its name or label where there are several.

    Joints that cannot be made mates are left out and named, with the reason, in the note
    `LEFT_OUT`; joints that are switched off in FreeCAD are named in `SUPPRESSED`.
    """
    path = Path(path)
    document = read_document(path)
    root = _root(document, choice)
    tree = Tree(document, root.name)
    found = _Joints(tree)
    assembly = Assembly(root.label, folder=path.parent)
    assembly.notes[SOURCE] = {"file": path.name, "assembly": root.name}
    assembly.notes |= {k: v for k, v in found.notes().items() if v}
    grounded, names = tree.grounded, _unique(tree.parts.values())
    for name, thing in tree.parts.items():
        assembly.add(
            names[name],
            pose=tree.pose(name),
            grounded=name in grounded,
            features=found.features.get(name),
            notes={SOURCE: thing.name},
        )
    for label, mate in found.mates.items():
        ends = ((names[mate.a.part], label), (names[mate.b.part], label))
        assembly.mate(mate.kind, *ends, name=label, **mate.parameters)
        for coordinate, (low, high) in mate.limits.items():
            assembly.limit(label, coordinate, min=low, max=high)
    for label, coupling in found.couplings.items():
        assembly.mate(coupling.kind, name=label, **coupling.parameters)
    return assembly


class _Joints:
    """The joints of an assembly as mates by name, the features that they need, and the rest."""

    def __init__(self, tree: Tree) -> None:
        self.mates: dict[str, Wanted] = {}
        self.couplings: dict[str, Coupled] = {}
        self.features: dict[str, dict[str, Feature]] = {}
        self.left_out: dict[str, str] = {}
        self.suppressed: list[str] = []
        joints = [j for j in tree.joints.values() if "JointType" in j.properties]
        coupling: dict[str, Thing] = {}
        for name, label in _unique(joints).items():
            joint = tree.document.things[name]
            if joint.flag("Suppressed") or not joint.flag("Activated", True):
                self.suppressed.append(label)
            elif joint.choice("JointType", JOINT_TYPES) in KINDS:
                coupling[label] = joint
            else:
                with self._told(label):
                    self._take(label, wanted(tree, joint))
        known = Couplings(tree, self.mates)
        for label, joint in coupling.items():
            with self._told(label):
                self.couplings[label] = known.wanted(joint)

    @contextmanager
    def _told(self, label: str) -> Iterator[None]:
        """Keep the reason where a joint cannot be understood."""
        try:
            yield
        except (BrokenReference, NotUnderstood) as error:
            self.left_out[label] = str(error)

    def _take(self, label: str, mate: Wanted) -> None:
        self.mates[label] = mate
        for side in (mate.a, mate.b):
            self.features.setdefault(side.part, {})[label] = side.feature

    def notes(self) -> dict[str, Any]:
        return {LEFT_OUT: self.left_out, SUPPRESSED: self.suppressed}


def _unique(things: Iterable[Thing]) -> dict[str, str]:
    """A name for each object: its label, with the object's own name where that is taken."""
    out: dict[str, str] = {}
    taken: set[str] = set()
    for thing in things:
        name = thing.label
        while name in taken:
            name = f"{name} ({thing.name})"
        taken.add(name)
        out[thing.name] = name
    return out


def _root(document: Document, choice: str) -> Thing:
    """The assembly object that is asked for, or the only one that is in no other."""
    all_of_them = [t for t in document.things.values() if t.type == ASSEMBLY]
    if not all_of_them:
        raise FormatError(document.file.name, _without_assembly(document))
    if choice:
        fits = [t for t in all_of_them if choice in (t.name, t.label)]
        fits = [t for t in fits if t.name == choice] or fits
    else:
        inner = {link.name for t in all_of_them for link in _everything_in(document, t)}
        fits = [t for t in all_of_them if t.name not in inner] or all_of_them
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(f"{t.name} ({t.label})" if t.label != t.name else t.name for t in all_of_them)
    problem = f"no one assembly is named {choice!r}" if choice else "it holds several assemblies"
    ways = f"{document.file.name}#{all_of_them[0].name}"
    raise FormatError(document.file.name, f"{problem}: {names}; choose one as {ways}")


def _everything_in(document: Document, container: Thing) -> list[Any]:
    """Links to the members of a container and of the groups and parts in it."""
    out = list(container.links("Group"))
    seen = {container.name}
    for link in out:
        if link.name in document.things and link.name not in seen:
            seen.add(link.name)
            out += document.things[link.name].links("Group")
    return out


def _without_assembly(document: Document) -> str:
    by = f" (written by FreeCAD {document.version})" if document.version else ""
    older = {w for t in document.things.values() for k, w in OLDER.items() if k in t.properties}
    if older:
        return f"its constraints are those of {older.pop()}; assemblies of FreeCAD 1.0 are read{by}"
    return f"there is no assembly in it; assemblies of FreeCAD 1.0 and later are read{by}"


# -------------------------------------------------------------------------------------- writing
def write(assembly: Assembly, path: str | Path) -> None:
    """Write the file that the assembly was read from with the parts at their poses.

    Of the document only the placements of parts that moved are other text.  Where such a part is a
    solid of its own and no link, the place at the end of its geometry is another one too: FreeCAD
    puts a part there when it opens the file.  The other members of the zip are the same bytes.
    Mates and parts that were added since are not written.
    """
    path = Path(path)
    source, root = _source(assembly, path)
    document = read_document(source)
    if root not in document.things or document.things[root].type != ASSEMBLY:
        raise FormatError(source.name, f"the assembly {root} is no longer in it")
    tree = Tree(document, root)
    moved: dict[str, Pose] = {}
    for name, part in assembly.parts.items():
        thing = part.notes.get(SOURCE)
        if thing not in document.things:
            raise FormatError(path.name, f"part {name!r} is not in {source.name}; {_ONLY}")
        if thing in tree.parts and tree.pose(thing) != part.pose:
            moved[thing] = tree.placement_for(thing, part.pose)
    members = _solids(document, moved) | {DOCUMENT: _document(document, moved)} if moved else {}
    path.write_bytes(freecad_zip.replaced(source, members))


def _document(document: Document, moved: Mapping[str, Pose]) -> bytes:
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


def _solids(document: Document, moved: Mapping[str, Pose]) -> dict[str, bytes]:
    """The geometry of the parts that have their own, at their new places."""
    out = {}
    for name, pose in moved.items():
        file = document.things[name].file("Shape")
        text = member(document.file, file) if file else b""
        if text and not file.endswith(".brp"):
            problem = f"the geometry of {name} is not stored as text, so that it cannot be moved"
            raise FormatError(document.file.name, problem)
        if text:
            out[file] = brep.moved(text, pose, file)
    return out


_ONLY = "a .FCStd file is written back with new placements, nothing more"


def _source(assembly: Assembly, path: Path) -> tuple[Path, str]:
    """The file that an assembly came from, and the assembly object in it."""
    note = assembly.notes.get(SOURCE)
    if not isinstance(note, dict) or not all(isinstance(note.get(k), str) for k in _NOTE):
        raise FormatError(path.name, f"{assembly.name!r} was not read from one; {_ONLY}")
    source = assembly.folder / note["file"]
    if not source.is_file():
        raise FormatError(path.name, f"{source} is needed and not there; {_ONLY}")
    return source, note["assembly"]


_NOTE = ("file", "assembly")
