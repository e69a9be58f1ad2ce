"""Blocks of loops in space, and of components with their drivers, as `analyse` shows them."""

from __future__ import annotations

from typing import Any

from mechanisms import four_bar, rssr, stewart_ups

import assembly_solver as asm
from assembly_solver.report.terminal.layout import laid_out
from assembly_solver.report.terminal.solution import analysis


def loops(a: asm.Assembly) -> list[dict[str, Any]]:
    return [c for c in asm.analyse(a).components if c["kind"] == "loop"]


def check(entry: dict[str, Any], rows: int, columns: int) -> dict[str, Any]:
    """The sizes of a decomposition that add up to these."""
    sizes: dict[str, Any] = entry["dulmage_mendelsohn"]
    coarse = [sizes[k] for k in ("over", "well", "under")]
    assert [sum(x) for x in zip(*coarse, strict=True)] == [rows, columns]
    assert sum(sizes["blocks"]) == sizes["well"][0] == sizes["well"][1]
    return sizes


def test_a_stewart_platform_is_under_determined_by_its_six_strokes_at_least() -> None:
    (loop,) = loops(stewart_ups())
    unknowns, equations = loop["in_space"]["unknowns"], loop["in_space"]["equations"]
    assert (unknowns, equations) == (78, 72)
    sizes = check(loop, 72, 78)
    assert (sizes["matched"], sizes["under"]) == (72, [72, 78])


def test_a_loop_of_hinges_and_balls_is_under_determined_and_its_driver_is_one_equation() -> None:
    a = rssr()
    (loop,) = loops(a)
    rows, columns = loop["in_space"]["equations"], loop["in_space"]["unknowns"]
    assert check(loop, rows, columns)["matched"] == rows
    hinge = next(n for n, m in a.mates.items() if m.kind == "revolute")
    a.drive("motor", hinge, "angle", value=5.0)
    (driven,) = asm.analyse(a).driven_components
    assert driven["drivers"] == ["motor"]
    assert (driven["equations"], driven["unknowns"]) == (rows + 1, columns)
    assert check(driven, rows + 1, columns)["matched"] == rows + 1


def test_a_four_bar_with_its_driver_is_well_determined() -> None:
    a = four_bar()
    (before,) = loops(a)
    hinge = next(n for n, m in a.mates.items() if m.kind == "revolute")
    a.drive("motor", hinge, "angle", value=20.0)
    (driven,) = asm.analyse(a).driven_components
    assert before["dulmage_mendelsohn"]["under"] == [8, 9]
    assert check(driven, 9, 9)["well"] == [9, 9]


def test_analyse_prints_the_parts_of_every_loop_with_and_without_its_driver() -> None:
    a = four_bar()
    hinge = next(n for n, m in a.mates.items() if m.kind == "revolute")
    a.drive("motor", hinge, "angle", value=20.0)
    lines = laid_out(analysis(asm.analyse(a).to_dict()), 100).splitlines()
    (alone,) = [line for line in lines if "8 x 9" in line]
    (driven,) = [line for line in lines if "motor" in line and "9 x 9" in line]
    assert alone.split()[-4:] == ["8", "x", "9", "0"]
    assert driven.split()[-1] == "3"  # the crank by its angle, its centre, the dyad
