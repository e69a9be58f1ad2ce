"""Guided parts: a prescribed frame, its exact twists and accelerations, and what a solve holds."""

from __future__ import annotations

import json
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.native import assembly_json
from assembly_solver.model.drivers.guide import Guide

pytestmark = pytest.mark.quick

HOLDS = 1e-9
"""mm, and for directions: solves go on until 1e-10 or so."""


def shaker(**given: Any) -> asm.Assembly:
    """A base that stands turned and away from the world's origin, and a table."""
    a = asm.Assembly("shaker")
    base = asm.Pose.from_axis((100, 20, -5), (1, 2, 3), 40)
    a.add("base", grounded=True, pose=base, features={"cs": asm.Frame((10, 0, 0), "x", "y")})
    a.add("table", pose=asm.Pose((3, 4, 5)), features={"edge": asm.Point((50, 0, 0))})
    a.guide("motion", "table", **given)
    return a


def guide_of(a: asm.Assembly) -> Guide:
    found = a.drivers["motion"]
    assert isinstance(found, Guide)
    return found


LAWS = {
    "position": ["10*sin(3*t)", "5*t**2", "exp(-t)"],
    "angles": ["40*t", "20*t**2", "sind(90*t)"],
}


@pytest.mark.parametrize("order", ["xyz", "zyx", "zxz", "yxy"])
def test_twists_and_accelerations_are_those_of_the_moving_frame(order: str) -> None:
    """Against five-point differences of frames and twists."""
    guide, h = guide_of(shaker(**LAWS, order=order)), 1e-3
    at = np.array([0.1, 0.7, 1.3])
    near = [guide.motion(at + k * h) for k in (-2, -1, 0, 1, 2)]

    def slope(values: list[Any]) -> Any:
        return (values[0] - 8 * values[1] + 8 * values[3] - values[4]) / (12 * h)

    rates = slope([m.frames for m in near])
    frames, twists, accelerations = near[2]
    # an error of h^4 times a fifth derivative, and rounding by h
    np.testing.assert_allclose(twists[:, :3], rates[:, :3], atol=1e-8)
    for k in (3, 6, 9):  # every axis is carried by the spin
        carried = np.cross(twists[:, 3:], frames[:, k : k + 3])
        np.testing.assert_allclose(carried, rates[:, k : k + 3], atol=1e-9)
    np.testing.assert_allclose(accelerations, slope([m.twists for m in near]), atol=1e-8)


