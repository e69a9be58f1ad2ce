"""Whether a step of a drag stays on its branch, loop by loop.

Along a branch without singular poses the equations of a loop and the motion that they leave form a
square matrix whose determinant keeps its sign.  Where two branches almost meet it is another one on
each, for the same direction of the motion.  A step is along its branch where, besides, its chord is
along the motions at both of its ends; one that is too long for that is tried again in smaller ones.

Source: docs/theory/motion.md, 8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...equations.closed_form import plane_axes
from ...equations.table import TwistBasis
from ...foundations.geometry.pose import compose_all, invert_all
from ...foundations.numerics.rounding import FAINT, ROOT
from ...foundations.types import Array
from ...structure.incidence import jacobian_of
from ...structure.plan import Plan
from ...structure.steps import Component
from ..singularities import displacement

MOST_UNKNOWNS = 60
"""Most unknowns of a loop whose branch is told."""


ALONG = 0.8
"""Least share of a step that is along the motions at either end."""


NEAR = 0.1
"""Share of the way to the nearest singular pose, roughly told by the smallest singular value, up to
which a loop is not looked at."""

CHANGED = 0.5
"""Change of the equations, by the pseudo-inverse at the last pose looked at, up to which a loop is
on its branch: below 1 none between the two is singular, and their motions are 30 degrees apart."""


class _Place(NamedTuple):
    """A loop at a pose: poses against its root, its equations, and orthonormal bases as columns of
    the combinations that are independent there, and of the motions that they leave.

    inverse: pseudo-inverse of the equations.
    spare: how far its bodies may move before it is looked at again, mm.
    """

    poses: Array
    matrix: Array
    inverse: Array
    range: Array
    free: Array
    spare: float

    def is_near(self, matrix: Array) -> bool:
        """Whether equations are on the same branch for being nearly those of this place."""
        return bool(np.linalg.norm(self.inverse @ (matrix - self.matrix)) <= CHANGED)


class DragBranches:
    """The branches of the loops of a plan, each against the last pose that was not singular."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.loops = [c for c in plan.components if c.loop and c.columns <= MOST_UNKNOWNS]
        self._known: dict[int, _Place] = {}
        self._gone: dict[int, float] = {}

    def left(self, before: Array, after: Array) -> int:
        """A body of a loop that a step leads to another branch, or -1.

        Args:
            before, after: poses of the bodies, (bodies, 12), world, with all mates closed.
        """
        reached: dict[int, _Place] = {}
        length = self.plan.system.length
        for n, c in enumerate(self.loops):
            change = np.abs(after[[*c.bodies]] - before[[*c.bodies]]).max(axis=0)
            gone = float(change[:3].sum() + length * change[3:].sum())
            self._gone[n] = self._gone.get(n, 0.0) + gone
            if (
                n not in self._known
                and gone > 0.0
                and (first := self._place(*self._equations(c, before)))
            ):
                self._known[n], self._gone[n] = first, gone
            known = self._known.get(n)
            if known is None or self._gone[n] <= known.spare:
                continue
            poses, matrix = self._equations(c, after)
            if known.is_near(matrix):
                continue
            place, last = self._place(poses, matrix), self._place(*self._equations(c, before))
            if place is None or known.free.shape != place.free.shape:
                continue
            if last is not None and last.free.shape == known.free.shape:
                known = last
            if not self._follows(c, known, place):
                return c.bodies[0]
            reached[n] = place
        self._known |= reached
        self._gone |= dict.fromkeys(reached, 0.0)
        return -1

    def forget(self, body: int) -> None:
        """Forget the branch of the loop of a body: it has changed."""
        for n, c in enumerate(self.loops):
            if body in c.bodies:
                self._known.pop(n, None)

    def _equations(self, c: Component, bodies: Array) -> tuple[Array, Array]:
        """Poses of all bodies, those of a loop against its root, and its equations there."""
        poses = bodies.copy()
        poses[[*c.bodies, c.root]] = compose_all(
            np.repeat(invert_all(bodies[c.root][None]), len(c.bodies) + 1, axis=0),
            bodies[[*c.bodies, c.root]],
        )
        rows = c.rows if c.projection is None else np.array(c.projection.plane, np.int64)
        basis = self._basis(c, poses)
        return poses, jacobian_of(self.plan.table, poses, rows, c.bodies, c.unknowns, basis)

    def _place(self, poses: Array, matrix: Array) -> _Place | None:
        """A loop by its equations at poses; None where it is singular, or nothing is left free."""
        left, sizes, right = np.linalg.svd(matrix)
        rank = int(np.sum(sizes > ROOT * max(float(sizes[0]), ROOT)))
        if not rank or sizes[rank - 1] <= FAINT * sizes[0] or rank == matrix.shape[1]:
            return None
        inverse = (right[:rank].T / sizes[:rank]) @ left[:, :rank].T
        spare = NEAR * float(sizes[rank - 1]) * self.plan.system.length
        return _Place(poses, matrix, inverse, left[:, :rank], right[rank:].T, spare)

    def _basis(self, c: Component, poses: Array) -> TwistBasis:
        axes = np.eye(3)
        if c.projection is not None:
            plane_axes(poses, c.root, c.projection.flat.normal[0], axes)
        return TwistBasis(axes, self.plan.bodies.centre, self.plan.system.length)

    def _follows(self, c: Component, one: _Place, two: _Place) -> bool:
        """Whether the way from one place to another is along a branch, as far as its ends tell."""
        basis, columns = self._basis(c, one.poses), np.asarray(c.unknowns)
        gone = np.concatenate(
            [displacement(basis, one.poses[b], two.poses[b], b)[columns] for b in c.bodies]
        )
        size = float(np.linalg.norm(gone))
        if size <= self.plan.system.tolerance:
            return True
        if min(np.linalg.norm(place.free.T @ gone) for place in (one, two)) < ALONG * size:
            return False
        first, second = _along(one.free, gone), _along(two.free, gone)
        if np.linalg.det(first[:, 1:].T @ second[:, 1:]) < 0.0:
            second[:, -1] *= -1.0
        signs = [
            np.linalg.slogdet(np.concatenate([one.range.T @ place.matrix, free.T]))[0]
            for place, free in ((one, first), (two, second))
        ]
        return bool(signs[0] * signs[1] > 0.0)


def _along(free: Array, gone: Array) -> Array:
    """An orthonormal basis of motions, as columns, the first one as a displacement goes."""
    share = free.T @ gone
    turn, sizes, _ = np.linalg.svd(share[:, None])
    turn[:, 0] = share / sizes[0] if sizes[0] > 0.0 else turn[:, 0]
    return np.asarray(free @ turn)
