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
from ...foundations.numerics.rounding import CONFUSION
from ...foundations.types import Array
from ...model.feature import Axis, Feature, Frame, Plane, Point
from ..shapes.brep import OTHER, REVOLVED, Element
from .joints import MateDefinition, Side
from .parts import BrokenReference, Spot, Tree
from .records import Link, Thing

DIRECTIONS = ("none", "aligned", "opposed")
SENSES = {"aligned": "aligned", "opposed": "opposed", "none": "nearest"}

ROUND = ("cylinder", "cone", "torus", "circle")
AXES = ("line", *ROUND, REVOLVED)
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
        """This end; NotUnderstood where its element is of none of these kinds."""
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


class ConstraintEnds(NamedTuple):
    """A constraint of a tree with its two ends."""

    tree: Tree
    thing: Thing
    a: ConstraintEnd
    b: ConstraintEnd

    @property
    def sense(self) -> str:
        if not self.thing.has("directionConstraint"):
            return "nearest"
        word = self.thing.choice("directionConstraint", DIRECTIONS)
        if word not in SENSES:
            raise NotUnderstood(f"its direction is {word!r}; known: {', '.join(SENSES)}")
        return SENSES[word]

    @property
    def offset(self) -> float:
        """Offset of the second element from the first along the first one's direction, mm."""
        old = self.thing.has("planeOffset")
        return -self.thing.number("planeOffset" if old else "offset") + 0.0


Maker = Callable[[ConstraintEnds], MateDefinition]


def mate_of_constraint(tree: Tree, constraint: Thing) -> MateDefinition:
    """The mate of a constraint; BrokenReference, NotUnderstood: it is unsupported."""
    kind = constraint.text("Type")
    if kind not in _MAKERS:
        raise NotUnderstood(f"constraints of type {kind!r} are not known")
    a, b = _end(tree, constraint, "1"), _end(tree, constraint, "2")
    if a.spot.part == b.spot.part:
        raise NotUnderstood(f"both its ends are on {tree.parts[a.spot.part].label}")
    return _MAKERS[kind](ConstraintEnds(tree, constraint, a, b))


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


# ----------------------------------------------------------------------------------- mates
def _simple(
    kind: str, first: Callable[[ConstraintEnd], Side], second: Callable[[ConstraintEnd], Side]
) -> Maker:
    """A mate without parameters, of the ends as these features."""
    return lambda on: MateDefinition(kind, first(on.a), second(on.b), {})


def _parallel(first: tuple[str, ...], second: tuple[str, ...]) -> Maker:
    """Parallel directions of elements of these kinds."""

    def make(on: ConstraintEnds) -> MateDefinition:
        sides = on.a.of(*first).as_direction(), on.b.of(*second).as_direction()
        return MateDefinition("parallel", *sides, {"sense": on.sense})

    return make


def _plane(on: ConstraintEnds) -> MateDefinition:
    """Two planes, or a plane and a vertex in it or at the offset from it."""
    if on.b.element.kind == "vertex":
        sides = on.a.as_plane(), on.b.as_point()
        return MateDefinition("point_in_plane", *sides, {"offset": on.offset})
    parameters = {"sense": on.sense, "offset": on.offset}
    return MateDefinition("coplanar", on.a.as_plane(), on.b.as_plane(), parameters)


def _axial(on: ConstraintEnds) -> MateDefinition:
    """Axes on one line; of a planar face the normal at its centre."""
    on = on._replace(a=_axis(on.tree, on.a), b=_axis(on.tree, on.b))
    if on.thing.flag("lockRotation"):
        return _locked("prismatic", on)
    return MateDefinition("coaxial", on.a.as_axis(), on.b.as_axis(), {"sense": on.sense})


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


def _circles(on: ConstraintEnds) -> MateDefinition:
    return _hinge(on._replace(a=on.a.of("circle"), b=on.b.of("circle")))


def _centres(on: ConstraintEnds) -> MateDefinition:
    """A hinge on the centres of area of planar faces, or on the centres of circular edges."""
    return _hinge(on._replace(a=_centre(on.tree, on.a), b=_centre(on.tree, on.b)))


