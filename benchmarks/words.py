"""What diagnosing and saying it costs: processor times that should grow with the size only.

    python -m benchmarks.words

The last rows are wall times of a solve with a budget, printed, and what it says was left out.

Every case is solved and diagnosed once before it is timed in a fresh model, so that compiled code
is there.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, process_time

import assembly_solver as asm

from .families import assembly, named

LADDERS = (100, 300, 1000)
HINGES = 300
CHAIN = "chain(2500)"
BUDGET = 0.5
"""Budget of a solve, s; it answers within one second more."""


def hinges(n: int) -> asm.Assembly:
    """n doors, each on a hinge of its own on one grounded frame."""
    out = asm.Assembly(f"{n} hinges")
    knuckles = {f"k{k}": asm.Axis((100.0 * k, 0, 0), "z") for k in range(n)}
    out.add("frame", grounded=True, features=knuckles)
    for k in range(n):
        out.add(f"door{k}", features={"k": asm.Axis((0, 0, 0), "z"), "tip": asm.Point((50, 0, 0))})
        out.mate("revolute", f"frame.k{k}", f"door{k}.k", name=f"hinge {k}")
    return out


def spent(call: Callable[[], object]) -> float:
    """Processor time of a call, s."""
    begin = process_time()
    call()
    return process_time() - begin


def diagnosed(given: asm.Assembly) -> tuple[float, float]:
    """Processor times of the diagnosis with all its entries, and of printing it, s."""
    found = []

    def diagnose() -> None:
        found.append(asm.diagnose(given))
        found[0].to_dict()

    return spent(diagnose), spent(lambda: str(found[0]))


def within_budget(name: str) -> tuple[float, str]:
    """Wall time of a solve with a budget and of printing it, s, and what it says about that."""
    given = assembly(named(name))
    begin = perf_counter()
    solution = asm.solve(given, budget=BUDGET)
    str(solution)
    seconds = perf_counter() - begin
    return seconds, "; ".join([solution.sentence.partition(": ")[2], *solution.notes])


def main() -> None:
    """Print a row for each case."""
    diagnosed(assembly(named("ladder(3)")))
    diagnosed(assembly(named("chain(3)")))
    asm.check(hinges(3))
    print(f"{'case':<24}{'diagnose s':>12}{'print s':>10}")
    for k in LADDERS:
        times = diagnosed(assembly(named(f"ladder({k})")))
        print(f"{f'ladder({k})':<24}{times[0]:>12.2f}{times[1]:>10.2f}")
    solution = asm.solve(assembly(named(CHAIN)))
    print(f"{CHAIN:<24}{'':>12}{spent(lambda: str(solution)):>10.2f}")
    print(f"{f'check of {HINGES} hinges':<24}{spent(lambda: asm.check(hinges(HINGES))):>12.2f}")
    for name in (*(f"ladder({k})" for k in LADDERS[1:]), CHAIN):
        seconds, words = within_budget(name)
        print(f"{f'{name}, budget {BUDGET} s':<24}{seconds:>10.2f} s: {words}")


if __name__ == "__main__":
    main()
