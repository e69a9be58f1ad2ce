"""Which of SolveSpace's constraints each mate becomes: all of them, or only what adds rank.

SolveSpace does not take redundant equations.  `minimal` is the model that an expert would reach by
hand: each mate's equations are kept only as far as they add rank to the Jacobian at the true poses.
It uses the known solution, which no program has beforehand; therefore it is not timed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..case import Array, BenchmarkCase, Tie
from .base import across

RANK = 1e-6  # singular value above which a row of unit length is independent
LARGE = 250  # parts above which no dense rank is taken: only open chains are solved there


class Atom(NamedTuple):
    """One constraint: parallel, on_line, in_plane, points, apart; or one equation of those.

    `perpendicular`: a's direction is normal to `u`; `projected`: a's and b's points coincide
    along `u`, a direction of b's part in its own coordinates.
    """

    kind: str
    u: Array | None = None


_FULL = {
    "coaxial": ("parallel", "on_line"),
    "coplanar": ("parallel", "in_plane"),
    "coincident": ("points",),
    "distance": ("apart",),
}


def plan(case: BenchmarkCase, mode: str) -> list[tuple[Tie, list[Atom]]]:
    """Constraints of every mate; mode `literal` (all of them) or `minimal`."""
    if mode == "literal":
        return [(tie, [Atom(kind) for kind in _FULL[tie.kind]]) for tie in case.mates]
    if len(case.parts) > LARGE:
        return _without_repeats(case)
    return _Independent(case).plan()


def _without_repeats(case: BenchmarkCase) -> list[tuple[Tie, list[Atom]]]:
    """Only a second `parallel` of one direction between the same two parts is left out.

    For open chains of hinges nothing else is redundant.
    """
    seen: dict[frozenset[str], list[Array]] = {}
    out = []
    for tie in case.mates:
        atoms = [Atom(kind) for kind in _FULL[tie.kind]]
        if atoms[0].kind == "parallel":
            direction = np.array(case.feature(min(tie.a, tie.b)).direction)
            known = seen.setdefault(frozenset((tie.a[0], tie.b[0])), [])
            if any(np.linalg.norm(np.cross(direction, d)) < 1e-9 for d in known):
                atoms = atoms[1:]
            known.append(direction)
        out.append((tie, atoms))
    return out


class _Independent:
    """Picks equations that add rank, one constraint after another, at the true poses."""

    def __init__(self, case: BenchmarkCase) -> None:
        self.case = case
        self.index = {name: i for i, name in enumerate(case.parts)}
        self.basis = np.zeros((0, 6 * len(case.parts)))

    def plan(self) -> list[tuple[Tie, list[Atom]]]:
        """The kept constraints of every mate, in its order."""
        return [
            (tie, [atom for kind in _FULL[tie.kind] for atom in self._keep(tie, kind)])
            for tie in self.case.mates
        ]

    def _keep(self, tie: Tie, kind: str) -> list[Atom]:
        """The whole constraint if all its rows are new, else the new combinations of them."""
        directions, rows = self._rows(tie, kind)
        for _ in range(2):  # twice is enough to be orthogonal to rounding
            rows = rows - (rows @ self.basis.T) @ self.basis
        left, size, right = np.linalg.svd(rows, full_matrices=False)
        new = int(np.count_nonzero(size > RANK))
        self.basis = np.vstack([self.basis, right[:new]])
        if new == len(rows):
            return [Atom(kind)]
        single = "perpendicular" if kind == "parallel" else "projected"
        return [Atom(single, left[:, i] @ directions) for i in range(new)]

    def _rows(self, tie: Tie, kind: str) -> tuple[Array, Array]:
        """Directions (in b's part) and Jacobian rows of a constraint; lengths relative to size."""
        a, b = (self.case.feature(end) for end in (tie.a, tie.b))
        ia, ib = self.index[tie.a[0]], self.index[tie.b[0]]
        truth = self.case.truth
        ra, rb = truth.rotation[ia], truth.rotation[ib]
        pa, pb = ra @ a.point + truth.position[ia], rb @ b.point + truth.position[ib]
        if kind == "parallel" or kind == "on_line":
            directions = np.array(across(np.array(b.direction)))
        elif kind == "in_plane":
            directions = np.array([b.direction])
        elif kind == "points":
            directions = np.eye(3)
        else:
            directions = ((pa - pb) / np.linalg.norm(pa - pb) @ rb)[None]
        world = directions @ rb.T
        rows = np.zeros((len(world), len(self.index), 6))
        if kind == "parallel":
            turning = np.cross(ra @ a.direction, world)
            rows[:, ia, 3:], rows[:, ib, 3:] = turning, -turning
        else:
            for i, sign in ((ia, 1.0), (ib, -1.0)):
                arm = (pa - truth.position[i]) / self.case.size
                rows[:, i, :3] = sign * world
                rows[:, i, 3:] = sign * np.cross(arm, world)
        rows[:, self.index[self.case.ground]] = 0.0
        return directions, rows.reshape(len(world), -1)
