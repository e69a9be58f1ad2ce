"""A picture of a sample's solids at the poses in its file, drawn off screen.

    python samples/render.py NAME_OR_FILE PICTURE.png [--width 1400] [--from X Y Z] [--up X Y Z]

NAME is a sample's name, FILE an assembly file, such as one with solved poses.
Needs cadquery, which brings VTK.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import cadquery as cq
import numpy as np
import vtk
from numpy.typing import NDArray

Vector = tuple[float, float, float] | list[float]

HERE = Path(__file__).parent
GREY = "#9aa3ab"
# direction from the scene to the camera, and the direction that is up in the picture
VIEWS: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "excavator": ((0.55, 0.34, 1.0), (0.0, 1.0, 0.0)),
    "four_bar": ((0.1, -0.75, 1.0), (0.0, 1.0, 0.0)),
    "slider_crank": ((-0.25, 0.5, 1.0), (0.0, 1.0, 0.0)),
    "bad_lid": ((-1.0, -0.7, 0.55), (0.0, 0.0, 1.0)),
    "hinge": ((-0.7, 1.0, 0.35), (0.0, 0.0, 1.0)),
}
FROM_ABOVE = ((0.7, -1.0, 0.55), (0.0, 0.0, 1.0))


def placement(pose: dict[str, Any]) -> vtk.vtkTransform:
    """A part's pose (mm, quaternion or axis and degrees) as a VTK transform."""
    transform = vtk.vtkTransform()
    transform.Translate(*pose.get("position", (0, 0, 0)))
    if "quaternion_wxyz" in pose:
        w, *v = pose["quaternion_wxyz"]
        angle = math.degrees(2 * math.atan2(math.hypot(*v), w))
        if any(v):
            transform.RotateWXYZ(angle, *v)
    elif "axis" in pose:
        transform.RotateWXYZ(pose["angle"], *pose["axis"])
    return transform


def triangles(file: Path) -> tuple[vtk.vtkPolyData, vtk.vtkPolyData]:
    """Faces with smooth normals, and edges, of a STEP file."""
    read = cq.importers.importStep(str(file)).vals()
    shape = cq.Compound.makeCompound([s for s in read if isinstance(s, cq.Shape)])
    corners, cells = shape.tessellate(0.3, 0.12)
    points, polygons, data = vtk.vtkPoints(), vtk.vtkCellArray(), vtk.vtkPolyData()
    for corner in corners:
        points.InsertNextPoint(corner.toTuple())
    for cell in cells:
        polygons.InsertNextCell(3, cell)
    data.SetPoints(points)
    data.SetPolys(polygons)
    whole = vtk.vtkCleanPolyData()  # faces share their borders again
    whole.SetInputData(data)
    faces = vtk.vtkPolyDataNormals()
    faces.SetInputConnection(whole.GetOutputPort())
    faces.SetFeatureAngle(25)
    edges = vtk.vtkFeatureEdges()
    edges.SetInputConnection(whole.GetOutputPort())
    edges.SetFeatureAngle(25)
    edges.BoundaryEdgesOff()
    edges.ManifoldEdgesOff()
    edges.NonManifoldEdgesOff()
    edges.ColoringOff()
    for step in (faces, edges):
        step.Update()
    return faces.GetOutput(), edges.GetOutput()


def actors(part: dict[str, Any], folder: Path) -> list[vtk.vtkActor]:
    """A shaded actor and an actor of thin dark edges for one part."""
    faces, edges = triangles(folder / part["geometry"])
    colour = part.get("x-colour", GREY).lstrip("#")
    rgb = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    made = []
    for data, is_edge in ((faces, False), (edges, True)):
        mapper = vtk.vtkPolyDataMapper()
        mapper.SetInputData(data)
        mapper.ScalarVisibilityOff()
        mapper.SetResolveCoincidentTopologyToPolygonOffset()
        actor = vtk.vtkActor()
        actor.SetMapper(mapper)
        actor.SetUserTransform(placement(part.get("pose", {})))
        look = actor.GetProperty()
        if is_edge:
            look.SetColor(*(0.35 * c for c in rgb))
            look.SetLineWidth(1.6)
            look.LightingOff()
        else:
            look.SetColor(*rgb)
            look.SetAmbient(0.25)
            look.SetDiffuse(0.82)
            look.SetSpecular(0.16)
            look.SetSpecularPower(25)
        made.append(actor)
    return made


