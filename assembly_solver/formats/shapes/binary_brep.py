"""Solids in OpenCASCADE's binary format, as FreeCAD stores them where it is set to: NAME.bin.

Reading converts to the text format, which needs OpenCASCADE; changing the pose does not.  FreeCAD
ends such a file with three numbers: the number of the shape, the number of its location, and its
orientation.

Source: the source code of OpenCASCADE (BinTools_ShapeSet, BinTools_LocationSet) and of FreeCAD
(TopoShape.cpp, importBinary and exportBinary).
"""

from __future__ import annotations

import re
import struct
from io import BytesIO

import numpy as np

from ...errors import FormatError, MissingExtra
from ...foundations.geometry.pose import Pose

_HEAD = re.compile(rb"\A\s*Open CASCADE Topology V\d[^\n]*\nLocations (\d+)\n")
_MOTION, _FACTOR, _END = struct.Struct("<12d"), struct.Struct("<i"), struct.Struct("<3i")
_ELEMENTARY, _COMPOSED = 1, 2
"""First byte of a location: a matrix of three rows, or powers of locations before it."""


def as_text(data: bytes, place: str) -> str:
    """The same shape in the text format.

    Raises MissingExtra: cadquery is not installed; FormatError: the shape cannot be read.
    """
    try:
        from OCP.BinTools import BinTools_ShapeSet
        from OCP.BRepTools import BRepTools
        from OCP.TopAbs import TopAbs_Orientation
    except ImportError:
        raise MissingExtra("cadquery", "geometry that is stored as binary") from None
    number, motion, orientation = _tail(data, place)
    shapes, out = BinTools_ShapeSet(), BytesIO()
    try:
        shapes.Read(BytesIO(data))
        shape = shapes.Shape(number)
        shape.Location(shapes.Locations().Location(motion))
        shape.Orientation(TopAbs_Orientation(orientation))
        BRepTools.Write_s(shape, out)
    except Exception:  # OpenCASCADE's own errors have no base in Python but this
        raise FormatError(place, "the geometry cannot be read") from None
    return out.getvalue().decode("utf-8", "replace")


def moved(data: bytes, pose: Pose, place: str) -> bytes:
    """The file with the whole shape at another pose (mm); its other bytes stay as they are.

    Raises FormatError: the file is not as FreeCAD writes it.
    """
    number, _, orientation = _tail(data, place)
    head = _HEAD.match(data)
    if head is None:
        raise FormatError(place, "the geometry cannot be moved: it is not as FreeCAD writes it")
    count, end = int(head[1]), head.end()
    for _ in range(count):
        end = _after(data, end, place)
    rows = np.column_stack([pose.rotation, pose.position]).ravel().tolist()
    table = data[head.end() : end] + bytes([_ELEMENTARY]) + _MOTION.pack(*rows)
    begin = data[: head.start(1)] + b"%d\n" % (count + 1)
    tail = _END.pack(number, count + 1, orientation)
    return begin + table + data[end : -_END.size] + tail


def _tail(data: bytes, place: str) -> tuple[int, int, int]:
    if len(data) < _END.size:
        raise FormatError(place, "the geometry cannot be read: it is cut off")
    number, motion, orientation = _END.unpack_from(data, len(data) - _END.size)
    return number, motion, orientation


def _after(data: bytes, at: int, place: str) -> int:
    """The offset at which the location that begins at `at` ends."""
    try:
        if data[at] == _ELEMENTARY:
            return at + 1 + _MOTION.size
        if data[at] == _COMPOSED:
            at += 1
            while _FACTOR.unpack_from(data, at)[0]:
                at += 2 * _FACTOR.size
            return at + _FACTOR.size
    except (IndexError, struct.error):
        pass
    raise FormatError(place, "the geometry cannot be moved: it is not as FreeCAD writes it")
