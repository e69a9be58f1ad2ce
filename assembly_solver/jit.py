"""Compile with numba where it is there; run the same code interpreted where it is not.

`compiled` is numba's `njit` with its disk cache.  Three things are added to it:

* without numba, or with the environment variable `ASSEMBLY_SOLVER_JIT=0`, it is the identity;
* where the cache cannot be written, functions compile in memory instead of failing at import;
* the cache is keyed by the source of *every* compiled module: numba looks only at the file of
  the function itself, and would run stale code when a compiled function that it calls changed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

COMPILED_MODULES = (
    "numerics/linear.py",
    "numerics/update.py",
    "model/measure.py",
    "geometry/nearest.py",
    "geometry/flat.py",
    "kernel.py",
    "sparse.py",
    "placing.py",
    "structure/pairs.py",
    "runner.py",
)
"""Every module that holds compiled functions, relative to the package."""

try:
    if os.environ.get("ASSEMBLY_SOLVER_JIT", "1") == "0":
        raise ImportError
    import numba
except ImportError:
    numba = None

ACTIVE: bool = numba is not None
"""True where functions are compiled."""


@cache
def _stamp() -> bytes:
    digest = hashlib.sha256()
    for name in COMPILED_MODULES:
        path = Path(__file__).parent / name
        if path.exists():
            digest.update(path.read_bytes())
    return digest.digest()


def compiled(function: F) -> F:
    """The compiled form of a function of numbers, arrays and NamedTuples of arrays."""
    if numba is None:
        return function
    try:
        dispatcher = numba.njit(cache=True, error_model="numpy")(function)
    except RuntimeError:  # numba found no directory that it may write its cache to
        return numba.njit(error_model="numpy")(function)  # type: ignore[no-any-return]
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None:
        file._source_stamp = _stamp()
    return dispatcher  # type: ignore[no-any-return]
