"""The mesh of each part in its frame, mm: from its geometry file, or of pins, plates and links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...formats.freecad.stored_solids import stored_solids
from ...formats.shapes.meshes import MESHES, read_mesh
from ...formats.shapes.shape_reader import started
from ...formats.shapes.step_shapes import step_shape
from ...foundations.geometry.pose import Pose
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.building.groups import references
from ...model.feature import Axis, Feature, Plane
from ...model.part import Part
from .plates import plates
from .triangles import EMPTY, TriangleMesh, ball, border, faceted, pin, plate

DEVIATION = 1e-3
"""A setting: largest distance between a curved face and its triangles, relative to the size of the
part."""

TURN = 0.25
"""Largest angle between adjacent triangles of a curved face, rad."""


BY_FEATURES = "Parts without geometry are drawn by their features."
NOT_INSTALLED = (
    "Parts are drawn by their features; their solids need: pip install 'assembly-solver[cadquery]'."
)


def shapes_of(
    assembly: Assembly,
    reach: float,
    solid: bool = True,
    files: dict[Path, TriangleMesh] | None = None,
) -> tuple[dict[str, TriangleMesh], str]:
    """A mesh for every part, and a sentence where any of them is drawn from its features.

    Args:
        assembly: parts with geometry files are drawn from these (STEP through CadQuery), those of a
            FreeCAD file from the solids in it if CadQuery is installed, links of a drawing as
            plates, others by symbols of their mated features, joined by bars.
        reach: size of the assembly, mm, to which symbols are scaled.
        solid: whether geometry files are read; files: keeps what is read.

    Raises:
        MissingExtra: a STEP file has to be read and CadQuery is not installed.
    """
    files = {} if files is None else files
    used: dict[str, dict[str, None]] = {name: {} for name in assembly.parts}
    for held in assembly.held.values():
        for ref in references(held.mate).values():
            used[ref.part][ref.feature] = None
    out, drawn = {}, ""
    inside, missing = _stored(assembly) if solid else ({}, False)
    links = plates(assembly.drawing, 0.012 * reach)
    for name, part in assembly.parts.items():
        own = _solid(part, assembly.folder, files) if solid else None
        own = inside.get(name) if own is None else own
        shape = links.get(name) if own is None else own
        if shape is None:
            features = [part.feature(f) for f in (used[name] or dict.fromkeys(part.features))]
            shape, drawn = (
                skeleton(features, 0.012 * reach),
                NOT_INSTALLED if missing else BY_FEATURES,
            )
        out[name] = shape
    return out, drawn


# ------------------------------------------------------------------------------ geometry files
class PlacedSolid(NamedTuple):
    """The mesh of a geometry file in a part.

    Attributes:
        name: of the part, or "part.inner" of one inside a rigid sub-assembly.
        colour: of it, or of the outermost part around it that has one; None without any.
        pose: in the part; mesh: in its own coordinates, mm.
    """

    name: str
    colour: str | None
    pose: Pose
    mesh: TriangleMesh


def placed_solids(
    part: Part, folder: Path, files: dict[Path, TriangleMesh]
) -> Iterator[PlacedSolid]:
    """The geometry files of a part and of the parts inside it; `files` keeps what is read."""
    if part.geometry is not None:
        file = folder / part.geometry
        if file not in files:
            files[file] = tessellated(file, part.name)
        yield PlacedSolid(part.name, part.colour, Pose(), files[file])
    for name, inner in part.inner.items():
        for found in placed_solids(inner, folder, files):
            below = found.name.removeprefix(inner.name)
            colour, pose = part.colour or found.colour, inner.pose @ found.pose
            yield PlacedSolid(f"{part.name}.{name}{below}", colour, pose, found.mesh)


def _solid(part: Part, folder: Path, files: dict[Path, TriangleMesh]) -> TriangleMesh | None:
    """The mesh of a part's geometry files and of its inner parts'; None without any."""
    found = [
        each.mesh if each.pose == Pose() else each.mesh.moved(each.pose.frame)
        for each in placed_solids(part, folder, files)
    ]
    return reduce(TriangleMesh.__add__, found) if found else None


def tessellated(file: Path, part: str) -> TriangleMesh:
    """The mesh of a geometry file of `part`, mm; raises `MissingExtra` as `shapes_of` does."""
    if file.suffix.lower() in MESHES:
        mesh = read_mesh(file, part)
        return faceted(mesh.corners, mesh.triangles)
    return _meshed(step_shape(file, part, "a view of parts with geometry files"))


def _stored(assembly: Assembly) -> tuple[dict[str, TriangleMesh], bool]:
    """The meshes of the solids in a FreeCAD file by part, and whether CadQuery misses for them."""
    solids = stored_solids(assembly)
    if not solids:
        return {}, False
    try:
        import cadquery
    except ImportError:
        return {}, True
    meshes: dict[str, TriangleMesh] = {}
    for each in (solid for found in solids.values() for solid in found):
        if each.name not in meshes:
            shape = started().brep(each.text, each.name)
            null = shape.IsNull()
            meshes[each.name] = EMPTY if null else _meshed(cadquery.Shape.cast(shape))
    whole = {
        name: reduce(TriangleMesh.__add__, [meshes[s.name].moved(s.pose.frame) for s in found])
        for name, found in solids.items()
    }
    return {name: mesh for name, mesh in whole.items() if len(mesh.triangles)}, False


def _meshed(shape: Any) -> TriangleMesh:
    """The mesh of a CadQuery shape."""
    deviation = DEVIATION * shape.BoundingBox().DiagonalLength
    return reduce(TriangleMesh.__add__, (_face(face, deviation) for face in shape.Faces()), EMPTY)


def _face(face: Any, deviation: float) -> TriangleMesh:
    """The mesh of one CadQuery face, with edges along its border."""
    points, cells = face.tessellate(deviation, TURN)
    corners = np.array([p.toTuple() for p in points], float).reshape(-1, 3)
    triangles = np.array(cells, np.int64).reshape(-1, 3)
    return TriangleMesh(corners, triangles, border(triangles))


# ------------------------------------------------------------------------------------ features
def skeleton(features: Sequence[Feature], radius: float) -> TriangleMesh:
    """Pins for axes, plates for planes, balls for points, and bars that join them; radius in mm."""
    pieces = [_symbol(feature, radius) for feature in features]
    places = _distinct(np.array([f.frame[:3] for f in features], float).reshape(-1, 3), radius)
    if len(places) == 2:
        pieces.append(pin(places[0], places[1], 0.75 * radius))
    elif len(places) > 2:
        pieces += [pin(places.mean(axis=0), place, 0.75 * radius) for place in places]
    return reduce(TriangleMesh.__add__, pieces, EMPTY)


def _distinct(places: Array, near: float) -> Array:
    """Points, (n, 3), without those nearer than `near` to an earlier one."""
    kept: list[Array] = []
    for place in places:
        if all(np.linalg.norm(place - other) > near for other in kept):
            kept.append(place)
    return np.array(kept).reshape(-1, 3)


def _symbol(feature: Feature, radius: float) -> TriangleMesh:
    frame = np.array(feature.frame)
    origin, z = frame[:3], frame[9:]
    if isinstance(feature, Plane):
        return plate(frame, 4.0 * radius)
    if isinstance(feature, Axis):
        own = feature.radius
        across = min(own, 3.0 * radius) if own else radius
        return pin(origin - 2.5 * radius * z, origin + 2.5 * radius * z, across)
    return ball(origin, 1.2 * radius)
