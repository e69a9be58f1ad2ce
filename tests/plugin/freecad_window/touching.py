"""An arm on a hinge, and a wall that it runs into: the page of contact, by its buttons."""

from __future__ import annotations

from typing import Any

import FreeCAD
import FreeCADGui
from hand import (
    LABEL,
    Hand,
    all_numbers,
    close_all,
    console,
    drawn,
    drawn_where_it_stands,
    picture,
    until,
)
from PySide import QtGui


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
    seen["stays"] = all_numbers(document) == before
    seen["headings"] = [x.text() for x in page.findChildren(LABEL, "heading")]
    seen["console"] = console()
    close_all()
    seen["closed"] = page.motion is None
    return seen
