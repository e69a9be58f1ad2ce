"""The page of the drives: a slider and a number for each, which the model follows."""

from __future__ import annotations

from collections.abc import Mapping

from PySide import QtCore, QtGui

from ..units import shown
from .cards import Cards
from .desk import Desk
from .drives import Drive
from .driving import InteractiveDrive
from .fields import Box, DriveSlider, quietly
from .labels import Name
from .names import in_user_units
from .position_bar import PositionBar
from .reach import DriveReach, TravelEnd

TICKS = 2000
"""Positions of a slider."""


class DrivePage(QtGui.QWidget):
    """A row for each driver and joint coordinate of the solved assembly."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.driving = InteractiveDrive(desk)
        self.rows: dict[str, DriveRow] = {}
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.cards = Cards("drives")
        column.addWidget(self.cards, 1)
        self.bar = PositionBar(desk)
        column.addWidget(self.bar)
        desk.changed.connect(self.fill)
        self.fill()

    def fill(self) -> None:
        """Show a row for each drive; existing rows stay."""
        found = {d.name: d for d in self._desk.drives}
        shown = {name: row.drive.proposed for name, row in self.rows.items()}
        if found and shown == {name: d.proposed for name, d in found.items()}:
            for name, drive in found.items():
                self.rows[name].renew(drive)
            return
        self.cards.clear()
        self.rows = {}
        if not found:
            self.cards.say(_nothing(self._desk))
        for title, proposed in (("What moves the assembly", True), ("Other joints", False)):
            drives = [d for d in found.values() if d.proposed is proposed]
            if drives:
                self.cards.head(title)
            for drive in drives:
                self.rows[drive.name] = DriveRow(drive, self.driving, self._desk)
                self.cards.add(self.rows[drive.name])

    def come(self, values: Mapping[str, float]) -> None:
        """Show the values that drives have while a part is dragged, by name."""
        for name, value in values.items():
            if name in self.rows:
                self.rows[name].show_value(value)

    def stand(self) -> None:
        """Show the values that the document has."""
        self.come({name: row.drive.value for name, row in self.rows.items()})


def _nothing(desk: Desk) -> str:
    """Why there are no drives."""
    if desk.solution is None:
        return "What can be driven is told of a solved assembly: press Diagnose."
    if not desk.solution:
        return "Its joints do not hold, so nothing can be driven; see the page Diagnosis."
    return "No joint of this assembly turns or slides."


class DriveRow(QtGui.QWidget):
    """One drive: its name, its slider between the ends of its range, and its value."""

    def __init__(self, drive: Drive, driving: InteractiveDrive, desk: Desk) -> None:
        super().__init__()
        self.setObjectName(f"drive {drive.name}")
        self.drive, self._driving, self._desk = drive, driving, desk
        grid = QtGui.QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 8)
        grid.setVerticalSpacing(2)
        name = Name(drive.name, lambda: desk.pick([drive.joint or drive.driver]))
        self.slider = DriveSlider(QtCore.Qt.Horizontal)
        self.slider.setObjectName(f"slider {drive.name}")
        self.slider.setRange(0, TICKS)
        self.slider.setFocusPolicy(QtCore.Qt.StrongFocus)
        self.box = Box()
        self.box.setObjectName(f"value {drive.name}")
        self.low, self.high = QtGui.QLabel(), QtGui.QLabel()
        self._ends: dict[QtGui.QLabel, tuple[float, TravelEnd]] = {}
        self.low.setObjectName(f"low {drive.name}")
        self.high.setObjectName(f"high {drive.name}")
        grid.addWidget(name, 0, 0)
        grid.addWidget(self.box, 0, 1, QtCore.Qt.AlignRight)
        grid.addWidget(self.slider, 1, 0, 1, 2)
        ends = QtGui.QHBoxLayout()
        ends.addWidget(self.low)
        ends.addStretch(1)
        ends.addWidget(self.high)
        grid.addLayout(ends, 2, 0, 1, 2)
        grid.setColumnStretch(0, 1)
        self.renew(drive)
        self.slider.sliderPressed.connect(self._grab)
        self.slider.valueChanged.connect(self._ask)
        self.slider.sliderReleased.connect(driving.release)
        self.box.valueChanged.connect(self._typed)
        driving.ready.connect(self._reached)
        driving.came.connect(self._came)
        driving.let_go.connect(self._stand)

    def renew(self, drive: Drive) -> None:
        """Show the value of another result."""
        self.drive = drive
        self.box.blockSignals(True)
        self.box.setRange(min(drive.low, drive.value), max(drive.high, drive.value))
        self.box.blockSignals(False)
        self.box.fit(drive.unit, drive.value)
        self._end(self.low, drive.low, TravelEnd(drive.low, ""))
        self._end(self.high, drive.high, TravelEnd(drive.high, ""))
        self.show_value(drive.value)

    @property
    def _mine(self) -> bool:
        return self._driving.held is self.drive

    def _grab(self) -> None:
        self._driving.grab(self.drive)

    def _ask(self, tick: int) -> None:
        """The slider was moved by mouse, wheel or keys."""
        by_hand = self.slider.isSliderDown()
        if not self._mine and (by_hand or not self._driving.grab(self.drive)):
            self._stand()
            return
        low, high = self.drive.low, self.drive.high
        self._driving.ask(low + (high - low) * tick / TICKS)
        if not by_hand:
            self._driving.linger()

    def _typed(self, value: float) -> None:
        """A number was typed or changed by its arrows."""
        if not self._mine and not self._driving.grab(self.drive):
            self._stand()
            return
        self._driving.ask(value)
        self._driving.linger()

    def _reached(self, reach: DriveReach) -> None:
        """The reach was computed."""
        if self._mine:
            self._end(self.low, self.drive.low, reach.low)
            self._end(self.high, self.drive.high, reach.high)

    def _end(self, label: QtGui.QLabel, value: float, reached: TravelEnd) -> None:
        """The end of its range or reach."""
        self._ends[label] = value, reached
        stops = reached.value != value
        words = shown(reached.value, self.drive.unit)
        label.setText(f"stops at {words}" if stops else words)
        label.setToolTip(in_user_units(reached.words, self._desk.names))

    def retell(self) -> None:
        """Show the ends in the present units."""
        for label, (value, reached) in list(self._ends.items()):
            self._end(label, value, reached)

    def _came(self, value: float) -> None:
        if self._mine:
            self.show_value(value, slider=not self.slider.isSliderDown())

    def _stand(self) -> None:
        self.show_value(self.drive.value, slider=not self.slider.isSliderDown())

    def show_value(self, value: float, slider: bool = True) -> None:
        """Show a value, mm or degrees, without driving there."""
        low, high = self.drive.low, self.drive.high
        span = high - low or 1.0
        if slider:
            quietly(self.slider, round(TICKS * (value - low) / span))
        quietly(self.box, value)
