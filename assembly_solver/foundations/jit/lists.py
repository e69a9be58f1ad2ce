"""Loops over single numbers: on arrays in machine code, on lists where interpreted.

To read a number of an array and compute with it takes several times as long as with a number of a
list.  One source serves both: a function that indexes its arrays by one number at a time, as in
`a[i][j]`.  What it computes is the same to the last bit.  A division by zero, an overflow or a root
of a negative number raises an error on lists: there the function begins anew on the arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from .decorators import borrowing_in_form
from .tiers import TIER

F = TypeVar("F", bound=Callable[..., Any])


def _always(*_: Any) -> bool:
    return True


def _never(*_: Any) -> None:
    return None


def on_lists(
    *written: int, where: Callable[..., bool] = _always, in_arrays: Callable[..., Any] = _never
) -> Callable[[F], F]:
    """`borrowing` for a function that runs on lists while it is interpreted, and all it calls.

    Args:
        written: positions of the arguments whose arrays it writes; these share no memory with
            others.
        where: of the same arguments, whether there is more to compute than to copy.
        in_arrays: does the same with operations on whole arrays; None where it does not.
    """

    def decorated(function: F) -> F:
        return borrowing_in_form(function, _interpreted(function, written, where, in_arrays))

    return decorated


def _interpreted(
    function: Callable[..., Any],
    written: tuple[int, ...],
    where: Callable[..., bool],
    in_arrays: Callable[..., Any],
) -> Callable[..., Any]:
    @wraps(function)
    def with_lists(*args: Any) -> Any:
        if TIER.listed:
            return function(*args)
        if (found := in_arrays(*args)) is not None:
            return found
        if not where(*args) or TIER.listed:  # by another thread meanwhile, which will end it
            return function(*args)
        TIER.listed = True
        try:
            given = [_listed(a) for a in args]
            found = function(*given)
        except (ArithmeticError, ValueError):
            TIER.listed = False
            return function(*args)
        finally:
            TIER.listed = False
        for k in written:
            _write(given[k], args[k])
        return found

    return with_lists


def _listed(value: Any) -> Any:
    """Numbers as they are, arrays as lists; the same of a NamedTuple."""
    if value.__class__ is np.ndarray:
        return value.tolist()
    if isinstance(value, tuple):
        return tuple.__new__(value.__class__, map(_listed, value))
    return value


def _write(source: Any, target: Any) -> None:
    """Copy the numbers of lists into the arrays that they are of."""
    if target.__class__ is np.ndarray:
        if target.size:
            target[...] = source
    elif isinstance(target, tuple):
        for s, t in zip(source, target, strict=True):
            _write(s, t)
