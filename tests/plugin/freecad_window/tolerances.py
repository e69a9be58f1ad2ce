"""The page of the tolerances: what may be off, what is measured, what comes of it, the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from documents import hinge
from hand import Hand, all_numbers, close_all, console, picture, rest
from PySide import QtGui


def play(hand: Hand) -> dict[str, Any]:
    """A ring on a post: its height by the place of its face, and its angle."""
    seen: dict[str, Any] = {}
    document = hinge(hand, "Toleranced")
    before = all_numbers(document)
    hand.click("diagnose")
    page = hand.page("Tolerances")
    table = page.table
    seen["rows"] = [table.item(k, 0).text() for k in range(table.rowCount())]
    choice = hand.find(QtGui.QComboBox, "tolerance measure")
    seen["measures"] = [choice.itemText(k) for k in range(choice.count())]
    hand.select((document.Ring, "Face3"))
    hand.press("measure selected")
    rest()
    seen["selected"] = [choice.itemText(k) for k in range(choice.count())]
    seen["nothing is off"] = hand.click("analyse tolerances")
    for k, words in enumerate(seen["rows"]):
        if "offset" in words:
            table.cellWidget(k, 1).setValue(0.3)
    choice.setCurrentIndex(choice.findText("Ring Face3 along z"))
    nominal = document.Ring.Placement.Base.z
    page.low.setValue(-100.0)
    page.high.setValue(page.high.value() if nominal is None else 1000.0)
    seen["analysed"] = hand.click("analyse tolerances")
    seen["meaning"] = hand.meaning
    seen["cards"] = [card.label.text() for card in hand.cards("Tolerances")]
    picture("tolerances")
    seen["untouched"] = all_numbers(document) == before
    opened: list[Any] = []
    QtGui.QDesktopServices.openUrl = opened.append
    hand.press("tolerance report")
    seen["report"] = ["Tolerance analysis" in Path(u.toLocalFile()).read_text() for u in opened]
    document.undo()
    rest()
    seen["undone"] = [table.cellWidget(k, 1).value() for k in range(table.rowCount())]
    document.redo()
    hand.click("diagnose")
    seen["kept"] = [table.cellWidget(k, 1).value() for k in range(table.rowCount())]
    close_all()
    seen["console"] = console()
    return seen
