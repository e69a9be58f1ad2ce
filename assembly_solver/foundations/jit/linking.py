"""How numba compiles: what Python calls as a whole, what compiled code calls as a part of it.

Numba optimises every compiled function and turns it into machine code, together with all that it
calls: where twenty functions call each other, the innermost goes that way twenty times.  Here

* a *part* is typed and lowered, and no more: it is linked into what calls it;
* a *whole* is what Python calls: it is optimised and turned into machine code with its parts once,
  and kept in the disk cache;
* a function that stands *apart* has machine code of its own: others jump to it by its name, and
  what is loaded from the cache says which of them have to be loaded before.

Source: numba's manual, chapter "Customizing the Compiler".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numba
from llvmlite.binding import parse_assembly
from numba import _dynfunc, njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.runtime import rtsys
from numba.core.typed_passes import NativeLowering

from .decorators import UnknownNumba, stamp
from .plain import without_literals

Function = Callable[..., Any]

PARTS = True
"""Compiled code calls something else than Python calls."""

KNOWN = ((0, 56), (0, 69))
"""Versions of numba with which all this is known to go: from the first on, before the second."""


if not KNOWN[0] <= numba.version_info.short < KNOWN[1]:
    raise UnknownNumba(f"numba {numba.__version__} is not known")


class _Part(JITCodeLibrary):  # type: ignore[misc]
    """Code as it was lowered, with that of all parts that it calls."""

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


def _apart_from(library: Any) -> Iterator[Function]:
    """What loads the functions apart that the code of a library jumps to."""
    for other in library._linking_libraries:
        if hasattr(other, "loads"):
            yield other.loads
        elif isinstance(other, _Part):
            yield from _apart_from(other)


def _stand_apart(library: Any, function: Function, signature: Any) -> None:
    """Let a library be called by name: there is nothing to link into its callers."""
    library.loads = partial(_load, function.__module__, function.__qualname__, signature)
    library._shared_module = _Part(library.codegen, library.name)._final_module


def _load(module: str, name: str, signature: Any) -> None:
    """Load a function apart: called before code that jumps to it is loaded."""
    getattr(import_module(module), name).as_called.compile(signature)


@register_pass(mutates_CFG=False, analysis_only=False)
class _HandOver(LoweringPass):  # type: ignore[misc]
    """Makes the code of a part known to its callers; Python has no entry to it."""

    _name = "hand_over"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        name = state.cr.fndesc
        key = _dynfunc.make_function(
            name.lookup_module(), name.qualname, "", 0, state.cr.env, (state.library,)
        )
        state.targetctx.insert_user_function(key, name, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class _Remember(LoweringPass):  # type: ignore[misc]
    """Notes with compiled code what has to be loaded before it."""

    _name = "remember"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        state.reload_init.extend(dict.fromkeys(_apart_from(state.library)))
        return True


def _with(passes: Any, own: type, after: type) -> list[Any]:
    passes.add_pass_after(own, after)
    passes.finalize()
    return [passes]


class _PartCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler up to lowered code."""

    def define_pipelines(self) -> list[Any]:
        state = self.state
        (passes,) = super().define_pipelines()
        state.flags.no_compile = True
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        return _with(passes, _HandOver, NativeLowering)


class _WholeCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler.

    Attributes:
        at_work: how many of them are compiling now, one on behalf of another.
    """

    at_work = 0

    def compile_extra(self, func: Function) -> Any:
        _WholeCompiler.at_work += 1
        try:
            return super().compile_extra(func)
        finally:
            _WholeCompiler.at_work -= 1

    def define_pipelines(self) -> list[Any]:
        (passes,) = super().define_pipelines()
        return _with(passes, _Remember, NativeLowering)


class _ApartCompiler(_WholeCompiler):
    """The same; the code bears one name in every process, and another where the source changed."""

    def define_pipelines(self) -> list[Any]:
        identity = self.state.func_id
        identity.unique_id = int.from_bytes(stamp()[:6], "big")
        identity.unique_name = f"{identity.func_qualname}${identity.unique_id}"
        return super().define_pipelines()


class _Stored(CompileResultCacheImpl):  # type: ignore[misc]
    """What is kept of a function: its machine code, and no code to be linked into others.

    Nor the surroundings of numba's own functions, such as `numpy.empty`: they serve to box
    Python objects, of which there are none, and to restore them loads all that numba compiles with.
    """

    def reduce(self, data: Any) -> tuple[Any, ...]:
        (name, form, (code, _)), *kept, surroundings = super().reduce(data)
        entry = f'define void @"{data.fndesc.llvm_cpython_wrapper_name}"() {{ ret void }}'
        names = parse_assembly(entry).as_bitcode()  # all that is asked of it is who is in there
        own = [s for s in surroundings if not s.globals["__name__"].startswith("numba.")]
        return ((name, form, (code, names)), *kept, tuple(own))


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's disk cache; to load from it takes none of the modules that compiling takes."""

    _impl_class = _Stored

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        try:
            return self._load_overload(sig, target_context)
        except Exception:  # half a file, say: it is compiled and written anew
            return None


class _ApartCache(_Cache):
    """The same for functions apart."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is not None:
            _stand_apart(found.library, self._py_func, sig)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        super().save_overload(sig, data)
        _stand_apart(data.library, self._py_func, sig)


def _kept(function: Function, source: bytes, options: dict[str, Any], cache: type) -> Any:
    """A dispatcher with a disk cache; where nothing can be written, in memory."""
    dispatcher = njit(**options)(function)
    try:
        dispatcher._cache = cache(function)
        dispatcher._cache._cache_file._source_stamp = source
    except RuntimeError:
        pass
    dispatcher.compile = partial(_tried, dispatcher.compile)
    return dispatcher


def _tried(compile_it: Function, signature: Any) -> Any:
    """Compile; what goes wrong may be owed to another numba, and is tried without all this."""
    try:
        return compile_it(signature)
    except Exception as problem:
        raise UnknownNumba(str(problem)) from problem


def at_work() -> bool:
    """Whether a function is being compiled now."""
    return _WholeCompiler.at_work > 0


def whole(function: Function, source: bytes, options: dict[str, Any]) -> Any:
    """The function as Python calls it."""
    return _kept(function, source, options | {"pipeline_class": _WholeCompiler}, _Cache)


def part(function: Function, options: dict[str, Any]) -> Any:
    """The function as compiled code calls it."""
    options = options | {"no_cpython_wrapper": True, "pipeline_class": _PartCompiler}
    return without_literals(njit(**options)(function))


def apart(function: Function, source: bytes, options: dict[str, Any]) -> Any:
    """The function as both call it."""
    options = options | {"pipeline_class": _ApartCompiler}
    return without_literals(_kept(function, source, options, _ApartCache))
