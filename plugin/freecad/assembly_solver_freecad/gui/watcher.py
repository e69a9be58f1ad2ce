"""Sees what happens to documents, so that nothing is shown that is not true any more."""

from __future__ import annotations

from typing import Any

from PySide import QtCore

CALM = 150
"""Time for which a document has to be left alone before the panel looks at it again, ms."""


class Watcher:
    """An observer of documents as FreeCAD wants it: its methods are found by their names.

    Args:
        panel: told when another document comes to the front, or the assembly changes.
    """

    def __init__(self, panel: Any) -> None:
        self._panel = panel
        self._timer = QtCore.QTimer(panel)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CALM)
        self._timer.timeout.connect(panel.look)

    def later(self) -> None:
        """Have the panel look when nothing has happened for a while."""
        self._timer.start()

    def slotActivateDocument(self, document: Any) -> None:  # noqa: N802
        """Another document is in front."""
        self.later()

    def slotDeletedDocument(self, document: Any) -> None:  # noqa: N802
        """A document is being closed."""
        if self._panel.desk.about(document):
            self._panel.desk.close()
        self.later()

    def slotCreatedObject(self, thing: Any) -> None:  # noqa: N802
        """There may be a new part, joint or assembly."""
        self._changed(thing.Document)
        self.later()

    def slotDeletedObject(self, thing: Any) -> None:  # noqa: N802
        """There may be a part, a joint or an assembly less."""
        self._changed(thing.Document)
        self.later()

    def slotUndoDocument(self, document: Any) -> None:  # noqa: N802
        """What was found is of before, and so may be the list of assemblies."""
        self._changed(document)
        self.later()

    def slotRedoDocument(self, document: Any) -> None:  # noqa: N802
        """What was found is of before, and so may be the list of assemblies."""
        self._changed(document)
        self.later()

    def slotChangedObject(self, thing: Any, name: str) -> None:  # noqa: N802
        """A part was moved or a joint was changed."""
        if name == "Label":
            self.later()
        if name not in QUIET:
            self._changed(thing)

    def slotRelabelDocument(self, document: Any) -> None:  # noqa: N802
        """A document has another name."""
        self.later()

    def _changed(self, thing: Any) -> None:
        """Something was changed, by whom is known by whether the panel is writing."""
        desk = self._panel.desk
        if not desk.writing and desk.about(thing):
            desk.age()


QUIET = ("Visibility", "Label2", "ExpressionEngine")
"""Properties that mean nothing to an assembly."""
