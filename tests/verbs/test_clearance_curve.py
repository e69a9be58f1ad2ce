"""The distance of two parts over a motion, against closed forms."""

from __future__ import annotations

import json
from math import acos, atan2, degrees, hypot
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.errors import AssemblySolverError
from assembly_solver.kinematics.contact import part_clearance
from assembly_solver.kinematics.contact.geometry import separation

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


@pytest.mark.parametrize("value", [0, 180])
def test_clearance_and_contact_name_one_place_where_parts_begin_to_touch(
    tmp_path: Path, value: int
):
    """The bar's side comes upon a corner of the post's lower face, from either side."""
    a = passing(tmp_path)
    a.move({"post": asm.Pose((0, 100, 0))})
    a.remove_driver("turn")
    a.drive("turn", "hinge", value=value, range=(0, 180))
    asm.solve(a).require().apply()
    a.check("clearance", name="near", parts=("post", "bar"), min=1)
    a.check("contact", name="free", parts=("post", "bar"))
    at = abs(value - degrees(acos(2 / hypot(99, 1)) - atan2(1, 99)))
    motion = asm.sweep(a, {"turn": (value, 180 - value)}, steps=3, contact="tell")
    (event,) = motion.events
    found = asm.clearance(motion, "post", "bar")
    assert event.at["turn"] == pytest.approx(at, abs=1e-4)  # single precision, as above
    assert found.at["turn"] == pytest.approx(event.at["turn"], abs=2e-7)
    assert found.words == event.words == f"post and bar touch at turn {at:.6g} deg"
    near, free = (f for f in asm.check(a).findings if f.name in ("near", "free"))
    assert near.found == 0.0 and near.words.endswith(f"< 1 mm at turn = {at:.6g} deg")
    assert near.place.value == pytest.approx(free.place.value, abs=2e-7)


def test_a_clearance_that_cannot_be_is_refused(tmp_path: Path):
    motion = asm.sweep(passing(tmp_path), {"turn": (0, 20)}, steps=2)
    with pytest.raises(AssemblySolverError, match="clearance: part 'base' has no shape"):
        asm.clearance(motion, "base", "bar")
    with pytest.raises(AssemblySolverError, match="no part 'pots'; did you mean 'post'"):
        asm.clearance(motion, "pots", "bar")


