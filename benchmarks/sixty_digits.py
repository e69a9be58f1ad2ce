"""The solution near given poses in 60 digits, by mpmath alone: what a certificate is held against.

The measures are written here once more, from docs/theory/equations.md, 2, on matrices of mpmath.
The coordinates of a part are the displacement of its centre, mm, and tan(angle / 2) times its axis
and twice the characteristic length, as a certificate counts them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
from mpmath import mp, mpf

import assembly_solver as asm
from assembly_solver.equations.system import System
from assembly_solver.equations.table import SPACE, TwistBasis
from assembly_solver.model.measures import measure as kinds, shapes
from assembly_solver.structure.incidence import jacobian_of

DIGITS = 60
STEPS = 80
"""Most steps with one matrix: each gains some digits."""

Vector = list[Any]
Placed = tuple[list[Vector], Vector]
"""Rows of a rotation, and the origin, mm."""


def dot(u: Vector, v: Vector) -> Any:
    """Scalar product."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def cross(u: Vector, v: Vector) -> Vector:
    """Vector product."""
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def minus(u: Vector, v: Vector) -> Vector:
    """Difference."""
    return [a - b for a, b in zip(u, v, strict=True)]


def size(v: Vector) -> Any:
    """Length."""
    return mp.sqrt(dot(v, v))


def turned(rows: list[Vector], v: Vector) -> Vector:
    """A rotation of a vector."""
    return [dot(row, v) for row in rows]


def product(a: list[Vector], b: list[Vector]) -> list[Vector]:
    """Product of two rotations."""
    columns = list(zip(*b, strict=True))
    return [[dot(row, list(c)) for c in columns] for row in a]


def rotation(q: Sequence[Any]) -> list[Vector]:
    """The rotation of a quaternion w, x, y, z of any length."""
    w, x, y, z = (mpf(v) for v in q)
    n = w * w + x * x + y * y + z * z
    return [
        [1 - 2 * (y * y + z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n],
        [2 * (x * y + w * z) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - w * x) / n],
        [2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, 1 - 2 * (x * x + y * y) / n],
    ]


def on_curve(kind: int, i: int, at: int, data: Any, p: Vector) -> Any:
    """Offset of a point in the frame of a curve from its foot, or the arc length to that, mm."""
    k, u = shapes.foot(data, at, np.array([float(v) for v in p]), np.empty(18))
    numbers = data[at + 2 + shapes.SEGMENT_SIZE * k :][: shapes.SEGMENT_SIZE].tolist()
    rows = [[mpf(v) for v in numbers[n : n + 3]] for n in range(0, 21, 3)]

    def along(of: list[Vector], u: Any, rate: bool = False) -> Vector:
        powers = [n * u ** (n - 1) if rate and n else (0 if rate else u**n) for n in range(len(of))]
        return [mpmath.fdot(zip(powers, c, strict=True)) for c in zip(*of, strict=True)]

    c, t, u = rows[:4], rows[4:], mpf(float(u))
    for _ in range(8):  # quadratic from 16 digits
        away, tangent = minus(p, along(c, u)), along(t, u)
        slope = dot(away, along(t, u, True)) - dot(along(c, u, True), tangent)
        u -= dot(away, tangent) / slope
    if kind == kinds.ALONG_CURVE:
        speeds = [size(along(c, u * mpf(node), True)) for node in shapes.NODES.tolist()]
        return mpf(numbers[21]) + u * mpmath.fdot(
            zip(map(mpf, shapes.WEIGHTS.tolist()), speeds, strict=True)
        )
    tangent = [v / size(along(t, u)) for v in along(t, u)]
    up = minus([mpf(0), mpf(0), mpf(1)], [tangent[2] * v for v in tangent])
    up = [v / size(up) for v in up]
    return dot(up if i == 0 else cross(tangent, up), minus(p, along(c, u)))


