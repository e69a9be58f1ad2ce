"""FreeCAD's settings for its own solver, changed only on request of the user."""

from __future__ import annotations

import FreeCAD

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
