"""Files that want too much: refused with one line that says where, before anything is tried."""

from __future__ import annotations

import json
from typing import Any

import pytest

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError, BadValue, FormatError, UnknownName
from assembly_solver.formats.native.assembly_json import dump, read_text
from assembly_solver.formats.native.strict_json import DEEPEST

pytestmark = pytest.mark.quick


def hinge(**more: Any) -> dict[str, Any]:
    axis = {"axis": {"point": [0, 0, 0], "direction": "z"}}
    return {
        "format": "assembly-solver/1",
        "parts": {
            "frame": {"grounded": True, "features": {"pin": axis}},
            "door": {"features": {"pin": axis, "tip": {"point": [100, 0, 0]}}},
        },
        "mates": [{"name": "hinge", "kind": "revolute", "a": "frame.pin", "b": "door.pin"}],
        "drivers": {"opening": {"joint": "hinge", "coordinate": "angle", "range": [0, 90]}},
        **more,
    }


def read(tree: dict[str, Any]) -> asm.Assembly:
    return read_text(json.dumps(tree))


def nested(depth: int) -> dict[str, Any]:
    note: Any = 1
    for _ in range(depth - 1):  # the top level is one
        note = [note]
    return hinge(**{"x-note": note})


def test_what_is_nested_as_deep_as_is_read_is_written_too() -> None:
    assert '"x-note"' in dump(read(nested(DEEPEST)))
    too_deep = rf"^top level: this is nested too deeply, more than {DEEPEST} times$"
    texts = [json.dumps(nested(DEEPEST + 2)), json.dumps(nested(500)), "[" * 5000 + "]" * 5000]
    for text in texts:
        with pytest.raises(FormatError, match=too_deep):
            read_text(text)


@pytest.mark.parametrize("key", ["geometry", "assembly"])
def test_a_nul_in_a_path_is_refused_with_its_place(key: str) -> None:
    tree = hinge()
    tree["parts"]["door"] = {key: "door\0.step"}
    with pytest.raises(BadValue, match=rf"^parts\.door\.{key}: .*a path, which has no NUL in it$"):
        read(tree)


@pytest.mark.parametrize("asked", [{}, [], {"a": 1}, 7])
def test_a_class_of_four_bars_that_is_no_text_is_refused(asked: object) -> None:
    with pytest.raises(AssemblySolverError, match=r"^checks\[0\]\.equals: .*crank-rocker") as told:
        read(hinge(checks=[{"kind": "grashof", "equals": asked}]))
    assert isinstance(told.value, UnknownName)


def test_more_turns_than_can_be_followed_are_refused() -> None:
    far = read(hinge(checks=[{"kind": "range", "driver": "opening", "covers": [0, 1e12]}]))
    told = r"^check 'range: opening', covers: '2\.7\d*e\+09 turns' .*10000 turns$"
    with pytest.raises(BadValue, match=told):
        asm.check(far)
    with pytest.raises(BadValue, match=r"^sweep\.opening: .* at most 10000 turns$"):
        asm.sweep(read(hinge()), "opening", angle=(0.0, 3.7e6), steps=2)
    with pytest.raises(BadValue, match=r"^linkage\.opening: 1000000000000\.0 .* a way of at most"):
        asm.linkage(read(hinge())).run(opening=[0.0, 1e12])


def test_more_states_than_memory_holds_are_refused() -> None:
    for steps in (10**9, 10**20):
        with pytest.raises(BadValue, match=rf"^sweep\.steps: {steps} .* at most 1000000$"):
            asm.sweep(read(hinge()), "opening", angle=(0.0, 90.0), steps=steps)
    lid = {"name": "lid hinge", "kind": "revolute", "a": "frame.pin", "b": "lid.pin"}
    tree = hinge()
    tree["parts"]["lid"] = tree["parts"]["door"]
    tree["mates"].append(lid)
    tree["drivers"]["turn"] = {"joint": "lid hinge", "coordinate": "angle", "range": [0, 90]}
    both = {"opening": (0.0, 90.0), "turn": (0.0, 90.0)}
    with pytest.raises(BadValue, match=r"^sweep\.grid: 4004001 .* at most 1000001 states$"):
        asm.sweep(read(tree), both, steps=2000, grid=True)
    fine = {"opening": range(91), "turn": [*range(91)] * 2000}
    with pytest.raises(BadValue, match=r"^linkage\.grid: 16562000 .* at most 10000000 states$"):
        asm.linkage(read(tree)).run(fine, grid=True)
