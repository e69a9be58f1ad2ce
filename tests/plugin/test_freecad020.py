"""The add-on in the FreeCAD that is installed here: the tests in freecad_any/, in its Python.

Debian's FreeCAD 0.20 is built for this Python, so that a child of it can import the program.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import limited_processes
import pytest

PROJECT = Path(__file__).parents[2]


def freecad_modules() -> Path:
    """The folder of the modules of the installed FreeCAD; skipped by name where there is none."""
    program = shutil.which("freecadcmd")
    if program is None:
        pytest.skip("freecadcmd is not installed")
    found = Path(program).resolve().parents[2] / "freecad-python3" / "lib"
    if not (found / "FreeCAD.so").is_file():
        pytest.skip(f"freecadcmd is installed, but {found} has no FreeCAD.so")
    return found


def test_the_tests_in_the_installed_freecad_pass(tmp_path: Path) -> None:
    path = f"{PROJECT}{os.pathsep}{freecad_modules()}"
    settings = {**os.environ, "PYTHONPATH": path, "HOME": str(tmp_path)}
    folder = PROJECT / "tests" / "plugin" / "freecad_any"
    words = [
        "-o",
        "addopts=",
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore",
        "--tb=short",
        f"--confcutdir={folder}",
    ]
    run = [sys.executable, "-m", "pytest", *words, str(folder)]
    done = limited_processes.run(run, env=settings, cwd=PROJECT)
    print(done.stdout[-20_000:], done.stderr[-2_000:])
    assert (done.returncode, "passed" in done.stdout) == (0, True)
