"""Closures of loops of hinges and slides as systems of polynomials, and paths between such systems.

A joint moves a body against the one before it by the dual quaternion

    F = G (c + s L),

G the displacement at angle 0 and L the line of a hinge (direction l, moment m: l + eps m) or the
direction u of a slide (eps u); tan(angle / 2) |l| = s / c, or the stroke is 2 s / c.  Joints of
more freedoms are several of these.  Along a loop the product of all F, or of their conjugates where
a joint is passed backwards, is a real number: its vector parts vanish, six in space, three where
all axes are normal to a plane and three where they meet in one point.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from ...foundations.types import Array, Complexes, Ints

SPACE, PLANE, SPHERE = (1, 2, 3, 5, 6, 7), (3, 5, 6), (1, 2, 3)
"""The parts of a dual quaternion that vanish where a loop is closed."""

CONJUGATE = np.array([1.0, -1, -1, -1, 1, -1, -1, -1])
"""Signs of a dual quaternion's conjugate, which is its inverse but for a factor."""


def _table() -> Array:
    """T with (p q)[k] = sum of T[i, k, j] p[i] q[j], of dual quaternions."""
    one = np.zeros((4, 4, 4))
    for i, j, k, sign in (
        *((0, n, n, 1) for n in range(4)),
        *((n, 0, n, 1) for n in range(1, 4)),
        *((n, n, 0, -1) for n in range(1, 4)),
        *((a, b, c, 1) for a, b, c in ((1, 2, 3), (2, 3, 1), (3, 1, 2))),
        *((b, a, c, -1) for a, b, c in ((1, 2, 3), (2, 3, 1), (3, 1, 2))),
    ):
        one[i, k, j] = sign
    both = np.zeros((8, 8, 8))
    both[:4, :4, :4] = both[:4, 4:, 4:] = both[4:, 4:, :4] = one
    return both


TABLE = _table()
PRODUCTS = TABLE.reshape(8, 64).astype(complex)
"""Products p q as p (..., 8) @ this, read as matrices (8, 8) that take q."""


def before(p: Complexes) -> Complexes:
    """The matrices of q -> p q, (..., 8, 8)."""
    out: Complexes = (p @ PRODUCTS).reshape(*p.shape[:-1], 8, 8)
    return out


def product(p: Complexes, q: Complexes) -> Complexes:
    """Products of dual quaternions (..., 8)."""
    out: Complexes = (before(p) @ q[..., None])[..., 0]
    return out


class Algebra(NamedTuple):
    """Products within the dual quaternions of a group of motions.

    Attributes:
        inside: their parts that are not 0; vanish: which of these do where a loop is closed.
        ahead, behind: p @ ahead and q @ behind, read as matrices, are those of q -> p q and of
            p -> p q, (parts, parts^2) each; signs: of the conjugate.
    """

    inside: Ints
    vanish: Ints
    ahead: Complexes
    behind: Complexes
    signs: Complexes


@cache
def algebra(parts: tuple[int, ...]) -> Algebra:
    """The products where these parts vanish in a closed loop."""
    own = {SPACE: range(8), PLANE: (0, 3, 5, 6), SPHERE: range(4)}[parts]
    inside = np.array(own)
    t = TABLE[np.ix_(inside, inside, inside)].astype(complex)
    n, vanish = len(inside), np.searchsorted(inside, parts)
    right = t.transpose(2, 1, 0)
    return Algebra(inside, vanish, t.reshape(n, -1), right.reshape(n, -1), CONJUGATE[inside] + 0j)


class Word(NamedTuple):
    """A loop: the joints that it passes, and the signs of their conjugates or ones, (k, 8)."""

    joints: Ints
    signs: Array


class Loops(NamedTuple):
    """Loops through joints: how many joints, which parts vanish where a loop is closed, words."""

    joints: int
    parts: tuple[int, ...]
    words: tuple[Word, ...]

    @classmethod
    def of(cls, joints: int, parts: tuple[int, ...], passed: list[list[int]]) -> Loops:
        """Loops by the joints that each passes: number + 1, less than 0 backwards."""
        words = []
        for loop in passed:
            backwards = np.array(loop) < 0
            signs = np.where(backwards[:, None], CONJUGATE, 1.0)
            words.append(Word(np.abs(loop) - 1, signs))
        return cls(joints, parts, tuple(words))


class LoopJoints(NamedTuple):
    """Of each joint G and L, (joints, 8) each."""

    displacement: Complexes
    line: Complexes

    def factors(self, x: Complexes) -> Complexes:
        """F of each joint at points (m, 2 joints), (m, joints, 8)."""
        c, s = x[:, 0::2], x[:, 1::2]
        one = product(self.displacement, self.line)
        out: Complexes = c[..., None] * self.displacement + s[..., None] * one
        return out


