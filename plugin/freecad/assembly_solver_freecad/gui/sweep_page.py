"""The page of the sweep: a drive over a range, as an animation, a table and a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide import QtCore, QtGui

import assembly_solver as asm
import assembly_solver_freecad as asf
from assembly_solver.freecad import write_file

from .cards import icon
from .desk import Desk
from .drives import Drive
from .fields import SYMBOLS, entered, fit_end, value_box
from .reach import swept

NOT_NOW = "No state that holds can be shown: it is none, or the document has changed since"


class SweepPage(QtGui.QWidget):
    """The drive, its range and steps, and the resulting motion."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.motion: asm.Motion | None = None
        self._live: asf.Live | None = None
        self._column = QtGui.QVBoxLayout(self)
        self._column.setContentsMargins(4, 4, 4, 4)
        self._asked()
        self._transport()
        self.table = QtGui.QTableView()
        self.table.setObjectName("states")
        self.table.verticalHeader().setDefaultSectionSize(22)
        self.table.setSelectionBehavior(QtGui.QAbstractItemView.SelectRows)
        self._column.addWidget(self.table, 1)
        desk.changed.connect(self.fill)
        desk.aged.connect(lambda: self._enable(False))
        desk.closed.connect(lambda: self._show(None))
        desk.player.shown.connect(self._shown)
        desk.player.ended.connect(lambda: self.play.setIcon(icon("Play", self)))
        self.fill()

    def _asked(self) -> None:
        """The fields of the request."""
        self.choice = QtGui.QComboBox()
        self.choice.setObjectName("sweep drive")
        self.choice.setSizeAdjustPolicy(QtGui.QComboBox.AdjustToMinimumContentsLengthWithIcon)
        self.choice.currentIndexChanged.connect(self._chosen)
        ends = QtGui.QHBoxLayout()
        self.low, self.high = value_box(), value_box()
        for words, name, box in (("from", "low", self.low), ("to", "high", self.high)):
            box.setObjectName(f"sweep {name}")
            ends.addWidget(QtGui.QLabel(words))
            ends.addWidget(box, 1)
        self.steps = QtGui.QSpinBox()
        self.steps.setObjectName("sweep steps")
        self.steps.setRange(1, 10_000)
        self.steps.setValue(100)
        self.steps.setSuffix(" steps")
        self.go = QtGui.QPushButton("Sweep")
        self.go.setObjectName("sweep")
        self.go.clicked.connect(self.sweep)
        row = QtGui.QHBoxLayout()
        row.addWidget(self.steps)
        row.addWidget(self.go, 1)
        self._column.addWidget(self.choice)
        self._column.addLayout(ends)
        self._column.addLayout(row)

    def _transport(self) -> None:
        """Play, pause, the shown state, and the file."""
        self.play = QtGui.QToolButton()
        self.play.setObjectName("sweep play")
        self.play.setIcon(icon("Play", self))
        self.play.clicked.connect(self._toggle)
        self.stop = QtGui.QToolButton()
        self.stop.setObjectName("sweep stop")
        self.stop.setIcon(icon("Stop", self))
        self.stop.clicked.connect(self._desk.player.stop)
        self.state = QtGui.QSlider(QtCore.Qt.Horizontal)
        self.state.setObjectName("sweep state")
        self.state.valueChanged.connect(self._look)
        self._tips = {
            self.play: "Play or pause; the document does not change",
            self.stop: "Draw the parts where they stand in the document",
            self.state: "Look at one state; the document does not change",
        }
        self.save = QtGui.QPushButton("CSV …")
        self.save.setObjectName("sweep csv")
        self.save.clicked.connect(self._ask_file)
        row = QtGui.QHBoxLayout()
        for widget in (self.play, self.stop, self.save):
            row.addWidget(widget)
        row.insertWidget(2, self.state, 1)
        self._column.addLayout(row)

    # ------------------------------------------------------------------ what is asked
    def fill(self) -> None:
        """Show the drives of a new result."""
        kept = self.choice.currentText()
        self.choice.blockSignals(True)
        self.choice.clear()
        for drive in self._desk.drives:
            self.choice.addItem(drive.name, drive)
        self.choice.setCurrentIndex(max(self.choice.findText(kept), 0) if self._desk.drives else -1)
        self.choice.blockSignals(False)
        self._chosen()
        self._show(None)

    @property
    def drive(self) -> Drive | None:
        """The chosen drive."""
        k = self.choice.currentIndex()
        return self._desk.drives[k] if 0 <= k < len(self._desk.drives) else None

    def _chosen(self) -> None:
        """Show the range of the chosen drive."""
        drive = self.drive
        for widget in (self.choice, self.low, self.high, self.steps, self.go):
            widget.setEnabled(drive is not None)
        self.go.setToolTip("" if drive else "Nothing can be driven: press Diagnose")
        if drive is not None:
            fit_end(self.low, drive, drive.low)
            fit_end(self.high, drive, drive.high)

    # ------------------------------------------------------------------ the sweep
    def sweep(self) -> None:
        """Sweep the drive through its range."""
        live, drive = self._desk.read(), self.drive
        if live is None or drive is None:
            return
        ends = (entered(self.low, drive.low), entered(self.high, drive.high))
        steps, given = self.steps.value(), live.assembly

        def work(**watch: Any) -> tuple[asm.Motion, str]:
            return swept(given, drive, ends, steps, **watch)

        def done(answer: tuple[asm.Motion, str]) -> None:
            motion, words = answer
            self._live = live
            self._show(motion)
            as_asked = bool(motion) and words == motion.sentence
            self._desk.said.emit(words, "good" if as_asked else "note")

        self._desk.work(f"Sweeping {drive.name}", work, done)

    def _show(self, motion: asm.Motion | None) -> None:
        """Show the table of a motion, or clear it."""
        self.motion = motion
        self.table.setModel(None if motion is None else StateTable(motion, self))
        self.table.resizeColumnsToContents()
        self.state.blockSignals(True)
        self.state.setRange(0, 0 if motion is None else len(motion.t) - 1)
        self.state.setValue(0)
        self.state.blockSignals(False)
        self.save.setEnabled(motion is not None)
        self._enable(motion is not None and bool(motion.valid.any()))
        if motion is not None:
            self.table.selectionModel().currentRowChanged.connect(
                lambda now, _: self._desk.player.running or self.state.setValue(now.row())
            )

    def _enable(self, playable: bool) -> None:
        """Enable playing if a state is valid and the motion is of the present document."""
        for widget, tip in self._tips.items():
            widget.setEnabled(playable)
            widget.setToolTip(tip if playable or self.motion is None else NOT_NOW)

    def _again(self) -> bool:
        """Load the frames again after they were unloaded."""
        player, motion = self._desk.player, self.motion
        if motion is None or self._live is None:
            return False
        if not player.active or not player.plays(motion.frames):
            player.load(self._live, motion.parts, motion.frames)
        return bool(player.active)

    def _toggle(self) -> None:
        player = self._desk.player
        if player.running and self.motion is not None and player.plays(self.motion.frames):
            player.pause()
            self.play.setIcon(icon("Play", self))
        elif self._again():
            self.play.setIcon(icon("Pause", self))
            player.run(self.state.value())

    def _look(self, number: int) -> None:
        """A state was chosen by the user."""
        if self._again():
            self._desk.player.pause()
            self.play.setIcon(icon("Play", self))
            self._desk.player.show(number)

    def _shown(self, number: int) -> None:
        if self.motion is None or not self._desk.player.plays(self.motion.frames):
            return
        self.state.blockSignals(True)
        self.state.setValue(number)
        self.state.blockSignals(False)
        self.table.selectRow(number)

    # ------------------------------------------------------------------ the file
    def _ask_file(self) -> None:
        path, _ = QtGui.QFileDialog.getSaveFileName(self, "Save the states", "", "CSV (*.csv)")
        if path:
            self.write(Path(path))

    def write(self, path: Path) -> None:
        """Write all states with velocities and accelerations, as the command line does."""
        assert self.motion is not None
        try:
            write_file(path, asm.csv_table(self.motion).encode("utf-8"))
        except OSError as error:
            self._desk.fail(f"{path.name} was not written: {error.strerror}")
            return
        self._desk.said.emit(f"Wrote {path}", "good")


