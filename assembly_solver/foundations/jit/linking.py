"""Compilation with numba in which inner functions are optimised only once.

Numba optimises every compiled function together with all that it calls: where twenty functions call
each other, the innermost is optimised twenty times.  Here

* a *part* is only typed and lowered, and linked into its callers;
* a *whole* is called by Python: it is optimised with its parts once and stored in the disk cache;
* a function *apart* has separate machine code, which others jump to by name; a cached function
  states which of these have to be loaded before it.

Without this module, by `plain`, what a first solve of the four-bar needs compiles in 89 s of
processor time instead of 46 s and takes 17 MB of cache instead of 1.7, and the first solve of a
later process takes 0.63 s instead of 0.37 (two cores under load, both in one run).

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
from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.runtime import rtsys
from numba.core.typed_passes import NativeLowering

from .decorators import UnknownNumba
from .plain import Cache, cached, without_literals
from .sources import stamp
from .tiers import TIER, NotReady

Function = Callable[..., Any]

PARTS = True
"""Python and compiled code call different functions."""

KNOWN = ((0, 56), (0, 69))
"""Supported versions of numba: from the first on, before the second."""


if not KNOWN[0] <= numba.version_info.short < KNOWN[1]:
    raise UnknownNumba(f"numba {numba.__version__} is not known")


class _Part(JITCodeLibrary):  # type: ignore[misc]
    """Lowered code, with that of all parts that it calls."""

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


def _apart_from(library: Any) -> Iterator[Function]:
    """Loaders of the functions apart that the code of a library jumps to."""
    for other in library._linking_libraries:
        if hasattr(other, "loads"):
            yield other.loads
        elif isinstance(other, _Part):
            yield from _apart_from(other)


def _make_apart(library: Any, function: Function, signature: Any) -> None:
    """Make a library callable by name, with nothing to link into its callers."""
    library.loads = partial(_load, function.__module__, function.__qualname__, signature)
    library._shared_module = _Part(library.codegen, library.name)._final_module


def _load(module: str, name: str, signature: Any) -> None:
    """Load a function apart: called before code that jumps to it is loaded."""
    getattr(import_module(module), name).as_called.compile(signature)


@register_pass(mutates_CFG=False, analysis_only=False)
class _HandOver(LoweringPass):  # type: ignore[misc]
    """Registers the code of a part for its callers; Python cannot call it."""

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
    """Stores with compiled code what has to be loaded before it."""

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
    """Numba's compiler, which counts the compilations that go on."""

    def compile_extra(self, func: Function) -> Any:
        TIER.compilations += 1
        try:
            return super().compile_extra(func)
        finally:
            TIER.compilations -= 1

    def define_pipelines(self) -> list[Any]:
        (passes,) = super().define_pipelines()
        return _with(passes, _Remember, NativeLowering)


class _ApartCompiler(_WholeCompiler):
    """The same for functions apart: the name of the code depends only on the source."""

    def define_pipelines(self) -> list[Any]:
        identity = self.state.func_id
        identity.unique_id = int.from_bytes(stamp()[:6], "big")
        identity.unique_name = f"{identity.func_qualname}${identity.unique_id}"
        return super().define_pipelines()


class _Stored(CompileResultCacheImpl):  # type: ignore[misc]
    """Cache entry of a function: its machine code, without code to link into others.

    Nor with the environments of numba's functions such as `numpy.empty`: they serve to box Python
    objects, of which there are none, and restoring them imports the whole compiler.
    """

    def reduce(self, data: Any) -> tuple[Any, ...]:
        (name, form, (code, _)), *kept, surroundings = super().reduce(data)
        entry = f'define void @"{data.fndesc.llvm_cpython_wrapper_name}"() {{ ret void }}'
        names = parse_assembly(entry).as_bitcode()  # only the names in it are read
        own = [s for s in surroundings if not s.globals["__name__"].startswith("numba.")]
        return ((name, form, (code, names)), *kept, tuple(own))


class _Cache(Cache):
    """The disk cache of these entries, loaded without importing the compiler."""

    _impl_class = _Stored

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        try:
            return self._load_overload(sig, target_context)
        except Exception:  # an incomplete file, say: compile again
            return None


class _ApartCache(_Cache):
    """The same for functions apart."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is not None:
            _make_apart(found.library, self._py_func, sig)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        super().save_overload(sig, data)
        _make_apart(data.library, self._py_func, sig)


def _cached(function: Function, source: bytes, options: dict[str, Any], cache: type[Cache]) -> Any:
    """A dispatcher with a disk cache, in which any error counts as an unknown numba."""
    dispatcher = cached(function, source, options, cache)
    dispatcher.compile = partial(_tried, dispatcher.compile)
    return dispatcher


def _tried(compile_it: Function, signature: Any) -> Any:
    """Compile; any error counts as an unknown numba, and `plain` is used instead."""
    try:
        return compile_it(signature)
    except NotReady:
        raise
    except Exception as problem:
        raise UnknownNumba(str(problem)) from problem


def whole(function: Function, source: bytes, options: dict[str, Any]) -> Any:
    """The function as Python calls it."""
    return _cached(function, source, options | {"pipeline_class": _WholeCompiler}, _Cache)


def part(function: Function, options: dict[str, Any]) -> Any:
    """The function as compiled code calls it."""
    options = options | {"no_cpython_wrapper": True, "pipeline_class": _PartCompiler}
    return without_literals(njit(**options)(function))


def apart(function: Function, source: bytes, options: dict[str, Any]) -> Any:
    """The function as both call it."""
    options = options | {"pipeline_class": _ApartCompiler}
    return without_literals(_cached(function, source, options, _ApartCache))
