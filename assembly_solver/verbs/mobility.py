"""Mobility by several counts, and why they differ: docs/theory/mobility.md.

Kutzbach's is a sum of freedoms, the *generic* one a rank with all joints at random positions, their
kind of motion kept; the pebble game certifies it where its theorem applies to all mates.  Mobility
*here* is the rank at the pose, *finite* what remains after a displacement that is closed again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..diagnosis.assur_groups import AssurGroups, assur_groups
from ..diagnosis.freedoms import Diagnosis
from ..diagnosis.mobility_counts import MobilityCounts, OverBracedBodies, counts
from ..diagnosis.proof import proving
from ..equations.system import System
from ..foundations.geometry.pose import Pose
from ..foundations.watch import Progress
from ..model.assembly import Assembly
from ..results.solution import Solution
from ..results.wording.counts import body_parts, freedoms, over_braced, reasons, unseen
from ..results.wording.motion_modes import motion_modes, singular_lines
from ..results.wording.phrases import at_least, at_most, listed
from .solving import solve

if TYPE_CHECKING:
    from ..diagnosis.proof.certificate import Confinement

Prover = Callable[[System, Collection[int], Sequence[Pose], int], "Confinement | None"]

COUNTS = ("kutzbach", "generic", "certified", "here", "finite", "idle")
SIZES = ("unknowns", "equations", "rank")


@dataclass(frozen=True, eq=False)
class LoopMobility:
    """The counts of one component: a branch, or a bundle of loops.

    Attributes:
        root: the part that it is attached to; parts: that it moves; mates: between them.
        motion: "in parallel planes", "about a point" or "in space".
        kutzbach, pebbles, generic, here, finite: freedoms; `finite` None where not computed.
        gap: of the rank at the pose, 0 is clear and 1 undecided; sure: whether `finite` is.
        order: of freedoms that nothing finite follows: to that power of the way mates hold, to the
            next they do not; None where it is not clear, or something moves.
        shown_by: what shows what is finite: "independent equations", "ways that close" (in all
            directions), "followed motions", "order" or "moved poses"; None where nothing does.
        modes: the motions that meet at a singular pose: dof, first_order (freedoms of first order
            along it), cusp, cone, parts that move; none where all free motions are finite.
        confined: with `certify`, of what nothing finite leaves: `within_mm` is the largest change
            of a part's place or, times the characteristic length, its angle, while mates hold
            within `slack_mm`; None where that is not proved.
        certified: whether the pebble game agrees with `generic`; unseen: mates that its theorem
            does not cover (directions, slides, balls in space): there its count is no proof.
        redundant: redundant equations by their cause: "common directions", "too many",
            "special dimensions", "this pose".
        words: why the counts differ, a sentence.
    """

    root: str
    parts: tuple[str, ...]
    mates: tuple[str, ...]
    motion: str
    kutzbach: int
    pebbles: int
    generic: int
    here: int
    finite: int | None
    gap: float
    sure: bool
    order: int | None
    shown_by: str | None
    modes: tuple[dict[str, Any], ...]
    confined: dict[str, float] | None
    certified: bool
    unseen: tuple[str, ...]
    redundant: dict[str, int]
    words: str

    def to_dict(self) -> dict[str, Any]:
        """Its attributes by name."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in vars(self).items()}


