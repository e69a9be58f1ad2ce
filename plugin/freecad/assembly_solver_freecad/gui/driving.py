"""A drive under the hand: the model follows a slider, and its release is one undo step."""

from __future__ import annotations

from typing import Any

from PySide import QtCore

import assembly_solver as asm
import assembly_solver_freecad as asf

from .desk import Desk
from .drives import Drive, driven

PIECE = 1 / 40
"""Largest share of a drive's range that is gone in one solve, so that no loop jumps over."""

FINEST = 1 / 2000
"""Share of the range to which the place is found where a drive can go no further."""


class Driving(QtCore.QObject):
    """Leads an assembly after the values that are asked of one drive.

    Signals:
        came: where the drive stands now.
        let_go: it is over, and the document has the new placements.
    """

    came = QtCore.Signal(float)
    let_go = QtCore.Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._desk = desk
        self._timer = QtCore.QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._follow)
        self._drive: Drive | None = None
        self._session: asm.Session | None = None
        self._live: asf.Live | None = None
        self._at = self._asked = 0.0
        self._released = False

    @property
    def held(self) -> Drive | None:
        """The drive under the hand."""
        return self._drive

    @property
    def moving(self) -> bool:
        """Whether it is on its way to what was asked."""
        return bool(self._timer.isActive())

    def grab(self, drive: Drive) -> None:
        """Take hold of a drive; what is asked before the assembly is ready is done then."""
        if self._drive is not None or self._desk.jobs.running:
            return
        live = self._desk.read()
        if live is None:
            return
        self._drive, self._live, self._session = drive, live, None
        self._released, self._stopped = False, ""
        self._piece = PIECE * (drive.high - drive.low)
        self._at = self._asked = drive.value
        self._before = live.placements
        given = live.assembly

        def work(**watch: Any) -> asm.Session:
            assembly = given.copy()
            driven(assembly, drive, drive.value)
            return asm.Session(assembly)

        self._desk.jobs.start(f"Taking hold of {drive.name}", work, self._ready, self._lost)

    def ask(self, value: float) -> None:
        """Ask the drive to go to a value, mm or degrees."""
        self._asked = value
        if self._session is not None:
            self._timer.start()

    def release(self) -> None:
        """Let go: where it has come to becomes one undo step."""
        self._released = True
        if self._session is not None:
            self._timer.start()

    def _ready(self, session: asm.Session) -> None:
        self._session = session
        self._timer.start()

    def _lost(self, words: str) -> None:
        self._desk.fail(words)
        self._drive = None
        self.let_go.emit()

    def _follow(self) -> None:
        """One piece of the way, or the end of it."""
        drive, live, session = self._drive, self._live, self._session
        if drive is None or live is None or session is None:
            self._timer.stop()
            return
        left = self._asked - self._at
        if left:
            piece = self._piece
            value = self._at + min(max(left, -piece), piece) if abs(left) > piece else self._asked
            solution = session.set_driver(drive.driver or drive.name, value)
            if solution:
                self._at, self._stopped = value, ""
                live.place(session.poses)
                self.came.emit(value)
                return
            self._piece = 0.5 * min(piece, abs(left))
            if self._piece > FINEST * (drive.high - drive.low):
                return
            self._piece = PIECE * (drive.high - drive.low)
            self._asked = self._at
            stands = f"{drive.name} goes no further than {self._at:.6g} {drive.unit}"
            self._stopped = f"{stands}: {solution.sentence}"
            self._desk.said.emit(self._stopped, "note")
        self._timer.stop()
        if self._released:
            self._end(drive, live, session)

    def _end(self, drive: Drive, live: asf.Live, session: asm.Session) -> None:
        """Back to how it was, and there in one step."""
        live.restore(self._before)
        moved = self._at != drive.value
        if moved:
            words = f"Drive {drive.name} to {self._at:.6g} {drive.unit}"
            self._desk.move(live, session.poses, words)
        self._drive, self._session = None, None
        self.let_go.emit()
        if moved:
            self._desk.diagnose(self._stopped)
