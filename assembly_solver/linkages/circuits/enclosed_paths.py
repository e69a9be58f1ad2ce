"""Solutions of bilinear equations followed along the input, with proof: tubes about their paths.

Over a cell of the input, s = middle + t with |t| <= half, a path is enclosed about a line x + t x'
by Krawczyk's operator: exactly one solution lies within `reach` of it, and that within `error`.  A
tube is followed by another one where what one encloses at an input is alone in the other.

Source: R. Krawczyk, Computing 4 (1969) 187; R. E. Moore and others, Introduction to Interval
Analysis, SIAM 2009, section 8.2; docs/theory/dyads.md, 12.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.numerics.homotopy import solved
from ...foundations.numerics.rounding import EPSILON, ROOT, TINY
from ...foundations.numerics.taylor_models import Numbers
from ...foundations.types import Array, Bools, Complexes, Ints
from .bilinear_forms import BilinearForms

NEWTON_STEPS = 3
"""Most Newton steps from a predicted solution: from within a cell they reach rounding."""

LEAST_WEIGHT = 0.05
"""Least size of a coordinate in the norm of a tube, of that which moves most; of those that are
smaller than the largest, less."""

UP = 1.0 + 2.0**20 * EPSILON
"""Factor that outweighs the rounding in sums of bounds."""


class Tubes(NamedTuple):
    """Enclosures of paths over a cell each; (m,) each unless stated.

    Attributes:
        middle, half: of the cells; x, rate: of the lines there, (m, 2n).
        error: within which of its line a path is, by coordinate, (m, 2n); reach: within which it
            is the only one; NaN where nothing is proved.
    """

    middle: Array
    half: Array
    x: Complexes
    rate: Complexes
    error: Array
    reach: Array

    def take(self, which: Bools | Ints | slice) -> Tubes:
        """Some of them."""
        x, rate = self.x[which], self.rate[which]
        error, reach = self.error[which], self.reach[which]
        return Tubes(self.middle[which], self.half[which], x, rate, error, reach)

    @classmethod
    def joined(cls, parts: list[Tubes]) -> Tubes:
        """Those of several in turn."""
        return cls(*(np.concatenate(own) for own in zip(*parts, strict=True)))

    def line(self, s: Array) -> Complexes:
        """The lines at some inputs, (m, 2n)."""
        return self.x + (s - self.middle)[:, None] * self.rate

    def meet(self, other: Tubes, s: Array) -> Bools:
        """Which have the same solution at some inputs, (m,): that of one is alone in the other."""
        off = np.abs(self.line(s) - other.line(s))
        one, two = UP * (off + self.error) <= other.reach, UP * (off + other.error) <= self.reach
        return np.logical_or(one.all(axis=1), two.all(axis=1))

    @property
    def real(self) -> Bools:
        """Which paths are real: their conjugates are the same solutions."""
        n = self.x.shape[1] // 2
        off, moved = (np.abs(x[:, :n] - x[:, n:].conj()) for x in (self.x, self.rate))
        error = np.maximum(self.error[:, :n], self.error[:, n:])
        reach = np.minimum(self.reach[:, :n], self.reach[:, n:])
        out: Bools = np.all(off + self.half[:, None] * moved + error < reach, axis=1)
        return out

    @property
    def complex(self) -> Bools:
        """Which are not, nowhere in their cells."""
        n = self.x.shape[1] // 2
        off = np.abs(self.x[:, :n] - self.x[:, n:].conj())
        moved = np.abs(self.rate[:, :n] - self.rate[:, n:].conj())
        least = off - self.half[:, None] * moved - self.error[:, :n] - self.error[:, n:]
        out: Bools = np.any(least > 0.0, axis=1)
        return out


class FormValues(NamedTuple):
    """Bilinear forms and what they are at solutions; `derivative`, (m, 2n, 2n), by u, then by v."""

    forms: Complexes
    rate: Complexes
    value: Complexes
    derivative: Complexes
    by_input: Complexes


def with_one(x: Complexes) -> tuple[Complexes, Complexes]:
    """[1, u] and [1, v], (m, n + 1) each."""
    n, one = x.shape[1] // 2, np.ones((len(x), 1))
    return np.concatenate([one, x[:, :n]], axis=1), np.concatenate([one, x[:, n:]], axis=1)


def between(forms: Numbers, a: Numbers, b: Numbers) -> Numbers:
    """a M b of each form, (m, 2n)."""
    out: Numbers = np.sum((forms @ b[:, None, :, None])[..., 0] * a[:, None], axis=2)
    return out


def beside(forms: Numbers, a: Numbers, b: Numbers) -> Numbers:
    """What a M b changes by with u and v, (m, 2n, 2n)."""
    right, left = (forms @ b[:, None, :, None])[..., 0], (a[:, None, None] @ forms)[:, :, 0]
    return np.concatenate([right[..., 1:], left[..., 1:]], axis=2)


def values_at(family: BilinearForms, x: Complexes, s: Numbers) -> FormValues:
    """The equations at points (m, 2n) and inputs (m,)."""
    forms, rate = family.at(s)
    a, b = with_one(x)
    value, by_input = between(forms, a, b), between(rate, a, b)
    return FormValues(forms, rate, value, beside(forms, a, b), by_input)


def corrected(family: BilinearForms, x: Complexes, s: Array) -> Complexes:
    """Solutions (m, 2n) at inputs (m,) by Newton's method, from x; not finite where it fails."""
    with np.errstate(all="ignore"):  # where there is none
        for _ in range(NEWTON_STEPS):
            here = values_at(family, x, s)
            step = solved(here.derivative, here.value[..., None])[..., 0]
            x = x - step
            if np.abs(step).max() < ROOT:  # the next is of rounding
                break
    return x


