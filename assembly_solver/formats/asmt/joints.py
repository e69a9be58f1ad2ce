"""Joints of .asmt files as mates.

A joint relates marker I and marker J, frames on two parts.  Here its first feature is that of I.
OndselSolver asks for direction cosines that vanish: parallel axes may be opposed, and frames that
do not turn against each other may be half a turn apart.  The start picks, here as there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from math import acos, cos, degrees
from typing import Any, NamedTuple

from ...errors import NotUnderstood, nearest_names
from ...foundations.geometry.pose import Pose, triple
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.feature import Axis, Feature, Frame, Plane
from ...model.references import fresh
from ..coupling_joints import Carriers, Coupled, Joined, Place, X
from .functions import constant
from .syntax import Entry

Sides = tuple[tuple[str, str], tuple[str, str]]

HALF_TURNS = {"": (1, 1, 1), "x": (1, -1, -1), "y": (-1, 1, -1), "z": (-1, -1, 1)}
"""Signs of x, y and z of a frame after half a turn about one of them."""

OWN = ("Name", "MarkerI", "MarkerJ")
"""What every joint has."""


class Marker(NamedTuple):
    """A frame on a part: the part, the feature that it is, and its pose in the part."""

    part: str
    feature: str
    pose: Pose


class Wanted(NamedTuple):
    """A mate to be made of a joint; `more` is added to the joint's name."""

    kind: str
    sides: Sides
    parameters: Mapping[str, Any] = {}
    more: str = ""


class Joints:
    """Makes the mates of joints in an assembly whose parts are there.

    Args:
        assembly: it gets the mates, and features where a marker counts as an axis or a plane.
        markers: by their paths in the file; scale: the file's unit of length, mm.
    """

    def __init__(self, assembly: Assembly, markers: Mapping[str, Marker], scale: float) -> None:
        self.assembly, self.markers, self.scale = assembly, markers, scale
        self.named: dict[str, tuple[str, str]] = {}
        """Paths of both markers of every joint that became a mate, by the joint's name."""
        self._made: dict[tuple[str, str, str], tuple[str, str]] = {}

    def enter(self, entry: Entry) -> None:
        """Add what a joint stands for.

        Raises:
            NotUnderstood: there is nothing; why.
        """
        name = entry.value("Name")
        if entry.text not in KINDS:
            raise NotUnderstood(f"no joint {entry.text!r}; {nearest_names(entry.text, ALL)}")
        keys, make = KINDS[entry.text]
        check_keys(entry, (*OWN, *keys))
        paths = entry.value("MarkerI"), entry.value("MarkerJ")
        i, j = (self.marker(path) for path in paths)
        if i.part == j.part:
            raise NotUnderstood(f"both its markers are on {i.part}")
        for mate in make(self, entry, i, j):
            label = f"{name} {mate.more}" if mate.more else name
            self.assembly.mate(mate.kind, *mate.sides, name=label, **mate.parameters)
        self.named[name] = paths

    def couple(self, entry: Entry) -> None:
        """Add a coupling of joints that are there."""
        name = entry.value("Name")
        keys, make = COUPLINGS[entry.text]
        check_keys(entry, (*OWN, *keys))
        i, j = (self._place(entry.value(f"Marker{side}")) for side in "IJ")
        found = make(self, entry, i, j, self._carriers)
        self.assembly.mate(found.kind, name=name, **found.parameters)

    def marker(self, path: str) -> Marker:
        """The marker with a path."""
        if path not in self.markers:
            raise NotUnderstood(f"no marker {path!r}; {nearest_names(path, self.markers)}")
        return self.markers[path]

    def length(self, entry: Entry, key: str, default: float | None = None) -> float:
        """A length of a joint, mm."""
        return self.scale * self.number(entry, key, default)

    def number(self, entry: Entry, key: str, default: float | None = None) -> float:
        """A number of a joint, or the default where it is not given."""
        if default is not None and entry.find(key) is None:
            return default
        return constant(entry.value(key))

    # ------------------------------------------------------------------ features of markers
    def sides(self, i: Marker, j: Marker) -> Sides:
        """Both markers as frames."""
        return (i.part, i.feature), (j.part, j.feature)

    def as_axis(self, marker: Marker, axis: str = "z") -> tuple[str, str]:
        """One of the axes of a marker as a feature; the zero of angles about z is its x."""
        number = "xyz".index(axis)
        origin, *axes = _rows(marker.pose)
        zero = triple(axes[(number + 1) % 3])
        made = Axis(triple(origin), triple(axes[number]), zero if axis != "z" else triple(axes[0]))
        return self._feature(marker, f"axis {axis}" if axis != "z" else "axis", made)

    def as_plane(self, marker: Marker) -> tuple[str, str]:
        """The xy plane of a marker as a feature."""
        origin, x, _, z = _rows(marker.pose)
        return self._feature(marker, "plane", Plane(triple(origin), triple(z), triple(x)))

    def turned(self, marker: Marker, about: str) -> tuple[str, str]:
        """A marker turned by half a turn about one of its axes."""
        if not about:
            return marker.part, marker.feature
        origin, x, _, z = _rows(marker.pose)
        sx, _, sz = HALF_TURNS[about]
        made = Frame(triple(origin), triple(sz * z), triple(sx * x))
        return self._feature(marker, f"half a turn about {about}", made)

    def _feature(self, marker: Marker, word: str, made: Feature) -> tuple[str, str]:
        key = (marker.part, marker.feature, word)
        if key not in self._made:
            name = fresh(f"{marker.feature} {word}", self.assembly.parts[marker.part].features)
            self.assembly.add_features(marker.part, {name: made})
            self._made[key] = (marker.part, name)
        return self._made[key]

    # ------------------------------------------------------------------ where markers are
    def in_assembly(self, marker: Marker) -> Array:
        """Origin, x, y, z of a marker at the start, rows."""
        return _rows(self.assembly.pose(marker.part) @ marker.pose)

    def nearest(self, i: Marker, j: Marker) -> str:
        """The axis of J about which half a turn brings it nearest to I; none if it is nearest."""
        cosines = (self.in_assembly(i)[1:] * self.in_assembly(j)[1:]).sum(axis=1)
        return max(HALF_TURNS, key=lambda word: float(cosines @ HALF_TURNS[word]))

    def _place(self, path: str) -> Place:
        marker = self.marker(path)
        return Place(marker.part, self.in_assembly(marker), marker.part)

    @cached_property
    def _carriers(self) -> Carriers:
        """What parts move on; couplings come when all other joints are there."""
        found = []
        for name, (i, j) in self.named.items():
            kind = self.assembly.mates[name].kind
            found.append(Joined(name, kind, self._place(i), self._place(j)))
        still = [part.name for part in self.assembly.parts.values() if part.grounded]
        return Carriers(self.assembly.parts, found, still)


