"""Calls of one function side by side on the cores, where it is machine code."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .decorators import Compiled
from .tiers import Arguments


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def side_by_side(function: Callable[..., Any], calls: Sequence[Arguments]) -> None:
    """Call an `unlocked` function, which writes what it finds, with each of some arguments.

    One after the other until there is machine code, the others by threads: none writes what
    another one reads.
    """
    for k, args in enumerate(calls):
        if isinstance(function, Compiled) and function.in_machine_code and k + 1 < len(calls):
            with ThreadPoolExecutor(min(cores(), len(calls) - k)) as pool:
                list(pool.map(lambda own: function(*own), calls[k:]))
            return
        function(*args)
