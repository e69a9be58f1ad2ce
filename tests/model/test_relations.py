"""Mates of more than two features: symmetry and equal distances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanisms import place, random_feature, random_pose

import assembly_solver as asm
from assembly_solver.formats import native


def three(seed: int) -> asm.Assembly:
    """Three free parts with random features, the first one held."""
    rng = np.random.default_rng(seed)
    a = asm.Assembly("three")
    for name in ("vice", "left", "right"):
        features = {"p": random_feature(asm.Point, rng), "m": random_feature(asm.Plane, rng)}
        a.add(name, grounded=name == "vice", pose=random_pose(rng), features=features)
    return a


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("owner", ["vice", "left"])
def test_symmetric_points_are_mirror_images(seed: int, owner: str) -> None:
    a = three(seed)
    a.mate("symmetric", "left.p", "right.p", about=f"{owner}.m")
    solution = asm.solve(a).require()
    plane = place(a, solution.poses, f"{owner}.m")
    p, q = (place(a, solution.poses, f"{side}.p")[0] for side in ("left", "right"))
    mirrored = p - 2 * plane[3] * ((p - plane[0]) @ plane[3])
    assert np.abs(mirrored - q).max() < 1e-9
    assert solution.dof == {"vice": 12 - 3, "left": 6 - 3}[owner]  # without the vice one is held
    assert solution.redundant_equations == 0


@pytest.mark.parametrize("seed", range(10))
def test_equal_distances_are_equal(seed: int) -> None:
    a = three(seed)
    a.mate("equal_distance", "left.p", "vice.p", a2="right.p", b2="vice.p")
    solution = asm.solve(a).require()
    p, q, o = (place(a, solution.poses, f"{n}.p")[0] for n in ("left", "right", "vice"))
    assert math.dist(p, o) == pytest.approx(math.dist(q, o), abs=1e-9)
    assert solution.dof == 12 - 1


def test_symmetric_jaws_of_a_vice_move_together() -> None:
    """Two jaws on rails, symmetric about the middle: one freedom, and the mate is in the words."""
    a = asm.Assembly("vice")
    a.add("base", grounded=True)
    for name, x in (("left", -30.0), ("right", 50.0)):
        features = {"tip": asm.Point((0, 0, 5))}
        a.add(name, pose=asm.Pose((x, 0, 0)), features=features)
        a.mate("coaxial", "base.x", f"{name}.x", name=f"rail {name}")
        a.mate("parallel", "base.z", f"{name}.z", name=f"upright {name}")
    a.mate("symmetric", "left.tip", "right.tip", about="base.yz", name="middle")
    solution = asm.solve(a).require()
    x = [solution.poses[n].position[0] for n in ("left", "right")]
    assert x == pytest.approx([-40, 40], abs=1e-9)  # each moves by half of what is missing
    assert solution.dof == 1
    assert {"left", "right"} == set(solution.free_motions[0]["parts"])


def test_relations_survive_the_file_byte_for_byte() -> None:
    a = three(1)
    a.mate("symmetric", "left.p", "right.p", about="vice.m", name="s")
    a.mate("equal_distance", "left.p", "vice.p", b2="right.p", name="e")
    once = native.dump(a)
    assert native.dump(native.read_text(once, "three")) == once


def test_a_symmetry_without_a_plane_is_refused() -> None:
    a = three(1)
    with pytest.raises(asm.AssemblySolverError, match="symmetric needs 'about'"):
        a.mate("symmetric", "left.p", "right.p")
    with pytest.raises(asm.AssemblySolverError, match=r"vice.p is of type Point, it must be Frame"):
        a.mate("symmetric", "left.p", "right.p", about="vice.p")
