"""Errors of input: each message states what, where, and what is possible instead, on one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from json import dumps
from os.path import isdir, islink
from typing import Self


class AssemblySolverError(Exception):
    """Base of all errors of this package; the command line exits with status 2, 1 on `Unsolved`."""

    def __reduce__(self) -> tuple[object, ...]:
        """Its message is what goes to another process: what it was made of need not."""
        return _raised_elsewhere, (type(self), self.args, self.__dict__)


def _raised_elsewhere(
    cls: type[AssemblySolverError], args: tuple[object, ...], attributes: dict[str, object]
) -> AssemblySolverError:
    """An error of another process, with its message."""
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error


def _told(value: object) -> str:
    """The beginning of a value as Python writes it, on one line."""
    try:
        text = repr(value)
    except ValueError:  # of a number of more digits than Python writes
        text = f"a very large {type(value).__name__}"
    return " ".join(text.split())[:60] if "\n" in text else text[:60]


def shown(name: object, most: int = 60) -> str:
    """A name or place for a message: on one line, without the middle of a very long one."""
    text = " ".join(str(name).split()) if "\n" in str(name) else str(name)
    return text if len(text) <= most else f"{text[: most // 2]}...{text[-most // 2 :]}"


def kind_words(kind: str) -> str:
    """A kind as people read it, "point in plane"; accepted wherever a kind is asked for.

    Args:
        kind: as in files, of a mate or a check.
    """
    return kind.replace("_", " ")


def nearest_names(name: str, known: Iterable[str], most: int = 6) -> str:
    """The known names closest to a misspelt one, or the first few, as one phrase."""
    names = sorted({str(k) for k in known})
    if not names:
        return "there is none"
    return close_names(name, names) or f"known: {first_names(names, most)}"


def close_names(name: str, known: Sequence[str]) -> str:
    """The known names that a misspelt one may have been, as a question; empty if none is close."""
    from difflib import get_close_matches  # of a mistake: few calls make one

    close = get_close_matches(str(name)[:200], known, n=3, cutoff=0.6)
    return "did you mean " + " or ".join(repr(shown(c)) for c in close) + "?" if close else ""


def first_names(names: Sequence[str], most: int = 6) -> str:
    """At most so many names for a message, and how many there are in all."""
    more = f", ... ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(map(shown, names[:most])) + more


@contextmanager
def naming(what: object) -> Iterator[None]:
    """Name what could not be written in an error that does not, as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename or not error.errno:
            raise
        raise OSError(error.errno, error.strerror, str(what)) from None


def _at(place: str) -> str:
    return f"{shown(place, 150)}: " if place else ""


class UnknownName(AssemblySolverError, KeyError):
    """An unknown name of a part, feature, mate, driver, kind, key or sample."""

    def __init__(
        self,
        what: str,
        name: str,
        known: Iterable[str],
        place: str = "",
        of: str = "",
        hint: str = "",
    ) -> None:
        owner = f" of {of}" if of else ""
        told = hint or nearest_names(name, known)
        self.message = f"{_at(place)}no {what} {shown(name)!r}{owner}; {told}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class AmbiguousKind(AssemblySolverError, ValueError):
    """A word that means different kinds of mates in different programs."""

    def __init__(self, word: str, meanings: Iterable[str], place: str = "") -> None:
        told = f"mate kind {shown(word)!r} may mean {' or '.join(meanings)}; give one of them"
        super().__init__(f"{_at(place)}{told}")


class BadCall(AssemblySolverError, TypeError):
    """A call with an argument that it does not take, with too many, or without one it needs."""

    def __init__(self, call: str, others: Sequence[str], known: Sequence[str], why: str) -> None:
        if others:
            close = close_names(others[0], known)
            why = f"no argument {others[0]!r}" + (f", {close[:-1]}" if close else "")
        super().__init__(f"{call}: {why}; it takes {', '.join(known) or 'no argument'}")


