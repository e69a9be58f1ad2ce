"""An observer of documents, so that the panel shows no outdated result."""

from __future__ import annotations

from typing import Any

from .timers import once

CALM = 150
"""Time without changes of a document until the panel is updated, ms."""


class Watcher:
    """An observer of documents; FreeCAD finds its methods by their names.

    Args:
        panel: updated when the active document or its assembly changes.
    """

    def __init__(self, panel: Any) -> None:
        self._panel = panel
        self._timer = once(panel, CALM, panel.look)

    def later(self) -> None:
        """Update the panel when nothing has changed for a while."""
        self._timer.start()

    def slotActivateDocument(self, document: Any) -> None:  # noqa: N802
        """Another document is active."""
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
        """The result is outdated, and perhaps the list of assemblies."""
        self._changed(document)
        self.later()

    def slotRedoDocument(self, document: Any) -> None:  # noqa: N802
        """The result is outdated, and perhaps the list of assemblies."""
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
        """An object was changed, by the panel if that is writing."""
        desk = self._panel.desk
        if not desk.writing and desk.about(thing):
            desk.age()


QUIET = ("Visibility", "Label2", "ExpressionEngine")
"""Properties that do not affect an assembly."""
