"""Contacts of parts over a motion: told, or the first one ends it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..errors import NoShape
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.rounding import CONFUSION
from ..foundations.types import Array
from ..foundations.watch import Stopped, Watch
from ..kinematics.assembly_motion import AssemblyMotion
from ..kinematics.contact.first_touch import Touch, TouchSearch
from ..kinematics.contact.geometry import TriangleBody, triangle_bodies
from ..kinematics.contact.relative_motion import relative_motion
from ..kinematics.contact.watched_pairs import WatchedPairs, watched_pairs
from ..model.contact import ContactPairs, Pair
from ..results.contacts import WatchedContacts
from ..results.motion import ContactEvent, Motion
from ..results.wording.phrases import listed
from .bounded_speeds import BoundedSpeeds
from .run_paths import RunPath, run_paths
from .sweep_events import main_driver, truncated

CONTACT = "contact"
CONTACTS = ("tell", "stop")
"""Choices of `contact`."""

TOUCHING = "in contact where the motion begins"


def with_contacts(motion: Motion, found: AssemblyMotion, how: str, watch: Watch) -> Motion:
    """A motion with the contacts of its parts, or truncated at the first one.

    Args:
        how: "tell" or "stop".

    Raises NoShape: no part has geometry; UnknownName, FormatError, MissingExtra: as of
    `triangle_bodies`.
    """
    given = motion.assembly
    known = triangle_bodies(given, given.parts)
    if not known:
        raise NoShape(next(iter(given.parts), ""), CONTACT)
    watched = watched_in(motion, found, set(known))
    search = ContactSearch(motion, found, known, (given.contact or ContactPairs()).gap)
    left_out = dict(watched.left_out)
    for pair in watched.pairs:
        if search.touches_at_start(pair):
            left_out[pair] = TOUCHING
    pairs = tuple(p for p in watched.pairs if p not in left_out)
    halted = motion.halted
    try:
        for k, pair in enumerate(pairs):
            watch.tell(k, len(pairs), "looking for contact")
            search.look_at(pair, how == "stop")
    except Stopped as stop:
        halted, left_out = stop.words, left_out | dict.fromkeys(pairs[k:], stop.words)
        pairs = pairs[:k]
    touched = sorted(search.touches, key=lambda x: x.order)
    seen = WatchedContacts(
        pairs,
        left_out,
        frozenset(pairs) - search.sampled,
        frozenset(p for p in pairs if all(known[name].exact for name in p)),
        search.missed,
        tuple(x.pair for x in touched),
    )
    motion = replace(motion, contacts=seen, halted=halted)
    if not touched:
        return motion
    if how == "stop":
        first = touched[0]
        return truncated(motion, found, first.order[0], search.event(first, True))
    new = tuple(search.event(x, False) for x in touched)
    events = sorted((*motion.events, *new), key=lambda e: (e.stops, e.t))
    return replace(motion, events=tuple(events))


def watched_in(motion: Motion, found: AssemblyMotion, solid: set[str]) -> WatchedPairs:
    """The pairs of parts that a motion is watched for contact of; `solid` have geometry."""
    rigid = dict(zip(motion.parts, found.ready.plan.bodies.of_part.tolist(), strict=True))
    return watched_pairs(motion.assembly, solid, rigid)


@dataclass(frozen=True, eq=False)
class Met:
    """A contact: the states before it along the runs and its time, the pair, where it is."""

    order: tuple[int, float]
    pair: Pair
    n: int
    touch: Touch
    on: Array


class ContactSearch:
    """The search for the first contacts of pairs over the runs of a motion.

    Attributes:
        known: the parts with geometry; gap: distance that counts as contact, mm.
        paths: the runs as far as they hold; touches: the contacts found.
        missed: depth of the deepest contact that the search may have missed, mm.
        sampled: pairs whose speed is estimated.
    """

    def __init__(
        self, motion: Motion, found: AssemblyMotion, known: dict[str, TriangleBody], gap: float
    ) -> None:
        self.motion, self.found, self.known, self.gap = motion, found, known, gap
        self.number = {name: k for k, name in enumerate(motion.parts)}
        self.paths = list(run_paths(motion, found))
        self.touches: list[Met] = []
        self.missed = 0.0
        self.sampled: set[Pair] = set()
        self.speeds = BoundedSpeeds(motion, found)

    def _in_order(self, pair: Pair) -> Pair:
        """The smaller part, whose motion is looked at, and the other one."""
        a, b = sorted(pair, key=lambda name: self.known[name].radius)
        return a, b

    def _between(self, pair: Pair, path: RunPath) -> TouchSearch:
        """The search of a pair along a run; the smaller part as seen from the other."""
        small, large = self._in_order(pair)
        i, j, a, b = self.number[small], self.number[large], self.known[small], self.known[large]
        frames, twists = path.frames, path.twists
        motion = relative_motion(
            (frames[:, i], frames[:, j]), (twists[:, i], twists[:, j]), path.t, a
        )
        bound = self.speeds.of(path, i, j, a)
        if bound is None:
            self.sampled.add(pair)
        else:
            motion = motion._replace(speed=bound)

        def at(k: int, t: float) -> Array:
            every = path.at(k, t)
            out: Array = compose_all(invert_all(every[j][None]), every[i][None])[0]
            return out

        laws = self.found.schedule.runs[path.n].laws.values()
        fastest = max((float(np.abs(law(path.t)[1]).max()) for law in laws), default=1.0)
        return TouchSearch(a, b, motion, at, self.gap, CONFUSION / (fastest or 1.0))

    def touches_at_start(self, pair: Pair) -> bool:
        """Whether a pair is in contact in the first state."""
        return bool(self.paths) and self._between(pair, self.paths[0]).touches_at_start()

    def look_at(self, pair: Pair, stops: bool) -> None:
        """Find the first contact of a pair, up to the first one of others where that stops."""
        limit = min((x.order for x in self.touches), default=None) if stops else None
        met = self.first(pair, limit)
        if met is not None:
            self.touches.append(met)

    def first(self, pair: Pair, limit: tuple[int, float] | None = None) -> Met | None:
        """The first contact of a pair, up to the interval of one at `limit`; None without one."""
        done = 0
        for path in self.paths:
            before = max(len(path.t) - 1, 0)
            if limit is not None:
                before = min(before, limit[0] - done)
            if before > 0:
                search = self._between(pair, path)
                touch = search.first(before)
                self.missed = max(self.missed, search.missed)
                if touch is not None:
                    order = (done + touch.k + 1, touch.t)
                    on = path.at(touch.k, touch.t)[self.number[self._in_order(pair)[1]]]
                    return Met(order, pair, path.n, touch, on)
            done += len(self.motion.runs[path.n][0])
        return None

    def event(self, met: Met, stops: bool) -> ContactEvent:
        """The event of a contact."""
        run = self.found.schedule.runs[met.n]
        lead, value, where = main_driver(self.motion, run, met.touch.t)
        axes = met.on[3:].reshape(3, 3)
        point, normal = met.on[:3] + met.touch.point @ axes, met.touch.normal @ axes
        a, b = met.pair
        if self._in_order(met.pair) != met.pair:
            normal = -normal
        where = f"{lead} {value:.6g} {self.motion.assembly.drivers[lead].unit}" if lead else where
        words = f"{listed([a, b])} touch at {where}"
        words += f": {lead or 'the motion'} stops there" if stops else ""
        t = np.array([met.touch.t])
        moved = {n: law for n, law in run.laws.items() if float(np.ptp(law(run.t)[0])) > 0.0}
        return ContactEvent(
            CONTACT,
            lead,
            value,
            met.touch.t,
            f"{a} - {b}",
            words,
            stops,
            at={n: float(law(t)[0][0]) for n, law in moved.items()},
            parts=(a, b),
            point=tuple(point.tolist()),
            normal=tuple(normal.tolist()),
        )
