"""Mates that seem to contradict each other, with other senses than those nearest to the start."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

from ..diagnosis.conflicts import Conflict
from ..diagnosis.proof.impossible import impossible
from ..diagnosis.subset_solver import held_by_weights
from ..diagnosis.subsets import constraint_names, subset
from ..equations.places import constraints_by_tilt
from ..equations.residuals import residual_of
from ..equations.system import System, compile_system, senses_at_odds
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..model.assembly import Assembly
from ..solver.sizes import is_small
from .sense_search import PATIENCE


def held_with_other_senses(
    given: Assembly, conflict: Conflict, reverse: frozenset[str], watch: Watch
) -> tuple[frozenset[str], Array] | None:
    """The senses of a few mates to turn with which they hold, and poses there, (parts, 12), if any.

    The fewest senses, the most tilted at the start first.  Descents from there go by random
    weights: a set in which one mate is redundant has few poses, and its squared residual alone
    leads elsewhere.  A driver or a limit is no reason to turn a sense, and sets that are proved to
    contradict each other do so with either.

    Args:
        given: with its nearest senses; reverse: the mates whose senses were reversed already.
    """
    every, names = constraint_names(given), conflict.constraints
    if not all(name in given.held for name in names):
        return None
    alone = subset(given, [every.index(name) for name in names])
    system = compile_system(alone, reverse)
    if not is_small(system) or impossible(alone) is not None:
        return None
    for turned in islice(_choices(alone, system, reverse, watch), PATIENCE):
        found = held_by_weights(alone, compile_system(alone, reverse ^ turned), watch)
        if found is not None:
            return turned, found
    return None


def _choices(
    alone: Assembly, system: System, reverse: frozenset[str], watch: Watch
) -> Iterator[frozenset[str]]:
    """Senses to turn that can hold together; equally tilted ones by their places."""
    order = constraints_by_tilt(system, residual_of(system, system.start).turns)
    names = [system.constraints[k] for k in order]
    free = [n for n in names if alone.held[n].chosen_by is not None]
    for count in range(1, len(free) + 1):
        for turned in map(frozenset, combinations(free, count)):
            watch.check()  # there may be many of which none can
            if not len(senses_at_odds(alone, reverse ^ turned)):
                yield turned
