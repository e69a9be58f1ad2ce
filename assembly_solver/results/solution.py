"""The answer to a solve, in the user's names, mm and degrees.

Poses and residuals are there at once; rank, freedoms and sentences are computed on first access.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import degrees
from typing import Any

import numpy as np

from ..diagnosis.conflicts import Conflict
from ..diagnosis.drivers import remaining_dof
from ..diagnosis.freedoms import Diagnosis
from ..diagnosis.redundancy import redundancies
from ..diagnosis.remedies import remedies
from ..equations.system import System, named_poses
from ..errors import Unsolved
from ..foundations.geometry.pose import Pose
from ..foundations.types import Array
from ..model.assembly import FORMER_TOLERANCE, Assembly
from ..solver.modes.enumeration import Modes
from ..solver.outcome import Counts, MateResult, Outcome
from ..structure.plan import Plan
from ..structure.poses import body_poses
from .mate_results import LimitResult, limit_results, mate_results
from .solve_result import SolveResult
from .wording.contradictions import conflict_entry, conflict_fact
from .wording.drivers import driver_entry
from .wording.free_motions import motion_entries
from .wording.left_out import left_out, left_out_rows, skipped_notes, suppressed
from .wording.mobility import mobility_entries, singular_remark
from .wording.phrases import count, listed, short
from .wording.redundancy import agreement, redundancy_entry


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer to `solve`; true in a condition when the assembly is solved.

    Attributes:
        assembly: the input, not changed; given: a copy of it at the time of the call.
        outcome: solved, contradictory or not converged; seconds: duration of the call.
        asked_mode: the requested assembly mode; reached if this is solved.
    """

    assembly: Assembly
    given: Assembly
    outcome: Outcome
    seconds: float
    asked_mode: str | None
    _result: SolveResult

    def __bool__(self) -> bool:
        return self.outcome is Outcome.SOLVED

    def __repr__(self) -> str:
        return f"Solution({self.sentence})"

    @property
    def _system(self) -> System:
        return self._result.reached.system

    @property
    def found(self) -> tuple[Conflict, ...]:
        """Contradictory sets of mates with their numbers."""
        return self._result.conflicts.conflicts

    @property
    def counts(self) -> Counts:
        """Work done."""
        return Counts(*self._result.reached.counts.tolist())

    @property
    def rungs(self) -> tuple[str, ...]:
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

    # ------------------------------------------------------------------ poses
    @property
    def frames(self) -> Array:
        """Frames of all parts, solved or not, (parts, 12): origin, x, y, z in the world, mm."""
        return self._result.reached.frames

    @cached_property
    def best_poses(self) -> dict[str, Pose]:
        """The poses reached, solved or not; a part that did not move keeps its pose bit for bit."""
        return named_poses(self.given, self._system, self.frames)

    @property
    def poses(self) -> dict[str, Pose]:
        """The solved poses; raises `Unsolved` as `require` does."""
        return self.require().best_poses

    def require(self) -> Solution:
        """This solution, if solved.

        Raises:
            Unsolved: with the diagnosis, where the assembly is not solved.
        """
        if not self:
            raise Unsolved(self.explanation)
        return self

    def apply(self) -> None:
        """Write the poses into the assembly; raises `Unsolved` as `require` does.

        Constants that were measured at the start poses are stored in their mates: measured at the
        new poses they would differ where joints have turned more than once.
        """
        self.assembly.move(self.poses)
        mates = self.assembly.mates
        open_ = (n for n in self.constants if n in mates and mates[n] == self.given.mates[n])
        self.assembly.keep_constants({n: self.constants[n]["value"] for n in open_})

    # ------------------------------------------------------------------ mates
    @cached_property
    def mates(self) -> list[MateResult]:
        """Every mate, then every driver with a value, with its residual."""
        reached = self._result.reached
        return mate_results(self._system, reached.lengths, reached.turns)

    @property
    def _residuals(self) -> Array:
        """Residual of each mate and driver, mm; angles times the characteristic length."""
        s = self._system
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
        return limit_results(self.given, self._system, self.frames, violations)

    @cached_property
    def limits_reached(self) -> list[dict[str, Any]]:
        """The limits that block a coordinate, or at which a coordinate is that nothing drives."""
        return [x.reached() for x in self.limits if self and x.bound is not None]

    @property
    def grounded(self) -> list[str]:
        """Names of the parts that do not move: grounded, or fixed as reference."""
        return [self._system.parts[k] for k in np.flatnonzero(self._system.fixed)]

    @property
    def held(self) -> list[str]:
        """Parts that were fixed as reference because nothing of their component is grounded."""
        chosen = self._system.fixed & ~self._system.grounded
        return [self._system.parts[k] for k in np.flatnonzero(chosen)]

    @property
    def reversed_senses(self) -> tuple[str, ...]:
        """Mates whose nearest sense was reversed because it could not be solved otherwise."""
        return self._result.reversed_senses

    @cached_property
    def constants(self) -> dict[str, dict[str, Any]]:
        """Constants of couplings that were measured at the start poses, by mate."""
        s = self._system
        of = s.constraint_of_equation
        found = {}
        for e, value in s.taken.items():
            shown, unit = (degrees(value), "deg") if s.angular[e] else (value, "mm")
            found[s.constraints[of[e]]] = {"value": shown, "unit": unit}
        return found

    # ------------------------------------------------------------------ modes
    @cached_property
    def modes(self) -> Modes:
        """The assembly modes around these poses."""
        return Modes(self.plan, body_poses(self.plan, self.frames))

    @property
    def mode(self) -> str | None:
        """Name of the assembly mode of these poses; None unless solved, or without a loop."""
        return (self.asked_mode or self.modes.name) if self else None

    @property
    def mode_switched_from(self) -> str | None:
        """The mode of the start if clearly another one and no mode was requested, else None."""
        return self.modes.switched_from if self and self.asked_mode is None else None

    # ------------------------------------------------------------------ diagnosis
    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Rank and freedoms at these poses, without drivers."""
        return self._result.diagnose()

    @property
    def dof(self) -> int | None:
        """Degrees of freedom left by the mates, drivers not counted; None unless solved."""
        return self.diagnosis.dof if self else None

    @cached_property
    def driven(self) -> int:
        """Number of drivers with a value."""
        return self._system.drivers

    @property
    def dof_left(self) -> int | None:
        """Degrees of freedom that the drivers with a value leave; None unless solved."""
        return remaining_dof(self.diagnosis, self.given) if self else None

    @cached_property
    def drivers(self) -> dict[str, Any] | None:
        """Redundant and missing drivers; None unless solved, and where nothing is driven."""
        return driver_entry(self.diagnosis, self.given) if self else None

    @property
    def redundant_equations(self) -> int | None:
        """Equations of mates that follow from the others at these poses; None unless solved."""
        return self.diagnosis.redundant_equations if self else None

    @cached_property
    def redundant(self) -> list[dict[str, Any]]:
        """Groups of mates with redundant equations, each with its inconsistency."""
        if not self or not self.redundant_equations:
            return []
        d, only_here = self.diagnosis, [set(x["mates"]) for x in self.singular if x["certain"]]
        return [redundancy_entry(r, d, self.given, only_here) for r in redundancies(d)]

    @cached_property
    def conflicts(self) -> list[dict[str, Any]]:
        """Disjoint sets of mates that contradict each other, and what resolves each."""
        found = zip(self.found, remedies(self._result.trial, self.found), strict=True)
        return [conflict_entry(c, remedy) for c, remedy in found]

    @cached_property
    def _mobility(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        return mobility_entries(self.diagnosis, self.given) if self else ([], [])

    @property
    def singular(self) -> list[dict[str, Any]]:
        """Loops that have more freedoms at these poses than at neighbouring ones."""
        return self._mobility[0]

    @property
    def special(self) -> list[dict[str, Any]]:
        """Loops that move only because of their special dimensions."""
        return self._mobility[1]

    @cached_property
    def free_motions(self) -> list[dict[str, Any]]:
        """The free motions, as screws and in words."""
        return motion_entries(self.diagnosis, self.given, self.frames) if self else []

    # ------------------------------------------------------------------ skipped joints
    @property
    def left_out(self) -> dict[str, str]:
        """Unsupported joints of the file, with the reason; no mate represents them."""
        return left_out(self.given)

    @property
    def left_out_rows(self) -> list[dict[str, str]]:
        """The same for a table: the name, and the reason in words."""
        return left_out_rows(self.given)

    @property
    def suppressed(self) -> list[str]:
        """Joints that are switched off in the file."""
        return suppressed(self.given)

    # ------------------------------------------------------------------ words
    @cached_property
    def sentence(self) -> str:
        """The outcome in one sentence."""
        notes = skipped_notes(self.given)
        if self.given.tolerance_assumed and self and self.residual > FORMER_TOLERANCE:
            notes.append(
                f"the file states no tolerance: {short(self.given.tolerance)} mm is the default, "
                f"{short(FORMER_TOLERANCE)} mm was"
            )
        return "; ".join([self._outcome, *notes])

    @property
    def _outcome(self) -> str:
        """The sentence without the skipped and suppressed joints of the file."""
        s = self._system
        parts, mates = count(len(s.parts), "part"), count(s.mates, "mate")
        if self.outcome is Outcome.SOLVED:
            held = f", held by {count(self.driven, 'driver')}" if self.driven else ""
            freedom = "degree of freedom" if self.dof == 1 else "degrees of freedom"
            extra = self.redundant_equations
            exact = self.residual <= s.convergence_tolerance
            agree = agreement([] if exact or not extra else self.redundant)
            more = f"; {count(extra, 'redundant equation')}{agree}" if extra else ""
            verb = "hold" if s.mates != 1 else "holds"
            return (
                f"{parts}, {mates} {verb} ({short(self.residual)} mm); "
                f"{self.dof} {freedom}{held}{more}{self._asides}"
            )
        wrong = int(np.sum(self._residuals > s.tolerance) + sum(not x.holds for x in self.limits))
        interruption = self._result.interruption
        if self.asked_mode is not None and not wrong and interruption is None:
            known = listed([m.name for m in self.modes.all], 12)
            verb = "cannot be reached here" if self.modes.complete else "was not found"
            return f"{parts}, {mates}: mode {self.asked_mode} {verb}; there is {known}"
        if self.outcome is Outcome.CONFLICTING:
            first = conflict_fact(self.found[0])
            rest = len(self.found) - 1
            others = f"; {count(rest, 'more set')} of mates cannot hold either" if rest else ""
            return f"{parts}, {mates}: {first}{others}"
        off = f"{count(wrong, 'mate')} still off by up to {short(self.residual)} mm"
        if interruption is not None:
            return f"{parts}, {mates}: {interruption.words}; {off}"
        advice = "no contradiction was shown; try nearer start poses"
        return f"{parts}, {mates}: not converged, {off}; {advice}"

    @property
    def _asides(self) -> str:
        out = "".join(f"; {x['words']}" for x in self.limits_reached[:3])
        if len(self.limits_reached) > 3:
            out += f" and {count(len(self.limits_reached) - 3, 'more limit')} reached"
        if self.held:
            out += f"; {listed(self.held, 3)} held, as nothing there is grounded"
        for entry in self.singular[:1]:
            out += f"; {singular_remark(entry)}"
        if self.reversed_senses:
            out += f"; sense reversed: {listed(list(self.reversed_senses), 3)}"
        if self.mode_switched_from:
            out += f"; mode {self.mode}, the start was in {self.mode_switched_from}"
        return out

    @property
    def explanation(self) -> str:
        """The sentence, then every conflict in words."""
        return "\n".join([self.sentence, *(c["words"] for c in self.conflicts)])

    def to_dict(self) -> dict[str, Any]:
        """The result object of the command line."""
        shown = self.best_poses if self else {}
        return {
            "outcome": self.outcome.name.lower(),
            "sentence": self.sentence,
            "dof": self.dof,
            "driven": self.driven,
            "dof_left": self.dof_left,
            "grounded": self.grounded,
            "held": self.held,
            "poses": {
                name: {"position": list(p.position), "quaternion_wxyz": list(p.quaternion_wxyz)}
                for name, p in shown.items()
            },
            "mates": [m.to_dict() for m in self.mates],
            "redundant_equations": self.redundant_equations,
            "redundant": self.redundant,
            "conflicts": self.conflicts,
            "left_out": self.left_out_rows,
            "suppressed": self.suppressed,
            "free_motions": self.free_motions,
            "drivers": self.drivers,
            "singular": self.singular,
            "special": self.special,
            "reversed_senses": list(self.reversed_senses),
            "constants": self.constants,
            "mode": self.mode,
            "mode_switched_from": self.mode_switched_from,
            "limits": [x.to_dict() for x in self.limits],
            "limits_reached": self.limits_reached,
            "stopped": self.stopped,
            "rungs": list(self.rungs),
            "counts": self.counts._asdict(),
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        lines = [self.sentence]
        width = max((len(m.name) for m in self.mates), default=4)
        for m in self.mates:
            mark, off = "holds" if m.holds else "OFF", f"{m.residual_mm:.1e} mm"
            lines.append(f"  {m.name:<{width}}  {mark:<5}  {off}  {m.residual_deg:.1e} deg")
        lines += [f"  {x.words}" for x in self.limits if not x.holds]
        lines += [f"  {f['words']}; {f['removed_by']['words']}" for f in self.free_motions]
        lines += [f"  {words}" for words in (self.drivers or {}).get("words", [])]
        return "\n".join(lines)
