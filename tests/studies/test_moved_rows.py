"""Measures over motions: those of a sweep of each variant, and why one does not go all the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studied import crank_rocker, four_bar, four_bar_file

import assembly_solver as asm
from assembly_solver.cli import main
from assembly_solver.errors import AssemblySolverError

OVER = {"crank": "0:360:25"}
TOLD = ("least", "largest", "mean", "range")


def test_each_row_is_that_of_a_sweep_of_its_variant(tmp_path: Path) -> None:
    measure = [f"swing.{which}" for which in (*TOLD, "largest_at")] + ["swing@90", "swing.curve"]
    found = asm.study(four_bar(tmp_path), {"L": "130:150:3"}, measure, over=OVER, executor="here")
    assert found.valid == 3
    for k, length in enumerate((130.0, 140.0, 150.0)):
        a = asm.read(four_bar_file(tmp_path), set={"L": length})
        curve = asm.sweep(a, "crank", angle=np.linspace(0, 360, 25)).joint("rocker pivot").value
        own = curve.min(), curve.max(), curve.mean(), np.ptp(curve)
        assert [found[f"swing.{n}"][k] for n in TOLD] == pytest.approx(own, abs=1e-9)
        assert found["swing.largest_at"][k] == 15.0 * np.argmax(curve)
        assert found["swing@90"][k] == pytest.approx(curve[6], abs=1e-9)
        assert found["swing@45"][k] == pytest.approx(curve[3], abs=1e-9)


def test_transmission_angles_are_those_of_the_law_of_cosines() -> None:
    """At the coupler and the rocker, least where crank and frame are in line: crank 30 mm."""
    a = crank_rocker(30.0)
    a.parameter("turn", 1.0)
    a.measure("tip", point="coupler.C", along="x")
    measure = ["motion.transmission_least", "motion.transmission_largest", "motion.dead_points"]
    how: dict[str, Any] = {"over": {"crank": [0.0, 90.0, 180.0]}, "executor": "here"}
    found = asm.study(a, {"turn": [1.0]}, measure, **how)
    at = np.array([70.0, np.hypot(100.0, 30.0), 130.0])
    angle = np.degrees(np.arccos((90.0**2 + 60.0**2 - at**2) / (2.0 * 90.0 * 60.0)))
    angle = np.minimum(angle, 180.0 - angle)
    assert found[measure[0]][0] == pytest.approx(angle.min(), abs=1e-8)
    assert found[measure[1]][0] == pytest.approx(angle.max(), abs=1e-8)
    assert found[measure[2]][0] == 0.0


def test_a_motion_that_stops_says_where_and_keeps_its_row(tmp_path: Path) -> None:
    """A rocker of 60 mm, a frame of 100, a coupler of 90: a crank of 60 mm cannot turn to 180."""
    a = crank_rocker(60.0)
    a.parameter("turn", 1.0)
    a.measure("tip", point="coupler.C", along="x")
    out = tmp_path / "a.csv"
    over = {"crank": "90:180:10"}
    found = asm.study(a, {"turn": [1.0]}, over=over, out=out, executor="here")
    assert list(found.columns.measures) == [
        *(f"tip.{which}" for which in TOLD), "motion.dead_points", "motion.reached",
    ]  # fmt: skip
    assert found.valid == 0 and next(iter(found.reasons)).startswith("motion: dead point")
    cosine = (60.0**2 + 100.0**2 - 150.0**2) / (2.0 * 60.0 * 100.0)
    assert found["motion.reached"][0] == pytest.approx(np.degrees(np.arccos(cosine)), abs=1e-5)
    assert found["motion.dead_points"][0] == 1.0 and np.isnan(found["tip.mean"][0])


REFUSED = [
    ({"over": {"crank": "0:360"}}, "A:B:N"),
    ({"over": {"crank": [0.0]}}, "two values or more"),
    ({"over": {"krank": [0.0, 1.0]}}, "crank"),
    ({"over": OVER, "measure": ["swing.most"]}, "curve, largest, largest_at"),
    ({"over": OVER, "measure": ["swing@1"]}, "a value of the motion"),
    ({"over": OVER, "measure": ["swung.mean"]}, "swing"),
]


@pytest.mark.quick
@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_is_no_motion_is_refused(tmp_path: Path, call: dict[str, Any], words: str) -> None:
    with pytest.raises(AssemblySolverError, match=words):
        asm.study(four_bar(tmp_path), {"L": [130.0]}, **call)


def test_the_command_measures_over_a_motion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = str(four_bar_file(tmp_path)), tmp_path / "a.csv"
    asked = ["--vary", "L=130,150", "--over", "crank=0:360:13", "--executor", "here"]
    assert main(["study", file, *asked, "--measure", "swing.range", "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"wrote {out}: 2 rows, 2 valid\n"
    assert out.read_text().splitlines()[0] == "row,L,swing.range,mode,valid,reason"
    for wrong in ("crank", "crank=0:360"):
        call = ["study", file, "--vary", "L=130,150", "--over", wrong, "-o", str(out)]
        assert main(call) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
