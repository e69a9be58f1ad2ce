"""Compile with numba where it is installed; run the same code interpreted otherwise.

`compiled` is numba's `njit` with its disk cache, with these differences:

* without numba, or with the environment variable `ASSEMBLY_SOLVER_JIT=0`, it is the identity;
* numba is imported at the first call of a compiled function;
* where the cache cannot be written, functions compile in memory;
* the cache is keyed by the source of *every* compiled module: numba checks only the file of the
  function itself, and would run old code after a change of a compiled function that it calls;
* functions that only compiled code calls are linked into their callers, those marked `apart` have
  separate machine code: see `linking`; with an unsupported version of numba: `plain`.

"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import warnings
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from traceback import extract_tb
from typing import Any, ClassVar, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_log = logging.getLogger(__name__)

COMPILED_MODULES = (
    "foundations/geometry/nearest_motion.py",
    "foundations/numerics/cholesky.py",
    "foundations/numerics/anderson.py",
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
    "equations/elimination.py",
    "equations/sparse_block.py",
    "equations/damped_steps.py",
    "equations/closed_form.py",
    "equations/projection.py",
    "equations/movement.py",
    "equations/tree_movement.py",
    "solver/plan_runner.py",
    "solver/modes/sines.py",
    "kinematics/drag/compliance.py",
    "kinematics/drag/trial_step.py",
    "kinematics/drag/drag_step.py",
    "kinematics/prescribed_motion.py",
    "kinematics/equation_rates.py",
    "kinematics/block_closure.py",
    "kinematics/continuation.py",
    "kinematics/world_motion.py",
    "kinematics/measure_rates.py",
    "linkages/run/branches.py",
    "linkages/plan/placement_program.py",
    "linkages/plan/closed_forms.py",
    "linkages/run/gradients.py",
    "linkages/run/group_memory.py",
    "linkages/run/group_newton.py",
    "linkages/run/batches.py",
    "linkages/run/group_continuation.py",
    "linkages/run/execution.py",
    "linkages/run/group_rates.py",
    "linkages/run/linkage_rates.py",
    "linkages/circuits/group_solutions.py",
)
"""Every module that holds compiled functions, relative to the package."""

ACTIVE = os.environ.get("ASSEMBLY_SOLVER_JIT", "1") != "0" and find_spec("numba") is not None
"""False where functions run interpreted."""


HIDEABLE = sorted(sys.stdlib_module_names)
"""Modules that a file of the same name in the working folder hides from numba."""


@cache
def stamp() -> bytes:
    """Hash of the source of all compiled modules, of their constants and of this package."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    compilers = [here / name for name in ("decorators.py", "linking.py", "plain.py")]
    thresholds = here.parent / "numerics" / "rounding.py"  # constants of the compiled code
    for file in (*compilers, thresholds, *(here.parents[1] / f for f in COMPILED_MODULES)):
        digest.update(file.read_bytes())
    return digest.digest()


def compiled(function: F) -> F:
    """The compiled form of a function of numbers, arrays and NamedTuples of arrays."""
    return _compiled(function, counting=True)


def borrowing(function: F) -> F:
    """`compiled` for a function that neither creates nor returns arrays.

    Numba counts the references to every array argument by two atomic additions: for a table of
    equations that takes longer than to evaluate one of them.
    """
    return _compiled(function, counting=False)


def sized(function: F, size: int) -> F:
    """`borrowing` for a function that exists once for each size of its loops.

    Under a name of its own: compiled code is linked by name, across modules too.
    """
    function.__qualname__ = f"{function.__qualname__}_{size}"
    return borrowing(function)


def apart(function: F) -> F:
    """A compiled function with separate machine code, which its callers jump to.

    For a large function with several callers: it is optimised once, and loaded from the cache where
    a caller is compiled later.
    """
    if isinstance(function, Compiled):
        function.stands_apart = True
    return function


