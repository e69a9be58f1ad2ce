"""Parts that have to move move least; the reference is scipy's SLSQP over the same parts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanisms import angle_about, disturb, four_bar, place, random_pose, turned, worst_gap

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.foundations.geometry.pose import frames_of
from assembly_solver.solver import least_movement
from assembly_solver.solver.moved_groups import moved_groups
from assembly_solver.solver.solver import solve as solve_plan
from assembly_solver.structure.plan import make_plan
from benchmarks import families
from benchmarks.adversary.generators import metamorphic
from benchmarks.least_movement import CASES, haug, least, movement, ratios

Z = (0.0, 0.0, 1.0)
LOOPS = ("crank", "coupler", "rocker")


def moved_by(solution: asm.Solution) -> float:
    """Movement of a solution from its start, mm."""
    return movement(solution.plan.system, frames_of(solution.poses.values()))


@pytest.mark.parametrize("name", CASES)
def test_no_movement_that_scipy_finds_is_clearly_less(name: str) -> None:
    found = ratios(name, 4)
    assert len(found) == 4
    assert np.median(found) < 1.01
    assert found.max() < 1.05


@pytest.mark.quick
def test_a_chain_moves_less_than_its_parts_placed_one_after_the_other() -> None:
    """Placed one by one a part follows the errors of all before it."""
    for links, share in ((6, 0.96), (60, 0.1)):
        a = families.assembly(families.chain(links))
        system = compile_system(a)
        placed = movement(system, solve_plan(make_plan(system)).parts)
        solution = asm.solve(a).require()
        assert moved_by(solution) < share * placed
        assert solution.residual < 1e-9


@pytest.mark.parametrize(("loops", "most"), [(100, 423.4867), (300, 781.1807)])
def test_a_long_row_of_loops_moves_least_in_blocks(loops: int, most: float) -> None:
    """With the usual weight of the movement the steps in 300 loops led nowhere: 783.7 mm."""
    solution = asm.solve(families.assembly(families.ladder(loops))).require()
    assert moved_by(solution) < most
    assert solution.residual < 1e-9


@pytest.mark.parametrize(("stages", "most"), [(12, 46.7585), (15, 46.9306), (18, 53.8280)])
def test_a_scissor_of_many_stages_moves_least(stages: int, most: float) -> None:
    """With the usual weight of the movement the steps led nowhere: 247, 151 and 128 mm."""
    solution = asm.solve(families.assembly(families.scissor(stages, 3, 0.3))).require()
    assert moved_by(solution) < most
    assert solution.residual < 1e-9


JOINTS = ("revolute", "prismatic", "cylindrical", "spherical", "planar", "fixed")


def arm(kinds: tuple[str, ...], seed: int) -> asm.Assembly:
    """An open chain of parts on joints in any position, disturbed."""
    rng, out = np.random.default_rng(seed), asm.Assembly("arm")

    def frame() -> asm.Frame:
        at = random_pose(rng, 60)
        x, _, z = at.rotation.T.tolist()
        return asm.Frame(at.position, tuple(z), tuple(x))

    joints = [frame() for _ in kinds]
    out.add("part 0", grounded=True, features={"next": joints[0]})
    for k, kind in enumerate(kinds):
        ends = {"last": joints[k], "next": joints[k + 1] if k + 1 < len(kinds) else frame()}
        out.add(f"part {k + 1}", features=ends)
        out.mate(kind, f"part {k}.next", f"part {k + 1}.last")
    return disturb(out, seed, 5, 12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", JOINTS[:-1])
def test_a_chain_on_joints_of_any_kind_moves_least(kind: str, seed: int) -> None:
    a = arm((kind, JOINTS[seed], kind, JOINTS[-1 - seed]), seed)
    solution = asm.solve(a).require()
    found, best = least(compile_system(a), solution)
    assert found < 1.0001 * best
    assert solution.residual < 1e-9


@pytest.mark.parametrize("name", CASES)
def test_trees_and_planes_end_where_one_block_of_all_parts_does(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = asm.solve(CASES[name](2)).require()
    all_ = least_movement.separate
    monkeypatch.setattr(
        least_movement, "separate", lambda plan, groups: (all_(plan, groups)[0], {0})
    )
    together = asm.solve(CASES[name](2)).require()
    shift, _ = worst_gap(apart.poses, together.poses)  # a part may turn on its features
    assert shift < 1e-5 * apart.plan.system.length
    assert moved_by(apart) == pytest.approx(moved_by(together), rel=1e-9)


def test_solving_what_moved_least_moves_nothing() -> None:
    for name in CASES:
        a = CASES[name](1)
        asm.solve(a).require().apply()
        again = asm.solve(a)
        assert again.poses == {n: p.pose for n, p in a.parts.items()}  # bit for bit
        assert again.counts == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("name", LOOPS)
def test_one_displaced_part_of_a_closed_loop_comes_home_alone(name: str) -> None:
    a = haug()
    home = a.pose(name)
    a.move({name: turned((1, 2, 5), 8, (0.2, -0.1, 0.3)) @ home})
    solution = asm.solve(a).require()
    wanted = {n: p.pose for n, p in a.parts.items()} | {name: home}
    assert max(worst_gap(solution.poses, wanted)) < 1e-9  # mm and rad


def test_a_changed_driver_moves_only_its_loop() -> None:
    a = haug()
    other = haug()
    for name, part in other.parts.items():
        if name != "frame":
            a.add(f"other {name}", pose=part.pose, features=dict(part.features))
    for name, held in other.held.items():
        ends = [
            (e.part if e.part == "frame" else f"other {e.part}", e.feature)
            for e in (held.mate.a, held.mate.b)
        ]
        a.mate("revolute", *ends, name=f"other {name}")
    first = next(iter(a.mates))
    a.drive("motor", first, "angle", value=0.0)
    asm.solve(a).require().apply()
    a.set_driver("motor", 25.0)
    solution = asm.solve(a).require()
    still = [n for n in a.parts if n == "frame" or n.startswith("other")]
    assert all(solution.poses[n] is a.pose(n) for n in still)
    assert all(solution.poses[n] != a.pose(n) for n in LOOPS)


def test_mechanisms_that_nothing_connects_move_as_each_does_alone() -> None:
    """Loops in a plane and in space and an open chain in one assembly."""
    together, squares = asm.Assembly("together"), []
    for name, case in CASES.items():
        alone = case(2)
        squares.append(moved_by(asm.solve(alone).require()) ** 2)
        for part in alone.parts.values():
            features = dict(part.features)
            at = {"pose": part.pose, "grounded": part.grounded}
            together.add(f"{name} {part.name}", features=features, **at)
        for mate in alone.mates.values():
            ends = ((f"{name} {end.part}", end.feature) for end in (mate.a, mate.b))
            values = {k: getattr(mate, k) for k in ("sense", "value") if hasattr(mate, k)}
            together.mate(mate.kind, *ends, name=f"{name} {mate.name}", **values)
    solution = asm.solve(together).require()
    assert moved_by(solution) ** 2 == pytest.approx(sum(squares), rel=1e-6)
    assert solution.residual < 1e-9


def test_a_coupling_and_a_limit_connect_what_moves() -> None:
    a = asm.Assembly("wheels")
    pivots = {n: asm.Frame((40.0 * k, 0, 0)) for k, n in enumerate("pqr")}
    a.add("frame", grounded=True, features=pivots)
    for n in pivots:
        rim = asm.Point((10, 0, 0))
        a.add(
            f"wheel {n}",
            pose=turned(Z, 20, (1, 2, 3)),
            features={"hub": asm.Frame((0, 0, 0)), "rim": rim},
        )
        a.mate("revolute", f"frame.{n}", f"wheel {n}.hub", name=n)

    def groups() -> int:
        system = compile_system(a)
        return len(moved_groups(system, ~system.fixed).parts)

    assert groups() == 3
    a.mate("gear", "p", "q", ratio=-1)
    assert groups() == 2
    a.limit(separation=("wheel q.rim", "wheel r.rim"), min=1.0)
    assert groups() == 1


@pytest.mark.parametrize("seed", range(4))
def test_the_mode_that_is_asked_for_is_kept(seed: int) -> None:
    a = disturb(four_bar(), seed, 8, 15)
    names = [m.name for m in asm.modes(a)]
    assert len(names) == 2
    for name in names:
        solution = asm.solve(a, mode=name).require()
        assert solution.modes.name == name
        assert solution.residual < 1e-9


@pytest.mark.parametrize("by", [1.0, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_limits_hold_where_the_least_movement_is_beyond_them(seed: int, by: float) -> None:
    """The middle joint of an open chain may not turn as far as it does where it moves least."""
    a = disturb(haug(), seed, 0.4, 15)
    *_, middle, last = a.mates
    a.remove(last)

    def elbow(solution: asm.Solution) -> float:
        ends = (a.mates[middle].a, a.mates[middle].b)
        one, two = (place(a, solution.poses, end) for end in ends)
        return math.degrees(angle_about(one[3], one[1], two[1]))

    free = elbow(asm.solve(a).require())
    a.limit(middle, "angle", max=free - by)
    solution = asm.solve(a).require()
    assert elbow(solution) <= free - by + 1e-6
    assert solution.residual < 1e-9


@pytest.mark.parametrize("seed", [122, 278])
def test_trees_from_far_end_alike_wherever_the_whole_is(seed: int) -> None:
    """Long steps are shortened by their rotations, not by components along the world's axes."""
    draft = metamorphic.drawn(seed)[1]
    first = metamorphic.movement(draft, asm.solve(draft.build()).poses)
    for n in range(3):
        other, back = metamorphic.elsewhere(draft, np.random.default_rng(n))
        poses = dict(back(name, p) for name, p in asm.solve(other.build()).poses.items())
        assert metamorphic.movement(draft, poses) == pytest.approx(first, rel=1e-6)
