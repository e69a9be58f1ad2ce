"""The result of dragging a part one step."""

from __future__ import annotations

from dataclasses import dataclass

from .wording.phrases import listed


@dataclass(frozen=True)
class DragStep:
    """The result of dragging a part one step.

    Attributes:
        holds: whether every mate that may have moved holds; residual_mm: the worst of them.
        away_mm: distance of the grabbed point from its target; asked_mm: before the step.
        away_deg: angle between the part and the target pose; None where only a point was given.
        largest_mm: the largest motion of any part; moved: the parts that moved.
        limits: those that stopped a coordinate; contacts: two parts that stopped the step.
        limited: whether the step was shortened because a part would have moved ten times as far.
        lags: whether it ended on its way, for the work of one step: the next one goes on.
        singular: in words, a singular pose nearby; empty where there is none.
        unwatched: whether contact was asked for but not looked for: where nothing is grounded, of
            the part that is fixed as reference and what moves with it as one.
    """

    holds: bool
    residual_mm: float
    away_mm: float
    away_deg: float | None
    asked_mm: float
    largest_mm: float
    moved: tuple[str, ...]
    limits: tuple[str, ...]
    limited: bool
    singular: str
    lags: bool = False
    contacts: tuple[str, ...] = ()
    unwatched: bool = False

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        turned = "" if self.away_deg is None else f" and {self.away_deg:.3g} deg"
        held = "every mate holds" if self.holds else "NOT every mate holds"
        words = (
            f"{self.away_mm:.3g} mm{turned} from the request, {held} ({self.residual_mm:.1e} mm)"
        )
        if self.limits:
            words += f"; stopped by {listed(list(self.limits), 3)}"
        if self.contacts:
            words += f"; stopped before contact of {listed(list(self.contacts), 3)}"
        if self.unwatched:
            words += "; not watched for contact"
        if self.limited:
            words += "; stopped before a part moves ten times as far"
        elif self.lags:
            words += "; it lags: repeat the request"
        return f"{words}; {self.singular}" if self.singular else words
