"""The closed forms of a linkage, each over a row of states, compiled to vector instructions.

`w` holds rows of numbers, a column for each state: the rows below, then value, cosine and sine of
each actuator, then x and y of each point, mm and rad.  Operands are row numbers, of a point that of
its x; n is the number of states.  Loops have no branches, so that they are vectorised.  NaN where a
state cannot be built.

Source: the half-chord construction on the smaller of two circles, docs/theory/dyads.md, 5 and 6.
"""

from __future__ import annotations

from math import nan

import numpy as np

from ...foundations.jit.columns import columns, where
from ...foundations.jit.decorators import borrowing
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array
from .link_length import CONSTANT, DRIVEN

RADIUS, OTHER_RADIUS, BRANCH_SINE, ACTUATORS = range(4)
"""Rows: radii that the next operation reads; how far the branch of the last one is from its dead
point, see `StateArrays.sine`; from ACTUATORS on three of each actuator."""

COSINE, SINE = 1, 2
"""Rows of an actuator after that of its value."""

TOUCHING = 16.0 * 2.0**-52
"""Square of a half chord, over radius x size, that counts as 0: at a dead point a few roundings of
centres and radii leave as much.  The point is then off its circles by as little.  Where the centres
of circles are close, the foot of the chord is off by the larger radius over their distance more."""

LIMIT_TOLERANCE = AGREEMENT
"""How far, as a share of the length of its slot, a point may be past its limit."""


@borrowing
def fill_radius(w: Array, row: int, kind: int, a: int, by: Array, k: int, n: int) -> None:
    """A radius in every state; a: row of the actuator's value; by[k:k+4]: its numbers."""
    x1, y1, x2, y2 = by[k], by[k + 1], by[k + 2], by[k + 3]
    if kind == CONSTANT:
        length = np.sqrt(x1 * x1 + y1 * y1)
        for s in columns(n):
            w[row, s] = length
    elif kind == DRIVEN:
        for s in columns(n):
            x, y = x1 + x2 * w[a, s], y1 + y2 * w[a, s]
            w[row, s] = np.sqrt(x * x + y * y)
    else:
        for s in columns(n):
            c, d = w[a + COSINE, s], w[a + SINE, s]
            x, y = x1 + x2 * c - y2 * d, y1 + y2 * c + x2 * d
            w[row, s] = np.sqrt(x * x + y * y)


@borrowing
def turn(w: Array, k: int, j: int, i: int, a: int, by: Array, n: int) -> None:
    """p_k = p_j + z e^{i value} (p_i - p_j)."""
    zx, zy = by[0], by[1]
    for s in columns(n):
        c, d = w[a + COSINE, s], w[a + SINE, s]
        fx, fy = zx * c - zy * d, zx * d + zy * c
        dx, dy = w[i, s] - w[j, s], w[i + 1, s] - w[j + 1, s]
        w[k, s] = w[j, s] + (fx * dx - fy * dy)
        w[k + 1, s] = w[j + 1, s] + (fx * dy + fy * dx)


@borrowing
def push(w: Array, q: int, j: int, p: int, r: int, a: int, by: Array, n: int) -> None:
    """p_q = p_j + (z0 + z1 value) (p_r - p_p)."""
    x0, y0, x1, y1 = by[0], by[1], by[2], by[3]
    for s in columns(n):
        fx, fy = x0 + x1 * w[a, s], y0 + y1 * w[a, s]
        dx, dy = w[r, s] - w[p, s], w[r + 1, s] - w[p + 1, s]
        w[q, s] = w[j, s] + (fx * dx - fy * dy)
        w[q + 1, s] = w[j + 1, s] + (fx * dy + fy * dx)


@borrowing
def along(w: Array, k: int, j: int, a: int, b: int, by: Array, n: int) -> None:
    """p_k = p_j + z (p_b - p_a)."""
    zx, zy = by[0], by[1]
    for s in columns(n):
        dx, dy = w[b, s] - w[a, s], w[b + 1, s] - w[a + 1, s]
        w[k, s] = w[j, s] + (zx * dx - zy * dy)
        w[k + 1, s] = w[j + 1, s] + (zx * dy + zy * dx)


@borrowing
def shape(w: Array, m: int, a: int, b: int, v: int, turns: int, by: Array, n: int) -> None:
    """p_m = p_a + (m - a) / (b - a) (p_b - p_a), each x1 + x2 f with f = e^{i value} or value."""
    ux, uy, vx, vy = by[0] - by[4], by[1] - by[5], by[2] - by[6], by[3] - by[7]
    px, py, qx, qy = by[8] - by[4], by[9] - by[5], by[10] - by[6], by[11] - by[7]
    for s in columns(n):
        fx = w[v + COSINE, s] if turns else w[v, s]
        fy = w[v + SINE, s] if turns else 0.0
        mx, my = ux + vx * fx - vy * fy, uy + vx * fy + vy * fx
        ex, ey = px + qx * fx - qy * fy, py + qx * fy + qy * fx
        size = 1.0 / (ex * ex + ey * ey)
        gx, gy = (mx * ex + my * ey) * size, (my * ex - mx * ey) * size
        dx, dy = w[b, s] - w[a, s], w[b + 1, s] - w[a + 1, s]
        w[m, s] = w[a, s] + (gx * dx - gy * dy)
        w[m + 1, s] = w[a + 1, s] + (gx * dy + gy * dx)


