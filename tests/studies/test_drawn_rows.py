"""Drawn linkages whose pins vary: rows are those of each drawing, swept by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studied import crank_rocker

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError

PINS = {"A": (0, 0), "B": (0, 30), "C": (90, 80), "D": (100, 0), "P": (40, 90)}
LINKS = {"frame": "A D", "crank": "A B", "coupler": "B C P", "rocker": "C D"}
OVER = {"crank": "0:345:24"}


def drawn(**moved: tuple[float, float]) -> asm.Assembly:
    a = asm.Assembly("drawn")
    a.pins(PINS | moved)
    for name, pins in LINKS.items():
        a.link(name, pins, grounded=name == "frame")
    a.drive("crank", at="A", angle=(0, 360), rays=("D", "B"))
    for axis in "xy":
        a.measure(axis, point="coupler.P", along=axis)
    return a


VARY = {"B.y": (10.0, 70.0), "C.x": (50.0, 130.0)}


def test_rows_are_those_of_each_drawing(tmp_path: Path) -> None:
    asked, out = ["x.curve", "y.range", "y.largest_at"], tmp_path / "a.parquet"
    found = asm.study(drawn(), VARY, asked, samples=24, over=OVER, out=out, executor="here")
    assert 6 < found.valid < 24
    curve = np.stack([found[f"x@{15 * k}"] for k in range(24)], axis=1)
    for k in range(24):
        b, c = (0.0, float(found["B.y"][k])), (float(found["C.x"][k]), 80.0)
        motion = asm.sweep(drawn(B=b, C=c), "crank", angle=15.0 * np.arange(24))
        assert bool(motion) == (not found["reason"][k])
        if motion:
            x, y, _ = motion.point("coupler.P").position.T
            np.testing.assert_allclose(curve[k], x, atol=1e-8)
            assert found["y.range"][k] == pytest.approx(np.ptp(y), abs=1e-8)
            assert found["y.largest_at"][k] == 15.0 * np.argmax(y)
    assert set(found.reasons) == {"RRR dyad at C does not close"}
    assert set(found["mode"]) <= {"+", "-"}


def test_a_gap_between_two_states_is_seen() -> None:
    """Crank 60, coupler 90, rocker 60, frame 100 mm: at 180 degrees the pins are 160 mm apart."""
    a = crank_rocker(60.0)
    a.measure("x", point="coupler.C", along="x")
    pins = {"B.x": [0.0], "B.y": [60.0]}
    for angle, valid in (([100.0, 130.0], 1), ([130.0, 230.0], 0)):
        found = asm.study(a, pins, ["x.mean"], over={"crank": angle}, executor="here")
        assert found.valid == valid


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"vary": {"B.y": [30.0]}}, "over"),
    ({"vary": {"B.y": [30.0], "crank": [1.0]}, "over": OVER}, "exclude each other"),
    ({"vary": {"B.y": [30.0]}, "over": OVER, "measure": {"x": {"joint": "C"}}}, "a point at a pin"),
    ({"vary": {"B.y": [30.0]}, "over": OVER, "measure": ["motion.reached"]}, "a point at a pin"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_is_no_study_of_pins_is_refused(call: dict[str, Any], words: str) -> None:
    with pytest.raises(AssemblySolverError, match=words):
        asm.study(drawn(), **call)


def test_what_an_angle_counts_from_moves_with_its_pins() -> None:
    """Without a ray to the ground pin that varies it would count from the drawing's x instead."""
    found = asm.study(drawn(), {"D.y": [12.0]}, ["x.curve"], over=OVER, executor="here")
    alone = asm.sweep(drawn(D=(100.0, 12.0)), "crank", angle=15.0 * np.arange(24))
    x = [found[f"x@{15 * k}"][0] for k in range(24)]
    np.testing.assert_allclose(x, alone.point("coupler.P").position[:, 0], atol=1e-8)
    plain = drawn()
    plain.remove_driver("crank")
    plain.drive("crank", at="A", angle=(0, 360))
    with pytest.raises(AssemblySolverError, match="rays to two pins"):
        asm.study(plain, {"D.y": [12.0]}, ["x.curve"], over=OVER, executor="here")


def test_workers_write_the_same_bytes(tmp_path: Path) -> None:
    for name in ("here", "processes"):
        asm.study(
            drawn(), VARY, ["x.least"], samples=1100, over=OVER, out=tmp_path / f"{name}.csv",
            executor=name,
        )  # fmt: skip
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "processes.csv").read_bytes()