@dataclass(frozen=True, eq=False)
class LoopPath:
    """Loops whose joints go from some to others, each along a conic in the quadric that it is on.

    Points are c and s of one joint after the other, (m, 2 joints), each two of size 1.
    """

    loops: Loops
    begin: LoopJoints
    end: LoopJoints
    between: LoopJoints
    """A generic member, through which no straight line in its quadric goes to the others."""
    size = 2

    @cached_property
    def _coefficients(self) -> Complexes:
        """Of 1, s .. s^4: those of G and of G L, then those of their rates, (5, 4 joints parts)."""
        ends = zip(self.begin, self.end, self.between, strict=True)
        way = _conic if self.loops.parts == SPACE else _straight
        g, line = (way(*e) for e in ends)
        out = np.zeros((2, 5, 2, *g.shape[1:]), complex)
        out[0, :3, 0] = g
        for i in range(3):
            for j in range(3):
                out[0, i + j, 1] += product(g[i], line[j])
        out[1, :-1] = np.arange(1.0, 5.0)[:, None, None, None] * out[0, 1:]
        own: Complexes = out[..., algebra(self.loops.parts).inside]
        return own.swapaxes(0, 1).reshape(5, -1)

    @cached_property
    def _words(self) -> tuple[Ints, Complexes]:
        """Joints of each word, then one that does not move, (words, k); signs of their conjugates
        or ones, (words, k, parts)."""
        inside = algebra(self.loops.parts).inside
        k = max(len(w.joints) for w in self.loops.words)
        order = np.full((len(self.loops.words), k), self.loops.joints)
        signs = np.ones((*order.shape, len(inside)), complex)
        for n, word in enumerate(self.loops.words):
            order[n, : len(word.joints)] = word.joints
            signs[n, : len(word.joints)] = word.signs[:, inside]
        return order, signs

    @cached_property
    def scale(self) -> Complexes:
        """What the lines at s = 1 are multiples by of those given, (joints,)."""
        if self.loops.parts != SPACE:
            return np.ones(self.loops.joints, complex)
        out: Complexes = _paired(self.end.line, self.between.line) / _paired(
            self.begin.line, self.between.line
        )
        return out

    def at_end(self, x: Complexes) -> Complexes:
        """Points at s = 1, with s of the joints as they were given."""
        out: Complexes = x.copy()
        out[:, 1::2] *= self.scale
        return out

    def system(self, x: Complexes, s: Complexes | Array) -> tuple[Complexes, Complexes, Complexes]:
        of, (order, signs) = algebra(self.loops.parts), self._words
        m, joints, parts = len(x), self.loops.joints, len(of.inside)
        at = (s[:, None] ** np.arange(5)) @ self._coefficients
        g = at.reshape(m, 2, 2, joints, parts)
        c, t = x[:, None, 0::2, None], x[:, None, 1::2, None]
        f = np.zeros((m, 3, joints + 1, parts), complex)  # factors, their rates, by the unknowns
        f[:, :2, :-1] = c * g[:, :, 0] + t * g[:, :, 1]
        f[:, 2, :-1] = c[:, 0].conj() * g[:, 0, 1] - t[:, 0].conj() * g[:, 0, 0]
        f[:, 0, -1, 0] = 1.0
        own: Complexes = f[:, :, order] * signs
        ahead, behind = self._products(own[:, 0])
        n, words, k = len(of.vanish), *order.shape
        each = (ahead @ of.ahead).reshape(m, 1, words, k, parts, parts) @ own[:, 1:, ..., None]
        last = (behind @ of.behind).reshape(m, 1, words, k, parts, parts)[..., of.vanish, :]
        each = (last @ each)[..., 0]
        r = (last[:, 0, :, 0] @ own[:, 0, :, 0, :, None])[..., 0]
        j = np.zeros((m, words, n, joints + 1), complex)
        j[:, np.arange(words)[:, None], :, order] = each[:, 1].transpose(1, 2, 0, 3)
        rate = each[:, 0].sum(axis=2)
        flat = m, words * n
        return r.reshape(flat), j[..., :-1].reshape(*flat, joints), rate.reshape(flat)

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        across = np.stack([-x[:, 1::2].conj(), x[:, 0::2].conj()], axis=2)
        out: Complexes = (local[..., None] * across).reshape(x.shape)
        return out

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


def _straight(begin: Complexes, end: Complexes, between: Complexes) -> Complexes:
    """The same where all of a linear space is on the quadric: in a plane and on a sphere."""
    return np.stack([begin, end - begin, np.zeros_like(begin)])


def _paired(one: Complexes, two: Complexes) -> Complexes:
    """The bilinear form of the quadric."""
    out: Complexes = np.sum(one[:, :4] * two[:, 4:] + one[:, 4:] * two[:, :4], axis=1)
    return out
