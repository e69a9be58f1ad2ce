"""The time estimate of `linkage.cost` against measured times: `python -m benchmarks.linkage_cost`.

The twelve mechanisms of MotionGen's table 2 with as many states, slots as they are: planning a
linkage and computing its states, processor time, the fastest of several.  Then the share of the
variance of these times, and of their logarithms, that the estimate explains.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import assembly_solver as asm
from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.run.time_estimate import time_constants

SAMPLES = Path(__file__).parents[1] / "samples" / "motiongen"
ROUNDS = 9
STATES = {
    "rrrr": 360,
    "rrrp": 90,
    "rrpr": 149,
    "rrpp": 81,
    "rppr": 14,
    "rprp": 33,
    "prrp": 50,
    "rppp": 90,
    "prpp": 93,
    "multi_slot": 360,
    "millipede": 122,
    "pantograph": 14_400,
}
TURNS = {"turntable": (0, 360), "left crank": (120, 14_520), "right crank": (-120, 13_200)}
"""Inputs of the pantograph, first and last, degrees."""


def fastest(call: Callable[[], object]) -> float:
    """Processor time of a call, s."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return min(times)


def explained(measured: list[float], estimated: list[float]) -> float:
    """Share of the variance of measured values."""
    y, f = np.array(measured), np.array(estimated)
    return float(1 - ((y - f) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def main() -> int:
    """Print both times of all mechanisms."""
    print(time_constants())
    print(f"\n{'mechanism':<12}{'states':>7}  {'table 2':<16}{'measured us':>12}{'estimate':>10}")
    measured, estimated = [], []
    for name, states in STATES.items():
        a = asm.read(SAMPLES / f"{name}.assembly.json")
        found = asm.linkage(a)
        ends = TURNS if name == "pantograph" else {"input": a.drivers["input"].range}
        values = {driver: np.linspace(*pair, states) for driver, pair in ends.items()}
        found.run(values)
        planning = fastest(lambda found=found: plan_linkage(found.scheme))
        running = fastest(lambda found=found, values=values: found.run(values))
        measured.append(planning + running)
        estimated.append(found.cost.time(states).total)
        took, told = 1e6 * measured[-1], 1e6 * estimated[-1]
        print(f"{name:<12}{states:>7}  {found.cost!s:<16}{took:>12.0f}{told:>10.0f}")
    ratios = np.array(estimated) / np.array(measured)
    logs = explained(np.log(measured).tolist(), np.log(estimated).tolist())
    print(
        f"\nR^2 {explained(measured, estimated):.2f}, of logarithms {logs:.2f}; estimate over "
        f"measured: median {np.median(ratios):.2f}, {ratios.min():.2f} to {ratios.max():.2f}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
