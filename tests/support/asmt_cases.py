"""Assemblies of OndselSolver that others wrote, with the motions that are stored in their files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import assembly_solver as asm

Array = NDArray[np.float64]

CASES = Path(__file__).parents[3] / "shared" / "cases" / "asmt"

ROWS = ("X", "Y", "Z", "Bryantx", "Bryanty", "Bryantz")
RATES = tuple(f"{word}{axis}" for word in ("V", "Omega", "A", "Alpha") for axis in "XYZ")


def case(name: str) -> Path:
    """The file of a case, or a skip that names it."""
    path = CASES / name
    if not path.is_file():
        pytest.skip(f"../shared/cases/asmt/{name} is not there")
    return path


def read(name: str) -> asm.Assembly:
    """The assembly of a case, of which nothing is left out."""
    found = asm.read(case(name))
    assert not asm.solve(found).left_out
    return found


class Series(NamedTuple):
    """The stored motion of a part at n times, in the file's units of length; rad.

    Attributes:
        position (n, 3); rotation (n, 3, 3), columns are the part's axes; velocity, spin,
            acceleration, spin_rate (n, 3), of the part's origin along the axes of the world.
    """

    position: Array
    rotation: Array
    velocity: Array
    spin: Array
    acceleration: Array
    spin_rate: Array


def stored(name: str) -> tuple[Array, dict[str, Series]]:
    """Times and motion of every part in a file; column 0, the input, is left out."""
    lines = case(name).read_text(encoding="utf-8").split("\n")
    begin = lines.index("TimeSeries")
    times = _row(lines[begin + 2])
    found: dict[str, Series] = {}
    for number, line in enumerate(lines[begin:], begin):
        if line.startswith("PartSeries"):
            part = line.split("/")[-1].strip()
            found[part] = _series(lines[number + 1 : number + 19])
    return times, found


def _row(line: str) -> Array:
    return np.array([float(word) for word in line.split()[2:]])


def _series(lines: list[str]) -> Series:
    assert [line.split()[0] for line in lines] == [*ROWS, *RATES]
    rows = np.array([_row(line) for line in lines])
    rotation = about(0, rows[3]) @ about(1, rows[4]) @ about(2, rows[5])
    four = [rows[k : k + 3].T for k in (6, 9, 12, 15)]
    return Series(rows[:3].T, rotation, *four)


def about(axis: int, angles: Array) -> Array:
    """Rotation matrices about a coordinate axis, shape (n, 3, 3); rad."""
    out = np.zeros((len(angles), 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[:, axis, axis] = 1.0
    out[:, i, i] = out[:, j, j] = np.cos(angles)
    out[:, j, i] = np.sin(angles)
    out[:, i, j] = -np.sin(angles)
    return out
