"""Parameters: numbers that a file tells as formulas, and gives back as it told them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick

FOUR_BAR = """{
  "format": "assembly-solver/1",
  "name": "four-bar",
  "parameters": {
    "L": 60,
    "crank": "=L",
    "ground": "=2*coupler - 160",
    "coupler": "=3*L",
    "tilt": 0
  },
  "parts": {
    "ground": {
      "grounded": true,
      "pose": {
        "position": [0, 0, 0],
        "axis": [0, 0, 1],
        "angle": "=tilt"
      },
      "features": {
        "left": {
          "axis": {
            "point": [0, 0, 0],
            "direction": [0, 0, 1]
          }
        },
        "right": {
          "axis": {
            "point": ["=ground", "=sqrt(L - 60)", 0],
            "direction": ["=L - 60", 0, 2]
          }
        }
      }
    },
    "crank": {
      "features": {
        "left": {
          "axis": {
            "point": [0, 0, 0],
            "direction": [0, 0, 1]
          }
        },
        "right": {
          "axis": {
            "point": ["=crank", 0, 0],
            "direction": [0, 0, 1]
          }
        }
      }
    }
  },
  "mates": [
    {
      "name": "pin",
      "kind": "revolute",
      "a": "ground.left",
      "b": "crank.left"
    },
    {
      "name": "level",
      "kind": "coplanar",
      "a": "ground.xy",
      "b": "crank.xy",
      "offset": "=L - 60"
    }
  ],
  "drivers": {
    "motor": {
      "joint": "pin",
      "coordinate": "angle",
      "range": [0, "=6*L"],
      "value": "=L/2 + 3"
    },
    "shaker": {
      "distance": ["ground.right", "crank.right"],
      "law": "coupler + L*sin(2*pi*t)/10"
    }
  },
  "limits": [
    {
      "joint": "pin",
      "coordinate": "angle",
      "max": "=2*L"
    }
  ]
}
"""


def solid(text: str) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(text)
    return tree


def test_a_formula_is_the_number_that_it_gives() -> None:
    a = assembly_json.read_text(FOUR_BAR)
    assert a.parameters == {"L": 60, "crank": 60, "ground": 200, "coupler": 180, "tilt": 0}
    assert a.parts["ground"].feature("right").frame[:3] == (200, 0, 0)
    assert a.parts["crank"].feature("right").frame[:3] == (60, 0, 0)
    assert a.drivers["motor"].value == 33
    assert a.drivers["motor"].range == (0, 360)
    assert a.drivers["shaker"].value == 180  # its law at t = 0
    assert a.limits["pin angle"].max == 120


def test_what_was_read_is_written_with_its_formulas() -> None:
    written = assembly_json.dump(assembly_json.read_text(FOUR_BAR))
    assert assembly_json.dump(assembly_json.read_text(written)) == written
    tree, given = solid(written), solid(FOUR_BAR)
    for key in ("parameters", "drivers", "limits"):
        assert tree[key] == given[key]
    assert tree["mates"][1]["offset"] == "=L - 60"  # though 0 alone would be left out
    right = tree["parts"]["ground"]["features"]["right"]["axis"]
    assert right["point"] == ["=ground", "=sqrt(L - 60)", 0]
    assert right["direction"] == ["=L - 60", 0, 2]  # though a unit vector would be written
    assert tree["parts"]["ground"]["pose"]["angle"] == "=tilt"  # though that is the identity


def test_what_changes_is_written_as_a_number_and_the_rest_stays() -> None:
    a = assembly_json.read_text(FOUR_BAR)
    a.set_driver("motor", 40)
    a.change("level", offset=7)
    a.move({"ground": asm.Pose((1, 0, 0))})
    tree = solid(assembly_json.dump(a))
    assert tree["drivers"]["motor"]["value"] == 40
    assert tree["drivers"]["motor"]["range"] == [0, "=6*L"]
    assert tree["mates"][1]["offset"] == 7
    assert tree["parts"]["ground"]["pose"]["position"] == [1, 0, 0]
    assert "angle" not in tree["parts"]["ground"]["pose"]


def test_a_formula_goes_with_its_entry() -> None:
    """Entries of lists are found by their names, not their numbers."""
    a = assembly_json.read_text(FOUR_BAR)
    a.remove("pin", alone=True)
    tree = solid(assembly_json.dump(a))
    assert tree["mates"][0] == solid(FOUR_BAR)["mates"][1]
    a.remove("level")
    assert solid(assembly_json.dump(a))["mates"] == []


def test_a_solved_file_keeps_its_formulas(tmp_path: Path) -> None:
    path = tmp_path / "four.assembly.json"
    path.write_text(FOUR_BAR.replace('"distance": ["ground', '"note": "", "distance": ["ground'))
    a = asm.read(path)
    a.set_driver("shaker", None)
    asm.solve(a).require().apply()
    asm.write(a, path)
    again = asm.read(path, set={"L": 61})
    assert again.parameters["coupler"] == 183
    assert again.drivers["motor"].value == 33.5
    assert again.held["level"].mate.parameters() == {"offset": 1}
    assert again.parts["crank"].feature("right").frame[0] == 61
    assert solid(assembly_json.dump(again))["parameters"]["L"] == 61
    assert solid(assembly_json.dump(again))["parameters"]["coupler"] == "=3*L"


def test_set_gives_values_to_parameters_and_drivers(tmp_path: Path) -> None:
    path = tmp_path / "four.assembly.json"
    path.write_text(FOUR_BAR)
    a = asm.read(path, set={"crank": 50, "motor": 10})
    assert a.parameters["crank"] == 50
    assert a.parameters["L"] == 60
    assert a.drivers["motor"].value == 10
    assert solid(assembly_json.dump(a))["drivers"]["motor"]["value"] == 10
    assert solid(assembly_json.dump(a))["parameters"]["crank"] == 50


SETTINGS = [
    ({"motr": 3.0}, "set motr=3: no driver or parameter 'motr'; did you mean 'motor'?"),
    (
        {"L": float("inf")},
        "parameters.L: Infinity is not possible here, it must be a finite number",
    ),
    ({"crank": 1.0}, "set crank=1: a parameter and a driver have this name; rename one of them"),
]


@pytest.mark.parametrize(("given", "says"), SETTINGS)
def test_what_cannot_be_set_says_why(given: dict[str, float], says: str, tmp_path: Path) -> None:
    path = tmp_path / "four.assembly.json"
    tree = solid(FOUR_BAR)
    tree["drivers"]["crank"] = {"joint": "pin", "coordinate": "angle"}
    path.write_text(json.dumps(tree))
    with pytest.raises(AssemblySolverError) as caught:
        asm.read(path, set=given)
    assert str(caught.value) == says


def with_parameters(**parameters: Any) -> str:
    return json.dumps(solid(FOUR_BAR) | {"parameters": parameters})


REFUSED = [
    (with_parameters(a="=b", b="=c + 1", c="=a"), "it depends on itself: a -> b -> c -> a"),
    (with_parameters(a="=a"), "parameters.a: it depends on itself: a -> a"),
    (with_parameters(L=60, M="=Lo"), "parameters.M: '=Lo', column 2: no name 'Lo'; did you mean"),
    (with_parameters(L="60"), "parameters.L: '60' is not possible here, it must be a number, or a"),
    (with_parameters(L=None), "parameters.L: null is not possible here"),
    (with_parameters(L="=1/0"), "parameters.L: '=1/0' has no finite value"),
    (with_parameters(L="=1e300*1e300"), "parameters.L: '=1e300*1e300' has no finite value"),
    (with_parameters(t=1), "parameters.t: 't' is not possible here, it must be a name of letters"),
    (with_parameters(sin=1), "parameters.sin: 'sin' is not possible here"),
    (with_parameters(**{"a b": 1}), "parameters.a b: 'a b' is not possible here"),
    (
        with_parameters(L=60, tilt=0),
        "parts.ground.features.right.axis.point[0]: '=ground', column 2: no name 'ground'; known: "
        "L, e, pi, tilt",
    ),
    (FOUR_BAR.replace("=L - 60", "=L -"), "column 5: it ends where a number, a name or '(' is"),
    (FOUR_BAR.replace('"=L/2 + 3"', '"=L*t"'), "motor.value: '=L*t', column 4: no name 't'"),
    (FOUR_BAR.replace('"=2*L"', '"=log(tilt)"'), "limits[0].max: '=log(tilt)' has no finite value"),
    (FOUR_BAR.replace('"name": "pin"', '"name": "=L"'), "no joint 'pin'"),  # a name stays a name
    (FOUR_BAR.replace('"four-bar"', '"=L"').replace('"=tilt"', '"tilt"'), "pose.angle: 'tilt' is"),
    (json.dumps(solid(FOUR_BAR) | {"parameters": [1]}), "parameters: [1] is not possible here"),
]


@pytest.mark.parametrize(("text", "says"), REFUSED)
def test_a_formula_that_cannot_be_meant_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        assembly_json.read_text(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_that_begins_like_a_formula_is_a_name() -> None:
    text = json.dumps(
        {
            "format": assembly_json.FORMAT,
            "name": "=x",
            "note": "=y",
            "parts": {"=p": {"grounded": True, "x-tool": "=z"}, "q": {}},
            "mates": [{"name": "=m", "kind": "revolute", "a": "=p.origin", "b": ["q", "origin"]}],
            "drivers": {"=d": {"joint": "=m"}},
        }
    )
    a = assembly_json.read_text(text)
    assert (a.name, list(a.parts), list(a.mates)) == ("=x", ["=p", "q"], ["=m"])
    assert a.notes == {"note": "=y"}
    assert a.parts["=p"].notes == {"x-tool": "=z"}


def test_a_part_may_be_called_like_a_formula_wherever_it_is_referred_to() -> None:
    text = json.dumps(
        {
            "format": assembly_json.FORMAT,
            "parts": {"=p": {"grounded": True}, "q": {}},
            "mates": [
                {
                    "name": "far",
                    "kind": "equal_distance",
                    "a": ["=p", "origin"],
                    "b": "q.origin",
                    "a2": ["=p", "origin"],
                    "b2": "q.origin",
                }
            ],
            "measures": {"up": {"point": ["=p", "origin"], "along": "z"}},
            "contact": {"pairs": [["=p", "q"]], "except": [["=p", "q"]]},
        }
    )
    a = assembly_json.read_text(text)
    assert a.mates["far"].parameters()["a2"] == ("=p", "origin")
    assert assembly_json.read_text(assembly_json.dump(a)).contact == a.contact


def test_a_whole_number_stays_one() -> None:
    tree = solid(FOUR_BAR)
    tree["drivers"], tree["limits"] = {}, []
    tree["parts"]["wheel"] = {}
    turn = {"name": "spin", "kind": "revolute", "a": "ground.origin", "b": "wheel.origin"}
    mesh = {"name": "mesh", "kind": "gear", "joints": ["pin", "spin"], "teeth": ["=L/3", 40]}
    tree["mates"] += [turn, mesh]
    a = assembly_json.read_text(json.dumps(tree))
    assert a.mates["mesh"].parameters()["teeth"] == (20, 40)
    assert solid(assembly_json.dump(a))["mates"][3]["teeth"] == ["=L/3", 40]
    tree["parameters"]["L"] = 61
    with pytest.raises(AssemblySolverError, match=r"mates\.mesh\.teeth: .* two numbers of teeth"):
        assembly_json.read_text(json.dumps(tree).replace("sqrt(L - 60)", "L - 60"))


def test_a_joint_that_is_placed_once_becomes_features_in_numbers() -> None:
    tree = {
        "format": assembly_json.FORMAT,
        "parameters": {"h": 30},
        "parts": {"a": {"grounded": True}, "b": {}},
        "mates": [
            {"kind": "revolute", "name": "j", "parts": ["a", "b"], "at": {"origin": [0, 0, "=h"]}}
        ],
    }
    written = assembly_json.dump(assembly_json.read_text(json.dumps(tree)))
    assert assembly_json.dump(assembly_json.read_text(written)) == written
    assert solid(written)["parts"]["a"]["features"]["j"]["frame"]["origin"] == [0, 0, 30]


def test_a_sub_assembly_has_parameters_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "arm.assembly.json").write_text(FOUR_BAR)
    outer = {
        "format": assembly_json.FORMAT,
        "parameters": {"L": 5, "turn": "=L*8"},
        "parts": {
            "floor": {"grounded": True},
            "arm": {
                "assembly": "arm.assembly.json",
                "rigid": False,
                "pose": {"position": ["=10*L", 0, 0]},
                "drivers": {"motor": "=turn", "shaker": None},
            },
        },
    }
    path = tmp_path / "outer.assembly.json"
    path.write_text(json.dumps(outer))
    a = asm.read(path, set={"L": 6})
    assert a.drivers["arm.motor"].value == 48
    assert a.drivers["arm.motor"].range == (0, 360)
    assert a.pose("arm.ground").position == (60, 0, 0)
    tree = solid(assembly_json.dump(a, tmp_path))
    assert tree["parts"]["arm"]["drivers"] == {"motor": "=turn", "shaker": None}
    assert tree["parts"]["arm"]["pose"]["position"] == ["=10*L", 0, 0]
