"""FreeCAD documents in files: objects and their properties, from the zip's Document.xml.

FreeCAD is not needed, and the file is not trusted: sizes are limited, document types and entities
are refused, and an error says where the file is not valid.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from ...errors import BadValue, FormatError, NotUnderstood
from ...foundations.geometry.pose import Pose, Triple
from ..shapes import binary_brep
from ..shapes.brep import Element, Solid
from ..shapes.measured_faces import centre_of_face, flat_face, is_symmetric
from .records import Document, Link, Thing

DOCUMENT = "Document.xml"
TEXT, BINARY = STORED = (".brp", ".bin")
"""Suffixes of the members of the zip that are solids."""
LARGEST = 1 << 28
"""Unpacked bytes of a member of the zip above which it is refused; documents are far smaller."""

WANTED = frozenset(
    [
        *("Label", "Placement", "LinkPlacement", "Group", "LinkedObject", "ElementCount"),
        *("ElementList", "Rigid", "JointType", "Reference1", "Reference2", "Placement1"),
        *("Placement2", "Distance", "Distance2", "Angle", "Activated", "Suppressed", "Shape"),
        *("EnableLengthMin", "EnableLengthMax", "LengthMin", "LengthMax", "MapMode"),
        *("EnableAngleMin", "EnableAngleMax", "AngleMin", "AngleMax", "ObjectToGround", "Origin"),
        *("ObjectsToRigidGroup", "Joint", "MotionType", "Formula"),
        *("aTimeStart", "bTimeEnd", "cTimeStepOutput", "Positions"),
        *("Type", "Object1", "Object2", "SubElement1", "SubElement2", "directionConstraint"),
        *(
            "LinkTransform",
            "Visibility",
            "MateKind",
            "offset",
            "angle",
            "lockRotation",
            "fixedPosition",
        ),
        *("FaceInd1", "FaceInd2", "EdgeInd1", "EdgeInd2", "planeOffset", "degrees"),
    ]
)
"""Properties that are read; a document has thousands of others."""

READ_ONLY = 1 << 2
"""Bit of a property's status: it is read-only for the user."""

_OBJECT = ("Document", "ObjectData", "Object")
_PROPERTY = (*_OBJECT, "Properties", "Property")
_PLACEMENT = re.compile(rb"<PropertyPlacement\b[^>]*>")


class XmlElement(NamedTuple):
    """An element inside a property: tag, attributes, and offset in the text."""

    tag: str
    attributes: Mapping[str, str]
    at: int


