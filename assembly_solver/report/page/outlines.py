"""Outlines of the parts of a linkage as SVG path data: links, grounds, slots, arrows, cylinders.

All points are in pixels, x to the right and y down, (2,) or (n, 2).  Angles are positive from x
towards y: clockwise on the screen, sweep flag 1 of an SVG arc.
"""

from __future__ import annotations

from math import ceil, cos, hypot, pi, sin

import numpy as np

from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Array


def number(value: float) -> str:
    """A coordinate with at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def pair_text(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"


def polyline(points: Array, closed: bool = False) -> str:
    """Straight lines through points, (n, 2)."""
    return "M" + "L".join(pair_text(*p) for p in points.tolist()) + ("Z" if closed else "")


def hull(points: Array) -> Array:
    """Corners of the convex hull in positive order, (k, 2): one, the two ends of a line, or more.

    Source: Andrew's monotone chain: the lower and upper sides of the points sorted along x.
    """
    ordered = sorted({(round(x, 6), round(y, 6)) for x, y in points.tolist()})
    size = max(hypot(x - ordered[0][0], y - ordered[0][1]) for x, y in ordered)
    sides: list[list[tuple[float, float]]] = []
    for run in (ordered, ordered[::-1]):
        side: list[tuple[float, float]] = []
        for p in run:
            while len(side) > 1 and _twice_area(side[-2], side[-1], p) <= FAINT * size * size:
                side.pop()
            side.append(p)
        sides.append(side)
    return np.array((sides[0][:-1] + sides[1][:-1]) or ordered)


def _twice_area(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def rounded(points: Array, radius: float) -> str:
    """The convex hull offset by a radius: a circle, a bar around two pins, a plate around more."""
    corners = hull(points)
    if len(corners) == 1:
        return circle(corners[0], radius)
    out = []
    for k, corner in enumerate(corners):
        before, after = corners[k - 1], corners[(k + 1) % len(corners)]
        begin = corner + radius * _outward(before, corner)
        end = corner + radius * _outward(corner, after)
        arc = f"A{number(radius)} {number(radius)} 0 0 1 "
        out.append(("L" if k else "M") + pair_text(*begin) + arc + pair_text(*end))
    return "".join(out) + "Z"


def _outward(a: Array, b: Array) -> Array:
    """The outward unit normal of a side of a hull."""
    x, y = b - a
    out: Array = np.array([y, -x]) / hypot(x, y)
    return out


def circle(centre: Array, radius: float) -> str:
    x, y = centre
    half = f"a{number(radius)} {number(radius)} 0 1 1 "
    return f"M{pair_text(x - radius, y)}{half}{number(2 * radius)} 0{half}{number(-2 * radius)} 0Z"


def strip(a: Array, b: Array, half: float) -> str:
    """A rectangle along a line, with square ends."""
    normal = half * _outward(a, b)
    return polyline(np.array([a + normal, b + normal, b - normal, a - normal]), closed=True)


# -------------------------------------------------------------------------------------- ground
def hatch(a: Array, b: Array, normal: Array, depth: float) -> str:
    """Hatching of the line from a to b on the side of the unit vector `normal`."""
    length = hypot(*(b - a))
    along, out = (b - a) / length, []
    count = max(2, ceil(length / (0.8 * depth)))
    for k in range(count):
        foot = a + (k + 0.75) / count * length * along
        out.append(polyline(np.array([foot, foot + depth * (normal - along)])))
    return "".join(out)


def foot(pin: Array, down: Array, unit: float) -> tuple[str, str, str]:
    """The support of a fixed pin: its triangle, the ground line, the hatching below.

    Half the width of a bar is the `unit`; `down` is a unit vector to the ground.
    """
    across = np.array([-down[1], down[0]])
    middle = pin + 3.1 * unit * down
    corners = np.array([pin, middle + 1.9 * unit * across, middle - 1.9 * unit * across])
    a, b = middle - 2.9 * unit * across, middle + 2.9 * unit * across
    return polyline(corners, closed=True), polyline(np.array([a, b])), hatch(a, b, down, unit)


# -------------------------------------------------------------------------------------- drives
def turning(centre: Array, radius: float, begin: float, end: float, head: float) -> tuple[str, str]:
    """An arc from one direction to another, rad, and the arrow head at its end."""
    at = [centre + radius * np.array([cos(t), sin(t)]) for t in (begin, end)]
    flags = f"{int(abs(end - begin) > pi)} {int(end > begin)}"
    r = number(radius)
    path = f"M{pair_text(*at[0])}A{r} {r} 0 {flags} {pair_text(*at[1])}"
    sense = 1.0 if end > begin else -1.0
    lead = end + sense * 0.5 * head / radius  # the head lies on the arc, not on its tangent
    return path, arrow(at[1], sense * np.array([-sin(lead), cos(lead)]), head)


def arrow(at: Array, along: Array, size: float) -> str:
    """An arrow head that begins at a point and points along a unit vector."""
    across = 0.42 * size * np.array([-along[1], along[0]])
    return polyline(np.array([at + size * along, at + across, at - across]), closed=True)


def direction(vector: Array) -> float:
    """The angle of a vector on the screen, rad."""
    return float(np.arctan2(vector[1], vector[0]))


def cylinder(a: Array, b: Array, unit: float) -> tuple[str, str]:
    """A barrel at a and a rod out of it to b."""
    along = b - a
    # The rod begins within the barrel, which covers it: where the drawing moves it comes out.
    return strip(a, a + 0.58 * along, 1.25 * unit), strip(a + 0.2 * along, b, 0.4 * unit)
