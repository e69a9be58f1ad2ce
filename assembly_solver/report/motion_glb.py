"""A motion as a binary glTF file (.glb) that plays: the parts at their poses over time.

Lengths are metres and the world's z is glTF's y, as in the .glb file of an assembly; the poses of
parts are in the node of the whole, which turns z to y.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from ..formats.shapes.binary_gltf import METRES_PER_MM, BinaryGltf
from ..foundations.geometry.pose import Pose, frames_of, quaternions
from ..foundations.types import Array, Ints
from ..results.motion import Motion
from .viewer.part_shapes import PlacedSolid, placed_solids, shapes_of
from .viewer.triangles import TriangleMesh
from .viewer.viewer import PALETTE, extent

UPRIGHT_XYZW = [-sqrt(0.5), 0.0, 0.0, sqrt(0.5)]
"""The rotation that turns z to y."""


def glb_animation(motion: Motion) -> bytes:
    """The content of a .glb file with the animated parts, for viewers of glTF 2.0.

    Each part is a node with its name, its colour and its shape as `view` draws it: its geometry
    file, or else its features.  Keyframes are the valid states at their times, s, from 0; between
    two of them viewers move and turn evenly.  Where states between are not valid, parts rest;
    without any valid state they stand still at their poses in `motion.assembly`.

    Args:
        motion: of `sweep`; its `speed` is that of the animation.

    Raises:
        FormatError: a geometry file or a colour cannot be read.
        MissingExtra: a part has a STEP file and CadQuery is not installed.
    """
    document = BinaryGltf()
    parts = _parts(document, motion)
    root = document.add(
        "nodes", name=motion.assembly.name, rotation=UPRIGHT_XYZW, children=[*parts.values()]
    )
    _animate(document, motion, parts)
    document.add("scenes", name=motion.assembly.name, nodes=[root])
    return document.file(scene=0)


def _parts(document: BinaryGltf, motion: Motion) -> dict[str, int]:
    """A node for each part by name, at the first valid state; of a rigid sub-assembly with one
    below it for each of its parts."""
    assembly, frames = motion.assembly, motion.frames[motion.valid]
    if not len(frames):
        frames = frames_of([part.pose for part in assembly.parts.values()])[None]
    files: dict[Path, TriangleMesh] = {}
    shapes, _ = shapes_of(assembly, extent(assembly, frames), files=files)
    meshes = _Meshes(document)
    nodes = {}
    for k, name in enumerate(motion.parts):
        part, own = assembly.parts[name], PALETTE[k % len(PALETTE)]
        inside = [*placed_solids(part, assembly.folder, files)] if part.inner else []
        if inside:
            below = [_node(document, s.pose.frame, meshes.of(s, s.colour or own)) for s in inside]
            told = {"name": name, "children": below}
        else:
            told = meshes.of(PlacedSolid(name, None, Pose(), shapes[name]), part.colour or own)
        nodes[name] = _node(document, frames[0, k], told)
    return nodes


def _node(document: BinaryGltf, frame: Array, told: dict[str, Any]) -> int:
    """A node at a frame, (12,), mm."""
    translation, rotation = tracks(frame[None])
    pose = {"translation": translation[0].tolist(), "rotation": rotation[0].tolist()}
    return document.add("nodes", **told, **pose)


class _Meshes:
    """The meshes and materials of a document, each once."""

    def __init__(self, document: BinaryGltf) -> None:
        self.document = document
        self.materials: dict[str, int] = {}
        self.known: dict[tuple[int, str], int] = {}

    def of(self, solid: PlacedSolid, colour: str) -> dict[str, Any]:
        """The name of a node, and its mesh where it has triangles."""
        key, shape = (id(solid.mesh), colour), solid.mesh
        if not len(shape.triangles):
            return {"name": solid.name}
        if colour not in self.materials:
            self.materials[colour] = self.document.material(colour, solid.name)
        if key not in self.known:
            corners, look = METRES_PER_MM * shape.corners, self.materials[colour]
            mesh = self.document.mesh(solid.name, corners, shape.triangles, look)
            self.known[key] = mesh
        return {"name": solid.name, "mesh": self.known[key]}


def _animate(document: BinaryGltf, motion: Motion, parts: dict[str, int]) -> None:
    """Channels of the parts that move; none where there is one keyframe."""
    states, times = keyframes(motion)
    frames = motion.frames[states]
    moving = (frames != frames[:1]).any(axis=(0, 2))
    if not moving.any():
        return
    time = document.numbers(times)
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    for name, moves, own in zip(motion.parts, moving, frames.swapaxes(0, 1), strict=True):
        for path, values in zip(("translation", "rotation"), tracks(own), strict=True):
            if not moves:
                continue
            channels.append(
                {"sampler": len(samplers), "target": {"node": parts[name], "path": path}}
            )
            output = document.numbers(values)
            samplers.append({"input": time, "interpolation": "LINEAR", "output": output})
    name = ", ".join(motion.prescribed) or "time"
    told = {"sentence": motion.sentence}
    document.add("animations", name=name, channels=channels, samplers=samplers, extras=told)


def keyframes(motion: Motion) -> tuple[Ints, Array]:
    """Indices of the states that are keyframes, and their times, s, in single precision.

    Times increase strictly, as glTF requires: states nearer than single precision are left out.
    Before a state that follows on invalid ones, the last valid one is a keyframe again.
    """
    states: list[int] = []
    times: list[np.float32] = []
    valid, last = np.flatnonzero(motion.valid), np.float32(-1.0)
    for k in valid.tolist():
        t = np.float32(motion.t[k] - motion.t[valid[0]])
        if states and k > states[-1] + 1 and np.nextafter(t, last) > last:
            states.append(states[-1])
            last = np.nextafter(t, last)
            times.append(last)
        if t > last:
            states.append(k)
            times.append(t)
            last = t
    return np.array(states, int), np.array(times)


def tracks(frames: Array) -> tuple[Array, Array]:
    """Translations (n, 3), m, and quaternions [x, y, z, w] (n, 4), without jumps, of frames."""
    q = quaternions(frames)[:, [1, 2, 3, 0]]
    flips = np.einsum("nk,nk->n", q[1:], q[:-1]) < 0.0
    q[1:] *= np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)[:, None]
    return METRES_PER_MM * frames[:, :3], q
