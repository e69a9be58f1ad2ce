"""The excavator: 14 parts, 29 mates, two cylinders; closed-form configurations, freedoms, plan.

Numbers: docs/theory/planar.md, 6, 7 (parts, mates, counts) and 9 (configurations), worked out in
closed form.  Lengths in mm, angles in rad; z across the machine; B0 to B13 as in the file.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from facts import facts
from mechanisms import Array, disturb, place, pose_gap

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.structure.plan import make_plan

FILE = Path(__file__).parents[2] / "samples" / "excavator.assembly.json"

PARTS = (
    "base",
    "boom",
    "boom cylinder right",
    "boom cylinder left",
    "boom rod right",
    "boom rod left",
    "bucket cylinder",
    "bucket rod",
    "bucket rocker",
    "idler rocker",
    "link",
    "push rod",
    "bracket",
    "bucket",
)
"""B0 to B13."""


class Configuration(NamedTuple):
    """Lengths of the boom and of the bucket cylinder, and the angles of the parts in the plane."""

    boom_cylinder: float
    bucket_cylinder: float
    boom: float
    rocker: float
    idler: float
    link: float
    push_rod: float
    bracket: float
    boom_line: float
    bucket_line: float


CONFIGURATIONS = [
    Configuration(
        1075,
        1265,
        0.349413518165,
        1.742998994104,
        2.012687452524,
        0.237102233849,
        0.092561725225,
        1.867887837293,
        0.721633128934,
        0.453958031143,
    ),
    Configuration(
        1000,
        1300,
        0.242508136685,
        1.706949750071,
        1.974263604196,
        0.115161074040,
        -0.008821227352,
        1.823710257074,
        0.605891218786,
        0.335901717749,
    ),
    Configuration(
        1150,
        1330,
        0.455535005383,
        1.558143235463,
        1.853891812764,
        0.406043836158,
        0.179405795247,
        1.725268858501,
        0.828452746190,
        0.613910446804,
    ),
    Configuration(
        1250,
        1500,
        0.597929801903,
        1.189954107326,
        1.619743630940,
        0.698700191141,
        0.296606722005,
        1.500178269121,
        0.961672106683,
        0.777411936921,
    ),
]

POINTS = {  # at the first configuration
    ("boom", "boom rod pin"): (1307.0324568734, 210.1574568734),
    ("bucket rocker", "rod pin"): (836.8788348480, 1054.7355359761),
    ("bucket rocker", "link pin"): (1212.4303101975, 1285.7153900865),
    ("idler rocker", "link pin"): (1776.2034775487, 1421.9498048824),
    ("push rod", "bracket pin"): (2672.3507766115, 1505.1364527441),
    ("bracket", "boom pin"): (2818.7209638523, 1027.0404704487),
}
"""A, E, F, Q, G, D."""

HEIGHTS = {
    "boom cylinder right": 300,
    "boom cylinder left": -300,
    "boom rod right": 300,
    "boom rod left": -300,
    "bucket cylinder": 90,
    "bucket rod": 90,
    "bucket rocker": 60,
    "idler rocker": -60,
    "link": 20,
    "push rod": -20,
    "bracket": 0,
    "bucket": 0,
    "boom": 0,
}

EVERY = pytest.mark.parametrize("k", range(len(CONFIGURATIONS)))


@pytest.fixture
def excavator() -> asm.Assembly:
    """The mechanism of the paper: its cylinders go as far as their levers let them."""
    out = asm.read(FILE)
    for name in out.cylinders:
        out.remove_limit(name)
    return out


def driven(excavator: asm.Assembly, boom: float | None, bucket: float | None) -> asm.Solution:
    """Solved from the starts of the file with the cylinders at these lengths."""
    excavator.set_driver("boom cylinder", boom)
    excavator.set_driver("bucket cylinder", bucket)
    return asm.solve(excavator)


def configured(excavator: asm.Assembly, k: int) -> asm.Solution:
    c = CONFIGURATIONS[k]
    return driven(excavator, c.boom_cylinder, c.bucket_cylinder).require()


def heading(direction: Array) -> float:
    """Angle in the plane of a direction that lies in it."""
    assert abs(direction[2]) < 1e-11
    return math.atan2(direction[1], direction[0])


def angles(poses: dict[str, asm.Pose]) -> list[float]:
    """The angles of a `Configuration`: of local x, but of local z of idler and cylinders."""
    axis = {name: p.rotation[:, 0] for name, p in poses.items()}
    return [
        *(heading(axis[n]) for n in ("boom", "bucket rocker")),
        heading(poses["idler rocker"].rotation[:, 2]),
        *(heading(axis[n]) for n in ("link", "push rod", "bracket")),
        heading(poses["boom cylinder right"].rotation[:, 2]),
        heading(poses["bucket cylinder"].rotation[:, 2]),
    ]


def at(excavator: asm.Assembly, poses: dict[str, asm.Pose], part: str, feature: str) -> Array:
    """A pin's centre in the plane."""
    return np.asarray(place(excavator, poses, (part, feature))[0, :2])


