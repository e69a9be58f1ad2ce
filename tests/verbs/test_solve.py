"""Solve and its Solution: the contract's keys and types, what raises and what does not."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import O, disturb, four_bar, hinge, place, pose_gap, stewart_ups, turned, worst_gap

import assembly_solver as asm
from assembly_solver.solver.outcome import Counts
from benchmarks import families

Z = (0.0, 0.0, 1.0)
SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture
def bad() -> asm.Assembly:
    """A lid that is to stand at 30 and at 35 degrees."""
    a = hinge()
    for name, value in (("stop", 30.0), ("prop", 35.0)):
        a.mate("angle", "frame.x", "door.x", name=name, value=value, about="frame.pin")
    return a


KEYS: dict[str, type | tuple[type, ...]] = {
    "outcome": str,
    "sentence": str,
    "dof": int,
    "driven": int,
    "dof_left": int,
    "grounded": list,
    "poses": dict,
    "mates": list,
    "redundant_equations": int,
    "redundant": list,
    "conflicts": list,
    "free_motions": list,
    "limits_reached": list,
    "counts": dict,
    "seconds": float,
}
"""What the contract's result object has at least."""

UNTOLD = ("dof", "dof_left", "redundant_equations")

MATE = {"name": str, "kind": str, "holds": bool, "residual_mm": float, "residual_deg": float}
REDUNDANT = {
    "mates": list,
    "parts": list,
    "equations": int,
    "disagreement_mm": float,
    "words": str,
    "repeating": list,
    "about": list,
    "why": (str, type(None)),
    "disagreement_deg": float,
}
CONFLICT = {
    "mates": list,
    "asked": float,
    "found": float,
    "unit": str,
    "gap_mm": float,
    "irreducible": bool,
    "words": str,
    "fact": str,
    "ways": list,
    "accepting_mm": (float, type(None)),
    "drop": list,
    "change": (dict, type(None)),
    "move": (dict, type(None)),
    "turn": (dict, type(None)),
    "proved": bool,
    "because": (str, type(None)),
}
MOTION = {
    "parts": list,
    "kind": str,
    "idle": bool,
    "axis": dict,
    "pitch_mm": (float, int),
    "title": str,
    "words": str,
    "removed_by": dict,
}


def assert_typed(entry: dict[str, Any], wanted: dict[str, Any], exact: bool = True) -> None:
    """Every key with its very type: no numpy scalars, no bool for an int."""
    assert set(wanted) <= set(entry) and (not exact or set(entry) == set(wanted))
    for key, kind in wanted.items():
        kinds = kind if isinstance(kind, tuple) else (kind,)
        assert type(entry[key]) in kinds, f"{key} is {type(entry[key])}"


def from_file(name: str) -> asm.Assembly:
    return asm.read(SAMPLES / f"{name}.assembly.json")


# ------------------------------------------------------------------ the result object


@pytest.mark.quick
def test_the_result_object_has_the_contracts_keys_and_types(bad: asm.Assembly) -> None:
    for model in (hinge(), bad, stewart_ups(), from_file("four_bar")):
        result = asm.solve(model).to_dict()
        # freedoms are those at the solved pose: there are none to tell where there is no such pose
        untold = dict.fromkeys(UNTOLD, type(None)) if result["outcome"] != "solved" else {}
        assert_typed(result, KEYS | untold, exact=False)
        for entry in result["mates"]:
            wanted = MATE | ({"sense": str} if "sense" in entry else {})
            assert_typed(entry, wanted)
        for entry in result["redundant"]:
            assert_typed(entry, REDUNDANT)
        for entry in result["conflicts"]:
            assert_typed(entry, CONFLICT)
        for entry in result["free_motions"]:
            assert_typed(entry, MOTION)
            assert_typed(entry["axis"], {"point": list, "direction": list})
            assert math.hypot(*entry["axis"]["direction"]) == pytest.approx(1, abs=1e-9)
        assert set(result["counts"]) == {
            "inverses",
            "updates",
            "perturbations",
            "iterations",
            "blocks",
        }
        for entry in result["poses"].values():
            assert_typed(entry, {"position": list, "quaternion_wxyz": list})


