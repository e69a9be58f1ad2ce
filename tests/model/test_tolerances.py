"""Measures and tolerances of an assembly: what they name, and what they read."""

from __future__ import annotations

import json
from math import radians, sin
from typing import Any

import pytest

import assembly_solver as asm
from assembly_solver.errors import (
    AssemblySolverError,
    BadValue,
    Contradiction,
    DuplicateName,
    FeatureTypeError,
    MissingKey,
    UnknownName,
)
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick


def crank() -> asm.Assembly:
    """A crank that stands at 20 degrees, its tip 30 mm out and 4 mm across."""
    a = asm.Assembly("crank")
    a.parameter("L", 30)
    wall = asm.Plane((0, 0, 0), "x")
    a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z"), "wall": wall})
    tip = asm.Point((30, 4, 0))
    a.add("crank", features={"pin": asm.Axis((0, 0, 0), "z"), "tip": tip})
    a.mate("revolute", "frame.pin", "crank.pin", name="pivot", sense="aligned")
    a.drive("turn", "pivot", value=20)
    return a


@pytest.mark.parametrize(
    ("given", "value", "unit"),
    [
        ({"point": "crank.tip", "along": "y"}, 14.019374782913696, "mm"),
        ({"point": "crank.tip", "along": (0, -2, 0)}, -14.019374782913696, "mm"),
        ({"distance": ("frame.wall", "crank.tip")}, 26.822698050274578, "mm"),
        ({"separation": ("frame.pin", "crank.tip")}, 916**0.5, "mm"),
        ({"joint": "pivot"}, 20.0, "deg"),
        ({"angle": ("frame.x", "crank.x"), "about": "frame.pin"}, 20.0, "deg"),
        ({"angle": ("crank.x", "frame.x"), "about": "frame.pin"}, -20.0, "deg"),
    ],
)
def test_a_measure_reads_poses_and_frames(given: Any, value: float, unit: str) -> None:
    a = crank()
    m = a.measure("it", **given)
    s = asm.solve(a)
    assert m.unit == unit
    assert m.value(a, s.frames) == pytest.approx(value, abs=1e-12)
    assert m.value(a, s.poses) == pytest.approx(value, abs=1e-12)


def test_a_measure_follows_its_feature() -> None:
    a = crank()
    a.measure("height", point="crank.tip", along="y", min=14, max=15)
    before = a.revision
    a.set_feature("crank", "tip", asm.Point((40, 4, 0)))
    value = a.measures["height"].value(a, asm.solve(a).frames)
    assert value == pytest.approx(14.019374782913696 + 10 * sin(radians(20)), abs=1e-12)
    assert a.revision > before


def test_an_opposed_joint_measures_its_coordinate_from_the_turned_frame() -> None:
    a = crank()
    a.change("pivot", sense="opposed")
    m = a.measure("turn", joint="pivot", coordinate="angle")
    s = asm.solve(a)
    assert m.value(a, s.frames) == pytest.approx(20.0, abs=1e-9)


