"""Joints of .asmt files as mates.

A joint relates marker I and marker J, frames on two parts.  Its first feature is that of I.
OndselSolver requires direction cosines to vanish: parallel axes may be opposed, and frames that do
not rotate against each other may differ by half a turn.  The start poses decide, as they do there.
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
from ...model.references import free_name
from ..coupling_joints import CouplingBuilder, CouplingDefinition, JointFrames, PartFrame, X
from ..self_mates import own_gap
from .functions import constant
from .syntax import Entry

Sides = tuple[tuple[str, str], tuple[str, str]]

HALF_TURNS = {"": (1, 1, 1), "x": (1, -1, -1), "y": (-1, 1, -1), "z": (-1, -1, 1)}
"""Signs of x, y and z of a frame after half a turn about one of its axes."""

OWN = ("Name", "MarkerI", "MarkerJ")
"""Keys of every joint."""


class AsmtMarker(NamedTuple):
    """A frame on a part: the part, its feature there, and its pose in the part."""

    part: str
    feature: str
    pose: Pose


class AsmtMate(NamedTuple):
    """A mate of a joint; `more` is appended to the joint's name."""

    kind: str
    sides: Sides
    parameters: Mapping[str, Any] = {}
    more: str = ""


class JointReader:
    """Adds mates of joints, and features for markers used as axes or planes, to an assembly.

    Args:
        markers: by their paths in the file; scale: the file's unit of length, mm.
    """

    def __init__(self, assembly: Assembly, markers: Mapping[str, AsmtMarker], scale: float) -> None:
        self.assembly, self.markers, self.scale = assembly, markers, scale
        self.named: dict[str, tuple[str, str]] = {}
        """Paths of both markers of every joint that became a mate, by the joint's name."""
        self.told: dict[str, str] = {}
        """Joints that hold whatever moves, by name, and why."""
        self._made: dict[tuple[str, str, str], tuple[str, str]] = {}

    def enter(self, entry: Entry) -> None:
        """Add the mates of a joint; NotUnderstood where it is unsupported.

        One between two markers of one part is a fact, not a mate: it holds or it does not.
        """
        if entry.text not in KINDS:
            raise NotUnderstood(f"no joint {entry.text!r}; {nearest_names(entry.text, ALL)}")
        keys, make = KINDS[entry.text]
        check_keys(entry, (*OWN, *keys))
        paths = entry.value("MarkerI"), entry.value("MarkerJ")
        i, j = (self.marker(path) for path in paths)
        mates = list(make(self, entry, i, j))
        if i.part == j.part:
            self.told[free_name(entry.label, self.told)] = self._held_by_itself(mates, i.part)
            return
        name = entry.text_of("Name") or None
        for mate in mates:
            label = f"{name} {mate.more}" if mate.more else name
            made = self.assembly.mate(mate.kind, *mate.sides, name=label, **mate.parameters)
            name = name or made.name
        assert name is not None
        self.named[name] = paths

    def _held_by_itself(self, mates: list[AsmtMate], part: str) -> str:
        """That mates of two markers of one part hold; NotUnderstood: they never can."""
        off = [own_gap(self.assembly, m.kind, m.sides, m.parameters) for m in mates]
        words = f"both its markers are on {part}"
        if any(gap.reach_mm > self.assembly.tolerance for gap in off):
            worst = max(off, key=lambda gap: gap.reach_mm)
            raise NotUnderstood(f"it contradicts itself: {words}, off by {worst.words}")
        return f"redundant: {words}, where it holds always"

    def couple(self, entry: Entry) -> None:
        """Add a coupling when all other joints exist; NotUnderstood where it is unsupported."""
        keys, make = COUPLINGS[entry.text]
        check_keys(entry, (*OWN, *keys))
        i, j = (self._frame(entry.value(f"Marker{side}")) for side in "IJ")
        lengths = [self.length(entry, key) for key in keys]
        found = make(self._couplings, i, j, lengths)
        self.assembly.mate(found.kind, name=entry.text_of("Name") or None, **found.parameters)

    def marker(self, path: str) -> AsmtMarker:
        """The marker with a path; NotUnderstood where there is none."""
        if path not in self.markers:
            raise NotUnderstood(f"no marker {path!r}; {nearest_names(path, self.markers)}")
        return self.markers[path]

    def length(self, entry: Entry, key: str, default: float | None = None) -> float:
        """A length of a joint, mm."""
        return self.scale * self.number(entry, key, default)

    def number(self, entry: Entry, key: str, default: float | None = None) -> float:
        """A number of a joint, or the default where the key is absent."""
        if default is not None and entry.find(key) is None:
            return default
        return constant(entry.value(key))

    # ------------------------------------------------------------------ features of markers
    def as_frame(self, marker: AsmtMarker) -> tuple[str, str]:
        """A marker as it is."""
        return marker[:2]

    def as_axis(self, marker: AsmtMarker, axis: str = "z") -> tuple[str, str]:
        """One of the axes of a marker as a feature; angles about z count from x."""
        number = "xyz".index(axis)
        origin, *axes = _rows(marker.pose)
        zero = triple(axes[(number + 1) % 3])
        made = Axis(triple(origin), triple(axes[number]), zero if axis != "z" else triple(axes[0]))
        return self._feature(marker, f"axis {axis}" if axis != "z" else "axis", made)

    def as_plane(self, marker: AsmtMarker) -> tuple[str, str]:
        """The xy plane of a marker as a feature."""
        origin, x, _, z = _rows(marker.pose)
        return self._feature(marker, "plane", Plane(triple(origin), triple(z), triple(x)))

    def turned(self, marker: AsmtMarker, about: str) -> tuple[str, str]:
        """A marker rotated by half a turn about one of its axes."""
        if not about:
            return marker[:2]
        origin, x, _, z = _rows(marker.pose)
        sx, _, sz = HALF_TURNS[about]
        made = Frame(triple(origin), triple(sz * z), triple(sx * x))
        return self._feature(marker, f"half a turn about {about}", made)

    def _feature(self, marker: AsmtMarker, word: str, made: Feature) -> tuple[str, str]:
        key = (marker.part, marker.feature, word)
        if key not in self._made:
            name = free_name(f"{marker.feature} {word}", self.assembly.parts[marker.part].features)
            self.assembly.add_features(marker.part, {name: made})
            self._made[key] = (marker.part, name)
        return self._made[key]

    # ------------------------------------------------------------------ poses of markers
    def in_assembly(self, marker: AsmtMarker) -> Array:
        """Origin (mm), x, y, z of a marker in the assembly at the start, as rows."""
        return _rows(self.assembly.pose(marker.part) @ marker.pose)

    def nearest(self, i: AsmtMarker, j: AsmtMarker) -> str:
        """The axis of J about which half a turn brings it nearest to I; "" for no turn."""
        cosines = (self.in_assembly(i)[1:] * self.in_assembly(j)[1:]).sum(axis=1)
        return max(HALF_TURNS, key=lambda word: float(cosines @ HALF_TURNS[word]))

    def _frame(self, path: str) -> PartFrame:
        marker = self.marker(path)
        return PartFrame(marker.part, self.in_assembly(marker), marker.part)

    @cached_property
    def _couplings(self) -> CouplingBuilder:
        """Made at the first coupling, when all other joints have been added."""
        found = []
        for name, (i, j) in self.named.items():
            kind = self.assembly.mates[name].kind
            found.append(JointFrames(name, kind, self._frame(i), self._frame(j)))
        grounded = [part.name for part in self.assembly.parts.values() if part.grounded]
        return CouplingBuilder(self.assembly.parts, found, grounded)


