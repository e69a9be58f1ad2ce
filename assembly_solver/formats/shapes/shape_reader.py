"""STEP files, read in a process of their own: the modeller crashes on some broken files, and on
others it never ends.

The process is started once, before the program imports CadQuery, and ends with the program.  It
takes no more processor time than `SECONDS` and `SECONDS_PER_MB` (on Windows, as much as it wants).
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock

from ...errors import FormatError

SCRIPT = Path(__file__).with_name("step_process.py")
SECONDS, SECONDS_PER_MB = 3.0, 5.0
"""Processor time for any file, and for each MB of it: tenfold what intact files take."""

_COUNT = struct.Struct("<q")


class StepReader:
    """A process that reads STEP files, one after another."""

    def __init__(self) -> None:
        paths = os.pathsep.join(path for path in sys.path if path)
        self._lock = Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": paths},
        )
        self.number = self._process.pid
        atexit.register(self.close)

    def close(self) -> None:
        """End the process."""
        atexit.unregister(self.close)
        self._process.kill()
        self._process.communicate()

    def shape(self, file: Path, place: str) -> bytes:
        """The shape in a file in the modeller's binary format, mm.

        Raises FormatError: the file cannot be read; the message begins with `place`.
        """
        seconds = SECONDS + SECONDS_PER_MB * 1e-6 * file.stat().st_size
        found = None
        try:
            with self._lock:
                found = self._answer(json.dumps([os.path.abspath(file), seconds]))
        finally:
            if found is None:  # it died, or it was interrupted and would answer to the next request
                reader.cache_clear()
                self.close()
        if found:
            return found
        raise FormatError(place, f"{file} cannot be read as STEP{self._reason(seconds)}")

    def _answer(self, request: str) -> bytes | None:
        """The bytes that answer a request; None where the process died."""
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None and told is not None
        with suppress(BrokenPipeError):
            asked.write(request.encode() + b"\n")
            asked.flush()
        head = told.read(_COUNT.size)
        if len(head) < _COUNT.size:
            self._process.wait()
            return None
        count = _COUNT.unpack(head)[0]
        found = told.read(count)
        return found if len(found) == count else None

    def _reason(self, seconds: float) -> str:
        """Why the process died; empty where it did not."""
        ended = self._process.returncode
        if ended is None:
            return ""
        if sys.platform != "win32" and ended == -signal.SIGPROF:
            return f" in {seconds:.0f} s of processor time"
        return ": the modeller crashes on it"


def started() -> StepReader:
    """The reader of this process: a fork does not share that of its parent."""
    return reader(os.getpid())


@lru_cache(maxsize=1)
def reader(owner: int) -> StepReader:
    """The reader of the process with this number."""
    return StepReader()
