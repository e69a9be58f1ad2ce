"""FreeCAD's own AssemblyExample: its bucket is dragged about in the 3D view, and FreeCAD's own
dragging is off meanwhile.
"""

from __future__ import annotations

import gc
from math import cos, pi, sin
from typing import Any

import FreeCAD
import FreeCADGui
from dragged import STEPS, Drag, joints, judged, pixel, recorded, view
from hand import (
    BOX,
    OUT,
    Hand,
    all_numbers,
    close_all,
    console,
    drawn_where_it_stands,
    picture,
    rest,
)
from PySide import QtGui


def loop(count: int, wide: float, high: float) -> list[tuple[float, float]]:
    """A way that ends where it began, pixels."""
    turns = [2 * pi * k / count for k in range(1, count + 1)]
    return [(wide * sin(t), high * (1 - cos(t))) for t in turns]


def bucket(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A way within its reach and then beyond it, which is one undo step."""
    import assembly_solver_freecad as asf

    hand.click("diagnose")
    hand.page("Drive")
    before, undo = all_numbers(document), document.UndoCount
    live = asf.read(document)
    box, before_all = hand.find(BOX, "value Revolute002"), gc.get_freeze_count()
    shown, went = box.value(), []
    looked_at = view()
    drag = Drag(hand, looked_at, pixel(looked_at, "Assembly", "Bucket."))
    with recorded() as steps:
        drag.through(loop(STEPS, 30, 30))
        seen["said"] = []
        for far in ((-120, 0), (0, 120), (120, 40)):
            drag.move(*far)
            seen["said"].append(hand.said)
            went.append(abs(box.value() - shown))
        drag.move(40, 10)
        picture("grabbed")
    seen["left alone"] = [gc.get_freeze_count() > before_all]
    seen["dragged"] = judged(steps, joints(live), live.placements)
    seen["only the view"] = [all_numbers(document) == before, document.UndoCount - undo]
    seen["numbers"] = max(went)  # on the way: it ends near where it began
    drag.let_go(40, 10)
    seen["left alone"].append(gc.get_freeze_count() > before_all)
    seen["after"] = [document.UndoCount - undo, hand.said]
    seen["drawn there"] = all(drawn_where_it_stands(part) for part in live.parts.values())
    seen["moved"] = [n for n, place in all_numbers(document).items() if place != before[n]]
    document.undo()
    rest()
    seen["undone"] = all_numbers(document) == before


def base(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """A grounded part stays, and so does one that is no part of the assembly."""
    before, looked_at = all_numbers(document), FreeCADGui.activeDocument().activeView()
    for path, name in (("Assembly", "BasePin."), ("Shape012", "")):
        drag = Drag(hand, looked_at, pixel(looked_at, path, name))
        drag.move(30, 0)
        seen[f"{path} {name}"] = [hand.said, drag.drag.held, all_numbers(document) == before]
        drag.let_go(30, 0)


def freecads(hand: Hand, document: Any, seen: dict[str, Any]) -> None:
    """FreeCAD's own dragging is off while ours is on, and given back by the button."""
    view_of = document.Assembly.ViewObject
    action = FreeCADGui.getMainWindow().findChild(QtGui.QAction, "AssemblySolver_DragInView")
    states = [(hand.panel.mouse.active, view_of.EnableMovement)]
    for _ in range(2):
        action.trigger()
        states.append((hand.panel.mouse.active, view_of.EnableMovement))
    FreeCADGui.activateWorkbench("PartWorkbench")
    states.append((hand.panel.mouse.active, view_of.EnableMovement))
    FreeCADGui.activateWorkbench("AssemblySolverWorkbench")
    states.append((hand.panel.mouse.active, view_of.EnableMovement))
    seen["ours, FreeCAD's"] = states


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    document = FreeCAD.openDocument(str(OUT / "AssemblyExample.FCStd"))
    bucket(hand, document, seen)
    base(hand, document, seen)
    freecads(hand, document, seen)
    close_all()
    seen["console"] = console()
    return seen
