"""The product on all families and sizes: `python -m benchmarks.scale`.

First the small families from ten starts each: all must be solved, hold to 1e-9 mm and 1e-9 rad by
the judge, keep every sense, leave the ground where it is, and count the freedoms that are known.
Then the large ones from one start, with the times of a first and of a repeated solve.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import assembly_solver as asm

from .adapters.by_ourselves import solved_poses
from .case import BenchmarkCase, restart
from .families import assembly, named
from .figures import RIGHT, Figure, median, report, timed
from .judge import judge

SMALL = (
    "fourbar",
    "stewart",
    "stewart_free",
    "excavator",
    "chain(10)",
    "ladder(3)",
    "ladder(10)",
    "stack(3)",
    "stack(10)",
    "scissor(3)",
    "scissor(20)",
)
LARGE = ("chain(1000)", "ladder(100)", "stack(100)", "chain(10000)")
SEEDS = 10
HOLDS = 1e-9  # mm and rad
REPEATS = 3


@dataclass
class ScaleLine:
    """One case over its starts: the results, and the times of its solves in ms."""

    name: str
    starts: int = 0
    good: int = 0
    mm: float = 0.0
    rad: float = 0.0
    faults: list[str] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)

    def judged(self, case: BenchmarkCase, solution: asm.Solution, start: str) -> None:
        """Add one solution."""
        verdict = judge(case, solved_poses(case, solution.best_poses))
        faults = {
            solution.outcome.name.lower(): solution.outcome is not asm.Outcome.SOLVED,
            f"{verdict.mm:.0e} mm": verdict.mm > HOLDS,
            f"{verdict.rad:.0e} rad": verdict.rad > HOLDS,
            f"{verdict.flips} reversed": verdict.flips > 0,
            "ground moved": verdict.ground_mm > 0 or verdict.ground_rad > 0,
            f"dof {solution.dof}, not {case.dof}": solution.dof != case.dof,
        }
        found = [words for words, true in faults.items() if true]
        self.starts += 1
        self.good += not found
        self.mm, self.rad = max(self.mm, verdict.mm), max(self.rad, verdict.rad)
        if found:
            self.faults.append(f"{start}: {', '.join(found)}")


def run(name: str, seeds: Sequence[int], noise: float) -> ScaleLine:
    """Solve one case from several starts, each twice with the same assembly."""
    line = ScaleLine(name)
    case = named(name)
    for seed in seeds:
        case = restart(case, seed, noise)
        model = assembly(case)
        first, solution = timed(partial(asm.solve, model))
        line.judged(case, solution, f"seed {seed}")
        line.first.append(first)
        line.again += [timed(partial(asm.solve, model))[0] for _ in range(REPEATS)]
    return line


def told(line: ScaleLine) -> Iterator[Figure]:
    """What the judge found, and medians of the times."""
    words = "; ".join(line.faults)[:200] or RIGHT
    limit = f">= {line.starts}"
    yield Figure("scale", line.name, "as they must be", line.good, "starts", limit, "", words)
    for words, unit, off in (("mates", "mm", line.mm), ("directions", "rad", line.rad)):
        yield Figure("scale", line.name, f"{words} are off", off, unit, f"<= {HOLDS:g}")
    yield Figure("scale", line.name, "first", median(line.first), "ms")
    yield Figure("scale", line.name, "repeated", median(line.again), "ms")


def figures(quick: bool = False, cases: Iterable[str] = (), noise: float = 1.0) -> Iterator[Figure]:
    """The small families from ten starts, the large ones from one; quick without these."""
    asm.solve(assembly(named("fourbar")))  # compiled code is loaded before anything is timed
    plan = [(name, range(SEEDS)) for name in cases or SMALL]
    if not quick and not cases:
        plan += [(name, range(1)) for name in LARGE]
    for name, seeds in plan:
        yield from told(run(name, seeds, noise))


def main(arguments: list[str] | None = None) -> int:
    """Print the table; status 1 where a case is not as it must be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--noise", type=float, default=1.0, help="1: 10 %% of size, 20 degrees")
    parser.add_argument("--quick", action="store_true", help="leave the large cases out")
    parser.add_argument("--cases", nargs="+", default=(), help="only these, from ten starts each")
    return report(figures(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    raise SystemExit(main())
