"""Descriptions of elements and mates for the list of choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import assembly_solver as asm

_FACES = ("plane",)
_ROUND = ("circle", "cylinder", "cone", "sphere", "torus", "line", "plane", "vertex")


def likeness(pick: asm.Pick) -> str:
    """The kind of an element for lookups: a hole is a cylinder, other edges are curves."""
    kind = "cylinder" if pick.kind == "hole" else pick.kind
    return kind if kind in _ROUND else "other"


_PLAIN: Mapping[str, str] = {
    "coincident": "the two points are one",
    "coaxial": "the axes lie on one line",
    "coplanar": "they lie in one plane",
    "angle": "the directions are at {value:.6g} deg, as now",
    "distance": "at a distance of {value:.6g} mm, as now",
    "tangent": "they touch from outside",
    "point_on_line": "the point lies on the axis",
    "point_in_plane": "the point lies in the plane of the face",
    "line_in_plane": "the axis lies in the plane of the face",
    "fixed": "held together without any freedom",
    "revolute": "a hinge: the axes on one line, the middles together",
    "prismatic": "a slide: moves along the axis, does not turn",
    "cylindrical": "turns about the axis and moves along it",
    "spherical": "a ball joint: the middles together",
    "planar": "the planes slide on each other",
    "screw": "a thread: {pitch:.6g} mm a turn along the axis",
    "universal": "a Cardan joint: the middles together, the axes at a right angle",
    "constant_velocity": "shafts that meet and turn alike at any bend",
    "slot": "a pin along a slot, at any depth",
    "pin_slot": "a pin along a slot, at its depth",
    "path": "it keeps to the curve",
    "symmetric": "the two points mirror each other in the plane",
    "width": "in the middle between the two faces",
    "equal_distance": "the two distances are equal",
}

_SPECIAL: Mapping[tuple[str, str], str] = {
    ("coplanar", "opposed"): "the faces meet, face to face",
    ("coplanar", "aligned"): "the faces are flush, looking the same way",
    ("tangent", "inside"): "the one touches the other from inside",
}
"""Words for a sense or a side."""

_LEAN: Mapping[str, tuple[str, str, str]] = {
    "parallel": (
        "the faces are parallel",
        "the axis stands at a right angle to the face",
        "the axes are parallel",
    ),
    "perpendicular": (
        "the faces are at a right angle",
        "the axis runs along the face",
        "the axes are at a right angle",
    ),
}
"""Words for two faces, for a face and an axis, for two axes; the normal stands for a face."""


def words_of(kind: str, picks: Mapping[str, asm.Pick], parameters: Mapping[str, Any]) -> str:
    """A mate of these elements in a line.

    Args:
        picks: elements by their roles, "a", "b", ...; parameters: its initial ones.
    """
    if kind in _LEAN:
        return _LEAN[kind][2 - sum(picks[end].kind in _FACES for end in ("a", "b"))]
    told = (_SPECIAL.get((kind, str(parameters.get(key)))) for key in ("sense", "side"))
    return next((words for words in told if words), _PLAIN[kind]).format(**parameters)
