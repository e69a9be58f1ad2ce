"""The page of the drives: a slider and a number for each, and the model follows."""

from __future__ import annotations

from PySide import QtCore, QtGui

from .cards import Cards
from .desk import Desk
from .drives import Drive
from .driving import Driving

TICKS = 2000
"""Places of a slider."""

SYMBOLS = {"deg": "°", "mm": "mm"}


class DrivePage(QtGui.QWidget):
    """A row for each driver and joint coordinate of the solved assembly."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.driving = Driving(desk)
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.cards = Cards("drives")
        column.addWidget(self.cards)
        desk.changed.connect(self.fill)
        self.fill()

    def fill(self) -> None:
        """A row for each drive that there is."""
        self.cards.clear()
        if not self._desk.drives:
            self.cards.say("What can be driven is told of a solved assembly: press Diagnose.")
            return
        for title, proposed in (("What moves the assembly", True), ("Other joints", False)):
            rows = [d for d in self._desk.drives if d.proposed is proposed]
            if rows:
                self.cards.head(title)
            for drive in rows:
                self.cards.add(DriveRow(drive, self.driving, self._desk))


class DriveRow(QtGui.QWidget):
    """One drive: its name, its slider between the ends of its range, and its value."""

    def __init__(self, drive: Drive, driving: Driving, desk: Desk) -> None:
        super().__init__()
        self.setObjectName(f"drive {drive.name}")
        self._drive, self._driving = drive, driving
        grid = QtGui.QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 6)
        grid.setVerticalSpacing(0)
        name = QtGui.QToolButton()
        name.setText(drive.name)
        name.setAutoRaise(True)
        name.setToolTip("Select in the tree and in the view")
        name.clicked.connect(lambda: desk.pick([drive.joint or drive.driver]))
        self.slider = QtGui.QSlider(QtCore.Qt.Horizontal)
        self.slider.setObjectName(f"slider {drive.name}")
        self.slider.setRange(0, TICKS)
        self.box = value_box(drive)
        self.box.setObjectName(f"value {drive.name}")
        self._show(drive.value)
        low, high = (QtGui.QLabel(f"{v:.4g}") for v in (drive.low, drive.high))
        grid.addWidget(name, 0, 0, 1, 2, QtCore.Qt.AlignLeft)
        grid.addWidget(self.box, 0, 2, QtCore.Qt.AlignRight)
        grid.addWidget(self.slider, 1, 0, 1, 3)
        grid.addWidget(low, 2, 0, QtCore.Qt.AlignLeft)
        grid.addWidget(high, 2, 2, QtCore.Qt.AlignRight)
        grid.setColumnStretch(1, 1)
        self.slider.sliderPressed.connect(self._grab)
        self.slider.valueChanged.connect(self._ask)
        self.slider.sliderReleased.connect(driving.release)
        self.box.editingFinished.connect(self._typed)
        driving.came.connect(self._came)
        driving.let_go.connect(self._stand)

    @property
    def _mine(self) -> bool:
        return self._driving.held is self._drive

    def _grab(self) -> None:
        self._driving.grab(self._drive)

    def _ask(self, tick: int) -> None:
        """The slider was moved by the hand, by the wheel or by keys."""
        by_hand = self.slider.isSliderDown()
        if not self._mine:
            if by_hand:
                return
            self._driving.grab(self._drive)
        low, high = self._drive.low, self._drive.high
        self._driving.ask(low + (high - low) * tick / TICKS)
        if not by_hand:
            self._driving.release()

    def _typed(self) -> None:
        """A number was typed."""
        if self._mine or abs(self.box.value() - self._drive.value) < 10.0**-self.box.decimals():
            return
        self._driving.grab(self._drive)
        self._driving.ask(self.box.value())
        self._driving.release()

    def _came(self, value: float) -> None:
        if self._mine:
            self._show(value, slider=not self.slider.isSliderDown())

    def _stand(self) -> None:
        if self._mine:
            self._show(self._drive.value)

    def _show(self, value: float, slider: bool = True) -> None:
        low, high = self._drive.low, self._drive.high
        span = high - low or 1.0
        if slider:
            _quietly(self.slider, round(TICKS * (value - low) / span))
        _quietly(self.box, value)


def _quietly(widget: QtGui.QWidget, value: float) -> None:
    """Show a value without asking the drive to go there."""
    widget.blockSignals(True)
    widget.setValue(value)
    widget.blockSignals(False)


def value_box(drive: Drive) -> QtGui.QDoubleSpinBox:
    """A number between the ends of a drive's range, in its unit."""
    box = QtGui.QDoubleSpinBox()
    box.setRange(min(drive.low, drive.value), max(drive.high, drive.value))
    box.setDecimals(3)
    box.setSuffix(f" {SYMBOLS[drive.unit]}")
    box.setKeyboardTracking(False)
    box.setValue(drive.value)
    return box
