"""The pages of the panel: titles where they have room, else icons beside the present title."""

from __future__ import annotations

from pathlib import Path

from PySide import QtCore, QtGui

RESTYLED = (QtCore.QEvent.StyleChange, QtCore.QEvent.FontChange)

NARROW = "QTabBar::tab { min-width: 0px; }"
"""Of style sheets that make every tab as wide as a title."""


class PageTabs(QtGui.QTabWidget):
    """Pages by title."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pages")
        self._icons: list[QtGui.QIcon] = []
        self.currentChanged.connect(lambda _: self.fit())

    def add(self, title: str, page: QtGui.QWidget, icon: Path) -> None:
        """Add a page; an icon that is not there, or that Qt cannot draw, leaves its title."""
        self._icons.append(QtGui.QIcon(str(icon)))
        self.setTabToolTip(self.addTab(page, title), title)

    def fit(self) -> None:
        """Show the titles, or icons where all of them are wider than the panel."""
        bar = self.tabBar()
        bar.setStyleSheet("")
        for k in range(self.count()):
            self.setTabText(k, self.tabToolTip(k))
            self.setTabIcon(k, QtGui.QIcon())
        if bar.sizeHint().width() <= self.width():
            return
        bar.setStyleSheet(NARROW)
        for k, icon in enumerate(self._icons):
            if k != self.currentIndex() and not icon.pixmap(bar.iconSize()).isNull():
                self.setTabText(k, "")
                self.setTabIcon(k, icon)

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:  # noqa: N802
        """Fit the titles to the new width."""
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QtCore.QEvent) -> None:  # noqa: N802
        """Fit the titles to another style sheet."""
        super().changeEvent(event)
        if event.type() in RESTYLED:
            self.fit()