class UnknownMode(AssemblySolverError, ValueError):
    """An unknown name of an assembly mode."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        modes = list(known)
        have = f"there are {first_names(modes, 12)}" if len(modes) > 1 else "there is "
        if len(modes) < 2:
            have += f"only {modes[0]}" if modes else "none: no loop can close in two ways"
        super().__init__(f"no mode {name!r}; {have}")


class DuplicateName(AssemblySolverError, ValueError):
    """Two objects of one kind with the same name."""

    def __init__(self, what: str, name: str, place: str = "") -> None:
        told = f"there is already a {what} {shown(name)!r}; names are given once"
        super().__init__(f"{_at(place)}{told}")


class BadValue(AssemblySolverError, ValueError):
    """An invalid value: not finite, a zero direction, of the wrong shape."""

    def __init__(self, place: str, value: object, wanted: str) -> None:
        self.value = value
        super().__init__(f"{_at(place)}{_told(value)} is not possible here, it must be {wanted}")

    def __reduce__(self) -> tuple[object, ...]:
        attributes = {**self.__dict__, "value": _told(self.value)}
        return _raised_elsewhere, (type(self), self.args, attributes)

    def in_json(self) -> Self:
        """The error with the value as a file has it, as null or true; a text as names are shown."""
        if not isinstance(self.value, str):
            old, new = _told(self.value), dumps(self.value, default=str, ensure_ascii=False)
            told = " is not possible here"
            self.args = (str(self).replace(old + told, new[:60] + told, 1),)
        return self


class NotARotation(AssemblySolverError, ValueError):
    """A matrix that is too far from a rotation: by how much it changes lengths."""

    def __init__(self, place: str, stretch: float, most: float, mirrored: bool) -> None:
        by = f"it changes a length by {100.0 * stretch:.4g} % (at most {100.0 * most:g} %)"
        super().__init__(f"{_at(place)}no rotation: {'it mirrors' if mirrored else by}")


class BadExpression(AssemblySolverError, ValueError):
    """A formula that cannot be parsed; `column` counts its characters from 1."""

    def __init__(self, place: str, text: str, column: int, problem: str) -> None:
        told = f"{shown(repr(text), 80)}, column {column}: {shown(problem, 300)}"
        super().__init__(_at(place) + told)


class NotFinite(AssemblySolverError, ArithmeticError):
    """A formula or a law without a finite value where it is needed."""

    def __init__(self, place: str, text: str, what: str, where: str = "") -> None:
        super().__init__(f"{_at(place)}{shown(repr(text), 80)} has no finite {what}{where}")


class FeatureTypeError(AssemblySolverError, TypeError):
    """A mate on features of types that it does not accept; `instead`: what mates do."""

    def __init__(
        self,
        kind: str,
        place: str,
        feature: str,
        given: str,
        wanted: Iterable[str],
        instead: str = "",
    ) -> None:
        options = " or ".join(wanted)
        told = f"{kind_words(kind)}: {shown(feature)} is of type {given}, it must be {options}"
        super().__init__(f"{_at(place)}{told}{instead}")


class NotEdited(AssemblySolverError, TypeError):
    """A feature of a part that is changed in place, where mates refer to it."""

    def __init__(self) -> None:
        super().__init__(
            "features of a part are not changed in place: `Assembly.add_features` adds some, and "
            "`Assembly.set_feature` replaces one"
        )


class SelfMate(AssemblySolverError, ValueError):
    """A mate of a part with itself."""

    def __init__(self, name: str, part: str, place: str = "", what: str = "mate") -> None:
        told = f"{what} {shown(name)!r} joins part {shown(part)!r} with itself"
        super().__init__(f"{_at(place)}{told}; it must join two parts")


class Contradiction(AssemblySolverError, ValueError):
    """Two options of one entry that exclude each other."""

    def __init__(self, place: str, first: str, second: str) -> None:
        super().__init__(f"{_at(place)}{first} and {second} exclude each other; give one of them")


class FormatError(AssemblySolverError, ValueError):
    """A file whose content does not have the format of its suffix."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{_at(place)}{shown(problem, 400)}")


class NotUnderstood(AssemblySolverError, ValueError):
    """A joint of another program that cannot be converted to a mate; does not name the joint."""


