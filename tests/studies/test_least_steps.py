"""Steps part by part are those of one matrix, and grow with the parts."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.studies import least_steps
from assembly_solver.studies.response import PoseResponse
from benchmarks import families


def family(name: str) -> asm.Solution:
    return asm.solve(families.assembly(families.named(name))).require()


@pytest.mark.quick
@pytest.mark.parametrize("name", ["chain(6)", "ladder(5)", "scissor(4)", "stewart"])
def test_sensitivities_part_by_part_are_those_of_one_matrix(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    solution = family(name)
    parts = list(solution.given.parts)
    feature = next(iter(solution.given.parts[parts[1]].features))
    to = [f"{parts[1]}.{feature}.{axis}" for axis in "xz"]
    whole = asm.sensitivities(solution, of=parts[-1:], to=to)
    monkeypatch.setattr(least_steps, "DENSE", 0)
    part_by_part = asm.sensitivities(solution, of=parts[-1:], to=to)
    assert np.abs(whole.values).max() > 1e-4 and part_by_part.notes == whole.notes
    np.testing.assert_allclose(part_by_part.values, whole.values, atol=1e-12)


@pytest.mark.parametrize(("name", "freedoms"), [("chain(300)", 300), ("ladder(100)", 1)])
def test_parts_of_long_mechanisms_are_eliminated_beside_a_few(name: str, freedoms: int) -> None:
    solution = family(name)
    least = PoseResponse(solution.system, solution.frames, solution.diagnosis.cut).least
    assert least.freedoms == freedoms
    assert least._sparse is not None and least._sparse.widest <= 3
