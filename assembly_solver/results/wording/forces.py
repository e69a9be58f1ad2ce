"""Forces in words: amounts, indeterminate loads, unbalanced motions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.geometry.screw import ScrewAxis, screw_of
from ...foundations.numerics.rounding import DIGITS
from ...foundations.types import Array
from .free_motions import MateAxis, axis_name
from .phrases import listed, numbers


def amount(value: float, unit: str) -> str:
    """A force in N or a torque in N mm (`unit`) as "84 kN" or "12.5 N m"."""
    size, word = (abs(value) / 1000, "N m") if unit == "N mm" else (abs(value), "N")
    sign = "-" if value < 0 else ""
    if size >= 0.99995e3:
        return f"{sign}{size / 1000:.4g} k{word}"
    return f"{sign}{size:.4g} {word}"


def shares(names: list[str], total: str | None, on: str | None) -> str:
    """A load that several mates or drivers carry together; `total` in words, None if unknown."""
    who, where = listed(names, 4), f" on {on}" if on is not None else ""
    if total is None:
        return f"how {who} share their load{where} is not determined by statics"
    return f"{who} share {total}{where}; their split is not determined by statics"


class LoadDirection(NamedTuple):
    """A motion of a block, described by that of one of its parts.

    `unit` is that of the balancing force or torque, "N" or "N mm".
    """

    part: int
    words: str
    unit: str


def load_direction(
    motion: Array,
    parts: list[int],
    names: tuple[str, ...],
    frames: Array,
    centre: Array,
    length: float,
    axes: dict[str, list[MateAxis]],
) -> LoadDirection:
    """The motion of a block, described by a part that moves on the axis of a mate, if any.

    Args:
        motion: of each part, velocity of its centre, mm, and spin times `length`, (parts, 6).
        parts: their numbers; names, frames, centre: of all parts, (all, 12) and (all, 3), mm.
        length: characteristic length, mm; axes: of mates, by the name of the part.
    """
    size = np.linalg.norm(motion, axis=1)
    order = [k for k in np.argsort(-size, kind="stable").tolist() if size[k] > DIGITS * size.max()]
    found: list[tuple[str | None, int, ScrewAxis]] = []
    for k in order:
        part = parts[k]
        frame = frames[part]
        at = frame[:3] + centre[part] @ frame[3:].reshape(3, 3)
        screw = screw_of(motion[k, :3], motion[k, 3:] / length, at)
        found.append((axis_name(screw, axes.get(names[part], []), frame, length), k, screw))
    named, k, screw = next((f for f in found if f[0] is not None), found[0])
    name = names[parts[k]]
    rest = [names[parts[j]] for j in order if j != k]
    more = f", {listed(rest, 3)} with it" if rest else ""
    if screw.turns:
        about = named or f"the axis through ({numbers(screw.point)})"
        return LoadDirection(parts[k], f"{name} would turn about {about}{more}", "N mm")
    along = numbers(motion[k, :3] / np.linalg.norm(motion[k, :3]))
    return LoadDirection(parts[k], f"{name} would slide along ({along}){more}", "N")