def check_keys(entry: Entry, known: tuple[str, ...]) -> None:
    """Raise NotUnderstood at a key that an entry cannot have."""
    for inner in entry.inner:
        if inner.text not in known:
            raise NotUnderstood(f"no {inner.text!r} in {entry.text}; known: {', '.join(known)}")


def _rows(pose: Pose) -> Array:
    return pose.frame.reshape(4, 3)


# ---------------------------------------------------------------------------------- the kinds
Make = Callable[[JointReader, Entry, AsmtMarker, AsmtMarker], Iterator[AsmtMate]]
Taken = Callable[[JointReader, AsmtMarker], tuple[str, str]]
"""A marker as a feature."""

FRAME, AXIS, PLANE = JointReader.as_frame, JointReader.as_axis, JointReader.as_plane


def _plain(kind: str, first: Taken = FRAME, second: Taken = FRAME, offset: bool = False) -> Make:
    """A joint that is defined by its two markers as these features, and an offset if it has one."""

    def make(on: JointReader, entry: Entry, i: AsmtMarker, j: AsmtMarker) -> Iterator[AsmtMate]:
        more = {"offset": on.length(entry, "offset", 0.0)} if offset else {}
        yield AsmtMate(kind, (first(on, i), second(on, j)), more)

    return make


def _locked(kind: str) -> Make:
    """A joint that stops every turn."""

    def make(on: JointReader, _: Entry, i: AsmtMarker, j: AsmtMarker) -> Iterator[AsmtMate]:
        yield AsmtMate(kind, (i[:2], on.turned(j, on.nearest(i, j))))

    return make


