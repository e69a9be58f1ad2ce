"""The distance of two parts over a motion, against closed forms."""

from __future__ import annotations

import json
from math import atan2, degrees, hypot
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("fcl")


def passing(folder: Path) -> asm.Assembly:
    """A bar of 100 x 4 x 4 mm on a hinge at its end, whose tip passes 9 mm below a post."""
    bar = trimesh.creation.box((100, 4, 4))
    bar.apply_translation((50, 0, 0))
    bar.export(folder / "bar.ply")
    trimesh.creation.box((2, 2, 2)).export(folder / "post.ply")
    a = asm.Assembly("passing", folder=folder)
    a.add("base", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    a.add("post", grounded=True, geometry="post.ply", pose=asm.Pose((0, 110, 0)))
    a.add("bar", geometry="bar.ply", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate("revolute", "base.pin", "bar.pin", name="hinge")
    a.drive("turn", "hinge")
    return a


def test_the_nearest_place_is_found_between_the_states(tmp_path: Path):
    """Where a corner of the tip, not the middle of its face, is straight above the hinge."""
    motion = asm.sweep(passing(tmp_path), {"turn": np.array([0.0, 40.0, 80.0, 89.0])})
    found = asm.clearance(motion, "post", "bar")
    assert found.values[0] == pytest.approx(109 - 2, abs=1e-4)  # the file has single precision
    turn = np.radians(89.0)
    assert found.values[-1] == pytest.approx(109 - 100 * np.sin(turn) - 2 * np.cos(turn), abs=1e-4)
    assert found.least_mm == pytest.approx(109 - hypot(100, 2), abs=1e-4)
    assert found.least_mm < found.values.min()
    assert found.at == {"turn": pytest.approx(90 - degrees(atan2(2, 100)), abs=0.01)}
    assert found.words == "post and bar come as near as 8.98 mm at turn 88.8542 deg"
    assert json.loads(json.dumps(found.to_dict()))["least_mm"] == found.least_mm


def test_parts_that_touch_have_no_clearance(tmp_path: Path):
    a = passing(tmp_path)
    a.move({"post": asm.Pose((0, 100, 0))})
    found = asm.clearance(asm.sweep(a, {"turn": (0, 90)}, steps=3), "bar", "post")
    assert found.least_mm == 0.0 and found.values[-1] == 0.0 and found.parts == ("bar", "post")


def test_a_clearance_that_cannot_be_is_refused(tmp_path: Path):
    motion = asm.sweep(passing(tmp_path), {"turn": (0, 20)}, steps=2)
    with pytest.raises(AssemblySolverError, match="clearance: part 'base' has no shape"):
        asm.clearance(motion, "base", "bar")
    with pytest.raises(AssemblySolverError, match="no part 'pots'; did you mean 'post'"):
        asm.clearance(motion, "pots", "bar")
