"""How many closures generic hinged loops in a plane have in complex numbers: counted, not computed.

The turns z of the links solve sum of a z = 0 and sum of b / z = 0 (`turn_paths`): z is in a linear
space, 1 / z in another one.  To multiply the turn of each link by a number of its own is to draw
other places of hinges, so that the two meet like surfaces in general position (Kleiman): where
their tropical limits do, in as many points.  These limits depend on the matroids of the spaces
alone.  Logarithms x of |z| and y of |1 / z| are in one each, and x + y are given numbers, the same
up to a constant.  The number of one link is taken to be far ahead: of each other link either x or
y is near that of this one and the other one far behind, which splits the matroids.

Source: O. Clarke, S. Dewar, D. Green Tripp, J. Maxwell, A. Nixon, Y. Ren and B. Smith, A tropical
approach to rigidity, arXiv 2502.10255 (realisations of frameworks of bars as an intersection of
this kind); J. Capco, M. Gallet, G. Grasegger, C. Koutschan, N. Lubbes and J. Schicho, The number of
realizations of a Laman graph, arXiv 1701.05500 (the first recursion).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ...foundations.numerics.rounding import FAINT
from .loop_factors import RandomComplexes
from .turn_paths import TurnLoops


def closure_count(loops: TurnLoops) -> int:
    """How many closures loops have if the places of their hinges are generic, in complex numbers.

    Links are the bits of a number.  A minor of the matroid has the links of a set that are left
    when those of another one are contracted and all others deleted.
    """
    rank = _ranks(loops)

    def is_open(links: int, contracted: int) -> bool:
        """Whether no link of a minor is a loop of it."""
        each = (1 << k for k in range(loops.links) if links >> k & 1)
        return all(rank[contracted | link] > rank[contracted] for link in each)

    @cache
    def meeting(links: int, x: int, y: int) -> int:
        """In how many points two minors meet that have the same links; contracted: x and y."""
        if not links:
            return 1
        ranks = rank[links | x] - rank[x] + rank[links | y] - rank[y]
        if ranks != links.bit_count() + 1 or not (is_open(links, x) and is_open(links, y)):
            return 0
        first, out = links & -links, 0
        rest = near = links - first
        while True:  # of each set of links whose x are near that of the first one
            far = rest - near
            if part := meeting(near, x, y | first | far):
                out += part * meeting(far, x | first | near, y)
            if not near:
                return out
            near = (near - 1) & rest

    return meeting((1 << loops.links) - 1, 0, 0)


def _ranks(loops: TurnLoops) -> list[int]:
    """The rank of each set of links: how many of their turns may be chosen if x + i y closes.

    Of generic places; these are drawn.
    """
    spans = loops.spans(RandomComplexes(0)(2, *loops.ends.shape))[0]
    sets = np.arange(2**loops.links)[:, None] >> np.arange(loops.links) & 1
    closing = np.linalg.matrix_rank(spans * (1 - sets[:, None]), tol=FAINT)
    out: list[int] = (sets.sum(axis=1) - len(spans) + closing).tolist()
    return out
