"""Arguments of the public calls, held to their annotations in one place before anything is done."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import is_dataclass
from functools import wraps
from inspect import isfunction, signature
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..errors import BadCall, BadValue

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

Fault = tuple[str, object, str]
"""Where in an argument, what stands there, and what must stand there."""


class Rule(NamedTuple):
    """What an argument must be: the fault of a value, None where it has none.

    Attributes:
        by_class: whether values of one class have all the same answer.
    """

    fault: Callable[[Any], Fault | None]
    by_class: bool = False


def checked(function: Callable[P, R], numbers: bool = True) -> Callable[P, R]:
    """The same function, which first holds its arguments to their annotations.

    A wrong one ends in `BadValue`, and one that it does not take in `BadCall`, before the function
    begins, so that nothing is changed then.
    Annotations are read at the first call: most functions are never called.

    Args:
        numbers: whether it holds numbers to them, too; an entry of a model says more of its own.
    """
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    rules: dict[str, Rule] = {}
    passed: set[tuple[type, ...]] = set()  # what passed by its classes does so again, at no cost

    def judge(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        if not rules:
            rules.update(rules_of(function, numbers))
        by_class = not kwargs
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            rule = rules.get(name, _ANYTHING)
            if (fault := rule.fault(value)) is not None:
                raise _refused(function, name, fault)
            by_class = by_class and rule.by_class
        if by_class:
            passed.add(tuple(map(type, args)))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs:
            if not kwargs.get("place"):  # what reads an entry of a file says more, with its place
                judge(args, kwargs)
        elif tuple(map(type, args)) not in passed:
            judge(args, kwargs)
        try:  # as in `refusing_others`: a call more would cost as much as all of this
            return function(*args, **kwargs)
        except TypeError:
            if (refused := _refused_call(function, args, kwargs)) is None:
                raise
        raise refused

    return call


def refusing_others(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, which says in words what it takes where it is called with something else.

    Args:
        function: of a plugin, too; whether its arguments are to blame is only looked into where a
            call failed.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError:
            if (refused := _refused_call(function, args, kwargs)) is None:
                raise
        raise refused

    return call


def with_named_arguments(cls: C) -> C:
    """The same class, which is made with the arguments that it has (see `refusing_others`)."""
    cls.__init__ = refusing_others(cls.__init__)  # type: ignore[misc]
    return cls


def with_checked_calls(cls: C) -> C:
    """The same class, all public methods of which are `checked`, inherited ones as well.

    What makes its objects is, too, unless that is a dataclass, which the package alone makes.
    """
    for name in dir(cls):
        method = next(vars(c)[name] for c in cls.__mro__ if name in vars(c))
        made = name == "__init__" and not is_dataclass(cls)
        if isfunction(method) and (made or not name.startswith("_")):
            setattr(cls, name, checked(method, numbers=False))
    return cls


def rules_of(function: Callable[..., Any], numbers: bool = True) -> dict[str, Rule]:
    """The rules of the arguments of a function, by name."""
    names = _Names(function.__globals__)
    if not numbers:
        names["float"] = Any
    hints = get_type_hints(function, localns=names)
    return {name: _rule(hint) for name, hint in hints.items() if name != "return"}


class _Names(dict[str, Any]):
    """Names of a module; what it imports for type checkers alone is anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _refused(function: Callable[..., Any], name: str, fault: Fault) -> BadValue:
    """The error of an argument of a call."""
    inside, value, wanted = fault
    return BadValue(f"{_word(function)}({name}{inside})", value, wanted)


