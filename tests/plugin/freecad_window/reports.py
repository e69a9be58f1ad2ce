"""Assemblies like those of public reports in which FreeCAD's own dragging breaks, dragged by ours.

FreeCAD issues #16055 (cylindrical joints turn over when a part is led far or fast), #30165 (of a
chain only the nearest joint follows), #12395 (no way of dragging suits ball and cylindrical ones);
#15225 is about its AssemblyExample, #14806 about grounded parts: see `grabbed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import cos, pi, sin
from typing import Any

import FreeCAD
from dragged import STEPS, Drag, joints, judged, pixel, recorded, still, view
from hand import Hand, all_numbers, close_all, console, picture
from PySide import QtCore


def carrier(bench: Any) -> str:
    """A wheel's carrier that slides and turns on three axes, one on the other."""
    steps = {"Frame": (0, 0, 0), "Arm": (50, 0, 0), "Fork": (50, 40, 0), "Carrier": (50, 40, 30)}
    _boxes(bench, (40, 30, 20), steps)
    for kind, (one, two) in zip(("Face2", "Face4", "Face6"), pairwise(steps), strict=True):
        bench.joint("Cylindrical", f"{one}.{kind}", f"{two}.{kind}")
    return "Carrier"


def robot(bench: Any) -> str:
    """A robot's arm with six hinges, about its length and across in turn."""
    steps = {f"Link{k}": (55.0 * k, 0.0, 10.0 * k) for k in range(7)}
    _boxes(bench, (60, 20, 20), steps)
    for k, (one, two) in enumerate(pairwise(steps)):
        if k % 2:
            bench.joint("Revolute", f"{one}.Face2", f"{two}.Face1")
        else:
            bench.joint("Revolute", f"{one}.Face6 {one}.Vertex6", f"{two}.Face5 {two}.Vertex1")
    return "Link6"


def socket(bench: Any) -> str:
    """A stick in a ball joint, with a sleeve and a slide on it."""
    steps = {"Base": (0, 0, 0), "Stick": (0, 0, 60), "Sleeve": (0, 0, 130), "Slide": (30, 0, 130)}
    _boxes(bench, (20, 20, 60), steps)
    bench.joint("Ball", "Base.Face6 Base.Vertex6", "Stick.Face5 Stick.Vertex5")
    bench.joint("Cylindrical", "Stick.Face6", "Sleeve.Face6")
    bench.joint("Slider", "Sleeve.Face2", "Slide.Face2")
    return "Slide"


def _boxes(bench: Any, size: tuple[float, ...], places: Mapping[str, tuple[float, ...]]) -> None:
    for name, place in places.items():
        bench.box(name, size).Placement.Base = FreeCAD.Vector(*place)


MADE: dict[str, Callable[[Any], str]] = {"#16055": carrier, "#30165": robot, "#12395": socket}


def wide(count: int) -> list[tuple[float, float]]:
    """Round and round, farther each time, with leaps: pixels."""
    turns = [4 * pi * k / count for k in range(1, count + 1)]
    return [(t * 16 * cos(t), t * 16 * sin(t)) for t in turns]


def dragged(hand: Hand, name: str) -> dict[str, Any]:
    """One of them is made, solved and dragged."""
    import assembly_solver_freecad as asf
    from making import Bench

    bench = Bench(name.replace("#", "Report"))
    part = MADE[name](bench)
    bench.ground(bench.assembly.Group[1])
    bench.document.recompute()
    asf.solve(bench.document).require()
    hand.click("diagnose")
    live, undo = asf.read(bench.document), bench.document.UndoCount
    before, looked_at = all_numbers(bench.document), view()
    grounded = bench.assembly.Group[1].Name
    drag = Drag(hand, looked_at, pixel(looked_at, "Assembly", f"{part}."))
    with recorded() as steps:
        drag.through(wide(STEPS))
        picture(name.replace("#", "report "))
    found = judged(steps, joints(live), live.placements)
    drag.let_go(200, 0)
    after = all_numbers(bench.document)
    found["undo steps"] = bench.document.UndoCount - undo
    found["grounded stays"] = after[grounded] == before[grounded]
    found["part moves"] = after[part] != before[part]
    return found


def askew(hand: Hand) -> dict[str, Any]:
    """A free part in an assembly that stands askew, seen in perspective, stays under the mouse."""
    from making import Bench

    bench = Bench("Askew")
    bench.ground(bench.box("Base"))
    part = bench.box("Part", (30, 30, 30))
    part.Placement.Base = FreeCAD.Vector(60, 0, 0)
    turn = FreeCAD.Rotation(FreeCAD.Vector(1, 2, 3), 40)
    bench.assembly.Placement = FreeCAD.Placement(FreeCAD.Vector(50, 20, -30), turn)
    bench.document.recompute()
    looked_at = view()
    looked_at.setCameraType("Perspective")
    looked_at.fitAll()
    still(looked_at)
    start = pixel(looked_at, "Assembly", "Part.")
    before = _grabbed(looked_at, start, part)
    drag = Drag(hand, looked_at, start)
    ways = []
    for x, y in ((50, -30), (-40, 60)):
        drag.move(x, y)
        info = looked_at.getObjectInfo(_pixel(looked_at, start.x() + x, start.y() + y))
        ways.append(str(info["SubName"]).split(".")[0])
    drag.let_go(-40, 60)
    after = _grabbed(looked_at, start + QtCore.QPoint(-40, 60), part)
    return {"under the mouse": ways, "off": (after - before).Length, "said": hand.said}


def _pixel(looked_at: Any, x: int, y: int) -> tuple[int, int]:
    return x, looked_at.graphicsView().viewport().height() - 1 - y


def _grabbed(looked_at: Any, at: Any, part: Any) -> Any:
    """The point of a part that is under the mouse, in its frame."""
    info = looked_at.getObjectInfo(_pixel(looked_at, at.x(), at.y()))
    point = FreeCAD.Vector(info["x"], info["y"], info["z"])
    return part.getGlobalPlacement().inverse().multVec(point)


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    for name in MADE:
        seen[name] = dragged(hand, name)
        close_all()
    seen["askew"] = askew(hand)
    close_all()
    seen["console"] = console()
    return seen
