"""What a page can move: drivers over their ranges or over time, and what nothing drives."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, degrees, hypot
from typing import Any

import numpy as np

from ...errors import MissingKey, UnknownName
from ...foundations.geometry.pose import Pose, frames_of, triple
from ...foundations.types import Array
from ...foundations.watch import Progress
from ...model.assembly import Assembly
from ...results.motion import Motion
from ...results.solution import Solution
from ...verbs.session import Session
from ...verbs.sweeping import sweep
from ..motion_csv import asked
from .viewer import Mark, Run, Slider

TOGETHER = 3
"""Drivers that are moved with every value of the others."""

STATES = 40_000
"""States times parts of one run: about a megabyte and a half of the page."""

FEWEST, MOST = 6, 120
"""Steps of each driver."""

TURN, SHARE, STEPS = 90.0, 0.25, 30
"""A free motion is played so many degrees, or this share of the size, to each side, in steps."""


def runs(
    assembly: Assembly,
    solution: Solution,
    drivers: Sequence[str] | None,
    time: tuple[float, float] | None,
    progress: Progress,
) -> list[Run]:
    """All that can be moved: drivers over their ranges or laws over time, else free motions.

    Up to three drivers move together, each with every value of the others; of more, each moves
    while the others are held.

    Args:
        assembly: at the poses of its solution; solution: of it; nothing moves where it is none.
        drivers: names; None for all that have a range.
        time: from when to when drivers with laws run, s; None where they do not.
        progress: told how far it is.
    """
    ranges = _ranges(assembly, drivers)
    if not solution:
        return []
    if time is not None:
        motion = sweep(assembly, time=time, steps=MOST, progress=progress)
        return [_over(motion, [("time", "s", motion.t)], assembly)]
    if not ranges:
        return free_runs(assembly, solution, progress)
    together = [ranges] if len(ranges) <= TOGETHER else [{n: ranges[n]} for n in ranges]
    out = []
    for each in together:
        room = (STATES / len(assembly.parts)) ** (1.0 / len(each))
        steps = int(min(max(room, FEWEST), MOST))
        motion = sweep(assembly, each, steps=steps, grid=len(each) > 1, progress=progress)
        axes = [(name, unit, _distinct(values)) for name, (unit, values) in asked(motion).items()]
        out.append(_over(motion, axes, assembly))
    return out


def _ranges(assembly: Assembly, drivers: Sequence[str] | None) -> dict[str, tuple[float, float]]:
    """The ranges of drivers by name, or the error that says which has none."""
    out = {}
    for name in assembly.drivers if drivers is None else drivers:
        if name not in assembly.drivers:
            raise UnknownName("driver", name, assembly.drivers, "--driver")
        own = assembly.drivers[name].range
        if own is not None:
            out[name] = own
        elif drivers is not None:
            raise MissingKey(f"--driver {name}", "a driver that is to be moved", "range")
    return out


def _over(motion: Motion, axes: Sequence[tuple[str, str, Array]], assembly: Assembly) -> Run:
    """A sweep of one driver, of the grid of several, or over time.

    Args:
        motion: its states; those of a grid with the last driver running fastest.
        axes: name, unit and values of each slider.
        assembly: where it stands; the state nearest to it is shown first, and a driver with a
            value at that.
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
        marks = _marks(motion, name) if len(axes) == 1 else ()  # of a grid each line has its own
        sliders.append(Slider(name, unit, values, start, marks))
    return Run(tuple(sliders), motion.frames, motion.reasons)


def _distinct(values: Array) -> Array:
    """Values in the order in which they are first met."""
    _, first = np.unique(values, return_index=True)
    return values[np.sort(first)]


def _marks(motion: Motion, driver: str) -> tuple[Mark, ...]:
    """The events of a driver; those of a time slider stand at their time."""
    at_time = driver not in motion.driven
    return tuple(
        Mark(event.t if at_time else event.value, event.words)
        for event in motion.events
        if at_time or event.driver == driver
    )


def free_runs(assembly: Assembly, solution: Solution, progress: Progress) -> list[Run]:
    """Every motion that nothing holds, played by dragging the part that leads it.

    Args:
        assembly: at the poses of its solution; solution: of it, whose free motions are played.
        progress: told of every motion.
    """
    loose = [m for m in solution.free_motions if not m["removed_by"]["drivers"]]
    free = [m for m in loose if not m["idle"]] or loose  # a rod that spins in itself is no news
    out = []
    for k, motion in enumerate(free):
        progress(k, len(free), motion["words"])
        out.append(_free(assembly, motion, solution.plan.system.length))
    return [run for run in out if len(run.frames) > 1]


def free_run(solution: Solution, motion: dict[str, Any]) -> Run:
    """One of the free motions of a solution, both ways from where its parts stand.

    Of a motion that cannot be followed the run has one state only.
    """
    assembly = solution.given.copy()
    assembly.move(solution.poses)
    return _free(assembly, motion, solution.plan.system.length)


def _free(assembly: Assembly, motion: dict[str, Any], size: float) -> Run:
    """A free motion both ways, from where the assembly stands."""
    turns = motion["kind"] != "translation"
    back, there = (_dragged(assembly, motion, way * size) for way in (-1.0, 1.0))
    values = np.array([-v for v, _ in back[:0:-1]] + [v for v, _ in there])
    frames = np.array([f for _, f in back[:0:-1]] + [f for _, f in there])
    slider = Slider(motion["words"], "deg" if turns else "mm", values, float(len(back) - 1))
    return Run((slider,), frames, [""] * len(frames))


def _dragged(assembly: Assembly, motion: dict[str, Any], size: float) -> list[tuple[float, Array]]:
    """How far the leading part went and all frames, step by step, until it goes no further.

    Each step asks for the displacement that the step before came to: so a coupler, whose axis
    wanders, is followed.
    """
    session, part = Session(assembly), motion["parts"][0]
    out = [(0.0, frames_of(session.poses.values()))]
    asked = _first_step(motion, size)
    least = 0.3 * _travel(motion, asked, session.poses[part])
    for _ in range(STEPS):
        before = session.poses[part]
        if not session.drag(part, asked @ before):
            break
        asked = session.poses[part] @ before.inverse()
        went = _travel(motion, asked, before)
        if went < least:
            break
        out.append((out[-1][0] + went, frames_of(session.poses.values())))
    return out


def _first_step(motion: dict[str, Any], size: float) -> Pose:
    """The displacement along the screw of a free motion; backwards where the size is negative."""
    direction = np.array(motion["axis"]["direction"])
    if motion["kind"] == "translation":
        return Pose(triple(SHARE / STEPS * size * direction))
    angle = np.sign(size) * TURN / STEPS
    turn = Pose.from_axis((0.0, 0.0, 0.0), direction.tolist(), angle)
    point = np.array(motion["axis"]["point"])
    slide = motion["pitch_mm"] * angle / 360.0 * direction
    return Pose(triple(point - turn.apply(point) + slide), turn.quaternion_wxyz)


def _travel(motion: dict[str, Any], step: Pose, pose: Pose) -> float:
    """Degrees of a turn, or mm of a translation of the part that was at a pose."""
    if motion["kind"] != "translation":
        w, *v = step.quaternion_wxyz
        return 2.0 * degrees(atan2(hypot(*v), abs(w)))
    return hypot(*(np.array(step.apply(pose.position)) - pose.position))
