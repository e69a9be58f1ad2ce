"""Standard use of numba: every function is compiled with all that it calls.

The fallback where `linking` does not support the installed numba: the same code, compiled slower.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit, types
from numba.core.caching import FunctionCache, IndexDataCacheFile

from .failing import warn_not_kept

PARTS = False
"""Python and compiled code call the same function."""


class _File(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's files of a function, each of which states its source.

    Numba writes the index before the machine code: where there is no room for the latter, or the
    process is killed between the two, the index of this source names the code of an older one.
    """

    def _save_data(self, name: str, data: Any) -> None:
        super()._save_data(name, (self._source_stamp, data))

    def _load_data(self, name: str) -> Any:
        source, data = super()._load_data(name)
        if source != self._source_stamp:
            raise OSError(f"{name} is of another source")
        return data


class Cache(FunctionCache):  # type: ignore[misc]
    """Numba's disk cache, for one source: what cannot be read or written is compiled in memory."""

    incomplete = False
    """Whether something was compiled that could not be written."""

    def __init__(self, function: Callable[..., Any], source: bytes) -> None:
        super().__init__(function)
        self._cache_file = _File(self._cache_path, self._impl.filename_base, source)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # an incomplete file, say: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._written(sig, data)
        except OSError as problem:  # a full disk, say
            self.incomplete = True
            warn_not_kept(problem.strerror or str(problem))

    def _written(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            raise
        except Exception:  # the index of a release that had other modules, say
            self.flush()
            super().save_overload(sig, data)


def whole(function: Callable[..., Any], source: bytes, options: dict[str, Any]) -> Any:
    """The compiled function, with a disk cache; in memory where that cannot be written."""
    return without_literals(cached(function, b"plain" + source, options, Cache))


def cached(
    function: Callable[..., Any], source: bytes, options: dict[str, Any], cache: type[Cache]
) -> Any:
    """A dispatcher with a disk cache; in memory where that cannot be written."""
    dispatcher = njit(**options)(function)
    with suppress(RuntimeError):
        dispatcher._cache = cache(function, source)
    return dispatcher


def without_literals(dispatcher: Any) -> Any:
    """Treat literal arguments as numbers: numba would compile the function for each literal."""
    template, plain = dispatcher.get_call_template, types.unliteral
    dispatcher.get_call_template = lambda args, kws: template(
        tuple(plain(a) for a in args), {k: plain(v) for k, v in kws.items()}
    )
    return dispatcher
