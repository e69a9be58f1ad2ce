"""The workbench in a real window: a script clicks its buttons, here it is said what has to be seen.

FreeCAD runs under Xvfb, with the engine interpreted: nothing is compiled for one small hinge.
"""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]
SCRIPT = Path("tests", "plugin", "freecad_window", "clicks.py")
SCREEN = ("xvfb-run", "-a", "-s", "-screen 0 1500x900x24", "freecad")


def add_on(home: Path) -> None:
    """The add-on among those of a home."""
    target = home / ".local" / "share" / "FreeCAD" / "Mod" / "AssemblySolver"
    maker = PROJECT / "plugin" / "freecad" / "make_addon.py"
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, str(maker), str(target)], check=True, stdout=subprocess.DEVNULL)


def installed(out: Path) -> None:
    """The clicks in the FreeCAD that is installed here."""
    for program in ("freecad", "xvfb-run"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    add_on(out)
    settings = {
        **os.environ, "HOME": str(out), "CLICKS": str(out), "ASSEMBLY_SOLVER_JIT": "0",
        "CLICKS_PATH": os.pathsep.join(site.getsitepackages()), "QTWEBENGINE_DISABLE_SANDBOX": "1",
    }  # fmt: skip
    words = [*SCREEN, str(PROJECT / SCRIPT)]
    subprocess.run(words, env=settings, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)


def freecad10(out: Path) -> None:
    """The clicks in FreeCAD 1.0, in the root that ASSEMBLY_SOLVER_FREECAD10 names."""
    root = os.environ.get("ASSEMBLY_SOLVER_FREECAD10", "")
    enter = PROJECT.parent / "shared" / "tools" / "freecad10.sh"
    if not root:
        pytest.skip("ASSEMBLY_SOLVER_FREECAD10 names no folder with FreeCAD 1.0")
    if not enter.is_file() or not Path(root, ".ready").exists():
        pytest.skip(f"FreeCAD 1.0 is not in {root}, or {enter} is not there")
    home = PROJECT / ".fchome"
    add_on(home)
    inside = home / out.name
    inside.mkdir()
    settings = (f"CLICKS=/project/.fchome/{out.name}", "ASSEMBLY_SOLVER_JIT=0")
    words = ["bash", str(enter), root, "run", str(PROJECT), "env", *settings, *SCREEN]
    subprocess.run([*words, f"/project/{SCRIPT}"], capture_output=True, timeout=300)
    shutil.copytree(inside, out, dirs_exist_ok=True)
    shutil.rmtree(inside)


@pytest.fixture(scope="module", params=[installed, freecad10])
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the script wrote down."""
    out = tmp_path_factory.mktemp("window")
    request.param(out)
    told = out / "clicks.json"
    assert told.is_file(), "the window was not up, or did not come to its end"
    found = json.loads(told.read_text("utf-8"))
    assert "error" not in found, found["error"]
    return {**found, "out": out}


def test_selected_faces_are_mated_and_solved_by_one_click(seen: Any) -> None:
    assert [words for words, _ in seen["choices"]] == [
        "the axes lie on one line", "the faces meet, face to face",
    ]  # fmt: skip
    assert seen["off axis"] < 1e-9
    assert "2 parts, 2 mates hold" in seen["hinge"]
    assert "1 degree of freedom" in seen["hinge"]


def test_a_played_motion_leaves_the_document_bit_for_bit(seen: Any) -> None:
    assert seen["while playing"] == seen["hinge"]
    assert seen["after playing"] == [True, 0]


def test_a_slider_turns_the_part_in_one_undo_step(seen: Any) -> None:
    assert seen["driven"] == [45.0, 1]
    assert seen["undone"] is True
    assert seen["old"] == "The document has changed since; diagnose again."


def test_a_sweep_is_a_table_a_file_and_an_animation(seen: Any) -> None:
    assert seen["swept"].startswith("37 states hold")
    assert seen["states"] == 37
    assert seen["after the sweep"] is True
    assert len((seen["out"] / "sweep.csv").read_text().splitlines()) == 38


def test_a_check_says_how_it_came_out_and_opens_its_report(seen: Any) -> None:
    assert seen["checked"] == "Hinge: passes, 2 findings as asked"
    assert seen["report"] == ["<!DOCTYPE html>"]


def test_a_contradiction_is_told_in_the_panel_and_moves_nothing(seen: Any) -> None:
    assert "cannot hold together" in seen["contradiction"]
    assert (seen["meaning"], seen["untouched"]) == ("bad", True)
    assert seen["selected"][0] == "Mate002"
    assert seen["elements"] == ["Face2", "Face3"]
