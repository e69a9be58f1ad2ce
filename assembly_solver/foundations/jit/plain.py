"""Standard use of numba: every function is compiled with all that it calls.

The fallback where `linking` does not support the installed numba: the same code, compiled slower.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit, types

PARTS = False
"""Python and compiled code call the same function."""


def whole(function: Callable[..., Any], stamp: bytes, options: dict[str, Any]) -> Any:
    """The compiled function, with a disk cache; in memory where that cannot be written."""
    try:
        dispatcher = njit(cache=True, **options)(function)
    except RuntimeError:
        dispatcher = njit(**options)(function)
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None:
        file._source_stamp = b"plain" + stamp
    return without_literals(dispatcher)


def without_literals(dispatcher: Any) -> Any:
    """Treat literal arguments as numbers: numba would compile the function for each literal."""
    template, plain = dispatcher.get_call_template, types.unliteral
    dispatcher.get_call_template = lambda args, kws: template(
        tuple(plain(a) for a in args), {k: plain(v) for k, v in kws.items()}
    )
    return dispatcher
