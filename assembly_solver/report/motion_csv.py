"""A motion as columns of numbers: the CSV file of a sweep, and the additions of its JSON file.

Units are mm, degrees and seconds, in the world; NaN (invalid states) is an empty cell.  The
columns `t`, `valid` and those of drivers (prescribed values) and joints are always there, those of
parts and points on request; `reason` says why a row is not valid.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from ..foundations.types import Array
from ..results.motion import JointTrack, Motion

SEPARATE = "xyz"
AT = ("", "v", "a")
"""Letters before x, y, z: none for a position, v for a velocity, a for an acceleration."""


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
    out += [
        Column(f"driver:{name}", values) for name, (_, values) in prescribed_values(motion).items()
    ]
    for joint, coordinate in motion.coordinates:
        out += _track(f"joint:{joint}.{coordinate}", motion.joint(joint, coordinate))
    for part in motion.parts if parts else ():
        out += _part(motion, part)
    for point in points:
        track = motion.point(point)
        vectors = (track.position, track.velocity, track.acceleration)
        for letter, vector in zip(AT, vectors, strict=True):
            out += _vector(f"point:{point}.{letter}", vector)
    return out


def csv_table(motion: Motion, parts: bool = False, points: Sequence[str] = ()) -> str:
    """A motion as the text of a CSV file; numbers read back bit for bit.

    Args:
        parts, points: as for `columns`.
    """
    found = columns(motion, parts, points)
    first, rest = found[0], found[1:]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([first.name, "valid", *(c.name for c in rest), "reason"])
    values = np.column_stack([c.values for c in found]).tolist()
    for row, valid, reason in zip(values, motion.valid, motion.reasons, strict=True):
        cells = ("" if isnan(v) else repr(v) for v in row[1:])
        writer.writerow([repr(row[0]), int(valid), *cells, reason])
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
    """The arrays of a track of a part or a point, by name."""
    return {name: getattr(track, name).tolist() for name in track.__dataclass_fields__}


def _track(name: str, track: JointTrack) -> Iterator[Column]:
    """A coordinate and its first two derivatives with respect to time."""
    yield Column(name, track.value)
    yield Column(f"{name}_rate", track.rate)
    yield Column(f"{name}_acc", track.acc)


def _part(motion: Motion, part: str) -> Iterator[Column]:
    """Pose, velocity, spin, acceleration and rate of the spin of a part."""
    track = motion.part(part)
    name = f"part:{part}."
    yield from _vector(name, track.position)
    yield from _vector(name + "q", track.quaternion_wxyz, "wxyz")
    yield from _vector(name + "v", track.velocity)
    yield from _vector(name + "w", track.spin)
    yield from _vector(name + "a", track.acceleration)
    yield from _vector(name + "e", track.spin_rate)


def _vector(name: str, values: Array, letters: Iterable[str] = SEPARATE) -> Iterator[Column]:
    for k, letter in enumerate(letters):
        yield Column(name + letter, values[:, k])
