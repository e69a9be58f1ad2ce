"""Pairs of parallel lines, of which the bodies hold in one way for sure: no other way is found."""

from __future__ import annotations

import numpy as np

import assembly_solver as asm
from assembly_solver.structure.one_way import holds_one_way
from assembly_solver.structure.plan import make_plan
from assembly_solver.structure.poses import body_poses

KINDS = ("coaxial", "coaxial", "point_on_line", "parallel", "coplanar", "point_in_plane")


def drawn(rng: np.random.Generator) -> asm.Assembly:
    """Mates of two bodies whose lines are all along z of either, true where the part stands."""
    a = asm.Assembly("pair")
    pose = asm.Pose.from_axis(tuple(100 * rng.normal(size=3)), (0, 0, 1), rng.uniform(0, 360))
    kinds = ["coaxial", *rng.choice(KINDS, size=int(rng.integers(1, 4))).tolist()]
    base, part = dict[str, asm.Feature](), dict[str, asm.Feature]()
    for k, kind in enumerate(kinds):
        at = 50 * rng.normal(size=3)
        here = tuple(pose.inverse().apply(at))
        if kind == "point_in_plane":
            base[f"f{k}"] = asm.Plane(tuple(at), (*rng.normal(size=2), 0))
            part[f"f{k}"] = asm.Point(here)
        elif kind == "coplanar":
            base[f"f{k}"], part[f"f{k}"] = asm.Plane(tuple(at), "z"), asm.Plane(here, "z")
        else:
            point = kind == "point_on_line"
            base[f"f{k}"] = asm.Axis(tuple(at), "z")
            part[f"f{k}"] = asm.Point(here) if point else asm.Axis(here, "z")
    a.add("base", grounded=True, features=base)
    a.add("part", pose=pose, features=part)
    for k, kind in enumerate(kinds):
        sense = {} if kind.startswith("point") else {"sense": "aligned"}
        a.mate(kind, f"base.f{k}", f"part.f{k}", name=f"m{k}", **sense)
    return a


def test_50_random_pairs_hold_in_one_way_where_no_other_is_found() -> None:
    """Two lines that are apart leave a slide at most; a point in a plane beside one line has two
    sides."""
    rng, settled, open_ones = np.random.default_rng(5), 0, 0
    for _ in range(50):
        a = drawn(rng)
        kinds = [mate.kind for mate in a.mates.values()]
        plan = make_plan(asm.solve(a).plan.system, cautious=True)
        rows, poses = plan.bodies.pairs.rows_of(0), body_poses(plan, plan.system.start)
        sure = holds_one_way(plan.table, poses, (0, 1), rows)
        lines = kinds.count("coaxial") + kinds.count("point_on_line")
        if lines == 1:
            assert sure == ("point_in_plane" not in kinds)
            open_ones += not sure
        elif sure:
            ends = []
            for turn in rng.uniform(0, 360, size=2):
                place = tuple(100 * rng.normal(size=3))
                a.move({"part": asm.Pose.from_axis(place, (0, 0, 1), turn)})
                ends.append(asm.solve(a).require().poses["part"].frame)
            apart = np.abs(ends[0] - ends[1])
            assert max(apart[:2].max(), apart[3:].max()) <= 1e-6, kinds
            settled += 1
    assert settled >= 20 and open_ones >= 2
