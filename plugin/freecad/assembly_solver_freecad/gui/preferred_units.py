"""What follows FreeCAD's preferences of units while the panel is open."""

from __future__ import annotations

import FreeCAD
from PySide import QtCore

from ..units import SETTINGS
from .timers import once

KEYS = ("UserSchema", "Decimals")
"""The preferences that numbers are shown by."""

CALM = 50
"""Time after a change until numbers are shown anew, ms: FreeCAD stores first, and follows then."""


class PreferredUnits(QtCore.QObject):
    """Observes the preferences; FreeCAD finds its method by its name.

    Signals:
        changed: numbers are shown in other units, or with other decimals, from now on.
    """

    changed = QtCore.Signal()

    def __init__(self, parent: QtCore.QObject) -> None:
        super().__init__(parent)
        self._timer = once(self, CALM, self.changed.emit)
        self._settings = FreeCAD.ParamGet(SETTINGS)  # observed as long as it is there
        self._settings.Attach(self)

    def onChange(self, _: object, key: str) -> None:  # noqa: N802
        """A preference was changed."""
        if key in KEYS:
            self._timer.start()
