"""An arm on a hinge, and a wall that it runs into: the page of contact, by its buttons."""

from __future__ import annotations

from math import pi
from typing import Any

import FreeCAD
import FreeCADGui
from dragged import Drag, view
from hand import (
    BOX,
    LABEL,
    Hand,
    all_numbers,
    close_all,
    console,
    drawn,
    drawn_where_it_stands,
    picture,
    rest,
    type_in,
    until,
)
from inches import preferred
from PySide import QtCore, QtGui


def door() -> Any:
    """An arm of 100 x 4 x 4 mm on the edge of a base; the corner of a wall is at (95, 30) mm."""
    import assembly_solver_freecad as asf

    document = FreeCAD.newDocument("Door")
    document.UndoMode = 1
    sizes = {"Base": (5, 5, 5), "Arm": (100, 4, 4), "Wall": (10, 100, 100)}
    for name, size in sizes.items():
        made = document.addObject("Part::Box", name)
        made.Length, made.Width, made.Height = size
    document.Base.Placement.Base = FreeCAD.Vector(-5, -5, -5)
    document.Wall.Placement.Base = FreeCAD.Vector(85, 30, -50)
    document.recompute()
    asf.ground([document.Base, document.Wall])
    asf.mate([(document.Base, "Edge7"), (document.Arm, "Edge1")], "coaxial")
    asf.mate([(document.Base, "Face6"), (document.Arm, "Face5")], "coplanar")
    return document


def place(seen_in: Any, point: tuple[float, float, float]) -> Any:
    """Where a point of the document is seen, as Qt counts it."""
    port = seen_in.graphicsView().viewport()
    ratio = port.devicePixelRatioF()
    x, y = (k / ratio for k in seen_in.getPointOnScreen(FreeCAD.Vector(*point)))
    return QtCore.QPoint(round(x), round(port.height() - 1 - y))


def dragged(hand: Hand, document: Any) -> list[Any]:
    """What is said while the arm is pulled into the wall, where it then is, and whether it is
    undone; the angle in degrees."""
    ticked = hand.find(QtGui.QCheckBox, "contact drag")
    ticked.click()
    looked_at = view()
    start, end = place(looked_at, (60, 2, 4)), place(looked_at, (60, 62, 4))
    drag, said = Drag(hand, looked_at, start), []
    way = end - start
    for k in range(1, 13):
        drag.move(k / 12 * way.x(), k / 12 * way.y())
        said.append(hand.said)
    picture("contact drag")
    drag.let_go(way.x(), way.y())
    turn = document.Arm.Placement.Rotation.multVec(FreeCAD.Vector(1, 0, 0))
    angle = turn.getAngle(FreeCAD.Vector(1, 0, 0)) * 180 / pi
    document.undo()
    rest()
    ticked.click()
    return [said[0], said[-1], angle, document.Arm.Placement.Rotation.Angle]


def play(hand: Hand) -> dict[str, Any]:
    """What the page says, first of every contact, then of the first one and of distances."""
    seen: dict[str, Any] = {}
    document = door()
    hand.panel.look()
    hand.page("Diagnosis")
    seen["door"] = hand.click("diagnose")
    page = hand.page("Contact")
    seen["drives"] = [page.choice.itemText(k) for k in range(page.choice.count())]
    page.choice.setCurrentIndex(
        next(k for k, n in enumerate(seen["drives"]) if n.endswith("angle"))
    )
    before = all_numbers(document)
    seen["told"] = hand.click("find contact")
    seen["cards"] = [card.label.text() for card in hand.cards("Contact")]
    event = next(e for e in page.motion.events if e.kind == "contact")
    seen["event"] = [list(event.parts), list(event.point), event.stops]
    FreeCADGui.Selection.clearSelection()
    hand.press("contact 0")
    until(lambda: not drawn_where_it_stands(document.Arm))
    arm = FreeCAD.Rotation(*drawn(document.Arm)[3:])
    seen["shown"] = arm.multVec(FreeCAD.Vector(1, 0, 0)).getAngle(FreeCAD.Vector(1, 0, 0))
    seen["lit"] = sorted(s.ObjectName for s in FreeCADGui.Selection.getSelectionEx("", 0))
    picture("contact")
    hand.choose("contact how", "stop at the first contact")
    hand.find(QtGui.QCheckBox, "contact near").click()
    seen["stopped"] = hand.click("find contact")
    seen["near"] = [card.label.text() for card in hand.cards("Contact")]
    seen["range"] = page.ends.entered()
    hand.choose("contact how", "tell every contact")
    for end, degrees in (("low", "-20"), ("high", "10")):
        type_in(hand.find(BOX, f"contact {end}"), degrees)
    seen["in a range"] = hand.click("find contact")
    with preferred(3, 3):  # inches
        until(lambda: hand.said != seen["in a range"])
        seen["in inches"] = [hand.said, [card.label.text() for card in hand.cards("Contact")]]
        picture("contact inches")
    until(lambda: hand.said == seen["in a range"])
    seen["stays"] = all_numbers(document) == before
    seen["headings"] = [x.text() for x in page.findChildren(LABEL, "heading")]
    seen["dragged"] = dragged(hand, document)
    seen["console"] = console()
    close_all()
    seen["closed"] = page.motion is None
    return seen
