"""The reach of a drive from its present value, and the poses of all parts over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, NamedTuple

import assembly_solver as asm

from .drives import Drive, driven, drives

PIECES = 40
"""Number of intervals of its range, so that no limit is missed between two states."""

SHORT_OF = (1.0, 1.0 - 1e-6, 1.0 - 1e-4, 1.0 - 1e-2)
"""A setting: fractions of the travel to an end that are tried: at a dead point is no state."""


class TravelEnd(NamedTuple):
    """An end of the travel of a drive: mm or degrees, and its reason, "" at its range."""

    value: float
    words: str


class DriveReach:
    """The motion of a drive from the present poses; it is planned once.

    Every state is computed from the present poses, whatever was computed before: so the same value
    always gives the same poses.

    Args:
        given: not changed; drive: its value is measured again.
        ends: requested travel, mm or degrees; by default the range of the drive.
        cancel: returns whether to stop.

    Raises:
        Unsolved: the joints cannot hold, with the diagnosis.
        NotHeld: there are joints that could not be read.
        AssemblySolverError: there is no such drive any more.
    """

    def __init__(
        self,
        given: asm.Assembly,
        drive: Drive,
        ends: tuple[float, float] | None = None,
        cancel: Callable[[], object] | None = None,
    ) -> None:
        solution = asm.solve(given, cancel=cancel).require()
        found = next((d for d in drives(solution) if d.name == drive.name), None)
        if found is None:
            raise asm.AssemblySolverError(f"{drive.name} is not there any more: diagnose again")
        self.drive, self._poses = found, solution.poses
        self._assembly = given.copy()
        self._name = driven(self._assembly, found, found.value if found.driver else None)
        low, high = sorted(ends or (found.low, found.high))
        self.low, self.high = self._end(low, cancel), self._end(high, cancel)

    def at(self, value: float) -> Mapping[str, asm.Pose]:
        """Poses of all parts with the drive at a value, mm or degrees, between its two ends."""
        if value == self.drive.value:
            return self._poses
        motion = self._led(value)
        last = motion.valid.nonzero()[0][-1]
        start, there = motion.frames[0].tolist(), motion.frames[last].tolist()
        return {
            name: self._poses[name] if was == now else asm.Pose.from_frame(now)
            for name, was, now in zip(motion.parts, start, there, strict=True)
        }

    def stop(self, value: float) -> TravelEnd:
        """The value where it is on the way, or else the end that it goes to."""
        if value < self.low.value:
            return self.low
        return self.high if value > self.high.value else TravelEnd(value, "")

    def _led(self, value: float, cancel: Callable[[], object] | None = None) -> asm.Motion:
        drive = self.drive
        share = abs(value - drive.value) / (drive.high - drive.low or 1.0)
        way = (drive.value, value)
        return asm.sweep(
            self._assembly, {self._name: way}, steps=max(1, ceil(share * PIECES)), cancel=cancel
        )

    def _end(self, end: float, cancel: Callable[[], object] | None) -> TravelEnd:
        """The end of its travel towards an end of its range."""
        start = self.drive.value
        if end == start:
            return TravelEnd(end, "")
        motion = self._led(end, cancel)
        if motion:
            return TravelEnd(end, "")
        stop = next((event for event in motion.events if event.stops), None)
        if stop is None:
            return TravelEnd(start, motion.reasons[-1])
        for share in SHORT_OF:
            value = start + share * (stop.value - start)
            if self._led(value, cancel):
                return TravelEnd(value, stop.words)
        return TravelEnd(start, stop.words)


def swept(
    given: asm.Assembly, drive: Drive, ends: tuple[float, float], steps: int, **watch: Any
) -> tuple[asm.Motion, str]:
    """A drive swept through a range; as far as it goes where it cannot reach the begin.

    Args:
        given: not changed; ends: first and last value, mm or degrees; watch: as of `asm.sweep`.

    Returns:
        The motion, and its result in a sentence.
    """
    assembly = given.copy()
    name = driven(assembly, drive, None)
    motion = asm.sweep(assembly, {name: ends}, steps=steps, **watch)
    cancel = watch.get("cancel")
    if motion.valid.any() or (cancel is not None and cancel()):
        return motion, motion.sentence
    reach = DriveReach(given, drive, ends, cancel)
    begin, end = (reach.stop(value).value for value in ends)
    if begin == end:
        return motion, motion.sentence
    motion = asm.sweep(assembly, {name: (begin, end)}, steps=steps, **watch)
    stops = "; ".join(words for _, words in (reach.low, reach.high) if words)
    asked = f"{ends[0]:.6g} to {ends[1]:.6g} {drive.unit} was asked"
    return motion, f"{motion.sentence}. {asked}: {stops}"