@dataclass(frozen=True, eq=False)
class Mobility:
    """The mobility of an assembly; true when the assembly is solved.

    Attributes:
        solution: of the mates and drivers; where it is not solved, counts are None, lists empty.
        sentence: Kutzbach's count, the causes of its difference from the rank, and the result.
        kutzbach, generic, here, finite, idle: freedoms of all parts relative to the fixed ones;
            idle ones are spins of a part about its own axis.
        gap: of the rank at the pose, the worst: 0 is clear, 1 undecided.
        certified: whether the pebble game agrees with `generic` everywhere.
        loops: the components, outward from the fixed parts.
        over_braced: sub-linkages with too many equations whatever the dimensions:
            parts, mates, equations, words.
        groups: Assur groups by part names, in order; None without drivers.
        notes: what the counts and the groups do not cover, and why.
    """

    solution: Solution
    sentence: str
    kutzbach: int | None = None
    generic: int | None = None
    here: int | None = None
    finite: int | None = None
    idle: int | None = None
    gap: float | None = None
    certified: bool = False
    loops: tuple[LoopMobility, ...] = ()
    over_braced: tuple[dict[str, Any], ...] = ()
    groups: tuple[tuple[str, ...], ...] | None = None
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.solution)

    @property
    def redundant(self) -> list[dict[str, Any]]:
        """Redundant mates at this pose and their causes, as of `Solution.redundant`."""
        return self.solution.redundant

    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints."""
        solved = self.solution
        return {
            "name": solved.assembly.name,
            "outcome": solved.outcome.name.lower(),
            "sentence": self.sentence,
            "left_out": solved.left_out_rows,
            "read_as": solved.read_as_rows,
            "suppressed": solved.suppressed,
            **{k: getattr(solved.diagnosis, k) if self else None for k in SIZES},
            "rank_gap": self.gap,
            **{name: getattr(self, name) for name in COUNTS},
            "loops": [c.to_dict() for c in self.loops],
            "over_braced": list(self.over_braced),
            "redundant_equations": solved.diagnosis.redundant_equations if self else None,
            "redundant": self.redundant,
            "singular": solved.singular,
            "groups": None if self.groups is None else [list(g) for g in self.groups],
            "notes": [*self.notes, *solved.notes],
            "conflicts": solved.conflicts,
        }

    def __str__(self) -> str:
        lines = [self.sentence]
        several = [f"  {c.words}" for c in self.loops if c.redundant]
        lines += several if len(several) > 1 else []
        lines += [f"  {entry['words']}" for entry in (*self.over_braced, *self.redundant)]
        lines += [f"  {words}" for words in singular_lines(self.solution.singular)]
        if self.groups:
            lines.append("  placed in order: " + ", ".join(_group(g) for g in self.groups))
        notes = (*self.notes, *self.solution.notes)
        return "\n".join([*lines, *(f"  {note}" for note in notes)])


def mobility(
    assembly: Assembly,
    *,
    certify: bool = False,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Mobility:
    """The freedoms of an assembly by each count, and why the counts differ.

    Drivers do not enter the counts; with drivers the Assur groups are listed, in order.

    Args:
        assembly: not changed; it is solved first.
        certify: whether to prove of freedoms that nothing finite follows how far they lead at most,
            see `LoopMobility.confined`; it takes the extra `proof`.
        budget, progress: as for `solve`.

    Raises:
        MissingExtra: `certify` without python-flint.

    Source: docs/theory/mobility.md, 1 and 2; the groups: 6; the proof:
    docs/theory/higher_order.md, 6.
    """
    prove = proving("no_motion", "mobility").confined if certify else None
    solution = solve(assembly, budget=budget, progress=progress)
    if not solution:
        words = f"{solution.sentence}; mobility is told of a solved assembly only"
        return Mobility(solution, words)
    return _counted(solution, prove)


def _counted(solution: Solution, prove: Prover | None) -> Mobility:
    d = solution.diagnosis
    each = counts(d)
    loops = tuple(_loop(d, c, _confined(solution, c, prove)) for c in each)
    unjointed = 6 * (d.plan.bodies.count - 1 - sum(len(c.graph.c.bodies) for c in each))
    kutzbach = unjointed + sum(c.kutzbach for c in each)
    known = [c.finite for c in each if c.finite is not None]
    finite = unjointed + sum(known) if len(known) == len(each) else None
    idle = sum(m.idle for m in d.free_motions)
    orders = {c.order for c in each if c.here}
    order = orders.pop() if len(orders) == 1 else None
    freedom = freedoms(d.dof, finite, all(c.sure for c in each), idle, order)
    groups = assur_groups(d, solution.given, each) if solution.given.drivers else None
    return Mobility(
        solution=solution,
        sentence="; ".join([_sentence(kutzbach, each, freedom), *_proved(loops)]),
        kutzbach=kutzbach,
        generic=unjointed + sum(c.generic for c in each),
        here=d.dof,
        finite=finite,
        idle=idle,
        gap=d.gap,
        certified=all(c.seen for c in each),
        loops=loops,
        over_braced=tuple(_over_braced(d, x) for c in each if c.seen for x in c.over_braced),
        groups=None if groups is None else tuple(tuple(body_parts(d, g)) for g in groups.groups),
        notes=tuple(_notes(solution, each, groups)),
    )


def _notes(solution: Solution, each: list[MobilityCounts], groups: AssurGroups | None) -> list[str]:
    """Mates that the pebble game does not cover, surplus or missing drivers, ungrouped parts."""
    notes = [unseen(c) for c in each if not c.seen]
    notes += (solution.drivers or {}).get("words", [])
    return notes + (_groups_noted(solution.diagnosis, groups) if groups is not None else [])


def _sentence(kutzbach: int, each: list[MobilityCounts], freedom: str) -> str:
    """Kutzbach's count, the causes of the difference, the actual freedom."""
    causes_of = [(c, reasons(c)) for c in each]
    several = sum(bool(why) for _, why in causes_of) > 1
    causes = []
    for c, why in causes_of:
        where = f"of {listed(body_parts(c.graph.diagnosis, c.graph.c.bodies), 3)}, " * several
        causes += [where + words for words in why]
    return "; ".join([f"Kutzbach gives {kutzbach}", *causes, freedom])


