"""The page of a structure: its graph of joints and its matrices, read back from the drawings."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.foundations.markup.svg_axes import LETTER
from assembly_solver.report.page.analysis_page import analysis_page
from assembly_solver.report.page.incidence_picture import by_blocks, in_order
from assembly_solver.report.page.joint_graph import joint_graph

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[3] / "samples"
SVG = "{http://www.w3.org/2000/svg}"


def analysis(name: str) -> asm.Analysis:
    return asm.analyse(asm.read(SAMPLES / f"{name}.assembly.json"))


def element(text: str) -> ElementTree.Element:
    (drawing,) = re.findall("<svg.*</svg>", text, re.DOTALL)
    return ElementTree.fromstring(drawing)


def of_class(root: ElementTree.Element, tag: str, kind: str) -> list[ElementTree.Element]:
    return [e for e in root.iter(SVG + tag) if kind in e.get("class", "").split()]


def box(rect: ElementTree.Element) -> list[float]:
    return [float(rect.get(key, "")) for key in ("x", "y", "width", "height")]


def squares(root: ElementTree.Element, kind: str) -> np.ndarray:
    """Corners of the squares of entries, (n, 2) px."""
    found = [e for e in root.iter(SVG + "path") if e.get("class") == kind]
    text = "".join(e.get("d", "") for e in found)
    return np.array(re.findall(r"M([\d.]+) ([\d.]+)h", text), float).reshape(-1, 2)


@pytest.mark.parametrize("name", ["four_bar", "excavator", "stewart_platform"])
def test_every_part_is_a_box_and_every_joint_a_named_line(name: str) -> None:
    graph = analysis(name).graph()
    root = element(joint_graph(graph, "g"))
    parts = of_class(root, "rect", "part")
    assert len(parts) == len(graph)
    assert len(of_class(root, "line", "joint")) == graph.number_of_edges()
    told = {e.text for e in of_class(root, "text", "kind")}
    assert told == {f"{d['label']} {d['kind']}" for *_, d in graph.edges(data=True)}
    held = sum(grounded for _, grounded in graph.nodes(data="grounded"))
    assert len(of_class(root, "rect", "held")) == held
    for (x, y, w, h), (u, v, wide, tall) in combinations(map(box, parts), 2):
        assert x + w < u or u + wide < x or y + h < v or v + tall < y
    inside = np.array([box(e) for e in parts])
    size = [float(v) for v in root.get("viewBox", "").split()[2:]]
    assert inside[:, :2].min() >= 0.0
    assert (inside[:, :2] + inside[:, 2:] <= size).all()


@pytest.mark.parametrize("name", ["excavator", "theo_jansen"])
def test_the_names_of_joints_cover_no_part_and_hardly_each_other(name: str) -> None:
    root = element(joint_graph(analysis(name).graph(), "g"))
    parts = [box(rect) for rect in of_class(root, "rect", "part")]
    boxes = [((x + 0.5 * w, y + 0.5 * h), (0.5 * w, 0.5 * h)) for x, y, w, h in parts]
    for text in of_class(root, "text", "kind"):
        half = (0.5 * LETTER * len(text.text or ""), 7.0)
        boxes.append(((float(text.get("x", "")), float(text.get("y", "")) - 3.5), half))
    named = range(len(parts), len(boxes))
    met = [(boxes[i], boxes[j]) for j in named for i in range(j)]
    apart = np.array([np.abs(np.subtract(a[0], b[0])) - np.add(a[1], b[1]) for a, b in met])
    assert np.prod(np.maximum(-apart, 0.0), axis=1).sum() < 120.0  # px2, of 18 names of 1000


def test_the_same_drawing_comes_again() -> None:
    graph = analysis("excavator").graph()
    assert joint_graph(graph, "g") == joint_graph(graph, "g")


def test_blocks_stand_on_the_diagonal_and_nothing_right_of_them() -> None:
    (system,) = analysis("excavator").systems()
    root = element(by_blocks(system, "m"))
    (border,) = map(box, of_class(root, "rect", "border"))
    cell = border[2] / 36.0
    blocks = np.array([box(e) for e in of_class(root, "rect", "block")])
    np.testing.assert_allclose(blocks[:, 2:] / cell, np.tile([[9], [6], [9], [12]], 2), atol=0.02)
    np.testing.assert_allclose(blocks[1:, :2], blocks[:-1, :2] + blocks[:-1, 2:], atol=0.2)
    matched, others = squares(root, "entry matched"), squares(root, "entry")
    diagonal = np.arange(36.0)[:, None] * cell + border[:2] + 0.1 * cell
    np.testing.assert_allclose(matched, diagonal, atol=0.06)
    assert len(matched) + len(others) == sum(map(len, system.system.entries)) == 180
    for corner in others:
        x, _, wide, _ = next(b for b in blocks if b[1] <= corner[1] < b[1] + b[3])
        assert corner[0] < x + wide


def test_before_the_decomposition_mates_and_parts_are_in_their_order() -> None:
    found = analysis("four_bar")
    (system,) = found.systems()
    root = element(in_order(system, "m"))
    assert [e.text for e in of_class(root, "text", "fine")] == [
        *("crank pivot", "crank pin", "rocker pin", "rocker pivot", "crank"),
        *("crank", "coupler", "rocker"),
    ]
    assert of_class(root, "rect", "block") == []


def test_an_over_determined_block_is_marked() -> None:
    (system,) = analysis("bad_lid").systems()
    (block,) = of_class(element(by_blocks(system, "m")), "rect", "block")
    assert block.get("class") == "block over"
    assert block.findtext(SVG + "title") == "block 1, over-determined: 9 by 6; lid"


def test_the_page_is_whole_and_names_are_text() -> None:
    a = asm.Assembly("<two>")
    a.add("<base>", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    a.add("arm & hand", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate("revolute", "<base>.pin", "arm & hand.pin", name="pin <1>")
    page = analysis_page(asm.analyse(a))
    assert not re.search("<two>|<base>|src=|href|url|@import|<script", page)
    assert page.count("<svg") == page.count("</svg>") == 3
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids)) == 6
    assert "pin &lt;1&gt;" in page and "5 in 6 unknowns" in page


def test_analyse_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.html"
    words = ("analyse", str(SAMPLES / "hinge.assembly.json"), "--report", str(out))
    assert cli.main(words) == 0
    assert capsys.readouterr().err == f"wrote {out}\n"
    page = out.read_text(encoding="utf-8")
    assert "<h1>hinge</h1>" in page and page.count("<svg") == 3
    assert cli.main((*words[:-1], "out.pdf")) == 2
    told = "error: out.pdf: files are written by suffix, one of .html\n"
    assert capsys.readouterr().err == told
