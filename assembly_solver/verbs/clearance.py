"""How far two parts are apart over a motion, and where they come nearest."""

from __future__ import annotations

from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise

import numpy as np

from ..errors import BadValue
from ..foundations.numerics.dips import Place, depth, look_into_dip
from ..foundations.numerics.rounding import CONFUSION
from ..foundations.types import Array
from ..foundations.watch import Stopped, Watch
from ..kinematics.contact.geometry import SHALLOW, Separation, triangle_bodies
from ..kinematics.contact.part_clearance import PartClearance
from ..kinematics.contact.relative_motion import beside
from ..model.contact import Pair
from ..results.contacts import ClearanceCurve
from ..results.motion import Motion
from .bounded_speeds import BoundedSpeeds
from .run_paths import RunPath
from .sweep_contacts import ContactSearch, watched_in
from .sweep_events import main_driver

Known = tuple[float, float]
"""A time, s, and the distance there, mm."""

MARGIN = 2.0
"""Depth of a minimum that is looked for, over that by the rates of the distance around it."""

WITNESSES = 12
"""States in which all triangles are looked at, to know which ones may be nearest in others."""


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
    if isinstance(pairs, str):
        known = triangle_bodies(motion.assembly, motion.parts)
        pairs = watched_in(motion, followed, set(known)).pairs
    else:
        known = triangle_bodies(motion.assembly, dict.fromkeys(n for pair in pairs for n in pair))
    out: list[ClearanceCurve] = []
    search = ContactSearch(motion, followed, known, 0.0)
    try:
        for k, pair in enumerate(pairs if search.paths else ()):
            watch.tell(k, len(pairs), "looking for the nearest places")
            between = PartClearance(motion.assembly, pair, "clearance", known)
            along = [_Nearest(path, between, search.speeds) for path in search.paths]
            out.append(_curve(motion, along, search))
    except Stopped:
        pass
    return tuple(out)


def _curve(motion: Motion, found: list[_Nearest], search: ContactSearch) -> ClearanceCurve:
    near = min(found, key=lambda x: x.least)
    between = near.between
    path, t, k = near.path, near.t, near.k
    if near.least == 0.0:
        path, t, k = _first_touch(found, near, search)
    run, state = path.found.schedule.runs[path.n], np.flatnonzero(path.t == t)
    frames = path.frames[state[0]] if len(state) else path.at(k, t)
    lead, value, where = main_driver(motion, run, t)
    where = f"{lead} {value:.6g} {motion.assembly.drivers[lead].unit}" if lead else where
    time = np.array([t])
    at = {name: float(law(time)[0][0]) for name, law in run.laws.items()}
    spots = between.nearest(frames).points.tolist() if near.least > 0.0 else []
    points = tuple(map(tuple, spots)) or None

    def along() -> Array:
        values = np.full(len(motion.t), np.nan)
        for one in found:  # behind its states: before what stops it
            for k, state in enumerate(one.path.states.tolist()):
                values[state] = one.state(k).distance
        return values

    def lowest() -> float:
        return min(one.lowest() for one in found)

    bounded = all(one.bounded for one in found)
    return ClearanceCurve(
        between.parts, along, near.least, at, t, where, points, lowest if bounded else None
    )


def _first_touch(
    found: list[_Nearest], near: _Nearest, search: ContactSearch
) -> tuple[RunPath, float, int]:
    """Where two parts that touch begin to: the run, the time, s, and the interval that it is in.

    The place that is known if the search for it does not see a contact that is less deep.
    """
    pair = near.between.parts
    if search.touches_at_start(pair):
        return found[0].path, float(found[0].path.t[0]), 0
    met = search.first(pair)
    if met is None:
        return near.path, near.t, near.k
    (path,) = (one.path for one in found if one.path.n == met.n)
    return path, met.touch.within, met.touch.k


