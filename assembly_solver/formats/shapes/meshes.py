"""Triangles of the parts' geometry files, in the coordinates of each part, mm."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import FormatError, MissingExtra, UnknownName
from ...foundations.geometry.pose import Pose
from ...foundations.geometry.round_bars import RoundBar
from ...foundations.types import Array, Ints
from ...model.part import Part
from .plain_solids import Ball, ball_of, bars_of, is_flat
from .step_shapes import step_shape

SOLIDS = (".step", ".stp")
MESHES = (".stl", ".obj", ".ply", ".off", ".glb")

DEVIATION = 0.05
"""Largest distance of triangles from a curved face of a solid, mm."""

TURN = 0.1
"""Largest angle between neighbouring triangles of a curved face, rad."""

KEPT = 64
"""Most files whose triangles are kept."""


class Mesh(NamedTuple):
    """Triangles: corners (n, 3), mm, and the three corners of each triangle (m, 3).

    `flat`: they are the faces of a solid, which are all plane; `ball`, `bars`: the sphere, or the
    round bars, that they are of.
    """

    corners: Array
    triangles: Ints
    flat: bool = False
    ball: Ball | None = None
    bars: tuple[RoundBar, ...] = ()


_KNOWN: dict[tuple[Path, int, int], Mesh] = {}


def part_mesh(part: Part, folder: Path) -> Mesh | None:
    """One mesh of a part and the parts inside it, in part coordinates; None without geometry.

    Raises:
        UnknownName, FormatError: a file of an unknown format, or one that cannot be read.
        MissingExtra: trimesh or cadquery is not installed.
    """
    found = _meshes(part, folder, Pose())
    if not found:
        return None
    if len(found) == 1:
        return found[0]
    first = np.cumsum([0, *(len(m.corners) for m in found[:-1])])
    return Mesh(
        np.concatenate([m.corners for m in found]),
        np.concatenate([m.triangles + n for m, n in zip(found, first, strict=True)]),
        all(m.flat for m in found),
        bars=tuple(bar for m in found for bar in m.bars) if all(m.bars for m in found) else (),
    )


def _meshes(part: Part, folder: Path, within: Pose) -> list[Mesh]:
    out = []
    if part.geometry is not None:
        mesh = read_mesh(folder / part.geometry, part.name)
        out.append(mesh if within == Pose() else _placed(mesh, within))
    for inner in part.inner.values():
        out += _meshes(inner, folder, within @ inner.pose)
    return out


def _placed(mesh: Mesh, pose: Pose) -> Mesh:
    origin, rotation = np.array(pose.position), pose.rotation
    ball = None if mesh.ball is None else mesh.ball.placed(origin, rotation)
    bars = tuple(bar.placed(origin, rotation) for bar in mesh.bars)
    return mesh._replace(corners=origin + mesh.corners @ rotation.T, ball=ball, bars=bars)


def read_mesh(file: Path, part: str) -> Mesh:
    """The triangles in the geometry file of a part, by its suffix; errors as of `part_mesh`.

    Those of a file that has not changed are kept: they must not be written to.
    """
    try:
        state = file.stat()
    except OSError:
        return _read(file, part)  # which says what is wrong
    key = (file.resolve(), state.st_mtime_ns, state.st_size)
    if key not in _KNOWN:
        _KNOWN[key] = _read(file, part)
        for old in list(_KNOWN)[:-KEPT]:
            del _KNOWN[old]
    return _KNOWN[key]


def _read(file: Path, part: str) -> Mesh:
    suffix, place = file.suffix.lower(), f"parts.{part}.geometry"
    if suffix in SOLIDS:
        return _of_solid(file, part)
    if suffix not in MESHES:
        raise UnknownName("geometry format", suffix, (*SOLIDS, *MESHES), place)
    if not file.is_file():
        raise FormatError(place, f"there is no file {file}")
    try:
        import trimesh
    except ImportError:
        raise MissingExtra("mesh", f"reading {suffix}") from None
    try:
        mesh: Any = trimesh.load(str(file), force="mesh")
    except Exception as error:  # its readers raise errors of any type
        raise FormatError(place, f"{file} cannot be read: {error}") from None
    corners = np.array(mesh.vertices, np.float64).reshape(-1, 3)
    if not len(corners):
        raise FormatError(place, f"{file} has no triangles")
    return Mesh(corners, np.array(mesh.faces, np.int64).reshape(-1, 3))


def _of_solid(file: Path, part: str) -> Mesh:
    """The triangles of the shape in a STEP file."""
    shape = step_shape(file, part, "reading STEP", "mesh")
    corners, triangles = shape.tessellate(DEVIATION, TURN)
    if not triangles:
        raise FormatError(f"parts.{part}.geometry", f"{file} has no faces")
    placed = np.array([v.toTuple() for v in corners])
    faces = np.array(triangles, np.int64)
    return Mesh(placed, faces, is_flat(shape), ball_of(shape), bars_of(shape))
