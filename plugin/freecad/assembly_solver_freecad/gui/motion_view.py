"""What a motion looks like: chosen curves and, behind a button, the table of its states."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide import QtCore, QtGui

import assembly_solver as asm
import assembly_solver_freecad as asf
from assembly_solver.freecad import CONFUSION

from ..kept import key_of
from .curve_plot import Curve, CurvePlot, swatch
from .labels import low_list
from .state_table import StateTable

SHOWN = {"Values": ("value", ""), "Velocities": ("rate", "/s"), "Accelerations": ("acc", "/s²")}
"""What can be shown of a coordinate: its name in a track, and what that adds to the unit."""

FIRST = 3
"""Curves that are shown where none were chosen."""

KEY = QtCore.Qt.UserRole


class MotionView(QtGui.QWidget):
    """Curves of a motion that are ticked in a list, or the table of all.

    Signals:
        picked: number of a state that was chosen in the curves or the table.
    """

    picked = QtCore.Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._motion: asm.Motion | None = None
        self._tracks: dict[str, Any] = {}
        self._names: list[str] = []
        self._state = 0
        self.chosen: list[str] | None = None
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.plot = CurvePlot()
        self.plot.picked.connect(self.picked)
        self.list = low_list("curve list")
        self.list.itemChanged.connect(self._ticked)
        self.table = QtGui.QTableView()
        self.table.setObjectName("states")
        self.table.verticalHeader().setDefaultSectionSize(22)
        self.table.setSelectionBehavior(QtGui.QAbstractItemView.SelectRows)
        both = QtGui.QSplitter(QtCore.Qt.Vertical)
        both.setChildrenCollapsible(False)
        both.addWidget(self.plot)
        both.addWidget(self.list)
        both.setStretchFactor(0, 2)
        both.setStretchFactor(1, 1)
        self._pages = QtGui.QStackedWidget()
        for page in (both, self.table):
            self._pages.addWidget(page)
        column.addLayout(self._head())
        column.addWidget(self._pages, 1)

    def _head(self) -> QtGui.QHBoxLayout:
        """The choice of what is shown, and the button of the table."""
        self.shown = QtGui.QComboBox()
        self.shown.setObjectName("curves shown")
        self.shown.addItems([*SHOWN])
        self.shown.currentIndexChanged.connect(self._draw)
        self.as_table = QtGui.QPushButton("Table")
        self.as_table.setObjectName("sweep table")
        self.as_table.setCheckable(True)
        self.as_table.setToolTip("All states in numbers, instead of curves")
        self.as_table.toggled.connect(lambda on: self._pages.setCurrentIndex(int(on)))
        row = QtGui.QHBoxLayout()
        row.addWidget(self.shown, 1)
        row.addWidget(self.as_table)
        return row

    # ------------------------------------------------------------------ what is shown
    def show_motion(self, motion: asm.Motion | None, live: asf.Live | None) -> None:
        """Show another motion, or none; the curves that are ticked stay."""
        self._motion = motion
        self._tracks = {} if motion is None or live is None else tracks(motion, live)
        self._names = [] if live is None else live.names
        if self.chosen is None and self._tracks:
            moves = [k for k, t in self._tracks.items() if np.ptp(_known(t.value)) > CONFUSION]
            self.chosen = moves[1 : FIRST + 1] or moves
        self.list.blockSignals(True)
        self.list.clear()
        for look, (key, track) in enumerate(self._tracks.items()):
            item = QtGui.QListWidgetItem(swatch(look, self.list), track.name)
            item.setData(KEY, key)
            ticked = key in (self.chosen or ())
            item.setCheckState(QtCore.Qt.Checked if ticked else QtCore.Qt.Unchecked)
            self.list.addItem(item)
        self.list.blockSignals(False)
        self._draw()

    def retell(self) -> None:
        """Show the numbers in the present units; the state that is marked stays."""
        self._draw()
        self.show_state(self._state)

    def show_state(self, number: int) -> None:
        """Mark a state in the curves and in the table."""
        self._state = number
        self.plot.mark(number)
        if self.as_table.isChecked():
            self.table.selectRow(number)

    def _ticked(self, item: Any) -> None:
        """Remember the ticks; those of curves that this motion does not have stay."""
        key, on = item.data(KEY), item.checkState() == QtCore.Qt.Checked
        self.chosen = [k for k in self.chosen or () if k != key] + [key] * on
        self._draw()

    def _draw(self, *_: Any) -> None:
        """Draw what is ticked, and fill the table."""
        motion = self._motion
        if motion is None:
            self.plot.show_curves(None, ())
            self.table.setModel(None)
            return
        field, per = SHOWN[self.shown.currentText()]
        every = [
            Curve(t.name, t.unit, per, getattr(t, field), look)
            for look, t in enumerate(self._tracks.values())
        ]
        chosen = self.chosen or ()
        ticked = [c for key, c in zip(self._tracks, every, strict=True) if key in chosen]
        over = motion.over
        self.plot.show_curves(Curve(over.name, over.unit, "", over.values), ticked)
        self.table.setModel(StateTable(motion, every, self._names, self))
        self.table.resizeColumnsToContents()
        rows = self.table.selectionModel()
        rows.currentRowChanged.connect(lambda now, _: self.picked.emit(now.row()))


def tracks(motion: asm.Motion, live: asf.Live) -> dict[str, Any]:
    """What changes in a motion: what is driven, then the other joint coordinates, as it is kept."""
    joints = {key_of(live, *c): motion.joint(*c) for c in motion.coordinates}
    found = {}
    for track in motion.driven.values():
        key = next((k for k, t in joints.items() if t.name == track.name), f"driver {track.name}")
        found[key] = track
    return {**found, **joints, **found}


def _known(values: Any) -> Any:
    """The finite values, and one if there is none."""
    known = values[np.isfinite(values)]
    return known if known.size else np.zeros(1)
