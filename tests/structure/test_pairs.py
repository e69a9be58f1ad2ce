"""Pairs: what all mates between two parts amount to, as a joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import O, random_pose

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.model import assembly as _defines_every_kind  # noqa: F401
from assembly_solver.model.mate import MATES
from assembly_solver.structure.clusters import form_bodies
from assembly_solver.structure.pairs import KIND_NAMES

FEATURES: dict[str, Any] = {
    "o": asm.Point(O),
    "p": asm.Point((30, 0, 0)),
    "q": asm.Point((0, 40, 0)),
    "axis": asm.Axis(O, "z"),
    "beside": asm.Axis((50, 0, 0), "z"),
    "across": asm.Axis(O, "x"),
    "askew": asm.Axis((0, 0, 20), (1, 0, 1)),
    "floor": asm.Plane(O, (0, 0, 1)),
    "wall": asm.Plane(O, (1, 0, 0)),
    "side": asm.Plane(O, (0, 1, 0)),
    "cs": asm.Frame(O),
}
"""The same on both parts, so that every mate of a feature with its twin holds together."""

Ties = list[tuple[str, str] | tuple[str, str, dict[str, Any]]]

PAIRS: dict[str, tuple[Ties, str, int]] = {
    # name: mates of twin features, joint, rank
    "coaxial and coplanar": ([("coaxial", "axis"), ("coplanar", "floor")], "revolute", 5),
    "coaxial alone": ([("coaxial", "axis")], "cylindrical", 4),
    "coaxial twice the same": ([("coaxial", "axis"), ("coaxial", "axis")], "cylindrical", 4),
    "two pins": ([("coaxial", "axis"), ("coaxial", "beside")], "prismatic", 5),
    "two pins and a face": (
        [("coaxial", "axis"), ("coaxial", "beside"), ("coplanar", "floor")],
        "fixed",
        6,
    ),
    "three faces": (
        [("coplanar", "floor"), ("coplanar", "wall"), ("coplanar", "side")],
        "fixed",
        6,
    ),
    "two faces": ([("coplanar", "floor"), ("coplanar", "wall")], "prismatic", 5),
    "one face": ([("coplanar", "floor")], "planar", 3),
    "point": ([("coincident", "o")], "spherical", 3),
    "two points": ([("coincident", "o"), ("coincident", "p")], "revolute", 5),
    "three points": ([("coincident", k) for k in "opq"], "fixed", 6),
    "point and parallel axes": ([("coincident", "o"), ("parallel", "axis")], "revolute", 5),
    "three points of a face in a face": (
        [("point_in_plane", k, {"b": "floor"}) for k in "opq"],
        "planar",
        3,
    ),
    "two points of a face in a face": (
        [("point_in_plane", k, {"b": "floor"}) for k in "op"],
        "general",
        2,
    ),
    "parallel axes": ([("parallel", "axis")], "general", 2),
    "parallel axes and directions": ([("parallel", "axis"), ("parallel", "across")], "general", 3),
    "point on line": ([("point_on_line", "axis", {"b": "o"})], "general", 2),
    "axes across and meeting": (
        [("coincident", "o"), ("perpendicular", "axis", {"b": "across"})],
        "general",
        4,
    ),
    "sleeve with a key": ([("coaxial", "axis"), ("parallel", "across")], "prismatic", 5),
    "askew sleeve and its twin": ([("coaxial", "askew"), ("coaxial", "axis")], "fixed", 6),
    "joints": ([("revolute", "cs")], "revolute", 5),
    "joint and its repetition": ([("revolute", "cs"), ("coaxial", "axis")], "revolute", 5),
    "ball in a sleeve": ([("spherical", "o"), ("coaxial", "axis")], "revolute", 5),
}


def pair(ties: Ties, seed: int) -> asm.Assembly:
    rng = np.random.default_rng(seed)
    a = asm.Assembly()
    for name in ("base", "body"):
        a.add(name, grounded=name == "base", pose=random_pose(rng), features=FEATURES)
    for kind, feature, *rest in ties:
        other = rest[0]["b"] if rest else feature
        a.mate(kind, f"base.{feature}", f"body.{other}", **senses(kind))
    return a


def senses(kind: str) -> dict[str, str]:
    return {"sense": "aligned"} if "sense" in MATES[kind].parameter_names() else {}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("seed", range(4))
def test_mates_of_two_parts_amount_to_a_joint(name: str, seed: int) -> None:
    ties, kind, rank = PAIRS[name]
    a = pair(ties, seed)
    solution = asm.solve(a).require()
    (found,) = asm.analyse(a).pairs
    assert found["kind"] == kind
    assert solution.diagnosis.rank == rank
    assert solution.dof == 6 - rank
    assert solution.residual < 1e-9


@pytest.mark.parametrize(
    "name, direction",
    [
        ("coaxial and coplanar", (0, 0, 1)),
        ("two pins", (0, 0, 1)),
        ("two faces", (0, 1, 0)),
        ("two points", (1, 0, 0)),
        ("one face", (0, 0, 1)),
        ("coaxial alone", (0, 0, 1)),
    ],
)
def test_the_axis_of_the_joint_is_that_of_its_mates(
    name: str, direction: tuple[float, float, float]
) -> None:
    """In the coordinates of either body: twins have the same position in both."""
    for seed in range(4):
        bodies = form_bodies(compile_system(pair(PAIRS[name][0], seed)))
        assert bodies.pairs.gap.max() < 1e-8
        base = pair(PAIRS[name][0], seed).pose("base")  # body 0 is the world
        own = bodies.pairs.frame_b[0].reshape(4, 3)
        world = bodies.pairs.frame_a[0].reshape(4, 3)
        assert abs(own[3] @ direction) == pytest.approx(1, abs=1e-9)
        assert abs(world[3] @ base.rotation @ direction) == pytest.approx(1, abs=1e-9)
        if KIND_NAMES[int(bodies.pairs.kind[0])] == "revolute":
            off = np.cross(own[0], direction)
            np.testing.assert_allclose(off, 0, atol=1e-7)  # its point lies on the axis, mm


def test_a_lever_that_only_looks_like_a_slide_is_general() -> None:
    """At one pose a point on a circle moves straight; along a finite motion it does not."""
    a = asm.Assembly()
    a.add("base", grounded=True, features={"o": asm.Point(O), "axis": asm.Axis(O, "z")})
    a.add("body", pose=asm.Pose((40, 0, 0)), features={"o": asm.Point(O)})
    a.mate("distance", "base.o", "body.o", value=40.0)
    for own in "xy":
        a.mate("parallel", f"base.{own}", f"body.{own}", sense="aligned")
    a.mate("point_in_plane", "base.xy", "body.o")
    (found,) = asm.analyse(a).pairs
    assert found["kind"] == "general"
    assert asm.solve(a).dof == 1


def test_no_mates_leave_a_part_held_and_contradicting_ones_are_no_joint() -> None:
    a = pair([("coincident", "o")], 1)
    a.mate("distance", "base.o", "body.o", value=5.0)
    assert asm.solve(a).outcome is asm.Outcome.CONFLICTING
    bodies = form_bodies(compile_system(a))
    assert bodies.pairs.gap[0] > 1  # mm


def test_every_name_of_a_joint_is_met_here() -> None:
    assert {kind for _, kind, _ in PAIRS.values()} | {"free"} == set(KIND_NAMES)


def test_points_symmetric_about_planes_on_their_own_parts_are_where_they_are() -> None:
    """The first measure of an equation is then between features of one part only."""
    a = asm.Assembly("mirrors")
    wall = asm.Plane((4, 0, 0), "x")
    a.add("base", grounded=True, features={"p": asm.Point((9, 2, 3)), "m": wall})
    a.add("ball", features={"p": asm.Point((5, 6, 7)), "m": wall})
    a.add("last", features={"p": asm.Point((1, 1, 1))})
    a.mate("symmetric", "base.p", "ball.p", about="base.m")
    a.mate("symmetric", "base.p", "last.p", about="ball.m")
    solution = asm.solve(a)
    np.testing.assert_allclose(solution.poses["ball"].apply((5, 6, 7)), (-1, 2, 3), atol=1e-12)
    assert solution.dof == 6
