"""Number fields in the units of drives."""

from __future__ import annotations

from PySide import QtCore, QtGui

from .drives import Drive

SYMBOLS = {"deg": "°", "mm": "mm"}

WIDEST = 1e6
"""Bounds of input without limits, mm or degrees."""


class DriveSlider(QtGui.QSlider):
    """A slider that ignores the wheel until it was clicked, so that the page scrolls."""

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:  # noqa: N802
        """Leave it to the page."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Box(QtGui.QDoubleSpinBox):
    """A number that ignores the wheel until it was clicked."""

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:  # noqa: N802
        """Leave it to the page."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def quietly(widget: QtGui.QWidget, value: float) -> None:
    """Show a value without a request to the drive."""
    widget.blockSignals(True)
    widget.setValue(value)
    widget.blockSignals(False)


def value_box() -> Box:
    """A number field, to be fitted to a drive."""
    box = Box()
    box.setDecimals(3)
    box.setKeyboardTracking(False)
    box.setFocusPolicy(QtCore.Qt.StrongFocus)
    box.setMinimumWidth(70)
    return box


def fit_value(box: Box, drive: Drive) -> None:
    """Fit a number field to the range, unit and value of a drive."""
    box.setRange(min(drive.low, drive.value), max(drive.high, drive.value))
    box.setSuffix(f" {SYMBOLS[drive.unit]}")
    box.setValue(drive.value)


def fit_end(box: Box, drive: Drive, value: float) -> None:
    """Fit a number field to an end of a range, which may exceed the proposed one."""
    box.setRange(-WIDEST, WIDEST)
    box.setSuffix(f" {SYMBOLS[drive.unit]}")
    box.setValue(value)


def entered(box: Box, proposed: float) -> float:
    """The value of a number field; the proposed value with all digits if it was not changed."""
    value = float(box.value())
    return proposed if abs(value - proposed) < 10.0 ** -box.decimals() else value
