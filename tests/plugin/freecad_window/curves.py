"""The page Sweep: curves that are ticked, kept with the document, and a slider that takes over."""

from __future__ import annotations

from typing import Any

import FreeCAD
from documents import hinge
from hand import (
    BOX,
    OUT,
    SLIDER,
    Hand,
    all_numbers,
    click,
    close_all,
    console,
    drawn,
    drawn_where_it_stands,
    handle,
    mouse,
    picture,
    point,
    rest,
    until,
)
from PySide import QtCore, QtGui

FILE = str(OUT / "Curves.FCStd")

AHEAD = 12
"""State of the sweep at which the slider is taken hold of while it plays."""


def _tick(hand: Hand, words: str) -> None:
    """Click on the box of a curve in the list."""
    found = hand.find(QtGui.QListWidget, "curve list")
    (item,) = found.findItems(words, QtCore.Qt.MatchEndsWith)
    found.scrollToItem(item)
    option = QtGui.QStyleOptionViewItem()
    option.initFrom(found)
    option.rect = found.visualItemRect(item)
    option.features = QtGui.QStyleOptionViewItem.HasCheckIndicator
    box = found.style().subElementRect(QtGui.QStyle.SE_ItemViewItemCheckIndicator, option, found)
    click(found.viewport(), box.center())


def _drawn_curves(page: Any) -> list[str]:
    return [f"{c.name} {f.unit}" for f in page.view.plot.frames() for c, _ in f.lines]


def take_over(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """The slider is pressed while it plays: it stays there, and the part follows the slider."""
    page, ring, slider = hand.panel.pages["Sweep"], document.Ring, hand.find(SLIDER, "sweep state")
    hand.press("sweep play")
    # the cursor waits where the handle comes by: to move it takes a moment, in which it plays on
    point(slider.mapToGlobal(handle(slider, AHEAD)))
    until(lambda: slider.value() >= AHEAD)
    at = slider.value()
    mouse(slider, "Press", handle(slider, at))
    pressed = drawn(ring)
    rest(0.3)
    seen["taken over"] = [hand.desk.player.running, slider.value() == at, drawn(ring) == pressed]
    mouse(slider, "Move", handle(slider, 30))
    number = slider.value()
    mouse(slider, "Release", handle(slider, number))
    frame = page.motion.frames[number, list(page.motion.parts).index("Ring"), :3].tolist()
    off = max(abs(a - b) for a, b in zip(frame, drawn(ring)[:3], strict=True))
    seen["follows"] = [number > 20, off < 1e-5]  # drawn in single precision
    plot = page.view.plot
    area = plot.frames()[0]
    click(plot, QtCore.QPoint(round(area.x(area.over[12])), plot.height() // 2))
    seen["picked"] = slider.value()
    hand.press("sweep stop")
    seen["drawn back"] = drawn_where_it_stands(ring)


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    document = hinge(hand, "Curves")
    page = hand.page("Sweep")
    before, undo = all_numbers(document), document.UndoCount
    for name, value in (("low", -90.0), ("high", 90.0)):
        hand.find(BOX, f"sweep {name}").setValue(value)
    hand.find(QtGui.QSpinBox, "sweep steps").setValue(36)
    hand.click("sweep")
    _tick(hand, "length")
    _tick(hand, "angle")
    seen["ticked"] = _drawn_curves(page)
    hand.find(QtGui.QComboBox, "curves shown").setCurrentIndex(1)
    seen["velocities"] = _drawn_curves(page)
    picture("curves")
    take_over(hand, document, seen)
    hand.press("sweep table")
    seen["table"] = [page.view.table.isVisible(), page.view.table.model().rowCount()]
    hand.press("sweep table")
    seen["only looked at"] = [all_numbers(document) == before, document.UndoCount - undo]

    seen["kept"] = [hand.click("sweep keep"), document.UndoCount - undo, document.UndoNames[0]]
    document.saveAs(FILE)
    close_all()
    FreeCAD.openDocument(FILE)
    rest()
    hand.click("diagnose")
    again = hand.page("Sweep")
    seen["again"] = [again.ends.low.value(), again.ends.high.value(), again.steps.value()]
    hand.click("sweep")
    seen["again ticked"] = _drawn_curves(again)
    again.view.shown.setCurrentIndex(0)
    close_all()
    seen["console"] = console()
    return seen
