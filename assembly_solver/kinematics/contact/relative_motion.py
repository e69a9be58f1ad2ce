"""How fast the points of one part can move as seen from another, between the states of a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.geometry.pose import compose_all, invert_all
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array
from .geometry import TriangleBody

CHORD = 2.0
"""Speed of a part between two states over that of the straight way, where a state has no rates."""

STILL = np.concatenate([np.zeros(3), np.eye(3).ravel()])
"""The frame of a part in itself, and of the world."""


class RelativeMotion(NamedTuple):
    """The motion of part a as seen from part b, over the n states of a run.

    Attributes:
        frames: (n, 12), of a in b, mm; t: (n,), s.
        speed: (n - 1,), mm/s, of the sphere's fastest point in each interval: at its ends, and as
            much more as the rates of the ends differ; not less than that of the straight way.
        normal: (3,), unit, in b: the direction along which no point moves in any state; or None.
    """

    frames: Array
    t: Array
    speed: Array
    normal: Array | None

    @property
    def way(self) -> Array:
        """How far points have moved until each state, at most, (n,), mm."""
        return np.concatenate([[0.0], np.cumsum(self.speed * np.diff(self.t))])


def relative_motion(
    frames: tuple[Array, Array], twists: tuple[Array, Array], t: Array, body: TriangleBody
) -> RelativeMotion:
    """The motion of a part a as seen from a part b.

    Args:
        frames, twists: of a and of b, (n, 12) and (n, 6), world, mm, rad, s; t: (n,), s.
        body: a, of which the sphere round it counts.
    """
    (fa, fb), (ta, tb) = frames, twists
    inner = compose_all(invert_all(fb), fa)
    axes = fb[:, 3:].reshape(-1, 3, 3)
    c, radius = body.centres(fa), body.radius
    speeds = [x[:, :3] + np.cross(x[:, 3:], c - f[:, :3]) for x, f in ((ta, fa), (tb, fb))]
    v = np.einsum("nkr,nr->nk", axes, speeds[0] - speeds[1])
    w = np.einsum("nkr,nr->nk", axes, ta[:, 3:] - tb[:, 3:])
    fastest = np.linalg.norm(v, axis=1) + radius * np.linalg.norm(w, axis=1)
    differ = np.linalg.norm(np.diff(v, axis=0), axis=1)
    differ += radius * np.linalg.norm(np.diff(w, axis=0), axis=1)
    speed = np.maximum(fastest[:-1], fastest[1:]) + differ
    straight = _straight(inner, body) / np.diff(t)
    bad = ~np.isfinite(speed)
    speed = np.where(bad, CHORD * straight, np.fmax(speed, straight))
    return RelativeMotion(inner, t, speed, None if bad.any() else _normal(v, w, radius))


def beside(a: TriangleBody, b: TriangleBody, motion: RelativeMotion) -> float:
    """How far two parts stay apart along a direction in which a does not move, mm; else not > 0."""
    n, frame = motion.normal, motion.frames[0]
    if n is None:
        return 0.0
    low, high = a.extent(frame[3:].reshape(3, 3) @ n) + frame[:3] @ n
    begin, end = b.extent(n)
    return float(max(low - end, begin - high))


def _straight(inner: Array, body: TriangleBody) -> Array:
    """How far the sphere's points are from their last place in each state, at most, (n - 1,)."""
    turned = np.linalg.norm(np.diff(inner[:, 3:], axis=0), axis=1) / np.sqrt(2.0)
    out: Array = np.linalg.norm(np.diff(body.centres(inner), axis=0), axis=1) + body.radius * turned
    return out


def _normal(v: Array, w: Array, radius: float) -> Array | None:
    """The axis to which all angular velocities w are parallel and all velocities v are normal."""
    fastest = int(np.argmax(np.linalg.norm(w, axis=1)))
    size = float(np.linalg.norm(w[fastest]))
    moved = float(np.linalg.norm(v, axis=1).max()) + radius * size
    if size * radius <= AGREEMENT * moved:
        return None
    n: Array = w[fastest] / size
    off = np.abs(v @ n) + radius * np.linalg.norm(np.cross(w, n), axis=1)
    return n if float(off.max()) <= AGREEMENT * moved else None
