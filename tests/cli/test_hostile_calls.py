"""Streams that are closed, full or broken, and files that are links: status 2 and one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assembly_solver import formats
from assembly_solver.cli.common import write_text

SAMPLES = Path(__file__).parents[2] / "samples"
HINGE = SAMPLES / "hinge.assembly.json"
COMMANDS = {
    "solve": ["solve", str(HINGE)],
    "check": ["check", str(HINGE)],
    "sweep": ["sweep", str(HINGE), "--driver", "opening", "--steps", "2"],
    "sample": ["sample"],
    "diagnose": ["diagnose", str(HINGE)],
    "analyse": ["analyse", str(HINGE)],
    "mobility": ["mobility", str(HINGE)],
    "linkage": ["linkage", str(SAMPLES / "motiongen" / "millipede.assembly.json")],
    "view": ["view", str(HINGE), "--features"],
    "convert": ["convert", str(HINGE), "own.assembly.json"],
    "features": ["features", str(SAMPLES / "hinge" / "door.step")],
    "schema": ["schema"],
    "warm-up": ["warm-up"],
    "--version": ["--version"],
    "--help": ["--help"],
}
WITH_JSON = ("solve", "check", "sweep", "sample", "convert", "features")
CALLS = [*COMMANDS.values(), *([*COMMANDS[name], "--json"] for name in WITH_JSON)]

IN_TURN = """
import json, os, sys
from assembly_solver.cli import main
given = None if sys.stdout is None else os.dup(1)
for words in json.loads(sys.argv[1]):
    if given is not None:  # an output that failed was given up
        os.dup2(given, 1)
        sys.stdout = open(1, "w", closefd=False)
    print(main(words), " ".join(words[:1]), file=sys.stderr)
sys.stdout = None
"""
"""Every call in one process; after what it says on standard error its status and its command."""


def called(words: list[str], **streams: object) -> subprocess.CompletedProcess[str]:
    """The program as a process of its own; its errors are read."""
    command = [sys.executable, "-m", "assembly_solver", *words]
    given = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, **streams}
    return subprocess.run(command, text=True, check=False, **given)  # type: ignore[call-overload, no-any-return]


def in_turn(calls: list[list[str]], folder: Path, **streams: object) -> list[str]:
    """What a process says that runs one command after another, without what the commands log."""
    command = [sys.executable, "-c", IN_TURN, json.dumps(calls)]
    given = {"stderr": subprocess.PIPE, "cwd": folder, **streams}
    done = subprocess.run(command, text=True, check=False, **given)  # type: ignore[call-overload]
    return [line for line in done.stderr.splitlines() if line[:9] not in ("compiling", "wrote own")]


def one_line_each(calls: list[list[str]], wrong: str) -> list[str]:
    """One line and status 2 for every call."""
    return [line for words in calls for line in (f"error: {wrong}", f"2 {words[0]}")]


def test_a_full_disk_is_one_line_for_every_command(tmp_path: Path) -> None:
    calls = [words for words in CALLS if words != ["--help"]]
    wrong = "No space left on device"
    with open("/dev/full", "w") as full:
        told = in_turn(calls, tmp_path, stdout=full)
        help_told = in_turn([["--help"]], tmp_path, stdout=full)
    assert told == one_line_each(calls, f"standard output: {wrong}")
    assert help_told == one_line_each([["--help"]], wrong)


def test_a_broken_pipe_is_one_line_for_every_command(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        told = in_turn(CALLS, tmp_path, stdout=writer)
    finally:
        os.close(writer)
    assert told == one_line_each(CALLS, "standard output: Broken pipe")


def test_a_closed_standard_output_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    told = in_turn(CALLS, tmp_path, preexec_fn=lambda: os.close(1))
    assert told == one_line_each(CALLS, "standard output is closed")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_the_program_ends_with_status_2_where_its_answer_is_lost(more: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = called([*COMMANDS["sample"], *more], stdout=full)
    wrong = "error: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, wrong)
    done = called([*COMMANDS["sample"], *more], preexec_fn=lambda: os.close(1), stdout=None)
    assert (done.returncode, done.stderr) == (2, "error: standard output is closed\n")


def test_a_closed_standard_input_is_one_object_and_one_line() -> None:
    shell = f'"{sys.executable}" -m assembly_solver solve - --json <&-'
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "error: -: standard input is closed\n")
    assert json.loads(done.stdout)["error"]["message"] == "-: standard input is closed"


def test_a_closed_standard_error_keeps_its_lines_out_of_the_object() -> None:
    for file, status, words in (("none.asmt", 2, "MissingFile"), (HINGE, 0, "solved")):
        shell = f'"{sys.executable}" -m assembly_solver solve "{file}" --json 2>&-'
        done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
        answer = json.loads(done.stdout)
        assert done.returncode == status
        assert words in (answer.get("outcome"), answer.get("error", {}).get("type"))


# ------------------------------------------------------------------ files that are replaced
def written(path: Path, how: str) -> None:
    if how == "assembly":
        formats.write(formats.read(HINGE), path)
    else:
        write_text(path, "page")


@pytest.mark.parametrize("how", ["assembly", "page"])
def test_a_file_keeps_its_permissions(tmp_path: Path, how: str) -> None:
    target = tmp_path / "own.assembly.json"
    target.write_text("before")
    target.chmod(0o600)
    written(target, how)
    assert target.read_text() != "before"
    assert target.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["own.assembly.json"]


@pytest.mark.parametrize("how", ["assembly", "page"])
def test_a_link_stays_and_what_it_names_is_replaced(tmp_path: Path, how: str) -> None:
    (tmp_path / "far").mkdir()
    true, link = tmp_path / "far" / "true.assembly.json", tmp_path / "link.assembly.json"
    true.write_text("before")
    link.symlink_to(true)
    written(link, how)
    assert link.is_symlink() and true.read_text() == link.read_text() != "before"
    assert [p.name for p in true.parent.iterdir()] == ["true.assembly.json"]


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    link = tmp_path / "null.assembly.json"
    link.symlink_to(os.devnull)
    for how in ("assembly", "page"):
        with pytest.raises(OSError, match="this is a device, not a file"):
            written(link, how)
    assert not Path(os.devnull).is_file()


def test_a_link_to_itself_is_not_replaced(tmp_path: Path) -> None:
    link = tmp_path / "round.assembly.json"
    link.symlink_to(link)
    for how in ("assembly", "page"):
        with pytest.raises(OSError, match="symbolic links") as told:
            written(link, how)
        assert told.value.filename == str(link)
    assert link.is_symlink()


def test_a_path_with_nul_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match="NUL"):
        formats.check_targets(["a\0.assembly.json"])
    with pytest.raises(formats.MissingFile):
        formats.read("a\0.assembly.json")
