"""Whether FreeCAD's own solver solves as well: its settings, touched only when the user asks."""

from __future__ import annotations

import FreeCAD

PLACE = "User parameter:BaseApp/Preferences/Mod/Assembly"
KEYS = ("SolveInJointCreation", "SolveOnRecompute")
"""When FreeCAD's Assembly workbench solves by itself; both are on unless somebody changed them."""


class FreeCADSolves:
    """The command that has FreeCAD's solver run beside this one, or not; a tick in the menu."""

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
        """Switch it."""
        let_freecad_solve(bool(ticked))


def freecad_solves() -> bool:
    """Whether FreeCAD's solver runs by itself anywhere."""
    settings = FreeCAD.ParamGet(PLACE)
    return any(settings.GetBool(key, True) for key in KEYS)


def let_freecad_solve(yes: bool) -> None:
    """Let FreeCAD's solver run by itself, or not."""
    settings = FreeCAD.ParamGet(PLACE)
    for key in KEYS:
        settings.SetBool(key, yes)
