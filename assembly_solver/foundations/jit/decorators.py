"""Compile with numba where it is installed; run the same code interpreted otherwise.

`compiled` is numba's `njit` with its disk cache, with these differences:

* without numba, or with the environment variable `ASSEMBLY_SOLVER_JIT=0`, it is the identity;
* functions run interpreted until machine code pays, and nobody waits for it: see `tiers`; with
  `ASSEMBLY_SOLVER_JIT=1` each is compiled, or loaded from the cache, when it is first called;
* where the cache cannot be written, functions compile in memory;
* the cache is keyed by the source of *every* compiled module: numba checks only the file of the
  function itself, and would run old code after a change of a compiled function that it calls;
* functions that only compiled code calls are linked into their callers, those marked `apart` have
  separate machine code: see `linking`; with an unsupported version of numba: `plain`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property, partial, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from threading import get_ident
from typing import Any, ClassVar, TypeVar, cast

from .failing import fails_with
from .sources import stamp
from .spread import SpreadForm, spread_form
from .tiers import CALLS, TIER, Arguments, NotReady

F = TypeVar("F", bound=Callable[..., Any])

Work = Callable[[], None]

ASKED = os.environ.get("ASSEMBLY_SOLVER_JIT")
"""What the environment asks for: "0" interpreted, "1" compiled at once, else in `tiers`."""

ACTIVE = ASKED != "0" and find_spec("numba") is not None
"""False where functions run interpreted for good."""


def compiled(function: F, interpreted: Callable[..., Any] | None = None) -> F:
    """The compiled form of a function of numbers, arrays and NamedTuples of arrays.

    Args:
        interpreted: another form, which runs while it is interpreted.
    """
    return _compiled(function, counting=True, interpreted=interpreted)


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


def spread(function: F) -> F:
    """A compiled function that Python hands its tuples array by array: see `spread`."""
    if isinstance(function, Compiled):
        function.spreads = True
    return function


def inlined(function: F) -> F:
    """A compiled function that is written into the compiled functions that call it.

    For one that is called in a loop with tuples of many arrays: to hand over one array takes some
    ten numbers on the stack, which is more work than a short function does.
    """
    if isinstance(function, Compiled):
        function.targetoptions = {"inline": "always"}
    return function


def borrowing_in_form(function: F, interpreted: Callable[..., Any]) -> F:
    """`borrowing` for a function that runs in another form while it is interpreted."""
    return _compiled(function, counting=False, interpreted=interpreted)


def unlocked(function: F) -> F:
    """A compiled function beside which other threads run Python: see `threads`."""
    if isinstance(function, Compiled):
        function.lets_others_run()
    return function


def in_machine_code(function: Callable[..., Any], args: Arguments, otherwise: Work) -> bool:
    """Call a compiled function where there is machine code of it, or do its work otherwise.

    Whether it was called.  The work counts as that of the function: its machine code is taken, or
    made, when that pays.
    """
    if isinstance(function, Later):
        return function.called_in_machine_code(args, otherwise)
    if isinstance(function, Compiled):
        function(*args)
        return True
    otherwise()
    return False


def compiles() -> bool:
    """Whether somebody waits for a function that is compiled now; any thread may ask."""
    return (ASKED == "1" or TIER.waits) and TIER.compilations > 0


def compile_at_once() -> None:
    """From now on every function is compiled, or loaded from the cache, when it is called.

    For work whose results must not depend on how far compilation is: nothing runs interpreted
    first, and each caller waits.  Where nothing compiles, all stays interpreted.
    """
    TIER.waits = True
    for each in Compiled.every:
        if isinstance(each, Later):
            each.wait()


def _compiled(function: F, counting: bool, interpreted: Callable[..., Any] | None = None) -> F:
    """Compile with or without counting references to arrays.

    The option is always stated: numba passes it on to functions that are compiled meanwhile.
    """
    if not ACTIVE:
        return cast(F, interpreted or function)
    return cast(F, (Compiled if ASKED == "1" else Later)(function, counting, interpreted))


class UnknownNumba(ImportError):
    """The internals of numba are not those that `linking` uses."""


class Compiled:
    """A function that is compiled, or loaded from the cache, when it is first called.

    Attributes:
        py_func, targetoptions: what numba reads of a function to write it into its callers.
        interpreted: what runs where there is no machine code.
    """

    every: ClassVar[list[Compiled]] = []

    def __init__(
        self,
        function: Callable[..., Any],
        counting: bool,
        interpreted: Callable[..., Any] | None = None,
    ) -> None:
        update_wrapper(self, function)
        self._function = self.py_func = function
        self.interpreted = interpreted or function
        self.targetoptions: dict[str, str] = {}
        self._options = {"error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": counting}
        self._options["nogil"] = False
        self.stands_apart = self.spreads = False
        self.every.append(self)

    def __call__(self, *args: Any) -> Any:
        try:
            return self.entry(*args)
        except UnknownNumba as problem:
            _next_backend(problem)
            return self.entry(*args)

    def lets_others_run(self) -> None:
        """Release the lock of the interpreter while it runs in machine code."""
        self._options["nogil"] = True

    @property
    def in_machine_code(self) -> bool:
        """Whether it runs in machine code that is loaded, for arguments like those so far."""
        return bool(self.signatures)

    @property
    def name(self) -> str:
        return f"{self.py_func.__module__}.{self.py_func.__qualname__}"

    @property
    def signatures(self) -> tuple[Any, ...]:
        """Types of arguments for which there is machine code in this process."""
        return tuple(getattr(self.__dict__.get("whole"), "overloads", ()))

    def compile_for(self, args: Arguments) -> None:
        """Compile the function for the types of these arguments, or load it from the cache."""
        from numba import typeof, types

        given = self._spread.caller(lambda *each: each)(*args) if self.spreads else args
        signature = tuple(types.unliteral(typeof(value)) for value in given)
        try:
            self.whole.compile(signature)
        except UnknownNumba as problem:
            _next_backend(problem)
            self.whole.compile(signature)

    @cached_property
    def entry(self) -> Any:
        """What Python calls, with the arguments as they are."""
        whole = self.whole
        return self._spread.caller(whole) if self.spreads and ACTIVE else whole

    @cached_property
    def _spread(self) -> SpreadForm:
        return spread_form(self._function, self)

    @cached_property
    def whole(self) -> Any:
        """The function that Python calls, of arguments that may be spread."""
        backend = _backend()
        if self.spreads and backend is not None:
            options = self._options | {"_nrt": False}
            return self._made(backend.whole, self._spread.function, options)
        return self._alone(backend)

    def _alone(self, backend: Any) -> Any:
        """The function with separate machine code."""
        if backend is None:
            return self.interpreted
        make = backend.apart if self.stands_apart and backend.PARTS else backend.whole
        return self._made(make, self._function, self._options)

    def _made(self, make: Callable[..., Any], function: Any, options: dict[str, Any]) -> Any:
        """What compiles a function, or loads it from the cache, when it is called."""
        return make(function, stamp(), options)

    @cached_property
    def as_called(self) -> Any:
        """The function that compiled code calls."""
        backend = _backend()
        if backend is None or self.stands_apart or not backend.PARTS:
            return self._alone(backend) if self.spreads else self.whole
        return backend.part(self._function, self._options)

    @property
    def _numba_type_(self) -> Any:
        """Attribute that numba reads of a function that compiled code calls."""
        return self.as_called._numba_type_


class Later(Compiled):
    """A function that is interpreted until its machine code is ready and pays: see `tiers`."""

    def __init__(
        self,
        function: Callable[..., Any],
        counting: bool,
        interpreted: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(function, counting, interpreted)
        self.machine: Callable[..., Any] | None = None
        self.refused = False
        self.spent = 0.0
        self.example: Arguments | None = None
        TIER.every.append(self)
        if TIER.waits:
            self.wait()

    def wait(self) -> None:
        """Be compiled, or loaded from the cache, at the next call, where anything compiles."""
        if not TIER.locked:
            self.machine, self.refused = super().__call__, False

    def __call__(self, *args: Any) -> Any:
        if TIER.listed:
            return self.py_func(*args)
        machine = self.machine
        if machine is not None:
            try:
                return machine(*args)
            except NotReady:
                return TIER.not_ready(self, args)
        if not TIER.inside:
            return TIER.interpreted(self, args)
        TIER.calls += 1
        if TIER.calls > CALLS:
            TIER.on_the_way()
        return self.interpreted(*args)

    def _made(self, make: Callable[..., Any], function: Any, options: dict[str, Any]) -> Any:
        """What is not in the cache, or does not load from there, is compiled aside only."""
        found = super()._made(make, function, options)
        if compiler := getattr(found, "_compiler", None):
            compiler.compile = partial(self._aside, compiler.compile)
        return found

    def _aside(self, compile_it: Callable[..., Any], *signature: Any) -> Any:
        if TIER.waits or TIER.compiler == get_ident():
            return compile_it(*signature)
        raise NotReady(self.name)

    @property
    def in_machine_code(self) -> bool:
        return self.machine is not None and super().in_machine_code

    @property
    def open(self) -> bool:
        """Whether machine code may come yet."""
        return self.machine is None and not self.refused

    def load_and_call(self, *args: Any) -> Any:
        """Take the machine code that is in the cache, then call the function."""
        self._load()
        return self(*args)

    def called_in_machine_code(self, args: Arguments, otherwise: Work) -> bool:
        """Whether there was machine code to call; the work was done otherwise if not."""
        if self.machine == self.load_and_call:
            self._load()
        if self.machine is not None and not TIER.inside:
            with suppress(NotReady):
                self.machine(*args)
                return True
        if TIER.inside:
            otherwise()
        else:
            TIER.interpreted(self, args, otherwise)
        return False

    def _load(self) -> None:
        self.machine, self.refused = None, True
        with suppress(Exception):  # what loaded before is taken
            for signature in _cached_signatures(self.whole):
                self.whole.compile(signature)
        if self.signatures:
            self.machine, self.refused = self.entry, False
        else:
            self.refused = not TIER.lost(self)


def _cached_signatures(dispatcher: Any) -> list[Any]:
    """Types of arguments for which the machine code is in the cache."""
    cache, file = dispatcher._cache, getattr(dispatcher._cache, "_cache_file", None)
    if file is None:
        return []
    codegen = dispatcher.targetctx.codegen()
    with suppress(Exception):  # the index of another release, say
        return [key[0] for key in file._load_index() if key == cache._index_key(key[0], codegen)]
    return []


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
            _leave_alone(_BACKENDS.pop(0), problem)
            reasons.append(problem)
    ACTIVE = False
    known = [p for p in reasons if not isinstance(p, UnknownNumba)]
    warnings.warn(fails_with(known[0] if known else reasons[0]), RuntimeWarning, stacklevel=2)
    return None


def _next_backend(problem: Exception) -> None:
    """Discard the backend that failed, and all that it compiled."""
    _leave_alone(_BACKENDS.pop(0), problem.__cause__)
    _backend.cache_clear()
    for each in Compiled.every:
        for known in ("entry", "whole", "as_called"):
            each.__dict__.pop(known, None)


def _leave_alone(backend: str, problem: BaseException | None) -> None:
    import logging  # of what fails

    logging.getLogger(__name__).debug("%s is left alone: %s", backend, problem)
