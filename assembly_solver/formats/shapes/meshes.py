"""Triangles of the parts' geometry files, in the coordinates of each part, mm."""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import FormatError, MissingExtra, UnknownName
from ...foundations.geometry.pose import Pose
from ...foundations.numerics.rounding import DIGITS
from ...foundations.types import Array, Ints
from ...model.part import Part
from .solids import step_shape

SOLIDS = (".step", ".stp")
MESHES = (".stl", ".obj", ".ply", ".off", ".glb")

DEVIATION = 0.05
"""Largest distance of triangles from a curved face of a solid, mm."""

TURN = 0.1
"""Largest angle between neighbouring triangles of a curved face, rad."""

KEPT = 64
"""Most files whose triangles are kept."""


class Ball(NamedTuple):
    """The sphere that a solid is: its centre, (3,), and radius, mm."""

    centre: Array
    radius: float


class Mesh(NamedTuple):
    """Triangles: corners (n, 3), mm, and the three corners of each triangle (m, 3).

    `flat`: they are the faces of a solid, which are all plane; `ball`: the sphere that they are of.
    """

    corners: Array
    triangles: Ints
    flat: bool = False
    ball: Ball | None = None


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
    )


def _meshes(part: Part, folder: Path, within: Pose) -> list[Mesh]:
    out = []
    if part.geometry is not None:
        mesh = read_mesh(folder / part.geometry, part.name)
        corners = within.position + mesh.corners @ within.rotation.T
        ball = mesh.ball
        if ball is not None:
            ball = Ball(within.position + within.rotation @ ball.centre, ball.radius)
        out.append(mesh._replace(corners=corners, ball=ball))
    for inner in part.inner.values():
        out += _meshes(inner, folder, within @ inner.pose)
    return out


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
    flat = {f.geomType() for f in shape.Faces()} == {"PLANE"}
    flat = flat and {e.geomType() for e in shape.Edges()} == {"LINE"}
    placed = np.array([v.toTuple() for v in corners])
    return Mesh(placed, np.array(triangles, np.int64), flat, _ball(shape))


def _ball(shape: Any) -> Ball | None:
    """The sphere that a shape is; None if it is another one."""
    faces = shape.Faces()
    if len(shape.Solids()) != 1 or {f.geomType() for f in faces} != {"SPHERE"}:
        return None
    sphere = faces[0]._geomAdaptor().Sphere()
    radius, at = sphere.Radius(), sphere.Location()
    whole = 4.0 / 3.0 * pi * radius**3  # of parts of several spheres, or of one, it is less
    if abs(shape.Volume() - whole) > DIGITS * whole:
        return None
    return Ball(np.array([at.X(), at.Y(), at.Z()]), radius)
