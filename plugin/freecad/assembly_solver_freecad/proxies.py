"""Proxies that FreeCAD stores with the add-on's objects: classes that documents refer to by name.

FreeCAD imports this module when it starts; it loads neither the engine nor a window.  The names of
the module and of its classes are stored in documents and must not change.  All data of a mate is in
its properties, so that a document that is opened without the add-on loses nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import FreeCAD

ICONS = Path(__file__).resolve().parents[1] / "resources" / "icons"

FAMILIES = {
    "coaxial": ("coaxial", "cylindrical", "point_on_line", "screw"),
    "coplanar": ("coplanar", "planar", "point_in_plane", "line_in_plane", "width"),
    "coincident": ("coincident", "spherical", "fixed"),
    "tangent": ("tangent", "path", "slot", "pin_slot"),
    "symmetric": ("symmetric", "equal_distance"),
    "distance": ("distance",),
    "angle": ("angle", "parallel", "perpendicular"),
    "joint": ("revolute", "prismatic", "universal", "constant_velocity"),
    "coupling": ("gear", "belt", "rack_and_pinion", "linear"),
}
"""Kinds of mates by their icon in the tree."""

_PICTURE = {kind: name for name, kinds in FAMILIES.items() for kind in kinds}


SHOWN = "Mate"
"""Name of the display mode of a mate."""


class _Stateless:
    """A proxy without state in the document."""

    def dumps(self) -> None:
        """State for FreeCAD from 1.0 on."""

    def loads(self, state: None) -> None:
        """State from FreeCAD from 1.0 on."""

    def __getstate__(self) -> None:
        """State for FreeCAD before 1.0."""

    def __setstate__(self, state: None) -> None:
        """State from FreeCAD before 1.0."""


class MateProxy(_Stateless):
    """A mate between elements: adds the properties of its kind."""

    def onChanged(self, mate: Any, name: str) -> None:  # noqa: N802  (FreeCAD's name)
        """Add the properties of the new kind when the kind of a mate changes."""
        document = mate.Document
        if name == "MateKind" and not document.Restoring and not document.Transacting:
            from .properties import begin

            begin(mate)

    def onDocumentRestored(self, mate: Any) -> None:  # noqa: N802
        """Add the view of the mate if its document was made without a window."""
        shown(mate)


class FolderProxy(_Stateless):
    """The folder of the mates of an assembly."""

    def onDocumentRestored(self, folder: Any) -> None:  # noqa: N802
        """Add the view of the folder if its document was made without a window."""
        shown(folder)


class _View(_Stateless):
    """An object in the tree."""

    def __init__(self, view: Any) -> None:
        view.Proxy = self

    def attach(self, view: Any) -> None:
        """Store the object."""
        self.object = view.Object


class FolderView(_View):
    """The folder of mates in the tree."""

    def getIcon(self) -> str:  # noqa: N802
        """The file of the icon."""
        return str(ICONS / "mates.svg")


class MateView(_View):
    """A mate in the tree: the icon of its kind, crossed out where it is suppressed."""

    def attach(self, view: Any) -> None:
        """Add an empty display mode: the tree greys out objects without one."""
        from pivy import coin

        super().attach(view)
        view.addDisplayMode(coin.SoGroup(), SHOWN)

    def getDisplayModes(self, view: Any) -> list[str]:  # noqa: N802
        """The only mode."""
        return [SHOWN]

    def getDefaultDisplayMode(self) -> str:  # noqa: N802
        """The only mode."""
        return SHOWN

    def getIcon(self) -> str:  # noqa: N802
        """The file of the icon."""
        mate = getattr(self, "object", None)
        name = "suppressed" if mate is None or mate.Suppressed else _PICTURE[mate.MateKind]
        return str(ICONS / f"mate_{name}.svg")

    def updateData(self, mate: Any, name: str) -> None:  # noqa: N802
        """Update the icon when a property that it shows changes."""
        if name in ("MateKind", "Suppressed"):
            mate.ViewObject.signalChangeIcon()


_VIEWS = {MateProxy: MateView, FolderProxy: FolderView}


def shown(thing: Any) -> None:
    """Add the view of a mate or a folder if there is a window and it has none yet."""
    view = _VIEWS[type(thing.Proxy)]
    if FreeCAD.GuiUp and not isinstance(thing.ViewObject.Proxy, view):
        view(thing.ViewObject)
