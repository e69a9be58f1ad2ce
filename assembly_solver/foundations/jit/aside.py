"""Compile aside: by a process that outlives the caller, or by a thread.

    python -m assembly_solver.foundations.jit.aside < REQUEST

is that process; it has no pipe of the caller, the lowest priority and one core, and one runs at a
time.  A file for each function then says that its machine code is in numba's cache.  A thread does
the same where Python cannot be started, as in FreeCAD, or nothing can be written: then for a
process that works long only, which has to wait for the function at hand when it ends.
"""

from __future__ import annotations

import atexit
import faulthandler
import hashlib
import os
import pickle
import platform
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

import numpy as np

from . import decorators
from .sources import stamp
from .tiers import PAUSE, TIER, Arguments, Tiered, example_array, form_of

LONGEST = 40.0
"""A setting: the longest that a process compiles, time of waiting included, s; in the last quarter
it begins no function."""

LONGEST_NAME = 96
"""Letters of a name that has to fit into the folder: the longest of a function has 79."""

PRIORITY = 10
"""A setting: what is added to the nice value."""

Request = list[tuple[str, Arguments]]
"""Functions by name, with examples of their arguments."""


# ------------------------------------------------------------------------------ what is ready
@cache
def folder() -> Path | None:
    """The folder of the files that say what is ready; None where none can be written.

    For one source, one numba and one processor: the cache holds machine code for others, too.
    """
    processor = Path("/proc/cpuinfo")
    kind = processor.read_text().partition("\n\n")[0] if processor.exists() else ""
    kind = "".join(row for row in kind.splitlines() if row.startswith(("model", "flags")))
    told = (sys.version, version("numba"), platform.machine(), platform.processor(), kind)
    state = hashlib.sha256(stamp() + repr(told).encode()).hexdigest()[:16]
    own = os.environ.get("NUMBA_CACHE_DIR")
    user = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    places = [Path(own)] if own else [Path(__file__).parent / "__pycache__"]
    for place in (*places, Path(user).expanduser() / "assembly_solver"):
        with suppress(OSError, RuntimeError):
            found = place / f"ready-{state}"
            found.mkdir(parents=True, exist_ok=True)
            # A long name is tried: on Windows a path may be too long for it.
            probe = found / f"{os.getpid()}.try".rjust(LONGEST_NAME, "_")
            probe.touch()
            probe.unlink(missing_ok=True)
            return found
    return None


def ready(compiler: Process | Thread | None) -> frozenset[str]:
    """Names of the functions whose machine code can be taken."""
    if in_a_thread():  # numba locks: what a thread compiles is taken when it has ended
        return frozenset() if compiler is None or compiler.at_work() else compiler.names
    place = folder()
    return frozenset(os.listdir(place)) if place is not None else frozenset()


def tell_ready() -> bool:
    """State what of the functions that were compiled here is in the cache; whether all of them."""
    place = folder()
    made = [each for each in decorators.Compiled.every if each.signatures]
    kept = [each for each in made if not getattr(each.whole._cache, "incomplete", False)]
    for each in kept:
        if place is not None:
            with suppress(OSError):
                (place / each.name).touch()
    return len(kept) == len(made)


def not_ready(name: str) -> None:
    """State that the machine code of a function is not in the cache."""
    place = folder()
    if place is not None:
        with suppress(OSError):
            (place / name).unlink(missing_ok=True)


# ------------------------------------------------------------------------------- who compiles
class _Pickler(pickle.Pickler):
    """Pickles examples of arrays by their form, part of which arrays lose otherwise."""

    def reducer_override(self, value: Any) -> Any:
        return (example_array, form_of(value)) if isinstance(value, np.ndarray) else NotImplemented


