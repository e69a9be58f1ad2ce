"""The page of mates: the selection, the mates that fit it, and their values."""

from __future__ import annotations

from html import escape
from typing import Any

import FreeCADGui
from PySide import QtGui

import assembly_solver as asm
import assembly_solver_freecad as asf

from ..units import localised
from .desk import Desk
from .fields import Box
from .labels import low_list, wrapped
from .mate_list import MateList
from .names import picked, picked_elements, under
from .preview import MatePreview
from .timers import once

CALM = 120
"""Time after the last click until fitting mates are determined, ms."""

OTHER = {"aligned": "opposed", "opposed": "aligned"}
"""The sense of a mate that is flipped."""

UNITS = {"angle": "deg", "turn": "deg", "ratio": "turns"}
"""Units of parameters that are not lengths."""


def _words(chosen: tuple[Any, str]) -> str:
    """The name of a selected element or object."""
    root, path = chosen
    whole = path == "" or path.endswith(".")
    return str(under(root, path).Label) if whole else f"{root.Label} {path}"


class MatePage(QtGui.QWidget):
    """Makes a mate of two to four selected elements; the best fit is preselected."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._selection: list[tuple[Any, str]] = []
        self._choices: tuple[Any, ...] = ()
        self._boxes: dict[str, Box] = {}
        self._told = ""
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        self.label = wrapped()
        self.label.setObjectName("selected")
        self.list = low_list("choices")
        self.list.currentRowChanged.connect(self._chosen)
        self.list.itemDoubleClicked.connect(lambda _: self.mate())
        self.form = QtGui.QFormLayout()
        self._preview = MatePreview(desk)
        self._controls()
        row = QtGui.QHBoxLayout()
        row.addWidget(self.go, 1)
        row.addWidget(self.hold)
        for item in (self.label, self.list):
            column.addWidget(item, 1 if item is self.list else 0)
        column.addLayout(self.form)
        ticks = QtGui.QHBoxLayout()
        ticks.addWidget(self.solve)
        ticks.addWidget(self.draw)
        column.addLayout(ticks)
        column.addLayout(row)
        self.mates = MateList(desk)
        column.addWidget(self.mates, 1)
        self._timer = once(self, CALM, self.look)

    def _controls(self) -> None:
        """The ticks and the buttons."""
        self.draw = QtGui.QCheckBox("Preview")
        self.draw.setObjectName("preview")
        self.draw.setToolTip("Draw the parts where the mate would bring them")
        self.draw.toggled.connect(self._try)
        self.solve = QtGui.QCheckBox("Solve at once")
        self.solve.setObjectName("solve at once")
        self.solve.setChecked(True)
        self.go = QtGui.QPushButton("Mate")
        self.go.setObjectName("mate")
        self.go.clicked.connect(self.mate)
        self.hold = QtGui.QPushButton("Ground")
        self.hold.setObjectName("ground")
        self.hold.setToolTip("Hold the selected parts where they are")
        self.hold.clicked.connect(self.ground)

    # ------------------------------------------------------------------ what is selected
    def showEvent(self, event: Any) -> None:  # noqa: N802
        """Follow the selection while the page is visible."""
        FreeCADGui.Selection.addObserver(self)
        self.look()
        super().showEvent(event)

    def hideEvent(self, event: Any) -> None:  # noqa: N802
        """Stop following the selection."""
        self._preview.clear()
        FreeCADGui.Selection.removeObserver(self)
        super().hideEvent(event)

    def addSelection(self, *_: Any) -> None:  # noqa: N802
        """The selection changed."""
        self._timer.start()

    removeSelection = setSelection = clearSelection = addSelection  # noqa: N815

    def look(self) -> None:
        """Show the selection and the mates that fit it."""
        self._selection = picked_elements() or picked()
        self._choices = ()
        words = (
            "Select two faces, edges or points of different parts in the view, with Ctrl; "
            "or two joints in the tree, which gears and belts couple."
        )
        if self._selection:
            words = "Selected: " + ", ".join(map(_words, self._selection))
        if len(self._selection) > 1:
            try:
                self._choices = asf.choices(self._selection)
            except asm.AssemblySolverError as error:
                words = str(error)
        self._told = escape(words)
        self.label.setText(self._told)
        self.list.clear()
        self.list.addItems([localised(c.words) for c in self._choices])
        self.list.setCurrentRow(0 if self._choices else -1)
        self.go.setEnabled(bool(self._choices))
        self.hold.setEnabled(bool(self._selection))

    def retell(self) -> None:
        """Show the mates that fit, and the preview, in the present units."""
        for k, choice in enumerate(self._choices):
            self.list.item(k).setText(localised(choice.words))
        self._try()

    def _chosen(self, number: int) -> None:
        """Show fields for the values of the chosen mate."""
        while self.form.rowCount():
            self.form.removeRow(0)
        self._boxes = {}
        self._preview.clear()
        if not 0 <= number < len(self._choices):
            return
        choice = self._choices[number]
        for name, value in choice.parameters.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            box = Box(UNITS.get(choice.kind if name == "value" else name, "mm"))
            box.setObjectName(f"parameter {name}")
            box.setValue(value)
            box.valueChanged.connect(self._try)
            self._boxes[name] = box
            self.form.addRow(choice.kind if name == "value" else name, box)
        self._flip = QtGui.QCheckBox("Flip: faces look the other way")
        self._flip.setObjectName("flip")
        self._flip.toggled.connect(self._try)
        if "sense" in choice.parameters:
            self.form.addRow(self._flip)
        self._try()

    def _values(self, number: int) -> dict[str, Any]:
        """The values of the chosen mate in the fields."""
        values: dict[str, Any] = {name: box.entered() for name, box in self._boxes.items()}
        if self._flip.isChecked():
            values["sense"] = OTHER[self._choices[number].parameters["sense"]]
        return values

    def _try(self, *_: Any) -> None:
        """Draw what the chosen mate would do, where that is ticked."""
        number = self.list.currentRow()
        self._preview.clear()
        if self.draw.isChecked() and 0 <= number < len(self._choices):
            choice = self._choices[number]
            words = self._preview.show(self._selection, choice, self._values(number))
            self.label.setText(f"{self._told}<br>{escape(words)}" if words else self._told)

    # ------------------------------------------------------------------ what is made of it
    def mate(self) -> None:
        """Add the chosen mate to the document, and solve."""
        number = self.list.currentRow()
        if not 0 <= number < len(self._choices):
            return
        values = self._values(number)
        self._do(lambda: asf.mate(self._selection, self._choices[number], **values))

    def ground(self) -> None:
        """Ground the selected parts."""
        self._do(lambda: asf.ground([under(o, path) for o, path in self._selection]))

    def _do(self, act: Any) -> None:
        self._preview.clear()
        if not self._desk.tries(act):
            return
        FreeCADGui.Selection.clearSelection()
        if self.solve.isChecked():
            self._desk.solve()
        else:
            self._desk.diagnose()
