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
from functools import cached_property
from math import pi
from typing import Any, NamedTuple

import numpy as np

from ...foundations.numerics.fixed_balls import FixedBall
from ...foundations.numerics.rounding import EPSILON
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
from .form_polynomials import (
    Coefficients,
    Number,
    Polynomial,
    multiplied,
    of_number,
    off_by,
    power_of_two,
    powers_at,
    powers_known,
    scaled,
    summed,
    turn,
)


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
        most: largest |s|, of turns in a range that begins within half a turn past the start; size,
            centre: a point is centre + size x row, mm.
    """

    forms: Complexes
    powers: Ints
    turns: bool
    points: dict[int, Polynomial]
    blocks: tuple[UnknownBlock, ...]
    most: float
    size: float
    centre: complex
    scales: Array
    linkage: DrivenLinkage

    @property
    def unknowns(self) -> int:
        return int(self.forms.shape[2]) - 1

    def at(self, s: Numbers) -> tuple[Complexes, Complexes]:
        """The forms, and their derivatives by s, (m, 2n, n + 1, n + 1) each."""
        value, rate = (
            np.einsum("mp,p...->m...", x, self.forms) for x in powers_at(s, self.powers, self.turns)
        )
        return value, rate

    @cached_property
    def bend(self) -> Array:
        """Bound of the size of the second derivatives by s, (2n, n + 1, n + 1)."""
        k = np.abs(self.powers).astype(float)
        if self.turns:
            factor = k * k
        else:
            factor = k * (k - 1.0) * max(1.0, self.most) ** np.maximum(k - 2.0, 0.0)
        out: Array = np.tensordot(factor, np.abs(self.forms) + self._off, 1)
        return out

    @cached_property
    def exact(self) -> list[Polynomial]:
        """The same with the numbers of the program as they are, in balls, not scaled."""
        return _FormBuilder(self.linkage, FixedBall.of).equations()

    @cached_property
    def rounding(self) -> Array:
        """In place of the forms, what bounds the rounding of them, of their derivatives and of what
        is made of them, (2n, n + 1, n + 1).

        A sum of m complex products is off by 2 m halves of EPSILON and the root of 2 at most, of
        its terms' sizes, in any order.  The longest way is one over the powers, one over a row and
        two over all unknowns, by what preconditions on either side.  How far coefficients are off
        is computed.
        """
        n, k = self.unknowns, np.abs(self.powers)
        size = np.maximum(k, 1) * (1.0 if self.turns else max(1.0, self.most) ** k)
        share = (1.5 * (len(k) + 5.0 * n + 1.0) + powers_known(k, self.turns, self.most)) * EPSILON
        out: Array = np.tensordot(size * share, np.abs(self.forms), 1)
        return out + np.tensordot(size, self._off, 1)

    @cached_property
    def _off(self) -> Array:
        """How far the forms are from the exact ones, computed."""
        return off_by(self.forms, self.powers, self.exact, self.scales)

    def positions(self, s: Array, x: Complexes) -> Array:
        """All points of positions, (points, 2, m), mm.

        Args:
            s: (m,); x: u and v of the unknown points, (m, 2n).
        """
        u = np.concatenate([np.ones((len(s), 1)), x[:, : self.unknowns]], axis=1)
        out = np.empty((1 + max(self.points), 2, len(s)))
        for k, row in self.points.items():
            powers = np.array(list(row))
            value, _ = powers_at(s, powers, self.turns)
            z = np.einsum("mp,pj,mj->m", value, np.array(list(row.values())), u)
            z = self.centre + self.size * z
            out[k] = z.real, z.imag
        return out


def bilinear_forms(linkage: DrivenLinkage) -> BilinearForms:
    """The equations of a linkage with one moving input; `NotProved` where it has other ones."""
    return _FormBuilder(linkage, complex).build()


class _FormBuilder:
    def __init__(self, linkage: DrivenLinkage, number: Number) -> None:
        self.linkage, self.q, self.number = linkage, linkage.planned.program, number
        self.turns = linkage.planned.scheme.actuators[linkage.number].kind == ROTARY
        self.size = power_of_two(linkage.planned.scheme.size)
        z = linkage.start @ np.array([1.0, 1j])
        self.centre = complex(z.mean())
        count = 0
        for row in self.q.code:
            own = {CIRCLES: 1, LINE_CIRCLE: 1, LINES: 1, SLIDES: 1}.get(int(row[0]), 0)
            count += int(row[LAST] - row[FIRST]) if row[0] == GROUP else own
        self.width = 1 + count
        self.points: dict[int, Polynomial] = {}
        for k, at in enumerate(z.tolist()):
            self.points[k] = {
                0: self._unit(0) * (number(at) - number(self.centre)) * (1 / self.size)
            }
        self.forms: list[Polynomial] = []
        self.blocks: list[UnknownBlock] = []
        self.next = 1

    def equations(self) -> list[Polynomial]:
        """Every form by power, (n + 1, n + 1) each."""
        for o, row in enumerate(self.q.code):
            self._operation(o, row[AT:], self.q.numbers[o])
        return self.forms

    def build(self) -> BilinearForms:
        self.equations()
        powers = sorted({k for f in self.forms for k in f})
        forms = np.zeros((len(powers), len(self.forms), self.width, self.width), complex)
        largest = (max(float(np.abs(c).max()) for c in f.values()) for f in self.forms)
        scales = np.array([power_of_two(x) for x in largest])
        for e, form in enumerate(self.forms):
            for k, c in form.items():
                forms[powers.index(k), e] = c / scales[e]
        q = self.q.inputs[self.linkage.number]
        if self.turns:
            reach = abs(float(q[0] * self.linkage.start_value + q[1])) + 3.0 * pi
        else:
            reach = max(abs(q[0] * v + q[1]) for v in self.linkage.search_range) / self.size
        return BilinearForms(
            forms, np.array(powers), self.turns, self.points, tuple(self.blocks), reach,
            self.size, self.centre, scales, self.linkage,
        )  # fmt: skip

    # ------------------------------------------------------------------ polynomials
    def _unit(self, k: int) -> Coefficients:
        out = np.full(self.width, self.number(0.0))
        out[k] = self.number(1.0)
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
            return {1: np.array([self.number(1.0)])}
        return of_number(self._given(actuator) * (1.0 / self.size))

    def _turned(self, actuator: int) -> Polynomial:
        """e^{i value} of an actuator."""
        if actuator == self.linkage.number:
            return {1: np.array([self.number(1.0)])}
        return of_number(turn(self._given(actuator)))

    def _given(self, actuator: int) -> Any:
        """The value of an actuator that stands, mm or rad."""
        return self.number(float(self.q.inputs[actuator, 2]))

    def _vector(self, a: int, b: int) -> Polynomial:
        return summed(self.points[b], scaled(self.points[a], -1.0))

    def _form(self, *terms: tuple[Polynomial, Polynomial, complex]) -> None:
        """An equation: a sum of products of rows of u and v and numbers."""
        out: Polynomial = {}
        for one, two, factor in terms:
            for k, a in one.items():
                for m, b in two.items():
                    out[k + m] = out.get(k + m, 0.0) + factor * np.outer(a, b)
        self.forms.append(out)

    def _number(self, f: Polynomial) -> Polynomial:
        """A number as a row."""
        return {k: self._unit(0) * c[0] for k, c in f.items()}

    # ------------------------------------------------------------------ equations
    def _length(self, d: Polynomial, square: Polynomial) -> None:
        one = {0: self._unit(0)}
        self._form((d, self._conjugate(d), 1.0), (self._number(square), one, -1.0))

    def _square(self, kind: int, actuator: int, by: Array) -> Polynomial:
        """The square of a radius over the size."""
        first, second = complex(by[0], by[1]) / self.size, complex(by[2], by[3])
        r = of_number(self.number(first))
        if kind == DRIVEN:
            r = summed(r, scaled(self._value(actuator), second))
        elif kind != CONSTANT:
            r = summed(r, scaled(self._turned(actuator), second / self.size))
        return multiplied(r, self._conjugate(r))

    def _on_line(self, d: Polynomial, along: Polynomial) -> None:
        """Vectors are parallel: Im(d conj(along)) = 0."""
        self._form((d, self._conjugate(along), 1.0), (along, self._conjugate(d), -1.0))

    def _operation(self, o: int, at: Ints, by: Array) -> None:
        kind, written = int(self.q.code[o, 0]), self._written(o)
        first, begun = self.next, len(self.forms)
        z = complex(by[0], by[1])
        if kind == TURN:
            j, i, a = at[:3].tolist()
            self._placed(written[0], j, scaled(self._turned(a), z), self._vector(j, i))
        elif kind == PUSH:
            j, p, r, a = at[:4].tolist()
            moved = scaled(self._value(a), complex(by[2], by[3]) * self.size)
            share = summed(of_number(self.number(z)), moved)
            self._placed(written[0], j, share, self._vector(p, r))
        elif kind == ALONG:
            j, a, b = at[:3].tolist()
            self._placed(written[0], j, of_number(self.number(z)), self._vector(a, b))
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
        self.points[k] = summed(self.points[j], multiplied(share, along))

    def _shape(self, k: int, at: Ints, by: Array) -> None:
        a, b, v, turns = at[:4].tolist()
        if v == self.linkage.number:
            raise NotProved("the input is between links that others move")
        f = turn(self._given(v)) if turns else self._given(v)
        m, e, p = (
            self.number(complex(by[n], by[n + 1])) + complex(by[n + 2], by[n + 3]) * f
            for n in (0, 4, 8)
        )
        self._placed(k, a, of_number((m - e) / (p - e)), self._vector(a, b))

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
            self._on_line(summed(self._vector(a, p), scaled(along, -1j * float(side))), along)

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
            self.points[k] = summed(self.points[end], scaled(u, z))

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
            p.append(summed(self.points[a], scaled(self._vector(a, b), z)))
        back = scaled(p[1], -1.0)
        one, unit, conj = summed(p[0], back), {0: self._unit(0)}, self._conjugate
        if kind == LENGTH:
            self._length(one, self._square(int(row[RADIUS]), actuator, given[FIRST_NUMBER:]))
        elif kind == SAME_X:  # the next is SAME_Y of the same points
            self._form((one, unit, 1.0))
        elif kind == SAME_Y:
            self._form((unit, conj(one), 1.0))
        elif kind == ON_LINE and given[OFFSET] == 0.0:
            self._on_line(one, summed(p[2], back))
        elif kind == ANGLE:
            self._on_line(summed(p[2], back), multiplied(self._turned(actuator), one))
        else:
            assert kind in (ON_LINE, ALONG_LINE)
            raise NotProved("a slide between moving links is driven")
