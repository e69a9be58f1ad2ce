"""A live document of FreeCAD behind the interface that stored documents are read through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import FreeCAD

from assembly_solver import Pose
from assembly_solver.freecad import (
    ASSEMBLY,
    LINKS,
    TOP,
    VIEWS,
    Document,
    Element,
    FormatError,
    Link,
    NotUnderstood,
    Thing,
    boxed_about,
    constraints_in,
)

from .connectors import Connector
from .elements import Triple, element_of, flat_of

_MODELLER = "Part::"
"""Prefixes of types that are made of other objects; types made by scripts end on "Python"."""

CONNECTORS = {"Placement1": 1, "Placement2": 2}
"""Properties of a joint with its two frames, by the number of the end."""


def pose_of(placement: Any) -> Pose:
    """A placement of FreeCAD as a pose."""
    (x, y, z), (i, j, k, w) = placement.Base, placement.Rotation.Q
    return Pose((x, y, z), (w, i, j, k))


def placement_of(pose: Pose) -> Any:
    """A pose as a placement of FreeCAD."""
    w, x, y, z = pose.quaternion_wxyz
    return FreeCAD.Placement(FreeCAD.Vector(*pose.position), FreeCAD.Rotation(x, y, z, w))


class Asked(NamedTuple):
    """A property with a number, and the value that replaces it, mm or degrees."""

    key: str
    value: float


AS_IT_IS: Mapping[str, Asked] = MappingProxyType({})


class LiveThing(Thing):
    """An object of a live document; its properties are read on access.

    Attributes:
        asked: a property of a joint and the value that replaces it, mm or degrees.
        writes: values that are written when parts are moved for good, by property.
    """

    def __init__(self, found: Any, asked: Asked | None = None) -> None:
        self.object, self.asked = found, asked
        self.name: str = found.Name
        self.type: str = found.TypeId
        self.writes: dict[str, Callable[[], None]] = {}

    @property
    def label(self) -> str:
        return str(self.object.Label)

    def has(self, key: str) -> bool:
        return hasattr(self.object, key)

    def flag(self, key: str, default: bool = False) -> bool:
        return bool(getattr(self.object, key, default))

    def number(self, key: str) -> float:
        if self.asked is not None and key == self.asked.key:
            return self.asked.value
        value = getattr(self.object, key, 0.0)
        return float(getattr(value, "Value", value))  # a quantity has its number in mm, degrees

    def text(self, key: str) -> str:
        return str(getattr(self.object, key, ""))

    def group(self, key: str) -> str:
        return str(self.object.getGroupOfProperty(key)) if self.has(key) else ""

    def locked(self, key: str) -> bool:
        return self.has(key) and "ReadOnly" in self.object.getPropertyStatus(key)

    def choice(self, key: str, names: tuple[str, ...]) -> str:
        return str(getattr(self.object, key))

    def links(self, key: str) -> list[Link]:
        own = self.object.Document
        found = [
            Link("" if to.Document is own else to.Document.Name, to.Name, path)
            for to, path in _targets(getattr(self.object, key, None))
        ]
        if key == "LinkedObject" and self.type in LINKS and not found:
            raise NotUnderstood(f"{self.label!r} links to nothing that is open")
        return found

    def placement(self, key: str = "Placement") -> Pose:
        found = getattr(self.object, key, None)
        if key in CONNECTORS and self.has("JointType"):
            end = Connector(self.object, CONNECTORS[key])
            moved = end.moved
            if moved is not None:
                found, self.writes[key] = moved, partial(end.keep, moved)
        return Pose() if found is None else pose_of(found)

    @property
    def attached(self) -> bool:
        return getattr(self.object, "MapMode", "Deactivated") != "Deactivated"


def object_of(thing: Thing) -> Any:
    """The document object of a `LiveThing`."""
    assert isinstance(thing, LiveThing)
    return thing.object


def when_placed(thing: Thing, key: str, write: Callable[[], None]) -> None:
    """Schedule a property to be written when parts are moved for good."""
    assert isinstance(thing, LiveThing)
    thing.writes[key] = write


def bring_up_to_date(thing: Thing | None) -> None:
    """Write the scheduled properties, such as the changed frames of elements."""
    if isinstance(thing, LiveThing):
        for write in thing.writes.values():
            write()


def asked_of(thing: Thing) -> Asked | None:
    """The value that replaces a property of an object, if any."""
    return thing.asked if isinstance(thing, LiveThing) else None


def _targets(value: Any) -> Iterator[tuple[Any, str]]:
    """The objects in the value of a property, each with the path of the element in it."""
    if value is None:
        return
    if not isinstance(value, (list, tuple)):
        yield value, ""
    elif len(value) == 2 and isinstance(value[1], (str, list, tuple)):
        to, paths = value
        if to is not None:
            several = [paths] if isinstance(paths, str) else paths
            yield from ((to, path) for path in several or [""])
    else:
        for item in value:
            yield from _targets(item)


class _TopLevel(Thing):
    """A document as an assembly of its top-level objects."""

    name, type, attached = TOP, ASSEMBLY, False

    def __init__(self, document: Any) -> None:
        self.object = document

    @property
    def label(self) -> str:
        return str(self.object.Label)

    def has(self, key: str) -> bool:
        return key == "Group"

    def flag(self, key: str, default: bool = False) -> bool:
        return default

    def number(self, key: str) -> float:
        return 0.0

    def text(self, key: str) -> str:
        return ""

    def group(self, key: str) -> str:
        return ""

    def locked(self, key: str) -> bool:
        return False

    def choice(self, key: str, names: tuple[str, ...]) -> str:
        return names[0]

    def links(self, key: str) -> list[Link]:
        if key != "Group":
            return []
        return [Link("", o.Name, "") for o in self.object.Objects if _stands_alone(o)]

    def placement(self, key: str = "Placement") -> Pose:
        return Pose()


def _stands_alone(found: Any) -> bool:
    """Whether an object is in no container, and no other shape is made from it."""
    if found.getParentGeoFeatureGroup() is not None or found.getParentGroup() is not None:
        return False
    users = (o for o in found.InList if o.TypeId.startswith(_MODELLER))
    return not any(_made_of(o, found) for o in users if not o.TypeId.endswith("Python"))


def _made_of(user: Any, found: Any) -> bool:
    """Whether one object refers to another in a property, other than by a formula."""
    keys = (k for k in user.PropertiesList if "PropertyLink" in user.getTypeIdOfProperty(k))
    return any(to is found for k in keys for to, _ in _targets(getattr(user, k)))


class LiveDocument(Document):
    """The objects of a live document by name, as they are now.

    Args:
        asked: values that replace properties of joints, by the names of the joints' objects.
    """

    version = ".".join(FreeCAD.Version()[:2])

    def __init__(self, document: Any, asked: Mapping[str, Asked] = AS_IT_IS) -> None:
        self.document = document
        self.title = str(document.Label)
        self.things: dict[str, Thing] = {
            o.Name: LiveThing(o, asked.get(o.Name)) for o in document.Objects
        }
        own = any(t.type == ASSEMBLY for t in self.things.values())
        if not own and not constraints_in(self):
            self.things[TOP] = _TopLevel(document)
        self._others: dict[str, LiveDocument] = {}

    def chosen(self, assembly: Thing) -> str:
        return f"FreeCAD.getDocument({self.document.Name!r}).getObject({assembly.name!r})"

    def other(self, file: str) -> LiveDocument:
        if file not in FreeCAD.listDocuments():
            raise NotUnderstood(f"it leads into the document {file}, which is not open")
        if file not in self._others:
            self._others[file] = LiveDocument(FreeCAD.getDocument(file))
        return self._others[file]

    def element(self, thing: Thing, name: str) -> Element:
        return element_of(self._own(thing, name))

    def centre(self, thing: Thing, name: str) -> Triple:
        x, y, z = self._own(thing, name).CenterOfMass
        return (x, y, z)

    def flat(self, thing: Thing, name: str) -> Element | None:
        return flat_of(self._own(thing, name))

    def symmetric(self, thing: Thing, name: str) -> bool:
        face, boxes = self._own(thing, name), []
        for view in VIEWS:
            turned = face.copy()
            turned.Placement = placement_of(view).multiply(turned.Placement)
            box = turned.BoundBox  # of the geometry: a copy has no mesh
            boxes.append(((box.XMin, box.YMin, box.ZMin), (box.XMax, box.YMax, box.ZMax)))
        return boxed_about(boxes, self.centre(thing, name))

    def _own(self, thing: Thing, name: str) -> Any:
        """A face, an edge or a vertex of an object, in the object's coordinates."""
        shape = getattr(self.document.getObject(thing.name), "Shape", None)
        if shape is None or shape.isNull():
            raise NotUnderstood(f"{thing.label} has no shape")
        try:
            found = shape.getElement(name)
        except Exception:
            found = None
        if found is None:
            raise FormatError(thing.label, f"there is no {name}")
        return found.transformed(shape.Placement.inverse().toMatrix())
