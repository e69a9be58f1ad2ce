"""Rows of `study` against reading and solving each variant: `python -m benchmarks.study`.

A thousand variants by `study` in this process, start to end, against a loop that reads the file
with the values of each row, solves it, and takes its mode and its measure; in turn, in processor
time, of fewer rows by the loop.  Judged are the measures of those rows: they agree.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import assembly_solver as asm
from assembly_solver.studies.designs import BLOCK

from .figures import RIGHT, Figure, median, ratio, report, timed

SAMPLES = Path(__file__).parents[1] / "samples"
ROUNDS = 5
BY_LOOP = 50
"""Rows that are read and solved one by one in a round."""

WANTED = 20
"""Times that a row by the loop takes of one by `study`."""

OFF = 1e-7
"""What measures of both may differ, mm or degrees: a study starts at solved poses."""


class Studied(NamedTuple):
    """A sample with parameters, what varies, and its measure as in a file."""

    sample: str
    parameters: dict[str, tuple[str, str, int]]
    vary: dict[str, str]
    measure: dict[str, Any]


STUDIED = {
    "four-bar, length": Studied(
        "four_bar",
        {"L": ("rocker", "pin", 0)},
        {"L": "130:150"},
        {"joint": "rocker pivot", "coordinate": "angle"},
    ),
    "four-bar, crank": Studied(
        "four_bar", {}, {"crank": "20:100"}, {"joint": "rocker pivot", "coordinate": "angle"}
    ),
    "slider-crank, crank": Studied(
        "slider_crank", {}, {"crank": "5:350"}, {"point": "piston.wrist pin", "along": "x"}
    ),
    "stewart platform, legs": Studied(
        "stewart_platform",
        {},
        {"leg 1": "486:494", "leg 4": "471:479"},
        {"point": "platform.origin", "along": "z"},
    ),
    "excavator, cylinders": Studied(
        "excavator",
        {},
        {"bucket cylinder": "1255:1400", "boom cylinder": "1000:1200"},
        {"point": "bucket.tooth", "along": "y"},
    ),
}


def file_of(of: Studied, folder: Path) -> Path:
    """The file of a sample with numbers of features as parameters, and one measure."""
    tree = json.loads((SAMPLES / f"{of.sample}.assembly.json").read_text())
    for name, (part, feature, k) in of.parameters.items():
        point = tree["parts"][part]["features"][feature]["axis"]["point"]
        tree.setdefault("parameters", {})[name], point[k] = point[k], f"={name}"
    tree["measures"] = {"m": of.measure}
    for entry in tree["parts"].values():
        entry.pop("geometry", None)
    path = folder / f"{of.sample}.assembly.json"
    path.write_text(json.dumps(tree))
    return path


def by_loop(path: Path, rows: list[dict[str, float]]) -> list[float]:
    """The measure of each row, of a file that is read and solved for it."""
    out = []
    for values in rows:
        assembly = asm.read(path, set=values)
        solution = asm.solve(assembly).require()
        assert solution.mode is not None
        out.append(assembly.measures["m"].value(assembly, solution.frames))
    return out


def of_workers(quick: bool = False) -> Iterator[Figure]:
    """Milliseconds on the clock of one worker and of two, processes, of rows solved by themselves.

    Each has started and has its machine code before; what else the machine does counts.
    """
    with tempfile.TemporaryDirectory() as folder:
        assembly = asm.read(file_of(STUDIED["four-bar, length"], Path(folder)))
    assembly.set_driver("crank", None)  # rows of free motions are solved one by one
    call = partial(asm.study, assembly, {"L": "130:150"})
    samples, files = (2 if quick else 8) * BLOCK, list[bytes]()
    pools = [ProcessPoolExecutor(n, get_context("spawn")) for n in (1, 2)]
    for pool in pools:
        call(samples=BLOCK + 1, executor=pool)
    took: tuple[list[float], list[float]] = [], []
    for _ in range(1 if quick else 2):
        for pool, own in zip(pools, took, strict=True):
            spent, found = timed(partial(call, samples=samples, executor=pool))
            own.append(spent)
            files.append(found["m"].tobytes())
    for pool in pools:
        pool.shutdown()
    judged = RIGHT if len(set(files)) == 1 else "rows differ"
    one, two = median(took[0]), median(took[1])
    yield Figure("study", "workers", "one worker", one, "ms", "", "", judged)
    yield Figure("study", "workers", "two workers", two, "ms", "", "", judged)
    yield Figure("study", "workers", "one / two workers", ratio(one, two), "x", "", "", judged)


def figures(quick: bool = False) -> Iterator[Figure]:
    """Medians of the time of a row, and of their ratio."""
    for name, of in STUDIED.items():
        with tempfile.TemporaryDirectory() as folder:
            path = file_of(of, Path(folder))
            assembly = asm.read(path)
            call = partial(asm.study, assembly, of.vary, samples=BLOCK, executor="here")
            found = call()
            rows = [
                {n: float(found[n][k]) for n in of.vary} for k in range(0, BLOCK, BLOCK // BY_LOOP)
            ]
            at = slice(0, BLOCK, BLOCK // BY_LOOP)
            off = float(np.abs(np.array(by_loop(path, rows)) - found["m"][at]).max())
            judged = RIGHT if off <= OFF else f"measures differ by {off:.0e}"
            many, each = [], []
            for _ in range(2 if quick else ROUNDS):
                many.append(timed(call, time.process_time)[0] / BLOCK)
                each.append(timed(partial(by_loop, path, rows), time.process_time)[0] / len(rows))
        yield Figure("study", name, "a row", median(many), "ms", "", "", judged)
        yield Figure("study", name, "rows", ratio(1e3, median(many)), "1/s", "", "", judged)
        yield Figure("study", name, "read and solved", median(each), "ms", "", "", judged)
        share = ratio(median(each), median(many))
        yield Figure("study", name, "read and solved / a row", share, "x", f">= {WANTED}")
    yield from of_workers(quick)


if __name__ == "__main__":
    raise SystemExit(report(figures()))
