"""Functions that compiled code calls in one form, and interpreted code in another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from .decorators import ACTIVE, Compiled, inlined

F = TypeVar("F", bound=Callable[..., Any])


class InTwoForms(Compiled):
    """A function that is written into compiled code, and that Python calls in another form."""

    def __init__(self, function: Callable[..., Any], interpreted: Callable[..., Any]) -> None:
        super().__init__(function, False, interpreted)
        inlined(self)

    def __call__(self, *args: Any) -> Any:
        return self.interpreted(*args)


def in_two_forms(interpreted: Callable[..., Any]) -> Callable[[F], F]:
    """`borrowing` for a function that compiled code calls, and interpreted code in another form."""

    def decorated(function: F) -> F:
        return cast(F, InTwoForms(function, interpreted) if ACTIVE else interpreted)

    return decorated
