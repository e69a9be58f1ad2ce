"""Drawings in files: written as they were drawn, and what became of them beside it."""

from __future__ import annotations

import json
from math import atan2, degrees
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from refusals import refusals
from stored_linkages import NAMES, drawn, entries

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.native import assembly_json
from assembly_solver.formats.native.schema import schema

FOUR_BAR = """\
{
  "format": "assembly-solver/1",
  "name": "four-bar",
  "tolerance": 0.0001,
  "linkage": {
    "pins": {
      "A": [0, 0],
      "B": [0, 30],
      "C": [60, 40],
      "D": [70, 0],
      "P": [30, 60]
    },
    "links": {
      "frame": {
        "pins": ["A", "D"],
        "grounded": true
      },
      "crank": {
        "pins": ["A", "B"]
      },
      "coupler": {
        "pins": ["B", "C", "P"]
      },
      "rocker": {
        "pins": ["C", "D"]
      }
    }
  },
  "drivers": {
    "crank": {
      "at": "A",
      "angle": [0, 360],
      "value": 90
    }
  }
}
"""


def tree() -> dict[str, Any]:
    """The four-bar as a tree, to be changed."""
    found: dict[str, Any] = json.loads(FOUR_BAR)
    return found


def read(of: dict[str, Any]) -> asm.Assembly:
    return assembly_json.read_text(json.dumps(of))


def check_stays(m: asm.Assembly) -> asm.Assembly:
    """What is written of it is valid, and what is read of that is written in the same bytes."""
    jsonschema = pytest.importorskip("jsonschema")
    text = assembly_json.dump(m)
    jsonschema.Draft202012Validator(schema()).validate(json.loads(text))
    again = assembly_json.read_text(text)
    assert assembly_json.dump(again) == text
    assert again.drawing.pins == m.drawing.pins
    return again


def linkage(m: asm.Assembly) -> dict[str, Any]:
    """The drawing as it is written."""
    found: dict[str, Any] = json.loads(assembly_json.dump(m))["linkage"]
    return found


# ------------------------------------------------------------------------------- as it was drawn
def test_a_file_with_a_drawing_is_what_python_draws() -> None:
    m = asm.Assembly("four-bar")
    m.pins(A=(0, 0), B=(0, 30), C=(60, 40), D=(70, 0), P=(30, 60))
    m.link("frame", "A D", grounded=True)
    m.link("crank", "A B")
    m.link("coupler", "B C P")
    m.link("rocker", "C D")
    m.drive("crank", at="A", angle=(0, 360), value=90)
    assert assembly_json.dump(m) == FOUR_BAR
    again = check_stays(assembly_json.read_text(FOUR_BAR))
    assert (again.parts, again.mates, again.drivers) == (m.parts, m.mates, m.drivers)


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_linkages_come_back_as_they_were_drawn(name: str) -> None:
    m = drawn(entries()[name])
    again = check_stays(m)
    assert again.drawing == m.drawing
    assert (again.parts, again.mates, again.drivers) == (m.parts, m.mates, m.drivers)


def test_a_slot_comes_back_with_its_stops_or_without() -> None:
    m = asm.Assembly()
    m.pins(A=(0, 0), B=(50, 0), Q=(20, 0), R=(30, 0))
    m.link("rail", "A B", grounded=True)
    m.link("cover", "A B", grounded=True)
    m.link("slider", "Q R")
    m.slot("low", "A B", "Q", link="rail")
    m.slot("high", "B A", ["R"], link="cover", stops=False)
    m.drive("push", at="Q", length=(0, 40))
    m.drive("pull", at="R", value=20)
    assert linkage(m)["slots"] == {
        "low": {"ends": ["A", "B"], "pins": ["Q"], "link": "rail"},
        "high": {"ends": ["B", "A"], "pins": ["R"], "link": "cover", "stops": False},
    }
    again = check_stays(m)
    assert again.limits == m.limits and list(m.limits) == ["low length"]
    assert json.loads(assembly_json.dump(again))["drivers"] == {
        "push": {"at": "Q", "length": [0, 40]},
        "pull": {"at": "R", "slot": "high", "value": 20},
    }


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"angle": (0, 9)}, {"at": "A", "angle": [0, 9], "links": ["frame", "one"]}),
        ({"rays": ("F", "B")}, {"at": "A", "rays": ["F", "B"]}),
        ({"links": ("two", "one"), "rays": (None, "E")}, {"at": "A", "rays": ["C", "E"]}),
    ],
)
def test_a_driver_is_written_with_what_is_not_as_usual(
    given: dict[str, Any], told: dict[str, Any]
) -> None:
    m = asm.Assembly()
    m.pins(A=(0, 0), B=(10, 0), C=(0, 10), E=(10, 10), F=(-10, 0))
    m.link("frame", "A F", grounded=True)
    m.link("one", "A B E")
    if "links" not in given and "rays" not in given:
        m.drive("turn", at="A", **given)  # two links so far: nothing else is needed
    m.link("two", "A C")
    if "turn" not in m.drivers:
        m.drive("turn", at="A", **given)
    assert json.loads(assembly_json.dump(m))["drivers"]["turn"] == told
    assert check_stays(m).drivers == m.drivers


