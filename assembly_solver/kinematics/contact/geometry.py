"""The geometry of parts as triangles, and the distance of two parts.

A sphere is its middle, a triangle without size, and as far from others as that less its radius.
Round bars and tubes are as far from spheres, solids with plane faces and each other as they really
are.
Triangle distances are computed by the Flexible Collision Library (`python-fcl`).
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ...errors import MissingExtra
from ...formats.shapes.meshes import KEPT, Mesh, part_mesh
from ...foundations.geometry.pose import placed_points
from ...foundations.geometry.round_bars import RoundBar, bar_to_bar, bar_to_point, bar_to_triangles
from ...foundations.graphs.connected import connected
from ...foundations.numerics.rounding import ROUNDING
from ...foundations.types import Array, Bools
from ...model.assembly import Assembly

SHALLOW = 0.01
"""Depth of contacts that may be missed over a part's radius."""


_MADE: dict[int, TriangleBody] = {}
"""Bodies by the identity of their corners, which they hold."""


class Separation(NamedTuple):
    """The distance of two parts, mm, 0 where they touch or overlap; and the points that have it.

    `points`: (2, 3), mm, world, one on each part; of no meaning where they overlap.
    """

    distance: float
    points: Array


class TriangleBody:
    """A part's triangles as the collision library has them.

    Attributes:
        mesh: in part coordinates, mm; centre, radius: of a sphere round it, in part coordinates.
        shallow: depth of contacts with it that may be missed, mm.
        round: radius of the sphere that the part is, mm, or 0; exact: it is no approximation.
    """

    def __init__(self, mesh: Mesh) -> None:
        fcl = library()
        self.mesh = mesh
        low, high = mesh.corners.min(axis=0), mesh.corners.max(axis=0)
        self.centre: Array = 0.5 * (low + high)
        self.radius = float(np.linalg.norm(mesh.corners - self.centre, axis=1).max())
        self.round, self.exact = 0.0, mesh.flat or mesh.ball is not None or bool(mesh.bars)
        corners, triangles = mesh.corners, mesh.triangles
        if mesh.ball is not None:
            self.centre, self.round = mesh.ball
            self.radius = self.round
            corners, triangles = np.tile(self.centre, (3, 1)), np.arange(3)[None]
        if mesh.bars:  # triangles of their sides are within them
            self.radius = max(bar.reach(self.centre) for bar in mesh.bars)
        self.shallow = SHALLOW * self.radius
        self._box = low, high
        self._spots: list[Array] = []
        self._stretched: dict[tuple[float, ...], TriangleBody] = {}
        model = fcl.BVHModel()
        model.beginModel(len(triangles), len(corners))
        model.addSubModel(corners, triangles)
        model.endModel()
        self._model = model
        self._object = fcl.CollisionObject(model)

    def again(self) -> TriangleBody:
        """The same triangles as another part, with a place of its own."""
        out = copy(self)
        out._object = library().CollisionObject(self._model)
        return out

    def only(self, near: Bools) -> TriangleBody:
        """The triangles that have any of some corners, (corners,)."""
        kept = self.mesh.triangles[near[self.mesh.triangles].any(axis=1)]
        used, number = np.unique(kept, return_inverse=True)
        return TriangleBody(Mesh(self.mesh.corners[used], number.reshape(-1, 3)))

    def stretched(self, along: Array, factor: float) -> TriangleBody:
        """The part stretched along a direction (3,), unit, in part coordinates."""
        along = np.round(along / ROUNDING) * ROUNDING  # the same one for the next motion
        key = (*along.tolist(), factor)
        if key not in self._stretched:
            corners = self.mesh.corners
            more = (factor - 1.0) * np.outer(corners @ along, along)
            self._stretched[key] = TriangleBody(Mesh(corners + more, self.mesh.triangles))
        return self._stretched[key].again()

    def extent(self, along: Array) -> tuple[float, float]:
        """Where the part begins and ends along a direction (3,), unit, in part coordinates, mm."""
        if self.round > 0.0:
            middle = float(self.centre @ along)
            return middle - self.round, middle + self.round
        if self.mesh.bars:
            ends = [bar.extent(along) for bar in self.mesh.bars]
            return min(low for low, _ in ends), max(high for _, high in ends)
        places = self.mesh.corners @ along
        return float(places.min()), float(places.max())

    def centres(self, frames: Array) -> Array:
        """The centre at frames of the part (n, 12), (n, 3), mm."""
        return placed_points(frames, np.broadcast_to(self.centre, (len(frames), 3)))

    def placed(self, frame: Array) -> Any:
        """The object of the collision library at a frame (12,), mm, world."""
        place = library().Transform(frame[3:].reshape(3, 3).T, frame[:3])
        self._object.setTransform(place)
        return self._object

    def placed_bars(self, frame: Array) -> list[RoundBar]:
        """The round bars that it is, at a frame (12,), mm, world."""
        return [bar.placed(frame[:3], frame[3:].reshape(3, 3).T) for bar in self.mesh.bars]

    def holds(self, frame: Array, other: TriangleBody, at: Array) -> bool:
        """Whether a body of another part lies inside, if surfaces do not meet; frames (12,).

        Each body is then inside or outside as a whole: one corner of it decides.
        """
        low, high = self._box
        back = frame[3:].reshape(3, 3).T
        turn = at[3:].reshape(3, 3) @ back
        middle = (at[:3] - frame[:3]) @ back + other.centre @ turn
        if np.any(middle + other.radius < low) or np.any(middle - other.radius > high):
            return False
        if not other._spots:
            other._spots.append(one_of_each(other.mesh))
        points = (at[:3] - frame[:3]) @ back + other._spots[0] @ turn
        near = ((low <= points) & (points <= high)).all(axis=1)
        if self.mesh.bars:
            far = [np.linalg.norm(x.nearest(points) - points, axis=1) for x in self.mesh.bars]
            return bool(np.any(near & (np.min(far, axis=0) <= ROUNDING * self.radius)))
        return any(winding(self.mesh, point) > 0.5 for point in points[near])


