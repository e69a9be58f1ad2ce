"""Files that are written beside and renamed: an interrupted write loses nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ELOOP
from pathlib import Path
from stat import S_IMODE

from ..errors import naming


def real_file(path: Path) -> Path:
    """The file that a path leads to: a symbolic link stays, and what it names is replaced.

    Raises:
        OSError: there is something that is not a file, as a device or a folder; the folder is
            missing; the path has a NUL; or a link leads to itself.
    """
    if "\0" in str(path):
        raise FileNotFoundError(0, "a path has no NUL in it", str(path))
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        raise OSError(ELOOP, os.strerror(ELOOP), str(path))
    if real.is_dir():
        raise IsADirectoryError(0, "this is a folder, not a file", str(path))
    if not real.parent.is_dir():
        folder = real.parent if path.is_symlink() else path.parent
        raise FileNotFoundError(0, "there is no such folder", str(folder))
    if real.exists() and not real.is_file():
        raise OSError(0, "this is a device, not a file", str(path))
    return real


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A temporary file of the same name beside a file, for `put_in_place`; removed in the end.

    Raises OSError: as of `real_file`.
    """
    import tempfile  # its random numbers load a library: only where something is written

    parent = real_file(path).parent
    try:  # A short prefix: names and, on Windows, paths have a longest length.
        folder = tempfile.TemporaryDirectory(prefix=".new-", dir=parent)
    except OSError as problem:  # names what nobody asked for
        raise type(problem)(problem.errno, problem.strerror, str(path)) from None
    with folder as name:
        yield Path(name) / path.name


def put_in_place(temporary: Path, path: Path) -> None:
    """Rename a file that was written beside another one, which keeps its permissions.

    Raises PermissionError: on Windows a file that a program has open cannot be replaced.
    """
    real = real_file(path)
    if real.exists():
        temporary.chmod(S_IMODE(real.stat().st_mode))
    try:
        os.replace(temporary, real)
    except PermissionError as problem:
        reason = "this file cannot be replaced: another program has it open, or it is protected"
        raise PermissionError(problem.errno, reason, str(path)) from None


def write_file(path: Path, content: bytes) -> None:
    """Write to a temporary file and rename it: a failed write keeps the old file.

    Raises OSError: as of `real_file` and `put_in_place`; the file is named.
    """
    with written_beside(path) as temporary:
        with naming(path):
            temporary.write_bytes(content)
        put_in_place(temporary, path)
