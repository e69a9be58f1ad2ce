"""The page of the tolerances: what may be off, what is measured, and what comes of it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from PySide import QtCore, QtGui

import assembly_solver as asm
import assembly_solver_freecad as asf

from ..tolerating import feature_at
from .browser import open_page
from .cards import Card, Cards
from .desk import Desk, Watched
from .fields import WIDEST, Box
from .names import picked_elements

NONE = "exact"
"""What a field says that allows nothing."""

MOST = 1_000_000
"""Most samples."""

SELECT = "Select one point, or two elements of different parts"


class CancelledError(asm.AssemblySolverError):
    """The user cancelled an analysis."""


class TolerancePage(QtGui.QWidget):
    """What may be off by how much, what is measured, and the findings."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._rows: tuple[asf.Tolerable, ...] = ()
        self._measures: dict[str, dict[str, Any]] = {}
        self._bounded: tuple[Any, str] = (None, "")
        self.result: dict[str, Any] | None = None
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        self._measured(column)
        self._table(column)
        self._asked(column)
        self.cards = Cards("tolerance findings")
        column.addWidget(self.cards, 1)
        desk.changed.connect(self.fill)
        desk.aged.connect(self.restore)
        self.fill()

    def _measured(self, column: QtGui.QVBoxLayout) -> None:
        """The choice of what is measured, with its bounds."""
        self.choice = QtGui.QComboBox()
        self.choice.setObjectName("tolerance measure")
        self.choice.setToolTip("What is measured")
        self.choice.setSizeAdjustPolicy(QtGui.QComboBox.AdjustToMinimumContentsLengthWithIcon)
        self.choice.currentIndexChanged.connect(self._fit_bounds)
        self.selected = QtGui.QPushButton("From selection")
        self.selected.setObjectName("measure selected")
        self.selected.setToolTip("Measure the distance of two selected elements, or where one is")
        self.selected.clicked.connect(self.add_selected)
        row = QtGui.QHBoxLayout()
        row.addWidget(self.choice, 1)
        row.addWidget(self.selected)
        column.addLayout(row)
        row = QtGui.QHBoxLayout()
        self.low, self.high = Box(), Box()
        for words, box in (("at least", self.low), ("at most", self.high)):
            box.setObjectName(f"measure {words}")
            box.setValue(-WIDEST)
            box.setSpecialValueText("no bound")
            row.addWidget(QtGui.QLabel(words))
            row.addWidget(box, 1)
        column.addLayout(row)

    def _table(self, column: QtGui.QVBoxLayout) -> None:
        """What may be off, and by how much."""
        self.table = QtGui.QTableWidget(0, 2)
        self.table.setObjectName("tolerances")
        self.table.setHorizontalHeaderLabels(["what may be off", "by"])
        self.table.verticalHeader().hide()
        self.table.setWordWrap(False)
        self.table.setTextElideMode(QtCore.Qt.ElideMiddle)
        self.table.setMinimumHeight(150)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(0, QtGui.QHeaderView.Stretch)
        header.setSectionResizeMode(1, QtGui.QHeaderView.ResizeToContents)
        column.addWidget(self.table, 1)

    def _asked(self, column: QtGui.QVBoxLayout) -> None:
        """The number of samples, and the commands."""
        self.samples = QtGui.QSpinBox()
        self.samples.setObjectName("samples")
        self.samples.setRange(2, MOST)
        self.samples.setValue(2000)
        self.samples.setSuffix(" samples")
        self.go = QtGui.QPushButton("Analyse")
        self.go.setObjectName("analyse tolerances")
        self.go.clicked.connect(self.analyse)
        self.open = QtGui.QPushButton("Open report")
        self.open.setObjectName("tolerance report")
        self.open.clicked.connect(self.show_report)
        row = QtGui.QHBoxLayout()
        for widget, stretch in ((self.samples, 0), (self.go, 1), (self.open, 0)):
            row.addWidget(widget, stretch)
        column.addLayout(row)

    # ------------------------------------------------------------------ what is asked
    def fill(self) -> None:
        """What may be off, as the document keeps it, and what can be measured in a new result."""
        live = self._desk.live
        known = bool(self._desk.solution) and live is not None
        self._rows = asf.tolerable(live.assembly) if live is not None and known else ()
        self.result = None
        self.open.setEnabled(False)
        self.go.setEnabled(bool(self._rows))
        self.selected.setEnabled(bool(self._rows))
        self.table.setRowCount(len(self._rows))
        for k, row in enumerate(self._rows):
            name = QtGui.QTableWidgetItem(row.words)
            name.setToolTip(row.words)
            name.setFlags(QtCore.Qt.ItemIsEnabled)
            self.table.setItem(k, 0, name)
            self.table.setCellWidget(k, 1, self._box(row))
        self.restore()
        self.table.resizeRowsToContents()
        self._fill_measures()
        self.cards.clear()
        self.cards.say(
            "Say by how much something may be off, and press Analyse."
            if self._rows
            else "A solved assembly can be analysed: press Diagnose."
        )

    def _box(self, row: asf.Tolerable) -> Box:
        box = Box(row.unit)
        box.setRange(0.0, WIDEST)
        box.setSpecialValueText(NONE)
        box.setSingleStep(0.01)
        box.setObjectName(row.name)
        box.editingFinished.connect(self._entered)
        return box

    def _entered(self) -> None:
        """A number was entered: the document keeps it."""
        if self._desk.live is not None:
            self._keep(self._desk.live)

    def restore(self) -> None:
        """Show the numbers that the document keeps."""
        live, kept = self._desk.live, dict[str, float]()
        with suppress(ReferenceError, RuntimeError):  # a mate is undone: diagnosing tells
            kept = asf.kept_tolerances(live) if live is not None and self._rows else {}
        for k, row in enumerate(self._rows):
            self.table.cellWidget(k, 1).setValue(kept.get(row.name, 0.0))

    def _keep(self, live: asf.Live) -> dict[str, float]:
        """Keep the numbers of the table in the document; those, by name."""
        values = {
            row.name: self.table.cellWidget(k, 1).entered() for k, row in enumerate(self._rows)
        }
        self._desk.writing = True
        try:
            asf.keep_tolerances(live, values)
        finally:
            self._desk.writing = False
        return values

    def _fill_measures(self) -> None:
        """The coordinates of the joints that move, then what was selected and is still there."""
        kept, parts = self.choice.currentText(), [] if not self._rows else self._desk.names
        self._measures = {
            name: keys
            for name, keys in self._measures.items()
            if "joint" not in keys and all(part in parts for part, _ in _elements(keys))
        }
        joints = {
            d.name: {"joint": d.joint, "coordinate": d.coordinate}
            for d in self._desk.drives
            if d.joint and d.coordinate
        }
        self._measures = {**joints, **self._measures} if self._rows else {}
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([*self._measures])
        self.choice.setCurrentIndex(max(self.choice.findText(kept), 0) if self._measures else -1)
        self.choice.blockSignals(False)
        self._fit_bounds()

    def add_selected(self) -> None:
        """Measure what is selected: where one element is along x, y, z, or the distance of two."""
        live = self._desk.read()
        if live is None:
            return
        picked = picked_elements()
        try:
            refs = [tuple(feature_at(live, element)) for element in picked]
        except asm.AssemblySolverError as error:
            self._desk.fail(str(error))
            return
        words = [f"{part} {feature}" for part, feature in refs]
        if len(refs) == 1:
            new: dict[str, dict[str, Any]] = {
                f"{words[0]} along {axis}": {"point": picked[0], "along": axis} for axis in "xyz"
            }
        elif len(refs) == 2 and refs[0][0] != refs[1][0]:
            new = {f"distance {words[0]} - {words[1]}": {"distance": tuple(picked)}}
        else:
            self._desk.note(f"{SELECT}: {len(refs)} are selected")
            return
        self._measures |= new
        self.choice.addItems([name for name in new if self.choice.findText(name) < 0])
        self.choice.setCurrentIndex(self.choice.findText(next(iter(new))))

    def _fit_bounds(self) -> None:
        """Something else that is measured has its own unit, and no bounds yet."""
        target, name = self._desk.target, self.choice.currentText()
        if name and (target is not self._bounded[0] or name != self._bounded[1]):
            self._bounded = target, name
            unit = "deg" if self._measures[name].get("coordinate") == "angle" else "mm"
            for box in (self.low, self.high):
                box.fit(unit, -WIDEST)

    # ------------------------------------------------------------------ the analysis
    def analyse(self) -> None:
        """Analyse what the table allows, for what is measured."""
        live, name = self._desk.read(), self.choice.currentText()
        if live is None:
            return
        values = self._keep(live)
        bounds = {
            key: box.value()
            for key, box in (("min", self.low), ("max", self.high))
            if box.entered() > -WIDEST
        }
        some = (row for row in self._rows if values[row.name] > 0.0)
        allowed = {row.name: row.by(values[row.name]) for row in some}
        if not allowed or name not in self._measures:
            self._desk.note("Say what may be off, and what is measured.")
            return
        try:
            assembly = asf.tolerated(live, {name: {**self._measures[name], **bounds}}, allowed)
        except asm.AssemblySolverError as error:
            self._desk.fail(str(error))
            return
        samples = self.samples.value()

        def work(progress: Watched, cancel: Watched) -> asm.ToleranceAnalysis:
            def told(*news: Any) -> None:
                if cancel():
                    raise CancelledError("The analysis was cancelled.")
                progress(*news)

            return asm.tolerance(assembly, samples=samples, progress=told)

        self._desk.work("Analysing tolerances", work, self._done)

    def _done(self, found: asm.ToleranceAnalysis) -> None:
        self.result, self._title = found.to_dict(), self._desk.target.Label
        self.open.setEnabled(True)
        self.cards.clear()
        for name, measure in self.result["measures"].items():
            self.cards.head(name)
            for words, meaning in told(measure):
                self._card(words, meaning)
        if found.binding is not None:
            self._card(found.binding.words, "note")
        for note in found.notes:
            self._card(note, "note")
        share = f"{found.solved} of {found.samples} samples close"
        self._desk.said.emit(share, "good" if not found.not_solved else "note")

    def _card(self, words: str, meaning: str) -> None:
        desk = self._desk
        self.cards.add(Card(words, meaning, names=desk.names, about=(), pick=desk.pick))

    def show_report(self) -> None:
        """Open the report in the browser."""
        assert self.result is not None
        open_page(self._title, "tolerance", asm.tolerance_page(self._title, self.result))


