"""All solutions of generic members of families of systems, from one solution of each.

A solution is carried round loops of complex parameters, from which it comes back as another one,
until loops bring no more.  The files of start systems are written by

    python -m assembly_solver.solver.modes.monodromy

Source: A. J. Sommese and C. W. Wampler, The numerical solution of systems of polynomials, World
Scientific 2005, section 15.4.
"""

from __future__ import annotations

from collections.abc import Callable
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
from ...foundations.numerics.rounding import AGREEMENT, FAINT
from ...foundations.types import Complexes
from ...foundations.watch import Watch
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
from .loop_starts import LOOP_STARTS, name_of
from .loop_structure import Structure, links_of, loops_of, ordered
from .platform_forms import distance_forms, forms
from .platform_poses import PLATFORM_STARTS
from .trusses import trusses
from .turn_paths import TurnLoops, TurnPath

ROOTS = 40
"""Number of poses by six distances.  Source: F. Ronga and T. Vust, Stewart platforms without
computer?, 1995."""

ROOTS_OF_LOOPS = {
    ("space", ((0, 0, 6),)): 16,
    ("sphere", ((0, 0, 3),)): 2,
    ("sphere", ((0, 1, 2),) * 3): 8,
}
"""Numbers of closures of loops in space and on a sphere.

The 16 are published (docs/modes.md); on a sphere links are quadrics in the parameters of a
rotation, of which three meet in 8 points.
"""

THREE_CIRCLES = ("RS", "RS", "RS")
"""A link on three legs of a hinge and a ball each: points on circles at given distances.

In tan of half the angles these are three equations of degree 2 in two of three unknowns each, that
have at most 16 solutions: the coefficient of abc in (2a + 2b)(2b + 2c)(2c + 2a).
"""

LEGS = (
    THREE_CIRCLES,
    ("S", "D", "D", "D"),
    ("U", "D", "D"),
    ("C", "D", "D"),
    ("RR", "D", "D"),
    ("RS", "RS", "D", "D"),
    ("RS", "D", "D", "D", "D"),
    ("S", "RS", "D"),
    ("E", "D", "D", "D"),
    ("E", "RS", "D"),
    ("UR", "D", "D", "D"),
    ("UR", "RS", "D"),
    ("RRR", "D", "D", "D"),
    ("RRR", "RS", "D"),
    ("RRS", "RS", "RS", "D"),
)
"""Legs between two links of which the closures are kept, by the letters of their joints."""

ROCKERS = (((0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 2, 1), (1, 3, 1), (2, 3, 1)), "DDRDRR")
"""Three links, each on a hinge, with a distance between each two of them."""

MOST_LOOPS = 4
"""Loops in a plane up to which the structures are kept of which closures are confirmed."""

SEEDS = 8
"""Draws of generic places until their closures are told to be all."""

MOST_ROOTS = 512
"""Solutions of a structure up to which they are searched."""

IDLE = 4
"""Laps without a new solution after which the search ends."""

MOST_LAPS = 200
"""Laps after which solutions are no longer searched, were it that rounding made new ones."""


def carried_round(
    first: Complexes,
    lap: Callable[[Complexes], tuple[Complexes, Any]],
    size: int,
    most: int = MOST_ROOTS,
) -> Complexes:
    """All solutions, (roots, n), that laps bring from a first one, (n,).

    Args:
        size: how many coordinates are homogeneous together.

    Raises:
        RuntimeError: the laps did not end.
    """
    found, idle = first[None], 0
    for _ in range(MOST_LAPS):
        if idle == IDLE:
            return found
        points, good = lap(found)
        every = np.concatenate([found, points[good]])
        every = every[~meeting(every, FAINT, size)]
        idle = idle + 1 if len(every) == len(found) else 0
        found = every
        if len(found) > most:
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
    square = np.einsum("j,ijk,k->i", x, forms(parameters)[:6], x) / (e @ e)
    square[1:] += square[0]
    parameters[:, -1] = square

    def lap(points: Complexes) -> tuple[Complexes, Any]:
        good = np.ones(len(points), bool)
        stops = [parameters, drawn(6, 7), drawn(6, 7), parameters]
        for begin, end in pairwise(stops):
            path = QuadricPath.through(*(forms(p) for p in (begin, 0.5 * (begin + end), end)))
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
    loops: Loops, seed: int, watch: Watch = UNWATCHED, most: int = MOST_ROOTS
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
    return joints, carried_round(first[0], lap, loops.width, most)


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


