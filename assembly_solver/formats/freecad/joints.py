"""Joints of FreeCAD's Assembly workbench as mates.

`Placement1` and `Placement2` of a joint are its two frames, attachment offsets included, in the
frames of the objects that it refers to.  FreeCAD's solver asks for parallel axes without a sense:
the start picks it, which is the sense `nearest` here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import NotUnderstood
from ...foundations.geometry.pose import Pose, triple
from ...model.feature import Axis, Feature, Frame, Plane, Point
from ..shapes.brep import OTHER, Element
from .copies import in_copy
from .parts import Spot, Tree
from .records import Thing

JOINT_TYPES = (
    *("Fixed", "Revolute", "Cylindrical", "Slider", "Ball", "Distance", "Parallel"),
    *("Perpendicular", "Angle", "RackPinion", "Screw", "Gears", "Belt"),
)

FLAT = 1e-7
"""Lengths (mm) and angles (rad) below it are none, for FreeCAD and here."""

HALF_TURNS = (
    Pose(),
    *(Pose((0.0, 0.0, 0.0), q) for q in ((0.0, 1.0, 0, 0), (0.0, 0, 1.0, 0), (0.0, 0, 0, 1.0))),
)


class End(NamedTuple):
    """One end of a joint: where its reference leads, and its frame in the part that moves."""

    spot: Spot
    frame: Pose


class Side(NamedTuple):
    """One side of a mate: the part that moves, by its object, and a feature in its coordinates."""

    part: str
    feature: Feature


Bounds = tuple[float | None, float | None]


class Wanted(NamedTuple):
    """A mate to be made: its kind, its two sides, its parameters, bounds of its coordinates."""

    kind: str
    a: Side
    b: Side
    parameters: Mapping[str, Any]
    limits: Mapping[str, Bounds] = MappingProxyType({})


def wanted(tree: Tree, joint: Thing) -> Wanted:
    """The mate that a joint stands for.

    Raises:
        BrokenReference, NotUnderstood: there is none; why.
    """
    kind = joint.choice("JointType", JOINT_TYPES)
    if kind not in _MAKERS:
        raise NotUnderstood(f"joints of type {kind} are not known")
    made = _MAKERS[kind](tree, joint, *ends(tree, joint))
    return made._replace(limits=_limits(joint, made.kind))


LIMITED = {"length": ("prismatic", "cylindrical"), "angle": ("revolute", "cylindrical")}
"""The kinds whose coordinates FreeCAD bounds; others have the properties without a meaning."""


def _limits(joint: Thing, kind: str) -> dict[str, Bounds]:
    """The least and the largest value of the coordinates of a joint, mm or degrees, where bounded.

    Where both are given the wrong way round they are meant the other way, as in FreeCAD.
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


def ends(tree: Tree, joint: Thing) -> tuple[End, End]:
    """The two ends of a joint, on two parts."""
    a, b = _end(tree, joint, "1"), _end(tree, joint, "2")
    if a.spot.part == b.spot.part:
        raise NotUnderstood(f"both its ends are on {tree.parts[a.spot.part].label}")
    return a, b


def _end(tree: Tree, joint: Thing, number: str) -> End:
    links = joint.links(f"Reference{number}")
    if not links:
        older = joint.has(f"Object{number}")
        why = "save it with FreeCAD 1.0 or later" if older else "what it referred to is gone"
        raise NotUnderstood(f"it has no reference {number}: {why}")
    spot = tree.spot(in_copy(tree, joint, links[0]), of_joint=True)
    return End(spot, spot.within @ joint.placement(f"Placement{number}"))


def frame_of(pose: Pose) -> Frame:
    """A pose as a feature."""
    axes = pose.rotation
    return Frame(pose.position, triple(axes[:, 2]), triple(axes[:, 0]))


