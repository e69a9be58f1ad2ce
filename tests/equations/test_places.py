"""What is drawn at random for parts and mates goes by their places: told otherwise, the same."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import disturb, moved, random_pose, rebuilt
from test_random_assemblies import draw

import assembly_solver as asm
from assembly_solver.diagnosis.other_starts import many_turned
from assembly_solver.equations.places import constraints_by_place, parts_by_place
from assembly_solver.equations.system import compile_system
from assembly_solver.foundations.geometry.pose import frames_of
from assembly_solver.foundations.types import Array


def starts(a: asm.Assembly, scale: float = 1.0) -> dict[str, Array]:
    """Some other starts of each part, (starts, 12), mm."""
    system = compile_system(a)
    found = many_turned(system, range(4))
    found[..., :3] /= scale
    return {name: found[:, k] for k, name in enumerate(system.parts)}


@pytest.mark.parametrize("seed", range(6))
def test_other_starts_are_the_same_however_the_assembly_is_told(seed: int) -> None:
    rng, a = np.random.default_rng(seed), disturb(draw(seed, False), seed, 40, 50)
    parts, mates = (rng.permutation(list(names)).tolist() for names in (a.parts, a.mates))
    by, expected = random_pose(rng, 500), starts(a)
    placed = frames_of([by])[0]
    for name, found in starts(rebuilt(a, parts=parts, mates=mates)).items():
        np.testing.assert_allclose(found, expected[name], atol=1e-12)
    for name, found in starts(rebuilt(a, scale=1e-3), 1e-3).items():
        np.testing.assert_allclose(found, expected[name], atol=1e-9)  # mm
    axes = placed[3:].reshape(3, 3)
    for name, found in starts(moved(a, by)).items():
        before = expected[name].reshape(-1, 4, 3) @ axes
        before[:, 0] += placed[:3]
        np.testing.assert_allclose(found.reshape(-1, 4, 3), before, atol=1e-9)  # mm


@pytest.mark.parametrize("seed", range(6))
def test_mates_are_weighed_by_their_places(seed: int) -> None:
    a = disturb(draw(seed, False), seed, 40, 50)
    mates = np.random.default_rng(seed).permutation(list(a.mates)).tolist()
    told = []
    for one in (
        a,
        rebuilt(a, mates=mates),
        moved(a, asm.Pose((100, 20, -30), (0.5, 0.5, -0.5, 0.5))),
    ):
        system = compile_system(one)
        told.append([system.constraints[k] for k in constraints_by_place(system)])
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("at", [(0, 0, 0), (1234.5678, 77.3, 3.1)])
def test_two_mates_of_a_kind_are_told_apart_by_the_parts(at: tuple[float, float, float]) -> None:
    """Of two the middle is equally far, here by an odd number of halves of what is told apart."""
    bores = {name: asm.Axis((x, 0, 0), "z") for name, x in (("near", 0), ("far", 24.6914))}
    a = asm.Assembly("plate on two pins")
    a.add("base", grounded=True, features=bores, pose=asm.Pose(at))
    a.add("plate", features=bores, pose=asm.Pose(tuple(np.add(at, (3, 4, 5)).tolist())))
    for name in ("far", "near"):
        a.mate("coaxial", f"base.{name}", f"plate.{name}", name=name)
    for one in (a, rebuilt(a, mates=["near", "far"])):
        system = compile_system(one)
        found = [system.constraints[k] for k in constraints_by_place(system)]
        assert found == ["near", "far"]


def test_parts_of_a_floating_assembly_go_by_each_other_alone() -> None:
    """Two rods as far from the middle of both; no part is held that would tell them apart."""
    ways = []
    for at in (0.0, 300.0):
        a = asm.Assembly("rods")
        a.floating = True
        for name, (x, origin) in {"one": (-100.0, 20.0), "other": (100.0, -30.0)}.items():
            pose = asm.Pose((x + origin + at, 0, 0))
            a.add(name, features={"end": asm.Point((-origin, 0, 0))}, pose=pose)
        a.mate("distance", "one.end", "other.end", value=50)
        system = compile_system(a)
        ways.append([system.parts[k] for k in parts_by_place(system)])
    assert ways == [["other", "one"]] * 2
