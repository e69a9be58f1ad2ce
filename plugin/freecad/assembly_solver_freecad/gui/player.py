"""Frames of the parts shown one after the other in the 3D view; afterwards nothing has changed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import FreeCADGui
import numpy as np
from PySide import QtCore

import assembly_solver_freecad as asf
from assembly_solver import Pose

PICTURE = 40
"""Time between two pictures, ms."""


class Player(QtCore.QObject):
    """Plays frames and puts the document back as it was when it is stopped.

    Signals:
        shown: number of the frame that is shown.
        ended: the playing is over, and the document as it was.
    """

    shown = QtCore.Signal(int)
    ended = QtCore.Signal()

    def __init__(self, parent: QtCore.QObject) -> None:
        super().__init__(parent)
        self._timer = QtCore.QTimer(self)
        self._timer.setInterval(PICTURE)
        self._timer.timeout.connect(self._next)
        self._live: asf.Live | None = None

    @property
    def active(self) -> bool:
        """Whether frames are on show, running or paused."""
        return self._live is not None

    @property
    def running(self) -> bool:
        """Whether it runs by itself."""
        return bool(self._timer.isActive())

    def plays(self, frames: Any) -> bool:
        """Whether these are the frames on show."""
        return self.active and self._frames is frames

    def load(self, live: asf.Live, parts: tuple[str, ...], frames: Any, to_and_fro: bool) -> None:
        """Take frames to show, after putting back what was shown before.

        Args:
            live: the document's assembly; parts: names in the order of the frames.
            frames: (states, parts, 12), mm; states that are not known are left out.
            to_and_fro: whether it runs back from the last frame instead of beginning again.
        """
        self.stop()
        known = np.flatnonzero(np.isfinite(frames).all(axis=(1, 2)))
        if not len(known):
            return
        self._live, self._parts, self._frames = live, parts, frames
        self._known, self._to_and_fro = known.tolist(), to_and_fro
        self._before = live.placements
        self._modified = _view_of(live).Modified
        self._at, self._way = 0, 1

    def run(self, start: int | None = None) -> None:
        """Run from a frame, or go on."""
        if not self.active:
            return
        if start is not None:
            self._at = min(range(len(self._known)), key=lambda k: abs(self._known[k] - start))
        self._timer.start()

    def pause(self) -> None:
        """Stay at the frame that is shown."""
        self._timer.stop()

    def show(self, number: int) -> None:
        """Show one frame; the one before it where that is not known."""
        if self.active:
            self._at = max((k for k, n in enumerate(self._known) if n <= number), default=0)
            self._draw()

    def stop(self) -> None:
        """Put everything back where it was before anything was shown."""
        self._timer.stop()
        live = self._live
        if live is None:
            return
        live.restore(self._before)
        with suppress(AttributeError):  # which 0.20 does not let be set
            _view_of(live).Modified = self._modified
        self._live = None
        self.ended.emit()

    def forget(self) -> None:
        """Stop without touching a document that is being closed."""
        self._timer.stop()
        self._live = None
        self.ended.emit()

    def _next(self) -> None:
        """The next frame, turning round at the ends."""
        last = len(self._known) - 1
        if not 0 <= self._at + self._way <= last:
            if self._to_and_fro:
                self._way = -self._way
            else:
                self._at = -self._way
        self._at = min(max(self._at + self._way, 0), last)
        self._draw()

    def _draw(self) -> None:
        if self._live is None:
            return
        number = self._known[self._at]
        frames = zip(self._parts, self._frames[number].tolist(), strict=True)
        self._live.place({name: Pose.from_frame(frame) for name, frame in frames})
        self.shown.emit(number)


def _view_of(live: asf.Live) -> Any:
    return FreeCADGui.getDocument(live.document.Name)