def _constant_velocity(
    on: JointReader, _: Entry, i: AsmtMarker, j: AsmtMarker
) -> Iterator[AsmtMate]:
    """Here both shafts point the same way, there away from each other.

    Its equation x_I . y_J + y_I . x_J = 0 has two roots half a turn of a shaft apart.
    """
    cosines = on.in_assembly(i)[1:3] @ on.in_assembly(j)[1:3].T
    nearer = "y" if cosines[0, 0] <= cosines[1, 1] else "x"
    yield AsmtMate("constant_velocity", (i[:2], on.turned(j, nearer)))


def _no_rotation(on: JointReader, _: Entry, i: AsmtMarker, j: AsmtMarker) -> Iterator[AsmtMate]:
    """Axes parallel, and no turn about them: 0 or half a turn, whichever is nearer."""
    yield AsmtMate("parallel", (i[:2], j[:2]))
    value = 0.0 if on.nearest(i, j) in ("", "x") else 180.0
    sides = on.as_axis(i, "x"), on.as_axis(j, "x")
    yield AsmtMate("angle", sides, {"about": i[:2], "value": value}, "turn")


def _planar(on: JointReader, entry: Entry, i: AsmtMarker, j: AsmtMarker) -> Iterator[AsmtMate]:
    offset = on.length(entry, "offset", 0.0)
    more = {"offset": offset} if offset else {}
    yield AsmtMate("coplanar" if offset else "planar", (i[:2], j[:2]), more)


def _angle(on: JointReader, entry: Entry, i: AsmtMarker, j: AsmtMarker) -> Iterator[AsmtMate]:
    """The cosine of the angle (rad) is prescribed: its sign and full turns do not count."""
    value = degrees(acos(cos(on.number(entry, "theIzJz"))))
    yield AsmtMate("angle", (i[:2], j[:2]), {"value": value})


def _distance(first: Taken, second: Taken, upright: bool = False) -> Make:
    """A distance of points or axes; `upright` also puts J into the xy plane of I."""

    def make(on: JointReader, entry: Entry, i: AsmtMarker, j: AsmtMarker) -> Iterator[AsmtMate]:
        value = {"value": on.length(entry, "distanceIJ")}
        if value["value"] < 0.0:
            raise NotUnderstood(f"its distance is {value['value']:g} mm")
        yield AsmtMate("distance", (first(on, i), second(on, j)), value)
        if upright:
            yield AsmtMate("point_in_plane", (on.as_plane(i), j[:2]), more="height")

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
    "PointInPlaneJoint": (("offset",), _plain("point_in_plane", PLANE, offset=True)),
    "LineInPlaneJoint": (("offset",), _plain("line_in_plane", PLANE, AXIS, offset=True)),
    "PointInLineJoint": ((), _plain("point_on_line", AXIS)),
    "AngleJoint": (("theIzJz",), _angle),
    "ParallelAxesJoint": ((), _plain("parallel")),
    "PerpendicularJoint": ((), _plain("perpendicular")),
    "NoRotationJoint": ((), _no_rotation),
    "SphSphJoint": (("distanceIJ",), _distance(FRAME, FRAME)),
    "CylSphJoint": (("distanceIJ",), _distance(AXIS, FRAME)),
    "RevCylJoint": (("distanceIJ",), _distance(AXIS, AXIS)),
    "RevRevJoint": (("distanceIJ",), _distance(AXIS, AXIS, upright=True)),
}
"""By the name of the joint: its keys, and the function that makes its mates."""

Couple = Callable[[CouplingBuilder, PartFrame, PartFrame, list[float]], CouplingDefinition]

COUPLINGS: Mapping[str, tuple[tuple[str, ...], Couple]] = {
    "GearJoint": (("radiusI", "radiusJ"), lambda on, i, j, mm: on.gear(i, j, (mm[0], mm[1]))),
    # the rack slides along its x; z is that of the pinion
    "RackPinionJoint": (("pitchRadius",), lambda on, i, j, mm: on.rack(i, j, mm[0], along=X)),
    "ScrewJoint": (("pitch",), lambda on, i, j, mm: on.screw(i, j, mm[0])),
}
"""Joints that relate the coordinates of others: their keys of lengths, and what makes them."""

ALL = (*KINDS, *COUPLINGS)
