"""Dragging in FreeCAD 1.0's 3D view: `python -m benchmarks.freecad_drag`.

The scenes of the tests with 300 steps of the mouse each: AssemblyExample, whose bucket is led about
within its reach and against its stops, and rebuilds of public reports.  At every step each joint is
measured from the frames that FreeCAD stores.  A step is what the mouse waits for, drawing not
counted: the drag, the poses handed to the view and the numbers of the panel, in processor time.

Steps are compiled, by a first run; without numba there are no limits of time.  What the longest
steps did is told beside the table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import freecad
from .figures import Figure, report

PART = "freecad_drag"
STEPS, FEW = 300, 20
SETTINGS = ("ASSEMBLY_SOLVER_JIT=1", "NUMBA_CACHE_DIR=/project/.fchome/.cache")
LIMITS = {"off": "<= 1e-06", "most": "<= 10", "95 %": "<= 16", "longest": "<= 50"}


def measured(way: str, quick: bool) -> dict[str, dict[str, Any]]:
    """What was measured, by assembly."""
    seen: dict[str, Any] = {}
    for steps in (FEW,) if quick else (FEW, STEPS):
        seen = freecad.window("grabbed reports", way, f"CLICKS_STEPS={steps}", *SETTINGS)
    reports = {name: row for name, row in seen["reports"].items() if name.startswith("#")}
    return {"AssemblyExample": seen["grabbed"]["dragged"], **reports}


def figures(quick: bool = False) -> Iterator[Figure]:
    """Of each assembly what joints are off by, how far a part went, and times; quick: few steps."""
    try:
        way = freecad.ways()[-1]
    except LookupError as why:
        for what, limit in LIMITS.items():
            yield Figure(PART, "AssemblyExample", what, None, "", limit, judged=str(why))
        return
    timed = way == freecad.COMPILED and not quick
    for name, row in measured(way, quick).items():
        ms = np.array(row["ms"])
        yield Figure(PART, name, "steps", row["steps"])
        yield Figure(PART, name, "joints off at most", row["off"][1], "mm", LIMITS["off"])
        yield Figure(PART, name, "motion / asked, most", row["ratio"][1], "x", LIMITS["most"])
        for what, value in (
            ("median", np.median(ms)),
            ("95 %", np.percentile(ms, 95)),
            ("longest", ms.max()),
        ):
            limit = LIMITS.get(what, "") if timed else ""
            yield Figure(PART, name, f"{what}, {way}", float(value), "ms", limit)
        for step in row["longest"]:
            print(name, *(f"{key} {value}" for key, value in step.items()), file=sys.stderr)


def main() -> int:
    """Print the table."""
    return report(figures())


if __name__ == "__main__":
    raise SystemExit(main())
