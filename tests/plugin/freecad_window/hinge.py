"""A ring on a post: own mates between selected faces, and every page of the panel once."""

from __future__ import annotations

from math import degrees
from pathlib import Path
from typing import Any

import FreeCAD
import FreeCADGui
from hand import (
    BOX,
    OUT,
    SLIDER,
    Hand,
    all_numbers,
    answered,
    close_all,
    console,
    drawn,
    drawn_where_it_stands,
    key,
    later,
    numbers,
    picture,
    rest,
    until,
)
from PySide import QtGui


def parts(name: str = "Hinge") -> Any:
    """A document with a post, and a ring that lies awry beside it."""
    document = FreeCAD.newDocument(name)
    document.UndoMode = 1
    for kind, radius, height in (("Post", 5, 40), ("Ring", 5, 12)):
        made = document.addObject("Part::Cylinder", kind)
        made.Radius, made.Height = radius, height
    turn = FreeCAD.Rotation(FreeCAD.Vector(1, 2, 0), 20)
    document.Ring.Placement = FreeCAD.Placement(FreeCAD.Vector(20, 5, 9), turn)
    document.recompute()
    return document


def mates(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """Two mates leave a ring that turns; each is chosen from a list, best first."""
    ring, post = document.Ring, document.Post
    page = hand.page("Mate")
    seen["nothing selected"] = [page.label.text(), page.go.isEnabled(), page.hold.isEnabled()]
    hand.select((post, "Face1"), (ring, "Face1"))
    seen["two cylinders"] = _choices(page)
    seen["coaxial"] = hand.click("mate")
    axis = ring.Placement.Rotation.multVec(FreeCAD.Vector(0, 0, 1))
    seen["off axis"] = max(map(abs, [*numbers(ring)[:2], axis.x, axis.y]))
    hand.page("Diagnosis")
    seen["two freedoms"] = hand.click("diagnose")
    hand.page("Mate")
    hand.select((post, "Face3"), (ring, "Face3"))
    seen["two faces"] = _choices(page)
    other = next(k for k, words in enumerate(_choices(page)) if words.startswith("at a distance"))
    page.list.setCurrentRow(other)
    seen["offered"] = [_choices(page)[other], hand.find(BOX, "parameter value").value()]
    picture("mate")
    page.list.setCurrentRow(0)
    seen["coplanar"] = hand.click("mate")
    seen["ring up"] = numbers(ring)[2]
    seen["hinge"] = hand.click("diagnose")


def _choices(page: Any) -> list[str]:
    return [page.list.item(k).text() for k in range(page.list.count())]


def ground(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A part is held by the button, and let go by undo."""
    hand.page("Mate")
    hand.select((document.Ring, "Face1"))
    seen["ground"] = hand.click("ground")
    seen["grounded"] = [o.Name for o in _folder(document).Grounded]
    document.undo()
    seen["released"] = [o.Name for o in _folder(document).Grounded]
    hand.click("diagnose")


def _folder(document: Any) -> Any:
    return next(o for o in document.Objects if hasattr(o, "Grounded"))


def playing(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """The free motion is played, stopped, and stopped by the user's undo."""
    hand.page("Diagnosis")
    ring, undo = document.Ring, document.UndoCount
    before = numbers(ring)
    hand.press("play 0")
    until(lambda: not drawn_where_it_stands(ring))
    picture("play")
    seen["while playing"] = [numbers(ring) == before, document.UndoCount - undo]
    hand.press("play 0")
    seen["after playing"] = [numbers(ring) == before, drawn_where_it_stands(ring)]
    hand.press("play 0")
    until(lambda: not drawn_where_it_stands(ring))
    document.undo()
    rest()
    seen["undone while playing"] = [hand.desk.player.active, drawn_where_it_stands(ring)]
    seen["old"] = hand.said
    button = hand.find(QtGui.QAbstractButton, "play 0")
    seen["old button"] = [button.isEnabled(), button.toolTip()]
    document.redo()
    hand.click("diagnose")
    seen["again"] = numbers(ring) == before


def drive(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A slider turns the ring; its release is one undo step, and so is what keys do together."""
    hand.page("Drive")
    ring, undo = document.Ring, document.UndoCount
    before = numbers(ring)
    name = next(
        s.objectName() for s in hand.panel.findChildren(SLIDER) if s.objectName().endswith("angle")
    ).removeprefix("slider ")
    start = hand.find(BOX, f"value {name}").value()
    slider = hand.take(name)
    hand.drag(slider, [slider.value() + 50, slider.value() + 250])
    seen["while driving"] = [numbers(ring) == before, drawn_where_it_stands(ring)]
    shown = drawn(ring)
    picture("drive")
    hand.let_go(slider)
    turned = FreeCAD.Rotation(*before[3:]).inverted() * ring.Placement.Rotation
    angle = degrees(turned.Angle)
    shown_angle = hand.find(BOX, f"value {name}").value() - start
    seen["driven"] = [min(angle, 360.0 - angle), shown_angle, document.UndoCount - undo]
    seen["stays"] = max(abs(a - b) for a, b in zip(shown, drawn(ring), strict=True)) < 1e-6
    document.undo()
    seen["undone"] = numbers(ring) == before
    rest()
    document.redo()
    hand.click("diagnose")
    undo = document.UndoCount
    slider.setFocus()
    for _ in range(3):
        key(slider, "Right")
    until(lambda: hand.panel.pages["Drive"].driving.held is None)
    hand.ready()
    seen["keys"] = [document.UndoCount - undo, slider.hasFocus()]
    value = hand.find(BOX, f"value {name}").value()
    key(slider, "Right")
    until(lambda: hand.find(BOX, f"value {name}").value() != value)
    seen["read meanwhile"] = [hand.click("diagnose"), document.UndoCount - undo]
    hand.find(BOX, f"value {name}").setValue(-30.0)
    until(lambda: hand.panel.pages["Drive"].driving.held is None)
    hand.ready()
    seen["typed"] = hand.find(BOX, f"value {name}").value()


def sweep(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A sweep is a table, an animation and a file."""
    page = hand.page("Sweep")
    before = all_numbers(document)
    choice = hand.find(QtGui.QComboBox, "sweep drive")
    names = [choice.itemText(k) for k in range(choice.count())]
    choice.setCurrentIndex(next(k for k, n in enumerate(names) if n.endswith("angle")))
    hand.find(QtGui.QSpinBox, "sweep steps").setValue(36)
    seen["swept"] = hand.click("sweep")
    seen["states"] = page.view.table.model().rowCount()
    hand.press("sweep play")
    until(lambda: not drawn_where_it_stands(document.Ring))
    picture("sweep")
    hand.press("sweep stop")
    seen["after the sweep"] = all_numbers(document) == before
    seen["csv"] = save(hand, "sweep.csv")


def save(hand: Hand, name: str) -> str:
    """The states saved through the dialog."""
    (OUT / name).unlink(missing_ok=True)  # else the dialog asks whether to replace it
    later(QtGui.QApplication.activeModalWidget, lambda: answered(OUT / name))
    return hand.click("sweep csv")


def check(hand: Hand, seen: dict[str, Any]) -> None:
    """The report is written and handed to the browser."""
    opened: list[Any] = []
    QtGui.QDesktopServices.openUrl = opened.append
    hand.page("Check")
    seen["checked"] = hand.click("check")
    hand.click("report")
    seen["report"] = [Path(u.toLocalFile()).read_text("utf-8")[:15] for u in opened]
    picture("check")


def contradiction(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A mate that cannot hold: told in the panel, nothing moves, and its name selects it."""
    import assembly_solver_freecad as asf

    before = all_numbers(document)
    faces = [(document.Post, "Face3"), (document.Ring, "Face3")]
    made = asf.mate(faces, "distance", value=3.0, sense="opposed")
    seen["contradiction"] = hand.click("solve")
    seen["meaning"] = hand.meaning
    seen["untouched"] = all_numbers(document) == before
    hand.page("Diagnosis")
    card = hand.cards("Diagnosis")[0]
    seen["remedy"] = card.label.text()
    FreeCADGui.Selection.clearSelection()
    card.label.linkActivated.emit(made.Label.replace(" ", "%20"))
    chosen = FreeCADGui.Selection.getSelectionEx("", 0)
    seen["selected"] = [s.ObjectName for s in chosen]
    seen["elements"] = sorted(p for s in chosen for p in s.SubElementNames)
    picture("contradiction")
    hand.page("Drive")
    seen["nothing to drive"] = _text(hand.panel.pages["Drive"].cards)


def lost(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A mate that cannot be read any more: nothing is driven that would break it."""
    document.removeObject("Mate002")
    document.Mate001.ElementKinds = ["cylinder", "cylinder"]
    before = all_numbers(document)
    seen["one is lost"] = [hand.click("diagnose"), hand.meaning]
    hand.page("Drive")
    names = [s.objectName().removeprefix("slider ") for s in hand.panel.findChildren(SLIDER)]
    slider = hand.take(next(n for n in names if n.endswith("angle")))
    seen["not driven"] = hand.said
    hand.let_go(slider)
    seen["not moved"] = all_numbers(document) == before and drawn_where_it_stands(document.Ring)


def _text(cards: Any) -> str:
    return " ".join(label.text() for label in cards.findChildren(QtGui.QLabel))


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    document = parts()
    FreeCADGui.activeDocument().activeView().viewIsometric()
    FreeCADGui.SendMsgToActiveView("ViewFit")
    rest()
    mates(hand, document, seen)
    ground(hand, document, seen)
    playing(hand, document, seen)
    drive(hand, document, seen)
    sweep(hand, document, seen)
    check(hand, seen)
    contradiction(hand, document, seen)
    lost(hand, document, seen)
    close_all()
    seen["console"] = console()
    return seen