def lights(renderer: vtk.vtkRenderer) -> None:
    """A key light from the upper left, a fill from the right, a weak one from below."""
    renderer.RemoveAllLights()
    for place, strength in (
        ((-1.0, 1.6, 1.8), 0.95),
        ((1.8, 0.4, 1.0), 0.5),
        ((0.0, -1.0, 1.5), 0.25),
    ):
        light = vtk.vtkLight()
        light.SetLightTypeToCameraLight()
        light.SetPosition(*place)
        light.SetFocalPoint(0, 0, 0)
        light.SetIntensity(strength)
        renderer.AddLight(light)


def aim(renderer: vtk.vtkRenderer, towards: Vector, up: Vector, width: int) -> tuple[int, int]:
    """Set the camera so that the scene just fills a picture; return that picture's size."""
    box = renderer.ComputeVisiblePropBounds()
    middle = [(box[2 * i] + box[2 * i + 1]) / 2 for i in range(3)]
    away = 2.6 * math.dist(box[::2], box[1::2]) / math.hypot(*towards)
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(*middle)
    camera.SetPosition(*(m + away * d for m, d in zip(middle, towards, strict=True)))
    camera.SetViewUp(*up)
    camera.OrthogonalizeViewUp()
    seen = slopes(renderer)
    (left, bottom), (right, top) = seen.min(axis=0), seen.max(axis=0)
    across, upward = 1.05 * (right - left) / 2, 1.05 * (top - bottom) / 2
    camera.SetViewAngle(2 * math.degrees(math.atan(upward)))
    camera.SetWindowCenter((left + right) / 2 / across, (bottom + top) / 2 / upward)
    renderer.ResetCameraClippingRange()
    return width, round(width * upward / across)


def slopes(renderer: vtk.vtkRenderer) -> NDArray[np.float64]:
    """Every point of the scene as the camera sees it: tangents across and upward, shape (n, 2)."""
    view = vtk.vtkMatrix4x4()
    seen = []
    for actor in renderer.GetActors():
        vtk.vtkMatrix4x4.Multiply4x4(
            renderer.GetActiveCamera().GetViewTransformMatrix(), actor.GetMatrix(), view
        )
        cloud = actor.GetMapper().GetInput()
        points = np.array([cloud.GetPoint(i) for i in range(cloud.GetNumberOfPoints())])
        matrix = np.array([[view.GetElement(i, j) for j in range(4)] for i in range(3)])
        x, y, z = matrix[:, :3] @ points.T + matrix[:, 3:]
        seen.append(np.stack([-x / z, -y / z], axis=1))
    return np.concatenate(seen)


def render(file: Path, picture: Path, towards: Vector, up: Vector, width: int) -> None:
    """Draw an assembly file's placed geometry into a PNG."""
    assembly = json.loads(file.read_text(encoding="utf-8"))
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    for part in assembly["parts"].values():
        if "geometry" in part:
            for actor in actors(part, file.parent):
                renderer.AddActor(actor)
    lights(renderer)
    size = aim(renderer, towards, up, width)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(*size)
    window.AddRenderer(renderer)
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(str(picture))
    writer.SetInputConnection(grab.GetOutputPort())
    writer.Write()


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("assembly", help="a sample's name or an assembly file")
    parse.add_argument("picture", type=Path)
    parse.add_argument("--width", type=int, default=1400, help="pixels")
    parse.add_argument("--from", dest="towards", nargs=3, type=float, help="scene to camera")
    parse.add_argument("--up", nargs=3, type=float, help="up in the picture")
    asked = parse.parse_args()
    file = Path(asked.assembly)
    if not file.is_file():
        file = HERE / f"{asked.assembly}.assembly.json"
    sample = file.name.split(".")[0]
    towards, up = VIEWS.get(sample, FROM_ABOVE)
    render(file, asked.picture, asked.towards or towards, asked.up or up, asked.width)


if __name__ == "__main__":
    main()
