"""How far two parts are apart over a motion, and where they come nearest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import BadValue
from ..foundations.numerics.rounding import ROOT
from ..foundations.types import Array
from ..foundations.watch import Stopped, Watch
from ..kinematics.contact.geometry import triangle_bodies
from ..kinematics.contact.part_clearance import PartClearance
from ..model.contact import Pair
from ..results.contacts import ClearanceCurve
from ..results.motion import Motion
from .run_paths import RunPath, run_paths
from .sweep_contacts import watched_in
from .sweep_events import main_driver


def clearance(motion: Motion, a: str, b: str) -> ClearanceCurve:
    """The distance of two parts with geometry over a motion.

    Args:
        motion: of `sweep`; a, b: names of parts.

    Raises:
        UnknownName, NoShape: no such part, or one without geometry.
        BadValue: the motion has no valid state.
        FormatError, MissingExtra: as of `sweep(contact=)`.
    """
    for name in (a, b):
        motion.assembly.part(name)
    found = clearances(motion, ((a, b),), Watch())
    if not found:
        raise BadValue("clearance", motion.sentence, "a motion with valid states")
    return found[0]


def clearances(
    motion: Motion, pairs: str | tuple[Pair, ...], watch: Watch
) -> tuple[ClearanceCurve, ...]:
    """The distances of pairs of parts over a motion, or of "all" that are watched for contact.

    None where the motion has no valid state; as far as it got where it is interrupted.  Raises
    NoShape, FormatError, MissingExtra: as of `clearance`.
    """
    followed = motion.followed
    if followed is None:
        return ()
    paths = list(run_paths(motion, followed))
    if isinstance(pairs, str):
        known = triangle_bodies(motion.assembly, motion.parts)
        pairs = watched_in(motion, followed, set(known)).pairs
    else:
        known = triangle_bodies(motion.assembly, dict.fromkeys(n for pair in pairs for n in pair))
    out: list[ClearanceCurve] = []
    try:
        for k, pair in enumerate(pairs if paths else ()):
            watch.tell(k, len(pairs), "looking for the nearest places")
            out.append(
                _curve(motion, paths, PartClearance(motion.assembly, pair, "clearance", known))
            )
    except Stopped:
        pass
    return tuple(out)


def _curve(motion: Motion, paths: list[RunPath], between: PartClearance) -> ClearanceCurve:
    values = between.along(motion.frames)
    found = [(n, *_least(path, between, values)) for n, path in enumerate(paths)]
    n, least, t, k = min(found, key=lambda x: x[1])
    run, state = paths[n].found.schedule.runs[paths[n].n], np.flatnonzero(paths[n].t == t)
    frames = paths[n].frames[state[0]] if len(state) else paths[n].at(k, t)
    lead, value, where = main_driver(motion, run, t)
    where = f"{lead} {value:.6g} {motion.assembly.drivers[lead].unit}" if lead else where
    time = np.array([t])
    at = {name: float(law(time)[0][0]) for name, law in run.laws.items()}
    near = between.points(frames).tolist() if least > 0.0 else []
    points = tuple(map(tuple, near)) or None
    return ClearanceCurve(between.parts, values, least, at, t, where, points)


def _least(path: RunPath, between: PartClearance, values: Array) -> tuple[float, float, int]:
    """The smallest distance along a run, mm, its time, s, and the interval that this is in."""
    known = values[path.states]
    known = np.append(known, between.along(path.frames[len(known) :]))  # before what stops it
    last, k = max(len(known) - 2, 0), int(np.argmin(known))
    best = float(known[k]), float(path.t[k]), min(k, last)
    if len(known) < 2:
        return best
    from scipy.optimize import minimize_scalar  # loads for half a second

    low = 0.5 * (known[:-1] + known[1:] - between.way(path.frames, path.twists, path.t))
    for n in np.argsort(low).tolist():  # where it may be smaller between two states
        if low[n] < best[0] > 0.0:
            ends = float(path.t[n]), float(path.t[n + 1])
            near: Any = {"xatol": ROOT * (ends[1] - ends[0])}

            def distance(t: float, n: int = n) -> float:
                return float(between.along(path.at(n, t)[None])[0])

            found = minimize_scalar(distance, bounds=ends, method="bounded", options=near)
            best = min(best, (float(found.fun), float(found.x), n))
    return best
