"""Small .asmt files, written by hand: a grounded assembly with markers, parts, and joints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SI = "freeCAD: 3D CAD with Motion Simulation  by  askoh.com"
MM = "OndselSolver"
NAME = "Rig"


class Frame(NamedTuple):
    """An origin and a rotation matrix whose columns are the axes."""

    at: Sequence[float] = (0.0, 0.0, 0.0)
    turn: Array = np.eye(3)

    def __matmul__(self, other: Frame) -> Frame:
        return Frame(np.asarray(self.at) + self.turn @ np.asarray(other.at), self.turn @ other.turn)


class Body(NamedTuple):
    """A part, or the assembly itself: its frame, its markers, its mass with principal moments."""

    name: str
    frame: Frame
    markers: dict[str, Frame]
    mass: tuple[float, Frame, Sequence[float]] | None = None


class Item(NamedTuple):
    """A joint, a motion, a limit or a force: its tag, its name, and its keys with their lines."""

    tag: str
    name: str
    keys: dict[str, str]


def joint(tag: str, name: str, i: str, j: str, **keys: object) -> Item:
    """A joint of two markers, each told as "Part/Marker" or "Marker" of the ground."""
    paths = {"MarkerI": f"/{NAME}/{i}", "MarkerJ": f"/{NAME}/{j}"}
    return Item(tag, name, paths | {key: str(value) for key, value in keys.items()})


def text(
    bodies: Iterable[Body],
    joints: Iterable[Item] = (),
    motions: Iterable[Item] = (),
    limits: Iterable[Item] = (),
    forces: Iterable[Item] = (),
    gravity: Sequence[float] | None = None,
    times: Sequence[float] = (0.0, 1.0, 0.25),
    banner: str = MM,
) -> str:
    """The whole file; the first body is the assembly itself.

    Gravity is that of the Earth in the banner's unit, which it tells, unless it is given.
    """
    ground, *parts = bodies
    if gravity is None:
        gravity = (0.0, 0.0, -9.81 if banner == SI else -9810.0)
    out = [banner, "Assembly", *lines(1, "Notes"), "\t\t", *lines(1, "Name", [NAME])]
    out += _frame(1, ground.frame) + _points(1, ground)
    out += ["\tParts"]
    for part in parts:
        out += ["\t\tPart", *lines(3, "Name", [part.name]), *_frame(3, part.frame)]
        out += ["\t\t\tFeatureOrder", *_mass(part), *_points(3, part)]
    out += ["\tKinematicIJs", "\tConstraintSets"]
    for key, items in (("Joints", joints), ("Motions", motions), ("Limits", limits)):
        out += [f"\t\t{key}", *_items(3, items)]
    out += ["\t\tGeneralConstraintSets", "\tForceTorques", *_items(2, forces)]
    out += lines(1, "ConstantGravity", [row(gravity)])
    out += ["\tSimulationParameters"]
    for key, value in zip(("tstart", "tend", "hout"), times, strict=True):
        out += lines(2, key, [repr(value)])
    return "\n".join([*out, "\tAnimationParameters", *lines(2, "nframe", ["1"]), ""])


def save(path: Path, whole: str) -> Path:
    path.write_text(whole, encoding="utf-8")
    return path


def row(values: Iterable[float]) -> str:
    return "\t".join(repr(float(v)) for v in values)


def lines(depth: int, key: str, inner: Iterable[str] = ()) -> list[str]:
    return ["\t" * depth + key, *("\t" * (depth + 1) + line for line in inner)]


def _frame(depth: int, frame: Frame) -> list[str]:
    turn = lines(depth, "RotationMatrix", [row(r) for r in frame.turn])
    return lines(depth, "Position3D", [row(frame.at)]) + turn


def _points(depth: int, body: Body) -> list[str]:
    """Each marker on a reference point of its own, which takes half of the way to it."""
    out = ["\t" * depth + "RefPoints"]
    for name, frame in body.markers.items():
        half = Frame(0.5 * np.asarray(frame.at))
        out += ["\t" * (depth + 1) + "RefPoint", *_frame(depth + 2, half)]
        out += ["\t" * (depth + 2) + "Markers", "\t" * (depth + 3) + "Marker"]
        rest = Frame(np.asarray(frame.at) - half.at, frame.turn)
        out += lines(depth + 4, "Name", [name]) + _frame(depth + 4, rest)
    return [*out, "\t" * depth + "RefCurves", "\t" * depth + "RefSurfaces"]


def _mass(part: Body) -> list[str]:
    if part.mass is None:
        return []
    kg, frame, moments = part.mass
    out = ["\t\t\tPrincipalMassMarker", *lines(4, "Name", ["MassMarker"]), *_frame(4, frame)]
    out += lines(4, "Mass", [repr(kg)]) + lines(4, "MomentOfInertias", [row(moments)])
    return out + lines(4, "Density", ["10.0"])


def _items(depth: int, items: Iterable[Item]) -> list[str]:
    out = []
    for item in items:
        out += ["\t" * depth + item.tag, *lines(depth + 1, "Name", [item.name])]
        for key, value in item.keys.items():
            out += lines(depth + 1, key, [value])
    return out
