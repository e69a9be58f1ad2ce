"""What is said of six assemblies, word by word: a colleague would say it like this."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mechanisms import bearings, bennett, flange, four_bar, parallelogram

import assembly_solver as asm
from assembly_solver.report.terminal import solution
from assembly_solver.report.terminal.layout import laid_out

SAMPLES = Path(__file__).parents[2] / "samples"


def read_aloud(a: asm.Assembly) -> str:
    """What the command line prints, its lines joined and its runs of blanks made one.

    The names of modes are left out: they are told elsewhere.
    """
    printed = laid_out(solution.diagnosis(asm.diagnose(a).to_dict()), 80)
    assert max(map(len, printed.splitlines())) <= 80
    return re.sub(r"; mode [^ ]+", "", " ".join(printed.split()))


def test_a_planar_four_bar_in_space() -> None:
    """FreeCAD shows it with four revolute joints and three redundant constraints."""
    said = read_aloud(four_bar())
    assert said == (
        "4 parts, 4 mates hold (0 mm); 1 degree of freedom; 3 redundant equations, consistent "
        "held still: frame "
        "2 ways to close; this is -; all of them "
        "1 degree of freedom, 1 left "
        "redundant: 3 equations "
        "- revolute 1, revolute 2, revolute 3 and revolute 4: 3 equations repeat around their loop "
        "(direction, position along (0, 0, 1)), because their axes are parallel; "
        "they agree to rounding "
        "free motions "
        "- crank turns about revolute 1; rocker and coupler move with it "
        "a driver of the angle of revolute 1 or a parallel mate of frame.x and crank.x "
        "would stop it"
    )


def test_a_lid_asked_to_be_at_30_and_at_35_degrees() -> None:
    said = read_aloud(asm.read(SAMPLES / "bad_lid.assembly.json"))
    fact = (
        "lid hinge, lid stop and lid prop cannot hold together: "
        "lid prop asks 35 deg, the others leave 30 deg at best (10.47 mm off)"
    )
    assert said.startswith(
        f"2 parts, 3 mates: {fact} "
        "held still: box "
        "freedoms and redundancy are told of a solved assembly only "
        f"contradictions - {fact} "
        "- proved: the directions allow 30 deg at most, 35 deg are asked, "
        "whatever sense mates take "
        "- changing lid prop from 35 to 30 deg solves it "
        "- dropping any one of them solves it mate "
    )


def test_a_shaft_in_three_bearings_one_of_which_is_2_mm_off() -> None:
    said = read_aloud(bearings())
    fact = (
        "bearing 1 and bearing 3 cannot hold together: their features are 2 mm apart on housing "
        "and 0 mm apart on shaft (2 mm off)"
    )
    assert said.startswith(
        f"2 parts, 3 mates: {fact} "
        "held still: housing "
        "freedoms and redundancy are told of a solved assembly only "
        f"contradictions - {fact} "
        "- proved: the links reach 0 mm at most, 2 mm are asked, "
        "whatever sense mates take "
        "- moving bore 3 of housing by 2 mm along (0, -1, 0) in its coordinates solves it "
        "- dropping bearing 3 solves it, dropping another does not "
        "- a tolerance of 0.929 mm would accept it "
    )


def test_a_flange_whose_second_hole_is_three_tenths_of_a_micrometre_off_is_accepted() -> None:
    a = flange(0.0003)
    a.tolerance = 1e-3
    assert read_aloud(a) == (
        "2 parts, 3 mates hold (0.00015 mm); 0 degrees of freedom; "
        "5 redundant equations that disagree by up to 0.0003 mm "
        "held still: pipe "
        "0 degrees of freedom, 0 left "
        "redundant: 5 equations "
        "- bolt 1 repeats 2 equations of faces (direction); they agree to rounding "
        "- bolt 2 repeats 3 equations of bolt 1 (direction, position along (1, 0, 0)); "
        "they disagree by 0.0003 mm"
    )


def test_the_same_flange_at_the_usual_tolerance_is_told_what_would_help() -> None:
    said = read_aloud(flange(0.0003))
    assert (
        "- bolt 1 and bolt 2 disagree by noise, a tolerance of 0.000153 mm accepts it: "
        "their features are 80 mm apart on pipe and 80.0003 mm apart on flange (0.0003 mm off) "
        "- moving hole 2 of flange by 0.0003 mm along (1, 0, 0) in its coordinates solves it "
        "- dropping any one of them solves it "
    ) in said


def test_a_bennett_linkage() -> None:
    said = read_aloud(bennett())
    assert said == (
        "4 parts, 4 mates hold (0 mm); 1 degree of freedom; 3 redundant equations, consistent "
        "held still: three "
        "ways to close: not counted here; `analyse` does, where that can be known "
        "1 degree of freedom, 1 left "
        "redundant: 3 equations "
        "- revolute 1, revolute 2, revolute 3 and revolute 4: 3 equations repeat around their loop "
        "(position), because of their special dimensions; they agree to rounding "
        "free motions "
        "- frame turns about revolute 1; two and one move with it "
        "a driver of the angle of revolute 1 or an angle mate of three.revolute 4 and "
        "frame.revolute 2 would stop it "
        "special dimensions "
        "- revolute 1, revolute 2, revolute 3 and revolute 4 move together only because of their "
        "special dimensions: Kutzbach counts -2, the truth is 1 degree of freedom, "
        "which stays through a finite movement"
    )


def test_a_flattened_parallelogram() -> None:
    said = read_aloud(parallelogram(0.0))
    assert said.startswith(
        "4 parts, 4 mates hold (0 mm); 2 degrees of freedom; 4 redundant equations, consistent; "
        "this pose is singular, 1 nearby "
    )
    assert (
        "4 equations repeat around their loop (direction, position across (0, 1, 0)), "
        "because their axes are parallel and this pose is singular; they agree to rounding "
    ) in said
    assert said.endswith(
        "at this pose "
        "- 2 degrees of freedom here, 1 nearby: this pose is singular "
        "(crank, coupler and follower are in line) "
        "- 2 motions meet here, each with 1 degree of freedom"
    )


@pytest.mark.parametrize("name", ["excavator", "stewart_platform", "plate_stack", "slider_crank"])
def test_nobody_is_told_of_rows_columns_or_matrices(name: str) -> None:
    said = read_aloud(asm.read(SAMPLES / f"{name}.assembly.json")).lower()
    assert " left " in said
    for word in ("matrix", "jacobian", "index", "row", "column", "null space", "rank "):
        assert word not in said.split()
