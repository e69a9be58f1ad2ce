"""The features of the mates, as the equations need them."""

from __future__ import annotations

import pytest
from mechanisms import O

import assembly_solver as asm
from assembly_solver.equations.system import compile_system

pytestmark = pytest.mark.quick


def test_each_feature_is_of_its_part_where_mates_share_some_and_have_more_than_two() -> None:
    """As many features as ends of mates: one is named twice, and one is a third of its mate."""
    a = asm.Assembly("mirrored")
    pins = {"base": O, "left": (1, 2, 3), "right": (4, 5, 6)}
    for part, p in pins.items():
        a.add(part, features={"p": asm.Point(p), "plane": asm.Plane(O, (1, 0, 0))})
    a.mate("distance", "left.p", "base.p", value=12.0)
    a.mate("symmetric", "left.p", "right.p", about="base.plane")
    system = compile_system(a)
    found = [
        (system.parts[k], tuple(p)) for k, p in zip(system.cloud_part, system.cloud, strict=True)
    ]
    assert sorted(found) == sorted([("base", O), *pins.items()])
