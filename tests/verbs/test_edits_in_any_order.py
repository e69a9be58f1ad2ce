"""Edits in any order: a solve after them tells what one of their file tells, read anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_kept_plans import SAMPLES, counting, put, same_as_fresh

import assembly_solver as asm
from assembly_solver.errors import BadValue
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick


def rodded(folder: Path) -> asm.Assembly:
    """The four-bar with its lengths by one parameter, and a bob on a rod from its tracing point."""
    entry = json.loads((SAMPLES / "four_bar.assembly.json").read_text())
    entry["parameters"] = {"L": 60}
    for part, feature, formula in (
        ("crank", "pin", "=L"),
        ("rocker", "pin", "=80 + L"),
        ("ground", "rocker pivot", "=3*L + 20"),
    ):
        entry["parts"][part]["features"][feature]["axis"]["point"][0] = formula
    (folder / "rodded.assembly.json").write_text(json.dumps(entry))
    a = asm.read(folder / "rodded.assembly.json")
    a.add("bob", pose=asm.Pose((120, 110, 15)), features={"eye": asm.Point((0, 0, 0))})
    a.mate("distance", "coupler.tracer", "bob.eye", name="rod", value=40)
    return a


def any_edit(a: asm.Assembly, rng: np.random.Generator) -> None:
    """One edit: mostly of a number that keeps the plan."""
    one, two = rng.uniform(-2, 2, 2)
    edits: list[Callable[[], object]] = [
        lambda: a.set("L", 60 + one),
        lambda: a.set("L", 60),
        lambda: a.set_driver("crank", 60 + 9 * one),
        lambda: a.change("rod", value=40 + one),
        lambda: put(a, "crank", "pin", (60 + one, 0, 12)),
        lambda: put(a, "rocker", "pin", (140 + one, two, 12)),
        lambda: put(a, "bob", "eye", (one, two, 0)),
        lambda: a.set_features({("coupler", "tracer"): asm.Point((90 + one, 70 + two, 12))}),
        lambda: a.move({"bob": asm.Pose((120 + one, 110 + two, 15))}),
        lambda: a.set_driver("crank", None if one < 0 else 55),
        lambda: (
            a.remove_limit("stop")
            if "stop" in a.limits
            else a.limit("rocker pivot", min=-300, max=300 + one, name="stop")
        ),
    ]
    share = np.where(np.arange(len(edits)) < 6, 4.0, 1.0)  # most are of numbers alone
    edits[int(rng.choice(len(edits), p=share / share.sum()))]()


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_edits_ends_as_what_is_read_from_its_file(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, path = np.random.default_rng(seed), tmp_path / "edited.assembly.json"
    edited = rodded(tmp_path)
    asm.solve(edited)
    kept = 0
    for _ in range(8):
        for _ in range(int(rng.integers(1, 3))):
            any_edit(edited, rng)
        with counting(monkeypatch) as made:
            solution = asm.solve(edited)
            kept += made == [0, 0]
        asm.write(edited, path)
        same_as_fresh(solution, asm.solve(asm.read(path)))
    assert kept >= 2


def test_a_parameter_moves_no_feature_that_was_edited_where_it_follows_no_change(
    tmp_path: Path,
) -> None:
    a = rodded(tmp_path)
    for length in (61.0, 62.0):  # the second time by what the first one noted
        a.set("L", length)
    asm.solve(a)
    put(a, "crank", "pin", (59.5, 1, 12))
    a.set("L", 62.0)
    assert a.parts["crank"].features["pin"].frame[:2] == (59.5, 1.0)
    a.set("L", 63.0)
    assert a.parts["crank"].features["pin"].frame[:2] == (63.0, 1.0)
    assert a.parts["rocker"].features["pin"].frame[0] == 143.0
    place = ("parts", "rocker", "features", "pin", "axis", "point", 0)
    assert (a.parameters["L"], a.formulas[place].value) == (63.0, 143)
    with pytest.raises(BadValue, match="at most 1e\\+09"):
        a.set("L", 1e9)
    assert a.parts["ground"].features["rocker pivot"].frame[0] == 209.0
    assert a.parameters["L"] == 63.0


def test_a_parameter_follows_what_is_left_where_entries_with_its_formulas_are_taken_away(
    tmp_path: Path,
) -> None:
    place = tmp_path / "rodded.assembly.json"
    asm.write(rodded(tmp_path), place)
    entry = json.loads(place.read_text())
    next(mate for mate in entry["mates"] if mate["name"] == "rod")["value"] = "=L - 20"
    entry["limits"] = [{"name": "stop", "joint": "rocker pivot", "min": -300, "max": "=5*L"}]
    place.write_text(json.dumps(entry))
    a = asm.read(place)
    a.remove("rod")
    a.remove_limit("stop")
    a.mate("distance", "coupler.tracer", "bob.eye", name="rod", value=33)
    a.limit("rocker pivot", min=-300, max=301, name="stop")
    a.set("L", 61.0)
    assert a.mates["rod"].parameters()["value"] == 33.0  # it is another one, of a plain number
    assert (a.limits["stop"].max, a.parts["crank"].features["pin"].frame[0]) == (301.0, 61.0)
    a.remove_part("crank")
    a.set("L", 62.0)
    assert a.parts["rocker"].features["pin"].frame[0] == 142.0


def doored(folder: Path, **entries: Any) -> asm.Assembly:
    """A hinge with a parameter, read with more entries of its file."""
    a = asm.Assembly("doored")
    features = {"pin": asm.Axis((0, 0, 0), "z"), "edge": asm.Point((10, 0, 0))}
    a.add("frame", grounded=True, features=features)
    a.add("door", features=features)
    a.mate("revolute", "frame.pin", "door.pin", name="hinge")
    asm.write(a, folder / "doored.assembly.json")
    entry = json.loads((folder / "doored.assembly.json").read_text())
    entry["mates"] += entries.pop("mates", [])
    text = json.dumps(entry | {"parameters": {"L": 3}} | entries)
    (folder / "doored.assembly.json").write_text(text)
    return asm.read(folder / "doored.assembly.json")


@pytest.mark.parametrize("by", ["hinge angle", "angle frame.pin - door.pin"])
def test_a_limit_that_its_file_does_not_name_keeps_its_formula_where_another_is_taken_away(
    tmp_path: Path, by: str
) -> None:
    named = {"joint": "hinge"} if by[0] == "h" else {"angle": ["frame.pin", "door.pin"]}
    other = {"name": "other", "separation": ["frame.edge", "door.edge"], "max": "=L"}
    a = doored(tmp_path, limits=[{**named, "min": 0, "max": "=10*L"}, other])
    a.remove_limit("other")
    a.set("L", 4)
    assert a.limits[by].max == 40.0
    written = json.loads(assembly_json.dump(a))
    assert [limit["max"] for limit in written["limits"]] == ["=10*L"]


def test_a_parameter_is_set_where_loads_or_a_mate_alone_with_its_formulas_are_gone(
    tmp_path: Path,
) -> None:
    rod = {"kind": "distance", "a": "frame.edge", "b": "door.edge", "name": "rod", "value": "=L"}
    spring = {"a": "frame.edge", "b": "door.edge", "length": 5, "stiffness": "=L", "name": "coil"}
    load = {"at": "door.edge", "force": ["=L", 0, 0], "name": "pull"}
    a = doored(tmp_path, mates=[rod], loads=[load], springs=[spring])
    a.remove_load("pull")
    a.remove_spring("coil")
    a.remove("rod", alone=True)
    a.set("L", 4)
    a.mate("distance", "frame.edge", "door.edge", name="rod", value=9)
    a.set("L", 5)
    assert a.mates["rod"].parameters()["value"] == 9


def test_a_value_that_a_position_cannot_have_leaves_the_position(tmp_path: Path) -> None:
    axes = {"angle": ["frame.pin", "door.pin"]}  # 0 to 180 degrees
    a = doored(tmp_path, drivers={"tilt": axes}, positions={"open": {"tilt": "=10*L"}})
    with pytest.raises(BadValue, match="tilt: 200"):
        a.set("L", 20)
    assert a.positions["open"].values == {"tilt": 30}


def test_a_feature_that_the_first_value_left_moves_with_the_second(tmp_path: Path) -> None:
    """To read it puts on parts what moved before it, while the second value is set."""
    rodded(tmp_path)
    place = tmp_path / "rodded.assembly.json"
    entry = json.loads(place.read_text())
    points = entry["parts"]["rocker"]["features"]["pin"]["axis"]["point"]
    points[0], points[1] = 140, "=(L - 60)*(L - 61)"
    place.write_text(json.dumps(entry))
    a = asm.read(place)
    a.set_feature("rocker", "pin", asm.Axis((140, 0, 12), (0, 0.01, 1)))  # more than a move
    for length in (61.0, 62.0):
        a.set("L", length)
    assert a.parts["crank"].features["pin"].frame[0] == 62.0
    assert a.parts["rocker"].features["pin"].frame[:2] == (140.0, 2.0)
    assert a.parts["ground"].features["rocker pivot"].frame[0] == 206.0
