"""How far a drive goes from where it stands, and where everything is on its way there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, NamedTuple

import assembly_solver as asm

from .drives import Drive, driven, drives

PIECES = 40
"""Into so many pieces its range is cut, so that no limit is passed between two of them."""

SHORT_OF = (1.0, 1.0 - 1e-6, 1.0 - 1e-4, 1.0 - 1e-2)
"""Shares of the way to a stop that are tried: at a dead point itself no state is known."""


class End(NamedTuple):
    """An end of the way of a drive: mm or degrees, and why it is one; "" where its range ends."""

    value: float
    words: str


class Reach:
    """A drive of an assembly that stands as it is; the motion is planned once.

    Every place on the way is found from where the drive stands, whichever was found before: so the
    same value always gives the same poses, and the way back is the way there.

    Args:
        given: not changed; drive: what is moved, its value read anew.
        ends: where it is to go, mm or degrees; if not given, to the ends of its range.
        cancel: says whether to stop looking.

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

    def stop(self, value: float) -> End:
        """The value where it is on the way, or else the end that it goes to."""
        if value < self.low.value:
            return self.low
        return self.high if value > self.high.value else End(value, "")

    def _led(self, value: float, cancel: Callable[[], object] | None = None) -> asm.Motion:
        drive = self.drive
        share = abs(value - drive.value) / (drive.high - drive.low or 1.0)
        way = (drive.value, value)
        return asm.sweep(
            self._assembly, {self._name: way}, steps=max(1, ceil(share * PIECES)), cancel=cancel
        )

    def _end(self, end: float, cancel: Callable[[], object] | None) -> End:
        """How far it goes towards an end of its range."""
        start = self.drive.value
        if end == start:
            return End(end, "")
        motion = self._led(end, cancel)
        if motion:
            return End(end, "")
        stop = next((event for event in motion.events if event.stops), None)
        if stop is None:
            return End(start, motion.reasons[-1])
        for share in SHORT_OF:
            value = start + share * (stop.value - start)
            if self._led(value, cancel):
                return End(value, stop.words)
        return End(start, stop.words)


def swept(
    given: asm.Assembly, drive: Drive, ends: tuple[float, float], steps: int, **watch: Any
) -> tuple[asm.Motion, str]:
    """A drive led through a range; where it does not even come to its beginning, as far as it goes.

    Args:
        given: not changed; ends: from where to where, mm or degrees; watch: as of `asm.sweep`.

    Returns:
        The motion, and what came of it in a sentence.
    """
    assembly = given.copy()
    name = driven(assembly, drive, None)
    motion = asm.sweep(assembly, {name: ends}, steps=steps, **watch)
    cancel = watch.get("cancel")
    if motion.valid.any() or (cancel is not None and cancel()):
        return motion, motion.sentence
    reach = Reach(given, drive, ends, cancel)
    begin, end = (reach.stop(value).value for value in ends)
    if begin == end:
        return motion, motion.sentence
    motion = asm.sweep(assembly, {name: (begin, end)}, steps=steps, **watch)
    stops = "; ".join(words for _, words in (reach.low, reach.high) if words)
    asked = f"{ends[0]:.6g} to {ends[1]:.6g} {drive.unit} was asked"
    return motion, f"{motion.sentence}. {asked}: {stops}"
