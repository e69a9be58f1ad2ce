"""Cards: one finding each, with its names as links, remedies, and buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape

from PySide import QtCore, QtGui

from .colours import colour
from .labels import wrapped
from .mark import Mark
from .names import linked, named
from .shape_button import ShapeButton

Pick = Callable[[Iterable[str]], None]


class Card(QtGui.QFrame):
    """One finding.  A click on a name selects it, elsewhere all that the finding is about.

    Args:
        words: the finding; meaning: one of `mark.SIGNS`, for the mark at its side.
        names: all names in the assembly; about: those that the finding is about.
        pick: called with names to select.
        ways: remedies, in words; why: the theory behind it, which a button unfolds.
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
        why: str = "",
    ) -> None:
        super().__init__()
        self._about, self._pick = tuple(about), pick
        self.setObjectName("card")
        self.setCursor(QtCore.Qt.PointingHandCursor if self._about else QtCore.Qt.ArrowCursor)
        self.row = QtGui.QHBoxLayout(self)
        self.row.setContentsMargins(0, 2, 0, 2)
        self.row.setSpacing(8)
        self.row.addWidget(Mark(meaning))
        self._names = list(names)
        self.label = wrapped()
        self._texts: list[tuple[QtGui.QLabel, tuple[str, ...]]] = [(self.label, (words, *ways))]
        self.label.linkActivated.connect(lambda link: pick([named(link)]))
        column = QtGui.QVBoxLayout()
        column.addWidget(self.label)
        self.row.addLayout(column, 1)
        if why:
            column.addWidget(self._theory(why))
        self.retell()

    def retell(self) -> None:
        """Show the texts in the present units, with links in their colour on the background."""
        for label, (words, *ways) in self._texts:
            lines = [linked(words, self._names), *(f"→ {linked(w, self._names)}" for w in ways)]
            shade = colour(label, "link")
            style = f"<style>a {{ color: {shade}; text-decoration: none; }}</style>"
            text = "<br>".join(lines)
            label.setText(style + (text if label is self.label else f"<i>{text}</i>"))

    def changeEvent(self, event: QtCore.QEvent) -> None:  # noqa: N802
        """Follow another style sheet."""
        super().changeEvent(event)
        if event.type() == QtCore.QEvent.StyleChange:
            self.retell()

    def _theory(self, why: str) -> QtGui.QLabel:
        """The theory, folded, with the button that unfolds it."""
        theory = wrapped()
        theory.setObjectName("theory")
        self._texts.append((theory, (why,)))
        theory.linkActivated.connect(lambda link: self._pick([named(link)]))
        theory.hide()
        button = QtGui.QToolButton()
        button.setText("why?")
        button.setObjectName("why")
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setToolTip("What is behind it")
        button.toggled.connect(theory.setVisible)
        self.row.addWidget(button, 0, QtCore.Qt.AlignTop)
        return theory

    def add_button(self, tip: str, name: str) -> ShapeButton:
        """A button that plays, at the right of the card."""
        button = ShapeButton("Play", name)
        button.setToolTip(tip)
        self.row.addWidget(button, 0, QtCore.Qt.AlignTop)
        return button

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """Select what the finding is about."""
        if self._about:
            self._pick(self._about)
        super().mouseReleaseEvent(event)


class _Column(QtGui.QWidget):
    """As high as its texts are at the width of the page, so that nothing scrolls in vain."""

    def minimumSizeHint(self) -> QtCore.QSize:  # noqa: N802
        """Any width, and the height that belongs to the present one."""
        return QtCore.QSize(1, self.layout().heightForWidth(self.parentWidget().width()))


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
        inner = _Column()
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
