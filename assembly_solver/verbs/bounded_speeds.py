"""Bounds of the speeds of parts between the states of a motion, where there are any."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array
from ..kinematics.assembly_motion import AssemblyMotion
from ..kinematics.contact.geometry import TriangleBody
from ..kinematics.contact.relative_motion import STILL
from ..kinematics.contact.speed_bound import OpenChains, speed_bound
from ..kinematics.schedule import Law
from ..model.mates.couplings import Coupling
from ..results.motion import Motion
from .run_paths import RunPath

WORLD = -1
"""The number of no part, for the world."""


class BoundedSpeeds:
    """The speeds of parts that joints at constant rates connect, outside of loops or driven."""

    def __init__(self, motion: Motion, found: AssemblyMotion) -> None:
        self._motion, self._found = motion, found
        bodies = found.ready.plan.bodies
        self._body: list[int] = bodies.of_part.tolist()
        self._chains = OpenChains(bodies.count, self._joints())

    def _joints(self) -> Iterator[tuple[int, int, str, bool]]:
        """Bodies and kind of each mate, and whether a driver alone moves it."""
        given, number = self._motion.assembly, {n: k for k, n in enumerate(self._motion.parts)}
        laws = (run.laws for run in self._found.schedule.runs)
        always = set[str].intersection(*(set(x) for x in laws)) if self._found.schedule.runs else ()
        driven = {given.drivers[name].joint for name in always}
        for name, held in given.held.items():
            if not isinstance(held.mate, Coupling):
                a, b = (self._body[number[end.part]] for end in (held.mate.a, held.mate.b))
                yield a, b, held.mate.kind, name in driven

    def of(self, path: RunPath, part: int, other: int, body: TriangleBody) -> Array | None:
        """Largest speed of a part's points as seen from another one, (states - 1,), mm/s.

        By numbers of parts, `WORLD` for the world; `body`: the part's.  None without a bound.
        """
        frames, still = path.frames, np.tile(STILL, (len(path.t), 1))
        bodies = self._chains.path(self._body[part], 0 if other == WORLD else self._body[other])
        laws = self._found.schedule.runs[path.n].laws.values()
        if bodies is None or not all(self._constant(law, path.t) for law in laws):
            return None
        one = {b: k for k, b in enumerate(self._body)}
        motions = {b: (frames[:, one[b]], path.twists[:, one[b]]) for b in bodies if b != 0}
        motions[0] = still, np.zeros((len(still), 6))
        return speed_bound(bodies, motions, path.t, body.centres(frames[:, part]), body.radius)

    @staticmethod
    def _constant(law: Law, t: Array) -> bool:
        """Whether a law has one rate: in the states and between them, twice as densely."""
        inner = np.linspace(t[0], t[-1], 2 * len(t) + 1)
        value, rate, change = law(inner)
        line = value[0] + rate[0] * (inner - inner[0])
        off = float(np.abs(value - line).max())
        return not np.any(change != 0.0) and off <= AGREEMENT * (1.0 + float(np.abs(value).max()))
