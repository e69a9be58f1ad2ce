"""Files that are written beside and renamed: an interrupted write loses nothing."""

from __future__ import annotations

import os
from errno import ELOOP
from pathlib import Path
from stat import S_IMODE


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


def put_in_place(temporary: Path, path: Path) -> None:
    """Rename a file that was written beside another one, which keeps its permissions."""
    real = real_file(path)
    if real.exists():
        temporary.chmod(S_IMODE(real.stat().st_mode))
    os.replace(temporary, real)
