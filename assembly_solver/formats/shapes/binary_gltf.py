"""A binary glTF 2.0 document: its objects, and the numbers that they refer to, as one file."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...foundations.types import Array, Ints
from ...version import VERSION
from .step_shapes import cadquery_for, named_colour

METRES_PER_MM = 0.001

FLOAT, UNSIGNED = 5126, 5125
"""Types of components: single precision, and 32-bit counts."""

VECTORS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
"""Types of elements by their number of components."""

CORNERS, TRIANGLES = 34962, 34963
"""What a view of the buffer is for: attributes of corners, or their numbers."""


@dataclass(eq=False)
class BinaryGltf:
    """A document that grows.

    Attributes:
        objects: the lists of the document, such as "nodes", by name.
        buffer: the numbers of all accessors, each a multiple of 4 bytes.

    Source: glTF 2.0 specification, Khronos Group, 3.6 and 4.4.
    """

    objects: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    buffer: bytearray = field(default_factory=bytearray)

    def add(self, kind: str, **entry: Any) -> int:
        """Add an object to the list `kind`; its index."""
        entries = self.objects.setdefault(kind, [])
        entries.append(entry)
        return len(entries) - 1

    def numbers(self, values: NDArray[Any], target: int | None = None, bounds: bool = True) -> int:
        """An accessor of finite numbers, (n,) or (n, 3 or 4); its index.

        Args:
            values: whole numbers are written as counts, others in single precision.
            target: `CORNERS`, `TRIANGLES`, or None for animations.
            bounds: whether it has their least and largest values, as corners and times need.
        """
        whole = values.dtype.kind in "iu"
        kept = np.ascontiguousarray(values, "<u4" if whole else "<f4")
        rows = kept.reshape(len(kept), -1)
        view = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": kept.nbytes}
        self.buffer += kept.tobytes()
        return self.add(
            "accessors",
            bufferView=self.add("bufferViews", **view, **({"target": target} if target else {})),
            componentType=UNSIGNED if whole else FLOAT,
            count=len(rows),
            type=VECTORS[rows.shape[1]],
            **(
                {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
                if bounds
                else {}
            ),
        )

    def mesh(self, name: str, corners: Array, triangles: Ints, material: int) -> int:
        """A mesh, shaded smoothly between triangles that share a corner; its index.

        Args:
            corners: (n, 3), in the unit of the document, metres; triangles: (m, 3), corners.
        """
        primitive = {
            "attributes": {
                "POSITION": self.numbers(corners, CORNERS),
                "NORMAL": self.numbers(normals(corners, triangles), CORNERS, bounds=False),
            },
            "indices": self.numbers(triangles.ravel(), TRIANGLES),
            "material": material,
        }
        return self.add("meshes", name=name, primitives=[primitive])

    def material(self, colour: str, part: str) -> int:
        """A matt material of a colour of a part; its index.  Raises as `linear_rgb`."""
        look = {
            "baseColorFactor": [*linear_rgb(colour, part), 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.6,
        }
        return self.add("materials", name=colour, pbrMetallicRoughness=look, doubleSided=True)

    def file(self, **extras: Any) -> bytes:
        """The whole document; `extras` are further top-level properties, such as `scene`."""
        asset = {"version": "2.0", "generator": f"assembly_solver {VERSION}"}
        document = {
            "asset": asset,
            **extras,
            **self.objects,
            "buffers": [{"byteLength": len(self.buffer)}],
        }
        text = json.dumps(document, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = b"".join(
            struct.pack("<I4s", len(content), kind) + content
            for kind, content in ((b"JSON", text), (b"BIN\0", bytes(self.buffer)))
        )
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def normals(corners: Array, triangles: Ints) -> Array:
    """Unit normals at corners, (n, 3): means of their triangles', by angle; z without any."""
    at = corners[triangles]
    to_next, to_last = np.roll(at, -1, axis=1) - at, np.roll(at, 1, axis=1) - at
    cross = np.cross(to_next, to_last)
    twice = np.linalg.norm(cross, axis=2)  # the area, the same at all three corners
    angles = np.arctan2(twice, np.einsum("mkr,mkr->mk", to_next, to_last))
    weights = np.divide(angles, twice, out=np.zeros_like(twice), where=twice > 0.0)
    sums = np.zeros_like(corners)
    np.add.at(sums, triangles, weights[:, :, None] * cross)
    sizes = np.linalg.norm(sums, axis=1, keepdims=True)
    unit: Array = np.where(sizes > 0.0, sums / np.where(sizes > 0.0, sizes, 1.0), (0.0, 0.0, 1.0))
    return unit


def linear_rgb(colour: str, part: str) -> list[float]:
    """A colour as glTF has it: red, green and blue from 0 to 1, linear in light.

    Raises:
        FormatError: it is neither "#rrggbb" nor a name; MissingExtra: a name, without CadQuery.
    """
    if re.fullmatch("#[0-9a-fA-F]{6}", colour):
        srgb = [int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
        return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in srgb]
    named = named_colour(cadquery_for("a colour by its name"), colour, part).wrapped.GetRGB()
    return [named.Red(), named.Green(), named.Blue()]