def loop_trace_defect(loops: Loops, joints: LoopJoints, solutions: Complexes) -> float:
    """How far closures of loops with a distance are from being all: 0 only if they are.

    The square of the first distance is moved.  It is linear in quadratic forms of the displacement
    e + eps g between the links of its ends, over e e: forms in e over e e grow without bound only
    where it does, and no faster.  Their sums over all solutions are linear in the shift; those over
    some are not.
    """
    drawn, points = RandomComplexes(7), solutions
    step, weights = drawn(1)[0], drawn(4, 4)
    begin, sums = joints, []
    for shift in step * np.arange(3):
        bars = joints.bars.copy()
        bars[0, 6] += shift
        end = joints._replace(bars=bars)
        path = LoopPath(loops, begin, end, drawn_joints(loops, drawn))
        points, begin = unit(path.at_end(follow(path, points).points), loops.width), end
        e = along(end.factors(loops, points), loops.bars[0])[:, :4]
        sums.append(np.sum(np.sum((e @ weights) * e, axis=1) / np.sum(e * e, axis=1)))
    return float(abs(sums[0] - 2.0 * sums[1] + sums[2]) / np.abs(sums).max())


# ---------------------------------------------------------------------------------- hinges
def generic_hinges(loops: TurnLoops, seed: int) -> tuple[Complexes, Complexes]:
    """Generic places of the hinges of planar loops, and all ways to close them.

    Returns:
        Places on the two links of each, (2, hinges, 2), and turns, (roots, 2 links - 2).
    """
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
            points, good = _onward(TurnPath(begin, end), points, good)
        return points, good

    return places, carried_round(unit(x[None], 2)[0], lap, 2)


def trace_defect(loops: TurnLoops, places: Complexes, solutions: Complexes, hinge: int) -> float:
    """How far solutions of planar loops are from being all: 0 at some hinge only if they are.

    The closures of x - i y are linear in the inverses of the turns, here against the first link of
    a hinge.  The hinge is moved on this link in x - i y: if no solution goes to infinity faster
    than it, sums of a linear function of the inverses in its loops over all solutions are linear
    in the shift; over some solutions they are not.
    """
    weights, step = RandomComplexes(7)(2, loops.links)
    link, round_it = loops.ends[hinge, 0], loops.passed[:, hinge, 0] != 0.0
    weights[~(loops.spans(places)[0, round_it] != 0.0).any(axis=0)] = 0.0
    begin, sums, points = loops.spans(places), [], solutions
    for shift in step[0] * np.arange(3):
        moved = places.copy()
        moved[1, hinge, 0] += shift
        end = loops.spans(moved)
        points, begin = follow(TurnPath(begin, end), points).points, end
        turns = np.insert(points[:, 0::2] / points[:, 1::2], 0, 1.0, axis=1)
        sums.append(np.sum(weights * turns[:, link, None] / turns))
    return float(abs(sums[0] - 2.0 * sums[1] + sums[2]) / np.abs(sums).max())


def of_legs(legs: tuple[str, ...]) -> tuple[Structure, str]:
    """The structure of legs between two links, and the letters of its joints."""
    order = ordered(links_of(tuple((0, 1, len(leg)) for leg in legs)), "".join(legs))
    assert order is not None
    return order.structure, order.kinds


def write_starts() -> None:
    """Write the files of start systems."""
    out: dict[str, Any] = {}
    parameters, found = generic_distances(seed=1)
    assert len(found) == ROOTS
    np.savez_compressed(PLATFORM_STARTS, parameters=parameters, solutions=found)
    for (kind, structure), roots in ROOTS_OF_LOOPS.items():
        joints, found = generic_loops(loops_of(kind, structure), seed=1)
        assert len(found) == roots
        name = name_of(kind, structure)
        out[f"{name} joints"], out[f"{name} closures"] = np.array(joints), _single(found)
    for order in (*map(of_legs, LEGS), ROCKERS):
        loops, name = loops_of("space", *order), name_of("space", *order)
        joints, found = generic_loops(loops, seed=1)
        if not loops.bars:
            assert len(found) == 16
        else:
            assert loop_trace_defect(loops, joints, found) <= AGREEMENT
        single = loops.width == 2
        out[f"{name} joints"], out[f"{name} bars"] = np.array(joints[:2]), joints.bars
        out[f"{name} closures"] = _single(found) if single else found.astype(np.complex64)
    for structure in (s for loops in range(2, MOST_LOOPS + 1) for s in trusses(loops)):
        name = name_of("plane", structure)
        confirmed = _confirmed(TurnLoops.of(structure))
        if confirmed is not None:  # one of four loops is not: 58 closures from each draw
            out[f"{name} joints"], out[f"{name} closures"] = confirmed[0], _single(confirmed[1])
    np.savez_compressed(LOOP_STARTS, **out)


def _confirmed(loops: TurnLoops) -> tuple[Complexes, Complexes] | None:
    """Generic places of hinges with all closures by the trace test: the first that are drawn."""
    for seed in range(1, SEEDS + 1):
        places, found = generic_hinges(loops, seed)
        defects = (trace_defect(loops, places, found, k) for k in range(len(loops.ends)))
        if any(defect <= AGREEMENT for defect in defects):
            return places, found
    return None


def _single(points: Complexes) -> Any:
    """The ratios of pairs of coordinates, in few digits."""
    return (points[:, 0::2] / points[:, 1::2]).astype(np.complex64)


if __name__ == "__main__":
    write_starts()
