"""A solve after a value changed, against a repeated one: `python -m benchmarks.changed`.

The value of a driver or of a mate goes to and fro between two of one structure, from the same start
poses.  Timed are the change and the solve after it, and a solve of the same again, in turn.  All
mates are judged from the features alone, the value where the solution is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import assembly_solver as asm

from .adapters.by_ourselves import solved_poses
from .case import BenchmarkCase
from .families import assembly, named
from .figures import Figure, median, ratio, report, timed
from .judge import TIGHT, judge
from .motion import angle_at_start, joint_of, separation_at_start

ROUNDS = 40
WANTED = 1.3
"""Times of a repeated solve that one after a change may take."""


@dataclass
class Change:
    """An assembly whose value is set by a call, and where the value is at some poses.

    Attributes:
        case: of the values as they are at first; values: the two, mm or degrees.
        put: sets a value; found: the value where an assembly stands.
        of: the case of a value, which has another one itself where a mate has the value.
    """

    case: BenchmarkCase
    given: asm.Assembly
    values: tuple[float, float]
    put: Callable[[float], object]
    found: Callable[[asm.Assembly], float]
    of: Callable[[float], BenchmarkCase]

    def wrong(self, value: float) -> str:
        """What is wrong with the solution at a value; "right" where nothing is."""
        self.put(value)
        solution = asm.solve(self.given)
        if not solution:
            return solution.outcome.name.lower()
        verdict = judge(self.of(value), solved_poses(self.case, solution.poses))
        there = self.given.copy()
        there.move(dict(solution.poses))
        off = abs(self.found(there) - value)
        return verdict.word if off <= TIGHT * self.case.size else f"the value is off by {off:.0e}"


def hinge(name: str, one: str, two: str, by: float) -> Change:
    """The angle of a hinge as a driver, degrees."""
    case = named(name)
    given = assembly(case)
    mate = joint_of(given, one, two)
    at = angle_at_start(assembly(named(name, noise=0.0)), mate)
    given.drive("value", mate, "angle", value=at)
    put, found = partial(given.set_driver, "value"), partial(angle_at_start, mate=mate)
    return Change(case, given, (at, at + by), put, found, lambda _: case)


def cylinder() -> Change:
    """The length of the excavator's bucket cylinder as a driver, mm."""
    case, pins = named("excavator"), ("B0.axis_S", "B8.axis_P")
    given = assembly(case)
    at = separation_at_start(assembly(named("excavator", noise=0.0)), *pins)
    given.drive("value", separation=pins, value=at)
    put = partial(given.set_driver, "value")
    found = partial(separation_at_start, one=pins[0], two=pins[1])
    return Change(case, given, (at, at + 20.0), put, found, lambda _: case)


def leg() -> Change:
    """The length of a leg of the Stewart platform, the value of a mate, mm."""
    case = named("stewart")
    given = assembly(case)
    k, tie = next((k, tie) for k, tie in enumerate(case.mates) if tie.kind == "distance")
    name = [*given.mates][k]

    def of(value: float) -> BenchmarkCase:
        mates = (*case.mates[:k], tie._replace(value=value), *case.mates[k + 1 :])
        return replace(case, mates=mates)

    ends = {end: ".".join(getattr(tie, side)) for end, side in (("one", "a"), ("two", "b"))}
    found = partial(separation_at_start, **ends)

    def put(value: float) -> None:
        given.change(name, value=value)

    return Change(case, given, (tie.value, tie.value + 5.0), put, found, of)


CHANGES: dict[str, Callable[[], Change]] = {
    "fourbar, crank angle": lambda: hinge("fourbar", "frame", "crank", 3.0),
    "excavator, cylinder": cylinder,
    "stewart, a leg": leg,
    "chain(100), a hinge": lambda: hinge("chain(100)", "link49", "link50", 3.0),
}


def figures(quick: bool = False) -> Iterator[Figure]:
    """Medians of both and of their ratio."""
    for name, make in CHANGES.items():
        change = make()
        words = {change.wrong(value) for value in change.values}
        judged = "right" if words == {"right"} else ", ".join(sorted(words - {"right"}))
        again, after = [], []
        for turn in range(6 if quick else ROUNDS):
            value = change.values[turn % 2]

            def altered(change: Change = change, value: float = value) -> asm.Solution:
                change.put(value)
                return asm.solve(change.given)

            after.append(timed(altered)[0])
            again.append(timed(partial(asm.solve, change.given))[0])
        yield Figure("changed", name, "repeated", median(again), "ms", "", "", judged)
        yield Figure("changed", name, "value changed", median(after), "ms", "", "", judged)
        share, limit = ratio(median(after), median(again)), f"<= {WANTED:g}"
        yield Figure("changed", name, "changed / repeated", share, "x", limit, "", judged)


if __name__ == "__main__":
    raise SystemExit(report(figures()))
