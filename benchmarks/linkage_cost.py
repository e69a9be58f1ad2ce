"""The time estimate of `linkage.cost` against measured times: `python -m benchmarks.linkage_cost`.

The twelve mechanisms of MotionGen's table 2 with as many states, slots as they are: planning a
linkage and computing its states, processor time, the fastest of several.  Then the share of the
variance of these times, and of their logarithms, that the estimate explains.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import assembly_solver as asm
from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.run.time_estimate import time_constants

from .figures import Figure, report

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


def figures(quick: bool = False) -> Iterator[Figure]:
    """Both times of all mechanisms, and how well the estimate explains the measured ones."""
    print(time_constants())
    measured, estimated = [], []
    for name, states in STATES.items():
        a = asm.read(SAMPLES / f"{name}.assembly.json")
        found = asm.linkage(a)
        own = a.drivers["input"].range if name != "pantograph" else None
        ends = TURNS if own is None else {"input": own}
        values = {driver: np.linspace(a, b, states) for driver, (a, b) in ends.items()}
        found.run(values)
        planning = fastest(partial(plan_linkage, found.scheme))
        running = fastest(partial(found.run, values))
        measured.append(planning + running)
        estimated.append(found.cost.time(states).total)
        yield Figure("linkage_cost", name, f"{states} states", 1e6 * measured[-1], "us")
        yield Figure("linkage_cost", name, f"estimate {found.cost}", 1e6 * estimated[-1], "us")
    ratios = np.array(estimated) / np.array(measured)
    logs = explained(np.log(measured).tolist(), np.log(estimated).tolist())
    yield Figure("linkage_cost", "all", "R^2", explained(measured, estimated))
    yield Figure("linkage_cost", "all", "R^2 of logarithms", logs)
    for name, value in (("median", np.median(ratios)), ("least", ratios.min())):
        yield Figure("linkage_cost", "all", f"estimate / measured, {name}", float(value), "x")
    yield Figure("linkage_cost", "all", "estimate / measured, most", float(ratios.max()), "x")


if __name__ == "__main__":
    raise SystemExit(report(figures()))