class MissingExtra(AssemblySolverError, ImportError):
    """An optional program that is not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs an optional program: pip install 'assembly-solver[{extra}]'"
        )


class NoGeometry(AssemblySolverError, ValueError):
    """A geometry file is requested, and no part has geometry."""

    def __init__(self, assembly: str, target: str) -> None:
        super().__init__(
            f"{target}: no part of {assembly!r} has geometry; "
            'give parts a "geometry" file or write .assembly.json'
        )


class NoShape(AssemblySolverError, ValueError):
    """The shape of a part without geometry is requested."""

    def __init__(self, part: str, place: str) -> None:
        told = f'part {shown(part)!r} has no shape; give it a "geometry" file'
        super().__init__(f"{_at(place)}{told}")


class Unsolved(AssemblySolverError, RuntimeError):
    """`Solution.require` or `Solution.poses` after a failed solve; states the diagnosis.

    Attributes:
        outcome: that of the solution, "conflicting" or "not_converged".
    """

    def __init__(self, diagnosis: str, outcome: str) -> None:
        super().__init__(diagnosis)
        self.outcome = outcome


class MissingKey(AssemblySolverError, ValueError):
    """An entry without a required key."""

    def __init__(self, place: str, what: str, key: str) -> None:
        super().__init__(f"{_at(place)}{what} needs {key!r}")


class MissingFile(AssemblySolverError, FileNotFoundError):
    """A file to read that does not exist."""

    def __init__(self, path: str, known: Iterable[str]) -> None:
        near = f"; {nearest_names(path, there)}" if (there := [*known]) else ""
        what = "this link leads to no file" if islink(path) else f"there is no such file{near}"
        what = "this is a folder, not a file" if isdir(path) else what
        super().__init__(f"{path}: {what}")


class UnknownSuffix(AssemblySolverError, ValueError):
    """A file whose suffix is not that of a format that can be read, or written."""

    def __init__(
        self, path: str, verb: str, known: Iterable[str], there: Sequence[str] = ()
    ) -> None:
        name = "an empty file name" if path.strip() in ("", ".") else path  # a Path of "" is "."
        near = f"; there is {', '.join(there)}" if there else ""
        super().__init__(f"{name}: {verb} by suffix, one of {', '.join(known)}{near}")


class AlreadyThere(AssemblySolverError, FileExistsError):
    """A file that exists, and may not be overwritten."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is already there; --force overwrites it")


class DoesNotStand(AssemblySolverError, ValueError):
    """A rigid sub-assembly whose own mates do not hold at its poses."""

    def __init__(self, place: str, of: str, mate: str, off: float) -> None:
        super().__init__(
            f"{_at(place)}{of} cannot be rigid: at its poses its mate {mate!r} is off by "
            f'{off:.3g} mm; solve it by itself first, or include it with "rigid": false'
        )


class NotDriven(AssemblySolverError, ValueError):
    """A linkage whose inputs do not determine the positions of all its joints."""

    def __init__(self, joints: Iterable[str], inputs: Iterable[str]) -> None:
        free, told = first_names([*joints]), first_names([*inputs]) or "none"
        super().__init__(f"inputs: {told}; they leave movable {free}: drive another joint")


class Overdriven(AssemblySolverError, ValueError):
    """An input whose coordinate the other inputs and the links determine already."""

    def __init__(self, name: str, inputs: Iterable[str]) -> None:
        self.name = name
        others = [shown(n) for n in inputs if n != name]
        told, verb = ", ".join(others) or "the links", "determine" + "s" * (len(others) == 1)
        super().__init__(f"input {shown(name)!r}: {told} {verb} it already; leave one out")


class SlotOutOfReach(AssemblySolverError, ValueError):
    """A slot whose slider starts outside the limits of the slot."""

    def __init__(
        self, slot: str, slides: str, end: str, way: float, least: float, most: float
    ) -> None:
        super().__init__(
            f"slot {shown(slot)!r}: {shown(slides)} starts {way:.6g} mm from {shown(end)}, beyond "
            f"its limits, {least:.6g} to {most:.6g} mm: it must start within them"
        )


class FreeInNoJoint(AssemblySolverError, ValueError):
    """Undriven parts with a freedom that is no joint coordinate, and so cannot be locked."""

    def __init__(self, parts: Iterable[str]) -> None:
        self.parts = sorted(parts)
        names = ", ".join(map(shown, self.parts))
        super().__init__(
            f"free, and in no joint that could be held: {names}; give them a mate or a driver"
        )


class NothingToUndo(AssemblySolverError, IndexError):
    """`Session.undo` without an edit to undo."""

    def __init__(self) -> None:
        super().__init__("there is no edit to undo; drags are not edits")


class NoLinkage(AssemblySolverError, ValueError):
    """A mate or part that points, links and slots of a planar linkage cannot represent."""

    def __init__(self, place: str, problem: str, instead: str = "`sweep` can move it") -> None:
        super().__init__(f"{_at(place)}{problem}; {instead}")
