"""A mate before it is made: the parts are drawn where it would bring them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide import QtCore

import assembly_solver as asm
import assembly_solver_freecad as asf

from ..mates import tried
from ..places import Selection
from .desk import Desk
from .names import in_user_units
from .stage import Stage

BUDGET = 1.0
"""Time that a preview may take, s: the window waits for it."""


class MatePreview(QtCore.QObject):
    """Draws the parts of the assembly as a mate would place them; the document does not change."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._desk = desk
        self._stage: Stage | None = None
        desk.aged.connect(self.clear)
        desk.reading.connect(self.clear)
        desk.closed.connect(self._forget)

    def show(self, selection: Selection, choice: Any, values: Mapping[str, Any]) -> str:
        """Draw what a mate would do; what came of it, in words and in the user's units."""
        self.clear()
        if self._desk.jobs.running or self._desk.target is None:
            return ""
        self._desk.player.stop()
        names: list[str] = []
        try:
            live = asf.read(self._desk.target)
            names = live.names
            given = tried(live, selection, choice, values)
            solution = asm.solve(given, budget=BUDGET)
        except asm.AssemblySolverError as error:
            return f"Preview: {in_user_units(str(error), names)}"
        if not solution:
            return f"Preview: {in_user_units(solution.sentence, names)}"
        self._stage = Stage(live)
        self._stage.show(solution.poses)
        return "Preview: this is where it brings the parts."

    def clear(self) -> None:
        """Draw the parts where the document has them."""
        if self._stage is not None:
            self._stage.clear()
        self._forget()

    def _forget(self) -> None:
        self._stage = None