@pytest.mark.quick
def test_the_result_object_goes_through_json_and_back(bad: asm.Assembly) -> None:
    for model in (hinge(), bad):
        result = asm.solve(model).to_dict()
        assert json.loads(json.dumps(result, allow_nan=False)) == result


@pytest.mark.quick
def test_the_result_of_a_hinge_is_that_of_the_contract() -> None:
    model = hinge()
    model.drive("opening", "axis", "angle", value=0.0)
    result = asm.solve(model).to_dict()
    assert result["outcome"] == "solved"
    assert (result["dof"], result["driven"], result["dof_left"]) == (1, 1, 0)
    assert result["grounded"] == ["frame"]
    assert result["poses"]["door"]["position"] == pytest.approx([0, 0, 0], abs=1e-9)
    assert [m["name"] for m in result["mates"]] == ["axis", "seat", "opening"]
    assert [m["kind"] for m in result["mates"]] == ["coaxial", "coplanar", "driver (angle)"]
    assert [m.get("sense") for m in result["mates"]] == ["aligned", "opposed", None]
    assert result["redundant_equations"] == 2
    assert set(result["redundant"][0]["mates"]) == {"axis", "seat"}
    (motion,) = result["free_motions"]
    assert (motion["parts"], motion["kind"], motion["idle"]) == (["door"], "rotation", False)
    assert motion["words"] == "door turns about axis"
    assert result["conflicts"] == [] and result["limits_reached"] == []
    assert result["sentence"].startswith("2 parts, 2 mates hold (")
    assert "1 degree of freedom, held by 1 driver" in result["sentence"]


# ------------------------------------------------------------------ outcomes


@pytest.mark.quick
def test_a_solution_is_true_and_has_poses_only_when_solved(bad: asm.Assembly) -> None:
    good, failed = asm.solve(hinge()), asm.solve(bad)
    assert good and good.solved and not failed and not failed.solved
    assert good.require() is good
    assert good.poses is good.best_poses
    with pytest.raises(asm.Unsolved, match=r"stop and .*prop|prop and .*stop"):
        _ = failed.poses
    with pytest.raises(asm.Unsolved):
        failed.require()
    assert set(failed.best_poses) == {"frame", "door"}
    assert failed.to_dict()["poses"] == {}


@pytest.mark.quick
def test_printing_a_solution_tells_every_mate_with_its_residual(bad: asm.Assembly) -> None:
    lines = str(asm.solve(hinge())).splitlines()
    assert lines[0].startswith("2 parts, 2 mates hold")
    assert [line.split()[:2] for line in lines[1:3]] == [["axis", "holds"], ["seat", "holds"]]
    assert lines[-1].strip() == (
        "door turns about axis; "
        "a driver of the angle of axis or an angle mate of frame.x and door.x would stop it"
    )
    assert "OFF" in str(asm.solve(bad))


@pytest.mark.quick
def test_counts_tell_the_work_that_was_done() -> None:
    placed = asm.solve(hinge()).counts
    assert placed == (0, 0, 0, 0, 0)  # a hinge is placed in closed form
    closed = asm.solve(disturb(four_bar(), 1, 8, 5)).counts
    assert isinstance(closed, Counts)
    assert closed.inverses > 0 and closed.iterations >= closed.inverses and closed.blocks > 0
    assert closed.updates > 0


@pytest.mark.quick
def test_above_one_the_guard_lets_no_update_pass() -> None:
    model = disturb(four_bar(), 1, 8, 5)
    classical, updated = asm.solve(model, eta=2.0), asm.solve(model)
    assert classical.counts.updates == 0 < updated.counts.updates
    assert classical.counts.inverses > updated.counts.inverses
    # both end on the curve of solutions of one freedom, near each other but not at one point
    assert worst_gap(classical.poses, updated.poses)[0] < 5


