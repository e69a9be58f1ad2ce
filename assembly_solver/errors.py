"""The caller's mistakes: what, where, and what else was possible.  One line each."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class AssemblySolverError(Exception):
    """Base of every error of this package; the command line exits with status 2 on one."""


def shown(name: object, most: int = 60) -> str:
    """A name or place for a message: on one line, without the middle of a very long one."""
    text = " ".join(str(name).split()) if "\n" in str(name) else str(name)
    return text if len(text) <= most else f"{text[: most // 2]}...{text[-most // 2 :]}"


def nearest_names(name: str, known: Iterable[str], most: int = 6) -> str:
    """The known names closest to a misspelt one, or the first few, as one phrase."""
    names = sorted({str(k) for k in known})
    if not names:
        return "there is none"
    close = get_close_matches(str(name)[:200], names, n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(repr(shown(c)) for c in close) + "?"
    some = ", ".join(map(shown, names[:most]))
    return f"known: {some}" + (f", ... ({len(names)} in all)" if len(names) > most else "")


def _at(place: str) -> str:
    return f"{shown(place, 150)}: " if place else ""


class UnknownName(AssemblySolverError, KeyError):
    """A name that nothing bears: a part, feature, mate, driver, kind, key or sample."""

    def __init__(
        self, what: str, name: str, known: Iterable[str], place: str = "", of: str = ""
    ) -> None:
        owner = f" of {of}" if of else ""
        self.message = f"{_at(place)}no {what} {shown(name)!r}{owner}; {nearest_names(name, known)}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class UnknownMode(AssemblySolverError, ValueError):
    """A name that no assembly mode of an assembly could have."""

    def __init__(self, name: str, known: Iterable[str], most: int = 12) -> None:
        modes = list(known)
        more = f", ... ({len(modes)} in all)" if len(modes) > most else ""
        have = f"there are {', '.join(modes[:most])}{more}" if len(modes) > 1 else "there is "
        if len(modes) < 2:
            have += f"only {modes[0]}" if modes else "none: no loop can close in two ways"
        super().__init__(f"no mode {name!r}; {have}")


class DuplicateName(AssemblySolverError, ValueError):
    """Two things of one kind with the same name."""

    def __init__(self, what: str, name: str, place: str = "") -> None:
        told = f"there is already a {what} {shown(name)!r}; names are given once"
        super().__init__(f"{_at(place)}{told}")


class BadValue(AssemblySolverError, ValueError):
    """A value that cannot be meant: not finite, a zero direction, of the wrong shape."""

    def __init__(self, place: str, value: object, wanted: str) -> None:
        text = repr(value)
        super().__init__(f"{_at(place)}{text[:60]} is not possible here, it must be {wanted}")


class BadExpression(AssemblySolverError, ValueError):
    """A formula that cannot be read; `column` counts its characters from 1."""

    def __init__(self, place: str, text: str, column: int, problem: str) -> None:
        super().__init__(f"{_at(place)}{shown(repr(text), 80)}, column {column}: {problem}")


class NotFinite(AssemblySolverError, ArithmeticError):
    """A formula or a law without a finite value where it is needed."""

    def __init__(self, place: str, text: str, what: str, where: str = "") -> None:
        super().__init__(f"{_at(place)}{shown(repr(text), 80)} has no finite {what}{where}")


class FeatureTypeError(AssemblySolverError, TypeError):
    """A mate on features that it has no meaning for."""

    def __init__(
        self, kind: str, place: str, feature: str, given: str, wanted: Iterable[str]
    ) -> None:
        options = " or ".join(wanted)
        told = f"{kind}: {shown(feature)} is of type {given}, it must be {options}"
        super().__init__(f"{_at(place)}{told}")


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
    """A file that is not what its name says."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{_at(place)}{problem}")


class NotUnderstood(AssemblySolverError, ValueError):
    """A joint of another program that cannot be made a mate; why, without the joint's name."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)


class MissingExtra(AssemblySolverError, ImportError):
    """An optional program that is not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs an optional program: pip install 'assembly-solver[{extra}]'"
        )


