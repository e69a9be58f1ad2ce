"""What drivers and joint coordinates read at solved poses."""

from __future__ import annotations

import pytest

import assembly_solver as asm

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("asked", [-170.0, 0.0, 35.0, 180.0])
def test_a_driver_reads_what_it_was_held_at(asked: float) -> None:
    a = asm.Assembly("hinge")
    a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    a.add("door", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate("cylindrical", "frame.pin", "door.pin", name="pin")
    a.drive("turn", "pin", "angle", value=asked)
    a.drive("lift", "pin", "length", value=12.5)
    solution = asm.solve(a)
    turned = asm.reading(solution, a.drivers["turn"])
    assert (turned - asked + 180.0) % 360.0 == pytest.approx(180.0, abs=1e-9)
    assert asm.reading(solution, a.coordinate("pin", "length")) == pytest.approx(12.5, abs=1e-9)


def test_an_opposed_joint_reads_as_its_driver_does() -> None:
    a = asm.Assembly("turned over")
    a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    a.add("door", features={"pin": asm.Axis((0, 0, 0), "-z")})
    a.mate("revolute", "frame.pin", "door.pin", name="pin")
    a.drive("turn", "pin", value=40.0)
    solution = asm.solve(a)
    assert asm.reading(solution, a.coordinate("pin")) == pytest.approx(40.0, abs=1e-9)
