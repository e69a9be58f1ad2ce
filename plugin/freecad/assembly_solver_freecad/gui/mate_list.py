"""The joints and mates of the assembly, named by what they join, and what can be done to each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import FreeCADGui
from PySide import QtCore, QtGui

import assembly_solver as asm
import assembly_solver_freecad as asf

from ..editing import suppressed, title
from .desk import Desk
from .labels import low_list
from .names import picked_elements, select
from .timers import once

CALM = 200
"""Time without changes of the document until the list is read again, ms."""

OBJECT = QtCore.Qt.UserRole


class MateList(QtGui.QWidget):
    """A line with the icon of each joint and mate; buttons edit, switch off, flip, choose again."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        column = QtGui.QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        head = QtGui.QLabel("<b>Joints and mates</b>")
        self.list = low_list("mates")
        self.list.currentRowChanged.connect(self._enable)
        self.list.itemClicked.connect(self._pick)
        self.list.itemDoubleClicked.connect(lambda _: self.edit())
        self.buttons: dict[str, QtGui.QPushButton] = {}
        row = QtGui.QHBoxLayout()
        for name, act in (
            ("Edit", self.edit),
            ("Switch off", self.switch),
            ("Flip", self.flip),
            ("Choose again", self.choose),
        ):
            row.addWidget(self._button(name, act))
        for item in (head, self.list):
            column.addWidget(item, 1 if item is self.list else 0)
        column.addLayout(row)
        self._soon = once(self, CALM, self.fill)
        desk.changed.connect(self._soon.start)
        desk.aged.connect(self._soon.start)
        self._live: asf.Live | None = None
        self._enable()

    def _button(self, name: str, act: Callable[[], None]) -> QtGui.QPushButton:
        button = QtGui.QPushButton(name)
        button.setObjectName(f"{name.lower()} mate")
        button.clicked.connect(lambda _=False: act())
        self.buttons[name] = button
        return button

    def showEvent(self, event: Any) -> None:  # noqa: N802
        """Show what is there now."""
        self._soon.start()
        super().showEvent(event)

    # ------------------------------------------------------------------ what is there
    def fill(self) -> None:
        """Read the joints and mates again, while the page is visible and nothing moves."""
        if not self.isVisible() or self._desk.jobs.running:
            return
        chosen = self.chosen
        self._live = None
        if self._desk.target is not None:
            try:
                self._live = asf.read(self._desk.target)
            except asm.AssemblySolverError:
                self._live = None  # the commands tell why
        self.list.blockSignals(True)  # of lines whose joints are not there any more
        self.list.clear()
        self.list.blockSignals(False)
        if self._live is not None:
            self._add(self._live, chosen)
        self._enable()

    def _add(self, live: asf.Live, chosen: str | None) -> None:
        """Add the lines, and choose the one that was chosen."""
        for name, joint in live.joints.items():
            off = suppressed(joint)
            item = QtGui.QListWidgetItem(title(live, name) + (": off" if off else ""))
            item.setData(OBJECT, name)
            item.setIcon(joint.ViewObject.Icon)  # of its kind, as in the tree
            item.setForeground(self._shade(off))
            self.list.addItem(item)
            if joint.Name == chosen:
                self.list.setCurrentItem(item)

    def _shade(self, off: bool) -> Any:
        group = QtGui.QPalette.Disabled if off else QtGui.QPalette.Active
        return self.palette().brush(group, QtGui.QPalette.Text)

    @property
    def joint(self) -> Any:
        """The chosen joint or mate; None where none is."""
        item = self.list.currentItem()
        return None if item is None or self._live is None else self._live.joints[item.data(OBJECT)]

    @property
    def chosen(self) -> str | None:
        """The name of its object."""
        try:
            return None if self.joint is None else str(self.joint.Name)
        except ReferenceError:
            return None  # it was deleted

    def _enable(self, _: int = 0) -> None:
        """Enable what can be done to the chosen one; tips of the others say what is missing."""
        joint = self.joint if self.chosen is not None else None
        own, off = hasattr(joint, "MateKind"), joint is not None and suppressed(joint)
        flips = hasattr(joint, "JointType") or hasattr(joint, "Sense")
        self.buttons["Switch off"].setText("Switch on" if off else "Switch off")
        which = "Choose a joint or a mate in the list."
        for name, can, why in (
            ("Edit", True, "Change its values"),
            ("Switch off", True, "Leave it out, or not any more; nothing is deleted"),
            ("Flip", flips and not off, "Turn it over: faces look the other way"),
            ("Choose again", own, "Take the selected elements instead of its own"),
        ):
            self.buttons[name].setEnabled(joint is not None and can)
            self.buttons[name].setToolTip(why if joint is not None else which)

    def _pick(self, item: Any) -> None:
        """Select it in the tree, and its elements in the view."""
        if self._live is not None:
            select(self._live, [item.data(OBJECT)])

    # ------------------------------------------------------------------ what is done to it
    def edit(self) -> None:
        """Open FreeCAD's dialog of a joint; show the properties of a mate."""
        joint = self.joint
        if joint is None or self._live is None:
            return
        if hasattr(joint, "JointType"):
            import JointObject

            view = joint.ViewObject
            if view.Proxy is None:  # of a joint made without a window
                JointObject.ViewProviderJoint(view)
            view.Proxy.doubleClicked(view)
        else:
            FreeCADGui.Selection.clearSelection()
            FreeCADGui.Selection.addSelection(joint)

    def switch(self) -> None:
        """Switch it off, or on again."""
        joint = self.joint
        self._do(lambda: asf.suppress(joint, not suppressed(joint)))

    def flip(self) -> None:
        """Turn it over."""
        joint = self.joint
        self._do(lambda: asf.flip(joint))

    def choose(self) -> None:
        """Give a mate the elements that are selected now."""
        joint = self.joint
        self._do(lambda: asf.rechoose(joint, picked_elements()))

    def _do(self, act: Callable[[], None]) -> None:
        self._desk.reading.emit()
        if self._desk.tries(act):
            self._desk.diagnose()