@settings(max_examples=40, deadline=None)
@given(
    names=st.lists(st.text(min_size=1, max_size=6), min_size=4, max_size=4, unique=True),
    links=st.lists(st.text(min_size=1, max_size=6), min_size=3, max_size=3, unique=True),
)
def test_names_may_be_any_text(names: list[str], links: list[str]) -> None:
    a, b, c, d = names
    m = asm.Assembly()
    m.pins({a: (0, 0), b: (10, 0), c: (20, 10), d: (-5, 3)})
    m.link(links[0], [a, d], grounded=True)
    m.link(links[1], [a, b])
    m.link(links[2], [b, c, d])
    m.drive("drive", at=a, value=10)
    try:
        text = assembly_json.dump(m)
    except AssemblySolverError:  # half a surrogate pair is not text
        return
    again = assembly_json.read_text(text)
    assert assembly_json.dump(again) == text
    assert (again.drawing, again.mates) == (m.drawing, m.mates)


# ------------------------------------------------------------------------------- what became of it
def test_poses_and_what_else_links_have_stand_beside_the_drawing() -> None:
    m = assembly_json.read_text(FOUR_BAR)
    m.set_driver("crank", 60)
    asm.solve(m).require().apply()
    m.add_features("crank", {"grip": asm.Point((0, 15, 5))})
    m.set_mass("crank", asm.Mass(2, (0, 15, 0)))
    m.add("table", grounded=True, features={"top": asm.Plane((0, 0, 0), "z")})
    m.mate("coplanar", "table.top", ("frame", "xy"), name="on the table")
    again = check_stays(m)
    written = json.loads(assembly_json.dump(m))
    assert written["linkage"] == tree()["linkage"]
    assert list(written["parts"]) == ["crank", "coupler", "rocker", "table"]
    assert list(written["parts"]["crank"]) == ["pose", "features", "mass"]
    assert [mate["name"] for mate in written["mates"]] == ["on the table"]
    assert {n: p.pose for n, p in again.parts.items()} == {n: p.pose for n, p in m.parts.items()}
    assert again.parts["crank"].mass == asm.Mass(2, (0, 15, 0))


def test_a_link_gets_its_shape_and_colour_under_its_name_among_the_parts() -> None:
    given = tree()
    given["parts"] = {
        "crank": {
            "note": "milled",
            "pose": {"position": [0, 0, 5], "quaternion_wxyz": [1, 0, 0, 0]},
            "features": {"face": {"plane": {"point": [0, 0, 2], "normal": "z"}}},
            "geometry": "crank.stl",
            "x-colour": "#aa3300",
        }
    }
    m = check_stays(read(given))
    crank = m.parts["crank"]
    assert (list(crank.features), str(crank.geometry)) == (["A", "B", "face"], "crank.stl")
    assert (crank.colour, crank.notes, crank.pose.position) == (
        "#aa3300",
        {"note": "milled"},
        (0, 0, 5),
    )
    drawn_now = m.parts["rocker"]
    assert drawn_now.pose == asm.Pose()


def test_a_ground_let_go_is_told_beside_the_drawing() -> None:
    m = assembly_json.read_text(FOUR_BAR)
    m.ground("frame", False)
    m.ground("crank")
    again = check_stays(m)
    assert linkage(m) == tree()["linkage"]
    assert json.loads(assembly_json.dump(m))["parts"] == {
        "frame": {"grounded": False},
        "crank": {"grounded": True},
    }
    assert [n for n, p in again.parts.items() if p.grounded] == ["crank"]
    assert again.drivers == m.drivers  # its ray is still that of a frame


