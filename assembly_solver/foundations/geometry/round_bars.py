"""Exact distances of round bars and tubes from points, triangles and each other; ends are flat.

The distance from a convex solid is a convex function, and where two convex solids are nearest they
face each other with a corner, an edge or a face along one direction n.  What faces along n of a bar
is a point of a rim; a side line where n is normal to its axis; an end where n is along it.  So the
nearest points of two bars are on a rim of one of them, or on the two side lines that cross; those
of a bar and a triangle on an edge of it, or it faces a point of a rim or the middle of an end.

Source: the cases are derived here; zeros of derivatives are found by Ridders' method, as by
`scipy.optimize.ridder`, for many functions at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..numerics.rounding import EPSILON, FAINT, ROUNDING, TINY
from ..types import Array, Bools

ROUNDS = 40
"""Most rounds in which a zero is enclosed; some six are enough."""

SPOTS = 64
"""Places on a rim, round the lowest of which its lowest ones are looked for."""


class RoundBar(NamedTuple):
    """A cylinder: its middle (3,), axis (3,), unit, half its length, and radius, mm; and the radius
    of its bore, 0 if it is solid."""

    middle: Array
    axis: Array
    half: float
    radius: float
    bore: float = 0.0

    def placed(self, origin: Array, rotation: Array) -> RoundBar:
        """The same at an origin (3,), mm, with the rotation (3, 3) of its coordinates."""
        middle, axis = origin + rotation @ self.middle, rotation @ self.axis
        return self._replace(middle=middle, axis=axis)

    def radial(self, points: Array) -> tuple[Array, Array]:
        """How far points (..., 3) are along the axis, and their vectors from it, mm."""
        away = points - self.middle
        along = away @ self.axis
        return along, away - along[..., None] * self.axis

    def reach(self, point: Array) -> float:
        """The distance of the farthest point of the bar from a point (3,), mm."""
        along, out = self.radial(point)
        far = float(np.linalg.norm(out)) + self.radius
        return float(np.hypot(abs(float(along)) + self.half, far))

    def extent(self, along: Array) -> tuple[float, float]:
        """Where the bar begins and ends along a direction (3,), unit, mm."""
        middle, share = float(self.middle @ along), float(self.axis @ along)
        out = abs(share) * self.half + self.radius * float(np.sqrt(max(1.0 - share**2, 0.0)))
        return middle - out, middle + out

    def nearest(self, points: Array) -> Array:
        """The nearest points of the bar, (..., 3): themselves where they are in it."""
        along, out = self.radial(points)
        far = np.linalg.norm(out, axis=-1)
        unit = out / np.maximum(far, TINY)[..., None]
        if self.bore > 0.0:
            unit = np.where(far[..., None] > TINY, unit, self.across()[0])
        kept, to = np.clip(along, -self.half, self.half), np.clip(far, self.bore, self.radius)
        found: Array = self.middle + kept[..., None] * self.axis + to[..., None] * unit
        return found

    def slope(self, points: Array, ways: Array) -> Array:
        """Half the derivative of the squared distance of points along ways, (...)."""
        along, out = self.radial(points)
        far = np.linalg.norm(out, axis=-1)
        less = (far - np.clip(far, self.bore, self.radius)) / np.maximum(far, TINY)
        over = along - np.clip(along, -self.half, self.half)
        found: Array = less * np.einsum("...k,...k->...", out, ways) + over * (ways @ self.axis)
        return found

    def common(self, begin: Array, end: Array) -> Array | None:
        """A point (3,) of it on the line from a point (3,) to another one; None where none is."""
        along, out = self.radial(np.stack([begin, end]))
        rise, way = float(along[1] - along[0]), out[1] - out[0]
        low, high = 0.0, 1.0
        if abs(rise) > TINY:
            at = sorted((float(-along[0]) + x) / rise for x in (-self.half, self.half))
            low, high = max(low, at[0]), min(high, at[1])
        elif abs(float(along[0])) > self.half:
            return None
        size = max(float(way @ way), TINY)
        foot = -float(out[0] @ way) / size
        share = min(max(foot, low), high)
        far = {x: float(np.linalg.norm(out[0] + x * way)) for x in (low, share, high, foot)}
        last = max((low, high), key=far.__getitem__)
        if low > high or far[share] > self.radius or far[last] < self.bore:
            return None
        if far[share] < self.bore:  # out of the bore
            more = float(np.sqrt(max(self.bore**2 - far[foot] ** 2, 0.0) / size))
            share = foot + float(np.copysign(more, last - foot))
        found: Array = begin + share * (end - begin)
        return found

    def rims(self) -> list[RoundBar]:
        """The bars with its inner and outer rims."""
        return [self._replace(radius=r, bore=0.0) for r in (self.radius, self.bore) if r > 0.0]

    def ends(self) -> Array:
        """The middles of both ends, (2, 3), mm."""
        out: Array = self.middle + np.outer((-self.half, self.half), self.axis)
        return out

    def across(self) -> tuple[Array, Array]:
        """Two unit vectors, (3,), normal to the axis and to each other."""
        least = np.eye(3)[int(np.argmin(np.abs(self.axis)))]
        first = np.cross(self.axis, least)
        first /= np.linalg.norm(first)
        return first, np.cross(self.axis, first)

    def facing(self, ways: Array) -> Array:
        """The points of both ends that are farthest along ways (n, 3), unit: (2, n, 3), mm."""
        out = ways - np.outer(ways @ self.axis, self.axis)
        size = np.linalg.norm(out, axis=1, keepdims=True)
        unit = np.where(size > ROUNDING, out / np.maximum(size, TINY), 0.0)
        found: Array = self.ends()[:, None] + self.radius * unit
        return found


def bar_to_point(bar: RoundBar, point: Array) -> Array:
    """The nearest points of a bar and of a point (3,): (2, 3), mm."""
    return np.stack([bar.nearest(point), point])


def bar_to_triangles(bar: RoundBar, corners: Array) -> Array:
    """The nearest points of a bar and of triangles (n, 3, 3): (2, 3), mm; one point in both."""
    middles = corners.mean(axis=1)
    reach = np.linalg.norm(corners - middles[:, None], axis=2).max(axis=1)
    far = np.linalg.norm(bar.nearest(middles) - middles, axis=1)
    corners = corners[far - reach <= far.min()]
    begin, end = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    full = bar._replace(bore=0.0)
    edges = _lowest(full, begin, end)
    faced, inner = _faced(full, corners)
    on = np.concatenate([edges, faced[inner]])
    if bar.bore > 0.0:
        cut = (_apart(full, faced) <= ROUNDING * bar.radius) & inner
        cut[0] |= (_apart(full, edges) <= ROUNDING * bar.radius).reshape(-1, 3).any(axis=1)
        within, far_out = _within_ends(bar, corners)
        if np.any(cut.any(axis=0) & far_out):
            return np.stack([corners[0, 0]] * 2)
        on = np.concatenate([on, begin, within, _by_bore(bar, corners)])
    return _closest(bar.nearest(on), on)


def bar_to_bar(a: RoundBar, b: RoundBar) -> Array:
    """The nearest points of two bars: (2, 3), mm; one point in both where they meet."""
    found = []
    for one, other, turn in ((a, b, 1), (b, a, -1)):
        inner = _pierced(one, other)
        if inner is not None:
            return np.stack([inner, inner])
        rims = np.concatenate([_lowest_of_rims(other, rim) for rim in one.rims()])
        found.append(_closest(other.nearest(rims), rims)[::-turn])
    crossed = _crossed(a, b)
    return min(found if crossed is None else [*found, crossed], key=_length)


def _pierced(one: RoundBar, other: RoundBar) -> Array | None:
    """A point (3,) of another bar on the axis of a bar or on a line of its sides; or None.

    Where bars of which no rim is in the other one meet, the lines of a side of one of them do that
    meet or face the other's axis; and all lines, if they meet its ends or the axes are parallel.
    """
    ends = one.ends()
    if one.bore == 0.0 and (inner := other.common(*ends)) is not None:
        return inner
    if max(one.bore, other.bore) == 0.0:
        return None
    normal = np.cross(one.axis, other.axis)
    size = float(np.linalg.norm(normal))
    n = normal / size if size > FAINT else one.across()[0]
    apart, side = float((other.middle - one.middle) @ n), np.cross(n, one.axis)
    if abs(apart) > one.radius + other.radius:
        return None
    for radius in (one.radius, one.bore):
        if radius > 0.0:
            share = min(max(apart / radius, -1.0), 1.0)
            beside = float(np.sqrt(1.0 - share**2))
            for along, across in ((share, beside), (share, -beside), (1.0, 0.0), (-1.0, 0.0)):
                inner = other.common(*(ends + radius * (along * n + across * side)))
                if inner is not None:
                    return inner
    return None


def _length(pair: Array) -> float:
    return float(np.linalg.norm(pair[0] - pair[1]))


def _apart(bar: RoundBar, points: Array) -> Array:
    """How far points (..., 3) are from a bar, (...), mm."""
    out: Array = np.linalg.norm(bar.nearest(points) - points, axis=-1)
    return out


def _closest(on: Array, others: Array) -> Array:
    k = int(np.argmin(np.linalg.norm(on - others, axis=1)))
    return np.stack([on[k], others[k]])


def _zero(of: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Where functions that rise from (n,) to (n,) are zero; the end where they are one-sided."""
    at_low, at_high = of(low), of(high)
    high = np.where(at_low >= 0.0, low, high)
    low = np.where(at_high <= 0.0, high, low)
    at_low, at_high = np.minimum(at_low, -TINY), np.maximum(at_high, TINY)
    out = 0.5 * (low + high)
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        value = of(middle)
        root = np.hypot(value, np.sqrt(-at_low) * np.sqrt(at_high))
        before, out = out, middle - (middle - low) * value / root
        if np.all(np.abs(out - before) <= EPSILON * (1.0 + np.abs(out))):
            break
        for place, found in ((middle, value), (out, of(out))):
            rises = found > 0.0
            lower, upper = ~rises & (place > low), rises & (place < high)
            low, at_low = np.where(lower, place, low), np.where(lower, found, at_low)
            high, at_high = np.where(upper, place, high), np.where(upper, found, at_high)
        at_low, at_high = np.minimum(at_low, -TINY), np.maximum(at_high, TINY)
    return out


