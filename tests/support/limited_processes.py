"""Programs that are ended with all that they started when their time is over."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

LIMIT = 900.0
"""Longest time of a program, s, unless another one is given."""


def run(
    words: Sequence[str], limit: float = LIMIT, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program, as `subprocess.run` does, with what it prints captured as text.

    It gets a session of its own.  `subprocess.run` with a limit ends only the program: FreeCAD and
    Xvfb that `xvfb-run` started would run on, and hold the pipes that are read.

    Args:
        limit: s; more: as of `subprocess.Popen`.

    Raises:
        subprocess.TimeoutExpired: with what it printed; then all of its session is ended.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    own: Any = {"text": True, "start_new_session": True, **pipes}
    with subprocess.Popen(words, **own, **more) as begun:
        try:
            out, err = begun.communicate(timeout=limit)
        except BaseException:
            os.killpg(begun.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(words, begun.returncode, out, err)
