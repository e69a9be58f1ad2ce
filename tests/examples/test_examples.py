"""The numbered examples run as they stand, from any folder, and print what they are about."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

LINES = {
    "01_hinge": "the door stands 2.000 mm above its seat",
    "02_contradiction": "asked: 35.0 possible: 30.0 deg",
    "03_redundancy_and_mobility": "crank turns about ground.left crank.left; "
    "rocker and coupler move with it",
    "04_motion": "acceleration at top dead centre -2631.894507 mm/s2",
    "05_forces": "boom cylinder: 144.94 kN",
    "06_linkage_check": "excavator: passes, 22 findings as asked",
    "07_planar_linkage": "circuit 2: branch 2, a full turn of crank, C -",
    "08_a_mate_of_your_own": "2 freedoms left of 6",
    "09_data_set": "eight-bar: read 81 curves of 72 points",
}
"""One line of the output of each."""


@pytest.mark.quick
def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(LINES)


@pytest.mark.parametrize("name", sorted(LINES))
def test_an_example_prints_its_line(name: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(EXAMPLES.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert LINES[name] in run.stdout.splitlines()
