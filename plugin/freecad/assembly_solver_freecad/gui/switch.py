"""Settings that are a tick in the menu: FreeCAD's own solver, and dragging in the 3D view."""

from __future__ import annotations

import FreeCAD
import FreeCADGui
from PySide import QtCore, QtGui

from ..proxies import ICONS
from .panel import panel

PLACE = "User parameter:BaseApp/Preferences/Mod/Assembly"
KEYS = ("SolveInJointCreation", "SolveOnRecompute")
"""Settings by which FreeCAD's Assembly workbench solves by itself; both are on by default."""


class FreeCADSolves:
    """The command that enables FreeCAD's own solver; a tick in the menu."""

    full_name = "AssemblySolver_FreeCADSolves"

    def GetResources(self) -> dict[str, object]:  # noqa: N802
        """Text, tip, and whether it is ticked."""
        return {
            "MenuText": "Let FreeCAD solve too",
            "ToolTip": "FreeCAD's own solver runs when joints are made and documents recomputed",
            "Checkable": freecad_solves(),
        }

    def IsActive(self) -> bool:  # noqa: N802
        """Where FreeCAD has an assembly workbench."""
        return "AssemblyWorkbench" in FreeCAD.Gui.listWorkbenches()

    def Activated(self, ticked: int = 0) -> None:  # noqa: N802
        """Switch the settings."""
        let_freecad_solve(bool(ticked))


def freecad_solves() -> bool:
    """Whether FreeCAD's solver runs by itself anywhere."""
    settings = FreeCAD.ParamGet(PLACE)
    return any(settings.GetBool(key, True) for key in KEYS)


def let_freecad_solve(yes: bool) -> None:
    """Enable or disable FreeCAD's own solver."""
    settings = FreeCAD.ParamGet(PLACE)
    for key in KEYS:
        settings.SetBool(key, yes)


OWN_PLACE = "User parameter:BaseApp/Preferences/Mod/AssemblySolver"
DRAG_KEY = "DragInView"
"""Setting by which parts are dragged in the 3D view while the workbench is in use; on at first."""


class DragInView:
    """The command that lets parts be dragged in the 3D view; a tick."""

    full_name = "AssemblySolver_DragInView"

    def GetResources(self) -> dict[str, object]:  # noqa: N802
        """Text, tip, icon, and whether it is ticked."""
        return {
            "Pixmap": str(ICONS / "drag.svg"),
            "MenuText": "Drag in the 3D view",
            "ToolTip": "A part follows the mouse while its joints hold; Escape puts it back",
            "Checkable": FreeCAD.ParamGet(OWN_PLACE).GetBool(DRAG_KEY, True),
        }

    def IsActive(self) -> bool:  # noqa: N802
        """Always."""
        return True

    def Activated(self, ticked: int = 0) -> None:  # noqa: N802
        """Switch the setting."""
        FreeCAD.ParamGet(OWN_PLACE).SetBool(DRAG_KEY, bool(ticked))
        drag_in_view()


def drag_in_view() -> None:
    """Let parts be dragged in the 3D view where the user's setting says so."""
    mouse = panel().mouse
    mouse.switched.connect(_tick, QtCore.Qt.UniqueConnection)
    (mouse.on if FreeCAD.ParamGet(OWN_PLACE).GetBool(DRAG_KEY, True) else mouse.off)()


def _tick(on: bool) -> None:
    """Show whether it is on, as after an error."""
    for action in FreeCADGui.getMainWindow().findChildren(QtGui.QAction, DragInView.full_name):
        action.setChecked(on)