def test_a_mate_or_a_stop_that_is_gone_or_changed_is_left_out() -> None:
    m = asm.Assembly()
    m.pins(O=(0, 0), X=(90, 0), Q=(20, 0), R=(40, 0), B=(30, 40))
    m.link("frame", "O X", grounded=True)
    m.link("slider", "Q R B")
    m.link("bar", "B O")
    m.slot("groove", "O X", "Q R")
    m.remove("O")
    m.remove_limit("groove Q length")
    m.change("B", sense="aligned")
    assert linkage(m)["without"] == ["B", "O", "groove Q length"]
    again = check_stays(m)
    assert (again.mates, again.limits) == (
        {name: m.mates[name] for name in again.mates},
        dict(m.limits),
    )
    assert set(again.mates) == {"B", "groove Q", "groove R"} == set(m.mates)
    m.change("groove R", sense="aligned")
    again = check_stays(m)
    assert list(again.limits) == ["groove R length"]  # of a mate that is others' now, and told
    m.remove("groove R")
    assert list(check_stays(m).limits) == []


def test_a_removed_driver_is_gone_and_another_value_is_written() -> None:
    m = assembly_json.read_text(FOUR_BAR)
    m.set_driver("crank", 120)
    assert json.loads(assembly_json.dump(m))["drivers"]["crank"]["value"] == 120
    m.remove_driver("crank")
    assert "drivers" not in json.loads(assembly_json.dump(m))
    check_stays(m)


def test_a_law_moves_a_driver_at_a_pin() -> None:
    given = tree()
    given["drivers"]["crank"] = {"at": "A", "law": "90 + 360*t"}
    m = check_stays(read(given))
    motion = asm.sweep(m, time=(0, 2), steps=8)
    assert motion.valid.all() and motion.prescribed["crank"][-1] == 810  # degrees, turns counted


def test_notes_stay_where_they_stood() -> None:
    given = tree()
    own = given["linkage"]
    own["note"], own["x-from"] = "drawn by hand", 7
    own["links"]["crank"]["note"] = "short"
    given["drivers"]["crank"]["x-motor"] = "M1"
    m = check_stays(read(given))
    written = json.loads(assembly_json.dump(m))
    assert next(iter(written["linkage"])) == "note" and written["linkage"]["x-from"] == 7
    assert written["linkage"]["links"]["crank"]["note"] == "short"
    assert written["drivers"]["crank"]["x-motor"] == "M1"


def test_places_of_pins_and_ranges_may_be_formulas() -> None:
    given = tree()
    given["parameters"] = {"L": 60, "turn": 180}
    given["linkage"]["pins"] |= {"B": [0, "=L/2"], "D": ["=L + 10", 0], "at": ["=L", "=2*L"]}
    given["linkage"]["links"]["rocker"]["pins"].append("at")
    given["drivers"]["crank"]["angle"] = ["=-turn", "=turn"]
    m = check_stays(read(given))
    assert (m.drawing.pins["B"], m.drawing.pins["D"]) == ((0, 30), (70, 0))
    assert (m.drawing.pins["at"], m.drivers["crank"].range) == ((60, 120), (-180, 180))
    written = json.loads(assembly_json.dump(m))
    assert written["linkage"]["pins"] == given["linkage"]["pins"]
    assert written["drivers"] == given["drivers"]


def test_a_parameter_set_anew_draws_the_pins_elsewhere(tmp_path: Path) -> None:
    given = tree()
    given["parameters"] = {"L": 30}
    given["linkage"]["pins"]["B"] = ["=L", "=L"]
    del given["drivers"]["crank"]["value"]
    file = tmp_path / "bar.assembly.json"
    file.write_text(json.dumps(given))
    m = asm.read(file, set={"L": 40})
    assert m.drawing.pins["B"] == (40, 40)
    assert asm.solve(m).residual == 0.0


