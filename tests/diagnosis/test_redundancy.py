"""Which mates repeat which, and by how much they disagree: numbers put in by hand come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from mechanisms import (
    bearings,
    bennett,
    crank_rocker,
    disturb,
    four_bar,
    linkage,
    moved,
    parallelogram,
    sarrus,
    turned,
)

import assembly_solver as asm
from assembly_solver.diagnosis.redundancy import _CircuitSearch
from assembly_solver.foundations.types import Array
from benchmarks import families

Z = (0.0, 0.0, 1.0)
LOOSE = 1e-3
"""A tolerance at which what is put in is accepted, mm."""


def door(third: tuple[float, float, float] = (0.0, 0.0, 800.0)) -> asm.Assembly:
    """A door on three hinges of one line, the knuckle of the third where it is said."""
    a = asm.Assembly("door")
    knuckles = {f"k{k}": asm.Axis((0, 0, 400.0 * k), "z") for k in range(3)}
    a.add("frame", grounded=True, features=knuckles)
    a.add("door", features={**knuckles, "k2": asm.Axis(third, "z")}, pose=turned(Z, 30))
    for k in range(3):
        a.mate("revolute", f"frame.k{k}", f"door.k{k}", name=f"hinge {k + 1}", sense="aligned")
    return a


def stepped_four_bar(height: float, tilt_deg: float = 0.0) -> asm.Assembly:
    """A four-bar whose last hinge sits higher on the frame than on the rocker, or is tilted."""
    p = crank_rocker()
    a = linkage(
        "stepped",
        dict.fromkeys(("frame", "crank", "coupler", "rocker"), asm.Pose()),
        [
            ("revolute", "frame", "crank", p["a"], Z),
            ("revolute", "crank", "coupler", p["b"], Z),
            ("revolute", "coupler", "rocker", p["c"], Z),
        ],
    )
    out = asm.Assembly("stepped", tolerance=LOOSE)
    tilted = turned((1, 0, 0), tilt_deg).apply(Z)
    ends = {
        "frame": asm.Frame(tuple(p["d"] + [0, 0, height]), tuple(tilted)),
        "rocker": asm.Frame(tuple(p["d"]), Z),
    }
    for name, part in a.parts.items():
        more = {"last": ends[name]} if name in ends else {}
        out.add(name, features={**part.features, **more}, pose=part.pose, grounded=part.grounded)
    for mate in a.mates.values():
        out.mate(mate.kind, mate.a, mate.b, name=mate.name)
    out.mate("revolute", "frame.last", "rocker.last", name="revolute 4")
    return out


# ------------------------------------------------------------------ who repeats whom


def test_of_equal_hinges_each_tells_its_own_disagreement_and_directions() -> None:
    """Their circuits are found once; what the third is off, and where it stands, is its own."""
    a = asm.Assembly("doors", tolerance=LOOSE)
    places = [turned(Z, 0), turned((1, 0, 0), 90), turned((0, 1, 0), 90), turned(Z, 40)]
    offs = [0.0, 0.0, 4e-4, 0.0]
    frame = {}
    for k, (place, off) in enumerate(zip(places, offs, strict=True)):
        up, at = place.apply((0, 0, 1)), place.apply((0, 0, 500))
        frame |= {
            f"low{k}": asm.Axis((0, 0, 0), tuple(up)),
            f"high{k}": asm.Axis(tuple(at), tuple(up)),
        }
        knuckles = {"low": asm.Axis((0, 0, 0), "z"), "high": asm.Axis((0, 0, 500 + off), "z")}
        a.add(f"door{k}", features=knuckles, pose=place)
    a.add("frame", grounded=True, features=frame)
    for k in range(len(places)):
        for at in ("low", "high"):
            a.mate("revolute", f"frame.{at}{k}", f"door{k}.{at}", name=f"{at} {k}", sense="aligned")
    groups = sorted(asm.solve(a).redundant, key=lambda g: str(g["mates"][0]))
    assert [g["mates"] for g in groups] == [[f"low {k}", f"high {k}"] for k in range(4)]
    assert [g["equations"] for g in groups] == [5] * 4
    apart = [g["disagreement_mm"] for g in groups]
    np.testing.assert_allclose(apart, offs, atol=1e-9)


def test_hinges_on_one_line_each_repeat_the_first() -> None:
    (group,) = asm.solve(door()).redundant
    assert group["parts"] == ["frame", "door"]
    assert group["mates"] == ["hinge 1", "hinge 2", "hinge 3"]
    assert group["repeating"] == ["hinge 2", "hinge 3"]
    assert group["equations"] == 10
    assert group["words"] == (
        "hinge 2 and hinge 3 each repeat 5 equations of hinge 1 on the same line "
        "(direction, position); they agree to rounding"
    )


def test_bearings_on_one_line_are_repeated_but_for_what_they_leave_free() -> None:
    (group,) = asm.solve(bearings(0.0)).redundant
    assert group["about"] == ["direction", "position across (1, 0, 0)"]
    assert (group["equations"], group["repeating"]) == (8, ["bearing 2", "bearing 3"])


def test_a_mate_of_two_held_parts_says_nothing_new() -> None:
    a = asm.Assembly()
    a.add("left", grounded=True)
    a.add("right", grounded=True)
    a.mate("coincident", "left.origin", "right.origin", name="pin")
    (group,) = asm.solve(a).redundant
    assert (group["mates"], group["equations"]) == (["pin"], 3)
    assert "as its parts are held" in group["words"]


@pytest.mark.parametrize(
    "make",
    [
        four_bar,
        bennett,
        sarrus,
        door,
        lambda: bearings(0.0),
        lambda: parallelogram(30.0),
        lambda: families.assembly(families.stack(2, seed=1)),
        lambda: families.assembly(families.ladder(2, seed=1)),
        lambda: families.assembly(families.excavator(noise=0, seed=1)),
    ],
)
def test_no_mate_can_be_left_out_of_a_group(make: Callable[[], asm.Assembly]) -> None:
    """A group repeats as many equations on its own, and fewer without any of the others."""
    a = make()
    solution = asm.solve(a).require()
    a.move(solution.poses)
    for group in solution.redundant:
        alone = without(a, set(a.mates) - set(group["mates"]))
        assert alone >= group["equations"]
        for name in set(group["mates"]) - set(group["repeating"]):
            assert without(a, set(a.mates) - set(group["mates"]) | {name}) < alone


def without(a: asm.Assembly, left_out: set[str]) -> int:
    """How many equations are redundant without some mates, what is grounded held by hand."""
    out = a.copy()
    held = asm.solve(a).grounded
    for name in held:
        out.ground(name)
    for name in left_out:
        out.remove(name, alone=True)
    extra = asm.solve(out).redundant_equations
    assert extra is not None
    return extra


# ------------------------------------------------------------------ how far they agree


@pytest.mark.parametrize("off", [3e-4, -2e-5])
@pytest.mark.parametrize("seed", range(3))
def test_a_step_in_a_loop_is_told_in_mm_wherever_the_start_is(off: float, seed: int) -> None:
    a = moved(stepped_four_bar(off), turned((3, 1, 2), 50, (10, 20, 30)))
    (group,) = asm.solve(disturb(a, seed, 0.5, 0.5)).require().redundant
    assert group["equations"] == 3
    assert group["disagreement_mm"] == pytest.approx(abs(off), rel=1e-3)
    assert group["disagreement_deg"] < 1e-6
    assert group["words"].endswith(f"; they disagree by {abs(off):.3g} mm")


def test_a_tilt_in_a_loop_is_told_in_degrees() -> None:
    """Small enough for the tolerance at the reach of the features, about 150 mm."""
    (group,) = asm.solve(stepped_four_bar(0.0, 2e-4)).require().redundant
    assert group["disagreement_deg"] == pytest.approx(2e-4, rel=1e-3)
    assert group["disagreement_mm"] < 1e-7
    assert group["words"].endswith("; they disagree by 0.0002 deg")


@pytest.mark.parametrize("across", [(4e-4, 0.0), (3e-4, -4e-4)])
def test_a_knuckle_off_its_line_is_told_by_its_distance_from_it(
    across: tuple[float, float],
) -> None:
    a = door((*across, 800.0))
    a.tolerance = LOOSE
    solution = asm.solve(a).require()
    off = float(np.hypot(*across))
    worst = max(group["disagreement_mm"] for group in solution.redundant)
    assert worst == pytest.approx(off, rel=1e-3)
    assert solution.sentence.endswith(f"redundant equations that disagree by up to {worst:.3g} mm")


def test_the_freedoms_of_a_loop_that_is_closed_to_a_tolerance_only_are_those_of_the_true_one() -> (
    None
):
    """At 1e-4 mm off its rows are dependent to 1e-6 only: that is what it is off, not more."""
    solution = asm.solve(stepped_four_bar(3e-4)).require()
    assert (solution.dof, solution.redundant_equations) == (1, 3)


# ------------------------------------------------------------------------- circuits by halves
class Vectors(_CircuitSearch):
    """Mates of one row each, whose rank is that of given vectors."""

    def __init__(self, vectors: Array) -> None:
        self.vectors, self.asked = vectors, 0

    def rank(self, mates: Sequence[int]) -> int:
        self.asked += 1
        return int(np.linalg.matrix_rank(self.vectors[list(mates)])) if len(mates) else 0


def one_by_one(search: Vectors, others: list[int], mates: list[int]) -> tuple[list[int], list[int]]:
    """What is left of a dependent set where each is left out that is not needed, the last first."""
    repeated = search.repeated(others, mates)
    for m in [*reversed(mates), *reversed(others)]:
        fewer, rest = [k for k in others if k != m], [k for k in mates if k != m]
        if rest and search.repeated(fewer, rest) == repeated:
            others, mates = fewer, rest
    return others, mates


@pytest.mark.parametrize("seed", range(40))
def test_a_circuit_by_halves_is_that_of_leaving_out_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    search = Vectors(rng.integers(-1, 2, (14, 6)).astype(float))
    found = search.circuit(range(12), [12, 13])
    assert (found.others, found.mates) == one_by_one(search, [*range(12)], [12, 13])


def test_a_short_circuit_of_many_mates_takes_few_ranks() -> None:
    """Row 64 is the sum of rows 10 and 50; one by one it would take 3 ranks for each of 64."""
    rows = np.eye(64)
    search = Vectors(np.vstack([rows, rows[10] + rows[50]]))
    assert search.circuit(range(64), [64]).others == [10, 50]
    assert search.asked <= 3 * 2 * 2 * 7  # two halves at each of log2(64) + 1 levels, for two mates
