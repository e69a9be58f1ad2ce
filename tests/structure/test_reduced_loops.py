"""Links as distances and slides as lines: the reduced systems that `analyse` states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mechanisms import bennett, four_bar, rssr, stewart_ups
from spatial import Rssr

import assembly_solver as asm
from assembly_solver.report.terminal.layout import laid_out
from assembly_solver.report.terminal.solution import analysis

SAMPLES = Path(__file__).parents[2] / "samples"


def sample(name: str) -> asm.Assembly:
    return asm.read(SAMPLES / f"{name}.assembly.json")


def reduced(a: asm.Assembly) -> dict[str, Any]:
    """The reduced system of the only loop, without drivers."""
    (loop,) = (c for c in asm.analyse(a).components if c["kind"] == "loop")
    found: dict[str, Any] = loop["reduced"]
    return found


def driven(a: asm.Assembly) -> dict[str, Any]:
    """The same with its drivers."""
    (loop,) = asm.analyse(a).driven_components
    found: dict[str, Any] = loop["reduced"]
    return found


def told(entries: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(" + ".join(e["parts"]), " - ".join(e["between"])) for e in entries]


def test_the_excavator_is_15_equations_in_17_unknowns_as_in_the_paper() -> None:
    """The bodies, the distance and the two lines are those of docs/theory/decomposition.md, 10."""
    a = sample("excavator")
    found = reduced(a)
    assert (found["equations"], found["unknowns"]) == (15, 17)
    bodies = ["boom", "bucket rocker", "idler rocker", "push rod", "bracket", "bucket"]
    assert found["parts"] == bodies  # the bucket is fixed to the bracket
    assert told(found["distances"]) == [("link", "bucket rocker - push rod")]
    lines = told(found["lines"])
    assert {between for _, between in lines} == {"base - boom", "base - bucket rocker"}
    ((repeated, between),) = told(found["repeated"])
    assert between == "base - boom" and "boom cylinder" in repeated
    sizes = found["dulmage_mendelsohn"]
    assert (sizes["matched"], sizes["under"]) == (15, [15, 17])
    both = driven(a)
    assert (both["equations"], both["unknowns"]) == (17, 17)
    assert both["dulmage_mendelsohn"]["well"] == [17, 17]
    assert sorted(both["dulmage_mendelsohn"]["blocks"]) == [1, 1, 3, 3, 9]
    ((repeated, _),) = told(both["repeated"])  # the cylinder without a driver
    assert repeated == "boom cylinder right + boom rod right"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("double_butterfly", (20, 21), (8, 9)),
        ("four_bar", (8, 9), (2, 3)),
        ("peaucellier", (20, 21), (11, 12)),
        ("scissor_lift", (20, 21), (10, 11)),
        ("slider_crank", (8, 9), (5, 6)),
        ("stephenson_iii", (14, 15), (5, 6)),
        ("watt", (14, 15), (8, 9)),
    ],
)
def test_planar_loops_keep_their_freedom(
    name: str, before: tuple[int, int], after: tuple[int, int]
) -> None:
    a = sample(name)
    (loop,) = (c for c in asm.analyse(a).components if c["kind"] == "loop")
    assert (loop["equations"], loop["unknowns"]) == before
    assert (loop["reduced"]["equations"], loop["reduced"]["unknowns"]) == after
    assert loop["reduced"]["dulmage_mendelsohn"]["over"] == [0, 0]


def test_a_rod_between_two_balls_is_a_distance_and_the_rest_falls_into_blocks() -> None:
    """With the rod as a body its idle spin leaves all behind the crank under-determined."""
    a = Rssr().build(20.0)
    (loop,) = asm.analyse(a).driven_components
    assert loop["dulmage_mendelsohn"]["under"] == [11, 12]
    found = loop["reduced"]
    assert told(found["distances"]) == [("rod", "crank - rocker")]
    assert found["dulmage_mendelsohn"]["well"] == [12, 12]
    assert found["dulmage_mendelsohn"]["blocks"] == [3, 3, 6]
    assert (reduced(rssr())["equations"], reduced(rssr())["unknowns"]) == (11, 12)


def test_the_legs_of_a_stewart_platform_are_lines_and_with_their_strokes_distances() -> None:
    found = driven(sample("stewart_platform"))
    assert found["parts"] == ["platform"]
    assert len(found["lines"]) == 6 and not found["repeated"]
    assert found["dulmage_mendelsohn"]["well"] == [18, 18]
    assert found["dulmage_mendelsohn"]["blocks"] == [6, 2, 2, 2, 2, 2, 2]


@pytest.mark.parametrize("make", [bennett, stewart_ups])
def test_loops_without_links_between_hinges_or_balls_are_not_reduced(make: Any) -> None:
    assert reduced(make()) is None


def test_a_link_whose_angle_is_driven_stays_a_body() -> None:
    a = four_bar()
    hinge = next(n for n, m in a.mates.items() if m.kind == "revolute")
    a.drive("motor", hinge, "angle", value=20.0)
    found = driven(a)
    assert told(found["distances"]) == [("coupler", "crank - rocker")]
    assert (found["equations"], found["unknowns"]) == (6, 6)


def test_analyse_prints_the_reduced_system_and_what_stands_for_parts() -> None:
    lines = laid_out(analysis(asm.analyse(sample("excavator")).to_dict()), 100).splitlines()
    assert any("15 x 17" in line for line in lines)
    assert any("17 x 17" in line for line in lines)
    assert "  - link: a distance between bucket rocker and push rod" in lines
    assert "  - bucket cylinder + bucket rod: a line between base and bucket rocker" in lines
