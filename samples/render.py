"""A picture of a sample's solids at its solved poses, drawn off screen on a transparent ground.

    python samples/render.py NAME_OR_FILE PICTURE.png [--width 1400] [--from X Y Z] [--up X Y Z]

NAME is a sample's name, FILE an assembly file; what cannot be solved stands as its file says.
PICTURE.webp moves: that is for the samples in `ROUNDS`.  Needs cadquery, which brings VTK, and for
a picture that moves Pillow.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cadquery as cq
import numpy as np
import vtk
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import vtk_to_numpy

import assembly_solver as asm

Vector = tuple[float, float, float] | list[float]

HERE = Path(__file__).parent
GREY = "#9aa3ab"
# direction from the scene to the camera, and the direction that is up in the picture
VIEWS: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "excavator": ((0.55, 0.34, 1.0), (0.0, 1.0, 0.0)),
    "excavator_long_stroke": ((0.55, 0.34, 1.0), (0.0, 1.0, 0.0)),
    "four_bar": ((0.1, -0.75, 1.0), (0.0, 1.0, 0.0)),
    "slider_crank": ((-0.25, 0.5, 1.0), (0.0, 1.0, 0.0)),
    "bad_lid": ((-1.0, -0.7, 0.55), (0.0, 0.0, 1.0)),
    "hinge": ((-0.7, 1.0, 0.35), (0.0, 0.0, 1.0)),
}
FROM_ABOVE = ((0.7, -1.0, 0.55), (0.0, 0.0, 1.0))
# of a sample that moves in space: how far each driver swings to either side, in mm or degrees, and
# how far it is behind the first one, in degrees of the round
ROUNDS = {"stewart_platform": {f"leg {i + 1}": (24.0, 60.0 * i) for i in range(6)}}
FRAMES, SECONDS = 40, 6.0


def placement(pose: asm.Pose) -> vtk.vtkTransform:
    """A part's pose as a VTK transform."""
    transform = vtk.vtkTransform()
    rows = np.column_stack([pose.rotation, pose.position])
    transform.SetMatrix([*rows.flat, 0, 0, 0, 1])
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


def actors(part: dict[str, Any], folder: Path, stands: vtk.vtkTransform) -> list[vtk.vtkActor]:
    """A shaded actor and an actor of thin dark edges for one part, where the transform says."""
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
        actor.SetUserTransform(stands)
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


def aim(
    renderer: vtk.vtkRenderer, towards: Vector, up: Vector, width: int, room: float
) -> tuple[int, int]:
    """Set the camera so that the scene fills a picture but for some room; return its size."""
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
    across, upward = room * (right - left) / 2, room * (top - bottom) / 2
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


class Scene:
    """An assembly file's geometry before a camera.

    Attributes:
        stands: where each part with geometry stands, by its name: to be set.
    """

    def __init__(self, file: Path, towards: Vector, up: Vector, width: int, room: float) -> None:
        renderer = vtk.vtkRenderer()
        renderer.SetBackground(0.5, 0.5, 0.5)  # of which edges have a trace, light and dark
        renderer.SetBackgroundAlpha(0.0)
        self.stands: dict[str, vtk.vtkTransform] = {}
        assembly = asm.read(file)
        if solution := asm.solve(assembly):
            solution.apply()
        for name, part in json.loads(file.read_text(encoding="utf-8"))["parts"].items():
            if "geometry" in part:
                self.stands[name] = placement(assembly.parts[name].pose)
                for actor in actors(part, file.parent, self.stands[name]):
                    renderer.AddActor(actor)
        lights(renderer)
        size = aim(renderer, towards, up, width, room)
        self._window = vtk.vtkRenderWindow()
        self._window.SetOffScreenRendering(1)
        self._window.SetMultiSamples(8)
        self._window.SetAlphaBitPlanes(1)
        self._window.SetSize(*size)
        self._window.AddRenderer(renderer)

    def drawn(self) -> vtk.vtkWindowToImageFilter:
        """The picture of the scene as it stands now."""
        self._window.Render()
        grab = vtk.vtkWindowToImageFilter()
        grab.SetInput(self._window)
        grab.SetInputBufferTypeToRGBA()
        grab.ReadFrontBufferOff()
        grab.Update()
        return grab


def still(scene: Scene, picture: Path) -> None:
    """Draw a scene into a PNG."""
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(str(picture))
    shot = scene.drawn()  # kept until it is written: a port does not keep its filter
    writer.SetInputConnection(shot.GetOutputPort())
    writer.Write()


def frames(scene: Scene, file: Path) -> Iterator[NDArray[np.uint8]]:
    """The pictures of one round of a sample's drivers, shape (height, width, 4) each."""
    assembly = asm.read(file)
    turn = 2 * np.pi * np.arange(FRAMES) / FRAMES
    drivers = {
        name: (assembly.drivers[name].value or 0.0) + swing * np.sin(turn - math.radians(behind))
        for name, (swing, behind) in ROUNDS[file.name.split(".")[0]].items()
    }
    motion = asm.sweep(assembly, drivers)
    assert motion.valid.all(), motion
    for state in motion.frames:
        for name, (origin, *axes) in zip(motion.parts, state.reshape(-1, 4, 3), strict=True):
            if name in scene.stands:
                rows = np.column_stack([*axes, origin])
                scene.stands[name].SetMatrix([*rows.flat, 0, 0, 0, 1])
        image = scene.drawn().GetOutput()
        across, upward, _ = image.GetDimensions()
        colours = vtk_to_numpy(image.GetPointData().GetScalars())
        yield colours.reshape(upward, across, -1)[::-1].copy()


def moving(scene: Scene, file: Path, picture: Path) -> None:
    """Draw one round of a sample's drivers into a WebP that repeats it."""
    from PIL import Image

    first, *others = [Image.fromarray(frame) for frame in frames(scene, file)]
    time = round(1000 * SECONDS / FRAMES)
    first.save(picture, save_all=True, append_images=others, duration=time, loop=0, quality=50)


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
    room = 1.2 if sample in ROUNDS else 1.05
    scene = Scene(file, asked.towards or towards, asked.up or up, asked.width, room)
    if asked.picture.suffix == ".webp":
        if sample not in ROUNDS:
            parse.error(f"only {', '.join(ROUNDS)} has a round to draw, not {sample}")
        moving(scene, file, asked.picture)
    else:
        still(scene, asked.picture)


if __name__ == "__main__":
    main()