@pytest.mark.quick
def test_an_assembly_without_mates_is_solved_as_it_stands() -> None:
    a = asm.Assembly()
    assert asm.solve(a).to_dict()["outcome"] == "solved"
    a.add("only", pose=turned((1, 2, 3), 40, (1, 2, 3)))
    solution = asm.solve(a)
    assert solution.poses["only"] is a.pose("only")
    assert (solution.dof, solution.held) == (0, ["only"])


def test_free_parts_beside_a_grounded_one_are_held_and_said_to_be() -> None:
    a = asm.Assembly()
    a.add("frame", grounded=True)
    a.add("loose")
    solution = asm.solve(a)
    assert (solution.dof, solution.grounded, solution.held) == (0, ["frame", "loose"], ["loose"])
    assert "loose held, as nothing there is grounded" in solution.sentence


def test_editing_an_assembly_makes_the_next_solve_new() -> None:
    a = hinge()
    a.drive("opening", "axis", "angle", value=10)
    for value in (20.0, -70.0):
        a.set_driver("opening", value)
        asm.solve(a).apply()
        fa, fb = (
            place(a, {n: p.pose for n, p in a.parts.items()}, r) for r in ("frame.pin", "door.pin")
        )
        found = math.atan2(float(np.cross(fa[1], fb[1]) @ fa[3]), float(fa[1] @ fb[1]))
        assert math.degrees(found) == pytest.approx(value, abs=1e-9)
    a.remove("seat")
    assert asm.solve(a).dof == 2


# ------------------------------------------------------------------ senses


def test_a_nearest_sense_follows_the_start_and_is_told() -> None:
    for degrees, sense in ((0, "aligned"), (80, "aligned"), (100, "opposed"), (180, "opposed")):
        a = asm.Assembly()
        a.add("base", grounded=True)
        a.add("pin", pose=turned((1, 0, 0), degrees))
        a.mate("coaxial", "base.z", "pin.z", name="m")
        solution = asm.solve(a)
        assert solution.mates[0].sense == sense
        assert solution.reversed_senses == ()
        assert solution.poses["pin"].rotation[2, 2] == pytest.approx(
            1 if sense == "aligned" else -1, abs=1e-12
        )


def test_at_a_right_angle_a_nearest_sense_is_aligned() -> None:
    a = asm.Assembly()
    a.add("base", grounded=True)
    a.add("pin", pose=turned((1, 0, 0), 90))
    a.mate("parallel", "base.z", "pin.z", name="m")
    assert asm.solve(a).mates[0].sense == "aligned"


def keyed(second: str, degrees: float = 0.0) -> asm.Assembly:
    """A plate on two pins, one of them pointing down on the plate."""
    a = asm.Assembly()
    pins = {"p": asm.Axis(O, Z), "q": asm.Axis((60, 0, 0), Z)}
    holes = {"p": asm.Axis(O, Z), "q": asm.Axis((60, 0, 0), (0, 0, -1))}
    a.add("base", grounded=True, features=pins)
    a.add("plate", pose=turned((0, 1, 0), degrees, (3, 2, 1)), features=holes)
    a.mate("coaxial", "base.p", "plate.p", name="first", sense="aligned")
    a.mate("coaxial", "base.q", "plate.q", name="second", sense=second)
    return a


def test_a_nearest_sense_is_reversed_only_where_nothing_else_solves_and_then_told() -> None:
    """Started over 90 degrees away both nearest senses are wrong; the first is given."""
    easy, hard = asm.solve(keyed("nearest")), asm.solve(keyed("nearest", degrees=120))
    for solution in (easy, hard):
        assert solution
        assert [m.sense for m in solution.mates] == ["aligned", "opposed"]
    assert easy.reversed_senses == ()
    assert hard.reversed_senses == ("second",)
    assert "sense reversed: second" in hard.sentence
    assert hard.to_dict()["reversed_senses"] == ["second"]


