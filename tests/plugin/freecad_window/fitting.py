"""Every page in a window as large as the screen, in a light and a dark style: what is cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import FreeCAD
import FreeCADGui
from hand import Hand, close_all, console, picture, rest
from links import made
from PySide import QtCore, QtGui

SHEETS = "/usr/share/freecad/Gui/Stylesheets"
DARK = ("FreeCAD Dark.qss", "Behave-dark.qss")
"""The dark style sheets of FreeCAD 1.0 and 0.20."""

WIDE = ("states",)
"""Tables that have more columns than a panel is wide."""


def style(name: str) -> None:
    """Use a style sheet of FreeCAD's, or none."""
    FreeCAD.ParamGet("User parameter:BaseApp/Preferences/MainWindow").SetString("StyleSheet", name)
    if FreeCAD.Version()[0] == "0":  # later versions follow their preferences
        QtCore.QDir.addSearchPath("qss", SHEETS)
        text = Path(SHEETS, name).read_text(encoding="utf-8") if name else ""
        QtGui.QApplication.instance().setStyleSheet(text)
    rest(0.6)


def cut_off(hand: Hand) -> list[str]:
    """What of the present page does not fit into the panel."""
    panel, bar = hand.panel, hand.panel.tabs.tabBar()
    page, found = panel.tabs.currentWidget(), []
    tabs = sum(bar.tabRect(k).width() for k in range(bar.count()))
    if tabs > panel.tabs.width():
        found.append(f"tabs {tabs} > {panel.tabs.width()}")
    for child in page.findChildren(QtGui.QWidget):
        if not child.isVisible():
            continue
        name = child.objectName() or type(child).__name__
        corner = child.mapTo(page, QtCore.QPoint(child.width(), child.height()))
        scrolls = _scrolls(child, page)
        if not scrolls and (corner.x() > page.width() or corner.y() > page.height()):
            found.append(f"{name} ends at {corner.x()}, {corner.y()}")
        area = isinstance(child, QtGui.QAbstractScrollArea) and name not in WIDE
        if area and child.horizontalScrollBar().isVisible():
            found.append(f"{name} scrolls")
        if area and child.verticalScrollBar().isVisible() and _room_below(child):
            found.append(f"{name} scrolls in vain")
        button = isinstance(child, QtGui.QPushButton)
        if button and child.fontMetrics().horizontalAdvance(child.text()) > child.width():
            found.append(f"{name}: {child.text()}")
    return found


def _room_below(area: Any) -> bool:
    """Whether all cards of an area have room in it."""
    inner = area.widget() if isinstance(area, QtGui.QScrollArea) else None
    below = [c.geometry().bottom() for c in inner.children() if c.isWidgetType()] if inner else []
    return bool(below) and max(below) < area.viewport().height()


def _scrolls(child: Any, page: Any) -> bool:
    """Whether something is in what scrolls."""
    outer = child.parentWidget()
    while outer is not None and outer is not page:
        if isinstance(outer, QtGui.QAbstractScrollArea):
            return True
        outer = outer.parentWidget()
    return False


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    window = FreeCADGui.getMainWindow()
    before, room = window.size(), QtGui.QGuiApplication.primaryScreen().availableGeometry()
    window.resize(room.width(), room.height())
    document = made("Fitting")
    FreeCADGui.activeDocument().activeView().viewIsometric()
    FreeCADGui.SendMsgToActiveView("ViewFit")
    rest()
    hand.click("solve")
    dark = next(name for name in DARK if Path(SHEETS, name).is_file())
    for sheet in ("", dark):
        style(sheet)
        seen[f"window {sheet}"] = [window.width() <= room.width(), window.height() <= room.height()]
        for title in hand.panel.pages:
            hand.page(title)
            if title == "Sweep":
                hand.click("sweep")
            if title == "Mate":
                hand.select((document.frame, "Face6"), (document.bar, "Face5"))
            rest()
            seen[f"{title} {sheet}"] = cut_off(hand)
            picture(f"{'dark' if sheet else 'light'}-{title}")
    style("")
    window.resize(before)
    close_all()
    seen["console"] = console()
    return seen
