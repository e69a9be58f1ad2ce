"""Triangles as a file: binary STL (mm) or glTF (.glb, metres, with the world's z as its y)."""

from __future__ import annotations

import struct

import numpy as np

from ..formats.shapes.binary_gltf import METRES_PER_MM, BinaryGltf
from ..formats.shapes.meshes import Mesh
from .motion_glb import UPRIGHT_XYZW

COLOUR = "#d08a3c"


def stl(mesh: Mesh) -> bytes:
    """A mesh as binary STL, in single precision; normals are of the triangles.

    Source: the format of 3D Systems' StereoLithography Interface Specification: 80 bytes, the
    number of triangles, and of each its normal, its corners and two bytes more.
    """
    corners = mesh.corners[mesh.triangles]
    a, b, c = np.moveaxis(corners, 1, 0)
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0.0)
    out = np.zeros(len(corners), [("numbers", "<f4", (4, 3)), ("more", "<u2")])
    out["numbers"][:, 0], out["numbers"][:, 1:] = normals, corners
    return b"mm".ljust(80) + struct.pack("<I", len(corners)) + out.tobytes()


def glb(mesh: Mesh, name: str) -> bytes:
    """A mesh as the one node of a glTF document."""
    document = BinaryGltf()
    look = document.material(COLOUR, name)
    shape = document.mesh(name, METRES_PER_MM * mesh.corners, mesh.triangles, look)
    node = document.add("nodes", name=name, mesh=shape, rotation=UPRIGHT_XYZW)
    document.add("scenes", name=name, nodes=[node])
    return document.file(scene=0)
