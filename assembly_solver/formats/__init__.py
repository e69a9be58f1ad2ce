"""File formats: one module each, and the table that finds them by suffix."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ..errors import BadValue, FormatError, MissingFile, UnknownName, UnknownSuffix, naming
from ..model.assembly import Assembly
from .replacing import put_in_place, real_file, written_beside


class Format(NamedTuple):
    """The module of a format, which is loaded when used, and whether it reads and writes."""

    module: str
    reads: bool
    writes: bool
    several: bool = False
    """Whether a file can hold several assemblies: `read` then also takes the name of one."""
    unstated: bool = False
    """Whether a file does not state its unit of length: `read` then also takes it."""


FORMATS: Mapping[str, Format] = {
    ".assembly.json": Format("native.assembly_json", reads=True, writes=True),
    ".FCStd": Format("freecad.fcstd", reads=True, writes=True, several=True),
    ".asmt": Format("asmt.file", reads=True, writes=False, unstated=True),
    ".step": Format("shapes.solids", reads=False, writes=True),
    ".stp": Format("shapes.solids", reads=False, writes=True),
    ".glb": Format("shapes.solids", reads=False, writes=True),
}
"""By suffix.  A module has `read(path) -> Assembly`, `write(assembly, file)`, or both."""

OUTCOME, SENTENCE = "x-outcome", "x-sentence"
"""Keys of an assembly that was written although its mates do not hold."""

LEFT_OUT, SUPPRESSED = "x-left-out", "x-suppressed"
"""Keys of joints that a reader skipped: unsupported ones with the reason, suppressed ones."""

READ_AS = "x-read-as"
"""Key of what a reader had to decide, by what it is about: the unit of length, a half turn, ..."""


def readable() -> list[str]:
    """Suffixes that can be read."""
    return [suffix for suffix, found in FORMATS.items() if found.reads]


def writable() -> list[str]:
    """Suffixes that can be written."""
    return [suffix for suffix, found in FORMATS.items() if found.writes]


def read(
    path: str | Path,
    settle: Callable[[Assembly], Assembly] | None = None,
    settings: Mapping[str, float] = MappingProxyType({}),
    unit: str | None = None,
) -> Assembly:
    """The assembly in a file, by its suffix; "-" reads the native format from stdin.

    Of a file that can hold several assemblies, `NAME.FCStd#ASSEMBLY` reads the one of that name.

    Args:
        settle: solves an included assembly before it becomes one rigid part; without it the parts
            have the poses of the file.
        settings: values for parameters and drivers by name, instead of those of the file.
        unit: of lengths, "m" or "mm", of a file that does not state it.

    Raises:
        UnknownSuffix, MissingFile: no reader, or no file.
        BadValue: a unit that is not known, or of a file that states its own.
        AssemblySolverError: the file is not valid; the message says where.
    """
    text = str(path)
    file, choice = _one_of_several(text)
    suffix = ".assembly.json" if text == "-" else _read_suffix(file)
    if text != "-" and ("\0" in file or not Path(file).is_file()):
        raise MissingFile(file, _siblings(Path(file)))
    if unit is not None and not FORMATS[suffix].unstated:
        known = ", ".join(name for name, found in FORMATS.items() if found.unstated)
        raise BadValue("unit", unit, f"left to the file: only {known} does not state it")
    more: tuple[Any, ...] = choice
    if suffix == ".assembly.json":
        more = (settle, settings)
    elif FORMATS[suffix].unstated:
        more = (unit,)
    with _uncollected():
        found: Assembly = _module(suffix).read(file, *more)
    _set(found, settings)
    return found


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: what a reader makes it keeps, and passes over it take a third of
    the time of a large file."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _set(assembly: Assembly, settings: Mapping[str, float]) -> None:
    """Set the drivers that are named; parameters were set by the reader."""
    drivers, parameters = assembly.drivers, assembly.parameters
    for name, value in settings.items():
        place = f"set {name}={value:.12g}"
        if name in drivers and name in parameters:
            raise FormatError(place, "a parameter and a driver have this name; rename one of them")
        if name not in drivers and name not in parameters:
            what = "driver or parameter" if parameters else "driver"
            raise UnknownName(what, name, (*drivers, *parameters), place)
        if name in drivers:
            assembly.set_driver(name, value, place)


def _one_of_several(text: str) -> tuple[str, tuple[str, ...]]:
    """The file, and the name of an assembly in it after a "#"."""
    for suffix, found in FORMATS.items():
        at = text.lower().rfind(f"{suffix.lower()}#")
        if found.several and at >= 0:
            cut = at + len(suffix)
            return text[:cut], (text[cut + 1 :],)
    return text, ()


def write(assembly: Assembly, *paths: str | Path) -> None:
    """Write one or several files, each by its suffix: all of them or, on an error, none.

    All are written to temporary folders and then renamed: an interrupted write loses nothing.

    Raises:
        UnknownSuffix, OSError: as of `check_targets`.
        AssemblySolverError: the format cannot hold the assembly.
    """
    check_targets(paths)
    with ExitStack() as stack:
        staged = []
        for path in map(Path, paths):
            temporary = stack.enter_context(written_beside(path))
            with naming(path):
                _writer(path)(assembly, temporary, path.parent)
            staged.append((temporary, path))
        for temporary, path in staged:
            put_in_place(temporary, path)


def check_targets(paths: Iterable[str | Path], suffixes: Sequence[str] = ()) -> None:
    """Raise where a file could not be written.

    Args:
        suffixes: that are allowed; without them those of assembly files.

    Raises:
        UnknownSuffix: not allowed; OSError: as of `real_file`.
    """
    for path in map(Path, paths):
        _suffix(str(path), "files are written", suffixes or writable())
        real_file(path)


def _suffix(path: str, verb: str, known: Sequence[str]) -> str:
    suffix = _known_suffix(path, known)
    if suffix is None:
        raise UnknownSuffix(path, verb, known)
    return suffix


def _known_suffix(path: str, known: Sequence[str]) -> str | None:
    return next((suffix for suffix in known if path.lower().endswith(suffix.lower())), None)


def _read_suffix(path: str) -> str:
    """The suffix of a file to read; the error names the assemblies that are there by that name."""
    suffix = _known_suffix(path, readable())
    if suffix is None:
        name = Path(path).name.rstrip(".").lower()  # a shell completes up to a folder or a "."
        near = (p for p in _siblings(Path(path)) if Path(p).name.lower().startswith(f"{name}."))
        there = sorted(near) if name else []
        raise UnknownSuffix(path, "assemblies are read", readable(), there)
    return suffix


def _siblings(path: Path) -> list[str]:
    """Assemblies in the folder of a missing file."""
    if "\0" in str(path) or not path.parent.is_dir():
        return []
    suffixes = tuple(suffix.lower() for suffix in readable())
    return [str(p) for p in path.parent.iterdir() if p.name.lower().endswith(suffixes)]


def _module(suffix: str) -> Any:
    return import_module(f".{FORMATS[suffix].module}", __name__)


def _writer(path: Path) -> Callable[[Assembly, Path, Path], None]:
    suffix = _suffix(str(path), "files are written", writable())
    module = _module(suffix)
    if suffix == ".assembly.json":
        native: Callable[[Assembly, Path, Path], None] = module.write
        return native
    return lambda assembly, file, folder: module.write(_marked(assembly), file)


def _marked(assembly: Assembly) -> Assembly:
    """The assembly named with its outcome: a solid file has no notes for it."""
    if OUTCOME not in assembly.notes:
        return assembly
    marked = assembly.copy()
    marked.name = f"{assembly.name} ({assembly.notes[OUTCOME]})"
    return marked