def inlined(function: F) -> F:
    """A compiled function that is written into the compiled functions that call it.

    For one that is called in a loop with tuples of many arrays: to hand over one array takes some
    ten numbers on the stack, which is more work than a short function does.
    """
    if isinstance(function, Compiled):
        function.targetoptions = {"inline": "always"}
    return function


def compiles() -> bool:
    """Whether a function is being compiled now, by any thread; does not import numba."""
    compiling = sys.modules.get(f"{__package__}.linking")
    return compiling is not None and bool(compiling.at_work())


def _compiled(function: F, counting: bool) -> F:
    """Compile with or without counting references to arrays.

    The option is always stated: numba passes it on to functions that are compiled meanwhile.
    """
    if not ACTIVE:
        return function
    return cast(F, Compiled(function, counting))


class UnknownNumba(ImportError):
    """The internals of numba are not those that `linking` uses."""


class Compiled:
    """A function that is compiled, or loaded from the cache, when it is first called.

    Attributes:
        py_func, targetoptions: what numba reads of a function to write it into its callers.
    """

    every: ClassVar[list[Compiled]] = []

    def __init__(self, function: Callable[..., Any], counting: bool) -> None:
        update_wrapper(self, function)
        self._function = self.py_func = function
        self.targetoptions: dict[str, str] = {}
        self._options = {"error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": counting}
        self.stands_apart = False
        self.every.append(self)

    def __call__(self, *args: Any) -> Any:
        try:
            return self.whole(*args)
        except UnknownNumba as problem:
            _next_backend(problem)
            return self.whole(*args)

    @cached_property
    def whole(self) -> Any:
        """The function that Python calls."""
        backend = _backend()
        if backend is None:
            return self._function
        make = backend.apart if self.stands_apart and backend.PARTS else backend.whole
        return make(self._function, stamp(), self._options)

    @cached_property
    def as_called(self) -> Any:
        """The function that compiled code calls."""
        backend = _backend()
        if backend is None or self.stands_apart or not backend.PARTS:
            return self.whole
        return backend.part(self._function, self._options)

    @property
    def _numba_type_(self) -> Any:
        """Attribute that numba reads of a function that compiled code calls."""
        return self.as_called._numba_type_


_BACKENDS = ["linking", "plain"]
"""Modules that compile, in order of preference."""


@cache
def _backend() -> Any:
    """The module that compiles; None, and all is interpreted, where numba cannot be imported."""
    global ACTIVE
    reasons: list[Exception] = []
    while _BACKENDS:
        try:
            return import_module(f".{_BACKENDS[0]}", __package__)
        except Exception as problem:  # of whatever numba runs, a file of the user's among it
            _log.debug("%s is left alone: %s", _BACKENDS.pop(0), problem)
            reasons.append(problem)
    ACTIVE = False
    known = [p for p in reasons if not isinstance(p, UnknownNumba)]
    warnings.warn(_interpreted(known[0] if known else reasons[0]), RuntimeWarning, stacklevel=2)
    return None


def _interpreted(reason: Exception) -> str:
    """Why an installed numba compiles nothing, and the files that hide modules it needs."""
    standard = str(Path(os.__file__).parent)
    named = ((name, getattr(sys.modules.get(name), "__file__", None)) for name in HIDEABLE)
    hiding = [f"{file} hides the module {n}" for n, file in named if file and standard not in file]
    raised = extract_tb(reason.__traceback__)[-1].filename
    words = "nothing is compiled, all runs many times slower: numba is installed, but fails"
    return "; ".join([f"{words} with {reason!r} in {raised}", *hiding])


def _next_backend(problem: Exception) -> None:
    """Discard the backend that failed, and all that it compiled."""
    _log.debug("%s is left alone: %s", _BACKENDS.pop(0), problem.__cause__)
    _backend.cache_clear()
    for each in Compiled.every:
        for known in ("whole", "as_called"):
            each.__dict__.pop(known, None)
