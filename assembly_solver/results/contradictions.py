"""The contradictions of a solve, with their proofs and remedies; all computed on first access."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

from ..diagnosis.conflicts import Conflict
from ..diagnosis.least_largest import accepting_tolerance
from ..diagnosis.proof.impossible import Impossible
from ..diagnosis.remedies import Remedy, remedy_of
from ..diagnosis.subsets import constraint_names
from ..model.assembly import Assembly
from .late_answers import LateAnswers
from .solve_result import SolveResult
from .wording.contradictions import conflict_entry, conflict_fact, proof_of


class Contradictions:
    """What is said of constraints that do not hold.

    Args:
        given: the assembly as it was solved; found: its contradictory sets.
        late: gives what is computed on demand, within the budget.
    """

    def __init__(
        self, given: Assembly, found: tuple[Conflict, ...], result: SolveResult, late: LateAnswers
    ) -> None:
        self.given, self.found, self.late = given, found, late
        self._trial, self._watch = result.trial(), result.watch

    def entries(self) -> list[dict[str, Any]]:
        """Each set, and what resolves it, as the result object has it."""
        sought = (self.late.get("remedies", partial(self._remedy, c), None) for c in self.found)
        every = zip(self.found, sought, self._proofs, strict=True)
        return [conflict_entry(c, remedy, proof, self.given) for c, remedy, proof in every]

    @property
    def first_fact(self) -> str:
        """Which constraints of the first set contradict each other, in words."""
        return conflict_fact(self.found[0], self.given, self._proofs[0] is not None)

    @cached_property
    def accepting(self) -> float | None:
        """A small tolerance at which everything holds, mm, where that was tried and is so."""
        if self._trial.exhausted:
            return None

        def found() -> float | None:
            self._trial.watch = self._watch.searching("while a tolerance was looked for")
            return accepting_tolerance(self._trial, range(len(constraint_names(self.given))))

        return self.late.get("tolerances that accept it", found, None)

    @cached_property
    def _proofs(self) -> list[Impossible | None]:
        return [proof_of(c, self.given) for c in self.found]

    def _remedy(self, c: Conflict) -> Remedy:
        self._trial.watch = self._watch.searching("while remedies were looked for")
        return remedy_of(self._trial, c, self.found)
