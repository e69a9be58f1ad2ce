"""Assemblies that float: what nothing connects to a grounded part is free, unless it is led."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.errors import BadValue

pytestmark = pytest.mark.quick


def pair(ground: bool) -> asm.Assembly:
    """A lever of 1 kg on a hinge at another part, beside a grounded part or without any."""
    a = asm.Assembly("pair")
    if ground:
        a.add("ground", grounded=True)
    a.add("base", features={"pin": asm.Axis((0, 0, 0), "y"), "tip": asm.Point((90, 0, 0))})
    a.add("lever", features={"pin": asm.Axis((0, 0, 0), "y"), "tip": asm.Point((50, 0, 0))})
    a.set_mass("lever", asm.Mass(1.0, (50, 0, 0)))
    a.gravity = [0, 0, -9.81]
    a.mate("revolute", "base.pin", "lever.pin", name="hinge")
    a.drive("motor", "hinge", "angle", value=0.0, range=(-30, 30))
    a.floating = True
    return a


@pytest.mark.parametrize("ground", [True, False])
def test_the_freedoms_of_a_floating_group_count_and_nothing_is_held(ground: bool) -> None:
    a = pair(ground)
    solution = asm.solve(a).require()
    assert (solution.dof, solution.dof_left, solution.held) == (7, 6, [])
    assert len(solution.free_motions) == 7
    a.floating = False
    held = asm.solve(a).require()
    assert (held.dof, held.held) == (1, ["base"])


@pytest.mark.parametrize("ground", [True, False])
def test_a_motion_and_its_forces_hold_one_part_and_the_forces_say_so(ground: bool) -> None:
    a = pair(ground)
    motion = asm.sweep(a, "motor", angle=(0.0, 30.0), steps=3)
    assert motion.valid.all()
    k = motion.parts.index("base")
    np.testing.assert_array_equal(motion.frames[:, k], np.tile(motion.frames[0, k], (4, 1)))
    for found in (asm.forces(a), asm.forces(motion)):
        assert found.free == ("base",)
        assert found.sentence.endswith("base held, as nothing there is grounded")
    # N mm: 1 kg on an arm of 50 mm, level
    assert abs(asm.forces(a).drivers["motor"].value[0]) == pytest.approx(9.81 * 50.0, abs=1e-9)
    assert asm.check(a).to_dict()["passes"]
    assert str(asm.linkage(a)).startswith("2 links")


def test_whether_it_floats_is_true_or_false() -> None:
    a = pair(True)
    with pytest.raises(BadValue, match="floating: 1 is not possible here"):
        a.floating = 1  # type: ignore[assignment]
    assert a.copy().floating
    assert a.held_still() is not a and not a.held_still().floating
