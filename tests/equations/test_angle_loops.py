"""Which parts cannot rotate relative to each other, and the loops of angles that add up."""

from __future__ import annotations

import pytest
from mechanisms import O

import assembly_solver as asm
from assembly_solver.equations.angle_loops import windings
from assembly_solver.equations.angle_turns import coordinate_of
from assembly_solver.equations.system import compile_system

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def loops(tilt: float) -> list[int]:
    """How many angles each loop of a four-bar has whose crank and coupler end in tilted axes."""
    a, tilted = asm.Assembly("four-bar"), (tilt, 0.0, 1.0)
    lengths = {"ground": 200, "crank": 60, "coupler": 180, "rocker": 120}
    for link, length in lengths.items():
        end = tilted if link in ("crank", "coupler") else Z
        pins = {"left": asm.Axis(O, Z, X), "right": asm.Axis((length, 0, 0), end, X)}
        a.add(link, features=pins, grounded=link == "ground")
    a.mate("revolute", "ground.left", "crank.left", name="A")
    a.mate("revolute", "crank.right", "coupler.left", name="B")
    a.mate("revolute", "coupler.right", "rocker.right", name="C")
    a.mate("revolute", "rocker.left", "ground.right", name="D")
    for joint in "ABCD":
        a.drive(joint, joint, value=0.0)
    system = compile_system(a)
    table = system.table
    rows = [int(table.first_term[system.first_equation[k]]) for k in range(4, 8)]
    values = {coordinate_of(table, k): 0.0 for k in rows}
    found = windings(table, system.start, system.grounded, values)
    return [len(winding.signs) for winding in found]


def test_the_angles_of_four_parallel_hinges_add_up() -> None:
    assert loops(0.0) == [4]


@pytest.mark.parametrize("tilt", [1e-7, 1e-5])
def test_hinges_that_are_nearly_parallel_hold_no_part_from_turning(tilt: float) -> None:
    """Crank and coupler share two directions 1e-7 apart: as one frame they would leave a loop of
    the three other hinges, whose angles do not add up."""
    assert loops(tilt) == []