def _lowest(
    bar: RoundBar, begin: Array, end: Array, low: Array | float = 0.0, high: Array | float = 1.0
) -> Array:
    """The points of edges from (n, 3) to (n, 3) that are nearest to a bar, (n, 3).

    Between shares of their ways, in which the distance has one minimum.
    """
    way, whole = end - begin, np.ones(len(begin))
    share = _zero(lambda x: bar.slope(begin + x[:, None] * way, way), low * whole, high * whole)
    out: Array = begin + share[:, None] * way
    return out


def _within_ends(bar: RoundBar, corners: Array) -> tuple[Array, Bools]:
    """The corners of what of triangles is between the planes of a bar's ends, (k, 3), mm; and which
    triangles are there as far from its axis as its bore."""
    begin, end = corners, np.roll(corners, -1, axis=1)
    along, rise = bar.radial(begin)[0], (end - begin) @ bar.axis
    shares = [
        0.0 * along,
        *((x - along) / np.where(rise == 0.0, TINY, rise) for x in (-bar.half, bar.half)),
    ]
    share = np.stack(shares, axis=2)  # its begin, and where it crosses the planes
    points = begin[:, :, None] + np.clip(share, 0.0, 1.0)[..., None] * (end - begin)[:, :, None]
    there, out = bar.radial(points)
    valid = (share >= 0.0) & (share <= 1.0) & (np.abs(there) <= bar.half * (1.0 + ROUNDING))
    far = np.where(valid, np.linalg.norm(out, axis=3), 0.0).max(axis=(1, 2))
    return points[valid], far >= bar.bore


