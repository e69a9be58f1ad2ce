"""The native format: what its door refuses, in which words, and what it gives back unchanged."""

from __future__ import annotations

import copy
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from refusals import refusals

from assembly_solver import formats
from assembly_solver.errors import (
    AssemblySolverError,
    FormatError,
    MissingFile,
    UnknownName,
    UnknownSuffix,
)
from assembly_solver.formats.native import assembly_json
from assembly_solver.foundations.geometry.pose import Pose
from assembly_solver.model.assembly import Assembly
from assembly_solver.model.feature import Axis, Frame, Plane, Point
from assembly_solver.model.mate import MATES, Reference
from assembly_solver.model.synonyms import SYNONYMS

SAMPLES = Path(__file__).parents[3] / "samples"

HINGE: dict[str, Any] = {
    "format": "assembly-solver/1",
    "name": "hinge",
    "parts": {
        "frame": {
            "grounded": True,
            "features": {
                "pin": {"axis": {"point": [0, 0, 0], "direction": "z"}},
                "seat": {"plane": {"point": [0, 0, 0], "normal": [0, 0, 1]}},
                "mark": {"point": [100, 0, 0]},
                "cs": {"frame": {"origin": [0, 0, 0], "z": [0, 0, 1], "x": [1, 0, 0]}},
            },
        },
        "door": {
            "pose": {"position": [3, -2, 8], "quaternion_wxyz": [0.6, 0, 0, 0.8]},
            "features": {
                "pin": {"axis": {"point": [0, 0, 0], "direction": [0, 0, 1], "radius": 4}},
                "foot": {"plane": {"point": [0, 0, 0], "normal": [0, 0, -1]}},
                "edge": {"point": [800, 0, 0]},
            },
        },
    },
    "mates": [
        {"name": "line", "kind": "coaxial", "a": "frame.pin", "b": "door.pin"},
        {"name": "seat", "kind": "coplanar", "a": "frame.seat", "b": "door.foot"},
    ],
    "drivers": {"opening": {"joint": "line", "coordinate": "angle", "value": 30}},
}

NOTHING = object()


def changed(*path: Any) -> str:
    """The hinge with one value set (or, with NOTHING, taken away) at a path."""
    *way, last, value = path
    tree = copy.deepcopy(HINGE)
    at: Any = tree
    for key in way:
        at = at[key]
    if value is NOTHING:
        del at[last]
    elif isinstance(at, list) and last == len(at):
        at.append(value)
    else:
        at[last] = value
    return json.dumps(tree)


def mate(**entry: Any) -> str:
    """The hinge with one more mate, of the name "new"."""
    return changed("mates", 2, {"name": "new"} | entry)


def door(*path: Any) -> str:
    return changed("parts", "door", *path)


KINDS = ", ".join(sorted({*MATES, *SYNONYMS})[:6])
COUNT = len({*MATES, *SYNONYMS})

