"""The mark beside a text: a bar in the colour of its meaning, and a sign of its own."""

from __future__ import annotations

from PySide import QtCore, QtGui

from .colours import colour

Line = list[tuple[float, float]]

SIGNS: dict[str, tuple[str, list[Line]]] = {
    "good": ("as it should be", [[(2, 7), (6, 11), (12, 3)]]),
    "bad": ("error", [[(3, 3), (11, 11)], [(11, 3), (3, 11)]]),
    "note": ("note", [[(7, 1), (13, 12), (1, 12), (7, 1)], [(7, 5), (7, 8)], [(7, 10), (7, 10.4)]]),
    "busy": ("under way", [[(2, 7), (2.4, 7)], [(7, 7), (7.4, 7)], [(12, 7), (12.4, 7)]]),
    "moves": ("moves", [[(4, 4), (1, 7), (4, 10)], [(1, 7), (13, 7)], [(10, 4), (13, 7), (10, 9)]]),
    "plain": ("", []),
}
"""Meanings in a word, and as lines on a square of 14 pixels."""

BAR, GAP, SIGN = 4, 5, 14
"""Widths, pixels."""


class Mark(QtGui.QWidget):
    """A bar and a sign, so that nothing is told by its colour alone."""

    def __init__(self, meaning: str = "plain") -> None:
        super().__init__()
        self.setObjectName("mark")
        self.setFixedWidth(BAR + GAP + SIGN)
        self.mean(meaning)

    def mean(self, meaning: str) -> None:
        """Take one of the meanings of `SIGNS`."""
        self.meaning = meaning
        self.setToolTip(SIGNS[meaning][0])
        self.setAccessibleName(SIGNS[meaning][0])
        self.update()

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:  # noqa: N802
        """Draw it in the colour for the present background."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        shade = QtGui.QColor(colour(self, self.meaning))
        painter.fillRect(QtCore.QRectF(0, 0, BAR, self.height()), shade)
        pen = QtGui.QPen(shade, 2.0, QtCore.Qt.SolidLine, QtCore.Qt.RoundCap, QtCore.Qt.RoundJoin)
        painter.setPen(pen)
        painter.translate(BAR + GAP, (min(self.height(), self.fontMetrics().height()) - SIGN) / 2)
        for line in SIGNS[self.meaning][1]:
            painter.drawPolyline(QtGui.QPolygonF([QtCore.QPointF(x, y) for x, y in line]))
        painter.end()
