"""FreeCAD's joints solved by us: when they are made, edited or recomputed, where the user wants it.

FreeCAD's Assembly workbench solves through functions of its module `JointObject`, which are
replaced meanwhile.  It brings a part to the faces that were picked, from the side that is nearer;
the solve begins there.  Where the joints cannot hold, every part is where it was before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import FreeCAD
import JointObject

import assembly_solver as asm
from assembly_solver.freecad import ASSEMBLY, LEFT_OUT

from .live import Live, read_as_it_is, same, step
from .verbs import NotHeld
from .waiting import unsolved, we_solve

Placements = Mapping[Any, Any]
"""Placements by the object that has them."""

REPLACED = ("setJointConnectors", "flipOnePart", "preventParallel")
"""Methods of a joint that move a part before or without a solve."""


class JointSolving:
    """Solves in place of FreeCAD from `take_over` to `give_back`.

    Args:
        tell: called with a sentence where joints cannot hold.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._freecads = JointObject.solveIfAllowed
        self._methods = {name: getattr(JointObject.Joint, name) for name in REPLACED}
        self._before: dict[str, Placements] = {}
        self._aside: dict[Any, Any] = {}
        self._failed = ""
        self._due: list[Any] = []

    def take_over(self) -> None:
        """Replace FreeCAD's functions."""
        JointObject.solveIfAllowed = self.solve
        for name in ("setJointConnectors", "flipOnePart"):
            setattr(JointObject.Joint, name, self._all_or_nothing(name))
        JointObject.Joint.preventParallel = self._remembering("preventParallel")
        FreeCAD.addDocumentObserver(self)

    def give_back(self) -> None:
        """Let FreeCAD have its functions again."""
        FreeCAD.removeDocumentObserver(self)
        JointObject.solveIfAllowed = self._freecads
        for name, method in self._methods.items():
            setattr(JointObject.Joint, name, method)

    def solve(self, assembly: Any, storePrev: bool = False) -> None:
        """Move the parts of an assembly so that its joints hold, or none of them.

        Args:
            storePrev: as FreeCAD calls it, which undoes by its own placements.
        """
        document, aside, self._aside = assembly.Document, self._aside, {}
        if assembly.TypeId != ASSEMBLY or not we_solve() or document.Transacting:
            return
        try:
            with unsolved():
                live = read_as_it_is(assembly)
                self._failed = _solved(live)
        except asm.AssemblySolverError as error:
            self._failed = str(error)
        if self._failed:
            _restore(aside)
            self._tell(self._failed)

    # ------------------------------------------------------------------ replaced methods
    def _all_or_nothing(self, name: str) -> Callable[..., None]:
        """A method of a joint that leaves every part where it was if the joints cannot hold.

        FreeCAD lets go of a picked element by calling it with fewer: what the solve had moved goes
        back then.
        """
        method, solving = self._methods[name], self

        def replaced(proxy: Any, joint: Any, *picked: Any) -> None:
            before = _placements(proxy.getAssembly(joint))
            solving._failed = ""
            method(proxy, joint, *picked)
            if not picked:
                pass
            elif len(picked[0]) < 2:
                _restore(solving._before.pop(joint.Name, {}))
            else:
                solving._before[joint.Name] = before
            if solving._failed:
                _restore(before)

        return replaced

    def _remembering(self, name: str) -> Callable[..., None]:
        """A method of a joint whose motion is taken back if the solve after it fails."""
        method, solving = self._methods[name], self

        def replaced(proxy: Any, joint: Any) -> None:
            before = _placements(proxy.getAssembly(joint))
            method(proxy, joint)
            moved = proxy.__dict__.get("partMovedByPresolved")
            solving._aside = {moved: before[moved]} if moved in before else {}

        return replaced

    # ------------------------------------------------------------------ recomputing
    def slotRecomputedObject(self, thing: Any) -> None:  # noqa: N802
        """An assembly was recomputed, by which FreeCAD would solve it."""
        if thing.TypeId == ASSEMBLY and thing not in self._due:
            self._due.append(thing)

    def slotRecomputedDocument(self, document: Any) -> None:  # noqa: N802
        """The recomputation has ended."""
        due = [a for a in self._due if a.Document is document]
        self._due = [a for a in self._due if a.Document is not document]
        for assembly in due:
            self.solve(assembly)


def joint_solving() -> JointSolving | None:
    """What solves in place of FreeCAD now; None where FreeCAD does."""
    found = getattr(JointObject.solveIfAllowed, "__self__", None)
    return found if isinstance(found, JointSolving) else None


def _solved(live: Live) -> str:
    """Solve and place; why that cannot be, "" where it could."""
    left_out = live.assembly.notes.get(LEFT_OUT)
    if left_out:
        return str(NotHeld(left_out))
    solution = asm.solve(live.assembly)
    if not solution:
        return solution.explanation.splitlines()[-1]
    with step(live.document, "Solve joints"):
        live.move(solution.poses)
    return ""


def _placements(assembly: Any) -> Placements:
    """The placements of all objects in an assembly."""
    inside = [o for o in assembly.OutListRecursive if hasattr(o, "Placement")]
    return {o: FreeCAD.Placement(o.Placement) for o in inside}


def _restore(placements: Placements) -> None:
    for thing, placement in placements.items():
        if not same(thing.Placement, placement):
            thing.Placement = placement
