"""How far two parts are apart over a motion, and where they come nearest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import BadValue
from ..foundations.numerics.rounding import CONFUSION, ROOT
from ..foundations.types import Array
from ..foundations.watch import Stopped, Watch
from ..kinematics.contact.geometry import triangle_bodies
from ..kinematics.contact.part_clearance import PartClearance
from ..kinematics.contact.relative_motion import beside
from ..model.contact import Pair
from ..results.contacts import ClearanceCurve
from ..results.motion import Motion
from .run_paths import RunPath, run_paths
from .sweep_contacts import watched_in
from .sweep_events import main_driver

_Place = tuple[float, float]
"""A time, s, and the distance there, mm."""

MARGIN = 2.0
"""Depth of a minimum that is looked for, over that by the rates of the distance around it."""


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
    values = np.full(len(motion.t), np.nan)
    found = [_Nearest(path, between, values) for path in paths]
    near = min(found, key=lambda x: x.least)
    path, t, k = near.path, near.t, near.k
    run, state = path.found.schedule.runs[path.n], np.flatnonzero(path.t == t)
    frames = path.frames[state[0]] if len(state) else path.at(k, t)
    lead, value, where = main_driver(motion, run, t)
    where = f"{lead} {value:.6g} {motion.assembly.drivers[lead].unit}" if lead else where
    time = np.array([t])
    at = {name: float(law(time)[0][0]) for name, law in run.laws.items()}
    spots = between.nearest(frames).points.tolist() if near.least > 0.0 else []
    points = tuple(map(tuple, spots)) or None
    return ClearanceCurve(between.parts, values, near.least, at, t, where, points)


def _depth(time: float, d: list[float], v: list[float]) -> float:
    """How deep a minimum of a convex distance is between two, mm, a time apart, s, with rates v.

    Up to where the tangents cross; 0 if none is there, infinite if a rate is not known.
    """
    if v[0] >= 0.0 or v[1] <= 0.0:
        return 0.0
    where = (d[1] - d[0] - v[1] * time) / (v[0] - v[1])
    inner = 0.0 <= where <= time  # false also of NaN
    return min(d) - d[0] - v[0] * where if inner else np.inf


class _Nearest:
    """The search for the nearest place of two parts along a run.

    Between two states a minimum is looked for where the speed of the parts allows a smaller one,
    and the rates of the distance there say that there is one; or the middle of the interval does,
    where it may be deeper than a contact that may be missed.

    Attributes:
        path: the run; least: the smallest distance, mm; t: its time, s; k: the interval that this
            is in.
    """

    def __init__(self, path: RunPath, between: PartClearance, values: Array) -> None:
        """`values`: distances in the states of the motion, mm; those of the run are written."""
        self.path, seen = path, between.seen(path.frames, path.twists, path.t)
        self._between = between.narrowed(path.frames, seen)
        found = [self._between.nearest(x) for x in path.frames]
        known = np.array([x.distance for x in found])
        values[path.states] = known[: len(path.states)]  # behind them: before what stops it
        nearest = int(np.argmin(known))
        self.least, self.t = float(known[nearest]), float(path.t[nearest])
        self.k = min(nearest, max(len(known) - 2, 0))
        self._beside = beside(*between.bodies, seen)
        self._shallow = min(body.shallow for body in between.bodies)
        rates, way = self._between.rates(found, path.frames, path.twists), np.diff(seen.way)
        for k in np.argsort(known[:-1] + known[1:] - way).tolist():
            t, d, v = (x[k : k + 2].tolist() for x in (path.t, known, rates))
            deep = MARGIN * _depth(t[1] - t[0], d, v)
            dips = min(d) - deep < self.least - CONFUSION
            self._look(k, t, d, float(way[k]), dips)

    def _look(self, k: int, times: list[float], d: list[float], way: float, dips: bool) -> None:
        """Look for a smaller distance in interval k; times, s, and distances d, mm, of its ends.

        Args:
            way: how much nearer the parts may come, mm; dips: whether there is a minimum.
        """
        low = max(0.5 * (sum(d) - way), self._beside)
        if low >= self.least - CONFUSION:
            return
        if not dips and self.least - low > self._shallow:
            dips = self._at(k, 0.5 * sum(times)) < min(d)
        if dips:
            self._minimise(k, *times)

    def _minimise(self, k: int, begin: float, end: float) -> None:
        from scipy.optimize import minimize_scalar  # loads for half a second

        near: Any = {"xatol": ROOT * (end - begin)}
        minimize_scalar(
            lambda t: self._at(k, float(t)), bounds=(begin, end), method="bounded", options=near
        )

    def _at(self, k: int, t: float) -> float:
        """The distance at a time, mm; kept where it is the smallest."""
        found = self._between.nearest(self.path.at(k, t)).distance
        if found < self.least:
            self.least, self.t, self.k = found, t, k
        return found