REFUSED = refusals(r"""
partz = {}
    UnknownName: top level: no key 'partz'; did you mean 'parts'?
parts.door.poze = {}
    UnknownName: parts.door: no key 'poze'; did you mean 'pose'?
parts.door.features.pin.axis.directon = "z"
    UnknownName: parts.door.features.pin.axis: no key 'directon'; did you mean 'direction'?
parts.door.pose.quaternion = [1, 0, 0, 0]
    UnknownName: parts.door.pose: no key 'quaternion'; did you mean 'quaternion_wxyz'?
new mate = {"kind": "coaxial", "a": "frame.pin", "b": "door.pin", "sence": "aligned"}
    UnknownName: mates.new: no key 'sence'; did you mean 'sense'?
new mate = {"kind": "parallel", "a": "frame.pin", "b": "door.pin", "offset": 1}
    UnknownName: mates.new: no key 'offset'; known: a, at, b, kind, name, parts, ... (7 in all)
drivers.opening.range = 3
    BadValue: drivers.opening.range: 3 is not possible here, it must be two numbers, smallest first
drivers.opening.ranje = [0, 1]
    UnknownName: drivers.opening: no key 'ranje'; did you mean 'range' or 'angle'?
new mate = {"kind": "coaxal", "a": "frame.pin", "b": "door.pin"}
    UnknownName: mates.new.kind: no mate kind 'coaxal'; did you mean 'coaxial'?
new mate = {"kind": "??", "a": "frame.pin", "b": "door.pin"}
    UnknownName: mates.new.kind: no mate kind '??'; known: KINDS, ... (COUNT in all)
new mate = {"kind": ["coaxial"], "a": "frame.pin", "b": "door.pin"}
    BadValue: mates.new.kind: ["coaxial"] is not possible here, it must be text that is not empty
new mate = {"kind": null, "a": "frame.pin", "b": "door.pin"}
    BadValue: mates.new.kind: null is not possible here, it must be text that is not empty
checks = [{"kind": true}]
    BadValue: checks[0].kind: true is not possible here, it must be text that is not empty
new mate = {"a": "frame.pin", "b": "door.pin"}
    MissingKey: mates.new: a mate needs 'kind'
new mate = {"kind": "coaxial", "a": "frame.pinn", "b": "door.pin"}
    UnknownName: mates.new.a: no feature 'pinn' of part 'frame'; did you mean 'pin'?
new mate = {"kind": "coaxial", "a": "frame.pin", "b": "dor.pin"}
    UnknownName: mates.new.b: no feature 'dor.pin'; did you mean 'door.pin' or 'frame.pin'?
new mate = {"kind": "coaxial", "a": "frame.pin", "b": ["dor", "pin"]}
    UnknownName: mates.new.b: no part 'dor'; did you mean 'door'?
new mate = {"kind": "coaxial", "a": "frame", "b": "door.pin"}
    UnknownName: mates.new.a: no feature 'frame'; did you mean 'frame.cs' or 'frame.pin' or
    'frame.seat'?
new mate = {"kind": "coaxial", "a": ["frame", 3], "b": "door.pin"}
    BadValue: mates.new.a: ["frame", 3] is not possible here, it must be "part.feature" or ["part",
    "feature"]
new mate = {"kind": "coaxial", "a": "frame.pin"}
    MissingKey: mates.new: coaxial needs 'b'
new mate = {"kind": "distance", "a": "frame.mark", "b": "door.edge"}
    MissingKey: mates.new: distance needs 'value'
new mate = {"kind": "coaxial", "a": "frame.mark", "b": "door.pin"}
    FeatureTypeError: mates.new.a: coaxial: frame.mark is of type Point, it must be Axis or Frame;
    Point and Axis are taken by distance, point on line, tangent, spherical
new mate = {"kind": "coincident", "a": "frame.seat", "b": "door.foot"}
    FeatureTypeError: mates.new.a: coincident: frame.seat is of type Plane, it must be Frame or
    Point; Plane and Plane are taken by coplanar, parallel, perpendicular, angle, distance, width,
    ...
parts.door.pose.position = [0, NaN, 0]
    BadValue: parts.door.pose.position[1]: NaN is not possible here, it must be a finite number
parts.door.pose.position = [0, Infinity, 0]
    BadValue: parts.door.pose.position[1]: Infinity is not possible here, it must be a finite number
parts.door.x-note = [-Infinity]
    BadValue: parts.door.x-note[0]: -Infinity is not possible here, it must be a finite number
parts.door.pose.position = [0, 0]
    BadValue: parts.door.pose.position: [0, 0] is not possible here, it must be a list of 3 numbers
parts.door.features.edge.point = ["1", 0, 0]
    BadValue: parts.door.features.edge.point: ["1", 0, 0] is not possible here, it must be a list of
    3 numbers
parts.door.features.edge.point = [true, 0, 0]
    BadValue: parts.door.features.edge.point: [true, 0, 0] is not possible here, it must be a list
    of 3 numbers
parts.door.features.pin.axis.radius = -1
    BadValue: parts.door.features.pin.axis.radius: -1 is not possible here, it must be a length of
    at least 0
parts.door.features.pin.axis.radius = "4"
    BadValue: parts.door.features.pin.axis.radius: '4' is not possible here, it must be a length of
    at least 0
new mate = {"kind": "distance", "a": "frame.mark", "b": "door.edge", "value": -1}
    BadValue: mates.new.value: -1 is not possible here, it must be at least 0 (signed only from a
    plane)
new mate = {"kind": "angle", "a": "frame.pin", "b": "door.pin", "value": 181}
    BadValue: mates.new.value: 181 is not possible here, it must be an angle of 0 to 180 degrees (or
    "about")
new mate = {"kind": "distance", "a": "frame.pin", "b": "door.pin", "value": 1, "skew": 1}
    BadValue: mates.new.skew: 1 is not possible here, it must be true or false
new mate = {"kind": "coaxial", "a": "frame.pin", "b": "door.pin", "sense": "alined"}
    BadValue: mates.new.sense: 'alined' is not possible here, it must be aligned, opposed or nearest
tolerance = 0
    BadValue: tolerance: 0 is not possible here, it must be a length above 0
drivers.opening.value = "30"
    BadValue: drivers.opening.value: '30' is not possible here, it must be a finite number (deg)
drivers.opening.range = [90, 0]
    BadValue: drivers.opening.range: [90, 0] is not possible here, it must be two numbers, smallest
    first
parts.door.features.pin.axis.direction = [0, 0, 0]
    BadValue: parts.door.features.pin.axis.direction: [0.0, 0.0, 0.0] is not possible here, it must
    be a direction that is not zero
parts.door.features.foot.plane.normal = [0, 0, 0]
    BadValue: parts.door.features.foot.plane.normal: [0.0, 0.0, 0.0] is not possible here, it must
    be a direction that is not zero
parts.door.features.pin.axis.direction = "w"
    BadValue: parts.door.features.pin.axis.direction: 'w' is not possible here, it must be three
    numbers or one of "x", "y", "z", "-x", "-y", "-z"
parts.door.features.pin.axis.x = [0, 0, 2]
    BadValue: parts.door.features.pin.axis.x: [0, 0, 2] is not possible here, it must be a direction
    that is not parallel to the axis
parts.door.pose.quaternion_wxyz = [0, 0, 0, 0]
    BadValue: parts.door.pose.quaternion_wxyz: [0.0, 0.0, 0.0, 0.0] is not possible here, it must be
    a quaternion that is not zero
parts.door.pose = {"axis": [0, 0, 0], "angle": 3}
    BadValue: parts.door.pose.axis: [0.0, 0.0, 0.0] is not possible here, it must be a direction
    that is not zero
new mate = {"name": "line", "kind": "coaxial", "a": "frame.pin", "b": "door.pin"}
    DuplicateName: mates.line: there is already a mate 'line'; names are given once
new mate = {"kind": "parallel", "a": "door.pin", "b": "door.foot"}
    SelfMate: mates.new: mate 'new' joins part 'door' with itself; it must join two parts
drivers.gap = {"separation": ["door.pin", "door.edge"]}
    SelfMate: drivers.gap: separation 'door.pin - door.edge' joins part 'door' with itself; it must
    join two parts
parts.door.pose.axis = [0, 0, 1]
    Contradiction: parts.door.pose: 'quaternion_wxyz' and 'axis' exclude each other; give one of
    them
parts.door.pose.angle = 30
    MissingKey: parts.door.pose: a pose with 'angle' needs 'axis'
parts.door.features.edge.axis = {"point": [0, 0, 0], "direction": "z"}
    Contradiction: parts.door.features.edge: 'point' and 'axis' exclude each other; give one of them
parts.door.features.edge = {}
    FormatError: parts.door.features.edge: a feature is one of 'point', 'axis', 'plane', 'frame',
    'sphere', 'cone', 'torus', 'curve', 'select'
parts.door.features.pin.axis.direction = NOTHING
    MissingKey: parts.door.features.pin.axis: 'axis' needs 'direction'
drivers.opening.separation = ["frame.mark", "door.edge"]
    Contradiction: drivers.opening: joint and separation exclude each other; give one of them
drivers.opening = {"separation": ["frame.mark", "door.edge"], "coordinate": "x"}
    Contradiction: drivers.opening: separation and coordinate exclude each other; give one of them
drivers.opening.law = 3
    Contradiction: drivers.opening: value and law exclude each other; give one of them
drivers.opening = {"value": 3}
    MissingKey: drivers.opening: a driver needs 'joint'
new mate = {"kind": "revolute", "a": "frame.pin", "b": "door.pin", "parts": ["frame", "door"]}
    Contradiction: mates.new: a, b and parts, at exclude each other; give one of them
new mate = {"kind": "flush", "a": "frame.seat", "b": "door.foot", "sense": "opposed"}
    Contradiction: mates.new: kind 'flush' and sense 'opposed' exclude each other; give one of them
new mate = {"kind": "distance", "a": "frame.mark", "b": "door.edge", "value": 1, "skew": true}
    BadValue: mates.new.skew: true is not possible here, it must be given with two axes only
drivers.opening.joint = "lime"
    UnknownName: drivers.opening: no joint 'lime'; did you mean 'line'?
drivers.opening.coordinate = "angel"
    UnknownName: drivers.opening: no coordinate 'angel' of 'line'; did you mean 'angle'?
drivers.opening = {"joint": "seat", "coordinate": "angle"}
    UnknownName: drivers.opening: no coordinate 'angle' of 'seat'; there is none
drivers.opening.value = null
    BadValue: drivers.opening.value: null is not possible here, it must be left out or a value
mates = null
    BadValue: mates: null is not possible here, it must be left out or a value
format = "assembly-solver/2"
    BadValue: format: 'assembly-solver/2' is not possible here, it must be "assembly-solver/1"
format = NOTHING
    MissingKey: top level: an assembly needs 'format'
parts = NOTHING
    MissingKey: top level: an assembly needs 'parts'
parts = []
    BadValue: parts: [] is not possible here, it must be an object with an entry for each name
mates = {}
    BadValue: mates: {} is not possible here, it must be a list
mates.0 = "coaxial"
    BadValue: mates[0]: 'coaxial' is not possible here, it must be an object with a kind and two
    features
parts.door.grounded = 1
    BadValue: parts.door.grounded: 1 is not possible here, it must be true or false
parts.door.geometry = ""
    BadValue: parts.door.geometry: '' is not possible here, it must be text that is not empty
parts. = {}
    BadValue: parts: '' is not possible here, it must be a name that is not empty
new mate = {"kind": "gear", "joints": ["line", "line"], "ratio": -2}
    BadValue: mates.new.joints: ["line", "line"] is not possible here, it must be coordinates that
    differ
new mate = {"kind": "gear", "joints": ["lime", "line"], "ratio": -2}
    UnknownName: mates.new.joints: no joint 'lime'; did you mean 'line'?
new mate = {"kind": "gear", "joints": "line", "ratio": -2}
    BadValue: mates.new.joints: 'line' is not possible here, it must be the names of 2 to 12 joints
new mate = {"kind": "gear", "joints": ["line", "line"], "ratio": 0}
    BadValue: mates.new.ratio: 0 is not possible here, it must be a finite number that is not 0
new mate = {"kind": "gear", "a": "frame.pin", "b": "door.pin", "ratio": 2}
    UnknownName: mates.new: no key 'a'; known: constant, internal, joints, kind, name, ratio, ... (7
    in all)
limits = [{"joint": "line", "coordinate": "angle"}]
    MissingKey: limits[0]: a limit without 'max' needs 'min'
limits = [{"joint": "line", "coordinate": "angle", "min": 5, "max": 1}]
    BadValue: limits[0].max: 1 is not possible here, it must be at least 5, the min
limits = [{"name": "end", "joint": "line", "coordinate": "angle", "max": 190}]
    BadValue: limits.end.max: 190 is not possible here, it must be between -180 and 180 where the
    other bound is absent
limits = [{"joint": "line", "coordinate": "angle", "max": "110"}]
    BadValue: limits[0].max: '110' is not possible here, it must be a finite number (deg)
limits = [{"joint": "lime", "coordinate": "angle", "max": 1}]
    UnknownName: limits[0]: no joint 'lime'; did you mean 'line'?
limits = [{"joint": "seat", "max": 1}]
    UnknownName: limits[0]: no joint that turns or slides 'seat'; known: line
limits = [{"joint": "line", "coordinate": "angel", "max": 1}]
    UnknownName: limits[0]: no coordinate 'angel' of 'line'; did you mean 'angle'?
limits = [{"max": 1}]
    MissingKey: limits[0]: a limit needs 'joint'
limits = [{"separation": ["frame.mark", "door.edge"], "min": -1}]
    BadValue: limits[0].min: -1 is not possible here, it must be a length of at least 0
limits = [{"separation": ["frame.mark", "frame.seat"], "max": 1}]
    SelfMate: limits[0]: separation 'frame.mark - frame.seat' joins part 'frame' with itself; it
    must join two parts
limits = [{"separation": ["frame.mark"], "max": 1}]
    BadValue: limits[0].separation: ["frame.mark"] is not possible here, it must be two features
limits = [{"joint": "line", "coordinate": "angle", "maximum": 1}]
    UnknownName: limits[0]: no key 'maximum'; did you mean 'max'?
limits = [{"name": "x", "joint": "line", "coordinate": "angle", "max": 1}, {"name": "x", "joint":
"line", "coordinate": "angle", "max": 1}]
    DuplicateName: limits.x: there is already a limit 'x'; names are given once
drivers.opening = {"joint": "line", "coordinate": "angle", "law": "3*T"}
    BadExpression: drivers.opening.law: '3*T', column 3: no name 'T'; known: e, pi, t
checks = [{"equals": 0}]
    MissingKey: checks[0]: a check needs 'kind'
{"format": "assembly-solver/1", "parts": {"a": {}, "b": {}, "a": {}}}
    DuplicateName: parts: there is already a key 'a'; names are given once
{"format": "assembly-solver/1", "format": "assembly-solver/1", "parts": {}}
    DuplicateName: top level: there is already a key 'format'; names are given once
[]
    BadValue: top level: [] is not possible here, it must be an object with 'format', 'name',
    'tolerance', 'floating', 'parameters', 'linkage', 'parts', 'mates', 'drivers', 'cylinders',
    'limits', 'positions', 'gravity_m_s2', 'loads', 'springs', 'measures', 'tolerances', 'contact',
    'checks'
{"format": "assembly-solver/1", "parts": {}, "floating": 1}
    BadValue: floating: 1 is not possible here, it must be true or false
{"format": "assembly-solver/1", "parts": {}, "tolerance": 1e999}
    BadValue: tolerance: Infinity is not possible here, it must be a finite number
{"name": "\ud800"}
    FormatError: name: half a surrogate pair is not text
""")
"""The hinge with something else at a place, or another text; and the error with its message."""


