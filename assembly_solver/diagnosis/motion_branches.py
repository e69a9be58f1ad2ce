"""The motions that meet at a pose, with their freedoms: the branches where r is zero.

The reduced equations r of a pose are solved on a small sphere from many directions, and each point
is followed to smaller spheres: what arrives there belongs to a branch through the pose.  How many
freedoms a branch has is counted by going from such a point along all ways and closing again, not by
a rank, which counts freedoms of first order too.

Source: docs/theory/higher_order.md, 2 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..foundations.numerics.rounding import RANK, TINY
from ..foundations.types import Array
from .reduced_equations import LONGEST, ReducedEquations

MOST_FREE, MOST_UNKNOWNS = 6, 60
"""Most free motions and unknowns of a component whose branches are looked for."""

RADII = 2.0 ** -np.arange(3.0)
"""Spheres on which a branch is followed to the pose, over the longest way."""

DIRECTIONS = 12
"""Directions for each free motion from which branches are looked for at a time."""

ITERATIONS = 40
"""Most steps to a point of a branch."""

ASIDE = 0.125
"""Way from a point of a branch, over its distance from the pose, by which freedoms are counted."""

KEPT = 0.5
"""Share of a way that is kept where it is one of the branch: it is near 1 there, else near 0."""

TURNED = 0.15
"""Angle between the freedoms at two points of one branch without a kink."""

NEARING = 0.75
"""Share of the angle between two motions on the smallest sphere, of that on the largest, from which
they leave the pose in different directions."""

ROUND = (-0.5, -0.25, 0.25, 0.5)
"""Ways about the pose, over the distance from it, along which the freedoms of a cone turn: along
all of them, for near another branch one of them may lead to that."""

BATCHES = 4
"""Most times that further directions are tried: until they bring no other branch."""

BLURRED = 64.0
"""Multiple of the square root of what is rounding up to which a point is off where more freedoms
are of first order than are finite: what is left grows with the square of the way from there."""


LARGER = 4.0
"""Multiple of the noise for which branches have to be the same."""


@dataclass(frozen=True, eq=False)
class MotionBranch:
    """A motion that is finite, by one way of moving out of a pose.

    Attributes:
        dof: its freedoms; first_order: those of first order at its poses.
        cusp: whether both ends of a motion of one freedom leave in the same direction.
        cone: whether its freedoms turn about the pose, as on a cone about its apex.
        clear: whether those of first order are as many where less of the rates counts as noise.
        poses: of the bodies at one of its points, (bodies, 12), mm; moving: those that moved there.
    """

    dof: int
    first_order: int
    cusp: bool
    cone: bool
    clear: bool
    poses: Array
    moving: tuple[int, ...]


class _Point(NamedTuple):
    """A point of a branch on the largest and on the smallest sphere, and the freedoms at it.

    Those of first order are told as rows on the largest sphere, the finite ones on the smallest.
    """

    far: Array
    near: Array
    first_order: Array
    tangent: Array
    turns: bool


def branches_and_doubt(reduced: ReducedEquations) -> tuple[tuple[MotionBranch, ...] | None, bool]:
    """`branches`, and whether noise may hide others, or they are so where it is taken to be larger.

    The noise of mates is known by its size only: where it was taken too small, nothing is found.
    """
    found = branches(reduced)
    if found is None or reduced.longest == LONGEST:
        return found, False
    coarser = branches(reduced.with_noise(LARGER))
    if coarser is None or list(map(_told, found)) == list(map(_told, coarser)):
        return found, coarser is None or not all(b.clear for b in found)
    return found or coarser, True


def _told(b: MotionBranch) -> tuple[int, int, bool, bool]:
    return b.dof, b.first_order, b.cusp, b.cone


def branches(reduced: ReducedEquations) -> tuple[MotionBranch, ...] | None:
    """The motions that meet at a pose, those with most freedoms first; none where nothing moves.

    Each is found from random directions: another one may be missed.  None where there is one free
    motion only, the component is too large, or noise hides in which directions they leave.
    """
    small = 1 < reduced.free <= MOST_FREE and len(reduced.basis) <= MOST_UNKNOWNS
    if not small or blurred_angle(reduced) > TURNED:
        return None
    points: list[_Point] = []
    found: list[MotionBranch] = []
    for batch in range(1 if reduced.free == 2 else BATCHES):
        _add_points(reduced, directions(reduced.free, batch), points)
        lines = _lines(reduced, [p for p in points if len(p.tangent) == 1])
        surfaces = _surfaces(reduced, [p for p in points if len(p.tangent) > 1])
        before, found = found, lines + surfaces
        if batch and len(found) == len(before):
            break
    return tuple(sorted(found, key=lambda b: (-b.dof, b.first_order, b.cusp)))


def left_everywhere(reduced: ReducedEquations) -> float:
    """The most that is left after ways in all directions, over what is rounding or noise there.

    Where that is 1 or less, all free motions are finite; of noise a few times as much is in doubt.
    """
    rng = np.random.default_rng(0)
    most = 0.0
    for way in rng.normal(size=(3, reduced.free)):
        left = reduced.left(way * (reduced.longest / float(np.linalg.norm(way))))
        if left is None:
            return np.inf
        most = max(most, float(np.abs(left).max(initial=0.0)) / reduced.zero_at(reduced.longest))
    return most


def directions(free: int, batch: int = 0) -> Array:
    """Directions from which is looked: around the circle, or random ones and their opposites."""
    if free == 2:
        turns = np.arange(2.0 * DIRECTIONS) * (np.pi / DIRECTIONS)
        return np.stack([np.cos(turns), np.sin(turns)], axis=1)
    half = np.random.default_rng(batch).normal(size=(DIRECTIONS * free // 2, free))
    return np.concatenate([half, -half])


def to_branch(reduced: ReducedEquations, way: Array, radius: float | None) -> Array | None:
    """The point near a way where nothing is left, on a sphere about the pose if there is one.

    What is left, which goes with the square of the way, damps the steps: on a branch that is shaky
    throughout its rates vanish with it, across the branch and even faster along it.
    """
    size = float(np.linalg.norm(way)) if radius is None else radius
    way = way * (size / float(np.linalg.norm(way)))
    zero = max(reduced.rounding * min(1.0, size / LONGEST), reduced.noise * size * size)
    for _ in range(ITERATIONS):
        found = reduced.with_rates(way)
        if found is None:
            return None
        off, rows = [*found[0]], [found[1]]
        if radius is not None:
            rows.append(way[None])
            off.append((way @ way - radius * radius) / 2.0)
        if np.abs(off).max(initial=0.0) <= zero:
            return way
        damped = np.abs(found[0]).max(initial=0.0) / size * np.eye(len(way))
        rows.append(damped)
        step = np.linalg.lstsq(np.concatenate(rows), np.append(off, 0.0 * way), rcond=RANK)[0]
        length = float(np.linalg.norm(step))
        way = way - step * min(1.0, size / 2.0 / max(length, TINY))
    return None


def blur(reduced: ReducedEquations, size: float) -> float:
    """How far a point at a distance from the pose may be off, over the characteristic length."""
    return BLURRED * float(np.sqrt(reduced.zero_at(size)))


def blurred_angle(reduced: ReducedEquations) -> float:
    """Angle by which a direction from the pose may be off on the smallest sphere, rad."""
    nearest = float(RADII[-1]) * reduced.longest
    return blur(reduced, nearest) / nearest


def _add_points(reduced: ReducedEquations, start: Array, points: list[_Point]) -> None:
    """Add points of branches through the pose that some directions lead to.

    One more of several freedoms that are those of a known one is left out.
    """
    for direction in start:
        far = to_branch(reduced, direction, reduced.longest)
        if far is None or any(
            np.abs(far - p.far).max() < blur(reduced, reduced.longest) for p in points
        ):
            continue
        here = _first_order(reduced, far)
        if any(_known(p, far, here) for p in points):
            continue
        near: Array | None = far
        for radius in (reduced.longest * RADII[1:]).tolist():
            near = None if near is None else to_branch(reduced, near, radius)
        if near is not None:
            tangent = _finite(reduced, near)
            turns = _turns(reduced, near, tangent)
            points += [_Point(far, near, here, tangent, turns)] * bool(len(tangent))


def _known(p: _Point, far: Array, first_order: Array) -> bool:
    """Whether a point is one of the branch of a known point with several finite freedoms.

    Its freedoms of first order tell, or, where more of these than are finite stay with the branch,
    whether the way to it is one of the finite ones: another branch may have the same first order.
    """
    if len(p.tangent) < 2 or len(p.first_order) != len(first_order):
        return False
    if p.turns or len(p.tangent) == len(p.first_order):
        return p.turns or _angle(p.first_order, first_order) < TURNED
    off = far - p.tangent.T @ (p.tangent @ far)
    return float(np.linalg.norm(off)) < TURNED * float(np.linalg.norm(far))


def _finite(reduced: ReducedEquations, near: Array) -> Array:
    """The ways from a point that are still gone after closing again, as rows."""
    here, aside = _first_order(reduced, near), ASIDE * float(np.linalg.norm(near))
    kept = np.zeros((reduced.free, reduced.free))
    for n, way in enumerate(np.eye(reduced.free)):
        closed = to_branch(reduced, near + aside * way, None)
        kept[n] = 0.0 if closed is None else (closed - near) / aside
    _, shares, along = np.linalg.svd(kept)
    dof = int(np.sum(shares > KEPT))  # where all are finite, secants may lead to other branches
    return here if dof >= len(here) else np.asarray(along[:dof])


def _first_order(reduced: ReducedEquations, way: Array) -> Array:
    """Freedoms of first order at a point of a branch, as rows."""
    found = reduced.with_rates(way)
    rates = np.zeros((1, reduced.free)) if found is None else found[1]
    _, sizes, along = np.linalg.svd(rates)
    size = float(np.linalg.norm(way))
    return np.asarray(along[int(np.sum(sizes > 8.0 * np.sqrt(reduced.zero_at(size)))) :])


def _turns(reduced: ReducedEquations, near: Array, tangent: Array) -> bool:
    """Whether the freedoms of first order turn on ways about the pose at the same distance."""
    radius, unit = float(np.linalg.norm(near)), _unit(near)[0]
    here = _first_order(reduced, near)
    for way in tangent - np.outer(tangent @ unit, unit):
        if np.linalg.norm(way) > KEPT:
            turned = []
            for part in ROUND:
                point = to_branch(reduced, near + part * radius * _unit(way)[0], radius)
                there = here if point is None else _first_order(reduced, point)
                alike = len(there) == len(here)
                turned.append(_angle(here, there) if alike else 0.0)
            if min(turned) > TURNED / 2.0:
                return True
    return False


def _angle(one: Array, two: Array) -> float:
    """Largest angle between the spaces of rows of the same number, rad."""
    cosines = np.linalg.svd(one @ two.T, compute_uv=False)
    return float(np.arccos(np.clip(cosines.min(), -1.0, 1.0)))


def _unit(way: Array) -> Array:
    return (way / float(np.linalg.norm(way)))[None]


def _lines(reduced: ReducedEquations, points: list[_Point]) -> list[MotionBranch]:
    """Motions of one freedom, each from its two halves: opposite, or on one side at a cusp."""
    groups: list[list[_Point]] = []
    blurred = blurred_angle(reduced)
    for p in points:
        for group in groups:
            apart = _angle(_unit(p.near), _unit(group[0].near))
            if apart < max(NEARING * _angle(_unit(p.far), _unit(group[0].far)), blurred):
                group.append(p)
                break
        else:
            groups.append([p])
    out = []
    for group in groups:
        sides = [bool(p.near @ group[0].near > 0.0) for p in group]
        with_it, against = sum(sides), len(sides) - sum(sides)
        one = _branch(reduced, group[0])
        out += [one] * min(with_it, against) or [one] * (len(group) == 1)
        out += [replace(one, cusp=True)] * (abs(with_it - against) // 2)
    return out


def _surfaces(reduced: ReducedEquations, points: list[_Point]) -> list[MotionBranch]:
    """Motions of several freedoms, by the spaces of these; those that turn are one cone."""
    groups: list[_Point] = []
    regular = [p for p in points if len(p.tangent) == len(p.first_order) and not p.turns]
    blurred = blurred_angle(reduced)
    for p in points:
        fewer = [r for r in regular if len(r.tangent) < len(p.first_order)]
        on = sum(_lies_on(p, r, blurred) for r in fewer)
        if on > 1 or (on and len(p.tangent) < len(p.first_order)):
            continue  # where two branches meet, noise hides the rates of both
        alike = [g for g in groups if (len(g.tangent), g.turns) == (len(p.tangent), p.turns)]
        if not any(g.turns or _angle(g.tangent, p.tangent) < TURNED for g in alike):
            groups.append(p)
    return [_branch(reduced, p) for p in groups]


def _lies_on(p: _Point, branch: _Point, within: float) -> bool:
    """Whether the way to a point is one of another branch, up to a share of it."""
    off = p.near - branch.tangent.T @ (branch.tangent @ p.near)
    return float(np.linalg.norm(off)) < within * float(np.linalg.norm(p.near))


def _branch(reduced: ReducedEquations, p: _Point) -> MotionBranch:
    """The branch of a point, of one freedom along the way to it."""
    found, start = reduced.closed(p.far), reduced.d.poses
    poses = start if found is None else found.poses
    change = np.abs(poses - start) / np.append(np.full(3, reduced.length), np.ones(9))
    moved = change.max(axis=1) > blur(reduced, reduced.longest)
    finer = _first_order(reduced.with_noise(LARGER**-2), p.far)  # a root: a quarter of the rates
    return MotionBranch(
        dof=len(p.tangent),
        first_order=len(p.first_order),
        cusp=False,
        cone=p.turns,
        clear=len(p.first_order) in (len(p.tangent), len(finer)),
        poses=poses,
        moving=tuple(b for b in reduced.bodies.tolist() if moved[b]),
    )
