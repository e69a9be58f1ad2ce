"""Writes the geometry files of all parts at their poses as one .step, .stp or .glb file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ...errors import FormatError, NoGeometry
from ...foundations.geometry.pose import Pose
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.part import Part
from .binary_gltf import METRES_PER_MM, BinaryGltf
from .meshes import read_mesh
from .step_shapes import cadquery_for, named_colour, step_shape

SUFFIXES = (".step", ".stp", ".glb")
PURPOSE = "writing .step and .glb"
GREY = "#b0b0b0"
"""The colour in a .glb of parts that have none."""


def write(assembly: Assembly, path: Path) -> None:
    """Write the parts' solids at their poses, with the parts' names and colours.

    Args:
        assembly: its parts' `geometry` names STEP files (absolute, or from `assembly.folder`), for
            a .glb also meshes; parts without geometry are skipped, and of a rigid sub-assembly its
            parts are written.
        path: target, by suffix .step or .stp (mm) or .glb (metres, the world's z mapped to glTF's
            y; curved faces within 0.05 mm).  It is written to a temporary folder and renamed: an
            interrupted write leaves an old file intact.

    Raises:
        MissingExtra: cadquery is not installed.
        NoGeometry: no part has geometry.
        FormatError: an unknown suffix, a colour or a geometry file that cannot be read, or a
            target that could not be written.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise FormatError(path.name, f"solids are written as {', '.join(SUFFIXES)}")
    if not any(map(_has_geometry, assembly.parts.values())):
        raise NoGeometry(assembly.name, path.name)
    if path.suffix.lower() == ".glb":
        path.write_bytes(_glb(assembly))
        return
    _place(cadquery_for(PURPOSE), assembly).export(str(path), exportType="STEP")
    if not path.is_file():
        raise FormatError(path.name, "the geometry kernel could not write it")


def _place(cq: ModuleType, assembly: Assembly) -> Any:
    """The CadQuery assembly: one named, coloured child for each part with geometry."""
    # CadQuery wants the root's name to differ from every child's
    root = assembly.name
    while root in assembly.parts:
        root += " assembly"
    placed = cq.Assembly(name=root)
    shapes: dict[Path, Any] = {}

    def add(name: str, part: Part, within: Any, colour: str | None) -> None:
        where = within * _location(cq, part.pose)
        if part.geometry is not None:
            file = assembly.folder / part.geometry
            if file not in shapes:
                shapes[file] = step_shape(file, name, PURPOSE)
            shown = named_colour(cq, colour or part.colour, name)
            placed.add(shapes[file], name=name, loc=where, color=shown)
        for inner, child in part.inner.items():
            add(f"{name}.{inner}", child, where, colour or part.colour)

    for name, part in assembly.parts.items():
        add(name, part, cq.Location(), None)
    return placed


def _has_geometry(part: Part) -> bool:
    return part.geometry is not None or any(map(_has_geometry, part.inner.values()))


def _glb(assembly: Assembly) -> bytes:
    """A node for each part with geometry; coordinates (x, z, -y) of the world's."""
    document = BinaryGltf()
    looks: dict[str, int] = {}
    meshes: dict[tuple[Path, int], int] = {}

    def nodes(name: str, part: Part, pose: Pose, outer: str | None) -> Iterator[int]:
        colour = outer or part.colour
        if part.geometry is not None:
            shown = colour or GREY
            if shown not in looks:
                looks[shown] = document.material(shown, name)
            key = assembly.folder / part.geometry, looks[shown]
            if key not in meshes:
                mesh = read_mesh(key[0], name)
                corners = METRES_PER_MM * _upright(mesh.corners)
                meshes[key] = document.mesh(name, corners, mesh.triangles, key[1])
            w, *v = (float(x) for x in pose.quaternion_wxyz)
            at = METRES_PER_MM * _upright(np.array([pose.position]))[0]
            turn = [*_upright(np.array([v]))[0].tolist(), w]
            yield document.add(
                "nodes", name=name, mesh=meshes[key], translation=at.tolist(), rotation=turn
            )
        for inner, child in part.inner.items():
            yield from nodes(f"{name}.{inner}", child, pose @ child.pose, colour)

    every = [
        n for name, part in assembly.parts.items()
        for n in nodes(name, part, part.pose, None)
    ]  # fmt: skip
    document.add("scenes", name=assembly.name, nodes=every)
    return document.file(scene=0)


def _upright(vectors: Array) -> Array:
    """Vectors (n, 3) with the world's z as their y."""
    return vectors[:, [0, 2, 1]] * (1.0, 1.0, -1.0)


def _location(cq: ModuleType, pose: Pose) -> Any:
    """The pose as an OpenCASCADE location, by its axis and angle (degrees)."""
    w, *v = (float(x) for x in pose.quaternion_wxyz)
    sine = math.hypot(*v)
    axis = tuple(x / sine for x in v) if sine else (0.0, 0.0, 1.0)
    angle = math.degrees(2.0 * math.atan2(sine, w))
    return cq.Location(tuple(float(x) for x in pose.position), axis, angle)
