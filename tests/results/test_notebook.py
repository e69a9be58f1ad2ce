"""What notebooks show of solutions and motions: well-formed, complete, and without other files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import assembly_solver as asm
from assembly_solver.foundations.markup.snippet import CURVES, rows_table

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[2] / "samples"


def sample(name: str) -> asm.Assembly:
    return asm.read(SAMPLES / f"{name}.assembly.json")


def shown(result: asm.Solution | asm.Motion | asm.Analysis) -> ElementTree.Element:
    """The output as elements; it must load nothing and run nothing."""
    text = result._repr_html_()
    assert not re.search("href|src=|url|script|<link", text)
    return ElementTree.fromstring(text.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def rows(root: ElementTree.Element, caption: str) -> list[list[str]]:
    """The cells of the body of a table."""
    (table,) = [t for t in root.iter("table") if (t.findtext("caption") or "").startswith(caption)]
    return [[cell.text or "" for cell in row] for row in table.iterfind("tbody/tr")]


def test_a_solution_shows_mates_reasons_and_poses() -> None:
    solution = asm.solve(sample("four_bar"))
    root = shown(solution)
    (sentence,) = root.iter("p")
    assert (sentence.text, sentence.get("class")) == (solution.sentence, None)
    assert rows(root, "Mates")[0][:3] == ["crank pivot", "revolute", "yes"]
    told = dict(rows(root, "Why"))
    assert told["free motion"] == "crank turns about crank pivot; rocker and coupler move with it"
    crank = next(row for row in rows(root, "Poses") if row[0] == "crank")
    assert crank == ["crank", "0.000", "0.000", "0.000", "60.000", "0.000, 0.000, 1.000"]


def test_a_diagnosis_of_a_contradiction_shows_what_is_off_and_no_poses() -> None:
    root = shown(asm.diagnose(sample("bad_lid")))
    (sentence,) = root.iter("p")
    assert sentence.get("class") == "off"
    assert {row[2] for row in rows(root, "Mates")} == {"NO"}
    told = dict(rows(root, "Why"))["contradiction"]
    assert "lid prop asks 35 deg, the others leave 30 deg at best (10.47 mm off)" in told
    assert [t.findtext("caption") for t in root.iter("table")] == ["Mates and drivers", "Why"]


def test_an_analysis_shows_its_counts_and_joints() -> None:
    found = asm.analyse(sample("four_bar"))
    root = shown(found)
    assert [line for (line,) in rows(root, "Mobility")] == found.mobility
    assert rows(root, "Joints")[1] == ["J2", "revolute", "crank, coupler", "crank pin"]


def test_a_motion_shows_a_chart_of_each_unit_and_the_extremes() -> None:
    root = shown(asm.sweep(sample("slider_crank"), "crank", steps=90))
    titles = [svg.findtext("title") for svg in root.iter("svg")]
    assert titles == ["Angles over crank", "Lengths over crank"]
    found = {row[0]: row[1:] for row in rows(root, "Coordinates")}
    assert found["cylinder length"] == ["mm", "100.0000", "180", "200.0000", "0"]
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids)) == 4


def test_a_motion_that_stops_shows_where() -> None:
    a = sample("four_bar")
    a.drive("swing", "rocker pivot")
    a.set_driver("crank", None)
    root = shown(asm.sweep(a, "swing", angle=(100, 170), steps=70))
    ((kind, words),) = rows(root, "On the way")
    assert kind == "dead point" and words.startswith("dead point at swing 143.8177128 deg")
    (line,) = [e for e in root.iter("line") if e.get("class") == "across"]
    chart = [float(e.get("x1", "")) for e in root.iter("line") if e.get("class") == "axis"]
    assert float(line.get("x1", "")) == pytest.approx(
        chart[0] + (560.0 - 18.0 - chart[0]) * 43.8177 / 70.0, abs=0.1
    )


def test_names_are_text_and_long_tables_are_cut() -> None:
    text = rows_table("Parts", ("name", ">x"), [(f"<b>{k}\x1b", str(k)) for k in range(15)])
    assert "<b>" not in text and "&lt;b&gt;0\\x1b" in text
    assert text.count("<tr>") == 1 + 12 and "Parts; 3 more" in text


@pytest.mark.parametrize("colour", CURVES)
@pytest.mark.parametrize("page", ["#ffffff", "#111418"])
def test_curves_are_seen_on_light_and_dark_pages(colour: str, page: str) -> None:
    """A contrast of at least 3, as WCAG 2.1 (1.4.11) asks of graphical objects."""

    def luminance(rgb: str) -> float:
        srgb = [int(rgb[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in srgb]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted(luminance(c) for c in (colour, page))
    assert (high + 0.05) / (low + 0.05) >= 3.0
