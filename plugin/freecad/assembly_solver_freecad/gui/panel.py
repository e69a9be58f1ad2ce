"""The panel beside the 3D view: what came of it on top, then a page for each question."""

from __future__ import annotations

from html import escape

import FreeCAD
import FreeCADGui
from PySide import QtCore, QtGui

from .cards import wrapped
from .check_page import CheckPage
from .colours import colour
from .desk import Desk
from .diagnosis_page import DiagnosisPage
from .drive_page import DrivePage
from .mate_page import MatePage
from .sweep_page import SweepPage
from .watcher import Watcher

NAME = "AssemblySolverPanel"
WIDTH = 400

PATIENCE = 6000
"""Time after which it is said why the first run of anything takes long, ms."""


class Panel(QtGui.QDockWidget):
    """The dock of the workbench.  There is one in a window: `panel()` gives it."""

    def __init__(self, window: QtGui.QMainWindow) -> None:
        super().__init__("Assembly Solver", window)
        self.setObjectName(NAME)
        self.desk = Desk(self)
        self._drives = DrivePage(self.desk)
        self.pages = {
            "Diagnosis": DiagnosisPage(self.desk),
            "Mate": MatePage(self.desk),
            "Drive": self._drives,
            "Sweep": SweepPage(self.desk),
            "Check": CheckPage(self.desk),
        }
        inner = QtGui.QWidget()
        column = QtGui.QVBoxLayout(inner)
        column.setContentsMargins(6, 6, 6, 6)
        self._top(column)
        self._told(column)
        self.tabs = QtGui.QTabWidget()
        self.tabs.setObjectName("pages")
        for title, page in self.pages.items():
            self.tabs.addTab(page, title)
        self.tabs.currentChanged.connect(lambda _: self.desk.player.stop())
        column.addWidget(self.tabs, 1)
        self.setWidget(inner)
        inner.setMinimumWidth(300)
        self._words, self._last = "", ("", "plain")
        self.desk.said.connect(self.say)
        self.desk.jobs.busy.connect(self._busy)
        self.desk.jobs.progress.connect(self._progress)
        self._watcher = Watcher(self)
        FreeCAD.addDocumentObserver(self._watcher)
        self.look()

    def _top(self, column: QtGui.QVBoxLayout) -> None:
        """Which assembly, and the two commands that are used most."""
        self.choice = QtGui.QComboBox()
        self.choice.setObjectName("assembly")
        self.choice.currentIndexChanged.connect(self._chosen)
        row = QtGui.QHBoxLayout()
        self.buttons = {}
        for text, act, tip in (
            ("Solve", self.desk.solve, "Move the parts so that every joint holds: one undo step"),
            ("Diagnose", self.desk.diagnose, "Say what moves, repeats, contradicts; move nothing"),
        ):
            button = QtGui.QPushButton(text)
            button.setObjectName(text.lower())
            button.setToolTip(tip)
            button.clicked.connect(act)
            row.addWidget(button)
            self.buttons[text] = button
        column.addWidget(self.choice)
        column.addLayout(row)

    def _told(self, column: QtGui.QVBoxLayout) -> None:
        """The sentence, and how far the work has come."""
        row = QtGui.QHBoxLayout()
        row.setSpacing(8)
        self._bar = QtGui.QFrame()
        self._bar.setFixedWidth(4)
        self.sentence = wrapped()
        self.sentence.setObjectName("sentence")
        self.sentence.setTextInteractionFlags(QtCore.Qt.TextSelectableByMouse)
        row.addWidget(self._bar)
        row.addWidget(self.sentence, 1)
        column.addLayout(row)
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
        """A sentence on top, with its colour beside it."""
        if meaning != "busy":
            self._last = words, meaning
        self.sentence.setText(escape(words))
        self.sentence.setProperty("words", words)
        self.sentence.setProperty("meaning", meaning)
        shade = colour(self.sentence, meaning)
        self._bar.setStyleSheet(f"background-color: {shade}; border: none;")

    @property
    def driving(self) -> bool:
        """Whether a drive is under the hand."""
        return self._drives.driving.held is not None

    def _busy(self, words: str) -> None:
        self._work.setVisible(bool(words))
        for button in self.buttons.values():
            button.setEnabled(not words)
        self._words = words
        if not words:
            self.say(*self._last)  # until the work that is done says something else
        else:
            self._progress_bar.setRange(0, 0)
            self.say(f"{words} …", "busy")
            QtCore.QTimer.singleShot(PATIENCE, lambda: self._long(words))

    def _long(self, words: str) -> None:
        """Why something may take long that usually does not."""
        if self._words == words:
            once = "the first time on this machine it is compiled, which is done once"
            self.say(f"{words} … ({once})", "busy")

    def _progress(self, done: int, total: int, words: str) -> None:
        self._progress_bar.setRange(0, total)
        self._progress_bar.setValue(done)
        self._progress_bar.setToolTip(words)

    # ------------------------------------------------------------------ which assembly
    def look(self) -> None:
        """Look which assemblies the document in front has."""
        targets = self.desk.targets
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([t.Label for t in targets])
        if self.desk.target is not None:
            self.choice.setCurrentIndex(targets.index(self.desk.target))
        self.choice.blockSignals(False)
        self.choice.setVisible(len(targets) > 1)
        for button in self.buttons.values():
            button.setEnabled(bool(targets) and not self.desk.jobs.running)
        if self.desk.jobs.running:
            return
        self.desk.choose(self.desk.target)
        if not targets:
            self.say("Open a document with an assembly, or join parts by Mate.", "plain")
        elif self.desk.solution is None:
            self.say(f"{self.desk.target.Label}: not looked at yet.", "plain")

    def _chosen(self, number: int) -> None:
        targets = self.desk.targets
        if 0 <= number < len(targets):
            self.desk.choose(targets[number])
            self.say(f"{targets[number].Label}: not looked at yet.", "plain")

    def show_page(self, title: str) -> None:
        """Bring the panel and one of its pages to the front."""
        self.show()
        self.raise_()
        self.tabs.setCurrentWidget(self.pages[title])


def panel() -> Panel:
    """The panel of the window, made when it is first asked for."""
    window = FreeCADGui.getMainWindow()
    found: Panel | None = window.findChild(QtGui.QDockWidget, NAME)
    if found is None:
        found = Panel(window)
        window.addDockWidget(QtCore.Qt.RightDockWidgetArea, found)
        window.resizeDocks([found], [WIDTH], QtCore.Qt.Horizontal)
    found.show()
    return found
