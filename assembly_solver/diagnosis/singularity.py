"""What the count of freedoms is near a pose: singular poses, and mobility by special dimensions.

A rank is that of one pose.  Where a component moves a little along its free motions, is closed
again and has a higher rank there, the pose is singular; where it falls back to where it was, its
freedom is of first order only.  Where the rank stays lower than the count of equations makes it,
the freedom is real, and owed to special dimensions.

Source: isolated against persistent redundancy, docs/theory/perturbation.md, 3
(perturb, reassemble, count again).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..equations.table import jacobian, move, residuals
from ..foundations.geometry.nearest_motion import GENERAL
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.linear import left_null_space, null_space, rank_of
from ..foundations.types import Array
from ..structure.incidence import slots
from ..structure.poses import part_poses
from ..structure.steps import Component
from .freedoms import Diagnosis

LARGEST = 150
"""Unknowns of a component up to which it is looked at."""

TRIALS = 4
"""Directions in which a component is moved."""

STEPS = (0.05, 0.017)
"""How far it is moved, relative to the characteristic length: the second where the first fails."""

MOVED = 0.1
"""Share of the step from which it has moved."""

CLOSINGS = 40
"""Steps to close it again."""

CLEAR = 1e-5
"""Singular value, relative to the largest, from which a row is independent beyond doubt."""

NOISE = 1e-11
"""Singular value, relative to the largest, that is rounding; more where mates are off."""

UNCLEAR = 0.1
"""First dropped over last kept singular value from which a rank near by is not clear."""

TAKES_PART = 1e-6
"""Share of a combination of rows from which a mate takes part in it."""


@dataclass(frozen=True)
class Nearby:
    """The freedoms of one component at its pose and near by.

    Attributes:
        component: which; here: freedoms at the pose; around: those found near by, each once.
        counted: unknowns less equations of its mates, in space.
        moves: whether it was moved by a finite amount; sure: whether all ranks were clear.
        gap: first dropped over last kept singular value at the pose.
        mates: that are dependent at this pose only, or, where it is not singular, everywhere.
    """

    component: int
    here: int
    around: tuple[int, ...]
    counted: int
    moves: bool
    sure: bool
    gap: float
    mates: tuple[int, ...]

    @property
    def singular(self) -> bool:
        """Whether the count is another one near by, or may be."""
        return self.around != (self.here,) or not self.sure

    @property
    def special(self) -> bool:
        """Whether it moves although its equations are too many for that."""
        return not self.singular and self.moves and self.counted < self.here

    @property
    def finite(self) -> int:
        """Freedoms of which a finite movement is left."""
        return max(self.around, default=0) if self.singular else self.here


def nearby(d: Diagnosis) -> list[Nearby]:
    """Components whose count of freedoms is not what their equations make it."""
    return [n for n in looked_at(d) if n.singular or n.special]


def looked_at(d: Diagnosis) -> list[Nearby]:
    """Components whose rank at the pose does not tell by itself that their freedoms are finite."""
    few = (k for k in in_doubt(d) if d.plan.components[k].columns <= LARGEST)
    return [_Component(d, k, d.plan.components[k]).nearby() for k in few]


def in_doubt(d: Diagnosis) -> list[int]:
    """Components with freedoms whose rows are dependent at the pose, or nearly so.

    Where all rows are independent, as many freedoms are there near by (implicit functions).
    """
    out = []
    for k, c in enumerate(d.plan.components):
        rank = d.ranks[k].rank
        known = not c.loop and int(d.plan.bodies.pairs.kind[c.pairs[0]]) != GENERAL
        if known or rank == c.columns:
            continue
        if rank < min(c.columns, len(d.rows(c))) or not _clear(d, k):
            out.append(k)
    return out


def aside(d: Diagnosis, seed: int) -> Diagnosis | None:
    """The same a little away: every component moved along its free motions and closed again.

    Each is moved against its root and rides on it.  One that is too large to be looked at, that
    does not close, or comes back, is left as it is; None where all are.
    """
    rng = np.random.default_rng(seed)
    poses, moves = d.poses.copy(), False
    for k, c in enumerate(d.plan.components):
        own = d.poses
        if c.columns <= LARGEST and d.ranks[k].rank < c.columns:
            basis = null_space(d.jacobian(c), d.cut)
            for _ in range(TRIALS):
                found, away = _Component(d, k, c).moved(basis @ rng.normal(size=basis.shape[1]))
                if found is not None and away:
                    own, moves = found, True
                    break
        bodies = list(c.bodies)
        carried = compose_all(poses[c.root][None], invert_all(d.poses[c.root][None]))
        poses[bodies] = compose_all(np.repeat(carried, len(bodies), axis=0), own[bodies])
    return Diagnosis(d.plan, part_poses(d.plan, poses, d.poses)) if moves else None


def _clear(d: Diagnosis, k: int) -> bool:
    """Whether no singular value of a component is neither rounding nor clearly more."""
    values = d.ranks[k].singular_values
    if not len(values):
        return True
    share = values / max(float(values[0]), 1e-300)
    noise = NOISE + 10 * d.off / d.plan.system.length
    return not bool(np.any((share > noise) & (share < CLEAR)))


class _Component:
    """A component that is moved and closed again."""

    def __init__(self, d: Diagnosis, k: int, c: Component) -> None:
        self.d, self.k, self.c = d, k, c
        self.rows, self.axes = d.rows(c), d.axes(c)
        self.bodies = np.array(c.bodies, np.int64)
        self.columns = c.columns
        self.slot = slots(len(d.poses), c.bodies, c.unknowns)
        self.length = d.plan.system.length

    def nearby(self) -> Nearby:
        """Move it in several directions and count again."""
        d, c, k = self.d, self.c, self.k
        basis = null_space(d.jacobian(c), d.cut)
        rng = np.random.default_rng(0)
        counts, changed, sure = set(), [], _clear(d, k)
        moves = undecided = False
        for _ in range(TRIALS):
            poses, moved = self.moved(basis @ rng.normal(size=basis.shape[1]))
            moves |= moved
            if poses is None:
                undecided = True
            elif moved:
                matrix = self._jacobian(poses)
                rank = rank_of(matrix, d.cut)
                sure &= rank.gap < UNCLEAR
                counts.add(d.nullity(k) + d.ranks[k].rank - rank.rank)
                changed.append(matrix)
        if not moves and not undecided:  # of first order only
            counts.add(d.nullity(k) - basis.shape[1])
        return Nearby(
            component=k,
            here=d.nullity(k),
            around=tuple(sorted(counts)),
            counted=6 * len(c.bodies) - len(c.rows),
            moves=moves,
            sure=sure and bool(counts),
            gap=d.ranks[k].gap,
            mates=self._mates(changed),
        )

    def moved(self, direction: Array) -> tuple[Array | None, bool]:
        """Poses a step away where it is closed, and whether it is still away; None: it does not.

        It is closed with its way along the direction held, which keeps it on a branch that leaves
        a singular pose; where that fails, free to come back.
        """
        direction = direction / np.abs(direction).max()
        closed: Array | None = None
        for size in STEPS:
            for held in (direction, np.zeros_like(direction)):
                poses = self._step(self.d.poses, size * self.length * direction)
                if self._close(poses, held):
                    closed = poses
                    if self._away(poses) > MOVED * size * self.length:
                        return closed, True
        return closed, False

    def _close(self, poses: Array, held: Array) -> bool:
        """Gauss-Newton steps of least size, shortened where they are long; poses are written.

        Args:
            held: steps are taken across this direction; none where it is zero.
        """
        unit = held / max(float(np.linalg.norm(held)), 1.0)
        f = np.empty(len(self.rows))
        stop = 10 * max(self.d.plan.system.stop, self.d.off)
        longest = max(STEPS) * self.length
        for _ in range(CLOSINGS):
            if residuals(self.d.plan.table, poses, self.rows, f) <= stop:
                return True
            matrix = self._jacobian(poses)
            across = matrix - np.outer(matrix @ unit, unit)
            step = np.linalg.lstsq(across, f, rcond=self.d.cut)[0]
            size = float(np.abs(step).max())
            poses[:] = self._step(poses, -step * min(1.0, longest / max(size, 1e-300)))
        return False

    def _away(self, poses: Array) -> float:
        """How far it is from where it was, mm."""
        shift, turn = np.abs(poses - self.d.poses)[self.bodies, :3], poses[self.bodies, 3:]
        turned = np.abs(turn - self.d.poses[self.bodies, 3:]) * self.length
        return float(max(shift.max(), turned.max()))

    def _step(self, poses: Array, step: NDArray[Any]) -> Array:
        out = poses.copy()
        centre = self.d.plan.bodies.centre
        move(poses, self.bodies, self.slot, step, 1.0, self.axes, centre, self.length, out)
        return out

    def _jacobian(self, poses: Array) -> Array:
        plan = self.d.plan
        out = np.empty((len(self.rows), self.columns))
        jacobian(
            plan.table, poses, self.rows, self.slot, self.axes, plan.bodies.centre, self.length, out
        )
        return out

    def _mates(self, elsewhere: list[Array]) -> tuple[int, ...]:
        """Mates in the combinations of rows that vanish here and, if there are such, only here."""
        left = left_null_space(self.d.jacobian(self.c), self.d.cut)
        if left.size and elsewhere:
            there = np.concatenate([left.T @ matrix for matrix in elsewhere], axis=1)
            turn, sizes, _ = np.linalg.svd(there)
            only_here = sizes > CLEAR * self.columns
            if only_here.any():
                left = left @ turn[:, : len(sizes)][:, only_here]
        used = np.abs(left).max(axis=1, initial=0.0) > TAKES_PART
        system = self.d.plan.system
        return tuple(dict.fromkeys(system.promise_of_equation[self.rows[used]].tolist()))
