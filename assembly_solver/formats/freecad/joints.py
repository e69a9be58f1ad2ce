"""Joints of FreeCAD's Assembly workbench as mates.

`Placement1` and `Placement2` of a joint are its two frames, with attachment offsets, in the frames
of the objects that it refers to.  FreeCAD's solver makes axes parallel in either sense: the start
poses decide, which is the sense `nearest` of a mate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import cos, radians
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...errors import NotUnderstood
from ...foundations.geometry.pose import Pose, triple
from ...foundations.numerics.rounding import AGREEMENT, CONFUSION, DIGITS
from ...model.feature import Axis, Feature, Frame, Plane, Point
from ..shapes.brep import OTHER, Element
from .copies import reference_in_copy
from .parts import Spot, Tree
from .records import Thing

JOINT_TYPES = (
    *("Fixed", "Revolute", "Cylindrical", "Slider", "Ball", "Distance", "Parallel"),
    *("Perpendicular", "Angle", "RackPinion", "Screw", "Gears", "Belt"),
)

STORED_TURN = 45.0
"""Angle up to which frames that are to be equal are stored half a turn apart, degrees."""

HALF_TURNS = (
    Pose(),
    *(Pose((0.0, 0.0, 0.0), q) for q in ((0.0, 1.0, 0, 0), (0.0, 0, 1.0, 0), (0.0, 0, 0, 1.0))),
)


class JointEnd(NamedTuple):
    """One end of a joint: the location of its reference, and its frame in the moving part."""

    spot: Spot
    frame: Pose


class Side(NamedTuple):
    """One side of a mate: the object of the moving part, and a feature in its coordinates."""

    part: str
    feature: Feature


Bounds = tuple[float | None, float | None]


class MateDefinition(NamedTuple):
    """A mate to be made: its kind, two sides and parameters, and limits of its coordinates.

    `told`: what the reader had to decide; "" for nothing.
    """

    kind: str
    a: Side
    b: Side
    parameters: Mapping[str, Any]
    limits: Mapping[str, Bounds] = MappingProxyType({})
    told: str = ""


def mate_of_joint(tree: Tree, joint: Thing) -> MateDefinition:
    """The mate of a joint; BrokenReference, NotUnderstood: it is unsupported."""
    kind = joint.choice("JointType", JOINT_TYPES)
    if kind not in _MAKERS:
        raise NotUnderstood(f"joints of type {kind} are not known")
    made = _MAKERS[kind](tree, joint, *ends(tree, joint))
    return made._replace(limits=_limits(joint, made.kind))


LIMITED = {"length": ("prismatic", "cylindrical"), "angle": ("revolute", "cylindrical")}
"""Kinds whose coordinate FreeCAD limits; joints of other kinds have the properties too."""


def _limits(joint: Thing, kind: str) -> dict[str, Bounds]:
    """Lower and upper limit of each limited coordinate of a joint, mm or degrees.

    If the lower one is above the upper one they are exchanged, as in FreeCAD.
    """
    out = {}
    for coordinate, kinds in LIMITED.items():
        word = coordinate.capitalize()
        low, high = (
            joint.number(f"{word}{end}") if joint.flag(f"Enable{word}{end}") else None
            for end in ("Min", "Max")
        )
        if low is not None and high is not None and low > high:
            low, high = high, low
        if kind in kinds and (low, high) != (None, None):
            out[coordinate] = (low, high)
    return out


def ends(tree: Tree, joint: Thing) -> tuple[JointEnd, JointEnd]:
    """The ends of a joint, on two parts; BrokenReference, NotUnderstood where there are none."""
    a, b = _end(tree, joint, "1"), _end(tree, joint, "2")
    if a.spot.part == b.spot.part:
        raise NotUnderstood(f"both its ends are on {tree.parts[a.spot.part].label}")
    return a, b


def _end(tree: Tree, joint: Thing, number: str) -> JointEnd:
    links = joint.links(f"Reference{number}")
    if not links:
        older = joint.has(f"Object{number}")
        why = "save it with FreeCAD 1.0 or later" if older else "what it referred to is gone"
        raise NotUnderstood(f"it has no reference {number}: {why}")
    spot = tree.spot(reference_in_copy(tree, joint, links[0]), of_joint=True)
    return JointEnd(spot, spot.within @ joint.placement(f"Placement{number}"))


def frame_of(pose: Pose) -> Frame:
    """A pose as a feature: a frame."""
    axes = pose.rotation
    return Frame(pose.position, triple(axes[:, 2]), triple(axes[:, 0]))


def half_turn(
    first: Pose, second: Pose, senses: Collection[float] = (1.0, -1.0), bends: bool = False
) -> Pose:
    """The half turn about x, y or z, or none, that brings the second frame nearest to the first.

    Of several that are as near but for rounding it is the first, none before x, y and z: a document
    that is saved and opened again has other last digits.

    Args:
        senses: allowed directions of z after it: 1 unchanged, -1 reversed.
        bends: whether the frames may be turned against each other about any axis across z: where
            they are so after a half turn, that one is taken, however far they are turned.
    """
    between = first.to(second)
    signs = {turn: turn.rotation.diagonal() for turn in HALF_TURNS}
    allowed = [turn for turn in HALF_TURNS if signs[turn][2] in senses]
    if bends:
        bent = [t for t in allowed if abs((between @ t).quaternion_wxyz[3]) < DIGITS]
        allowed = bent or allowed
    nearness = [float(between.rotation.diagonal() @ signs[turn]) for turn in allowed]
    return next(t for t, n in zip(allowed, nearness, strict=True) if n > max(nearness) - AGREEMENT)


def _frame(end: JointEnd, turn: Pose = HALF_TURNS[0]) -> Side:
    return Side(end.spot.part, frame_of(end.frame @ turn))


def _joint(kind: str) -> Callable[[Tree, Thing, JointEnd, JointEnd], MateDefinition]:
    """A joint that is defined by its two frames."""
    return lambda tree, joint, a, b: MateDefinition(kind, _frame(a), _frame(b), {})


def _slider(tree: Tree, joint: Thing, a: JointEnd, b: JointEnd) -> MateDefinition:
    """A joint without a rotation.

    FreeCAD only makes different axes of the two frames perpendicular: the frames may differ by half
    a turn about any axis.  The second frame gets the half turn nearest to the stored placements.
    """
    first = tree.pose(a.spot.part) @ a.frame
    second = tree.pose(b.spot.part) @ b.frame
    return MateDefinition("prismatic", _frame(a), _frame(b, half_turn(first, second)), {})


def _fixed(tree: Tree, joint: Thing, a: JointEnd, b: JointEnd) -> MateDefinition:
    """Equal frames; where they are stored about half a turn apart that is kept, and told.

    FreeCAD joins faces face to face by half a turn about x, and its solver leaves any half turn.
    """
    first = tree.pose(a.spot.part) @ a.frame
    second = tree.pose(b.spot.part) @ b.frame
    turn = half_turn(first, second)
    left = (first.inverse() @ second @ turn).rotation
    if turn == Pose() or np.trace(left) < 1.0 + 2.0 * cos(radians(STORED_TURN)):
        return MateDefinition("fixed", _frame(a), _frame(b), {})
    axis = "xyz"[HALF_TURNS.index(turn) - 1]
    told = f"its frames are stored half a turn about {axis} apart, and stay so"
    return MateDefinition("fixed", _frame(a), _frame(b, turn), {}, told=told)


def _angle(tree: Tree, joint: Thing, a: JointEnd, b: JointEnd) -> MateDefinition:
    """The angle between the z axes, 0 to 180 degrees; 0 also allows opposed axes, as in FreeCAD."""
    value = abs(joint.number("Angle" if joint.has("Angle") else "Distance")) % 360.0
    value = min(value, 360.0 - value)
    if value < CONFUSION:
        return _joint("parallel")(tree, joint, a, b)
    return MateDefinition("angle", _frame(a), _frame(b), {"value": value})


Features = tuple[type[Point | Axis | Plane], type[Point | Axis | Plane]]

PAIRS: Mapping[tuple[str, str], Features] = {
    ("vertex", "vertex"): (Point, Point),
    ("line", "vertex"): (Axis, Point),
    ("line", "line"): (Axis, Axis),
    ("line", "circle"): (Axis, Axis),
    ("circle", "circle"): (Axis, Axis),
    ("circle", "vertex"): (Plane, Point),
    ("curve", "vertex"): (Plane, Point),
    ("plane", "vertex"): (Plane, Point),
    ("plane", "line"): (Plane, Axis),
    ("plane", "plane"): (Plane, Plane),
    ("plane", "cylinder"): (Plane, Axis),
    ("plane", "sphere"): (Plane, Point),
    ("plane", "torus"): (Plane, Plane),
    ("cylinder", "vertex"): (Axis, Point),
    ("cylinder", "cylinder"): (Axis, Axis),
    ("cylinder", "sphere"): (Axis, Point),
    ("cylinder", "torus"): (Axis, Axis),
    ("sphere", "vertex"): (Point, Point),
    ("sphere", "sphere"): (Point, Point),
    ("torus", "sphere"): (Axis, Point),
    ("torus", "torus"): (Plane, Plane),
}
"""Features between which a distance is measured, for the pairs of elements that FreeCAD supports.

