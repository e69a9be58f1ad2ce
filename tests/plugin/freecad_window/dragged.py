"""Parts dragged in the 3D view by the mouse, and what every joint is off by at every step.

What joints ask is measured here from the frames that FreeCAD stores, in its own arithmetic.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from itertools import product
from math import acos, degrees, hypot
from typing import Any, NamedTuple

import FreeCAD
import FreeCADGui
from hand import Hand, mouse, rest, until
from PySide import QtCore

STEPS = int(os.environ.get("CLICKS_STEPS", "20"))
"""Steps of the mouse in each drag; `benchmarks.freecad_drag` takes 300."""

LONGEST = 3
"""Of so many steps it is said what they did: ms, then counts."""

TIMES = ("seconds", "passed", "garbage")
COUNTS = ("part", "tried", "plans", "loaded", "limits")
Measure = Callable[[dict[str, Any]], float]
"""What a joint is off by, mm or the sine of an angle, at placements of the parts by name."""


class Step(NamedTuple):
    """One step of a drag.

    Attributes:
        placements: after it; asked: the requested motion, mm; limits: those that stopped it.
        part: which is dragged; seconds: processor time, s.
        passed, garbage: s that passed, and of these while garbage was looked for.
        tried, plans, loaded: steps that were tried, plans made, functions loaded or compiled.
    """

    placements: dict[str, Any]
    asked: float
    limits: tuple[str, ...]
    part: str
    seconds: float = 0.0
    passed: float = 0.0
    garbage: float = 0.0
    tried: int = 0
    plans: int = 0
    loaded: int = 0


def view() -> Any:
    """The 3D view in front, from a corner, with everything in it."""
    found = FreeCADGui.activeDocument().activeView()
    found.viewIsometric()
    FreeCADGui.SendMsgToActiveView("ViewFit")
    still(found)
    return found


def still(seen_in: Any) -> None:
    """Wait until the camera has come to rest: newer versions lead it there."""

    def rests() -> bool:
        before = seen_in.getCamera()
        rest()
        return bool(before == seen_in.getCamera())

    until(rests)


COARSE, FINE = 16, 4
"""Distances of the places that are looked at, px: first where the object is, then there."""


def pixel(seen_in: Any, root: str, path: str) -> Any:
    """A point of a viewport where an object is in front: in the middle of what is seen of it."""
    port = seen_in.graphicsView().viewport()
    high = port.height()

    def seen_at(columns: Iterable[int], rows: Iterable[int]) -> list[tuple[int, int]]:
        found = []
        for x, y in product(columns, rows):
            info = seen_in.getObjectInfo((x, high - 1 - y))
            if not info:
                continue
            parent = info.get("ParentObject")
            at = (parent.Name, info["SubName"]) if parent else (info["Object"], info["Component"])
            if at[0] == root and at[1].startswith(path):
                found.append((x, y))
        return found

    whole = range(2, port.width(), FINE), range(2, high, FINE)
    some = seen_at(*(each[:: COARSE // FINE] for each in whole)) or seen_at(*whole)
    assert some, f"nothing is seen of {root} {path}"
    near = [
        [p for p in each if min(hit) - COARSE < p < max(hit) + COARSE]
        for each, hit in zip(whole, zip(*some, strict=True), strict=True)
    ]
    found = seen_at(*near)
    middle = [sum(p[k] for p in found) / len(found) for k in (0, 1)]
    return QtCore.QPoint(*min(found, key=lambda p: hypot(p[0] - middle[0], p[1] - middle[1])))


class Drag:
    """The mouse on a part in the 3D view: pressed, moved through points, released."""

    def __init__(self, hand: Hand, seen_in: Any, start: Any) -> None:
        self.hand, self.start = hand, start
        self.port = seen_in.graphicsView().viewport()
        self.drag = hand.panel.drag
        until(lambda: any(known is self.port for known, _ in hand.panel.mouse._views))
        until(lambda: not hand.panel._watcher._timer.isActive())  # it has looked at the document
        hand.ready()
        mouse(self.port, "Press", start)

    def move(self, x: float, y: float) -> None:
        """Move to a place beside the start, pixels, and wait for the part."""
        mouse(self.port, "Move", self.start + QtCore.QPoint(round(x), round(y)))
        until(lambda: not self.drag.following)

    def through(self, points: Iterable[tuple[float, float]]) -> None:
        """Move through places beside the start."""
        for x, y in points:
            self.move(x, y)

    def let_go(self, x: float = 0.0, y: float = 0.0) -> None:
        """Release the button, and wait for the diagnosis."""
        mouse(self.port, "Release", self.start + QtCore.QPoint(round(x), round(y)))
        until(lambda: not self.drag.held)
        until(lambda: not self.drag._later.isActive())
        self.hand.ready()


@contextmanager
def recorded() -> Any:
    """The steps of the mouse in all drags meanwhile, in a list."""
    from assembly_solver_freecad.document import placement_of
    from assembly_solver_freecad.gui.dragging import PartDrag

    import assembly_solver as asm
    from assembly_solver.foundations.jit.decorators import Compiled
    from assembly_solver.kinematics.drag.drag_limits import WORK

    steps: list[Step] = []
    drag, step = asm.Session.drag, PartDrag._step

    def dragging(self: Any, part: str, *of: Any, **more: Any) -> Any:
        done = drag(self, part, *of, **more)
        if threading.current_thread() is not threading.main_thread():
            return done  # taking hold: no step of the mouse
        placed = {name: placement_of(pose) for name, pose in self.poses.items()}
        tried = 0 if self._course is None else WORK - self._course._work
        steps.append(Step(placed, done.asked_mm, done.limits, part, tried=tried))
        return done

    def so_far(session: Any) -> list[float]:
        """Clocks and counts, in the order of `Step`."""
        loaded = sum(len(each.signatures) for each in Compiled.every)
        plans = 0 if session._course is None else len(session._course._plans)
        return [time.process_time(), time.perf_counter(), collecting[1], plans, loaded]

    def stepping(self: Any, held: Any, session: Any, *of: Any) -> Any:
        begin = so_far(session)
        more = step(self, held, session, *of)
        gone = [b - a for a, b in zip(begin, so_far(session), strict=True)]
        names = ("seconds", "passed", "garbage", "plans", "loaded")
        steps[-1] = steps[-1]._replace(**dict(zip(names, gone, strict=True)))
        return more

    def collector(phase: str, _: Any) -> None:
        now = time.perf_counter()
        if phase == "stop":
            collecting[1] += now - collecting[0]
        collecting[0] = now

    collecting = [0.0, 0.0]
    asm.Session.drag, PartDrag._step = dragging, stepping
    gc.callbacks.append(collector)
    try:
        yield steps
    finally:
        gc.callbacks.remove(collector)
        asm.Session.drag, PartDrag._step = drag, step


def joints(live: Any) -> dict[str, tuple[Measure, list[tuple[str, Any]]]]:
    """Measures of FreeCAD's joints by label, each with its two frames: part, and frame in it."""
    import UtilsAssembly

    names = {part.Name: name for name, part in live.parts.items()}
    by_assembly = FreeCAD.Version()[:2] == ["1", "0"]
    found = {}
    for joint in live.joints.values():
        kind = getattr(joint, "JointType", "")
        if kind not in _OFF:
            continue
        assembly, ends = joint.getParentGroup().getParentGeoFeatureGroup(), []
        for placement, reference in (
            (joint.Placement1, joint.Reference1),
            (joint.Placement2, joint.Reference2),
        ):
            given = (assembly, reference) if by_assembly else (reference,)
            moving = UtilsAssembly.getMovingPart(*given)
            frame = UtilsAssembly.getJcsGlobalPlc(placement, reference)
            stands = assembly.getGlobalPlacement() * moving.Placement
            ends.append((names[moving.Name], stands.inverse() * frame))
        found[joint.Label] = (_measure(_OFF[kind], ends, joint), ends)
    return found


