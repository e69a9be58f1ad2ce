"""A progress line on standard error for long calls, on terminals only."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from types import FrameType, TracebackType

from ...foundations.jit import decorators
from ...foundations.markup.visible import visible
from .layout import cells, columns_of

AFTER, AGAIN = 0.5, 0.1
"""Delay of the progress line, s: shorter calls show none; and between two of its states."""

COMPILING = "compiling, which is done once on this machine: up to half a minute"


class Waiting:
    """Shows a progress line after half a second, on a terminal only, until the call ends.

    An interrupt is raised again at the next report if it was lost: what a compiler's callback
    raises, Python ignores.
    """

    def __init__(self) -> None:
        self._words = "reading the structure"
        self._interrupted, self._handler = False, signal.getsignal(signal.SIGINT)
        self._first: tuple[int, float] | None = None
        self._ended = Event()
        self._thread = Thread(target=self._show, daemon=True)

    def __enter__(self) -> Waiting:
        if current_thread() is main_thread() and callable(self._handler):
            signal.signal(signal.SIGINT, self._interrupt)
        if sys.stderr.isatty():
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        if signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, self._handler)
        if self._thread.ident is not None:
            self._thread.join()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._interrupted = True
        if callable(self._handler):
            self._handler(number, frame)

    def tell(self, done: int, total: int, words: str) -> None:
        """Report progress; a `Progress` callback."""
        if self._interrupted:
            raise KeyboardInterrupt
        self._words = f"{words} ({done} of {total})"

    def tell_time(self, done: int, total: int, words: str) -> None:
        """The same, with the time left if it goes on as since the first report."""
        first, begun = self._first = self._first or (done, monotonic())
        self.tell(done, total, words)
        if done > first:
            left = (monotonic() - begun) * (total - done) / (done - first)
            self._words += f", {duration(left)} left"

    @property
    def line(self) -> str:
        """The present line."""
        words = visible(COMPILING if decorators.compiles() else self._words).replace("\n", " ")
        columns = columns_of(sys.stderr)
        while cells(words) >= columns and len(words) > 1:
            words = words[:-2] + "…"
        return words

    def _show(self) -> None:
        """Write the line over the last one, and blanks in the end."""
        shown, delay = "", AFTER
        while not self._ended.wait(delay):
            line, delay = self.line, AGAIN
            _write(line + " " * (cells(shown) - cells(line)))
            shown = line
        if shown:
            _write(" " * cells(shown))


def _write(line: str) -> None:
    """Write a line to the terminal, and return to its begin."""
    with suppress(OSError, ValueError):  # it is closed
        sys.stderr.write(f"\r{line}\r")
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """A time in the two largest of days, hours, minutes and seconds."""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    days, h = divmod(hours, 24)
    parts = [(days, "d"), (h, "h"), (m, "min"), (s, "s")]
    first = next((k for k, (number, _) in enumerate(parts) if number), 3)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2])
