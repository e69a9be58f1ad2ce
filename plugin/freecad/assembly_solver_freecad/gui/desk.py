"""The assembly of the panel: read from the document and solved, with its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import FreeCAD
from PySide import QtCore

import assembly_solver as asm
import assembly_solver_freecad as asf

from ..plain_words import sentence
from .drives import Drive, drives
from .jobs import Jobs, in_words
from .names import select
from .player import Player

Watched = Callable[..., Any]

BUSY = "Something else is being worked out; cancel it first."


class Desk(QtCore.QObject):
    """The assembly and result that all pages share.

    Signals:
        said: a sentence for the top of the panel, and its meaning (see `colours`).
        changed: there is a new result, or none any more.
        aged: the document was changed elsewhere; the result is outdated.
        closed: the document is being closed, and must not be touched any more.
        reading: the document is about to be read.
    """

    said = QtCore.Signal(str, str)
    changed = QtCore.Signal()
    aged = QtCore.Signal()
    closed = QtCore.Signal()
    reading = QtCore.Signal()

    def __init__(self, parent: QtCore.QObject) -> None:
        super().__init__(parent)
        self.jobs, self.player = Jobs(self), Player(self)
        self.live: asf.Live | None = None
        self.solution: asm.Solution | None = None
        self.told: dict[str, Any] = {}
        self.drives: tuple[Drive, ...] = ()
        self.writing = False
        self._edition = 0
        self._read: asf.Live | None = None
        self._target: Any = None

    # ------------------------------------------------------------------ which assembly
    @property
    def targets(self) -> list[Any]:
        """The assemblies of the active document; none where it is empty."""
        document = FreeCAD.ActiveDocument
        return list(asf.assemblies(document)) if document is not None and document.Objects else []

    @property
    def target(self) -> Any:
        """The selected assembly, or the first one; None where there is none."""
        known = self.targets
        return self._target if self._target in known else next(iter(known), None)

    def choose(self, target: Any) -> None:
        """Select another assembly."""
        if target is not self._target:
            self._target = target
            self.clear()

    def clear(self) -> None:
        """Clear the result."""
        self.player.stop()
        self.live, self.solution, self.told, self.drives = None, None, {}, ()
        self.changed.emit()

    # ------------------------------------------------------------------ what others do to it
    def about(self, thing: Any) -> bool:
        """Whether a document or object belongs to what was read last."""
        live = self._read
        if live is None:
            return False
        return thing is live.document or thing in [*live.parts.values(), *live.joints.values()]

    def age(self) -> None:
        """Mark the result as outdated."""
        self._edition += 1
        self.player.stop()
        self.aged.emit()

    def close(self) -> None:
        """The document is being closed: clear the result without touching it."""
        self._edition += 1
        self.jobs.cancel()
        self.player.forget()
        self.closed.emit()
        self._read = self._target = None
        self.clear()

    @property
    def names(self) -> list[str]:
        """All names of parts and joints in the assembly."""
        return [] if self.live is None else self.live.names

    def pick(self, names: Iterable[str]) -> None:
        """Select by name in the tree and in the view."""
        if self.live is not None:
            select(self.live, names)

    # ------------------------------------------------------------------ work
    def read(self) -> asf.Live | None:
        """Read the assembly from the document; None, with a message, where that fails."""
        self.player.stop()
        self.reading.emit()
        if self.target is None:
            self.note("This document has no assembly.")
            return None
        try:
            self._read = asf.read(self.target)
        except Exception as error:
            self.fail(in_words(error))
            return None
        return self._read

    def work(self, words: str, work: Watched, done: Callable[[Any], None]) -> None:
        """Run a job in the background on the present state of the document.

        Args:
            words: description of the job; work: see `Jobs`.
            done: called with its result, unless the document was changed meanwhile.
        """
        if self.jobs.running:
            self.note(BUSY)
            return
        edition = self._edition

        def still(answer: Any) -> None:
            if edition == self._edition:
                done(answer)
            else:
                self.note(f"{words}: the document was changed meanwhile; do it again")

        self.jobs.start(words, work, still, self.fail)

    def note(self, words: str) -> None:
        """Show at the top of the panel what is missing or worth a look, and no failure."""
        self.said.emit(words, "note")

    def fail(self, words: str) -> None:
        """Show a failure at the top of the panel."""
        self.said.emit(words, "bad")

    def tries(self, act: Callable[[], Any]) -> bool:
        """Do something to the document; whether it was possible.  Where not, it is told."""
        self.player.stop()
        try:
            act()
        except asm.AssemblySolverError as error:
            self.fail(str(error))
            return False
        return True

    def diagnose(self, before: str = "") -> None:
        """Freedoms, redundancy and contradictions; the document stays as it is.

        Args:
            before: text before the sentence of the result.
        """
        self._solve("Diagnosing", lambda live, solution: None, before)

    def solve(self) -> None:
        """Move the parts so that every joint holds, as one undo step."""
        self._solve("Solving", self._moved)

    def _solve(
        self, words: str, then: Callable[[asf.Live, asm.Solution], None], before: str = ""
    ) -> None:
        live = self.read()
        if live is None:
            return

        def work(**watch: Any) -> Any:
            solution = asm.solve(live.assembly, **watch)
            return solution, solution.to_dict(), drives(solution)

        def done(answer: Any) -> None:
            solution, told, found = answer
            words, meaning = sentence(solution.sentence, told), self._meaning(solution)
            if before:
                words, meaning = f"{before}. Now {words}", "note"
            try:
                if solution:
                    then(live, solution)
            except Exception as error:
                words, meaning = in_words(error), "bad"
            self.live, self.solution, self.told, self.drives = live, solution, told, found
            self.changed.emit()
            self.said.emit(words, meaning)

        self.work(f"{words} {live.assembly.name}", work, done)

    def _meaning(self, solution: asm.Solution) -> str:
        """The meaning (see `mark`) of a solution; a cancelled one is no error."""
        if not solution:
            return "note" if self.jobs.cancelled else "bad"
        return "note" if solution.left_out else "good"

    def unsolved(self, solution: asm.Solution) -> None:
        """Show that nothing was moved, and why."""
        self.said.emit(solution.sentence, self._meaning(solution))

    def _moved(self, live: asf.Live, solution: asm.Solution) -> None:
        if solution.left_out:
            raise asf.NotHeld(solution.left_out)
        self.move(live, solution.poses, "Solve assembly")

    def writes(self, act: Callable[[], Any]) -> bool:
        """Write what does not age the result; whether it was possible.  Where not, it is told."""
        self.writing = True
        try:
            return self.tries(act)
        finally:
            self.writing = False

    def move(self, live: asf.Live, poses: Mapping[str, asm.Pose], words: str) -> None:
        """Move the parts of the document, as one undo step."""
        self.writing = True
        try:
            with asf.step(live.document, words):
                live.move(poses)
        finally:
            self.writing = False