def refused(case: str) -> str:
    """The text of a case of the table."""
    place, _, value = case.partition(" = ")
    if place == "new mate":
        return mate(**json.loads(value))
    if not value:
        return case
    return changed(
        *(int(k) if k.isdigit() else k for k in place.split(".")),
        NOTHING if value == "NOTHING" else json.loads(value),
    )


ODD = [
    (
        '{"format": 1,\n  "parts" {}}',
        "FormatError: line 2, column 11: this is not JSON: Expecting ':' delimiter",
    ),
    ("", "FormatError: line 1, column 1: this is not JSON: Expecting value"),
    ("[" * 100_000, "FormatError: top level: this is nested too deeply, more than 100 times"),
]
"""Texts that are no JSON."""


@pytest.mark.parametrize(
    ("text", "message"),
    [*((refused(case), said) for case, said in REFUSED), *ODD],
    ids=[said[:60] for _, said in REFUSED + ODD],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        assembly_json.read_text(text)
    said = f"{type(caught.value).__name__}: {caught.value}"
    assert said == message.replace("KINDS", KINDS).replace("COUNT", str(COUNT))


def test_the_hinge_is_read_as_it_is_written() -> None:
    a = assembly_json.read_text(json.dumps(HINGE))
    assert list(a.parts) == ["frame", "door"]
    assert a.parts["frame"].grounded and not a.parts["door"].grounded
    assert a.parts["frame"].features["pin"] == Axis((0, 0, 0), (0, 0, 1))
    assert a.parts["frame"].features["seat"] == Plane((0, 0, 0), (0, 0, 1))
    assert a.parts["frame"].features["mark"] == Point((100, 0, 0))
    assert a.parts["frame"].features["cs"] == Frame((0, 0, 0), (0, 0, 1), (1, 0, 0))
    assert a.parts["door"].pose == Pose((3, -2, 8), (0.6, 0, 0, 0.8))
    assert [m.kind for m in a.mates.values()] == ["coaxial", "coplanar"]
    assert a.drivers["opening"].value == 30.0


def test_a_pose_by_axis_and_angle_is_the_quaternion_of_half_the_angle() -> None:
    a = assembly_json.read_text(door("pose", {"position": [1, 2, 3], "axis": "z", "angle": 60}))
    assert a.pose("door").position == (1, 2, 3)
    w, x, y, z = a.pose("door").quaternion_wxyz
    assert (w, x, y, z) == pytest.approx((0.75**0.5, 0, 0, 0.5), abs=1e-15)


def test_a_law_that_is_a_number_is_a_value() -> None:
    entry = {"joint": "line", "coordinate": "angle", "law": 12}
    assert (
        assembly_json.read_text(changed("drivers", "opening", entry)).drivers["opening"].value
        == 12.0
    )


@pytest.mark.parametrize(
    ("word", "kind", "sense"),
    [
        ("concentric", "coaxial", "nearest"),
        ("plane", "coplanar", "nearest"),
        ("flush", "coplanar", "aligned"),
        ("mate", "coplanar", "opposed"),
        ("fastened", "fixed", None),
        ("rigid", "fixed", None),
        ("lock", "fixed", None),
        ("hinge", "revolute", "nearest"),
        ("slider", "prismatic", None),
        ("ball", "spherical", None),
    ],
)
def test_the_words_of_other_programs_are_understood(
    word: str, kind: str, sense: str | None
) -> None:
    plane = MATES[kind] is MATES["coplanar"]
    a, b = ("frame.seat", "door.foot") if plane else ("frame.pin", "door.pin")
    made = assembly_json.read_text(mate(kind=word, a=a, b=b)).mates["new"]
    assert (made.kind, getattr(made, "sense", None)) == (kind, sense)


def test_a_joint_placed_once_becomes_a_feature_of_both_parts() -> None:
    joint = {"kind": "revolute", "parts": ["frame", "door"], "at": {"origin": [13, 0, 8], "z": "z"}}
    a = assembly_json.read_text(mate(**joint))
    assert a.mates["new"].a == Reference("frame", "new")
    assert a.mates["new"].b == Reference("door", "new")
    for part in a.parts.values():
        placed = part.pose.apply(part.features["new"].origin)  # type: ignore[attr-defined]
        assert placed == pytest.approx((13, 0, 8), abs=1e-13)
    text = assembly_json.dump(a)
    assert assembly_json.dump(assembly_json.read_text(text)) == text


def test_a_mate_without_a_name_is_named_by_kind_and_features() -> None:
    a = assembly_json.read_text(
        changed("mates", 0, "name", NOTHING).replace(
            '"joint": "line"', '"joint": "coaxial frame.pin - door.pin"'
        )
    )
    assert list(a.mates) == ["coaxial frame.pin - door.pin", "seat"]


def test_the_longest_part_name_that_has_the_feature_is_meant() -> None:
    point = {"point": [0, 0, 0]}
    parts = {
        "a": {"features": {"b.c": point}},
        "a.b": {"features": {"d": point}},
        "e": {"features": {"f": point}},
    }
    tree = {
        "format": assembly_json.FORMAT,
        "parts": parts,
        "mates": [
            {"name": "1", "kind": "coincident", "a": "a.b.d", "b": "e.f"},
            {"name": "2", "kind": "coincident", "a": "a.b.c", "b": "e.f"},
            {"name": "3", "kind": "coincident", "a": ["a", "b.origin"], "b": "e.f"},
        ],
    }
    with pytest.raises(UnknownName, match=r"mates\.3\.a: no feature 'b\.origin' of part 'a'"):
        assembly_json.read_text(json.dumps(tree))
    del tree["mates"][2]  # type: ignore[attr-defined]
    made = assembly_json.read_text(json.dumps(tree)).mates
    assert made["1"].a == Reference("a.b", "d")
    assert made["2"].a == Reference("a", "b.c")


def test_a_reference_that_would_be_read_as_another_is_written_as_a_pair() -> None:
    a = Assembly()
    a.add("a", features={"b.c": Point((0, 0, 0))})
    a.add("a.b", features={"c": Point((0, 0, 0))})
    a.add("e")
    a.mate("coincident", ("a", "b.c"), "e.origin", name="m")
    assert '"a": ["a", "b.c"]' in assembly_json.dump(a)
    assert assembly_json.read_text(assembly_json.dump(a)).mates["m"].a == Reference("a", "b.c")


NOTED = """\
{
  "$schema": "assembly.schema.json",
  "format": "assembly-solver/1",
  "name": "Türe [bold]",
  "note": "top",
  "tolerance": 0.001,
  "parts": {
    "frame": {
      "note": ["two", "lines"],
      "grounded": true,
      "features": {
        "pin": {
          "note": "on the feature",
          "axis": {
            "note": "on the axis",
            "point": [0, 0.1, 100],
            "direction": [0, 0, 1],
            "radius": 4,
            "x-fit": "H7"
          }
        },
        "mark": {
          "point": [1e-07, 12345678.25, -1e-22],
          "x-colour": "red"
        }
      },
      "geometry": "parts/frame.step",
      "x-colour": "#aabbcc",
      "x-empty": {},
      "x-table": [
        [0, 1.5],
        [1, 2.5]
      ]
    },
    "door": {
      "pose": {
        "note": "guess",
        "position": [0, 0, 0],
        "quaternion_wxyz": [1, 0, 0, 0]
      }
    }
  },
  "mates": [
    {
      "note": "mate",
      "name": "line",
      "kind": "coaxial",
      "a": "frame.pin",
      "b": "door.z",
      "sense": "opposed",
      "x-torque": 12
    },
    {
      "name": "swing",
      "kind": "angle",
      "a": "frame.x",
      "b": "door.x",
      "value": -30,
      "about": "frame.pin"
    }
  ],
  "drivers": {
    "opening": {
      "note": "driver",
      "joint": "line",
      "coordinate": "length",
      "range": [0, 90],
      "value": 12.5
    },
    "gap": {
      "separation": ["frame.mark", "door.origin"]
    }
  },
  "checks": [
    {
      "kind": "dof",
      "equals": 0
    }
  ],
  "x-tool": null
}
"""


def test_a_written_file_is_read_and_written_byte_for_byte() -> None:
    assert assembly_json.dump(assembly_json.read_text(NOTED)) == NOTED


def test_notes_go_with_a_copy_and_leave_with_their_mate() -> None:
    a = assembly_json.read_text(NOTED)
    b = a.copy()
    b.remove("line")
    assert assembly_json.dump(a) == NOTED
    assert "x-torque" not in assembly_json.dump(b) and "driver" not in b.notes_at
    assert list(b.drivers) == ["gap"]


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.assembly.json")), ids=lambda p: p.stem)
def test_samples_come_back_byte_for_byte_after_one_writing(path: Path) -> None:
    text = assembly_json.dump(assembly_json.read(path))
    assert assembly_json.dump(assembly_json.read_text(text, folder=path.parent)) == text
    before, after = json.loads(path.read_text("utf-8")), json.loads(text)
    assert after.get("linkage") == before.get("linkage")
    names = [[m["name"] for m in told.get("mates", ())] for told in (before, after)]
    assert names[0] == names[1]
    for name, part in before.get("parts", {}).items():
        assert list(after["parts"][name]) == list(part)
        assert after["parts"][name].get("features") == part.get("features")


numbers = st.floats(-1e9, 1e9, allow_nan=False)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
vectors = st.tuples(numbers, numbers, numbers)
directions = vectors.filter(lambda v: max(map(abs, v)) > 1e-9)
quaternions = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: max(map(abs, q)) > 1e-3)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(names, min_size=2, max_size=2, unique=True),
    names,
    names,
    vectors,
    directions,
    quaternions,
    numbers,
)
def test_any_names_and_numbers_come_back(parts, pin, mate, point, direction, turn, offset):  # type: ignore[no-untyped-def]
    a = Assembly("any")
    for part in parts:
        a.add(part, features={pin: Plane(point, direction)}, pose=Pose(point, turn))
    a.mate("coplanar", (parts[0], pin), (parts[1], pin), name=mate, offset=offset)
    text = assembly_json.dump(a)
    b = assembly_json.read_text(text)
    assert assembly_json.dump(b) == text
    assert b.parts[parts[0]].pose == a.parts[parts[0]].pose
    assert b.parts[parts[1]].features[pin] == a.parts[parts[1]].features[pin]
    assert b.mates == a.mates


