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

from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Complexes
from .homotopy import QuadricPath, SystemPath, follow, meeting, unit
from .loop_paths import CONJUGATE, PLANE, SPACE, LoopJoints, LoopPath, Loops, before, product
from .loop_starts import FAMILIES, LOOP_STARTS
from .loop_structure import loops_of
from .platform_forms import forms
from .platform_poses import PLATFORM_STARTS

ROOTS = 40
"""Number of poses by six distances.  Source: F. Ronga and T. Vust, Stewart platforms without
computer?, 1995."""

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
        inside = (0, 3, 5, 6) if loops.parts == PLANE else (0, 1, 2, 3)
        out[..., [k for k in range(8) if k not in inside]] = 0.0
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


def trace_defect(loops: Loops, joints: LoopJoints, solutions: Complexes) -> float:
    """How far solutions of planar loops are from being all of them, 0 where they are.

    Turns of links are e^(i angle), and a place x - i y on a link is moved by its inverse, in which
    the closures are linear.  One of the latter is shifted: sums of all solutions of a linear
    function of the inverses are then linear in the shift, those of some solutions are not.
    """
    word = loops.words[-1]
    first = [sum(n in w.joints for w in loops.words) for n in word.joints].index(1)
    order, own = np.roll(np.arange(len(word.joints)), -first), word.joints[first]
    weights, step = _Drawing(7)(2, len(order))
    sums, before, points = [], joints, solutions
    for shift in step[0] * np.arange(3):
        moved = np.eye(8)[0] + shift * (np.eye(8)[5] + 1j * np.eye(8)[6])
        after = LoopJoints(joints.displacement.copy(), joints.line)
        after.displacement[own] = product(moved, joints.displacement[own])
        points = follow(LoopPath(loops, before, after, joints), points).points
        before = after
        f = (after.factors(points)[:, word.joints] * word.signs)[:, order]
        turns = np.cumprod((f[..., 0] + 1j * f[..., 3]) / (f[..., 0] - 1j * f[..., 3]), axis=1)
        sums.append(np.sum(weights / turns))
    return float(abs(sums[0] - 2.0 * sums[1] + sums[2]) / np.abs(sums).max())


def write_starts() -> None:
    """Write the files of start systems."""
    out: dict[str, Any] = {}
    parameters, found = generic_distances(seed=1)
    assert len(found) == ROOTS
    np.savez_compressed(PLATFORM_STARTS, parameters=parameters, solutions=found)
    for (kind, structure), family in FAMILIES.items():
        loops = loops_of(kind, structure)
        joints, found = generic_loops(loops, seed=1)
        assert len(found) == family.roots
        assert kind != "plane" or trace_defect(loops, joints, found) <= FAINT
        out[f"{family.name} joints"], out[f"{family.name} solutions"] = np.array(joints), found
    np.savez_compressed(LOOP_STARTS, **out)


if __name__ == "__main__":
    write_starts()
