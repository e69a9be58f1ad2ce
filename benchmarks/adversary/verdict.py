"""What is wrong with an answer of the engine, by the judge's own numbers."""

from __future__ import annotations

import math
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

import assembly_solver as asm

from .draft import Draft
from .geometry import SENSES
from .judge import Count, components, counted, end_off, ends_of, limit_off, offs, parts_of, placed

TOLD_MM, TOLD_RAD = 1e-9, 1e-10
"""Difference between the residual that is told and the judge's that counts: rounding at 1e3 mm
from the origin, more where parts are farther away, and what the rounding of a direction is."""

SHARE = 1e-3
"""The same as a share of the residual: first-order measures of angles differ by their square."""


MOST_UNCLEAR = 0.01
"""Share of the cases of a family that may be unclear, one at least: they show nothing."""

ENDED = ("path", "slot", "pin_slot")
"""Kinds of mates whose travel may have ends."""


class Verdict(NamedTuple):
    """The result of one case.

    Attributes:
        kind: of the case, within its family; wrong: what is wrong, in words.
        contradicted: a false contradiction; unsolved: solvable, and told not to be solved.
        unclear: whether the judge had no clear rank, and nobody told of a singular pose.
    """

    kind: str
    wrong: list[str]
    contradicted: bool = False
    unsolved: bool = False
    unclear: bool = False

    @property
    def good(self) -> bool:
        """Whether nothing is wrong, and the answer was found."""
        return not (self.wrong or self.contradicted or self.unsolved)


def allowed_unclear(cases: int) -> float:
    """How many of so many cases may be unclear."""
    return max(1.0, MOST_UNCLEAR * cases)


def solvable(kind: str, draft: Draft) -> Verdict:
    """Solve a draft that has a solution, and judge the answer."""
    a = draft.build()
    solution = asm.solve(a)
    wrong = moved_by_solving(draft, a)
    if solution.outcome is asm.Outcome.CONFLICTING:
        return Verdict(kind, wrong, contradicted=True)
    if not solution:
        return Verdict(kind, wrong, unsolved=True)
    found, unclear = wrong_in(draft, solution)
    return Verdict(kind, wrong + found + wrong_again(a, solution), unclear=unclear)


def moved_by_solving(draft: Draft, a: asm.Assembly) -> list[str]:
    """A solve changes nothing in the assembly."""
    return [f"{n} moved by a solve" for n, p in a.parts.items() if p.pose != draft.starts[n]]


def wrong_again(a: asm.Assembly, solution: asm.Solution) -> list[str]:
    """Solving twice is solving once, bit for bit."""
    solution.apply()
    again = asm.solve(a)
    if not again:
        return [f"solved again: {again.sentence}"]
    moved = [n for n, p in again.poses.items() if p != solution.poses[n]]
    return [f"solved again {moved[0]} moves"] if moved else []


def wrong_in(draft: Draft, solution: asm.Solution) -> tuple[list[str], bool]:
    """What is wrong with a solution that is said to hold, and whether the rank is not clear."""
    poses, constants = solution.poses, {n: c["value"] for n, c in solution.constants.items()}
    wrong = [
        f"{n} grounded and moved"
        for n, b in draft.bodies.items()
        if b.grounded
        if poses[n] != b.pose
    ]
    wrong += wrong_residuals(draft, solution, poses, constants)
    wrong += wrong_senses(draft, solution, poses) + wrong_held(draft, solution)
    at = placed(poses)
    for name in draft.limits:
        if limit_off(draft, name, at) > draft.tolerance:
            wrong.append(f"limit {name} exceeded")
    for name, tie in draft.ties.items():
        if tie.kind in ENDED and end_off(draft, name, at) > draft.tolerance:
            wrong.append(f"{name} beyond its ends")
    count = count_at(draft, solution)
    return wrong + wrong_count(solution, count), not (count.clear or solution.singular)


def count_at(draft: Draft, solution: asm.Solution) -> Count:
    """Freedoms by singular values at the poses of a solution."""
    constants = {n: c["value"] for n, c in solution.constants.items()}
    return counted(draft, solution.poses, set(solution.grounded), constants)


