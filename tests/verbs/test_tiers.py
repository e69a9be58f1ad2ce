"""The same answers by interpreted functions, by machine code, and going over on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiered_answers

import assembly_solver as asm
from assembly_solver.foundations.jit import aside, decorators

ROOT = Path(__file__).parents[2]
NAMES = [
    *("four_bar", "excavator", "stewart_platform", "scissor_lift", "slider_crank", "bad_lid"),
    *("plate_stack", "chain(10)", "ladder(3)"),
    # a stretched chain, two values, three angles, a stack of plates, pins, related turns
    *(f"contradiction({n})" for n in (0, 1, 3, 4, 5, 6)),
]
ROUNDING = 1e-13
"""Of numbers in mm, degrees and their rates: sums in another order."""
LARGEST = 1e-12
"""Of an angle in a sweep, degrees, whatever the condition of the loops is."""
RESIDUAL = 16 * np.finfo(float).eps
"""At which a state of a sweep is closed, as a part of how far the bodies are away."""
LONG = 1e-11
"""Of what a contradiction leaves off, mm: a difference of places some 100 mm away."""

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


@cache
def angles_known_to(name: str) -> float:
    """What two sweeps of a model may differ by in an angle, degrees.

    Each is closed up to a residual.  The condition of the loops makes a motion of their bodies of
    it, and an angle is that between two of them.
    """
    solution = asm.solve(tiered_answers.model(name))
    found, least = solution.diagnosis, np.inf
    for component, known in zip(found.plan.components, found.ranks, strict=True):
        rows = found.jacobian(component)
        least = min([least, *np.linalg.svd(rows, compute_uv=False)[: known.rank]])
    length = found.plan.system.length
    places = [pose.position for pose in solution.poses.values()]
    reach = float(np.abs(places).max()) + length
    bound = np.degrees(4.0 * RESIDUAL * reach / (least * length))
    return min(LARGEST, float(bound))


def allowed(place: str) -> float:
    """What two numbers at a place may differ by, besides a part of their size."""
    if place.startswith(".contradiction(") and "_mm" in place:
        return LONG
    if "].joints." in place and ".angle.value[" in place:
        return max(ROUNDING, angles_known_to(place[1:].partition("[")[0]))
    return ROUNDING


def differences(one: Any, other: Any, place: str = "") -> list[str]:
    """Places where two results differ by more than rounding."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [d for k in one for d in differences(one[k], other[k], f"{place}.{k}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [d for k, (a, b) in pairs for d in differences(a, b, f"{place}[{k}]")]
    if isinstance(one, float) and isinstance(other, float):
        same = np.isclose(one, other, rtol=ROUNDING, atol=allowed(place), equal_nan=True)
    else:
        same = one == other
    return [] if same else [f"{place}: {one} {other}"]


def bits(answers: dict[str, Any]) -> dict[str, Any]:
    """What the plain loops give, which is the same to the last bit: poses of what is solved."""
    return {name: answers[name][0]["poses"] for name in NAMES}


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
