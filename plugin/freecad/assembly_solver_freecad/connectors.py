"""The frames of joints, where their elements are now.

FreeCAD keeps them in the joint, and brings them up to date when it solves by itself: where a shape
was changed since, they are still where the face, the edge or the vertex was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from FreeCAD import Vector

from assembly_solver.freecad import ELEMENT, NotUnderstood

CLOSE = 1e-7
"""Lengths, mm, and sines below it are none, for FreeCAD too: placing a part rounds its frames."""

AXES = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))


class Connector(NamedTuple):
    """An end of a joint, by its number."""

    joint: Any
    number: int

    @property
    def moved(self) -> Any:
        """Its frame where its element is now; None where the joint keeps it there already.

        Raises:
            NotUnderstood: the element is gone.
        """
        root, paths = getattr(self.joint, f"Reference{self.number}") or (None, ())
        find = getattr(self.joint.Proxy, "findPlacement", None)
        detached = getattr(self.joint, f"Detach{self.number}", False)
        if root is None or len(paths) < 2 or find is None or detached:
            return None
        free = self.joint.JointType == "Distance"  # of the vertex that was clicked
        element = _element(root, paths[: 1 if free else 2])
        kept = getattr(self.joint, f"Placement{self.number}")
        found = find(self.joint, [root, [*paths]], self.number - 1)
        return None if _alike(kept, found, element) else found

    def keep(self, frame: Any) -> None:
        """Let the joint keep a frame; what was up to date stays so."""
        waiting = "Touched" in self.joint.State
        setattr(self.joint, f"Placement{self.number}", frame)
        if not waiting:
            self.joint.purgeTouched()


def _element(root: Any, paths: Sequence[str]) -> Any:
    """The face, edge or vertex that an end is on; None where that is a whole object.

    Args:
        paths: from the root to the element, and to the vertex or the circle of it that was clicked.
    """
    names = [ELEMENT.fullmatch(path.split(".")[-1]) for path in paths]
    if names[0] is None:
        return None
    found = _shape(root, paths[0])
    if names[-1] is None or names[-1][1] == names[0][1]:
        return found
    kind, number = names[-1][1][:4], names[-1][1][4:]
    if kind == "Edge" and found.ShapeType == "Face":  # counted within the face
        if int(number) > len(found.Edges):
            raise _gone(f"edge {number} of {names[0][1]}", root, paths[0])
    else:
        _shape(root, paths[-1])
    return found


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


def _alike(kept: Any, found: Any, element: Any) -> bool:
    """Whether two frames are one; on a straight edge FreeCAD takes any x at a right angle to it."""
    off = kept.inverse().multiply(found)
    straight = element is not None and element.ShapeType == "Edge" and _is_line(element)
    axes = AXES[2:] if straight else AXES
    turned = max((off.Rotation.multVec(axis) - axis).Length for axis in axes)
    return bool(max(off.Base.Length, turned) < CLOSE)


def _is_line(edge: Any) -> bool:
    try:
        return str(edge.Curve.TypeId) == "Part::GeomLine"
    except (TypeError, AttributeError):  # a curve that FreeCAD has no name for
        return False