@borrowing
def circles(w: Array, p: int, c1: int, c2: int, sign: float, n: int) -> None:
    """Intersection of the circles of both radii, left of c1 -> c2 with sign +1.

    Built on the smaller circle: on one that is thousands of times larger the rounding of its radius
    would exceed the required accuracy.
    """
    for s in columns(n):
        x1, y1, x2, y2 = w[c1, s], w[c1 + 1, s], w[c2, s], w[c2 + 1, s]
        r1, r2 = w[RADIUS, s], w[OTHER_RADIUS, s]
        dx, dy = x2 - x1, y2 - y1
        far = np.sqrt(dx * dx + dy * dy)
        first = r1 <= r2
        r, large = where(first, r1, r2), where(first, r2, r1)
        out = 1.0 / where(far > 0.0, far, nan)
        foot = 0.5 * out * (r * r + (far - large) * (far + large))
        square = (r - foot) * (r + foot)
        lever = where(far < large, large * out, 1.0)  # by which the foot is off more than far is
        rounding = TOUCHING * r * lever * (r + large + far + abs(x1) + abs(y1))
        touching = square <= rounding
        foot = where(touching, where(foot > 0.0, r, -r), foot)
        half = np.sqrt(where(touching, 0.0, square))
        half = sign * where(square >= -rounding, half, nan)
        ahead, left = where(first, foot, -foot) * out, half * out
        w[p, s] = where(first, x1, x2) + (ahead * dx - left * dy)
        w[p + 1, s] = where(first, y1, y2) + (ahead * dy + left * dx)
        w[BRANCH_SINE, s] = half * far / (r * large)


@borrowing
def line_circle(w: Array, p: int, c: int, a: int, b: int, side: float, sign: float, n: int) -> None:
    """p_a + (t + i side) (p_b - p_a) at the radius from c, the larger t with sign +1."""
    for s in columns(n):
        dx, dy = w[b, s] - w[a, s], w[b + 1, s] - w[a + 1, s]
        far = np.sqrt(dx * dx + dy * dy)
        out = 1.0 / where(far > 0.0, far, nan)
        ux, uy = dx * out, dy * out
        x, y = w[a, s] - side * dy, w[a + 1, s] + side * dx
        mx, my = w[c, s] - x, w[c + 1, s] - y
        across, r = ux * my - uy * mx, w[RADIUS, s]
        square = (r - across) * (r + across)
        rounding = TOUCHING * r * (r + abs(mx) + abs(my) + abs(x) + abs(y))
        half = np.sqrt(where(square > rounding, square, 0.0))
        half = sign * where(square >= -rounding, half, nan)
        t = ux * mx + uy * my + half
        w[p, s] = x + t * ux
        w[p + 1, s] = y + t * uy
        w[BRANCH_SINE, s] = half / r


@borrowing
def lines(
    w: Array, p: int, a: int, b: int, side: float, c: int, d: int, other: float, n: int
) -> None:
    """Intersection of lines `side` (as a share of its length) left of a -> b, `other` of c -> d."""
    for s in columns(n):
        dx, dy = w[b, s] - w[a, s], w[b + 1, s] - w[a + 1, s]
        ex, ey = w[d, s] - w[c, s], w[d + 1, s] - w[c + 1, s]
        x, y = w[a, s] - side * dy, w[a + 1, s] + side * dx
        mx, my = w[c, s] - other * ey - x, w[c + 1, s] + other * ex - y
        cross = dx * ey - dy * ex
        parallel = abs(cross) <= TOUCHING * (abs(dx * ey) + abs(dy * ex))
        t = (mx * ey - my * ex) / where(parallel, nan, cross)
        w[p, s] = x + t * dx
        w[p + 1, s] = y + t * dy


@borrowing
def slides(w: Array, k1: int, k2: int, a: int, d: int, sign: float, by: Array, n: int) -> None:
    """p_k1 = p_a + z1 u, p_k2 = p_d + z2 u, with the unit u that has p_d by[0] mm to its left."""
    side, x1, y1, x2, y2 = by[0], by[1], by[2], by[3], by[4]
    for s in columns(n):
        ax, ay, bx, by_ = w[a, s], w[a + 1, s], w[d, s], w[d + 1, s]
        dx, dy = bx - ax, by_ - ay
        square = dx * dx + dy * dy
        far = np.sqrt(square)
        far = where(far > 0.0, far, nan)
        chord = (far - side) * (far + side)
        rounding = TOUCHING * far * (far + abs(ax) + abs(ay))
        half = np.sqrt(where(chord > rounding, chord, 0.0))
        half = sign * where(chord >= -rounding, half, nan)
        ux, uy = (half * dx + side * dy) / square, (half * dy - side * dx) / square
        w[k1, s], w[k1 + 1, s] = ax + (x1 * ux - y1 * uy), ay + (x1 * uy + y1 * ux)
        w[k2, s], w[k2 + 1, s] = bx + (x2 * ux - y2 * uy), by_ + (x2 * uy + y2 * ux)
        w[BRANCH_SINE, s] = half / far


@borrowing
def within(w: Array, mark: int, q: int, p: int, r: int, low: float, high: float, n: int) -> None:
    """Write NaN to the mark where the distance of q from p toward r exceeds a bound, mm."""
    for s in columns(n):
        dx, dy = w[r, s] - w[p, s], w[r + 1, s] - w[p + 1, s]
        far = np.sqrt(dx * dx + dy * dy)
        far = where(far > 0.0, far, nan)
        distance = ((w[q, s] - w[p, s]) * dx + (w[q + 1, s] - w[p + 1, s]) * dy) / far
        slack = LIMIT_TOLERANCE * far
        out = (distance < low - slack) | (distance > high + slack)
        w[mark, s] = w[mark + 1, s] = where(out, nan, 0.0)
