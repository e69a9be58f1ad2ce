"""The panel next to the 3D view: the result on top, below it the pages."""

from __future__ import annotations

from typing import Any

import FreeCAD
import FreeCADGui
from PySide import QtCore, QtGui

from ..proxies import ICONS
from .check_page import CheckPage
from .contact_page import ContactPage
from .desk import Desk
from .diagnosis_page import DiagnosisPage
from .dragging import PartDrag
from .drive_page import DrivePage
from .mate_page import MatePage
from .names import in_user_units
from .page_tabs import PageTabs
from .preferred_units import PreferredUnits
from .sentence import Sentence
from .sweep_page import SweepPage
from .tolerance_page import TolerancePage
from .view_mouse import ViewMouse
from .watcher import Watcher

NAME = "AssemblySolverPanel"
WIDTH, NARROWEST = 460, 270

NOTHING = "No assembly is open: open a document with one, or join parts on the page Mate."

TIPS = {
    "Solve": "Move the parts so that every joint holds: one undo step",
    "Diagnose": "Say what moves, repeats, contradicts; move nothing",
}


class Panel(QtGui.QDockWidget):
    """The dock of the workbench; `panel()` returns the only one."""

    def __init__(self, window: QtGui.QMainWindow) -> None:
        super().__init__("Assembly Solver", window)
        self.setObjectName(NAME)
        self.desk = Desk(self)
        self._drives = DrivePage(self.desk)
        self.drag = PartDrag(self.desk)
        self.drag.came.connect(self._drives.come)
        self.drag.put_back.connect(self._drives.stand)
        self.mouse = ViewMouse(self.drag, self)
        self.pages = {
            "Diagnosis": DiagnosisPage(self.desk),
            "Mate": MatePage(self.desk),
            "Drive": self._drives,
            "Sweep": SweepPage(self.desk),
            "Contact": ContactPage(self.desk),
            "Check": CheckPage(self.desk),
            "Tolerances": TolerancePage(self.desk),
        }
        inner = QtGui.QWidget()
        column = QtGui.QVBoxLayout(inner)
        column.setContentsMargins(6, 6, 6, 6)
        self._top(column)
        self._told(column)
        self.tabs = PageTabs()
        for title, page in self.pages.items():
            icon = "diagnose" if title == "Diagnosis" else title.lower()
            self.tabs.add(title, page, ICONS / f"{icon}.svg")
        self.tabs.currentChanged.connect(lambda _: self.desk.player.stop())
        column.addWidget(self.tabs, 1)
        self.setWidget(inner)
        inner.setMinimumWidth(NARROWEST)
        self._words, self._title, self._last = "", "", ("", "plain")
        self.desk.said.connect(self.say)
        self.desk.aged.connect(self._aged)
        self.desk.jobs.busy.connect(self._busy)
        self.desk.jobs.progress.connect(self._progress)
        self._units = PreferredUnits(self)
        self._units.changed.connect(self._retell)
        self._watcher = Watcher(self)
        FreeCAD.addDocumentObserver(self._watcher)
        self.look()

    def _top(self, column: QtGui.QVBoxLayout) -> None:
        """The choice of the assembly, and the two main commands."""
        self.choice = QtGui.QComboBox()
        self.choice.setObjectName("assembly")
        self.choice.setToolTip("The assembly that all of this is about")
        self.choice.setSizeAdjustPolicy(QtGui.QComboBox.AdjustToMinimumContentsLengthWithIcon)
        self.choice.currentIndexChanged.connect(self._chosen)
        row = QtGui.QHBoxLayout()
        self.buttons = {}
        for text, act in (("Solve", self.desk.solve), ("Diagnose", self.desk.diagnose)):
            button = QtGui.QPushButton(text)
            button.setObjectName(text.lower())
            button.clicked.connect(lambda _=False, act=act: act())
            row.addWidget(button)
            self.buttons[text] = button
        column.addWidget(self.choice)
        column.addLayout(row)

    def _told(self, column: QtGui.QVBoxLayout) -> None:
        """The sentence and the progress."""
        self.sentence = Sentence()
        column.addWidget(self.sentence)
        self._work = QtGui.QWidget()
        line = QtGui.QHBoxLayout(self._work)
        line.setContentsMargins(0, 0, 0, 0)
        self._progress_bar = QtGui.QProgressBar()
        self._progress_bar.setObjectName("progress")
        self._progress_bar.setTextVisible(False)
        self._progress_bar.setMaximumHeight(10)
        cancel = QtGui.QPushButton("Cancel")
        cancel.setObjectName("cancel")
        cancel.clicked.connect(self.desk.jobs.cancel)
        line.addWidget(self._progress_bar, 1)
        line.addWidget(cancel)
        self._work.hide()
        column.addWidget(self._work)

    # ------------------------------------------------------------------ what is said
    def say(self, words: str, meaning: str) -> None:
        """Show a sentence on top, with the colour of its meaning."""
        if meaning != "busy":
            self._last = words, meaning
        self.sentence.say(in_user_units(words, self.desk.names), meaning)

    def _retell(self) -> None:
        """Show all numbers in other units of the preferences: what has `retell` has some."""
        self.say(*self._last)
        for widget in self.findChildren(QtGui.QWidget):
            if hasattr(widget, "retell"):
                widget.retell()

    def _busy(self, words: str) -> None:
        self._work.setVisible(bool(words))
        self._words = words
        self._enable()
        if not words:
            self.say(*self._last)  # until the work that is done says something else
        else:
            self._progress_bar.setRange(0, 0)
            self.say(f"{words} …", "busy")

    def _progress(self, done: int, total: int, words: str) -> None:
        self._progress_bar.setRange(0, total)
        self._progress_bar.setValue(done)
        self._progress_bar.setToolTip(words)

    # ------------------------------------------------------------------ which assembly
    def look(self) -> None:
        """Update the assemblies of the active document."""
        desk, targets = self.desk, self.desk.targets
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([title_of(t) for t in targets] or ["no assembly"])
        if desk.target is not None:
            self.choice.setCurrentIndex(targets.index(desk.target))
        self.choice.blockSignals(False)
        self.choice.setEnabled(bool(targets))
        self._enable()
        if desk.jobs.running:
            self._watcher.later()
            return
        desk.choose(desk.target)
        before, self._title = self._title, title_of(desk.target) if targets else ""
        if not targets:
            self.say(NOTHING, "plain")
        elif desk.solution is None and self._title != before:
            self.say(f"{self._title}: not looked at yet.", "plain")

    def _enable(self) -> None:
        """Enable the commands that can be used; tips of the others say what is missing."""
        why = "" if self.desk.target is not None else NOTHING
        why = f"{self._words} …" if self._words else why
        for text, button in self.buttons.items():
            button.setEnabled(not why)
            button.setToolTip(why or TIPS[text])

    def _aged(self) -> None:
        if self.desk.solution is not None and not self.desk.jobs.running:
            self.say("The document has changed since; diagnose again.", "plain")

    def _chosen(self, number: int) -> None:
        targets = self.desk.targets
        if 0 <= number < len(targets):
            self.desk.choose(targets[number])
            self._title = title_of(targets[number])
            self.say(f"{self._title}: not looked at yet.", "plain")

    def show_page(self, title: str) -> None:
        """Show the panel and one of its pages."""
        self.show()
        self.raise_()
        self.tabs.setCurrentWidget(self.pages[title])


def title_of(target: Any) -> str:
    """The title of an assembly: the labels of its document and itself."""
    document = getattr(target, "Document", None)
    return str(target.Label) if document is None else f"{document.Label} › {target.Label}"


def panel() -> Panel:
    """The panel of the window, created on first use."""
    window = FreeCADGui.getMainWindow()
    found: Panel | None = window.findChild(QtGui.QDockWidget, NAME)
    if found is None:
        found = Panel(window)
        window.addDockWidget(QtCore.Qt.RightDockWidgetArea, found)
        window.resizeDocks([found], [WIDTH], QtCore.Qt.Horizontal)
    found.show()
    return found
