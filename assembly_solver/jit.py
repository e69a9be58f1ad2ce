"""Compile with numba where it is there; run the same code interpreted where it is not.

`compiled` is numba's `njit` with its disk cache, and four things more:

* without numba, or with the environment variable `ASSEMBLY_SOLVER_JIT=0`, it is the identity;
* where the cache cannot be written, functions compile in memory instead of failing at import;
* the cache is keyed by the source of *every* compiled module: numba looks only at the file of
  the function itself, and would run stale code when a compiled function that it calls changed;
* a literal argument is a number like any other: numba would compile a version for each literal.

`borrowing` is for functions that only work on arrays of their caller: see there.
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
    "geometry/nearest.py",
    "numerics/definite.py",
    "numerics/linear.py",
    "numerics/inverse.py",
    "numerics/update.py",
    "numerics/sines.py",
    "numerics/triangular.py",
    "model/measure.py",
    "model/shapes.py",
    "model/curve_rates.py",
    "model/rates.py",
    "kernel.py",
    "sparse.py",
    "placing.py",
    "settling.py",
    "runner.py",
    "compliance.py",
    "dragging.py",
    "kinematics/prescribed.py",
    "kinematics/rates.py",
    "kinematics/blocks.py",
    "kinematics/march.py",
    "kinematics/riding.py",
    "kinematics/readings.py",
    "linkwork/branches.py",
    "linkwork/program.py",
    "linkwork/closed_forms.py",
    "linkwork/gradients.py",
    "linkwork/group_memory.py",
    "linkwork/groups.py",
    "linkwork/chunks.py",
    "linkwork/continuation.py",
    "linkwork/execution.py",
    "linkwork/group_rates.py",
    "linkwork/rates.py",
    "linkwork/solutions.py",
)
"""Every module that holds compiled functions, relative to the package."""

try:
    if os.environ.get("ASSEMBLY_SOLVER_JIT", "1") == "0":
        raise ImportError
    from numba import njit, types

    ACTIVE = True
except ImportError:
    ACTIVE = False
    """False where functions run interpreted."""


@cache
def _stamp() -> bytes:
    digest = hashlib.sha256()
    for name in COMPILED_MODULES:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.digest()


def compiled(function: F) -> F:
    """The compiled form of a function of numbers, arrays and NamedTuples of arrays."""
    return _compiled(function, counting=True)


def borrowing(function: F) -> F:
    """The same for one that only reads and writes arrays of its caller, and makes and returns none.

    Numba counts the references to every array that a compiled function is given, by two atomic
    additions each: for a table of equations that takes longer than to evaluate one of them.
    """
    return _compiled(function, counting=False)


def _compiled(function: F, counting: bool) -> F:
    """Compile with or without counting references to arrays; said each time, for numba passes it
    on to the functions that are compiled on the way."""
    if not ACTIVE:
        return function
    options: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": counting}
    try:
        dispatcher: Any = njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no directory that it may write its cache to
        dispatcher = njit(**options)(function)
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None:
        file._source_stamp = _stamp()
    template: Any = dispatcher.get_call_template
    plain: Any = types.unliteral
    dispatcher.get_call_template = lambda args, kws: template(
        tuple(plain(a) for a in args), {k: plain(v) for k, v in kws.items()}
    )
    out: F = dispatcher
    return out
