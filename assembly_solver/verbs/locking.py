"""Why a part cannot move: the mates that lock it, and what leaving one of them out would free."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..diagnosis.irreducible import irreducible
from ..diagnosis.subset_solver import MOST_TRIALS
from ..diagnosis.subsets import subset
from ..foundations.watch import Progress
from ..model.assembly import Assembly
from ..model.building.groups import references
from ..results.solution import Solution
from ..results.wording.free_motions import moving_parts
from ..results.wording.phrases import constraint_words, count, listed, part_words
from .solving import solve

MOST_TOLD = 3
"""Most free motions of a part that its sentence tells."""


@dataclass(frozen=True, eq=False)
class Locking:
    """Whether a part can move, and what locks it if not.

    Attributes:
        part: its name; solution: of all mates and drivers.
        motions: what the part does in its free motions, in words: those that no driver holds, or
            all of them if each is held; none if the part is locked or grounded.
        drivers: those that hold them; none where one is left.
        locked_by: mates that lock the part together, those nearest to it where there is a choice;
            each of them is needed for that unless `reducible`.
        without: for each of them, what the part does when it alone is left out of *all* mates, in
            words; none where the others lock the part.  Empty if `reducible`.
        reducible: whether the search was ended before every one was shown to be needed.
    """

    part: str
    solution: Solution
    motions: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    locked_by: tuple[str, ...] = ()
    without: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reducible: bool = False

    @property
    def sentence(self) -> str:
        """The answer in words."""
        given = self.solution.given
        part = part_words(self.part, given)
        if not self.solution:
            return f"{self.solution.sentence}; what locks {part} is told of a solved assembly only"
        if self.part in self.solution.grounded:
            grounded = given.parts[self.part].grounded
            return f"{part} is {'grounded' if grounded else 'held, as nothing there is grounded'}"
        if self.motions:
            if not self.drivers:
                return f"{part} is not locked: {some(self.motions)}"
            verb = "holds" if len(self.drivers) == 1 else "hold"
            held = f"{listed([*self.drivers])} {verb} it: {some(self.motions)}"
            return f"no mate locks {part}, {held}"
        names = [constraint_words(name, given) for name in self.locked_by]
        verb = "locks" if len(names) == 1 else "lock"
        locked = f"{listed(names, most=12)} {verb} {part}"
        if self.without and not any(self.without.values()):
            locked += "; leaving out one of them does not free it, other mates do the same"
        return locked

    def to_dict(self) -> dict[str, Any]:
        """The attributes, of the solution its outcome and what it leaves out; and the words."""
        given = self.solution.given
        return {
            "outcome": self.solution.outcome.name.lower(),
            "sentence": self.sentence,
            "part": self.part,
            "motions": list(self.motions),
            "drivers": list(self.drivers),
            "locked_by": list(self.locked_by),
            "without": {name: list(does) for name, does in self.without.items()},
            "words": [
                f"without {constraint_words(name, given)}: "
                + (some(does) if does else f"the others lock {part_words(self.part, given)}")
                for name, does in self.without.items()
            ],
            "reducible": self.reducible,
            "left_out": self.solution.left_out,
        }

    def __str__(self) -> str:
        return "\n  ".join([self.sentence, *self.to_dict()["words"]])


def locking(
    assembly: Assembly,
    part: str,
    *,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Locking:
    """Why a part cannot move: a smallest set of mates that lock it, and what would free it.

    What a set of mates leaves free is computed at the solved poses, as `diagnose` does for all of
    them; drivers and limits are left out of it.

    Args:
        assembly: not changed; it is solved first.
        part: its name; budget, cancel, progress: as for `solve`, for each of the solves.

    Returns:
        A `Locking`, also where the assembly is not solved: then it has no more than the solution.

    Raises:
        UnknownName: there is no such part.
    """
    assembly.part(part)
    limits: dict[str, Any] = {"budget": budget, "cancel": cancel, "progress": progress}
    solution = solve(assembly, **limits)
    if not solution or part in solution.grounded:
        return Locking(part, solution)
    trials = _LockTrials(part, solution, limits)
    moves = motions_of(part, solution) if trials.joined(trials.near) else [UNJOINED]
    if moves:
        left = [m for m in moves if not m.drivers] or moves
        drivers = dict.fromkeys(name for m in left for name in m.drivers)
        return Locking(part, solution, tuple(m.words for m in left), tuple(drivers))
    found = irreducible(trials, trials.near)
    names = [*trials.placed.held]
    without = {names[k]: trials.freed(k) for k in found}
    if trials.exhausted:  # some of that was not computed; all together lock the part
        found, without = trials.near, {}
    locked_by = tuple(names[k] for k in found)
    return Locking(part, solution, (), (), locked_by, without, trials.exhausted)


def some(motions: Sequence[str]) -> str:
    """The first of some motions, and how many more there are."""
    more = len(motions) - MOST_TOLD
    others = [f"in {count(more, 'other way')}"] if more > 0 else []
    return ", or ".join([*motions[:MOST_TOLD], *others])


class MotionWords(NamedTuple):
    """A free motion of a part in words, and the drivers that hold it."""

    words: str
    drivers: tuple[str, ...]


UNJOINED = MotionWords("no mates join it to a part at rest", ())


def motions_of(part: str, solution: Solution) -> list[MotionWords]:
    """The free motions in which a part moves, drivers left out."""
    out = []
    for motion, removal, _, title, _ in solution.told_motions:
        first, *others = moving_parts(motion, solution.diagnosis)
        if part == first:
            out.append(MotionWords(title, removal.drivers))
        elif part in others:
            out.append(MotionWords(f"it moves when {title}", removal.drivers))
    return out


class _LockTrials:
    """Sets of mates, by number: whether they leave a part free.

    Attributes:
        placed: the assembly at its solved poses; near: all mates that could lock the part, those
            nearest to it first.
    """

    def __init__(self, part: str, solution: Solution, limits: dict[str, Any]) -> None:
        self.part, self._limits = part, limits
        self.placed = solution.given.copy()
        self.placed.move(solution.best_poses)
        self._rest = set(solution.grounded)
        for name in self._rest:
            self.placed.ground(name)
        held = self.placed.held.values()
        self._ends = [{ref.part for ref in references(each.mate).values()} for each in held]
        self._known: dict[frozenset[int], list[MotionWords]] = {}
        self._stopped = False

    @cached_property
    def near(self) -> list[int]:
        """Numbers of the mates on the ways to the part that lead through no part at rest."""
        return self._from_part(range(len(self._ends)))[0]

    def joined(self, mates: Sequence[int]) -> bool:
        """Whether some mates join the part to one at rest."""
        return bool(self._from_part(mates)[1] & self._rest)

    def _from_part(self, mates: Iterable[int]) -> tuple[list[int], set[str]]:
        """The mates that are reached from the part, and all parts, those at rest at last."""
        out, reached, fresh, left = list[int](), {self.part}, {self.part}, [*mates]
        while fresh:
            found = [k for k in left if self._ends[k] & fresh]
            left = [k for k in left if not self._ends[k] & fresh]
            out += found
            ends = {p for k in found for p in self._ends[k]} - reached
            reached |= ends
            fresh = ends - self._rest
        return out, reached

    @property
    def exhausted(self) -> bool:
        return self._stopped or len(self._known) >= MOST_TRIALS

    def holds(self, mates: Sequence[int]) -> bool:
        """Whether some mates leave the part free."""
        return bool(self._motions(mates))

    def freed(self, k: int) -> tuple[str, ...]:
        """What the part does without one mate, in words; none if it stays locked."""
        return tuple(m.words for m in self._motions([n for n in self.near if n != k]))

    def _motions(self, mates: Sequence[int]) -> list[MotionWords]:
        key = frozenset(mates)
        if not self.joined(mates):
            return [UNJOINED]
        if key not in self._known:
            found = solve(subset(self.placed, sorted(key)), **self._limits)
            self._stopped |= found.dof is None  # what it leaves free is not known
            self._known[key] = motions_of(self.part, found)
        return self._known[key]