def _hinge(on: ConstraintEnds) -> MateDefinition:
    """Two centres on one axis at an offset along it; free to rotate unless that is locked."""
    a, b = on.a, on.b
    at = np.array(a.point) + on.offset * np.array(a.z)
    a = a._replace(element=a.element._replace(frame=(*at.tolist(), *a.element.frame[3:])))
    if on.thing.flag("lockRotation"):
        return _locked("fixed", on._replace(a=a))
    first, second = (end.side(Frame(end.point, end.z, end.x)) for end in (a, b))
    return MateDefinition("revolute", first, second, {"sense": on.sense})


def _locked(kind: str, on: ConstraintEnds) -> MateDefinition:
    """A mate of frames that also fixes the angle about the axis.

    The angle is that of the stored placements, after the second part is rotated by the smallest
    angle that makes the directions agree.
    """
    a, b, sense = on.a, on.b, on.sense
    first, second = (on.tree.pose(end.spot.part).rotation for end in (a, b))
    z, other = first @ a.z, second @ b.z
    if sense == "opposed" or (sense == "nearest" and z @ other < 0.0):
        other = -other
    there = [triple(second.T @ v) for v in (other, _rotated(first @ a.x, z, other))]
    sides = a.side(Frame(a.point, a.z, a.x)), b.side(Frame(b.point, *there))
    return MateDefinition(kind, *sides, {})


def _rotated(v: Array, one: Array, other: Array) -> Array:
    """A vector under the smallest rotation that takes one unit vector to another.

    For opposite unit vectors that is half a turn, about the component of `v` normal to them.
    """
    c, axis = float(one @ other), np.cross(one, other)
    if c < CONFUSION - 1.0:
        return np.asarray(v - 2.0 * (v @ one) * one)
    return np.asarray(v * c + np.cross(axis, v) + axis * (axis @ v) / (1.0 + c))


def _on_plane(on: ConstraintEnds) -> MateDefinition:
    """The offset is along the plane's direction."""
    offset = on.thing.number("offset")
    return MateDefinition("point_in_plane", on.a.as_point(), on.b.as_plane(), {"offset": offset})


def _axis_angle(on: ConstraintEnds) -> MateDefinition:
    """Angle of an axis to a plane: away from the normal, or towards it where opposed."""
    value = abs(on.thing.number("angle"))
    if value > 90.0:
        raise NotUnderstood(f"it asks for {value:g} degrees between an axis and a plane")
    value = 90.0 - value if on.sense == "opposed" else 90.0 + value
    return MateDefinition("angle", on.a.as_axis(), on.b.as_plane(), {"value": value})


def _directions_angle(on: ConstraintEnds) -> MateDefinition:
    """An angle of 0 to 180 degrees: only its cosine is prescribed."""
    sides = on.a.as_direction(), on.b.as_direction()
    value = on.thing.number("degrees" if on.thing.has("degrees") else "angle") % 360.0
    return MateDefinition("angle", *sides, {"value": min(value, 360.0 - value)})


def _planes_angle(on: ConstraintEnds) -> MateDefinition:
    return _directions_angle(on._replace(a=on.a.of("plane"), b=on.b.of("plane")))


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


_POINTS = _simple("coincident", ConstraintEnd.as_point, ConstraintEnd.as_point)

_MAKERS: Mapping[str, Maker] = {
    "plane": _plane,
    "axial": _axial,
    "circularEdge": _circles,
    # of Assembly2
    "angle_between_planes": _directions_angle,
    "sphericalSurface": _POINTS,
    # of A2plus
    "pointIdentity": _POINTS,
    "sphereCenterIdent": _POINTS,
    "pointOnLine": _simple("point_on_line", ConstraintEnd.as_point, ConstraintEnd.as_axis),
    "pointOnPlane": _on_plane,
    "axisParallel": _parallel(AXES, AXES),
    "axisPlaneParallel": _simple("perpendicular", ConstraintEnd.as_axis, ConstraintEnd.as_plane),
    "axisPlaneAngle": _axis_angle,
    "axisPlaneNormal": _parallel(AXES, ("plane",)),
    "axisPlaneVertical": _parallel(AXES, ("plane",)),
    "planesParallel": _parallel(("plane",), ("plane",)),
    "angledPlanes": _planes_angle,
    "CenterOfMass": _centres,
}
