"""Fields for numbers, in the units of drives."""

from __future__ import annotations

from PySide import QtCore, QtGui

from .drives import Drive

SYMBOLS = {"deg": "°", "mm": "mm"}

WIDEST = 1e6
"""Ends of what can be asked where nothing limits it, mm or degrees."""


class Slider(QtGui.QSlider):
    """A slider that a wheel only turns after it was clicked: a page is scrolled over it."""

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:  # noqa: N802
        """Leave it to the page."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Box(QtGui.QDoubleSpinBox):
    """A number that a wheel only turns after it was clicked."""

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:  # noqa: N802
        """Leave it to the page."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def quietly(widget: QtGui.QWidget, value: float) -> None:
    """Show a value without asking the drive to go there."""
    widget.blockSignals(True)
    widget.setValue(value)
    widget.blockSignals(False)


def value_box() -> Box:
    """A number in the unit of a drive, once it is fitted to one."""
    box = Box()
    box.setDecimals(3)
    box.setKeyboardTracking(False)
    box.setFocusPolicy(QtCore.Qt.StrongFocus)
    box.setMinimumWidth(70)
    return box


def fit_value(box: Box, drive: Drive) -> None:
    """Give a number the range, the unit and the value of a drive."""
    box.setRange(min(drive.low, drive.value), max(drive.high, drive.value))
    box.setSuffix(f" {SYMBOLS[drive.unit]}")
    box.setValue(drive.value)


def fit_end(box: Box, drive: Drive, value: float) -> None:
    """Give a number an end of a range, which may be beyond what is proposed."""
    box.setRange(-WIDEST, WIDEST)
    box.setSuffix(f" {SYMBOLS[drive.unit]}")
    box.setValue(value)


def entered(box: Box, proposed: float) -> float:
    """What a number says; what was proposed, with all its digits, where it was not changed."""
    value = float(box.value())
    return proposed if abs(value - proposed) < 10.0 ** -box.decimals() else value
