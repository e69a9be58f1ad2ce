"""Results of a solve in plain data: the outcome, the work done, the residuals of each mate."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple


class Outcome(Enum):
    """The outcome of a solve."""

    SOLVED = "every mate holds within tolerance"
    CONFLICTING = "mates contradict each other; see conflicts for the smallest sets"
    NOT_CONVERGED = "no solution was found and none was excluded; try nearer start poses"


class Counts(NamedTuple):
    """Work done: exact inverses, rank-one updates, perturbations, iterations, blocks solved."""

    inverses: int
    updates: int
    perturbations: int
    iterations: int
    blocks: int


class MateResult(NamedTuple):
    """The result of one mate or driver: whether it holds, its largest residuals, mm and degrees."""

    name: str
    kind: str
    holds: bool
    residual_mm: float
    residual_deg: float
    sense: str | None

    def to_dict(self) -> dict[str, Any]:
        out = self._asdict()
        if self.sense is None:
            del out["sense"]
        return out


SENSE_NAMES = {1: "aligned", -1: "opposed", 0: None}
