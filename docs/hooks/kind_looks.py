"""How the parts of the examples are drawn: a few solids for each feature, in its coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import assembly_solver as asm

Array = NDArray[np.float64]
Face = tuple[Array, Array]


class Solid(NamedTuple):
    """A convex solid by its faces, each with its outward normal; or a ball.

    Attributes:
        ball: mm, its radius; round: whether its faces of four corners are a smooth side.
    """

    faces: tuple[Face, ...]
    middle: Array
    ball: float | None = None
    round: bool = False

    def placed(self, rotation: Array, position: Array) -> Solid:
        faces = tuple((f @ rotation.T + position, n @ rotation.T) for f, n in self.faces)
        return Solid(faces, rotation @ self.middle + position, self.ball, self.round)


class Look(NamedTuple):
    """Makes solids of the size of a part of the scene and of a radius, mm."""

    feature_name: str
    make: Callable[[float, float], Sequence[Solid]]

    def solids(self, size: float, radius: float) -> Sequence[Solid]:
        return self.make(size, radius)


def box(low: Sequence[float], high: Sequence[float], size: float = 1.0) -> Solid:
    """A box between two corners, in parts of the size."""
    a, b = size * np.array(low), size * np.array(high)
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side, value in ((-1.0, a[axis]), (1.0, b[axis])):
            corners = np.empty((4, 3))
            corners[:, axis] = value
            corners[:, u] = [a[u], b[u], b[u], a[u]]
            corners[:, v] = [a[v], a[v], b[v], b[v]]
            faces.append((corners, side * np.eye(3)[axis]))
    return Solid(tuple(faces), (a + b) / 2)


def prism(radius: float, low: float, high: float, size: float = 1.0, tip: float = 1.0) -> Solid:
    """A cylinder along z, in parts of the size; a cone where `tip` of its radius is left above."""
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    flat = size * radius * np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    below = flat + np.array([0, 0, size * low])
    above = tip * flat + np.array([0, 0, size * high])
    faces = [(below, np.array([0.0, 0.0, -1.0])), (above, np.array([0.0, 0.0, 1.0]))]
    slope = (1 - tip) * radius / (high - low)
    for k in range(len(turn)):
        m = (k + 1) % len(turn)
        normal = (flat[k] + flat[m]) / np.linalg.norm(flat[k] + flat[m]) + np.array([0, 0, slope])
        faces.append(
            (np.array([below[k], below[m], above[m], above[k]]), normal / np.linalg.norm(normal))
        )
    return Solid(tuple(faces), np.array([0, 0, size * (low + high) / 2]), round=True)


def ball(radius: float, at: Sequence[float] = (0.0, 0.0, 0.0)) -> Solid:
    return Solid((), np.array(at, float), radius)


def along(axis: str, solid: Solid) -> Solid:
    """The same with its z along another axis, "-y" say."""
    sign, k = (-1.0 if axis[0] == "-" else 1.0), "xyz".index(axis[-1])
    z = sign * np.eye(3)[k]
    x = np.eye(3)[(k + 1) % 3]
    return solid.placed(np.column_stack([x, np.cross(z, x), z]), np.zeros(3))


Make = Callable[[float, float], Sequence[Solid]]

FORMS: dict[str, Make] = {
    "tube": lambda s, r: [prism(0.3, -0.35, 0.35, s)],
    "pin": lambda s, r: [prism(0.13, -0.8, 0.7, s), box((0.0, -0.1, 0.7), (0.9, 0.1, 0.86), s)],
    "plate": lambda s, r: [box((-0.9, -0.9, -0.1), (0.9, 0.9, 0), s)],
    "wall": lambda s, r: [box((-0.5, -0.5, -0.1), (0.5, 0.5, 0), s)],
    "block": lambda s, r: [box((-0.4, -0.4, -0.5), (0.4, 0.4, 0), s)],
    "upright": lambda s, r: [box((-0.35, -0.35, 0), (0.35, 0.35, 0.6), s)],
    "tab": lambda s, r: [box((-0.45 * s, -0.7 * s, -6), (0.45 * s, 0.4 * s, 0))],
    "rail": lambda s, r: [box((-0.14, -0.14, -1.25), (0.14, 0.14, 1.25), s)],
    "shoe": lambda s, r: [box((-0.32, -0.32, -0.4), (0.32, 0.32, 0.4), s)],
    "bar": lambda s, r: [box((-0.1, -0.1, -0.9), (0.1, 0.1, 0.9), s)],
    "ray": lambda s, r: [box((-0.1, -0.1, 0), (0.1, 0.1, 1.2), s)],
    "post": lambda s, r: [prism(0.06, -0.6, 0, s), box((-0.3, -0.3, -0.7), (0.3, 0.3, -0.6), s)],
    "corner": lambda s, r: [box((0, 0, 0), (0.9, 0.6, 0.14), s), ball(0.09 * s)],
    "eye": lambda s, r: [box((-0.12, 0.05, -0.12), (0.12, 0.8, 0.12), s), ball(0.15 * s)],
    "tip": lambda s, r: [along("-z", prism(0.2, -0.7, 0, s, 0.02)), ball(0.05 * s)],
    "joint ball": lambda s, r: [ball(0.24 * s), prism(0.08, 0.2, 0.9, s)],
    "sphere": lambda s, r: [ball(r)],
    "slotted": lambda s, r: [box((-0.75 * s, -0.4 * s, -0.12 * s), (0.75 * s, 0.4 * s, 0.12 * s))],
    "wheel": lambda s, r: [
        prism(r, -0.1 * s, 0.1 * s),
        box((0.15 * r, -0.07 * r, 0.1 * s), (0.9 * r, 0.07 * r, 0.13 * s)),
    ],
    "peg": lambda s, r: [prism(0.12, -0.45, 0.3, s)],
    "rack": lambda s, r: [box((-0.1, -0.02, -1.1), (0.1, 0.2, 1.1), s)],
    "arm": lambda s, r: [prism(0.08, -0.42, 0.42, s), along("-y", prism(0.12, 0.25, 1.1, s))],
    "shaft below": lambda s, r: [prism(0.14, -1.1, -0.1, s)],
    "shaft above": lambda s, r: [
        ball(0.2 * s),
        prism(0.14, 0.15, 1.0, s),
        box((0.0, -0.08, 0.75), (0.5, 0.08, 0.9), s),
    ],
    "none": lambda s, r: [],
}
"""What is drawn of a feature; boxes and cylinders in parts of the size."""

LOOKS: dict[tuple[str, str, str], str] = {
    ("parallel", "base", "edge"): "bar",
    ("parallel", "body", "rail"): "bar",
    ("perpendicular", "base", "edge"): "bar",
    ("perpendicular", "body", "post"): "bar",
    ("angle", "base", "wall"): "ray",
    ("angle", "body", "lid"): "ray",
    ("line_in_plane", "body", "edge"): "bar",
    ("point_on_line", "body", "tip"): "eye",
    ("point_in_plane", "body", "foot"): "tip",
    ("distance", "body", "eye"): "eye",
    ("equal_distance", "body", "eye"): "eye",
    ("fixed", "base", "seat"): "plate",
    ("fixed", "body", "back"): "upright",
    ("planar", "body", "foot"): "upright",
    ("width", "base", "left"): "wall",
    ("width", "base", "right"): "wall",
    ("width", "body", "one"): "tab",
    ("width", "body", "other"): "none",
    ("slot", "base", "slot"): "slotted",
    ("pin_slot", "base", "slot"): "slotted",
    ("path", "body", "tip"): "tip",
    ("symmetric", "base", "middle"): "wall",
    ("prismatic", "base", "rail"): "rail",
    ("prismatic", "body", "rail"): "shoe",
    ("spherical", "body", "ball"): "joint ball",
    ("universal", "base", "arm"): "arm",
    ("universal", "body", "arm"): "arm",
    ("constant_velocity", "base", "shaft"): "shaft below",
    ("constant_velocity", "body", "shaft"): "shaft above",
    **{(kind, "base", side): "peg" for kind in ("gear", "belt") for side in ("left", "right")},
    **{(kind, part, "pin"): "wheel" for kind in ("gear", "belt") for part in ("body", "second")},
    ("rack_and_pinion", "base", "left"): "peg",
    ("rack_and_pinion", "base", "right"): "none",
    ("rack_and_pinion", "body", "pin"): "wheel",
    ("rack_and_pinion", "rack", "pin"): "rack",
    ("linear", "base", "left"): "rail",
    ("linear", "base", "right"): "rail",
    ("linear", "body", "pin"): "shoe",
    ("linear", "second", "pin"): "shoe",
}
"""Of a kind, a part and its feature, where it is not as `look_of` has it by the type."""

WHEELS = {
    ("gear", "body", "pin"): 20.0,
    ("gear", "second", "pin"): 40.0,
    ("belt", "body", "pin"): 10.0,
    ("belt", "second", "pin"): 30.0,
    ("rack_and_pinion", "body", "pin"): 15.0,
}
"""Radii of the wheels of the examples, mm."""

BY_TYPE = {
    asm.Sphere: ("sphere", "sphere"),
    asm.Point: ("post", "corner"),
    asm.Axis: ("tube", "pin"),
    asm.Plane: ("plate", "block"),
    asm.Frame: ("plate", "shoe"),
    asm.Curve: ("none", "none"),
}
"""Of the part that is held, and of one that moves."""


def look_of(kind: str, part: str, name: str, feature: asm.Feature) -> Look:
    """How a feature of an example is drawn."""
    held, moving = BY_TYPE[type(feature)]
    form = LOOKS.get((kind, part, name), held if part == "base" else moving)
    return Look(f"{part}.{name}", FORMS[form])
