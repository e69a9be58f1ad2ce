"""Closures of hinged loops in a plane by the turns of their links, and paths between such loops.

A link that is turned by an angle t multiplies the places x + i y of its hinges by z = e^(it), and
x - i y by 1 / z.  Round a loop the links lead back to the start:

    sum of a z = 0   and   sum of b / z = 0,

a and b what the links span between the hinges by which the loop enters and leaves them.  In complex
numbers a and b are independent.  The first link is fixed: its turn is 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...foundations.types import Array, Complexes, Ints
from .loop_factors import LoopJoints
from .loop_structure import Structure, links_of, loops_of


class TurnLoops(NamedTuple):
    """Hinged loops in a plane.

    Attributes:
        ends: the two links of each hinge, (hinges, 2); links: how many there are.
        passed: 1 where a loop leaves a link by a hinge, -1 where it enters, (loops, hinges, 2).
    """

    ends: Ints
    links: int
    passed: Array

    @classmethod
    def of(cls, structure: Structure) -> TurnLoops:
        """The loops of a structure, as `loops_of` has them."""
        ends, words = np.array(links_of(structure)), loops_of("plane", structure).words
        passed = np.zeros((len(words), *ends.shape))
        for own, word in zip(passed, words, strict=True):
            own[word.joints] = word.signs[:, 1:2] * [1.0, -1.0]
        return cls(ends, int(ends.max()) + 1, passed)

    def spans(self, places: Complexes) -> Complexes:
        """What the links span in each loop, (2, loops, links): of x + i y and of x - i y.

        Args:
            places: of the hinges on their two links, (2, hinges, 2).
        """
        out = np.zeros((self.links, 2, len(self.passed)), complex)
        np.add.at(
            out,
            self.ends.ravel(),
            (self.passed * places[:, None]).reshape(2, -1, self.ends.size).transpose(2, 0, 1),
        )
        return out.transpose(1, 2, 0)


@dataclass(frozen=True, eq=False)
class TurnPath:
    """Loops whose hinges go straight from some places to others, (2, hinges, 2) each.

    Points are u and v of the turn u / v of one link after the other, each two of size 1, but of the
    first link, (m, 2 links - 2).
    """

    begin: Complexes
    end: Complexes
    """Spans at s = 0 and at s = 1, (2, loops, links) each."""
    size = 2

    def system(self, x: Complexes, s: Complexes | Array) -> tuple[Complexes, Complexes, Complexes]:
        u, v = x[:, 0::2], x[:, 1::2]
        turns = np.stack([u / v, v / u], axis=1)[..., None]
        by = np.stack([-1.0 / (v * v), 1.0 / (u * u)], axis=1)  # of a step across a point
        change = self.end - self.begin
        spans = self.begin + s[:, None, None, None] * change
        m, n = u.shape
        j = (spans[..., 1:] * by[:, :, None]).reshape(m, n, n)
        r = (spans[..., 1:] @ turns)[..., 0] + spans[..., 0]
        rate = (change[..., 1:] @ turns)[..., 0] + change[..., 0]
        return r.reshape(m, n), j, rate.reshape(m, n)

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        across = np.stack([-x[:, 1::2].conj(), x[:, 0::2].conj()], axis=2)
        out: Complexes = (local[..., None] * across).reshape(x.shape)
        return out

    def at_end(self, x: Complexes) -> Complexes:
        return x


def hinge_joints(places: Complexes) -> LoopJoints:
    """Hinges at places on their two links, (2, hinges, 2), as joints of `LoopPath`."""
    x, y = places.sum(axis=0) / 2.0, (places[0] - places[1]) / 2j
    g, line = np.zeros((2, len(x), 8), complex)
    g[:, 0], line[:, 3] = 1.0, 1.0
    g[:, 5], g[:, 6] = (x[:, 0] - x[:, 1]) / 2.0, (y[:, 0] - y[:, 1]) / 2.0
    line[:, 5], line[:, 6] = y[:, 1], -x[:, 1]
    return LoopJoints(g, line)


def hinge_points(loops: TurnLoops, turns: Complexes) -> Complexes:
    """Turns of the links but the first, (m, links - 1), as points of `LoopPath`, (m, 2 hinges)."""
    every = np.concatenate([np.ones((len(turns), 1)), turns], axis=1)
    turn = every[:, loops.ends[:, 1]] / every[:, loops.ends[:, 0]]
    out: Complexes = np.stack([turn + 1.0, -1j * (turn - 1.0)], axis=2).reshape(len(turns), -1)
    return out
