"""Named positions of the assembly, and the ways in which its loops close."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide import QtCore, QtGui

import assembly_solver as asm
import assembly_solver_freecad as asf

from ..named_positions import closing_ways, mode_solved, position_solved, store
from ..units import shown
from ..verbs import all_held
from .desk import Desk

MODE = QtCore.Qt.UserRole
LIST, CLOSE = "List", "Close so"


class PositionBar(QtGui.QWidget):
    """Takes, keeps and deletes positions; lists the assembly modes and switches to one."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.buttons: dict[str, QtGui.QPushButton] = {}
        self.positions, self.modes = QtGui.QComboBox(), QtGui.QComboBox()
        self.positions.setObjectName("position")
        self.positions.setEditable(True)
        self.positions.setInsertPolicy(QtGui.QComboBox.NoInsert)
        self.positions.lineEdit().setPlaceholderText("Name of a position")
        self.positions.editTextChanged.connect(self._enable)
        self.modes.setObjectName("modes")
        for box in (self.positions, self.modes):
            box.setSizeAdjustPolicy(QtGui.QComboBox.AdjustToMinimumContentsLengthWithIcon)
        grid = QtGui.QGridLayout(self)
        grid.setContentsMargins(4, 4, 4, 4)
        grid.addWidget(self.positions, 0, 0)
        acts = (("Take", self.take), ("Keep", self.keep), ("Delete", self.delete))
        for column, (name, act) in enumerate(acts, 1):
            grid.addWidget(self._button(name, act), 0, column)
        grid.addWidget(self.modes, 1, 0, 1, 2)
        grid.addWidget(self._button(LIST, self.close_so), 1, 2, 1, 2)
        grid.setColumnStretch(0, 1)
        desk.changed.connect(self.fill)
        desk.aged.connect(self.fill)
        self.fill()

    def _button(self, name: str, act: Callable[[], None]) -> QtGui.QPushButton:
        button = QtGui.QPushButton(name)
        button.setObjectName(f"{name.lower()} {'modes' if name == LIST else 'position'}")
        button.clicked.connect(lambda _=False: act())
        self.buttons[name] = button
        return button

    # ------------------------------------------------------------------ what is there
    def fill(self) -> None:
        """Show the positions that the document keeps; modes are listed on request."""
        live, text = self._desk.live, self.positions.currentText()
        every: dict[str, asm.Position] = {}
        with suppress(ReferenceError):  # a joint is deleted: diagnosing tells
            every = {} if live is None else live.positions
        self.positions.clear()
        for name, found in every.items():
            self.positions.addItem(name)
            tip = told(found) or "All stays as it is: nothing moves"
            self.positions.setItemData(self.positions.count() - 1, tip, QtCore.Qt.ToolTipRole)
        self.positions.setCurrentIndex(self.positions.findText(text))
        self.positions.setEditText(text)
        self.modes.clear()
        self.modes.addItem("Ways to close its loops")
        self.modes.setEnabled(False)
        self.buttons[LIST].setText(LIST)
        self._enable()

    def retell(self) -> None:
        """Show the values in the present units."""
        self.fill()

    def _enable(self, _: str = "") -> None:
        """Enable what can be done; tips of the rest say what is missing."""
        solved, name = bool(self._desk.solution), self.positions.currentText()
        known = self.positions.findText(name) >= 0 and bool(name)
        missing = "" if solved else "Of a solved assembly: press Diagnose"
        for button, can, tip in (
            ("Take", known, "Bring the joints to this position: one undo step"),
            ("Keep", bool(name.strip()), "Keep where it stands under this name in the document"),
            ("Delete", known, "Delete this position from the document"),
            (LIST, True, "The assembly modes: loops may close in several ways at the same values"),
        ):
            self.buttons[button].setEnabled(solved and can)
            self.buttons[button].setToolTip(missing or tip)

    # ------------------------------------------------------------------ positions
    def take(self) -> None:
        """Bring the assembly to the chosen position."""
        name = self.positions.currentText()
        self._move(f"Position {name}", lambda live, **watch: position_solved(live, name, **watch))

    def keep(self) -> None:
        """Keep where the assembly stands."""
        live, name = self._desk.read(), self.positions.currentText().strip()
        if live is None or not self._desk.tries(lambda: all_held(live.assembly)):
            return

        def done(found: asm.Position) -> None:
            if self._desk.writes(lambda: store(live, name, found)):
                self._desk.said.emit(f"Kept {name}: {told(found) or 'nothing moves'}", "good")
                self.fill()

        def work(**watch: Any) -> asm.Position:
            return asm.standing(live.assembly, **watch)

        self._desk.work(f"Keeping {name}", work, done)

    def delete(self) -> None:
        """Delete the chosen position."""
        name = self.positions.currentText()
        if self._desk.writes(lambda: asf.drop_position(self._desk.target, name)):
            self.positions.setEditText("")
            self.fill()

    # ------------------------------------------------------------------ modes
    def close_so(self) -> None:
        """List the modes, or switch to the chosen one."""
        mode = self.modes.currentData(MODE)
        if mode is not None:
            self._move(
                f"Close as {mode}", lambda live, **watch: mode_solved(live.assembly, mode, **watch)
            )
            return
        live = self._desk.read()
        if live is None:
            return

        def work(cancel: Any, **watch: Any) -> Any:
            try:
                return closing_ways(live.assembly, cancel=cancel, **watch)
            except Exception:
                if cancel():
                    return None
                raise

        self._desk.work("Listing the ways to close", work, self._listed)

    def _listed(self, answer: Any) -> None:
        """Show the modes, with a mark at the present one."""
        if answer is None:
            self._desk.note("Listing the ways to close was cancelled.")
            return
        ways: list[asf.ClosingWay] = answer
        if len(ways) < 2:
            self._desk.note("Its loops close in one way only.")
            return
        self.modes.clear()
        for way in ways:
            where = "this one" if way.here else f"{shown(way.distance, 'mm')} away"
            self.modes.addItem(f"{way.name}   {where}", way.name)
        self.modes.setCurrentIndex(next((k for k, way in enumerate(ways) if way.here), 0))
        self.modes.setEnabled(True)
        self.buttons[LIST].setText(CLOSE)
        complete = ways[0].complete
        rest = "these are all" if complete else "there may be more"
        self._desk.said.emit(f"{len(ways)} ways to close; {rest}.", "good" if complete else "note")

    # ------------------------------------------------------------------ moving
    def _move(self, words: str, solve: Callable[..., asm.Solution]) -> None:
        """Move the assembly to where a solve brings it, as one undo step, and diagnose it."""
        live = self._desk.read()
        if live is None or not self._desk.tries(lambda: all_held(live.assembly)):
            return

        def done(solution: asm.Solution) -> None:
            if not solution:
                self._desk.unsolved(solution)
                return
            self._desk.move(live, solution.poses, words)
            self._desk.diagnose()

        self._desk.work(words, lambda **watch: solve(live, **watch), done)


def told(position: asm.Position) -> str:
    """The values of a position in the units of the preferences."""
    units = {"angle": "deg", "length": "mm"}
    keys = (key.rpartition(".") for key in position.values)
    values = zip(keys, position.values.values(), strict=True)
    return ", ".join(f"{joint} {shown(v, units[which])}" for (joint, _, which), v in values)
