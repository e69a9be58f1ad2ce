"""Contradictions: smallest sets of mates, with the numbers that they ask for and find."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from mechanisms import O, crank_rocker, four_bar, hinge, rebuilt, turned

import assembly_solver as asm
from assembly_solver.diagnosis import conflicts as searches
from assembly_solver.equations.residuals import worst_off
from assembly_solver.equations.system import compile_system
from assembly_solver.equations.table import ITERATIONS
from assembly_solver.solver.solver import solve
from assembly_solver.structure.plan import make_plan
from benchmarks import contradictions, families, noise, seven_mates
from benchmarks.adversary.generators import loops

Z = (0.0, 0.0, 1.0)


def lid(first: float, second: float) -> asm.Assembly:
    """A hinged lid that is to stand at two angles."""
    a = hinge()
    for name, value in (("stop", first), ("prop", second)):
        a.mate("angle", "frame.x", "door.x", name=name, value=value, about="frame.pin")
    return a


def driven_lid() -> asm.Assembly:
    """A lid held by a prop at 30 degrees and driven to 50."""
    a = hinge()
    a.mate("angle", "frame.x", "door.x", name="prop", value=30.0, about="frame.pin")
    a.drive("motor", "axis", "angle", value=50.0)
    return a


def two_lids() -> asm.Assembly:
    """Two lids on one frame, each with its own contradiction."""
    a = asm.Assembly()
    a.add("frame", grounded=True, features={"l": asm.Axis(O, Z), "r": asm.Axis((500, 0, 0), Z)})
    for side in "lr":
        a.add(f"lid {side}", pose=turned((1, 2, 9), 20, (3, 4, 5)))
        a.mate("revolute", f"frame.{side}", f"lid {side}.z", name=f"hinge {side}", sense="aligned")
        for k, value in enumerate((20.0, 20.0 + 15 * (1 + (side == "r")))):
            a.mate(
                "angle",
                "frame.x",
                f"lid {side}.x",
                name=f"stop {side}{k}",
                value=value,
                about=f"frame.{side}",
            )
    return a


def triangle() -> asm.Assembly:
    """Three bars on two pins 100 mm apart, 40 and 50 mm long: they do not reach."""
    a = asm.Assembly()
    bars = {"p": asm.Axis(O, Z), "q": asm.Axis((40, 0, 0), Z), "r": asm.Axis((50, 0, 0), Z)}
    ends = {"p": asm.Axis(O, Z), "q": asm.Axis((100, 0, 0), Z)}
    a.add("frame", grounded=True, features=ends)
    a.add("short", pose=turned(Z, 20), features=bars)
    a.add("long", pose=turned(Z, 140, (100, 0, 0)), features=bars)
    a.mate("revolute", "frame.p", "short.p", name="left", sense="aligned")
    a.mate("revolute", "frame.q", "long.p", name="right", sense="aligned")
    a.mate("coaxial", "short.q", "long.r", name="tip", sense="aligned")
    a.mate("parallel", "frame.z", "short.z", name="says nothing new", sense="aligned")
    return a


CONTRADICTIONS: dict[str, Callable[[], asm.Assembly]] = {
    "lid": lambda: lid(30, 35),
    "driven lid": driven_lid,
    "two lids": two_lids,
    "bars that do not reach": triangle,
    "stack": lambda: families.assembly(families.stack(3, hole_error=0.5, seed=1)),
}


def only(a: asm.Assembly, kept: set[str]) -> asm.Assembly:
    """The same assembly with only these mates and drivers, from the same starts."""
    out = a.copy()
    for name in [n for n in a.drivers if n not in kept]:
        out.set_driver(name, None)
    for name in [n for n in a.mates if n not in kept]:
        out.remove(name, alone=True)
    return out


def named_tolerance(words: str) -> float:
    """The tolerance that the words of a conflict say would accept it, mm."""
    return float(words.rsplit("a tolerance of ", 1)[1].split(" mm")[0])


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_every_irreducible_set_fails_alone_and_all_its_proper_subsets_solve(name: str) -> None:
    a = CONTRADICTIONS[name]()
    solution = asm.solve(a)
    assert solution.outcome is asm.Outcome.CONFLICTING
    assert len(solution.conflicts) >= 1
    for conflict in solution.conflicts:
        assert conflict["irreducible"] is True
        names = set(conflict["mates"])
        assert not asm.solve(only(a, names))
        for size in range(len(names)):
            for subset in combinations(sorted(names), size):
                part = asm.solve(only(a, set(subset)))
                assert part, (subset, part.sentence)
                assert part.residual < 1e-6


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_without_one_member_of_every_set_the_rest_solves(name: str) -> None:
    a = CONTRADICTIONS[name]()
    dropped = {c["mates"][0] for c in asm.solve(a).conflicts}
    everything = {*a.mates, *(d.name for d in a.drivers.values())}
    assert asm.solve(only(a, everything - dropped))


def test_two_angles_of_a_lid_are_told_with_both_numbers() -> None:
    (conflict,) = asm.solve(lid(30, 35)).conflicts
    assert set(conflict["mates"]) == {"stop", "prop"}  # on one axis they contradict each other
    assert sorted((conflict["asked"], conflict["found"])) == pytest.approx([30, 35], abs=1e-6)
    assert conflict["unit"] == "deg"
    assert conflict["gap_mm"] > 0
    for word in ("stop", "prop", "30 deg", "35 deg", "cannot hold together"):
        assert word in conflict["words"]


def test_a_driver_that_contradicts_a_mate_is_named_in_the_set() -> None:
    solution = asm.solve(driven_lid())
    (conflict,) = solution.conflicts
    assert {"motor", "prop"} <= set(conflict["mates"])
    assert sorted((conflict["asked"], conflict["found"])) == pytest.approx([30, 50], abs=1e-6)
    assert conflict["unit"] == "deg"


def test_two_separate_contradictions_give_two_disjoint_sets() -> None:
    conflicts = asm.solve(two_lids()).conflicts
    sets = [set(c["mates"]) for c in conflicts]
    assert len(sets) == 2
    assert not sets[0] & sets[1]
    assert {frozenset(n[-2:-1] if n[-1].isdigit() else n[-1:] for n in s) for s in sets} == {
        frozenset("l"),
        frozenset("r"),
    }
    gaps = sorted(abs(c["asked"] - c["found"]) for c in conflicts)
    assert gaps == pytest.approx([15, 30], abs=1e-6)


def test_bars_that_do_not_reach_name_the_three_pins_and_what_is_missing() -> None:
    (conflict,) = asm.solve(triangle()).conflicts
    assert set(conflict["mates"]) == {"left", "right", "tip"}
    # 100 mm between the pins, 40 + 50 mm of bars
    assert conflict["gap_mm"] == pytest.approx(10, rel=1e-3)


def test_a_wrong_hole_pitch_in_a_stack_names_its_two_pins_and_its_size() -> None:
    a = families.assembly(families.stack(4, hole_error=0.5, seed=2))
    (conflict,) = asm.solve(a).conflicts
    assert set(conflict["mates"]) == {
        "coaxial plate3.hole0 - plate4.hole0",
        "coaxial plate3.hole1 - plate4.hole1",
    }
    # the distance of the holes grows by 0.5 mm along x: by this much in all
    wrong = math.hypot(60.5, 30) - math.hypot(60, 30)
    assert conflict["gap_mm"] == pytest.approx(wrong, abs=1e-6)
    assert conflict["unit"] == "mm"


def test_a_body_that_cannot_hold_goes_to_its_least_residual_and_is_left_there() -> None:
    a = asm.Assembly()
    for part, pitch in {"frame": 100.0, "door": 103.0}.items():
        pins = {"one": asm.Axis(O, "z"), "two": asm.Axis((pitch, 0, 0), "z")}
        a.add(part, features=pins, grounded=part == "frame")
    a.mate("revolute", "frame.one", "door.one")
    a.mate("revolute", "frame.two", "door.two")
    a.move({"door": asm.Pose((3, -2, 8))})
    solution = asm.solve(a)
    assert solution.residual == pytest.approx(1.5, abs=1e-9)  # half of 3 mm at either pin
    # all its unknowns are determined: the first descent ends as soon as nothing falls any more
    assert solution.counts.iterations < 50


def test_a_mate_of_two_grounded_parts_is_a_set_of_its_own() -> None:
    a = asm.Assembly()
    a.add("left", grounded=True)
    a.add("right", grounded=True, pose=turned(Z, 10, (3, 4, 0)))
    a.mate("coincident", "left.origin", "right.origin", name="pin")
    (conflict,) = asm.solve(a).conflicts
    assert conflict["mates"] == ["pin"]
    assert conflict["irreducible"] is True
    assert conflict["gap_mm"] == pytest.approx(5, abs=1e-9)
    assert conflict["words"].startswith("pin cannot hold where its parts are held")
    assert conflict["accepting_mm"] is None  # 5 mm of parts that are 5 mm apart would be all
    assert "tolerance" not in conflict["words"]


@pytest.mark.parametrize("miss", [0.5, 0.02])
def test_the_tolerance_that_is_named_accepts_the_assembly(miss: float) -> None:
    """Said and tried: at what the words name it solves, a fifth below it does not."""
    a = families.assembly(families.stack(2, hole_error=miss, seed=3))
    (conflict,) = asm.solve(a).conflicts
    named = named_tolerance(conflict["words"])
    assert asm.solve(a, tolerance=named)
    assert not asm.solve(a, tolerance=0.8 * named)


@pytest.mark.parametrize("seed", range(3))
def test_the_sets_do_not_depend_on_the_order_of_the_mates(seed: int) -> None:
    """Where there is one contradiction only there is one set, however it is written down."""
    a = triangle()
    rng = np.random.default_rng(seed)
    parts, mates = list(a.parts), list(a.mates)
    rng.shuffle(parts)
    rng.shuffle(mates)
    (conflict,) = asm.solve(rebuilt(a, parts, mates)).conflicts
    assert set(conflict["mates"]) == {"left", "right", "tip"}


def bolted(order: list[int], whole: asm.Pose) -> asm.Assembly:
    """A plate with six holes on a circle, of which the first is off, in some order and pose."""
    turns = [math.radians(60 * k) for k in range(6)]
    circle = [(80 * math.cos(t), 80 * math.sin(t), 0.0) for t in turns]
    holes = {f"hole {k}": asm.Axis(p, Z) for k, p in enumerate(circle)}
    wrong = {**holes, "hole 0": asm.Axis((80.2, 0, 0), Z)}
    a = asm.Assembly()
    a.add("base", grounded=True, pose=whole, features={"face": asm.Plane(O, Z), **holes})
    start = whole @ turned((1, 2, 3), 12, (3, 4, 9))
    a.add("plate", pose=start, features={"face": asm.Plane(O, "-z"), **wrong})
    a.mate("coplanar", "base.face", "plate.face", name="faces", sense="opposed")
    for k in order:
        hole = f"hole {k}"
        a.mate("coaxial", f"base.{hole}", f"plate.{hole}", name=f"bolt {k}", sense="aligned")
    return a


def test_which_of_equal_contradictions_is_named_does_not_depend_on_order_or_place() -> None:
    """Bolts at 60 and -60 degrees differ by nothing but their names."""
    rng = np.random.default_rng(4)
    named = set()
    for _ in range(4):
        whole = turned(tuple(rng.normal(size=3)), 70, tuple(rng.uniform(-300, 300, 3)))
        (conflict,) = asm.solve(bolted(rng.permutation(6).tolist(), whole)).conflicts
        named.add(frozenset(conflict["mates"]))
    assert len(named) == 1
    assert "bolt 0" in next(iter(named))


def test_what_disagrees_by_a_hundred_thousandth_of_the_reach_is_called_noise() -> None:
    a = families.assembly(families.stack(2, hole_error=5e-4, seed=3))
    (conflict,) = asm.solve(a).conflicts
    assert "disagree by noise, a tolerance of" in asm.solve(a).sentence
    accepting = conflict["accepting_mm"]
    assert accepting == pytest.approx(0.5 * (math.hypot(60.0005, 30) - math.hypot(60, 30)), rel=0.1)
    assert asm.solve(a, tolerance=accepting)


def test_the_parts_of_an_assembly_that_are_right_are_not_suspected() -> None:
    a = families.assembly(families.stack(2, hole_error=0.5, seed=1))
    a.add("aside", pose=turned((1, 1, 1), 50, (300, 0, 0)))
    a.mate("revolute", "plate0.z", "aside.z", name="right")
    solution = asm.solve(a)
    assert all("right" not in c["mates"] for c in solution.conflicts)
    assert {m.name for m in solution.mates if not m.holds}.isdisjoint({"right"})


def test_an_overdriven_loop_names_both_drivers() -> None:
    """Each of the two can be met alone, so both are needed for the contradiction."""
    a = four_bar()
    a.drive("crank", "revolute 1", "angle", value=-20.0)
    a.drive("rocker", "revolute 4", "angle", value=20.0)
    for alone in ("crank", "rocker"):
        assert asm.solve(only(a, {*a.mates, alone}))
    solution = asm.solve(a)
    assert solution.outcome is asm.Outcome.CONFLICTING
    (conflict,) = solution.conflicts
    assert {"crank", "rocker"} <= set(conflict["mates"])
    assert conflict["unit"] in ("deg", "mm") and conflict["gap_mm"] > 1


def test_a_rocker_driven_beyond_its_range_is_told_where_its_range_ends() -> None:
    """It ends where crank and coupler lie in line: closed form, interior angle at the rocker."""
    p = crank_rocker()
    start = math.atan2(p["c"][1], p["c"][0] - 300)
    folded = math.acos((300**2 + 200**2 - (260 - 100) ** 2) / (2 * 300 * 200))
    stretched = math.acos((300**2 + 200**2 - (260 + 100) ** 2) / (2 * 300 * 200))
    low, high = (math.degrees(math.pi - v - start) for v in (stretched, folded))
    for value, end in ((low - 3, low), (high + 3, high)):
        a = four_bar()
        a.drive("rocker", "revolute 4", "angle", value=value)
        (conflict,) = asm.solve(a).conflicts
        assert set(conflict["mates"]) == {*a.mates, "rocker"}
        assert conflict["asked"] == pytest.approx(value)
        assert conflict["found"] == pytest.approx(end, abs=0.03)  # 1 % of what is missing
        a.set_driver("rocker", end - math.copysign(0.1, value))
        assert asm.solve(a)


def test_what_cannot_be_shown_to_contradict_is_not_called_a_conflict() -> None:
    """A solved assembly has no conflicts, and the residual tells what is true."""
    solution = asm.solve(four_bar())
    assert solution.conflicts == []
    assert solution.residual == 0


def overdriven_ladder() -> asm.Assembly:
    """Ten coupled four-bars, the second rocker driven farther than its loop reaches."""
    a = families.assembly(families.ladder(10, seed=1))
    (joint,) = [
        n for n, m in a.mates.items() if _parts(m) == ("frame", "rocker1") and m.kind == "coaxial"
    ]
    a.drive("second rocker", joint, "angle", value=20.0)
    return a


def test_a_brief_descent_ends_in_half_the_steps_as_far_from_a_solution() -> None:
    """The compromise that it is content with is off by little more than the best one."""
    plan = make_plan(compile_system(overdriven_ladder()))
    long, brief = (solve(plan, thorough=False, brief=b) for b in (False, True))
    assert brief.counts[ITERATIONS] < 0.5 * long.counts[ITERATIONS]
    off = [worst_off(c.plan.system, c.parts) for c in (long, brief)]
    assert off[1] == pytest.approx(off[0], rel=0.05)  # 13.0 and 13.2 mm
    a = families.assembly(families.ladder(10, seed=1))
    found = solve(make_plan(compile_system(a)), thorough=False, brief=True)
    assert worst_off(found.plan.system, found.parts) <= a.tolerance


def test_a_rocker_driven_too_far_in_a_long_ladder_is_found_among_its_many_mates() -> None:
    """What pulls is one loop of three hinged parts and the driver."""
    a = overdriven_ladder()
    solution = asm.solve(a)
    assert solution.outcome is asm.Outcome.CONFLICTING
    (conflict,) = solution.conflicts
    assert conflict["irreducible"]
    assert "second rocker" in conflict["mates"]
    parts = {p for n in conflict["mates"] if n in a.mates for p in _parts(a.mates[n])}
    assert parts == {"frame", "rocker1", "coupler1", "rocker2"}


def _parts(mate: asm.Mate) -> tuple[str, str]:
    return mate.a.part, mate.b.part


def test_a_driver_with_the_name_of_a_mate_is_told_apart() -> None:
    """A hinge and its driver may bear one name; a second driver contradicts the first."""
    a = hinge()
    joint = next(n for n, m in a.mates.items() if m.coordinates)
    a.drive(joint, joint, "angle", value=20.0)
    a.drive("other", joint, "angle", value=50.0)
    (conflict,) = asm.solve(a).conflicts
    assert conflict["mates"] == [f"driver {joint}", "other"]
    both = sorted([conflict["asked"], conflict["found"]])
    assert both == pytest.approx([20, 50], abs=1e-6)
    a.set_driver("other", 20.0)
    assert asm.solve(a).require().dof == 1


def test_an_angle_is_told_in_degrees_whatever_the_length() -> None:
    """Parts at one place without any reach: the characteristic length is 1 mm."""
    a = asm.Assembly()
    a.add("left", grounded=True)
    a.add("right", grounded=True)
    a.mate("revolute", "left.z", "right.z", name="pin")
    a.drive("turn", "pin", value=30.0)
    solution = asm.solve(a)
    (turn,) = [m for m in solution.mates if m.name == "turn"]
    assert (turn.residual_mm, turn.residual_deg) == (0, pytest.approx(30))
    assert solution.conflicts[0]["unit"] == "deg"


def test_what_holds_in_another_pose_is_no_contradiction() -> None:
    """A tangle whose mates close in several poses, of which its limit allows one only."""
    _, a, solution, wrong = contradictions.tangled_case(7440)
    assert wrong == []
    assert solution.outcome is asm.Outcome.SOLVED
    assert [x.holds for x in solution.limits] == [True] * len(a.limits)


def test_what_does_not_converge_names_a_tolerance_that_accepts_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = contradictions.run_case(205, True)[1]
    none = searches.ConflictSearch((), False)
    monkeypatch.setattr(searches, "find_conflicts", lambda *_: none)
    solution = asm.solve(a)
    assert solution.outcome is asm.Outcome.NOT_CONVERGED
    assert asm.solve(a, tolerance=named_tolerance(solution.sentence))


def test_a_set_whose_compromises_are_all_known_is_told_though_descents_are_slow() -> None:
    _, _, solution, wrong = contradictions.run_case(205, True)
    assert solution.outcome is asm.Outcome.CONFLICTING
    assert wrong == []
    assert len(solution.conflicts[0]["mates"]) == 5


def test_a_loop_that_one_start_in_fifty_closes_is_no_contradiction() -> None:
    assert asm.solve(loops.drawn(2558)[1].build()).require().residual < 1e-9


def test_poses_that_hold_within_a_tolerance_are_kept_where_a_solve_leads_away() -> None:
    """Solved with the tolerance that is said to accept it."""
    assert contradictions.run_case(290, True)[3] == []


def test_a_set_that_holds_elsewhere_hides_no_other() -> None:
    """Six of seven rods close from another start only; all seven do from none."""
    a = seven_mates.rods_with({1: 6.0, 4: -7.0, 5: 4.0})
    (conflict,) = asm.solve(a).found
    assert conflict.constraints == tuple(a.mates)
    assert conflict.gap == pytest.approx(0.008523, abs=1e-6)


def test_of_several_sets_in_noise_the_tolerance_accepts_all_at_once() -> None:
    """Each alone would hold at 0.000108 to 0.000141 mm, among the others it does not."""
    stack = noise.MODELS["stack(10)"]()
    stack.tolerance = 1e-4
    noisy = noise.disturbed(stack, 2, 2.0)
    told = [named_tolerance(c["words"]) for c in asm.solve(noisy).conflicts]
    assert len(told) > 1
    (tolerance,) = set(told)
    for share, holds in ((1.0, True), (0.9, False)):
        noisy.tolerance = share * tolerance
        assert asm.solve(noisy).solved is holds


def test_what_is_asked_in_degrees_is_told_to_the_last_digit() -> None:
    a = asm.Assembly("lever")
    a.add("base", grounded=True)
    a.add("lever")
    for value in (30, 40):  # 30 degrees in radians and back are 29.999999999999996
        a.mate("angle", "base.x", "lever.x", value=value)
    (conflict,) = asm.solve(a).to_dict()["conflicts"]
    assert conflict["asked"] in (30.0, 40.0)
