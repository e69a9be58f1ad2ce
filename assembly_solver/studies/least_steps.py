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
        out = np.zeros((self.count, steps.shape[1]))
        by_part = steps.reshape(-1, 6, steps.shape[1])
        for g in self.groups:
            out[g.rows] = g.matrix @ by_part[list(g.places)].reshape(-1, steps.shape[1])
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
        rank: independent equations.
    """

    def __init__(self, rows: PoseRows, cut: float, moves: Ints) -> None:
        self.rows, self.cut, self.moves = rows, cut, moves
        self._unknowns = (6 * moves[:, None] + np.arange(6)).ravel()
        self._sparse: OrderedSquares | None = None
        if len(self._unknowns) > DENSE:
            sparse = self._ordered(with_movement=False)
            if sparse.clear or len(self._unknowns) > DENSE_IF_UNCLEAR:
                determined = sparse.rank == len(self._unknowns)
                self._sparse = sparse if determined else self._ordered(with_movement=True)
        self.rank = self._sparse.rank if self._sparse is not None else len(self._decomposed[1])

    @property
    def freedoms(self) -> int:
        """Independent motions that no equation stops."""
        return len(self._unknowns) - self.rank

    def of(self, side: Array) -> Array:
        """Steps, (unknowns, k), whose changes of the residuals are these, (equations, k), mm."""
        out = np.zeros((6 * len(self.rows.moving), side.shape[1]))
        if self._sparse is None:
            out[self._unknowns] = self.inverse @ side
        else:
            out[self._unknowns] = self._sparse.solution(side)
        return out

    @cached_property
    def sums(self) -> Sums:
        """`of` as sums of the changes of the residuals; all parts that move are to be in it."""
        if self._sparse is not None:
            return self._sparse.sums()
        every = np.arange(self.rows.count)
        return sums_of([(every, row) for row in self.inverse], np.arange(len(self.inverse)))

    # --------------------------------------------------------------------- as one matrix
    @cached_property
    def _decomposed(self) -> tuple[Array, Array, Array]:
        left, values, right = np.linalg.svd(self.rows.whole[:, self._unknowns], full_matrices=True)
        kept = int(np.sum(values > self.cut * values.max(initial=0.0)))
        return left, values[:kept], right

    @cached_property
    def inverse(self) -> Array:
        """The pseudo-inverse, with the least movement: (unknowns of those that move, equations)."""
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
        free: Array = self._decomposed[2][self.rank :].T
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
    def _ordered(self, with_movement: bool) -> OrderedSquares:
        """The equations alone, or with the movement of features and that of the parts after."""
        place = {int(p): n for n, p in enumerate(self.moves)}
        equations, movement, itself = [], [], []
        for g in self.rows.groups:
            some = [n for n, p in enumerate(g.places) if p in place]
            columns = [6 * n + k for n in some for k in range(6)]
            blocks = tuple(place[g.places[n]] for n in some)
            if blocks:
                equations.append(NumberedRows(blocks, g.matrix[:, columns], g.rows))
        for p, n in place.items():
            _, short = np.linalg.qr(self.rows.arms[p])
            movement.append(NumberedRows((n,), short, np.full(len(short), ZERO)))
            itself.append(NumberedRows((n,), np.eye(6), np.full(6, ZERO)))
        levels = [equations, movement, itself] if with_movement else [equations]
        cuts = (self.cut, FAINT, FAINT)[: len(levels)]
        return OrderedSquares(levels, len(place), 6, cuts, self.rows.count)
