"""Paths between the closures of loops of one structure, as systems of polynomials."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...foundations.types import Array, Bools, Complexes, Ints
from .loop_factors import SPACE, LoopJoints, Loops, algebra, basis_of, in_blocks, product
from .platform_forms import distance_forms


@dataclass(frozen=True, eq=False)
class LoopPath:
    """Loops whose joints go from some to others: displacements and lines each along a conic in the
    quadric that it is on, directions and points of other factors straight.

    Points are the coordinates of one factor after the other, (m, width factors), each of size 1.
    """

    loops: Loops
    begin: LoopJoints
    end: LoopJoints
    between: LoopJoints
    """A generic member, through which no straight line in its quadric goes to the others."""

    @property
    def size(self) -> int:
        return self.loops.width

    @cached_property
    def _free(self) -> Bools:
        """Which changes across a point there are, (factors, width - 1)."""
        many = np.array([3 if k in "SE" else 1 for k in self.loops.kinds])
        out: Bools = np.arange(self.size - 1) < many[:, None]
        return out

    @cached_property
    def _coefficients(self) -> Complexes:
        """Of 1, s .. s^4: those of what coordinates multiply, then those of their rates,
        (5, 2 factors width parts)."""
        loops = self.loops
        g, line = (_straight(*e) for e in zip(self.begin[:2], self.end[:2], strict=True))
        if loops.parts == SPACE:
            ends = zip(self.begin[:2], self.end[:2], self.between[:2], strict=True)
            for out, those, (a, b, c) in zip(
                (g, line), (loops.leads, self._lines), ends, strict=True
            ):
                out[:, those] = _conic(a[those], b[those], c[those])
        basis = basis_of(loops, line)
        every = np.zeros((2, 5, *basis.shape[1:]), complex)
        for i in range(3):
            for j in range(3):
                every[0, i + j] += product(g[i][:, None], basis[j])
        every[1, :-1] = np.arange(1.0, 5.0)[:, None, None, None] * every[0, 1:]
        own: Complexes = every[..., algebra(loops.parts).inside]
        return own.swapaxes(0, 1).reshape(5, -1)

    @property
    def _lines(self) -> list[int]:
        return [n for n, kind in enumerate(self.loops.kinds) if kind == "R"]

    @cached_property
    def _words(self) -> tuple[Ints, Complexes]:
        """Factors of each word, then one that does not move, (words, k); signs of their conjugates
        or ones, (words, k, parts)."""
        inside, every = algebra(self.loops.parts).inside, [*self.loops.words, *self.loops.bars]
        k = max(len(w.joints) for w in every)
        order = np.full((len(every), k), self.loops.joints)
        signs = np.ones((*order.shape, len(inside)), complex)
        for n, word in enumerate(every):
            order[n, : len(word.joints)] = word.joints
            signs[n, : len(word.joints)] = word.signs[:, inside]
        return order, signs

    @cached_property
    def _forms(self) -> Complexes:
        """Coefficients of 1, s, s^2 of the quadrics of distances, (3, distances, 8, 8)."""
        ends = self.begin.bars, self.end.bars
        a, m, b = (distance_forms(p) for p in (ends[0], 0.5 * (ends[0] + ends[1]), ends[1]))
        square = 2.0 * (a + b) - 4.0 * m
        return np.stack([a, b - a - square, square])

    @cached_property
    def scale(self) -> Complexes:
        """What the lines at s = 1 are multiples by of those given, (factors,)."""
        out = np.ones(self.loops.joints, complex)
        if self.loops.parts == SPACE:
            begin, end, between = (
                v.line[self._lines] for v in (self.begin, self.end, self.between)
            )
            out[self._lines] = _paired(end, between) / _paired(begin, between)
        return out

    def at_end(self, x: Complexes) -> Complexes:
        """Points at s = 1, with the coordinates of the joints as they were given."""
        out: Complexes = in_blocks(x, self.size).copy()
        out[..., 1] *= self.scale
        return out.reshape(x.shape)

    def system(self, x: Complexes, s: Complexes | Array) -> tuple[Complexes, Complexes, Complexes]:
        of, (order, signs), width = algebra(self.loops.parts), self._words, self.size
        m, joints, parts = len(x), self.loops.joints, len(of.inside)
        at = (s[:, None] ** np.arange(5)) @ self._coefficients
        g, x = at.reshape(m, 2, joints, width, parts), in_blocks(x, width)
        f = np.zeros((m, width + 1, joints + 1, parts), complex)  # factors, rates, by the unknowns
        f[:, :2, :-1] = (x[:, None, :, None] @ g)[..., 0, :]
        f[:, 2:, :-1] = (_across(x) @ g[:, 0]).swapaxes(1, 2)
        f[:, 0, -1, 0] = 1.0
        own: Complexes = f[:, :, order] * signs
        ahead, behind = self._products(own[:, 0])
        closed, (every, k) = len(self.loops.words), order.shape
        each = (ahead @ of.ahead).reshape(m, 1, every, k, parts, parts) @ own[:, 1:, ..., None]
        last = (behind @ of.behind).reshape(m, 1, every, k, parts, parts)
        whole = (last[:, 0, :, 0] @ own[:, 0, :, 0, :, None])[..., 0]
        vanish = last[:, :, :closed, :, of.vanish] @ each[:, :, :closed]
        values, changes = [whole[:, :closed, of.vanish]], [vanish[..., 0]]
        r, j, rate = self._rows(values[0], changes[0], order[:closed])
        if not self.loops.bars:
            return r, j, rate
        q = np.tensordot(s[:, None] ** np.arange(3), self._forms, 1)
        dq = np.tensordot(s[:, None] ** np.arange(2) * [1.0, 2.0], self._forms[1:], 1)
        ways = whole[:, closed:, None]
        slope = 2.0 * ways @ q
        change = (slope[:, None, :, None] @ (last[:, :, closed:] @ each[:, :, closed:]))[..., 0]
        more = self._rows(0.5 * (slope @ ways.swapaxes(-1, -2))[..., 0], change, order[closed:])
        moved = (ways @ dq @ ways.swapaxes(-1, -2))[..., 0, 0]
        return (
            np.concatenate([r, more[0]], axis=1),
            np.concatenate([j, more[1]], axis=1),
            np.concatenate([rate, more[2] + moved], axis=1),
        )

    def _rows(
        self, r: Complexes, each: Complexes, order: Ints
    ) -> tuple[Complexes, Complexes, Complexes]:
        """Residuals of words (m, words, n), their derivatives by the local unknowns and by s.

        Args:
            each: changes with s, then with each coordinate, (m, width, words, k, n).
        """
        m, words, n = r.shape
        free = self._free
        j = np.zeros((m, words, n, self.loops.joints + 1, free.shape[1]), complex)
        j[:, np.arange(words)[:, None], :, order] = each[:, 1:].transpose(2, 3, 0, 4, 1)
        columns = j[..., :-1, :][..., free]
        rate = each[:, 0].sum(axis=2)
        return (
            r.reshape(m, words * n),
            columns.reshape(m, words * n, free.sum()),
            rate.reshape(m, words * n),
        )

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        free = self._free
        every = np.zeros((len(x), *free.shape), complex)
        every[:, free] = local
        across = _across(in_blocks(x, self.size))
        return (every[:, :, None] @ across)[:, :, 0].reshape(x.shape)

    def _products(self, f: Complexes) -> tuple[Complexes, Complexes]:
        """The products of the factors (m, words, k, parts) ahead of each, and of those behind it.

        The conjugate of a product is that of the conjugates in reverse order, so that both are
        computed as one.
        """
        of = algebra(self.loops.parts)
        m, words, k, parts = f.shape
        both = np.stack([f, (f * of.signs)[:, :, ::-1]])
        step = (both @ of.behind).reshape(2, m, words, k, parts, parts)
        out = np.zeros((2, m, words, k, parts), complex)
        out[..., 0, 0] = 1.0
        for n in range(k - 1):
            out[:, :, :, n + 1] = (step[:, :, :, n] @ out[:, :, :, n, :, None])[..., 0]
        back: Complexes = out[1, :, :, ::-1] * of.signs
        return out[0], back


def _across(x: Complexes) -> Complexes:
    """Directions across points (m, k, n) of size 1, (m, k, n - 1, n): a reflection's columns."""
    first = np.abs(x[..., :1])
    v = x.copy()
    v[..., :1] += np.where(first > 0.0, x[..., :1] / np.where(first > 0.0, first, 1.0), 1.0)
    out: Complexes = (
        np.eye(x.shape[-1])[1:] - (x[..., 1:].conj() / (1.0 + first))[..., None] * v[..., None, :]
    )
    return out


def _conic(begin: Complexes, end: Complexes, between: Complexes) -> Complexes:
    """Through three points of the quadric of Study, or of Klein, each (joints, 8).

    Returns:
        The coefficients of 1, s and s^2, (3, joints, 8): the begin at s = 0, a multiple of the
        end at s = 1.
    """
    of_begin = _paired(begin, between)[:, None]
    more = _paired(end, between)[:, None] / of_begin - 1.0
    chord = _paired(begin, end)[:, None] / of_begin * between
    # (1 + s more) ((1 - s) begin + s end) - s (1 - s) chord: its form vanishes
    back = end - begin
    return np.stack([begin, back + more * begin - chord, more * back + chord])


def _straight(begin: Complexes, end: Complexes) -> Complexes:
    """The same where all of a linear space is on the quadric: in a plane and on a sphere."""
    return np.stack([begin, end - begin, np.zeros_like(begin)])


def _paired(one: Complexes, two: Complexes) -> Complexes:
    """The bilinear form of the quadric."""
    out: Complexes = np.sum(one[:, :4] * two[:, 4:] + one[:, 4:] * two[:, :4], axis=1)
    return out
