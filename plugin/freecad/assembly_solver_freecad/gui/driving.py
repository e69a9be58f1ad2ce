"""Interactive driving: the model follows a slider, and its release is one undo step."""

from __future__ import annotations

from typing import Any

from PySide import QtCore

import assembly_solver_freecad as asf

from ..units import shown
from .desk import Desk
from .drives import Drive
from .reach import DriveReach
from .stage import Stage
from .timers import once

LINGER = 500
"""Time after the last wheel or key event until the drive counts as released, ms."""


class InteractiveDrive(QtCore.QObject):
    """Moves an assembly to the requested values of one drive.

    The document is read and the motion planned when a drive is grabbed; then only the view follows,
    until the release writes the placements.

    Signals:
        ready: its `DriveReach` is computed.
        came: the value that was reached.
        let_go: the drive was released.
    """

    ready = QtCore.Signal(object)
    came = QtCore.Signal(float)
    let_go = QtCore.Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._desk = desk
        self._soon = once(self, 0, self._follow)
        self._later = once(self, LINGER, self.release)
        self._drive: Drive | None = None
        self._reach: DriveReach | None = None
        self._stage: Stage | None = None
        self._live: asf.Live | None = None
        self._at = self._asked = 0.0
        self._stopped = ""
        self._released = False
        desk.aged.connect(self.drop)
        desk.closed.connect(self._leave)
        desk.reading.connect(self._settle)

    @property
    def held(self) -> Drive | None:
        """The grabbed drive."""
        return self._drive

    @property
    def moving(self) -> bool:
        """Whether it is moving to the requested value."""
        return self._soon.isActive() or (self._drive is not None and self._reach is None)

    def grab(self, drive: Drive) -> bool:
        """Grab a drive; requests before the assembly is ready are done then.

        Returns:
            Whether it is grabbed; false while another job runs.
        """
        if self._drive is not None or self._desk.jobs.running:
            return False
        live = self._desk.read()
        if live is None:
            return False
        self._drive, self._live, self._reach = drive, live, None
        self._released, self._stopped = False, ""
        self._at = self._asked = drive.value
        given = live.assembly

        def work(cancel: Any, **watch: Any) -> DriveReach | None:
            reach = DriveReach(given, drive, cancel=cancel)
            return None if cancel() else reach

        self._desk.jobs.start(f"Taking hold of {drive.name}", work, self._taken, self._lost)
        return True

    def ask(self, value: float) -> None:
        """Request a value, mm or degrees."""
        self._asked = value
        self._later.stop()
        self._soon.start()

    def release(self) -> None:
        """Release the drive: its present value becomes one undo step."""
        self._released = True
        self._later.stop()
        self._soon.start()

    def linger(self) -> None:
        """Release after a pause, so that wheel and key events become one undo step."""
        self._later.start()

    def drop(self) -> None:
        """Cancel: the document was changed elsewhere."""
        if self._drive is None:
            return
        if self._stage is not None:
            self._stage.clear()
        self._forget()

    def _leave(self) -> None:
        """Cancel without touching a document that is being closed."""
        if self._drive is not None:
            self._forget()

    def _taken(self, reach: DriveReach | None) -> None:
        """The reach was computed or cancelled."""
        if self._drive is None or self._live is None:
            return
        if reach is None:
            self._forget()
            return
        self._reach, self._stage = reach, Stage(self._live)
        self._at = reach.drive.value
        self.ready.emit(reach)
        self._soon.start()

    def _lost(self, words: str) -> None:
        self._forget()
        self._desk.fail(words)

    def _forget(self) -> None:
        self._soon.stop()
        self._later.stop()
        self._drive, self._reach, self._stage, self._live = None, None, None, None
        self.let_go.emit()

    def _follow(self) -> None:
        """Move to the last request, or as far as possible."""
        reach, stage = self._reach, self._stage
        if reach is None or stage is None:
            return
        value, words = reach.stop(self._asked)
        if value != self._at:
            stage.show(reach.at(value))
            self._at = value
            self.came.emit(value)
        if words != self._stopped:
            self._stopped = words
            meaning = "note" if words else "busy"
            self._desk.said.emit(words or f"Driving {reach.drive.name}", meaning)
        if self._released and self._end(reach, stage):
            self._desk.diagnose(words)

    def _settle(self) -> None:
        """Release before the document is read elsewhere."""
        reach, stage = self._reach, self._stage
        if reach is not None and stage is not None:
            self._at = reach.stop(self._asked).value
            self._end(reach, stage)

    def _end(self, reach: DriveReach, stage: Stage) -> bool:
        """Write the shown poses to the document; returns whether anything moved."""
        live, at = self._live, self._at
        moved = at != reach.drive.value
        stage.clear()
        if moved and live is not None:
            words = f"Drive {reach.drive.name} to {shown(at, reach.drive.unit)}"
            self._desk.move(live, reach.at(at), words)
        self._forget()
        return moved
