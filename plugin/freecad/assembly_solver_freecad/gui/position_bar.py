"""Named positions of the assembly, and the ways in which its loops close."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from PySide import QtCore, QtGui

import assembly_solver as asm
import assembly_solver_freecad as asf

from ..named_positions import closing_ways, mode_solved, position_solved, store, store_all
from ..snapshots import at_snapshot, snapshot_named, snapshots_in
from ..units import shown
from ..verbs import all_held
from .desk import Desk

MODE = QtCore.Qt.UserRole
LIST, CLOSE = "List", "Close so"

FILES = "Assembly files (*.assembly.json)"


class PositionBar(QtGui.QWidget):
    """Takes, keeps and deletes positions; lists the assembly modes and switches to one."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._of: Any = None
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
        acts = (("Take", self.take), ("Keep", self.keep), ("Delete", self.delete))
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        for widgets in (
            [self.positions, self._more()],
            [self._button(name, act) for name, act in acts],
            [self.modes, self._button(LIST, self.close_so)],
        ):
            row = QtGui.QHBoxLayout()
            for widget in widgets:
                row.addWidget(widget, int(isinstance(widget, QtGui.QComboBox)))
            column.addLayout(row)
        desk.changed.connect(self.fill)
        desk.aged.connect(self.fill)
        self.fill()

    def _button(self, name: str, act: Callable[[], None]) -> QtGui.QPushButton:
        button = QtGui.QPushButton(name)
        button.setObjectName(f"{name.lower()} {'modes' if name == LIST else 'position'}")
        button.clicked.connect(lambda _=False: act())
        self.buttons[name] = button
        return button

    def _more(self) -> QtGui.QToolButton:
        """The menu of files and snapshots."""
        button, self.menu = QtGui.QToolButton(), QtGui.QMenu(self)
        button.setText("…")
        button.setObjectName("more positions")
        button.setToolTip("Positions of assembly files, and of snapshots of FreeCAD")
        button.setPopupMode(QtGui.QToolButton.InstantPopup)
        button.setMenu(self.menu)
        self.menu.aboutToShow.connect(self.offer)
        return button

    def offer(self) -> None:
        """Fill the menu: files, and the snapshots that there are."""
        self.menu.clear()
        live = self._desk.live
        found = [] if live is None else [s.label for s in snapshots_in(live.tree)]
        entries: list[tuple[str, Callable[[], None]]] = [
            ("Keep those of a file …", self._ask_source),
            ("Write a file with them …", self._ask_target),
            *((f"Keep snapshot {s}", partial(self.keep_snapshot, s)) for s in found),
        ]
        for words, act in entries:
            self.menu.addAction(words).triggered.connect(lambda _=False, act=act: act())

    # ------------------------------------------------------------------ what is there
    def fill(self) -> None:
        """Show the positions that the document keeps; modes are listed on request."""
        live, text, before = self._desk.live, self.positions.currentText(), self._of
        self._of = self._desk.target
        text = text if self._of is before else ""
        every: dict[str, asm.Position] = {}
        with suppress(ReferenceError, RuntimeError):  # a joint is deleted: diagnosing tells
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
        self._keep(self.positions.currentText().strip(), lambda live: live.assembly)

    def keep_snapshot(self, label: str) -> None:
        """Keep where a snapshot has the parts, by its label."""
        self._keep(label, lambda live: at_snapshot(live, snapshot_named(live.tree, label)))

    def _keep(self, name: str, of: Callable[[asf.Live], asm.Assembly]) -> None:
        """Keep where an assembly stands."""
        live, given = self._desk.read(), list[asm.Assembly]()
        if live is None or not self._desk.tries(lambda: all_held(live.assembly)):
            return
        if not self._desk.tries(lambda: given.append(of(live))):
            return

        def done(found: asm.Position) -> None:
            if self._desk.writes(lambda: store(live, name, found)):
                self._desk.said.emit(f"Kept {name}: {told(found) or 'nothing moves'}", "good")
                self.fill()

        def work(**watch: Any) -> asm.Position:
            return asm.standing(given[0], **watch)

        self._desk.work(f"Keeping {name}", work, done)

    def delete(self) -> None:
        """Delete the chosen position."""
        name = self.positions.currentText()
        if self._desk.writes(lambda: asf.drop_position(self._desk.target, name)):
            self.positions.setEditText("")
            self.fill()

    # ------------------------------------------------------------------ files
    def _ask_source(self) -> None:
        path, _ = QtGui.QFileDialog.getOpenFileName(self, "Positions of a file", "", FILES)
        if path:
            self.keep_those_of(path)

    def _ask_target(self) -> None:
        path, _ = QtGui.QFileDialog.getSaveFileName(self, "The assembly as a file", "", FILES)
        if path:
            self.write(path)

    def keep_those_of(self, path: str) -> None:
        """Keep the positions of an assembly file, whose joints have the same names: all or none."""
        live, found = self._desk.read(), dict[str, asm.Position]()
        if live is None or not self._file(path, lambda: found.update(asm.read(path).positions)):
            return
        names = ", ".join(found)
        if not found:
            self._desk.note("That file has no positions.")
        elif self._desk.writes(lambda: store_all(live, found, f"Keep {names}")):
            self._desk.said.emit(f"Kept {names}.", "good")
            self.fill()

    def write(self, path: str) -> None:
        """Write the assembly with its positions as an assembly file."""
        live = self._desk.read()
        if live is not None and self._file(path, lambda: asm.write(live.assembly, path)):
            self._desk.said.emit(f"Wrote {path}", "good")

    def _file(self, path: str, act: Callable[[], None]) -> bool:
        """Read or write a file; whether it was possible.  Where not, it is told."""
        try:
            return self._desk.tries(act)
        except OSError as error:
            self._desk.fail(f"{path}: {error.strerror}")
            return False

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
