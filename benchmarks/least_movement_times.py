"""Processor time of a repeated solve with the least movement over that without it.

Both are measured in turn in one process.  Run as
`python -m benchmarks.least_movement_times [repetitions]`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from time import process_time_ns

import numpy as np

import assembly_solver as asm
from assembly_solver.foundations.watch import Watch
from assembly_solver.solver.least_movement import with_least_movement
from assembly_solver.solver.modes.choice import ReachedPoses
from assembly_solver.verbs import solve_attempts

from . import families
from .figures import Figure, report
from .least_movement import CASES

PART = "least_movement_times"
STARTS = 5


def _named(name: str) -> Callable[[int], asm.Assembly]:
    return lambda seed: families.assembly(families.named(name, seed=seed))


NAMES = ("excavator", "stewart", "ladder(10)", "chain(1000)")
TIMED = CASES | {name: _named(name) for name in NAMES}
LEAST = with_least_movement


def _as_reached(reached: ReachedPoses, keep: bool, watch: Watch) -> ReachedPoses:
    """Instead of the least movement."""
    return reached


def _end_with(ending: Callable[..., ReachedPoses]) -> None:
    vars(solve_attempts)["with_least_movement"] = ending


def times(name: str, repetitions: int) -> np.ndarray:
    """Times of repeated solves with and without, shape (solves, 2), s."""
    out = []
    for seed in range(STARTS):
        assembly = TIMED[name](seed)
        for n in range(repetitions + 2):
            pair = []
            for ending in (LEAST, _as_reached):
                _end_with(ending)
                begin = process_time_ns()
                asm.solve(assembly)
                pair.append(1e-9 * (process_time_ns() - begin))
            if n > 1:  # the first ones plan and prepare
                out.append(pair)
    _end_with(LEAST)
    return np.array(out)


def figures(quick: bool = False, repetitions: int = 40) -> Iterator[Figure]:
    """Medians of both, and of their ratio."""
    for name in [*TIMED][:3] if quick else TIMED:
        found = times(name, 4 if quick or name == "chain(1000)" else repetitions)
        both = 1e6 * np.median(found, axis=0)
        for words, value in zip(("with", "without"), both.tolist(), strict=True):
            yield Figure(PART, name, f"repeated solve, {words}", value, "us")
        share = float(np.median(found[:, 0] / found[:, 1]))
        yield Figure(PART, name, "with / without", share, "x")


def main() -> int:
    """Print the table."""
    return report(figures(False, *map(int, sys.argv[1:2])))


if __name__ == "__main__":
    raise SystemExit(main())
