"""The distance of two parts over the states of a motion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import NoShape
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.contact import Pair
from .geometry import Separation, TriangleBody, inside, library, separation, triangle_bodies
from .relative_motion import relative_motion


class PartClearance:
    """Two parts with their meshes.

    Args:
        parts: their names; place: what wants their shapes.
        known: the parts that have one, where these have been read.

    Raises:
        NoShape: one of the two has none; UnknownName, FormatError, MissingExtra: as of
            `triangle_bodies`.
    """

    def __init__(
        self,
        assembly: Assembly,
        parts: Pair,
        place: str,
        known: Mapping[str, TriangleBody] | None = None,
    ) -> None:
        library()
        known = triangle_bodies(assembly, parts) if known is None else known
        names = list(assembly.parts)
        for name in parts:
            if name not in known:
                raise NoShape(name, place)
        self.parts = parts
        self.numbers = [names.index(name) for name in parts]
        self.bodies = [known[name] for name in parts]

    def along(self, frames: Array) -> Array:
        """The smallest distance in each state, (states,), mm; 0 where they touch or overlap.

        The frames of all parts are (states, parts, 12), mm, world; a state with NaN gives NaN.
        """
        out = np.full(len(frames), np.nan)
        for s in range(len(frames)):
            two = frames[s, self.numbers]
            if np.isfinite(two).all():
                out[s] = self._at(two)
        return out

    def points(self, frames: Array) -> Array:
        """The nearest points of both in a state, frames (parts, 12): (2, 3), mm, world."""
        return self._apart(frames[self.numbers]).points

    def way(self, frames: Array, twists: Array, t: Array) -> Array:
        """How much nearer the two may come between two states, as estimated from the rates, mm.

        Of frames (states, parts, 12), twists (states, parts, 6) and t (states,): (states - 1,).
        """
        i, j = self.numbers
        both = (frames[:, i], frames[:, j]), (twists[:, i], twists[:, j])
        return np.diff(relative_motion(*both, t, self.bodies[0]).way)

    def _apart(self, two: Array) -> Separation:
        (a, b), (at_a, at_b) = self.bodies, two
        return separation(a, at_a, b, at_b)

    def _at(self, two: Array) -> float:
        (a, b), (at_a, at_b) = self.bodies, two
        found = self._apart(two).distance
        return 0.0 if found > 0.0 and inside(a, at_a, b, at_b) else found
