"""The model's door: every name and type is checked when it is entered, with a useful message."""

from __future__ import annotations

from math import inf, nan

import pytest
from refusals import refusals

from assembly_solver.errors import (
    AssemblySolverError,
    BadValue,
    DuplicateName,
    UnknownName,
    nearest_names,
)
from assembly_solver.foundations.geometry.pose import Pose
from assembly_solver.model.assembly import Assembly
from assembly_solver.model.feature import Axis, Frame, Plane, Point, unit
from assembly_solver.model.mate import MATES
from assembly_solver.model.mates.basic import Coaxial

pytestmark = pytest.mark.quick


@pytest.fixture
def hinge() -> Assembly:
    a = Assembly("hinge")
    features = {
        "pin": Axis((0, 0, 0), "z"),  # type: ignore[arg-type]
        "seat": Plane((0, 0, 0), (0, 0, 1)),
        "mark": Point((100, 0, 0)),
    }
    a.add("frame", grounded=True, features=features)
    a.add("door", features=features)
    a.mate("coaxial", "frame.pin", "door.pin", name="line")
    return a


REFUSED = refusals("""
mate("coaxal", "frame.pin", "door.pin")
    UnknownName: no mate kind 'coaxal'; did you mean 'coaxial'?
mate("limit distance", "frame.mark", "door.mark", min=5, max=20)
    AmbiguousKind: mate kind 'limit distance' may mean distance (of one value) or a limit of a
    distance (min to max; no mate); give one of them
mate("coaxial", "frame.pin", "door.pim")
    UnknownName: coaxial.b: no feature 'pim' of part 'door'; did you mean 'pin'?
mate("coaxial", "fram.pin", "door.pin", name="m")
    UnknownName: mates.m.a: no feature 'fram.pin'; did you mean 'frame.pin' or 'door.pin'?
mate("coaxial", "frame.pin", 3)
    BadValue: coaxial.b: 3 is not possible here, it must be "part.feature" or ["part", "feature"]
mate("coaxial", "frame.mark", "door.pin")
    FeatureTypeError: coaxial.a: coaxial: frame.mark is of type Point, it must be Axis or Frame;
    Point and Axis are taken by distance, point on line, tangent, spherical
mate("coincident", "frame.pin", "door.pin")
    FeatureTypeError: coincident.a: coincident: frame.pin is of type Axis, it must be Frame or
    Point; Axis and Axis are taken by coaxial, parallel, perpendicular, angle, distance, fixed, ...
mate("point_on_line", "frame.mark", "door.mark")
    FeatureTypeError: point_on_line.b: point on line: door.mark is of type Point, it must be Axis;
    Point and Point are taken by coincident, distance, spherical, symmetric, equal distance
mate("coaxial", "door.pin", "door.pin", name="m")
    SelfMate: mates.m: mate 'm' joins part 'door' with itself; it must join two parts
mate("coaxial", "frame.pin", "door.pin", name="line")
    DuplicateName: mates.line: there is already a mate 'line'; names are given once
mate("coaxial", "frame.pin", "door.pin", ofset=3)
    UnknownName: coaxial: no parameter 'ofset' of coaxial; known: a, b, name, sense
mate("distance", "frame.mark", "door.mark")
    MissingKey: distance: distance needs 'value'
mate("coaxial", "frame.pin")
    MissingKey: coaxial: coaxial needs 'b'
mate("distance", "frame.mark", "door.mark", value=nan)
    BadValue: distance.value: nan is not possible here, it must be a length in mm
mate("distance", "frame.mark", "door.pin", value=-1.0)
    BadValue: distance.value: -1.0 is not possible here, it must be at least 0 (signed only from a
    plane)
mate("distance", "frame.pin", "door.pin", value=1.0, skew="yes")
    BadValue: distance.skew: 'yes' is not possible here, it must be true or false
mate("angle", "frame.pin", "door.pin", value=30.0, about="frame.mark")
    FeatureTypeError: angle.about: angle: frame.mark is of type Point, it must be Axis or Frame or
    Plane
mate("angle", "frame.pin", "door.pin", value=30.0, about="frame.pin")
    BadValue: angle.about: 'frame.pin' is not possible here, it must be an axis across both
    directions
mate("revolute", "frame.pin", "door.pin", parts=("frame", "door"), at=Frame((0, 0, 0)))
    Contradiction: revolute: a, b and parts, at exclude each other; give one of them
mate("revolute", parts=("frame", "dor"), at=Frame((0, 0, 0)))
    UnknownName: revolute.parts: no part 'dor'; did you mean 'door'?
drive("d")
    MissingKey: drivers.d: a driver needs 'joint'
drive("d", joint="line", separation=("frame.mark", "door.mark"))
    Contradiction: drivers.d: joint and separation exclude each other; give one of them
drive("d", joint="line", coordinate="angle", value=1.0, law=2.0)
    Contradiction: drivers.d: value and law exclude each other; give one of them
drive("d", joint="lin")
    UnknownName: drivers.d: no joint 'lin'; did you mean 'line'?
drive("d", joint="line", coordinate="pitch")
    UnknownName: drivers.d: no coordinate 'pitch' of 'line'; known: angle, length
drive("d", joint="line", coordinate="angle", range=(1.0, 0.0))
    BadValue: drivers.d.range: (1.0, 0.0) is not possible here, it must be two numbers, smallest
    first
drive("d", separation=("frame.mark", "door.mark"), value=-1.0)
    BadValue: drivers.d.value: -1.0 is not possible here, it must be a length of at least 0
drive("d", joint="line", coordinate="angle", value=inf)
    BadValue: drivers.d.value: inf is not possible here, it must be a finite number (deg)
drive("d", separation=("frame.mark", "frame.seat"))
    SelfMate: drivers.d: separation 'frame.mark - frame.seat' joins part 'frame' with itself; it
    must join two parts
""")


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[said[:50] for _, said in REFUSED])
def test_a_mate_or_driver_without_meaning_is_refused(
    hinge: Assembly, call: str, message: str
) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        eval(f"hinge.{call}", {"hinge": hinge, "Frame": Frame, "nan": nan, "inf": inf})
    assert f"{type(caught.value).__name__}: {caught.value}" == message
    assert (list(hinge.mates), dict(hinge.drivers)) == (["line"], {})


