"""Properties that are computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class remembered(Generic[Value]):  # noqa: N801  (read as a word, as `property` is)
    """`functools.cached_property` without the lock that Python 3.11 takes for each value.

    A repeated solve makes half a dozen of them, and each lock takes as long as ten lines do.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute, self.name = compute, ""
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object | None, owner: type) -> Self | Value:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value
