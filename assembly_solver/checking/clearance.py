"""The distance between the geometry of two parts over the states of a motion.

Triangle distances are computed by the Flexible Collision Library (`python-fcl`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingExtra, NoShape
from ..formats.shapes.meshes import Mesh, part_mesh
from ..foundations.graphs.connected import connected
from ..foundations.types import Array
from ..model.assembly import Assembly


class PartClearance:
    """Two parts with their meshes; raises `NoShape`, or without the extra `MissingExtra`."""

    def __init__(self, assembly: Assembly, parts: tuple[str, str], place: str) -> None:
        self._fcl = _library()
        names = list(assembly.parts)
        self.numbers = [names.index(name) for name in parts]
        self.meshes = []
        for name in parts:
            mesh = part_mesh(assembly.parts[name], assembly.folder)
            if mesh is None:
                raise NoShape(name, place)
            self.meshes.append(mesh)
        self._spots = [one_of_each(mesh) for mesh in self.meshes]
        self._objects = [self._fcl.CollisionObject(self._model(m)) for m in self.meshes]

    def _model(self, mesh: Mesh) -> Any:
        model = self._fcl.BVHModel()
        model.beginModel(len(mesh.triangles), len(mesh.corners))
        model.addSubModel(mesh.corners, mesh.triangles)
        model.endModel()
        return model

    def along(self, frames: Array) -> Array:
        """The smallest distance in each state, (states,), mm; 0 where they touch or overlap.

        The frames of all parts are (states, parts, 12), mm, world; a state with NaN gives NaN.
        """
        out = np.full(len(frames), np.nan)
        for s in range(len(frames)):
            two = frames[s, self.numbers]
            if np.isfinite(two).all():
                out[s] = self._at(two)
        return out

    def _at(self, two: Array) -> float:
        for thing, f in zip(self._objects, two, strict=True):
            thing.setTransform(self._fcl.Transform(f[3:].reshape(3, 3).T, f[:3]))
        request, result = self._fcl.DistanceRequest(), self._fcl.DistanceResult()
        found = float(self._fcl.distance(*self._objects, request, result))
        if found <= 0.0 or self._one_inside(two):
            return 0.0
        return found

    def _one_inside(self, two: Array) -> bool:
        """Whether a body of one part lies inside the other, if surfaces do not meet.

        Each body is then inside or outside as a whole: one corner of it decides.
        """
        for (a, spots), (b, mesh) in (
            ((two[0], self._spots[0]), (two[1], self.meshes[1])),
            ((two[1], self._spots[1]), (two[0], self.meshes[0])),
        ):
            world = a[:3] + spots @ a[3:].reshape(3, 3)
            points = (world - b[:3]) @ b[3:].reshape(3, 3).T
            low, high = mesh.corners.min(axis=0), mesh.corners.max(axis=0)
            near = ((low <= points) & (points <= high)).all(axis=1)
            if any(winding(mesh, point) > 0.5 for point in points[near]):
                return True
        return False


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


def _library() -> Any:
    try:
        import fcl
    except ImportError:
        raise MissingExtra("mesh", "the clearance of parts") from None
    return fcl
