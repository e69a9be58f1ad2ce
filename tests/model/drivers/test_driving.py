"""Drivers by value and by law, of joints and of measures; cylinders; what they hold in a solve."""

from __future__ import annotations

import json
from math import cos, degrees, pi, radians, sqrt
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.native import assembly_json
from assembly_solver.model.laws.law import law_of

HOLDS = 1e-9
"""mm and degrees: solves go on until 1e-10 or so."""


def boom() -> asm.Assembly:
    """A boom on a pin, and a cylinder whose pins are 300 and 400 mm from it, at a right angle."""
    a = asm.Assembly("boom")
    pins = {"pin": asm.Axis((0, 0, 0), "z"), "foot": asm.Axis((0, -300, 0), "z")}
    a.add("base", grounded=True, features=pins)
    eye = {"pin": asm.Axis((0, 0, 0), "z"), "eye": asm.Axis((400, 0, 0), "z")}
    a.add("boom", features=eye | {"tip": asm.Point((1000, 0, 0))})
    a.mate("revolute", "base.pin", "boom.pin", name="hinge")
    return a


def angle_of(length: float) -> float:
    """Angle of the boom at a length of its cylinder, degrees, by the law of cosines."""
    return degrees(np.arccos((300**2 + 400**2 - length**2) / (2 * 300 * 400))) - 90


def turned(a: asm.Assembly) -> float:
    """Angle of the boom as solved, degrees."""
    pose = asm.solve(a).require().poses["boom"]
    x, y, _ = pose.rotation[:, 0]
    return degrees(np.arctan2(y, x))


# ---------------------------------------------------------------------------------------- laws
def test_solve_holds_a_law_at_time_0() -> None:
    a = boom()
    a.drive("motor", "hinge", "angle", law="25 + 90*t")
    assert a.drivers["motor"].value == 25
    solution = asm.solve(a).require()
    assert turned(a) == pytest.approx(25, abs=HOLDS)
    assert (solution.dof, solution.driven, solution.dof_left) == (1, 1, 0)


def test_a_value_takes_the_place_of_a_law() -> None:
    a = boom()
    a.drive("motor", "hinge", "angle", law={"ramp": [10, 70]})
    a.set_driver("motor", 40)
    assert (a.drivers["motor"].value, a.drivers["motor"].law) == (40, None)
    a.set_driver("motor", None)
    assert asm.solve(a).dof_left == 1


def test_a_driver_is_removed_but_not_that_of_a_cylinder() -> None:
    a = with_cylinder()
    a.drive("motor", "hinge", "angle", value=25)
    a.remove_driver("motor")
    assert list(a.drivers) == ["lift"]
    with pytest.raises(AssemblySolverError, match="must be removed with its cylinder"):
        a.remove_driver("lift")
    with pytest.raises(AssemblySolverError, match="no driver 'motor'"):
        a.remove_driver("motor")


def test_a_session_adds_cylinders_and_guides_and_moves_them() -> None:
    a = boom()
    a.add("table")
    session = asm.Session(a)
    ends = {"pins": ("base.foot", "boom.eye"), "closed": 420, "stroke": 200}
    assert session.cylinder("lift", value=550, **ends)
    assert session.guide("shake", "table", position=["10*t", 0, 900])
    assert session.set_driver("lift", 600)
    assert session.set_driver("shake", 2.0)
    x, y, _ = session.poses["boom"].rotation[:, 0]
    assert degrees(np.arctan2(y, x)) == pytest.approx(angle_of(600), abs=1e-8)
    assert session.poses["table"].position == pytest.approx((20, 0, 900), abs=HOLDS)


def test_a_law_may_use_the_parameters_that_were_entered_before_it() -> None:
    a = boom()
    a.parameter("swing", 30)
    driver = a.drive("motor", "hinge", "angle", law="swing*cos(2*pi*t)")
    assert driver.law is not None
    value, rate, acc = driver.law.at(0.0)
    assert (value, rate) == (30, 0)
    assert float(acc) == pytest.approx(-30 * (2 * pi) ** 2, rel=1e-15)


