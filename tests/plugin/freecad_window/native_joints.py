"""Joints made in FreeCAD 1.0's own dialog while we solve in its place."""

from __future__ import annotations

from typing import Any

import FreeCADGui
from hand import Hand, all_numbers, close_all, console, picture, rest
from PySide import QtGui


def tick(name: str) -> None:
    """Choose a line of the menu that has a tick."""
    FreeCADGui.getMainWindow().findChild(QtGui.QAction, f"AssemblySolver_{name}").trigger()
    rest(0.1)


def joint(bench: Any, kind: str, *faces: str) -> Any:
    """A joint of two faces that are selected before its command is run; the dialog is up."""
    import JointObject

    FreeCADGui.Selection.clearSelection()
    for face in faces:
        FreeCADGui.Selection.addSelection(bench.document.Name, "Assembly", face)
    FreeCADGui.runCommand(f"Assembly_CreateJoint{kind}")
    rest()
    return JointObject.activeTask


def _places(bench: Any) -> dict[str, list[float]]:
    found = all_numbers(bench.document)
    return {name: found[name] for name in ("Base", "Part")}


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    import FreeCAD
    from making import AWRY, Bench, off

    seen: dict[str, Any] = {}
    settings = FreeCAD.ParamGet("User parameter:BaseApp/Preferences/Mod/Assembly")
    keys = ("SolveInJointCreation", "SolveOnRecompute")
    for key in keys:
        settings.SetBool(key, True)
    bench = Bench("Native")
    bench.assembly.Type = "Assembly"
    bench.ground(bench.box("Base"))
    bench.box("Part", (15, 25, 8)).Placement = AWRY
    bench.document.recompute()
    tick("SolveJoints")
    seen["FreeCAD's settings"] = [settings.GetBool(key, True) for key in keys]
    FreeCADGui.activeDocument().activeView().viewIsometric()
    FreeCADGui.SendMsgToActiveView("ViewFit")
    FreeCADGui.ActiveDocument.setEdit("Assembly")
    FreeCADGui.activateWorkbench("AssemblyWorkbench")
    rest()
    before, undo = _places(bench), bench.document.UndoCount

    task = joint(bench, "Revolute", "Base.Face6", "Part.Face2")
    picture("native joint")
    seen["made"] = [off(task.joint), _places(bench)["Base"] == before["Base"]]
    task.accept()
    rest()
    seen["accepted"] = [off(bench.joints.Group[-1]), bench.document.UndoCount - undo]
    bench.document.Part.Placement = AWRY
    bench.assembly.touch()
    FreeCADGui.runCommand("Std_Refresh")
    rest()
    seen["recomputed"] = off(bench.joints.Group[-1])
    held = _places(bench)

    task = joint(bench, "Fixed", "Base.Face5", "Part.Face1")
    seen["impossible"] = [hand.said, hand.meaning, _places(bench) == held]
    picture("native joint impossible")
    task.reject()
    rest()
    seen["rejected"] = [_places(bench) == held, len(bench.joints.Group)]
    FreeCADGui.activateWorkbench("AssemblySolverWorkbench")
    FreeCADGui.ActiveDocument.resetEdit()
    tick("SolveJoints")
    seen["given back"] = [settings.GetBool(key, True) for key in keys]
    close_all()
    seen["console"] = console()
    return seen
