"""The answer to a solve, in the user's names, mm and degrees.

Poses and residuals are there at once; rank, freedoms and sentences are computed on first access.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..diagnosis.drivers import remaining_dof
from ..diagnosis.freedoms import Diagnosis
from ..diagnosis.redundancy import redundancies
from ..errors import Unsolved
from ..foundations.arguments import with_checked_calls
from ..foundations.geometry.pose import Pose
from ..model.assembly import FORMER_TOLERANCE
from ..solver.modes.enumeration import Modes, modes_around
from ..solver.outcome import Outcome
from .late_answers import LateAnswers
from .solved_poses import SolvedPoses, poses_entry
from .wording.assembly_modes import ways_at_a_glance
from .wording.couplings import coupling_words
from .wording.drivers import driver_entry
from .wording.free_motions import ToldMotion, motion_entry, moving_parts, told_motions
from .wording.left_out import left_out, left_out_rows, read_as_rows, skipped_notes, suppressed
from .wording.mobility import mobility_entries, singular_remark
from .wording.phrases import count, listed, short
from .wording.redundancy import agreement, redundancy_entry

if TYPE_CHECKING:
    from .contradictions import Contradictions


@with_checked_calls
@dataclass(frozen=True, eq=False)
class Solution(SolvedPoses):
    """The answer to `solve`; true in a condition when the assembly is solved.

    Attributes: those of `SolvedPoses`; what is computed on first access has the rest of the
    budget, and `notes` say what was left out.
    """

    def __repr__(self) -> str:
        return f"Solution({self.sentence})"

    # ------------------------------------------------------------------ poses
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
            raise Unsolved(self.explanation, self.outcome.name.lower())
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

    # ------------------------------------------------------------------ modes
    @cached_property
    def modes(self) -> Modes:
        """The assembly modes around these poses."""
        watch = self._result.watch
        plan = self._result.reached.planned.made(watch)
        return modes_around(plan, self.frames, watch=watch)

    @cached_property
    def late(self) -> LateAnswers:
        """Gives what is computed on demand, within the budget."""
        return LateAnswers(self._result.watch)

    @property
    def notes(self) -> list[str]:
        """What has been left out so far because the budget ended or the call was cancelled."""
        stop = self._result.interruption
        early = [stop.words] if stop is not None and self else []
        return early + self.late.notes

    @property
    def mode(self) -> str | None:
        """Name of the assembly mode of these poses; None unless solved, or without a loop."""
        return (self.asked_mode or self._mode_names[0]) if self else None

    @property
    def ways_to_close(self) -> str:
        """In how many ways its loops close, in words, where closed forms tell it at once."""
        ways = lambda: ways_at_a_glance(self.modes)  # noqa: E731
        return self.late.get("assembly modes", ways, "") if self else ""

    @property
    def mode_switched_from(self) -> str | None:
        """The mode of the start if clearly another one and no mode was requested, else None."""
        return self._mode_names[1] if self and self.asked_mode is None else None

    @cached_property
    def _mode_names(self) -> tuple[str | None, str | None]:
        """The mode of these poses, and that of the start if clearly another one."""
        none: tuple[str | None, str | None] = (None, None)
        names = lambda: (self.modes.name, self.modes.switched_from)  # noqa: E731
        return self.late.get("assembly modes", names, none)

    # ------------------------------------------------------------------ diagnosis
    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Rank and freedoms at these poses, without drivers."""
        return self._result.diagnose()

    @cached_property
    def dof(self) -> int | None:
        """Degrees of freedom left by the mates, drivers not counted; None unless solved."""
        return self.late.get("freedoms", lambda: self.diagnosis.dof, None) if self else None

    @cached_property
    def driven(self) -> int:
        """Number of drivers with a value."""
        return self.system.drivers

    @cached_property
    def dof_left(self) -> int | None:
        """Degrees of freedom that the drivers with a value leave; None unless solved."""
        if self.dof is None:
            return None
        return self.late.get("drivers", partial(remaining_dof, self.diagnosis, self.given), None)

    @cached_property
    def drivers(self) -> dict[str, Any] | None:
        """Redundant and missing drivers; None unless solved, and where nothing is driven."""
        if self.dof is None:
            return None
        return self.late.get("drivers", partial(driver_entry, self.diagnosis, self.given), None)

    @property
    def redundant_equations(self) -> int | None:
        """Equations of mates that follow from the others at these poses; None unless solved."""
        return None if self.dof is None else self.diagnosis.redundant_equations

    @cached_property
    def redundant(self) -> list[dict[str, Any]]:
        """Groups of mates with redundant equations, each with its inconsistency."""
        if not self.redundant_equations:
            return []
        return self.late.get("redundancy", self._redundancies, [])

    def _redundancies(self) -> list[dict[str, Any]]:
        d, only_here = self.diagnosis, [set(x["mates"]) for x in self.singular if x["certain"]]
        out = []
        for r in redundancies(d):
            d.check()
            out.append(redundancy_entry(r, d, self.given, only_here))
        return out

    @cached_property
    def conflicts(self) -> list[dict[str, Any]]:
        """Disjoint sets of mates that contradict each other, and what resolves each."""
        return self._contradictions.entries() if self.found else []

    @cached_property
    def _contradictions(self) -> Contradictions:
        from .contradictions import Contradictions  # with its searches: what holds needs none

        return Contradictions(self.given, self.found, self._result, self.late)

    @cached_property
    def _mobility(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        if self.dof is None:
            return [], []
        none: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
        found = partial(mobility_entries, self.diagnosis, self.given)
        return self.late.get("singular poses", found, none)

    @property
    def singular(self) -> list[dict[str, Any]]:
        """Loops with more freedoms (`dof`) here than the motions that leave have (`nearby`): these
        are `modes`, in words `meeting`; `order`: up to which mates hold where nothing moves."""
        return self._mobility[0]

    @property
    def special(self) -> list[dict[str, Any]]:
        """Loops that move only because of their special dimensions."""
        return self._mobility[1]

    @cached_property
    def free_motions(self) -> list[dict[str, Any]]:
        """The free motions, as screws and in words."""
        found = self.diagnosis
        return [motion_entry(t, moving_parts(t.motion, found)) for t in self.told_motions]

    @cached_property
    def told_motions(self) -> list[ToldMotion]:
        """The free motions in words, without all parts of each: a text grows like a solve."""
        if self.dof is None:
            return []
        found = partial(told_motions, self.diagnosis, self.given, self.frames)
        return self.late.get("free motions", found, [])

    @property
    def couplings(self) -> dict[str, str]:
        """How far and which way the second part of each gear or belt turns for the first."""
        return coupling_words(self.given, self.frames)

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
    def read_as_rows(self) -> list[dict[str, str]]:
        """What the reader of the file had to decide, as the unit of length, for a table."""
        return read_as_rows(self.given)

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
        s = self.system
        parts, mates = count(len(s.parts), "part"), count(s.mates, "mate")
        if self.outcome is Outcome.SOLVED:
            held = f", held by {count(self.driven, 'driver')}" if self.driven else ""
            extra = self.redundant_equations
            more = f"; {count(extra, 'redundant equation')}{self._agreement}" if extra else ""
            verb = "hold" if s.mates != 1 else "holds"
            return (
                f"{parts}, {mates} {verb} ({short(self.residual)} mm); "
                f"{self._freedoms}{held}{more}{self._asides}"
            )
        wrong = int(np.sum(self._residuals > s.tolerance) + sum(not x.holds for x in self.limits))
        interruption = self._result.interruption
        if self.asked_mode is not None and not wrong and interruption is None:
            known = listed([m.name for m in self.modes.all], 12)
            verb = "cannot be reached here" if self.modes.complete else "was not found"
            return f"{parts}, {mates}: mode {self.asked_mode} {verb}; there is {known}"
        if self.outcome is Outcome.CONFLICTING:
            first = self._contradictions.first_fact
            rest = len(self.found) - 1
            others = f"; {count(rest, 'more set')} of mates cannot hold either" if rest else ""
            return f"{parts}, {mates}: {first}{others}"
        off = f"{count(wrong, 'mate')} still off by up to {short(self.residual)} mm"
        if interruption is not None:
            return f"{parts}, {mates}: {interruption.words}; {off}"
        accepting = None if self.asked_mode is not None else self._contradictions.accepting
        advice = "no contradiction was shown; try nearer start poses"
        if accepting is not None:
            advice = f"a tolerance of {accepting:.4g} mm would accept it"
        return f"{parts}, {mates}: not converged, {off}; {advice}"

    @property
    def _freedoms(self) -> str:
        if self.dof is None:
            return "degrees of freedom not counted"
        return f"{self.dof} degree{'' if self.dof == 1 else 's'} of freedom"

    @property
    def _agreement(self) -> str:
        """Whether redundant equations are consistent, as far as it is known."""
        if self.residual <= self.system.convergence_tolerance or not self.redundant_equations:
            return agreement([])
        return agreement(self.redundant) if self.redundant else ""

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

    def to_dict(self, *, parts: bool = True) -> dict[str, Any]:
        """The result object; without `parts`, of free motions: half of all those of a chain."""
        motions = self.free_motions if parts else [motion_entry(t, None) for t in self.told_motions]
        return {
            "outcome": self.outcome.name.lower(),
            "sentence": self.sentence,
            "dof": self.dof,
            "driven": self.driven,
            "dof_left": self.dof_left,
            "grounded": self.grounded,
            "held": self.held,
            "poses": poses_entry(self.best_poses if self else {}),
            "mates": [m.to_dict() for m in self.mates],
            "redundant_equations": self.redundant_equations,
            "redundant": self.redundant,
            "conflicts": self.conflicts,
            "left_out": self.left_out_rows,
            "read_as": self.read_as_rows,
            "suppressed": self.suppressed,
            "free_motions": motions,
            "drivers": self.drivers,
            "singular": self.singular,
            "special": self.special,
            "reversed_senses": list(self.reversed_senses),
            "constants": self.constants,
            "couplings": self.couplings,
            "certified": self.certified,
            "mode": self.mode,
            "mode_switched_from": self.mode_switched_from,
            "ways_to_close": self.ways_to_close,
            "limits": [x.to_dict() for x in self.limits],
            "limits_reached": self.limits_reached,
            "notes": self.notes,
            "stopped": self.stopped,
            "fallbacks": list(self.fallbacks),
            "counts": self.counts._asdict(),
            "seconds": self.seconds,
        }

    def _repr_html_(self) -> str:
        reasons = {
            "contradiction": self.conflicts,
            "redundant": self.redundant,
            "free motion": [motion_entry(told, None) for told in self.told_motions],
        }
        poses = self.best_poses if self else {}
        from .solution_tables import solution_html  # for notebooks

        return solution_html(self.sentence, bool(self), self.mates, reasons, poses)

    def __str__(self) -> str:
        lines = [self.sentence]
        width = max((len(m.name) for m in self.mates), default=4)
        for m in self.mates:
            mark, off = "holds" if m.holds else "OFF", f"{m.residual_mm:.1e} mm"
            lines.append(f"  {m.name:<{width}}  {mark:<5}  {off}  {m.residual_deg:.1e} deg")
        lines += [f"  {name}: {words}" for name, words in self.couplings.items()]
        lines += [f"  {x.words}" for x in self.limits if not x.holds]
        lines += [f"  {told.words}; {told.removed_by}" for told in self.told_motions]
        lines += [f"  {words}" for words in (self.drivers or {}).get("words", [])]
        lines += [f"  {self.certified['words']}"] if self.certified else []
        lines += [f"  {words}" for words in self.notes]
        return "\n".join(lines)
