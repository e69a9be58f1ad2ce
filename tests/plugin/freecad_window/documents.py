"""Several documents and assemblies, and what happens to them while the panel works on one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import FreeCAD
import FreeCADGui
from hand import OUT, SLIDER, Hand, close_all, console, drawn_where_it_stands, picture, rest, until
from hinge import parts
from PySide import QtGui


def hinge(hand: Hand, name: str) -> Any:
    """A document with a ring that turns on a post, looked at."""
    import assembly_solver_freecad as asf

    document = parts(name)
    post, ring = document.Post, document.Ring
    asf.mate([(post, "Face1"), (ring, "Face1")], "coaxial")
    asf.mate([(post, "Face3"), (ring, "Face3")], "coplanar")
    rest()
    hand.click("solve")
    return document


def _choices(hand: Hand) -> list[str]:
    box = hand.find(QtGui.QComboBox, "assembly")
    return [box.itemText(k) for k in range(box.count())]


def _commands(hand: Hand) -> list[bool]:
    return [hand.find(QtGui.QPushButton, name).isEnabled() for name in ("solve", "diagnose")]


def nothing(hand: Hand, seen: dict[str, Any]) -> None:
    """No document, then one with nothing in it."""
    close_all()
    seen["no document"] = [hand.said, _choices(hand), _commands(hand)]
    FreeCAD.newDocument("Empty")
    rest()
    seen["empty"] = [hand.said, _choices(hand), _commands(hand)]
    picture("empty")
    close_all()


def several(hand: Hand, seen: dict[str, Any]) -> None:
    """The panel works on the document in front, and says which one that is."""
    one = hinge(hand, "One")
    two = parts("Two")
    rest()
    seen["in front"] = [_choices(hand), hand.said]
    FreeCAD.setActiveDocument(one.Name)
    rest()
    seen["back"] = [_choices(hand), hand.said]
    seen["diagnosed"] = hand.click("diagnose")
    FreeCAD.closeDocument(two.Name)
    rest()
    seen["other closed"] = [hand.desk.solution is not None, hand.said]
    close_all()


def closed(hand: Hand, seen: dict[str, Any]) -> None:
    """A document is closed while it plays, is driven, is swept."""
    for what, begin in (("playing", _play), ("driving", _drive), ("sweeping", _sweep)):
        document = hinge(hand, what.capitalize())
        begin(hand, document)
        FreeCAD.closeDocument(document.Name)
        until(lambda: not hand.desk.jobs.running and hand.said.startswith("No assembly"))
        held = hand.panel.pages["Drive"].driving.held
        seen[f"closed while {what}"] = [hand.said, hand.desk.player.active, held is None]


def deleted(hand: Hand, seen: dict[str, Any]) -> None:
    """A mate or a part is deleted meanwhile; undo brings it back where it stood."""
    for what, begin, name in (
        ("playing", _play, "Ring"),
        ("driving", _drive, "Ring"),
        ("sweeping", _sweep, "Mate001"),
    ):
        document = hinge(hand, what.capitalize())
        before = document.Ring.Placement
        begin(hand, document)
        document.openTransaction("Delete")
        document.removeObject(name)
        document.commitTransaction()
        until(lambda: not hand.desk.jobs.running)
        rest()
        told = hand.said
        document.undo()
        rest()
        stands = document.Ring.Placement == before and drawn_where_it_stands(document.Ring)
        again = hand.click("diagnose")
        seen[f"deleted while {what}"] = [told, hand.desk.player.active, stands, again]
        close_all()


def _play(hand: Hand, document: Any) -> None:
    hand.page("Diagnosis")
    hand.press("play 0")
    until(lambda: not drawn_where_it_stands(document.Ring))


def _drive(hand: Hand, document: Any) -> None:
    hand.page("Drive")
    names = [s.objectName().removeprefix("slider ") for s in hand.panel.findChildren(SLIDER)]
    slider = hand.take(next(n for n in names if n.endswith("angle")))
    hand.drag(slider, [slider.value() + 100])
    assert not drawn_where_it_stands(document.Ring)


def _sweep(hand: Hand, document: Any) -> None:
    hand.page("Sweep")
    hand.find(QtGui.QSpinBox, "sweep steps").setValue(10_000)
    hand.press("sweep")


def assemblies(hand: Hand, seen: dict[str, Any]) -> None:
    """Two assemblies in a document: the one that is chosen is solved (FreeCAD 1.0 has them)."""
    document = FreeCAD.newDocument("Both")
    document.UndoMode = 1
    for name in ("Left", "Right"):
        assembly = document.addObject("Assembly::AssemblyObject", name)
        for part in ("Base", "Lid"):
            assembly.newObject("Part::Box", f"{name}{part}")
    document.recompute()
    rest()
    seen["both"] = [_choices(hand), hand.said]
    hand.choose("assembly", "Both › Right")
    seen["chosen"] = hand.said
    seen["right"] = [hand.click("diagnose"), sorted(hand.desk.live.parts)]
    picture("both")
    seen["FreeCAD solves"] = [_switched(on) for on in (False, True)]
    document.removeObject("Right")
    rest()
    seen["right deleted"] = [_choices(hand), hand.said]
    close_all()


def _switched(on: bool) -> list[bool]:
    """FreeCAD's settings after its solver was switched on or off in the menu."""
    action = FreeCADGui.getMainWindow().findChild(QtGui.QAction, "AssemblySolver_FreeCADSolves")
    if action.isChecked() != on:
        action.trigger()
    settings = FreeCAD.ParamGet("User parameter:BaseApp/Preferences/Mod/Assembly")
    return [settings.GetBool(k, True) for k in ("SolveInJointCreation", "SolveOnRecompute")]


def reopened(hand: Hand, seen: dict[str, Any]) -> None:
    """Mates in the tree of a document that is opened again: each with the icon of its kind."""
    import assembly_solver_freecad as asf

    document = hinge(hand, "Icons")
    asf.mate([(document.Post, "Face1"), (document.Ring, "Face1")], "parallel")
    asf.mate([(document.Post, "Face1"), (document.Ring, "Face1")], "revolute").Suppressed = True
    file = str(OUT / "Icons.FCStd")
    document.saveAs(file)
    FreeCAD.closeDocument(document.Name)
    document = FreeCAD.openDocument(file)
    rest()
    own = [o for o in document.Objects if hasattr(o, "MateKind") or hasattr(o, "Grounded")]
    seen["icons"] = {o.Name: Path(o.ViewObject.Proxy.getIcon()).stem for o in own}
    seen["reopened"] = hand.click("diagnose")
    hand.page("Diagnosis")
    hand.desk.pick(["Parallel Post - Ring"])
    rest()
    picture("icons")
    close_all()


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    nothing(hand, seen)
    several(hand, seen)
    closed(hand, seen)
    deleted(hand, seen)
    reopened(hand, seen)
    if "AssemblyWorkbench" in FreeCADGui.listWorkbenches():
        assemblies(hand, seen)
    seen["console"] = console()
    return seen