def test_copies_are_independent_and_what_goes_takes_its_measures_with_it() -> None:
    a = crank()
    a.measure("height", point="crank.tip", along="y")
    a.measure("turned", joint="pivot")
    a.tolerate("length", parameter="L", plus=0.1, minus=0.1)
    a.tolerate("tip", feature="crank.tip", position=0.2)
    a.tolerate("play", joint="pivot", radial=0.02)
    a.tolerate("drive", driver="turn", plus=1, minus=1)
    b = a.copy()
    b.remove_driver("turn")
    assert list(b.tolerances) == ["length", "tip", "play"]
    b.remove("pivot")
    assert list(b.measures) == ["height"] and list(b.tolerances) == ["length", "tip"]
    b.remove_part("crank")
    assert not b.measures and list(b.tolerances) == ["length"]
    b.remove_tolerance("length")
    assert len(a.measures) == 2 and len(a.tolerances) == 4 and not b.tolerances
    a.remove_measure("height")
    assert list(a.measures) == ["turned"]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, MissingKey, "a measure needs 'joint'"),
        ({"point": "crank.tip"}, MissingKey, "needs 'along'"),
        ({"along": "y"}, MissingKey, "needs 'point'"),
        ({"point": "crank.tip", "along": "y", "joint": "pivot"}, Contradiction, "'?point'?"),
        ({"point": "crank.tup", "along": "y"}, UnknownName, "tup"),
        ({"joint": "pivot", "coordinate": "length"}, UnknownName, "length"),
        ({"joint": "pivot", "min": 3, "max": 2}, BadValue, "at least 3, the min"),
        ({"joint": "pivot", "min": "low"}, BadValue, "a finite number"),
    ],
)
def test_a_measure_is_refused_by_name(given: Any, error: type, words: str) -> None:
    a = crank()
    with pytest.raises(error, match=words) as raised:
        a.measure("it", **given)
    assert "measures.it" in str(raised.value) and not a.measures


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, MissingKey, "parameter, driver, mate, feature or joint"),
        ({"parameter": "M", "plus": 1}, UnknownName, "no parameter 'M'"),
        ({"parameter": "L"}, MissingKey, "plus or minus"),
        ({"parameter": "L", "plus": -1}, BadValue, "at least 0"),
        ({"parameter": "L", "joint": "pivot"}, Contradiction, "parameter"),
        ({"parameter": "L", "radial": 1}, Contradiction, "radial"),
        ({"parameter": "L", "pluss": 1}, UnknownName, "pluss"),
        ({"parameter": "L", "plus": 1, "distribution": "square"}, BadValue, "uniform"),
        ({"parameter": "L", "plus": 1, "distribution": "uniform", "sigma": 2}, Contradiction, "si"),
        ({"parameter": "L", "plus": 1, "sigma": 0}, BadValue, "above 0"),
        ({"driver": "turm", "plus": 1}, UnknownName, "turn"),
        ({"mate": "pivot", "value": "value", "plus": 1}, UnknownName, "no number 'value'"),
        ({"mate": "pivot", "plus": 1}, MissingKey, "value"),
        ({"feature": "crank.tip"}, MissingKey, "position or angle"),
        ({"feature": "crank.tip", "angle": 1}, FeatureTypeError, "Point"),
        ({"feature": "frame.wall", "position": 1}, FeatureTypeError, "Plane"),
        ({"joint": "pivot"}, MissingKey, "radial"),
        ({"joint": "pin", "radial": 1}, UnknownName, "pivot"),
    ],
)
def test_a_tolerance_is_refused_by_name(given: Any, error: type, words: str) -> None:
    a = crank()
    with pytest.raises(error, match=words) as raised:
        a.tolerate("it", **given)
    assert "tolerances.it" in str(raised.value) and not a.tolerances


def test_names_are_given_once() -> None:
    a = crank()
    a.measure("it", joint="pivot")
    a.tolerate("it", parameter="L", plus=1)
    with pytest.raises(DuplicateName, match="measure 'it'"):
        a.measure("it", joint="pivot")
    with pytest.raises(DuplicateName, match="tolerance 'it'"):
        a.tolerate("it", parameter="L", plus=1)


MEASURES = {
    "height": {"note": "of the tip", "point": "crank.tip", "along": [0, 1, 0], "max": "=L/2"},
    "turned": {"joint": "pivot", "coordinate": "angle"},
    "wall": {"distance": ["frame.wall", "crank.tip"], "min": -1},
    "slope": {"angle": ["frame.x", "crank.x"], "about": "frame.pin"},
    "at": {"separation": ["frame.pin", "crank.tip"]},
}
TOLERANCES = {
    "L": {"parameter": "L", "plus": "=L/100", "minus": 0.05, "x-origin": "drawing"},
    "tip": {"feature": "crank.tip", "position": 0.1, "distribution": "uniform"},
    "tilt": {"feature": "crank.pin", "angle": 0.05, "sigma": 2},
    "turn": {"driver": "turn", "plus": 1, "minus": 1, "distribution": "triangular"},
    "play": {"joint": "pivot", "radial": 0.04, "length": 12},
}


