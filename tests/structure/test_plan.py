"""The plan: components, blocks in order, and its independence of how the assembly is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import O, disturb, four_bar, rebuilt, rssr, turned

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.structure.dyads import placement_stages
from assembly_solver.structure.open_joints import OpenJoints
from assembly_solver.structure.plan import make_plan
from benchmarks import families, large

Z = (0.0, 0.0, 1.0)
Step = tuple[str, frozenset[str], int, int]


def steps(a: asm.Assembly) -> list[Step]:
    """The plan without the order in which names were listed."""
    return [
        (s["action"], frozenset(s["parts"]), s["unknowns"], s["equations"])
        for s in asm.analyse(a).steps
    ]


def shuffled(a: asm.Assembly, seed: int) -> asm.Assembly:
    rng = np.random.default_rng(seed)
    parts, mates = list(a.parts), list(a.mates)
    rng.shuffle(parts)
    rng.shuffle(mates)
    return rebuilt(a, parts, mates)


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_a_ladder_is_one_held_crank_and_k_blocks_of_six(k: int) -> None:
    a = families.assembly(families.ladder(k, seed=1))
    found = steps(a)
    solved = [s for s in found if s[0] == "solve"]
    held = [s for s in found if s[0] == "place"]
    assert [(unknowns, equations) for _, _, unknowns, equations in solved] == [(6, 6)] * k
    assert len(held) == 1  # the one freedom: a rocker is placed by its hinge alone
    assert held[0][2:] == (3, 2)
    assert asm.solve(a).counts.blocks == k
    blocks = {frozenset(s[1]) for s in solved}
    assert len(blocks) == k and all(len(b) == 2 for b in blocks)


def test_a_driven_ladder_is_solved_in_the_same_blocks_from_its_driver_on() -> None:
    a = families.assembly(families.ladder(4, seed=1))
    name = next(n for n, m in a.mates.items() if {m.a.part, m.b.part} == {"frame", "rocker0"})
    a.drive("crank", name, "angle", value=80.0)
    found = [s for s in steps(a) if s[0] == "solve"]
    # the driver gives the angle of its rocker, its hinge then the place
    assert [s[2] for s in found] == [1, 2, 6, 6, 6, 6]
    assert found[0][1] == found[1][1] == {"rocker0"}
    order = [s[1] for s in found[2:]]
    assert order == [{f"coupler{k}", f"rocker{k + 1}"} for k in range(4)]


def test_matching_takes_a_four_bar_apart_in_the_plane() -> None:
    (loop,) = asm.analyse(disturb(four_bar(), 1, 5, 4)).components
    sizes = loop["dulmage_mendelsohn"]
    # 8 equations of 9 unknowns, all of them under-determined together
    assert (sizes["over"], sizes["under"], sizes["matched"]) == ([0, 0], [8, 9], 8)


def test_a_tree_is_placed_joint_by_joint_from_the_ground_outward() -> None:
    a = asm.Assembly()
    features = {"pin": asm.Axis(O, "z"), "eye": asm.Axis((50, 0, 0), "z")}
    for k, name in enumerate(("finger", "arm", "frame", "hand")):
        a.add(name, grounded=name == "frame", pose=turned((1, k, 4), 30), features=features)
    for first, second in (("hand", "finger"), ("frame", "arm"), ("arm", "hand")):
        a.mate("revolute", f"{first}.eye", f"{second}.pin")
    found = asm.analyse(a).steps
    assert [s["parts"] for s in found] == [["arm"], ["hand"], ["finger"]]
    assert [s["words"] for s in found] == [
        f"in closed form by its revolute joint with {p}" for p in ("frame", "arm", "hand")
    ]
    assert asm.solve(a).counts == (0, 0, 0, 0, 0)
    assert [c["kind"] for c in asm.analyse(a).components] == ["branch"] * 3


def test_a_pair_without_closed_form_is_settled_by_projection() -> None:
    a = asm.Assembly()
    a.add("frame", grounded=True)
    a.add("bead", pose=turned((1, 2, 3), 30, (5, 6, 7)))
    a.mate("point_on_line", "frame.z", "bead.origin")
    (step,) = asm.analyse(a).steps
    assert step["words"] == "by projection onto its mates with frame"
    assert asm.solve(a).dof == 4


def test_a_spatial_loop_is_one_block() -> None:
    found = steps(rssr())
    assert found == [("solve", frozenset({"crank", "coupler", "rocker"}), 18, 16)]


def test_a_large_spatial_loop_is_solved_in_sparse_form() -> None:
    (step,) = asm.analyse(families.assembly(families.stewart(seed=1))).steps
    assert (step["unknowns"], step["equations"]) == (78, 66)
    assert "sparse" in step["words"]


def test_loops_that_share_one_part_only_are_separate_components() -> None:
    """A four-bar on the coupler of a four-bar: the second is solved after the first."""
    a = disturb(four_bar(), 1, 5, 4)
    second = four_bar()
    for name, part in second.parts.items():
        if name != "frame":
            a.add(f"upper {name}", pose=part.pose, features=part.features)
    extra = asm.Assembly()
    for name, part in a.parts.items():
        more = second.parts["frame"].features if name == "coupler" else {}
        features = {**part.features, **{f"upper {k}": f for k, f in more.items()}}
        extra.add(name, grounded=part.grounded, pose=part.pose, features=features)
    for mate in a.mates.values():
        extra.mate(mate.kind, mate.a, mate.b, name=mate.name)
    for mate in second.mates.values():
        ends = [
            ("coupler", f"upper {r.feature}")
            if r.part == "frame"
            else (f"upper {r.part}", r.feature)
            for r in (mate.a, mate.b)
        ]
        extra.mate(mate.kind, *ends, name=f"upper {mate.name}")
    analysis = asm.analyse(extra)
    assert [(c["root"], set(c["parts"])) for c in analysis.components] == [
        ("frame", {"crank", "coupler", "rocker"}),
        ("coupler", {"upper crank", "upper coupler", "upper rocker"}),
    ]
    assert analysis.solution.dof == 2
    assert analysis.solution.residual < 1e-9


FAMILIES = {
    "chain": lambda: families.assembly(families.chain(4, seed=2)),
    "ladder": lambda: families.assembly(families.ladder(4, seed=2)),
    "scissor": lambda: families.assembly(families.scissor(2, seed=2)),
    "stack": lambda: families.assembly(families.stack(3, seed=2)),
    "excavator": lambda: families.assembly(families.excavator(seed=2)),
    "rssr": lambda: disturb(rssr(), 2, 5, 4),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_plan_does_not_depend_on_the_order_of_parts_and_mates(name: str) -> None:
    a = FAMILIES[name]()
    wanted = sorted(steps(a), key=repr)
    as_blocks = {(s[0], tuple(sorted(s[1])), *s[2:]) for s in wanted}
    for seed in range(4):
        found = {(s[0], tuple(sorted(s[1])), *s[2:]) for s in steps(shuffled(a, seed))}
        assert found == as_blocks


def test_every_equation_is_in_the_plan_once_or_dropped_for_a_reason() -> None:
    """Driven ladder: equations of the blocks and of the alignment are all there are."""
    a = families.assembly(families.ladder(3, seed=1))
    analysis = asm.analyse(a)
    (loop,) = analysis.components
    # 10 hinges of 7 equations: 4 tilts and 1 height each, and 2 in the plane
    assert loop["in_space"]["equations"] == 70
    assert loop["equations"] == 20
    aligned = [s for s in analysis.steps if s["action"] == "align"]
    assert [s["equations"] for s in aligned] == [50]
    assert sum(s["equations"] for s in analysis.steps if s["action"] != "align") == 20


def test_a_part_that_only_lies_on_the_ground_is_placed_by_the_part_that_it_hangs_on() -> None:
    """A driven arm carries a plate that lies on the frame: the face has no say in the plane."""
    a = asm.Assembly()
    features = {"pin": asm.Axis(O, Z), "eye": asm.Axis((80, 0, 0), Z), "face": asm.Plane(O, Z)}
    for k, name in enumerate(("frame", "arm", "hand", "plate")):
        start = turned((0.1, 0.05, 1), 25 * k, (60 * k, 5, 3))
        a.add(name, grounded=k == 0, pose=start, features=features)
    a.move({"frame": asm.Pose()})
    a.mate("revolute", "frame.pin", "arm.pin", name="shoulder", sense="aligned")
    a.mate("coaxial", "arm.eye", "hand.pin", sense="aligned")
    a.mate("coaxial", "hand.eye", "plate.pin", sense="aligned")
    a.mate("coplanar", "frame.face", "plate.face", sense="aligned")
    for value in (30.0, 100.0, 170.0):
        a2 = a.copy()
        a2.drive("shoulder", "shoulder", "angle", value=value)
        solution = asm.solve(a2)
        assert solution.outcome is asm.Outcome.SOLVED, solution.sentence
        # shoulder, elbow and wrist turn, hand is free to slide along its pins
        assert (solution.dof, solution.residual < 1e-9) == (4, True)


def test_a_round_looks_only_at_components_in_which_a_body_was_placed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the stages of a machine of many modules grow as its square."""
    looked: list[OpenJoints] = []
    several = OpenJoints.several

    def counted(table: OpenJoints, also: set[int]) -> Any:
        looked.append(table)
        return several(table, also)

    monkeypatch.setattr(OpenJoints, "several", counted)
    plan = make_plan(compile_system(large.machine(0)[0]))
    stages = placement_stages(plan, plan.bodies.start)
    assert (len(stages), len({id(table) for table in looked})) == (72, 4)
    assert len(looked) == 36  # of 113 in all rounds
