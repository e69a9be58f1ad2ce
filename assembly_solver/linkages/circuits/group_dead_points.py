"""Dead points of bilinear equations, with proof: where two solutions meet, the input reverses.

About such a point x with kernel k of the derivative, coordinates y along k and across it, and
t = s - s_f, are chosen so that the equations are, up to small rests,

    0 = a y_0^2 + c_0 t + ...,    0 = y_k + ...,  k > 0.

Where the rests are smaller than a r^2 on |y_0| = r, and than r_k on |y_k| = r_k, the box has two
solutions for every t within `half` (Rouche's theorem, by the homotopy to the first terms).  They
meet where the equations have a kernel: at one t only, if the equations of that are injective in
the box.  So of a real x they are two real ones on one side, and two conjugate ones on the other.
A box that holds no real point has no position of the linkage: there nothing else is asked.

Source: fold points: A. Griewank and G. W. Reddien, SIAM J. Numerical Analysis 21 (1984) 176;
docs/theory/dyads.md, 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.homotopy import solved
from ...foundations.numerics.rounding import EPSILON, FAINT, ROOT
from ...foundations.numerics.taylor_models import Numbers
from ...foundations.types import Array, Bools, Complexes
from .bilinear_forms import BilinearForms
from .enclosed_forms import exact_values
from .enclosed_paths import UP, Tubes, beside, between, tubes, values_at, with_one

NEWTON_STEPS = 12
"""Most steps to a dead point, from where two paths come near each other."""

RADII = 0.5 ** np.arange(1.0, 14.0)
"""Sizes along the kernel that are tried, from the largest."""


@dataclass(frozen=True, eq=False)
class GroupDeadPoint:
    """A point where two solutions meet, proved to be the only one about it.

    Attributes:
        s: the input; off: how far from it the enclosure of the proved one has its middle, and
            within: how far that one is from there at most; real: whether x is.
        x: the solution, (2n,); half: of the interval of the input about it in which the box has
            two solutions, all through it.
        frame: of y, (2n, 2n), the kernel first; radii: of the box, (2n,).
        quadratic, linear: second derivatives by y_0, and derivatives by t, (2n,).
    """

    family: BilinearForms
    s: float
    off: float
    within: float
    real: bool
    x: Complexes
    half: float
    frame: Complexes
    radii: Array
    quadratic: Complexes
    linear: Complexes

    def guess(self, t: Array, side: float) -> Complexes:
        """About where the solutions are at inputs s + t, (m, 2n)."""
        y = np.empty((len(t), len(self.x)), complex)
        y[:, 0] = side * np.sqrt(-2.0 * self.linear[0] * t / self.quadratic[0])
        y[:, 1:] = -0.5 * self.quadratic[1:] * y[:, :1] ** 2 - self.linear[1:] * t[:, None]
        out: Complexes = self.x + y @ self.frame.T
        return out

    def holds(self, found: Tubes, s: float) -> Bools:
        """Which paths are in the box at an input, (m,)."""
        back = np.linalg.inv(self.frame)
        y = np.abs((found.line(np.full(len(found.half), s)) - self.x) @ back.T)
        off = found.error @ np.abs(back).T
        out: Bools = (UP * (y + off) < self.radii).all(axis=1)
        return out

    def side(self, x: Complexes, t: float) -> float:
        """On which side of it a solution at the input s + t is: as of `guess`."""
        y = np.linalg.solve(self.frame, x - self.x)[0]
        near = self.guess(np.array([t]), 1.0)[0] - self.x
        return float(np.sign((y * np.linalg.solve(self.frame, near)[0].conj()).real))

    def leaving(self) -> Tubes | None:
        """The two solutions after it; None where they are not proved."""
        s = np.full(2, self.s + self.half)
        guess = np.concatenate([self.guess(np.array([self.half]), side) for side in (1.0, -1.0)])
        found = tubes(self.family, guess, s, np.zeros(2))
        apart = np.abs(found.x[0] - found.x[1]) > found.error.sum(axis=0)
        return found if apart.any() and self.holds(found, float(s[0])).all() else None


def dead_point_near(
    family: BilinearForms,
    x: Complexes,
    s: float,
    span: tuple[float, float],
    known: list[GroupDeadPoint],
) -> GroupDeadPoint | None:
    """The dead point to which a path leads from a point; None where none is found and proved.

    Args:
        span: in which the input remains; known: of which it may be one.
    """
    found = _newton(family, x, s)
    if found is None:
        return None
    x, s = found
    for point in known:
        if abs(point.s - s) < point.half and np.abs(point.x - x).max() < FAINT:
            return point
    local = _Local(family, x, s)
    for radius in RADII:
        near = local.proved(float(radius))
        if near is not None and span[0] < near.s - near.half and near.s + near.half < span[1]:
            return near
    return None


def _newton(family: BilinearForms, x: Complexes, s: complex) -> tuple[Complexes, float] | None:
    """A point where the equations have a kernel, at a real input."""
    n, step = len(x), np.zeros(0, complex)
    here = values_at(family, x[None], np.array([s]))
    kernel = np.linalg.svd(here.derivative[0])[2][-1].conj()
    across = kernel.conj()
    with np.errstate(all="ignore"):  # where there is none
        for _ in range(NEWTON_STEPS):
            step = _newton_step(family, x, kernel, s, across)
            if not np.isfinite(step).all():
                return None
            x, kernel, s = x - step[:n], kernel - step[n:-1], s - step[-1]
            if np.abs(step).max() < ROOT * FAINT:
                break
    near = np.abs(step).max() < ROOT * (1.0 + np.abs(x).max())
    if not near or abs(s.imag) > FAINT:
        return None
    u, v = x.reshape(2, -1)
    if np.abs(u - v.conj()).max() < FAINT:
        u = 0.5 * (u + v.conj())
        x = np.concatenate([u, u.conj()])
    return x, float(s.real)


def _newton_step(
    family: BilinearForms, x: Complexes, kernel: Complexes, s: complex, across: Complexes
) -> Complexes:
    """The step of the point, the kernel and the input, (4n + 1,); infinite where there is none."""
    n, here = len(x), values_at(family, x[None], np.array([s]))
    whole = np.zeros((2 * n + 1, 2 * n + 1), complex)
    whole[:n, :n] = whole[n:-1, n:-1] = here.derivative[0]
    whole[:n, -1] = here.by_input[0]
    whole[n:-1, :n] = beside(here.forms, *_directions(kernel[:, None]))[0]
    whole[n:-1, -1] = beside(here.rate, *with_one(x[None]))[0] @ kernel
    whole[-1, n:-1] = across
    if not np.isfinite(whole).all():
        return np.full(2 * n + 1, np.inf, complex)
    right = [here.value[0], here.derivative[0] @ kernel, [across @ kernel - 1.0]]
    return solved(whole[None], np.concatenate(right)[None, :, None])[0, :, 0]


def _directions(frame: Complexes) -> tuple[Complexes, Complexes]:
    """Columns of a matrix, (2n, m), as changes of [1, u] and [1, v], (m, n + 1)."""
    a, b = with_one(frame.T)
    a[:, 0], b[:, 0] = 0.0, 0.0
    return a, b


class _Local:
    """The equations in y and t about a point."""

    def __init__(self, family: BilinearForms, x: Complexes, s: float) -> None:
        self.family, self.x, self.s = family, x, s
        self.n = len(x)
        here = values_at(family, x[None], np.array([s]))
        left, values, right = np.linalg.svd(here.derivative[0])
        order = np.roll(np.arange(self.n), 1)
        self.frame = right.conj().T[:, order]
        scale = np.append(values[:-1], 1.0)[order]
        self.left: Complexes = left.conj().T[order] / scale[:, None]
        self.a, self.b = with_one(x[None])
        self.da, self.db = _directions(self.frame)
        self.rate = here.rate[0]
        self.value = self.left @ here.value[0]
        self.slope = self.left @ here.by_input[0]
        self.off = self.left @ here.derivative[0] @ self.frame - np.diag(
            [0.0] + [1.0] * (self.n - 1)
        )
        self.second = self._second(here.forms[0], self.left, self.da, self.db)
        self.second_rate = np.abs(self._second(self.rate, self.left, self.da, self.db))
        self.slope_by = np.abs(self.left @ beside(here.rate, self.a, self.b)[0] @ self.frame)
        sizes = np.abs(self.left), np.abs(self.da), np.abs(self.db)
        self.bend = self._second(family.bend, *sizes)

    @staticmethod
    def _second(forms: Numbers, left: Numbers, da: Numbers, db: Numbers) -> Numbers:
        """Second derivatives by y of preconditioned forms, (2n, 2n, 2n)."""
        out: Numbers = np.tensordot(left, da @ forms @ db.T, 1)
        return out + out.swapaxes(1, 2)

    def proved(self, radius: float) -> GroupDeadPoint | None:
        """The dead point, if the box of a size along the kernel proves it."""
        half_second = 0.5 * np.abs(self.second)
        lead = float(half_second[0, 0, 0])
        slope = np.abs(self.slope)
        if not lead * slope[0] > 0.0:
            return None
        half = 0.25 * lead * radius * radius / float(slope[0])
        r = 2.0 * (half_second[:, 0, 0] * radius * radius + half * slope) + 0.1 * radius**2
        r[0] = radius
        rest = self._rests(r, half)
        rest[0] -= lead * radius * radius * (1.0 - EPSILON)
        bound = np.append(lead * radius * radius, r[1:])
        if not (UP * rest < bound).all():
            return None
        u, v = self.x.reshape(2, -1)
        across = np.abs(u - v.conj())
        if (across > 0.0).any():  # of a dyad, on which a group stands that is not real
            moved = (np.abs(self.frame) @ r).reshape(2, -1).sum(axis=0)
            found = _Zero(0.0, 0.0, r) if (across > UP * moved).any() else None
        else:
            found = self._zero(r, half)
            if found is not None:  # in a smaller box less varies
                found = self._zero(found.box[: self.n], float(found.box[-1])) or found
        if found is None:
            return None
        return GroupDeadPoint(
            self.family, self.s, found.middle, found.within, bool((across == 0.0).all()), self.x,
            half, self.frame, r, self.second[:, 0, 0], self.slope,
        )  # fmt: skip

    def _rests(self, r: Array, half: float) -> Array:
        """Bounds of the equations in the box without y_k; with the square of y_0."""
        out = np.abs(self.value) + np.abs(self.off) @ r + 0.5 * np.abs(self.second) @ r @ r
        out = out + half * (np.abs(self.slope) + self.slope_by @ r + 0.5 * self.second_rate @ r @ r)
        bent, rounding = self._bent(r)
        whole: Array = out + 0.5 * half * half * bent + rounding
        return whole

    def _bent(self, r: Array) -> tuple[Array, Array]:
        """Bounds of second derivatives by t, and of rounding."""
        left, ends = np.abs(self.left), self._sizes(r)
        bend, rounding = (f[None] for f in (self.family.bend, self.family.rounding))
        return left @ between(bend, *ends)[0], left @ between(rounding, *ends)[0]

    def _sizes(self, r: Array) -> tuple[Array, Array]:
        """Bounds of [1, u] and [1, v] in the box."""
        a = np.abs(self.a) + r @ np.abs(self.da)
        return a, np.abs(self.b) + r @ np.abs(self.db)

    def _zero(self, r: Array, half: float) -> _Zero | None:
        """Where the only kernel in the box is; None if that is not proved."""
        by_y, bent_by, rounding_by = self._by_y(r, half)
        whole = by_y + np.abs(self.off)
        kernel = np.append(1.0, 2.0 * whole[1:, 0] + ROOT * r[0])
        if not (UP * (whole[1:] @ kernel) < kernel[1:]).all():
            return None
        small, n = np.append(0.0, kernel[1:]), self.n
        bent, rounding = self._bent(r)
        spread = np.zeros((2 * n, 2 * n))
        spread[:n, :n], spread[n:, n:-1] = by_y, by_y[:, 1:]
        by_t = self.slope_by @ r + 0.5 * self.second_rate @ r @ r
        spread[:n, -1] = by_t + half * bent + rounding
        moved = np.abs(self.second) @ small + half * self.second_rate @ kernel
        spread[n:, :n] = moved + 0.5 * half * half * self.bend @ kernel
        spread[n:, -1] = self.slope_by @ small + self.second_rate @ r @ kernel
        spread[n:, -1] += half * bent_by @ kernel + rounding_by @ kernel
        here = exact_values(self.family, self.x, self.frame[:, 0], self.s)
        value = (here.reshape(2, n) @ self.left.T).ravel()
        box = np.concatenate([r, small[1:], [half]])
        return _enclosed(self._derivative(), spread, value, box)

    def _by_y(self, r: Array, half: float) -> tuple[Array, Array, Array]:
        """Bounds of how derivatives by y vary in the box, of their second derivatives by t, and of
        their rounding, (2n, 2n) each."""
        left, across = np.abs(self.left), np.abs(self.frame)
        bend, rounding = (f[None] for f in (self.family.bend, self.family.rounding))
        out = np.abs(self.second) @ r + half * (self.slope_by + self.second_rate @ r)
        ends = self._sizes(r)
        bent, rounded = (left @ beside(f, *ends)[0] @ across for f in (bend, rounding))
        return out + 0.5 * half * half * bent + rounded, bent, rounded

    def _derivative(self) -> Complexes:
        """Of the equations and of those of the kernel, by y, the kernel and t, (4n, 4n)."""
        n = self.n
        out = np.zeros((2 * n, 2 * n), complex)
        equal = self.off + np.diag([0.0] + [1.0] * (n - 1))
        out[:n, :n], out[:n, -1] = equal, self.slope
        out[n:, :n], out[n:, n:-1] = self.second[:, :, 0], equal[:, 1:]
        out[n:, -1] = self.left @ beside(self.rate[None], self.a, self.b)[0] @ self.frame[:, 0]
        return out


class _Zero(NamedTuple):
    """The last coordinate of the only zero in a box, which is real.

    Attributes:
        middle: of its enclosure, from the centre; within: how far it is from there; box: how far
            all coordinates are from the centre.
    """

    middle: float
    within: float
    box: Array


def _enclosed(centre: Complexes, spread: Array, value: Complexes, box: Array) -> _Zero | None:
    """The only zero in a box; None where it is not proved that there is one.

    Args:
        centre, spread: of derivatives all over the box; value: at its centre, to rounding.
    """
    inverse = np.linalg.inv(centre)
    size = np.abs(inverse)
    slack = 8.0 * len(box) * EPSILON * size @ np.abs(centre)
    change = UP * (np.abs(np.eye(len(box)) - inverse @ centre) + size @ spread + slack)
    step = UP * (size @ np.abs(value))
    weight, off = np.linalg.solve(np.eye(len(box)) - change, np.stack([box, 2.0 * step], axis=1)).T
    injective = (weight > 0.0).all() and (UP * (change @ weight) < weight).all()
    rest = UP * (change @ off) + 8.0 * len(box) * EPSILON * step
    if not (injective and (off < box).all() and (step + rest < off).all()):
        return None
    return _Zero(-float((inverse @ value)[-1].real), float(rest[-1]), off)
