"""FreeCAD 1.0 in its root, as the tests run it; where it is not installed a figure stays open.

ASSEMBLY_SOLVER_FREECAD10 names the root.  FreeCAD's Python has no numba there: it lies in a folder
of its own, so that both can be measured.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

import freecad_roots  # not a package: the tests find it by this path
import freecad_windows
import pytest

VERSION = "1.0"
NUMBA = "/opt/numba"
INTERPRETED, COMPILED = "interpreted", "numba"


def ways() -> list[str]:
    """Whether numba can be had or not: what can be measured.

    Raises:
        LookupError: FreeCAD is not installed.
    """
    try:
        root = freecad_roots.root(VERSION)
    except pytest.skip.Exception as why:
        raise LookupError(str(why)) from None
    return [INTERPRETED, *[COMPILED] * (root / NUMBA[1:]).is_dir()]


def window(scenes: str, way: str, *settings: str) -> dict[str, Any]:
    """What scenes saw in the window, with settings of the environment."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "benchmark"
        out.mkdir()
        path = f"CLICKS_PATH={NUMBA if way == COMPILED else ''}:{freecad_windows.PATH}"
        freecad_windows.native(VERSION, out, scenes, path, *settings)
        return freecad_windows.played(out)


@contextmanager
def home() -> Iterator[tuple[Path, str]]:
    """A home with the add-on and AssemblyExample alone, and its path in the root."""
    found = freecad_roots.HOME / "benchmark_script"
    shutil.rmtree(found, ignore_errors=True)
    found.mkdir(parents=True)
    freecad_windows.add_on(found)
    shutil.copy(freecad_roots.example(VERSION), found)
    try:
        yield found, f"/project/.fchome/{found.name}"
    finally:
        shutil.rmtree(found)


def script(text: str, way: str) -> str:
    """What a script prints that is the first to run in its home."""
    numba = f"import sys\nsys.path.insert(0, {NUMBA!r})\n" if way == COMPILED else ""
    with home() as (folder, inside):
        (folder / "script.py").write_text(numba + text, "utf-8")
        settings = (f"HOME={inside}", "ASSEMBLY_SOLVER_JIT=")
        run = f"cd {inside} && exec freecadcmd script.py"
        done = freecad_roots.in_root(VERSION, "env", *settings, "sh", "-c", run)
    assert not done.returncode, done.stdout[-500:] + done.stderr[-500:]
    return done.stdout