def triangle_bodies(assembly: Assembly, parts: Iterable[str]) -> dict[str, TriangleBody]:
    """The parts of these that have geometry; parts with the same file share its triangles.

    Raises UnknownName, FormatError, MissingExtra: as `part_mesh`; the extra is missing.
    """
    out = {}
    for name in parts:
        mesh = part_mesh(assembly.parts[name], assembly.folder)
        if mesh is not None:
            out[name] = _body(mesh).again()
    return out


def _body(mesh: Mesh) -> TriangleBody:
    """The body of a mesh; those of the last ones are kept, for making one takes long."""
    key = id(mesh.corners)
    if key not in _MADE:
        _MADE[key] = TriangleBody(mesh)
        for old in list(_MADE)[:-KEPT]:
            del _MADE[old]
    return _MADE[key]


def by_bars(a: TriangleBody, b: TriangleBody) -> bool:
    """Whether the distance of two parts is that of round bars, not of triangles."""
    return a.exact and b.exact and bool(a.mesh.bars or b.mesh.bars)


def separation(a: TriangleBody, at_a: Array, b: TriangleBody, at_b: Array) -> Separation:
    """The distance of the surfaces of two parts at frames (12,), mm, world.

    0 where surfaces meet; of a part inside the other it is that of the surfaces.
    """
    if by_bars(a, b):
        points = _of_bars(a, at_a, b, at_b)
        found = float(np.linalg.norm(points[1] - points[0]))
        if found <= ROUNDING * (a.radius + b.radius):
            found = 0.0
    else:
        fcl = library()
        request, result = fcl.DistanceRequest(enable_nearest_points=True), fcl.DistanceResult()
        found = float(fcl.distance(a.placed(at_a), b.placed(at_b), request, result))
        points = np.array(result.nearest_points)
    if found > 0.0 and a.round + b.round > 0.0:
        points += np.outer((a.round, -b.round), (points[1] - points[0]) / found)
    return Separation(max(found - a.round - b.round, 0.0), points)


def _of_bars(a: TriangleBody, at_a: Array, b: TriangleBody, at_b: Array) -> Array:
    """The nearest points, (2, 3), mm, world, of round bars and a solid; of a ball its middle."""
    if not a.mesh.bars:
        return _of_bars(b, at_b, a, at_a)[::-1]
    bars, others = a.placed_bars(at_a), b.placed_bars(at_b)
    if b.mesh.ball is not None:
        (middle,) = b.centres(at_b[None])
        found = [bar_to_point(bar, middle) for bar in bars]
    elif others:
        found = [bar_to_bar(bar, other) for bar in bars for other in others]
    else:
        corners = at_b[:3] + b.mesh.corners @ at_b[3:].reshape(3, 3)
        found = [bar_to_triangles(bar, corners[b.mesh.triangles]) for bar in bars]
    return min(found, key=lambda pair: float(np.linalg.norm(pair[0] - pair[1])))


def inside(a: TriangleBody, at_a: Array, b: TriangleBody, at_b: Array) -> bool:
    """Whether a body of one part lies inside the other, if surfaces do not meet."""
    return a.holds(at_a, b, at_b) or b.holds(at_b, a, at_a)


def one_of_each(mesh: Mesh) -> Array:
    """One corner of each connected body of a mesh, (bodies, 3), mm, in the frame of the mesh."""
    _, same = np.unique(mesh.corners, axis=0, return_inverse=True)
    a, b, c = same.reshape(-1)[mesh.triangles].T
    edges = np.concatenate([a, b]), np.concatenate([b, c])
    _, body = connected(int(same.max()) + 1, *edges)
    _, first = np.unique(body[a], return_index=True)
    out: Array = mesh.corners[mesh.triangles[first, 0]]
    return out


def winding(mesh: Mesh, point: Array) -> float:
    """Size of the winding number of a closed mesh at a point (3,), mm: 1 inside, 0 outside.

    Source: the solid angle of a triangle, A. Van Oosterom and J. Strackee, IEEE Trans. Biomed.
    Eng. 30 (1983) 125.
    """
    a, b, c = (mesh.corners[mesh.triangles[:, k]] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    box = np.einsum("ij,ij->i", a, np.cross(b, c))
    dots = [np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a))]
    angle = 2.0 * np.arctan2(box, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)
    return abs(float(angle.sum())) / (4.0 * np.pi)


def library() -> Any:
    try:
        import fcl
    except ImportError:
        raise MissingExtra("mesh", "the clearance of parts") from None
    return fcl
