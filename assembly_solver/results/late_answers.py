"""Parts of an answer that are computed on first access, within what its call's budget left."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..foundations.watch import Stopped, Watch
from .wording.phrases import listed

Answer = TypeVar("Answer")


class LateAnswers:
    """Computes parts of an answer, and remembers what was left out, and why.

    The budget of the call counts on while a part is computed, not between.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.left: dict[str, Stopped] = {}

    def get(self, topic: str, compute: Callable[[], Answer], otherwise: Answer) -> Answer:
        """What `compute` returns; `otherwise` where the budget ended or the call was cancelled."""
        if topic in self.left:
            return otherwise
        try:
            with self.watch.counting():
                self.watch.check()
                return compute()
        except Stopped as stop:
            self.left[topic] = stop
            return otherwise

    @property
    def notes(self) -> list[str]:
        """What was left out, in one sentence, if anything was."""
        if not self.left:
            return []
        topics = list(self.left)
        verb = "was" if topics == ["redundancy"] else "were"
        why = "the call was cancelled"
        if self.left[topics[0]].by == "budget":
            why = f"the budget of {self.watch.budget:g} s ended"
        return [f"{listed(topics, len(topics))} {verb} not searched: {why}"]
