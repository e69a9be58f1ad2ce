"""Dragging in FreeCAD 1.0's 3D view: `python -m benchmarks.freecad_drag`.

The scenes of the tests with 300 steps of the mouse each: AssemblyExample, whose bucket is led about
within its reach and against its stops, and rebuilds of public reports.  At every step each joint is
measured from the frames that FreeCAD stores.  A step is what the mouse waits for, drawing not
counted: the drag, the poses handed to the view and the numbers of the panel, in processor time.

ASSEMBLY_SOLVER_FREECAD10 names the root with FreeCAD; where its Python has numba steps are
compiled, by a first run, else interpreted.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

TESTS = Path(__file__).parents[1] / "tests" / "support"
SETTINGS = ("ASSEMBLY_SOLVER_JIT=1", "NUMBA_CACHE_DIR=/project/.fchome/.cache")


def rows() -> dict[str, dict[str, Any]]:
    """What was measured, by assembly."""
    sys.path.append(str(TESTS))
    from freecad_windows import native, played  # not a package: the tests find it by this path

    seen: dict[str, Any] = {}
    for steps in (20, 300):
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "drag_benchmark"
            out.mkdir()
            native("1.0", out, "grabbed reports", f"CLICKS_STEPS={steps}", *SETTINGS)
            seen = played(out)
    reports = {name: row for name, row in seen["reports"].items() if name.startswith("#")}
    return {"AssemblyExample": seen["grabbed"]["dragged"], **reports}


def main() -> None:
    """Print a line for each assembly."""
    print("assembly          steps  off, mm  motion / asked  ms: median   95 %    most")
    for name, row in rows().items():
        ms = np.array(row["ms"][1:])  # the first step lays the arrays out
        shares = np.median(ms), np.percentile(ms, 95), ms.max()
        times = "  ".join(f"{t:6.1f}" for t in shares)
        off, ratio = row["off"][1], row["ratio"][1]
        print(f"{name:16}  {row['steps']:5}  {off:7.1e}  {ratio:14.2f}  {times}")


if __name__ == "__main__":
    main()
