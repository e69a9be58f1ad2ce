"""Animation of the parts in the 3D view; the document does not change."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide import QtCore

import assembly_solver_freecad as asf
from assembly_solver import Pose

from .stage import Stage

PICTURE = 40
"""Time between two frames, ms."""


class Player(QtCore.QObject):
    """Plays frames in the view.

    Signals:
        shown: number of the frame that is shown.
        ended: playing has ended, and every part is drawn at its placement.
    """

    shown = QtCore.Signal(int)
    ended = QtCore.Signal()

    def __init__(self, parent: QtCore.QObject) -> None:
        super().__init__(parent)
        self._timer = QtCore.QTimer(self)
        self._timer.setInterval(PICTURE)
        self._timer.timeout.connect(self._next)
        self._stage: Stage | None = None

    @property
    def active(self) -> bool:
        """Whether frames are shown, playing or paused."""
        return self._stage is not None

    @property
    def running(self) -> bool:
        """Whether it is playing."""
        return bool(self._timer.isActive())

    def plays(self, frames: Any) -> bool:
        """Whether these are the loaded frames."""
        return self.active and self._frames is frames

    def load(self, live: asf.Live, parts: tuple[str, ...], frames: Any) -> None:
        """Load frames, in place of earlier ones.

        Args:
            live: the document's assembly; parts: names in the order of the frames.
            frames: (states, parts, 12), mm; invalid states (NaN) are skipped.
        """
        self.stop()
        known = np.flatnonzero(np.isfinite(frames).all(axis=(1, 2)))
        if not len(known):
            return
        self._stage, self._parts, self._frames = Stage(live), parts, frames
        self._known = known.tolist()
        self._at, self._way = 0, 1

    def run(self, start: int | None = None) -> None:
        """Play from a frame, or continue."""
        if not self.active:
            return
        if start is not None:
            self._at = min(range(len(self._known)), key=lambda k: abs(self._known[k] - start))
        self._timer.start()

    def pause(self) -> None:
        """Pause at the present frame."""
        self._timer.stop()

    def show(self, number: int) -> None:
        """Show a frame; the last valid one before it where it is invalid."""
        if self.active:
            self._at = max((k for k, n in enumerate(self._known) if n <= number), default=0)
            self._draw()

    def stop(self) -> None:
        """Draw every part at its placement again."""
        if self._stage is not None:
            self._stage.clear()
        self.forget()

    def forget(self) -> None:
        """Stop without touching a document that is being closed."""
        self._timer.stop()
        if self._stage is not None:
            self._stage = None
            self.ended.emit()

    def _next(self) -> None:
        """Show the next frame, reversing at the ends."""
        last = len(self._known) - 1
        if not 0 <= self._at + self._way <= last:
            self._way = -self._way
        self._at = min(max(self._at + self._way, 0), last)
        self._draw()

    def _draw(self) -> None:
        if self._stage is None:
            return
        number = self._known[self._at]
        frames = zip(self._parts, self._frames[number].tolist(), strict=True)
        self._stage.show({name: Pose.from_frame(frame) for name, frame in frames})
        self.shown.emit(number)