def check_keys(entry: Entry, known: tuple[str, ...]) -> None:
    """Raise where an entry says something that is not known."""
    for inner in entry.inner:
        if inner.text not in known:
            raise NotUnderstood(f"no {inner.text!r} in {entry.text}; known: {', '.join(known)}")


def _rows(pose: Pose) -> Array:
    return pose.frame.reshape(4, 3)


# ---------------------------------------------------------------------------------- the kinds
Make = Callable[[Joints, Entry, Marker, Marker], Iterator[Wanted]]


def _plain(kind: str) -> Make:
    """A joint whose two frames say everything."""

    def make(on: Joints, _: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
        yield Wanted(kind, on.sides(i, j))

    return make


def _locked(kind: str) -> Make:
    """A joint that stops every turn."""

    def make(on: Joints, _: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
        yield Wanted(kind, ((i.part, i.feature), on.turned(j, on.nearest(i, j))))

    return make


def _constant_velocity(on: Joints, _: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
    """Here both shafts point the same way, there away from each other."""
    yield Wanted("constant_velocity", ((i.part, i.feature), on.turned(j, "x")))


def _no_rotation(on: Joints, _: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
    """Axes parallel, and no turn about them: 0 or half a turn, whichever is nearer."""
    yield Wanted("parallel", on.sides(i, j))
    value = 0.0 if on.nearest(i, j) in ("", "x") else 180.0
    about = {"about": (i.part, i.feature), "value": value}
    yield Wanted("angle", (on.as_axis(i, "x"), on.as_axis(j, "x")), about, "turn")


def _planar(on: Joints, entry: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
    offset = on.length(entry, "offset", 0.0)
    if offset:
        yield Wanted("coplanar", on.sides(i, j), {"offset": offset})
    else:
        yield Wanted("planar", on.sides(i, j))


def _point_in_plane(on: Joints, entry: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
    offset = {"offset": on.length(entry, "offset", 0.0)}
    yield Wanted("point_in_plane", (on.as_plane(i), (j.part, j.feature)), offset)


def _line_in_plane(on: Joints, entry: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
    offset = {"offset": on.length(entry, "offset", 0.0)}
    yield Wanted("line_in_plane", (on.as_plane(i), on.as_axis(j)), offset)


def _point_on_line(on: Joints, _: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
    yield Wanted("point_on_line", (on.as_axis(i), (j.part, j.feature)))


def _angle(on: Joints, entry: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
    """The cosine of the angle (rad) is what is asked for: signs and turns do not count."""
    value = degrees(acos(cos(on.number(entry, "theIzJz"))))
    yield Wanted("angle", on.sides(i, j), {"value": value})


def _distance(line_i: bool, line_j: bool, upright: bool = False) -> Make:
    """A distance of points or axes; `upright` keeps J at the height of I besides."""

    def make(on: Joints, entry: Entry, i: Marker, j: Marker) -> Iterator[Wanted]:
        value = {"value": on.length(entry, "distanceIJ")}
        if value["value"] < 0.0:
            raise NotUnderstood(f"its distance is {value['value']:g} mm")
        a = on.as_axis(i) if line_i else (i.part, i.feature)
        b = on.as_axis(j) if line_j else (j.part, j.feature)
        yield Wanted("distance", (a, b), value)
        if upright:
            yield Wanted("point_in_plane", (on.as_plane(i), (j.part, j.feature)), more="height")

    return make


KINDS: Mapping[str, tuple[tuple[str, ...], Make]] = {
    "RevoluteJoint": ((), _plain("revolute")),
    "CylindricalJoint": ((), _plain("cylindrical")),
    "TranslationalJoint": ((), _locked("prismatic")),
    "SphericalJoint": ((), _plain("spherical")),
    "FixedJoint": ((), _locked("fixed")),
    "UniversalJoint": ((), _plain("universal")),
    "ConstantVelocityJoint": ((), _constant_velocity),
    "PlanarJoint": (("offset",), _planar),
    "PointInPlaneJoint": (("offset",), _point_in_plane),
    "LineInPlaneJoint": (("offset",), _line_in_plane),
    "PointInLineJoint": ((), _point_on_line),
    "AngleJoint": (("theIzJz",), _angle),
    "ParallelAxesJoint": ((), _plain("parallel")),
    "PerpendicularJoint": ((), _plain("perpendicular")),
    "NoRotationJoint": ((), _no_rotation),
    "SphSphJoint": (("distanceIJ",), _distance(False, False)),
    "CylSphJoint": (("distanceIJ",), _distance(True, False)),
    "RevCylJoint": (("distanceIJ",), _distance(True, True)),
    "RevRevJoint": (("distanceIJ",), _distance(True, True, upright=True)),
}
"""By the joint's name in the file: the keys it may have, and what makes its mates."""

Couple = Callable[[Joints, Entry, Place, Place, Carriers], Coupled]


def _gear(on: Joints, entry: Entry, i: Place, j: Place, carriers: Carriers) -> Coupled:
    return carriers.gear(i, j, (on.length(entry, "radiusI"), on.length(entry, "radiusJ")))


def _rack(on: Joints, entry: Entry, i: Place, j: Place, carriers: Carriers) -> Coupled:
    """The rack slides along its x; z is that of the pinion."""
    return carriers.rack(i, j, on.length(entry, "pitchRadius"), along=X)


def _screw(on: Joints, entry: Entry, i: Place, j: Place, carriers: Carriers) -> Coupled:
    return carriers.screw(i, j, on.length(entry, "pitch"))


COUPLINGS: Mapping[str, tuple[tuple[str, ...], Couple]] = {
    "GearJoint": (("radiusI", "radiusJ"), _gear),
    "RackPinionJoint": (("pitchRadius",), _rack),
    "ScrewJoint": (("pitch",), _screw),
}
"""Those that relate the coordinates of other joints."""

ALL = (*KINDS, *COUPLINGS)
