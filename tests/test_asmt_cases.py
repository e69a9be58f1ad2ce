"""OndselSolver's own cases: its joints hold, its freedoms are counted, its drags are followed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from asmt_cases import case, read

import assembly_solver as asm
from assembly_solver.geometry.pose import Pose

HOLDS = 1e-9
"""mm, what a normal solve reaches on a consistent model of a metre or so."""


@pytest.mark.parametrize(
    ("name", "dof", "redundant"),
    [
        ("CylSphJt", 5, 0),
        ("RevCylJt", 3, 0),
        ("RevRevJt", 2, 0),
        ("SphSphJt", 5, 0),
        ("part32", 1, 0),
        ("limits", 2, 0),
        ("rackPinion", 3, 0),
        ("rackPinion3", 1, 0),
        ("fixplnplnpln", 0, 9),
        ("fixplnplnplnNoOffset", 0, 9),
        ("piston", 1, 2),
        ("fourbar", 1, 3),
        ("Gears", 1, 0),
        ("dragCrankSlider", 1, 2),
        ("pistonWithLimits", 1, 2),
        ("runPreDragBackhoe1", 3, 8),
    ],
)
def test_joints_hold_and_leave_the_freedoms_that_are_known(
    name: str, dof: int, redundant: int
) -> None:
    solution = asm.solve(read(f"{name}.asmt"))
    assert solution.outcome.name == "SOLVED"
    assert (solution.dof, solution.redundant_equations) == (dof, redundant)
    assert max(row["residual_mm"] for row in solution.to_dict()["mates"]) < HOLDS
