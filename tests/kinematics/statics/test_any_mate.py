"""Whatever the mate: what it carries is what acts on its part, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from tests.model.mates.test_registry import Case, alike, assembly_of, rows_at

KINDS = [found[0] for found in alike().values() if found[0].joints is None]


@pytest.mark.parametrize("case", KINDS, ids=lambda c: f"{c.kind}-{c.label}")
def test_a_mate_carries_any_load_that_it_can_and_no_other(case: Case) -> None:
    """Loads are combinations of its rows, which the registry's tests hold to differences."""
    rng = np.random.default_rng(6)
    model = assembly_of(case, rng)
    model.move(asm.solve(model).poses)
    system = compile_system(model)
    body = int(np.flatnonzero(~system.fixed)[0])
    rows = rows_at(system, system.start, body)
    wrench = rng.uniform(100, 300, len(rows)) @ rows  # force, torque / length, about its centre
    force, torque = wrench[:3], wrench[3:] * system.length
    frame = system.start[body]
    centre = frame[:3] + system.centre[body] @ frame[3:].reshape(3, 3)
    about = torque + np.cross(centre - frame[:3], force)
    model.load((system.parts[body], "origin"), force=tuple(force), torque=tuple(about), name="it")
    found = asm.forces(model)
    assert found.balanced.tolist() == [True]
    told = found.reactions["m"]
    assert told.determined.all()
    sign = -1.0 if told.on.part == system.parts[body] else 1.0
    limit = 1e-7 * np.abs([*force, *torque]).max()  # mates hold to 1e-10 mm of some 100 mm
    np.testing.assert_allclose(told.force[0], sign * force, atol=limit)
    whole = told.torque[0] + np.cross(told.point[0] - frame[:3], told.force[0])
    np.testing.assert_allclose(whole, sign * about, atol=100 * limit)  # arms of some 100 mm
    across = np.linalg.svd(rows)[2][-1]  # a motion that it leaves, where it leaves any
    if len(rows) < 6:
        push, twist = 50 * across[:3], 50 * across[3:] * system.length
        twist = twist + np.cross(centre - frame[:3], push)
        model.load((system.parts[body], "origin"), force=tuple(push), torque=tuple(twist))
        assert asm.forces(model).balanced.tolist() == [False]
