"""The motions of a page: drivers over their ranges or over time, and free motions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import atan2, degrees, hypot
from typing import Any

import numpy as np

from ...checking.check import ground_of
from ...diagnosis.drivers import diagnose_drivers
from ...errors import BadValue
from ...foundations.geometry.pose import Pose, frames_of, triple
from ...foundations.types import Array
from ...foundations.watch import Progress, Watch
from ...model.assembly import Assembly
from ...model.contact import Pair
from ...model.mates.couplings import Coupling
from ...model.references import parts_named
from ...results.changing import OverStates, extremes
from ...results.contacts import ClearanceCurve, joined
from ...results.motion import ContactEvent, Motion
from ...results.readings import readings_along
from ...results.solution import Solution
from ...verbs.clearance import clearances
from ...verbs.session import Session
from ...verbs.sweeping import sweep
from ..motion_csv import prescribed_values
from .slider_ranges import Span, chosen_drivers, slider_ranges
from .viewer import PlayedMotion, Slider, SliderMark

TOGETHER = 3
"""Largest number of drivers that are moved in all combinations of their values."""

STATES = 40_000
"""Largest number of states times parts of one motion: about 1.5 MB of the page."""

FEWEST, MOST = 6, 120
"""Smallest and largest number of steps of each driver."""

TURN, SHARE, STEPS = 90.0, 0.25, 30
"""Range of a free motion to each side, in degrees or as a share of the size, and its steps."""


def runs(
    assembly: Assembly,
    solution: Solution,
    drivers: Sequence[str] | None,
    time: tuple[float, float] | None,
    progress: Progress,
    contact: bool = False,
    clearance: str | Sequence[Pair] | None = None,
) -> list[PlayedMotion]:
    """The motions to play: drivers over their ranges or laws over time, else free motions.

    Up to three independent drivers move in all combinations of their values; of others, each moves
    while the rest keep their values, but for those that it determines.

    Args:
        assembly: at the poses of its `solution`; no motions where it is not solved.
        drivers: names; None for all of one coordinate.
        time: first and last time of drivers with laws, s; None where they do not run.
        contact: whether they are watched for contact; drivers then move one at a time.
        clearance: pairs of parts whose distance is shown, as of `sweep`; drivers do likewise.

    Raises:
        UnknownName, BadValue: a driver in `drivers` that does not exist or is a prescribed motion.
    """
    names = chosen_drivers(assembly, drivers)
    if not solution:
        return []
    how: dict[str, Any] = {"clearance": clearance, "progress": progress}
    if time is not None:
        watch = "tell" if contact else None
        motion = sweep(assembly, time=time, steps=MOST, contact=watch, **how)
        return [_over(motion, [("time", "s", motion.t)], assembly, [motion] if contact else [])]
    ground = ground_of(assembly, solution)
    ranges = slider_ranges(ground, names, progress)
    if not ranges:
        return free_runs(assembly, solution, progress)
    together = [(assembly, ranges)]
    alone = contact or clearance is not None or len(ranges) > TOGETHER
    if alone or diagnose_drivers(solution.diagnosis, assembly, ranges).repeated:
        together = [(ground.driving(name), {name: span}) for name, span in ranges.items()]
    return [_swept(given, each, contact, how) for given, each in together]


def _swept(
    given: Assembly, ranges: Mapping[str, Span], contact: bool, how: Mapping[str, Any]
) -> PlayedMotion:
    """The motion of drivers over all combinations of the values in their ranges.

    Contact is looked for from the present value of a driver, up and down.
    """
    room = (STATES / len(given.parts)) ** (1.0 / len(ranges))
    steps = int(min(max(room, FEWEST), MOST))
    grid = len(ranges) > 1
    motion = sweep(given, dict(ranges), steps=steps, grid=grid, **how)
    watched = []
    for name, (low, high) in ranges.items() if contact else ():
        begin = min(max(given.drivers[name].value or 0.0, low), high)
        ways = [{name: (begin, end)} for end in (low, high) if end != begin]
        tell = {"steps": steps, "contact": "tell", "progress": how["progress"]}
        watched = [sweep(given, way, **tell) for way in ways]
    swept = prescribed_values(motion).items()
    axes = [(name, unit, _distinct(v)) for name, (unit, v) in swept]
    return _over(motion, axes, given, watched)


def _over(
    motion: Motion,
    axes: Sequence[tuple[str, str, Array]],
    assembly: Assembly,
    watched: Sequence[Motion],
) -> PlayedMotion:
    """A sweep of one driver, of the grid of several (the last varies fastest), or over time.

    The `axes` are name, unit and values of each slider.  The state nearest to the poses of the
    assembly is shown first, drivers with a value at that.  `watched`: motions over the same values
    that were watched for contact.
    """
    still = frames_of([part.pose for part in assembly.parts.values()])
    off = np.abs(motion.frames - still).sum(axis=(1, 2))
    first = int(np.nanargmin(off)) if np.isfinite(off).any() else 0
    place = np.unravel_index(first, [len(values) for *_, values in axes])
    sliders = []
    for (name, unit, values), near in zip(axes, place, strict=True):
        driver = assembly.drivers.get(name)
        start = float(near)
        if driver is not None and driver.value is not None and unit != "s":
            start = float(np.interp(driver.value, values, np.arange(len(values))))
        marks = _marks(motion, watched, name) if len(axes) == 1 else ()  # each line has its own
        sliders.append(Slider(name, unit, values, start, marks))
    contacts = joined(m.contacts for m in watched if m.contacts is not None)
    words, touch = ("", ()) if contacts is None else (contacts.words, contacts.found)
    curves, apart = _curves(motion), _near(motion, touch)
    return PlayedMotion(tuple(sliders), motion.frames, motion.reasons, words, curves, apart)


def _near(motion: Motion, touch: Iterable[Pair]) -> tuple[ClearanceCurve, ...]:
    """The distances of pairs that were asked for, and of those that come into contact."""
    known = {frozenset(c.parts) for c in motion.clearances}
    more = clearances(motion, tuple(p for p in touch if frozenset(p) not in known), Watch())
    return (*motion.clearances, *more)


def _curves(motion: Motion) -> dict[tuple[str, str], Array]:
    """The joint coordinates that change over a sweep."""
    return _changing({which: motion.joint(*which).value for which in motion.coordinates})


def _distinct(values: Array) -> Array:
    """Distinct values in the order of their first occurrence."""
    _, first = np.unique(values, return_index=True)
    return values[np.sort(first)]


def _marks(motion: Motion, watched: Sequence[Motion], driver: str) -> tuple[SliderMark, ...]:
    """The events of a driver at its values; of a time slider all, at their times."""
    at_time = driver not in motion.driven
    met = [e for m in watched for e in m.events if isinstance(e, ContactEvent)]
    return tuple(
        SliderMark(
            event.t if at_time else event.value,
            event.words,
            event.parts if isinstance(event, ContactEvent) else (),
        )
        for event in (*(e for e in motion.events if not isinstance(e, ContactEvent)), *met)
        if at_time or event.driver == driver
    )


def free_runs(assembly: Assembly, solution: Solution, progress: Progress) -> list[PlayedMotion]:
    """Every free motion of the solution of an assembly that is at its poses, by dragging."""
    loose = [m for m in solution.free_motions if not m["removed_by"]["drivers"]]
    free = [m for m in loose if not m["idle"]] or loose  # idle spins only where nothing else moves
    out = []
    for k, motion in enumerate(free):
        progress(k, len(free), motion["words"])
        run = _free(assembly, motion, solution.plan.system.length)
        out.append(replace(run, curves=_curves_of_states(assembly, run.frames, solution)))
    return [run for run in out if len(run.frames) > 1]


def free_run(
    solution: Solution, motion: dict[str, Any], *, cancel: Callable[[], object] | None = None
) -> PlayedMotion:
    """One of the free motions of a solution, in both directions from the solved poses.

    Args:
        solution: solved; motion: one of its `free_motions`.
        cancel: called at each step; a true result ends the motion there.

    Returns:
        The motion over one slider, in degrees or mm from the solved poses: 90 degrees or a quarter
        of the assembly's size to each side, or as far as it can move; one state where it cannot.

    Raises:
        BadValue: the motion is none of this solution.
    """
    if motion not in solution.free_motions:
        raise BadValue("free_run(motion)", motion, "one of the free motions of the solution")
    assembly = solution.given.copy()
    assembly.move(solution.poses)
    return _free(assembly, motion, solution.plan.system.length, cancel or _never)


def _never() -> bool:
    return False


def _free(
    assembly: Assembly, motion: dict[str, Any], size: float, cancel: Callable[[], object] = _never
) -> PlayedMotion:
    """A free motion in both directions from the poses of the assembly."""
    turns = motion["kind"] != "translation"
    back, there = (_dragged(assembly, motion, way * size, cancel) for way in (-1.0, 1.0))
    values = np.array([-v for v, _ in back[:0:-1]] + [v for v, _ in there])
    frames = np.array([f for _, f in back[:0:-1]] + [f for _, f in there])
    unit, start = "deg" if turns else "mm", float(len(back) - 1)
    slider = Slider(motion["title"], unit, values, start, words=motion["words"])
    return PlayedMotion((slider,), frames, [""] * len(frames))


def _curves_of_states(
    assembly: Assembly, frames: Array, solution: Solution
) -> dict[tuple[str, str], Array]:
    """The joint coordinates that change over states which follow each other."""
    moves = np.ptp(frames, axis=0).max(axis=1) > 0.0
    moving = {name for name, moved in zip(assembly.parts, moves, strict=True) if moved}
    out = {}
    for name, mate in assembly.mates.items():
        if isinstance(mate, Coupling) or moving.isdisjoint(parts_named(mate)):
            continue
        for coordinate in mate.coordinates:
            quantity = assembly.coordinate(name, coordinate)
            out[name, coordinate] = readings_along(solution, quantity, frames)
    return _changing(out)


def _changing(curves: Mapping[tuple[str, str], Array]) -> dict[tuple[str, str], Array]:
    """The curves that are not still."""
    return {k: v for k, v in curves.items() if extremes(OverStates("", "", v)) is not None}


def _dragged(
    assembly: Assembly, motion: dict[str, Any], size: float, cancel: Callable[[], object]
) -> list[tuple[float, Array]]:
    """Travel of the first part and all frames, step by step, until it stops or is cancelled.

    Each step requests the displacement of the step before: the axis of rotation may move.
    """
    session, part = Session(assembly), motion["parts"][0]
    out = [(0.0, frames_of(session.poses.values()))]
    step = _first_step(motion, size)
    least = 0.3 * _travel(motion, step, session.poses[part])
    for _ in range(STEPS):
        before = session.poses[part]
        if cancel() or not session.drag(part, step @ before):
            break
        step = session.poses[part] @ before.inverse()
        went = _travel(motion, step, before)
        if went < least:
            break
        out.append((out[-1][0] + went, frames_of(session.poses.values())))
    return out


def _first_step(motion: dict[str, Any], size: float) -> Pose:
    """The displacement of one step along the screw of a free motion; `size` mm, signed."""
    direction = np.array(motion["axis"]["direction"])
    if motion["kind"] == "translation":
        return Pose(triple(SHARE / STEPS * size * direction))
    angle = np.sign(size) * TURN / STEPS
    turn = Pose.from_axis((0.0, 0.0, 0.0), direction.tolist(), angle)
    point = np.array(motion["axis"]["point"])
    slide = motion["pitch_mm"] * angle / 360.0 * direction
    return Pose(triple(point - turn.apply(point) + slide), turn.quaternion_wxyz)


def _travel(motion: dict[str, Any], step: Pose, pose: Pose) -> float:
    """Rotation of a step in degrees, or its translation of the part at `pose`, mm."""
    if motion["kind"] != "translation":
        w, *v = step.quaternion_wxyz
        return 2.0 * degrees(atan2(hypot(*v), abs(w)))
    return hypot(*(np.array(step.apply(pose.position)) - pose.position))
