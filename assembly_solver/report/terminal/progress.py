"""A progress line on standard error for long calls, on terminals only."""

from __future__ import annotations

import sys
from threading import Lock, Timer
from types import TracebackType
from typing import TYPE_CHECKING

from ...foundations.jit import decorators
from ..visible import visible

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
