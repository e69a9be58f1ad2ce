"""Inches in FreeCAD's preferences: what the panel shows, and what is typed into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import FreeCAD
from dragged import Drag, pixel, view
from hand import BOX, LABEL, Hand, close_all, console, picture, rest, type_in, until
from hinge import parts
from PySide import QtCore, QtGui

SETTINGS = "User parameter:BaseApp/Preferences/Units"


@contextmanager
def preferred(schema: int, decimals: int) -> Iterator[None]:
    """Other units and decimals, and those of before."""
    settings = FreeCAD.ParamGet(SETTINGS)
    before = settings.GetInt("UserSchema", 0), settings.GetInt("Decimals", 2)
    try:
        for number, count in ((schema, decimals), before):
            settings.SetInt("UserSchema", number)
            settings.SetInt("Decimals", count)
            FreeCAD.Units.setSchema(number)
            if (number, count) == (schema, decimals):
                yield
    finally:
        FreeCAD.Units.setSchema(before[0])


def changed(hand: Hand, box: Any) -> list[str]:
    """What stands in the panel after the preferences were changed, and nothing else was done."""
    low, before = hand.find(LABEL, "low Rod 5 mm length"), box.text()
    sweep = hand.panel.pages["Sweep"].ends.high
    with preferred(0, 1):  # mm
        until(lambda: box.text() != before)
        seen = [box.text(), low.text(), sweep.text(), hand.said]
    until(lambda: box.text() == before)
    return seen


def plotted(page: Any) -> list[Any]:
    """Units and ends of the axes of the curves: those of the curves, then what they are over."""
    (frame,) = page.view.plot.frames()
    return [frame.unit, *(axis.words(axis.marks[k]) for axis in frame[1:3] for k in (0, -1))]


def held_back(hand: Hand, document: Any) -> dict[str, Any]:
    """A rod between two stops: it is swept into the one and dragged into the other."""
    seen: dict[str, Any] = {}
    document.Ring.Radius = 9  # around the post
    document.recompute()
    for end, value in (("Min", -0.3 * 25.4), ("Max", -0.1 * 25.4)):
        setattr(document.Mate, f"EnableLength{end}", True)
        setattr(document.Mate, f"Length{end}", value)
    rest()
    hand.click("diagnose")
    type_in(hand.find(BOX, "sweep low"), "-0.2")
    type_in(hand.find(BOX, "sweep high"), "0")
    page = hand.page("Sweep")
    seen["stopped"] = hand.click("sweep")
    page.view.list.item(0).setCheckState(QtCore.Qt.Checked)
    picture("inches curves")
    seen["plotted"] = plotted(page)
    model = page.view.table.model()
    seen["no state"] = model.data(model.index(3, 0), QtCore.Qt.ToolTipRole)
    hand.page("Drive")
    looked_at = view()
    drag = Drag(hand, looked_at, pixel(looked_at, "Ring", ""))
    for k in range(1, 6):
        drag.move(0, -20 * k)
    seen["dragged"] = [hand.said, hand.find(BOX, "value Rod 5 mm length").text()]
    drag.let_go(0, -100)
    seen["let go"] = hand.said
    hand.page("Diagnosis")
    seen["reached"] = [card.label.text() for card in hand.cards("Diagnosis")][-1]
    picture("inches limits")
    for end in ("Min", "Max"):
        setattr(document.Mate, f"EnableLength{end}", False)
    return seen


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    import assembly_solver_freecad as asf

    seen: dict[str, Any] = {}
    with preferred(3, 3):  # Imperial decimal, which FreeCAD 1.0 notes in the new document
        document = parts("Pin 12 mm")
        asf.mate([(document.Post, "Face1"), (document.Ring, "Face1")], "coaxial", "Rod 5 mm")
        rest()
        hand.click("solve")
        hand.page("Drive")
        box = hand.find(BOX, "value Rod 5 mm length")
        type_in(box, "-0.2 in")
        until(lambda: hand.panel.pages["Drive"].driving.held is None)
        hand.ready()
        seen["typed"] = [box.value(), box.text()]
        seen["ends"] = [hand.find(LABEL, f"{e} Rod 5 mm length").text() for e in ("low", "high")]
        seen["undo"] = document.UndoNames[0]
        type_in(box, "1 kg")
        seen["no length"] = [box.value(), box.text()]
        type_in(box, "1 in")
        until(lambda: hand.panel.pages["Drive"].driving.held is None)
        hand.ready()
        seen["beyond"] = box.text()
        picture("inches")
        seen["changed"] = changed(hand, box)
        hand.page("Sweep")
        hand.choose("sweep drive", "Rod 5 mm length")
        type_in(hand.find(BOX, "sweep low"), "0.5")
        type_in(hand.find(BOX, "sweep high"), "50.8 mm")
        hand.find(QtGui.QSpinBox, "sweep steps").setValue(3)
        hand.click("sweep")
        model = hand.panel.pages["Sweep"].view.table.model()
        seen["head"] = model.headerData(0, QtCore.Qt.Horizontal)
        seen["column"] = [model.data(model.index(k, 0)) for k in range(4)]
        seen |= held_back(hand, document)
        faces = [(document.Post, "Face3"), (document.Ring, "Face3")]
        for name, value in (("One", 25.4), ("Two", 76.2)):
            asf.mate(faces, "distance", name, value=value)
        seen["told"] = hand.click("diagnose")
        hand.page("Diagnosis")
        seen["card"] = hand.cards("Diagnosis")[0].label.text()
        close_all()
    seen["console"] = console()
    return seen