def test_a_law_that_starts_where_the_quantity_cannot_be_is_refused() -> None:
    a = boom()
    with pytest.raises(AssemblySolverError, match=r"drivers.leg.law: -3.0 is not possible here"):
        a.drive("leg", separation=("base.foot", "boom.eye"), law="t - 3")


# ------------------------------------------------------------------------------------- measures
def test_an_angle_of_two_features_is_driven_with_its_sign() -> None:
    for about in ("base.pin", "boom.pin"):
        for value in (35.0, -35.0, 180.0):
            a = boom()
            a.drive("lift", angle=("base.x", "boom.x"), about=about, value=value)
            assert cos(radians(turned(a) - value)) == pytest.approx(1, abs=1e-15)


def test_an_angle_without_an_axis_has_no_sign_and_ends_at_0_and_180() -> None:
    for value in (0.0, 35.0, 180.0):
        a = boom()
        a.drive("lift", angle=("base.x", "boom.x"), value=value)
        assert abs(turned(a)) == pytest.approx(value, abs=HOLDS)
    with pytest.raises(AssemblySolverError, match="must be an angle of 0 to 180 degrees"):
        boom().drive("lift", angle=("base.x", "boom.x"), value=-1)


@pytest.mark.parametrize(
    ("a_end", "b_end", "value", "angle"),
    [
        ("base.foot", "boom.tip", 1000.0, degrees(np.arcsin(-(300**2) / 6e5))),  # cosine law
        ("base.zx", "boom.tip", 500.0, 30.0),  # signed, along the plane's normal
        ("base.zx", "boom.tip", -500.0, -30.0),
        ("base.x", "boom.tip", 500.0, 30.0),  # from a line
        ("base.foot", "boom.eye", 500.0, 0.0),  # of axes: from a's line to b's origin
    ],
)
def test_a_distance_of_two_features_is_driven(
    a_end: str, b_end: str, value: float, angle: float
) -> None:
    a = boom()
    a.move({"boom": asm.Pose.from_axis((0, 0, 0), (0, 0, 1), angle + 5)})
    a.drive("reach", distance=(a_end, b_end), value=value)
    assert turned(a) == pytest.approx(angle, abs=1e-8)


@pytest.mark.compiled_only
def test_a_limit_may_bound_a_measure() -> None:
    a = boom()
    a.drive("motor", "hinge", "angle", value=50)
    a.limit(distance=("base.zx", "boom.tip"), max=500)
    solution = asm.solve(a)
    assert solution.outcome.name == "CONFLICTING"
    a.set_driver("motor", None)
    a.move({"boom": asm.Pose.from_axis((0, 0, 0), (0, 0, 1), 50)})
    assert turned(a) == pytest.approx(30, abs=1e-8)
    (reached,) = asm.solve(a).to_dict()["limits_reached"]
    assert reached["distance"] == [["base", "zx"], ["boom", "tip"]]
    assert (reached["bound"], reached["value"]) == ("max", 500)


def test_a_driver_tells_in_which_turn_a_limit_of_the_same_angle_is_read() -> None:
    a = boom()
    a.drive("lift", angle=("base.x", "boom.x"), about="base.pin", value=350)
    a.limit(angle=("base.x", "boom.x"), about="base.pin", min=300, max=400)
    assert asm.solve(a).outcome.name == "SOLVED"
    assert a.limits["angle base.x - boom.x"].equation == a.drivers["lift"].equation


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"distance": ("base.pin",)}, "drivers.d.distance: ('base.pin',) is not possible here"),
    ({"distance": ("base.pin", "base.x")}, "drivers.d: distance 'base.pin - base.x' joins part"),
    ({"angle": ("base.origin", "boom.tip")}, "drivers.d.angle.b: angle: boom.tip is of type Point"),
    ({"angle": ("base.x", "boom.x"), "about": "base.x"}, "drivers.d.angle.about: 'base.x' is not"),
    ({"distance": ("base.x", "boom.x"), "about": "base.x"}, "d: distance and about exclude"),
    ({"distance": ("base.x", "boom.x"), "angle": ("base.x", "boom.x")}, "distance and angle"),
    ({"joint": "hinge", "about": "base.x"}, "drivers.d: joint and about exclude each other"),
    ({"distance": ("base.pn", "boom.x")}, "no feature 'pn'"),
    ({"distance": ("base.pin", "boom.tip"), "value": -1}, "must be a length of at least 0"),
    ({}, "drivers.d: a driver needs 'joint'"),
]


