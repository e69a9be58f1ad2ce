"""What the studies of a check have in common is computed once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import assembly_solver as asm
from assembly_solver.checking.check import ground_of
from assembly_solver.verbs.kept_plans import plan_of

SAMPLES = Path(__file__).parents[2] / "samples"


def test_the_drivers_of_the_excavator_are_studied_with_one_plan() -> None:
    given = asm.read(SAMPLES / "excavator.assembly.json")
    ground = ground_of(given, asm.solve(given))
    plans = {id(plan_of(ground.driving(name))) for name in ground.values}
    assert plans == {id(plan_of(ground.given))}


def test_a_check_without_tolerances_imports_no_tolerance_analysis() -> None:
    file = str(SAMPLES / "four_bar.assembly.json")
    words = f"import sys, assembly_solver as asm; asm.check(asm.read({file!r})); "
    words += "print('assembly_solver.studies.tolerance' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True)
    assert ended.stdout.split() == ["False"]
