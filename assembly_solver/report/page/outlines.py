"""Outlines of a linkage's pieces as SVG path data: links, grounds, slots, arrows, cylinders.

All places are pixels, x to the right and y downward, (2,) or (n, 2).  Turns are positive from x
toward y, which is clockwise on the screen and is what the sweep flag 1 of an arc means.
"""

from __future__ import annotations

from math import ceil, cos, hypot, pi, sin

import numpy as np

from ...foundations.types import Array

FLAT = 1e-6
"""Twice the area of three places from which they span a triangle, as a share of their size^2."""


def number(value: float) -> str:
    """A coordinate with one decimal, as short as it goes."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def place(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"


def polyline(places: Array, closed: bool = False) -> str:
    """Straight lines through places, (n, 2)."""
    return "M" + "L".join(place(*p) for p in places.tolist()) + ("Z" if closed else "")


def hull(places: Array) -> Array:
    """Corners of the convex hull in the positive turn: one, the two ends of a line, or more.

    Args:
        places: (n, 2), in any order.

    Source: the monotone chain: the lower and the upper side of the places sorted along x.
    """
    ordered = sorted({(round(x, 6), round(y, 6)) for x, y in places.tolist()})
    size = max(hypot(x - ordered[0][0], y - ordered[0][1]) for x, y in ordered)
    sides: list[list[tuple[float, float]]] = []
    for run in (ordered, ordered[::-1]):
        side: list[tuple[float, float]] = []
        for p in run:
            while len(side) > 1 and _twice_area(side[-2], side[-1], p) <= FLAT * size * size:
                side.pop()
            side.append(p)
        sides.append(side)
    return np.array((sides[0][:-1] + sides[1][:-1]) or ordered)


def _twice_area(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def rounded(places: Array, radius: float) -> str:
    """What lies within a radius of the convex hull: a bar round two pins, a plate round more."""
    corners = hull(places)
    if len(corners) == 1:
        return circle(corners[0], radius)
    out = []
    for k, corner in enumerate(corners):
        before, after = corners[k - 1], corners[(k + 1) % len(corners)]
        begin = corner + radius * _outward(before, corner)
        end = corner + radius * _outward(corner, after)
        arc = f"A{number(radius)} {number(radius)} 0 0 1 "
        out.append(("L" if k else "M") + place(*begin) + arc + place(*end))
    return "".join(out) + "Z"


def _outward(a: Array, b: Array) -> Array:
    """The unit normal of a side of a hull, away from it."""
    x, y = b - a
    out: Array = np.array([y, -x]) / hypot(x, y)
    return out


def circle(centre: Array, radius: float) -> str:
    x, y = centre
    half = f"a{number(radius)} {number(radius)} 0 1 1 "
    return f"M{place(x - radius, y)}{half}{number(2 * radius)} 0{half}{number(-2 * radius)} 0Z"


def strip(a: Array, b: Array, half: float) -> str:
    """A rectangle along a line, with square ends."""
    aside = half * _outward(a, b)
    return polyline(np.array([a + aside, b + aside, b - aside, a - aside]), closed=True)


# -------------------------------------------------------------------------------------- ground
def hatch(a: Array, b: Array, aside: Array, depth: float) -> str:
    """Strokes that hang on the line from a to b to the side of the unit vector `aside`."""
    along = b - a
    length = hypot(*along)
    count = max(2, ceil(length / (0.8 * depth)))
    along = along / length
    out = []
    for k in range(count):
        foot = a + (k + 0.75) / count * length * along
        out.append(polyline(np.array([foot, foot + depth * (aside - along)])))
    return "".join(out)


def foot(pin: Array, down: Array, unit: float) -> tuple[str, str, str]:
    """The support of a fixed pin: its triangle, the line that it stands on, the hatch below.

    Args:
        pin: where; down: unit vector from the pin to the ground; unit: half the width of a bar.
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
    path = f"M{place(*at[0])}A{r} {r} 0 {flags} {place(*at[1])}"
    sense = 1.0 if end > begin else -1.0
    lead = end + sense * 0.5 * head / radius  # the head lies on the arc, not on its tangent
    return path, arrow(at[1], sense * np.array([-sin(lead), cos(lead)]), head)


def arrow(at: Array, along: Array, size: float) -> str:
    """A head that begins at a place and points along a unit vector."""
    across = 0.42 * size * np.array([-along[1], along[0]])
    return polyline(np.array([at + size * along, at + across, at - across]), closed=True)


def direction(vector: Array) -> float:
    """Of a vector on the screen, rad."""
    return float(np.arctan2(vector[1], vector[0]))


def cylinder(a: Array, b: Array, unit: float) -> tuple[str, str]:
    """A barrel at a and a rod out of it to b."""
    along = b - a
    return strip(a, a + 0.58 * along, 1.25 * unit), strip(a + 0.58 * along, b, 0.4 * unit)
