"""What a part looks like: triangles of its geometry file, or of pins, plates and links.

All shapes are in the part's coordinates, mm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MissingExtra
from ...formats.shapes.meshes import MESHES, read_mesh
from ...formats.shapes.solids import step_shape
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.building.groups import references
from ...model.feature import Axis, Feature, Plane
from ...model.part import Part
from .plates import plates
from .triangles import EMPTY, Shape, ball, border, faceted, pin, plate

DEVIATION = 1e-3
"""Between a curved face and its triangles, as a share of the part's size."""

TURN = 0.25
"""Between neighbouring triangles of a curved face, rad."""


def shapes_of(
    assembly: Assembly, reach: float, solid: bool = True
) -> tuple[dict[str, Shape], bool]:
    """A shape for every part, and whether any of them is drawn from its features.

    Args:
        assembly: parts with geometry files are drawn from these (through CadQuery), links of a
            drawing as plates, others by pins and plates at the features that mates hold, joined
            by bars.
        reach: size of the assembly, mm; pins are a share of it.
        solid: whether geometry files are read.
    """
    files: dict[Path, Shape] = {}
    used: dict[str, dict[str, None]] = {name: {} for name in assembly.parts}
    for held in assembly.held.values():
        for ref in references(held.mate).values():
            used[ref.part][ref.feature] = None
    out, drawn = {}, False
    links = plates(assembly.drawing, 0.012 * reach)
    for name, part in assembly.parts.items():
        shape = _solid(part, assembly.folder, files) if solid else None
        if shape is None:
            shape = links.get(name)
        if shape is None:
            features = [part.feature(f) for f in (used[name] or dict.fromkeys(part.features))]
            shape, drawn = skeleton(features, 0.012 * reach), True
        out[name] = shape
    return out, drawn


# ------------------------------------------------------------------------------ geometry files
def _solid(part: Part, folder: Path, files: dict[Path, Shape]) -> Shape | None:
    """The triangles of a part's geometry and of its inner parts'; None where there is none."""
    found = []
    if part.geometry is not None:
        file = folder / part.geometry
        if file not in files:
            files[file] = tessellated(file, part.name)
        found.append(files[file])
    for inner in part.inner.values():
        shape = _solid(inner, folder, files)
        if shape is not None:
            found.append(shape.moved(inner.pose.frame))
    return reduce(Shape.__add__, found) if found else None


def tessellated(file: Path, part: str) -> Shape:
    """The triangles of a part's geometry file."""
    if file.suffix.lower() in MESHES:
        mesh = read_mesh(file, part)
        return faceted(mesh.corners, mesh.triangles)
    try:
        import cadquery
    except ImportError:
        raise MissingExtra("cadquery", "a view of parts with geometry files") from None
    shape = step_shape(cadquery, file, part)
    deviation = DEVIATION * shape.BoundingBox().DiagonalLength
    return reduce(Shape.__add__, (_face(face, deviation) for face in shape.Faces()), EMPTY)


def _face(face: Any, deviation: float) -> Shape:
    """The triangles of one face; its border is its edges."""
    points, cells = face.tessellate(deviation, TURN)
    corners = np.array([p.toTuple() for p in points], float).reshape(-1, 3)
    triangles = np.array(cells, np.int64).reshape(-1, 3)
    return Shape(corners, triangles, border(triangles))


# ------------------------------------------------------------------------------------ features
def skeleton(features: Sequence[Feature], radius: float) -> Shape:
    """Pins for axes, plates for planes, balls for points, and bars that join them."""
    pieces = [_symbol(feature, radius) for feature in features]
    places = _distinct(np.array([f.frame[:3] for f in features], float).reshape(-1, 3), radius)
    if len(places) == 2:
        pieces.append(pin(places[0], places[1], 0.75 * radius))
    elif len(places) > 2:
        middle = places.mean(axis=0)
        pieces += [pin(middle, place, 0.75 * radius) for place in places]
    return reduce(Shape.__add__, pieces, EMPTY)


def _distinct(places: Array, near: float) -> Array:
    """Places without those that lie nearer than this to an earlier one."""
    kept: list[Array] = []
    for place in places:
        if all(np.linalg.norm(place - other) > near for other in kept):
            kept.append(place)
    return np.array(kept).reshape(-1, 3)


def _symbol(feature: Feature, radius: float) -> Shape:
    frame = np.array(feature.frame)
    origin, z = frame[:3], frame[9:]
    if isinstance(feature, Plane):
        return plate(frame, 4.0 * radius)
    if isinstance(feature, Axis):
        own = feature.radius
        across = min(own, 3.0 * radius) if own else radius
        return pin(origin - 2.5 * radius * z, origin + 2.5 * radius * z, across)
    return ball(origin, 1.2 * radius)