class _Nearest:
    """The search for the nearest place of two parts along a run.

    The states are halved where the speed of the parts allows a smaller distance than is known
    between two; so the others are not looked at.  Between two states next to each other a minimum
    is looked for where the rates of the distance there say that there is one; else the interval is
    halved until they tell the distance in its middle, or until a minimum could be no deeper than a
    contact that may be missed.  One in which a part goes farther than the larger one's radius may
    have several minima, and is halved first.

    Attributes:
        path: the run; between: both parts; least: the smallest distance, mm; t: its time, s; k: the
            interval that this is in; bounded: whether the speed is, else it is estimated.
    """

    def __init__(self, path: RunPath, between: PartClearance, speeds: BoundedSpeeds) -> None:
        self.path, self.least, self.t, self.k = path, np.inf, 0.0, 0
        self.between = self._between = between
        self._found = dict[int, Separation]()
        self._places = dict[int, Place]()
        self._seen = between.seen(path.frames, path.twists, path.t)
        part, other = between.numbers
        bound = speeds.of(path, part, other, between.bodies[0])
        self.bounded = bound is not None
        if bound is not None:
            self._seen = self._seen._replace(speed=bound)
        self._way = self._seen.way
        self._beside = beside(*between.bodies, self._seen)
        self._shallow = min(body.shallow for body in between.bodies)
        last = len(path.t) - 1
        left = [(self._low(0, last), 0, last)]
        while left and self.least > 0.0:
            low, i, j = heappop(left)
            if low >= self.least - CONFUSION:
                return
            if j - i < 2:
                self._look(i, self._place(i), self._place(j))
                continue
            middle = (i + j) // 2
            for begin, end in ((i, middle), (middle, j)):
                heappush(left, (self._low(begin, end), begin, end))

    def state(self, k: int) -> Separation:
        """The distance in a state of the run."""
        if k not in self._found:
            if len(self._found) == WITNESSES:
                narrowed = self._between.narrowed(self.path.frames, self._seen, self._found)
                self._between = narrowed
            found = self._found[k] = self._between.nearest(self.path.frames[k])
            if found.distance < self.least:
                self.least, self.t = found.distance, float(self.path.t[k])
                self.k = min(k, max(len(self.path.t) - 2, 0))
        return self._found[k]

    def lowest(self) -> float:
        """What the distance is at least in the run, mm, if the speed is bounded.

        Less than `least` by no more than a contact that may be missed is deep, or by 1 %, unless a
        smaller distance is met.  Of all pieces the one that may be nearest is halved.
        """
        enough = max(self._shallow, SHALLOW * self.least)
        known = [(t, self.state(k).distance) for k, t in enumerate(self.path.t.tolist())]
        left = [self._piece(k, *ends) for k, ends in enumerate(pairwise(known))]
        heapify(left)
        while left and left[0][0] < self.least - enough:
            _, k, a, b = left[0]
            middle = 0.5 * (a[0] + b[0])
            at = middle, self._at(k, middle).value
            heapreplace(left, self._piece(k, a, at))
            heappush(left, self._piece(k, at, b))
        return min(left[0][0], self.least) if left else self.least

    def _piece(self, k: int, a: Known, b: Known) -> tuple[float, int, Known, Known]:
        """Two places in an interval, and what the distance is at least between them, mm."""
        low = 0.5 * (a[1] + b[1] - float(self._seen.speed[k]) * (b[0] - a[0]))
        return max(low, self._beside, 0.0), k, a, b

    def _low(self, i: int, j: int) -> float:
        """What the distance is at least between two states, mm, by the speed of the parts."""
        apart = self.state(i).distance + self.state(j).distance
        return max(0.5 * (apart - float(self._way[j] - self._way[i])), self._beside)

    def _place(self, k: int) -> Place:
        if k not in self._places:
            frames, twists = self.path.frames[k], self.path.twists[k]
            self._places[k] = self._told(float(self.path.t[k]), self.state(k), frames, twists)
        return self._places[k]

    def _told(self, t: float, found: Separation, frames: Array, twists: Array) -> Place:
        return Place(t, found.distance, self._between.rate(found, frames, twists))

    def _look(self, k: int, a: Place, b: Place) -> None:
        """Look for a smaller distance between two places in an interval."""
        mean, width = 0.5 * (a.value + b.value), b.t - a.t
        way = float(self._seen.speed[k]) * width
        short = way <= max(body.radius for body in self.between.bodies)
        low = max(mean - 0.5 * way, self._beside, 0.0)
        if self.least - low <= self._shallow or (short and self._deep(a, b)):
            look_into_dip(lambda t: self._at(k, t), a, b, self._deep)
            return
        middle = self._at(k, a.t + 0.5 * width)
        off = middle.value - (mean + 0.125 * width * (a.rate - b.rate))
        for begin, end in ((a, middle), (middle, b)):
            if short and abs(off) <= self._shallow:
                look_into_dip(lambda t: self._at(k, t), begin, end, self._deep)
            else:  # no cubic polynomial of the values and rates, or without rates
                self._look(k, begin, end)

    def _deep(self, a: Place, b: Place) -> bool:
        """Whether there is a smaller distance between two places, by the rates there."""
        return min(a.value, b.value) - MARGIN * depth(a, b) < self.least - CONFUSION

    def _at(self, k: int, t: float) -> Place:
        """The distance at a time, mm, and its rate; kept where it is the smallest."""
        frames, twists = self.path.moving(k, t)
        found = self._between.nearest(frames)
        if found.distance < self.least:
            self.least, self.t, self.k = found.distance, t, k
        return self._told(t, found, frames, twists)
