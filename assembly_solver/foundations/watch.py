"""Time budget, cancellation and progress reports of one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from time import perf_counter
from typing import Any

from ..errors import BadValue

Progress = Callable[[int, int, str], object]
"""Called with the number of finished blocks, of all blocks, and the present activity in words."""


class Stopped(Exception):
    """A solve was cancelled or ran out of its budget.

    Attributes:
        by: "cancel" or "budget"; words: that and where, for people.
        closed: the partial result, set by the solver.
    """

    def __init__(self, by: str, words: str) -> None:
        super().__init__(words)
        self.by, self.words = by, words
        self.closed: Any = None


class Watch:
    """Budget, cancellation and progress of a call.

    Attributes:
        budget: seconds from `begun` after which the call is interrupted; None for no limit.
        cancel: called repeatedly; a true result interrupts the call.
        place: the present activity, for the message of an interruption.
        active: whether there is a budget, a cancellation or a progress function.
    """

    def __init__(
        self,
        budget: float | None = None,
        cancel: Callable[[], object] | None = None,
        progress: Progress | None = None,
        begun: float | None = None,
        place: str = "before the first block",
    ) -> None:
        if budget is not None and not (isfinite(budget) and budget >= 0):
            raise BadValue("budget", budget, "a number of seconds, 0 or more")
        self.budget, self.cancel, self.progress, self.place = budget, cancel, progress, place
        self.begun = perf_counter() if begun is None else begun
        self.active = budget is not None or cancel is not None or progress is not None
        self._rested: float | None = None

    def rest(self) -> None:
        """Stop the clock of the budget: the call has returned, its answer is not yet complete."""
        self._rested = perf_counter()

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the time within against the budget, though the clock rests."""
        if self._rested is None:
            yield
            return
        self.begun += perf_counter() - self._rested
        self._rested = None
        try:
            yield
        finally:
            self.rest()

    def check(self) -> None:
        """Raise `Stopped` where the call is cancelled or its budget spent; not while it rests."""
        if self._rested is not None:
            return
        if self.cancel is not None and self.cancel():
            raise Stopped("cancel", f"cancelled {self.place}")
        if self.budget is not None and perf_counter() - self.begun >= self.budget:
            raise Stopped("budget", f"stopped after the budget of {self.budget:g} s {self.place}")

    def over(self) -> bool:
        """Whether `check` would raise: for calls that take a function to cancel them."""
        try:
            self.check()
        except Stopped:
            return True
        return False

    def at_block(self, done: int, total: int, words: str) -> None:
        """Report the next block, and `check`."""
        self.place = f"in block {min(done + 1, total)} of {total}"
        self.tell(done, total, words)

    def tell(self, done: int, total: int, words: str) -> None:
        """Report progress, and `check`."""
        if self.progress is not None:
            self.progress(done, total, words)
        self.check()

    def searching(self, place: str) -> Watch:
        """The same for the inner solves of a search, which do not report blocks."""
        self.place = place
        inner = _SearchWatch(self.budget, self.cancel, self.progress, self.begun, place)
        inner._rested = self._rested
        return inner


class _SearchWatch(Watch):
    """Does not report the blocks of the inner solves."""

    def at_block(self, done: int, total: int, words: str) -> None:
        self.check()
