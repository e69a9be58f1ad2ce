"""Points of parts that may be turned anyhow, in proofs; with directions that are a little off."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.diagnosis.proof.impossible import impossible
from assembly_solver.diagnosis.proof.reach import ReachProof
from assembly_solver.foundations.geometry.pose import Triple

OFF = [0.0, 1e-7]
"""By what directions are off."""


def way(off: float, seed: int, base: Triple = (0.0, 0.0, 1.0)) -> Triple:
    """A unit vector near another one."""
    v = np.array(base) + off * np.random.default_rng(seed).normal(size=3)
    x, y, z = (v / np.linalg.norm(v)).tolist()
    return x, y, z


def ball_between(gap: float, off: float = 0.0) -> asm.Assembly:
    """A ball of 20 mm that touches two plates, so far apart."""
    a = asm.Assembly("ball")
    lower = asm.Plane((0, 0, 0), way(off, 1))
    upper = asm.Plane((30, -20, gap), way(off, 2, (0.0, 0.0, -1.0)))
    a.add("frame", grounded=True, features={"lower": lower, "upper": upper})
    a.add("ball", features={"s": asm.Sphere((1, 2, 3), radius=10)}, pose=asm.Pose((9, 8, 7)))
    a.mate("tangent", "frame.lower", "ball.s", name="below")
    a.mate("tangent", "frame.upper", "ball.s", name="above")
    return a


def mirrored(apart: float, off: float = 0.0) -> asm.Assembly:
    """Two jaws symmetric about a plane, one 30 mm above it, and how far they are to be apart."""
    a = asm.Assembly("jaws")
    planes = {
        "middle": asm.Plane((0, 0, 0), way(off, 3)),
        "top": asm.Plane((40, 9, 0), way(off, 4)),
    }
    a.add("frame", grounded=True, features=planes)
    for k in range(2):
        pose = asm.Pose((3, 4, 20.0 - 40 * k))
        a.add(f"jaw {k}", features={"tip": asm.Point((1, 2, 3))}, pose=pose)
    a.mate("symmetric", "jaw 0.tip", "jaw 1.tip", about="frame.middle", name="mirror")
    a.mate("point_in_plane", "jaw 0.tip", "frame.top", offset=30.0, name="height")
    a.mate("distance", "jaw 0.tip", "jaw 1.tip", value=apart, name="apart")
    return a


def rollers(far: float, off: float = 0.0) -> asm.Assembly:
    """Three rollers of 20 mm in a row, the last one on an axis so far from the first."""
    a = asm.Assembly("rollers")
    first = asm.Axis((0, 0, 0), way(off, 5), radius=10)
    a.add("frame", grounded=True, features={"r": first, "hole": asm.Axis((far, 0, 0), way(off, 6))})
    for k in range(2):
        axis = asm.Axis((0, 0, 0), "z", radius=10)
        a.add(f"roller {k}", features={"r": axis}, pose=asm.Pose((20.0 * k + 20, 5, 0)))
    a.mate("tangent", "frame.r", "roller 0.r", name="first", sense="aligned")
    a.mate("tangent", "roller 0.r", "roller 1.r", name="second", sense="aligned")
    a.mate("coaxial", "frame.hole", "roller 1.r", name="pin", sense="aligned")
    return a


def under_roller(height: float) -> asm.Assembly:
    """A ball of 20 mm on a table that touches a roller of 30 mm, whose axis is so high."""
    a = asm.Assembly("table")
    roller = asm.Axis((5, 6, height), "x", radius=15)
    a.add("frame", grounded=True, features={"table": asm.Plane((0, 0, 0), "z"), "roller": roller})
    a.add("ball", features={"s": asm.Sphere((1, 2, 3), radius=10)}, pose=asm.Pose((9, 8, 7)))
    a.mate("tangent", "frame.table", "ball.s", name="on the table")
    a.mate("tangent", "frame.roller", "ball.s", name="at the roller")
    return a


def test_a_ball_on_a_table_does_not_reach_a_roller_that_is_too_high() -> None:
    """Seen along the roller's axis; the ball is turned anyhow."""
    assert impossible(under_roller(34.99)) is None
    found = impossible(under_roller(35.01))
    assert found is not None
    assert isinstance(found.proof, ReachProof)
    assert (found.proof.reach, found.proof.asked) == pytest.approx((25.0, 25.01))


@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize(
    ("make", "there", "wrong"),
    [(ball_between, 20.0, 20.01), (mirrored, 60.0, 59.98), (rollers, 39.99, 40.01)],
)
def test_points_of_parts_that_turn_anyhow_are_told_by_planes(
    make: Callable[[float, float], asm.Assembly], there: float, wrong: float, off: float
) -> None:
    assert impossible(make(there, off)) is None
    found = impossible(make(wrong, off))
    assert found is not None
    assert asm.solve(make(there, off))


def test_what_two_planes_hardly_tell_is_no_proof() -> None:
    """Across planes that are 0.01 degrees apart a tolerance is some thousand."""
    for gap, proved in ((0.1, False), (40.0, True)):
        a = asm.Assembly("wedge")
        tilted = (0.0, float(np.sin(np.radians(0.01))), float(np.cos(np.radians(0.01))))
        side = asm.Plane((0, 0, 0), "x")
        planes = {"low": asm.Plane((0, 0, 0), "z"), "high": asm.Plane((0, 0, 0), tilted)}
        spot = {"spot": asm.Point((0, gap, 0))}
        a.add("frame", grounded=True, features={**planes, **spot, "side": side})
        a.add("ball", features={"c": asm.Point((1, 2, 3))})
        for plane in ("low", "high", "side"):
            a.mate("point_in_plane", "ball.c", f"frame.{plane}", name=plane)
        a.mate("distance", "ball.c", "frame.spot", value=0.2 * gap, name="there")
        assert (impossible(a) is not None) == proved


@pytest.mark.parametrize("shift", [1e-6, 3e-5, 9e-5])
@pytest.mark.parametrize("ratio", [1.0, 1000.0, -1000.0])
def test_what_a_coupling_makes_of_nearly_equal_features_is_no_proof(
    ratio: float, shift: float
) -> None:
    """Two ways of a block that are one within the tolerance, each coupled: all holds."""
    a, way = asm.Assembly("coupled ways"), asm.Frame((0, 0, 0), "x", "y")
    ways = {"0": way, "1": asm.Frame((shift, 0, 0), "x", "y")}
    a.add("frame", grounded=True, features={"way": way, "0": way, "1": way})
    a.add("nut", features={"way": way}, pose=asm.Pose((20, 0, 0)))
    a.add("block", features=ways, pose=asm.Pose((1, 0, 0)))
    a.mate("prismatic", "frame.way", "nut.way", name="nut")
    for n, length in (("0", 1.0), ("1", 1.0 + shift)):
        a.mate("prismatic", f"frame.{n}", f"block.{n}", name=n)
        a.mate(
            "linear",
            name=f"coupling {n}",
            joints=["nut", n],
            coordinates=("length", "length"),
            coefficients=(1.0, ratio),
            constant=20.0 + ratio * length,
        )
    assert asm.solve(a)
    assert impossible(a) is None