def _by_bore(bar: RoundBar, corners: Array) -> Array:
    """Points of triangles that are nearest to the rims of a bar's bore, (k, 3): all local ones.

    Along an edge the squared distance from a circle is concave beside the place nearest to the axis
    and convex beyond, on both sides: its minima are where it has risen.
    """
    begin, end = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    way, (_, out) = end - begin, bar.radial(begin)
    across = way - np.outer(way @ bar.axis, bar.axis)
    a, whole = np.sum(across**2, axis=1), np.sum(way**2, axis=1)
    a = np.maximum(a, ROUNDING * whole + TINY)
    foot = -np.sum(out * across, axis=1) / a
    m = np.linalg.norm(out + foot[:, None] * across, axis=1)
    turns = np.cbrt(bar.bore * a * m**2 / np.maximum(whole, TINY))
    beside = np.sqrt(np.maximum(turns**2 - m**2, 0.0) / a)
    a, b, c = np.moveaxis(corners, 1, 0)
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), TINY)
    found = []
    for middle in bar.ends():
        ring = RoundBar(middle, bar.axis, 0.0, bar.bore, bar.bore)
        for low, high in ((foot + beside, 1.0 + 0.0 * foot), (0.0 * foot, foot - beside)):
            low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
            low = np.minimum(low, high)
            found.append(_lowest(ring, begin, end, low, high))
        for sense in (1.0, -1.0):
            spots = ring.facing(sense * normals)[0]
            on = spots - np.sum((spots - a) * normals, axis=1, keepdims=True) * normals
            found.append(on[_inner(on[None], corners, normals)[0]])
    return np.concatenate(found)


