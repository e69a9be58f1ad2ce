"""Constraints of the workbenches Assembly2 and A2plus as mates.

A constraint has a type, the names of two objects and an element of each.  Directions are those of
the modeller's surfaces and curves, whatever the orientation of a face.  Its offset is measured from
the second element to the first along the first one's direction; the offset of a mate is measured
from the first to the second, so the sign changes.

Source: the source code of Assembly2 (newton_solver/constraints.py, selection.py) and of A2plus
(a2p_dependencies.py, a2p_constraints.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

import numpy as np

from ...errors import FormatError, MissingExtra, NotUnderstood
from ...foundations.geometry.pose import Triple, triple
from ...foundations.types import Array
from ...model.feature import Axis, Feature, Frame, Plane, Point
from ..shapes.brep import OTHER, REVOLVED, Element
from .joints import FLAT, MateDefinition, Side
from .parts import BrokenReference, Spot, Tree
from .records import Link, Thing

DIRECTIONS = ("none", "aligned", "opposed")
SENSES = {"aligned": "aligned", "opposed": "opposed", "none": "nearest"}

ROUND = ("cylinder", "cone", "torus", "circle")
AXES = ("line", *ROUND, REVOLVED)
DIRECTED = ("plane", *AXES)
POINTS = ("vertex", "sphere", "circle")


class ConstraintEnd(NamedTuple):
    """One end of a constraint: the location and the element that its reference resolves to."""

    spot: Spot
    element: Element

    @property
    def words(self) -> str:
        return self.spot.words

    @property
    def point(self) -> Triple:
        return triple(self.element.frame[:3])

    @property
    def z(self) -> Triple:
        """The direction of a plane, an axis or a line."""
        return triple(self.element.frame[9:])

    @property
    def x(self) -> Triple:
        return triple(self.element.frame[3:6])

    def of(self, *kinds: str) -> ConstraintEnd:
        """This end, if its element is of one of these kinds.

        Raises:
            NotUnderstood: it is of another kind.
        """
        if self.element.kind not in kinds:
            wanted = " or ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
            found = self.element.kind.replace("other", "shape of another kind")
            raise NotUnderstood(f"{self.words} is a {found}; it has to be a {wanted}")
        return self

    def side(self, feature: Feature) -> Side:
        return Side(self.spot.part, feature)

    def as_point(self) -> Side:
        return self.side(Point(self.of(*POINTS).point))

    def as_plane(self) -> Side:
        return self.side(Plane(self.of("plane").point, self.z, self.x))

    def as_axis(self) -> Side:
        end = self.of(*AXES)
        radius = end.element.radius if end.element.kind == "cylinder" else None
        return self.side(Axis(end.point, end.z, end.x, radius))

    def as_direction(self) -> Side:
        """A plane as a plane, any other element as an axis."""
        return self.as_plane() if self.element.kind == "plane" else self.as_axis()


def mate_of_constraint(tree: Tree, constraint: Thing) -> MateDefinition:
    """The mate of a constraint.

    Raises:
        BrokenReference, NotUnderstood: the constraint is unsupported; why.
    """
    kind = constraint.text("Type")
    if kind not in _MAKERS:
        raise NotUnderstood(f"constraints of type {kind!r} are not known")
    a, b = _end(tree, constraint, "1"), _end(tree, constraint, "2")
    if a.spot.part == b.spot.part:
        raise NotUnderstood(f"both its ends are on {tree.parts[a.spot.part].label}")
    return _MAKERS[kind](tree, constraint, a, b)


def _end(tree: Tree, constraint: Thing, number: str) -> ConstraintEnd:
    name, element = constraint.text(f"Object{number}"), _element_name(constraint, number)
    if name not in tree.document.things:
        raise BrokenReference(f"there is no object {name!r} in the file")
    spot = tree.spot(Link("", name, element))
    if not spot.element:
        raise NotUnderstood(f"it names {element!r} of {spot.words}, no face, edge or vertex")
    return ConstraintEnd(spot, _with_plane(tree, spot, tree.shape(spot)))


def _with_plane(tree: Tree, spot: Spot, found: Element) -> Element:
    """The element; a planar free-form face becomes a plane."""
    if found.kind != OTHER or not spot.element.startswith("Face"):
        return found
    thing, home = tree.resolved(spot.target, spot.home)
    with suppress(FormatError, NotUnderstood, MissingExtra):  # then it stays of kind other
        return home.flat(thing, spot.element) or found
    return found


def _element_name(constraint: Thing, number: str) -> str:
    """The name of an end's element; the first versions stored an index from 0 instead."""
    for word in ("Face", "Edge"):
        if constraint.has(f"{word}Ind{number}"):
            return f"{word}{int(constraint.number(f'{word}Ind{number}')) + 1}"
    return constraint.text(f"SubElement{number}")


