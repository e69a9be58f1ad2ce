"""A motion as columns of numbers: the CSV file of a sweep, and the additions of its JSON file.

Units are mm, degrees and seconds, in the world; NaN (invalid states) is an empty cell.  The
columns `t`, `valid` and those of drivers (prescribed values) and joints are always there, those of
parts and points on request; `reason` says why a row is not valid.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from ..foundations.types import Array, Bools
from ..results.motion import Motion
from ..results.tracks import JointTrack

TRACK = {
    "": "position",
    "q": "quaternion_wxyz",
    "v": "velocity",
    "w": "spin",
    "a": "acceleration",
    "e": "spin_rate",
}
"""The attributes of the track of a part, by the letter before the axis in a column's name."""


class Column(NamedTuple):
    """A column's name and its values, (n,)."""

    name: str
    values: Array


def prescribed_values(motion: Motion) -> dict[str, tuple[str, Array]]:
    """Unit and prescribed values, (n,), of each driver of one coordinate; guides have none."""
    return {name: (track.unit, motion.prescribed[name]) for name, track in motion.driven.items()}


def columns(motion: Motion, parts: bool = False, points: Sequence[str] = ()) -> list[Column]:
    """All columns but `valid` and `reason`.

    Args:
        motion: n states.
        parts: add pose, velocities and accelerations of every part.
        points: features `part.feature`, whose positions, velocities and accelerations are added.
    """
    out = [Column("t", motion.t)]
    swept = prescribed_values(motion).items()
    out += [Column(f"driver:{name}", values) for name, (_, values) in swept]
    for joint, coordinate in motion.coordinates:
        out += _track(f"joint:{joint}.{coordinate}", motion.joint(joint, coordinate))
    for part in motion.parts if parts else ():
        out += _part(motion, part)
    for point in points:
        track = motion.point(point)
        out += point_columns(point, (track.position, track.velocity, track.acceleration))
    return out


def point_columns(name: str, vectors: Sequence[Array], axes: str = "xyz") -> Iterator[Column]:
    """Position, velocity and acceleration of a point, (n, axes) each."""
    for letter, vector in zip(("", "v", "a"), vectors, strict=True):
        yield from _vector(f"point:{name}.{letter}", vector, axes)


def csv_table(motion: Motion, parts: bool = False, points: Sequence[str] = ()) -> str:
    """A motion as the text of a CSV file; numbers read back bit for bit.

    Args:
        parts, points: as for `columns`.
    """
    return written(columns(motion, parts, points), motion.valid, motion.reasons)


def written(columns: Sequence[Column], valid: Bools, reasons: Sequence[str]) -> str:
    """Columns, the time first, as the text of a CSV file, with `valid` and `reason` of each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [c.name for c in columns]
    writer.writerow([names[0], "valid", *names[1:], "reason"])
    values = np.column_stack([c.values for c in columns]).tolist()
    for row, good, reason in zip(values, valid, reasons, strict=True):
        cells = ("" if isnan(v) else repr(v) for v in row[1:])
        writer.writerow([repr(row[0]), int(good), *cells, reason])
    return text.getvalue()


def dictionary(motion: Motion, parts: bool = False, points: Sequence[str] = ()) -> dict[str, Any]:
    """The object of the JSON file: `Motion.to_dict`, with parts and points on request."""
    out = motion.to_dict()
    if parts:
        out["parts"] = {part: _fields(motion.part(part)) for part in motion.parts}
    if points:
        out["points"] = {point: _fields(motion.point(point)) for point in points}
    return out


def _fields(track: Any) -> dict[str, Any]:
    return {name: getattr(track, name).tolist() for name in track.__dataclass_fields__}


def _track(name: str, track: JointTrack) -> Iterator[Column]:
    yield Column(name, track.value)
    yield Column(f"{name}_rate", track.rate)
    yield Column(f"{name}_acc", track.acc)


def _part(motion: Motion, part: str) -> Iterator[Column]:
    track = motion.part(part)
    for letter, field in TRACK.items():
        axes = "wxyz" if letter == "q" else "xyz"
        yield from _vector(f"part:{part}.{letter}", getattr(track, field), axes)


def _vector(name: str, values: Array, axes: str) -> Iterator[Column]:
    for k, axis in enumerate(axes):
        yield Column(name + axis, values[:, k])