class Process:
    """A process that compiles."""

    names: frozenset[str] = frozenset()

    def __init__(self, request: Request) -> None:
        root = str(Path(__file__).parents[3])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        own = {"ASSEMBLY_SOLVER_JIT": "1", "PYTHONPATH": path, **ONE_CORE}
        with tempfile.TemporaryFile() as file:  # gone with the process, however that ends
            _Pickler(file).dump(request)
            file.seek(0)
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__],
                stdin=file,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=tempfile.gettempdir(),
                env=os.environ | _absolute("NUMBA_CACHE_DIR") | own,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )

    def at_work(self) -> bool:
        return self._process.poll() is None


def _absolute(name: str) -> dict[str, str]:
    """A variable of the environment for a process in another folder, where that is stated."""
    return {name: str(Path(value).absolute())} if (value := os.environ.get(name)) else {}


ONE_CORE = {f"{name}_NUM_THREADS": "1" for name in ("NUMBA", "OMP", "OPENBLAS", "MKL")}


class Thread(threading.Thread):
    """A thread that compiles; it ends with the function at hand when Python ends."""

    def __init__(self, request: Request) -> None:
        super().__init__(daemon=True)
        self._request, self._ends = request, False
        self.names = frozenset(name for name, _ in request)
        atexit.register(self._end)
        self.start()

    def run(self) -> None:
        TIER.compiler = self.ident
        for wanted in self._request:
            if not self._ends:
                compile_one(*wanted)
        TIER.compiler = None

    def at_work(self) -> bool:
        return self.is_alive()

    def _end(self) -> None:
        self._ends = True
        self.join()


def in_a_thread() -> bool:
    """Whether Python cannot be started, or the cache cannot be written."""
    return folder() is None or not Path(sys.executable or "").stem.lower().startswith("python")


def begin(wanted: Mapping[Tiered, Arguments], worked: float) -> Process | Thread | None:
    """Begin to compile functions, for arguments like the examples, where that pays.

    Args:
        worked: how long this process has worked interpreted, s.
    """
    request = [(entry.name, args) for entry, args in wanted.items()]
    if not in_a_thread():
        with suppress(OSError):  # no room for a file or a process, say: all stays interpreted
            return Process(request)
        return None
    kept = folder() is not None  # else for this process only: where it works that long again
    return Thread(request) if kept or worked > LONGEST else None


def compile_one(name: str, args: Arguments) -> None:
    """Compile a function for such arguments, or load it from the cache."""
    with suppress(Exception):  # nobody reads here; what is not ready is interpreted
        module, _, own = name.rpartition(".")
        getattr(import_module(module), own).compile_for(args)


# -------------------------------------------------------------------------------- the process
@contextmanager
def alone(until: float) -> Iterator[None]:
    """One process at a time, for which it waits until a time of `monotonic`, s.

    Where files cannot be locked, several.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    place = folder()
    assert place is not None
    with (place.parent / f"{place.name}.lock").open("w") as file:
        while monotonic() < until:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                sleep(PAUSE)
                continue
            except OSError:  # of a file system without locks
                pass
            break
        yield


def run(file: IO[bytes]) -> None:
    """`main` in a process that ends in time, whatever is being compiled: the cache stays good."""
    nowhere = os.open(os.devnull, os.O_WRONLY)  # standard error may be none
    faulthandler.dump_traceback_later(LONGEST, exit=True, file=nowhere)
    main(file)


def main(file: IO[bytes]) -> None:
    """Compile what a file requests."""
    request: Request = pickle.load(file)
    if hasattr(os, "nice"):
        os.nice(PRIORITY)
    ends = monotonic() + 0.75 * LONGEST
    with alone(ends):
        for name, args in sorted(request, key=lambda wanted: _being_compiled(wanted[0]).exists()):
            if monotonic() < ends:
                begun = _being_compiled(name)
                begun.touch()
                compile_one(name, args)
                begun.unlink(missing_ok=True)
                if not tell_ready():  # no room: what else is compiled is lost as well
                    return


def _being_compiled(name: str) -> Path:
    """A file that stays where that was cut off: such a function comes last."""
    place = folder()
    assert place is not None
    return place / f"{name}.begun"


if __name__ == "__main__":
    run(sys.stdin.buffer)
