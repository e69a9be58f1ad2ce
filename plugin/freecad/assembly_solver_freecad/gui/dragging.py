"""Dragging a part: the model follows the mouse, and letting go is one undo step."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from math import remainder
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import FreeCAD
from FreeCAD import Vector
from PySide import QtCore

import assembly_solver as asm
import assembly_solver_freecad as asf
from assembly_solver.freecad import Link

from ..document import pose_of
from ..shapes import with_shapes
from ..verbs import all_held
from ..waiting import OWN
from .desk import BUSY, Desk
from .drives import Drive
from .jobs import in_words
from .stage import Stage
from .timers import once

CALM = 400
"""Time after a part was let go until the panel diagnoses its new place, ms."""

CONTACT_KEY = "StopAtContact"
"""Setting by which parts that are dragged stop before contact; off at first."""

WORTH = 0.01
"""Share of the distance to the mouse that a step gains where another one is worth its time."""


class Ray(NamedTuple):
    """What is under the mouse: a point of the ray, its direction, and that of the view."""

    start: Any
    direction: Any
    view: Any

    def beside(self, point: Any) -> Any:
        """Where the ray meets the plane through a point that faces the viewer."""
        share = (point - self.start).dot(self.view) / self.direction.dot(self.view)
        return self.start + self.direction * share


class Hit(NamedTuple):
    """What was grabbed: an object, the path of an element in it, and the point in the document."""

    root: Any
    path: str
    point: Any


@dataclass(eq=False)
class _Held:
    """A part that is held by the mouse.

    Attributes:
        part: its name; point: the grabbed point in its frame, mm.
        frame: pose of the assembly in the document; values: shown by the panel, by drive.
        stops: whether it stops before contact.
        moved: parts that stand elsewhere than in the document.
    """

    live: asf.Live
    part: str
    point: tuple[float, float, float]
    frame: asm.Pose
    session: asm.Session | None = None
    stage: Stage | None = None
    asked: Ray | None = None
    released: bool = False
    stops: bool = False
    words: str | None = None
    moved: set[str] = field(default_factory=set)
    values: dict[str, float] = field(default_factory=dict)
    quantities: dict[str, Any] = field(default_factory=dict)

    def at(self, session: asm.Session) -> Any:
        """Where the grabbed point is, in the document."""
        return Vector(*self.frame.apply(session.poses[self.part].apply(self.point)))


class PartDrag(QtCore.QObject):
    """Moves a part after the mouse; the document changes when it is let go.

    The document is read and its mates are closed when the part is grabbed; then only the view
    follows, until the placements are written.

    Signals:
        came: values of the panel's drives, mm or degrees, by name.
        put_back: the part was put back to where it was.
        failed: an unexpected error ended the drag.
    """

    came = QtCore.Signal(object)
    put_back = QtCore.Signal()
    failed = QtCore.Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._desk = desk
        self._soon = once(self, 0, self._follow)
        self._later = once(self, CALM, self._diagnose)
        self._free = once(self, 0, self._take)
        self._held: _Held | None = None
        self._kept: tuple[asm.Session, bool, dict[str, tuple[float, ...]]] | None = None
        self._shapes = TemporaryDirectory(prefix="assembly-solver-")
        self._diagnosing = False
        self._last = ""
        desk.aged.connect(self._aged)
        desk.closed.connect(self._leave)
        desk.jobs.busy.connect(self._diagnosed)
        desk.reading.connect(self._settle)

    @property
    def held(self) -> str:
        """The name of the part that is held; "" where none is."""
        return "" if self._held is None else self._held.part

    @property
    def following(self) -> bool:
        """Whether it is on its way to the mouse."""
        return self._held is not None and (self._held.session is None or self._soon.isActive())

    # ------------------------------------------------------------------ what the mouse does
    def grab(self, hit: Hit) -> bool:
        """Grab what was hit; whether it is a part that can be dragged."""
        if self._desk.jobs.running and not self._diagnosing:
            self._desk.note(BUSY)
            return False
        self._later.stop()
        live = self._desk.read()
        if live is None:
            return False
        try:
            self._held = _held(live, hit, self._desk.target)
        except asm.AssemblySolverError as error:
            self._desk.note(str(error))
            return False
        if self._kept is not None and self._kept[1:] == (stops_at_contact(), _numbers(live)):
            self._held.stops = self._kept[1]
            self._taken(self._kept[0])
        elif not self._diagnosing:
            self._take()
        return True

    def ask(self, ray: Ray) -> None:
        """Ask for the grabbed point to be under the mouse."""
        if self._held is not None:
            self._held.asked = ray
            self._soon.start()

    def release(self) -> None:
        """Let the part go: where it is now becomes one undo step."""
        if self._held is not None:
            self._held.released = True
            self._soon.start()

    def drop(self, words: str = "") -> None:
        """Put everything back to where the document has it."""
        if self._held is None:
            return
        if self._held.stage is not None:
            self._held.stage.clear()
        self._forget()
        self.put_back.emit()
        if words:
            self._desk.note(words)

    # ------------------------------------------------------------------ taking hold
    def _take(self) -> None:
        """Close the mates of the held part's assembly in the background."""
        held = self._held
        if held is None or held.session is not None:
            return
        self._kept = None
        held.stops, given = stops_at_contact(), held.live.assembly
        if held.stops:
            given = with_shapes(held.live, Path(self._shapes.name))

        def work(cancel: Any, **_: Any) -> asm.Session | None:
            try:
                session = asm.Session(given, contact=held.stops, cancel=cancel)
            except asm.Unsolved:
                if cancel():
                    return None
                raise
            # The first step lays out arrays and reads shapes: not while the mouse waits.
            here = session.poses[held.part].apply(held.point)
            session.drag(held.part, point=held.point, to=here.tolist())
            return session

        self._desk.jobs.start(f"Taking hold of {held.part}", work, self._taken, self._lost)

    def _taken(self, session: asm.Session | None) -> None:
        """Follow the mouse from now on; without a session taking hold was cancelled."""
        held = self._held
        if held is None:
            return
        if session is None:
            self.drop("Cancelled")
            return
        self._kept = None
        gc.freeze()  # a look for garbage among all objects of the program takes 100 ms
        held.session, held.stage = session, Stage(held.live)
        for drive in self._desk.drives:
            if (found := _quantity(session.assembly, drive)) is not None:
                held.quantities[drive.name] = found
                held.values[drive.name] = drive.value
        self._soon.start()

    def _lost(self, words: str) -> None:
        self.drop()
        self._desk.fail(words)

    def _diagnose(self) -> None:
        self._diagnosing = not self._desk.jobs.running
        if self._diagnosing:
            self._desk.diagnose(self._last)

    def _diagnosed(self, words: str) -> None:
        """The diagnosis has ended; a part that was grabbed meanwhile is taken hold of."""
        if self._diagnosing and not words:
            self._diagnosing = False
            self._free.start()

    # ------------------------------------------------------------------ following
    def _follow(self) -> None:
        """Go to the mouse, or as far as the joints let the part go."""
        held = self._held
        if held is None or held.session is None:
            return
        try:
            if held.asked is not None and self._step(held, held.session, held.asked):
                self._soon.start()
            elif held.released:
                self._end(held, held.session)
        except asm.AssemblySolverError as error:
            self.drop(str(error))
        except Exception as error:
            self.drop()
            self._desk.fail(in_words(error))
            self.failed.emit()

    def _step(self, held: _Held, session: asm.Session, ray: Ray) -> bool:
        """One step towards the mouse; whether another would get nearer."""
        there = ray.beside(held.at(session))
        to = held.frame.inverse().apply((there.x, there.y, there.z))
        done = session.drag(held.part, point=held.point, to=to.tolist())
        if not done:
            self.drop(f"{held.part} cannot be led on from here: {done}")
            return False
        self._show(held, session, done.moved)
        words = _words(held.part, done)
        if words != held.words:
            held.words = words
            meaning = "note" if words else "busy"
            self._desk.said.emit(words or f"Dragging {held.part}", meaning)
        gained = done.asked_mm - done.away_mm
        if done.lags or (gained > WORTH * done.asked_mm and done.away_mm > WORTH * gained):
            return True
        held.asked = None
        return False

    def _show(self, held: _Held, session: asm.Session, moved: tuple[str, ...]) -> None:
        """Draw the parts that moved, and tell the panel."""
        if held.stage is None or not moved:
            return
        held.stage.show({name: session.poses[name] for name in moved})
        held.moved.update(moved)
        for name, quantity in held.quantities.items():
            value, before = session.reading(quantity), held.values[name]
            turn = quantity.unit == "deg"
            held.values[name] = before + remainder(value - before, 360.0) if turn else value
        self.came.emit(dict(held.values))

    # ------------------------------------------------------------------ letting go
    def _settle(self) -> None:
        """Let go before the document is read elsewhere."""
        if self._held is not None and self._held.session is not None:
            self._end(self._held, self._held.session)

    def _end(self, held: _Held, session: asm.Session) -> None:
        """Write the poses to the document."""
        poses = {name: session.poses[name] for name in held.moved}
        if held.stage is not None:
            held.stage.clear()
        self._last = held.words or ""
        self._forget()
        if poses:
            self._desk.move(held.live, poses, f"Drag {held.part}")
            self._later.start()
        self._kept = session, held.stops, _numbers(held.live)

    def _aged(self) -> None:
        """The document was changed elsewhere."""
        self._kept = None
        self.drop("The document was changed meanwhile; nothing was moved.")

    def _leave(self) -> None:
        """Let go without touching a document that is being closed."""
        self._kept = None
        self._forget()

    def _forget(self) -> None:
        gc.unfreeze()
        self._soon.stop()
        self._held = None


