"""Simulations of FreeCAD 1.1, written by hand: their motions drive the joints over time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from freecad_files import Thing, assembly, at, document, grounded, group, joint, save, solid

import assembly_solver as asm
from assembly_solver import formats
from assembly_solver.errors import FormatError
from assembly_solver.formats import LEFT_OUT
from assembly_solver.formats.simulated import simulated

pytestmark = pytest.mark.quick

Run = Callable[..., tuple[int, str, str]]
CLOSE = 1e-9
"""degrees and mm: a normal solve reaches it."""


def motion(kind: str, of: str, formula: str, name: str = "Motion") -> Thing:
    found = {
        "Label": f'<String value="{name}"/>',
        "Joint": f'<XLink file="" stamp="" name="{of}"/>',
        "Formula": f'<String value="{formula}"/>',
        "MotionType": f'<Integer value="{("Angular", "Linear").index(kind)}"/>',
    }
    return Thing("App::FeaturePython", name, found)


def simulation(*motions: Thing, end: float = 2.0) -> list[Thing]:
    made = group("App::FeaturePython", "Simulation", [m.name for m in motions], None, "Turn it")
    times = {"aTimeStart": 0.0, "bTimeEnd": end, "cTimeStepOutput": 0.25}
    made.properties |= {key: f'<Float value="{v}"/>' for key, v in times.items()}
    return [group("Assembly::SimulationGroup", "Simulations", ["Simulation"], None), made, *motions]


def file_of(folder: Path, kind: str, *motions: Thing, **more: float | bool) -> Path:
    """A box, and a lid on it by one joint that has both frames at the parts' own."""
    made = joint(kind, "Box.Face1", "Lid.Face1", **more)
    lid = solid(
        "Lid", at(0, 0, 7 if kind != "Revolute" else 0, angle=20 if kind != "Slider" else 0)
    )
    things = assembly([solid("Box"), lid], [grounded("Box"), made])
    things += simulation(*motions)
    things[0].properties["Group"] = (
        things[0]
        .properties["Group"]
        .replace("</LinkList>", '<Link value="Simulations"/></LinkList>')
    )
    return save(folder / "made.FCStd", document(things, "1.1.0R44000 (Git)"))


def value(path: Path, coordinate: str, joint_: str) -> np.ndarray:
    read = formats.read(f"{path}#Simulation")
    start, end, steps = simulated(read) or (0.0, 0.0, 0)
    found = asm.sweep(read, time=(start, end), steps=steps)
    assert found, found.sentence
    return found.joint(joint_, coordinate).value


T = np.linspace(0.0, 2.0, 9)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("initialValue + 0.5*time", 20.0 + np.degrees(0.5 * T)),
        ("0.3*sin(2.0*time - 0.1)", np.degrees(0.3 * np.sin(2 * T - 0.1))),
        ("-initialValue", np.full(9, -20.0)),
        ("1.0 + time^2/4", np.degrees(1.0 + T**2 / 4)),
    ],
)
def test_an_angular_motion_turns_its_joint_by_its_formula(
    formula: str, expected: np.ndarray, tmp_path: Path
) -> None:
    path = file_of(tmp_path, "Revolute", motion("Angular", "Revolute", formula))
    np.testing.assert_allclose(value(path, "angle", "Revolute"), expected, atol=CLOSE)


def test_a_linear_motion_slides_its_joint_by_its_formula(tmp_path: Path) -> None:
    path = file_of(tmp_path, "Slider", motion("Linear", "Slider", "initialValue + 10*time"))
    np.testing.assert_allclose(value(path, "length", "Slider"), 7.0 + 10.0 * T, atol=CLOSE)


def test_a_cylindrical_joint_may_have_both_motions(tmp_path: Path) -> None:
    both = [
        motion("Angular", "Cylindrical", "initialValue + time", "Turning"),
        motion("Linear", "Cylindrical", "initialValue - 2*time", "Sliding"),
    ]
    path = file_of(tmp_path, "Cylindrical", *both)
    assert [*formats.read(f"{path}#Simulation").drivers] == ["Turning", "Sliding"]
    expected = {"angle": 20.0 + np.degrees(T), "length": 7.0 - 2.0 * T}
    for coordinate, values in expected.items():
        np.testing.assert_allclose(value(path, coordinate, "Cylindrical"), values, atol=CLOSE)


def test_the_file_without_its_simulation_has_no_drivers_and_moves_nothing(tmp_path: Path) -> None:
    path = file_of(tmp_path, "Revolute", motion("Angular", "Revolute", "5*time"))
    found = asm.solve(formats.read(path))
    assert (found.dof_left, [*formats.read(path).drivers]) == (1, [])
    assert found.poses["Lid"] == formats.read(path).parts["Lid"].pose


def test_sweep_runs_a_simulation_over_its_own_time(tmp_path: Path, run: Run) -> None:
    path = file_of(tmp_path, "Revolute", motion("Angular", "Revolute", "initialValue + time"))
    for name in ("Simulation", "Turn it"):
        status, text, _ = run("sweep", f"{path}#{name}", "--json")
        assert (status, json.loads(text)["t"]) == (0, T.tolist())


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (motion("Angular", "Revolute", " "), "it has no formula"),
        (motion("Angular", "Nowhere", "time"), "it moves no joint of this assembly"),
        (motion("Linear", "Revolute", "time"), "no coordinate 'length' of 'Revolute'"),
        (motion("Angular", "Revolute", "2*tine"), "'tine'"),
    ],
)
def test_a_motion_that_cannot_be_taken_is_named(made: Thing, reason: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, "Revolute", made)
    assert reason in formats.read(f"{path}#Simulation").notes[LEFT_OUT]["Motion"]


def test_a_motion_of_a_joint_that_is_switched_off_is_named(tmp_path: Path) -> None:
    path = file_of(tmp_path, "Revolute", motion("Angular", "Revolute", "time"), Suppressed=True)
    told = formats.read(f"{path}#Simulation").notes[LEFT_OUT]
    assert told == {"Motion": "Revolute, which it moves, does not hold here"}


def test_a_simulation_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    path = file_of(tmp_path, "Revolute", motion("Angular", "Revolute", "time"))
    said = r"no one assembly is named 'Simulatoin': Assembly, Simulation \(Turn it\);"
    with pytest.raises(FormatError, match=said):
        formats.read(f"{path}#Simulatoin")
