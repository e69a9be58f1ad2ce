"""The samples of tolerances hold the closed forms that their notes tell."""

from __future__ import annotations

from itertools import product
from math import cos, hypot, pi, radians, sin, sqrt
from pathlib import Path

import pytest

import assembly_solver as asm

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[2] / "samples"


def sample(name: str) -> asm.Assembly:
    return asm.read(SAMPLES / f"{name}.assembly.json")


def test_a_stack_of_blocks_adds_up_and_passes_its_check() -> None:
    found = asm.tolerance(sample("stack_of_blocks"), samples=1000)
    height = found.measures["height"]
    assert found.sensitivities.values[0] == pytest.approx([1, 1, 1], abs=1e-10)
    assert height.worst_case == pytest.approx((59.5, 60.6), abs=1e-9)
    assert height.rss["mean"] == pytest.approx(60.05, abs=1e-10)
    variance = 0.05**2 / 9 + 0.2**2 / 3 + 0.3**2 / 6
    assert height.rss["std"] == pytest.approx(sqrt(variance), abs=1e-12)
    report = asm.check(sample("stack_of_blocks"))
    (share,) = (f for f in report.findings if f.kind == "tolerance")
    assert report and 0.82 < share.found < 0.85


def stroke(crank: float, rod: float, turn: float) -> float:
    up = crank * sin(radians(turn))
    return crank * cos(radians(turn)) + sqrt(rod * rod - up * up)


def test_the_sliders_stroke_has_its_sensitivities_and_its_worst_case() -> None:
    found = asm.tolerance(sample("sliders_stroke"), samples=100)
    t, crank, rod = radians(50), 30.0, 80.0
    u = sqrt(rod**2 - (crank * sin(t)) ** 2)
    by_turn = -(crank * sin(t) + crank**2 * sin(t) * cos(t) / u) * pi / 180
    exact = [cos(t) - crank * sin(t) ** 2 / u, rod / u, by_turn]
    assert found.sensitivities.columns == ("crank", "rod", "turn")
    assert found.sensitivities.values[0] == pytest.approx(exact, abs=1e-9)
    ends = [
        stroke(crank + c, rod + r, 50 + k) for c, r, k in product((-0.1, 0.1), (-0.1, 0.2), (-1, 1))
    ]
    worst = found.measures["stroke"].worst_case
    assert worst == pytest.approx((min(ends), max(ends)), abs=1e-9)
    assert found.measures["stroke"].nominal == pytest.approx(stroke(30, 80, 50), abs=1e-9)


def test_the_plate_leans_by_the_line_through_its_pins() -> None:
    found = asm.tolerance(sample("plate_on_pins"), samples=100)
    rise = found.measures["rise"]
    slopes = dict(zip(found.sensitivities.columns, found.sensitivities.values[0], strict=True))
    exact = {"one.x": 0, "one.y": -0.5, "two.x": 0, "two.y": 1.5}
    assert slopes == pytest.approx(exact, abs=1e-10)
    assert rise.linear_worst_case == pytest.approx((-0.175, 0.175), abs=1e-10)
    assert rise.rss["std"] == pytest.approx(hypot(0.5 * 0.025, 1.5 * 0.05), abs=1e-10)