def tubes(family: BilinearForms, guess: Complexes, middle: Array, half: Array) -> Tubes:
    """Enclosures of the paths near points (m, 2n), over cells of inputs: middle and half, (m,)."""
    with np.errstate(all="ignore"):
        x = corrected(family, guess, middle)
        here = values_at(family, x, middle)
        try:
            inverse = np.linalg.inv(here.derivative)
        except np.linalg.LinAlgError:
            inverse = np.full_like(here.derivative, np.nan)
        rate: Complexes = _times(inverse, -here.by_input)
        error, reach = _enclosed(family, x, rate, half, here, inverse)
    return Tubes(middle, half, x, rate, error, reach)


def _enclosed(
    family: BilinearForms,
    x: Complexes,
    rate: Complexes,
    half: Array,
    here: FormValues,
    inverse: Numbers,
) -> tuple[Array, Array]:
    """Krawczyk's test: how far a solution is from the line, and from where on there is another."""
    h, weight = half[:, None], _weights(x, rate)
    most = np.abs(here.forms) + h[..., None, None] * np.abs(here.rate)
    most = most + 0.5 * h[..., None, None] ** 2 * family.bend[None] + family.rounding
    a, b = with_one(x)
    da, db = with_one(rate)
    da[:, 0], db[:, 0] = 0.0, 0.0
    line = _Line(family, here, a, b, da, db, h)
    size = np.abs(inverse)
    off = sum(h**k * np.abs(_times(inverse, f)) for k, f in enumerate(line.values()))
    off = off + _times(size, line.rest())
    turned, bent = line.turned()
    fixed = np.abs(np.eye(x.shape[1]) - inverse @ here.derivative)
    fixed = fixed + h[..., None] * np.abs(inverse @ turned) + size @ bent
    room = 1.0 - (UP * _times(fixed, weight) / weight).max(axis=1)
    wider = UP * _wider(here, most, inverse, weight) / weight
    reach = np.where(room > 0.0, 0.5 * room / wider.max(axis=1), np.nan)
    error = UP * 2.0 * (off / weight).max(axis=1) / room
    known = np.where(error < reach, 1.0, np.nan)
    return (known * error)[:, None] * weight, (known * reach)[:, None] * weight


class _Line(NamedTuple):
    """Equations along lines [1, u] = a + t da, [1, v] = b + t db, |t| <= h, (m, 1)."""

    family: BilinearForms
    here: FormValues
    a: Complexes
    b: Complexes
    da: Complexes
    db: Complexes
    h: Array

    def values(self) -> tuple[Numbers, Numbers, Numbers]:
        """What stands by 1, t and t^2, (m, 2n) each, with the forms linear in t."""
        _, here, a, b, da, db, _ = self
        once = between(here.forms, da, b) + between(here.forms, a, db) + here.by_input
        twice = between(here.forms, da, db) + between(here.rate, da, b) + between(here.rate, a, db)
        return here.value, once, twice

    def _ends(self) -> tuple[Array, Array]:
        """Bounds of [1, u] and [1, v]."""
        return np.abs(self.a) + self.h * np.abs(self.da), np.abs(self.b) + self.h * np.abs(self.db)

    def rest(self) -> Numbers:
        """Bounds of the rest of the values, with rounding, (m, 2n)."""
        bent = 0.5 * self.h**2 * between(self.family.bend[None], *self._ends())
        cubic = self.h**3 * np.abs(between(self.here.rate, self.da, self.db))
        return cubic + bent + between(self.family.rounding[None], *self._ends())

    def turned(self) -> tuple[Numbers, Numbers]:
        """What derivatives change by with t, and bounds of the rest, (m, 2n, 2n) each."""
        first = beside(self.here.forms, self.da, self.db) + beside(self.here.rate, self.a, self.b)
        square, ends = self.h[..., None] ** 2, self._ends()
        rest = square * beside(np.abs(self.here.rate), np.abs(self.da), np.abs(self.db))
        rest = rest + 0.5 * square * beside(self.family.bend[None], *ends)
        return first, rest + beside(self.family.rounding[None], *ends)


def _weights(x: Complexes, rate: Complexes) -> Array:
    """Sizes of the coordinates in which paths are enclosed: those that move most are widest.

    Others are as wide as their own size allows, for complex solutions come near infinity.
    """
    moved, size = np.abs(rate), 1.0 + np.abs(x)
    least = LEAST_WEIGHT * size / size.max(axis=1)[:, None]
    most = np.maximum(moved.max(axis=1), TINY)  # 0 where the input moves nothing of the equations
    out: Array = np.maximum(moved / most[:, None], least)
    return out


def _wider(here: FormValues, most: Array, inverse: Numbers, weight: Array) -> Array:
    """Bounds of what second derivatives move preconditioned equations by, (m, 2n)."""
    m, n = len(weight), weight.shape[1] // 2
    forms = here.forms[:, :, 1:, 1:]
    known = np.abs(inverse @ forms.reshape(m, 2 * n, -1))
    rest = np.abs(inverse) @ (most[:, :, 1:, 1:] - np.abs(forms)).reshape(m, 2 * n, -1)
    both = weight[:, :n, None] * weight[:, None, n:]
    return _times(known + rest, 2.0 * both.reshape(m, -1))


def _times(matrix: Numbers, vector: Numbers) -> Numbers:
    out: Numbers = (matrix @ vector[..., None])[..., 0]
    return out