def _inner(on: Array, corners: Array, normals: Array) -> Bools:
    """Whether points (s, n, 3) of the planes of triangles are in these, (s, n)."""
    edges = np.roll(corners, -1, axis=1) - corners
    sides = np.einsum("snek,nk->sne", np.cross(edges, on[:, :, None] - corners), normals)
    out: Bools = (sides >= 0.0).all(axis=2)
    return out


def _faced(bar: RoundBar, corners: Array) -> tuple[Array, Bools]:
    """Points of triangles' planes (s, n, 3) that face a bar or are cut by it, and which ones are in
    the triangles."""
    a, b, c = np.moveaxis(corners, 1, 0)
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1)
    thin = sizes <= TINY
    normals = normals / np.where(thin, 1.0, sizes)[:, None]
    spots = np.concatenate([bar.facing(normals), bar.facing(-normals)])
    height = np.einsum("snk,nk->sn", spots - a, normals)
    cut = (height.min(axis=0) < 0.0) & (height.max(axis=0) > 0.0)
    low, high = height.argmin(axis=0), height.argmax(axis=0)
    every = np.arange(len(a))
    span = np.where(cut, height[high, every] - height[low, every], 1.0)
    share = -height[low, every] / span
    through = spots[low, every] + share[:, None] * (spots[high, every] - spots[low, every])
    spots, height = np.where(cut[:, None], through, spots), np.where(cut, 0.0, height)
    on = spots - height[..., None] * normals
    return on, _inner(on, corners, normals) & ~thin


def _lowest_of_rims(bar: RoundBar, other: RoundBar) -> Array:
    """Points on the rims of another bar that are nearest to a bar, (n, 3): all local ones."""
    first, second = other.across()
    ends = other.ends()[:, None]

    def place(angle: Array) -> tuple[Array, Array]:
        c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
        out = other.radius * (c * first + s * second)
        return out, other.radius * (c * second - s * first)

    angles = 2.0 * np.pi / SPOTS * np.arange(SPOTS, dtype=np.float64)
    step = angles[1]
    on = ends + place(angles)[0]
    far = np.linalg.norm(bar.nearest(on) - on, axis=2)
    least = (far <= np.roll(far, 1, axis=1)) & (far <= np.roll(far, -1, axis=1))
    rim, spot = np.nonzero(least)
    around = ends[rim, 0]

    def rise(angle: Array) -> Array:
        out, way = place(angle)
        return bar.slope(around + out, way)

    found: Array = around + place(_zero(rise, angles[spot] - step, angles[spot] + step))[0]
    return found


def _crossed(a: RoundBar, b: RoundBar) -> Array | None:
    """The nearest points on the sides of two bars where these cross beside each other."""
    normal = np.cross(a.axis, b.axis)
    size = float(np.linalg.norm(normal))
    if size <= FAINT:  # rims are as near
        return None
    n, between = normal / size, b.middle - a.middle
    along_a = float(np.cross(between, b.axis) @ normal) / size**2
    along_b = float(np.cross(between, a.axis) @ normal) / size**2
    if abs(along_a) > a.half or abs(along_b) > b.half:
        return None
    apart = float(between @ n)
    way = n if apart >= 0.0 else -n
    on_a, on_b = a.middle + along_a * a.axis, b.middle + along_b * b.axis
    if abs(apart) <= a.radius + b.radius:
        if any(bar.bore > 0.0 and abs(apart) < bar.radius for bar in (a, b)):
            return None  # one is in the bore of the other, or rims meet
        low, high = max(-a.radius, abs(apart) - b.radius), min(a.radius, abs(apart) + b.radius)
        middle = on_a + 0.5 * (low + high) * way
        return np.stack([middle, middle])
    return np.stack([on_a + a.radius * way, on_b - b.radius * way])
