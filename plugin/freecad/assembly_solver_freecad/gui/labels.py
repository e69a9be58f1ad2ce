"""Labels: wrapped text, and a name in one line that selects its object."""

from __future__ import annotations

from collections.abc import Callable

from PySide import QtCore, QtGui

from .colours import colour


def wrapped() -> QtGui.QLabel:
    """A label with wrapped text that can be copied."""
    label = QtGui.QLabel()
    label.setWordWrap(True)
    label.setTextFormat(QtCore.Qt.RichText)
    label.setMinimumWidth(1)
    flags = QtCore.Qt.LinksAccessibleByMouse | QtCore.Qt.LinksAccessibleByKeyboard
    label.setTextInteractionFlags(flags)
    policy = QtGui.QSizePolicy(QtGui.QSizePolicy.Preferred, QtGui.QSizePolicy.Preferred)
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)
    return label


def low_list(name: str) -> QtGui.QListWidget:
    """A list that is content with a few lines, so that several fit into the panel."""
    found = QtGui.QListWidget()
    found.setObjectName(name)
    found.setWordWrap(True)
    found.setMinimumHeight(3 * found.fontMetrics().lineSpacing())
    found.setSizePolicy(QtGui.QSizePolicy.Preferred, QtGui.QSizePolicy.Ignored)
    return found


class Name(QtGui.QLabel):
    """A name that selects its object when clicked; elided in the middle where it is too long.

    Args:
        name: in full; pick: called when it is clicked.
    """

    def __init__(self, name: str, pick: Callable[[], None]) -> None:
        super().__init__()
        self._name, self._pick = name, pick
        self.setToolTip(f"{name}: select in the tree and in the view")
        self.setCursor(QtCore.Qt.PointingHandCursor)
        self.setSizePolicy(QtGui.QSizePolicy.Ignored, QtGui.QSizePolicy.Preferred)
        self.setText(name)
        self._colour()

    def _colour(self) -> None:
        """Take the colour of a link on the present background."""
        sheet = f"color: {colour(self.parentWidget() or self, 'link')};"
        if sheet != self.styleSheet():
            self.setStyleSheet(sheet)

    def changeEvent(self, event: QtCore.QEvent) -> None:  # noqa: N802
        """Follow another style sheet."""
        super().changeEvent(event)
        if event.type() == QtCore.QEvent.StyleChange:
            self._colour()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:  # noqa: N802
        """Elide the name for the new width."""
        super().resizeEvent(event)
        short = self.fontMetrics().elidedText(self._name, QtCore.Qt.ElideMiddle, self.width())
        self.setText(short)

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """Select the object."""
        super().mouseReleaseEvent(event)
        self._pick()
