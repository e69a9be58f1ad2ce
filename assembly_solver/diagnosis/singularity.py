"""Singular poses, and mobility by special dimensions: the freedoms at neighbouring poses.

A rank is that of one pose.  Of each component whose equations are dependent there the motions that
leave the pose are followed.  If they have fewer freedoms, the pose is singular.  If there are none,
its freedom is of first order only, or of a higher one.  If all free motions are finite although the
equations are too many, they are due to special dimensions.  What that leaves open is moved a little
along its free motions, closed again, and its rank taken anew.

Source: docs/theory/higher_order.md; docs/theory/perturbation.md, 3.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.table import move, residuals
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.numerics.linear import left_null_space, null_space, rank_of
from ..foundations.numerics.rounding import FAINT, ROUNDING, TINY
from ..foundations.types import Array
from ..structure.incidence import slots
from ..structure.poses import part_poses
from ..structure.steps import Component
from .freedoms import Diagnosis

if TYPE_CHECKING:
    from .motion_branches import MotionBranch
    from .reduced_equations import ReducedEquations

LARGEST = 150
"""Most unknowns of a component that is probed."""

TRIALS = 4
"""Directions in which a component is moved."""

STEPS = (0.05, 0.017)
"""Step sizes relative to the characteristic length: the second is used where the first fails."""

MOVED = 0.1
"""Share of the step from which a component counts as moved."""

CLOSINGS = 40
"""Most Gauss-Newton steps to close a component again."""

NOISE = 16.0 * ROUNDING
"""Singular value, relative to the largest, that is rounding; larger with residuals."""

UNCLEAR = 0.1
"""First dropped over last kept singular value from which a rank is not clear."""


DOUBTFUL = 10.0
"""Multiple of the noise up to which it is in doubt whether something is left."""

INDEPENDENT, CLOSED, ORDER = "independent equations", "ways that close", "order"
FOLLOWED, MOVED_POSES = "followed motions", "moved poses"
"""What shows which freedoms are finite: docs/theory/higher_order.md, 5."""


class NearbyMobility(NamedTuple):
    """The freedoms of one component at its pose and at neighbouring poses.

    Attributes:
        component: its index; here: freedoms at the pose; around: those of the motions that leave
            it, each number once.
        counted: unknowns less equations of its mates, in space.
        moves: whether it could be moved by a finite amount; sure: whether all ranks were clear.
        gap: first dropped over last kept singular value at the pose.
        mates: that are dependent at this pose only, or, where it is not singular, everywhere.
        order: that of the freedoms where nothing moves: to this power of the way mates hold, to the
            next one they do not; None where it is not clear, or something moves.
        branches: the motions that meet where some are not finite; None where that is not known.
        shown_by: what shows what is finite, one of the words below.
    """

    component: int
    here: int
    around: tuple[int, ...]
    counted: int
    moves: bool
    sure: bool
    gap: float
    mates: tuple[int, ...]
    order: int | None
    branches: tuple[MotionBranch, ...] | None
    shown_by: str

    @property
    def singular(self) -> bool:
        """Whether the number of freedoms changes, or may change, at neighbouring poses."""
        return self.around != (self.here,) or not self.sure

    @property
    def special(self) -> bool:
        """Whether it moves although its equations are too many for that: special dimensions."""
        return not self.singular and self.moves and self.counted < self.here

    @property
    def finite(self) -> int:
        """Freedoms that a finite motion keeps."""
        return max(self.around, default=0) if self.singular else self.here


def singular_or_special(d: Diagnosis) -> list[NearbyMobility]:
    """The components at a singular pose, and those that move by special dimensions."""
    return [n for n in probed_components(d) if n.singular or n.special]


def probed_components(d: Diagnosis) -> list[NearbyMobility]:
    """Probe the components whose rank at the pose does not prove that their freedoms are finite.

    Where mates hold within the tolerance at a singular pose, too, what is near that is told; and
    what moves within it where dimensions are special to six digits.
    """
    from .near_singular import singular_within_tolerance, special_within_digits, within_digits

    out, doubtful, loose = [], set(doubtful_components(d)), None
    for k, c in enumerate(d.plan.components):
        if c.columns > LARGEST or d.is_lower_pair(k):
            continue
        there = singular_within_tolerance(d, k)
        near = _ComponentProbe(there or d, k, c).probe() if there or k in doubtful else None
        decided = there is not None or (near is not None and near.sure)
        if not decided and special_within_digits(d, k):
            loose = loose or within_digits(d)  # one for all: it has the ranks of all components
            within = _ComponentProbe(loose, k, c).probe()
            if within.finite > (d.nullity(k) if near is None else near.finite):
                near = within._replace(sure=False)
        if near is not None:
            sure = near.sure and there is None
            out.append(near._replace(here=d.nullity(k), gap=d.ranks[k].gap, sure=sure))
    return out


def doubtful_components(d: Diagnosis) -> list[int]:
    """Indices of the components with freedoms whose rows are dependent, or nearly so.

    Where all rows are independent, the freedoms are finite (implicit function theorem).
    """
    out = []
    for k, c in enumerate(d.plan.components):
        rank = d.ranks[k].rank
        if d.is_lower_pair(k) or rank == c.columns:
            continue
        if rank < min(c.columns, len(d.rows(c))) or not rank_is_clear(d, k):
            out.append(k)
    return out


def perturbed_diagnosis(d: Diagnosis, seed: int) -> Diagnosis | None:
    """The diagnosis at a neighbouring pose: components moved along free motions and closed again.

    Each component is moved against its root in random directions, and with it.  Components that are
    too large, do not close, or return to their pose keep their relative poses.  None where all do.
    """
    rng = Random(seed)
    poses, moves = d.poses.copy(), False
    for k, c in enumerate(d.plan.components):
        relative = d.poses
        if c.columns <= LARGEST and d.ranks[k].rank < c.columns:
            basis = null_space(d.jacobian(c), d.cut)
            for _ in range(TRIALS):
                direction = _drawn(basis, rng)
                found, away = _ComponentProbe(d, k, c).moved(direction)
                if found is not None and away:
                    relative, moves = found, True
                    break
        bodies = list(c.bodies)
        carried = compose_all(poses[c.root][None], invert_all(d.poses[c.root][None]))
        poses[bodies] = compose_all(np.repeat(carried, len(bodies), axis=0), relative[bodies])
    return Diagnosis(d.plan, part_poses(d.plan, poses, d.poses), watch=d.watch) if moves else None


def _drawn(basis: Array, rng: Random) -> Array:
    """A random direction, by Python's numbers: numpy's would be loaded for these alone."""
    direction: Array = basis @ [rng.gauss(0.0, 1.0) for _ in range(basis.shape[1])]
    return direction


def rank_is_clear(d: Diagnosis, k: int) -> bool:
    """Whether every singular value of a component is either rounding or clearly more."""
    values = d.ranks[k].singular_values
    if not len(values):
        return True
    share = values / max(float(values[0]), TINY)
    noise = NOISE + 10 * d.off / d.plan.system.length
    return not bool(np.any((share > noise) & (share < FAINT)))


def _blocked(reduced: ReducedEquations, left: float, followed: bool) -> tuple[bool, int | None]:
    """Whether nothing moves, and up to which order mates hold, which noise may hide."""
    from .motion_order import order_of

    order = order_of(reduced) if reduced.free == 1 or followed else None
    return order is not None or (reduced.free == 1 and left < np.inf), order


class _ComponentProbe:
    """A component that is moved and closed again."""

    def __init__(self, d: Diagnosis, k: int, c: Component) -> None:
        self.d, self.k, self.c = d, k, c
        self.rows, self.basis = d.rows(c), d.basis(c)
        self.bodies = np.array(c.bodies, np.int64)
        self.slot = slots(len(d.poses), c.bodies, c.unknowns)
        self.length = d.plan.system.length

    def probe(self) -> NearbyMobility:
        """The freedoms that remain in the motions of the component, and their order if none do.

        Where the reduced equations vanish along all ways, every free motion is finite.
        """
        from .motion_branches import branches_and_doubt, left_everywhere  # of singular poses only
        from .reduced_equations import ReducedEquations

        d, c, k = self.d, self.c, self.k
        reduced, sure = ReducedEquations(d, c), rank_is_clear(d, k)
        idle, changed = d.nullity(k) - reduced.free, list[Array]()
        left, order, found = left_everywhere(reduced), None, None
        closes, sure = left <= 1.0, sure and not 1.0 < left < DOUBTFUL
        if not closes and sure:
            found, doubt = branches_and_doubt(reduced)
            sure = not doubt
        shown = CLOSED if closes else ORDER
        if closes:
            counts, moves = {d.nullity(k)}, True
        elif found:
            counts, moves, shown = {idle + b.dof for b in found}, True, FOLLOWED
            changed = [d.jacobian(c, b.poses) for b in found]
        else:
            nothing, order = _blocked(reduced, left if sure else np.inf, found is not None)
            if nothing:
                counts, moves = {idle}, False
            else:
                counts, moves, changed, clear = self._tried(reduced.basis)
                sure, shown = sure and clear, MOVED_POSES
        return NearbyMobility(
            component=k,
            here=d.nullity(k),
            around=tuple(sorted(counts)),
            counted=6 * len(c.bodies) - len(c.rows),
            moves=moves,
            sure=sure and bool(counts),
            gap=d.ranks[k].gap,
            mates=self._mates(changed),
            order=order,
            branches=found,
            shown_by=shown,
        )

    def _tried(self, basis: Array) -> tuple[set[int], bool, list[Array], bool]:
        """Move in several directions and count again by the rank.

        The counts, whether it moved, the Jacobians there, and whether all ranks were clear.
        """
        d, k, rng = self.d, self.k, Random(0)
        counts, changed, clear = set[int](), list[Array](), True
        moves = undecided = False
        for _ in range(TRIALS):
            poses, moved = self.moved(_drawn(basis, rng))
            moves |= moved
            if poses is None:
                undecided = True
            elif moved:
                matrix = d.jacobian(self.c, poses)
                rank = rank_of(matrix, d.cut)
                clear &= rank.gap < UNCLEAR and self._finite_at(poses)
                counts.add(d.nullity(k) + d.ranks[k].rank - rank.rank)
                changed.append(matrix)
        if not moves and not undecided:
            counts.add(d.nullity(k) - basis.shape[1])
        return counts, moves, changed, clear

    def _finite_at(self, poses: Array) -> bool:
        """Whether the freedoms of first order at other poses are finite: a rank does not tell."""
        from .motion_branches import left_everywhere
        from .reduced_equations import ReducedEquations

        d = self.d
        there = Diagnosis(d.plan, part_poses(d.plan, poses, d.poses), poses, d.watch)
        reduced = ReducedEquations(there, self.c)
        return reduced.free == 0 or left_everywhere(reduced) <= 1.0

    def moved(self, direction: Array) -> tuple[Array | None, bool]:
        """Closed poses a step away in a direction of the unknowns, and whether they are away.

        The component is closed across the direction first, which keeps it on a branch that leaves
        a singular pose; if that fails, in all directions, and it may return to its pose.  None
        where it does not close.
        """
        direction = direction / np.abs(direction).max()
        closed: Array | None = None
        for size in STEPS:
            for excluded in (direction, np.zeros_like(direction)):
                poses = self._step(self.d.poses, size * self.length * direction)
                if self._close(poses, excluded):
                    closed = poses
                    if self._distance(poses) > MOVED * size * self.length:
                        return closed, True
        return closed, False

    def _close(self, poses: Array, excluded: Array) -> bool:
        """Close `poses` by minimum-norm Gauss-Newton steps of bounded length across `excluded`."""
        unit = excluded / max(float(np.linalg.norm(excluded)), 1.0)
        f = np.empty(len(self.rows))
        tolerance = 10 * max(self.d.plan.system.convergence_tolerance, self.d.off)
        longest = max(STEPS) * self.length
        for _ in range(CLOSINGS):
            self.d.check()
            if residuals(self.d.plan.table, poses, self.rows, f) <= tolerance:
                return True
            matrix = self.d.jacobian(self.c, poses)
            across = matrix - np.outer(matrix @ unit, unit)
            step = np.linalg.lstsq(across, f, rcond=self.d.cut)[0]
            size = float(np.abs(step).max())
            poses[:] = self._step(poses, -step * min(1.0, longest / max(size, TINY)))
        return False

    def _distance(self, poses: Array) -> float:
        """Largest change of a coordinate of the poses, mm."""
        change = np.abs(poses - self.d.poses)[self.bodies]
        return float(max(change[:, :3].max(), change[:, 3:].max() * self.length))

    def _step(self, poses: Array, step: NDArray[Any]) -> Array:
        out = poses.copy()
        move(poses, self.bodies, self.slot, step, 1.0, self.basis, out)
        return out

    def _mates(self, elsewhere: list[Array]) -> tuple[int, ...]:
        """Mates of the rows that are dependent here, and not `elsewhere` if some are not there."""
        left = left_null_space(self.d.jacobian(self.c), self.d.cut)
        if left.size and elsewhere:
            there = np.concatenate([left.T @ matrix for matrix in elsewhere], axis=1)
            turn, sizes, _ = np.linalg.svd(there)
            only_here = sizes > FAINT * self.c.columns
            if only_here.any():
                left = left @ turn[:, : len(sizes)][:, only_here]
        used = np.abs(left).max(axis=1, initial=0.0) > FAINT
        system = self.d.plan.system
        return tuple(dict.fromkeys(system.constraint_of_equation[self.rows[used]].tolist()))
