"""Compile with numba where it is there; run the same code interpreted where it is not.

`compiled` is numba's `njit` with its disk cache, and this more:

* without numba, or with the environment variable `ASSEMBLY_SOLVER_JIT=0`, it is the identity;
* numba is loaded when a compiled function is called, and not before;
* where the cache cannot be written, functions compile in memory;
* the cache is keyed by the source of *every* compiled module: numba looks only at the file of
  the function itself, and would run stale code when a compiled function that it calls changed;
* what only compiled code calls is linked into its callers; what is `apart` has machine code of its
  own: see `compiling`.

`borrowing` is for functions that only work on arrays of their caller: see there.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

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

ACTIVE = os.environ.get("ASSEMBLY_SOLVER_JIT", "1") != "0" and find_spec("numba") is not None
"""False where functions run interpreted."""


@cache
def _stamp() -> bytes:
    digest = hashlib.sha256()
    for name in ("jit.py", "compiling.py", *COMPILED_MODULES):
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


def apart(function: F) -> F:
    """A compiled function with machine code of its own, which its callers jump to.

    For what is large and called by several: it is optimised once, and loaded from the cache where
    a function that calls it is compiled later.
    """
    if isinstance(function, Compiled):
        function.stands_apart = True
    return function


def compiles() -> bool:
    """Whether a function is being compiled now, by any thread; nothing is loaded to tell."""
    compiling = sys.modules.get(f"{__package__}.compiling")
    return compiling is not None and bool(compiling.at_work())


def _compiled(function: F, counting: bool) -> F:
    """Compile with or without counting references to arrays; said each time, for numba passes it
    on to the functions that are compiled on the way."""
    if not ACTIVE:
        return function
    return cast(F, Compiled(function, counting))


class Compiled:
    """A function that is compiled, or loaded from the cache, when it is first called."""

    def __init__(self, function: Callable[..., Any], counting: bool) -> None:
        update_wrapper(self, function)
        self._function = function
        self._options = {"error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": counting}
        self.stands_apart = False

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._whole(*args, **named)

    @cached_property
    def _whole(self) -> Any:
        """As Python calls it."""
        global ACTIVE
        try:
            from . import compiling
        except ImportError:  # a numba that does not go with this numpy, say
            ACTIVE = False
            return self._function
        make = compiling.apart if self.stands_apart else compiling.whole
        return make(self._function, _stamp(), self._options)

    @cached_property
    def as_called(self) -> Any:
        """As compiled code calls it."""
        from . import compiling

        return self._whole if self.stands_apart else compiling.part(self._function, self._options)

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of a name that compiled code calls."""
        return self.as_called._numba_type_
