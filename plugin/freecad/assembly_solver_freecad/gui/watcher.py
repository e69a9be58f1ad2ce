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

    def slotActivateDocument(self, document: Any) -> None:  # noqa: N802
        """Another document is in front."""
        self._timer.start()

    def slotDeletedDocument(self, document: Any) -> None:  # noqa: N802
        """A document is being closed."""
        desk = self._panel.desk
        if desk.live is not None and desk.live.document is document:
            desk.player.forget()
            desk.live, desk.solution = None, None
        self._timer.start()

    def slotCreatedObject(self, thing: Any) -> None:  # noqa: N802
        """There may be a new assembly."""
        self._timer.start()

    def slotDeletedObject(self, thing: Any) -> None:  # noqa: N802
        """There may be an assembly less."""
        self._timer.start()

    def slotUndoDocument(self, document: Any) -> None:  # noqa: N802
        """What was found is of before."""
        self._old(document)

    def slotRedoDocument(self, document: Any) -> None:  # noqa: N802
        """What was found is of before."""
        self._old(document)

    def slotChangedObject(self, thing: Any, name: str) -> None:  # noqa: N802
        """A part was moved or a joint was changed, by somebody else."""
        desk = self._panel.desk
        if desk.live is None or desk.writing or desk.player.active or name in QUIET:
            return
        if thing in desk.live.parts.values() or thing in desk.live.joints.values():
            self._old(thing.Document)

    def _old(self, document: Any) -> None:
        desk = self._panel.desk
        same = desk.live is not None and desk.live.document is document
        if same and not desk.jobs.running and not self._panel.driving:
            self._panel.say("The document has changed since; diagnose again.", "plain")


QUIET = ("Visibility", "Label2", "ExpressionEngine")
"""Properties that mean nothing to an assembly."""
