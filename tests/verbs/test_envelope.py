"""What a part sweeps over, against boxes and sectors of circles."""

from __future__ import annotations

import json
from math import pi
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.shapes.meshes import Mesh, read_mesh
from assembly_solver.foundations.geometry.level_surface import level_surface
from assembly_solver.kinematics.contact.geometry import winding

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("fcl")

SAMPLES = Path(asm.__file__).parents[1] / "samples"


def closed(mesh: Mesh) -> object:
    """The same for the library, which finds it closed and wound from outside."""
    out = trimesh.Trimesh(mesh.corners, mesh.triangles, process=False)
    assert out.is_watertight and out.is_winding_consistent
    return out


def test_a_level_surface_of_distances_is_a_sphere():
    middle = np.array([11.3, 11.7, 12.1])
    far = np.linalg.norm(np.moveaxis(np.indices((24, 24, 24)), 0, -1) - middle, axis=-1)
    mesh = Mesh(*level_surface(far, 8.0))
    assert closed(mesh).volume == pytest.approx(4 / 3 * pi * 8.0**3, rel=0.01)
    # of a chord of the longest edge, the diagonal of a cube, at the smallest radius of an end
    lack = 8.0 - np.linalg.norm(mesh.corners - middle, axis=1)
    assert np.abs(lack).max() <= 3 / (8 * (8 - 3**0.5))
    assert all(len(x) == 0 for x in level_surface(far, -1.0))


def test_a_surface_of_random_numbers_is_closed_too():
    values = np.ones((9, 9, 9))
    values[1:-1, 1:-1, 1:-1] = np.random.default_rng(0).normal(size=(7, 7, 7))
    assert closed(Mesh(*level_surface(values, 0.0))).volume > 0


