"""The poses that a solve reached, with the residuals of mates and limits there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import degrees
from typing import TYPE_CHECKING, Any

import numpy as np

from ..equations.system import System, named_poses
from ..foundations.geometry.pose import Pose
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..solver.outcome import Counts, MateResult, Outcome
from ..structure.plan import Plan
from .mate_results import LimitResult, limit_results, mate_results
from .solve_result import SolveResult

if TYPE_CHECKING:
    from ..diagnosis.conflicts import Conflict


@dataclass(frozen=True, eq=False)
class SolvedPoses:
    """The part of a `Solution` that is there at once.

    Attributes:
        assembly: the input, not changed.
        outcome: solved, contradictory or not converged; seconds: duration of the call.
        asked_mode: the requested assembly mode; reached if this is solved.
    """

    assembly: Assembly
    outcome: Outcome
    seconds: float
    asked_mode: str | None
    _result: SolveResult

    @property
    def given(self) -> Assembly:
        """A copy of the assembly as it was at the time of the call, not to be edited."""
        return self._result.snapshot.assembly

    @property
    def solved(self) -> bool:
        """Whether every mate holds within the tolerance."""
        return self.outcome is Outcome.SOLVED

    def __bool__(self) -> bool:
        return self.solved

    @property
    def system(self) -> System:
        """The equations that hold at these poses, or are to."""
        return self._result.reached.system

    @property
    def found(self) -> tuple[Conflict, ...]:
        """Contradictory sets of mates with their numbers."""
        search = self._result.conflicts
        return () if search is None else search.conflicts

    @property
    def counts(self) -> Counts:
        """Work done."""
        return Counts(*self._result.reached.counts.tolist())

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """The fallback methods that were needed after the plan failed."""
        return self._result.reached.fallbacks

    @property
    def plan(self) -> Plan:
        """The plan of the solve; made on first access where the start poses already hold."""
        return self._result.reached.planned.plan

    @property
    def stopped(self) -> str | None:
        """What interrupted the solve: "budget", "cancel" or None."""
        interruption = self._result.interruption
        return None if interruption is None else interruption.by

    @cached_property
    def certified(self) -> dict[str, Any] | None:
        """What `solve(certify=True)` proved, in numbers and `words`; None where it was not asked.

        `unique`: exactly one solution lies in a box round these poses, with `held` free coordinates
        as they are.  There no feature is more than `radius_mm` from where it is here and no mate
        that repeats others is off by more than `off_mm`; within `within_mm` there is no other
        solution.  Else the `reason`, and that of each of the `blocks`.
        """
        certificate = self._result.certificate
        if certificate is None:
            return None
        from .wording.proof import certificate_entry

        return certificate_entry(certificate, self.system)

    # ------------------------------------------------------------------ poses
    @property
    def frames(self) -> Array:
        """Frames of all parts, solved or not, (parts, 12): origin, x, y, z in the world, mm."""
        return self._result.reached.frames

    @cached_property
    def best_poses(self) -> dict[str, Pose]:
        """The poses reached, solved or not; a part that did not move keeps its pose bit for bit."""
        return named_poses(self.given, self.system, self.frames)

    # ------------------------------------------------------------------ mates
    @cached_property
    def mates(self) -> list[MateResult]:
        """Every mate, then every driver with a value, with its residual."""
        return mate_results(self.given, self._result.reached)

    @property
    def _residuals(self) -> Array:
        """Residual of each mate and driver, mm; angles times the characteristic length."""
        s = self.system
        return self._result.reached.each[: s.mates + s.drivers]

    @property
    def residual(self) -> float:
        """The largest residual of all mates, drivers and limits, mm."""
        violations = np.abs(self._result.reached.bound_violations)
        return float(max(self._residuals.max(initial=0.0), violations.max(initial=0.0)))

    @cached_property
    def limits(self) -> list[LimitResult]:
        """Every limit with the value of its coordinate."""
        violations = self._result.reached.bound_violations
        return limit_results(self.given, self.system, self.frames, violations)

    @cached_property
    def limits_reached(self) -> list[dict[str, Any]]:
        """The limits that block a coordinate, or at which a coordinate is that nothing drives."""
        return [x.reached() for x in self.limits if self and x.bound is not None]

    @property
    def grounded(self) -> list[str]:
        """Names of the parts that do not move: grounded, or fixed as reference."""
        return [self.system.parts[k] for k in np.flatnonzero(self.system.fixed)]

    @property
    def held(self) -> list[str]:
        """Parts that were fixed as reference because nothing of their component is grounded."""
        chosen = self.system.fixed & ~self.system.grounded
        return [self.system.parts[k] for k in np.flatnonzero(chosen)]

    @property
    def reversed_senses(self) -> tuple[str, ...]:
        """Mates whose nearest sense was reversed because it could not be solved otherwise."""
        return self.system.reversed_senses

    @cached_property
    def constants(self) -> dict[str, dict[str, Any]]:
        """Constants of couplings that were measured at the start poses, by mate."""
        s = self.system
        of = s.constraint_of_equation
        found = {}
        for e, value in s.taken.items():
            shown, unit = (degrees(value), "deg") if s.angular[e] else (value, "mm")
            found[s.constraints[of[e]]] = {"value": shown, "unit": unit}
        return found


def poses_entry(poses: Mapping[str, Pose]) -> dict[str, dict[str, list[float]]]:
    """Poses as the command line prints them."""
    return {
        name: {"position": list(p.position), "quaternion_wxyz": list(p.quaternion_wxyz)}
        for name, p in poses.items()
    }
