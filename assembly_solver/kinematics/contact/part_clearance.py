"""The distance of two parts over the states of a motion."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import numpy as np

from ...errors import NoShape
from ...foundations.numerics.rounding import FAINT, TINY
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.contact import Pair
from .geometry import (
    Separation,
    TriangleBody,
    by_bars,
    inside,
    library,
    separation,
    triangle_bodies,
)
from .relative_motion import RelativeMotion, relative_motion


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
        self.bodies = known[parts[0]], known[parts[1]]
        self._apart = False  # known, so that neither is looked for inside the other

    def along(self, frames: Array) -> Array:
        """The smallest distance in each state, (states,), mm; 0 where they touch or overlap.

        The frames of all parts are (states, parts, 12), mm, world; a state with NaN gives NaN.
        """
        return np.array([self.nearest(frame).distance for frame in frames])

    def nearest(self, frames: Array) -> Separation:
        """The smallest distance in a state, and the points that have it; frames (parts, 12)."""
        two = frames[self.numbers]
        if not np.isfinite(two).all():
            return Separation(np.nan, np.full((2, 3), np.nan))
        (a, b), (at_a, at_b) = self.bodies, two
        found = separation(a, at_a, b, at_b)
        if found.distance > 0.0 and not self._apart and inside(a, at_a, b, at_b):
            return found._replace(distance=0.0)
        return found

    def seen(self, frames: Array, twists: Array, t: Array) -> RelativeMotion:
        """The motion of the first part as seen from the second.

        Of frames (states, parts, 12), twists (states, parts, 6) and t (states,).
        """
        i, j = self.numbers
        both = (frames[:, i], frames[:, j]), (twists[:, i], twists[:, j])
        return relative_motion(*both, t, self.bodies[0])

    def rate(self, found: Separation, frames: Array, twists: Array) -> float:
        """The rate of the distance in a state, mm/s, by the nearest points there.

        NaN where the parts touch, or the state has no rates.
        """
        if found.distance == 0.0:
            return np.nan
        (x, y, z), moved = found.points[0] - found.points[1], twists[self.numbers]
        px, py, pz = (found.points - frames[self.numbers, :3]).T
        lever = np.array([py * z - pz * y, pz * x - px * z, px * y - py * x])
        along = moved[:, :3] @ (x, y, z) + np.einsum("pk,kp->p", moved[:, 3:], lever)
        return float(along[0] - along[1]) / found.distance

    def narrowed(
        self, frames: Array, seen: RelativeMotion, known: Mapping[int, Separation]
    ) -> PartClearance:
        """The same of the triangles only that may be nearest along a motion; of `seen`'s frames.

        Along a direction n, part a is beyond part b by min n.a - max n.b, and a triangle of a by
        more where it is farther on: one that is farther than two points of the parts is not
        nearest.  It is the same where parts are not known to be apart so, or have no triangles.
        `known`: the nearest points in some states, by their numbers.
        """
        a, b = self.bodies
        if a.round + b.round > 0.0 or by_bars(a, b):
            return self
        at, axes = frames[:, self.numbers, :3], frames[:, self.numbers, 3:].reshape(-1, 2, 3, 3)
        found = []
        for k, state in known.items():  # the same points of the parts, in all states
            own = np.einsum("pkr,pr->pk", axes[k], state.points - at[k])
            found.append(at + np.einsum("spkr,pk->spr", axes, own))
        between = np.array([x[:, 0] - x[:, 1] for x in found])
        gaps = np.linalg.norm(between, axis=2)
        best, every = gaps.argmin(axis=0), np.arange(len(frames))
        most = gaps[best, every]
        out = between[best, every] / np.maximum(most, TINY)[:, None]
        along_a, along_b = (
            body.mesh.corners @ np.einsum("skr,sr->ks", axes[:, k], out)
            + np.einsum("sr,sr->s", at[:, k], out)
            for k, body in enumerate(self.bodies)
        )
        first, last = along_a.min(axis=0), along_b.max(axis=0)
        if np.any(first <= last):
            return self
        way = np.diff(seen.way)  # half of it to the next state, and as much back
        far = most + np.maximum(np.append(way, 0.0), np.append(0.0, way))
        far += FAINT * (a.radius + b.radius)  # for rounding
        near = (along_a - last <= far).any(axis=1), (first - along_b <= far).any(axis=1)
        narrowed = copy(self)
        narrowed.bodies, narrowed._apart = (a.only(near[0]), b.only(near[1])), True
        return narrowed
