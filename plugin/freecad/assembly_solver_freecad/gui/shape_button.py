"""Buttons with the shapes of a player, in the colour of the text around them."""

from __future__ import annotations

from PySide import QtCore, QtGui

SHAPES = {
    "Play": [[(3, 2), (14, 8), (3, 14)]],
    "Pause": [[(3, 2), (7, 2), (7, 14), (3, 14)], [(9, 2), (13, 2), (13, 14), (9, 14)]],
    "Stop": [[(3, 3), (13, 3), (13, 13), (3, 13)]],
}
"""Polygons on a square of 16 pixels."""

RESTYLED = (QtCore.QEvent.PaletteChange, QtCore.QEvent.StyleChange)


class ShapeButton(QtGui.QToolButton):
    """A button with one of the `SHAPES`, drawn again where the style sheet changes.

    Args:
        shape: at first; name: of the object.
    """

    def __init__(self, shape: str, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.take(shape)

    def take(self, shape: str) -> None:
        """Show another shape."""
        self._shape = shape
        self.ensurePolished()
        picture = QtGui.QPixmap(16, 16)
        picture.fill(QtCore.Qt.transparent)
        painter = QtGui.QPainter(picture)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(self.palette().color(QtGui.QPalette.ButtonText))
        for corners in SHAPES[shape]:
            painter.drawPolygon(QtGui.QPolygon([QtCore.QPoint(x, y) for x, y in corners]))
        painter.end()
        self.setIcon(QtGui.QIcon(picture))

    def changeEvent(self, event: QtCore.QEvent) -> None:  # noqa: N802
        """Follow the style sheet."""
        super().changeEvent(event)
        if event.type() in RESTYLED:
            self.take(self._shape)
