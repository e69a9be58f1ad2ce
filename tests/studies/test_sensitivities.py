"""Sensitivities: closed forms, redundant mates, free motions, dead points, formulas."""

from __future__ import annotations

import json
from math import acos, atan2, cos, degrees, radians, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
from builders import slider_crank

import assembly_solver as asm
from assembly_solver.errors import BadValue, UnknownName
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick
SAMPLES = Path(__file__).parents[2] / "samples"


def slider(crank: float, rod: float, value: float, driven: str = "turn") -> asm.Assembly:
    """A slider on the x axis, with a crank about the origin; parameters of a file."""
    z = {"direction": [0, 0, 1]}
    x = {"direction": [1, 0, 0], "x": [0, 0, 1]}
    tree = {
        "format": "assembly-solver/1",
        "parameters": {"crank": crank, "rod": rod},
        "parts": {
            "frame": {
                "grounded": True,
                "features": {
                    "pin": {"axis": {"point": [0, 0, 0]} | z},
                    "way": {"axis": {"point": [0, 0, 0]} | x},
                },
            },
            "crank": {
                "features": {
                    "pin": {"axis": {"point": [0, 0, 0]} | z},
                    "end": {"axis": {"point": ["=crank", 0, 0]} | z},
                }
            },
            "rod": {
                "pose": {"position": [crank, 0, 0]},
                "features": {
                    "foot": {"axis": {"point": [0, 0, 0]} | z},
                    "head": {"axis": {"point": ["=rod", 0, 0]} | z},
                },
            },
            "slider": {
                "pose": {"position": [crank + rod, 0, 0]},
                "features": {
                    "pin": {"axis": {"point": [0, 0, 0]} | z},
                    "way": {"axis": {"point": [0, 0, 0]} | x},
                },
            },
        },
        "mates": [
            {"name": "main", "kind": "revolute", "a": "frame.pin", "b": "crank.pin"},
            {"name": "big end", "kind": "revolute", "a": "crank.end", "b": "rod.foot"},
            {"name": "small end", "kind": "revolute", "a": "rod.head", "b": "slider.pin"},
            {"name": "way", "kind": "prismatic", "a": "frame.way", "b": "slider.way"},
        ],
        "drivers": {"turn": {"joint": "main"}, "push": {"joint": "way"}},
        "measures": {"stroke": {"joint": "way"}, "turned": {"joint": "main"}},
    }
    drivers = tree["drivers"]
    assert isinstance(drivers, dict)
    drivers[driven]["value"] = value
    return assembly_json.read_text(json.dumps(tree))


def test_a_slider_moves_with_its_lengths_as_the_closed_form_says() -> None:
    a = slider(30.0, 80.0, 50.0)
    s = asm.sensitivities(a, of=["stroke"], to=["crank", "rod", "turn"])
    turn = radians(50.0)
    up = 30.0 * sin(turn)
    along = sqrt(80.0**2 - up**2)
    assert s.nominal[0] == pytest.approx(30.0 * cos(turn) + along, abs=1e-9)
    by_crank = cos(turn) - up * sin(turn) / along
    by_turn = radians(-30.0 * sin(turn) - up * 30.0 * cos(turn) / along)
    assert s["stroke", "crank"] == pytest.approx(by_crank, abs=1e-11)
    assert s["stroke", "rod"] == pytest.approx(80.0 / along, abs=1e-11)
    assert s["stroke", "turn"] == pytest.approx(by_turn, abs=1e-11)
    assert s.unit("stroke", "turn") == "mm/deg" and s.unit("stroke", "rod") == "mm/mm"
    assert s.notes == ()


def test_a_dead_point_has_no_derivative_and_names_what_may_move() -> None:
    a = slider(30.0, 80.0, 110.0, "push")
    s = asm.sensitivities(a, of=["turned"], to=["push", "rod"])
    assert np.isnan(s.values).all()
    assert "dead point" in s.notes[0] and "turns" in s.notes[0] and "push" in s.notes[0]
    assert "none" in str(s)


