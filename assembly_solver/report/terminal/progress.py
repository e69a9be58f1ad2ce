"""A progress line on standard error for long calls, on terminals only."""

from __future__ import annotations

import sys
from threading import Lock, Timer
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

from ...foundations.jit import decorators
from ...foundations.markup.visible import visible

if TYPE_CHECKING:
    from rich.status import Status
    from rich.text import Text

AFTER = 0.5
"""Delay of the progress line, s: shorter calls show none."""

COMPILING = "compiling, which is done once on this machine: up to half a minute"


class Waiting:
    """Shows a progress line after half a second, on a terminal only, until the call ends."""

    def __init__(self) -> None:
        self._words = "reading the structure"
        self._status: Status | None = None
        self._ended = False
        self._first: tuple[int, float] | None = None
        self._lock = Lock()
        self._timer = Timer(AFTER, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Waiting:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._ended = True
            self._timer.cancel()
            if self._status is not None:
                self._status.stop()

    def tell(self, done: int, total: int, words: str) -> None:
        """Report progress; a `Progress` callback."""
        self._words = f"{words} ({done} of {total})"

    def tell_time(self, done: int, total: int, words: str) -> None:
        """The same, with the time left if it goes on as since the first report."""
        first, begun = self._first = self._first or (done, monotonic())
        self.tell(done, total, words)
        if done > first:
            left = (monotonic() - begun) * (total - done) / (done - first)
            self._words += f", {duration(left)} left"

    def __rich__(self) -> Text:
        """The present line; rich calls this at each refresh of the terminal."""
        from rich.text import Text

        words = COMPILING if decorators.compiles() else self._words
        return Text(visible(words), no_wrap=True, overflow="ellipsis")

    def _show(self) -> None:
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if not self._ended:
                self._status = Status(self, console=Console(stderr=True))
                self._status.start()


def duration(seconds: float) -> str:
    """A time in the two largest of days, hours, minutes and seconds."""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    days, h = divmod(hours, 24)
    parts = [(days, "d"), (h, "h"), (m, "min"), (s, "s")]
    first = next((k for k, (number, _) in enumerate(parts) if number), 3)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2])