def machine(folder: Path, joint: str) -> asm.Assembly:
    """A bar of 40 x 4 x 4 mm on a hinge about z at its end, or on a slide along z; and two posts,
    one in its way."""
    bar = trimesh.creation.box((40, 4, 4))
    bar.apply_translation((20, 0, 0))
    bar.export(folder / "bar.ply")
    trimesh.creation.box((2, 2, 2)).export(folder / "post.ply")
    a = asm.Assembly("machine", folder=folder)
    a.add("base", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    a.add("near", grounded=True, geometry="post.ply", pose=asm.Pose((15, 20, 0)))
    a.add("far", grounded=True, geometry="post.ply", pose=asm.Pose((45, 45, 0)))
    a.add("bar", geometry="bar.ply", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate(joint, "base.pin", "bar.pin", name="joint")
    a.drive("move", "joint", range=(0, 90))
    return a


def test_the_envelope_of_a_slide_is_a_box_and_a_little_more(tmp_path: Path):
    motion = asm.sweep(machine(tmp_path, "prismatic"), {"move": (0, 30)}, steps=1)
    found = asm.envelope(motion, "bar", 3.0)
    closed(found.mesh)
    x = found.mesh.corners
    away = np.maximum(np.maximum(np.array([0, -2, -2]) - x, x - np.array([40, 2, 32])), 0)
    outside = np.linalg.norm(away, axis=1)
    assert outside.min() > 0.0 and outside.max() <= found.deviation_mm == 3.0
    assert found.within == ()


@pytest.mark.parametrize("steps", [2, 18])
def test_the_envelope_of_a_hinged_bar_holds_its_sector(tmp_path: Path, steps: int):
    """Between the states, too: all places of the bar lie within, and the surface is near to one."""
    motion = asm.sweep(machine(tmp_path, "revolute"), {"move": (0, 90)}, steps=steps)
    found = asm.envelope(motion, "bar", 4.0)
    x = found.mesh.corners
    turns = np.radians(np.linspace(0, 90, 181))
    c, s = np.cos(turns)[:, None], np.sin(turns)[:, None]
    own = np.stack([c * x[:, 0] + s * x[:, 1], c * x[:, 1] - s * x[:, 0]], axis=2)
    low, high = np.array([0, -2]), np.array([40, 2])
    flat = np.maximum(np.maximum(low - own, own - high), 0)
    beside = np.maximum(np.abs(x[:, 2]) - 2, 0)
    outside = np.hypot(np.linalg.norm(flat, axis=2).min(axis=0), beside)
    assert outside.min() > 0.0 and outside.max() <= 4.0
    assert found.within == ("near",)
    assert found.words.endswith("mm (outside by up to 4 mm); near in it where the motion begins")


@pytest.mark.parametrize(("end", "pierced"), [(2, True), (20, False)])
def test_an_envelope_holds_what_dense_sampling_finds_and_little_more(
    tmp_path: Path, end: int, pierced: bool
):
    """Of a ring, 40 mm from a hinge, whose hole stays open in a little turn, and of its inside."""
    a = machine(tmp_path, "revolute")
    ring = trimesh.creation.annulus(6, 10, 6, sections=256)
    ring.apply_translation((40, 0, 0))
    ring.export(tmp_path / "bar.ply")
    found = asm.envelope(asm.sweep(a, {"move": (0, end)}, steps=3), "bar", 1.5)
    turns = np.radians(np.arange(0, end + 0.2, 0.2))[:, None]
    c, s = np.cos(turns), np.sin(turns)
    rng = np.random.default_rng(0)
    for x in np.array_split(found.mesh.corners, 20):
        far = np.hypot(c * x[:, 0] + s * x[:, 1] - 40, c * x[:, 1] - s * x[:, 0])
        away = np.maximum(np.maximum(6 - far, far - 10), 0).min(axis=0)
        outside = np.hypot(away, np.maximum(np.abs(x[:, 2]) - 3, 0))
        # of chords of the ring, 0.001 mm, and of 0.2 degrees
        assert outside.min() > 0.0 and outside.max() <= 1.5 + 0.001 + np.radians(0.1) * 50
    places, turns = rng.uniform((6, 0, -3), (10, 2 * pi, 3), (40, 3)), rng.uniform(0, end, 40)
    for (far, angle, z), turn in zip(places, np.radians(turns), strict=True):
        own = (40 + far * np.cos(angle)) + 1j * far * np.sin(angle)
        at = own * np.exp(1j * turn)
        assert winding(found.mesh, np.array([at.real, at.imag, z])) == pytest.approx(1.0)
    assert closed(found.mesh).euler_number == (0 if pierced else 2)


def test_a_part_that_rests_in_both_states_is_enclosed_between_them(tmp_path: Path):
    """A needle on an arm, turning back twice as fast as that: in a half turn its middle goes from
    x = 40 to -40 mm, and rests there."""
    needle = trimesh.creation.box((4, 1, 1))
    needle.apply_translation((20, 0, 0))
    needle.export(tmp_path / "needle.ply")
    a = asm.Assembly("hypocycloid", folder=tmp_path)
    a.add("base", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    ends = {"pin": asm.Axis((0, 0, 0), "z"), "end": asm.Axis((20, 0, 0), "z")}
    a.add("arm", features=ends)
    a.add("needle", geometry="needle.ply", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate("revolute", "base.pin", "arm.pin", name="hinge")
    a.mate("revolute", "arm.end", "needle.pin", name="joint")
    a.drive("turn", "hinge")
    a.drive("back", "joint")
    motion = asm.sweep(a, {"turn": (0, 180), "back": (0, -360)}, steps=1)
    found = asm.envelope(motion, "needle", 4.0)
    assert found.bounded and found.to_dict()["bounded"] and "estimated" not in found.words
    for turn in np.radians(np.linspace(1, 179, 60)):
        tip = 40 * np.cos(turn) + 2 * np.exp(-1j * turn) * np.array([-0.9, 0.9])
        for at in tip:
            assert winding(found.mesh, np.array([at.real, at.imag, 0.0])) == pytest.approx(1.0)


def test_an_envelope_in_a_loop_says_what_is_estimated():
    """The crank is driven, so its speed is bounded; that of the coupler is not."""
    motion = asm.sweep(asm.read(SAMPLES / "four_bar.assembly.json"), {"crank": (0, 90)}, steps=2)
    crank, coupler = (asm.envelope(motion, name, 20.0) for name in ("crank", "coupler"))
    assert crank.bounded and "(outside by up to 20 mm);" in crank.words
    assert not coupler.bounded and coupler.to_dict()["bounded"] is False
    assert "(outside by up to 20 mm; the way between poses is estimated);" in coupler.words


def test_an_envelope_has_no_hollow_where_the_part_always_is(tmp_path: Path):
    a = machine(tmp_path, "prismatic")
    trimesh.creation.box((60, 60, 60)).export(tmp_path / "bar.ply")
    found = asm.envelope(asm.sweep(a, {"move": (0, 1)}, steps=1), "bar", 5.0)
    assert 60 * 60 * 61 < closed(found.mesh).volume < 70 * 70 * 71


def test_the_command_writes_an_envelope_as_stl_and_glb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "machine.assembly.json"
    asm.write(machine(tmp_path, "prismatic"), file)
    said = ["envelope", str(file), "bar", "--driver", "move=0:10", "--deviation", "4", "--json"]
    corners = []
    for suffix in ("stl", "glb"):
        out = tmp_path / f"out.{suffix}"
        assert cli.main([*said, "-o", str(out)]) == 0
        corners.append(read_mesh(out, "bar").corners)
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["part"] == "bar" and told["deviation_mm"] == 4.0 and told["within"] == []
    assert [x.min(axis=0).tolist() for x in corners[:1]] == [
        pytest.approx(told["box"][0], abs=1e-5)
    ]
    # glTF has metres, and the world's z as its y
    low = np.array([corners[1][:, 0].min(), -corners[1][:, 2].max(), corners[1][:, 1].min()])
    assert 1000 * low == pytest.approx(told["box"][0], abs=1e-4)


def test_an_envelope_that_cannot_be_is_refused(tmp_path: Path):
    motion = asm.sweep(machine(tmp_path, "prismatic"), {"move": (0, 30)}, steps=1)
    for part, deviation, message in (
        ("base", None, "envelope: part 'base' has no shape"),
        ("baar", None, "no part 'baar'; did you mean 'bar'?"),
        ("bar", 0.0, "deviation: 0.0 is not possible here, it must be a length above 0"),
        ("bar", 1e-3, "deviation: 0.001 is not possible here, it must be at least 0."),
    ):
        with pytest.raises(AssemblySolverError) as caught:
            asm.envelope(motion, part, deviation)
        assert message in str(caught.value)
