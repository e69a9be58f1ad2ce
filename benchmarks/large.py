"""Large assemblies: times of the verbs, their growth with the parts, and memory.

Each assembly is solved, diagnosed, analysed, checked and printed in a process of its own, so that
its peak of memory is its own.  Times are processor times of calls on new copies in one thread
(threads of linear algebra that wait would count).  No figure holds a compilation: all is compiled,
or loaded, when the smallest case of the family is done before, and an untimed solve comes first.  A
power is that of the number of parts between the smallest and the largest size of a family; what the
grids are held to, the others are.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from time import process_time
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import assembly_solver as asm
from assembly_solver.foundations.jit.decorators import compile_at_once

from .adapters.by_ourselves import solved_poses
from .case import BenchmarkCase
from .families import assembly, named
from .figures import RIGHT, Figure, ratio, report, timed
from .judge import TIGHT, judge
from .reduced_loops import CELL, grid

PATIENCE = 300.0
"""Seconds after which an assembly is given up."""

SHORT, REPEATS = 5000.0, 3
"""Calls shorter than this, ms, are timed so many times."""

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")

CHECKED = 3000
"""Parts up to which assemblies are also diagnosed, analysed and checked."""

MODULES = {
    "chain(100)": 4,
    "ladder(100)": 3,
    "stack(100)": 3,
    "scissor(20)": 10,
    "excavator": 20,
    "stewart": 14,
}
"""What the mixed machine has on its frame, and how many of each."""

IN_HOLE = " in its hole"
"""Names of the mates of bolts, those of a pattern with a number behind it."""


VERBS = ("solve", "print", "diagnose", "analyse", "check")


class Growth(NamedTuple):
    """Sizes of a family, with the most that its power and the ratio of its last two may be."""

    sizes: tuple[str, ...]
    power: float | None = 1.3
    factor: float | None = None
    megabytes: float | None = None


FAMILIES = {
    "chain": Growth(("chain(100)", "chain(1000)", "chain(10000)"), None, 11.0, 400.0),
    "ladder": Growth(("ladder(100)", "ladder(300)", "ladder(1000)")),
    "stack": Growth(("stack(100)", "stack(300)", "stack(1000)")),
    "grid": Growth(("grid(3)", "grid(5)", "grid(10)", "grid(20)")),
    "machine": Growth(("machine(1)", "machine(10)")),
}


class Verbs(NamedTuple):
    """Processor times of one assembly, ms by verb; the peak of memory, MB; what is wrong.

    What ended it before all verbs were done is in words; the memory is that of the solve.
    """

    parts: int = 0
    ms: Mapping[str, float] = MappingProxyType({})
    megabytes: float = 0.0
    judged: str = ""
    ended: str = ""


def machine(tenths: int) -> tuple[asm.Assembly, dict[str, BenchmarkCase]]:
    """Tenths of the modules on one frame; the case of each by its prefix.

    Each is a flexible sub-assembly on a flange, which is a rigid one with a pattern of bolts.
    """
    out = asm.Assembly("machine")
    out.add("frame", grounded=True)
    cases = {}
    for name, most in MODULES.items():
        for k in range(max(1, most * tenths // 10)):
            small = name.replace("100", "10") if tenths == 0 else name
            module = f"{name} {k}"
            case = cases[f"{module}."] = named(small, seed=k)
            out.add_assembly(module, assembly(case), rigid=False)
            _bolted(out, module, f"{module}.{case.ground}")
    return out, cases


def _bolted(out: asm.Assembly, module: str, base: str) -> None:
    """The base of a module on a flange of its own, which is on the frame; four bolts in it."""
    flange, bolt = f"{module} flange", f"{module} bolt"
    place = out.parts[base].pose
    at = asm.Frame(place.position)
    out.add_assembly(flange, glued_plate(), pose=asm.Pose(place.position))
    out.mate("fixed", parts=("frame", flange), at=at, name=f"{flange} on frame")
    out.mate("fixed", parts=(flange, base), at=at, name=f"{flange} holds")
    out.add(bolt, features={"shank": asm.Frame((0, 0, 0))}, pose=place)
    out.mate("revolute", (flange, "plate.hole"), (bolt, "shank"), name=f"{bolt}{IN_HOLE}")
    turns = [asm.Pose.from_axis((0, 0, 0), (0, 0, 1), angle) for angle in (90.0, 180.0, 270.0)]
    out.add_pattern(f"{bolt}s", bolt, turns)


def glued_plate() -> asm.Assembly:
    """A plate with a hole, on a gasket."""
    out = asm.Assembly("flange")
    out.add("gasket", features={"top": asm.Frame((0, 0, 2))}, grounded=True)
    features = {"foot": asm.Frame((0, 0, 0)), "hole": asm.Frame((40, 0, 8))}
    out.add("plate", features=features, pose=asm.Pose((0, 0, 2)))
    out.mate("fixed", "gasket.top", "plate.foot", name="glue")
    return out


def made(name: str) -> tuple[asm.Assembly, dict[str, BenchmarkCase]]:
    """An assembly by its name, and the cases in it that are judged by features alone."""
    family, _, size = name.rstrip(")").partition("(")
    if family == "machine":
        return machine(int(size))
    if family == "grid":
        return grid(int(size), even=True), {}
    case = named(name)
    return assembly(case), {"": case}


def joints_off(model: asm.Assembly, solution: asm.Solution, names: Iterable[str]) -> float:
    """The most that some hinges and balls are off: by a distance of cells, and in rad."""
    worst = 0.0
    for mate in map(model.mates.__getitem__, names):
        world = []
        for end in (mate.a, mate.b):
            frame = np.reshape(model.parts[end.part].feature(end.feature).frame, (4, 3))
            pose = solution.poses[end.part]
            world.append((pose.apply(frame[0]), pose.rotation @ frame[3]))
        (p, u), (q, v) = world
        turned = np.linalg.norm(np.cross(u, v)) if mate.kind == "revolute" else 0.0
        worst = max(worst, float(np.linalg.norm(p - q)) / CELL, float(turned))
    return worst


def verdict(model: asm.Assembly, solution: asm.Solution, cases: dict[str, BenchmarkCase]) -> str:
    """The judge's word on every case, on bolts, and on the joints of a grid; or the outcome."""
    if not solution:
        return solution.outcome.name.lower()
    hinges = [name for name in model.mates if not cases or IN_HOLE in name]
    if (off := joints_off(model, solution, hinges)) > TIGHT:
        return f"joints are off by {off:.0e}"
    for prefix, case in cases.items():
        poses = {name: solution.poses[f"{prefix}{name}"] for name in case.parts}
        if not (found := judge(case, solved_poses(case, poses))).right:
            return f"{prefix}{found.word}, {found.relative:.0e}"
    return RIGHT