def test_a_little_off_the_dead_point_it_has_one() -> None:
    a = slider(30.0, 80.0, 109.0, "push")
    s = asm.sensitivities(a, of=["turned"], to=["push"])
    turn = acos((30.0**2 + 109.0**2 - 80.0**2) / (2 * 30.0 * 109.0))
    slope = -(109.0 - 30.0 * cos(turn)) / (30.0 * 109.0 * sin(turn))
    assert abs(s["turned", "push"]) == pytest.approx(abs(degrees(slope)), rel=1e-9)


def test_redundant_mates_that_come_to_disagree_are_named() -> None:
    """A block between two stops, both of which say where it is: it goes by half."""
    a = asm.Assembly("block")
    stops = {"left": asm.Plane((0, 0, 0), "x"), "right": asm.Plane((50, 0, 0), "x")}
    a.add("frame", grounded=True, features=stops)
    faces = {"left": asm.Plane((0, 0, 0), "x"), "right": asm.Plane((50, 0, 0), "x")}
    a.add("block", features=faces)
    for side in stops:
        a.mate("coplanar", f"frame.{side}", f"block.{side}", name=side, sense="aligned")
    s = asm.sensitivities(a, of=["block.origin"], to=["left.offset", "frame.left.x"])
    assert s["block.origin.x", "left.offset"] == pytest.approx(0.5, abs=1e-12)
    assert s["block.origin.x", "frame.left.x"] == pytest.approx(0.5, abs=1e-12)
    assert any("left and right then disagree" in note for note in s.notes)


def test_free_motions_are_held_with_the_least_movement() -> None:
    """A block that a plane holds: it goes along the normal alone, as a solve moves it."""
    a = asm.Assembly("block")
    a.add("table", grounded=True, features={"top": asm.Plane((0, 0, 0), "z")})
    points = {f"p{k}": asm.Point((10.0 * k, 3.0 * k * k, 0)) for k in range(3)}
    a.add("block", features=points | {"foot": asm.Plane((0, 0, 0), "z")})
    a.mate("coplanar", "table.top", "block.foot", name="seat", sense="aligned")
    s = asm.sensitivities(a, of=["block"], to=["seat.offset"])
    assert s.values[:, 0] == pytest.approx([0, 0, 1, 0, 0, 0], abs=1e-12)
    assert "3 free motions" in s.notes[-1]


def test_formulas_are_differentiated_exactly() -> None:
    tree = json.loads(assembly_json.dump(slider(30.0, 80.0, 50.0)))
    tree["parameters"] = {"L": 110.0, "crank": "=L*3/11", "angle": 50.0, "rod": "=sqrt(L^2-75^2)"}
    tree["drivers"]["turn"]["value"] = "=angle"
    a = assembly_json.read_text(json.dumps(tree))
    plain = slider(30.0, sqrt(110.0**2 - 75.0**2), 50.0)
    own = asm.sensitivities(plain, of=["stroke"], to=["crank", "rod", "turn"]).values[0]
    s = asm.sensitivities(a, of=["stroke"], to=["L", "angle"])
    slope = 110.0 / sqrt(110.0**2 - 75.0**2)
    assert s["stroke", "L"] == pytest.approx(own[0] * 3 / 11 + own[1] * slope, abs=1e-11)
    assert s["stroke", "angle"] == pytest.approx(own[2], abs=1e-11)
    assert s.unit("stroke", "angle") == "mm/deg"


def test_a_law_of_a_parameter_is_differentiated_at_its_start() -> None:
    tree = json.loads(assembly_json.dump(slider(30.0, 80.0, 50.0)))
    tree["parameters"]["w"] = 25.0
    tree["drivers"]["turn"] = {"joint": "main", "law": "2*w + 3*t"}
    a = assembly_json.read_text(json.dumps(tree))
    own = asm.sensitivities(slider(30.0, 80.0, 50.0), of=["stroke"], to=["turn"])
    s = asm.sensitivities(a, of=["stroke"], to=["w"])
    assert s["stroke", "w"] == pytest.approx(2 * own["stroke", "turn"], abs=1e-11)