def _elements(keys: dict[str, Any]) -> list[tuple[str, str]]:
    """The labels of the objects of what was selected, with their paths."""
    found = keys["distance"] if "distance" in keys else (keys["point"],)
    return [(thing.Label, path) for thing, path in found]


def told(measure: dict[str, Any]) -> list[tuple[str, str]]:
    """What there is to say of a measure, each with its meaning."""
    unit = measure["unit"]
    out = [(f"nominal {measure['nominal']:.6g} {unit}", "plain")]
    for words, key in (("worst case", "worst_case"), ("linear", "linear_worst_case")):
        low, high = measure[key]
        out.append((f"{words} {low:.6g} to {high:.6g} {unit}", "plain"))
    out.append((f"standard deviation {measure['rss']['std']:.3g} {unit}, linear", "plain"))
    sampled = measure["sampled"]
    if sampled["mean"] is None:
        return [*out, ("no sample closes", "bad")]
    low, high = sampled["quantiles"]["0.00135"], sampled["quantiles"]["0.99865"]
    out.append((f"99.73 % of the samples: {low:.6g} to {high:.6g} {unit}", "plain"))
    if sampled.get("meets") is not None:
        cpk = f", Cpk {sampled['cpk']:.3g}" if "cpk" in sampled else ""
        words = (
            f"{100 * sampled['meets']:.2f} % ± {100 * sampled['meets_error']:.2f} % meet it{cpk}"
        )
        out.append((words, "good" if sampled["meets"] == 1.0 else "note"))
    shares = sorted(measure["contributions"].items(), key=lambda item: -item[1])
    rounded = ((name, f"{100 * share:.1f}") for name, share in shares)
    by = ", ".join(f"{name} {share} %" for name, share in rounded if share != "0.0")
    return [*out, (f"by {by}", "plain")] if by else out
