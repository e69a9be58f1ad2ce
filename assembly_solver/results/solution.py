"""The answer to a solve, in the user's names, mm and degrees.

The poses and the residual of every mate are there at once; rank, freedoms and words are worked out
when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import degrees
from typing import Any

import numpy as np

from ..diagnosis.conflicts import Conflict, Trial
from ..diagnosis.drivers import left_over
from ..diagnosis.freedoms import Diagnosis
from ..diagnosis.redundancy import redundancies
from ..diagnosis.remedies import remedies
from ..equations.system import System, named_poses
from ..errors import Unsolved
from ..foundations.geometry.pose import Pose
from ..foundations.types import Array
from ..foundations.watch import Stopped
from ..model.assembly import Assembly
from ..solver.modes.enumeration import Modes
from ..solver.outcome import Counts, MateResult, Outcome
from ..structure.plan import Plan, Planned
from ..structure.poses import body_poses
from .mate_results import LimitResult, limit_results, mate_results
from .wording.contradictions import conflict, conflict_fact
from .wording.drivers import drivers_told
from .wording.free_motions import motions
from .wording.left_out import left_out, left_out_rows, suppressed, unheld
from .wording.mobility import aside, mobility
from .wording.plain import count, listed, short
from .wording.redundancy import agreement, repeated


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer to `solve`.  It is true in a condition when the assembly is solved.

    Attributes:
        assembly: that was given, not changed; given: it as it was then.
        outcome: what came of it.
        found: conflicts with numbers; counts: work done; seconds: time of the call.
        rungs: what had to be climbed above the plan, and helped.
        asked_mode: the assembly mode that was asked for; it is met where this is solved.
    """

    assembly: Assembly
    outcome: Outcome
    found: tuple[Conflict, ...]
    counts: Counts
    rungs: tuple[str, ...]
    seconds: float
    given: Assembly
    _planned: Planned
    _frames: Array
    _lengths: Array
    _turns: Array
    _beyond: Array
    _diagnose: Callable[[], Diagnosis]
    _trial: Trial
    _reversed: tuple[str, ...] = ()
    _stop: Stopped | None = None
    asked_mode: str | None = None

    def __bool__(self) -> bool:
        return self.outcome is Outcome.SOLVED

    def __repr__(self) -> str:
        return f"Solution({self.sentence})"

    @property
    def _system(self) -> System:
        return self._planned.system

    @property
    def plan(self) -> Plan:
        """The plan that led there; that of what stood there already is made when asked for."""
        return self._planned.plan

    @property
    def stopped(self) -> str | None:
        """What stopped the solve before its end: "budget", "cancel" or nothing."""
        return None if self._stop is None else self._stop.by

    # ------------------------------------------------------------------ poses
    @property
    def frames(self) -> Array:
        """Frames of all parts, solved or not, (parts, 12): origin, x, y, z in the world, mm."""
        return self._frames

    @cached_property
    def best_poses(self) -> dict[str, Pose]:
        """The poses found, solved or not; a part that did not move keeps its pose bit for bit."""
        return named_poses(self.given, self._system, self._frames)

    @property
    def poses(self) -> dict[str, Pose]:
        """The solved poses; raises `Unsolved` with the diagnosis when there are none."""
        return self.require().best_poses

    def require(self) -> Solution:
        """Itself when solved; raises `Unsolved` with the diagnosis otherwise."""
        if not self:
            raise Unsolved(self.explanation)
        return self

    def apply(self) -> None:
        """Write the poses into the assembly; raises `Unsolved` when there are none.

        Constants that were taken from its start become those of their mates, as the new poses
        would tell others where joints have turned more than once.
        """
        self.assembly.move(self.poses)
        mates = self.assembly.mates
        open_ = (n for n in self.constants if n in mates and mates[n] == self.given.mates[n])
        self.assembly.keep_constants({n: self.constants[n]["value"] for n in open_})

    # ------------------------------------------------------------------ mates
    @cached_property
    def mates(self) -> list[MateResult]:
        """Every mate, then every driver that is held, with its residual."""
        return mate_results(self._system, self._lengths, self._turns)

    @property
    def _off(self) -> Array:
        """What each mate and driver is off, mm; angles at the reach of features."""
        s = self._system
        return s.in_mm(self._lengths, self._turns)[: s.mates + s.drivers]

    @property
    def residual(self) -> float:
        """The largest residual of all mates, drivers and limits, mm."""
        return float(max(self._off.max(initial=0.0), np.abs(self._beyond).max(initial=0.0)))

    @cached_property
    def limits(self) -> list[LimitResult]:
        """Every limit with the value of its coordinate."""
        return limit_results(self.given, self._system, self._frames, self._beyond)

    @cached_property
    def limits_reached(self) -> list[dict[str, Any]]:
        """The limits that stopped a coordinate, or at which one stands that nothing drives."""
        return [x.reached() for x in self.limits if self and x.bound is not None]

    @property
    def grounded(self) -> list[str]:
        """Parts that were held."""
        return [self._system.parts[k] for k in np.flatnonzero(self._system.held)]

    @property
    def held(self) -> list[str]:
        """Parts that were held because nothing of their component was grounded."""
        chosen = self._system.held & ~self._system.grounded
        return [self._system.parts[k] for k in np.flatnonzero(chosen)]

    @property
    def reversed_senses(self) -> tuple[str, ...]:
        """Mates whose nearest sense was reversed because it could not be solved otherwise."""
        return self._reversed

    @cached_property
    def constants(self) -> dict[str, dict[str, Any]]:
        """Constants of couplings that were taken from the start pose, by mate."""
        s = self._system
        of = s.promise_of_equation
        return {
            s.promises[of[e]]: (
                {"value": degrees(value), "unit": "deg"}
                if s.angular[e]
                else {"value": value, "unit": "mm"}
            )
            for e, value in s.taken.items()
        }

    # ------------------------------------------------------------------ modes
    @cached_property
    def modes(self) -> Modes:
        """The assembly modes around these poses."""
        return Modes(self.plan, body_poses(self.plan, self._frames))

    @property
    def mode(self) -> str | None:
        """The assembly mode of these poses by its signs; None unless solved, or without a loop."""
        return (self.asked_mode or self.modes.name) if self else None

    @property
    def mode_switched_from(self) -> str | None:
        """The signs of the start where they were clearly others and no mode was asked for."""
        return self.modes.switched_from if self and self.asked_mode is None else None

    # ------------------------------------------------------------------ diagnosis
    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Rank and freedoms at these poses, drivers left out."""
        return self._diagnose()

    @property
    def dof(self) -> int | None:
        """Degrees of freedom left by the mates, drivers not counted; None unless solved."""
        return self.diagnosis.dof if self else None

    @cached_property
    def driven(self) -> int:
        """Drivers that were held."""
        return self._system.drivers

    @property
    def dof_left(self) -> int | None:
        """Degrees of freedom that the drivers that were held leave here; None unless solved."""
        return left_over(self.diagnosis, self.given) if self else None

    @cached_property
    def drivers(self) -> dict[str, Any] | None:
        """Drivers that are too many or missing; None unless solved, and where nothing is driven."""
        return drivers_told(self.diagnosis, self.given) if self else None

    @property
    def redundant_equations(self) -> int | None:
        """Equations of mates that follow from the others at these poses; None unless solved."""
        return self.diagnosis.redundant_equations if self else None

    @cached_property
    def redundant(self) -> list[dict[str, Any]]:
        """Groups of mates with redundant equations and by how much they disagree."""
        if not self or not self.redundant_equations:
            return []
        only_here = [set(entry["mates"]) for entry in self.singular if entry["certain"]]
        return [
            repeated(r, self.diagnosis, self.given, only_here) for r in redundancies(self.diagnosis)
        ]

    @cached_property
    def conflicts(self) -> list[dict[str, Any]]:
        """Disjoint sets of mates that contradict each other, and what resolves each."""
        found = zip(self.found, remedies(self._trial, self.found), strict=True)
        return [conflict(c, remedy) for c, remedy in found]

    @cached_property
    def _mobility(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        return mobility(self.diagnosis, self.given) if self else ([], [])

    @property
    def singular(self) -> list[dict[str, Any]]:
        """Loops that have more freedoms at these poses than near by."""
        return self._mobility[0]

    @property
    def special(self) -> list[dict[str, Any]]:
        """Loops that move only because of their special dimensions."""
        return self._mobility[1]

    @cached_property
    def free_motions(self) -> list[dict[str, Any]]:
        """The motions that the mates leave, as screws and in words."""
        return motions(self.diagnosis, self.given, self._frames) if self else []

    # ------------------------------------------------------------------ what was not read
    @property
    def left_out(self) -> dict[str, str]:
        """Joints of the file that no mate stands for, with the reason; nothing holds them."""
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
        """What came of the solve, in one sentence."""
        return "; ".join([self._outcome, *unheld(self.given)])

    @property
    def _outcome(self) -> str:
        """The sentence without what the file said beyond the assembly."""
        s = self._system
        parts, mates = count(len(s.parts), "part"), count(s.mates, "mate")
        if self.outcome is Outcome.SOLVED:
            held = f", held by {count(self.driven, 'driver')}" if self.driven else ""
            freedom = "degree of freedom" if self.dof == 1 else "degrees of freedom"
            extra = self.redundant_equations
            exact = self.residual <= s.stop
            agree = agreement([] if exact or not extra else self.redundant)
            more = f"; {count(extra, 'redundant equation')}{agree}" if extra else ""
            verb = "hold" if s.mates != 1 else "holds"
            return (
                f"{parts}, {mates} {verb} ({short(self.residual)} mm); "
                f"{self.dof} {freedom}{held}{more}{self._asides}"
            )
        wrong = int(np.sum(self._off > s.tolerance) + sum(not x.holds for x in self.limits))
        if self.asked_mode is not None and not wrong and self._stop is None:
            known = listed([m.name for m in self.modes.all], 12)
            verb = "cannot be reached here" if self.modes.complete else "was not found"
            return f"{parts}, {mates}: mode {self.asked_mode} {verb}; there is {known}"
        if self.outcome is Outcome.CONFLICTING:
            first = conflict_fact(self.found[0])
            rest = len(self.found) - 1
            others = f"; {count(rest, 'more set')} of mates cannot hold either" if rest else ""
            return f"{parts}, {mates}: {first}{others}"
        off = f"{count(wrong, 'mate')} still off by up to {short(self.residual)} mm"
        if self._stop is not None:
            return f"{parts}, {mates}: {self._stop.words}; {off}"
        return (
            f"{parts}, {mates}: not converged, {off}; no contradiction was shown; "
            "try nearer start poses"
        )

    @property
    def _asides(self) -> str:
        out = "".join(f"; {x['words']}" for x in self.limits_reached[:3])
        if len(self.limits_reached) > 3:
            out += f" and {count(len(self.limits_reached) - 3, 'more limit')} reached"
        if self.held:
            out += f"; {listed(self.held, 3)} held, as nothing there is grounded"
        for entry in self.singular[:1]:
            out += f"; {aside(entry)}"
        if self._reversed:
            out += f"; sense reversed: {listed(list(self._reversed), 3)}"
        if self.mode_switched_from:
            out += f"; mode {self.mode}, the start was in {self.mode_switched_from}"
        return out

    @property
    def explanation(self) -> str:
        """The sentence and, where it failed, every conflict in words."""
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
            "reversed_senses": list(self._reversed),
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
            mark = "holds" if m.holds else "OFF"
            lines.append(
                f"  {m.name:<{width}}  {mark:<5}  {m.residual_mm:.1e} mm  {m.residual_deg:.1e} deg"
            )
        lines += [f"  {x.words}" for x in self.limits if not x.holds]
        lines += [f"  {f['words']}; {f['removed_by']['words']}" for f in self.free_motions]
        lines += [f"  {words}" for words in (self.drivers or {}).get("words", [])]
        return "\n".join(lines)
