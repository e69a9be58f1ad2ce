"""Make the add-on that FreeCAD installs: this folder with a copy of the engine in it.

Usage: python make_addon.py TARGET      TARGET.zip makes a zip, anything else a folder
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
NAME = "AssemblySolver"
"""Name of the folder of the add-on."""

_NOT = shutil.ignore_patterns("__pycache__", "*.pyc", Path(__file__).name)


def make(target: Path) -> Path:
    """Write the add-on; an existing folder is replaced only if it is an add-on of ours."""
    if target.suffix == ".zip":
        with tempfile.TemporaryDirectory() as scratch:
            _fill(Path(scratch) / NAME)
            made = shutil.make_archive(str(target.with_suffix("")), "zip", scratch, NAME)
        return Path(made)
    if target.exists():
        if not (target / "package.xml").is_file():
            raise SystemExit(f"{target} is there and is no add-on; name a new folder")
        shutil.rmtree(target)
    _fill(target)
    return target


def _fill(folder: Path) -> None:
    shutil.copytree(HERE, folder, ignore=_NOT)
    shutil.copytree(PROJECT / "assembly_solver", folder / "assembly_solver", ignore=_NOT)
    shutil.copy(PROJECT / "LICENSE", folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(make(Path(sys.argv[1])))
