"""Who moves in a FreeCAD assembly: its parts, and for a reference the part and the frame in it.

The rules are those of FreeCAD's Assembly workbench: groups, arrays of links and flexible
sub-assemblies are passed through, and the first object after them is what a solve places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...errors import AssemblySolverError, FormatError, MissingExtra, NotUnderstood
from ...foundations.geometry.pose import Pose
from ..shapes.brep import Element
from .records import Document, Link, Thing

ASSEMBLY = "Assembly::AssemblyObject"
ASSEMBLY_LINK = "Assembly::AssemblyLink"
TOP = "<document>"
"""Name of the assembly that a document is as a whole where it has no assembly object."""

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
"""Reference geometry: at the top of an assembly it stands still."""

OF_A_BODY = tuple(kind for kind in DATUMS if kind.startswith("PartDesign::"))
"""What has a frame of its own in a body for the first versions: its origin has none."""
FIRST = re.compile(r"0\.|1\.0")
"""Versions of FreeCAD before 1.1."""

ELEMENT = re.compile(r"\??((?:Vertex|Edge|Face)[0-9]+)")
"""The last name of a path where it is part of a shape; a "?" marks one that was lost."""

DEEPEST = 100
"""Objects on a path, or links in a chain, above which it is taken for a circle."""


class BrokenReference(AssemblySolverError, ValueError):
    """A reference of a joint that leads nowhere; the message says why, without the joint's name."""


