"""Processor time of a repeated solve with the least movement over that without it.

Both are measured in turn in one process.  Run as
`python -m benchmarks.least_movement_times [repetitions]`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time_ns

import numpy as np

import assembly_solver as asm
from assembly_solver.foundations.watch import Watch
from assembly_solver.solver.modes.choice import ReachedPoses
from assembly_solver.verbs import solve_attempts

from . import families
from .least_movement import CASES

STARTS = 5


def _named(name: str) -> Callable[[int], asm.Assembly]:
    return lambda seed: families.assembly(families.named(name, seed=seed))


NAMES = ("excavator", "stewart", "ladder(10)", "chain(1000)")
TIMED = CASES | {name: _named(name) for name in NAMES}
LEAST = solve_attempts.with_least_movement


def _as_reached(reached: ReachedPoses, watch: Watch) -> ReachedPoses:
    """Instead of the least movement."""
    return reached


def times(name: str, repetitions: int) -> np.ndarray:
    """Times of repeated solves with and without, shape (solves, 2), s."""
    out = []
    for seed in range(STARTS):
        assembly = TIMED[name](seed)
        for n in range(repetitions + 2):
            pair = []
            for ending in (LEAST, _as_reached):
                solve_attempts.with_least_movement = ending
                begin = process_time_ns()
                asm.solve(assembly)
                pair.append(1e-9 * (process_time_ns() - begin))
            if n > 1:  # the first ones plan and prepare
                out.append(pair)
    solve_attempts.with_least_movement = LEAST
    return np.array(out)


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print(f"{'case':12} {'with, us':>9} {'without':>9} {'ratio':>6}")
    for name in TIMED:
        found = times(name, repetitions if name != "chain(1000)" else 4)
        both = 1e6 * np.median(found, axis=0)
        ratio = np.median(found[:, 0] / found[:, 1])
        print(f"{name:12} {both[0]:9.0f} {both[1]:9.0f} {ratio:6.2f}", flush=True)


if __name__ == "__main__":
    main()
