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
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...foundations.types import Array, Complexes, Ints

SPACE, PLANE, SPHERE = (1, 2, 3, 5, 6, 7), (3, 5, 6), (1, 2, 3)
"""The parts of a dual quaternion that vanish where a loop is closed."""

CONJUGATE = np.array([1.0, -1, -1, -1, 1, -1, -1, -1])
"""Signs of a dual quaternion's conjugate, which is its inverse but for a factor."""


def _table() -> Array:
    """Products p q as p (..., 8) @ this (8, 64), read as matrices (8, 8) that take q."""
    one = np.zeros((4, 4, 4))  # of p, of the product, of q
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
    return both.reshape(8, 64)


PRODUCTS = _table()


def before(p: Complexes) -> Complexes:
    """The matrices of q -> p q, (..., 8, 8)."""
    out: Complexes = (p @ PRODUCTS).reshape(*p.shape[:-1], 8, 8)
    return out


def product(p: Complexes, q: Complexes) -> Complexes:
    """Products of dual quaternions (..., 8)."""
    out: Complexes = np.einsum("...kj,...j->...k", before(p), q)
    return out


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

    @cached_property
    def _coefficients(self) -> tuple[Complexes, Complexes]:
        """Of 1, s .. s^4: those of G and of G L, (5, joints, 8) each."""
        ends = zip(self.begin, self.end, self.between, strict=True)
        way = _conic if self.loops.parts == SPACE else _straight
        g, line = (way(*e) for e in ends)
        both = np.zeros((5, *g.shape[1:]), complex)
        for i in range(3):
            for j in range(3):
                both[i + j] += product(g[i], line[j])
        return np.concatenate([g, np.zeros_like(g[:2])]), both

    @cached_property
    def _rates(self) -> tuple[Complexes, Complexes]:
        n = np.arange(1.0, 5.0)[:, None, None]
        g, both = (n * c[1:] for c in self._coefficients)
        return g, both

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

    def system(self, x: Complexes, s: Array) -> tuple[Complexes, Complexes]:
        g, both = _at(s, *self._coefficients)
        c, t = x[:, 0::2], x[:, 1::2]
        f = c[..., None] * g + t[..., None] * both
        moved = -t.conj()[..., None] * g + c.conj()[..., None] * both
        k = len(self.loops.parts)
        r = np.empty((len(x), k * len(self.loops.words)), complex)
        j = np.zeros((len(x), r.shape[1], self.loops.joints), complex)
        for n, word in enumerate(self.loops.words):
            value, each = self._products(word, f, moved)
            rows = slice(k * n, k * (n + 1))
            r[:, rows] = value[:, self.loops.parts]
            j[:, rows, word.joints] = each[:, self.loops.parts]
        return r, j

    def rate(self, x: Complexes, s: Array) -> Complexes:
        g, both = _at(s, *self._coefficients)
        g_rate, both_rate = _at(s, *self._rates)
        c, t = x[:, 0::2, None], x[:, 1::2, None]
        f, moved = c * g + t * both, c * g_rate + t * both_rate
        each = [self._products(word, f, moved)[1].sum(axis=2) for word in self.loops.words]
        out: Complexes = np.concatenate([e[:, self.loops.parts] for e in each], axis=1)
        return out

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        across = np.stack([-x[:, 1::2].conj(), x[:, 0::2].conj()], axis=2)
        out: Complexes = (local[..., None] * across).reshape(x.shape)
        return out

    def scaled(self, x: Complexes) -> Complexes:
        each = x.reshape(len(x), self.loops.joints, 2)
        out: Complexes = (each / np.linalg.norm(each, axis=2)[..., None]).reshape(x.shape)
        return out

    @staticmethod
    def _products(word: Word, f: Complexes, moved: Complexes) -> tuple[Complexes, Complexes]:
        """The product along a loop, (m, 8), and those with one factor moved, (m, 8, joints)."""
        own, other = (before(v[:, word.joints] * word.signs) for v in (f, moved))
        k = own.shape[1]
        behind = [np.broadcast_to(np.eye(8)[0], (len(f), 8))]
        for n in range(k - 1, -1, -1):
            behind.append(np.einsum("mij,mj->mi", own[:, n], behind[-1]))
        each = np.empty((len(f), 8, k), complex)
        ahead: Complexes = np.broadcast_to(np.eye(8, dtype=complex), own[:, 0].shape)
        for n in range(k):
            each[..., n] = (ahead @ (other[:, n] @ behind[k - 1 - n][..., None]))[..., 0]
            ahead = ahead @ own[:, n]
        return behind[-1], each


def _at(s: Array, *coefficients: Complexes) -> list[Complexes]:
    """Polynomials with some coefficients (k, joints, 8) at some s (m,): (m, joints, 8)."""
    powers = s[:, None] ** np.arange(len(coefficients[0]))
    return [np.tensordot(powers, c, 1) for c in coefficients]


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
