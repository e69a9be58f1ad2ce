"""The centre of area of a face in OpenCASCADE's text format; its borders are needed for it."""

from __future__ import annotations

from io import BytesIO

from ..errors import FormatError, MissingExtra
from ..geometry.pose import Triple
from .topology import shape_pick


def centre_of_face(text: bytes, name: str, place: str) -> Triple:
    """Where the centre of a face such as "Face6" is, mm, without the place of the whole.

    Args:
        text: of a .brp file; place: its name, for errors.

    Raises:
        MissingExtra: cadquery is not installed; FormatError: there is no such face.
    """
    try:
        from OCP.BRep import BRep_Builder
        from OCP.BRepTools import BRepTools
        from OCP.TopAbs import TopAbs_ShapeEnum
        from OCP.TopExp import TopExp
        from OCP.TopLoc import TopLoc_Location
        from OCP.TopoDS import TopoDS_Shape
        from OCP.TopTools import TopTools_IndexedMapOfShape
    except ImportError:
        raise MissingExtra("cadquery", "the centre of a face") from None
    whole, faces = TopoDS_Shape(), TopTools_IndexedMapOfShape()
    BRepTools.Read_s(whole, BytesIO(text), BRep_Builder())
    if not whole.IsNull():
        whole.Location(TopLoc_Location())
        TopExp.MapShapes_s(whole, TopAbs_ShapeEnum.TopAbs_FACE, faces)
    number = int(name.removeprefix("Face"))
    if not 1 <= number <= faces.Extent():
        raise FormatError(place, f"there is no {name}, only {faces.Extent()}")
    return shape_pick(faces.FindKey(number)).centre
