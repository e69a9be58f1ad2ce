"""The public calls `read` and `write`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .. import formats
from ..model.assembly import Assembly
from .solving import solve


def read(
    path: str | Path, *, set: Mapping[str, float] | None = None, unit: str | None = None
) -> Assembly:
    """Read an assembly file; the suffix selects the format.

    A rigid sub-assembly whose mates do not hold at the poses of its file is solved first.

    Args:
        path: NAME.assembly.json, NAME.FCStd or NAME.asmt.
        set: values for parameters and drivers by name, instead of those of the file: mm, degrees.
        unit: of lengths in a .asmt file, "m" or "mm", instead of the likelier one.
    """
    return formats.read(path, _settled, set or {}, unit)


def _settled(assembly: Assembly) -> Assembly:
    """A copy at poses where its mates and drivers hold; unchanged poses where there are none."""
    solution = solve(assembly)
    settled = assembly.copy()
    if solution:
        settled.move(solution.poses)
    return settled


def write(assembly: Assembly, path: str | Path) -> None:
    """Write an assembly, or its placed geometry, by the suffix of the path.

    Args:
        path: NAME.assembly.json, NAME.step or NAME.glb; or NAME.FCStd, of what was read from one.

    Raises:
        FormatError, BadValue: it cannot be written there; then nothing is.
    """
    formats.write(assembly, path)
