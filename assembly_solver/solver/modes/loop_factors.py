"""Closures of loops of joints as systems of polynomials.

A joint moves a body against the one before it by the dual quaternion

    F = G (c + s L),

G the displacement at angle 0 and L the line of a hinge (direction l, moment m: l + eps m) or the
direction u of a slide (eps u); tan(angle / 2) |l| = s / c, or the stroke is 2 s / c.  A cross and a
cylinder are two of these factors.  That of a ball is linear in four coordinates, which multiply 1
and the lines through its centre along the axes, and so is that of a plate on a plane: 1, the normal
and the slides across it.  Along a loop the product of all F, or of their conjugates where
a joint is passed backwards, is a real number: its vector parts vanish, six in space, three where
all axes are normal to a plane and three where they meet in one point.  A distance of two points is
a quadric in the product along the way from one to the other (`platform_forms`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
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
    """A loop: the factors that it passes, and the signs of their conjugates or ones, (k, 8)."""

    joints: Ints
    signs: Array


class Loops(NamedTuple):
    """Loops through joints.

    Attributes:
        joints: how many factors there are; parts: which vanish where a loop is closed.
        words: the loops; bars: the ways from one end of each distance to the other.
        kinds: letters of the factors: R a hinge or a slide on any line, X and x hinges through a
            point, c a slide along a direction, S a ball, E a plate on a plane.  A small letter is
            of the same joint as the factor before it, against which it is not displaced.
    """

    joints: int
    parts: tuple[int, ...]
    words: tuple[Word, ...]
    kinds: str
    bars: tuple[Word, ...] = ()

    @classmethod
    def of(
        cls,
        kinds: str,
        parts: tuple[int, ...],
        passed: list[list[int]],
        bars: list[list[int]] | None = None,
    ) -> Loops:
        """Loops by the factors that each passes: number + 1, less than 0 backwards."""
        words, ways = ([_word(w) for w in own] for own in (passed, bars or []))
        return cls(len(kinds), parts, tuple(words), kinds, tuple(ways))

    @property
    def width(self) -> int:
        """How many coordinates a factor has, those that it does not need are 0."""
        return 4 if {*"SE"} & {*self.kinds} else 2

    @property
    def leads(self) -> list[int]:
        """The factors that are displaced."""
        return [n for n, kind in enumerate(self.kinds) if kind.isupper()]


def _word(passed: list[int]) -> Word:
    backwards = np.array(passed, int) < 0
    signs = np.where(backwards[:, None], CONJUGATE, 1.0)
    return Word(np.abs(np.array(passed, int)) - 1, signs)


class LoopJoints(NamedTuple):
    """Dimensions of loops.

    Attributes:
        displacement: G of each factor; line: L of R, else direction and point, (factors, 8) each.
        bars: a point on the link at the end of each distance, one on that at its beginning, and the
            square of the distance, (distances, 7).
    """

    displacement: Complexes
    line: Complexes
    bars: Complexes = np.zeros((0, 7), complex)

    def basis(self, loops: Loops) -> Complexes:
        """What the coordinates of each factor multiply but for G, (factors, width, 8)."""
        line = np.zeros((3, *self.line.shape), complex)
        line[0] = self.line
        out: Complexes = basis_of(loops, line)[0]
        return out

    def factors(self, loops: Loops, x: Complexes) -> Complexes:
        """F of each factor at points (m, factors width), (m, factors, 8)."""
        inner = in_blocks(x, loops.width)[..., None, :] @ self.basis(loops)
        return product(self.displacement, inner[..., 0, :])


def in_blocks(x: Complexes, width: int) -> Complexes:
    """Points (m, n) as the coordinates of one factor after the other, (m, n / width, width)."""
    return x.reshape(len(x), x.shape[1] // width, width)


class RandomComplexes:
    """Complex numbers of a normal distribution."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, *shape: int) -> Complexes:
        out: Complexes = self.rng.normal(size=shape) + 1j * self.rng.normal(size=shape)
        return out


def drawn_joints(loops: Loops, drawn: Callable[..., Complexes]) -> LoopJoints:
    """Generic joints, on the quadrics of Study and of Klein."""
    out, bars = drawn(2, loops.joints, 8), drawn(len(loops.bars), 7)
    own = [n for n, kind in enumerate(loops.kinds) if kind == "R"]
    out[1][own, 0] = out[1][own, 4] = 0.0
    if loops.parts != SPACE:
        out[..., 4:] = 0.0
        return LoopJoints(out[0], out[1])
    for those, v in ((loops.leads, out[0]), (own, out[1])):
        real, dual = v[those, :4], v[those, 4:]
        share = np.sum(real * dual, axis=1) / np.sum(real * real, axis=1)
        v[those, 4:] = dual - share[:, None] * real
    for n, kind in enumerate(loops.kinds):
        if kind.islower():
            out[0, n] = np.eye(8)[0]
            shared = slice(5, 8) if kind == "x" else slice(1, 4)
            out[1, n, shared] = out[1, n - 1, shared]
    return LoopJoints(out[0], out[1], bars)


PLATE = np.array([[0.48, 0.6, 0.64], [-0.8, 0.0, 0.6]])
"""Directions, of which the normal of no plate is one: with it they span its displacements."""


def basis_of(loops: Loops, line: Complexes) -> Complexes:
    """What the coordinates of each factor multiply, along a path.

    Args:
        line: coefficients of 1, s, s^2 of L, or of direction and point, (3, factors, 8).

    Returns:
        Coefficients of 1, s, s^2, (3, factors, width, 8).
    """
    out = np.zeros((3, len(loops.kinds), loops.width, 8), complex)
    out[0, :, 0, 0] = 1.0
    for n, kind in enumerate(loops.kinds):
        own, (way, point) = out[:, n], (line[:, n, 1:4], line[:, n, 5:])
        if kind == "R":
            own[:, 1] = line[:, n]
        elif kind == "c":
            own[:, 1, 5:] = way
        elif kind == "S":
            own[0, 1:, 1:4] = np.eye(3)
            own[:, 1:, 5:] = np.cross(point[:, None], np.eye(3))
        elif kind == "E":
            own[:, 1, 1:4] = way
            own[:, 2:, 5:] = np.cross(way[:, None], PLATE)
        else:
            own[:, 1, 1:4] = way
            own[0, 1, 5:] = np.cross(point[0], way[0])
            own[1, 1, 5:] = np.cross(point[0], way[1]) + np.cross(point[1], way[0])
            own[2, 1, 5:] = np.cross(point[1], way[1])
    return out
