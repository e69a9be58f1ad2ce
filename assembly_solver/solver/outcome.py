"""What came of a solve, in plain data: the outcome, the work done, how each mate came out."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple


class Outcome(Enum):
    """What came of a solve."""

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
    """How one mate or driver came out: largest distance and angle by which it is off."""

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
