"""A hand in the panel: mouse, keys and waiting, and what is to be seen in a real window of FreeCAD.

`CLICKS` in the environment is the folder for pictures; widgets are found by the names that the
panel gives them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import FreeCAD
import FreeCADGui
from pivy import coin
from PySide import QtCore, QtGui

OUT = Path(os.environ["CLICKS"])
BUTTON, SLIDER, LABEL, BOX = (
    QtGui.QAbstractButton,
    QtGui.QSlider,
    QtGui.QLabel,
    QtGui.QDoubleSpinBox,
)
OVERLAYS = [*map(int, FreeCAD.Version()[:2])] >= [1, 1]
"""Whether FreeCAD asks where the cursor is, not where the event was."""

NEAR = 50
"""A cursor that is so near is as good as there, px: what it points at may be moving."""

AFTER = 3
"""Rounds of events after a rest: on a busy machine one picture takes longer than a rest, and timers
that are due by then fire in the next round."""

LONGEST = 240.0
"""Time that anything may take before the window is given up, s."""


def until(holds: Callable[[], Any]) -> None:
    """Let the window run until something holds."""
    end = time.monotonic() + LONGEST
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError
        QtGui.QApplication.processEvents(QtCore.QEventLoop.AllEvents, 20)
        time.sleep(0.002)


def rest(seconds: float = 0.3) -> None:
    """Let the window run for a while: the panel waits until a document is left alone."""
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() > end)
    for _ in range(AFTER):
        QtGui.QApplication.processEvents()


def picture(name: str) -> None:
    """What is on the screen, for a person to look at."""
    rest()
    QtGui.QGuiApplication.primaryScreen().grabWindow(0).save(str(OUT / f"{name}.png"))


class Hand:
    """Clicks, drags and types in the panel."""

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

    @property
    def said(self) -> str:
        """The sentence on top."""
        return str(self.find(LABEL, "sentence").property("words"))

    @property
    def meaning(self) -> str:
        """What its colour means."""
        return str(self.find(LABEL, "sentence").property("meaning"))

    def press(self, name: str) -> None:
        """Click on a button by the mouse."""
        button = self.find(BUTTON, name)
        until(button.isEnabled)
        click(button)

    def click(self, name: str) -> str:
        """Press a button and wait; the sentence on top is the answer."""
        self.press(name)
        self.ready()
        return self.said

    def page(self, title: str) -> Any:
        """Turn to a page by its tab."""
        bar = self.panel.tabs.tabBar()
        click(bar, bar.tabRect([*self.panel.pages].index(title)).center())
        assert self.panel.tabs.currentWidget() is self.panel.pages[title]
        return self.panel.pages[title]

    def menu(self, name: str, words: str, file: Path | None = None) -> str:
        """Open the menu of a button and click on one of its lines, and wait.

        Args:
            file: what its dialog is answered with.
        """
        found = self.find(QtGui.QToolButton, name).menu()

        def clicked() -> None:
            actions = [action for action in found.actions() if action.text() == words]
            for action in actions:
                click(found, found.actionGeometry(action).center())
            found.close()  # where there is no such line

        later(found.isVisible, clicked)
        if file is not None:
            later(QtGui.QApplication.activeModalWidget, lambda: answered(file))
        return self.click(name)

    def choose(self, name: str, words: str) -> None:
        """Choose a line of a list that drops down."""
        box = self.find(QtGui.QComboBox, name)
        assert box.findText(words) >= 0, [box.itemText(k) for k in range(box.count())]
        box.setCurrentIndex(box.findText(words))

    def cards(self, page: str) -> list[Any]:
        """The findings on a page, from top to bottom."""
        return list(self.panel.pages[page].cards.findChildren(QtGui.QFrame, "card"))

    def take(self, drive: str) -> Any:
        """Take hold of a slider."""
        slider = self.find(SLIDER, f"slider {drive}")
        self.panel.pages["Drive"].cards.ensureWidgetVisible(slider)
        rest(0.05)
        mouse(slider, "Press", handle(slider, slider.value()))
        until(lambda: not self.desk.jobs.running)
        return slider

    def drag(self, slider: Any, ticks: Sequence[int]) -> None:
        """Lead a slider that is held through places of it, and wait for the model at each."""
        driving = self.panel.pages["Drive"].driving
        for tick in ticks:
            mouse(slider, "Move", handle(slider, tick))
            until(lambda: not driving.moving)

    def let_go(self, slider: Any) -> None:
        """Release the mouse."""
        mouse(slider, "Release", handle(slider, slider.sliderPosition()))
        until(lambda: self.panel.pages["Drive"].driving.held is None)
        self.ready()

    def select(self, *elements: tuple[Any, str]) -> None:
        """Select elements, as a person does in the view."""
        FreeCADGui.Selection.clearSelection()
        for thing, path in elements:
            FreeCADGui.Selection.addSelection(thing, path)
        rest(0.3)
        until(lambda: not self.panel.pages["Mate"]._timer.isActive())


def later(holds: Callable[[], Any], act: Callable[[], None]) -> None:
    """Do something as soon as something holds, while a menu or a dialog lets nothing else run."""
    end = time.monotonic() + LONGEST

    def look() -> None:
        if holds():
            act()
        elif time.monotonic() < end:
            QtCore.QTimer.singleShot(50, look)

    QtCore.QTimer.singleShot(50, look)


def answered(file: Path) -> None:
    """Name a file in the dialog that is open, and accept it."""
    dialog = QtGui.QApplication.activeModalWidget()
    dialog.findChild(QtGui.QLineEdit, "fileNameEdit").setText(str(file))
    dialog.accept()


def click(widget: Any, at: Any = None) -> None:
    """Press and release the mouse on a widget."""
    at = widget.rect().center() if at is None else at
    mouse(widget, "Press", at)
    mouse(widget, "Release", at)


def mouse(widget: Any, what: str, at: Any) -> None:
    """Move the mouse on a widget with its button down, or press or release that."""
    left, none = QtCore.Qt.LeftButton, QtCore.Qt.NoButton
    kind = getattr(QtCore.QEvent, "MouseMove" if what == "Move" else f"MouseButton{what}")
    button, held = none if what == "Move" else left, none if what == "Release" else left
    places = QtCore.QPointF(at), QtCore.QPointF(widget.mapToGlobal(QtCore.QPoint(at)))
    if what == "Press":
        point(places[1].toPoint())
    event = QtGui.QMouseEvent(kind, *places, button, held, QtCore.Qt.NoModifier)
    QtGui.QApplication.sendEvent(widget, event)


def point(at: Any) -> None:
    """Have the cursor at a place on the screen, where FreeCAD asks for it."""
    if OVERLAYS and (QtGui.QCursor.pos() - at).manhattanLength() > NEAR:
        QtGui.QCursor.setPos(at)
        rest(0.05)  # that moves it, with no button down


def handle(slider: Any, tick: int) -> Any:
    """The middle of the handle of a slider at a place."""
    option = QtGui.QStyleOptionSlider()
    slider.initStyleOption(option)
    option.sliderPosition = tick
    part = QtGui.QStyle.SC_SliderHandle
    return slider.style().subControlRect(QtGui.QStyle.CC_Slider, option, part, slider).center()


def key(widget: Any, name: str) -> None:
    """Press a key."""
    for kind in (QtCore.QEvent.KeyPress, QtCore.QEvent.KeyRelease):
        event = QtGui.QKeyEvent(kind, getattr(QtCore.Qt, f"Key_{name}"), QtCore.Qt.NoModifier)
        QtGui.QApplication.sendEvent(widget, event)


def type_in(box: Any, words: str) -> None:
    """Type into a field instead of what stands there, and press Enter."""
    box.setFocus()
    box.selectAll()
    for letter in words:
        for kind in (QtCore.QEvent.KeyPress, QtCore.QEvent.KeyRelease):
            event = QtGui.QKeyEvent(kind, 0, QtCore.Qt.NoModifier, letter)
            QtGui.QApplication.sendEvent(box, event)
    key(box, "Return")


def numbers(thing: Any) -> list[float]:
    """The placement of an object as seven numbers."""
    return [*thing.Placement.Base, *thing.Placement.Rotation.Q]


def all_numbers(document: Any) -> dict[str, list[float]]:
    """All placements of a document, bit for bit."""
    return {o.Name: numbers(o) for o in document.Objects if hasattr(o, "Placement")}


def drawn(thing: Any) -> list[float]:
    """Where the view draws an object: as `numbers`, in single precision."""
    root = thing.ViewObject.RootNode
    children = (root.getChild(k) for k in range(root.getNumChildren()))
    transform = next(c for c in children if c.isOfType(coin.SoTransform.getClassTypeId()))
    place, turn = transform.translation.getValue(), transform.rotation.getValue()
    return [*place.getValue(), *turn.getValue()]


def drawn_where_it_stands(thing: Any) -> bool:
    """Whether the view draws an object where the document has it; 1e-3 mm at some 1000 mm."""
    pairs = [*zip(drawn(thing), numbers(thing), strict=True)]
    turn = min(max(abs(sign * a - b) for a, b in pairs[3:]) for sign in (1, -1))
    return turn < 1e-5 and max(abs(a - b) for a, b in pairs[:3]) < 1e-3


def console() -> list[str]:
    """Lines of the report view that tell of something that failed."""
    views = FreeCADGui.getMainWindow().findChildren(QtGui.QTextEdit, "Report view")
    assert views, "there is no report view"
    lines = [line for view in views for line in view.toPlainText().splitlines()]
    bad = ("Traceback", "Error", "error", "Exception", "exception", "deleted", "assembly_solver")
    return [line for line in lines if any(word in line for word in bad)]


def close_all() -> None:
    """Leave no document open."""
    for name in [*FreeCAD.listDocuments()]:
        FreeCAD.closeDocument(name)
    rest()
