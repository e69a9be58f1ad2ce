"""Residuals of a group's equations with their gradients, compiled.

`at` are the points of a group, (members, 2), mm, unknown ones first; `values` are value, cosine and
sine of every actuator, (actuators, 3).  A gradient has a vector for each of the three points that
an equation reads.
"""

from __future__ import annotations

from math import nan, sqrt

from ...foundations.jit.decorators import borrowing
from ...foundations.types import Array, Ints
from ..plan import group_equations as eq
from ..plan.group_equations import ACTUATOR, FIRST, KIND, OFFSET, POINTS, RADIUS, SECOND
from ..plan.link_length import CONSTANT, DRIVEN

Gradient = tuple[float, float, float, float, float, float, float]


@borrowing
def point_position(row: Ints, given: Array, at: Array, k: int) -> tuple[float, float]:
    """Point k of an equation, p_a + z (p_b - p_a), mm; its velocity where `at` are velocities."""
    a, b = row[POINTS + 2 * k], row[POINTS + 2 * k + 1]
    x, y = given[2 * k], given[2 * k + 1]
    dx, dy = at[b, 0] - at[a, 0], at[b, 1] - at[a, 1]
    return at[a, 0] + x * dx - y * dy, at[a, 1] + x * dy + y * dx


@borrowing
def radius_of(row: Ints, given: Array, values: Array) -> float:
    """The radius of an equation, mm."""
    x1, y1, x2, y2 = given[FIRST], given[FIRST + 1], given[SECOND], given[SECOND + 1]
    kind, a = row[RADIUS], row[ACTUATOR]
    if kind == CONSTANT:
        return sqrt(x1 * x1 + y1 * y1)
    if kind == DRIVEN:
        x, y = x1 + x2 * values[a, 0], y1 + y2 * values[a, 0]
    else:
        c, d = values[a, 1], values[a, 2]
        x, y = x1 + x2 * c - y2 * d, y1 + y2 * c + x2 * d
    return sqrt(x * x + y * y)


@borrowing
def residual_and_gradient(row: Ints, given: Array, at: Array, values: Array) -> Gradient:
    """Residual of one equation, mm, then its gradient by x and y of three points.

    NaN where a distance or a line that the equation divides by has length 0.

    Source: the formulas of `group_equations`, differentiated.
    """
    kind, a = row[KIND], row[ACTUATOR]
    px, py = point_position(row, given, at, 0)
    qx, qy = point_position(row, given, at, 1)
    mx, my = px - qx, py - qy
    if kind == eq.LENGTH:
        far = sqrt(mx * mx + my * my)
        out = 1.0 / (far if far > 0.0 else nan)
        ux, uy = mx * out, my * out
        return far - radius_of(row, given, values), ux, uy, -ux, -uy, 0.0, 0.0
    if kind in (eq.ON_LINE, eq.ALONG_LINE):
        rx, ry = point_position(row, given, at, 2)
        dx, dy = rx - qx, ry - qy
        far = sqrt(dx * dx + dy * dy)
        out = 1.0 / (far if far > 0.0 else nan)
        ux, uy = dx * out, dy * out
        if kind == eq.ON_LINE:
            left, gx, gy, hx, hy = ux * my - uy * mx, -uy, ux, my * out, -mx * out
            requested = given[OFFSET]
        else:
            left, gx, gy, hx, hy = ux * mx + uy * my, ux, uy, mx * out, my * out
            requested = values[a, 0]
        hx, hy = hx - left * out * ux, hy - left * out * uy
        return left - requested, gx, gy, -gx - hx, -gy - hy, hx, hy
    if kind == eq.ANGLE:
        rx, ry = point_position(row, given, at, 2)
        kx, ky, out = rx - qx, ry - qy, 1.0 / given[OFFSET]
        c, d = values[a, 1], values[a, 2]
        ex, ey = (mx * c - my * d) * out, (mx * d + my * c) * out
        gx, gy = (ky * c - kx * d) * out, (-ky * d - kx * c) * out
        return ky * ex - kx * ey, gx, gy, -gx + ey, -gy - ex, -ey, ex
    if kind == eq.SAME_X:
        return mx, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0
    return my, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0


@borrowing
def on_requested_side(row: Ints, given: Array, at: Array, values: Array) -> bool:
    """Whether an ANGLE is at its value and not half a turn from it; True for other equations."""
    if row[KIND] != eq.ANGLE:
        return True
    ix, iy = point_position(row, given, at, 0)
    jx, jy = point_position(row, given, at, 1)
    kx, ky = point_position(row, given, at, 2)
    ix, iy, kx, ky = ix - jx, iy - jy, kx - jx, ky - jy
    c, d = values[row[ACTUATOR], 1], values[row[ACTUATOR], 2]
    return bool(kx * (ix * c - iy * d) + ky * (ix * d + iy * c) > 0.0)


@borrowing
def add_columns(row: Ints, given: Array, k: int, gx: float, gy: float, out: Array) -> None:
    """Add the gradient by point k to the columns of p_a and p_b, two each; known points have none.

    Args:
        out: (2 unknown points,), the row of the Jacobian that is added to.
    """
    a, b = row[POINTS + 2 * k], row[POINTS + 2 * k + 1]
    x, y = given[2 * k], given[2 * k + 1]
    hx, hy = gx * x + gy * y, gy * x - gx * y  # by p_b: conj(z) g
    if 2 * a < len(out):
        out[2 * a] += gx - hx
        out[2 * a + 1] += gy - hy
    if 2 * b < len(out):
        out[2 * b] += hx
        out[2 * b + 1] += hy


@borrowing
def residuals(equations: Ints, given: Array, at: Array, values: Array, f: Array) -> float:
    """Write the residuals of a group to f, mm; return the largest in size, NaN if one is NaN."""
    worst = 0.0
    for e in range(len(equations)):
        left = residual_and_gradient(equations[e], given[e], at, values)[0]
        f[e] = left
        if abs(left) > worst or left != left:
            worst = abs(left)
    return worst


@borrowing
def jacobian(equations: Ints, given: Array, at: Array, values: Array, J: Array) -> None:
    """Write the gradients by the unknown points to the upper left corner of J."""
    n = len(equations)
    for e in range(n):
        row, numbers, out = equations[e], given[e], J[e, :n]
        for j in range(n):
            out[j] = 0.0
        _, ax, ay, bx, by, cx, cy = residual_and_gradient(row, numbers, at, values)
        add_columns(row, numbers, 0, ax, ay, out)
        add_columns(row, numbers, 1, bx, by, out)
        add_columns(row, numbers, 2, cx, cy, out)
