"""Calls of one function side by side on the cores, where it is machine code."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from .decorators import Compiled
from .tiers import Arguments, NotReady


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def side_by_side(function: Callable[..., Any], calls: Sequence[Arguments]) -> None:
    """Call an `unlocked` function, which writes what it finds, with each of some arguments.

    The first tells whether there is machine code for such arguments: then threads take the others,
    none of which writes what another one reads; interpreted code runs in one thread.
    """
    function(*calls[0])
    rest = calls[1:]
    if rest and isinstance(function, Compiled) and function.in_machine_code:
        with suppress(NotReady), ThreadPoolExecutor(min(cores(), len(rest))) as pool:
            list(pool.map(lambda own: function.whole(*own), rest))
            return
    for args in rest:
        function(*args)
