"""Where the time of a solve and of a command goes: `python -m benchmarks.stages`.

The floor is one pass of the compiled kernel over all equations: no engine that looks at each of
them is faster.  Stages of a solve are timed by their own time: what a stage calls of another one
counts there.  Those of a command are processes that end a step earlier each.  All times are
processor times.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.equations.table import residuals
from assembly_solver.structure.plan import PlannedSystem
from assembly_solver.verbs import kept_plans, solve_attempts

from .commands import as_of_users
from .families import assembly, named
from .figures import Figure, median, report, timed
from .stages_picture import picture

CASES = ("fourbar", "excavator", "ladder(100)", "chain(1000)")
ROUNDS = 9
WARMING = 2.0
"""Seconds of solving before a case is timed, in which machine code takes over."""

STAGES: tuple[tuple[str, Any, str], ...] = (
    ("equations", kept_plans, "compile_system"),
    ("plan", PlannedSystem, "made"),
    ("closing", solve_attempts, "solve_within_limits"),
    ("mode of the start", solve_attempts, "in_start_mode_or_nearest"),
    ("least movement", solve_attempts, "with_least_movement"),
)
"""Stages by name, each a function and where it is looked up."""

REST = "copy, verdict, result"

FLOOR, TOTAL, PASSES = "floor: one pass", "total", "total in passes"
"""What is told besides the stages; the last is the total over the floor."""

IMPORTED = (
    ("Python", "import os"),
    ("import", "import assembly_solver as asm"),
    ("command line", "from assembly_solver.cli import program"),
    ("numpy", "import numpy"),
    ("modules", "asm.read, asm.solve"),
)
"""What Python is given to do, from a step to the next; a command then reads, solves and prints."""

COMMAND_CASE = "solve four_bar"
SAMPLE = "samples/four_bar.assembly.json"


class Stages:
    """Own time of each stage of what runs inside, s."""

    def __init__(self) -> None:
        self.own: dict[str, float] = {}
        self._open: list[str] = [REST]
        self._since = 0.0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Time all stages while it is open."""
        before = [(owner, name, getattr(owner, name)) for _, owner, name in STAGES]
        for stage, owner, name in STAGES:
            setattr(owner, name, self._timing(stage, getattr(owner, name)))
        self._since = process_time()
        try:
            yield
            self._pass()
        finally:
            for owner, name, function in before:
                setattr(owner, name, function)

    def _pass(self) -> None:
        """Count the time since the last call for the stage that is open."""
        now = process_time()
        self.own[self._open[-1]] = self.own.get(self._open[-1], 0.0) + now - self._since
        self._since = now

    def _timing(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*args: Any, **more: Any) -> Any:
            self._pass()
            self._open.append(stage)
            try:
                return function(*args, **more)
            finally:
                self._pass()
                self._open.pop()

        return timing


def floor(given: asm.Assembly) -> float:
    """One pass of the kernel over all equations of an assembly, ms."""
    begun = process_time()
    while process_time() - begun < WARMING:
        asm.solve(given.copy())
    system = compile_system(given)
    rows, out = np.arange(len(system.table.target)), np.empty(len(system.table.target))

    def one() -> object:
        return residuals(system.table, system.start, rows, out)

    one()
    return median([timed(one, process_time)[0] for _ in range(ROUNDS)]) or 0.0


def solves(name: str, first: bool) -> dict[str, float]:
    """Median times of the stages of first or of repeated solves of a case, ms."""
    runs: dict[str, list[float]] = {}
    given = assembly(named(name))
    asm.solve(given)
    for _ in range(ROUNDS):
        stages, one = Stages(), assembly(named(name)) if first else given
        with stages.at_work():
            asm.solve(one)
        for stage in (*(s for s, _, _ in STAGES), REST):
            runs.setdefault(stage, []).append(1e3 * stages.own.get(stage, 0.0))
    return {stage: median(times) or 0.0 for stage, times in runs.items()}


def of_children() -> float:
    """Processor time of the processes that were started here and have ended, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def lines(*words: str) -> dict[str, list[str]]:
    """The arguments of Python by the steps of a command, each with what the steps before do.

    All end as the command does, without taking the interpreter down.
    """
    code = [given for _, given in IMPORTED]
    some = {
        step: ["-c", "; ".join([*code[: k + 1], "os._exit(0)"])]
        for k, (step, _) in enumerate(IMPORTED)
    }
    return some | {"reading, solving, printing": ["-m", "assembly_solver", *words]}


def command(*words: str) -> Iterator[tuple[str, float]]:
    """What each step of a command adds, ms: medians of processes that end after it, in turn."""
    settings, before, times = as_of_users(), 0.0, dict[str, list[float]]()
    for _ in range(ROUNDS):
        for step, given in lines(*words).items():
            line = [sys.executable, *given]
            run = partial(subprocess.run, line, capture_output=True, env=settings, timeout=60.0)
            times.setdefault(step, []).append(timed(run, of_children)[0])
    for step, found in times.items():
        whole = median(found) or 0.0
        yield step, whole - before
        before = whole


def figures(quick: bool = False) -> Iterator[Figure]:
    """The floor and the stages of each case, then those of a command, with their totals."""
    for name in CASES[: 2 if quick else None]:
        least = floor(assembly(named(name)))
        yield Figure("stages", name, FLOOR, least, "ms")
        for kind in ("first", "repeated"):
            stages = solves(name, kind == "first")
            total = sum(stages.values())
            for stage, ms in (stages | {TOTAL: total}).items():
                yield Figure("stages", name, f"{kind}: {stage}", ms, "ms")
            yield Figure("stages", name, f"{kind}: {PASSES}", total / least)
    steps = dict(command("solve", SAMPLE))
    of_sample = {TOTAL: sum(steps.values()), FLOOR: floor(asm.read(SAMPLE))}
    for step, ms in (steps | of_sample).items():
        yield Figure("stages", COMMAND_CASE, step, ms, "ms")


DRAWN = {"chain(1000)": "first: ", "ladder(100)": "first: ", COMMAND_CASE: ""}
"""The cases of the picture, and how the quantities begin that are its stages."""


def bars(found: Iterable[Figure]) -> dict[str, dict[str, float]]:
    """The stages of the cases that are drawn, ms."""
    out: dict[str, dict[str, float]] = {case: {} for case in DRAWN}
    for figure in found:
        begins = DRAWN.get(figure.case)
        if begins is None or not figure.quantity.startswith(begins) or figure.value is None:
            continue
        stage = figure.quantity.removeprefix(begins)
        if stage not in (FLOOR, TOTAL, PASSES):
            out[figure.case][stage] = max(0.0, figure.value)
    return out


def main(arguments: list[str] | None = None) -> int:
    """Print the table, and draw it where that is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stages", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small cases")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="an SVG of the large ones")
    asked, found = parser.parse_args(arguments), list[Figure]()

    def kept() -> Iterator[Figure]:
        for figure in figures(asked.quick):
            found.append(figure)
            yield figure

    status = report(kept())
    if asked.picture:
        asked.picture.write_text(picture(bars(found)), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
