"""FreeCAD's own AssemblyExample: native joints, beside what the script says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import FreeCAD
import FreeCADGui
from hand import (
    BOX,
    LABEL,
    OUT,
    Hand,
    all_numbers,
    close_all,
    console,
    drawn_where_it_stands,
    picture,
    rest,
    type_in,
    until,
)
from hinge import save
from PySide import QtCore, QtGui


def diagnosis(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """Freedoms and redundant joints; a click selects; a motion plays."""
    before = all_numbers(document)
    seen["diagnosed"] = hand.click("diagnose")
    hand.page("Diagnosis")
    seen["cards"] = [card.label.text().count("<a ") > 0 for card in hand.cards("Diagnosis")]
    hand.cards("Diagnosis")[1].label.linkActivated.emit("Boom001")
    seen["selected"] = [o.Label for o in FreeCADGui.Selection.getSelection()]
    hand.press("play 1")
    until(lambda: not drawn_where_it_stands(_part(document, "Boom001")))
    picture("excavator plays")
    seen["while playing"] = all_numbers(document) == before
    hand.press("play 1")
    seen["drawn back"] = _drawn_right(document)


def _part(document: Any, label: str) -> Any:
    return document.getObjectsByLabel(label)[0]


def _drawn_right(document: Any) -> bool:
    parts = document.getObject("Assembly").Group
    return all(drawn_where_it_stands(o) for o in parts if o.TypeId == "App::Link")


def drive(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A slider to its stop: it says where and why, and is one undo step."""
    before, undo = all_numbers(document), document.UndoCount
    hand.page("Drive")
    slider = hand.take("Slider")
    seen["ends"] = [hand.find(LABEL, f"{end} Slider").text() for end in ("low", "high")]
    hand.drag(slider, range(slider.value() - 40, slider.value() - 400, -40))
    seen["while driving"] = [all_numbers(document) == before, _drawn_right(document)]
    hand.drag(slider, [slider.maximum()])
    seen["stop"] = hand.said
    picture("excavator stops")
    hand.let_go(slider)
    seen["stands"] = round(hand.find(BOX, "value Slider").value(), 3)
    seen["moved"] = document.UndoCount - undo
    seen["drawn there"] = _drawn_right(document)
    document.undo()
    seen["undone"] = all_numbers(document) == before
    hand.click("diagnose")


def snapshot(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A snapshot, as FreeCAD 1.2 makes them, is kept as a position by the menu, and taken."""
    parts = [o for o in document.Assembly.Group if hasattr(o, "Placement")]
    before = {o.Name: FreeCAD.Placement(o.Placement) for o in parts}
    made = document.addObject("App::FeaturePython", "Snapshot")
    made.addProperty("App::PropertyString", "CapturedState", "Snapshot", "")
    state = {
        name: {"placement": {"pos": [*at.Base], "rot": [*at.Rotation.Q]}}
        for name, at in before.items()
    }
    made.CapturedState, made.Label = json.dumps(state), "Before"
    document.Assembly.newObject("App::DocumentObjectGroup", "Snapshots").addObject(made)
    hand.click("diagnose")
    hand.page("Drive")
    type_in(hand.find(BOX, "value Slider"), "60")
    until(lambda: hand.panel.pages["Drive"].driving.held is None)
    hand.ready()
    away, undo = not _stand(parts, before), document.UndoCount
    said = hand.menu("more positions", "Keep snapshot Before")
    seen["snapshot"] = [away, said, document.UndoCount - undo]
    hand.choose("position", "Before")
    hand.click("take position")
    seen["snapshot taken"] = [_stand(parts, before), document.UndoCount - undo]
    hand.click("diagnose")


def _stand(parts: list[Any], then: dict[str, Any]) -> bool:
    """Whether parts stand where they were, to 1e-6 mm."""
    return all(part.Placement.isSame(then[part.Name], 1e-6) for part in parts)


def sweep(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A sweep has the numbers of the script, is saved, and plays."""
    import assembly_solver_freecad as asf

    before = all_numbers(document)
    page = hand.page("Sweep")
    hand.choose("sweep drive", "Slider")
    for name, value in (("low", 70.0), ("high", 40.0)):
        hand.find(BOX, f"sweep {name}").setValue(value)
    hand.find(QtGui.QSpinBox, "sweep steps").setValue(30)
    seen["swept"] = hand.click("sweep")
    model = page.view.table.model()
    motion = asf.sweep(document, "Slider", 70, 40, steps=30)
    heads = [
        model.headerData(c, QtCore.Qt.Horizontal).split("\n")[0] for c in range(model.columnCount())
    ]
    tracks = {t.name: t.value for t in (*motion.driven.values(), *_joints(motion))}
    seen["off"] = max(
        abs(float(model.data(model.index(k, c))) - tracks[head][k])
        for c, head in enumerate(heads)
        for k in range(model.rowCount())
    )
    seen["size"] = [model.rowCount(), model.columnCount()]
    seen["csv"] = save(hand, "excavator.csv")
    hand.press("sweep play")
    until(lambda: not drawn_where_it_stands(_part(document, "Bucket001")))
    picture("excavator sweeps")
    hand.press("sweep stop")
    hand.choose("sweep drive", "Revolute004")
    seen["as far as it goes"] = hand.click("sweep")
    seen["after sweeps"] = [all_numbers(document) == before, _drawn_right(document)]


def _joints(motion: Any) -> list[Any]:
    return [motion.joint(*c) for c in motion.coordinates]


def cancel(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A sweep that is cancelled leaves everything as it was, and the panel goes on."""
    before = all_numbers(document)
    hand.page("Sweep")
    hand.find(QtGui.QSpinBox, "sweep steps").setValue(10_000)
    hand.press("sweep")
    seen["cancelled"] = hand.click("cancel")
    seen["after the cancel"] = all_numbers(document) == before
    hand.find(QtGui.QSpinBox, "sweep steps").setValue(4)
    seen["swept again"] = hand.click("sweep")


def check(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """The check of one drive tells how far it gets, and its report opens on request."""
    before = all_numbers(document)
    opened: list[Any] = []
    QtGui.QDesktopServices.openUrl = opened.append
    page = hand.page("Check")
    for k in range(page.table.rowCount()):
        item = page.table.item(k, 0)
        wanted = item.text() == "Revolute004"
        item.setCheckState(QtCore.Qt.Checked if wanted else QtCore.Qt.Unchecked)
    seen["checked"] = hand.click("check")
    seen["findings"] = len(hand.cards("Check"))
    hand.click("report")
    seen["report"] = "Revolute004" in Path(opened[-1].toLocalFile()).read_text("utf-8")
    picture("excavator check")
    seen["after the check"] = all_numbers(document) == before


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    document = FreeCAD.openDocument(str(OUT / "AssemblyExample.FCStd"))
    FreeCADGui.activeDocument().activeView().viewIsometric()
    FreeCADGui.SendMsgToActiveView("ViewFit")
    rest()
    diagnosis(hand, document, seen)
    drive(hand, document, seen)
    snapshot(hand, document, seen)
    sweep(hand, document, seen)
    cancel(hand, document, seen)
    check(hand, document, seen)
    close_all()
    seen["console"] = console()
    return seen
