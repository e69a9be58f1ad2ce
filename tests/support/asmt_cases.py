"""Assemblies of OndselSolver and the motions that are stored in their files.

The assemblies and some of their frames stand among the facts; all frames are in the originals.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from facts import facts, known_assembly, original
from numpy.typing import NDArray

import assembly_solver as asm

Array = NDArray[np.float64]

ROWS = ("X", "Y", "Z", "Bryantx", "Bryanty", "Bryantz")
RATES = tuple(f"{word}{axis}" for word in ("V", "Omega", "A", "Alpha") for axis in "XYZ")


def read(name: str) -> asm.Assembly:
    """The assembly of a case among the facts."""
    return known_assembly(f"ondsel/{name}")


def file_of(name: str) -> Path:
    """The original file of a case."""
    return original("cases", "asmt", name)


def read_original(name: str) -> asm.Assembly:
    """The assembly of an original file, of which nothing is left out."""
    found = asm.read(file_of(f"{name}.asmt"))
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


class Reaction(NamedTuple):
    """What a joint or a motion does to its first marker, in the world's axes: N, N m, (n, 3)."""

    force: Array
    torque: Array


class Stored(NamedTuple):
    """What a file stores of a motion.

    Attributes:
        start, end, frames: the times of the whole motion, s, and the number of its frames.
        picked: numbers of the frames that are told here; times (n,), theirs.
        parts, joints: by name, at those frames.
    """

    start: float
    end: float
    frames: int
    picked: list[int]
    times: Array
    parts: dict[str, Series]
    joints: dict[str, Reaction]


def stored(name: str) -> Stored:
    """The frames of a motion that stand among the facts."""
    told = facts("ondsel/motions.json")["motions"][name]
    parts = {part: _series(np.array(rows).T) for part, rows in told["parts"].items()}
    joints = {joint: _reaction(np.array(rows).T) for joint, rows in told["joints"].items()}
    times = np.array(told["times"])
    return Stored(told["start"], told["end"], told["frames"], told["picked"], times, parts, joints)


def stored_in_original(name: str) -> Stored:
    """All frames of the motion in an original file; column 0, the input, is not one of them."""
    lines = file_of(f"{name}.asmt").read_text(encoding="utf-8").split("\n")
    begin = lines.index("TimeSeries")
    times = _row(lines[begin + 2])
    parts: dict[str, Series] = {}
    joints: dict[str, Reaction] = {}
    for k, line in enumerate(lines[begin:], begin):
        known = line.split("/")[-1].strip()
        if line.startswith("PartSeries"):
            assert [row.split()[0] for row in lines[k + 1 : k + 19]] == [*ROWS, *RATES]
            parts[known] = _series(np.array([_row(row) for row in lines[k + 1 : k + 19]]))
        elif "JointSeries" in line or "MotionSeries" in line:
            joints[known] = _reaction(np.array([_row(row) for row in lines[k + 1 : k + 7]]))
    n = len(times)
    return Stored(times[0], times[-1], n, [*range(n)], times, parts, joints)


def _row(line: str) -> Array:
    return np.array([float(word) for word in line.split()[2:]])


def _reaction(rows: Array) -> Reaction:
    return Reaction(rows[:3].T, rows[3:].T)


def _series(rows: Array) -> Series:
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
