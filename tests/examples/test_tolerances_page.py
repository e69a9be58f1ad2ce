"""What docs/tolerances.md prints is run here."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from assembly_solver import cli

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tolerances.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def bare(text: str) -> str:
    """Without the spaces that end lines."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


@pytest.mark.parametrize("k", range(2))
def test_a_script_of_the_page_prints_what_it_says(k: int) -> None:
    run = subprocess.run(
        [sys.executable, "-c", blocks("python")[k]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert bare(run.stdout) == bare(blocks("text")[k])
    assert len(blocks("python")) == len(blocks("text")) == 2


@pytest.mark.parametrize("k", range(2))
def test_a_command_of_the_page_prints_what_it_says(
    k: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    call, _, told = blocks("console")[k].partition("\n")
    assert cli.main(shlex.split(call.removeprefix("$ assembly-solver "))) == 0
    assert bare(capsys.readouterr().out) == bare(told)
    assert len(blocks("console")) == 2
