"""Clicks through the panel inside a real window of FreeCAD and writes down what is to be seen.

FreeCAD runs this file as a script.  `CLICKS` in the environment is the folder for `clicks.json` and
pictures, `CLICKS_PATH` what is put before the path of modules, as FreeCAD's window takes no
PYTHONPATH; widgets are found by the names that the panel gives them.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from math import degrees
from pathlib import Path
from typing import Any

import FreeCAD
import FreeCADGui
from PySide import QtCore, QtGui

OUT = Path(os.environ["CLICKS"])
sys.path[:0] = filter(None, os.environ.get("CLICKS_PATH", "").split(os.pathsep))
SEEN: dict[str, Any] = {}
BUTTON, SLIDER = QtGui.QAbstractButton, QtGui.QSlider
LONGEST = 240.0
"""Time that anything may take before the window is given up, s."""


def until(holds: Callable[[], bool]) -> None:
    """Let the window run until something holds."""
    end = time.monotonic() + LONGEST
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError
        QtGui.QApplication.processEvents(QtCore.QEventLoop.AllEvents, 20)
        time.sleep(0.005)


def rest(seconds: float = 0.3) -> None:
    """Let the window run for a while."""
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() > end)


def picture(name: str) -> None:
    """What is on the screen, for a person to look at."""
    rest()
    QtGui.QGuiApplication.primaryScreen().grabWindow(0).save(str(OUT / f"{name}.png"))


class Hand:
    """Clicks in the panel."""

    def __init__(self, panel: Any) -> None:
        self.panel, self.desk = panel, panel.desk

    def find(self, kind: Any, name: str) -> Any:
        """A widget by its name."""
        found = self.panel.findChild(kind, name)
        assert found is not None, f"no {name}"
        return found

    def ready(self) -> None:
        """Wait for what is under way."""
        until(lambda: not self.desk.jobs.running)
        rest(0.1)

    def click(self, name: str) -> str:
        """Press a button and wait; the sentence on top is the answer."""
        self.find(BUTTON, name).click()
        self.ready()
        return str(self.panel.sentence.property("words"))

    def mate(self, *elements: tuple[Any, str]) -> str:
        """Select elements, as a person does in the view, and join them by what fits best."""
        FreeCADGui.Selection.clearSelection()
        for thing, path in elements:
            FreeCADGui.Selection.addSelection(thing, path)
        rest(0.4)
        SEEN.setdefault("choices", []).append(
            [self.panel.pages["Mate"].list.item(0).text(), self.panel.pages["Mate"].list.count()]
        )
        return self.click("mate")


def parts() -> Any:
    """A document with a post, and a ring that lies awry beside it."""
    document = FreeCAD.newDocument("Hinge")
    document.UndoMode = 1
    for name, radius, height in (("Post", 5, 40), ("Ring", 5, 12)):
        made = document.addObject("Part::Cylinder", name)
        made.Radius, made.Height = radius, height
    turn = FreeCAD.Rotation(FreeCAD.Vector(1, 2, 0), 20)
    document.Ring.Placement = FreeCAD.Placement(FreeCAD.Vector(20, 5, 9), turn)
    document.recompute()
    return document


def numbers(thing: Any) -> list[float]:
    """A placement as seven numbers."""
    return [*thing.Placement.Base, *thing.Placement.Rotation.Q]


def mates(hand: Hand, document: Any) -> None:
    """Two mates leave a ring that turns."""
    hand.panel.show_page("Mate")
    ring, post = document.Ring, document.Post
    SEEN["coaxial"] = hand.mate((post, "Face1"), (ring, "Face1"))
    axis = ring.Placement.Rotation.multVec(FreeCAD.Vector(0, 0, 1))
    SEEN["off axis"] = max(map(abs, [*numbers(ring)[:2], axis.x, axis.y]))
    picture("mate")
    SEEN["coplanar"] = hand.mate((post, "Face3"), (ring, "Face3"))
    SEEN["hinge"] = hand.click("diagnose")


def playing(hand: Hand, document: Any) -> None:
    """The free motion is played, and the document is as before."""
    hand.panel.show_page("Diagnosis")
    ring, undo = document.Ring, document.UndoCount
    before = numbers(ring)
    SEEN["while playing"] = hand.click("play 0")
    until(lambda: numbers(ring) != before)
    picture("play")
    hand.click("play 0")
    SEEN["after playing"] = [numbers(ring) == before, document.UndoCount - undo]


def drive(hand: Hand, document: Any) -> None:
    """A slider turns the ring; its release is one undo step."""
    hand.panel.show_page("Drive")
    ring, undo = document.Ring, document.UndoCount
    before = numbers(ring)
    rows = hand.panel.pages["Drive"].findChildren(SLIDER)
    SEEN["sliders"] = [s.objectName() for s in rows]
    slider = next(s for s in rows if s.objectName().endswith("angle"))
    slider.setSliderDown(True)
    hand.ready()
    slider.setSliderPosition(slider.value() + 250)
    until(lambda: numbers(ring) != before)
    until(lambda: not hand.panel.pages["Drive"].driving.moving)
    slider.setSliderDown(False)
    hand.ready()
    picture("drive")
    turned = FreeCAD.Rotation(*before[3:]).inverted() * ring.Placement.Rotation
    angle = degrees(turned.Angle)
    SEEN["driven"] = [round(min(angle, 360.0 - angle), 6), document.UndoCount - undo]
    document.undo()
    SEEN["undone"] = numbers(ring) == before
    rest(0.3)
    SEEN["old"] = hand.panel.sentence.property("words")


def sweep(hand: Hand, document: Any) -> None:
    """A sweep is a table, an animation and a file."""
    hand.click("diagnose")
    hand.panel.show_page("Sweep")
    before = numbers(document.Ring)
    choice = hand.find(QtGui.QComboBox, "sweep drive")
    names = [choice.itemText(k) for k in range(choice.count())]
    choice.setCurrentIndex(next(k for k, n in enumerate(names) if n.endswith("angle")))
    hand.find(QtGui.QSpinBox, "sweep steps").setValue(36)
    SEEN["swept"] = hand.click("sweep")
    page = hand.panel.pages["Sweep"]
    SEEN["states"] = page.table.model().rowCount()
    hand.click("sweep play")
    until(lambda: numbers(document.Ring) != before)
    picture("sweep")
    hand.click("sweep stop")
    SEEN["after the sweep"] = numbers(document.Ring) == before
    page.write(OUT / "sweep.csv")


def check(hand: Hand) -> None:
    """The report is written and handed to the browser."""
    opened = []
    QtGui.QDesktopServices.openUrl = opened.append
    hand.panel.show_page("Check")
    SEEN["checked"] = hand.click("check")
    SEEN["report"] = [Path(u.toLocalFile()).read_text("utf-8")[:15] for u in opened]
    picture("check")


def contradiction(hand: Hand, document: Any) -> None:
    """A mate that cannot hold: told on top, nothing moves, and its name selects it."""
    import assembly_solver_freecad as asf

    before = numbers(document.Ring)
    made = asf.mate([(document.Post, "Face2"), (document.Ring, "Face3")], "distance", value=3.0)
    SEEN["contradiction"] = hand.click("solve")
    SEEN["meaning"] = hand.panel.sentence.property("meaning")
    SEEN["untouched"] = numbers(document.Ring) == before
    hand.panel.show_page("Diagnosis")
    cards = hand.panel.pages["Diagnosis"].cards.findChildren(QtGui.QFrame, "card")
    FreeCADGui.Selection.clearSelection()
    cards[0].label.linkActivated.emit(made.Label.replace(" ", "%20"))
    chosen = FreeCADGui.Selection.getSelectionEx("", 0)
    SEEN["selected"] = [s.ObjectName for s in chosen]
    SEEN["elements"] = sorted(p for s in chosen for p in s.SubElementNames)
    picture("contradiction")


def main() -> None:
    try:
        FreeCADGui.getMainWindow().resize(1200, 850)
        FreeCADGui.activateWorkbench("AssemblySolverWorkbench")
        document = parts()
        FreeCADGui.activeDocument().activeView().viewIsometric()
        FreeCADGui.SendMsgToActiveView("ViewFit")
        from assembly_solver_freecad.gui.panel import panel

        hand = Hand(panel())
        rest()
        mates(hand, document)
        playing(hand, document)
        drive(hand, document)
        sweep(hand, document)
        check(hand)
        contradiction(hand, document)
    except BaseException:
        SEEN["error"] = traceback.format_exc()
        picture("error")
    (OUT / "clicks.json").write_text(json.dumps(SEEN, indent=1), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # a window with changed documents asks before it closes


QtCore.QTimer.singleShot(1500, main)