def wrong_count(solution: asm.Solution, count: Count) -> list[str]:
    """Freedoms, redundant equations and free motions that are told and are not those counted.

    Next to a singular pose, which the solution mostly tells of, either count will do, by all three.
    """
    told, redundant, wrong = solution.dof, solution.redundant_equations, list[str]()
    assert told is not None
    if told not in count.dof:
        wrong.append(f"{told} freedoms told, {' or '.join(map(str, count.dof))} counted")
    if redundant != count.equations - count.unknowns + told:
        right = count.equations - count.unknowns + told
        wrong.append(f"{redundant} redundant told, {right} counted with {told} freedoms")
    if len(solution.free_motions) != told:
        wrong.append(f"{len(solution.free_motions)} free motions of {told}")
    return wrong


def wrong_residuals(
    draft: Draft,
    solution: asm.Solution,
    poses: Mapping[str, asm.Pose],
    constants: Mapping[str, float],
) -> list[str]:
    """Mates that do not hold as they are said to, or whose residuals are told otherwise."""
    found, wrong = offs(draft, poses, constants), []
    told = {}
    for m in solution.mates:
        told[m.name if m.name in draft.ties else f"driver {m.name.removeprefix('driver ')}"] = m
    if {*told} != {*found}:
        return [f"other mates told: {sorted({*told} ^ {*found})}"]
    far = max(1.0, *(abs(x) / 1e3 for p in poses.values() for x in p.position))
    for name, off in found.items():
        m = told[name]
        if m.holds and off.at_reach > draft.tolerance:
            wrong.append(f"{name} is said to hold, off by {off.mm:.2g} mm, {off.rad:.2g} rad")
        mm, rad = abs(m.residual_mm - off.mm), abs(math.radians(m.residual_deg) - off.rad)
        if mm > TOLD_MM * far + SHARE * off.mm or rad > TOLD_RAD + SHARE * off.rad:
            said = f"{m.residual_mm:.3g} mm {math.radians(m.residual_deg):.3g} rad"
            wrong.append(f"{name} told off by {said}, is {off.mm:.3g} mm {off.rad:.3g} rad")
    if solution and not all(m.holds for m in solution.mates):
        wrong.append("solved, and a mate does not hold")
    return wrong


def wrong_senses(draft: Draft, solution: asm.Solution, poses: Mapping[str, asm.Pose]) -> list[str]:
    """Senses that are told and not taken."""
    at, wrong = placed(poses), []
    for m in solution.mates:
        tie = draft.ties.get(m.name)
        sense = SENSES.get(m.sense or "", 0)
        if tie is None or tie.a is None or sense == 0 or tie.parameters.get("skew"):
            continue
        ends = ends_of(draft, tie, at)
        if tie.kind == "width":
            continue
        if sense * float((ends["a"].z[0] * ends["b"].z[0]).sum()) < 0:
            wrong.append(f"{m.name} is not {m.sense}")
    return wrong


def wrong_held(draft: Draft, solution: asm.Solution) -> list[str]:
    """In a component without ground the part with the most mates is held, else none."""
    mates = Counter(p for tie in draft.ties.values() for p in parts_of(draft, tie))
    wrong, held = [], set(solution.held)
    for group in components(draft):
        if any(draft.bodies[n].grounded for n in group):
            wrong += [f"{n} held" for n in group & held]
        elif len(group) > 1:
            own = group & held
            most = max(mates[n] for n in group)
            if len(own) != 1 or any(mates[n] < most for n in own):
                wrong.append(f"{sorted(own)} held of {sorted(group)}")
    return wrong


def same_poses(ours: Mapping[str, asm.Pose], theirs: Mapping[str, asm.Pose]) -> tuple[float, float]:
    """Largest distance (mm) and angle (rad) between poses of the same parts."""
    mm = rad = 0.0
    for name, p in ours.items():
        q = theirs[name]
        mm = max(mm, math.dist(p.position, q.position))
        chord = float(np.linalg.norm(p.rotation - q.rotation)) / math.sqrt(8)
        rad = max(rad, 2 * math.asin(min(1.0, chord)))
    return mm, rad


def judged(case: Callable[[int], Verdict], seed: int) -> Verdict:
    """The verdict of a case; what is raised is wrong."""
    try:
        return case(seed)
    except Exception as error:
        trace = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{trace.filename.rsplit('/', 1)[-1]}:{trace.lineno}"
        return Verdict("raised", [f"{type(error).__name__}: {error} ({place})"])
