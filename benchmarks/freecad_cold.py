"""The first session ever in FreeCAD 1.0: `python -m benchmarks.freecad_cold`.

The add-on is copied into an empty home: neither bytecode nor machine code of ours lies in a cache.
FreeCAD is up already.  In its window the workbench is opened, and AssemblyExample diagnosed and
swept with the mouse; in scripts either is the first that is asked for, the import is part of it.
Wall time, and beside it processor time: other work on the machine lengthens the first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from . import freecad
from .figures import RIGHT, Figure, report

PART = "freecad_cold"
LIMITS = {"first diagnosis": "<= 3", "first sweep": "<= 5"}  # s

ANSWERS = {"first diagnosis": "13 parts, 16 mates hold", "first sweep": "101 states hold"}
"""How the answers begin."""

SCRIPT = """
import json, os, time
import FreeCAD
document = FreeCAD.openDocument("AssemblyExample.FCStd")
wall, cpu = time.perf_counter(), time.process_time()
import assembly_solver_freecad as asf
said = {call}.sentence
times = {{"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}}
print("\\n" + json.dumps({{"said": said, **times}}), flush=True)
os._exit(0)
"""
CALLS = {
    "first diagnosis": "asf.diagnose(document)",
    "first sweep": 'asf.sweep(document, "Slider", 70, 40, steps=100)',
}


def figures(quick: bool = False) -> Iterator[Figure]:
    """All of them; quick: the window, without numba."""
    try:
        ways = freecad.ways()
    except LookupError as why:
        for what, limit in LIMITS.items():
            yield Figure(PART, "AssemblyExample", what, None, "s", limit, judged=str(why))
        return
    for way in ways[:1] if quick else ways:
        seen = freecad.window("first", way, "ASSEMBLY_SOLVER_JIT=")
        yield Figure(PART, f"window, {way}", "workbench opened", seen["seconds"]["workbench"], "s")
        yield from rows(f"window, {way}", seen["first"])
        for what in () if quick else CALLS:
            said = freecad.script(SCRIPT.format(call=CALLS[what]), way).splitlines()
            told = next(json.loads(line) for line in said if line.startswith('{"said"'))
            yield from rows(f"script, {way}", {what: told})


def rows(case: str, found: dict[str, Any]) -> Iterator[Figure]:
    """The figures of what was waited for."""
    for what, limit in LIMITS.items():
        if what in found:
            row = found[what]
            right = row["said"].startswith(ANSWERS[what])
            judged = RIGHT if right else f"says {row['said'][:100]}"
            yield Figure(PART, case, what, row["wall"], "s", limit, "", judged)
            yield Figure(PART, case, f"{what}, processor", row["cpu"], "s")


def main() -> int:
    """Print the table."""
    return report(figures())


if __name__ == "__main__":
    raise SystemExit(main())
