"""The picture of the add-on's README: the panel beside FreeCAD's own example, light and dark.

`python tests/support/draw_window.py` draws it anew.
"""

from __future__ import annotations

from typing import Any

import FreeCAD
import FreeCADGui
from dragged import view
from fitting import style
from hand import OUT, Hand, close_all, console, rest
from PySide import QtCore, QtGui

WIDE = 560
"""Width of the panel in which all titles of its pages have room, px."""


def play(hand: Hand) -> dict[str, Any]:
    """The diagnosis of the example, with the theory behind its first duplicate."""
    document = FreeCAD.openDocument(str(OUT / "AssemblyExample.FCStd"))
    for sources in document.getObjectsByLabel("CAD"):
        sources.Visibility = False
    window = FreeCADGui.getMainWindow()
    window.resizeDocks([hand.panel], [WIDE], QtCore.Qt.Horizontal)
    view()
    hand.click("diagnose")
    hand.page("Diagnosis")
    hand.find(QtGui.QToolButton, "why").click()
    hand.desk.pick(["Boom001"])
    for tone, name in (("dark", "window dark"), ("light", "window")):
        style(tone)
        rest(1.0)
        frame = window.frameGeometry()
        screen = QtGui.QGuiApplication.primaryScreen()
        drawn = screen.grabWindow(0, frame.x(), frame.y(), frame.width(), frame.height())
        drawn.save(str(OUT / f"{name}.png"))
    tabs = [hand.panel.tabs.tabText(k) for k in range(hand.panel.tabs.count())]
    close_all()
    return {"tabs": tabs, "console": console()}