The distance of a vertex and a curve is that of the vertex from the curve's plane.  FreeCAD makes a
planar joint of every other pair without a message; here such a pair is unsupported.
"""


def _distance(tree: Tree, joint: Thing, a: JointEnd, b: JointEnd) -> MateDefinition:
    """A distance of elements; radii are added where it is measured to an axis or a centre."""
    first, second = (_element(tree, end.spot) for end in (a, b))
    words = f"{a.spot.words} ({first.kind}) and {b.spot.words} ({second.kind})"
    if (first.kind, second.kind) not in PAIRS:
        a, b, first, second = b, a, second, first
    types = PAIRS.get((first.kind, second.kind))
    if types is None:
        raise NotUnderstood(f"a distance of {words} has no meaning; refer to other elements")
    value = joint.number("Distance")
    value += sum(f.radius for f, t in zip((first, second), types, strict=True) if t is not Plane)
    if Plane not in types:
        if value < -CONFUSION:
            raise NotUnderstood(f"it asks for {value:g} mm between the middles of {words}")
        value = value if value > CONFUSION else 0.0
    sides = [_side(end, t) for t, end in zip(types, (a, b), strict=True)]
    return MateDefinition("distance", sides[0], sides[1], {"value": value})


def _element(tree: Tree, spot: Spot) -> Element:
    """The element of a reference: a vertex, a face or edge of some kind, or a whole object."""
    if not spot.element:
        return Element("plane" if spot.target.type.endswith("Plane") else "whole object", 0.0)
    if spot.element.startswith("Vertex"):
        return Element("vertex", 0.0)
    found = tree.shape(spot)
    other = "surface" if spot.element.startswith("Face") else "curve"
    return found if found.kind != OTHER else Element(other, 0.0)


def _side(end: JointEnd, of: type[Point | Axis | Plane]) -> Side:
    pose = end.frame
    if of is Point:
        return Side(end.spot.part, Point(pose.position))
    axes = pose.rotation
    z, x = triple(axes[:, 2]), triple(axes[:, 0])
    made = Axis(pose.position, z, x) if of is Axis else Plane(pose.position, z, x)
    return Side(end.spot.part, made)


_MAKERS: Mapping[str, Callable[[Tree, Thing, JointEnd, JointEnd], MateDefinition]] = {
    "Fixed": _fixed,
    "Revolute": _joint("revolute"),
    "Cylindrical": _joint("cylindrical"),
    "Slider": _slider,
    "Ball": _joint("spherical"),
    "Distance": _distance,
    "Parallel": _joint("parallel"),
    "Perpendicular": _joint("perpendicular"),
    "Angle": _angle,
}