def repeated(call: Callable[[asm.Assembly], Any], name: str) -> float:
    """Processor time of a call on a new copy, ms: the median of three, of a long one the first."""
    times: list[float] = []
    while not times or (max(times) < SHORT and len(times) < REPEATS):
        model = made(name)[0]
        times.append(timed(partial(call, model), process_time)[0])
    return statistics.median(times)


def _told(verb: Callable[[asm.Assembly], Any], model: asm.Assembly) -> str:
    return str(verb(model))


def measured(name: str) -> Iterator[Verbs]:
    """All verbs on one assembly, each of a new copy: what is known after each of them."""
    model, cases = made(name)
    solution = asm.solve(model)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = Verbs(len(model.parts), {}, megabytes, verdict(model, solution, cases))
    yield (found := found._replace(ms={"solve": repeated(asm.solve, name)}))
    ms = timed(partial(str, solution), process_time)[0]
    yield (found := found._replace(ms={**found.ms, "print": ms}))
    verbs: tuple[Callable[[asm.Assembly], Any], ...] = (asm.diagnose, asm.analyse, asm.check)
    for verb in verbs if len(model.parts) <= CHECKED else ():
        ms = repeated(partial(_told, verb), name)
        yield (found := found._replace(ms={**found.ms, verb.__name__: ms}))


def _work(name: str, warm: str, pipe: Connection) -> None:
    compile_at_once()
    for _ in measured(warm):
        pass
    for found in measured(name):
        pipe.send(found)


@contextmanager
def one_thread() -> Iterator[None]:
    """What is started here computes in one thread."""
    before = dict(os.environ)
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def alone(name: str, warm: str) -> Verbs:
    """The same in a process of its own, which is ended where it takes too long."""
    mine, its = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_work, args=(name, warm, its))
    with one_thread():
        process.start()
    its.close()
    found, until = Verbs(), time.monotonic() + PATIENCE
    try:
        while mine.poll(max(0.0, until - time.monotonic())):
            found = mine.recv()
        return found._replace(ended=f"more than {PATIENCE:g} s")
    except EOFError:
        process.join()
        status = process.exitcode
        return found._replace(ended=f"exit status {status}") if status else found
    finally:
        process.kill()
        process.join()


def told(name: str, found: Verbs, most: float | None) -> Iterator[Figure]:
    """The figures of one assembly."""
    if found.ms:
        yield Figure("large", name, "parts", found.parts)
        limit = f"<= {most:g}" if most else ""
        yield Figure("large", name, "peak memory", found.megabytes, "MB", limit)
    for verb, ms in found.ms.items():
        yield Figure("large", name, verb, ms, "ms", "", "", found.judged if verb == "solve" else "")
    if found.ended:
        yield Figure("large", name, "the verbs after these", None, "", "", "", found.ended)


def grown(family: str, growth: Growth, rows: list[Verbs]) -> Iterator[Figure]:
    """Powers between the smallest and the largest; the ratio of the solves of the last two.

    A verb that was not done in a size in which it should be leaves its power open.
    """
    limit = f"<= {growth.power:g}" if growth.power else ""
    for verb in VERBS:
        done = [row for row in rows if verb in row.ms]
        missing = any(row.ended for row in rows if verb not in row.ms)
        power = None
        if len(done) > 1 and not missing:
            first, last = done[0], done[-1]
            power = math.log(last.ms[verb] / first.ms[verb]) / math.log(last.parts / first.parts)
        yield Figure("large", family, f"power of the parts, {verb}", power, "", limit)
    if growth.factor:
        factor = ratio(*(row.ms.get("solve") for row in rows[:-3:-1]))
        words = f"{growth.sizes[-1]} / {growth.sizes[-2]}"
        yield Figure("large", family, words, factor, "x", f"<= {growth.factor:g}")


def figures(quick: bool = False, families: Iterable[str] = FAMILIES) -> Iterator[Figure]:
    """All families in all sizes; quick: the smallest of each."""
    for family in families:
        growth = FAMILIES[family]
        rows: list[Verbs] = []
        for name in growth.sizes[:1] if quick else growth.sizes:
            rows.append(found := alone(name, growth.sizes[0]))
            largest = name == growth.sizes[-1]
            yield from told(name, found, growth.megabytes if largest else None)
        if not quick:
            yield from grown(family, growth, rows)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; status 1 where a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the smallest of each family")
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    return report(figures(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    sys.exit(main())
