"""Tolerances along a motion: in each state those of a tolerance analysis there; closed forms."""

from __future__ import annotations

import json
from itertools import product
from math import cos, radians, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
from studied import SAMPLES
from test_sensitivities import slider

import assembly_solver as asm
from assembly_solver.cli.program import main
from assembly_solver.errors import MissingKey
from assembly_solver.report.page.band_page import band_page

pytestmark = pytest.mark.quick


def made(turn: float) -> asm.Assembly:
    a = slider(30.0, 80.0, turn)
    a.tolerate("crank", parameter="crank", plus=0.1, minus=0.1, distribution="uniform")
    a.tolerate("rod", parameter="rod", plus=0.2, minus=0.1, distribution="triangular")
    a.remove_measure("turned")
    return a


def stroke(crank: float, rod: float, turn: float) -> float:
    up = crank * sin(radians(turn))
    return crank * cos(radians(turn)) + sqrt(rod * rod - up * up)


def test_the_band_of_a_stroke_is_that_of_its_closed_form() -> None:
    turns = np.linspace(20, 200, 4)
    motion = asm.sweep(made(20.0), "turn", angle=(20, 200), steps=3)
    found = asm.tolerance(motion, samples=400, seed=3)
    band = found.measures["stroke"]
    assert found.sensitivities.driven["turn"] == pytest.approx(turns)
    assert band.nominal == pytest.approx([stroke(30, 80, t) for t in turns], abs=1e-9)
    for k, turn in enumerate(turns):
        ends = [stroke(30 + c, 80 + r, turn) for c, r in product((-0.1, 0.1), (-0.1, 0.2))]
        assert band.worst_case[0][k] == pytest.approx(min(ends), abs=1e-9)
        assert band.worst_case[1][k] == pytest.approx(max(ends), abs=1e-9)
        by = found.sensitivities.values[k, 0]
        std = sqrt((by[0] * 0.1) ** 2 / 3 + (by[1] * 0.15) ** 2 / 6)
        assert band.rss["std"][k] == pytest.approx(std, rel=1e-9)
        assert band.sampled["std"][k] == pytest.approx(std, rel=0.1)
    assert found.solved.tolist() == [400] * 4 and found.valid.all() and found.notes == ()


def test_each_state_is_that_of_an_analysis_there() -> None:
    motion = asm.sweep(made(20.0), "turn", angle=(20, 200), steps=3)
    band = asm.tolerance(motion, samples=200, seed=3).measures["stroke"]
    for k, turn in enumerate(np.linspace(20, 200, 4)):
        alone = asm.tolerance(made(turn), samples=200, seed=3).measures["stroke"]
        for share, value in alone.sampled["quantiles"].items():
            assert band.quantiles[share][k] == pytest.approx(value, abs=1e-9)
        ends = [low_or_high[k] for low_or_high in band.linear_worst_case]
        assert ends == pytest.approx(alone.linear_worst_case, abs=1e-9)
        assert band.rss["mean"][k] == pytest.approx(alone.rss["mean"], abs=1e-9)


def test_a_dead_point_interrupts_the_band_and_open_states_are_counted() -> None:
    """Pushed to its reach, 110 mm: there is no derivative; 0.05 before some rods are too short."""
    a = slider(30.0, 80.0, 100.0, "push")
    a.tolerate("rod", parameter="rod", plus=0.1, minus=0.1, distribution="uniform")
    a.remove_measure("stroke")
    motion = asm.sweep(a, {"push": [100.0, 109.95, 110.0]})
    found = asm.tolerance(motion, samples=40, seed=1)
    assert found.valid.tolist() == [True, True, False]
    assert found.solved[0] == 40 and 25 <= found.solved[1] <= 35
    assert np.isnan(found.measures["turned"].worst_case[0][2])
    assert any("at push = 110: dead point" in note for note in found.notes)
    missed = 40 - found.solved[1]
    assert f"at push = 109.95, the most: {missed} of 40 samples do not close" in found.notes
    page = band_page("slider", json.loads(json.dumps(found.to_dict()).replace("NaN", "null")))
    assert page.count('class="curve c0 filled"') == 1 and ">-</td>" in page
    assert '<div class="charts">\n<figure>' in page  # as wide as a chart of a check, not the page


def test_the_command_writes_the_band_as_a_table_a_page_and_the_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page = str(SAMPLES / "sliders_stroke.assembly.json"), tmp_path / "band.html"
    call = ["tolerance", file, "--samples", "50", "--driver", "turn=0:90", "--steps", "3"]
    assert main([*call, "--report", str(page)]) == 0
    told = capsys.readouterr().out
    assert "50 samples in each state; seed 1" in told and "104.562" in told
    assert max(map(len, told.splitlines())) <= 80
    written = page.read_text()
    assert "<strong>stroke, off its nominal value</strong>" in written
    assert 'class="curve c2"' in written and "samples, 99.73 %" in written
    assert main([*call, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["along"]["turn"] == {"unit": "deg", "value": [0, 30, 60, 90]}
    assert result["solved"] == [50] * 4 and len(result["measures"]["stroke"]["worst_case"][0]) == 4
    assert main(["tolerance", file, "--steps", "3"]) == 2
    assert "--driver" in capsys.readouterr().err


def test_a_coupling_without_a_constant_is_not_tolerated_along_a_motion() -> None:
    a = asm.Assembly("gears")
    axes = {"one": asm.Axis((0, 0, 0), "z"), "two": asm.Axis((30, 0, 0), "z")}
    a.add("frame", grounded=True, features=axes)
    for name in axes:
        a.add(f"wheel {name}", features={"pin": asm.Axis((0, 0, 0), "z")})
        a.mate("revolute", f"frame.{name}", f"wheel {name}.pin", name=name)
    a.mate("gear", joints=["one", "two"], ratio=-2.0, name="mesh")
    a.drive("turn", "one", value=0.0)
    a.measure("turned", joint="two", coordinate="angle")
    a.tolerate("ratio", mate="mesh", value="ratio", plus=0.01, minus=0.01)
    with pytest.raises(MissingKey, match="constant"):
        asm.tolerance(asm.sweep(a, "turn", angle=(0, 90), steps=2), samples=10)
