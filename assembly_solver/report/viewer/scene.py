"""An assembly as it is shown: solved, with its motions; on a page or in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import BadValue, MissingExtra
from ...foundations.watch import Progress
from ...model.assembly import Assembly
from ...model.contact import Pair
from ...results.solution import Solution
from ...verbs.solving import solve
from .runs import runs
from .scene_facts import SceneFacts, facts_of
from .viewer import PlayedMotion, page, scene_data

if TYPE_CHECKING:
    from .notebook_widget import AssemblyWidget

LEAST = 200
"""Smallest height of a widget, px."""


@dataclass(frozen=True, eq=False)
class Scene:
    """An assembly at the poses of its solution, with what moves and what is known of it."""

    assembly: Assembly
    solution: Solution
    motions: Sequence[PlayedMotion]
    known: SceneFacts

    def page(self, solid: bool) -> str:
        """The page: see `viewer.page`."""
        told = self.solution.sentence
        return page(self.assembly, told, self.motions, solid, self.known)


def scene_of(
    assembly: Assembly,
    drivers: Sequence[str] | None = None,
    time: tuple[float, float] | None = None,
    contact: bool = False,
    modes: bool = False,
    clearance: str | Sequence[Pair] | None = None,
    progress: Progress = lambda *_: None,
) -> Scene:
    """The scene of an assembly, which is solved and not changed; the arguments are those of `view`.

    Raises:
        UnknownName, BadValue: see `view`.
    """
    solution = solve(assembly, progress=progress)
    shown = assembly.copy()
    shown.move(solution.best_poses)
    played = runs(shown, solution, drivers, time, progress, contact, clearance)
    return Scene(shown, solution, played, facts_of(solution, modes))


def view(
    assembly: Assembly,
    *,
    drivers: Sequence[str] | None = None,
    time: tuple[float, float] | None = None,
    contact: bool = False,
    modes: bool = False,
    clearance: str | Sequence[Pair] | None = None,
    solid: bool = True,
    height: int = 520,
) -> AssemblyWidget:
    """A widget for notebooks with the moving assembly, as the page of the command `view`.

    Args:
        assembly: not changed; it is solved first, and stands still where it has no solution.
        drivers: names of those that have sliders; by default all, or each free motion where there
            is none.
        time: first and last time, s, for drivers with laws: one slider of the time.
        contact: whether parts are watched for contact; drivers then move one at a time.
        modes: whether the assembly modes are listed.
        clearance: pairs of parts whose distance is shown, or "all", as of `sweep`.
        solid: whether parts are drawn from their geometry files where they have any (STEP files
            through CadQuery), or by their features.
        height: px.

    Returns:
        An `anywidget.AnyWidget`: `widget.values` are the values of the sliders by name, also while
        they are moved by hand, and `widget.move({"boom cylinder": 1100})` moves them.

    Raises:
        MissingExtra: `anywidget` is not installed.
        UnknownName, BadValue: a driver that does not exist or prescribes a motion, a height below
            200 px.
    """
    if not isinstance(height, int) or height < LEAST:
        raise BadValue("height", height, f"a whole number of px, at least {LEAST}")
    try:
        from .notebook_widget import AssemblyWidget
    except ImportError as error:
        raise MissingExtra("notebook", "a widget") from error
    scene = scene_of(assembly, drivers, time, contact, modes, clearance)
    told = scene.solution.sentence
    data = scene_data(scene.assembly, told, scene.motions, solid, scene.known)
    return AssemblyWidget(data, height)
