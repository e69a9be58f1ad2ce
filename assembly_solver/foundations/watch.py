"""Budget, cancel and progress of one call: who may stop a solve, and who is told how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from time import perf_counter
from typing import Any

from ..errors import BadValue

Progress = Callable[[int, int, str], object]
"""Called with blocks done, blocks in all, and what is being done now."""


class Stopped(Exception):
    """A solve was stopped: by whom and where; what had been reached is put into `closed`."""

    def __init__(self, by: str, words: str) -> None:
        super().__init__(words)
        self.by, self.words = by, words
        self.closed: Any = None


@dataclass
class Watch:
    """What a call asked for, and where it is now.

    Attributes:
        budget: seconds from `begun` after which it is stopped; None for no end.
        cancel: asked now and then; true stops it.
        progress: told of every block.
        place: where it is, in words, for the sentence of a stop.
    """

    budget: float | None = None
    cancel: Callable[[], object] | None = None
    progress: Progress | None = None
    begun: float = field(default_factory=perf_counter)
    place: str = "before the first block"

    def __post_init__(self) -> None:
        if self.budget is not None and not (isfinite(self.budget) and self.budget >= 0):
            raise BadValue("budget", self.budget, "a number of seconds, 0 or more")

    @property
    def active(self) -> bool:
        """Whether anybody asked for anything: otherwise nothing is cut into slices."""
        return not (self.budget is None and self.cancel is None and self.progress is None)

    def check(self) -> None:
        """Raise `Stopped` where the call was cancelled or its budget is spent."""
        if self.cancel is not None and self.cancel():
            raise Stopped("cancel", f"cancelled {self.place}")
        if self.budget is not None and perf_counter() - self.begun >= self.budget:
            raise Stopped("budget", f"stopped after the budget of {self.budget:g} s {self.place}")

    def at_block(self, done: int, total: int, words: str) -> None:
        """Note which block is next, tell it, and check."""
        self.place = f"in block {min(done + 1, total)} of {total}"
        self.tell(done, total, words)

    def tell(self, done: int, total: int, words: str) -> None:
        """Tell how far it is, and check."""
        if self.progress is not None:
            self.progress(done, total, words)
        self.check()

    def searching(self, place: str) -> Watch:
        """The same budget and cancel for the solves of a search, which tell no blocks."""
        self.place = place
        return _Search(self.budget, self.cancel, self.progress, self.begun, place)


class _Search(Watch):
    """Tells the search that it serves, not the blocks of its solves."""

    def at_block(self, done: int, total: int, words: str) -> None:
        self.check()