@pytest.mark.parametrize(("given", "says"), REFUSED)
def test_a_measure_that_cannot_be_meant_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        boom().drive("d", **given)
    assert says in str(caught.value)


# ------------------------------------------------------------------------------------ cylinders
def with_cylinder(**more: Any) -> asm.Assembly:
    a = boom()
    given = {"closed": 420, "stroke": 200, "bore": 110, "rod": 70, "pressure": 25}
    a.cylinder("lift", pins=("base.foot", "boom.eye"), **given | more)
    return a


def test_a_cylinder_is_a_driver_of_the_length_from_pin_to_pin() -> None:
    a = with_cylinder(value=550)
    assert turned(a) == pytest.approx(angle_of(550), abs=1e-8)
    assert a.drivers["lift"].range == (420, 620)


def test_a_cylinder_has_the_forces_of_its_areas() -> None:
    cylinder = with_cylinder().cylinders["lift"]
    assert cylinder.push == pytest.approx(25 * pi * 55**2, rel=1e-15)  # 237.6 kN
    assert cylinder.pull == pytest.approx(25 * pi * (55**2 - 35**2), rel=1e-15)
    bare = with_cylinder(bore=None, rod=None, pressure=None).cylinders["lift"]
    assert (bare.push, bare.pull) == (None, None)


@pytest.mark.compiled_only
def test_a_cylinder_stops_at_the_ends_of_its_stroke() -> None:
    a = with_cylinder()
    a.move({"boom": asm.Pose.from_axis((0, 0, 0), (0, 0, 1), 60)})
    assert sqrt(300**2 + 400**2 - 2 * 300 * 400 * cos(radians(150))) > 620
    assert turned(a) == pytest.approx(angle_of(620), abs=1e-7)
    assert [x["name"] for x in asm.solve(a).to_dict()["limits_reached"]] == ["lift"]
    too_far = with_cylinder(value=700)
    assert "700 mm" in asm.solve(too_far).sentence


def test_a_cylinder_goes_with_its_driver_and_its_limit() -> None:
    a = with_cylinder(law="500 + 10*t")
    copy = a.copy()
    a.remove_cylinder("lift")
    assert (dict(a.cylinders), dict(a.drivers), dict(a.limits)) == ({}, {}, {})
    assert list(copy.cylinders) == list(copy.drivers) == list(copy.limits) == ["lift"]
    a.drive("lift", "hinge", "angle")
    with pytest.raises(AssemblySolverError, match="there is already a driver 'lift'"):
        a.cylinder("lift", pins=("base.foot", "boom.eye"), closed=420, stroke=200)


SIZES: list[tuple[dict[str, Any], str]] = [
    ({"closed": 0}, "cylinders.lift.closed: 0 is not possible here, it must be above 0"),
    ({"stroke": -1}, "cylinders.lift.stroke: -1 is not possible here"),
    ({"stroke": float("nan")}, "cylinders.lift.stroke: nan is not possible here"),
    ({"rod": 110}, "cylinders.lift.rod: 110 is not possible here, it must be less than the bore"),
    ({"bore": None, "rod": None}, "cylinders.lift.pressure: 25 is not possible here"),
    ({"value": 500, "law": 3}, "cylinders.lift: value and law exclude each other"),
    ({"pins": ("base.foot", "base.pin")}, "cylinders.lift.pins: separation"),
]


