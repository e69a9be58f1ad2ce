"""Joints on the axes and planes of origins: as FreeCAD takes them, which is not alike for all."""

from __future__ import annotations

import math
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from making import AWRY, Bench, numbers, off

CLOSE = 1e-8
"""mm and share of a unit vector, as in test_native_joints."""


@pytest.fixture(params=["PartDesign::Body", "App::Part"])
def holder(bench: Bench, request: pytest.FixtureRequest) -> Any:
    """A part with an origin of its own, beside a grounded box."""
    bench.ground(bench.box("Base"))
    found = bench.assembly.newObject(request.param, "Holder")
    inner = {"App::Part": "Part::Box", "PartDesign::Body": "PartDesign::AdditiveBox"}
    found.newObject(inner[request.param], "Solid")
    return found


def path_to(holder: Any, role: str) -> str:
    found = next(o for o in holder.Origin.OriginFeatures if o.Role.startswith(role))
    return f"{holder.Name}.{holder.Origin.Name}.{found.Name}."


@pytest.mark.parametrize("role", ["X_Axis", "Y_Axis", "Z_Axis", "XY_Plane", "XZ_Plane", "YZ_Plane"])
def test_a_joint_on_an_origin_is_solved_where_freecad_leaves_it(
    bench: Bench, holder: Any, role: str
) -> None:
    path = path_to(holder, role)
    joint = bench.joint("Fixed", "Base.Face2 Base.Vertex7", f"{path} {path}", "Weld")
    holder.Placement = AWRY
    asf.solve(bench.document).require()
    found = numbers(holder.Placement)
    assert off(joint) < CLOSE
    assert bench.assembly.solve() == 0
    left = numbers(holder.Placement)
    same = sum(a * b for a, b in zip(left[3:], found[3:], strict=True))
    left = (*left[:3], *(math.copysign(q, q * same) for q in left[3:]))  # q and -q are one rotation
    assert left == pytest.approx(found, abs=CLOSE)


def test_a_mate_takes_the_plane_of_an_origin_where_it_is_drawn(bench: Bench, holder: Any) -> None:
    holder.Placement = AWRY
    asf.mate([(bench.document.Base, "Face6"), (bench.assembly, path_to(holder, "XZ"))], "coplanar")
    asf.solve(bench.document).require()
    normal = holder.Placement.Rotation.multVec(FreeCAD.Vector(0, 1, 0))
    assert abs(normal.z) == pytest.approx(1.0, abs=CLOSE)
    assert holder.Placement.Base.z == pytest.approx(30.0, abs=CLOSE)
