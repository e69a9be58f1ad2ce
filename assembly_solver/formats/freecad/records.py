"""Abstract documents of FreeCAD: objects, their properties, and elements of their shapes.

A stored document is read from the text of a file, a live one from the running program.  Parts,
joints and references are interpreted through these classes only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

from ...foundations.geometry.pose import Pose, Triple
from ..shapes.brep import Element


class Link(NamedTuple):
    """A reference: file of another document or "", name of an object, path in it or ""."""

    file: str
    name: str
    path: str


class Thing(ABC):
    """A document object: its unique name, its type (as "Part::Box"), its properties by type."""

    name: str
    type: str

    @property
    @abstractmethod
    def label(self) -> str:
        """The name that the user gave it."""

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
        """A line of text; "" where the property is not there."""

    @abstractmethod
    def group(self, key: str) -> str:
        """The group that a property is shown in; "" where it is not there."""

    @abstractmethod
    def locked(self, key: str) -> bool:
        """Whether a property is read-only for the user."""

    @abstractmethod
    def choice(self, key: str, names: tuple[str, ...]) -> str:
        """The word of an enumeration; `names` are its words where the document lists none."""

    @abstractmethod
    def links(self, key: str) -> list[Link]:
        """Objects that a property names; a reference to several elements is one link for each."""

    @abstractmethod
    def placement(self, key: str = "Placement") -> Pose:
        """A placement, mm; the identity where the property is not there."""

    @property
    @abstractmethod
    def attached(self) -> bool:
        """Whether it is attached to another object."""


class Document(ABC):
    """A document: its title in messages, FreeCAD's version ("" if unknown), its objects by name."""

    title: str
    version: str
    things: Mapping[str, Thing]

    @abstractmethod
    def chosen(self, assembly: Thing) -> str:
        """How the user chooses one of several assemblies of this document, for messages."""

    @abstractmethod
    def other(self, file: str) -> Document:
        """Another document by the `file` of a `Link`; NotUnderstood, FormatError: none to read."""

    @abstractmethod
    def element(self, thing: Thing, name: str) -> Element:
        """An element by name, as "Face6"; NotUnderstood, FormatError: there is none."""

    @abstractmethod
    def centre(self, thing: Thing, name: str) -> Triple:
        """The centre of area of a face, in the object's coordinates, mm.

        Raises:
            NotUnderstood, FormatError, MissingExtra: no such face, no geometry, nothing to measure.
        """

    @abstractmethod
    def symmetric(self, thing: Thing, name: str) -> bool:
        """Whether the bounding box of a face is centred on its `centre` in all `VIEWS`."""

    @abstractmethod
    def flat(self, thing: Thing, name: str) -> Element | None:
        """A free-form face as the plane that it lies in; None where it is not planar."""
