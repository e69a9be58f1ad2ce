"""Scenes in a real window of FreeCAD under Xvfb, and what they saw."""

from __future__ import annotations

import json
import os
import shutil
import site
import sys
from pathlib import Path
from typing import Any

import limited_processes
import pytest
from freecad_roots import HOME, PROJECT, example, in_root

SCENES = Path("tests", "plugin", "freecad_window")
ANY = Path("tests", "plugin", "freecad_any")
"""Documents that tests without a window use, too."""

Run = tuple[dict[str, Any], Path]
"""What the scenes saw, and the folder with what they wrote."""

PATH = f"/project/{SCENES}:/project/{ANY}:/project/tests/plugin/freecad_native"
"""Where the window in a root finds modules."""

SCREEN = ("xvfb-run", "-a", "-s", "-screen 0 1500x900x24", "freecad")


def add_on(home: Path) -> None:
    """The add-on among those of a home."""
    target = home / ".local" / "share" / "FreeCAD" / "Mod" / "AssemblySolver"
    maker = PROJECT / "plugin" / "freecad" / "make_addon.py"
    target.parent.mkdir(parents=True, exist_ok=True)
    limited_processes.run([sys.executable, str(maker), str(target)]).check_returncode()


def installed(out: Path, scenes: str) -> None:
    """The scenes in the FreeCAD that is installed here."""
    for program in ("freecad", "xvfb-run"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    add_on(out)
    path = os.pathsep.join([str(PROJECT / SCENES), str(PROJECT / ANY), *site.getsitepackages()])
    settings = {
        **os.environ,
        "HOME": str(out),
        "CLICKS": str(out),
        "ASSEMBLY_SOLVER_JIT": "0",
        "CLICKS_PATH": path,
        "CLICKS_SCENES": scenes,
        "QTWEBENGINE_DISABLE_SANDBOX": "1",
    }
    words = [*SCREEN, str(PROJECT / SCENES / "clicks.py")]
    limited_processes.run(words, env=settings)


def native(version: str, out: Path, scenes: str, *more: str) -> None:
    """The scenes in a FreeCAD with native assemblies, in its root.

    Args:
        version: "1.0" or "1.1"; more: settings of the environment, as "KEY=value".
    """
    document = example(version)
    inside = HOME / out.name
    shutil.rmtree(inside, ignore_errors=True)
    inside.mkdir(parents=True)
    add_on(inside)
    shutil.copy(document, inside)
    settings = (
        f"HOME=/project/.fchome/{out.name}",
        f"CLICKS=/project/.fchome/{out.name}",
        f"CLICKS_PATH={PATH}",
        f"CLICKS_SCENES={scenes}",
        "ASSEMBLY_SOLVER_JIT=0",
        *more,
    )
    in_root(version, "env", *settings, *SCREEN, f"/project/{SCENES}/clicks.py", limit=3600.0)
    shutil.copytree(inside, out, dirs_exist_ok=True)
    shutil.rmtree(inside)


def played(out: Path) -> dict[str, Any]:
    """What the script wrote down."""
    told = out / "clicks.json"
    assert told.is_file(), "the window was not up, or did not come to its end"
    found: dict[str, Any] = json.loads(told.read_text("utf-8"))
    assert "error" not in found, found["error"]
    return found