def _refused_call(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> BadCall | None:
    """The error of a call with arguments that a function does not take, None if it takes them."""
    takes = signature(function)
    try:
        takes.bind(*args, **kwargs)
    except TypeError as error:
        given = takes.parameters.values()
        known = [
            p.name for p in given if p.name not in _OF_THE_READERS and p.kind is not p.VAR_KEYWORD
        ]
        others, wrong = [name for name in kwargs if name not in known], str(error)
        if any(p.kind is p.VAR_KEYWORD for p in given):  # any of the others may be right
            wrong += f", given {', '.join(others)}" if others else ""
            known, others = [*known, "more by name"], []
        return BadCall(_word(function), others, known, wrong)
    return None


_OF_THE_READERS = ("self", "cls", "place")


def _word(function: Callable[..., Any]) -> str:
    """How a call of a function is written, without what it is called on."""
    owner, _, verb = function.__qualname__.rpartition(".")
    return owner if verb == "__init__" else verb


_ANYTHING = Rule(lambda value: None, by_class=True)


def _rule(hint: Any) -> Rule:
    """What an annotation asks of a value."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        if str in inner and any(_is_list(h) for h in inner):
            return _ANYTHING  # names in several forms: who reads them says which
        rules = [_rule(h) for h in inner if h is not type(None)]
        return _one_of(rules, optional=type(None) in inner)
    if hint in _SIMPLE:
        return _passing(*_SIMPLE[hint], by_class=hint is not float)
    if not isinstance(origin, type):
        return _instance(hint)
    if origin is type:
        wanted = f"a class of {inner[0].__name__}"
        return _passing(lambda v: isinstance(v, type) and issubclass(v, inner[0]), wanted, False)
    if issubclass(origin, np.ndarray):
        return _rule(np.ndarray)
    if issubclass(origin, Mapping):
        return _mapping(*map(_rule, inner))
    if issubclass(origin, tuple) and inner[-1] is not ...:
        return _each([_rule(h) for h in inner])
    if issubclass(origin, Iterable):
        return _list(_rule(inner[0]), unordered=not issubclass(origin, Sequence))
    return _passing(callable, "a function")


def _is_list(hint: Any) -> bool:
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Sequence)


def _passing(test: Callable[[Any], bool], wanted: str, by_class: bool = True) -> Rule:
    return Rule(lambda value: None if test(value) else ("", value, wanted), by_class)


def _is_number(value: Any) -> bool:
    """Whether it is a number that a float can hold; its size is for who takes it to judge."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _instance(cls: Any) -> Rule:
    """An object of a class of ours; of others nothing is known."""
    if not isinstance(cls, type) or cls in (object, Any):
        return _ANYTHING
    if getattr(cls, "_is_protocol", False):
        words = (cls.__doc__ or "").partition(".")[0]
        names = {n for c in cls.__mro__ for n in (*vars(c), *vars(c).get("__annotations__", ()))}
        asked = [n for n in names if not n.startswith("_")]
        return _passing(lambda v: all(hasattr(v, n) for n in asked), words[:1].lower() + words[1:])
    article = "an" if cls.__name__[0] in "AEIO" else "a"
    return _passing(lambda v: isinstance(v, cls), f"{article} {cls.__name__}")


def _one_of(rules: list[Rule], optional: bool) -> Rule:
    """What one of several rules allows, and None where the argument may be left out."""

    quickly = sorted(rules, key=lambda each: not each.by_class)  # an array before its entries

    def rule(value: Any) -> Fault | None:
        if value is None and optional:
            return None
        faults = []
        for each in quickly:
            if (fault := each.fault(value)) is None:
                return None
            faults.append(fault)
        inside = max(faults, key=lambda fault: len(fault[0]))
        wanted = list(dict.fromkeys(fault[2] for fault in faults))
        return inside if inside[0] else ("", value, " or ".join(wanted))

    return Rule(rule, all(each.by_class for each in rules))


def _listed(value: Any, unordered: bool = False) -> bool:
    """Whether it has entries, as a list, a tuple, an array or a column of a table has."""
    if isinstance(value, (str, bytes, Mapping)) or (isinstance(value, Set) and not unordered):
        return False
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return False
    return hasattr(type(value), "__iter__") and hasattr(type(value), "__len__")


def _each(rules: list[Rule]) -> Rule:
    """A list of so many entries, each with a rule of its own."""

    def rule(value: Any) -> Fault | None:
        if not _listed(value) or len(value) != len(rules):
            return ("", value, f"a list of {len(rules)}")
        return _first_fault(value, rules)

    return Rule(rule)


def _list(entry: Rule, unordered: bool) -> Rule:
    """A list of any length, with one rule for its entries."""

    def rule(value: Any) -> Fault | None:
        if not _listed(value, unordered):
            return ("", value, "a list")
        return None if entry is _ANYTHING else _first_fault(value, [entry] * len(value))

    return Rule(rule)


def _first_fault(values: Iterable[Any], rules: list[Rule]) -> Fault | None:
    for k, (value, rule) in enumerate(zip(values, rules, strict=True)):
        if (fault := rule.fault(value)) is not None:
            return (f"[{k}]{fault[0]}", *fault[1:])
    return None


def _mapping(key: Rule, entry: Rule) -> Rule:
    """A dictionary, with rules for its keys and its values."""

    def rule(value: Any) -> Fault | None:
        if not isinstance(value, Mapping):
            return ("", value, "a dictionary")
        for name, held in value.items():
            if (fault := key.fault(name)) is not None:
                return ("", name, f"a key that is {fault[2]}")
            if (fault := entry.fault(held)) is not None:
                return (f"[{name!r}]{fault[0]}", *fault[1:])
        return None

    return Rule(rule)


_SIMPLE: dict[Any, tuple[Callable[[Any], bool], str]] = {
    str: (lambda v: isinstance(v, str), "a text"),
    float: (_is_number, "a number"),
    int: (lambda v: isinstance(v, Integral) and not isinstance(v, bool), "a whole number"),
    bool: (lambda v: isinstance(v, (bool, np.bool_)), "True or False"),
    Path: (lambda v: isinstance(v, PathLike), "a path"),
    np.ndarray: (lambda v: isinstance(v, np.ndarray), "an array"),
}
