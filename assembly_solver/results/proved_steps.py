"""What is proved of the steps of a motion, in the user's names and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ..diagnosis.proof.certificate import StepProof
from .wording.phrases import at_least, count, listed
from .wording.proof import FEW, finite_or_none


@dataclass(frozen=True)
class ProvedStep:
    """What is proved of the way from one state of a motion to the next.

    Attributes:
        before, after: the states; proof: what is proved.
        where: the driver and its value up to which it is; parts: that a reason is about.
    """

    before: int
    after: int
    proof: StepProof
    where: str
    parts: tuple[str, ...]

    @property
    def words(self) -> str:
        """Why it is not proved, as "at crank 90 deg: a and b: the pose is singular"."""
        assert self.proof.reason is not None
        about = f"{listed([*self.parts], FEW)}: " if self.parts else ""
        return f"at {self.where}: {about}{self.proof.reason.value}"

    def to_dict(self) -> dict[str, Any]:
        """Its entry in the result object."""
        p, ends = self.proof, {"from": self.before, "to": self.after}
        if p.reason is not None:
            why = {"reason": p.reason.value, "at": self.where, "parts": [*self.parts]}
            return ends | {"proved": False} | why
        wide = {"within_mm": finite_or_none(p.within), "off_mm": p.off, "boxes": p.boxes}
        return ends | {"proved": True} | wide


def joined(steps: Sequence[ProvedStep]) -> ProvedStep:
    """Successive steps as one: as far as it is proved."""
    lost = next((s for s in steps if s.proof.reason is not None), steps[-1])
    proofs = [s.proof for s in steps]
    proof = lost.proof._replace(
        within=min(p.within for p in proofs), off=proofs[-1].off, boxes=sum(p.boxes for p in proofs)
    )
    return ProvedStep(steps[0].before, steps[-1].after, proof, lost.where, lost.parts)


def steps_entry(steps: Sequence[ProvedStep]) -> dict[str, Any]:
    """The entry `certified` of the result object of a sweep."""
    good = [s.proof for s in steps if s.proof.reason is None]
    within = min((p.within for p in good), default=float("inf"))
    return {
        "proved": len(good),
        "within_mm": finite_or_none(within),
        "off_mm": max((p.off for p in good), default=None),
        "words": _words(steps, len(good), within),
        "steps": [s.to_dict() for s in steps],
    }


def _words(steps: Sequence[ProvedStep], good: int, within: float) -> str:
    whole = good == len(steps)
    share = count(good, "step") if whole else f"{good} of {count(len(steps), 'step')}"
    told = [f"{share} proved to stay on {'its' if len(steps) == 1 else 'their'} branch"]
    if good and isfinite(within):
        told[0] += f", with no other solution within {at_least(within)} mm"
    lost = [s for s in steps if s.proof.reason is not None]
    if lost:
        told.append(f"not proved {lost[0].words}")
    if len(lost) > 1:
        told.append(f"{count(len(lost) - 1, 'more step')} not proved either")
    return "; ".join(told)
