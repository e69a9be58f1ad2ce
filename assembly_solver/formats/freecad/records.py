"""What a FreeCAD document says, whoever reads it: its objects, their properties, their elements.

A stored document is read from the file's text, a live one from the running program.  What the
objects mean - which of them move, what a joint asks for - is worked out once, from these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

from ...foundations.geometry.pose import Pose, Triple
from ..shapes.brep import Element


class Link(NamedTuple):
    """A reference to an object, or to something in it: the file it is in if another, and path."""

    file: str
    name: str
    path: str


class Thing(ABC):
    """A document object: its name, its type and its properties, each read as what it has to be.

    Attributes:
        name: of the object, one of a kind in its document; type: as "Part::Box".
    """

    name: str
    type: str

    @property
    @abstractmethod
    def label(self) -> str:
        """What the user calls it."""

    @abstractmethod
    def has(self, key: str) -> bool:
        """Whether there is a property of that name."""

    @abstractmethod
    def flag(self, key: str, default: bool = False) -> bool:
        """A truth value."""

    @abstractmethod
    def number(self, key: str) -> float:
        """A finite number; 0 where the property is not there."""

    @abstractmethod
    def text(self, key: str) -> str:
        """A line of text; nothing where the property is not there."""

    @abstractmethod
    def group(self, key: str) -> str:
        """The group that a property is shown in; "" where it is not there."""

    @abstractmethod
    def locked(self, key: str) -> bool:
        """Whether the user may not change a property."""

    @abstractmethod
    def choice(self, key: str, names: tuple[str, ...]) -> str:
        """The word of an enumeration; `names` are its words where the document lists none."""

    @abstractmethod
    def links(self, key: str) -> list[Link]:
        """Objects that a property names; a reference to several elements is one link for each."""

    @abstractmethod
    def placement(self, key: str = "Placement") -> Pose:
        """A placement; where the property is not there, none at all."""

    @property
    @abstractmethod
    def attached(self) -> bool:
        """Whether it keeps to another object by attachment."""


class Document(ABC):
    """A document: its objects by name, and the documents beside it.

    Attributes:
        title: what a message calls it; version: of the FreeCAD that it is in, or was
            written by; "" if unknown.
    """

    title: str
    version: str
    things: Mapping[str, Thing]

    @abstractmethod
    def chosen(self, assembly: Thing) -> str:
        """How one of several assemblies of this document is asked for."""

    @abstractmethod
    def other(self, file: str) -> Document:
        """Another document that links lead into, by the `file` of a `Link`.

        Raises:
            NotUnderstood, FormatError: it is not there, or cannot be read.
        """

    @abstractmethod
    def element(self, thing: Thing, name: str) -> Element:
        """What a face, an edge or a vertex of an object is, "Face6".

        Raises:
            NotUnderstood, FormatError: there is no such element, or no geometry.
        """

    @abstractmethod
    def centre(self, thing: Thing, name: str) -> Triple:
        """The centre of area of a face, in the object's coordinates, mm.

        Raises:
            NotUnderstood, FormatError: there is no such face, or no geometry.
            MissingExtra: the program that measures it is not installed.
        """

    @abstractmethod
    def symmetric(self, thing: Thing, name: str) -> bool:
        """Whether the bounding box of a face is about its centre, whichever way it is turned.

        Raises: as `centre`.
        """

    @abstractmethod
    def flat(self, thing: Thing, name: str) -> Element | None:
        """A free-form face as the plane that it lies in; None where it is bent.

        Raises: as `centre`.
        """
