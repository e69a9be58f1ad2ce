"""Checks of how many assembly modes there are."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import assembly_solver as asm
from assembly_solver.checking.rules import RULES
from assembly_solver.model.checks import ModeCount

SAMPLES = Path(__file__).parents[2] / "samples"


def findings(sample: str, **asked: dict[str, int]) -> dict[str, asm.Finding]:
    """The findings of checks of modes, by the names of these."""
    a = asm.read(SAMPLES / f"{sample}.assembly.json")
    for name, parameters in asked.items():
        a.check("modes", name=name, **parameters)
    return {f.name: f for f in asm.check(a).findings if f.kind == "modes"}


def test_a_four_bar_has_two_modes() -> None:
    found = findings(
        "four_bar", two={"equals": 2}, some={"min": 2}, one={"max": 1}, four={"equals": 4}
    )
    passed = {name: f.passes for name, f in found.items()}
    assert passed == {"two": True, "some": True, "one": False, "four": False}
    assert found["two"].words == "assembly modes are 2, asked is exactly 2"


def test_a_door_without_a_loop_has_one() -> None:
    assert findings("hinge", one={"equals": 1})["one"].passes


def test_modes_that_are_sampled_do_not_exclude_others() -> None:
    sampled: Any = SimpleNamespace(all=["+-", "-+"], name="+-", complete=False)
    case: Any = SimpleNamespace(solution=SimpleNamespace(modes=sampled))
    (most,) = RULES["modes"](ModeCount(name="most", max=2), case)
    assert not most.passes
    assert most.words.endswith("2 assembly modes found, others are not excluded")
    (least,) = RULES["modes"](ModeCount(name="least", min=2), case)
    assert least.passes
    (few,) = RULES["modes"](ModeCount(name="few", max=1), case)  # two are known: that decides
    assert not few.passes and "assembly modes are 2" in few.words
