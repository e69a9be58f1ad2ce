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

from ...foundations.numerics.rounding import AGREEMENT, FAINT
from ...foundations.types import Complexes
from .homotopy import QuadricPath, SystemPath, follow, meeting, unit
from .loop_paths import CONJUGATE, SPACE, LoopJoints, LoopPath, Loops, before, product
from .loop_starts import LOOP_STARTS, name_of
from .loop_structure import loops_of
from .platform_forms import forms
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

MOST_LOOPS = 4
"""Loops in a plane up to which the structures are kept of which closures are confirmed."""

SEEDS = 8
"""Draws of generic places until their closures are told to be all."""

IDLE = 4
"""Laps without a new solution after which the search ends."""

MOST_LAPS = 200
"""Laps after which solutions are no longer searched, were it that rounding made new ones."""


class _Drawing:
    """Complex numbers of a normal distribution."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, *shape: int) -> Complexes:
        out: Complexes = self.rng.normal(size=shape) + 1j * self.rng.normal(size=shape)
        return out


def carried_round(
    first: Complexes, lap: Callable[[Complexes], tuple[Complexes, Any]], size: int
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
    raise RuntimeError(f"{len(found)} solutions after {MOST_LAPS} laps, and more come")


# ---------------------------------------------------------------------------------- distances
def generic_distances(seed: int) -> tuple[Complexes, Complexes]:
    """Generic parameters of six distances, and all solutions, (roots, 8)."""
    drawn = _Drawing(seed)
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


def _onward(path: SystemPath, points: Complexes, good: Any) -> tuple[Complexes, Any]:
    ends = follow(path, points)
    return ends.points, good & (ends.s >= 1.0)


# ---------------------------------------------------------------------------------- loops
def generic_loops(loops: Loops, seed: int) -> tuple[LoopJoints, Complexes]:
    """Generic joints of some loops, and all ways to close them, (roots, 2 joints)."""
    drawn = _Drawing(seed)
    x, joints = drawn(1, 2 * loops.joints), drawn_joints(loops, drawn)
    for word in loops.words:
        _close(loops, word.joints.tolist(), word.signs, joints, x)

    def lap(points: Complexes) -> tuple[Complexes, Any]:
        good = np.ones(len(points), bool)
        stops = [joints, drawn_joints(loops, drawn), drawn_joints(loops, drawn), joints]
        for begin, end in pairwise(stops):
            path = LoopPath(loops, begin, end, drawn_joints(loops, drawn))
            points, good = _onward(path, points, good)
            points = unit(path.at_end(points), 2)
        return points, good

    first = unit(x, 2)
    return joints, carried_round(first[0], lap, 2)


def drawn_joints(loops: Loops, drawn: Callable[..., Complexes]) -> LoopJoints:
    """Generic joints, on the quadrics of Study and of Klein."""
    out = drawn(2, loops.joints, 8)
    out[1, :, [0, 4]] = 0.0
    if loops.parts != SPACE:
        out[..., 4:] = 0.0
    else:
        real, dual = out[..., :4], out[..., 4:]
        share = np.sum(real * dual, axis=2) / np.sum(real * real, axis=2)
        dual -= share[..., None] * real
    return LoopJoints(out[0], out[1])


def _close(loops: Loops, word: list[int], signs: Any, joints: LoopJoints, x: Complexes) -> None:
    """Choose the displacement of a joint that no other loop passes so that a loop is closed."""
    passes = [sum(n in w.joints for w in loops.words) for n in word]
    k = passes.index(1)
    f = joints.factors(x)[0, word] * signs
    ahead, behind = np.eye(8)[0] + 0j, np.eye(8)[0] + 0j
    for n in range(k):
        ahead = product(ahead, f[n])
    for n in range(k + 1, len(word)):
        behind = product(behind, f[n])
    factor = product(behind, ahead) * CONJUGATE * signs[k]
    own, line = word[k], joints.line[word[k]]
    turn = np.eye(8)[0] * x[0, 2 * own] + x[0, 2 * own + 1] * line
    found = before(factor) @ (turn * CONJUGATE)
    joints.displacement[own] = found / np.linalg.norm(found)


# ---------------------------------------------------------------------------------- hinges
def generic_hinges(loops: TurnLoops, seed: int) -> tuple[Complexes, Complexes]:
    """Generic places of the hinges of planar loops, and all ways to close them.

    Returns:
        Places on the two links of each, (2, hinges, 2), and turns, (roots, 2 links - 2).
    """
    drawn, shape = _Drawing(seed), loops.ends.shape
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
    weights, step = _Drawing(7)(2, loops.links)
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
