"""Own mates: a ring on a post is dragged in the 3D view, put back, let go, and what goes wrong."""

from __future__ import annotations

from math import degrees, hypot
from typing import Any

import FreeCAD
import FreeCADGui
from dragged import Drag, Step, pixel, recorded, view
from hand import (
    BOX,
    Hand,
    all_numbers,
    click,
    close_all,
    console,
    drawn_where_it_stands,
    key,
    numbers,
    picture,
    rest,
)
from hinge import parts
from PySide import QtGui

STEPS = 24


def made() -> Any:
    """A long ring that turns on a post, up to 40 degrees."""
    import assembly_solver_freecad as asf

    document = parts("Ring")
    arm = document.addObject("Part::Box", "Arm")
    arm.Length, arm.Width, arm.Height = 40, 6, 12
    arm.Placement.Base = FreeCAD.Vector(3, -3, 0)
    ring = document.addObject("Part::Fuse", "Lever")
    ring.Base, ring.Tool = document.Ring, arm
    document.Ring.Placement = FreeCAD.Placement()
    document.recompute()
    faces = [k + 1 for k, f in enumerate(ring.Shape.Faces) if f.Surface.TypeId.endswith("Cylinder")]
    mate = asf.mate([(document.Post, "Face1"), (ring, f"Face{faces[0]}")], "revolute", "Hinge")
    mate.EnableAngleMax, mate.AngleMax = True, 40.0
    document.recompute()
    rest()
    return document


def off(steps: list[Step], post: Any) -> float:
    """How far the axis of the lever was off that of the post, mm, and the sine of its tilt."""
    worst = 0.0
    for step in steps:
        to = post.Placement.inverse() * step.placements["Lever"]
        z = to.Rotation.multVec(FreeCAD.Vector(0, 0, 1))
        worst = max(worst, hypot(to.Base.x, to.Base.y), hypot(z.x, z.y))
    return worst


def turned(document: Any, before: list[float]) -> float:
    """How far the lever was turned, degrees."""
    old = FreeCAD.Rotation(*before[3:])
    return float(degrees((old.inverted() * document.Lever.Placement.Rotation).Angle))


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    document = made()
    hand.click("solve")
    hand.page("Drive")
    looked_at = view()
    before, undo, lever = all_numbers(document), document.UndoCount, document.Lever
    start = pixel(looked_at, "Lever", "")
    seen["start"] = hand.find(BOX, "value Hinge").value()

    drag = Drag(hand, looked_at, start)
    with recorded() as steps:
        drag.through([(-2 * k, k) for k in range(STEPS)])
    seen["dragging"] = hand.said
    seen["off"] = off(steps, document.Post)
    seen["while"] = [all_numbers(document) == before, drawn_where_it_stands(lever)]
    picture("ring")
    key(drag.port, "Escape")
    seen["escaped"] = [hand.said, drag.drag.held, drawn_where_it_stands(lever)]
    seen["stands"] = hand.find(BOX, "value Hinge").value()
    drag.move(-10, 4)
    drag.let_go(-10, 4)
    seen["after escape"] = [all_numbers(document) == before, document.UndoCount - undo]

    drag = Drag(hand, looked_at, start)
    drag.through([(-20, 10), (20, -20), (60, -80), (120, -200)])
    seen["stopped"] = hand.said
    shown = round(hand.find(BOX, "value Hinge").value(), 3)
    drag.let_go(120, -200)
    seen["let go"] = [turned(document, before["Lever"]), shown, document.UndoCount - undo]
    seen["name"] = document.UndoNames[0]
    seen["reached"] = round(hand.find(BOX, "value Hinge").value(), 3)

    drag = Drag(hand, looked_at, pixel(looked_at, "Lever", ""))
    drag.through([(-10, 5), (-20, 10)])
    drag.let_go(-20, 10)
    document.undo()
    document.undo()
    rest()
    seen["undone"] = all_numbers(document) == before

    FreeCADGui.Selection.clearSelection()
    click(looked_at.graphicsView().viewport(), start)
    rest()
    seen["clicked"] = [o.Name for o in FreeCADGui.Selection.getSelection()]

    seen["console"] = console()
    seen["broken"] = broken(hand, document, looked_at, start)
    close_all()
    return seen


def broken(hand: Hand, document: Any, looked_at: Any, start: Any) -> list[Any]:
    """An unexpected error in the middle: everything is back, and the mouse is FreeCAD's."""
    import assembly_solver as asm

    before, step = all_numbers(document), asm.Session.drag

    def fails(*of: Any, **more: Any) -> Any:
        raise ArithmeticError("made up")

    drag = Drag(hand, looked_at, start)
    drag.move(-20, 10)
    asm.Session.drag = fails
    try:
        drag.move(-30, 15)
    finally:
        asm.Session.drag = step
    found = [hand.said, hand.panel.mouse.active, drag.drag.held]
    drag.let_go(-30, 15)
    same = all_numbers(document) == before and drawn_where_it_stands(document.Lever)
    FreeCADGui.getMainWindow().findChild(QtGui.QAction, "AssemblySolver_DragInView").trigger()
    return [*found, same, numbers(document.Lever) == before["Lever"]]
