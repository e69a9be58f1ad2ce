"""Random over-determined assemblies of many kinds of mates, all of which hold at one pose.

Every part has mates with earlier ones, and more are put between parts that are placed already, so
that far more equations than unknowns hold together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import assembly_solver as asm
from assembly_solver.foundations.types import Array

Rng = np.random.Generator

Ends = tuple[Any, Any, dict[str, Any]]
"""The features of a mate on either part, in the frame of the assembly, and its parameters."""

JOINTS = ("revolute", "prismatic", "cylindrical", "spherical", "planar", "fixed")
"""Kinds that are placed once, by a frame in the assembly."""


def tangle(draw: Rng) -> asm.Assembly:
    """Two to seven parts, each with one to three mates to earlier ones, and up to six more."""
    a, poses = asm.Assembly("tangle"), [asm.Pose()]
    a.add("part 0", grounded=True)
    count = int(draw.integers(2, 8))
    poses += [_anywhere(draw) for _ in range(count - 1)]
    pairs = [
        (int(draw.integers(0, k)), k) for k in range(1, count) for _ in range(draw.integers(1, 4))
    ]
    for _ in range(int(draw.integers(0, 7))):
        p, q = draw.choice(count, 2, replace=False)
        pairs.append((int(p), int(q)))
    features: list[dict[str, Any]] = [{} for _ in poses]
    mates = [_mate(draw, poses, features, pair) for pair in pairs]
    made = asm.Assembly("tangle")
    for k, pose in enumerate(poses):
        made.add(f"part {k}", features=features[k], pose=pose, grounded=k == 0)
    for n, (kind, more) in enumerate(mates):
        made.mate(kind, name=f"{kind} {n}", **more)
    _held_coordinates(draw, made, poses)
    return made


def leave_senses_open(a: asm.Assembly, draw: Rng) -> None:
    """Leave a random share of the stated senses to the start: what is nearer there may not hold."""
    share = float(draw.uniform(0.2, 1.0))
    for name, mate in a.mates.items():
        if getattr(mate, "sense", "nearest") != "nearest" and draw.random() < share:
            a.change(name, sense="nearest")


def _anywhere(draw: Rng) -> asm.Pose:
    at, axis = draw.uniform(-100, 100, 3), draw.normal(size=3)
    return asm.Pose.from_axis(at.tolist(), axis.tolist(), float(draw.uniform(-180, 180)))


def _mate(
    draw: Rng, poses: list[asm.Pose], features: list[dict[str, Any]], pair: tuple[int, int]
) -> tuple[str, dict[str, Any]]:
    """A random mate that holds at the poses; its features are added to those of its parts."""
    names = tuple(f"part {k}" for k in pair)
    if draw.random() < 0.3:
        z, x = _frame(draw)
        at = asm.Frame(tuple(draw.uniform(-80, 80, 3).tolist()), _list(z), _list(x))
        joint = str(draw.choice(JOINTS))
        sense = {"sense": "aligned"} if "sense" in asm.MATES[joint].__dataclass_fields__ else {}
        return joint, {"parts": names, "at": at, **sense}
    kind = str(draw.choice(list(KINDS)))
    one, two, more = KINDS[kind](draw, draw.uniform(-80, 80, 3), *_frame(draw))
    refs = []
    for k, (shape, point, direction) in zip(pair, (one, two), strict=True):
        own, key = poses[k].inverse(), f"f{len(features[k])}"
        foot = own.apply(point)
        along = () if direction is None else (_list(own.apply(point + direction) - foot),)
        features[k][key] = shape(_list(foot), *along)
        refs.append((f"part {k}", key))
    return kind.split()[0], {"a": refs[0], "b": refs[1], **more}


def _held_coordinates(draw: Rng, a: asm.Assembly, poses: list[asm.Pose]) -> None:
    """Sometimes a driver at its value, and a limit that is kept, of the distance of two origins."""
    for chosen in (draw.random() < 0.3, draw.random() < 0.3):
        p, q = (int(k) for k in draw.choice(len(poses), 2, replace=False))
        ends = (f"part {p}.origin", f"part {q}.origin")
        far = float(np.linalg.norm(np.subtract(poses[p].position, poses[q].position)))
        if chosen and not a.drivers:
            a.drive("reach", separation=ends, value=far)
        elif chosen:
            a.limit(separation=ends, name="stop", min=0.8 * far, max=1.1 * far)


def _list(v: Array) -> tuple[float, ...]:
    return tuple(np.asarray(v, float).tolist())


def _frame(draw: Rng) -> tuple[Array, Array]:
    """Two random perpendicular directions."""
    z, other = draw.normal(size=(2, 3))
    z /= np.linalg.norm(z)
    x = other - (other @ z) * z
    return z, x / np.linalg.norm(x)


def _sensed(draw: Rng) -> tuple[float, dict[str, Any]]:
    """A sign of a direction, and its sense: what is nearer in the start pose may not hold."""
    sign = float(draw.choice([-1.0, 1.0]))
    return sign, {"sense": "aligned" if sign > 0 else "opposed"}


# ---------------------------------------------------------------- kinds: at p, x across z
def _coincident(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    return (asm.Point, p, None), (asm.Point, p, None), {}


def _coaxial(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    sign, sense = _sensed(draw)
    return (asm.Axis, p, z), (asm.Axis, p + 30 * draw.normal() * z, sign * z), sense


def _coplanar(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    sign, sense = _sensed(draw)
    offset = float(draw.uniform(-20, 20))
    q = p + 40 * draw.normal() * x + offset * z
    return (asm.Plane, p, z), (asm.Plane, q, sign * z), {"offset": offset, **sense}


def _parallel(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    sign, sense = _sensed(draw)
    return (asm.Axis, p, z), (asm.Axis, draw.uniform(-80, 80, 3), sign * z), sense


def _perpendicular(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    return (asm.Axis, p, z), (asm.Plane, draw.uniform(-80, 80, 3), x), {}


def _angle(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    degrees = float(draw.uniform(5, 175))
    other = np.cos(np.radians(degrees)) * z + np.sin(np.radians(degrees)) * x
    return (asm.Axis, p, z), (asm.Axis, draw.uniform(-80, 80, 3), other), {"value": degrees}


def _between_points(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    far = float(draw.uniform(1, 120))
    return (asm.Point, p, None), (asm.Point, p + far * z, None), {"value": far}


def _from_line(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    far = float(draw.uniform(1, 120))
    q = p + far * x + 40 * draw.normal() * z
    return (asm.Axis, p, z), (asm.Point, q, None), {"value": far}


def _from_plane(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    far = float(draw.uniform(-80, 80))
    return (
        (asm.Plane, p, z),
        (asm.Point, p + far * z + 40 * draw.normal() * x, None),
        {"value": far},
    )


def _between_lines(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    far, (sign, sense) = float(draw.uniform(1, 120)), _sensed(draw)
    return (
        (asm.Axis, p, z),
        (asm.Axis, p + far * x + 40 * draw.normal() * z, sign * z),
        {"value": far, **sense},
    )


def _point_on_line(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    return (asm.Point, p + 40 * draw.normal() * z, None), (asm.Axis, p, z), {}


def _point_in_plane(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    return (asm.Point, p + 40 * draw.normal() * x, None), (asm.Plane, p, z), {}


def _line_in_plane(draw: Rng, p: Array, z: Array, x: Array) -> Ends:
    return (asm.Axis, p, x), (asm.Plane, p, z), {}


KINDS: dict[str, Callable[[Rng, Array, Array, Array], Ends]] = {
    "coincident": _coincident,
    "coaxial": _coaxial,
    "coplanar": _coplanar,
    "parallel": _parallel,
    "perpendicular": _perpendicular,
    "angle": _angle,
    "distance of points": _between_points,
    "distance from a line": _from_line,
    "distance from a plane": _from_plane,
    "distance of lines": _between_lines,
    "point_on_line": _point_on_line,
    "point_in_plane": _point_in_plane,
    "line_in_plane": _line_in_plane,
}
"""A mate of each kind; of a name with several words the first is the kind."""
