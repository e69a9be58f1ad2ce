"""Mechanisms with FreeCAD's gears, belts, screws and racks; every other joint is solved."""

from __future__ import annotations

from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
from distances import place
from making import Bench


def wheels(bench: Bench) -> tuple[Any, Any]:
    """Two wheels that turn on one plate: their hinges."""
    plate = bench.box("Plate", (100, 20, 5))
    bench.ground(plate)
    joints = []
    for name, at in (("One", 20), ("Two", 60)):
        wheel = bench.round("Cylinder", name, Radius=5, Height=4)
        place(wheel, at, 10, 5)
        joint = bench.joint("Revolute", "Plate.Face6 Plate.Vertex2", f"{name}.Face3 {name}.Edge1")
        joint.Label = f"Turn {name}"
        joint.Detach1 = True
        joint.Placement1 = FreeCAD.Placement(FreeCAD.Vector(at, 10, 5), FreeCAD.Rotation())
        joints.append(joint)
    asf.solve(bench.document).require()
    return joints[0], joints[1]


def wheels_coupled(bench: Bench, kind: str) -> tuple[Any, Any]:
    """The two wheels, of 20 and 10 mm for gears or a belt: their hinges."""
    found = wheels(bench)
    bench.joint(kind, "One.Face3 One.Edge1", "Two.Face3 Two.Edge1", Distance=20.0, Distance2=10.0)
    return found


def nut(bench: Bench) -> tuple[Any, Any]:
    """A rod that turns and a nut that slides, 8 mm with each turn: their joints."""
    bench.ground(bench.box("Base"))
    bench.box("Nut"), bench.box("Rod")
    slide = bench.joint("Slider", "Base.Face6 Base.Vertex7", "Nut.Face6 Nut.Vertex7", "Slide")
    turn = bench.joint("Revolute", "Base.Face6 Base.Vertex7", "Rod.Face6 Rod.Vertex7", "Turn")
    bench.joint("Screw", "Nut.Face6 Nut.Vertex7", "Rod.Face6 Rod.Vertex7", Distance=8.0)
    asf.solve(bench.document).require()
    return turn, slide


def rack(bench: Bench) -> tuple[Any, Any]:
    """A pinion of 9 mm that turns and a rack that slides: their joints."""
    bench.ground(bench.box("Base", (60, 60, 60)))
    bench.box("Rack"), bench.box("Pinion")
    slide = bench.joint("Slider", "Base.Face2 Base.Vertex7", "Rack.Face2 Rack.Vertex7", "Slide")
    turn = bench.joint("Revolute", "Base.Face6 Base.Vertex7", "Pinion.Face6 Pinion.Vertex7", "Turn")
    ends = "Rack.Face2 Rack.Vertex7", "Pinion.Face6 Pinion.Vertex7"
    bench.joint("RackPinion", *ends, Distance=9.0)
    asf.solve(bench.document).require()
    return turn, slide
