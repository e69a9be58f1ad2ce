"""Centre, symmetry and plane of a face in OpenCASCADE's text format, measured by OpenCASCADE."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...errors import FormatError, MissingExtra
from ...foundations.geometry.pose import Pose, Triple
from ...foundations.numerics.rounding import CONFUSION
from ...model.feature import frame_of, unit
from . import shape_reader
from .brep import Element
from .topology import shape_pick

VIEWS = (Pose(), Pose.from_axis((0.0, 0.0, 0.0), (1.0, 2.0, 3.0), 40.0))
"""Orientations of a face in which its bounding box must be symmetric about its centre."""

SAME = 1e-4
"""A setting: tolerance of the centre of a bounding box, as a fraction of its diagonal."""


def centre_of_face(text: str, place: str, name: str) -> Triple:
    """The centre of area of a face in a .brp text, mm, without the location of the whole shape.

    Raises MissingExtra: cadquery is not installed; FormatError: there is no such face.
    """
    return shape_pick(_face(text, place, name)).centre


def is_symmetric(text: str, place: str, name: str) -> bool:
    """Whether the bounding box of a face is centred on its centre of area in all `VIEWS`.

    Errors as of `centre_of_face`; FormatError also for a face without bounds.
    """
    face = _face(text, place, name)
    boxes = [_box(face, view) for view in VIEWS]
    if any(box.IsVoid() or box.IsOpen() for box in boxes):
        raise FormatError(place, f"{name} has no borders")
    corners = [(box.CornerMin(), box.CornerMax()) for box in boxes]
    numbers = [tuple((p.X(), p.Y(), p.Z()) for p in ends) for ends in corners]
    return boxed_about(numbers, shape_pick(face).centre)


def flat_face(text: str, place: str, name: str) -> Element | None:
    """A face as its plane, z along the normal of its surface; None where not within `CONFUSION`.

    Errors as of `centre_of_face`.
    """
    face = _face(text, place, name)
    from OCP.BRep import BRep_Tool
    from OCP.BRepTools import BRepTools
    from OCP.GeomLib import GeomLib_IsPlanarSurface
    from OCP.gp import gp_Pnt, gp_Vec
    from OCP.TopoDS import TopoDS

    surface = BRep_Tool.Surface_s(TopoDS.Face_s(face))
    if not GeomLib_IsPlanarSurface(surface, CONFUSION).IsPlanar():
        return None
    first, last, low, high = BRepTools.UVBounds_s(TopoDS.Face_s(face))
    at, along, across = gp_Pnt(), gp_Vec(), gp_Vec()
    surface.D1(0.5 * (first + last), 0.5 * (low + high), at, along, across)
    origin, z, x = ((v.X(), v.Y(), v.Z()) for v in (at, along.Crossed(across), along))
    return Element("plane", 0.0, frame_of(origin, unit(z, name), unit(x, name)))


def boxed_about(boxes: Sequence[Sequence[Triple]], centre: Triple) -> bool:
    """Whether bounding boxes, one in each of the `VIEWS`, are centred on a point of the shape.

    Args:
        boxes: least and largest coordinates in each view, mm; centre: in the shape's coordinates.
    """
    for view, (low, high) in zip(VIEWS, np.array(boxes), strict=True):
        off = np.linalg.norm(0.5 * (low + high) - view.apply(centre))
        if off > SAME * np.linalg.norm(high - low):
            return False
    return True


def _face(text: str, place: str, name: str) -> Any:
    """A face of a shape, without the location of the whole."""
    try:
        from OCP.TopAbs import TopAbs_ShapeEnum
        from OCP.TopExp import TopExp
        from OCP.TopTools import TopTools_IndexedMapOfShape
    except ImportError:
        raise MissingExtra("cadquery", "the centre of a face") from None
    whole, faces = _whole(text, place), TopTools_IndexedMapOfShape()
    if not whole.IsNull():
        TopExp.MapShapes_s(whole, TopAbs_ShapeEnum.TopAbs_FACE, faces)
    number = int(name.removeprefix("Face"))
    if not 1 <= number <= faces.Extent():
        raise FormatError(place, f"there is no {name}, only {faces.Extent()}")
    return faces.FindKey(number)


@lru_cache(maxsize=8)
def _whole(text: str, place: str) -> Any:
    """The shape in a text, without its location; null where that is not valid."""
    from OCP.TopLoc import TopLoc_Location

    whole = shape_reader.started().brep(text, place)
    if not whole.IsNull():
        whole.Location(TopLoc_Location())
    return whole


def _box(face: Any, view: Pose) -> Any:
    """The bounding box of a face rotated by a view."""
    from OCP.Bnd import Bnd_Box
    from OCP.BRepBndLib import BRepBndLib
    from OCP.gp import gp_Trsf
    from OCP.TopLoc import TopLoc_Location

    turn, box = gp_Trsf(), Bnd_Box()
    turn.SetValues(*(v for row in view.rotation.tolist() for v in (*row, 0.0)))
    BRepBndLib.Add_s(face.Moved(TopLoc_Location(turn)), box, False)
    return box
