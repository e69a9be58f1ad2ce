"""Shapes, read in a process of their own: the modeller crashes on some broken files, and on others
it never ends.

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
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any

from ...errors import FormatError

SCRIPT = Path(__file__).with_name("shape_process.py")
SECONDS, SECONDS_PER_MB = 3.0, 5.0
"""Processor time for any file, and for each MB of it: tenfold what intact files take."""

_COUNT = struct.Struct("<q")


class ShapeReader:
    """A process that reads shapes, one after another."""

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

    def step(self, file: Path, place: str) -> Any:
        """The shape of the modeller in a STEP file, mm.

        Raises FormatError: the file cannot be read; the message begins with `place`.
        """
        what = f"{file} cannot be read as STEP"
        found = self._asked("STEP", os.path.abspath(file), file.stat().st_size, place, what)
        if not found:
            raise FormatError(place, what)
        return _unpacked(found)

    def brep(self, text: str, place: str) -> Any:
        """The same in a text of OpenCASCADE's format; null where that is not valid."""
        return _unpacked(self._asked("BREP", text, len(text), place, "its shape cannot be read"))

    def _asked(self, kind: str, given: str, size: int, place: str, what: str) -> bytes:
        """The answer to a request; FormatError with `what` where the process dies of it."""
        seconds, found = SECONDS + SECONDS_PER_MB * size / 1_000_000, None
        try:
            with self._lock:
                found = self._answer(json.dumps([kind, given, seconds]))
        finally:
            if found is None:  # it died, or it was interrupted and would answer to the next request
                reader.cache_clear()
                self.close()
        if found is None:
            raise FormatError(place, what + self._reason(seconds))
        return found

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
        """Why the process died."""
        ended = self._process.returncode
        if sys.platform != "win32" and ended == -signal.SIGPROF:
            return f" in {seconds:.0f} s of processor time"
        return ": the modeller crashes on it"


def _unpacked(data: bytes) -> Any:
    """A shape from the modeller's binary format; null from no bytes."""
    from OCP.BinTools import BinTools
    from OCP.TopoDS import TopoDS_Shape

    shape = TopoDS_Shape()
    if data:
        BinTools.Read_s(shape, BytesIO(data))
    return shape


def started() -> ShapeReader:
    """The reader of this process: a fork does not share that of its parent."""
    return reader(os.getpid())


@lru_cache(maxsize=1)
def reader(owner: int) -> ShapeReader:
    """The reader of the process with this number."""
    return ShapeReader()
