"""The JSON Schema says the same as the reader, as far as a schema can."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.native import assembly_json
from assembly_solver.formats.native.schema import schema
from assembly_solver.model.mate import MATES, kind_named
from assembly_solver.model.synonyms import AMBIGUOUS, LAST, SYNONYMS

jsonschema = pytest.importorskip("jsonschema")

SAMPLES = Path(__file__).parents[3] / "samples"
PIN = {"axis": {"point": [0, 0, 0], "direction": "z"}}


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def assembly(**changes: Any) -> dict[str, Any]:
    parts = {"a": {"features": {"pin": PIN}}, "b": {"features": {"pin": PIN}}}
    return {"format": assembly_json.FORMAT, "parts": parts} | changes


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.assembly.json")), ids=lambda p: p.stem)
def test_every_sample_is_valid(validator: Any, path: Path) -> None:
    assert [error.message for error in validator.iter_errors(json.loads(path.read_text()))] == []


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.assembly.json")), ids=lambda p: p.stem)
def test_what_is_written_is_valid(validator: Any, path: Path) -> None:
    text = assembly_json.dump(assembly_json.read(path))
    assert [error.message for error in validator.iter_errors(json.loads(text))] == []


KINDS = [one["properties"]["kind"]["anyOf"] for one in schema()["$defs"]["mate"]["anyOf"]]
"""What each kind of mate allows for its kind: words to offer, and their spellings."""


def test_every_kind_and_synonym_is_in_the_schema() -> None:
    assert {word for words, _ in KINDS for word in words["enum"]} == {*MATES, *SYNONYMS}


def test_the_schema_knows_the_spellings_that_the_reader_does() -> None:
    """The reader folds words: `Ball Joint`, `BALL` and `ball_joint` are one."""
    patterns = {words["enum"][0]: re.compile(spelt["pattern"]) for words, spelt in KINDS}
    spelt = {kind: (kind, {}) for kind in MATES} | dict(SYNONYMS)
    for word, (kind, _) in spelt.items():
        apart = word.replace("_", " ")
        title = apart.title()
        longer = apart if apart.endswith(LAST) else apart + " Joint"
        for own in (word, word.upper(), apart, title, title.replace(" ", ""), longer):
            assert kind_named(own, "").cls.kind == kind, own
            known = [name for name, pattern in patterns.items() if pattern.search(own)]
            assert known == [kind], own
    for own in (*AMBIGUOUS, "", "joint", "coaxal", "a ball", "ball joint joint"):
        assert [name for name, pattern in patterns.items() if pattern.search(own)] == [], own
        with pytest.raises(AssemblySolverError):
            kind_named(own, "")


def test_parameters_come_from_the_classes() -> None:
    kinds = {
        one["properties"]["kind"]["anyOf"][0]["enum"][0]: one
        for one in schema()["$defs"]["mate"]["anyOf"]
    }
    assert kinds["distance"]["properties"]["skew"] == {"type": "boolean"}
    assert kinds["coaxial"]["properties"]["sense"] == {"enum": ["aligned", "opposed", "nearest"]}
    assert kinds["distance"]["required"] == ["kind", "value"]
    assert kinds["coplanar"]["properties"]["offset"] == {
        "anyOf": [{"type": "number"}, {"$ref": "#/$defs/formula"}]
    }


MATE = {"kind": "coaxial", "a": "a.pin", "b": "b.pin"}


FLEXIBLE = {"assembly": "b.assembly.json", "rigid": False}
PATTERN = {"pattern": {"of": "a", "poses": [{"position": [1, 0, 0]}]}}


@pytest.mark.parametrize(
    "right",
    [
        assembly(),
        assembly(note=1, **{"$schema": "x", "x-tool": []}),
        assembly(mates=[MATE]),
        assembly(mates=[MATE | {"kind": "concentric", "a": ["a", "pin"]}]),
        assembly(mates=[MATE | {"kind": "Concentric"}, MATE | {"kind": "hinge-joint"}]),
        assembly(mates=[{"kind": "hinge", "parts": ["a", "b"], "at": {"origin": [0, 0, 0]}}]),
        assembly(drivers={"d": {"joint": "j", "coordinate": "angle", "law": "3 * t"}}),
        assembly(drivers={"d": {"separation": ["a.pin", "b.pin"], "law": {"ramp": [0, 1]}}}),
        assembly(drivers={"d": {"angle": ["a.pin", "b.pin"], "about": "a.z", "value": "=L/2"}}),
        assembly(drivers={"d": {"joint": "j", "law": {"sine": {"amplitude": 1, "period": 2}}}}),
        assembly(
            drivers={"d": {"joint": "j", "law": {"table": [[0, 1], [1, "=L"]], "monotone": True}}}
        ),
        assembly(parameters={"L": 120, "M": "=L/2"}),
        assembly(mates=[MATE | {"kind": "distance", "value": "=M"}]),
        assembly(cylinders={"c": {"pins": ["a.pin", "b.pin"], "closed": 900, "stroke": "=L"}}),
        assembly(parts={"a": {"pose": {"position": [0, 0, 0], "axis": "-x", "angle": 30}}}),
        assembly(parts={"a": {"assembly": "b.assembly.json", "features": {"pin": PIN}}}),
        assembly(parts={"a": FLEXIBLE | {"parts": {"c": {"grounded": True, "pose": {}}}}}),
        assembly(parts={"a": FLEXIBLE | {"drivers": {"d": None, "e": 3}, "without": ["m"]}}),
        assembly(parts={"a": {}, "as": PATTERN | {"parts": {"as[1]": {"pose": {}}}}}),
    ],
)
def test_what_is_right_is_valid(validator: Any, right: dict[str, Any]) -> None:
    assert [error.message for error in validator.iter_errors(right)] == []


@pytest.mark.parametrize(
    "wrong",
    [
        assembly(format="assembly-solver/2"),
        assembly(partz={}),
        assembly(tolerance=0),
        assembly(mates=[MATE | {"kind": "coaxal"}]),
        assembly(mates=[MATE | {"kind": 3}]),
        assembly(mates=[MATE | {"ofset": 3}]),
        assembly(mates=[MATE | {"kind": "distance"}]),
        assembly(mates=[{"kind": "coaxial", "a": "a.pin"}]),
        assembly(mates=[MATE | {"parts": ["a", "b"], "at": {"origin": [0, 0, 0]}}]),
        assembly(drivers={"d": {"joint": "j", "separation": ["a.pin", "b.pin"]}}),
        assembly(drivers={"d": {"joint": "j", "value": 1, "law": 2}}),
        assembly(drivers={"d": {"joint": "j", "about": "a.z"}}),
        assembly(drivers={"d": {"joint": "j", "law": {"sine": {"amplitude": 1}}}}),
        assembly(drivers={"d": {"joint": "j", "law": {"ramp": [0, 1], "time": [0, 1]}}}),
        assembly(drivers={"d": {"joint": "j", "value": "L"}}),
        assembly(parameters={"L": "120"}),
        assembly(cylinders={"c": {"pins": ["a.pin", "b.pin"], "closed": 0, "stroke": 1}}),
        assembly(cylinders={"c": {"closed": 900, "stroke": 1}}),
        assembly(parts={"a": {"pose": {"quaternion_wxyz": [1, 0, 0, 0], "angle": 30}}}),
        assembly(parts={"a": {"pose": {"axis": "z"}}}),
        assembly(parts={"a": {"rigid": True}}),
        assembly(parts={"a": {"assembly": "b.assembly.json", "drivers": {}}}),
        assembly(parts={"a": FLEXIBLE | {"features": {"pin": PIN}}}),
        assembly(parts={"a": FLEXIBLE | {"geometry": "a.step"}}),
        assembly(parts={"a": PATTERN | {"grounded": True}}),
        assembly(parts={"a": {"pattern": {"of": "b", "poses": []}}}),
        assembly(parts={"a": {"features": {"f": PIN | {"point": [0, 0, 0]}}}}),
        assembly(parts={"a": {"features": {"f": {}}}}),
        assembly(parts={"a": {"features": {"f": {"axis": {"point": [0, 0], "direction": "z"}}}}}),
        assembly(
            parts={"a": {"features": {"f": {"axis": {"point": [0, 0, 0], "direction": "w"}}}}}
        ),
    ],
)
def test_what_is_wrong_is_not_valid(validator: Any, wrong: dict[str, Any]) -> None:
    assert len(list(validator.iter_errors(wrong))) >= 1