def test_play_shifts_the_pin_for_its_joint_alone() -> None:
    a = slider(30.0, 80.0, 50.0)
    a.tolerate("play", joint="big end", radial=0.1)
    s = asm.sensitivities(a, of=["stroke"])
    lean = atan2(-30.0 * sin(radians(50.0)), sqrt(80.0**2 - (30.0 * sin(radians(50.0))) ** 2))
    along_rod = np.array([1.0, np.tan(lean)])
    turn = radians(50.0)
    axes = np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
    assert s.columns == ("play.x", "play.y")
    assert s.values[0] == pytest.approx(axes @ along_rod, abs=1e-11)


def test_an_assembly_without_variables_has_no_sensitivities() -> None:
    found = asm.sensitivities(asm.read(SAMPLES / "plate_stack.assembly.json"))
    assert (found.columns, found.values.shape[1]) == ((), 0)


def test_names_are_refused_with_those_that_are_known() -> None:
    a = slider(30.0, 80.0, 50.0)
    with pytest.raises(UnknownName, match=r"no variable 'krank'; .*crank"):
        asm.sensitivities(a, to=["krank"])
    with pytest.raises(UnknownName, match=r"no measure 'strike'; .*stroke"):
        asm.sensitivities(a, of=["strike"])
    with pytest.raises(BadValue, match="push"):
        asm.sensitivities(a, to=["push"])


def test_every_driven_mechanism_answers_its_driver_as_it_moves() -> None:
    made = slider_crank().build(50.0)
    names = [n for n, d in made.drivers.items() if d.value is not None]
    s = asm.sensitivities(made, of=names, to=names)
    assert np.diag(s.values) == pytest.approx(np.ones(len(names)), abs=1e-12)


def test_along_a_motion_there_are_arrays_over_its_states() -> None:
    """Each state is that of the closed form, torque and stroke."""
    a = slider(30.0, 80.0, 10.0)
    a.load("slider.pin", force=(-10.0, 0.0, 0.0), name="piston")
    motion = asm.sweep(a, "turn", angle=(10, 340), steps=11)
    s = asm.sensitivities(motion, of=["stroke", "turned", ("turn", "force")], to=["rod", "turn"])
    turn = np.radians(np.linspace(10, 340, 12))
    along = np.sqrt(80.0**2 - (30.0 * np.sin(turn)) ** 2)
    assert s["stroke", "rod"] == pytest.approx(80.0 / along, abs=1e-11)
    by_turn = np.radians(-30.0 * np.sin(turn) - 900.0 * np.sin(turn) * np.cos(turn) / along)
    assert s["stroke", "turn"] == pytest.approx(by_turn, abs=1e-11)
    assert s.nominal[:, 1] == pytest.approx(np.linspace(10, 340, 12), abs=1e-9)
    assert s.nominal[:, 2] == pytest.approx(10.0 * np.degrees(by_turn), abs=1e-8)
    by_rod = 9000.0 * np.sin(turn) * np.cos(turn) * 80.0 / along**3
    assert s["turn.force", "rod"] == pytest.approx(by_rod, abs=1e-8)
    assert s.driven["turn"] == pytest.approx(np.linspace(10, 340, 12)) and s.notes == ()
    assert s.to_dict()["measures"]["stroke"]["sensitivities"]["rod"] == s["stroke", "rod"].tolist()


def test_along_a_motion_the_states_at_dead_points_are_named() -> None:
    motion = asm.sweep(slider(30.0, 80.0, 100.0, "push"), "push", length=(80, 110), steps=3)
    s = asm.sensitivities(motion, of=["turned"], to=["push"])
    assert np.isfinite(s.values[:3]).all() and np.isnan(s.values[3]).all()
    assert s.notes == (
        "at push = 110: dead point: crank turns there either way: no derivative by push",
    )