@dataclass
class StoredThing(Thing):
    """An object of a file: its properties as elements of the text."""

    name: str
    type: str
    properties: dict[str, list[XmlElement]] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return self._value("Label", "") or self.name

    def has(self, key: str) -> bool:
        return key in self.properties

    @property
    def attached(self) -> bool:
        return self.has("MapMode") and self.number("MapMode") != 0.0

    def _value(self, key: str, default: str) -> str:
        found = self.properties.get(key)
        return found[0].attributes.get("value", default) if found else default

    def flag(self, key: str, default: bool = False) -> bool:
        return self._value(key, str(default)).lower() == "true"

    def text(self, key: str) -> str:
        return self._value(key, "")

    def group(self, key: str) -> str:
        return self.groups.get(key, "")

    def locked(self, key: str) -> bool:
        return bool(self.statuses.get(key, 0) & READ_ONLY)

    def number(self, key: str) -> float:
        return self._number(self._value(key, "0"), key)

    def _number(self, text: str, key: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise BadValue(f"{self.name}.{key}", text, "a finite number")
        return value

    def choice(self, key: str, names: tuple[str, ...]) -> str:
        elements = self.properties.get(key, [])
        words = [e.attributes.get("value", "") for e in elements if e.tag == "Enum"] or [*names]
        index = int(self.number(key))
        if not 0 <= index < len(words):
            raise BadValue(f"{self.name}.{key}", index, f"0 to {len(words) - 1}")
        return words[index]

    def links(self, key: str) -> list[Link]:
        out = []
        for e in self.properties.get(key, []):
            file = e.attributes.get("file", "")
            if e.tag in ("XLink", "LinkSub"):
                name = e.attributes.get("name", e.attributes.get("value", ""))
                out.append(Link(file, name, e.attributes.get("sub", "")))
            elif e.tag == "Link":
                out.append(Link(file, e.attributes.get("value", ""), ""))
            elif e.tag == "Sub" and out:
                out.append(out[0]._replace(path=e.attributes.get("value", "")))
        several = len(out) > 1 and out[0].path == "" and out[1].path != ""
        return [found for found in out[several:] if found.name]

    @property
    def shape_file(self) -> str:
        """The member of the zip with its shape; "" where there is none."""
        found = self.properties.get("Shape")
        return found[0].attributes.get("file", "") if found else ""

    def placement(self, key: str = "Placement") -> Pose:
        found = [e for e in self.properties.get(key, []) if e.tag == "PropertyPlacement"]
        if not found:
            return Pose()
        at = f"{self.name}.{key}"
        values = {k: self._number(v, f"{key}.{k}") for k, v in found[0].attributes.items()}
        try:
            position = (values["Px"], values["Py"], values["Pz"])
            if "Q3" in values:
                turn = (values["Q3"], values["Q0"], values["Q1"], values["Q2"])
                return Pose(position, turn)
            axis = (values["Ox"], values["Oy"], values["Oz"])
            return Pose.from_axis(position, axis, math.degrees(values["A"]))
        except KeyError as error:
            raise FormatError(at, f"the placement has no {error.args[0]}") from None
        except BadValue as error:
            raise FormatError(at, str(error)) from None


@dataclass
class StoredDocument(Document):
    """The objects of a file by name, and the text of its Document.xml."""

    file: Path
    data: bytes
    version: str
    things: dict[str, StoredThing]
    _others: dict[Path, StoredDocument] = field(default_factory=dict)
    _solids: dict[str, Solid] = field(default_factory=dict)

    @property
    def title(self) -> str:  # type: ignore[override]  # it is constant
        """The name of the file."""
        return self.file.name

    def chosen(self, assembly: Thing) -> str:
        return f"{self.title}#{assembly.name}"

    def other(self, file: str) -> StoredDocument:
        path = self.file.parent / file
        if not path.is_file():
            raise NotUnderstood(f"it leads into {path.name}, which is not there")
        if path not in self._others:
            self._others[path] = read_document(path)
            self._others[path]._others = self._others
        return self._others[path]

    def element(self, thing: Thing, name: str) -> Element:
        """A face, an edge or a vertex, from the solid in the file."""
        file = self.geometry(thing)
        if file not in self._solids:
            self._solids[file] = Solid(self._text(file), file)
        return self._solids[file].element(name)

    def centre(self, thing: Thing, name: str) -> Triple:
        return centre_of_face(*self.solid(thing), name)

    def symmetric(self, thing: Thing, name: str) -> bool:
        return is_symmetric(*self.solid(thing), name)

    def flat(self, thing: Thing, name: str) -> Element | None:
        return flat_face(*self.solid(thing), name)

    def solid(self, thing: Thing) -> tuple[str, str]:
        """The text of an object's solid, and its file."""
        file = self.geometry(thing)
        return self._text(file), file

    def geometry(self, thing: Thing) -> str:
        """The member of the zip with an object's solid."""
        file = self.things[thing.name].shape_file
        if not file.endswith(STORED):
            raise NotUnderstood("it is not in the file")
        return file

    def _text(self, file: str) -> str:
        """The text of a solid."""
        data = member(self.file, file)
        if file.endswith(BINARY):
            return binary_brep.as_text(data, file)
        return data.decode("utf-8", "replace")

    def placement_span(self, name: str, key: str) -> tuple[int, int] | None:
        """Offsets of start and end of a placement's element in the text; None if there is none."""
        for e in self.things[name].properties.get(key, []):
            if e.tag == "PropertyPlacement":
                found = _PLACEMENT.match(self.data, e.at)
                return found.span() if found else None
        return None


def read_document(file: Path) -> StoredDocument:
    """The document in a FreeCAD file; FormatError where that is not valid."""
    return parse(file, member(file, DOCUMENT))


_UNPACKING = (zlib.error, struct.error, EOFError, RuntimeError, ValueError, OverflowError)
"""Errors of the standard library on a damaged zip."""


def member(file: Path, name: str) -> bytes:
    """The unpacked bytes of a member of the zip; FormatError: none, too large, or no valid zip."""
    raw, data = file.read_bytes(), None
    try:
        with ZipFile(BytesIO(raw)) as archive:
            if name in archive.namelist():
                with archive.open(name) as stream:
                    data = stream.read(LARGEST + 1)
    except BadZipFile:
        raise FormatError(file.name, "this is no FreeCAD file: it is not a sound zip") from None
    except _UNPACKING as error:
        raise FormatError(file.name, f"{name} cannot be unpacked: {error}") from None
    if data is None:
        what = "this is no FreeCAD file: " if name == DOCUMENT else ""
        raise FormatError(file.name, f"{what}there is no {name} in it")
    if len(data) > LARGEST:
        limit = LARGEST >> 20
        raise FormatError(file.name, f"{name} is larger than {limit} MB when it is unpacked")
    return data


def parse(file: Path, data: bytes) -> StoredDocument:
    """The document in the text of a Document.xml; FormatError, with line and column: not valid."""
    reader = _XmlReader(data)
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as error:
        where = f"{file.name}, {DOCUMENT}, line {error.lineno}, column {error.offset + 1}"
        problem = expat.ErrorString(error.code)
        raise FormatError(where, f"this is not XML: {problem}") from None
    except _RefusedError:
        raise FormatError(
            f"{file.name}, {DOCUMENT}", "a document type is declared; FreeCAD writes none"
        ) from None
    if reader.root != "Document":
        raise FormatError(f"{file.name}, {DOCUMENT}", f"this is no document but <{reader.root}>")
    return StoredDocument(file, data, reader.version, reader.things)


class _RefusedError(Exception):
    """A document type in the XML, whose entities could expand without limit."""


class _XmlReader:
    """Handlers of the XML parser: they track the path and store objects and properties."""

    def __init__(self, data: bytes) -> None:
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.path: list[str] = []
        self.root, self.version = "", ""
        self.things: dict[str, StoredThing] = {}
        self.thing: StoredThing | None = None
        self.elements: list[XmlElement] | None = None

    def _refuse(self, *_: Any) -> None:
        raise _RefusedError

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.path.append(tag)
        depth, name = len(self.path), attributes.get("name", "")
        if depth == 1:
            self.root, self.version = tag, attributes.get("ProgramVersion", "")
        elif self.elements is not None:
            self.elements.append(XmlElement(tag, attributes, self.parser.CurrentByteIndex))
        elif depth == 3 and self.path[1:] == ["Objects", "Object"]:
            self.things[name] = StoredThing(name, attributes.get("type", ""))
        elif depth == 3 and tuple(self.path) == _OBJECT:
            self.thing = self.things.get(name)
        elif depth == 5 and self.thing and name in WANTED and tuple(self.path) == _PROPERTY:
            self.elements = self.thing.properties.setdefault(name, [])
            self.thing.groups[name] = attributes.get("group", "")
            status = attributes.get("status", "")
            self.thing.statuses[name] = int(status) if status.isdecimal() else 0

    def _end(self, tag: str) -> None:
        self.path.pop()
        if len(self.path) == 4:
            self.elements = None
        elif len(self.path) == 2:
            self.thing = None


def placement_text(pose: Pose) -> str:
    """The element of a placement as FreeCAD writes it; numbers read back exactly."""
    (x, y, z), (w, *v) = pose.position, pose.quaternion_wxyz
    sine = math.hypot(*v)
    axis = [c / sine for c in v] if sine else [0.0, 0.0, 1.0]
    angle = 2.0 * math.atan2(sine, w)
    keys = ("Px", "Py", "Pz", "Q0", "Q1", "Q2", "Q3", "A", "Ox", "Oy", "Oz")
    pairs = zip(keys, (x, y, z, *v, w, angle, *axis), strict=True)
    words = (f'{key}="{_spelt(number)}"' for key, number in pairs)
    return f"<PropertyPlacement {' '.join(words)}/>"


def _spelt(number: float) -> str:
    """16 decimals if the number reads back exactly, else its shortest exact text."""
    text = f"{number:.16f}"
    return text if float(text) == number else repr(number)
