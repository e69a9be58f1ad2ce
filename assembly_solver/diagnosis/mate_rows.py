"""Jacobian rows of mates at a closed pose, their ranks, and the wrenches that they transmit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..equations.table import SPACE, EquationTable, TwistBasis, world_point
from ..foundations.geometry.pose import compose_all
from ..foundations.numerics.linear import rank_of
from ..foundations.types import Array, Ints
from ..structure.incidence import bodies_of, jacobian_of
from .freedoms import Diagnosis

REST = -1
"""Stands for all bodies at rest."""


@dataclass(eq=False)
class MateRows:
    """Jacobian rows of mates between some bodies at the closed pose.

    Attributes:
        poses: of the bodies, (bodies, 12), mm; centre: of each in its coordinates, (bodies, 3).
        rows: of each mate in `table`; moving: bodies that can move, the others are at rest.
    """

    diagnosis: Diagnosis
    table: EquationTable
    poses: Array
    centre: Array
    rows: dict[int, Ints]
    moving: frozenset[int]
    _blocks: dict[int, dict[int, Array]] = field(default_factory=dict)
    _ranks: dict[frozenset[int], int] = field(default_factory=dict)
    _touched: dict[int, frozenset[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.system = self.diagnosis.plan.system

    def touched(self, mate: int) -> frozenset[int]:
        """The bodies that a mate depends on; memoised."""
        if mate not in self._touched:
            each = (bodies_of(self.table, e) for e in self.rows[mate])
            self._touched[mate] = frozenset().union(*each)
        return self._touched[mate]

    def nodes(self, mate: int) -> frozenset[int]:
        """The bodies that a mate joins, those at rest as one."""
        return frozenset(b if b in self.moving else REST for b in self.touched(mate))

    def blocks(self, mate: int) -> dict[int, Array]:
        """Force and torque over the length of each row of a mate on each moving body, (rows, 6)."""
        if mate not in self._blocks:
            rows, bodies = self.rows[mate], sorted(self.touched(mate) & self.moving)
            basis = TwistBasis(np.eye(3), self.centre, self.system.length)
            out = jacobian_of(self.table, self.poses, rows, bodies, SPACE, basis)
            self._blocks[mate] = {b: out[:, 6 * n : 6 * n + 6] for n, b in enumerate(bodies)}
        return self._blocks[mate]

    def matrix(self, mates: Sequence[int]) -> Array:
        """Jacobian of some mates, (rows, 6 * moving bodies that they depend on)."""
        bodies = sorted({b for m in mates for b in self.blocks(m)})
        column = {b: 6 * n for n, b in enumerate(bodies)}
        out = np.zeros((sum(len(self.rows[m]) for m in mates), 6 * len(bodies)))
        at = 0
        for m in mates:
            n = len(self.rows[m])
            for body, block in self.blocks(m).items():
                out[at : at + n, column[body] : column[body] + 6] = block
            at += n
        return out

    def rank(self, mates: Sequence[int]) -> int:
        """Rank of the rows of some mates; memoised."""
        key = frozenset(mates)
        if key not in self._ranks:
            self.diagnosis.check()
            self._ranks[key] = rank_of(self.matrix(sorted(key)), self.diagnosis.cut).rank
        return self._ranks[key]

    def repeated(self, others: Sequence[int], mates: Sequence[int]) -> int:
        """Number of equations of some mates that follow from others, not from themselves."""
        return self.rank(others) + self.rank(mates) - self.rank([*others, *mates])

    def common_wrenches(self, mates: Sequence[int]) -> Array:
        """Force and torque of the rows of some mates on one common body, (rows, 6)."""
        common = frozenset.intersection(*(self.touched(m) for m in mates)) & self.moving
        if not common:
            return np.zeros((sum(len(self.rows[m]) for m in mates), 6))
        return np.concatenate([self.blocks(m)[min(common)] for m in mates])

    def marker_of(self, mate: int) -> Array:
        """The frame of the first marker of a mate in the world, (12,), mm."""
        t = self.table
        marker = t.marker_a[t.term_measure[t.first_term[self.rows[mate][0]]]]
        pose, own = self.poses[t.marker_body[marker]], t.marker_frame[marker]
        out: Array = compose_all(pose[None], own[None])[0]
        return out

    def centre_of(self, body: int) -> Array:
        """Centre of a body in the world, mm, (3,)."""
        out = np.empty(3)
        world_point(self.poses[body], self.centre[body], out)
        return out

    def transmitted(self, mates: Sequence[int], about: Array) -> Array:
        """Force and torque over the length, about a point, of the rows of mates of one bundle."""
        body = min(self.blocks(mates[0]))
        rows = np.concatenate([self.blocks(m)[body] for m in mates])
        x, y, z = ((self.centre_of(body) - about) / self.system.length).tolist()
        rows[:, 3:] += rows[:, :3] @ np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
        return rows


def row_basis(matrix: Array, cut: float) -> tuple[Array, Array, Array]:
    """Singular values above the cut, and their left (columns) and right (rows) vectors."""
    if not matrix.size:
        m, n = matrix.shape
        return np.empty((m, 0)), np.empty(0), np.empty((0, n))
    left, sizes, right = np.linalg.svd(matrix, full_matrices=False)
    rank = int((sizes > cut * sizes.max()).sum())
    return left[:, :rank], sizes[:rank], right[:rank]


def across(vectors: Array, rows: Array, cut: float) -> Array:
    """What of some vectors is across the span of some rows."""
    span = row_basis(rows, cut)[2]
    out: Array = vectors - vectors @ span.T @ span
    return out


def by_length(matrix: Array, limit: float) -> tuple[Array, Array]:
    """Orthonormal coefficients of the combinations of rows no longer than a limit, and the rest."""
    left, sizes, _ = np.linalg.svd(matrix)
    short = np.ones(len(left), bool)
    short[: len(sizes)] = sizes <= limit
    return left[:, short].T, left[:, ~short].T