def test_a_sweep_tells_how_near_pairs_come_in_all_its_outputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    a = passing(tmp_path)
    motion = asm.sweep(a, {"turn": (0, 90)}, steps=3, clearance=[("post", "bar")])
    (near,) = motion.clearances
    assert near.points == (
        pytest.approx((0, 109, near.points[0][2]), abs=2.1),  # on the post's lower face
        pytest.approx((0, 100.02, near.points[1][2]), abs=0.03),  # the corner of the tip
    )
    assert "post and bar come as near as 8.98 mm at turn 88.8542 deg" in motion.sentence
    assert motion.to_dict()["clearance"][0]["least_mm"] == near.least_mm
    assert motion._repr_html_().count("post - bar") >= 1
    file = tmp_path / "passing.assembly.json"
    asm.write(a, file)
    out = str(tmp_path / "near.csv")
    words = ["sweep", str(file), "--driver", "turn=0:90", "--steps", "3", "-o", out]
    assert cli.main([*words, "--clearance", "post:bar"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "post - bar 8.9800 turn 88.8542 deg" in said
    header, first, *_ = Path(out).read_text().splitlines()
    row = dict(zip(header.split(","), first.split(","), strict=True))
    assert float(row["clearance:post - bar"]) == pytest.approx(107.0, abs=1e-4)
    for given, said in (("post", 'two parts, as in "arm:wall", or all'), ("post:bat", "'bat'")):
        assert cli.main([*words, "--clearance", given]) == 2
        assert said in capsys.readouterr().err


def test_all_pairs_are_those_that_contact_watches(tmp_path: Path):
    motion = asm.sweep(passing(tmp_path), {"turn": (0, 90)}, steps=3, clearance="all")
    assert [c.parts for c in motion.clearances] == [("post", "bar")]
    with pytest.raises(AssemblySolverError, match=r"clearance\.pairs"):
        asm.sweep(passing(tmp_path), {"turn": (0, 90)}, clearance="some")


def test_the_nearer_one_of_two_dips_is_found_even_if_a_state_is_nearer_in_the_other(tmp_path: Path):
    """Posts in one part: at 30 degrees, where a state is, and a nearer one at 75 between two."""
    a = passing(tmp_path)
    posts = [trimesh.creation.icosphere(2, 2.0) for _ in range(2)]
    for post, at, out in zip(posts, (30.0, 75.0), (112.0, 111.0), strict=True):
        post.apply_translation((out * np.cos(np.radians(at)), out * np.sin(np.radians(at)), 0))
    trimesh.util.concatenate(posts).export(tmp_path / "post.ply")
    a.move({"post": asm.Pose((0, 0, 0))})
    motion = asm.sweep(a, {"turn": (0, 90)}, steps=3, clearance=[("post", "bar")])
    (near,) = motion.clearances
    assert int(np.argmin(near.values)) == 1
    assert near.at["turn"] == pytest.approx(75.0, abs=1.5)  # flat facets, and a flat tip
    assert near.least_mm == pytest.approx(9.0, abs=0.1)


def test_a_dip_is_found_though_the_distance_falls_at_both_states(tmp_path: Path):
    """At 0 degrees the bar comes nearer to a post at 7 degrees, at 120 to one at 180 degrees."""
    a = passing(tmp_path)
    posts = [trimesh.creation.box((2, 2, 40)) for _ in range(2)]
    for post, at, out in zip(posts, (7.0, 180.0), (110.0, 140.0), strict=True):
        post.apply_translation((out * np.cos(np.radians(at)), out * np.sin(np.radians(at)), 0))
    trimesh.util.concatenate(posts).export(tmp_path / "post.ply")
    a.move({"post": asm.Pose((0, 0, 0))})
    coarse, fine = (
        asm.sweep(a, {"turn": (0, 120)}, steps=steps, clearance="all").clearances[0]
        for steps in (1, 400)
    )
    assert coarse.values[0] > coarse.least_mm + 1.0
    assert coarse.least_mm == pytest.approx(fine.least_mm, abs=1e-6)


def test_states_that_are_too_far_are_looked_at_when_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Of 41 states the bar is far from the post in most; and `values` has them all."""
    looked: list[float] = []

    def counted(*given: object) -> object:
        found = separation(*given)
        looked.append(found.distance)
        return found

    monkeypatch.setattr(part_clearance, "separation", counted)
    motion = asm.sweep(passing(tmp_path), {"turn": (0, 160)}, steps=40)
    found = asm.clearance(motion, "post", "bar")
    assert found.least_mm == pytest.approx(109 - hypot(100, 2), abs=1e-4)
    assert len(looked) <= 25
    every = part_clearance.PartClearance(motion.assembly, ("post", "bar"), "").along(motion.frames)
    assert found.values == pytest.approx(every, abs=1e-9) and len(every) == 41


def test_the_nearest_of_two_dips_in_one_very_long_step_is_found_and_its_bound_told(tmp_path: Path):
    """In one step over 300 degrees: a post 11 mm beyond the bar's tip at 100, one 10.5 at 200."""
    a = passing(tmp_path)
    posts = [trimesh.creation.box((2, 2, 40)) for _ in range(2)]
    for post, at, out in zip(posts, (100.0, 200.0), (112.0, 111.5), strict=True):
        turn = np.radians(at)
        post.apply_transform(trimesh.transformations.rotation_matrix(turn, (0, 0, 1)))
        post.apply_translation((out * np.cos(turn), out * np.sin(turn), 0))
    trimesh.util.concatenate(posts).export(tmp_path / "post.ply")
    a.move({"post": asm.Pose((0, 0, 0))})
    (near,) = asm.sweep(a, {"turn": (0, 300)}, steps=1, clearance="all").clearances
    assert near.least_mm == pytest.approx(110.5 - hypot(100, 2), abs=1e-4)
    assert near.at["turn"] == pytest.approx(200.0, abs=1.5)  # 1.15: the tip's corners
    assert 0.0 < near.off_mm <= 0.01 * hypot(50, 2, 2)  # 1 % of the bar's radius


def test_a_clearance_within_a_loop_is_called_sampled(tmp_path: Path):
    a = asm.read("samples/four_bar.assembly.json")
    motion = asm.sweep(a, {"crank": (0, 180)}, steps=6, clearance=[("crank", "rocker")])
    (near,) = motion.clearances
    assert near.words.endswith(" deg (sampled)") and near.to_dict()["off_mm"] is None


def test_the_rate_of_a_distance_is_its_difference_quotient(tmp_path: Path):
    a, near = passing(tmp_path), 1e-3
    motion = asm.sweep(a, {"turn": np.array([20.0, 50.0, 50.0 + near, 80.0])})
    found = part_clearance.PartClearance(a, ("bar", "post"), "clearance")
    rate = found.rate(found.nearest(motion.frames[1]), motion.frames[1], motion.twists[1])
    before, after = found.along(motion.frames[1:3])
    assert rate < -1.0
    assert rate * (motion.t[2] - motion.t[1]) == pytest.approx(after - before, rel=1e-4)
