"""Cards: one finding each, with its names as links, remedies, and buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape

from PySide import QtCore, QtGui

from .colours import colour
from .labels import wrapped
from .names import linked, named

Pick = Callable[[Iterable[str]], None]

SHAPES = {
    "Play": [[(3, 2), (14, 8), (3, 14)]],
    "Pause": [[(3, 2), (7, 2), (7, 14), (3, 14)], [(9, 2), (13, 2), (13, 14), (9, 14)]],
    "Stop": [[(3, 3), (13, 3), (13, 13), (3, 13)]],
}
"""Polygons on a square of 16 pixels."""


class Card(QtGui.QFrame):
    """One finding.  A click on a name selects it, elsewhere all that the finding is about.

    Args:
        words: the finding; meaning: one of `colours.COLOURS`, for the bar at its side.
        names: all names in the assembly; about: those that the finding is about.
        pick: called with names to select.
        ways: remedies, in words.
    """

    def __init__(
        self,
        words: str,
        meaning: str,
        *,
        names: Iterable[str],
        about: Iterable[str],
        pick: Pick,
        ways: Iterable[str] = (),
    ) -> None:
        super().__init__()
        self._about, self._pick = tuple(about), pick
        self.setObjectName("card")
        self.setCursor(QtCore.Qt.PointingHandCursor if self._about else QtCore.Qt.ArrowCursor)
        self.row = QtGui.QHBoxLayout(self)
        self.row.setContentsMargins(0, 2, 0, 2)
        self.row.setSpacing(8)
        self.row.addWidget(bar(self, meaning))
        known = list(names)
        lines = [linked(words, known), *(f"→ {linked(way, known)}" for way in ways)]
        self.label = wrapped()
        self.label.setText(_styled("<br>".join(lines), colour(self.label, "link")))
        self.label.linkActivated.connect(lambda link: pick([named(link)]))
        self.row.addWidget(self.label, 1)

    def add_button(self, shape: str, tip: str, name: str) -> QtGui.QToolButton:
        """A button at the right of the card, with one of the `SHAPES`."""
        button = QtGui.QToolButton()
        button.setIcon(icon(shape, self.label))
        button.setToolTip(tip)
        button.setObjectName(name)
        self.row.addWidget(button, 0, QtCore.Qt.AlignTop)
        return button

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """Select what the finding is about."""
        if self._about:
            self._pick(self._about)
        super().mouseReleaseEvent(event)


class Cards(QtGui.QScrollArea):
    """A column of headings and cards that scrolls."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setWidgetResizable(True)
        self.setFrameShape(QtGui.QFrame.NoFrame)
        self.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self.clear()

    def clear(self) -> None:
        """Remove everything."""
        inner = QtGui.QWidget()
        self._column = QtGui.QVBoxLayout(inner)
        self._column.setContentsMargins(4, 4, 4, 4)
        self._column.addStretch(1)
        self.setWidget(inner)
        for ground in (inner, self.viewport()):  # style sheets colour what is behind, not these
            ground.setAutoFillBackground(False)

    def add(self, widget: QtGui.QWidget) -> None:
        """Add a widget at the end."""
        self._column.insertWidget(self._column.count() - 1, widget)

    def head(self, words: str) -> None:
        """A heading."""
        label = wrapped()
        label.setText(f"<b>{escape(words)}</b>")
        label.setObjectName("heading")
        label.setContentsMargins(0, 6, 0, 0)
        self.add(label)

    def say(self, words: str) -> None:
        """A line of plain text."""
        label = wrapped()
        label.setText(escape(words))
        self.add(label)


def icon(kind: str, on: QtGui.QWidget) -> QtGui.QIcon:
    """One of the `SHAPES` in the text colour of a widget."""
    on.ensurePolished()
    picture = QtGui.QPixmap(16, 16)
    picture.fill(QtCore.Qt.transparent)
    painter = QtGui.QPainter(picture)
    painter.setRenderHint(QtGui.QPainter.Antialiasing)
    painter.setPen(QtCore.Qt.NoPen)
    painter.setBrush(on.palette().color(on.foregroundRole()))
    for corners in SHAPES[kind]:
        painter.drawPolygon(QtGui.QPolygon([QtCore.QPoint(x, y) for x, y in corners]))
    painter.end()
    return QtGui.QIcon(picture)


def bar(on: QtGui.QWidget, meaning: str) -> QtGui.QFrame:
    """The coloured bar at the side of a text."""
    side = QtGui.QFrame()
    side.setFixedWidth(4)
    side.setStyleSheet(f"background-color: {colour(on, meaning)}; border: none;")
    return side


def _styled(text: str, link: str) -> str:
    return f"<style>a {{ color: {link}; text-decoration: none; }}</style>{text}"
