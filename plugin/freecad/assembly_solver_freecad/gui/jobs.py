"""Background work: one job at a time in a thread, with progress and cancellation.

The document is read and written in the window's thread only; jobs take and return plain data.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any

import FreeCAD
from PySide import QtCore

from assembly_solver import AssemblySolverError

LOOK = 40
"""Interval at which the window polls a job, ms."""


class Jobs(QtCore.QObject):
    """Runs one job at a time.

    Signals:
        busy: a job began (its words) or ended ("").
        progress: done, total, and the present step in words.
    """

    busy = QtCore.Signal(str)
    progress = QtCore.Signal(int, int, str)

    def __init__(self, parent: QtCore.QObject) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._news: tuple[int, int, str] | None = None
        self._answer: Any = None
        self._error: BaseException | None = None
        self._done: Callable[[Any], None] = _nobody
        self._failed: Callable[[str], None] = _nobody
        self._timer = QtCore.QTimer(self)
        self._timer.setInterval(LOOK)
        self._timer.timeout.connect(self._look)

    @property
    def running(self) -> bool:
        """Whether a job is under way."""
        return self._thread is not None

    @property
    def cancelled(self) -> bool:
        """Whether the last job was asked to stop."""
        return self._stop.is_set()

    def start(
        self,
        words: str,
        work: Callable[..., Any],
        done: Callable[[Any], None],
        failed: Callable[[str], None],
    ) -> None:
        """Run `work(progress=..., cancel=...)`, then `done` with its result in the window's thread.

        Nothing else may be running.

        Args:
            words: description shown meanwhile.
            work: must not access the document.
            failed: called with a sentence where the work raises.
        """
        assert not self.running, words
        self._stop.clear()
        self._news, self._answer, self._error = None, None, None
        self._done, self._failed = done, failed
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self.busy.emit(words)
        self._thread.start()
        self._timer.start()

    def cancel(self) -> None:
        """Request the job to stop; it does at its next check."""
        self._stop.set()

    def _run(self, work: Callable[..., Any]) -> None:
        try:
            self._answer = work(progress=self._tell, cancel=self._stop.is_set)
        except BaseException as error:
            self._error = error

    def _tell(self, done: int, total: int, words: str) -> None:
        self._news = (done, total, words)

    def _look(self) -> None:
        """Forward progress and the end of the job."""
        thread, news = self._thread, self._news
        self._news = None
        if news is not None:
            self.progress.emit(*news)
        if thread is None or thread.is_alive():
            return
        self._timer.stop()
        self._thread = None
        self.busy.emit("")
        if self._error is None:
            self._done(self._answer)
        else:
            self._failed(in_words(self._error))


def in_words(error: BaseException) -> str:
    """An error as a sentence for the panel; an unexpected one is printed to the console too."""
    if isinstance(error, AssemblySolverError):
        return str(error)
    FreeCAD.Console.PrintError("".join(traceback.format_exception(error)))
    return f"The add-on failed ({type(error).__name__}: {error}); the report view has the details."


def _nobody(_: Any) -> None:
    """Default callback: do nothing."""
