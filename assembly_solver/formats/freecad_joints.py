"""Joints of FreeCAD's Assembly workbench as mates.

`Placement1` and `Placement2` of a joint are its two frames, attachment offsets included, in the
frames of the objects that it refers to.  FreeCAD's solver asks for parallel axes without a sense:
the start picks it, which is the sense `nearest` here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..errors import AssemblySolverError
from ..geometry.pose import Pose, Triple
from ..model.feature import Feature, Frame, Plane, Point
from .freecad_document import Thing
from .freecad_parts import Spot, Tree, after

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


class NotUnderstood(AssemblySolverError, ValueError):
    """A joint that cannot be made a mate; the message says why, without the joint's name."""


class End(NamedTuple):
    """One end of a joint: where its reference leads, and its frame in the part that moves."""

    spot: Spot
    frame: Pose


class Wanted(NamedTuple):
    """A mate to be made: its kind, its two features in part coordinates, its parameters."""

    kind: str
    a: Feature
    b: Feature
    parameters: Mapping[str, Any]


def wanted(tree: Tree, joint: Thing) -> tuple[Wanted, Spot, Spot]:
    """The mate that a joint stands for, and where its ends are.

    Raises:
        BrokenReference, NotUnderstood: there is none; why.
    """
    ends = [_end(tree, joint, number) for number in ("1", "2")]
    kind = joint.choice("JointType", JOINT_TYPES)
    if kind not in _MAKERS:
        raise NotUnderstood(f"joints of type {kind} are not yet supported by this version")
    a, b = ends
    if a.spot.part == b.spot.part:
        raise NotUnderstood(f"both its ends are on {a.spot.words}")
    return _MAKERS[kind](tree, joint, a, b), a.spot, b.spot


def _end(tree: Tree, joint: Thing, number: str) -> End:
    links = joint.links(f"Reference{number}")
    if not links:
        raise NotUnderstood(f"it has no reference {number}")
    spot = tree.spot(links[0])
    return End(spot, after(spot.within, joint.placement(f"Placement{number}")))


def _frame(pose: Pose) -> Frame:
    axes = pose.rotation
    return Frame(pose.position, _triple(axes[:, 2]), _triple(axes[:, 0]))


def _triple(vector: Any) -> Triple:
    x, y, z = (float(v) for v in vector)
    return (x, y, z)


def _joint(kind: str) -> Callable[[Tree, Thing, End, End], Wanted]:
    """A joint whose frames say everything."""
    return lambda tree, joint, a, b: Wanted(kind, _frame(a.frame), _frame(b.frame), {})


def _locked(kind: str) -> Callable[[Tree, Thing, End, End], Wanted]:
    """A joint that stops every turn.

    FreeCAD asks for axes at right angles to each other: frames may be half a turn apart about any
    of them.  The half turn nearest to the stored placements is given to the second frame.
    """

    def make(tree: Tree, joint: Thing, a: End, b: End) -> Wanted:
        first = after(tree.pose(a.spot.part), a.frame)
        second = after(tree.pose(b.spot.part), b.frame)
        cosines = (first.rotation.T @ second.rotation).diagonal()
        turn = max(HALF_TURNS, key=lambda t: float(cosines @ t.rotation.diagonal()))
        return Wanted(kind, _frame(a.frame), _frame(after(b.frame, turn)), {})

    return make


def _angle(tree: Tree, joint: Thing, a: End, b: End) -> Wanted:
    """The angle between the z axes, 0 to 180 degrees; 0 is any two parallel axes, for FreeCAD."""
    value = abs(joint.number("Angle" if "Angle" in joint.properties else "Distance")) % 360.0
    value = min(value, 360.0 - value)
    if value < FLAT:
        return _joint("parallel")(tree, joint, a, b)
    return Wanted("angle", _frame(a.frame), _frame(b.frame), {"value": value})


def _distance(tree: Tree, joint: Thing, a: End, b: End) -> Wanted:
    """What a distance is between: as far as the names of the elements tell."""
    value = joint.number("Distance")
    kinds = [_element(end.spot) for end in (a, b)]
    if kinds == ["Vertex", "Vertex"]:
        features = (Point(a.frame.position), Point(b.frame.position))
        return Wanted("distance", *features, {"value": value if value > FLAT else 0.0})
    if kinds == ["plane", "plane"]:
        return Wanted("distance", _plane(a.frame), _plane(b.frame), {"value": value})
    pair = f"the distance of {a.spot.words} and {b.spot.words}"
    if "frame" in kinds:
        raise NotUnderstood(f"{pair} has no meaning; refer to vertices, edges or faces")
    raise NotUnderstood(f"{pair} needs their geometry")


def _element(spot: Spot) -> str:
    """Vertex, Edge, Face; of a whole object: plane for reference planes, frame for the others."""
    if spot.element:
        return spot.element.rstrip("0123456789")
    return "plane" if spot.target.type.endswith("Plane") else "frame"


def _plane(pose: Pose) -> Plane:
    axes = pose.rotation
    return Plane(pose.position, _triple(axes[:, 2]), _triple(axes[:, 0]))


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
