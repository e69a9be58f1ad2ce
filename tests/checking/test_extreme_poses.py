"""The report shows the mechanism at both ends of what its driver covers."""

from __future__ import annotations

from math import cos, hypot, radians, sin
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.report.page.pose_picture import pose_picture

SAMPLES = Path(__file__).parents[2] / "samples"


def gate(axis: str, turn: tuple[float, float] = (10, 100)) -> asm.Assembly:
    """A gate 800 long on a pin through the origin along an axis."""
    a = asm.Assembly("gate")
    pin, tip = asm.Axis((0, 0, 0), axis), (0, 800, 0) if axis == "x" else (800, 0, 0)
    a.add("post", features={"pin": pin, "stop": asm.Point((0, 0, 0))}, grounded=True)
    a.add("gate", features={"pin": pin, "tip": asm.Point(tip)})
    a.mate("revolute", "post.pin", "gate.pin", name="hinge")
    a.add("flag", features={"end": asm.Point((0, 0, 0))})
    a.mate("coincident", "gate.tip", "flag.end", name="knot")
    a.drive("motor", "hinge", value=30, range=turn)
    return a


@pytest.mark.parametrize("axis, plane", [("x", ("y", "z")), ("y", ("x", "z")), ("z", ("x", "y"))])
def test_both_ends_are_shown_in_the_plane_of_the_motion(axis, plane):
    (study,) = asm.check(gate(axis)).studies
    assert [pose.value for pose in study.poses] == pytest.approx([10, 100])
    assert study.poses[0].axes == plane and study.poses[0].held == ("post",)
    sign = -1 if axis == "y" else 1  # x turns against z about y
    for pose, angle in zip(study.poses, (10, 100), strict=True):
        tip = pose.points["gate"][1]
        turned = [800 * cos(radians(angle)), sign * 800 * sin(radians(angle))]
        assert tip == pytest.approx(turned, abs=1e-6)


def test_a_full_turn_is_shown_where_it_is_farthest_from_its_begin():
    one, other = asm.check(gate("z", (0, 360))).studies[0].poses
    apart = hypot(*(one.points["gate"][1] - other.points["gate"][1]))
    assert apart == pytest.approx(1600, rel=1e-3)  # half a turn, as near as a state is to it


def test_a_cylinder_is_a_bar_between_its_pins():
    a = asm.read(SAMPLES / "excavator.assembly.json")
    shown = next(s for s in asm.check(a).studies if s.driver == "boom cylinder").poses
    lengths = [hypot(*np.diff(pose.points["boom cylinder"], axis=0)[0]) for pose in shown]
    assert lengths == pytest.approx([950, 1300], abs=1e-6)
    drawn = pose_picture(shown, "n", ["in", "out"])
    assert drawn.count('class="held"') == 1  # the base, once
    assert drawn.count('class="pose e0"') == drawn.count('class="pose e1"') > 5


def test_what_cannot_move_has_no_extreme_poses():
    a = gate("z")
    a.limit("hinge", "angle", min=30, max=30)
    assert asm.check(a).studies[0].poses == ()


def test_features_that_every_part_has_count_as_well():
    a = gate("z")
    a.remove("hinge")
    a.mate("revolute", "post.z", "gate.z", name="hinge")
    a.drive("turn", "hinge", value=30, range=(10, 100))
    (study,) = asm.check(a).studies
    found = sorted(study.poses[0].points["gate"].tolist())
    tip = [800 * cos(radians(10)), 800 * sin(radians(10))]
    assert np.array(found) == pytest.approx(np.array([[0, 0], tip]), abs=1e-6)
