"""Calls without passes of the garbage collector.

Making the plan of a large assembly creates 100 000 objects that stay, and the collector would go
through all objects of the program again and again: half the time of a first solve of a thousand
links.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def uncollected(call: Callable[P, T]) -> Callable[P, T]:
    """The call, during which no objects in circles are collected, where they are otherwise."""

    @wraps(call)
    def paused(*args: P.args, **named: P.kwargs) -> T:
        if not gc.isenabled():
            return call(*args, **named)
        gc.disable()
        try:
            return call(*args, **named)
        finally:
            gc.enable()

    return paused
