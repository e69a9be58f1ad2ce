"""FreeCAD 1.0 and 1.1, each in a root of its own, which `.ci/freecad_root.sh` makes.

`ASSEMBLY_SOLVER_FREECAD10` and `ASSEMBLY_SOLVER_FREECAD11` name the folders of the roots; without
one nothing of that FreeCAD is run.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import limited_processes
import pytest

PROJECT = Path(__file__).parents[2]
ENTER = PROJECT / ".ci" / "freecad_root.sh"
HOME = PROJECT / ".fchome"
"""Inside the root this folder is `/project/.fchome`."""


def root(version: str) -> Path:
    """The folder of the root; the test is skipped where that FreeCAD is not installed in one."""
    variable = f"ASSEMBLY_SOLVER_FREECAD{version.replace('.', '')}"
    named = os.environ.get(variable, "")
    if not named or not Path(named, ".ready").exists():
        pytest.skip(f"FreeCAD {version} is not installed: {variable} names no root with it")
    return Path(named)


def example(version: str) -> Path:
    """The assembly that FreeCAD brings along as an example."""
    folder = root(version) / "usr/share/freecad/examples"
    return next(folder.rglob("AssemblyExample.FCStd"))


def in_root(
    version: str, *command: str, limit: float = limited_processes.LIMIT
) -> subprocess.CompletedProcess[str]:
    """Run a command in the root, where this project is `/project`, for so many seconds at most."""
    words = ["bash", str(ENTER), str(root(version)), "run", str(PROJECT), *command]
    return limited_processes.run(words, limit)
