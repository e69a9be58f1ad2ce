"""A program whose time is over is ended with all that it started."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import limited_processes
import pytest


def alive(number: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    status = Path(f"/proc/{number}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_what_a_program_started_ends_with_it(tmp_path: Path) -> None:
    number = tmp_path / "number"
    words = f"sleep 60 & echo $! > {number}; echo begun; wait"
    with pytest.raises(subprocess.TimeoutExpired):
        limited_processes.run(["sh", "-c", words], limit=1.0)
    for _ in range(100):  # it is told to end; that takes a moment
        if not alive(int(number.read_text())):
            return
        time.sleep(0.02)
    raise AssertionError("what it started still runs")


def test_a_program_in_time_tells_what_it_printed() -> None:
    done = limited_processes.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")