def read(kind: int, i: int, j: int, data: Any, a: list[Vector], b: list[Vector]) -> Any:
    """A measure between two frames (origin, x, y, z), mm or rad."""
    d = minus(b[0], a[0])
    z, other = a[3], b[3]
    height = dot(d, z)
    rho = size(minus(d, [height * v for v in z]))
    if kind == kinds.INCLINATION:
        u, v = a[1 + i], b[1 + j]
        return mp.atan2(size(cross(u, v)), dot(u, v))
    if kind == kinds.TILT:
        axis = cross(z, other)
        s, c = size(axis), dot(z, other)
        return (mp.atan2(s, c) / s if s else 1) * dot(a[1 + i], axis)
    if kind == kinds.TURN:
        r = [[dot(a[1 + p], b[1 + q]) for q in range(3)] for p in range(3)]
        half = [(r[2][1] - r[1][2]) / 2, (r[0][2] - r[2][0]) / 2, (r[1][0] - r[0][1]) / 2]
        s, c = size(half), (r[0][0] + r[1][1] + r[2][2] - 1) / 2
        return (mp.atan2(s, c) / s if s else 1) * half[i]
    if kind == kinds.GAP:
        n = cross(z, other)
        return dot(n, d) / size(n)
    if kind == kinds.CONE:
        c, s = mpf(float(data[j])), mpf(float(data[j + 1]))
        behind = data[j + 2] > 0 and rho * s + height * c < 0
        return mp.sqrt(rho * rho + height * height) if behind else rho * c - height * s
    if kind in (kinds.OFF_CURVE, kinds.ALONG_CURVE):
        return on_curve(kind, i, j, data, [dot(v, d) for v in a[1:]])
    if kind == kinds.RING:
        off = rho - mpf(float(data[j]))
        return mp.sqrt(off * off + height * height)
    plain = {
        kinds.DISPLACEMENT: lambda: dot(a[1 + i], d),
        kinds.SEPARATION: lambda: size(d),
        kinds.RADIUS: lambda: rho,
        kinds.ROTATION: lambda: mp.atan2(dot(a[2], b[1]), dot(a[1], b[1])),
        kinds.COSINE: lambda: dot(a[1 + i], b[1 + j]),
        kinds.SINE: lambda: size(cross(z, other)),
    }
    return plain[kind]()


def frame(system: System, marker: int, at: Placed) -> list[Vector]:
    """A marker in the world: origin, x, y, z."""
    stored = [
        [mpf(float(v)) for v in row] for row in system.table.marker_frame[marker].reshape(4, 3)
    ]
    rows, origin = at
    return [[a + b for a, b in zip(origin, turned(rows, stored[0]), strict=True)]] + [
        turned(rows, v) for v in stored[1:]
    ]


def residual(system: System, e: int, placed: Mapping[int, Placed]) -> Any:
    """Residual of an equation, mm."""
    t, total = system.table, -mpf(float(system.table.target[e]))
    for k in range(t.first_term[e], t.first_term[e + 1]):
        n = int(t.term_measure[k])
        a, b = (
            frame(system, int(m), placed[int(t.marker_body[m])])
            for m in (t.marker_a[n], t.marker_b[n])
        )
        value = read(int(t.kind[n]), int(t.axis_i[n]), int(t.axis_j[n]), t.data, a, b)
        if t.kind[n] == kinds.ROTATION:
            reference = mpf(float(t.reference[k]))
            value -= 2 * mp.pi * mp.floor((value - reference + mp.pi) / (2 * mp.pi))
        total += mpf(float(t.coefficient[k])) * value
    period = mpf(float(t.period[e]))
    if period > 0:
        total -= period * mp.floor(total / period + mpf("0.5"))
    return total * mpf(float(t.weight[e]))


def placed_at(system: System, part: int, pose: asm.Pose, x: Sequence[Any]) -> Placed:
    """A part at its six coordinates."""
    rows = rotation(pose.quaternion_wxyz)
    about = [mpf(float(v)) for v in system.centre[part]]
    centre = [mpf(p) + v for p, v in zip(pose.position, turned(rows, about), strict=True)]
    w = [v / (2 * mpf(system.length)) for v in x[3:]]
    rows = product(rotation([1, *w]), rows)
    centre = [c + v for c, v in zip(centre, x[:3], strict=True)]
    return rows, minus(centre, turned(rows, about))


def root(
    system: System, parts: Sequence[int], rows: Sequence[int], columns: Sequence[int], poses: Any
) -> list[Any] | None:
    """The coordinates of parts, six each, that solve some equations for some of them; else None.

    Args:
        poses: of all parts, from which the others do not move.
    """
    frames = np.array([p.frame for p in poses])
    basis = TwistBasis(np.eye(3), system.centre, system.length)
    matrix = jacobian_of(system.table, frames, np.array(rows), list(parts), SPACE, basis)
    inverse = np.linalg.inv(matrix[:, list(columns)])
    x: list[Any] = [mpf(0)] * (6 * len(parts))
    rest = {k: placed_at(system, k, p, [mpf(0)] * 6) for k, p in enumerate(poses)}
    for _ in range(STEPS):
        moved = {
            part: placed_at(system, part, poses[part], x[6 * n : 6 * n + 6])
            for n, part in enumerate(parts)
        }
        f = [residual(system, e, rest | moved) for e in rows]
        steps = [mpmath.fdot(zip(map(mpf, row), f, strict=True)) for row in inverse.tolist()]
        for c, step in zip(columns, steps, strict=True):
            x[c] -= step
        if max(map(abs, steps), default=mpf(0)) < mpf(10) ** (5 - DIGITS) * system.length:
            return x
    return None
