"""A linkage as equations that are linear in its points x + iy, and linear in their conjugates.

The unknown points are u = (p + iq) and v = (p - iq), independent of each other in complex numbers;
at positions of the linkage v is the conjugate of u.  An equation is [1, u] M [1, v] = 0, where M is
a polynomial in the input, or in e^{i input}.  Of n such unknown points 2n equations have at most
binomial(2n, n) isolated solutions (the number of Bezout in two groups of unknowns).

Source: of the bound: A. P. Morgan and A. J. Sommese, A homotopy for solving general polynomial
systems that respects m-homogeneous structures, Applied Mathematics and Computation 24 (1987) 101;
docs/theory/dyads.md, 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.taylor_models import Numbers
from ...foundations.types import Array, Complexes, Ints
from ..plan.group_equations import (
    ACTUATOR as OF_ACTUATOR,
    ALONG_LINE,
    ANGLE,
    FIRST as FIRST_NUMBER,
    LENGTH,
    OFFSET,
    ON_LINE,
    POINTS,
    RADIUS,
    SAME_X,
    SAME_Y,
)
from ..plan.link_length import CONSTANT, DRIVEN
from ..plan.placement_program import (
    ALONG,
    AT,
    CIRCLES,
    FIRST,
    GROUP,
    LAST,
    LINE_CIRCLE,
    LINES,
    PUSH,
    SHAPE,
    SLIDES,
    TURN,
)
from ..scheme.scheme import ROTARY
from .driven_linkage import DrivenLinkage

Polynomial = dict[int, Complexes]
"""Coefficients by the power of e^{i input}, or of the input over the size."""


class NotProved(Exception):
    """Why the circuits of a linkage are not proved; at: the input of the equations there."""

    def __init__(self, words: str, at: float | None = None) -> None:
        super().__init__(words)
        self.at = at


class UnknownBlock(NamedTuple):
    """Unknown points that are determined together: their numbers and those of the equations."""

    operation: int
    unknowns: tuple[int, ...]
    equations: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class BilinearForms:
    """The equations of a driven linkage, of n unknown points.

    Attributes:
        forms: (powers, 2n, n + 1, n + 1); powers: of e^{i s}, or of s, (powers,).
        turns: whether s is an angle, rad; else a length over `size`.
        points: of every point its row [1, u] by power; blocks: in the order of the plan.
        most: largest |s|; size, centre: a point is centre + size x row, mm.
    """

    forms: Complexes
    powers: Ints
    turns: bool
    points: dict[int, Polynomial]
    blocks: tuple[UnknownBlock, ...]
    most: float
    size: float
    centre: complex

    @property
    def unknowns(self) -> int:
        return int(self.forms.shape[2]) - 1

    def at(self, s: Numbers) -> tuple[Complexes, Complexes]:
        """The forms, and their derivatives by s, (m, 2n, n + 1, n + 1) each."""
        value, rate = (
            np.einsum("mp,p...->m...", x, self.forms) for x in self._basis(s, self.powers)
        )
        return value, rate

    @property
    def bend(self) -> Array:
        """Bound of the size of the second derivatives by s, (2n, n + 1, n + 1)."""
        k = np.abs(self.powers).astype(float)
        if self.turns:
            factor = k * k
        else:
            factor = k * (k - 1.0) * max(1.0, self.most) ** np.maximum(k - 2.0, 0.0)
        out: Array = np.tensordot(factor, np.abs(self.forms), 1)
        return out

    def _basis(self, s: Numbers, powers: Ints) -> tuple[Numbers, Numbers]:
        """The powers of e^{i s}, or of s, and their derivatives, (m, powers) each."""
        if self.turns:
            value = np.exp(1j * np.multiply.outer(s, powers))
            return value, 1j * powers * value
        one = s.astype(complex)
        return np.power.outer(one, powers), powers * np.power.outer(one, np.maximum(powers - 1, 0))

    def positions(self, s: Array, x: Complexes) -> Array:
        """All points of positions, (points, 2, m), mm.

        Args:
            s: (m,); x: u and v of the unknown points, (m, 2n).
        """
        u = np.concatenate([np.ones((len(s), 1)), x[:, : self.unknowns]], axis=1)
        out = np.empty((1 + max(self.points), 2, len(s)))
        for k, row in self.points.items():
            powers = np.array(list(row))
            value, _ = self._basis(s, powers)
            z = np.einsum("mp,pj,mj->m", value, np.array(list(row.values())), u)
            z = self.centre + self.size * z
            out[k] = z.real, z.imag
        return out


def bilinear_forms(linkage: DrivenLinkage) -> BilinearForms:
    """The equations of a linkage with one moving input.

    Raises:
        NotProved: where there are none, or limits besides them.
    """
    return _FormBuilder(linkage).build()


class _FormBuilder:
    def __init__(self, linkage: DrivenLinkage) -> None:
        self.linkage, self.q = linkage, linkage.planned.program
        self.turns = linkage.planned.scheme.actuators[linkage.number].kind == ROTARY
        self.size = linkage.planned.scheme.size
        z = linkage.start @ np.array([1.0, 1j])
        self.centre = complex(z.mean())
        self.given = linkage.values(linkage.start_value)
        count = 0
        for row in self.q.code:
            own = {CIRCLES: 1, LINE_CIRCLE: 1, LINES: 1, SLIDES: 1}.get(int(row[0]), 0)
            count += int(row[LAST] - row[FIRST]) if row[0] == GROUP else own
        self.width = 1 + count
        fixed = {k: {0: (z[k] - self.centre) / self.size * self._unit(0)} for k in range(len(z))}
        self.points: dict[int, Polynomial] = fixed
        self.forms: list[Polynomial] = []
        self.blocks: list[UnknownBlock] = []
        self.next = 1

    def build(self) -> BilinearForms:
        for o, row in enumerate(self.q.code):
            self._operation(o, row[AT:], self.q.numbers[o])
        powers = sorted({k for f in self.forms for k in f})
        forms = np.zeros((len(powers), len(self.forms), self.width, self.width), complex)
        for e, form in enumerate(self.forms):
            scale = max(float(np.abs(c).max()) for c in form.values())
            for k, c in form.items():
                forms[powers.index(k), e] = c / scale
        q, scheme = self.q.inputs[self.linkage.number], self.linkage.planned.scheme
        reach = max(abs(q[0] * v + q[1]) for v in self.linkage.search_range) / scheme.size
        return BilinearForms(
            forms, np.array(powers), self.turns, self.points, tuple(self.blocks), reach,
            self.size, self.centre,
        )  # fmt: skip

    # ------------------------------------------------------------------ polynomials
    def _unit(self, k: int) -> Complexes:
        out = np.zeros(self.width, complex)
        out[k] = 1.0
        return out

    def _new(self) -> Polynomial:
        """The row of the next unknown."""
        self.next += 1
        return {0: self._unit(self.next - 1)}

    def _conjugate(self, f: Polynomial) -> Polynomial:
        return {-k if self.turns else k: np.conj(c) for k, c in f.items()}

    def _value(self, actuator: int) -> Polynomial:
        """The value of an actuator over the size."""
        if actuator == self.linkage.number:
            return {1: np.ones(1, complex)}
        return {0: np.array([self.given[actuator, 0] / self.size + 0j])}

    def _turned(self, actuator: int) -> Polynomial:
        """e^{i value} of an actuator."""
        if actuator == self.linkage.number:
            return {1: np.ones(1, complex)}
        return {0: np.array([complex(*self.given[actuator, 1:])])}

    def _vector(self, a: int, b: int) -> Polynomial:
        return _sum(self.points[b], _times(self.points[a], -1.0))

    def _form(self, *terms: tuple[Polynomial, Polynomial, complex]) -> None:
        """An equation: a sum of products of rows of u and of v, and numbers."""
        out: Polynomial = {}
        for one, two, factor in terms:
            for k, a in one.items():
                for m, b in two.items():
                    out[k + m] = out.get(k + m, 0.0) + factor * np.outer(a, b)
        self.forms.append(out)

    def _number(self, f: Polynomial) -> Polynomial:
        """A number as a row."""
        return {k: c[0] * self._unit(0) for k, c in f.items()}

    # ------------------------------------------------------------------ equations
    def _length(self, d: Polynomial, square: Polynomial) -> None:
        one = {0: self._unit(0)}
        self._form((d, self._conjugate(d), 1.0), (self._number(square), one, -1.0))

    def _square(self, kind: int, actuator: int, by: Array) -> Polynomial:
        """The square of a radius over the size."""
        first, second = complex(by[0], by[1]) / self.size, complex(by[2], by[3])
        if kind == CONSTANT:
            return {0: np.array([abs(first) ** 2 + 0j])}
        f = (
            self._value(actuator)
            if kind == DRIVEN
            else _times(self._turned(actuator), 1 / self.size)
        )
        r = _sum({0: np.array([first])}, _times(f, second))
        return _product(r, self._conjugate(r))

    def _on_line(self, d: Polynomial, along: Polynomial) -> None:
        """Vectors are parallel: Im(d conj(along)) = 0."""
        self._form((d, self._conjugate(along), 1.0), (along, self._conjugate(d), -1.0))

    def _operation(self, o: int, at: Ints, by: Array) -> None:
        kind, written = int(self.q.code[o, 0]), self._written(o)
        first, begun = self.next, len(self.forms)
        z = complex(by[0], by[1])
        if kind == TURN:
            j, i, a = at[:3].tolist()
            self._placed(written[0], j, _times(self._turned(a), z), self._vector(j, i))
        elif kind == PUSH:
            j, p, r, a = at[:4].tolist()
            share = _sum(
                {0: np.array([z])}, _times(self._value(a), complex(by[2], by[3]) * self.size)
            )
            self._placed(written[0], j, share, self._vector(p, r))
        elif kind == ALONG:
            j, a, b = at[:3].tolist()
            self._placed(written[0], j, {0: np.array([z])}, self._vector(a, b))
        elif kind == SHAPE:
            self._shape(written[0], at, by)
        elif kind in (CIRCLES, LINE_CIRCLE, LINES):
            self.points[written[0]] = self._new()
            self._dyad(kind, written[0], at, by)
        elif kind == SLIDES:
            self._slides(written, at, by)
        elif kind == GROUP:
            self._group(int(at[0]))
        else:
            raise NotProved("slots have ends")
        if self.next > first:
            unknowns = tuple(range(first - 1, self.next - 1))
            self.blocks.append(UnknownBlock(o, unknowns, tuple(range(begun, len(self.forms)))))

    def _written(self, o: int) -> list[int]:
        row = self.q.code[o]
        out: list[int] = self.q.written[row[FIRST] : row[LAST]].tolist()
        return out

    def _placed(self, k: int, j: int, share: Polynomial, along: Polynomial) -> None:
        """p_k = p_j + share x along."""
        self.points[k] = _sum(self.points[j], _product(share, along))

    def _shape(self, k: int, at: Ints, by: Array) -> None:
        a, b, v, turns = at[:4].tolist()
        if v == self.linkage.number:
            raise NotProved("the input is between links that others move")
        f = complex(*self.given[v, 1:]) if turns else float(self.given[v, 0])
        m, e, p = (complex(by[n], by[n + 1]) + complex(by[n + 2], by[n + 3]) * f for n in (0, 4, 8))
        self._placed(k, a, {0: np.array([(m - e) / (p - e)])}, self._vector(a, b))

    def _dyad(self, kind: int, p: int, at: Ints, by: Array) -> None:
        if kind == CIRCLES:
            c1, c2, one, a, two, b = at[:6].tolist()
            self._length(self._vector(c1, p), self._square(one, a, by[:4]))
            self._length(self._vector(c2, p), self._square(two, b, by[4:]))
            return
        if kind == LINE_CIRCLE:
            c, a, b, one, actuator = at[:5].tolist()
            self._length(self._vector(c, p), self._square(one, actuator, by[:4]))
            lines = [(a, b, by[4])]
        else:
            lines = [(*at[:2].tolist(), by[0]), (*at[2:4].tolist(), by[1])]
        for a, b, side in lines:
            along = self._vector(a, b)
            self._on_line(_sum(self._vector(a, p), _times(along, -1j * float(side))), along)

    def _slides(self, written: list[int], at: Ints, by: Array) -> None:
        """The unknown is the direction u of the slide, and its conjugate."""
        a, d = at[:2].tolist()
        u, one, size = self._new(), {0: self._unit(0)}, self.size
        along = self._vector(a, d)
        self._form((u, self._conjugate(u), 1.0), (one, one, -1.0))
        conj = self._conjugate
        self._form(
            (along, conj(u), 1.0), (u, conj(along), -1.0), (one, one, -2j * float(by[0]) / size)
        )
        for n, (k, end) in enumerate(zip(written, (a, d), strict=False)):
            z = complex(by[1 + 2 * n], by[2 + 2 * n]) / size
            self.points[k] = _sum(self.points[end], _times(u, z))

    def _group(self, number: int) -> None:
        first, known, _, begin, end = self.q.group[number].tolist()
        for k in self.q.member[first:known].tolist():
            self.points[k] = self._new()
        for row, given in zip(self.q.equation[begin:end], self.q.given[begin:end], strict=True):
            self._group_equation(row, given, self.q.member[first:])

    def _group_equation(self, row: Ints, given: Array, member: Ints) -> None:
        kind, actuator = int(row[0]), int(row[OF_ACTUATOR])
        p = []
        for k in range(3):
            a, b = member[row[POINTS + 2 * k : POINTS + 2 * k + 2]].tolist()
            z = complex(given[2 * k], given[2 * k + 1])
            p.append(_sum(self.points[a], _times(self._vector(a, b), z)))
        back = _times(p[1], -1.0)
        one, unit, conj = _sum(p[0], back), {0: self._unit(0)}, self._conjugate
        if kind == LENGTH:
            self._length(one, self._square(int(row[RADIUS]), actuator, given[FIRST_NUMBER:]))
        elif kind == SAME_X:  # the next is SAME_Y of the same points
            self._form((one, unit, 1.0))
        elif kind == SAME_Y:
            self._form((unit, conj(one), 1.0))
        elif kind == ON_LINE and given[OFFSET] == 0.0:
            self._on_line(one, _sum(p[2], back))
        elif kind == ANGLE:
            self._on_line(_sum(p[2], back), _product(self._turned(actuator), one))
        else:
            assert kind in (ON_LINE, ALONG_LINE)
            raise NotProved("a slide between moving links is driven")


def _sum(one: Polynomial, two: Polynomial) -> Polynomial:
    out = dict(one)
    for k, c in two.items():
        out[k] = out[k] + c if k in out else c
    return out


def _times(f: Polynomial, factor: complex) -> Polynomial:
    return {k: factor * c for k, c in f.items()}


def _product(share: Polynomial, row: Polynomial) -> Polynomial:
    """The product of a number, (1,) for each power, and a row."""
    out: Polynomial = {}
    for k, a in share.items():
        for m, b in row.items():
            out[k + m] = out.get(k + m, 0.0) + a * b
    return out