def test_whole_numbers_are_written_without_a_point_and_zero_without_a_sign() -> None:
    a = Assembly()
    a.add("p", pose=Pose((100.0, -0.0, 0.1)))
    assert '"position": [100, 0, 0.1]' in assembly_json.dump(a)


def test_the_identity_is_not_written() -> None:
    a = Assembly()
    a.add("p", pose=Pose())
    assert json.loads(assembly_json.dump(a))["parts"] == {"p": {}}


def test_geometry_keeps_pointing_at_its_file_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    source = tmp_path / "in" / "a.assembly.json"
    source.parent.mkdir()
    source.write_text(door("geometry", "solids/door.step"), encoding="utf-8")
    a = formats.read(source)
    assert a.parts["door"].geometry == Path("solids/door.step") and a.folder == source.parent
    target = tmp_path / "out" / "b.assembly.json"
    formats.write(a, target)
    written = json.loads(target.read_text("utf-8"))["parts"]["door"]["geometry"]
    assert written == "../in/solids/door.step"
    formats.write(formats.read(target), source)
    assert json.loads(source.read_text("utf-8"))["parts"]["door"]["geometry"] == "solids/door.step"


def test_the_name_of_a_nameless_assembly_is_that_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "gate.v2.assembly.json"
    file.write_text(changed("name", NOTHING), encoding="utf-8")
    assert formats.read(file).name == "gate.v2"


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO(b"\xef\xbb\xbf" + json.dumps(HINGE).encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    assert formats.read("-").name == "hinge"


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.assembly.json"
    file.write_bytes(b'{"name": "\xff"}')
    with pytest.raises(FormatError, match="byte 11: this is not UTF-8 text"):
        formats.read(file)


def test_a_suffix_that_nothing_reads_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownSuffix) as caught:
        formats.read("model.sldasm")
    assert str(caught.value).startswith("model.sldasm: assemblies are read by suffix, one of ")
    assert ".assembly.json" in str(caught.value)
    with pytest.raises(UnknownSuffix, match=r"x\.obj: files are written by suffix, one of"):
        formats.write(Assembly(), "x.obj")


