"""What diagnosing and saying it costs: processor times that should grow with the size only.

    python -m benchmarks.words

The last rows are wall times of a solve with a budget, printed; what it says was left out goes to
standard output of its own command.

Every case is solved and diagnosed once before it is timed in a fresh model, so that compiled code
is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter, process_time

import assembly_solver as asm

from .families import assembly, named
from .figures import Figure, report, timed
from .seven_mates import interpreted

LADDERS = (100, 300, 1000)
HINGES = 300
CHAIN = "chain(2500)"
BUDGET, MORE = 0.5, 1.0
"""Budget of a solve, s, and how much longer its answer may take."""


def hinges(n: int) -> asm.Assembly:
    """n doors, each on a hinge of its own on one grounded frame."""
    out = asm.Assembly(f"{n} hinges")
    knuckles = {f"k{k}": asm.Axis((100.0 * k, 0, 0), "z") for k in range(n)}
    out.add("frame", grounded=True, features=knuckles)
    for k in range(n):
        out.add(f"door{k}", features={"k": asm.Axis((0, 0, 0), "z"), "tip": asm.Point((50, 0, 0))})
        out.mate("revolute", f"frame.k{k}", f"door{k}.k", name=f"hinge {k}")
    return out


def diagnosed(given: asm.Assembly) -> tuple[float, float]:
    """Processor times of the diagnosis with all its entries, and of printing it, ms."""

    def diagnose() -> asm.Solution:
        found = asm.diagnose(given)
        found.to_dict()
        return found

    took, found = timed(diagnose, process_time)
    return took, timed(lambda: str(found), process_time)[0]


def within_budget(name: str) -> tuple[float, str]:
    """Wall time of a solve with a budget and of printing it, s, and what it says about that."""
    given = assembly(named(name))
    begin = perf_counter()
    solution = asm.solve(given, budget=BUDGET)
    str(solution)
    seconds = perf_counter() - begin
    return seconds, "; ".join([solution.sentence.partition(": ")[2], *solution.notes])


def figures(quick: bool = False) -> Iterator[Figure]:
    """Times of each case; what a budget left out stands in place of a verdict."""
    diagnosed(assembly(named("ladder(3)")))
    diagnosed(assembly(named("chain(3)")))
    asm.check(hinges(3))
    ladders, chain = (LADDERS[:1], "chain(100)") if quick else (LADDERS, CHAIN)
    for k in ladders:
        both = diagnosed(assembly(named(f"ladder({k})")))
        for name, ms in zip(("diagnose", "print"), both, strict=True):
            yield Figure("words", f"ladder({k})", name, ms, "ms")
    solution = asm.solve(assembly(named(chain)))
    ms = timed(lambda: str(solution), process_time)[0]
    yield Figure("words", chain, "print", ms, "ms")
    count = HINGES // 10 if quick else HINGES
    ms = timed(lambda: asm.check(hinges(count)), process_time)[0]
    yield Figure("words", f"{count} hinges", "check", ms, "ms")
    yield from interpreted(quick)
    for name in (*(f"ladder({k})" for k in ladders[1:]), chain):
        seconds, words = within_budget(name)
        limit = f"<= {BUDGET + MORE:g}"
        yield Figure("words", name, f"solved and told in {BUDGET} s", seconds, "s", limit)
        print(f"{name}: {words}")


if __name__ == "__main__":
    raise SystemExit(report(figures()))
