"""Parts of a FreeCAD assembly, and the part and frame that a reference resolves to.

The rules are those of FreeCAD's Assembly workbench: groups, arrays of links and flexible
sub-assemblies are traversed, and the first other object in them is the part that moves.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ...errors import AssemblySolverError, FormatError, MissingExtra, NotUnderstood
from ...foundations.geometry.pose import Pose
from ..shapes.brep import Element
from .records import Document, Link, Thing

ASSEMBLY = "Assembly::AssemblyObject"
ASSEMBLY_LINK = "Assembly::AssemblyLink"
TOP = "<document>"
"""Name of the assembly that a document without an assembly object is as a whole."""

JOINTS = "Assembly::JointGroup"
BODY = "PartDesign::Body"
SKETCH = "Sketcher::SketchObject"
SCRIPTED = "App::FeaturePython"
LINKS = ("App::Link", "App::LinkElement")
GROUPS = ("App::DocumentObjectGroup", "App::DocumentObjectGroupPython", JOINTS)
CONTAINERS = ("App::Part", ASSEMBLY, ASSEMBLY_LINK)
DATUMS = (
    *("App::Origin", "App::LocalCoordinateSystem", "App::Plane", "App::Line", "App::Point"),
    *("PartDesign::CoordinateSystem", "PartDesign::Plane", "PartDesign::Line"),
    *("PartDesign::Point", "Part::LocalCoordinateSystem", "Part::DatumPlane", "Part::DatumLine"),
    "Part::DatumPoint",
)
"""Reference geometry: at the top of an assembly it is grounded."""

OF_A_BODY = tuple(kind for kind in DATUMS if kind.startswith("PartDesign::"))
"""Reference geometry in a body that has its own frame in `FIRST` versions: its origin has none."""
FIRST = re.compile(r"0\.|1\.0")
"""Versions of FreeCAD before 1.1."""

ELEMENT = re.compile(r"\??((?:Vertex|Edge|Face)[0-9]+)")
"""The last name of a path if it is an element of a shape; FreeCAD marks a lost one by "?"."""

DEEPEST = 100
"""Objects on a path, or links in a chain, above which it counts as a cycle."""


class BrokenReference(AssemblySolverError, ValueError):
    """A reference of a joint that cannot be resolved; the message says why, without the joint."""


class Spot(NamedTuple):
    """The location that a reference resolves to.

    Attributes:
        part: the object that moves; target: the object whose frame the joint's placements are in.
        home: the document of the target; within: pose of the target in the part.
        element: "Face6", or "" for the whole object.
    """

    part: str
    target: Thing
    home: Document
    within: Pose
    element: str

    @property
    def words(self) -> str:
        """The element and its object as a user names them."""
        return f"{self.element} of {self.target.label}" if self.element else self.target.label


class Tree:
    """An assembly object in a document, by name: its parts in order, joints, and references."""

    def __init__(self, document: Document, assembly: str) -> None:
        self.document, self.assembly = document, assembly
        self.parts: dict[str, Thing] = {}
        self.joints: dict[str, Thing] = {}
        self.under: dict[str, Pose] = {}
        """Pose of the container of each part in the assembly; it is constant."""
        self.members: set[str] = {link.name for link in document.things[assembly].links("Origin")}
        self._named = set(_named_by_joints(document))
        self._collect(document.things[assembly], Pose(), set())

    @property
    def label(self) -> str:
        """The user's name of the assembly."""
        return self.document.things[self.assembly].label

    # ------------------------------------------------------------------ parts and joints
    def _collect(self, container: Thing, pose: Pose, seen: set[str], jointed: bool = False) -> None:
        """Collect parts and, inside joint groups, joints of a container and of those in it."""
        if container.name in seen:
            return
        seen.add(container.name)
        jointed = jointed or container.type == JOINTS
        for thing in self._inside(container):
            self.members.add(thing.name)
            if thing.has("JointType") or thing.has("ObjectToGround"):
                if jointed:
                    self.joints[thing.name] = thing
            elif jointed and thing.type == SCRIPTED:
                self.joints[thing.name] = thing
            elif self._traversed(thing):
                inner = pose if thing.type in GROUPS else pose @ thing.placement()
                self._collect(thing, inner, seen, jointed)
            elif self._moves(thing):
                self._add(thing, pose)

    def _inside(self, container: Thing) -> Iterator[Thing]:
        key = "ElementList" if container.type in LINKS else "Group"
        for link in container.links(key):
            if link.name in self.document.things and not link.file:
                yield self.document.things[link.name]

    def _add(self, thing: Thing, container: Pose) -> None:
        if thing.name not in self.parts:
            self.parts[thing.name] = thing
            self.under[thing.name] = container

    @staticmethod
    def _traversed(thing: Thing) -> bool:
        """Whether an object is no part but a container of parts."""
        flexible = thing.type == ASSEMBLY_LINK and not thing.flag("Rigid", True)
        return flexible or thing.type in GROUPS or is_array(thing)

    def _moves(self, thing: Thing) -> bool:
        """Whether an object is a part; a sketch is one if a joint refers to it, a datum is none."""
        if thing.type == SKETCH and thing.name not in self._named:
            return False
        return thing.has("Placement") and thing.type not in DATUMS

    def pose(self, name: str) -> Pose:
        """The pose of a part in the assembly, mm."""
        return self.under[name] @ self.parts[name].placement()

    def placement_for(self, name: str, pose: Pose) -> Pose:
        """The placement of a part at a pose in the assembly."""
        return self.under[name].to(pose)

    @property
    def grounded(self) -> set[str]:
        """Parts that are grounded: by a grounded joint, or as reference geometry.

        FreeCAD 1.2 locks the placements of parts that it grounds, and grounds every part with a
        locked placement; a document in which all grounded parts are locked is of that version.
        """
        grounded = {link.name for j in self.joints.values() for link in j.links("ObjectToGround")}
        parts = self.parts.items()
        locked = {name for name, t in parts if any(map(t.locked, ("Placement", "LinkPlacement")))}
        grounded &= self.parts.keys()
        if grounded and grounded <= locked:
            grounded = locked
        return {name for name, t in parts if name in grounded or t.type in DATUMS}

    # ------------------------------------------------------------------ references
    def spot(self, link: Link, of_joint: bool = False) -> Spot:
        """The location that a reference resolves to; BrokenReference where there is none.

        Args:
            of_joint: whether it is of a joint of FreeCAD: in the `FIRST` versions the placements
                of joints on axes and planes of a body's origin are in the body's frame.
        """
        names = [link.name, *(n for n in link.path.split(".") if not n.startswith(";"))]
        if link.file:
            raise BrokenReference(f"it refers to the document {link.file}")
        if self.assembly in names:
            names = names[names.index(self.assembly) + 1 :]
        if len(names) > DEEPEST:
            raise BrokenReference("its path is too long")
        *objects, element = names if len(names) > 1 else [*names, ""]
        part, rest = self._moving([name for name in objects if name])
        found = ELEMENT.fullmatch(element)
        name = found[1] if found else ""
        first = of_joint and FIRST.match(self.document.version) is not None
        spot = Spot(part, *self._target(self.parts[part], rest, first), name)
        if element.startswith("?"):
            raise BrokenReference(f"{spot.words} is gone: the shape was changed")
        return spot

    def _moving(self, objects: list[str]) -> tuple[str, list[str]]:
        """The part that moves, and the names on the path after it."""
        pose = Pose()
        for k, name in enumerate(objects):
            thing = self.document.things.get(name)
            if thing is None and name.isdigit():
                raise BrokenReference("it refers to a copy in a link array; show its elements")
            if thing is None:
                raise BrokenReference(f"there is no object {name!r}")
            if name not in self.members:
                raise BrokenReference(f"{thing.label!r} is not in the assembly")
            if not self._traversed(thing):
                if name not in self.parts:
                    self._ground(thing, pose)
                return name, objects[k + 1 :]
            pose = pose if thing.type in GROUPS else pose @ thing.placement()
        raise BrokenReference("it names no part of the assembly")

    def _ground(self, thing: Thing, container: Pose) -> None:
        """Add reference geometry as a part: it is grounded unless it is attached to something."""
        if thing.type not in DATUMS:
            raise BrokenReference(f"{thing.label!r} is no part that could move")
        if thing.attached:
            raise BrokenReference(f"{thing.label!r} is attached to another object")
        self._add(thing, container)

    def _target(self, part: Thing, rest: list[str], first: bool) -> tuple[Thing, Document, Pose]:
        """The object whose frame placements are in, its document, and its pose in the part."""
        thing, home, within = part, self.document, Pose()
        for name in rest:
            solid, document = self.resolved(thing, home)
            inner = document.things.get(name)
            if inner is None or not _has_frame(solid, inner, first):
                break
            if thing.flag("LinkTransform") and solid.placement() != Pose():
                why = f"adds the placement of {solid.label} to its own, which no joint sees"
                raise BrokenReference(f"{thing.label!r} {why}; switch off its LinkTransform")
            within = within @ inner.placement()
            thing, home = inner, document
        return thing, home, within

    def shape(self, spot: Spot) -> Element:
        """The face or edge of a reference; BrokenReference where it cannot be read."""
        thing, home = self.resolved(spot.target, spot.home)
        try:
            return home.element(thing, spot.element)
        except (FormatError, MissingExtra, NotUnderstood) as error:
            raise BrokenReference(f"the geometry of {spot.words}: {error}") from None

    def resolved(
        self, thing: Thing, document: Document, through: Collection[str] = LINKS
    ) -> tuple[Thing, Document]:
        """The last object of a chain of links, and its document; BrokenReference at a cycle.

        Args:
            through: types of the links that are followed.
        """
        for _ in range(DEEPEST):
            links = thing.links("LinkedObject") if thing.type in through else []
            if not links:
                return thing, document
            document = document_of(links[0], document)
            if links[0].name not in document.things:
                raise BrokenReference(f"{thing.label!r} links to nothing")
            thing = document.things[links[0].name]
        raise BrokenReference(f"the links of {thing.label!r} go round in a circle")


def document_of(link: Link, document: Document) -> Document:
    """The document that a link of a document leads into; BrokenReference: it cannot be read."""
    try:
        return document.other(link.file) if link.file else document
    except FormatError as error:
        raise BrokenReference(f"it leads into another file: {error}") from None


def _named_by_joints(document: Document) -> Iterator[str]:
    """Names on the paths of references of all joints."""
    for thing in document.things.values():
        for key in ("Reference1", "Reference2", "ObjectToGround"):
            for link in thing.links(key):
                yield from (link.name, *link.path.split("."))


def is_array(thing: Thing) -> bool:
    """Whether a link is an array of copies, which move independently."""
    return thing.type == "App::Link" and thing.number("ElementCount") > 0


def _has_frame(solid: Thing, inner: Thing, first: bool) -> bool:
    """Whether an object has a frame of its own in the one before it; `first`: in `FIRST`."""
    if solid.type == BODY:
        return inner.type in (*(OF_A_BODY if first else DATUMS), SKETCH)
    return solid.type in (*CONTAINERS, *GROUPS, *DATUMS) or is_array(solid)
