"""Cards: one finding each, with its names as links, what would help, and buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape

from PySide import QtCore, QtGui

from .colours import colour
from .names import linked, named

Pick = Callable[[Iterable[str]], None]


class Card(QtGui.QFrame):
    """One finding.  A click on a name selects it, one beside it all that the finding is about.

    Args:
        words: the finding; meaning: one of `colours.COLOURS`, for the bar at its side.
        names: everything that has a name in the assembly; about: what the finding is about.
        pick: called with names that are to be selected.
        ways: what would help, in words.
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

    def add_button(self, icon: QtGui.QIcon, tip: str, name: str) -> QtGui.QToolButton:
        """A button at the right of the card."""
        button = QtGui.QToolButton()
        button.setIcon(icon)
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
        """Take everything away."""
        inner = QtGui.QWidget()
        self._column = QtGui.QVBoxLayout(inner)
        self._column.setContentsMargins(4, 4, 4, 4)
        self._column.addStretch(1)
        self.setWidget(inner)

    def add(self, widget: QtGui.QWidget) -> None:
        """Put a widget at the end."""
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


def wrapped() -> QtGui.QLabel:
    """A label that breaks its lines and whose text can be copied."""
    label = QtGui.QLabel()
    label.setWordWrap(True)
    label.setTextFormat(QtCore.Qt.RichText)
    label.setMinimumWidth(1)
    flags = QtCore.Qt.LinksAccessibleByMouse | QtCore.Qt.LinksAccessibleByKeyboard
    label.setTextInteractionFlags(flags)
    policy = QtGui.QSizePolicy(QtGui.QSizePolicy.Preferred, QtGui.QSizePolicy.Minimum)
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)
    return label


def icon(kind: str) -> QtGui.QIcon:
    """The icon that the style of the window has for "Play", "Pause" or "Stop"."""
    return QtGui.QApplication.style().standardIcon(getattr(QtGui.QStyle, f"SP_Media{kind}"))


def bar(on: QtGui.QWidget, meaning: str) -> QtGui.QFrame:
    """The coloured bar at the side of what is said."""
    side = QtGui.QFrame()
    side.setFixedWidth(4)
    side.setStyleSheet(f"background-color: {colour(on, meaning)}; border: none;")
    return side


def _styled(text: str, link: str) -> str:
    return f"<style>a {{ color: {link}; text-decoration: none; }}</style>{text}"
