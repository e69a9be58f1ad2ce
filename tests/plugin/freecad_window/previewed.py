"""A mate is drawn before it is made: in the view only, and not longer than it is offered."""

from __future__ import annotations

from typing import Any

import FreeCADGui
from hand import Hand, all_numbers, close_all, console, drawn, drawn_where_it_stands, picture, rest
from hinge import parts
from PySide import QtGui


def play(hand: Hand) -> dict[str, Any]:
    """The whole scene."""
    seen: dict[str, Any] = {}
    document = parts("Preview")
    FreeCADGui.activeDocument().activeView().viewIsometric()
    FreeCADGui.SendMsgToActiveView("ViewFit")
    page = hand.page("Mate")
    before, ring = all_numbers(document), document.Ring
    hand.select((document.Post, "Face1"), (ring, "Face1"))
    tick = hand.find(QtGui.QCheckBox, "preview")
    states = []
    for on in (True, False, True):
        tick.setChecked(on)
        states.append(drawn_where_it_stands(ring))
        if on:
            seen["on the axis"] = max(abs(x) for x in drawn(ring)[:2])  # the post's, which is z
            seen["said"] = page.label.text()
    picture("preview")
    seen["listed"] = hand.find(QtGui.QListWidget, "mates").count()
    hand.page("Drive")
    seen["drawn where it stands"] = [*states, drawn_where_it_stands(ring)]
    seen["document"] = all_numbers(document) == before
    hand.page("Mate")
    rest()
    hand.click("mate")
    seen["made"] = [drawn_where_it_stands(ring), len(document.Mates.Group)]
    hand.find(QtGui.QCheckBox, "preview").setChecked(False)
    close_all()
    seen["console"] = console()
    return seen
