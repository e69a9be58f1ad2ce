"""Compile with numba where it is there; run the same code interpreted where it is not.

`compiled` is numba's `njit` with its disk cache, and this more:

* without numba, or with the environment variable `ASSEMBLY_SOLVER_JIT=0`, it is the identity;
* numba is loaded when a compiled function is called, and not before;
* where the cache cannot be written, functions compile in memory;
* the cache is keyed by the source of *every* compiled module: numba looks only at the file of
  the function itself, and would run stale code when a compiled function that it calls changed;
* what only compiled code calls is linked into its callers; what is `apart` has machine code of its
  own: see `linking`; with a numba that is not known there, `njit` as it comes: `plain`.

`borrowing` is for functions that only work on arrays of their caller: see there.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_log = logging.getLogger(__name__)

COMPILED_MODULES = (
    "foundations/geometry/nearest_motion.py",
    "foundations/numerics/cholesky.py",
    "foundations/numerics/linear.py",
    "foundations/numerics/inverse.py",
    "foundations/numerics/broyden.py",
    "foundations/numerics/vector_trigonometry.py",
    "foundations/numerics/lu.py",
    "model/measures/measure.py",
    "model/measures/shapes.py",
    "model/measures/curve_rates.py",
    "model/measures/rates.py",
    "equations/table.py",
    "equations/dense_block.py",
    "equations/sparse_block.py",
    "equations/closed_form.py",
    "equations/projection.py",
    "solver/plan_runner.py",
    "kinematics/drag/compliance.py",
    "kinematics/drag/drag_step.py",
    "kinematics/prescribed_motion.py",
    "kinematics/equation_rates.py",
    "kinematics/block_closure.py",
    "kinematics/continuation.py",
    "kinematics/world_motion.py",
    "kinematics/measure_rates.py",
    "linkages/run/branches.py",
    "linkages/plan/program.py",
    "linkages/plan/closed_forms.py",
    "linkages/run/gradients.py",
    "linkages/run/group_memory.py",
    "linkages/run/group_newton.py",
    "linkages/run/batches.py",
    "linkages/run/continuation.py",
    "linkages/run/execution.py",
    "linkages/run/group_rates.py",
    "linkages/run/rates.py",
    "linkages/circuits/group_solutions.py",
)
"""Every module that holds compiled functions, relative to the package."""

ACTIVE = os.environ.get("ASSEMBLY_SOLVER_JIT", "1") != "0" and find_spec("numba") is not None
"""False where functions run interpreted."""


@cache
def stamp() -> bytes:
    """Of the source of all that is compiled and of what compiles it."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    how = [here / name for name in ("decorators.py", "linking.py", "plain.py")]
    for file in (*how, *(here.parents[1] / name for name in COMPILED_MODULES)):
        digest.update(file.read_bytes())
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
    compiling = sys.modules.get(f"{__package__}.linking")
    return compiling is not None and bool(compiling.at_work())


def _compiled(function: F, counting: bool) -> F:
    """Compile with or without counting references to arrays; said each time, for numba passes it
    on to the functions that are compiled on the way."""
    if not ACTIVE:
        return function
    return cast(F, Compiled(function, counting))


class UnknownNumba(ImportError):
    """Numba is not inside as `linking` takes it to be."""


class Compiled:
    """A function that is compiled, or loaded from the cache, when it is first called."""

    every: ClassVar[list[Compiled]] = []

    def __init__(self, function: Callable[..., Any], counting: bool) -> None:
        update_wrapper(self, function)
        self._function = function
        self._options = {"error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": counting}
        self.stands_apart = False
        self.every.append(self)

    def __call__(self, *args: Any) -> Any:
        try:
            return self.whole(*args)
        except UnknownNumba as problem:
            _go_another_way(problem)
            return self.whole(*args)

    @cached_property
    def whole(self) -> Any:
        """As Python calls it."""
        way = _way()
        if way is None:
            return self._function
        make = way.apart if self.stands_apart and way.PARTS else way.whole
        return make(self._function, stamp(), self._options)

    @cached_property
    def as_called(self) -> Any:
        """As compiled code calls it."""
        way = _way()
        if way is None or self.stands_apart or not way.PARTS:
            return self.whole
        return way.part(self._function, self._options)

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of a name that compiled code calls."""
        return self.as_called._numba_type_


_WAYS = ["linking", "plain"]
"""Modules that compile: the next one is for where the one before does not go."""


@cache
def _way() -> Any:
    """The module that compiles; None where no numba loads: all is interpreted from here on."""
    global ACTIVE
    while _WAYS:
        try:
            return import_module(f".{_WAYS[0]}", __package__)
        except (ImportError, AttributeError, TypeError) as problem:
            _log.debug("%s is left alone: %s", _WAYS.pop(0), problem)
    ACTIVE = False
    return None


def _go_another_way(problem: Exception) -> None:
    """Leave the way that did not go, and all that was compiled on it."""
    _log.debug("%s is left alone: %s", _WAYS.pop(0), problem.__cause__)
    _way.cache_clear()
    for each in Compiled.every:
        for known in ("whole", "as_called"):
            each.__dict__.pop(known, None)
