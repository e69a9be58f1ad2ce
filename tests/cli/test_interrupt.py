"""Ctrl-C at a terminal: the line that tells how far it is, then status 130 and nothing written."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from assembly_solver import formats
from assembly_solver.report.terminal.progress import Waiting
from benchmarks import families

pty = pytest.importorskip("pty")

HEAVY = 90
"""Four-bars in a row, scattered: their loops are closed in turn for many seconds."""

PATIENCE = 120.0
"""Seconds to wait for a word: a cold cache compiles first."""


def heavy_file(folder: Path) -> Path:
    """An assembly that takes much longer than a person who interrupts it."""
    path = folder / "heavy.assembly.json"
    formats.write(families.assembly(families.ladder(HEAVY, noise=9.0)), path)
    return path


def read_until(terminal: int, words: bytes) -> bytes:
    """What a program shows on a terminal until some words are among it."""
    shown, until = b"", time.monotonic() + PATIENCE
    while words not in shown:
        left = until - time.monotonic()
        assert left > 0 and select.select([terminal], [], [], left)[0], shown
        shown += os.read(terminal, 4096)
    return shown


def test_an_interrupt_ends_a_long_solve_with_130_and_nothing_written(tmp_path: Path) -> None:
    path = heavy_file(tmp_path)
    terminal, end = pty.openpty()
    program = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "assembly_solver",
            "solve",
            str(path),
            "-o",
            "out.assembly.json",
            "--json",
            "--keep-going",
        ],
        stdout=subprocess.PIPE,
        stderr=end,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "TERM": "xterm"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # scripts' jobs ignore it
    )
    os.close(end)
    try:
        assert b" of 91)" in read_until(terminal, b"placing ")
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=PATIENCE)
    finally:
        program.kill()
        os.close(terminal)
    assert program.returncode == 130
    assert b'"type": "Interrupted"' in out
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.quick
def test_an_interrupt_that_was_lost_is_raised_at_the_next_report() -> None:
    """As where it was raised in a callback of the compiler: Python ignores it there."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs of scripts ignore it
    try:
        with Waiting() as line:
            line.tell(1, 7, "placing lid")
            with suppress(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1.0)
            with pytest.raises(KeyboardInterrupt):
                line.tell(2, 7, "placing lid")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
