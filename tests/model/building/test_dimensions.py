"""A feature or a parameter that is set equals the file that is read with it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick


def text() -> dict[str, Any]:
    """A slider-crank whose parameters drive links, a height, a limit, a driver and a law."""
    pin = {"point": [0, 0, 0], "direction": "z"}
    rail = {"frame": {"origin": [0, "=rise", 0], "z": "x", "x": "y"}}
    tip = {"axis": {"point": ["=L", 0, 0], "direction": "z"}}
    far = {"axis": {"point": ["=rod", 0, 0], "direction": "z"}}
    parts = {
        "frame": {"pin": {"axis": pin}, "rail": rail, "eye": {"point": ["=L", "=-2*L", 0]}},
        "crank": {"foot": {"axis": pin}, "tip": tip, "mark": {"point": ["=L/2", 3, 0]}},
        "rod": {"foot": {"axis": pin}, "tip": far},
        "slider": {"pin": {"axis": pin}, "rail": {"frame": {"origin": [0, 0, 0], "z": "x"}}},
    }
    rail["frame"]["x"] = parts["slider"]["rail"]["frame"]["x"] = "y"  # type: ignore[index]
    more: dict[str, dict[str, Any]] = {
        "frame": {"grounded": True},
        "crank": {"mass": {"kg": 1, "centre": [1, 2, 3]}},
        "rod": {"pose": {"position": [30, 0, 0]}},
        "slider": {"pose": {"position": [140, 2, 0]}},
    }
    mates = [
        {"name": "main", "kind": "revolute", "a": "frame.pin", "b": "crank.foot"},
        {"name": "crank pin", "kind": "revolute", "a": "crank.tip", "b": "rod.foot"},
        {"name": "wrist", "kind": "coaxial", "a": "rod.tip", "b": "slider.pin"},
        {"name": "guide", "kind": "prismatic", "a": "frame.rail", "b": "slider.rail"},
    ]
    return {
        "format": "assembly-solver/1",
        "parameters": {"L": 30, "rod": "=4*L", "rise": "=rod/60", "turn": "=2*L", "spare": 1},
        "parts": {name: more[name] | {"features": found} for name, found in parts.items()},
        "mates": mates,
        "drivers": {
            "crank": {"joint": "main", "coordinate": "angle", "value": "=turn"},
            "way": {"separation": ["frame.eye", "crank.mark"], "law": "3*L + t"},
        },
        "limits": [{"name": "stop", "joint": "guide", "coordinate": "length", "max": "=6*L"}],
        "loads": [{"name": "push", "at": "crank.tip", "force": [0, -5, 0]}],
    }


def read(tree: dict[str, Any], **settings: float) -> asm.Assembly:
    """The assembly of a file with other values of its parameters."""
    tree = json.loads(json.dumps(tree))
    tree["parameters"] |= settings
    a = assembly_json.read_text(json.dumps(tree))
    a.set_driver("way", None)
    return a


def told(a: asm.Assembly) -> dict[str, Any]:
    out = asm.solve(a).to_dict()
    return {key: value for key, value in out.items() if key not in ("seconds", "counts")}


@pytest.mark.parametrize(
    ("name", "value"), [("L", 31.0), ("L", 60.0), ("rod", 90.0), ("turn", 5.0)]
)
def test_a_parameter_that_is_set_gives_what_reading_with_it_gives(name: str, value: float) -> None:
    a, fresh = read(text()), read(text(), **{name: value})
    assert asm.solve(a)
    a.set(name, value)
    assert assembly_json.dump(a) == assembly_json.dump(fresh)
    assert a.parameters == fresh.parameters and a.loads == fresh.loads
    assert told(a) == told(fresh)
    tip = asm.solve(a).poses["crank"].apply(a.parts["crank"].features["tip"].point)  # type: ignore[attr-defined]
    length, turn = a.parameters["L"], np.radians(a.parameters["turn"])
    np.testing.assert_allclose(tip, [length * np.cos(turn), length * np.sin(turn), 0], atol=1e-9)


def test_a_law_that_uses_a_parameter_is_read_again() -> None:
    a = assembly_json.read_text(json.dumps(text()))
    assert a.drivers["way"].value == 90.0
    a.set("L", 31)
    assert a.drivers["way"].value == 93.0
    assert [float(v) for v in a.drivers["way"].law.at(2.0)[:2]] == [95.0, 1.0]  # type: ignore[union-attr]


def test_edits_since_reading_stay() -> None:
    a = read(text())
    a.move({"slider": asm.Pose((150, 9, 9))})
    a.mate("distance", "frame.eye", "slider.pin", value=50, name="own")
    a.remove("own")
    a.limit("main", "angle", min=0, max=300, name="mine")
    a.set("L", 31)
    assert a.pose("slider").position == (150, 9, 9) and "mine" in a.limits
    assert a.parts["rod"].features["tip"].frame[0] == 124.0


def test_what_only_reading_replaces_is_refused_and_changes_nothing() -> None:
    tree = text()
    tree["parts"]["crank"]["mass"]["centre"] = ["=L", 0, 0]
    a = read(tree)
    before, features = assembly_json.dump(a), a.parts["crank"].features
    with pytest.raises(asm.AssemblySolverError, match=r"parts\.crank\.mass\.centre"):
        a.set("L", 31)
    assert assembly_json.dump(a) == before and a.parts["crank"].features is features
    for name, value, words in (
        ("l", 3, "no driver or parameter 'l'"),
        ("L", float("nan"), "parameters.L"),
        ("turn", "wide", "parameters.turn"),
    ):
        with pytest.raises(asm.AssemblySolverError, match=words):
            a.set(name, value)  # type: ignore[arg-type]
    assert assembly_json.dump(a) == before


def test_mates_with_a_feature_that_moved_are_resolved_when_they_are_read() -> None:
    def place(assembly: asm.Assembly) -> float:
        return assembly.held["joint"].b.marker.frame[0]

    a = asm.Assembly("rods")
    a.add("base", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    a.add("rod", features={"hole": asm.Axis((10, 0, 0), "z")})
    a.mate("coaxial", "base.pin", "rod.hole", name="joint")
    a.set_feature("rod", "hole", asm.Axis((11, 0, 0), "z"))
    before = a.copy()
    a.set_feature("rod", "hole", asm.Axis((12, 0, 0), "z"))
    after = a.copy()
    a.set_feature("rod", "hole", asm.Axis((13, 0, 0), "x"))
    assert [place(x) for x in (after, a, before)] == [12.0, 13.0, 11.0]
    with pytest.raises(asm.AssemblySolverError, match="Point"):
        a.set_feature("rod", "hole", asm.Point((14, 0, 0)))
    assert place(a) == 13.0


def test_a_formula_that_tells_the_same_leaves_what_was_edited() -> None:
    tree = text()
    del tree["drivers"]["way"]["law"]
    tree["drivers"]["way"]["value"] = "=60 + 0*L"
    a = read(tree)
    a.set_driver("way", 75.0)
    a.set("L", 31)
    assert a.drivers["way"].value == 75.0


def test_a_feature_that_is_set_moves_what_refers_to_it() -> None:
    a, tree = read(text()), text()
    a.mate("gear", joints=("main", "crank pin"), ratio=0.5, constant=10, name="train")
    a.remove("guide"), a.remove("wrist")
    a.set_driver("way", 75.0)
    a.set_feature("crank", "tip", asm.Axis((33, 4, 1), "z"))
    a.set_feature("crank", "mark", asm.Point((10, 3, 0)))
    crank = tree["parts"]["crank"]["features"]
    crank["tip"] = {"axis": {"point": [33, 4, 1], "direction": "z"}}
    crank["mark"] = {"point": [10, 3, 0]}
    fresh = read(tree)
    fresh.mate("gear", joints=("main", "crank pin"), ratio=0.5, constant=10, name="train")
    fresh.remove("guide"), fresh.remove("wrist")
    fresh.set_driver("way", 75.0)
    assert a.drivers == fresh.drivers and a.held == fresh.held and a.loads == fresh.loads
    assert a.limits == fresh.limits
    assert told(a) == told(fresh)
    with pytest.raises(asm.AssemblySolverError, match=r"no feature 'tipp'.*did you mean 'tip'"):
        a.set_feature("crank", "tipp", asm.Point((0, 0, 0)))
    with pytest.raises(asm.AssemblySolverError, match=r"Point"):
        a.set_feature("crank", "tip", asm.Point((0, 0, 0)))
    assert told(a) == told(fresh)
