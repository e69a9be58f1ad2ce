"""Masses, loads and gravity: what they take, what they refuse, and that files give them back."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import turned

import assembly_solver as asm
from assembly_solver.errors import BadValue, DuplicateName, MissingKey, SelfMate, UnknownName
from assembly_solver.formats.native import assembly_json
from assembly_solver.formats.native.schema import schema
from assembly_solver.model.mass import combined

pytestmark = pytest.mark.quick

PIN = {"axis": {"point": [0, 0, 0], "direction": [0, 0, 1]}}
DOOR: dict[str, Any] = {
    "format": "assembly-solver/1",
    "name": "door",
    "parts": {
        "frame": {"grounded": True, "features": {"pin": PIN}},
        "door": {
            "features": {"pin": PIN, "latch": {"point": [800, 0, 1000]}},
            "mass": {"note": "oak", "kg": 30, "centre": [400, 0, 1000], "inertia": [9, 8, 7]},
        },
    },
    "mates": [{"name": "hinge", "kind": "revolute", "a": "frame.pin", "b": "door.pin"}],
    "gravity_m_s2": [0, 0, -9.81],
    "loads": [
        {"note": "on the latch", "name": "push", "at": "door.latch", "force": [0, 50, 0]},
        {"name": "closer", "at": "door.pin", "torque": [0, 0, -4000], "axes": "frame"},
    ],
    "springs": [
        {"note": "gas", "name": "strut", "a": "frame.pin", "b": "door.latch", "force": -350},
        {"name": "coil", "a": "door.latch", "b": "frame.x", "stiffness": 2, "length": 700},
    ],
}


def text(*path: Any) -> str:
    """The door's file with one value set at a path."""
    *way, last, value = path
    tree = copy.deepcopy(DOOR)
    at: Any = tree
    for key in way:
        at = at[key]
    at[last] = value
    return json.dumps(tree)


def test_a_file_gives_masses_loads_and_gravity() -> None:
    door = assembly_json.read_text(json.dumps(DOOR))
    assert door.parts["door"].mass == asm.Mass(30, (400, 0, 1000), (9, 8, 7))
    assert door.parts["frame"].mass is None
    assert door.gravity == (0, 0, -9.81)
    push, closer = door.loads.values()
    assert (push.name, push.point, push.force, push.axes) == (
        "push",
        (800, 0, 1000),
        (0, 50, 0),
        None,
    )
    assert (closer.torque, closer.axes) == ((0, 0, -4000), "frame")


def test_a_file_gives_springs() -> None:
    strut, coil = assembly_json.read_text(json.dumps(DOOR)).springs.values()
    assert (strut.name, strut.force, strut.stiffness, strut.length) == ("strut", -350, 0, 0)
    assert strut.points == ((0, 0, 0), (800, 0, 1000))
    assert [str(end) for end in coil.ends] == ["door.latch", "frame.x"]
    assert (coil.force, coil.stiffness, coil.length) == (0, 2, 700)


def test_what_was_read_is_written_byte_for_byte() -> None:
    once = assembly_json.dump(assembly_json.read_text(json.dumps(DOOR)))
    assert assembly_json.dump(assembly_json.read_text(once)) == once
    told = json.loads(once)
    keys = ("gravity_m_s2", "loads", "springs")
    assert {key: told[key] for key in keys} == {key: DOOR[key] for key in keys}
    assert told["parts"]["door"]["mass"] == DOOR["parts"]["door"]["mass"]


