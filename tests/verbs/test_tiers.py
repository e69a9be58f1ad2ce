"""The same answers by interpreted functions, by machine code, and going over on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiered_answers

from assembly_solver.foundations.jit import aside, decorators

ROOT = Path(__file__).parents[2]
NAMES = [
    *("four_bar", "excavator", "stewart_platform", "scissor_lift", "slider_crank", "bad_lid"),
    *("plate_stack", "chain(10)", "ladder(3)"),
]
ROUNDING = 1e-12
"""Of numbers in mm, degrees and their rates: sums in another order."""
SQUARED = 1e-6
"""Of the angle of a hinge in a compromise, degrees: it is least at 0, which is known to the root of
rounding only."""

pytestmark = pytest.mark.skipif(decorators.ASKED != "1", reason="compares with machine code")


def told(tier: str) -> tuple[dict[str, Any], list[str]]:
    """The answers of a process of its own, and its functions that run by machine code."""
    env = os.environ | {"ASSEMBLY_SOLVER_JIT": "0" if tier == "interpreted" else ""}
    script = str(ROOT / "tests" / "support" / "tiered_answers.py")
    found = subprocess.run(
        [sys.executable, script, tier, *NAMES],
        env=env | {"PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=900.0,  # a busy machine
    )
    answers, machine = json.loads(found.stdout)
    return answers, machine


def differences(one: Any, other: Any, place: str = "") -> list[str]:
    """Places where two results differ by more than rounding."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [d for k in one for d in differences(one[k], other[k], f"{place}.{k}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [d for k, (a, b) in pairs for d in differences(a, b, f"{place}[{k}]")]
    if isinstance(one, float) and isinstance(other, float):
        near = SQUARED if place == ".bad_lid[0].mates[0].residual_deg" else ROUNDING
        same = np.isclose(one, other, rtol=ROUNDING, atol=near, equal_nan=True)
    else:
        same = one == other
    return [] if same else [f"{place}: {one} {other}"]


def bits(answers: dict[str, Any]) -> dict[str, Any]:
    """What the plain loops give, which is the same to the last bit: poses of what is solved."""
    return {name: answers[name][0]["poses"] for name in NAMES if name != "bad_lid"}


@pytest.fixture(scope="module")
def compiled() -> dict[str, Any]:
    found = tiered_answers.answers(NAMES)
    aside.tell_ready()
    return found


def test_interpreted_work_answers_the_same(compiled: dict[str, Any]) -> None:
    answers, machine = told("interpreted")
    assert machine == []
    assert differences(compiled, answers) == []
    assert bits(answers) == bits(compiled)


def test_work_that_goes_over_on_the_way_answers_the_same(compiled: dict[str, Any]) -> None:
    answers, machine = told("mixed")
    assert {"run", "solve_dense", "residuals", "lessen_movement", "follow"} <= {*machine}
    assert differences(compiled, answers) == []
    assert bits(answers) == bits(compiled)
