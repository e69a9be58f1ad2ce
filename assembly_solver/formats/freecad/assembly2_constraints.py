"""Constraints of the workbenches Assembly2 and A2plus as mates.

A constraint names its type, two objects by name and an element of each.  Directions are those of
the modeller's own surfaces and curves, whichever way a face is turned.  An offset is how far the
first element is from the second along the first one's direction; a mate's is told from the first
element to the second, which turns its sign.

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
from .joints import FLAT, Side, Wanted
from .parts import BrokenReference, Spot, Tree
from .records import Link, Thing

DIRECTIONS = ("none", "aligned", "opposed")
SENSES = {"aligned": "aligned", "opposed": "opposed", "none": "nearest"}

ROUND = ("cylinder", "cone", "torus", "circle")
AXES = ("line", *ROUND, REVOLVED)
DIRECTED = ("plane", *AXES)
POINTS = ("vertex", "sphere", "circle")


class End(NamedTuple):
    """One end of a constraint: where its reference leads, and what is there."""

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
        """Its direction: of a plane, an axis, a line."""
        return triple(self.element.frame[9:])

    @property
    def x(self) -> Triple:
        return triple(self.element.frame[3:6])

    def of(self, *kinds: str) -> End:
        """This end, where its element is of one of these kinds."""
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
        """An axis or a plane: what has a direction."""
        return self.as_plane() if self.element.kind == "plane" else self.as_axis()


def constrained(tree: Tree, constraint: Thing) -> Wanted:
    """The mate that a constraint stands for.

    Raises:
        BrokenReference, NotUnderstood: there is none; why.
    """
    kind = constraint.text("Type")
    if kind not in _MAKERS:
        raise NotUnderstood(f"constraints of type {kind!r} are not known")
    a, b = _end(tree, constraint, "1"), _end(tree, constraint, "2")
    if a.spot.part == b.spot.part:
        raise NotUnderstood(f"both its ends are on {tree.parts[a.spot.part].label}")
    return _MAKERS[kind](tree, constraint, a, b)


def _end(tree: Tree, constraint: Thing, number: str) -> End:
    name, element = constraint.text(f"Object{number}"), _element_name(constraint, number)
    if name not in tree.document.things:
        raise BrokenReference(f"there is no object {name!r} in the file")
    spot = tree.spot(Link("", name, element))
    if not spot.element:
        raise NotUnderstood(f"it names {element!r} of {spot.words}, no face, edge or vertex")
    return End(spot, _flattened(tree, spot, tree.shape(spot)))


def _flattened(tree: Tree, spot: Spot, found: Element) -> Element:
    """What an element is; a free-form face that is flat is a plane."""
    if found.kind != OTHER or not spot.element.startswith("Face"):
        return found
    thing, home = tree.resolved(spot.target, spot.home)
    with suppress(FormatError, NotUnderstood, MissingExtra):  # it stays of another kind
        return home.flat(thing, spot.element) or found
    return found


def _element_name(constraint: Thing, number: str) -> str:
    """The element of an end; first versions counted faces and edges from 0 instead."""
    for word in ("Face", "Edge"):
        if constraint.has(f"{word}Ind{number}"):
            return f"{word}{int(constraint.number(f'{word}Ind{number}')) + 1}"
    return constraint.text(f"SubElement{number}")


# ------------------------------------------------------------------------- what they ask for
def _sense(constraint: Thing) -> str:
    has = constraint.has("directionConstraint")
    return SENSES[constraint.choice("directionConstraint", DIRECTIONS)] if has else "nearest"


def _offset(constraint: Thing) -> float:
    """How far the second element is from the first along the first one's direction, mm."""
    old = constraint.has("planeOffset")
    return -constraint.number("planeOffset" if old else "offset") + 0.0


def _angle(constraint: Thing) -> float:
    """The angle, degrees; of what programs make of a cosine, that within half a turn."""
    value = constraint.number("degrees" if constraint.has("degrees") else "angle") % 360.0
    return min(value, 360.0 - value)


