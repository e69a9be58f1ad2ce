"""A joint of a file that no mate stands for: every command names it, and calls nothing whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assembly_solver as asm
from assembly_solver.cli import HOLDS_NOT, main
from assembly_solver.formats import LEFT_OUT

SAMPLE = Path(__file__).parents[2] / "samples" / "four_bar.assembly.json"
FILE = "four.assembly.json"
WHY = "Distance: what it referred to is gone"

COMMANDS: dict[str, tuple[str, ...]] = {
    "solve": ("solve", FILE, "-o", "out.assembly.json"),
    "diagnose": ("diagnose", FILE),
    "analyse": ("analyse", FILE),
    "mobility": ("mobility", FILE),
    "sweep": ("sweep", FILE, "--driver", "crank", "--steps", "2"),
    "check": ("check", FILE),
    "linkage": ("linkage", FILE, "--steps", "2"),
    "view": ("view", FILE, "--features", "--driver", "crank"),
    "convert": ("convert", FILE, "out.assembly.json"),
}


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A four-bar that a joint of its file was left out of, in the working directory."""
    monkeypatch.chdir(tmp_path)
    assembly = asm.read(SAMPLE)
    assembly.notes[LEFT_OUT] = {"Distance": "what it referred to is gone"}
    asm.write(assembly, FILE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_names_it_and_its_status_is_1(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(COMMANDS[command]) == HOLDS_NOT
    told = capsys.readouterr()
    assert "Distance" in told.out + told.err
    assert not Path("out.assembly.json").exists()


@pytest.mark.parametrize("command", sorted({*COMMANDS} - {"check", "view"}))
def test_the_json_of_every_command_has_the_reason(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*COMMANDS[command], "--json"]) == HOLDS_NOT
    assert json.loads(capsys.readouterr().out)["left_out"] == [{"name": "Distance", "words": WHY}]


def test_a_check_of_it_does_not_pass() -> None:
    report = asm.check(asm.read(FILE))
    assert [f.passes for f in report.findings] == [False, True]
    assert report.findings[0].words.endswith("left out of the file and not held: Distance")


def test_what_could_be_read_is_converted_on_request_and_keeps_the_reason() -> None:
    assert main(["convert", FILE, "out.assembly.json", "--keep-going"]) == HOLDS_NOT
    assert asm.read("out.assembly.json").notes[LEFT_OUT] == {
        "Distance": "what it referred to is gone"
    }
