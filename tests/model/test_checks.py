"""What a file may ask: kinds of checks, the door, and the way back into the file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from refusals import refusals

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.native import assembly_json
from assembly_solver.formats.native.schema import schema
from assembly_solver.model.checks import CHECKS

WORKING: dict[str, dict[str, Any]] = {
    "dof": {"equals": 1},
    "redundant": {"max": 0},
    "grashof": {"joint": "hinge", "equals": "crank-rocker"},
    "range": {"driver": "opening", "covers": [0, 90]},
    "dead_points": {"driver": "opening", "none_in": [10, 20]},
    "branch_changes": {"max": 1},
    "branch": {"covers": [10, 80]},
    "circuit": {},
    "limits": {"driver": "opening", "over": [0, 45]},
    "residual": {"max": 1e-9},
    "transmission_angle": {"at": "hinge", "min": 40},
    "mechanical_advantage": {"point": "door.edge", "direction": [1, 0, 0], "min": 0.5},
    "output_force": {"driver": "ram", "point": "door.edge", "min": 100},
    "force": {"joint": "hinge", "max": 84000},
    "coordinate": {"joint": "hinge", "covers": [0, 90]},
    "point": {"point": "door.edge", "x": [0, 800], "reaches": [0, 800, 0], "within": 2},
    "speed": {"point": "door.edge", "speed": 90, "max": 1300},
    "clearance": {"parts": ["frame", "door"], "min": 2},
    "contact": {"parts": ["frame", "door"]},
    "modes": {"equals": 2, "min": 1, "max": 3},
    "tolerance": {"measure": "reach", "meets": 0.99, "cpk": 1.33, "samples": 500, "seed": 3},
}


def tree(*checks: Any) -> dict[str, Any]:
    pin = {"axis": {"point": [0, 0, 0], "direction": [0, 0, 1]}}
    return {
        "format": assembly_json.FORMAT,
        "name": "hinge",
        "parts": {
            "frame": {"grounded": True, "features": {"pin": pin, "foot": {"point": [0, -300, 0]}}},
            "door": {"features": {"pin": pin, "edge": {"point": [800, 0, 0]}}},
        },
        "mates": [
            {"name": "hinge", "kind": "revolute", "a": "frame.pin", "b": "door.pin"},
            {"name": "line", "kind": "coaxial", "a": "frame.pin", "b": "door.pin"},
            {"name": "seat", "kind": "coplanar", "a": "frame.xy", "b": "door.xy"},
        ],
        "drivers": {
            "opening": {"joint": "hinge", "coordinate": "angle", "range": [0, 90], "value": 30}
        },
        "cylinders": {
            "ram": {
                "pins": ["frame.foot", "door.edge"],
                "closed": 600,
                "stroke": 400,
                "bore": 40,
                "pressure": 10,
            }
        },
        "measures": {
            "reach": {"point": "door.edge", "along": "x", "max": 700},
            "swing": {"joint": "hinge", "coordinate": "angle"},
        },
        "checks": list(checks),
    }


def read(*checks: Any) -> asm.Assembly:
    return assembly_json.read_text(json.dumps(tree(*checks)))


def test_every_kind_is_tried_here():
    assert set(WORKING) == set(CHECKS)


@pytest.mark.parametrize("kind", sorted(WORKING))
def test_a_check_is_written_as_it_was_read(kind: str):
    entry = {"name": "mine", "kind": kind, **WORKING[kind], "note": "why"}
    a = read(entry)
    written = json.loads(assembly_json.dump(a))["checks"]
    assert written == [{"note": "why"} | entry]
    again = assembly_json.read_text(assembly_json.dump(a))
    assert assembly_json.dump(again) == assembly_json.dump(a)
    assert a.copy().checks["mine"] == again.checks["mine"]


@pytest.mark.parametrize("kind", sorted(WORKING))
def test_the_schema_takes_what_the_reader_takes(kind: str):
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema())
    entry = {"kind": kind, **WORKING[kind]}
    assert list(validator.iter_errors(tree(entry))) == []
    assert list(validator.iter_errors(tree(entry | {"mni": 3}))) != []


def test_a_check_without_a_name_is_named_by_what_it_is_about():
    kinds = ("dof", "range", "clearance", "dof", "tolerance")
    a = read(*({"kind": k, **WORKING[k]} for k in kinds))
    names = ["dof", "range: opening", "clearance: frame - door", "dof (2)", "tolerance: reach"]
    assert list(a.checks) == names


def test_checks_are_the_same_from_python_and_from_a_file():
    a = read()
    made = a.check("range", driver="opening", covers=(0, 90))
    assert made == read({"kind": "range", "driver": "opening", "covers": [0, 90]}).checks[made.name]
    a.remove_check("range: opening")
    assert dict(a.checks) == {}


def test_a_check_goes_with_the_joint_that_it_is_about():
    a = read(*({"kind": k, **WORKING[k]} for k in WORKING))
    a.remove("hinge")
    kept = {c.kind for c in a.checks.values()}
    asked_of_the_hinge = {
        "grashof",
        "range",
        "dead_points",
        "limits",
        "transmission_angle",
        "force",
        "coordinate",
    }
    assert kept == set(WORKING) - asked_of_the_hinge


def test_a_check_goes_with_the_measure_that_it_is_about() -> None:
    a = read({"kind": "tolerance", **WORKING["tolerance"]}, {"kind": "dof", "equals": 1})
    a.remove_measure("reach")
    assert [c.kind for c in a.checks.values()] == ["dof"]
    a = read({"kind": "tolerance", **WORKING["tolerance"]})
    a.remove_part("door")
    assert dict(a.checks) == dict(a.measures) == {}


REFUSED = refusals("""
3
    checks[0]: 3 is not possible here, it must be an object with a kind
{"equals": 0}
    checks[0]: a check needs 'kind'
{"kind": "dov"}
    checks[0].kind: no check kind 'dov'; did you mean 'dof'?
{"kind": "dof"}
    checks[0]: a check of kind dof needs 'equals or min or max'
{"kind": "dof", "equal": 0}
    checks[0]: no key 'equal'; did you mean 'equals'?
{"kind": "dof", "equals": 0.5}
    checks[0].equals: 0.5 is not possible here, it must be a whole number of at least 0
{"kind": "dof", "min": 3, "max": 2}
    checks[0].max: 2 is not possible here, it must be at least 3, the min
{"kind": "range", "driver": "openin", "covers": [0, 1]}
    checks[0].driver: no driver 'openin'; did you mean 'opening'?
{"kind": "range", "driver": ["opening"], "covers": [0, 1]}
    checks[0].driver: no driver "['opening']"; did you mean 'opening'?
{"kind": "range", "driver": "opening", "covers": [1, 0]}
    checks[0].covers: [1, 0] is not possible here, it must be two numbers, smallest first
{"kind": "transmission_angle", "at": "hing", "min": 40}
    checks[0].at: no joint 'hing'; did you mean 'hinge'?
{"kind": "force", "joint": "hinge", "of": "opening", "max": 1}
    checks[0]: of and joint exclude each other; give one of them
{"kind": "force", "joint": "hinge"}
    checks[0]: a check of kind force needs 'max or of or driver'
{"kind": "force", "driver": "opening"}
    checks[0]: driver 'opening', which is no cylinder with a bore and a pressure, needs 'max'
{"kind": "output_force", "driver": "opening", "point": "door.edge", "min": 1}
    checks[0].driver: 'opening' is not possible here, it must be a cylinder with a bore and a
    pressure
{"kind": "coordinate", "joint": "line", "min": 0}
    checks[0]: joint 'line' with angle and length needs 'coordinate'
{"kind": "coordinate", "joint": "seat", "min": 0}
    checks[0].joint: 'seat' is not possible here, it must be a joint with an angle or a length
{"kind": "clearance", "parts": ["frame", "frame"], "min": 1}
    checks[0].parts: check 'frame - frame' joins part 'frame' with itself; it must join two parts
{"kind": "clearance", "parts": ["frame", "dor"], "min": 1}
    checks[0].parts: no part 'dor'; did you mean 'door'?
{"kind": "point", "point": "door.edg", "x": [0, 1]}
    checks[0].point: no feature 'edg' of part 'door'; did you mean 'edge'?
{"kind": "tolerance", "measure": "reech", "meets": 1}
    checks[0].measure: no measure 'reech'; did you mean 'reach'?
{"kind": "tolerance", "measure": "swing", "meets": 1}
    checks[0].measure: 'swing' is not possible here, it must be a measure with min or max
{"kind": "tolerance", "measure": "reach"}
    checks[0]: a check of kind tolerance needs 'meets or cpk'
{"kind": "tolerance", "measure": "reach", "meets": 99}
    checks[0].meets: 99 is not possible here, it must be a number from 0 to 1
{"kind": "tolerance", "measure": "reach", "meets": 1, "samples": 1}
    checks[0].samples: 1 is not possible here, it must be a whole number of at least 2
{"kind": "grashof", "equals": "crank rocker"}
    checks[0].equals: no class 'crank rocker'; did you mean 'crank-rocker' or 'triple rocker'?
{"name": "mine", "kind": "residual", "max": -1}
    checks.mine.max: -1 is not possible here, it must be a number of at least 0
""")


@pytest.mark.parametrize(("entry", "words"), REFUSED)
def test_what_cannot_be_asked_is_named_with_its_place(entry: str, words: str):
    with pytest.raises(AssemblySolverError) as error:
        read(json.loads(entry))
    assert str(error.value) == words