class Spot(NamedTuple):
    """Where a reference leads.

    Attributes:
        part: the object that moves; target: the object whose frame the joint's placements are in.
        home: the document that the target is in; within: pose of the target in the part.
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
    """An assembly in a document: its parts in order, its joints, and its references.

    Args:
        document: with its objects; assembly: name of the assembly object in it.
    """

    def __init__(self, document: Document, assembly: str) -> None:
        self.document, self.assembly = document, assembly
        self.parts: dict[str, Thing] = {}
        self.joints: dict[str, Thing] = {}
        self.under: dict[str, Pose] = {}
        """Where the container of a part is in the assembly; it does not move."""
        self.members: set[str] = {link.name for link in document.things[assembly].links("Origin")}
        self._named = set(_named_by_joints(document))
        self._collect(document.things[assembly], Pose(), set())

    @property
    def label(self) -> str:
        """What the user calls the assembly."""
        return self.document.things[self.assembly].label

    # ------------------------------------------------------------------ parts and joints
    def _collect(
        self, container: Thing, place: Pose, seen: set[str], jointed: bool = False
    ) -> None:
        """Parts and joints of a container, those of groups and flexible sub-assemblies with it.

        Joints count in a joint group and in the groups in it.
        """
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
            elif self._passed(thing):
                inner = place if thing.type in GROUPS else place @ thing.placement()
                self._collect(thing, inner, seen, jointed)
            elif self._moves(thing):
                self._take(thing, place)

    def _inside(self, container: Thing) -> Iterator[Thing]:
        key = "ElementList" if container.type in LINKS else "Group"
        for link in container.links(key):
            if link.name in self.document.things and not link.file:
                yield self.document.things[link.name]

    def _take(self, thing: Thing, place: Pose) -> None:
        if thing.name not in self.parts:
            self.parts[thing.name] = thing
            self.under[thing.name] = place

    @staticmethod
    def _passed(thing: Thing) -> bool:
        """Whether an object is no part but holds some."""
        flexible = thing.type == ASSEMBLY_LINK and not thing.flag("Rigid", True)
        return flexible or thing.type in GROUPS or is_array(thing)

    def _moves(self, thing: Thing) -> bool:
        """Whether an object is a part: not reference geometry, and a sketch where it is jointed."""
        if thing.type == SKETCH and thing.name not in self._named:
            return False
        return thing.has("Placement") and thing.type not in DATUMS

    def pose(self, name: str) -> Pose:
        """Where a part is in the assembly."""
        return self.under[name] @ self.parts[name].placement()

    def placement_for(self, name: str, pose: Pose) -> Pose:
        """The placement that brings a part to a pose in the assembly."""
        return self.under[name].to(pose)

    @property
    def grounded(self) -> set[str]:
        """Parts that are held where they are: by a grounded joint, or as reference geometry.

        FreeCAD 1.2 locks the placements of parts that it grounds, and grounds every part with a
        locked one; a document in which what is grounded is locked is such a one.
        """
        held = {link.name for j in self.joints.values() for link in j.links("ObjectToGround")}
        parts = self.parts.items()
        locked = {name for name, t in parts if any(map(t.locked, ("Placement", "LinkPlacement")))}
        held &= self.parts.keys()
        if held and held <= locked:
            held = locked
        return {name for name, t in parts if name in held or t.type in DATUMS}

    # ------------------------------------------------------------------ references
    def spot(self, link: Link, of_joint: bool = False) -> Spot:
        """Where a reference leads.

        Args:
            of_joint: of a joint of FreeCAD's own: for the first versions the axes and planes of a
                body's origin are no places of their own, their frames are told in the body's.
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
        place = Pose()
        for k, name in enumerate(objects):
            thing = self.document.things.get(name)
            if thing is None and name.isdigit():
                raise BrokenReference("it refers to a copy in a link array; show its elements")
            if thing is None:
                raise BrokenReference(f"there is no object {name!r}")
            if name not in self.members:
                raise BrokenReference(f"{thing.label!r} is not in the assembly")
            if not self._passed(thing):
                if name not in self.parts:
                    self._ground(thing, place)
                return name, objects[k + 1 :]
            place = place if thing.type in GROUPS else place @ thing.placement()
        raise BrokenReference("it names no part of the assembly")

    def _ground(self, thing: Thing, place: Pose) -> None:
        """Take reference geometry as a part: it stands still unless it is attached to something."""
        if thing.type not in DATUMS:
            raise BrokenReference(f"{thing.label!r} is no part that could move")
        if thing.attached:
            raise BrokenReference(f"{thing.label!r} is attached to another object")
        self._take(thing, place)

    def _target(self, part: Thing, rest: list[str], first: bool) -> tuple[Thing, Document, Pose]:
        """The object on the path whose frame placements are told in, and its pose in the part."""
        thing, home, within = part, self.document, Pose()
        for name in rest:
            solid, document = self.resolved(thing, home)
            inner = document.things.get(name)
            if inner is None or not _goes_on(solid, inner, first):
                break
            if thing.flag("LinkTransform") and solid.placement() != Pose():
                why = f"adds the placement of {solid.label} to its own, which no joint sees"
                raise BrokenReference(f"{thing.label!r} {why}; switch off its LinkTransform")
            within = within @ inner.placement()
            thing, home = inner, document
        return thing, home, within

    def shape(self, spot: Spot) -> Element:
        """What the face or edge of a reference is."""
        thing, home = self.resolved(spot.target, spot.home)
        try:
            return home.element(thing, spot.element)
        except (FormatError, MissingExtra, NotUnderstood) as error:
            raise BrokenReference(f"the geometry of {spot.words}: {error}") from None

    def resolved(self, thing: Thing, document: Document) -> tuple[Thing, Document]:
        """What a chain of links stands for, and the document that it is in."""
        for _ in range(DEEPEST):
            links = thing.links("LinkedObject") if thing.type in LINKS else []
            if not links:
                return thing, document
            if links[0].file:
                document = self._other(document, links[0].file)
            if links[0].name not in document.things:
                raise BrokenReference(f"{thing.label!r} links to nothing")
            thing = document.things[links[0].name]
        raise BrokenReference(f"the links of {thing.label!r} go round in a circle")

    @staticmethod
    def _other(document: Document, file: str) -> Document:
        """Another document that links lead into."""
        try:
            return document.other(file)
        except FormatError as error:
            raise BrokenReference(f"it leads into another file: {error}") from None


def _named_by_joints(document: Document) -> Iterator[str]:
    """Names on the paths of all joints."""
    for thing in document.things.values():
        for key in ("Reference1", "Reference2", "ObjectToGround"):
            for link in thing.links(key):
                yield from (link.name, *link.path.split("."))


def is_array(thing: Thing) -> bool:
    """Whether a link stands for several copies, which move one by one."""
    return thing.type == "App::Link" and thing.number("ElementCount") > 0


def _goes_on(solid: Thing, inner: Thing, first: bool) -> bool:
    """Whether the next name on a path is a place of its own in what the path has come to.

    Args:
        first: as one of the first versions takes it in its joints.
    """
    if solid.type == BODY:
        return inner.type in (*(OF_A_BODY if first else DATUMS), SKETCH)
    return solid.type in (*CONTAINERS, *GROUPS, *DATUMS) or is_array(solid)