@pytest.mark.parametrize("name", ["hinge", "hinge/", "Hinge.", "hinge.assembly"])
def test_a_name_without_its_suffix_names_the_files_that_have_it(tmp_path: Path, name: str) -> None:
    """A folder has the name as well: a shell completes up to there."""
    (tmp_path / "hinge").mkdir()
    for there in ("hinge.assembly.json", "hinge.step", "hinges.assembly.json"):
        (tmp_path / there).write_text("{}")
    with pytest.raises(UnknownSuffix) as caught:
        formats.read(f"{tmp_path}/{name}")
    assert str(caught.value).endswith(f".asmt; there is {tmp_path / 'hinge.assembly.json'}")


def test_a_missing_file_names_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "hinge.assembly.json").write_text("{}")
    with pytest.raises(MissingFile, match=r"there is no such file; did you mean '.*hinge"):
        formats.read(tmp_path / "hinges.assembly.json")


def test_a_link_to_itself_is_no_missing_file_of_its_own_name(tmp_path: Path) -> None:
    loop = tmp_path / "loop.assembly.json"
    loop.symlink_to(loop)
    with pytest.raises(MissingFile, match=r"loop.assembly.json: this link leads to no file$"):
        formats.read(loop)


def test_several_files_are_written_all_or_none(tmp_path: Path) -> None:
    a = assembly_json.read_text(json.dumps(HINGE), folder=tmp_path)
    old = tmp_path / "a.assembly.json"
    old.write_text("old")
    with pytest.raises(AssemblySolverError):
        formats.write(a, old, tmp_path / "a.step")  # no part has geometry
    assert old.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.assembly.json"]
    formats.write(a, old)
    assert old.read_text("utf-8") == assembly_json.dump(a)
    assert [p.name for p in tmp_path.iterdir()] == ["a.assembly.json"]
