"""Irreducible sets by division: which of many constraints, together, have an effect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Trials(Protocol):
    """What a set of constraints is tried on.

    Attributes:
        exhausted: whether no further set is tried: a set that is found then may be reducible.
    """

    @property
    def exhausted(self) -> bool: ...

    def holds(self, constraints: Sequence[int]) -> bool:
        """Whether a set does *not* have the effect; then no part of it has."""


def irreducible(
    trials: Trials, suspects: list[int], background: Sequence[int] = (), added: bool = False
) -> list[int]:
    """The members of `suspects` in an irreducible set that has the effect, with `background`.

    Args:
        suspects: have the effect together, those to be kept first; added: whether `background` has
            grown since it was tried.

    Source: Junker 2004, QuickXplain.
    """
    if added and (trials.exhausted or not trials.holds(background)):
        return []
    if len(suspects) == 1 or trials.exhausted:
        return suspects
    half = len(suspects) // 2
    first, second = suspects[:half], suspects[half:]
    needed = irreducible(trials, second, [*background, *first], bool(first))
    rest = irreducible(trials, first, [*background, *needed], bool(needed))
    return rest + needed
