"""Many states at once: the residuals of the plain functions, and derivatives by differences."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.diagnosis.other_starts import turned_starts
from assembly_solver.equations.many_descents import Descents, _State
from assembly_solver.equations.many_starts import ManyStarts
from assembly_solver.equations.residuals import all_residuals, worst_off
from assembly_solver.equations.sparse_block import solve_each
from assembly_solver.equations.system import compile_system
from assembly_solver.solver.active_set import bound_violations
from benchmarks.tangles import tangle

STEP = 1e-5
"""Of a difference quotient, mm: its error is some 1e-10 in second derivatives of 1 per mm."""


@pytest.mark.parametrize("seed", range(20))
def test_many_states_have_the_residuals_and_derivatives_of_each(seed: int) -> None:
    system = compile_system(tangle(np.random.default_rng(seed)))
    many, starts = ManyStarts(system), [turned_starts(system, k) for k in range(3)]
    poses = np.stack(starts)
    f, j = many.evaluate(poses)
    reach = (system.reach / system.length)[system.constraint_of_equation]
    for k, start in enumerate(starts):
        each = [np.where(system.angular, reach, 1.0) * all_residuals(system, start)]
        each = np.concatenate([*each, bound_violations(system, start)])
        np.testing.assert_allclose(f[k], each, atol=1e-10)
        limits = np.abs(bound_violations(system, start)).max(initial=0.0)
        assert many.off(f)[k] == pytest.approx(max(worst_off(system, start), limits), abs=1e-10)
    for column in range(0, many.size, 5):
        step = np.zeros((len(poses), many.size))
        step[:, column] = STEP
        ahead, back = (many.residuals(many.moved(poses, s * step)) for s in (1.0, -1.0))
        np.testing.assert_allclose((ahead - back) / (2 * STEP), j[:, :, column], atol=1e-5)


def test_descents_close_a_tangle_from_its_solution_displaced() -> None:
    system = compile_system(tangle(np.random.default_rng(3)))
    starts = np.stack([turned_starts(system, k, (0.02,)) for k in range(4)])
    parts, f = Descents(1e-9, 100).run(ManyStarts(system), starts)
    assert np.abs(f).max() < 1e-9
    assert max(worst_off(system, p) for p in parts) < 1e-7


def test_descents_one_by_one_end_where_those_at_once_end() -> None:
    system = compile_system(tangle(np.random.default_rng(3)))
    many = ManyStarts(system, limited=False)
    starts = np.stack([turned_starts(system, k) for k in range(3)])
    at_once, one_by_one = (_State(many, starts.copy(), None, 1e-9) for _ in range(2))
    at_once.steps(12)
    s, weights = one_by_one, np.tile(many.table.weight, (3, 1))
    ends = s.going, s.status, s.norms
    solve_each(many.scratch, s.poses, weights, many.block, 1e-9, 12, *ends)
    assert s.status.tolist() == at_once.status.tolist()
    np.testing.assert_allclose(s.norms[1], at_once.norms[1], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(s.poses, at_once.poses, atol=1e-4)
