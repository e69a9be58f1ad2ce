"""The commands of the workbench."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import FreeCAD
import FreeCADGui

from ..proxies import ICONS
from .panel import panel
from .switch import DRAG, SOLVERS


@dataclass(frozen=True)
class Command:
    """A command in FreeCAD's interface.

    Attributes:
        name: of the icon, and of the command after "AssemblySolver_"; text, tip: shown.
        act: called when it runs.
    """

    name: str
    text: str
    tip: str
    act: Callable[[], Any]

    @property
    def full_name(self) -> str:
        """Its name in FreeCAD."""
        return f"AssemblySolver_{self.name}"

    def GetResources(self) -> dict[str, str]:  # noqa: N802
        """Icon, text and tip."""
        icon = str(ICONS / f"{self.name.lower()}.svg")
        return {"Pixmap": icon, "MenuText": self.text, "ToolTip": self.tip}

    def IsActive(self) -> bool:  # noqa: N802
        """Whether a document is open."""
        return FreeCAD.ActiveDocument is not None

    def Activated(self, index: int = 0) -> None:  # noqa: N802
        """Run it."""
        self.act()


def _solve() -> None:
    panel().desk.solve()


def _diagnose() -> None:
    panel().show_page("Diagnosis")
    panel().desk.diagnose()


def _page(title: str) -> Callable[[], None]:
    """Show a page, after the assembly was diagnosed once."""

    def show() -> None:
        panel().show_page(title)
        if panel().desk.solution is None:
            panel().desk.diagnose()

    return show


def _mate() -> None:
    panel().show_page("Mate")


COMMANDS = (
    Command("Solve", "Solve", "Move the parts so that every joint and mate holds", _solve),
    Command("Diagnose", "Diagnose", "Say what moves, what repeats and what contradicts", _diagnose),
    Command("Mate", "Mate", "Join selected faces, edges or points by a mate", _mate),
    Command("Drive", "Drive", "Move the model by its drivers and joints", _page("Drive")),
    Command("Sweep", "Sweep", "Lead a drive: animation, table, CSV file", _page("Sweep")),
    Command("Contact", "Contact", "Which parts touch, and how near they come", _page("Contact")),
    Command("Check", "Check", "Dead points, reach and limits: a report", _page("Check")),
    Command("Tolerances", "Tolerances", "What may be off, and what it does", _page("Tolerances")),
)


def register() -> tuple[list[str], list[str]]:
    """Register the commands; returns the names for the toolbar and for the menu."""
    for command in (*COMMANDS, DRAG, *SOLVERS):
        FreeCADGui.addCommand(command.full_name, command)
    names = [*(command.full_name for command in COMMANDS), "Separator", DRAG.full_name]
    return names, [*names, *(tick.full_name for tick in SOLVERS)]
