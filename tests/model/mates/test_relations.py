"""Mates of more than two features: symmetry and equal distances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanisms import place, random_feature, random_pose

import assembly_solver as asm
from assembly_solver.errors import BadValue
from assembly_solver.formats.native import assembly_json
from assembly_solver.model import mate as mate_module
from assembly_solver.model.mate import AXES, End, Equation, Mate
from assembly_solver.model.measures.measure import DISPLACEMENT, WIDEST, Measure

pytestmark = pytest.mark.quick


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
    once = assembly_json.dump(a)
    assert assembly_json.dump(assembly_json.read_text(once, "three")) == once


def test_a_symmetry_without_a_plane_is_refused() -> None:
    a = three(1)
    with pytest.raises(asm.AssemblySolverError, match="symmetric needs 'about'"):
        a.mate("symmetric", "left.p", "right.p")
    with pytest.raises(asm.AssemblySolverError, match=r"vice.p is of type Point, it must be Frame"):
        a.mate("symmetric", "left.p", "right.p", about="vice.p")


def test_an_equation_wider_than_compiled_arrays_is_refused() -> None:
    """A term reads two bodies; `kernel.equation` has room for as many as `WIDEST`."""
    most = WIDEST // 2

    class Wide(Mate):
        kind = "wide"
        takes = ((AXES, AXES),)
        terms = most

        def equations(self, a: End, b: End) -> tuple[Equation, ...]:
            height = Measure(DISPLACEMENT, 2, 0, a.marker, b.marker)
            return (Equation(((1.0, height),) * self.terms),)

    try:
        a = asm.Assembly()
        for name in ("floor", "lid"):
            a.add(name, grounded=name == "floor", pose=asm.Pose((0, 0, len(name))))
        a.mate("wide", "floor.z", "lid.z")
        assert abs(asm.solve(a).poses["lid"].position[2] - 5) < 1e-9  # mm: the floor's height
        Wide.terms = most + 1
        with pytest.raises(BadValue, match="a mate with at most 12 terms in an equation"):
            a.mate("wide", "floor.z", "lid.z", name="too wide")
        assert list(a.mates) == ["wide floor.z - lid.z"]
    finally:
        mate_module._REGISTRY.pop("wide", None)