def _plane(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    parameters = {"sense": _sense(constraint), "offset": _offset(constraint)}
    return Wanted("coplanar", a.as_plane(), b.as_plane(), parameters)


def _axial(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    """Axes on one line; of a planar face the normal in its middle."""
    a, b = _axis(tree, a), _axis(tree, b)
    if constraint.flag("lockRotation"):
        return _locked("prismatic", tree, constraint, a, b)
    return Wanted("coaxial", a.as_axis(), b.as_axis(), {"sense": _sense(constraint)})


def _axis(tree: Tree, end: End) -> End:
    """An end with an axis.

    The programs take the middle of a planar face from its bounding box, which turns with the part:
    that is one point of the part where the face is symmetric.
    """
    if end.element.kind != "plane":
        return end.of(*AXES)
    thing, home = tree.resolved(end.spot.target, end.spot.home)
    with _told(end):
        if not home.symmetric(thing, end.spot.element):
            problem = "its middle is another one each time that the part turns"
            raise NotUnderstood(f"{problem}; choose a symmetric face, an edge or a bore")
    middle = _middle(tree, end)
    return middle._replace(element=middle.element._replace(kind="line"))


def _circles(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    return _hinge(tree, constraint, a.of("circle"), b.of("circle"))


def _hinge(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    """Two centres on one axis at an offset along it; free to turn unless that is locked."""
    at = np.array(a.point) + _offset(constraint) * np.array(a.z)
    a = a._replace(element=a.element._replace(frame=(*at.tolist(), *a.element.frame[3:])))
    if constraint.flag("lockRotation"):
        return _locked("fixed", tree, constraint, a, b)
    first, second = (end.side(Frame(end.point, end.z, end.x)) for end in (a, b))
    return Wanted("revolute", first, second, {"sense": _sense(constraint)})


def _locked(kind: str, tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    """A mate on frames that stops the turn about the axis too.

    The turn that is kept is that of the stored placements, after the second part was turned the
    shortest way until the directions agree.
    """
    first, second = (tree.pose(end.spot.part).rotation for end in (a, b))
    z, other = first @ a.z, second @ b.z
    sense = _sense(constraint)
    if sense == "opposed" or (sense == "nearest" and z @ other < 0.0):
        other = -other
    there = [triple(second.T @ v) for v in (other, _turned(first @ a.x, z, other))]
    return Wanted(kind, a.side(Frame(a.point, a.z, a.x)), b.side(Frame(b.point, *there)), {})


def _turned(v: Array, one: Array, other: Array) -> Array:
    """A vector turned the shortest way that turns one unit vector into another.

    Of opposite ones that is half a turn, about the vector as far as it is normal to them.
    """
    c, axis = float(one @ other), np.cross(one, other)
    if c < FLAT - 1.0:
        return np.asarray(v - 2.0 * (v @ one) * one)
    return np.asarray(v * c + np.cross(axis, v) + axis * (axis @ v) / (1.0 + c))


def _points(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    return Wanted("coincident", a.as_point(), b.as_point(), {})


def _on_line(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    return Wanted("point_on_line", a.as_point(), b.as_axis(), {})


def _on_plane(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    """The offset is along the plane's own direction."""
    offset = constraint.number("offset")
    return Wanted("point_in_plane", a.as_point(), b.as_plane(), {"offset": offset})


def _parallel(
    first: tuple[str, ...], second: tuple[str, ...]
) -> Callable[[Tree, Thing, End, End], Wanted]:
    """Two directions of these kinds of elements that agree."""

    def make(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
        sides = a.of(*first).as_direction(), b.of(*second).as_direction()
        return Wanted("parallel", *sides, {"sense": _sense(constraint)})

    return make


def _along_plane(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    return Wanted("perpendicular", a.as_axis(), b.as_plane(), {})


def _axis_angle(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    """An angle to a plane: from the plane away from its normal, or towards it where opposed."""
    value = abs(constraint.number("angle"))
    if value > 90.0:
        raise NotUnderstood(f"it asks for {value:g} degrees between an axis and a plane")
    value = 90.0 - value if _sense(constraint) == "opposed" else 90.0 + value
    return Wanted("angle", a.as_axis(), b.as_plane(), {"value": value})


def _directions_angle(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    return Wanted("angle", a.as_direction(), b.as_direction(), {"value": _angle(constraint)})


def _planes_angle(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    return _directions_angle(tree, constraint, a.of("plane"), b.of("plane"))


def _middles(tree: Tree, constraint: Thing, a: End, b: End) -> Wanted:
    """A hinge on the centres of area of two planar faces, or of what round edges bound."""
    return _hinge(tree, constraint, _middle(tree, a), _middle(tree, b))


def _middle(tree: Tree, end: End) -> End:
    if end.spot.element.startswith("Edge"):
        return end.of("circle")
    thing, home = tree.resolved(end.of("plane").spot.target, end.spot.home)
    with _told(end):
        centre = home.centre(thing, end.spot.element)
    frame = (*centre, *end.element.frame[3:])
    return end._replace(element=end.element._replace(frame=frame))


@contextmanager
def _told(end: End) -> Iterator[None]:
    """Name the element whose geometry cannot be measured."""
    try:
        yield
    except (FormatError, NotUnderstood, MissingExtra) as error:
        raise BrokenReference(f"the geometry of {end.words}: {error}") from None


_MAKERS: Mapping[str, Callable[[Tree, Thing, End, End], Wanted]] = {
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
    "CenterOfMass": _middles,
}
