"""A solve after a value changed, against a repeated one: `python -m benchmarks.changed`.

The value of a driver, a mate or a dimension goes to and fro between two of one structure, from the
same start poses.  Timed by processor time are the change and the solve after it, and a solve of the
same again, in turn.  All mates are judged from the features alone, the value where the solution is.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import assembly_solver as asm

from .adapters.by_ourselves import solved_poses
from .case import BenchmarkCase, Body
from .families import assembly, named
from .figures import Figure, median, ratio, report, timed
from .judge import TIGHT, judge
from .motion import angle_at_start, joint_of, separation_at_start

ROUNDS = 400
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

    found = partial(separation_at_start, one=".".join(tie.a), two=".".join(tie.b))

    def put(value: float) -> None:
        given.change(name, value=value)

    return Change(case, given, (tie.value, tie.value + 5.0), put, found, of)


def longer(case: BenchmarkCase, part: str, features: tuple[str, ...], by: float) -> BenchmarkCase:
    """The case with features of a part farther along its x axis, mm."""
    body = case.parts[part]
    moved = dict(body.features)
    for name in features:
        x, y, z = moved[name].point
        moved[name] = moved[name]._replace(point=(x + by, y, z))
    parts: dict[str, Body] = {**case.parts, part: body._replace(features=moved)}
    return replace(case, parts=parts)


def along(given: asm.Assembly, part: str, feature: str) -> float:
    """Where a feature is along the x axis of its part, mm."""
    return given.parts[part].features[feature].frame[0]


def dimension(name: str, part: str, *features: str) -> Change:
    """Features of a part that one dimension moves along its x axis, each set by `set_feature`."""
    case = named(name)
    given = assembly(case)
    at = along(given, part, features[0])

    def of(value: float) -> BenchmarkCase:
        return longer(case, part, features, value - at)

    made = {v: assembly(of(v)).parts[part].features for v in (at, at + 5.0)}

    def put(value: float) -> None:
        for feature in features:
            given.set_feature(part, feature, made[value][feature])

    return Change(
        case, given, (at, at + 5.0), put, partial(along, part=part, feature=features[0]), of
    )


CRANK = ("pin1", "top1", "bottom1")
"""What is at the end of the four-bar's crank."""


def parameter() -> Change:
    """The length of the four-bar's crank as a parameter of its file, mm."""
    case = named("fourbar")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fourbar.assembly.json")
        asm.write(assembly(case), path)
        entry = json.loads(path.read_text())
        at = entry["parts"]["crank"]["features"][CRANK[0]]["axis"]["point"][0]
        entry["parameters"] = {"length": at}
        for feature in CRANK:
            (fields,) = entry["parts"]["crank"]["features"][feature].values()
            fields["point"][0] = "=length"
        path.write_text(json.dumps(entry))
        given = asm.read(path)
    found = partial(along, part="crank", feature=CRANK[0])

    def of(value: float) -> BenchmarkCase:
        return longer(case, "crank", CRANK, value - at)

    return Change(case, given, (at, at + 5.0), partial(given.set, "length"), found, of)


CHANGES: dict[str, Callable[[], Change]] = {
    "fourbar, crank angle": lambda: hinge("fourbar", "frame", "crank", 3.0),
    "excavator, cylinder": cylinder,
    "stewart, a leg": leg,
    "chain(100), a hinge": lambda: hinge("chain(100)", "link49", "link50", 3.0),
    "fourbar, set_feature": lambda: dimension("fourbar", "crank", *CRANK),
    "fourbar, parameter": parameter,
    "excavator, set_feature": lambda: dimension("excavator", "B9", "axis_H"),
}


def _solved(change: Change, put: Callable[[float], object], value: float) -> asm.Solution:
    """A solve after a value was put in."""
    put(value)
    return asm.solve(change.given)


def _stay(value: float) -> None:
    """Change nothing, so that both are called alike."""


def figures(quick: bool = False) -> Iterator[Figure]:
    """Medians of both and of their ratio."""
    for name, make in CHANGES.items():
        change = make()
        words = {change.wrong(value) for value in change.values}
        judged = "right" if words == {"right"} else ", ".join(sorted(words - {"right"}))
        again, after = [], []
        for turn in range(6 if quick else ROUNDS):
            value = change.values[turn % 2]
            after.append(timed(partial(_solved, change, change.put, value), time.process_time)[0])
            again.append(timed(partial(_solved, change, _stay, value), time.process_time)[0])
        yield Figure("changed", name, "repeated", median(again), "ms", "", "", judged)
        yield Figure("changed", name, "value changed", median(after), "ms", "", "", judged)
        share, limit = ratio(median(after), median(again)), f"<= {WANTED:g}"
        yield Figure("changed", name, "changed / repeated", share, "x", limit, "", judged)


if __name__ == "__main__":
    raise SystemExit(report(figures()))
