"""The list of joints and mates on the page Mate: what is done to each by its buttons."""

from __future__ import annotations

from typing import Any

import FreeCADGui
from hand import Hand, click, close_all, console, numbers, picture, rest, until
from hinge import parts
from PySide import QtGui


def lines(hand: Hand) -> list[str]:
    found = hand.find(QtGui.QListWidget, "mates")
    return [found.item(k).text() for k in range(found.count())]


def choose(hand: Hand, number: int) -> None:
    """Click on a line of the list, which was read a while ago."""
    found = hand.find(QtGui.QListWidget, "mates")
    rest(0.5)

    def clicked() -> bool:
        if found.count() > number:
            click(found.viewport(), found.visualItemRect(found.item(number)).center())
        return bool(found.currentRow() == number)

    until(clicked)
    rest(0.1)


def _pictures(hand: Hand) -> list[Any]:
    """The picture of each line."""
    found = hand.find(QtGui.QListWidget, "mates")
    return [found.item(k).icon().pixmap(16, 16).toImage() for k in range(found.count())]


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    import assembly_solver_freecad as asf

    seen: dict[str, Any] = {}
    document = parts("Listed")
    FreeCADGui.activeDocument().activeView().viewIsometric()
    FreeCADGui.SendMsgToActiveView("ViewFit")
    hand.page("Mate")
    faces = [(document.Post, "Face3"), (document.Ring, "Face3")]
    asf.mate([(document.Post, "Face1"), (document.Ring, "Face1")], "coaxial", "Axis")
    hand.select(*faces)
    page = hand.panel.pages["Mate"]
    page.list.setCurrentRow(0)
    seen["offered"] = page.list.item(0).text()
    hand.find(QtGui.QCheckBox, "flip").setChecked(True)
    hand.click("mate")
    until(lambda: [line.endswith("(Axis)") for line in lines(hand)] == [True, False])
    seen["lines"] = lines(hand)
    axis, seat = _pictures(hand)
    seen["icons"] = [axis.isNull(), axis == seat]
    seen["sense"] = str(document.Mate001.Sense)
    before = numbers(document.Ring)

    choose(hand, 1)
    picture("listed")
    seen["selected"] = page.label.text()
    seen["chosen"] = [o.Name for o in FreeCADGui.Selection.getSelection()][:1]
    seen["flipped"] = [hand.click("flip mate"), str(document.Mate001.Sense)]
    seen["turned over"] = numbers(document.Ring) != before
    document.undo()
    rest(0.5)
    seen["flip undone"] = [str(document.Mate001.Sense), numbers(document.Ring) == before]

    choose(hand, 1)
    hand.click("switch off mate")
    until(lambda: lines(hand)[1].endswith(": off"))
    seen["off"] = [lines(hand)[1], hand.find(QtGui.QAbstractButton, "flip mate").isEnabled()]
    seen["button"] = hand.find(QtGui.QAbstractButton, "switch off mate").text()
    seen["same icon when off"] = _pictures(hand)[1] == seat
    hand.click("switch off mate")
    until(lambda: not lines(hand)[1].endswith(": off"))
    choose(hand, 1)
    hand.press("edit mate")
    seen["edited"] = [o.Name for o in FreeCADGui.Selection.getSelection()]
    hand.select((document.Post, "Face2"), (document.Ring, "Face2"))
    seen["chosen again"] = [hand.click("choose again mate")]
    choose(hand, 1)
    seen["chosen again"].append(page.label.text())
    close_all()
    seen["console"] = console()
    return seen
