"""Commands of click out of functions, whose annotations say what they take.

`Annotated[float | None, option("--budget", ...)]`: an option of a list is given several times, one
of a tuple takes several words; a named tuple of such options stands for all of them.  typer, which
reads annotations too, imports pydantic: a fifth of the time of a short command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import click


class Says(NamedTuple):
    """What the annotation of a parameter says.

    Attributes:
        names: of an option, as "-o", "--out"; none for an argument, which is given by its place.
        metavar: its value in the help; within: least and largest number.
    """

    names: tuple[str, ...]
    metavar: str | None
    help: str
    within: tuple[int, int] | None = None


def option(
    *names: str, help: str, metavar: str | None = None, within: tuple[int, int] | None = None
) -> Says:
    """What an annotation says of an option."""
    return Says(names, metavar, help, within)


def argument(metavar: str, help: str) -> Says:
    """What an annotation says of a word that is given by its place."""
    return Says((), metavar, help)


def command(name: str, function: Callable[..., int]) -> click.Command:
    """The command of a function, which is told of in its docstring."""
    parameters: list[click.Parameter] = []
    bundles: dict[str, Any] = {}
    hints = get_type_hints(function, include_extras=True)
    for key, known in inspect.signature(function).parameters.items():
        if isinstance(hints[key], type):
            bundle = bundles[key] = hints[key]
            own, defaults = get_type_hints(bundle, include_extras=True), bundle._field_defaults
            parameters += [_parameter(k, defaults[k], *get_args(own[k])) for k in bundle._fields]
        else:
            parameters.append(_parameter(key, known.default, *get_args(hints[key])))

    def called(**values: Any) -> int:
        for key, bundle in bundles.items():
            values[key] = bundle(**{k: values.pop(k) for k in bundle._fields})
        return function(**values)

    return click.Command(name, params=parameters, callback=called, help=inspect.getdoc(function))


def _parameter(key: str, default: Any, kind: Any, says: Says) -> click.Parameter:
    if NoneType in get_args(kind):
        kind = get_args(kind)[0]
    several = get_origin(kind) is list
    of_words: Any = get_args(kind)[0] if several else get_args(kind) or kind
    more: dict[str, Any] = {"metavar": says.metavar, "help": says.help}
    if default is not inspect.Parameter.empty:
        more["default"] = default
    if not says.names:
        return click.Argument([key], type=of_words, required="default" not in more, **more)
    return click.Option(
        [*says.names, key],
        type=click.IntRange(*says.within) if says.within else of_words,
        is_flag=of_words is bool,
        multiple=several,
        show_default=default is not None and of_words is not bool,
        callback=(lambda _context, _option, given: list(given) or None) if several else None,
        **more,
    )
