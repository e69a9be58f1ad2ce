"""Settings that are a tick in the menu: who solves FreeCAD's joints, dragging in the view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import FreeCAD

from ..proxies import ICONS
from ..waiting import OWN, SETTINGS, SOLVE_JOINTS, SOLVING, we_solve
from .panel import panel

DRAG_KEY = "DragInView"
"""Setting by which parts are dragged in the 3D view while the workbench is in use; on at first."""

HAD = "FreeCAD"
"""Begins the settings of ours that remember those of FreeCAD while we solve in its place."""


@dataclass(frozen=True)
class Tick:
    """A command that switches something on and off.

    Attributes:
        name: of the command after "AssemblySolver_"; text, tip: shown; icon: its file, or "".
        ticked: whether it is on; switch: called with whether it is to be.
        native: whether it is only for versions of FreeCAD with an assembly workbench.
    """

    name: str
    text: str
    tip: str
    ticked: Callable[[], bool]
    switch: Callable[[bool], None]
    icon: str = ""
    native: bool = False

    @property
    def full_name(self) -> str:
        """Its name in FreeCAD."""
        return f"AssemblySolver_{self.name}"

    def GetResources(self) -> dict[str, Any]:  # noqa: N802
        """Text, tip, icon, and whether it is ticked."""
        found = {"MenuText": self.text, "ToolTip": self.tip, "Checkable": self.ticked()}
        return {**found, "Pixmap": str(ICONS / self.icon)} if self.icon else found

    def IsActive(self) -> bool:  # noqa: N802
        """Where FreeCAD has what it switches."""
        return not self.native or find_spec("JointObject") is not None

    def Activated(self, ticked: int = 0) -> None:  # noqa: N802
        """Switch it."""
        self.switch(bool(ticked))


# ------------------------------------------------------------------------ who solves
def freecad_solves() -> bool:
    """Whether FreeCAD's solver runs by itself anywhere."""
    settings = FreeCAD.ParamGet(SETTINGS)
    return any(settings.GetBool(key, True) for key in SOLVING)


def let_freecad_solve(yes: bool) -> None:
    """Enable or disable FreeCAD's own solver."""
    settings = FreeCAD.ParamGet(SETTINGS)
    for key in SOLVING:
        settings.SetBool(key, yes)


def solve_joints(yes: bool) -> None:
    """Solve FreeCAD's joints in its place, or give that back with its settings as they were."""
    ours, freecads = FreeCAD.ParamGet(OWN), FreeCAD.ParamGet(SETTINGS)
    if yes != we_solve():
        for key in SOLVING:
            if yes:
                ours.SetBool(HAD + key, freecads.GetBool(key, True))
            freecads.SetBool(key, not yes and ours.GetBool(HAD + key, True))
    ours.SetBool(SOLVE_JOINTS, yes)
    solve_as_wanted()


def solve_as_wanted() -> None:
    """Take over from FreeCAD, or give back, as the setting says."""
    if find_spec("JointObject") is None:
        return
    from ..joint_solving import JointSolving, joint_solving

    now = joint_solving()
    if we_solve() and now is None:
        JointSolving(lambda words: panel().desk.fail(words)).take_over()
    elif not we_solve() and now is not None:
        now.give_back()


# ------------------------------------------------------------------------ dragging
def drags() -> bool:
    """Whether the user wants to drag parts in the 3D view."""
    return bool(FreeCAD.ParamGet(OWN).GetBool(DRAG_KEY, True))


def let_drag(yes: bool) -> None:
    """Change the setting of dragging."""
    FreeCAD.ParamGet(OWN).SetBool(DRAG_KEY, yes)
    drag_in_view()


def drag_in_view() -> None:
    """Let parts be dragged in the 3D view where the user's setting says so."""
    mouse = panel().mouse
    (mouse.on if drags() else mouse.off)()


DRAG = Tick(
    DRAG_KEY,
    "Drag in the 3D view",
    "A part follows the mouse while its joints hold; Escape puts it back",
    drags,
    let_drag,
    icon="drag.svg",
)
SOLVERS = (
    Tick(
        "SolveJoints",
        "Solve FreeCAD's joints too",
        "Joints are solved by Assembly Solver when FreeCAD makes, edits or recomputes them",
        we_solve,
        solve_joints,
        native=True,
    ),
    Tick(
        "FreeCADSolves",
        "Let FreeCAD solve too",
        "FreeCAD's own solver runs when joints are made and documents recomputed",
        freecad_solves,
        let_freecad_solve,
        native=True,
    ),
)