def test_part_names_are_given_once(hinge: Assembly) -> None:
    with pytest.raises(DuplicateName, match="there is already a part 'door'"):
        hinge.add("door")
    with pytest.raises(BadValue, match="part: '' is not possible here"):
        hinge.add("")
    assert list(hinge.parts) == ["frame", "door"]


def test_unknown_parts_and_drivers_name_the_nearest(hinge: Assembly) -> None:
    with pytest.raises(UnknownName, match="no part 'dor'; did you mean 'door'"):
        hinge.pose("dor")
    with pytest.raises(UnknownName, match="--set: no driver 'x'; there is none"):
        hinge.set_driver("x", 1.0, "--set")
    with pytest.raises(UnknownName, match="no mate 'linear'; did you mean 'line'"):
        hinge.remove("linear")


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), True])
def test_a_tolerance_is_a_length_above_zero(hinge: Assembly, value: float) -> None:
    with pytest.raises(BadValue, match=r"tolerance: .* it must be a length above 0"):
        hinge.tolerance = value
    assert hinge.tolerance == 1e-4


def test_a_class_serves_as_a_kind(hinge: Assembly) -> None:
    assert hinge.mate(Coaxial, "frame.pin", "door.pin").name == "coaxial frame.pin - door.pin"
    made = hinge.mate(Coaxial, "frame.pin", "door.pin")
    assert made.name == "coaxial frame.pin - door.pin (2)"


def test_features_have_directions_that_are_directions() -> None:
    with pytest.raises(BadValue, match=r"^direction: \(0, 0, 0\) .* a direction that is not zero"):
        Axis((0, 0, 0), (0, 0, 0))
    with pytest.raises(BadValue, match=r"^normal: 'up' .* one of \"x\", \"y\""):
        Plane((0, 0, 0), "up")  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"^x: .* not parallel to the axis"):
        Frame((0, 0, 0), (0, 0, 1), (0, 0, 1))
    with pytest.raises(BadValue, match=r"^point: .* 3 finite numbers"):
        Point((0, 0, float("nan")))
    with pytest.raises(BadValue, match=r"^quaternion_wxyz: .* not zero"):
        Pose(quaternion_wxyz=(0, 0, 0, 0))


def test_very_long_and_very_short_directions_are_directions() -> None:
    assert unit((1e200, 0, 1e200), "") == pytest.approx((0.5**0.5, 0, 0.5**0.5), abs=1e-15)
    assert unit((0, 3e-11, 0), "") == (0, 1, 0)


def test_a_unit_vector_stays_bit_for_bit() -> None:
    for k in range(1, 2000):
        once = unit((0.1 * k, 1 / k, 3.7), "")
        assert unit(once, "") == once


def test_nearest_names_fall_back_to_what_there_is() -> None:
    assert nearest_names("pim", ["pin", "seat"]) == "did you mean 'pin'?"
    assert nearest_names("q", ["pin", "seat"]) == "known: pin, seat"
    assert nearest_names("q", "abcdefgh") == "known: a, b, c, d, e, f, ... (8 in all)"
    assert nearest_names("q", []) == "there is none"


def test_the_registry_and_the_kinds_agree() -> None:
    assert all(MATES[kind].kind == kind for kind in MATES)
    assert {"coaxial", "coplanar", "revolute", "fixed", "distance"} <= set(MATES)


def test_a_joint_that_cannot_be_entered_leaves_no_feature_behind() -> None:
    a = Assembly()
    a.add("left")
    a.add("right")
    with pytest.raises(UnknownName):
        a.mate("revolute", parts=("left", "nobody"), at=Frame((0, 0, 0)), name="pin")
    with pytest.raises(BadValue):
        a.mate("planar", parts=("left", "right"), at=Frame((0, 0, 0)), name="face", sense="up")
    assert not a.part("left").features
    assert not a.part("right").features


def test_a_misspelt_attribute_of_an_assembly_is_refused() -> None:
    a = Assembly()
    with pytest.raises(AttributeError, match="an assembly has no 'tolerence'; did you mean 'tol"):
        a.tolerence = 1e-3
    a.tolerance = 1e-3
    assert a.copy().tolerance == 1e-3


def test_a_formula_as_a_number_is_refused_with_where_formulas_stand(hinge: Assembly) -> None:
    said = "value: '=L' is not possible here, it must be a length in mm; formulas of .* files"
    with pytest.raises(BadValue, match=said):
        hinge.mate("distance", "frame.origin", "door.origin", value="=L")


def test_a_radius_that_is_no_number_is_refused() -> None:
    with pytest.raises(BadValue, match="radius: 'wide' is not possible here, it must be a length"):
        Axis((0, 0, 0), "z", radius="wide")  # type: ignore[arg-type]