# ------------------------------------------------------------------------------- parameters
def _sense(constraint: Thing) -> str:
    has = constraint.has("directionConstraint")
    return SENSES[constraint.choice("directionConstraint", DIRECTIONS)] if has else "nearest"


def _offset(constraint: Thing) -> float:
    """Offset of the second element from the first along the first one's direction, mm."""
    old = constraint.has("planeOffset")
    return -constraint.number("planeOffset" if old else "offset") + 0.0


def _angle(constraint: Thing) -> float:
    """The angle, 0 to 180 degrees: only its cosine is prescribed."""
    value = constraint.number("degrees" if constraint.has("degrees") else "angle") % 360.0
    return min(value, 360.0 - value)


def _plane(tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd) -> MateDefinition:
    parameters = {"sense": _sense(constraint), "offset": _offset(constraint)}
    return MateDefinition("coplanar", a.as_plane(), b.as_plane(), parameters)


def _axial(tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd) -> MateDefinition:
    """Axes on one line; of a planar face the normal at its centre."""
    a, b = _axis(tree, a), _axis(tree, b)
    if constraint.flag("lockRotation"):
        return _locked("prismatic", tree, constraint, a, b)
    return MateDefinition("coaxial", a.as_axis(), b.as_axis(), {"sense": _sense(constraint)})


def _axis(tree: Tree, end: ConstraintEnd) -> ConstraintEnd:
    """An end as an axis.

    The programs use the centre of a planar face's bounding box, which is along the world's axes:
    it is a fixed point of the part only where the face is symmetric.
    """
    if end.element.kind != "plane":
        return end.of(*AXES)
    thing, home = tree.resolved(end.spot.target, end.spot.home)
    with _reporting(end):
        if not home.symmetric(thing, end.spot.element):
            problem = "its middle is another one each time that the part turns"
            raise NotUnderstood(f"{problem}; choose a symmetric face, an edge or a bore")
    centre = _centre(tree, end)
    return centre._replace(element=centre.element._replace(kind="line"))


def _circles(tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd) -> MateDefinition:
    return _hinge(tree, constraint, a.of("circle"), b.of("circle"))


def _hinge(tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd) -> MateDefinition:
    """Two centres on one axis at an offset along it; free to rotate unless that is locked."""
    at = np.array(a.point) + _offset(constraint) * np.array(a.z)
    a = a._replace(element=a.element._replace(frame=(*at.tolist(), *a.element.frame[3:])))
    if constraint.flag("lockRotation"):
        return _locked("fixed", tree, constraint, a, b)
    first, second = (end.side(Frame(end.point, end.z, end.x)) for end in (a, b))
    return MateDefinition("revolute", first, second, {"sense": _sense(constraint)})


def _locked(
    kind: str, tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd
) -> MateDefinition:
    """A mate of frames that also fixes the angle about the axis.

    The angle is that of the stored placements, after the second part is rotated by the smallest
    angle that makes the directions agree.
    """
    first, second = (tree.pose(end.spot.part).rotation for end in (a, b))
    z, other = first @ a.z, second @ b.z
    sense = _sense(constraint)
    if sense == "opposed" or (sense == "nearest" and z @ other < 0.0):
        other = -other
    there = [triple(second.T @ v) for v in (other, _rotated(first @ a.x, z, other))]
    return MateDefinition(
        kind, a.side(Frame(a.point, a.z, a.x)), b.side(Frame(b.point, *there)), {}
    )