class StateTable(QtCore.QAbstractTableModel):
    """The states of a motion as rows: drivers, then joint coordinates."""

    def __init__(self, motion: asm.Motion, parent: QtCore.QObject) -> None:
        super().__init__(parent)
        driven_ = motion.driven.values()
        own = {t.name for t in driven_}
        joints = [motion.joint(*c) for c in motion.coordinates]
        tracks = [*driven_, *(t for t in joints if t.name not in own)]
        self._motion = motion
        self._heads = [f"{t.name}\n{SYMBOLS[t.unit]}" for t in tracks]
        self._columns = [t.value for t in tracks]

    def rowCount(self, parent: Any = None) -> int:  # noqa: N802
        """The number of states."""
        return len(self._motion.t)

    def columnCount(self, parent: Any = None) -> int:  # noqa: N802
        """The number of drivers and coordinates."""
        return len(self._columns)

    def data(self, index: Any, role: int = QtCore.Qt.DisplayRole) -> Any:
        """A value, or the reason why there is none."""
        k = index.row()
        if role == QtCore.Qt.ToolTipRole:
            return self._motion.reasons[k] or None
        if role == QtCore.Qt.TextAlignmentRole:
            return int(QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter)
        if role != QtCore.Qt.DisplayRole:
            return None
        value = float(self._columns[index.column()][k])
        return f"{value:.4f}" if value == value else "–"

    def headerData(self, section: int, way: Any, role: int = QtCore.Qt.DisplayRole) -> Any:  # noqa: N802
        """Names and units; the number of a state, marked where it is invalid."""
        if role != QtCore.Qt.DisplayRole:
            return None
        if way == QtCore.Qt.Horizontal:
            return self._heads[section]
        return f"{section}" if self._motion.valid[section] else f"{section} ✗"