# ------------------------------------------------------------------ freedoms


def test_it_has_78_unknowns_105_equations_rank_76_and_2_freedoms(excavator: asm.Assembly) -> None:
    solution = asm.solve(excavator)
    d = solution.diagnosis
    assert (len(excavator.parts), len(excavator.mates)) == (14, 29)
    assert (d.unknowns, d.equations, d.rank) == (78, 105, 76)
    assert (solution.dof, solution.redundant_equations, solution.dof_left) == (2, 29, 0)
    assert sum(r["equations"] for r in solution.redundant) == 29
    assert d.gap < 1e-6  # the smallest kept and the largest dropped singular value lie far apart


def test_it_has_the_same_freedoms_without_drivers(excavator: asm.Assembly) -> None:
    solution = driven(excavator, None, None)
    d = solution.diagnosis
    assert solution
    assert solution.residual < 1e-9
    assert (d.equations, d.rank, solution.dof, solution.driven, solution.dof_left) == (
        105,
        76,
        2,
        0,
        2,
    )


def test_its_loops_are_planar_with_the_normal_across_the_machine(excavator: asm.Assembly) -> None:
    (loop,) = asm.analyse(excavator).to_dict()["components"]
    assert (loop["kind"], loop["planar"], loop["root"]) == ("loop", True, "base")
    np.testing.assert_allclose(loop["normal"], (0, 0, 1), atol=1e-15)
    assert set(loop["parts"]) == set(PARTS) - {"base"}


def test_its_pairs_are_the_joints_of_the_drawing(excavator: asm.Assembly) -> None:
    """A pin with a face beside it is a hinge, a pin alone turns and slides; F.4."""
    pairs = {frozenset(p["parts"]): p["kind"] for p in asm.analyse(excavator).pairs}
    b = dict(enumerate(PARTS))
    hinges = [(1, 0), (4, 1), (5, 1), (8, 1), (9, 1), (12, 1), (7, 8), (10, 8), (11, 10)]
    sleeves = [(2, 0), (3, 0), (6, 0), (4, 2), (5, 3), (7, 6), (9, 11), (12, 11)]
    wanted = {frozenset((b[i], b[j])): "revolute" for i, j in hinges}
    wanted |= {frozenset((b[i], b[j])): "cylindrical" for i, j in sleeves}
    wanted[frozenset((b[13], b[12]))] = "fixed"
    assert pairs == wanted
    assert len(pairs) == 18


def test_bucket_and_bracket_are_one_body(excavator: asm.Assembly) -> None:
    assert asm.analyse(excavator).clusters == [["bracket", "bucket"]]


