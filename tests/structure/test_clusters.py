"""Clusters: parts that cannot move against each other are one body."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import O, pose_gap, rebuilt, turned

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.foundations.geometry.pose import compose_all, invert_all
from assembly_solver.structure.clusters import IDENTITY, form_bodies
from benchmarks import families

pytestmark = pytest.mark.quick

Z = (0.0, 0.0, 1.0)


def welded() -> asm.Assembly:
    """Base, an arm of three parts welded and pinned together, and a free hand."""
    a = asm.Assembly()
    holes = {"p": asm.Axis(O, Z), "q": asm.Axis((40, 0, 0), Z), "top": asm.Plane(O, Z)}
    for k, name in enumerate(("base", "root", "strap", "tip", "hand")):
        start = turned((1, k, 3), 10 * k, (5 * k, 2, 1))
        a.add(name, grounded=k == 0, pose=start, features=holes)
    a.mate("revolute", "base.p", "root.p", sense="aligned")
    for feature in "pq":
        a.mate("coaxial", f"root.{feature}", f"strap.{feature}", sense="aligned")
    a.mate("coplanar", "root.top", "strap.top", sense="aligned")
    a.mate("fixed", "strap.origin", "tip.origin")
    a.mate("spherical", "tip.q", "hand.p")
    return a


def test_pinned_and_welded_parts_are_one_body() -> None:
    a = welded()
    analysis = asm.analyse(a)
    assert analysis.clusters == [["root", "strap", "tip"]]
    kinds = {tuple(p["parts"]): p["kind"] for p in analysis.pairs}
    assert kinds[("root", "strap")] == kinds[("strap", "tip")] == "fixed"
    assert kinds[("base", "root")] == "revolute"
    poses = analysis.solution.poses
    assert max(pose_gap(poses["root"], poses["strap"])) < 1e-9
    assert max(pose_gap(poses["strap"], poses["tip"])) < 1e-9


def test_what_is_welded_to_the_ground_is_held_with_it() -> None:
    system = compile_system(families.assembly(families.stack(5)))
    bodies = form_bodies(system)
    assert bodies.count == 1
    assert bodies.of_part.tolist() == [0] * 6
    assert len(bodies.pairs.kind) == 0
    assert sorted(bodies.inner.tolist()) == list(range(15))


def test_a_cluster_counts_its_parts_and_redundant_equations() -> None:
    solution = asm.solve(welded())
    # 5 + 4 + 4 + 3 + 6 + 3 = 25 equations, 24 unknowns: hinge and ball leave 1 + 3
    d = solution.diagnosis
    assert (d.unknowns, d.equations, solution.dof) == (24, 25, 4)
    assert solution.redundant_equations == 5  # two pins and a face


def test_parts_that_are_rigid_only_together_are_no_cluster_of_pairs() -> None:
    """A triangle of bars cannot move, yet no two of its parts are fixed to each other."""
    a = asm.Assembly()
    ends = {"p": asm.Axis(O, Z), "q": asm.Axis((40, 0, 0), Z)}
    starts = {"one": turned(Z, 0), "two": turned(Z, 120, (40, 0, 0)), "three": turned(Z, 60)}
    for k, (name, start) in enumerate(starts.items()):
        a.add(name, grounded=k == 0, pose=start, features=ends)
    a.mate("revolute", "one.q", "two.p")
    a.mate("revolute", "one.p", "three.p")
    a.mate("revolute", "two.q", "three.q")
    solution = asm.solve(a)
    assert solution.dof == 0
    assert asm.analyse(a).clusters == []
    assert [p["kind"] for p in asm.analyse(a).pairs] == ["revolute"] * 3


def test_clusters_do_not_depend_on_the_order_of_the_mates() -> None:
    rng = np.random.default_rng(4)
    a = welded()
    wanted = asm.solve(a).poses
    for _ in range(4):
        parts, mates = list(a.parts), list(a.mates)
        rng.shuffle(parts)
        rng.shuffle(mates)
        other = rebuilt(a, parts, mates)
        (cluster,) = asm.analyse(other).clusters
        assert set(cluster) == {"root", "strap", "tip"}
        found = asm.solve(other).poses
        assert max(max(pose_gap(found[n], wanted[n])) for n in wanted) < 1e-7


def test_a_contradiction_within_a_cluster_is_no_cluster() -> None:
    a = families.assembly(families.stack(2, hole_error=0.5))
    bodies = form_bodies(compile_system(a))
    assert bodies.count == 2  # the last plate cannot be pinned, the one before is
    assert not asm.solve(a)


def test_motions_compose_and_invert_row_by_row() -> None:
    rng = np.random.default_rng(1)
    poses = np.array([turned(rng.normal(size=3), 50, rng.normal(size=3)).frame for _ in range(3)])
    there_and_back = compose_all(poses, invert_all(poses))
    np.testing.assert_allclose(there_and_back, np.tile(IDENTITY, (3, 1)), atol=1e-15)
