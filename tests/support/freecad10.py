"""FreeCAD 1.0 in a root of its own, which `.ci/freecad10.sh` makes.

`ASSEMBLY_SOLVER_FREECAD10` names the folder of the root; without it nothing of FreeCAD 1.0 is run.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import limited_processes
import pytest

PROJECT = Path(__file__).parents[2]
ENTER = PROJECT / ".ci" / "freecad10.sh"
HOME = PROJECT / ".fchome"
"""Inside the root this folder is `/project/.fchome`."""


def root() -> Path:
    """The folder of the root; the test is skipped where FreeCAD 1.0 is not installed in one."""
    named = os.environ.get("ASSEMBLY_SOLVER_FREECAD10", "")
    if not named or not Path(named, ".ready").exists():
        pytest.skip("FreeCAD 1.0 is not installed: ASSEMBLY_SOLVER_FREECAD10 names no root with it")
    return Path(named)


def example() -> Path:
    """The assembly that FreeCAD 1.0 brings along as an example."""
    return root() / "usr/share/freecad/examples/examples/AssemblyExample.FCStd"


def in_root(
    *command: str, limit: float = limited_processes.LIMIT
) -> subprocess.CompletedProcess[str]:
    """Run a command in the root, where this project is `/project`, for so many seconds at most."""
    words = ["bash", str(ENTER), str(root()), "run", str(PROJECT), *command]
    return limited_processes.run(words, limit)
