"""Animations in glTF: keyframes at the poses of the motion, names, colours and shapes."""

from __future__ import annotations

import io
import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import trimesh

import assembly_solver as asm
from assembly_solver.errors import FormatError
from assembly_solver.formats.shapes.binary_gltf import linear_rgb, normals
from assembly_solver.foundations.geometry.pose import Pose, frames, poses_of
from assembly_solver.foundations.types import Array
from assembly_solver.report.viewer.triangles import pin

SAMPLES = Path(__file__).parents[2] / "samples"


class Gltf(NamedTuple):
    """A .glb file as the specification says it is read, by nothing of the writer."""

    document: dict[str, Any]
    buffer: bytes

    @staticmethod
    def scene(content: bytes) -> dict[str, Any]:
        """The document alone."""
        (size,) = struct.unpack_from("<I", content, 12)
        found: dict[str, Any] = json.loads(content[20 : 20 + size])
        return found

    @classmethod
    def read(cls, content: bytes) -> Gltf:
        magic, version, length = struct.unpack_from("<4sII", content)
        assert (magic, version, length) == (b"glTF", 2, len(content))
        size, kind = struct.unpack_from("<I4s", content, 12)
        assert kind == b"JSON" and size % 4 == 0
        rest, last = struct.unpack_from("<I4s", content, 20 + size)
        document = cls.scene(content)
        assert last == b"BIN\0" and document["buffers"] == [{"byteLength": rest}]
        assert len(content) == 28 + size + rest
        return cls(document, content[28 + size :])

    def numbers(self, accessor: int) -> Array:
        entry = self.document["accessors"][accessor]
        view = self.document["bufferViews"][entry["bufferView"]]
        kind = {5126: "<f4", 5125: "<u4"}[entry["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[entry["type"]]
        flat = np.frombuffer(self.buffer, kind, entry["count"] * width, view["byteOffset"])
        assert flat.nbytes == view["byteLength"] and view["byteOffset"] % 4 == 0
        rows = flat.reshape(-1, width)
        assert (
            rows.min(axis=0).tolist() == entry["min"] and rows.max(axis=0).tolist() == entry["max"]
        )
        return rows.astype(float)

    def nodes(self) -> dict[str, dict[str, Any]]:
        """The nodes below the root by name."""
        (root,) = self.document["scenes"][0]["nodes"]
        nodes = self.document["nodes"]
        assert nodes[root]["rotation"] == [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
        return {nodes[k]["name"]: nodes[k] for k in nodes[root]["children"]}

    def tracks(self) -> dict[tuple[str, str], tuple[Array, Array]]:
        """Times and values of each channel, by its node's name and its path."""
        (animation,) = self.document["animations"]
        out = {}
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            assert sampler["interpolation"] == "LINEAR"
            target = channel["target"]
            key = self.document["nodes"][target["node"]]["name"], target["path"]
            assert key not in out
            times, values = (self.numbers(sampler[k]) for k in ("input", "output"))
            assert len(times) == len(values) and (np.diff(times[:, 0]) > 0.0).all()
            out[key] = times[:, 0], values
        return out


def moving_parts(gltf: Gltf, motion: asm.Motion) -> set[str]:
    """The names of what moves, after its keyframes and what rests are held to the motion."""
    tracks, nodes = gltf.tracks(), gltf.nodes()
    assert [*nodes] == [*motion.parts]
    valid = motion.frames[motion.valid]
    t = motion.t[motion.valid] - motion.t[motion.valid][0]
    size = np.abs(valid[:, :, :3]).max()
    for k, name in enumerate(motion.parts):
        p, q = (np.tile(nodes[name][path], (len(t), 1)) for path in PATHS)
        if (name, "rotation") in tracks:
            (times, p), (_, q) = (tracks[name, path] for path in PATHS)
            assert nodes[name]["translation"] == pytest.approx(p[0].tolist(), rel=1e-6)
            np.testing.assert_allclose(times, t, rtol=1e-6)
        assert (np.einsum("nk,nk->n", q[1:], q[:-1]) > 0.0).all()
        placed = frames(1000.0 * p, q[:, [3, 0, 1, 2]])
        np.testing.assert_allclose(placed[:, :3], valid[:, k, :3], rtol=0, atol=1e-6 * size)
        np.testing.assert_allclose(placed[:, 3:], valid[:, k, 3:], rtol=0, atol=1e-6)
    return {name for name, _ in tracks}


PATHS = ("translation", "rotation")


def crank(turns: float = 1.0, steps: int = 36) -> asm.Motion:
    """A crank of two parts that turns about z, one degree a second."""
    a = asm.Assembly("crank")
    a.add("base", grounded=True, features={"pin": asm.Axis((50, 0, 0), "z")})
    a.add("crank", features={"pin": asm.Axis((0, 0, 0), "z"), "end": asm.Point((30, 0, 0))})
    a.mate("revolute", "base.pin", "crank.pin", name="pin")
    return asm.sweep(a, "pin", angle=(0.0, 360.0 * turns), steps=steps)


@pytest.mark.quick
@pytest.mark.parametrize("name", ["theo_jansen", "peaucellier"])
def test_nodes_at_keyframes_are_the_poses_of_the_motion(name: str) -> None:
    motion = asm.sweep(asm.read(SAMPLES / f"{name}.assembly.json"), "crank", steps=24)
    gltf = Gltf.read(asm.glb_animation(motion))
    moving = {p for p, part in motion.assembly.parts.items() if not part.grounded}
    assert moving_parts(gltf, motion) == moving
    (animation,) = gltf.document["animations"]
    assert (animation["name"], animation["extras"]["sentence"]) == ("crank", motion.sentence)


def test_between_keyframes_a_crank_turns_evenly_over_several_turns() -> None:
    """Linear interpolation of quaternions on the sphere, as the specification has it."""
    gltf = Gltf.read(asm.glb_animation(crank(turns=3.0)))
    times, q = gltf.tracks()["crank", "rotation"]
    assert times[-1] == 1080.0
    middle = (q[1:] + q[:-1]) / np.linalg.norm(q[1:] + q[:-1], axis=1, keepdims=True)
    half = np.radians(15.0 + 30.0 * np.arange(36)) / 2.0
    np.testing.assert_allclose(middle[:, 2], np.sin(half), atol=1e-6)
    np.testing.assert_allclose(middle[:, 3], np.cos(half), atol=1e-6)


def test_parts_rest_where_states_between_are_not_valid() -> None:
    motion = crank()
    valid, at = motion.valid.copy(), motion.frames.copy()
    valid[[0, 1, 10, 11]] = False
    at[~valid] = np.nan
    gltf = Gltf.read(asm.glb_animation(replace(motion, valid=valid, frames=at)))
    times, q = gltf.tracks()["crank", "rotation"]
    assert len(times) == 36 - 3 + 1 and times[0] == 0.0
    before, held, after = times[7:10]
    assert (before, after) == (70.0, 100.0) and 99.99 < held < 100.0
    assert np.array_equal(q[7], q[8]) and not np.array_equal(q[8], q[9])


def test_a_motion_without_a_valid_state_stands_still() -> None:
    motion = crank(steps=3)
    none = replace(motion, valid=np.zeros(4, bool), frames=np.full_like(motion.frames, np.nan))
    gltf = Gltf.read(asm.glb_animation(none))
    assert "animations" not in gltf.document
    assert gltf.nodes()["crank"]["translation"] == pytest.approx([0.05, 0.0, 0.0])


def colour(document: dict[str, Any], node: dict[str, Any]) -> list[float]:
    (first, *_) = document["meshes"][node["mesh"]]["primitives"]
    look = document["materials"][first["material"]]["pbrMetallicRoughness"]
    found: list[float] = look["baseColorFactor"]
    return found


def test_names_colours_and_solids_are_those_of_the_still_file(tmp_path: Path) -> None:
    pytest.importorskip("cadquery")
    motion = asm.sweep(asm.read(SAMPLES / "excavator.assembly.json"), "boom cylinder", steps=4)
    gltf = Gltf.read(asm.glb_animation(motion))
    assert len(moving_parts(gltf, motion)) == 13
    still = motion.assembly.copy()
    still.move(dict(zip(motion.parts, poses_of(motion.frames[0]), strict=True)))
    asm.write(still, tmp_path / "still.glb")
    other = Gltf.scene((tmp_path / "still.glb").read_bytes())
    named = {n["name"]: n for n in other["nodes"]}
    for name, node in gltf.nodes().items():
        mine, theirs = colour(gltf.document, node), colour(other, named[name])
        assert mine == pytest.approx(theirs, abs=1e-6), name
    contents = asm.glb_animation(motion), (tmp_path / "still.glb").read_bytes()
    own, reference = (trimesh.load(io.BytesIO(c), file_type="glb") for c in contents)
    np.testing.assert_allclose(own.bounds, reference.bounds, atol=0.0005)


def test_parts_of_a_rigid_sub_assembly_keep_names_and_colours() -> None:
    pytest.importorskip("cadquery")
    inner = asm.read(SAMPLES / "hinge.assembly.json")
    asm.solve(inner).require().apply()
    a = asm.Assembly("outer", folder=SAMPLES)
    a.add("base", grounded=True)
    a.add_assembly("hinge", inner, pose=Pose((100.0, 0.0, 0.0)))
    a.mate("prismatic", "base.origin", "hinge.origin", name="slide")
    motion = asm.sweep(a, "slide", length=(100.0, 300.0), steps=2)
    gltf = Gltf.read(asm.glb_animation(motion))
    assert moving_parts(gltf, motion) == {"hinge"}
    below = [gltf.document["nodes"][k] for k in gltf.nodes()["hinge"]["children"]]
    assert [node["name"] for node in below] == ["hinge.frame", "hinge.door"]
    colours = [inner.parts[name].colour or "" for name in ("frame", "door")]
    for node, name in zip(below, colours, strict=True):
        assert colour(gltf.document, node)[:3] == pytest.approx(linear_rgb(name, "hinge"))
    w, *v = inner.parts["door"].pose.quaternion_wxyz
    assert below[1]["rotation"] == pytest.approx([*v, w])


def test_colours_are_linear_in_light() -> None:
    assert linear_rgb("#ff0080", "lid") == pytest.approx([1.0, 0.0, 0.21586050], abs=1e-7)
    pytest.importorskip("cadquery")
    assert linear_rgb("red", "lid") == pytest.approx([1.0, 0.0, 0.0])
    with pytest.raises(FormatError, match=r"parts\.lid\.x-colour: 'blurple' is not a colour name"):
        linear_rgb("blurple", "lid")


def test_shading_is_smooth_on_a_round_pin_and_flat_on_its_ends() -> None:
    mesh = pin(np.zeros(3), np.array([0.0, 0.0, 5.0]), 2.0)
    across = normals(mesh.corners, mesh.triangles)
    side = np.abs(across[:, 2]) < 0.5
    np.testing.assert_allclose(across[side][:, :2], mesh.corners[side][:, :2] / 2.0, atol=1e-12)
    np.testing.assert_allclose(across[~side][:, 2], np.where(mesh.corners[~side][:, 2] > 1, 1, -1))
