"""Positions that are kept and taken, and loops that close in another way, on the page Drive."""

from __future__ import annotations

from typing import Any

import FreeCAD
import FreeCADGui
from hand import (
    BOX,
    OUT,
    Hand,
    all_numbers,
    click,
    close_all,
    console,
    key,
    picture,
    rest,
    type_in,
    until,
)
from links import made
from PySide import QtGui

MORE = "more positions"

FILE = str(OUT / "Standing.FCStd")


def _lines(hand: Hand, name: str) -> list[str]:
    box = hand.find(QtGui.QComboBox, name)
    return [box.itemText(k) for k in range(box.count())]


def _turn(hand: Hand, degrees: str) -> None:
    """Type the angle of the crank."""
    type_in(hand.find(BOX, "value motor"), degrees)
    until(lambda: hand.panel.pages["Drive"].driving.held is None)
    hand.ready()


def _named(hand: Hand, words: str) -> None:
    """Type the name of a position."""
    line = hand.find(QtGui.QComboBox, "position").lineEdit()
    type_in(line, words)
    click(line)


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    document = made("Standing")
    FreeCADGui.activeDocument().activeView().viewIsometric()
    FreeCADGui.SendMsgToActiveView("ViewFit")
    rest()
    hand.click("solve")
    hand.page("Drive")
    _turn(hand, "70")
    there, undo = all_numbers(document), document.UndoCount
    _named(hand, "open")
    seen["kept"] = [hand.click("keep position"), document.UndoCount - undo, document.UndoNames[0]]
    _turn(hand, "20")
    _named(hand, "half")
    hand.click("keep position")
    _turn(hand, "30")
    hand.choose("position", "open")
    undo = document.UndoCount
    hand.click("take position")
    off = _off(all_numbers(document), there)
    seen["taken"] = [off < 1e-9, document.UndoCount - undo, document.UndoNames[0]]

    seen["listed"] = [hand.click("list modes"), _lines(hand, "modes")]
    box = hand.find(QtGui.QComboBox, "modes")
    box.setFocus()
    key(box, "Down" if box.currentIndex() == 0 else "Up")
    seen["offered"] = box.currentText()
    picture("standing")
    seen["closed so"] = [hand.click("list modes"), document.UndoNames[0]]
    seen["crank stays"] = _off({"crank": all_numbers(document)["crank"]}, there) < 1e-9
    file = OUT / "standing.assembly.json"
    file.unlink(missing_ok=True)  # else the dialog asks whether to replace it
    seen["written"] = hand.menu(MORE, "Write a file with them …", file)
    hand.choose("position", "half")
    hand.click("delete position")
    undo = document.UndoCount
    said = hand.menu(MORE, "Keep those of a file …", file)
    seen["brought in"] = [said, _lines(hand, "position"), document.UndoCount - undo]
    document.undo()
    rest()
    document.saveAs(FILE)
    close_all()
    FreeCAD.openDocument(FILE)
    rest()
    hand.click("diagnose")
    seen["saved"] = _lines(hand, "position")
    hand.choose("position", "open")
    hand.click("take position")
    document = FreeCAD.ActiveDocument
    seen["taken again"] = _off(all_numbers(document), there) < 1e-9
    document.undo()
    rest()
    close_all()
    seen["console"] = console()
    return seen


def _off(now: dict[str, list[float]], then: dict[str, list[float]]) -> float:
    """The largest difference of any placement."""
    return max(abs(a - b) for n in now for a, b in zip(now[n], then[n], strict=True))
