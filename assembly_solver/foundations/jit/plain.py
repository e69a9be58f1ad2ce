"""Numba as it comes: every function compiled on its own, with all that it calls.

Where `linking` does not go with the numba that is there: slower to compile, and the same code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit, types

PARTS = False
"""Compiled code calls what Python calls."""


def whole(function: Callable[..., Any], stamp: bytes, options: dict[str, Any]) -> Any:
    """The function as both call it, with a disk cache; where nothing can be written, in memory."""
    try:
        dispatcher = njit(cache=True, **options)(function)
    except RuntimeError:
        dispatcher = njit(**options)(function)
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None:
        file._source_stamp = b"plain" + stamp
    return without_literals(dispatcher)


def without_literals(dispatcher: Any) -> Any:
    """Take a literal argument as a number like any other: numba would compile one for each."""
    template, plain = dispatcher.get_call_template, types.unliteral
    dispatcher.get_call_template = lambda args, kws: template(
        tuple(plain(a) for a in args), {k: plain(v) for k, v in kws.items()}
    )
    return dispatcher