class NoGeometry(AssemblySolverError, ValueError):
    """A geometry file was asked for, and no part has geometry."""

    def __init__(self, assembly: str, target: str) -> None:
        super().__init__(
            f"{target}: no part of {assembly!r} has geometry; "
            'give parts a "geometry" file or write .assembly.json'
        )


class NoShape(AssemblySolverError, ValueError):
    """A part whose shape is asked for, and which has no geometry."""

    def __init__(self, part: str, place: str) -> None:
        told = f'part {shown(part)!r} has no shape; give it a "geometry" file'
        super().__init__(f"{_at(place)}{told}")


class Unsolved(AssemblySolverError, RuntimeError):
    """`Solution.require` or `Solution.poses` on a solution that is none; carries the diagnosis."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)


class MissingKey(AssemblySolverError, ValueError):
    """An entry without something that it needs."""

    def __init__(self, place: str, what: str, key: str) -> None:
        super().__init__(f"{_at(place)}{what} needs {key!r}")


class MissingFile(AssemblySolverError, FileNotFoundError):
    """A file to read that is not there."""

    def __init__(self, path: str, known: Iterable[str]) -> None:
        there = [*known]
        near = f"; {nearest_names(path, there)}" if there else ""
        super().__init__(f"{path}: there is no such file{near}")


class UnknownSuffix(AssemblySolverError, ValueError):
    """A file whose name does not tell a format that can be read, or written."""

    def __init__(self, path: str, verb: str, known: Iterable[str]) -> None:
        super().__init__(f"{path}: {verb} by suffix, one of {', '.join(known)}")


class AlreadyThere(AssemblySolverError, FileExistsError):
    """A file that would be overwritten without having been told so."""

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
    """A linkage whose inputs do not tell where all its joints are."""

    def __init__(self, joints: Iterable[str], inputs: Iterable[str], most: int = 6) -> None:
        free, told = list(map(shown, joints)), ", ".join(map(shown, inputs)) or "none"
        more = f", ... ({len(free)} in all)" if len(free) > most else ""
        super().__init__(
            f"inputs: {told}; they leave movable {', '.join(free[:most])}{more}: "
            "drive another joint"
        )


class Overdriven(AssemblySolverError, ValueError):
    """An input that drives what others and the links of a linkage determine already."""

    def __init__(self, name: str, inputs: Iterable[str]) -> None:
        others = [shown(n) for n in inputs if n != name]
        told, verb = ", ".join(others) or "the links", "determine" + "s" * (len(others) == 1)
        super().__init__(f"input {shown(name)!r}: {told} {verb} it already; leave one out")


class SlotOutOfReach(AssemblySolverError, ValueError):
    """A slot that cannot be re-interpreted, for what slides in it starts beyond its limits."""

    def __init__(
        self, slot: str, slides: str, end: str, way: float, least: float, most: float
    ) -> None:
        super().__init__(
            f"slot {shown(slot)!r}: {shown(slides)} starts {way:.6g} mm from {shown(end)}, beyond "
            f"its limits, {least:.6g} to {most:.6g} mm: it must start within them"
        )


class FreeInNoJoint(AssemblySolverError, ValueError):
    """Parts that nothing drives, free in a way that no joint coordinate holds."""

    def __init__(self, parts: Iterable[str]) -> None:
        self.parts = sorted(parts)
        names = ", ".join(map(shown, self.parts))
        super().__init__(
            f"free, and in no joint that could be held: {names}; give them a mate or a driver"
        )


class NothingToUndo(AssemblySolverError, IndexError):
    """`Session.undo` where no edit is left to take back."""

    def __init__(self) -> None:
        super().__init__("there is no edit to undo; drags are not edits")


class NoLinkage(AssemblySolverError, ValueError):
    """What cannot be told in the points, links and slots of a planar linkage."""

    def __init__(self, place: str, problem: str, instead: str = "`sweep` can move it") -> None:
        super().__init__(f"{_at(place)}{problem}; {instead}")
