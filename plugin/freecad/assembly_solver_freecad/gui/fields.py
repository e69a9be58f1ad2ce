"""Number fields in the units of drives."""

from __future__ import annotations

from typing import Any

from PySide import QtCore, QtGui

from ..units import KINDS, digits, shown, typed
from .drives import Drive

WIDEST = 1e6
"""Bounds of input without limits, mm or degrees."""

DIGITS = 12
"""Decimals that a field keeps of its value, whatever it shows."""

USUAL = 1000.0
"""A value, mm or degrees, that has room in a field."""


class DriveSlider(QtGui.QSlider):
    """A slider that ignores the wheel until it was clicked, so that the page scrolls."""

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:  # noqa: N802
        """Leave it to the page."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Box(QtGui.QDoubleSpinBox):
    """A number in mm or degrees, shown and typed in the units of FreeCAD's preferences.

    It ignores the wheel until it was clicked.

    Args:
        kind: "mm", "deg", or another unit, which is shown as it is.
    """

    def __init__(self, kind: str = "mm") -> None:
        super().__init__()
        self.kind = kind
        self.setRange(-WIDEST, WIDEST)
        self.setDecimals(DIGITS)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(QtCore.Qt.StrongFocus)

    def fit(self, kind: str, value: float) -> None:
        """Show a value in mm or degrees without a request to a drive."""
        self.kind = kind
        quietly(self, value)
        self.retell()

    def retell(self) -> None:
        """Show the value in the present units, unless one is being typed."""
        if not self.lineEdit().isModified() or not self.hasFocus():
            self.lineEdit().setText(self.text_of(self.value()))

    def entered(self) -> float:
        """The value, also of a text that was not left yet."""
        self.interpretText()
        return float(self.value())

    def text_of(self, value: float) -> str:
        """What is shown for a value."""
        special = self.specialValueText()
        return special if special and value == self.minimum() else self.textFromValue(value)

    def textFromValue(self, value: float) -> str:  # noqa: N802
        """A value with the unit of the preferences."""
        return shown(value, self.kind) if self.kind in KINDS else f"{digits(value)} {self.kind}"

    def valueFromText(self, text: str) -> float:  # noqa: N802
        """What was typed; the value with all its digits where its text is unchanged."""
        if text == self.text_of(self.value()):
            return float(self.value())
        found = self._typed(text)
        return float(self.value()) if found is None else found

    def validate(self, text: str, at: int) -> Any:
        """Whether a text is a value; one beyond the range becomes the end of that."""
        good = text == self.text_of(self.value()) or self._typed(text) is not None
        state = QtGui.QValidator.Acceptable if good else QtGui.QValidator.Intermediate
        return state, text, at

    def _typed(self, text: str) -> float | None:
        own = self.kind not in KINDS  # of this field only: FreeCAD does not know it
        return typed(text.removesuffix(f" {self.kind}") if own else text, self.kind)

    def sizeHint(self) -> Any:  # noqa: N802
        """Room for the usual values, whatever the range is."""
        hint, metrics = super().sizeHint(), self.fontMetrics()
        ends = map(self.text_of, (self.minimum(), self.maximum()))
        widest = max(map(metrics.horizontalAdvance, ends))
        usual = metrics.horizontalAdvance(self.textFromValue(-USUAL))
        less = max(widest - usual - metrics.averageCharWidth(), 0)
        return QtCore.QSize(hint.width() - less, hint.height())

    minimumSizeHint = sizeHint  # noqa: N815

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


class RangeFields(QtGui.QWidget):
    """Where a drive is led from and to: two numbers in its unit.

    Args:
        name: of the fields, which are "NAME low" and "NAME high".
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.low, self.high = Box(), Box()
        row = QtGui.QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for words, end, box in (("from", "low", self.low), ("to", "high", self.high)):
            box.setObjectName(f"{name} {end}")
            row.addWidget(QtGui.QLabel(words))
            row.addWidget(box, 1)

    def fit(self, drive: Drive) -> None:
        """Show the range of a drive."""
        self.low.fit(drive.unit, drive.low)
        self.high.fit(drive.unit, drive.high)

    def entered(self) -> tuple[float, float]:
        """First and last value, mm or degrees."""
        return self.low.entered(), self.high.entered()