def _measure(off: Any, ends: Any, joint: Any) -> Measure:
    def measure(placements: dict[str, Any]) -> float:
        one, two = (placements[part] * frame for part, frame in ends)
        return float(off(one.inverse() * two, joint))

    return measure


def _tilt(to: Any) -> float:
    z = to.Rotation.multVec(FreeCAD.Vector(0, 0, 1))
    return hypot(z.x, z.y)


def _unturned(to: Any) -> float:
    axes = [
        to.Rotation.multVec(FreeCAD.Vector(*(float(k == j) for j in range(3)))) for k in range(3)
    ]
    return max(abs(axes[k][j]) for k in range(3) for j in range(3) if j != k)


def _between(to: Any) -> float:
    z = to.Rotation.multVec(FreeCAD.Vector(0, 0, 1)).z
    return degrees(acos(max(-1.0, min(1.0, z))))


_OFF = {
    "Fixed": lambda to, _: max(to.Base.Length, _unturned(to)),
    "Revolute": lambda to, _: max(to.Base.Length, _tilt(to)),
    "Cylindrical": lambda to, _: max(hypot(to.Base.x, to.Base.y), _tilt(to)),
    "Slider": lambda to, _: max(hypot(to.Base.x, to.Base.y), _unturned(to)),
    "Ball": lambda to, _: to.Base.Length,
    "Parallel": lambda to, _: _tilt(to),
    "Perpendicular": lambda to, _: abs(_between(to) - 90.0),
}
"""What each type of joint is off by, from its second frame as its first sees it."""


def judged(
    steps: list[Step], found: dict[str, tuple[Measure, list[tuple[str, Any]]]], before: Any
) -> dict[str, Any]:
    """The worst of all steps: what a joint is off by, and how far a part went for what was asked.

    Args:
        found: as of `joints`; before: placements of the parts at the start, by name.
    """
    worst, ratio = ("", 0.0), ("", 0.0)
    ends = [end for _, both in found.values() for end in both]
    for step in steps:
        for label, (measure, _) in found.items():
            worst = max(worst, (label, measure(step.placements)), key=lambda pair: pair[1])
        for part, frame in ends:
            way = ((step.placements[part] * frame).Base - (before[part] * frame).Base).Length
            if step.asked > 1e-9:
                ratio = max(ratio, (part, way / step.asked), key=lambda pair: pair[1])
        before = step.placements
    return {
        "steps": len(steps),
        "off": worst,
        "ratio": ratio,
        "limits": sorted({name for step in steps for name in step.limits}),
        "ms": [1000 * step.seconds for step in steps],
        "longest": longest(steps),
    }


def longest(steps: list[Step]) -> list[dict[str, Any]]:
    """What those steps did that took the most processor time, the longest first."""
    found = []
    for number in sorted(range(len(steps)), key=lambda k: -steps[k].seconds)[:LONGEST]:
        step = steps[number]
        times = {key: round(1000 * getattr(step, key), 1) for key in TIMES}
        found.append({"step": number, **times, **{key: getattr(step, key) for key in COUNTS}})
    return found
