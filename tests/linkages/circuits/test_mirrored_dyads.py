"""Dyads that are mirrored without changing where a linkage exists."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.linkages.circuits.circuits import circuits_of
from assembly_solver.linkages.circuits.driven_linkage import DrivenLinkage
from assembly_solver.linkages.circuits.existence import ExistenceSearch
from assembly_solver.linkages.circuits.intervals import branch_intervals
from assembly_solver.linkages.circuits.mirrored_dyads import mirrored_dyads
from assembly_solver.linkages.plan.planning import LinkagePlan

SAMPLES = Path(__file__).parents[3] / "samples"


def planned(name: str) -> LinkagePlan:
    return asm.linkage(asm.read(SAMPLES / f"{name}.assembly.json")).planned


def names(plan: LinkagePlan) -> list[str]:
    """The joints of the mirrored dyads of a plan."""
    return [s.joint for s in plan.steps if s.branch in mirrored_dyads(plan) and s.branch >= 0]


def test_nothing_stands_on_the_last_dyads_of_the_excavator() -> None:
    assert names(planned("excavator")) == [
        "bracket.push rod pin",
        "boom rod right.eye ahead",
        "boom rod right.eye ahead 2",
        "bucket rod.eye ahead",
    ]


@pytest.mark.parametrize("name", ["double_butterfly", "motiongen/millipede"])
def test_of_a_linkage_with_groups_none_is_taken_as_mirrored(name: str) -> None:
    assert names(planned(name)) == []


@pytest.mark.parametrize("name", ["excavator", "scissor_lift", "theo_jansen", "peaucellier"])
def test_every_branch_is_that_of_a_search_with_its_own_signs_bit_for_bit(name: str) -> None:
    plan = planned(name)
    linkage = DrivenLinkage(plan, 0)
    branches = [b for c in circuits_of(plan, 0) for b in c.branches]
    joints = {s.joint: s.branch for s in plan.steps if s.branch in linkage.dyads}
    for branch in branches[:: max(1, len(branches) // 6)]:
        signs = plan.signs.copy()
        for joint, sign in branch.signs.items():
            signs[joints[joint]] = sign
        proved = ExistenceSearch(linkage, signs[None]).run()[0]
        own = [x.P for x in branch_intervals(linkage, signs, proved)]
        assert any(np.array_equal(branch.positions, P) for P in own)