@pytest.mark.parametrize(("given", "says"), SIZES)
def test_a_cylinder_that_cannot_be_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        with_cylinder() if not given else boom().cylinder(
            "lift",
            **{
                "pins": ("base.foot", "boom.eye"),
                "closed": 420,
                "stroke": 200,
                "bore": 110,
                "rod": 70,
                "pressure": 25,
            }
            | given,
        )
    assert str(caught.value).startswith(says)


# --------------------------------------------------------------------------------------- in files
ENTRIES: list[dict[str, Any]] = [
    {"drivers": {"m": {"joint": "hinge", "coordinate": "angle", "law": "30*sin(2*pi*t)"}}},
    {"drivers": {"m": {"joint": "hinge", "coordinate": "angle", "law": 12}}},
    {"drivers": {"m": {"distance": ["base.foot", "boom.tip"], "range": [1, 2], "value": 900}}},
    {
        "drivers": {
            "m": {
                "angle": ["base.x", "boom.x"],
                "about": "base.pin",
                "law": {"table": [[0, 10], [1, 20.5], [3, 0]], "monotone": True},
            }
        }
    },
    {"limits": [{"name": "top", "angle": ["base.x", "boom.x"], "about": "boom.pin", "max": 80}]},
    {"limits": [{"distance": ["base.zx", "boom.tip"], "min": -100, "max": 80}]},
    {
        "cylinders": {
            "boom cylinder": {
                "note": "made in 1994",
                "pins": ["base.foot", "boom.eye"],
                "closed": 420,
                "stroke": 200,
                "bore": 110,
                "rod": 70,
                "pressure": 25,
                "law": {"ramp": [420, 620], "times": [0, 4]},
                "x-maker": "a",
            }
        }
    },
    {"cylinders": {"c": {"pins": ["base.foot", "boom.eye"], "closed": 420, "stroke": 200}}},
]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_file_gives_drivers_limits_and_cylinders_back_as_they_were(entry: dict[str, Any]) -> None:
    tree = json.loads(assembly_json.dump(boom())) | entry
    written = assembly_json.dump(assembly_json.read_text(json.dumps(tree)))
    assert json.loads(written) == tree
    assert assembly_json.dump(assembly_json.read_text(written)) == written


def test_a_value_that_was_set_is_written_with_its_cylinder() -> None:
    a = with_cylinder(law="500 + 10*t")
    a.set_driver("lift", 510)
    entry = json.loads(assembly_json.dump(a))["cylinders"]["lift"]
    assert (entry["value"], "law" in entry) == (510, False)


def test_a_flexible_sub_assembly_brings_its_laws_and_cylinders(tmp_path: Any) -> None:
    inner = with_cylinder(law="500 + 10*t")
    inner.drive("reach", distance=("base.foot", "boom.tip"))
    inner.drive("lift angle", angle=("base.x", "boom.x"), about="base.pin")
    asm.write(inner, tmp_path / "arm.assembly.json")
    outer = asm.Assembly("outer", folder=tmp_path)
    outer.add("floor", grounded=True)
    arm = asm.read(tmp_path / "arm.assembly.json")
    outer.add_assembly("arm", arm, rigid=False, grounded=True, pose=asm.Pose((0, 0, 50)))
    assert list(outer.cylinders) == ["arm.lift"]
    assert outer.drivers["arm.lift"].law == law_of("500 + 10*t", "law")
    assert outer.drivers["arm.lift angle"].about == ("arm.base", "pin")
    pose = asm.solve(outer).require().poses["arm.boom"]
    assert degrees(np.arctan2(*pose.rotation[1::-1, 0])) == pytest.approx(angle_of(500), abs=1e-8)
    asm.write(outer, tmp_path / "outer.assembly.json")
    text = (tmp_path / "outer.assembly.json").read_text()
    assert not {"cylinders", "drivers", "limits"} & set(json.loads(text))
    again = asm.read(tmp_path / "outer.assembly.json")
    again.set_driver("arm.lift", 500)
    tree = json.loads(assembly_json.dump(again, tmp_path))
    assert tree["parts"]["arm"]["drivers"] == {"lift": 500}
    assert assembly_json.dump(asm.read(tmp_path / "outer.assembly.json"), tmp_path) == text
