"""All solutions of generic members of families of systems, from one solution of each.

A solution is carried round loops of complex parameters, from which it comes back as another one,
until there are as many as are known to be, or loops bring no more.

Source: A. J. Sommese and C. W. Wampler, The numerical solution of systems of polynomials, World
Scientific 2005, section 15.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ...foundations.numerics.homotopy import (
    UNWATCHED,
    QuadricPath,
    SystemPath,
    follow,
    meeting,
    unit,
)
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Complexes
from ...foundations.watch import Watch
from .closure_count import closure_count
from .loop_factors import (
    CONJUGATE,
    LoopJoints,
    Loops,
    RandomComplexes,
    Word,
    before,
    drawn_joints,
    product,
)
from .loop_paths import LoopPath
from .loop_structure import Structure, loops_of
from .platform_forms import as_contacts, distance_forms, forms
from .turn_paths import TurnLoops, TurnPath

MOST_ROOTS = 512
"""Solutions of a structure up to which they are searched."""

MOST_LOOPS = 5
"""Loops in a plane up to which closures are searched: some seconds."""

MOST_ON_SPHERE = 3
"""The same on a sphere."""

IDLE = 4
"""Laps without a new solution after which the search ends."""

MOST_LAPS = 200
"""Laps after which solutions are no longer searched, were it that rounding made new ones."""


def carried_round(
    first: Complexes,
    lap: Callable[[Complexes], tuple[Complexes, Any]],
    size: int,
    count: int | None = None,
) -> Complexes:
    """All solutions, (roots, n), that laps bring from a first one, (n,).

    Args:
        size: how many coordinates are homogeneous together; count: how many there are, if known:
            then no lap is made to see whether more come.

    Raises:
        RuntimeError: the laps did not end.
    """
    found, idle = first[None], 0
    for _ in range(MOST_LAPS):
        if len(found) == count or idle == IDLE:
            return found
        points, good = lap(found)
        every = np.concatenate([found, points[good]])
        every = every[~meeting(every, size)]
        idle = idle + 1 if len(every) == len(found) else 0
        found = every
        if len(found) > MOST_ROOTS:
            break
    raise RuntimeError(f"{len(found)} solutions after {MOST_LAPS} laps, and more come")


# ---------------------------------------------------------------------------------- distances
def generic_distances(seed: int) -> tuple[Complexes, Complexes]:
    """Generic parameters of six distances, and all solutions, (roots, 8)."""
    drawn = RandomComplexes(seed)
    x, parameters = drawn(8), drawn(6, 7)
    e = x[:4]
    x[4:] -= e * (e @ x[4:]) / (e @ e)
    parameters[:, -1] = 0.0
    square = np.einsum("j,ijk,k->i", x, forms(as_contacts(parameters))[:6], x) / (e @ e)
    square[1:] += square[0]
    parameters[:, -1] = square

    def lap(points: Complexes) -> tuple[Complexes, Any]:
        good = np.ones(len(points), bool)
        stops = [parameters, drawn(6, 7), drawn(6, 7), parameters]
        for begin, end in pairwise(stops):
            path = QuadricPath.through(
                *(forms(as_contacts(p)) for p in (begin, 0.5 * (begin + end), end))
            )
            points, good = _onward(path, points, good)
        return points, good

    return parameters, carried_round(x, lap, 8)


def _onward(
    path: SystemPath, points: Complexes, good: Any, watch: Watch = UNWATCHED
) -> tuple[Complexes, Any]:
    ends = follow(path, points, watch=watch)
    return ends.points, good & (ends.s >= 1.0)


# ---------------------------------------------------------------------------------- loops
def generic_loops(
    loops: Loops, seed: int, watch: Watch = UNWATCHED
) -> tuple[LoopJoints, Complexes]:
    """Generic joints of some loops, and all ways to close them, (roots, factors width).

    Raises:
        RuntimeError: there are more than so many, or no end.
        Stopped: the watch interrupted it.
    """
    drawn = RandomComplexes(seed)
    x, joints = drawn(1, loops.joints, loops.width), drawn_joints(loops, drawn)
    x[:, np.arange(loops.width) >= 2 ** (1 + np.isin([*loops.kinds], [*"SE"]))[:, None]] = 0.0
    x = x.reshape(1, -1)
    for word in loops.words:
        _close(loops, word.joints.tolist(), word.signs, joints, x)
    forms = distance_forms(joints.bars)
    for bar, word, form in zip(joints.bars, loops.bars, forms, strict=True):
        way = along(joints.factors(loops, x), word)[0]
        bar[6] += way @ form @ way / (way[:4] @ way[:4])

    def lap(points: Complexes) -> tuple[Complexes, Any]:
        good = np.ones(len(points), bool)
        stops = [joints, drawn_joints(loops, drawn), drawn_joints(loops, drawn), joints]
        for begin, end in pairwise(stops):
            path = LoopPath(loops, begin, end, drawn_joints(loops, drawn))
            points, good = _onward(path, points, good, watch)
            points = unit(path.at_end(points), loops.width)
        return points, good

    first = unit(x, loops.width)
    return joints, carried_round(first[0], lap, loops.width)


def along(factors: Complexes, word: Word) -> Complexes:
    """Products (m, 8) of factors (m, factors, 8) along a way."""
    out = np.zeros((len(factors), 8), complex)
    out[:, 0] = 1.0
    for n, signs in zip(word.joints, word.signs, strict=True):
        out = product(out, factors[:, n] * signs)
    return out


def _close(loops: Loops, word: list[int], signs: Any, joints: LoopJoints, x: Complexes) -> None:
    """Choose the displacement of a joint that no other loop passes so that a loop is closed."""
    passes = [sum(n in w.joints for w in loops.words) for n in word]
    k = next(k for k, n in enumerate(word) if passes[k] == 1 and n in loops.leads)
    own = word[k]
    factors = joints.factors(loops, x)
    passed = np.array(word)
    ahead, behind = (
        along(factors, Word(passed[p], signs[p])) for p in (slice(k), slice(k + 1, None))
    )
    inner = LoopJoints(np.eye(8, dtype=complex)[[0] * loops.joints], joints.line)
    turn = inner.factors(loops, x)[0, own]
    factor = product(behind, ahead)[0] * CONJUGATE * signs[k]
    found = before(factor) @ (turn * CONJUGATE)
    joints.displacement[own] = found / np.linalg.norm(found)


def generic_arcs(structure: Structure, watch: Watch = UNWATCHED) -> tuple[LoopJoints, Complexes]:
    """Generic loops on a sphere, and all ways to close them, by the trace test.

    Raises:
        RuntimeError: there are too many loops, or not all were found.
        Stopped: the watch interrupted it.
    """
    loops = loops_of("sphere", structure)
    if len(loops.words) > MOST_ON_SPHERE:
        raise RuntimeError(f"{len(loops.words)} loops")
    joints, found = generic_loops(loops, 1, watch)
    if loop_trace_defect(loops, joints, found, structure) > AGREEMENT:
        raise RuntimeError(f"{len(found)} solutions")
    return joints, found


def loop_trace_defect(
    loops: Loops, joints: LoopJoints, solutions: Complexes, structure: Structure
) -> float:
    """How far closures with a distance, or on a sphere, are from being all: 0 only if they are.

    The square of the first distance is moved, or the cosine of the arc between two hinges of a
    link.  It is linear in quadratic forms of the displacement e + eps g between the links at both
    ends, over e e: forms in e over e e grow without bound only where it does, and no faster.
    Their sums over all solutions are linear in the shift; those over some are not.  On a sphere
    each chain is tried: an arc of a loop that closes before others tells nothing of these.
    """
    ways = loops.bars[:1] or tuple(_arcs(structure))
    return max(_defect_by(way, loops, joints, solutions) for way in ways)


def _arcs(structure: Structure) -> Iterator[Word]:
    """The first two hinges of each chain; links have less than three on average: there are such."""
    first = 0
    for _, _, length in structure:
        if length > 1:
            yield Word(np.array([first, first + 1]), np.ones((2, 8)))
        first += length


def _defect_by(way: Word, loops: Loops, joints: LoopJoints, solutions: Complexes) -> float:
    """The same by one distance, or one arc."""
    drawn, points = RandomComplexes(7), solutions
    step, weights = drawn(1)[0], drawn(4, 4)
    begin, sums = joints, []
    for shift in step * np.arange(3):
        if loops.bars:
            bars = joints.bars.copy()
            bars[0, 6] += shift
            end = joints._replace(bars=bars)
        else:
            end = joints._replace(displacement=_other_arc(joints, int(way.joints[0]), shift))
        path = LoopPath(loops, begin, end, drawn_joints(loops, drawn))
        points, begin = unit(path.at_end(follow(path, points).points), loops.width), end
        e = along(end.factors(loops, points), way)[:, :4]
        sums.append(np.sum(np.sum((e @ weights) * e, axis=1) / np.sum(e * e, axis=1)))
    return float(abs(sums[0] - 2.0 * sums[1] + sums[2]) / np.abs(sums).max())


def _other_arc(joints: LoopJoints, first: int, shift: complex) -> Complexes:
    """Displacements with another cosine of the arc from a hinge on a sphere to the next one."""
    out, other = joints.displacement.copy(), RandomComplexes(3)(8)
    one, two = joints.line[first], joints.line[first + 1]
    other[4:] = 0.0

    def cosine(g: Complexes) -> Complexes:
        """It, times g g, and g g."""
        turned = product(product(g, two), g * CONJUGATE)
        return np.array([one[1:4] @ turned[1:4], g[:4] @ g[:4]])

    g = out[first + 1]
    value, size = cosine(g)
    asked = value / size + shift
    at = [v - asked * n for v, n in (cosine(g + t * other) for t in (-1.0, 0.0, 1.0))]
    roots = np.roots([(at[0] + at[2]) / 2.0 - at[1], (at[2] - at[0]) / 2.0, at[1]])
    out[first + 1] = g + roots[np.argmin(np.abs(roots))] * other
    return out


# ---------------------------------------------------------------------------------- hinges
def generic_hinges(
    loops: TurnLoops, seed: int, watch: Watch = UNWATCHED
) -> tuple[Complexes, Complexes]:
    """Generic places of the hinges of planar loops, and all ways to close them.

    Returns:
        Places on the two links of each, (2, hinges, 2), and turns, (roots, 2 links - 2).

    Raises:
        RuntimeError: there are too many loops, or laps do not bring as many as are counted.
        Stopped: the watch interrupted it.
    """
    if len(loops.passed) > MOST_LOOPS:
        raise RuntimeError(f"{len(loops.passed)} loops")
    count = closure_count(loops)
    drawn, shape = RandomComplexes(seed), loops.ends.shape
    x, places = drawn(2 * loops.links - 2), drawn(2, *shape)
    turns = np.concatenate([[1.0], x[0::2] / x[1::2]])
    once = np.count_nonzero(loops.passed[..., 0], axis=0) == 1
    for n, own in enumerate(loops.passed):  # the hinge that no other loop passes closes it
        k = int(np.flatnonzero(once & (own[:, 0] != 0.0))[0])
        open_by, turn = loops.spans(places)[:, n], turns[loops.ends[k, 0]]
        places[0, k, 0] -= own[k, 0] * (open_by[0] @ turns) / turn
        places[1, k, 0] -= own[k, 0] * (open_by[1] @ (1.0 / turns)) * turn

    def lap(points: Complexes) -> tuple[Complexes, Any]:
        good = np.ones(len(points), bool)
        stops = [loops.spans(p) for p in (places, drawn(2, *shape), drawn(2, *shape), places)]
        for begin, end in pairwise(stops):
            points, good = _onward(TurnPath(begin, end), points, good, watch)
        return points, good

    found = carried_round(unit(x[None], 2)[0], lap, 2, count=count)
    if len(found) != count:
        raise RuntimeError(f"{len(found)} of {count} solutions")
    return places, found
