"""Curves drawn as SVG: what stands where, in pixels that are read back from the drawing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest

from assembly_solver.foundations.markup.svg_axes import (
    Chart,
    MarkedPoint,
    PlottedCurve,
    Scale,
    Threshold,
    VerticalLine,
    number,
    rounded_span,
    svg,
    ticks,
)

pytestmark = pytest.mark.quick

SVG = "{http://www.w3.org/2000/svg}"
X = np.linspace(900.0, 1600.0, 71)
LINE = Chart(
    "A line", "boom, mm", "angle, deg", [PlottedCurve("up", X, (X - 900) / 10)]
)  # 0 to 70 deg


def drawn(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(svg(chart, "one"))


def of_class(root: ElementTree.Element, tag: str, kind: str) -> list[ElementTree.Element]:
    return [e for e in root.iter(SVG + tag) if kind in e.get("class", "").split()]


def texts(root: ElementTree.Element, kind: str) -> list[str]:
    return [e.text or "" for e in of_class(root, "text", kind)]


def pixels(root: ElementTree.Element) -> list[np.ndarray]:
    """The pieces of the first curve, each as points (n, 2)."""
    data = of_class(root, "path", "curve")[0].get("d", "")
    pieces = [piece for piece in data.split("M") if piece]
    return [np.array(re.findall(r"-?[\d.]+", p), float).reshape(-1, 2) for p in pieces]


@pytest.mark.parametrize(
    ("low", "high", "unit", "told"),
    [
        (0.0, 1.0, "", [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (616.7, 2030.9, "mm", [750, 1000, 1250, 1500, 1750, 2000]),
        (-3e-13, 3e-13, "mm", [-3e-13, -2e-13, -1e-13, 0, 1e-13, 2e-13, 3e-13]),
        (0.0, 90.0, "deg", [0, 15, 30, 45, 60, 75, 90]),
        (0.0, 360.0, "deg", [0, 60, 120, 180, 240, 300, 360]),
    ],
)
def test_ticks_are_round_numbers_and_those_of_a_protractor(
    low: float, high: float, unit: str, told: list[float]
) -> None:
    assert ticks(low, high, unit=unit) == told


@pytest.mark.parametrize("decade", range(-12, 9))
def test_ticks_are_equal_steps_inside_and_never_too_many(decade: int) -> None:
    rng = np.random.default_rng(decade + 20)
    for low, width in rng.uniform(0.1, 9.9, (50, 2)) * 10.0**decade:
        found = ticks(low, low + width)
        assert 3 <= len(found) <= 7
        assert low * (1 - 1e-9) <= found[0] and found[-1] <= (low + width) * (1 + 1e-9)
        steps = {f"{b - a:.6e}" for a, b in pairwise(found)}
        assert len(steps) == 1
        assert steps.pop()[:3] in ("1.0", "2.0", "2.5", "5.0")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([3.0, 97.0], (0.0, 100.0)),  # zero is near
        ([72.0, 97.0], (70.0, 100.0)),  # zero is far
        ([-0.4, 7.1], (-2.0, 8.0)),
        ([5.0, 5.0, np.nan], (4.7, 5.3)),  # a constant stands in the middle
        ([np.nan], (0.0, 1.0)),
    ],
)
def test_the_upward_axis_ends_on_round_numbers(
    values: list[float], told: tuple[float, float]
) -> None:
    assert rounded_span(np.array(values)) == pytest.approx(told)


@pytest.mark.parametrize(
    ("value", "step", "told"),
    [(2.5, 2.5, "2.5"), (1250.0, 250.0, "1\u2009250"), (-40.0, 20.0, "−40"), (-1e-17, 0.5, "0.0")],
)
def test_numbers_at_ticks_have_the_digits_of_their_step(
    value: float, step: float, told: str
) -> None:
    assert number(value, step) == told


def test_a_curve_is_drawn_between_the_ticks_where_its_values_are() -> None:
    root = drawn(LINE)
    numbers = {e.text: float(e.get("y", "")) - 4 for e in of_class(root, "text", "end")}
    (line,) = pixels(root)
    assert line[0, 1] == pytest.approx(numbers["0"], abs=0.1)  # pixels are written in tenths
    assert line[-1, 1] == pytest.approx(
        numbers["75"] + 5 / 15 * (numbers["60"] - numbers["75"]), abs=0.2
    )
    slope = np.diff(line, axis=0)
    assert slope[:, 1] / slope[:, 0] == pytest.approx(slope[0, 1] / slope[0, 0], abs=0.02)


def test_a_gap_in_the_values_is_a_gap_in_the_line() -> None:
    y = np.where((X > 1100) & (X < 1300), np.nan, 1.0)
    left, right = pixels(drawn(Chart("", "", "", [PlottedCurve("", X, y)])))
    share = (left[-1, 0] - left[0, 0]) / (right[-1, 0] - left[0, 0])
    assert share == pytest.approx(200 / 700, abs=1e-3)  # a tenth of a pixel in 500
    assert np.isfinite(left).all() and np.isfinite(right).all()


def test_a_path_to_scale_has_one_length_of_a_millimetre() -> None:
    t = np.linspace(0, 2 * np.pi, 400)
    circle = Chart(
        "", "x, mm", "y, mm", [PlottedCurve("", 100 * np.cos(t), 100 * np.sin(t))], to_scale=True
    )
    (line,) = pixels(drawn(circle))
    wide, tall = np.ptp(line, axis=0)
    assert wide == pytest.approx(tall, abs=0.3)


def test_a_failed_threshold_is_red_shaded_and_says_where() -> None:
    chart = Chart(
        "t",
        "boom, mm",
        "angle, deg",
        LINE.curves,
        lines=[VerticalLine(1500.0, "dead point 1500", True), VerticalLine(2000.0, "outside")],
        thresholds=[Threshold(40.0, "at least 40 deg", True, True)],
        spots=[MarkedPoint(900.0, 0.0, "0 deg", True)],
    )
    root = drawn(chart)
    assert texts(root, "failed") == ["at least 40 deg", "dead point 1500", "0 deg"]
    (shade,) = of_class(root, "rect", "failed")
    ends = {e.text: float(e.get("y", "")) - 4 for e in of_class(root, "text", "end") if e.get("y")}
    top, tall = float(shade.get("y", "")), float(shade.get("height", ""))
    assert top + tall == pytest.approx(ends["0"], abs=0.1)  # the closed side is below
    assert tall == pytest.approx(40 / 15 * (ends["0"] - ends["15"]), abs=0.2)


def test_the_drawing_is_told_to_who_does_not_see_it() -> None:
    root = drawn(LINE)
    assert root.get("role") == "img" and root.get("aria-labelledby") == "one-title one-words"
    assert root.findtext(SVG + "desc") == "angle, deg over boom, mm. up: 0 to 70"


def test_names_are_text_and_no_markup() -> None:
    root = drawn(Chart("a < b & c", "x", "y", [PlottedCurve("<script>", X, X)]))
    assert root.findtext(SVG + "title") == "a < b & c"
    assert [e for e in root.iter() if e.tag.endswith("script")] == []


def test_a_scale_maps_its_ends_to_its_pixels() -> None:
    scale = Scale(10.0, 20.0, 100.0, 300.0)
    assert scale.at(np.array([10.0, 15.0, 20.0])).tolist() == [100.0, 200.0, 300.0]
    assert scale.holds(20.0) and not scale.holds(20.1) and not scale.holds(np.nan)
