"""A page that is watched for contact marks where two parts touch, and lists it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import assembly_solver as asm
from assembly_solver import cli

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
