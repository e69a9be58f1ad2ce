"""Steps of the parts of a system that make up for residuals, with the least movement of features.

Small systems are decomposed whole, large ones part by part: the work is linear in the parts of a
chain or a ladder.

Source: G. H. Golub and C. F. Van Loan, Matrix Computations, 5.5 (least squares without full rank).
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..diagnosis.freedoms import DENSE, DENSE_IF_UNCLEAR
from ..equations.system import System
from ..equations.table import TwistBasis, jacobian
from ..foundations.numerics.ordered_squares import ZERO, NumberedRows, OrderedSquares, Sums, sums_of
from ..foundations.numerics.rounding import FAINT, TINY
from ..foundations.types import Array, Ints
from ..structure.incidence import bodies_of_each


class ReadRows(NamedTuple):
    """Rows that read the same moving parts: their places, the rows, (rows, 6 places)."""

    places: tuple[int, ...]
    rows: Ints
    matrix: Array


class PoseRows:
    """The Jacobian of a system at poses, mm, by the unknowns of the moving parts, mm.

    Attributes:
        system; frames: (parts, 12), mm; moving: indices of the parts that are not fixed.
        basis: of their unknowns, six each; count: of equations; groups: of all rows.
    """

    def __init__(self, system: System, frames: Array) -> None:
        self.system, self.frames = system, frames
        self.moving: Ints = np.flatnonzero(~system.fixed)
        self.basis = TwistBasis(np.eye(3), system.centre, system.length)
        self.count = len(system.table.target)
        self.groups = self._groups()

    def _groups(self) -> list[ReadRows]:
        t, place = self.system.table, {p: n for n, p in enumerate(self.moving.tolist())}
        by_parts: dict[tuple[int, ...], list[int]] = {}
        for e, parts in bodies_of_each(t, list(range(self.count))).items():
            by_parts.setdefault(tuple(sorted(p for p in parts if p in place)), []).append(e)
        slot, out = np.full((len(self.frames), 6), -1), []
        for parts, equations in by_parts.items():
            rows, matrix = np.array(equations), np.empty((len(equations), 6 * len(parts)))
            slot[list(parts)] = np.arange(6 * len(parts)).reshape(-1, 6)
            jacobian(t, self.frames, rows, slot, self.basis, matrix)
            slot[list(parts)] = -1
            out.append(ReadRows(tuple(place[p] for p in parts), rows, matrix))
        return out

    def times(self, steps: Array) -> Array:
        """The changes of the residuals, (equations, k), mm, by steps, (unknowns, k), mm."""
        k = steps.shape[1]  # may be 0: then no size of a reshape is left to numpy
        out, by_part = np.zeros((self.count, k)), steps.reshape(len(self.moving), 6, k)
        for g in self.groups:
            out[g.rows] = g.matrix @ by_part[list(g.places)].reshape(6 * len(g.places), k)
        return out

    @cached_property
    def readers(self) -> list[list[int]]:
        """The numbers of the groups that read each moving part."""
        out: list[list[int]] = [[] for _ in self.moving]
        for k, g in enumerate(self.groups):
            for place in g.places:
                out[place].append(k)
        return out

    @cached_property
    def whole(self) -> Array:
        """All of it, (equations, unknowns)."""
        out = np.zeros((self.count, 6 * len(self.moving)))
        for g in self.groups:
            for n, place in enumerate(g.places):
                out[g.rows, 6 * place : 6 * place + 6] = g.matrix[:, 6 * n : 6 * n + 6]
        return out

    @cached_property
    def arms(self) -> list[Array]:
        """For each moving part the displacements of its mate features, (3 features, 6), mm."""
        s, out = self.system, []
        for part in self.moving.tolist():
            axes, own = self.frames[part, 3:].reshape(3, 3), s.cloud[s.cloud_part == part]
            arm = (own - s.centre[part]) @ axes
            turned = np.cross(np.eye(3)[:, None], arm[None]).transpose(1, 2, 0) / s.length
            still = np.broadcast_to(np.eye(3), (len(arm), 3, 3))
            out.append(np.concatenate([still, turned], axis=2).reshape(-1, 6))
        return out


class LeastSteps:
    """Steps of some parts with the least squares of all residuals, of these those with the least
    movement of features, of these the least.

    Args:
        cut: singular value of the Jacobian that counts as 0, over the largest.
        moves: places of the parts that may move.

    Attributes:
        reading: numbers of the equations that read the parts.
    """

    def __init__(self, rows: PoseRows, cut: float, moves: Ints) -> None:
        self.rows, self.cut, self.moves = rows, cut, moves
        self._equations = self._read()
        numbers = [g.numbers for g in self._equations]
        self.reading: Ints = np.concatenate([np.empty(0, np.int64), *numbers])
        self._unknowns = (6 * moves[:, None] + np.arange(6)).ravel()
        self._sparse: OrderedSquares | None = None
        if len(self._unknowns) > DENSE:
            sparse = self._ordered(with_movement=False)
            if sparse.clear or len(self._unknowns) > DENSE_IF_UNCLEAR:
                determined = sparse.rank == len(self._unknowns)
                self._sparse = sparse if determined else self._ordered(with_movement=True)

    @cached_property
    def rank(self) -> int:
        """Independent equations."""
        if self._sparse is not None:
            return self._sparse.rank
        return self._counted(np.asarray(np.linalg.svd(self._matrix, compute_uv=False), float))

    def _counted(self, values: Array) -> int:
        """How many singular values are not 0."""
        return int(np.sum(values > self.cut * values.max(initial=0.0)))

    @property
    def freedoms(self) -> int:
        """Independent motions that no equation stops."""
        return len(self._unknowns) - self.rank

    def of(self, side: Array) -> Array:
        """Steps, (unknowns, k), whose changes of the residuals are these, (equations, k), mm."""
        out = np.zeros((6 * len(self.rows.moving), side.shape[1]))
        if self._sparse is None:
            out[self._unknowns] = self.inverse @ side[self.reading]
        else:
            out[self._unknowns] = self._sparse.solution(side)
        return out

    def left(self, steps: Array, side: Array) -> Array:
        """Root sums of squares of what is left of the changes of the residuals, mm, (k,).

        Args:
            steps: of these parts, and side: as of `of`.
        """
        off, own = side.copy(), steps[self._unknowns].reshape(len(self.moves), 6, -1)
        for g in self._equations:
            off[g.numbers] -= g.matrix @ own[list(g.blocks)].reshape(-1, side.shape[1])
        out: Array = np.linalg.norm(off, axis=0)
        return out

    @cached_property
    def sums(self) -> Sums:
        """`of` as sums of the changes of the residuals; all parts that move are to be in it."""
        if self._sparse is not None:
            return self._sparse.sums()
        own = np.arange(len(self.inverse))
        return sums_of([(self.reading, row) for row in self.inverse], own)

    # --------------------------------------------------------------------- as one matrix
    @property
    def _matrix(self) -> Array:
        """The equations `reading`, by the unknowns of the parts that may move."""
        matrix, at = np.zeros((len(self.reading), len(self._unknowns))), 0
        for g in self._equations:
            rows = slice(at, at := at + len(g.matrix))
            for n, b in enumerate(g.blocks):
                matrix[rows, 6 * b : 6 * b + 6] = g.matrix[:, 6 * n : 6 * n + 6]
        return matrix

    @cached_property
    def _decomposed(self) -> tuple[Array, Array, Array]:
        matrix = self._matrix
        wide = len(matrix) < matrix.shape[1]  # its free motions are wanted, too
        left, values, right = np.linalg.svd(matrix, full_matrices=wide)
        return left, values[: self._counted(values)], right

    @cached_property
    def inverse(self) -> Array:
        """The pseudo-inverse, with the least movement: (unknowns of those that move, `reading`)."""
        left, values, right = self._decomposed
        steps: Array = right[: len(values)].T @ (left[:, : len(values)].T / values[:, None])
        free = right[len(values) :].T
        if not free.shape[1]:
            return steps
        arms = [self.rows.arms[n] for n in self.moves.tolist()]
        by = np.concatenate([a @ free[6 * n : 6 * n + 6] for n, a in enumerate(arms)])
        own = np.concatenate([a @ steps[6 * n : 6 * n + 6] for n, a in enumerate(arms)])
        turned, sizes, mixed = np.linalg.svd(by, full_matrices=False)
        seen = sizes > FAINT * max(float(np.linalg.norm(a)) for a in arms)  # not what only spins
        less = mixed[seen].T @ ((turned[:, seen].T @ own) / sizes[seen, None])
        out: Array = steps - free @ less
        return out

    @cached_property
    def _spanning(self) -> Array:
        if self._sparse is not None:
            return self._sparse.null_space()
        free: Array = self._decomposed[2][len(self._decomposed[1]) :].T
        return free

    @cached_property
    def free(self) -> Array:
        """Orthonormal motions that no equation stops, as columns, (unknowns, freedoms)."""
        free: Array = np.linalg.qr(self._spanning)[0] if self._sparse else self._spanning
        return free

    def mixed(self, rng: np.random.Generator) -> Array:
        """A motion that mixes all of these, of size 1 in its largest unknown, (unknowns,)."""
        some = self._spanning @ rng.normal(size=self.freedoms)
        out: Array = some / np.abs(some).max(initial=TINY)
        return out

    # --------------------------------------------------------------------- part by part
    def _read(self) -> list[NumberedRows]:
        """The equations that read the parts that may move."""
        place, out = {p: n for n, p in enumerate(self.moves.tolist())}, []
        for k in sorted({k for p in place for k in self.rows.readers[p]}):
            g = self.rows.groups[k]
            some = [n for n, p in enumerate(g.places) if p in place]
            columns = [6 * n + k for n in some for k in range(6)]
            blocks = tuple(place[g.places[n]] for n in some)
            out.append(NumberedRows(blocks, g.matrix[:, columns], g.rows))
        return out

    def _ordered(self, with_movement: bool) -> OrderedSquares:
        """The equations alone, or with the movement of features and that of the parts after."""
        movement, itself = [], []
        for n, p in enumerate(self.moves.tolist()):
            _, short = np.linalg.qr(self.rows.arms[p])
            movement.append(NumberedRows((n,), short, np.full(len(short), ZERO)))
            itself.append(NumberedRows((n,), np.eye(6), np.full(6, ZERO)))
        levels = [self._equations, movement, itself] if with_movement else [self._equations]
        cuts = (self.cut, FAINT, FAINT)[: len(levels)]
        return OrderedSquares(levels, len(self.moves), 6, cuts, self.rows.count)