def test_turns_are_about_the_axes_that_the_turns_before_gave() -> None:
    guide = guide_of(shaker(angles=[90, 90, 0]))
    frame = guide.motion([0.0]).frames[0]
    # about x: y becomes z; then about that y: x becomes -z of the turned frame, which is +y
    np.testing.assert_allclose(frame[3:6], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(frame[6:9], [0, 0, 1], atol=1e-15)


def test_a_steady_turn_has_the_spin_of_its_law() -> None:
    moving = guide_of(shaker(angles=[0, 0, "360*t"], position=["t", 0, 0])).motion([0.0, 0.25])
    np.testing.assert_allclose(moving.twists, [[1, 0, 0, 0, 0, 2 * pi]] * 2, atol=1e-14)
    np.testing.assert_allclose(moving.accelerations, np.zeros((2, 6)), atol=1e-13)


def test_a_solve_holds_the_guided_part_in_the_world_at_time_0() -> None:
    a = shaker(position=["7 + t", -3, 2], angles=[0, 0, "90*cos(t)"])
    solution = asm.solve(a).require()
    pose = solution.poses["table"]
    assert pose.position == pytest.approx((7, -3, 2), abs=HOLDS)
    np.testing.assert_allclose(pose.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=HOLDS)
    assert (solution.dof, solution.driven, solution.dof_left) == (6, 1, 0)


def test_a_guide_holds_the_freedoms_that_mates_leave() -> None:
    a = asm.Assembly("door")
    a.add("frame", grounded=True)
    a.add("door")
    a.mate("revolute", "frame.z", "door.z")
    a.guide("motion", "door", angles=[0, 0, "30 + t"])
    solution = asm.solve(a).require()
    assert (solution.dof, solution.dof_left) == (1, 0)
    np.testing.assert_allclose(solution.poses["door"].rotation[0, 0], 0.75**0.5, atol=HOLDS)
    (turn,) = asm.diagnose(a).to_dict()["free_motions"]
    assert turn["removed_by"]["drivers"] == ["motion"]


def test_the_world_stays_when_the_grounded_part_is_put_elsewhere() -> None:
    a = shaker(position=[7, -3, 2])
    a.move({"base": asm.Pose((1, 2, 3))})
    assert asm.solve(a).require().poses["table"].position == pytest.approx((7, -3, 2), abs=HOLDS)


def test_a_motion_may_be_told_in_the_frame_of_a_feature() -> None:
    a = shaker(position=[7, 0, 0], relative_to="base.cs")
    expected = a.pose("base").apply([10, 0, 0]) + 7 * a.pose("base").rotation @ [0, 1, 0]  # x is y
    assert asm.solve(a).require().poses["table"].position == pytest.approx(expected, abs=HOLDS)


def test_a_feature_of_a_part_may_be_what_is_guided() -> None:
    a = shaker(position=[7, 0, 0], angles=[0, 0, 90], feature="edge")
    pose = asm.solve(a).require().poses["table"]
    assert pose.apply([50, 0, 0]).tolist() == pytest.approx([7, 0, 0], abs=HOLDS)
    assert pose.position == pytest.approx((7, -50, 0), abs=HOLDS)
    with pytest.raises(AssemblySolverError, match="feature: no feature 'rim' of part"):
        shaker(feature="rim")


def test_the_value_of_a_guide_is_the_time_that_is_held() -> None:
    a = shaker(position=["10*t", 0, 0])
    a.set_driver("motion", 2.5)
    assert asm.solve(a).require().poses["table"].position == pytest.approx((25, 0, 0), abs=HOLDS)
    a.set_driver("motion", None)
    solution = asm.solve(a)
    assert (solution.driven, solution.poses["table"]) == (0, a.pose("table"))


def test_a_guided_part_carries_what_hangs_on_it() -> None:
    a = shaker(position=[0, 0, 80])
    a.add("arm", features={"end": asm.Point((0, 0, 0))})
    a.mate("coincident", "table.edge", "arm.end")
    solution = asm.solve(a).require()
    assert solution.poses["arm"].position == pytest.approx((50, 0, 80), abs=HOLDS)
    assert solution.dof_left == 3


@pytest.mark.compiled_only
def test_mates_that_a_guided_part_cannot_keep_are_told_with_it() -> None:
    a = shaker(position=[0, 0, 80])
    a.mate("coincident", "base.origin", "table.origin", name="stuck")
    (conflict,) = asm.solve(a).to_dict()["conflicts"]
    assert set(conflict["mates"]) == {"stuck", "motion"}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"position": [0, 0]}, "drivers.motion.position: [0, 0] is not possible here, it must be"),
    ({"angles": [0, 0, "tt"]}, "drivers.motion.angles[2]: 'tt', column 1: no name 'tt'"),
    ({"order": "xxy"}, "drivers.motion.order: 'xxy' is not possible here, it must be three of the"),
    ({"order": "xyw"}, "drivers.motion.order: 'xyw' is not possible here"),
    ({"relative_to": "table.edge"}, "drivers.motion: motion 'motion' joins part 'table' with"),
    ({"relative_to": "base.nothing"}, "no feature 'nothing'"),
    ({"position": ["1/t", 0, 0]}, "motion.position[0]: '1/t' has no finite value at t = 0"),
    ({"value": float("nan")}, "drivers.motion.value: nan is not possible here"),
]


@pytest.mark.parametrize(("given", "says"), REFUSED)
def test_a_motion_that_cannot_be_meant_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        shaker(**given)
    assert says in str(caught.value)


def test_the_world_needs_a_grounded_part() -> None:
    a = asm.Assembly("loose")
    a.add("table")
    with pytest.raises(AssemblySolverError, match="where no part is grounded needs 'relative_to'"):
        a.guide("motion", "table")


ENTRIES: list[dict[str, Any]] = [
    {"part": "table", "position": ["10*sin(t)", 0, "=2*L"], "angles": [0, {"ramp": [0, 90]}, 0]},
    {
        "part": "table",
        "feature": "edge",
        "relative_to": "base.cs",
        "position": [0, 0, 1],
        "angles": [0, 0, "L*t"],
        "order": "zxz",
        "value": 0.5,
    },
    {"note": "n", "part": "table", "position": [0, 0, 0], "angles": [0, 0, 0], "held": False},
]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_file_gives_a_motion_back_as_it_was(entry: dict[str, Any]) -> None:
    tree = json.loads(assembly_json.dump(shaker()))
    tree = {"format": tree.pop("format"), "name": tree.pop("name"), "parameters": {"L": 3}} | tree
    tree["drivers"] = {"motion": entry}
    written = assembly_json.dump(assembly_json.read_text(json.dumps(tree)))
    assert json.loads(written) == tree
    assert assembly_json.dump(assembly_json.read_text(written)) == written


def test_a_flexible_sub_assembly_brings_its_motion_in_its_own_frame(tmp_path: Path) -> None:
    asm.write(shaker(position=[7, 0, 0]), tmp_path / "shaker.assembly.json")
    outer = asm.Assembly("outer", folder=tmp_path)
    outer.add("floor", grounded=True)
    inner = asm.read(tmp_path / "shaker.assembly.json")
    at = asm.Pose.from_axis((0, 0, 50), (0, 0, 1), 90)
    outer.add_assembly("s", inner, rigid=False, grounded=True, pose=at)
    assert asm.solve(outer).require().poses["s.table"].position == pytest.approx(
        (0, 7, 50), abs=HOLDS
    )
