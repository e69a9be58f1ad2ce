"""Every page in a window as large as the screen, in a light and a dark style: what is cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import FreeCAD
import FreeCADGui
from hand import BOX, Hand, close_all, console, picture, rest
from links import made
from PySide import QtCore, QtGui

SHEETS = "/usr/share/freecad/Gui/Stylesheets"
PACKS = "/usr/share/freecad/Gui/PreferencePacks"
STYLES = {"light": ("FreeCAD Light", ""), "dark": ("FreeCAD Dark", "Behave-dark.qss")}
"""Preference packs of FreeCAD 1.0 and later, style sheets of 0.20."""

WIDE = ("states",)
"""Tables that have more columns than a panel is wide."""


def style(tone: str) -> None:
    """Use one of `STYLES`, as a user chooses a theme."""
    pack, sheet = STYLES[tone]
    if FreeCAD.Version()[0] == "0":
        QtCore.QDir.addSearchPath("qss", SHEETS)
        text = Path(SHEETS, sheet).read_text(encoding="utf-8") if sheet else ""
        QtGui.QApplication.instance().setStyleSheet(text)
    else:
        root = ElementTree.parse(Path(PACKS, pack, f"{pack}.cfg")).getroot()
        for group in root[0]:
            _prefer(group, group.attrib["Name"])
    rest(0.6)


def _prefer(group: Any, path: str) -> None:
    """Set the preferences of a group of a pack."""
    for entry in group:
        name, value = entry.attrib["Name"], entry.attrib.get("Value", entry.text)
        settings = FreeCAD.ParamGet(f"User parameter:{path}")
        if entry.tag == "FCParamGroup":
            _prefer(entry, f"{path}/{name}")
        elif entry.tag == "FCBool":
            settings.SetBool(name, value == "1")
        elif entry.tag == "FCFloat":
            settings.SetFloat(name, float(value))
        elif entry.tag == "FCText":
            settings.SetString(name, value or "")
        else:
            {"FCInt": settings.SetInt, "FCUInt": settings.SetUnsigned}[entry.tag](name, int(value))


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


def left_over(hand: Hand) -> list[str]:
    """What was typed for other documents and still stands in the fields."""
    bounds = [hand.find(BOX, f"measure at {end}").text() for end in ("least", "most")]
    name = hand.find(QtGui.QComboBox, "position").currentText()
    return [words for words in (*bounds, name) if words not in ("no bound", "")]


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
    seen["left over"] = left_over(hand)
    for tone in ("dark", "light"):
        style(tone)
        seen[f"window {tone}"] = [window.width() <= room.width(), window.height() <= room.height()]
        for title in hand.panel.pages:
            hand.page(title)
            if title == "Sweep":
                hand.click("sweep")
            if title == "Mate":
                hand.select((document.frame, "Face6"), (document.bar, "Face5"))
            rest()
            seen[f"{title} {tone}"] = cut_off(hand)
            picture(f"{tone}-{title}")
    window.resize(before)
    close_all()
    seen["console"] = console()
    return seen
