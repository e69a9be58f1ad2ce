"""The page of the sweep: a drive over a range, as an animation, curves, a table and a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide import QtCore, QtGui

import assembly_solver as asm
import assembly_solver_freecad as asf
from assembly_solver.freecad import write_file

from ..kept import keep, kept, key_of
from .desk import Desk
from .drives import Drive
from .fields import RangeFields
from .motion_view import MotionView
from .reach import swept
from .shape_button import ShapeButton

NOT_NOW = "No state that holds can be shown: it is none, or the document has changed since"


class SweepPage(QtGui.QWidget):
    """The drive, its range and steps, and the resulting motion."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.motion: asm.Motion | None = None
        self._live: asf.Live | None = None
        self._showing = False
        self._of: Any = None
        self._column = QtGui.QVBoxLayout(self)
        self._column.setContentsMargins(4, 4, 4, 4)
        self._asked()
        self._transport()
        self.view = MotionView()
        self.view.picked.connect(self._picked)
        self._column.addWidget(self.view, 1)
        desk.changed.connect(self.fill)
        desk.aged.connect(lambda: self._enable(False))
        desk.closed.connect(lambda: self._show(None))
        desk.player.shown.connect(self._shown)
        desk.player.ended.connect(lambda: self.play.take("Play"))
        self.fill()

    def _asked(self) -> None:
        """The fields of the request."""
        self.choice = QtGui.QComboBox()
        self.choice.setObjectName("sweep drive")
        self.choice.setSizeAdjustPolicy(QtGui.QComboBox.AdjustToMinimumContentsLengthWithIcon)
        self.choice.currentIndexChanged.connect(self._chosen)
        self.ends = RangeFields("sweep")
        self.steps = QtGui.QSpinBox()
        self.steps.setObjectName("sweep steps")
        self.steps.setRange(1, 10_000)
        self.steps.setValue(100)
        self.steps.setSuffix(" steps")
        self.go = QtGui.QPushButton("Sweep")
        self.go.setObjectName("sweep")
        self.go.clicked.connect(self.sweep)
        self.keep = QtGui.QPushButton("Keep")
        self.keep.setObjectName("sweep keep")
        self.keep.setToolTip("Save drive, range and curves with the document: one undo step")
        self.keep.clicked.connect(self.store)
        row = QtGui.QHBoxLayout()
        row.addWidget(self.steps)
        row.addWidget(self.go, 1)
        row.addWidget(self.keep)
        self._column.addWidget(self.choice)
        self._column.addWidget(self.ends)
        self._column.addLayout(row)

    def _transport(self) -> None:
        """Play, pause, the shown state, and the file."""
        self.play, self.stop = ShapeButton("Play", "sweep play"), ShapeButton("Stop", "sweep stop")
        self.play.clicked.connect(self._toggle)
        self.stop.clicked.connect(self._desk.player.stop)
        self.state = QtGui.QSlider(QtCore.Qt.Horizontal)
        self.state.setObjectName("sweep state")
        self.state.sliderPressed.connect(self._hold)
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
        """Show the drives of a new result; what was asked stays, or is what the document keeps."""
        live, before = self._desk.live, self.choice.currentText()
        new = bool(self._desk.drives) and self._desk.target is not self._of
        self._of = self._desk.target if new else self._of
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([drive.name for drive in self._desk.drives])
        self.choice.setCurrentIndex(max(self.choice.findText(before), 0))
        self.choice.blockSignals(False)
        if new or self.choice.currentText() != before:
            self._chosen()
        self._enable_asking()
        self._show(None)
        if live is not None and new:
            self._restore(live)

    def _restore(self, live: asf.Live) -> None:
        """Take what the document keeps."""
        found = kept(live, "SweepKept") or {}
        self.view.chosen = found.get("curves")
        names = [self._key(live, drive) for drive in self._desk.drives]
        if found.get("drive") in names:
            self.choice.setCurrentIndex(names.index(found["drive"]))
            for box, end in ((self.ends.low, "from"), (self.ends.high, "to")):
                box.setValue(found[end])
            self.steps.setValue(found["steps"])
            self.view.shown.setCurrentText(found["shown"])

    def store(self) -> None:
        """Keep what is asked and the chosen curves in the document."""
        live, drive = self._desk.read(), self.drive
        if live is None or drive is None:
            return
        begin, end = self.ends.entered()
        found = {
            "drive": self._key(live, drive),
            "from": begin,
            "to": end,
            "steps": self.steps.value(),
            "shown": self.view.shown.currentText(),
            "curves": self.view.chosen or [],
        }
        if self._desk.writes(lambda: keep(live, "SweepKept", found, "Keep sweep")):
            self._desk.said.emit("Kept: it is saved with the document.", "good")

    @staticmethod
    def _key(live: asf.Live, drive: Drive) -> str:
        """A drive as it is kept."""
        return key_of(live, drive.joint or drive.driver, drive.coordinate)

    @property
    def drive(self) -> Drive | None:
        """The chosen drive."""
        k = self.choice.currentIndex()
        return self._desk.drives[k] if 0 <= k < len(self._desk.drives) else None

    def _chosen(self) -> None:
        """Show the range of the chosen drive."""
        drive = self.drive
        if drive is not None:
            self.ends.fit(drive)

    def _enable_asking(self) -> None:
        """Enable what is asked, where there is something to drive."""
        some = bool(self._desk.drives)
        for widget in (self.choice, self.ends, self.steps, self.go, self.keep):
            widget.setEnabled(some)
        self.go.setToolTip("" if some else "Nothing can be driven: press Diagnose")

    # ------------------------------------------------------------------ the sweep
    def sweep(self) -> None:
        """Sweep the drive through its range."""
        live, drive = self._desk.read(), self.drive
        if live is None or drive is None:
            return
        ends = self.ends.entered()
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
        """Show a motion, or none."""
        self.motion = motion
        self.view.show_motion(motion, self._live)
        self.state.blockSignals(True)
        self.state.setRange(0, 0 if motion is None else len(motion.t) - 1)
        self.state.setValue(0)
        self.state.blockSignals(False)
        self.view.show_state(0)
        self.save.setEnabled(motion is not None)
        self._enable(motion is not None and bool(motion.valid.any()))

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
            self.play.take("Play")
        elif self._again():
            self.play.take("Pause")
            player.run(self.state.value())

    def _hold(self) -> None:
        """Stop playing at the state that is shown: the slider was taken hold of."""
        if self._desk.player.running:
            self._desk.player.pause()
            self.play.take("Play")

    def _look(self, number: int) -> None:
        """A state was chosen by the user."""
        self.view.show_state(number)
        if self._again():
            self._hold()
            self._desk.player.show(number)

    def _picked(self, number: int) -> None:
        """A state was chosen in the curves or the table, unless playing shows it there."""
        if self.state.isEnabled() and not self._showing:
            self.state.setValue(number)

    def _shown(self, number: int) -> None:
        if self.motion is None or not self._desk.player.plays(self.motion.frames):
            return
        self.state.blockSignals(True)
        self.state.setValue(number)
        self.state.blockSignals(False)
        self._showing = True
        self.view.show_state(number)
        self._showing = False

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