def test_its_free_motions_turn_the_boom_about_its_foot_and_the_bucket_with_the_boom_still(
    excavator: asm.Assembly,
) -> None:
    first, second = asm.solve(excavator).free_motions
    assert first["words"].startswith("boom turns about boom foot; ")
    assert first["kind"] == second["kind"] == "rotation"
    np.testing.assert_allclose(first["axis"]["direction"], (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(first["axis"]["point"][:2], (0, 0), atol=1e-6)
    assert "boom" not in second["parts"]
    assert {"bucket cylinder", "bucket rocker", "link", "push rod", "bracket", "bucket"} <= set(
        second["parts"]
    )
    assert not first["idle"] and not second["idle"]


# ------------------------------------------------------------------ the plan


def test_driven_it_falls_into_four_blocks_that_follow_the_cylinders(
    excavator: asm.Assembly,
) -> None:
    """Boom with its left cylinder; the right one; bucket cylinder with rocker; the rest."""
    analysis = asm.analyse(excavator)
    steps = [s for s in analysis.steps if s["action"] == "solve"]
    assert [s["unknowns"] for s in steps] == [s["equations"] for s in steps]
    assert sorted(s["unknowns"] for s in steps) == [6, 9, 9, 12]
    wanted = [
        {"boom", "boom cylinder left", "boom rod left"},
        {"boom cylinder right", "boom rod right"},
        {"bucket cylinder", "bucket rod", "bucket rocker"},
        {"idler rocker", "link", "push rod", "bracket", "bucket"},
    ]
    found = [set(s["parts"]) for s in steps]
    assert sorted(found, key=sorted) == sorted(wanted, key=sorted)
    assert found.index(wanted[0]) < found.index(wanted[2]) < found.index(wanted[3])
    assert analysis.solution.counts.blocks == 4


def test_in_the_plane_its_mates_leave_two_of_36_unknowns(excavator: asm.Assembly) -> None:
    """12 bodies of 3 unknowns, 34 equations by the mates alone: F.4's 38 of rank 37 in 39, less
    those of the bucket on the bracket; in space 105 less the 10 of that pair."""
    (loop,) = asm.analyse(excavator).components
    sizes = loop["dulmage_mendelsohn"]
    assert (loop["unknowns"], loop["rank"]) == (36, 34)
    assert loop["in_space"] == {"unknowns": 72, "equations": 95}
    assert (sizes["over"], sizes["well"], sizes["under"]) == ([0, 0], [0, 0], [34, 36])


def test_driven_its_equations_are_square_and_well_determined(excavator: asm.Assembly) -> None:
    """The two cylinders complete the 36: then Dulmage-Mendelsohn leaves nothing over or under."""
    (loop,) = make_plan(compile_system(excavator)).components
    found = loop.decomposition
    assert found is not None
    assert (len(found.over_rows), len(found.under_rows), found.structural_rank) == (0, 0, 36)
    assert sorted(len(rows) for rows, _ in found.blocks) == [6, 9, 9, 12]


def test_free_it_places_two_parts_and_solves_blocks_for_the_others(excavator: asm.Assembly) -> None:
    driven(excavator, None, None)
    analysis = asm.analyse(excavator)
    held = [s for s in analysis.steps if s["action"] == "place"]
    solved = [s for s in analysis.steps if s["action"] == "solve"]
    assert len(held) == 2  # as many as there are freedoms
    assert sum(s["unknowns"] for s in held) + sum(s["unknowns"] for s in solved) == 36
    # a held body keeps its freedom: one less equation than unknowns for each
    assert sum(s["equations"] for s in held + solved) == 34
    assert max(s["unknowns"] for s in solved) <= 12


def test_updates_take_the_place_of_most_inverses(excavator: asm.Assembly) -> None:
    """docs/theory/updates.md, 8: over a sweep, more updates than inverses, fewer than classical."""
    inverses = updates = classical = 0
    for t in np.linspace(0, 1, 11):
        for name, low, high in (("boom cylinder", 1000, 1250), ("bucket cylinder", 1250, 1500)):
            excavator.set_driver(name, float(low + t * (high - low)))
        plain = asm.solve(excavator, eta=2.0).require()
        solution = asm.solve(excavator).require()
        inverses += solution.counts.inverses
        updates += solution.counts.updates
        classical += plain.counts.inverses
        assert plain.counts.updates == 0
        solution.apply()
    assert updates > inverses > 0
    assert inverses < classical


# ------------------------------------------------------------------ configurations


@EVERY
def test_angles_are_those_of_the_closed_form(excavator: asm.Assembly, k: int) -> None:
    found = angles(configured(excavator, k).poses)
    # the table has 12 decimals; 1e-10 mm left over 400 mm is 3e-13
    np.testing.assert_allclose(found, CONFIGURATIONS[k][2:], rtol=0, atol=3e-12)


def test_points_are_those_of_the_closed_form(excavator: asm.Assembly) -> None:
    poses = configured(excavator, 0).poses
    for (part, feature), wanted in POINTS.items():
        found = at(excavator, poses, part, feature)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9, err_msg=f"{part}.{feature}")


@EVERY
def test_cylinders_have_their_lengths_and_pins_their_partners(
    excavator: asm.Assembly, k: int
) -> None:
    solution = configured(excavator, k)
    poses, c = solution.poses, CONFIGURATIONS[k]
    a = at(excavator, poses, "boom", "boom rod pin")
    e = at(excavator, poses, "bucket rocker", "rod pin")
    q = at(excavator, poses, "idler rocker", "link pin")
    f = at(excavator, poses, "bucket rocker", "link pin")
    g = at(excavator, poses, "push rod", "bracket pin")
    d = at(excavator, poses, "boom", "bracket pin")
    lengths = [
        math.dist(a, (500, -500)),
        math.dist(e, (-300, 500)),
        math.dist(f, q),
        math.dist(q, g),
        math.dist(d, g),
    ]
    wanted = [c.boom_cylinder, c.bucket_cylinder, 580, 900, 500]
    np.testing.assert_allclose(lengths, wanted, rtol=0, atol=1e-9)
    assert solution.residual < 1e-9


@EVERY
def test_dyads_close_on_the_left_of_their_base(excavator: asm.Assembly, k: int) -> None:
    """A, E, Q and G lie left of O1 O2, O6 B, F C and Q D, each by far."""
    poses = configured(excavator, k).poses

    def pin(part: str, feature: str) -> Array:
        return at(excavator, poses, part, feature)

    def left(apex: Array, first: Array, second: Array) -> float:
        u, v = second - first, apex - first
        return float((u[0] * v[1] - u[1] * v[0]) / np.linalg.norm(u) / np.linalg.norm(v))

    o1, o2 = np.zeros(2), np.array([500.0, -500.0])
    o6 = np.array([-300.0, 500.0])
    q, d = pin("idler rocker", "link pin"), pin("boom", "bracket pin")
    sides = [
        left(pin("boom", "boom rod pin"), o1, o2),
        left(pin("bucket rocker", "rod pin"), o6, pin("boom", "bucket rocker pin")),
        left(q, pin("bucket rocker", "link pin"), pin("boom", "idler pin")),
        left(pin("push rod", "bracket pin"), q, d),
    ]
    assert min(sides) > 0.2  # sine of the angle at the base: no dead point is near


@EVERY
def test_parts_lie_in_their_planes(excavator: asm.Assembly, k: int) -> None:
    poses = configured(excavator, k).poses
    found = {name: poses[name].position[2] for name in HEIGHTS}
    assert found == pytest.approx(HEIGHTS, abs=1e-9)
    flipped = [n for n in PARTS if abs(poses[n].rotation[2, 2] + 1) < 1e-12]
    assert flipped == ["bucket rocker"]


@EVERY
def test_all_poses_are_those_of_the_reference(excavator: asm.Assembly, k: int) -> None:
    known: dict[str, Any] = facts("excavator.json")["configurations"][k]
    assert (known["Lb"], known["Lk"]) == CONFIGURATIONS[k][:2]
    poses = configured(excavator, k).poses
    for i, name in enumerate(PARTS):
        entry = known["poses"][f"B{i}"]
        np.testing.assert_allclose(poses[name].position, entry["p"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(poses[name].rotation, entry["R"], rtol=0, atol=3e-12)


def test_it_comes_to_the_same_place_from_other_starts(excavator: asm.Assembly) -> None:
    wanted = configured(excavator, 0).poses
    for seed in range(5):
        other = disturb(excavator, seed, mm=60, degrees=8)
        found = asm.solve(other).poses
        # 1e-10 mm left in the mates, times the leverage of the linkage
        assert max(pose_gap(wanted[n], found[n])[0] for n in PARTS) < 1e-8
        assert max(pose_gap(wanted[n], found[n])[1] for n in PARTS) < 1e-11


@pytest.mark.parametrize("dead, beyond", [(616.713448301, -0.5), (2030.927010674, 0.5)])
def test_beyond_its_dead_points_the_boom_cylinder_is_told_how_far_it_reaches(
    excavator: asm.Assembly, dead: float, beyond: float
) -> None:
    """F.6: pin A on its circle about the boom's foot, nearest to and farthest from O2."""
    loop = {"base", "boom", "boom cylinder left", "boom rod left"}
    for name, mate in excavator.mates.items():
        if not {mate.a.part, mate.b.part} <= loop:
            excavator.remove(name)
    assert driven(excavator, dead - beyond, None)
    solution = driven(excavator, dead + beyond, None)
    assert solution.outcome is asm.Outcome.CONFLICTING
    (conflict,) = solution.conflicts
    assert {"boom foot", "left rod eye", "boom cylinder"} <= set(conflict["mates"])
    # the eye cannot come nearer than in the plane, wherever rod and barrel point; only farther
    assert ("left rod in barrel" in conflict["mates"]) == (beyond > 0)
    assert conflict["asked"] == pytest.approx(dead + beyond)
    # a maximum is flat: found to 1 % of what is missing
    assert conflict["found"] == pytest.approx(dead, abs=0.005)
    assert conflict["unit"] == "mm"
