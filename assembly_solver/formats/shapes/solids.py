"""Writes the geometry files of all parts at their poses as one .step, .stp or .glb file."""

from __future__ import annotations

import math
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from ...errors import FormatError, MissingExtra, NoGeometry
from ...foundations.geometry.pose import Pose
from ...model.assembly import Assembly
from ...model.part import Part
from . import shape_reader

SUFFIXES = (".step", ".stp", ".glb")
PURPOSE = "writing .step and .glb"
METRES_PER_MM = 0.001
_MESH_DEVIATION = 0.2  # mm between a curved face and its triangles in a .glb
_MESH_TURN = 0.2  # rad between neighbouring triangles in a .glb


def write(assembly: Assembly, path: Path) -> None:
    """Write the parts' solids at their poses, with the parts' names and colours.

    Args:
        assembly: its parts' `geometry` names STEP files (absolute, or from `assembly.folder`);
            parts without geometry are skipped, and of a rigid sub-assembly its parts are written.
        path: target, by suffix .step or .stp (mm) or .glb (metres, the world's z mapped to glTF's
            y).  It is written to a temporary folder and renamed: an interrupted write leaves an
            old file intact.

    Raises:
        MissingExtra: cadquery is not installed.
        NoGeometry: no part has geometry.
        FormatError: an unknown suffix, a colour or a geometry file that cannot be read, or a
            target that could not be written.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise FormatError(path.name, f"solids are written as {', '.join(SUFFIXES)}")
    if not any(map(_has_geometry, assembly.parts.values())):
        raise NoGeometry(assembly.name, path.name)
    placed = _place(cadquery_for(PURPOSE), assembly)
    if path.suffix.lower() == ".glb":
        _export_glb(placed, path)
    else:
        placed.export(str(path), exportType="STEP")
    if not path.is_file():
        raise FormatError(path.name, "the geometry kernel could not write it")


def _place(cq: ModuleType, assembly: Assembly) -> Any:
    """The CadQuery assembly: one named, coloured child for each part with geometry."""
    # CadQuery wants the root's name to differ from every child's
    root = assembly.name
    while root in assembly.parts:
        root += " assembly"
    placed = cq.Assembly(name=root)
    shapes: dict[Path, Any] = {}

    def add(name: str, part: Part, within: Any, colour: str | None) -> None:
        where = within * _location(cq, part.pose)
        if part.geometry is not None:
            file = assembly.folder / part.geometry
            if file not in shapes:
                shapes[file] = step_shape(file, name, PURPOSE)
            shown = _colour(cq, colour or part.colour, name)
            placed.add(shapes[file], name=name, loc=where, color=shown)
        for inner, child in part.inner.items():
            add(f"{name}.{inner}", child, where, colour or part.colour)

    for name, part in assembly.parts.items():
        add(name, part, cq.Location(), None)
    return placed


def _has_geometry(part: Part) -> bool:
    return part.geometry is not None or any(map(_has_geometry, part.inner.values()))


def _export_glb(placed: Any, file: Path) -> None:
    """Write triangles to a binary glTF file.

    `Assembly.export` leaves millimetres where glTF requires metres; the kernel's writer converts
    units and axes when those of the input are set.
    """
    from cadquery.occ_impl.assembly import toCAF
    from OCP.Message import Message_ProgressRange
    from OCP.RWGltf import RWGltf_CafWriter
    from OCP.RWMesh import RWMesh_CoordinateSystem
    from OCP.TCollection import TCollection_AsciiString
    from OCP.TColStd import TColStd_IndexedDataMapOfStringString

    _, document = toCAF(placed, True, True, _MESH_DEVIATION, _MESH_TURN)
    writer = RWGltf_CafWriter(TCollection_AsciiString(str(file)), True)
    convert = writer.ChangeCoordinateSystemConverter()
    convert.SetInputLengthUnit(METRES_PER_MM)
    convert.SetInputCoordinateSystem(RWMesh_CoordinateSystem.RWMesh_CoordinateSystem_Zup)
    writer.Perform(document, TColStd_IndexedDataMapOfStringString(), Message_ProgressRange())


def step_shape(file: Path, part: str, purpose: str, extra: str = "cadquery") -> Any:
    """The CadQuery shape in the STEP file of a part; several roots become one compound.

    Args:
        purpose, extra: what needs CadQuery, and the extra that installs it, for the error.

    Raises:
        FormatError: there is no such file, or the modeller cannot read it.
        MissingExtra: cadquery is not installed.
    """
    place = f"parts.{part}.geometry"
    if not file.is_file():
        raise FormatError(place, f"there is no file {file}")
    reader = shape_reader.started()  # it loads the modeller while CadQuery does so here
    cq = cadquery_for(purpose, extra)
    return cq.Shape.cast(reader.step(file, place))


def cadquery_for(purpose: str, extra: str = "cadquery") -> ModuleType:
    """CadQuery; raises `MissingExtra` where it is not installed."""
    try:
        import cadquery
    except ImportError:
        raise MissingExtra(extra, purpose) from None
    found: ModuleType = cadquery
    return found


def _colour(cq: ModuleType, colour: str | None, part: str) -> Any:
    if colour is None:
        return None
    try:
        return cq.Color(colour)
    except ValueError:
        wanted = 'a colour name or "#rrggbb"'
        raise FormatError(f"parts.{part}.x-colour", f"{colour!r} is not {wanted}") from None


def linear_rgb(colour: str, part: str) -> list[float]:
    """A colour as glTF has it: red, green and blue from 0 to 1, linear in light.

    Raises:
        FormatError: it is neither "#rrggbb" nor a name; MissingExtra: a name, without CadQuery.
    """
    if re.fullmatch("#[0-9a-fA-F]{6}", colour):
        srgb = [int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
        return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in srgb]
    named = _colour(cadquery_for("a colour by its name"), colour, part).wrapped.GetRGB()
    return [named.Red(), named.Green(), named.Blue()]


def _location(cq: ModuleType, pose: Pose) -> Any:
    """The pose as an OpenCASCADE location, by its axis and angle (degrees)."""
    w, *v = (float(x) for x in pose.quaternion_wxyz)
    sine = math.hypot(*v)
    axis = tuple(x / sine for x in v) if sine else (0.0, 0.0, 1.0)
    angle = math.degrees(2.0 * math.atan2(sine, w))
    return cq.Location(tuple(float(x) for x in pose.position), axis, angle)
