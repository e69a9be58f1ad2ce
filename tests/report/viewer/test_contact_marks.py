"""A page that is watched for contact marks where two parts touch, and lists it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.report.viewer.runs import runs

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("fcl")


def test_the_page_lists_contacts_with_their_parts_and_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """A cube of 10 mm on each of two slides along x, one with a stop whose middle is at 40 mm."""
    trimesh.creation.box((10, 10, 10)).export(tmp_path / "cube.ply")
    a = asm.Assembly("slides", folder=tmp_path)
    ways = {"way": asm.Axis((0, 0, 0), "x"), "other way": asm.Axis((0, 50, 0), "x")}
    a.add("base", grounded=True, features=ways)
    a.add("stop", grounded=True, geometry="cube.ply", pose=asm.Pose((40, 2, 1)))
    for way, block in (("way", "block"), ("other way", "free")):
        a.add(block, geometry="cube.ply", features={"way": asm.Axis((0, 0, 0), "x")})
        a.mate("prismatic", f"base.{way}", f"{block}.way", name=f"{block} guide")
        a.drive(block, f"{block} guide", range=(0, 60), value=0)
    a.move({"free": asm.Pose((0, 50, 0))})
    file = tmp_path / "slides.assembly.json"
    asm.write(a, file)
    assert cli.main(["view", str(file), "--contact", "-o", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text()
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
    assert found is not None
    block, free = json.loads(found[1])["runs"]
    (mark,) = block["axes"][0]["marks"]
    assert mark["parts"] == ["stop", "block"]
    assert mark["words"] == "stop and block touch at block 30 mm"
    assert mark["at"] == pytest.approx((len(block["axes"][0]["values"]) - 1) / 2, abs=1e-5)
    assert block["watched"].startswith("1 of 3 pairs of parts in contact")
    (near,) = block["near"]
    assert near["parts"] == ["stop", "block"]
    assert free["near"] == []
    assert free["axes"][0]["marks"] == [] and free["watched"].startswith("no contact of 3 pairs")


def test_contact_is_looked_for_from_where_the_parts_stand(tmp_path: Path):
    """A cube of 10 mm between two stops at -30 and 40 mm, in the first at the low end of its range;
    a pair that is asked for in the other order is listed once."""
    trimesh.creation.box((10, 10, 10)).export(tmp_path / "cube.ply")
    a = asm.Assembly("slide", folder=tmp_path)
    a.add("base", grounded=True, features={"way": asm.Axis((0, 0, 0), "x")})
    for name, x in (("left", -30), ("right", 40)):
        a.add(name, grounded=True, geometry="cube.ply", pose=asm.Pose((x, 2, 1)))
    a.add("block", geometry="cube.ply", features={"way": asm.Axis((0, 0, 0), "x")})
    a.mate("prismatic", "base.way", "block.way", name="guide")
    a.drive("way", "guide", range=(-33, 60), value=0)
    (run,) = runs(a, asm.solve(a), None, None, lambda *_: None, True, [("block", "left")])
    assert {mark.words: mark.value for mark in run.sliders[0].marks} == {
        "left and block touch at way -20 mm": pytest.approx(-20, abs=1e-6),
        "right and block touch at way 30 mm": pytest.approx(30, abs=1e-6),
    }
    assert run.watched == "2 of 2 pairs of parts in contact"
    assert [near.parts for near in run.near] == [("block", "left"), ("right", "block")]
