"""Words of a command line to the arguments of a command, and its help.

The annotations of a command say what it takes: `Annotated[float | None, Option("--budget", ...)]`.
An option of a list is given several times, one of a tuple takes several words.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import fill
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from ..errors import AssemblySolverError, nearest_names

WIDTH = 78
"""Columns of the help."""

COLUMN = 26
"""Most columns of the names of options in the help."""

WORDS: dict[type, str] = {int: "an integer", float: "a number"}
"""What a value has to be, by its type."""

HELP = "--help"


class UsageError(AssemblySolverError, ValueError):
    """A command line that is no call of the program."""

    def __init__(self, problem: str, program: str) -> None:
        super().__init__(f"{problem} (see {program} {HELP})")


class Says(NamedTuple):
    """What the annotation of a parameter says.

    Attributes:
        names: of an option, as "-o", "--out"; none for an argument, which is given by its place.
        metavar: its value in the help; within: least and largest number.
    """

    names: tuple[str, ...]
    metavar: str
    help: str
    within: tuple[float, float] | None = None


def option(
    *names: str, metavar: str = "", help: str, within: tuple[float, float] | None = None
) -> Says:
    """What an annotation says of an option."""
    return Says(names, metavar, help, within)


def argument(metavar: str, help: str) -> Says:
    """What an annotation says of a word that is given by its place."""
    return Says((), metavar, help)


class Parameter(NamedTuple):
    """A parameter of a command.

    Attributes:
        types: of its words, one after the other; none for a switch.
        repeats: whether it is given several times.
    """

    key: str
    says: Says
    types: tuple[type, ...]
    repeats: bool
    default: Any

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def shown(self) -> str:
        """Its names and its value, for the help."""
        words = [WORDS.get(kind, "a text").split()[-1].upper() for kind in self.types]
        return f"{', '.join(self.says.names)} {self.says.metavar or ' '.join(words)}".strip()


def _parameters(command: Callable[..., Any]) -> list[Parameter]:
    hints = get_type_hints(command, include_extras=True)
    out = []
    for key, known in inspect.signature(command).parameters.items():
        kind, says = get_args(hints[key])
        if NoneType in get_args(kind):
            kind = get_args(kind)[0]
        inner = get_args(kind) or ((kind,) if kind is not bool else ())
        out.append(Parameter(key, says, inner, get_origin(kind) is list, known.default))
    return out


class Program(NamedTuple):
    """A program of several commands, in the order of its help.

    Attributes:
        name, version: of the program; about: what it does; statuses: what its exit status says.
    """

    name: str
    version: str
    about: str
    statuses: str
    commands: Mapping[str, Callable[..., int]]

    def call(self, words: Sequence[str]) -> tuple[str, Callable[[], int] | None]:
        """What to print, and the command with its arguments, if one is to be run.

        Raises:
            UsageError: the words are no call of the program.
        """
        if not words:
            raise UsageError("Missing command.", self.name)
        if words[0] == "--version":
            return f"{self.name} {self.version}", None
        if words[0] == HELP:
            return self._help(), None
        if words[0].startswith("-"):
            raise UsageError(f"No such option: {words[0]}; before a command --version", self.name)
        command = self.commands.get(words[0])
        if command is None:
            near = nearest_names(words[0], self.commands, len(self.commands))
            raise UsageError(f"No such command '{words[0]}'; {near}", self.name)
        known = _parameters(command)
        if HELP in words[1 : words.index("--") if "--" in words else None]:
            return self._help_of(words[0], command, known), None
        given = self._given(known, words[1:])
        return "", lambda: command(**given)

    def _given(self, known: list[Parameter], words: Sequence[str]) -> dict[str, Any]:
        """Values by parameter."""
        out = {p.key: None if p.required else p.default for p in known}
        places = iter([p for p in known if not p.says.names])
        options = {name: p for p in known for name in p.says.names}
        rest = iter(words)
        only_places = False
        for word in rest:
            if only_places or not word.startswith("-") or word == "-":
                place = next(places, None)
                if place is None:
                    raise UsageError(f"Got unexpected extra argument ({word})", self.name)
                out[place.key] = self._value(place, place.says.metavar, [word])
            elif word == "--":
                only_places = True
            else:
                self._take(options, word, rest, out)
        for missing in places:
            if missing.required:
                raise UsageError(f"Missing argument '{missing.says.metavar}'.", self.name)
        return out

    def _take(
        self, options: dict[str, Parameter], word: str, rest: Iterator[str], out: dict[str, Any]
    ) -> None:
        """Take an option and its words; the first may follow it, after = where its name is long."""
        name, equals, value = word.partition("=")
        if not word.startswith("--"):
            name, equals, value = word[:2], word[2:], word[2:]
        found = options.get(name)
        if found is None:
            near = nearest_names(name, options, len(options))
            raise UsageError(f"No such option: {name}; {near}", self.name)
        if not found.types:
            if equals:
                raise UsageError(f"Option '{name}' does not take a value.", self.name)
            out[found.key] = True
            return
        values = [value] if equals else []
        while len(values) < len(found.types):
            more = next(rest, None)
            if more is None:
                count = "an argument" if len(found.types) == 1 else f"{len(found.types)} arguments"
                raise UsageError(f"Option '{name}' requires {count}.", self.name)
            values.append(more)
        read = self._value(found, name, values)
        out[found.key] = [*(out[found.key] or []), read] if found.repeats else read

    def _value(self, parameter: Parameter, name: str, words: list[str]) -> Any:
        """The value of words, a tuple of several."""
        values = []
        for kind, word in zip(parameter.types, words, strict=True):
            try:
                value = kind(word)
            except ValueError:
                wanted = WORDS[kind]
                raise UsageError(f"'{name}' must be {wanted}, not '{word}'.", self.name) from None
            within = parameter.says.within
            if within and not within[0] <= value <= within[1]:
                raise UsageError(f"'{name}' must be {within[0]} to {within[1]}.", self.name)
            values.append(value)
        return values[0] if len(values) == 1 else tuple(values)

    def _help(self) -> str:
        rows = [(name, inspect.getdoc(c) or "") for name, c in self.commands.items()]
        return "\n".join(
            [
                f"Usage: {self.name} [OPTIONS] COMMAND [ARGS]...\n",
                *(fill(self.about, WIDTH, initial_indent="  ", subsequent_indent="  "), ""),
                *_table("Options", [("--version", "Show it and exit."), _HELP_ROW]),
                *_table("Commands", [(name, words.partition("\n")[0]) for name, words in rows]),
                fill(self.statuses, WIDTH, initial_indent="  ", subsequent_indent="  "),
            ]
        )

    def _help_of(self, name: str, command: Callable[..., Any], known: list[Parameter]) -> str:
        told = (inspect.getdoc(command) or "").split("\n\n")
        about = [f"  {' '.join(words.split())}\n" for words in told]
        places = [p for p in known if not p.says.names]
        usage = " ".join(p.says.metavar if p.required else f"[{p.says.metavar}]" for p in places)
        rows = [(p.shown, p.says.help + _default(p)) for p in known if p.says.names]
        return "\n".join(
            [
                f"Usage: {self.name} {name} [OPTIONS] {usage}".rstrip() + "\n",
                *about,
                *_table("Arguments", [(p.says.metavar, p.says.help) for p in places]),
                *_table("Options", [*rows, _HELP_ROW])[:-1],
            ]
        )


_HELP_ROW = (HELP, "Show this message and exit.")


def _default(p: Parameter) -> str:
    return f" [default: {p.default}]" if p.types and p.default is not None else ""


def _table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    """A title and its rows, each a name and what is said of it; empty without rows."""
    wide = min(COLUMN, max((len(name) for name, _ in rows), default=0))
    out = []
    for name, words in rows:
        first = f"  {name:<{wide}}  "
        out.append(fill(words, WIDTH, initial_indent=first, subsequent_indent=" " * (wide + 4)))
    return [f"{title}:", *out, ""] if rows else []
