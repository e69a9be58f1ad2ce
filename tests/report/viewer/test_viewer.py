"""The page with the moving assembly: what is in it, read back from its data."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.foundations.geometry.pose import Pose, frames_of
from assembly_solver.report.viewer.scene import scene_of
from assembly_solver.report.viewer.viewer import PlayedMotion, Slider, SliderMark, directions, page

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[3]


def door(up: str = "z") -> asm.Assembly:
    """A door on a hinge along a direction."""
    a = asm.Assembly("door </script>")
    a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), up)})
    a.add("leaf", features={"pin": asm.Axis((0, 0, 0), up), "edge": asm.Point((800, 0, 0))})
    a.mate("revolute", "frame.pin", "leaf.pin", name="hinge")
    return a


def opening(angles: np.ndarray) -> PlayedMotion:
    """The door at some angles about z; the last one is not valid."""
    poses = [Pose.from_axis((0, 0, 0), (0, 0, 1), v) for v in angles]
    frames = np.stack([frames_of([Pose(), pose]) for pose in poses])
    frames[-1] = np.nan
    slider = Slider("opening", "deg", angles, 1.0, (SliderMark(45.0, "half way"),))
    return PlayedMotion((slider,), frames, [""] * (len(poses) - 1) + ["the limit is met"])


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    tree: dict[str, Any] = json.loads(found.group(1))
    return tree


def numbers(text: str, kind: str = "<f4") -> np.ndarray:
    return np.frombuffer(b64decode(text), kind)


def test_the_page_has_every_pose_of_the_run() -> None:
    angles = np.array([0.0, 30.0, 60.0, 90.0])
    data = data_of(page(door(), "holds", [opening(angles)]))
    (run,) = data["runs"]
    poses = numbers(run["poses"]).reshape(4, 2, 7)
    half = np.radians(angles[:3]) / 2
    assert np.abs(poses[:3, 1, 3]) == pytest.approx(np.cos(half), abs=1e-7)  # single precision
    assert np.abs(poses[:3, 1, 6]) == pytest.approx(np.sin(half), abs=1e-7)
    assert np.isnan(poses[3]).all()
    assert [run["reasons"][k] for k in run["which"]][3] == "the limit is met"


def test_a_slider_has_its_values_its_start_and_its_marks() -> None:
    data = data_of(page(door(), "holds", [opening(np.array([0.0, 30.0, 60.0, 90.0]))]))
    (axis,) = data["runs"][0]["axes"]
    assert (axis["name"], axis["unit"], axis["start"]) == ("opening", "deg", 1.0)
    assert axis["values"] == [0.0, 30.0, 60.0, 90.0]
    # 45 lies between 30 and 60
    assert axis["marks"] == [{"at": 1.5, "words": "half way", "parts": []}]
    assert (axis["digits"], axis["turns"]) == (2, False)


def test_shapes_and_poses_are_told_from_the_middle_of_the_scene() -> None:
    a = door()
    a.move({"frame": Pose((1e6, 0, 0)), "leaf": Pose((1e6, 0, 0))})
    data = data_of(page(a, "holds", []))
    poses = numbers(data["still"]).reshape(2, 7)
    assert np.abs(poses[:, :3]).max() < 500  # a million in single precision is 0.06 mm off
    for part, pose in zip(data["parts"], poses, strict=True):
        shape = data["shapes"][part["shape"]]
        corners = numbers(shape["corners"]).reshape(-1, 3) + pose[:3]
        assert np.linalg.norm(corners, axis=1).max() <= data["reach"] * (1 + 1e-6)
        assert numbers(shape["triangles"], "<u4").max() < len(corners)


def test_parts_have_colours_and_those_that_are_held_are_told() -> None:
    parts = data_of(page(door(), "holds", []))["parts"]
    assert [p["name"] for p in parts] == ["frame", "leaf"]
    assert [p["grounded"] for p in parts] == [True, False]
    assert all(re.fullmatch("#[0-9a-f]{6}", p["colour"]) for p in parts)


def test_names_cannot_end_the_script_and_nothing_is_loaded() -> None:
    text = page(door(), "holds <b>", [])
    assert text.count("</script>") == 2  # of the data and of the program
    assert "door &lt;/script&gt;" in text and "holds \\u003cb>" in text
    assert not re.search(r"<[^>]*(src|href)=|url\(|import\(|fetch\(|XMLHttpRequest", text)


@pytest.mark.parametrize(
    ("axis", "gravity", "up"),
    [
        ("z", None, (0, 1, 0)),  # drawn in the xy plane
        ("y", None, (0, 0, 1)),
        ("y", (0, -9.81, 0), (0, 1, 0)),  # against gravity, whatever the mechanism
        ("z", (9.81, 0, 0), (-1, 0, 0)),
    ],
)
def test_up_is_against_gravity_or_what_the_plane_shows(
    axis: str, gravity: tuple[float, float, float] | None, up: tuple[float, float, float]
) -> None:
    a = door(axis)
    if gravity is not None:
        a.gravity = gravity
    frames = np.array([part.pose.frame for part in a.parts.values()])
    found, look = directions(a, frames)
    assert found == pytest.approx(up)
    assert np.linalg.norm(look) == pytest.approx(1.0) and look @ found > 0.2  # from above


def test_a_spatial_assembly_is_seen_with_z_upward() -> None:
    a = door()
    a.add("arm", features={"pin": asm.Axis((0, 0, 0), (1, 1, 0))})
    a.add_features("leaf", {"slant": asm.Axis((0, 0, 0), (0.3, 0.5, 1))})
    a.mate("revolute", "leaf.slant", "arm.pin")
    frames = np.array([part.pose.frame for part in a.parts.values()])
    assert directions(a, frames)[0] == pytest.approx((0, 0, 1))


def test_the_script_is_made_of_the_sources_that_stand_in_the_repository() -> None:
    """As `web/build.mjs` counts them: their names and texts, one after the other."""
    web, made = ROOT / "web", ROOT / "assembly_solver/report/viewer/viewer.bundle.js"
    names = sorted(["package-lock.json", *(f"src/{path.name}" for path in (web / "src").iterdir())])
    text = "\n".join(f"{name}\n{(web / name).read_text(encoding='utf-8')}" for name in names)
    key = sha256(text.encode()).hexdigest()
    script = made.read_text(encoding="utf-8")
    assert script.startswith(f"/* Made by web/build.mjs from sources {key}\n")
    assert "Permission is hereby granted, free of charge" in script  # three.js asks for it
    assert "</script" not in script.lower() and "<!--" not in script


def test_without_cadquery_a_sample_is_drawn_by_its_features_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cadquery", None)
    four_bar = asm.read(ROOT / "samples" / "four_bar.assembly.json")
    data = data_of(page(four_bar, "4 mates hold", []))
    told = "Parts are drawn by their features; their solids need: pip install 'assembly-solver"
    assert data["sentence"] == f"4 mates hold. {told}[cadquery]'."


def test_the_positions_of_an_assembly_are_told_with_their_poses_or_why_there_are_none() -> None:
    a = asm.read(ROOT / "samples/four_bar.assembly.json")
    a.position("up", {"crank": 90})
    a.position("flipped", {"crank pivot": 90}, mode="+++")
    a.position("torn", {"crank": 90, "rocker pivot": 0})
    data = scene_of(a).known.positions
    assert [(p.name, p.values, p.words) for p in data[:2]] == [
        ("up", {"crank": 90.0}, "crank 90 deg"),
        ("flipped", {"crank": 90.0}, "no mode '+++'; there are +, -"),
    ]
    assert "driver rocker pivot asks 0 deg" in data[2].words
    assert [p.frames is None for p in data] == [False, True, True]
