"""The add-on in FreeCAD 1.0: the tests in freecad10/ and freecad_any/, in its own Python.

`ASSEMBLY_SOLVER_FREECAD10` names the folder of a root with it, by ../shared/tools/freecad10.sh;
without it nothing of FreeCAD 1.0 is run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
SHARED = PROJECT.parent / "shared"
ENTER = SHARED / "tools" / "freecad10.sh"
EXAMPLE = SHARED / "cases" / "fcstd" / "AssemblyExample.FCStd"
MODULES = ("Mod/Assembly", "Ext", "Mod")


def in_freecad(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command where FreeCAD 1.0 is, in this project; skipped by name where it is not."""
    root = os.environ.get("ASSEMBLY_SOLVER_FREECAD10", "")
    if not root:
        pytest.skip("ASSEMBLY_SOLVER_FREECAD10 names no folder with FreeCAD 1.0")
    if not ENTER.is_file() or not Path(root, ".ready").exists():
        pytest.skip(f"FreeCAD 1.0 is not in {root}, or {ENTER} is not there")
    modules = [f"/usr/share/freecad/{m}" for m in MODULES]
    path = ":".join(["/project", "/usr/lib/freecad-python3/lib", *modules])
    words = [str(ENTER), root, "run", str(PROJECT), "env", f"PYTHONPATH={path}", *command]
    return subprocess.run(["bash", *words], capture_output=True, text=True, check=False)


def test_the_tests_in_freecad_1_pass() -> None:
    home = PROJECT / ".fchome"
    home.mkdir(exist_ok=True)
    if EXAMPLE.is_file():
        shutil.copy(EXAMPLE, home)
    tests = "/project/tests/plugin"
    folders = [f"{tests}/freecad10", f"{tests}/freecad_any"]
    quiet = ["-p", "no:cacheprovider", "-W", "ignore", "-rs", "--tb=short"]
    done = in_freecad("python3", "-m", "pytest", f"--confcutdir={tests}", *quiet, *folders)
    print(done.stdout[-20_000:], done.stderr[-2_000:])
    assert (done.returncode, "passed" in done.stdout) == (0, True)
