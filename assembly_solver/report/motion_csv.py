"""A motion as columns of numbers: the CSV file of a sweep, and what its JSON file adds.

mm, degrees and seconds, in the world's axes; NaN, which is what an invalid state has, is an empty
cell.  The columns `t`, `valid` and those of drivers (what was asked of them) and joints are always
there, those of parts and points where they are asked for, and `reason` says of every row that is
not valid why.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from ..foundations.types import Array
from ..results.motion import Motion, Track

SEPARATE = "xyz"
AT = ("", "v", "a")
"""Letters before x, y, z: a position has none, a velocity v, an acceleration a."""


class Column(NamedTuple):
    """A column's name and its values, (n,)."""

    name: str
    values: Array


def asked(motion: Motion) -> dict[str, tuple[str, Array]]:
    """Unit and values that were asked of each driver of one coordinate; a guide has no such."""
    return {name: (track.unit, motion.prescribed[name]) for name, track in motion.driven.items()}


def columns(motion: Motion, parts: bool = False, points: Sequence[str] = ()) -> list[Column]:
    """Everything that a row has, but `valid` and the reason.

    Args:
        motion: n states.
        parts: whether every part's pose, velocities and accelerations are among them.
        points: features `part.feature`, whose positions, velocities and accelerations are added.
    """
    out = [Column("t", motion.t)]
    out += [Column(f"driver:{name}", values) for name, (_, values) in asked(motion).items()]
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
        parts: add place, velocity and acceleration of every part; points: and of these, as
            "coupler.tip".
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
    """The object of the JSON file: the motion's own, and parts and points where asked for."""
    out = motion.to_dict()
    if parts:
        out["parts"] = {part: _fields(motion.part(part)) for part in motion.parts}
    if points:
        out["points"] = {point: _fields(motion.point(point)) for point in points}
    return out


def _fields(track: Any) -> dict[str, Any]:
    """The arrays of a track of a part or a point, by name."""
    return {name: getattr(track, name).tolist() for name in track.__dataclass_fields__}


def _track(name: str, track: Track) -> Iterator[Column]:
    """A coordinate, its rate and the rate of that."""
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
