"""The sentence on top of the panel, with the mark of its meaning."""

from __future__ import annotations

from html import escape

from PySide import QtCore, QtGui

from .labels import wrapped
from .mark import Mark

LINES = 6
"""Largest number of visible lines."""


class Sentence(QtGui.QWidget):
    """The result of the last command, as high as its text up to `LINES`."""

    def __init__(self) -> None:
        super().__init__()
        row = QtGui.QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.mark = Mark()
        self.label = wrapped()
        self.label.setObjectName("sentence")
        self.label.setTextInteractionFlags(QtCore.Qt.TextSelectableByMouse)
        self.label.setAlignment(QtCore.Qt.AlignLeft | QtCore.Qt.AlignTop)
        self._area = QtGui.QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QtGui.QFrame.NoFrame)
        self._area.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self._area.setWidget(self.label)
        for ground in (self.label, self._area.viewport()):
            ground.setAutoFillBackground(False)
        row.addWidget(self.mark)
        row.addWidget(self._area, 1)

    def say(self, words: str, meaning: str) -> None:
        """Show a text with the mark of one of the meanings of `mark`."""
        self.label.setText(escape(words))
        self.label.setProperty("words", words)
        self.label.setProperty("meaning", meaning)
        self.mark.mean(meaning)
        self._fit()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:  # noqa: N802
        """Fit the height to the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Fit the height to the text; a longer one scrolls."""
        needed = self.label.heightForWidth(max(self._area.width(), 1))
        most = LINES * self.label.fontMetrics().lineSpacing() + 2
        scrolls = QtCore.Qt.ScrollBarAsNeeded if needed > most else QtCore.Qt.ScrollBarAlwaysOff
        self._area.setVerticalScrollBarPolicy(scrolls)
        self._area.setFixedHeight(min(needed, most))
