"""The page of the linkage check: the findings for each drive, and the report."""

from __future__ import annotations

from PySide import QtCore, QtGui

import assembly_solver as asm

from .browser import open_page
from .cards import Card, Cards
from .desk import Desk
from .drives import driven
from .fields import Box


class CheckPage(QtGui.QWidget):
    """The drives to check with their ranges, the findings, and the report."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.report: asm.Report | None = None
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        self.table = QtGui.QTableWidget(0, 3)
        self.table.setObjectName("check drives")
        self.table.setHorizontalHeaderLabels(["follow", "from", "to"])
        self.table.verticalHeader().hide()
        self.table.setMaximumHeight(150)
        self.table.setWordWrap(False)
        self.table.setTextElideMode(QtCore.Qt.ElideMiddle)
        columns = self.table.horizontalHeader()
        columns.setSectionResizeMode(0, QtGui.QHeaderView.Stretch)
        for number in (1, 2):
            columns.setSectionResizeMode(number, QtGui.QHeaderView.ResizeToContents)
        self.go = QtGui.QPushButton("Check")
        self.go.setObjectName("check")
        self.go.clicked.connect(self.check)
        self.open = QtGui.QPushButton("Open report")
        self.open.setObjectName("report")
        self.open.clicked.connect(self.show_report)
        self.cards = Cards("check findings")
        row = QtGui.QHBoxLayout()
        row.addWidget(self.go, 1)
        row.addWidget(self.open)
        column.addWidget(self.table)
        column.addLayout(row)
        column.addWidget(self.cards, 1)
        desk.changed.connect(self.fill)
        self.fill()

    def fill(self) -> None:
        """The drives of a new result, those ticked that move the assembly."""
        self.report = None
        drives = self._desk.drives
        self.go.setEnabled(bool(drives))
        self.open.setEnabled(False)
        self.table.setRowCount(len(drives))
        for k, drive in enumerate(drives):
            name = QtGui.QTableWidgetItem(drive.name)
            ticked = QtCore.Qt.Checked if drive.proposed else QtCore.Qt.Unchecked
            name.setCheckState(ticked)
            name.setToolTip(drive.name)
            name.setFlags(QtCore.Qt.ItemIsEnabled | QtCore.Qt.ItemIsUserCheckable)
            self.table.setItem(k, 0, name)
            for c, value in ((1, drive.low), (2, drive.high)):
                box = Box()
                box.fit(drive.unit, value)
                self.table.setCellWidget(k, c, box)
        self.table.resizeRowsToContents()
        self.cards.clear()
        self.cards.say(
            "Tick what is to be followed, and press Check: dead points, reach, limits."
            if drives
            else "A solved assembly can be checked: press Diagnose."
        )

    def check(self) -> None:
        """Check the drives that are ticked."""
        live = self._desk.read()
        if live is None:
            return
        wanted = [
            (drive, (self.table.cellWidget(k, 1).entered(), self.table.cellWidget(k, 2).entered()))
            for k, drive in enumerate(self._desk.drives)
            if self.table.item(k, 0).checkState() == QtCore.Qt.Checked
        ]
        assembly = live.assembly.copy()
        try:
            for drive, ends in wanted:
                driven(assembly, drive, None, ends)
        except asm.AssemblySolverError as error:
            self._desk.fail(str(error))
            return
        self._desk.work("Checking", lambda **watch: asm.check(assembly, **watch), self._done)

    def _done(self, report: asm.Report) -> None:
        desk = self._desk
        self.report = report
        self.open.setEnabled(True)
        self.cards.clear()
        for finding in report.findings:
            about = [n for n in (finding.element, finding.driver) if n]
            meaning = "good" if finding else "note"
            card = Card(finding.words, meaning, names=desk.names, about=about, pick=desk.pick)
            self.cards.add(card)
        for study in report.studies:
            card = Card(
                study.sentence, "plain", names=desk.names, about=[study.driver], pick=desk.pick
            )
            self.cards.add(card)
        desk.said.emit(report.sentence, "good" if report else "note")
        self.show_report()

    def show_report(self) -> None:
        """Open the report in the browser."""
        assert self.report is not None
        open_page(self.report.name, "check", asm.report_page(self.report))
