"""*Edit* of a native joint in the list of the page Mate opens FreeCAD's own dialog."""

from __future__ import annotations

from typing import Any

import FreeCADGui
from hand import Hand, close_all, console, picture, rest, until
from listed import choose, lines


def dialog() -> Any:
    """FreeCAD's dialog of a joint while it is up, else None."""
    import JointObject

    task = JointObject.activeTask
    return task if task is not None and FreeCADGui.Control.activeDialog() else None


def edited(hand: Hand, number: int, joint: Any, document: Any) -> list[Any]:
    """The joint of the dialog, whether that is gone again when it is accepted, and undo steps."""
    undo = document.UndoCount
    choose(hand, number)
    hand.press("edit mate")
    until(dialog)
    rest()
    task = dialog()
    picture(f"edited {undo}")
    of = task.joint.Name == joint.Name
    task.accept()
    rest()
    return [of, FreeCADGui.Control.activeDialog(), document.UndoCount - undo]


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    import assembly_solver_freecad as asf
    from making import AWRY, Bench, off

    seen: dict[str, Any] = {}
    bench = Bench("Edited")
    bench.assembly.Type = "Assembly"
    bench.ground(bench.box("Base"))
    bench.box("Part", (15, 25, 8)).Placement = AWRY
    joint = bench.joint("Revolute", "Base.Face6", "Part.Face2")
    bench.document.recompute()
    asf.solve(bench.document).require()
    FreeCADGui.activeDocument().activeView().viewIsometric()
    FreeCADGui.SendMsgToActiveView("ViewFit")
    hand.click("diagnose")
    hand.page("Mate")
    until(lambda: any("Revolute" in line for line in lines(hand)))
    seen["lines"] = lines(hand)
    number = next(k for k, line in enumerate(seen["lines"]) if "Revolute" in line)
    seen["dialogs"] = [edited(hand, number, joint, bench.document) for _ in range(2)]
    picture("edited")
    seen["off"] = off(joint)
    FreeCADGui.ActiveDocument.resetEdit()
    close_all()
    seen["console"] = console()
    return seen