def test_analyse_follows_the_plan_that_led_there() -> None:
    """With the sense as it was taken first the two pins would contradict each other."""
    analysis = asm.analyse(keyed("nearest", degrees=120))
    assert [p["kind"] for p in analysis.pairs] == ["prismatic"]
    assert [c["rank"] for c in analysis.components] == [5]


@pytest.mark.compiled_only
def test_a_given_sense_is_never_reversed() -> None:
    solution = asm.solve(keyed("aligned"))
    assert solution.outcome is asm.Outcome.CONFLICTING
    assert solution.reversed_senses == ()
    assert set(solution.conflicts[0]["mates"]) == {"first", "second"}


# ------------------------------------------------------------------ tolerance


def plates(miss: float) -> asm.Assembly:
    """A plate with two pins through holes that are `miss` mm too far apart."""
    a = asm.Assembly()
    for name, wide in (("base", 60.0), ("plate", 60.0 + miss)):
        features = {"p": asm.Axis(O, Z), "q": asm.Axis((wide, 0, 0), Z)}
        start = asm.Pose() if name == "base" else turned((0, 0.1, 1), 7, (3, 2, 1))
        a.add(name, grounded=name == "base", pose=start, features=features)
    a.mate("coaxial", "base.p", "plate.p", name="first", sense="aligned")
    a.mate("coaxial", "base.q", "plate.q", name="second", sense="aligned")
    return a


def test_a_disagreement_below_the_tolerance_is_accepted_and_stated() -> None:
    a = plates(1e-4)
    strict, loose = asm.solve(a, tolerance=1e-5), asm.solve(a, tolerance=1e-3)
    assert strict.outcome is asm.Outcome.CONFLICTING
    assert strict.conflicts[0]["gap_mm"] == pytest.approx(1e-4, rel=0.01)
    assert "a tolerance of" in strict.conflicts[0]["words"]
    assert loose.outcome is asm.Outcome.SOLVED
    assert loose.dof == 1  # it still slides along its pins
    (group,) = loose.redundant
    assert group["disagreement_mm"] == pytest.approx(1e-4, rel=1e-3)  # however it is shared out
    assert group["words"].endswith("; they disagree by 0.0001 mm")
    assert a.tolerance == 1e-4


@pytest.mark.compiled_only
def test_the_tolerance_of_the_assembly_serves_where_none_is_given() -> None:
    a = plates(1e-4)
    a.tolerance = 1e-3
    assert asm.solve(a)
    assert not asm.solve(a, tolerance=1e-6)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_tolerance_is_a_length_above_nothing(value: float) -> None:
    with pytest.raises(asm.AssemblySolverError, match="tolerance"):
        asm.solve(hinge(), tolerance=value)


# ------------------------------------------------------------------ precision, other verbs


@pytest.mark.parametrize("seed", range(3))
def test_a_normal_solve_reaches_a_billionth_of_a_millimetre(seed: int) -> None:
    for model in (four_bar(), stewart_ups()):
        assert asm.solve(disturb(model, seed, 8, 5)).residual < 1e-9
    # a ladder of four-bars from a tenth of its size and 20 degrees away
    assert asm.solve(families.assembly(families.ladder(2, seed=seed))).residual < 1e-9


def test_diagnose_is_the_same_solution_and_analyse_leads_to_it(bad: asm.Assembly) -> None:
    a = hinge()
    told = asm.diagnose(a)
    assert pose_gap(told.poses["door"], asm.solve(a).poses["door"]) == (0, 0)
    assert bool(asm.analyse(a)) and not asm.analyse(bad)
    assert asm.analyse(a).solution.sentence == told.sentence