def half_turn(first: Pose, second: Pose, senses: Collection[float] = (1.0, -1.0)) -> Pose:
    """The half turn about x, y or z, or none, after which a frame is nearest to another one.

    Args:
        first: the other one; second: the frame that is turned, about axes of its own.
        senses: which z may have after it: 1 as before, -1 the opposite one.
    """
    cosines = (first.rotation.T @ second.rotation).diagonal()
    signs = {turn: turn.rotation.diagonal() for turn in HALF_TURNS}
    ways = [turn for turn in HALF_TURNS if signs[turn][2] in senses]
    return max(ways, key=lambda turn: float(cosines @ signs[turn]))


def _frame(end: End, turn: Pose = HALF_TURNS[0]) -> Side:
    return Side(end.spot.part, frame_of(end.frame @ turn))


def _joint(kind: str) -> Callable[[Tree, Thing, End, End], Wanted]:
    """A joint whose frames say everything."""
    return lambda tree, joint, a, b: Wanted(kind, _frame(a), _frame(b), {})


def _locked(kind: str) -> Callable[[Tree, Thing, End, End], Wanted]:
    """A joint that stops every turn.

    FreeCAD asks for axes at right angles to each other: frames may be half a turn apart about any
    of them.  The half turn nearest to the stored placements is given to the second frame.
    """

    def make(tree: Tree, joint: Thing, a: End, b: End) -> Wanted:
        first = tree.pose(a.spot.part) @ a.frame
        second = tree.pose(b.spot.part) @ b.frame
        return Wanted(kind, _frame(a), _frame(b, half_turn(first, second)), {})

    return make


def _angle(tree: Tree, joint: Thing, a: End, b: End) -> Wanted:
    """The angle between the z axes, 0 to 180 degrees; 0 is any two parallel axes, for FreeCAD."""
    value = abs(joint.number("Angle" if joint.has("Angle") else "Distance")) % 360.0
    value = min(value, 360.0 - value)
    if value < FLAT:
        return _joint("parallel")(tree, joint, a, b)
    return Wanted("angle", _frame(a), _frame(b), {"value": value})


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
"""What a distance is measured between, for the pairs that FreeCAD has a meaning for.

A vertex and a curve is the vertex over the curve's plane.  FreeCAD makes a planar joint of every
other pair, without a word; here it is named as a pair without a meaning.
"""


def _distance(tree: Tree, joint: Thing, a: End, b: End) -> Wanted:
    """A distance by what the elements are; radii are added where an axis or a centre stands in."""
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
        if value < -FLAT:
            raise NotUnderstood(f"it asks for {value:g} mm between the middles of {words}")
        value = value if value > FLAT else 0.0
    sides = [_side(end, t) for t, end in zip(types, (a, b), strict=True)]
    return Wanted("distance", sides[0], sides[1], {"value": value})


def _element(tree: Tree, spot: Spot) -> Element:
    """What a reference leads to: a vertex, a kind of face or edge, or a whole object."""
    if not spot.element:
        return Element("plane" if spot.target.type.endswith("Plane") else "whole object", 0.0)
    if spot.element.startswith("Vertex"):
        return Element("vertex", 0.0)
    found = tree.shape(spot)
    other = "surface" if spot.element.startswith("Face") else "curve"
    return found if found.kind != OTHER else Element(other, 0.0)


def _side(end: End, of: type[Point | Axis | Plane]) -> Side:
    pose = end.frame
    if of is Point:
        return Side(end.spot.part, Point(pose.position))
    axes = pose.rotation
    z, x = triple(axes[:, 2]), triple(axes[:, 0])
    made = Axis(pose.position, z, x) if of is Axis else Plane(pose.position, z, x)
    return Side(end.spot.part, made)


_MAKERS: Mapping[str, Callable[[Tree, Thing, End, End], Wanted]] = {
    "Fixed": _locked("fixed"),
    "Revolute": _joint("revolute"),
    "Cylindrical": _joint("cylindrical"),
    "Slider": _locked("prismatic"),
    "Ball": _joint("spherical"),
    "Distance": _distance,
    "Parallel": _joint("parallel"),
    "Perpendicular": _joint("perpendicular"),
    "Angle": _angle,
}