def stops_at_contact() -> bool:
    """Whether the user wants parts that are dragged to stop before contact."""
    return bool(FreeCAD.ParamGet(OWN).GetBool(CONTACT_KEY, False))


def stop_at_contact(yes: bool) -> None:
    """Change the setting of contact."""
    FreeCAD.ParamGet(OWN).SetBool(CONTACT_KEY, yes)


def _held(live: asf.Live, hit: Hit, target: Any) -> _Held:
    """The part that was hit, held at the point.

    Raises:
        NotHeld: there are joints that could not be read, and would be violated.
        AssemblySolverError: it is no part of the assembly, or is grounded; in words.
    """
    all_held(live.assembly)
    own = live.tree.spot(Link("", hit.root.Name, hit.path)).part
    name = next((n for n, part in live.parts.items() if part.Name == own), "")
    if not name or not hasattr(live.parts[name], "Placement"):
        raise asm.AssemblySolverError("what is under the mouse is no part that could move")
    if live.assembly.parts[name].grounded:
        raise asm.AssemblySolverError(f"{name} is grounded: it stays where it is")
    whole = getattr(target, "getGlobalPlacement", None)
    frame = asm.Pose() if whole is None else pose_of(whole())
    point = (frame @ live.tree.pose(own)).inverse().apply(tuple(hit.point))
    return _Held(live, name, (float(point[0]), float(point[1]), float(point[2])), frame)


def _quantity(assembly: asm.Assembly, drive: Drive) -> Any:
    """What a drive of the panel moves, in an assembly; None where it is not there any more."""
    if drive.driver:
        return assembly.drivers.get(drive.driver)
    try:
        return assembly.coordinate(drive.joint, drive.coordinate)
    except asm.AssemblySolverError:
        return None


def _numbers(live: asf.Live) -> dict[str, tuple[float, ...]]:
    """The placements of all parts, to be compared bit for bit."""
    return {n: (*p.Base, *p.Rotation.Q) for n, p in live.placements.items()}


def _words(part: str, step: asm.DragStep) -> str:
    """Why a part does not follow the mouse; "" where nothing is in its way."""
    reasons = []
    if step.limits:
        reasons.append(f"stopped by {', '.join(step.limits)}")
    if step.contacts:
        reasons.append(f"stopped before contact of {', '.join(step.contacts)}")
    if step.limited:
        reasons.append("it lags, as another part would move more than ten times as far")
        reasons += [step.singular] if step.singular else []
    elif step.lags:
        reasons.append("it lags behind the mouse")
    return f"{part}: {'; '.join(reasons)}" if reasons else ""
