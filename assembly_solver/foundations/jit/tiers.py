"""Interpreted first, machine code when it pays: what the compiled functions of a process run by.

Most calls end before numba is imported.  A process whose functions have worked interpreted for
`PATIENCE` takes the machine code that is in the cache; the functions that it uses and that are not
there are compiled `aside`.  The next call of a function then is its machine code, also where it is
called by one that still runs interpreted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from math import inf
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from ..types import Array

PATIENCE = 0.2
"""A setting: interpreted work after which machine code is taken, s; numba is imported for it."""

PAUSE = 0.1
"""A setting: time between two looks at what is ready, s."""

WORTH = 0.01
"""A setting: interpreted work of a function for which it is compiled, s."""

CALLS = 64
"""Calls by interpreted functions between two looks at the clock."""

ENTRIES = 2
"""Of each dimension of an example of an array."""

Arguments = tuple[Any, ...]


class Tiered(Protocol):
    """A function that is interpreted until its machine code is ready and pays.

    Attributes:
        name: with its module; interpreted: what runs where there is no machine code.
        machine: the function to call instead; None until there is one.
        refused: whether there will be none; open: whether one may come yet.
        spent: interpreted work, s; example: arguments like those of a call, where that is worth it.
    """

    interpreted: Callable[..., Any]
    machine: Callable[..., Any] | None
    refused: bool
    spent: float
    example: Arguments | None

    @property
    def name(self) -> str: ...

    @property
    def open(self) -> bool: ...

    def load_and_call(self, *args: Any) -> Any:
        """Take the machine code that is in the cache, then call the function."""


class NotReady(Exception):
    """There is no machine code for such arguments."""


class Tier:
    """What the compiled functions of this process run by.

    Attributes:
        every: the functions.
        inside: whether one of them runs interpreted; calls: by it, of others.
        listed: whether it runs on lists, which machine code cannot take.
        compiler: the thread that compiles, if one does.
        locked: whether locks of numba are held for good, so that nothing compiles.
        waits: whether callers wait for machine code, so that nothing runs interpreted.
        compilations: how many, one within the other, go on now.
    """

    def __init__(self) -> None:
        self.every: list[Tiered] = []
        self.inside, self.calls, self.listed = False, 0, False
        self.compiler: int | None = None
        self.waits = self.locked = False
        self.compilations = 0
        self._spent, self._begun, self._next = 0.0, 0.0, 0.0
        self._outermost: tuple[Tiered, Arguments] | None = None
        self._asked: tuple[Tiered, ...] = ()
        self._further: dict[Tiered, Arguments | None] = {}
        self._lost: set[Tiered] = set()
        self._aside: Any = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._alone)

    def interpreted(
        self, entry: Tiered, args: Arguments, instead: Callable[[], Any] | None = None
    ) -> Any:
        """Call a function that none of the others calls, or do its work in another way."""
        self.inside, self._begun, self._outermost = True, perf_counter(), (entry, args)
        try:
            return entry.interpreted(*args) if instead is None else instead()
        finally:
            now = perf_counter()
            self.inside, self._outermost = False, None
            self._spent += now - self._begun
            entry.spent += now - self._begun
            if entry.spent > WORTH and entry.example is None:
                entry.example = example(args)
            if self._spent > PATIENCE and now > self._next:
                self._look()

    def expect_work(self) -> None:
        """Take machine code with the next call: more work comes than `PATIENCE`."""
        self._spent = max(self._spent, PATIENCE)

    def on_the_way(self) -> None:
        """Look at the clock while a function runs interpreted."""
        self.calls, now, outermost = 0, perf_counter(), self._outermost
        if outermost and self._spent + now - self._begun > PATIENCE and now > self._next:
            entry, args = outermost  # of another thread, which may end meanwhile
            entry.example = entry.example or example(args)
            self._look()

    def not_ready(self, entry: Tiered, args: Arguments) -> Any:
        """Call a function whose machine code is for other arguments."""
        if self.inside:  # an interpreted function has arrays of other layouts
            entry.machine, entry.refused = None, True
            return entry.interpreted(*args)
        self._further.setdefault(entry, example(args))
        return self.interpreted(entry, args)

    def lost(self, entry: Tiered) -> bool:
        """Whether a function that does not load, though it should be ready, is compiled again.

        As where another state of the source was compiled meanwhile: the cache holds one of them.
        """
        import_module(".aside", __package__).not_ready(entry.name)
        again = entry not in self._lost
        self._lost.add(entry)
        return again

    def _look(self) -> None:
        """Take what is ready; have compiled what this process uses and is not."""
        aside = import_module(".aside", __package__)
        ended = self._aside is None or not self._aside.at_work()
        self._take(aside.ready(self._aside))
        if ended:
            for each in self._asked:
                each.refused = each.machine is None
            wanted = {e: e.example for e in self.every if e.example is not None and e.open}
            wanted |= {e: a for e, a in self._further.items() if a is not None}
            self._aside = aside.begin(wanted, self._spent) if wanted else None
            self._asked = tuple(wanted) if self._aside is not None else ()
            if self._asked:
                self._further = dict.fromkeys(self._further)  # once
        self._next = perf_counter() + PAUSE

    def _take(self, names: frozenset[str]) -> None:
        for entry in self.every:
            if entry.open and entry.name in names:
                entry.machine = entry.load_and_call

    def _alone(self) -> None:
        """In a process that was forked: what its parent waits for is not its own.

        Locks of numba that a thread of the parent held as it compiled are held for good here: all
        stays interpreted then.
        """
        self.inside, self.listed, self._aside, self._asked = False, False, None, ()
        if self.compiler is not None:
            self.compiler, self.locked, self._next = None, True, inf
            for entry in self.every:
                entry.machine = None


def example(value: Any) -> Any:
    """A value of the same type, with small arrays."""
    if isinstance(value, np.ndarray):
        return example_array(*form_of(value))
    if isinstance(value, tuple):
        inner = [example(v) for v in value]
        return type(value)(*inner) if hasattr(value, "_fields") else tuple(inner)
    return value


def form_of(array: Array) -> tuple[str, int, str, bool]:
    """By what numba tells arrays apart: type, dimensions, order (A: any), whether to be written."""
    flags = array.flags
    order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return array.dtype.str, array.ndim, order, flags.writeable


def example_array(dtype: str, dimensions: int, order: str, writeable: bool) -> Array:
    """A small array of a form."""
    shape = (ENTRIES,) * dimensions
    if order == "A":
        out = np.empty((*shape, ENTRIES), dtype)[..., 0]
    else:
        out = np.empty(shape, dtype, "F" if order == "F" else "C")
    out.flags.writeable = writeable
    return out


TIER = Tier()
