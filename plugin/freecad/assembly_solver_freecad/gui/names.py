"""Names of parts and joints: as links in sentences, and their selection."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any
from urllib.parse import quote, unquote

import FreeCADGui
from PySide import QtGui

import assembly_solver_freecad as asf

from ..editing import elements, is_joint
from ..units import localised


def linked(words: str, names: Iterable[str]) -> str:
    """A sentence in the user's units as rich text, with each of the names a link to itself."""
    return "".join(_link(p) if own else escape(localised(p)) for p, own in _pieces(words, names))


def in_user_units(words: str, names: Iterable[str]) -> str:
    """A sentence in the user's units; numbers in names stay."""
    return "".join(p if own else localised(p) for p, own in _pieces(words, names))


def _pieces(words: str, names: Iterable[str]) -> list[tuple[str, bool]]:
    """The pieces of a sentence, and whether each is one of the names."""
    known = sorted({n for n in names if n}, key=len, reverse=True)
    if not known:
        return [(words, False)]
    pattern = r"(?<!\w)(" + "|".join(map(re.escape, known)) + r")(?!\w)"
    return [(piece, k % 2 == 1) for k, piece in enumerate(re.split(pattern, words))]


def named(link: str) -> str:
    """The name in a link."""
    return unquote(link)


def select(live: asf.Live, names: Iterable[str]) -> None:
    """Select parts and joints by name: their objects in the tree, their elements in the view."""
    _show_tree()
    FreeCADGui.Selection.clearSelection()
    for name in names:
        chosen = live.joints.get(name) or live.parts.get(name)
        if chosen is None:
            continue
        FreeCADGui.Selection.addSelection(chosen)
        for root, path in elements(chosen):
            FreeCADGui.Selection.addSelection(root, path)
    FreeCADGui.runCommand("Std_TreeSelection")


def _show_tree() -> None:
    """Show the tree, which is a tab page or a dock."""
    for tree in FreeCADGui.getMainWindow().findChildren(QtGui.QTreeWidget):
        if tree.metaObject().className() != "Gui::TreeWidget":
            continue
        inner, outer = tree, tree.parentWidget()
        while outer is not None:
            if isinstance(outer, QtGui.QStackedWidget):
                tabs = outer.parentWidget()
                if isinstance(tabs, QtGui.QTabWidget):
                    tabs.setCurrentWidget(inner)
            elif isinstance(outer, QtGui.QDockWidget):
                outer.raise_()
            inner, outer = outer, outer.parentWidget()


def _link(name: str) -> str:
    """A link to a name, which may be broken after an underscore where it has no blanks."""
    shown = escape(name).replace("_", "_&#8203;")
    return f'<a href="{quote(name, safe="")}">{shown}</a>'


def picked() -> list[tuple[Any, str]]:
    """The selection: objects at the top of the tree, and paths in them."""
    return [
        (found.Object, path)
        for found in FreeCADGui.Selection.getSelectionEx("", 0)
        for path in (found.SubElementNames or ("",))
    ]


def picked_elements() -> list[tuple[Any, str]]:
    """The selection without joints and mates."""
    found = [(root, path, under(root, path)) for root, path in picked()]
    return [(root, path) for root, path, thing in found if not is_joint(thing)]


def under(root: Any, path: str) -> Any:
    """The object at the end of a path from another object, without its element."""
    return root.getSubObject(path, 1) or root