def tree(**changes: Any) -> dict[str, Any]:
    own = json.loads(assembly_json.dump(crank()))
    return own | {"measures": MEASURES, "tolerances": TOLERANCES} | changes


def test_files_keep_them_with_their_formulas_and_notes() -> None:
    given = tree()
    a = assembly_json.read_text(json.dumps(given))
    assert a.measures["height"].max == 15.0 and a.tolerances["L"].plus == pytest.approx(0.3)
    text = assembly_json.dump(a)
    again = json.loads(text)
    assert again["measures"] == MEASURES and again["tolerances"] == TOLERANCES
    assert assembly_json.dump(assembly_json.read_text(text)) == text
    a.set("L", 40)
    assert a.measures["height"].max == 20.0 and a.tolerances["L"].plus == pytest.approx(0.4)
    assert list(a.tolerances) == list(TOLERANCES)


def test_files_are_valid_by_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    from assembly_solver.formats.native.schema import schema

    checked = jsonschema.Draft202012Validator(schema())
    assert [e.message for e in checked.iter_errors(tree())] == []
    for wrong in (
        {"measures": {"x": {"point": "crank.tip"}}},
        {"tolerances": {"x": {"parameter": "L"}}},
        {"tolerances": {"x": {"parameter": "L", "plus": -1}}},
        {"tolerances": {"x": {"joint": "pivot", "radial": 1, "plus": 1}}},
    ):
        assert not checked.is_valid(tree(**wrong)), wrong


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"measures": []}, "measures"),
        ({"measures": {"x": {"joint": "pivot", "maks": 1}}}, "measures.x.*maks"),
        ({"measures": {"x": {"point": 3, "along": "y"}}}, "measures.x.point"),
        ({"measures": {"x": {"point": "crank.tip", "along": [0, 0, 0]}}}, "measures.x.along"),
        ({"measures": {"x": {"distance": ["frame.wall"]}}}, "measures.x.distance"),
        ({"tolerances": {"x": {"parameter": "L", "plus": "big"}}}, "tolerances.x.plus"),
        ({"tolerances": {"x": {"parameter": ["L"], "plus": 1}}}, "tolerances.x.parameter"),
        ({"tolerances": {"x": {"parameter": "L", "plus": None}}}, "tolerances.x.plus"),
        ({"tolerances": {"x": {"mate": "pivot", "value": {}, "plus": 1}}}, "tolerances.x.value"),
        ({"tolerances": {"x": {"parameter": "L", "plus": 1, "distribution": []}}}, "distribution"),
    ],
)
def test_files_are_refused_by_place(changes: Any, words: str) -> None:
    with pytest.raises(AssemblySolverError, match=words):
        assembly_json.read_text(json.dumps(tree(**changes)))


def test_a_flexible_sub_assembly_brings_its_own_under_its_name() -> None:
    inner = assembly_json.read_text(json.dumps(tree()))
    outer = asm.Assembly("outer")
    quarter = asm.Pose((5, 0, 0), (0.5**0.5, 0, 0, 0.5**0.5))
    outer.add_assembly("arm", inner, rigid=False, grounded=True, pose=quarter)
    assert list(outer.measures) == [f"arm.{name}" for name in MEASURES]
    assert list(outer.tolerances) == [f"arm.{name}" for name in TOLERANCES if name != "L"]
    s = asm.solve(outer)
    there = [outer.measures[f"arm.{name}"].value(outer, s.frames) for name in MEASURES]
    own = asm.solve(inner)
    here = [m.value(inner, own.frames) for m in inner.measures.values()]
    assert there == pytest.approx([here[0] - 5.0, *here[1:]], abs=1e-9)  # y is along -x there
    assert outer.measures["arm.height"].along == pytest.approx((-1, 0, 0), abs=1e-15)
    assert outer.measures["arm.height"].max == pytest.approx(15.0 - 5.0, abs=1e-12)
    assert outer.tolerances["arm.play"].joint == "arm.pivot"
    assert outer.groups["arm"].measures.keys() == outer.measures.keys()
