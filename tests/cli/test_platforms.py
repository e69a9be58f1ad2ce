"""What differs between systems: files that are open, long names, machines without numba."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assembly_solver import cli
from assembly_solver.formats import replacing
from assembly_solver.foundations.jit import aside, decorators

ROOT = Path(__file__).parents[2]
HINGE = str(ROOT / "samples" / "hinge.assembly.json")


def test_a_file_that_another_program_has_open_is_named_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: Any) -> None:
        raise PermissionError(13, "Access is denied")  # as Windows answers

    monkeypatch.setattr(replacing.os, "replace", refused)
    target = tmp_path / "open.assembly.json"
    target.write_text("old")
    assert cli.main(["solve", HINGE, "-o", str(target)]) == 2
    assert capsys.readouterr().err == (
        f"error: {target}: this file cannot be replaced: another program has it open, or it is "
        "protected\n"
    )
    assert [p.name for p in tmp_path.iterdir()] == [target.name] and target.read_text() == "old"


def test_a_name_may_be_as_long_as_the_system_lets_it_be(tmp_path: Path) -> None:
    suffix = ".assembly.json"
    target = tmp_path / f"{'n' * (os.pathconf(tmp_path, 'PC_NAME_MAX') - len(suffix))}{suffix}"
    assert cli.main(["solve", HINGE, "-o", str(target)]) == 0
    assert [p.name for p in tmp_path.iterdir()] == [target.name]


def test_without_numba_all_runs_interpreted(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None  # as where they are not installed
from assembly_solver import cli
from assembly_solver.foundations.jit import decorators
assert not decorators.ACTIVE and decorators.Compiled.every == []
raise SystemExit(cli.main(sys.argv[1:]))
"""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    env.pop("ASSEMBLY_SOLVER_JIT", None)
    excavator = str(ROOT / "samples" / "excavator.assembly.json")
    command = [sys.executable, "-c", code, "solve", excavator]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("14 parts, 29 mates hold")


@pytest.mark.skipif(not decorators.ACTIVE, reason="nothing is compiled")
def test_where_the_longest_name_cannot_be_written_the_cache_stands_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where a path has at most 259 characters."""
    touch, refused = Path.touch, []

    def short(path: Path, *args: Any, **named: Any) -> None:
        if "__pycache__" in path.parts:
            refused.append(path.name)
            raise FileNotFoundError(2, "The system cannot find the path specified")
        touch(path, *args, **named)

    monkeypatch.setattr(Path, "touch", short)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    found = aside.folder.__wrapped__()
    assert found is not None and found.parent == tmp_path / "assembly_solver"
    assert list(found.iterdir()) == [] and len(refused) == 1
