"""What one mate makes rigid has one reach: the features of all its parts count."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from mechanisms import random_pose

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.equations.welds import placed_along
from assembly_solver.foundations.geometry.pose import IDENTITY, frames_of

pytestmark = pytest.mark.quick

LENGTH = 50.0
"""Of the lever, mm."""

ASKED = (30.0, 32.0)
"""Two angles of one hub, degrees."""

Z = asm.Axis((0, 0, 0), "z", x="x")


def lever(*asked: float, tolerance: float, start: asm.Pose | None = None) -> asm.Assembly:
    """A hub on the frame with a lever welded to it, and angles asked of the hub, degrees.

    Hub and frame have their features in one point; the tip of the lever is far from it.
    """
    a = asm.Assembly("lever", tolerance=tolerance)
    seat, root = asm.Frame((0, 0, 0), (1, 2, 2)), asm.Frame((5, 1, -2), (0, 1, 1))
    in_hub = asm.Pose.from_frame(seat.frame) @ asm.Pose.from_frame(root.frame).inverse()
    tip = in_hub.inverse().apply((LENGTH, 0, 0))
    features = {"pin": Z, "seat": seat, "side": asm.Axis((0, 0, 0), "x")}
    a.add("frame", grounded=True, features=features)
    a.add("hub", features=features, pose=start or asm.Pose())
    a.add("lever", features={"root": root, "tip": asm.Point(tuple(tip))})
    a.mate("revolute", "frame.pin", "hub.pin", name="hinge")
    a.mate("fixed", "hub.seat", "lever.root", name="weld")
    for value in asked:
        about = {"about": "frame.pin", "value": value, "name": f"at {value:g}"}
        a.mate("angle", "frame.side", "hub.side", **about)
    return a


def clamped(*asked: float, tolerance: float, start: asm.Pose | None = None) -> asm.Assembly:
    """The same with a lever that three mates hold on the hub, none of them rigid alone."""
    a = lever(*asked, tolerance=tolerance, start=start)
    a.remove("weld")
    for part, name in (("hub", "seat"), ("lever", "root")):
        seat = a.parts[part].features[name]
        a.add_features(part, {"across": asm.Axis(seat.frame[:3], seat.frame[3:6])})
    a.mate("cylindrical", "hub.seat", "lever.root", name="bore")
    a.mate("coplanar", "hub.seat", "lever.root", name="shoulder")
    a.mate("parallel", "hub.across", "lever.across", name="key")
    return a


@pytest.mark.parametrize("made", [lever, clamped])
def test_angles_of_a_hub_count_at_the_tip_of_the_lever_that_is_rigid_with_it(
    made: Callable[..., asm.Assembly],
) -> None:
    """Halfway between they are a degree off, 0.87 mm at the tip."""
    off = LENGTH * math.radians(0.5 * (ASKED[1] - ASKED[0]))
    for start in (None, random_pose(np.random.default_rng(4), 300)):
        solution = asm.solve(made(*ASKED, tolerance=0.2, start=start))
        assert solution.outcome is asm.Outcome.CONFLICTING
        assert {m for c in solution.conflicts for m in c["mates"]} >= {"at 30", "at 32"}
    accepted = asm.solve(made(*ASKED, tolerance=1.01 * off)).require()
    residuals = [m.residual_deg for m in accepted.mates if m.kind == "angle"]
    assert residuals == pytest.approx([1.0, 1.0], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_reach_does_not_depend_on_the_start(seed: int) -> None:
    start = random_pose(np.random.default_rng(seed), 300)
    system = compile_system(lever(*ASKED, tolerance=0.2, start=start))
    at = system.constraints.index("at 30")
    assert system.reach[at] == pytest.approx(LENGTH, abs=1e-12)


def test_what_is_welded_to_the_ground_counts_as_ground() -> None:
    a = lever(*ASKED, tolerance=0.2)
    a.add("post", pose=asm.Pose((300, 0, 0)), features={"foot": Z, "top": asm.Point((0, 0, 400))})
    a.mate("fixed", "frame.origin", "post.foot", name="post")
    a.mate("parallel", "lever.x", "post.foot", name="upright")
    system = compile_system(a)
    assert system.reach[system.constraints.index("hinge")] == pytest.approx(400.0, abs=1e-12)
    assert system.reach[system.constraints.index("upright")] == pytest.approx(400.0, abs=1e-12)


def test_a_chain_of_rigid_links_is_placed_from_its_first_node() -> None:
    rng = np.random.default_rng(3)
    truth = frames_of(random_pose(rng, 100) for _ in range(5))
    poses = [asm.Pose.from_frame(f) for f in truth]
    links = np.array([(3, 1), (4, 3), (0, 2)])
    between = frames_of(poses[a].inverse() @ poses[b] for a, b in links.tolist())
    label, placed = placed_along(5, links, between)
    assert label.tolist() == [0, 1, 0, 1, 1]
    assert np.array_equal(placed[[0, 1]], [IDENTITY, IDENTITY])
    for node, first in ((2, 0), (3, 1), (4, 1)):
        wanted = frames_of([poses[first].inverse() @ poses[node]])[0]
        np.testing.assert_allclose(placed[node], wanted, atol=1e-12)