def _rotated(v: Array, one: Array, other: Array) -> Array:
    """A vector under the smallest rotation that takes one unit vector to another.

    For opposite unit vectors that is half a turn, about the component of `v` normal to them.
    """
    c, axis = float(one @ other), np.cross(one, other)
    if c < FLAT - 1.0:
        return np.asarray(v - 2.0 * (v @ one) * one)
    return np.asarray(v * c + np.cross(axis, v) + axis * (axis @ v) / (1.0 + c))


def _points(tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd) -> MateDefinition:
    return MateDefinition("coincident", a.as_point(), b.as_point(), {})


def _on_line(tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd) -> MateDefinition:
    return MateDefinition("point_on_line", a.as_point(), b.as_axis(), {})


def _on_plane(tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd) -> MateDefinition:
    """The offset is along the plane's direction."""
    offset = constraint.number("offset")
    return MateDefinition("point_in_plane", a.as_point(), b.as_plane(), {"offset": offset})


def _parallel(
    first: tuple[str, ...], second: tuple[str, ...]
) -> Callable[[Tree, Thing, ConstraintEnd, ConstraintEnd], MateDefinition]:
    """Parallel directions of elements of these kinds."""

    def make(tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd) -> MateDefinition:
        sides = a.of(*first).as_direction(), b.of(*second).as_direction()
        return MateDefinition("parallel", *sides, {"sense": _sense(constraint)})

    return make


def _along_plane(
    tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd
) -> MateDefinition:
    return MateDefinition("perpendicular", a.as_axis(), b.as_plane(), {})


def _axis_angle(
    tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd
) -> MateDefinition:
    """Angle of an axis to a plane: away from the normal, or towards it where opposed."""
    value = abs(constraint.number("angle"))
    if value > 90.0:
        raise NotUnderstood(f"it asks for {value:g} degrees between an axis and a plane")
    value = 90.0 - value if _sense(constraint) == "opposed" else 90.0 + value
    return MateDefinition("angle", a.as_axis(), b.as_plane(), {"value": value})


def _directions_angle(
    tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd
) -> MateDefinition:
    return MateDefinition(
        "angle", a.as_direction(), b.as_direction(), {"value": _angle(constraint)}
    )


def _planes_angle(
    tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd
) -> MateDefinition:
    return _directions_angle(tree, constraint, a.of("plane"), b.of("plane"))


def _centres(tree: Tree, constraint: Thing, a: ConstraintEnd, b: ConstraintEnd) -> MateDefinition:
    """A hinge on the centres of area of planar faces, or on the centres of circular edges."""
    return _hinge(tree, constraint, _centre(tree, a), _centre(tree, b))


def _centre(tree: Tree, end: ConstraintEnd) -> ConstraintEnd:
    if end.spot.element.startswith("Edge"):
        return end.of("circle")
    thing, home = tree.resolved(end.of("plane").spot.target, end.spot.home)
    with _reporting(end):
        centre = home.centre(thing, end.spot.element)
    frame = (*centre, *end.element.frame[3:])
    return end._replace(element=end.element._replace(frame=frame))


@contextmanager
def _reporting(end: ConstraintEnd) -> Iterator[None]:
    """Name the element in errors of measuring its geometry."""
    try:
        yield
    except (FormatError, NotUnderstood, MissingExtra) as error:
        raise BrokenReference(f"the geometry of {end.words}: {error}") from None


_MAKERS: Mapping[str, Callable[[Tree, Thing, ConstraintEnd, ConstraintEnd], MateDefinition]] = {
    "plane": _plane,
    "axial": _axial,
    "circularEdge": _circles,
    # of Assembly2
    "angle_between_planes": _directions_angle,
    "sphericalSurface": _points,
    # of A2plus
    "pointIdentity": _points,
    "sphereCenterIdent": _points,
    "pointOnLine": _on_line,
    "pointOnPlane": _on_plane,
    "axisParallel": _parallel(AXES, AXES),
    "axisPlaneParallel": _along_plane,
    "axisPlaneAngle": _axis_angle,
    "axisPlaneNormal": _parallel(AXES, ("plane",)),
    "axisPlaneVertical": _parallel(AXES, ("plane",)),
    "planesParallel": _parallel(("plane",), ("plane",)),
    "angledPlanes": _planes_angle,
    "CenterOfMass": _centres,
}