def test_the_schema_takes_what_the_reader_takes() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(schema())
    assert [e.message for e in validator.iter_errors(DOOR)] == []
    for wrong in (
        text("loads", 0, "force", [1, 2]),
        text("loads", 0, {"at": "door.pin"}),
        text("parts", "door", "mass", {"kg": 0, "centre": [0, 0, 0]}),
        text("gravity", [0, 0, -9810]),
        text("springs", 1, "stiffness", -2),
        text("springs", 0, {"a": "frame.pin", "b": "door.latch"}),
    ):
        assert len(list(validator.iter_errors(json.loads(wrong)))) >= 1


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (text("gravity", [0, 0, -9.81]), UnknownName, "did you mean 'gravity_m_s2'"),
        (text("gravity_m_s2", [0, 0, -9810]), BadValue, "gravity_m_s2: .* at most 1000 m/s2"),
        (text("gravity_m_s2", [0, 0]), BadValue, "gravity_m_s2: .* a list of 3 numbers"),
        (text("loads", 0, "at", "door.ltach"), UnknownName, "loads.push.at: .*'latch'"),
        (text("loads", 0, "axes", "frme"), UnknownName, "loads.push.axes: .*'frame'"),
        (text("loads", 0, "force", "x"), BadValue, "loads.push.force: "),
        (text("loads", 0, "forces", [0, 0, 1]), UnknownName, "'force'"),
        (
            text("loads", 1, {"name": "push", "at": "door.pin", "force": [1, 0, 0]}),
            DuplicateName,
            "there is already a load 'push'",
        ),
        (text("loads", 0, {"at": "door.pin"}), MissingKey, r"loads\[0\].*'force'"),
        (text("loads", 0, {"force": [1, 0, 0]}), MissingKey, r"loads\[0\].*'at'"),
        (text("springs", 1, "stiffness", -2), BadValue, "springs.coil.stiffness: .* at least 0"),
        (text("springs", 0, "b", "frame.x"), SelfMate, "springs.strut: .*frame"),
        (text("springs", 0, {"a": "frame.pin", "b": "door.pin"}), MissingKey, "'stiffness'"),
        (text("springs", 0, {"b": "door.pin", "force": 1}), MissingKey, "'a'"),
        (text("springs", 1, "name", "strut"), DuplicateName, "already a spring 'strut'"),
        (text("parts", "door", "mass", 30), BadValue, "parts.door.mass: .*'kg'"),
        (text("parts", "door", "mass", {"kg": 30}), MissingKey, "'centre'"),
        (text("parts", "door", "mass", "kg", 0), BadValue, "parts.door.mass.kg: .* above 0"),
        (text("parts", "door", "mass", "inertia", [1, -1, 1]), BadValue, "at least 0"),
        (
            text("parts", "door", "mass", "inertia", [[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
            BadValue,
            "symmetric",
        ),
        (text("parts", "door", "mass", "inertia", [1, 2]), BadValue, "three moments"),
    ],
)
def test_the_door_refuses_with_the_place(wrong: str, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        assembly_json.read_text(wrong)


def test_loads_are_copied_named_and_removed() -> None:
    door = assembly_json.read_text(json.dumps(DOOR))
    other = door.copy()
    made = other.load("door.latch", force=(1, 0, 0))
    assert made.name == "load on door.latch"
    other.remove_load("push")
    other.remove_spring("coil")
    assert (list(door.springs), list(other.springs)) == (["strut", "coil"], ["strut"])
    with pytest.raises(UnknownName, match="no spring 'coil'; known: strut"):
        other.remove_spring("coil")
    other.gravity = (0, 0, 0)
    assert list(door.loads) == ["push", "closer"]
    assert list(other.loads) == ["closer", "load on door.latch"]
    assert door.gravity == (0, 0, -9.81)
    with pytest.raises(UnknownName, match="no load 'push'"):
        other.remove_load("push")


def test_masses_at_poses_add_up_to_one() -> None:
    """Two 1 kg balls 200 apart along y are a dumb-bell: m d^2 about x and z, nothing about y."""
    ball = asm.Mass(1, (10, 0, 0))
    one = combined([(turned((0, 0, 1), 90, (0, 90, 0)), ball), (asm.Pose((-10, -100, 0)), ball)])
    assert one is not None
    assert (one.kg, one.centre) == (2, pytest.approx((0, 0, 0), abs=1e-12))
    np.testing.assert_allclose(one.tensor, np.diag([20000, 0, 20000]), atol=1e-9)  # rounding


def test_a_rigid_sub_assembly_weighs_what_its_parts_weigh() -> None:
    inner = asm.Assembly("pair")
    inner.add("left", mass=asm.Mass(2, (0, 0, 0)))
    inner.add("right", pose=asm.Pose((100, 0, 0)), mass=asm.Mass(2, (0, 0, 0)))
    outer = asm.Assembly("outer")
    outer.add_assembly("pair", inner)
    found = outer.parts["pair"].whole_mass
    assert found is not None
    assert (found.kg, found.centre) == (4, (50, 0, 0))
    np.testing.assert_allclose(found.tensor, np.diag([0, 10000, 10000]), atol=1e-9)  # 2 x 2 x 50^2
    outer.set_mass("pair", asm.Mass(5, (0, 0, 0)))
    assert outer.parts["pair"].whole_mass == asm.Mass(5, (0, 0, 0))


def test_masses_of_instances_and_inner_parts_come_back(tmp_path: Path) -> None:
    arm = asm.Assembly("arm")
    arm.add("rod", mass=asm.Mass(1, (0, 0, 0)))
    asm.write(arm, tmp_path / "arm.assembly.json")
    whole = asm.Assembly("whole", folder=tmp_path)
    whole.add("bolt", mass=asm.Mass(0.1, (0, 0, 0)))
    whole.add_pattern("bolts", "bolt", [asm.Pose((10, 0, 0)), asm.Pose((20, 0, 0))])
    inner = asm.read(tmp_path / "arm.assembly.json")
    whole.add_assembly("arm", inner, rigid=False, file="arm.assembly.json")
    whole.add_assembly("lump", inner, file="arm.assembly.json")
    whole.set_mass("bolt", asm.Mass(0.2, (0, 0, 1)))
    whole.set_mass("bolts[2]", asm.Mass(0.3, (0, 0, 2)))
    whole.set_mass("arm.rod", asm.Mass(4, (0, 0, 3)))
    whole.set_mass("lump", asm.Mass(5, (0, 0, 4)))
    asm.write(whole, tmp_path / "whole.assembly.json")
    back = asm.read(tmp_path / "whole.assembly.json")
    kg = {name: part.mass.kg for name, part in back.parts.items() if part.mass is not None}
    assert kg == {"bolt": 0.2, "bolts[1]": 0.2, "bolts[2]": 0.3, "arm.rod": 4, "lump": 5}