def _confined(
    solution: Solution, c: MobilityCounts, prove: Prover | None
) -> dict[str, float] | None:
    """What is proved of a component with freedoms that nothing finite follows."""
    if prove is None or not c.here or c.finite != 0:
        return None
    d = solution.diagnosis
    index = {name: k for k, name in enumerate(solution.system.parts)}
    parts = [index[name] for name in body_parts(d, c.graph.c.bodies)]
    found = prove(solution.system, parts, list(solution.poses.values()), c.here)
    return found and {"within_mm": found.within, "slack_mm": found.slack}


def _proved(loops: Sequence[LoopMobility]) -> list[str]:
    """The proofs of loops that cannot move, in words."""
    return [
        f"proved: while mates hold within {at_least(c.confined['slack_mm'])} mm, no part of "
        f"{listed(list(c.parts), 4)} goes farther than {at_most(c.confined['within_mm'])} mm"
        for c in loops
        if c.confined
    ]


def _loop(d: Diagnosis, c: MobilityCounts, confined: dict[str, float] | None) -> LoopMobility:
    causes = {
        "common directions": c.common,
        "too many": c.excess,
        "special dimensions": c.special,
        "this pose": c.momentary,
    }
    parts = body_parts(d, c.graph.c.bodies)
    freedom = freedoms(c.here, c.finite, c.sure, 0, c.order)
    return LoopMobility(
        root=listed(body_parts(d, [c.graph.c.root])),
        parts=tuple(parts),
        mates=tuple(d.plan.system.constraints[k] for k in c.graph.c.constraints),
        motion=c.graph.motion,
        kutzbach=c.kutzbach,
        pebbles=c.pebbles,
        generic=c.generic,
        here=c.here,
        finite=c.finite,
        gap=c.gap,
        sure=c.sure,
        order=c.order,
        shown_by=c.shown_by,
        modes=tuple(motion_modes(d, c.branches)),
        confined=confined,
        certified=c.seen,
        unseen=tuple(d.plan.system.constraints[k] for k in sorted(c.graph.unseen)),
        redundant={k: n for k, n in causes.items() if n},
        words=f"{listed(parts, 4)}: {_sentence(c.kutzbach, [c], freedom)}",
    )


def _over_braced(d: Diagnosis, found: OverBracedBodies) -> dict[str, Any]:
    return {
        "parts": body_parts(d, found.bodies),
        "mates": [d.plan.system.constraints[k] for k in found.constraints],
        "equations": found.equations,
        "words": over_braced(d, found),
    }


def _groups_noted(d: Diagnosis, g: AssurGroups) -> list[str]:
    out = []
    if g.loose:
        out.append(f"no groups of {listed(body_parts(d, g.loose), 8)}: drivers leave them freedoms")
    if g.across:
        verb = "acts" if len(g.across) == 1 else "act"
        out.append(f"no group has {listed(list(g.across), 8)}: {verb} across several loops or none")
    if g.special:
        names = listed(body_parts(d, g.special), 8)
        out.append(f"no groups of {names}: their freedoms are those of special dimensions or poses")
    return out


def _group(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else "(" + ", ".join(names) + ")"