# ------------------------------------------------------------------------------- in other files
def test_a_drawing_is_included_from_its_file_and_a_link_is_repeated(tmp_path: Path) -> None:
    given = tree()
    poses = [{"position": [0, 0, 10], "quaternion_wxyz": [1, 0, 0, 0]}]
    given["parts"] = {"rockers": {"pattern": {"of": "rocker", "poses": poses}}}
    m = check_stays(read(given))
    assert list(m.mates) == ["A", "B", "C", "C[1]", "D", "D[1]"]  # as where a file is read
    (tmp_path / "bar.assembly.json").write_text(FOUR_BAR)
    whole = {
        "format": assembly_json.FORMAT,
        "parts": {
            "stiff": {"assembly": "bar.assembly.json"},
            "loose": {"assembly": "bar.assembly.json", "rigid": False, "grounded": True},
        },
        "mates": [],
    }
    file = tmp_path / "whole.assembly.json"
    file.write_text(json.dumps(whole))
    a = asm.read(file)
    a.set_driver("loose.crank", 180)
    solution = asm.solve(a).require()
    at = solution.poses["loose.crank"] @ asm.Pose((0, 30, 0))
    assert degrees(atan2(*at.position[1::-1])) == pytest.approx(180, abs=1e-9)
    asm.write(a, tmp_path / "again.assembly.json")
    text = (tmp_path / "again.assembly.json").read_text()
    assert json.loads(text)["parts"]["loose"]["drivers"] == {"crank": 180}
    assert assembly_json.dump(asm.read(tmp_path / "again.assembly.json")) == text


# ------------------------------------------------------------------------------- refusals
def changed(place: str, value: Any) -> dict[str, Any]:
    """The four-bar with another value at a place."""
    made = tree()
    *way, last = place.split("/")
    inner = made
    for key in way:
        inner = inner.setdefault(key, {})
    inner[last] = value
    return made


REFUSED = refusals("""
linkage = []
    linkage: [] is not possible here, it must be an object with 'pins', 'links', 'slots', 'without'
linkage/joints = {}
    linkage: no key 'joints'; did you mean 'pins'?
linkage/pins/A = [0, 0, 0]
    linkage.pins.A: [0, 0, 0] is not possible here, it must be a list of 2 numbers
linkage/pins/A = ["=Q", 0]
    linkage.pins.A[0]: '=Q', column 2: no name 'Q'
linkage/links/crank = {}
    linkage.links.crank: a link needs 'pins'
linkage/links/crank/pins = "A B"
    linkage.links.crank.pins: 'A B' is not possible here, it must be a list
linkage/links/crank/pins = ["A", "Z"]
    linkage.links.crank.pins: no pin 'Z'; known: A, B, C, D, P
linkage/links/crank/grounded = 1
    linkage.links.crank.grounded: 1 is not possible here, it must be true or false
linkage/slots/groove = {"ends": ["A", "D"]}
    linkage.slots.groove: a slot needs 'pins'
linkage/slots/groove = {"ends": ["A", "D"], "pins": ["P"], "stops": "no"}
    linkage.slots.groove.stops: 'no' is not possible here, it must be true or false
linkage/slots/groove = {"ends": ["A", "D"], "pins": ["P"], "link": "base"}
    linkage.slots.groove.link: no link 'base'; known: coupler, crank, frame, rocker
linkage/slots/groove = {"ends": ["A", "D"], "pins": ["P"], "link": []}
    linkage.slots.groove.link: [] is not possible here, it must be text that is not empty
linkage/without = ["E"]
    linkage.without: no mate 'E'; known: A, B, C, D
parts/crank = {"assembly": "x"}
    parts.crank: there is already a link 'crank'; names are given once
parts/crank = {"features": {"A": {"point": [0, 0, 0]}}}
    linkage.links.crank: there is already a feature 'crank.A'; names are given once
parts/crank = {"colour": "red"}
    parts.crank: no key 'colour'
drivers/crank = {"at": "A", "range": [0, 1]}
    drivers.crank: no key 'range'
drivers/crank = {"at": 3}
    drivers.crank.at: 3 is not possible here, it must be text that is not empty
drivers/crank = {"at": "A", "links": "frame"}
    drivers.crank.links: 'frame' is not possible here, it must be two links at 'A'
drivers/crank = {"at": "A", "rays": [1, 2]}
    drivers.crank.rays: no pin '1'
drivers/crank = {"at": "A", "angle": 5}
    drivers.crank.angle: 5 is not possible here, it must be two numbers, smallest first
drivers/crank = {"angle": [0, 360]}
    drivers.crank.angle[0]: 0 is not possible here
""")


@pytest.mark.parametrize(("case", "message"), REFUSED)
def test_what_is_wrong_with_a_drawing_is_refused_with_its_place(case: str, message: str) -> None:
    place, value = case.split(" = ")
    with pytest.raises(AssemblySolverError) as caught:
        read(changed(place, json.loads(value)))
    assert str(caught.value).startswith(message)


def test_an_assembly_needs_parts_or_a_drawing() -> None:
    with pytest.raises(AssemblySolverError, match="an assembly needs 'parts'"):
        read({"format": assembly_json.FORMAT})
