"""A curve as a feature: a polyline, or a cubic spline, through points of a part.

For the measures of a curve (see `measures.shapes`) it is a row of cubic segments C(u), u from 0 to
1, with a continuous direction field T(u): on a spline it is C'(u); on a polyline it is interpolated
linearly from corner to corner, so that every point near a corner has a unique foot.  An open curve
continues straight beyond its ends; limits keep a point between them.

Source of the spline: natural and periodic cubic splines by chord length, any text on numerics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..errors import BadValue
from ..foundations.geometry.pose import Triple, position, triple
from ..foundations.numerics.rounding import AGREEMENT, DIGITS
from ..foundations.types import Array, Numbers
from .feature import Feature, frame_of
from .measures.shapes import SEGMENT_SIZE, arc_length
from .numbers import true_or_false

NORMALS = 200
"""Number of candidate directions for one far from all tangents of a spatial curve."""


@dataclass(frozen=True)
class Curve(Feature):
    """A curve through points: straight from one to the next, or `smooth` (a cubic spline).

    Attributes:
        points: mm, in part coordinates; at least two, three for a closed curve.
        closed: the last point is joined to the first; smooth: a natural spline, or a periodic one.

    Raises BadValue: too few points, equal neighbours, or a polyline that reverses its direction.
    """

    points: tuple[Triple, ...]
    closed: bool = False
    smooth: bool = False
    numbers: tuple[float, ...] = field(init=False, repr=False, compare=False)
    """The data of `shapes.foot`, in the coordinates of the frame: number of segments, 1 if closed,
    then of each segment C(u) = sum of c_k u^k (12 numbers), T(u) likewise to u^2 (9), and the arc
    length to its beginning."""

    if TYPE_CHECKING:  # what is given becomes triples

        def __init__(
            self, points: Sequence[Numbers], closed: bool = False, smooth: bool = False
        ) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.points, (tuple, list)):
            raise BadValue("points", self.points, "a list of points")
        points = tuple(position(p, f"points[{k}]") for k, p in enumerate(self.points))
        for name in ("closed", "smooth"):
            true_or_false(getattr(self, name), name)
        least = 3 if self.closed else 2
        if len(points) < least:
            raise BadValue("points", self.points, f"at least {least} points")
        knots = np.array(points)
        chords = np.diff(np.vstack([knots, knots[:1]]) if self.closed else knots, axis=0)
        size = float(np.ptp(knots, axis=0).max())
        short = np.flatnonzero(np.linalg.norm(chords, axis=1) <= AGREEMENT * size)
        if len(short):
            at = (int(short[0]) + 1) % len(points)
            raise BadValue(f"points[{at}]", list(points[at]), "another place than the last")
        self._set(points=points, frame=_frame(knots, self.closed, self.smooth))
        self._set(numbers=self._numbers())

    @property
    def directed(self) -> bool:
        return False

    @property
    def planar(self) -> bool:
        """Whether it lies in a plane; the plane is then normal to the z of its frame."""
        frame = np.array(self.frame)
        off = np.abs((np.array(self.points) - frame[:3]) @ frame[9:12]).max()
        return bool(off <= AGREEMENT * np.ptp(np.array(self.points), axis=0).max())

    @property
    def length(self) -> float:
        """Arc length from the first point to the last, or around it, mm."""
        data = np.array(self.numbers)
        return float(arc_length(data, 0, int(data[0]) - 1, 1.0))

    def distance(self, p: Array) -> float:
        """Distance of a point in the coordinates of the part from a polyline, mm."""
        knots = np.array([*self.points, *self.points[: int(self.closed)]])
        begin, step = knots[:-1], np.diff(knots, axis=0)
        share = np.sum((p - begin) * step, axis=1) / np.sum(step**2, axis=1)
        low, high = np.zeros(len(step)), np.ones(len(step))
        if not self.closed:
            low[0], high[-1] = -np.inf, np.inf
        feet = begin + np.clip(share, low, high)[:, None] * step
        return float(np.linalg.norm(p - feet, axis=1).min())

    def _numbers(self) -> tuple[float, ...]:
        frame = np.array(self.frame).reshape(4, 3)
        knots = (np.array(self.points) - frame[0]) @ frame[1:].T
        segments = _segments(knots, self.closed, self.smooth)
        data = np.concatenate([[len(segments), float(self.closed)], segments.ravel()])
        for k in range(1, len(segments)):
            data[2 + SEGMENT_SIZE * k + SEGMENT_SIZE - 1] = arc_length(data, 0, k - 1, 1.0)
        return tuple(data.tolist())


def _segments(knots: Array, closed: bool, smooth: bool) -> Array:
    """Coefficients of the segments, (segments, PIECE); arc lengths still 0."""
    ends = np.vstack([knots, knots[:1]]) if closed else knots
    chords = np.diff(ends, axis=0)
    sizes = np.linalg.norm(chords, axis=1)[:, None]
    out = np.zeros((len(chords), SEGMENT_SIZE))
    if smooth and len(chords) > 1:
        slope = _slopes(chords, sizes[:, 0], closed)
        first, last = slope[:-1] * sizes, slope[1:] * sizes
        out[:, :12] = np.hstack(
            [ends[:-1], first, 3 * chords - 2 * first - last, first + last - 2 * chords]
        )
        out[:, 12:21] = np.hstack([out[:, 3:6], 2 * out[:, 6:9], 3 * out[:, 9:12]])
        return out
    out[:, :6] = np.hstack([ends[:-1], chords])
    along = chords / sizes
    before = along[np.arange(len(along)) - 1] if closed else np.vstack([along[:1], along[:-1]])
    corner = before + along
    corner = np.vstack([corner, corner[:1] if closed else along[-1:]])
    size = np.linalg.norm(corner, axis=1)[:, None]
    if size.min() < DIGITS:
        at = int(np.argmin(size)) % len(knots)
        raise BadValue(f"points[{at}]", "a turn back on itself", "a corner, not half a turn")
    corner /= size
    out[:, 12:18] = np.hstack([corner[:-1], corner[1:] - corner[:-1]])
    return out


def _slopes(chords: Array, h: Array, closed: bool) -> Array:
    """dC/ds at the knots of the spline with continuous curvature, shape (segments + 1, 3)."""
    n = len(h)
    rise = chords / h[:, None]
    if closed:
        a = np.zeros((n, n))
        for k in range(n):
            a[k, k] += 2 * (h[k - 1] + h[k])
            a[k, k - 1] += h[k]
            a[k, (k + 1) % n] += h[k - 1]
        before = np.arange(n) - 1
        right = 3 * (h[:, None] * rise[before] + h[before][:, None] * rise)
        slope = np.linalg.solve(a, right)
        return np.vstack([slope, slope[:1]])
    a, right = np.zeros((n + 1, n + 1)), np.zeros((n + 1, 3))
    a[0, :2], a[n, n - 1 :] = (2, 1), (1, 2)
    right[0], right[n] = 3 * rise[0], 3 * rise[-1]
    for k in range(1, n):
        a[k, k - 1 : k + 2] = h[k], 2 * (h[k - 1] + h[k]), h[k - 1]
        right[k] = 3 * (h[k] * rise[k - 1] + h[k - 1] * rise[k])
    return np.asarray(np.linalg.solve(a, right), float)


def _frame(knots: Array, closed: bool, smooth: bool) -> tuple[float, ...]:
    """The mean of its points, and z: the normal of its plane, about which a closed curve runs
    anticlockwise; of a spatial curve a direction far from all its tangents."""
    middle = knots.mean(axis=0)
    arms = knots - middle
    _, sizes, right = np.linalg.svd(arms)
    z = right[2] if len(right) > 2 else right[-1]
    planar = len(sizes) < 3 or sizes[2] <= AGREEMENT * sizes[0]
    if planar:
        area = np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0)
        flat = abs(area @ z) <= AGREEMENT * sizes[0] ** 2
        key = z[np.argmax(np.abs(z))] if flat else area @ z
        z = z if key > 0 else -z
    else:
        z = _clear_of(_segments(knots, closed, smooth), [*right, *_around()])
    return frame_of(triple(middle), triple(z / np.linalg.norm(z)), None)


def _clear_of(segments: Array, directions: list[Array]) -> Array:
    """The one of the directions with the largest angle to all tangents."""
    u = np.linspace(0, 1, 9)[:, None]
    c = segments[:, None, 12:21]
    tangents = (c[..., :3] + u * c[..., 3:6] + u**2 * c[..., 6:9]).reshape(-1, 3)
    tangents = tangents / np.linalg.norm(tangents, axis=1)[:, None]
    nearest = [np.abs(tangents @ d).max() for d in directions]
    return directions[int(np.argmin(nearest))]


def _around() -> Array:
    """Directions spread evenly over half a sphere."""
    k = np.arange(NORMALS) + 0.5
    z, turn = k / NORMALS, np.pi * (1 + np.sqrt(5)) * k
    r = np.sqrt(1 - z**2)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
