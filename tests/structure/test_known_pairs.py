"""Pairs that are recognised have the kind that closing them finds, and joints that keep mates."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import Array, disturbed, random_pose
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.equations.table import SPACE, EquationTable, TwistBasis, residuals
from assembly_solver.foundations.geometry.pose import IDENTITY, compose_all, frames_of, invert_all
from assembly_solver.structure.clusters import make_pairs
from assembly_solver.structure.known_pairs import recognise
from assembly_solver.structure.pairs import KIND_NAMES, Pairs, PairSetting, analyse_pairs

pytestmark = pytest.mark.quick

SPOTS = np.array([[0, 0, 0], [0, 0, 37], [45, 0, 0], [-60, 0, 12], [20, 33, 5]], float)
"""Places of features: two on one line, two more in one plane with it, one beside."""

SAME = {
    "coaxial": (0, 1),
    "cylindrical": (0, 1),
    "prismatic": (0, 1),
    "planar": (2,),
    "coplanar": (),
    "parallel": (),
    "revolute": (0, 1, 2),
    "spherical": (0, 1, 2),
    "fixed": (0, 1, 2),
    "coincident": (0, 1, 2),
}
"""Coordinates that two places must share for a mate of a kind between them to hold."""


def two_parts(rng: np.random.Generator) -> tuple[asm.Assembly, list[str]]:
    """Two parts with one to three mates along one direction that hold at some pose, and these."""
    there, start = random_pose(rng, 80.0), random_pose(rng, 30.0)
    inside = random_pose(rng, 50.0)  # of the features in the first part
    a = asm.Assembly()
    for part, own in (("one", inside), ("two", there @ inside)):
        x, z = tuple(own.rotation[:, 0]), tuple(own.rotation[:, 2])
        spots = {f"f{k}": asm.Frame(tuple(own.apply(p)), z, x) for k, p in enumerate(SPOTS)}
        home = start if part == "one" else disturbed(start @ there.inverse(), rng, 8.0, 15.0)
        a.add(part, grounded=part == "one", pose=home, features=spots)
    kinds = [str(k) for k in rng.choice(list(SAME), rng.integers(1, 4))]
    for kind in kinds:
        i, shared = int(rng.integers(len(SPOTS))), list(SAME[kind])
        fitting = [j for j, p in enumerate(SPOTS) if np.all(p[shared] == SPOTS[i][shared])]
        j = int(rng.choice(fitting))
        parameters: dict[str, float | str] = {}
        if kind in ("coaxial", "coplanar", "parallel"):
            parameters["sense"] = "aligned"
        ends = [f"one.f{i}", f"two.f{j}"]
        rise = float(SPOTS[j, 2] - SPOTS[i, 2])
        if rng.random() < 0.5:
            ends, rise = ends[::-1], -rise
        if kind == "coplanar":
            parameters["offset"] = rise
        a.mate(kind, *ends, **parameters)
    return a, kinds


def both(a: asm.Assembly) -> tuple[EquationTable, Array, Pairs, Pairs, bool]:
    """Table, start, the pair as recognised and as analysed, and whether it is recognised."""
    s = compile_system(a)
    start = frames_of(p.pose for p in a.parts.values())
    ends, mates = s.ends, np.arange(s.mates)
    (one, _), (two, _) = (make_pairs(s, ends, mates) for _ in range(2))
    known = np.zeros(1, bool)
    recognise(s.table, start, one, False, known)
    basis = TwistBasis(np.eye(3), s.centre, s.length)
    setting = PairSetting(s.table, SPACE, basis, s.convergence_tolerance, s.tolerance)
    analyse_pairs(setting, start, two, np.zeros(1, np.int64))
    return s.table, start, one, two, bool(known[0])


def motion(kind: str, rng: np.random.Generator) -> Array:
    """A finite motion along a lower pair about z."""
    out = IDENTITY.copy()
    if kind in ("revolute", "cylindrical", "planar"):
        out[3:] = Rotation.from_rotvec([0, 0, rng.uniform(-3, 3)]).as_matrix().T.ravel()
    if kind == "spherical":
        out[3:] = Rotation.random(random_state=rng).as_matrix().T.ravel()
    if kind in ("prismatic", "cylindrical"):
        out[2] = rng.uniform(-50, 50)
    if kind == "planar":
        out[:2] = rng.uniform(-50, 50, 2)
    return out


def test_what_is_recognised_is_what_closing_finds_and_keeps_its_mates() -> None:
    found: dict[str, int] = {}
    for seed in range(400):
        rng = np.random.default_rng(seed)
        a, kinds = two_parts(rng)
        table, start, one, two, known = both(a)
        if not known:
            continue
        kind = KIND_NAMES[int(one.kind[0])]
        assert (kind, int(one.rank[0])) == (KIND_NAMES[int(two.kind[0])], int(two.rank[0])), kinds
        found[kind] = found.get(kind, 0) + 1
        first, second = one.bodies[0].tolist()
        for _ in range(3):
            joint = compose_all(one.frame_a, motion(kind, rng)[None])
            poses = start.copy()
            relative = compose_all(joint, invert_all(one.frame_b))
            poses[second] = compose_all(poses[[first]], relative)[0]
            worst = residuals(table, poses, one.rows_of(0), np.empty(len(one.rows)))
            assert worst < 1e-10, (kinds, kind)  # mm: coordinates of 200 mm, some ten operations
    assert min(found.get(k, 0) for k in ("fixed", "revolute", "spherical")) >= 20, found
    assert min(found.get(k, 0) for k in ("prismatic", "cylindrical", "planar")) >= 5, found


def opened(value: float, start: float, turn: float = 10.0) -> tuple[asm.Assembly, float]:
    """A piston at a distance of its end from the foot of its cylinder."""
    a, z = asm.Assembly(), asm.Axis((0, 0, 0), "z")
    a.add("foot", grounded=True, features={"bore": z})
    a.add("piston", features={"rod": z}, pose=asm.Pose.from_axis((3, 1, start), (1, 0, 0), turn))
    a.mate("coaxial", "foot.bore", "piston.rod", sense="aligned")
    a.mate("distance", "foot.origin", "piston.origin", value=value)
    _, _, one, two, known = both(a)
    assert known and KIND_NAMES[int(one.kind[0])] == KIND_NAMES[int(two.kind[0])] == "revolute"
    return a, float(one.relative[0, 2])


@pytest.mark.parametrize("start", [40.0, -40.0, 400.0, -3.0])
def test_a_distance_along_a_line_is_on_the_side_where_it_starts(start: float) -> None:
    a, height = opened(50.0, start)
    assert height == pytest.approx(np.copysign(50.0, start), abs=1e-12)
    assert asm.solve(a).poses["piston"].position[2] == pytest.approx(height, abs=1e-9)


def test_a_hole_that_is_off_by_more_than_rounding_is_analysed() -> None:
    for off, expected in ((0.0, True), (1e-13, True), (1e-9, False), (1e-3, False)):
        a = asm.Assembly()
        bores = {"a": asm.Axis((0, 0, 0), "z"), "b": asm.Axis((30, 0, 0), "z")}
        a.add("plate", grounded=True, features=bores)
        a.add("lid", features={"a": asm.Axis((0, 0, 0), "z"), "b": asm.Axis((30 + off, 0, 0), "z")})
        for name in "ab":
            a.mate("coaxial", f"plate.{name}", f"lid.{name}", sense="aligned")
        _, _, _, two, known = both(a)
        assert known is expected
        assert two.gap[0] == pytest.approx(off / 2, abs=1e-13)
