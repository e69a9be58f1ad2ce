"""The frames of joints, where their elements are now.

FreeCAD stores them in the joint and updates them when its own solver runs: where a shape was
changed since, they are still at the old position of the face, edge or vertex.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import FreeCAD
from FreeCAD import Vector

from assembly_solver.freecad import CONFUSION, ELEMENT, NotUnderstood

from .elements import carrier_of

LINES = ("Line", "LineSegment")
AXES = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))


class Connector(NamedTuple):
    """An end of a joint, by its number."""

    joint: Any
    number: int

    @property
    def moved(self) -> Any:
        """The frame at the present position of its element; None where the joint is up to date.

        Raises:
            NotUnderstood: the element is gone.
        """
        reference = getattr(self.joint, f"Reference{self.number}")
        root, paths = reference or (None, list[str]())
        find = getattr(getattr(self.joint, "Proxy", None), "findPlacement", None)
        detached = getattr(self.joint, f"Detach{self.number}", False)
        if root is None or len(paths) < 2 or find is None or detached or _copied(root, paths[0]):
            return None
        free = self.joint.JointType == "Distance"  # of the vertex that was clicked
        element, anchor = _elements(root, paths[: 1 if free else 2])
        frame = frame_of([root, paths])
        if frame is None:
            return None
        kept = getattr(self.joint, f"Placement{self.number}")
        told = kept.multiply(getattr(self.joint, f"Offset{self.number}").inverse())
        if element is not None and stands(frame.multiply(told), told, element, anchor):
            return None
        found = find(self.joint, [root, [*paths]], self.number - 1)
        return None if _alike(kept, found, element) else found

    def keep(self, frame: Any) -> None:
        """Store a frame in the joint, without marking anything as to be recomputed."""
        waiting = "Touched" in self.joint.State
        setattr(self.joint, f"Placement{self.number}", frame)
        if not waiting:
            self.joint.purgeTouched()


def _copied(root: Any, path: str) -> bool:
    """Whether a path from a sub-assembly goes on in the one that it is a copy of.

    FreeCAD 1.1 writes such paths into a flexible sub-assembly, and follows none of them.
    """
    stem, linked = path[: path.rfind(".") + 1], getattr(root, "LinkedObject", None)
    if linked is None or root.getSubObject(stem, retType=1) is not None:
        return False
    return linked.getSubObject(stem, retType=1) is not None


def _elements(root: Any, paths: Sequence[str]) -> tuple[Any, Any]:
    """The face, edge or vertex of an end, and the vertex or circle of it that was clicked.

    Args:
        paths: from the root to them.

    Returns:
        Shapes in the coordinates of the root; None for a whole object.
    """
    names = [ELEMENT.fullmatch(path.split(".")[-1]) for path in paths]
    if names[0] is None:
        return None, None
    found = _shape(root, paths[0])
    if names[-1] is None or names[-1][1] == names[0][1]:
        return found, found
    kind, number = names[-1][1][:4], names[-1][1][4:]
    if kind != "Edge" or found.ShapeType != "Face":
        return found, _shape(root, paths[-1])
    edges = found.Edges  # counted within the face
    if int(number) > len(edges):
        raise _gone(f"edge {number} of {names[0][1]}", root, paths[0])
    return found, edges[int(number) - 1]


def _shape(root: Any, path: str) -> Any:
    """The face, edge or vertex at a path."""
    shape = root.getSubObject(path)
    if shape is None or shape.isNull():
        raise _gone(path.split(".")[-1], root, path)
    return shape


def _gone(name: str, root: Any, path: str) -> NotUnderstood:
    stem = path[: path.rfind(".") + 1]
    owner, whole = root.getSubObject(stem, retType=1), root.getSubObject(stem)
    label = root.Label if owner is None else owner.Label
    if whole is None or whole.isNull():
        return NotUnderstood(f"{label} has no shape: what it is made of or links to is not there")
    return NotUnderstood(f"{name} of {label} is gone")


def frame_of(reference: Any) -> Any:
    """The frame of the object that a reference is to, in the coordinates of its root.

    None where this FreeCAD finds no object, as for references that a later one has made.
    """
    import UtilsAssembly  # beside the joints, from FreeCAD 1.0 on

    target = UtilsAssembly.getObject(reference)
    if target is None:
        return None
    return FreeCAD.GeoFeature.getGlobalPlacementOf(target, reference[0], reference[1][0])


def stands(frame: Any, told: Any, element: Any, anchor: Any) -> bool:
    """Whether a frame is at its element and the clicked point of it, by a cheap test.

    FreeCAD's own search goes through all elements of the shape, each time.

    Args:
        frame: in the coordinates of the shapes; told: in those of the object.
    """
    carrier = carrier_of(element)
    at = _point(anchor)
    if at is None or (frame.Base - at).Length > CONFUSION:
        return False
    if element.ShapeType == "Vertex":
        return _turned(told.Rotation, AXES) < CONFUSION
    if type(carrier).__name__ in LINES:
        return bool((frame.Rotation.multVec(AXES[2]) - carrier.Direction).Length < CONFUSION)
    turn = getattr(carrier, "Rotation", None)
    return turn is not None and _turned(turn.inverted().multiply(frame.Rotation), AXES) < CONFUSION


def _point(shape: Any) -> Any:
    """The position of a vertex, the centre of a circle, a straight edge or a planar face."""
    name = type(carrier_of(shape)).__name__
    if shape.ShapeType == "Vertex":
        return shape.Point
    if name == "Circle":
        return carrier_of(shape).Center
    return shape.CenterOfMass if name in (*LINES, "Plane") else None


def _turned(rotation: Any, axes: Sequence[Any]) -> float:
    """Distances between the ends of the axes of two frames."""
    return float(max((rotation.multVec(axis) - axis).Length for axis in axes))


def _alike(kept: Any, found: Any, element: Any) -> bool:
    """Whether two frames are equal; on a straight edge with any x normal to it."""
    off = kept.inverse().multiply(found)
    line = element is not None and type(carrier_of(element)).__name__ in LINES
    turned = _turned(off.Rotation, AXES[2:] if line else AXES)
    return bool(max(off.Base.Length, turned) < CONFUSION)
