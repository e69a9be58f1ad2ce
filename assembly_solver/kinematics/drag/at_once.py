"""What a drag step does with all bodies at once, in arrays: its form while it is interpreted."""

from __future__ import annotations

import numpy as np

from ...equations.many_descents import DescentState
from ...equations.many_equations import ManyEquations, displaced, equations_alone
from ...equations.table import EquationTable, TwistBasis
from ...foundations.geometry.pose import compose_all, placed_points
from ...foundations.types import Array, Ints
from .affected import AffectedBodies, DragSystem


class BodyEquations:
    """Some equations of a table, by the unknowns of some bodies along the world's axes.

    Attributes:
        free: the bodies; unit: what turns are multiplied by, mm.
    """

    def __init__(self, t: EquationTable, rows: Ints, bodies: Ints, basis: TwistBasis) -> None:
        self._many = ManyEquations(equations_alone(t, rows))
        self.free, self.unit, self._centre = bodies, basis.length, basis.centre
        self._slot = np.full(len(basis.centre), len(bodies))
        self._slot[bodies] = np.arange(len(bodies))

    def evaluate(self, poses: Array) -> tuple[Array, Array]:
        """Residuals, mm, (states, rows), and derivatives, (states, rows, unknowns).

        Args:
            poses: of all bodies, (states, bodies, 12).
        """
        value, force, torque = self._many.terms(poses)
        centres = np.stack([placed_points(p, self._centre).T for p in poses], axis=1)
        j = self._many.jacobian(centres, force, torque, self._slot, len(self.free))
        j[..., 3:] /= self.unit
        return self._many.residuals(value), j.reshape(*j.shape[:2], 6 * len(self.free))

    def moved(self, poses: Array, step: Array) -> Array:
        """Poses after a step, (states, unknowns), mm."""
        out, twist = poses.copy(), step.reshape(len(poses), -1, 6)
        turns = twist[..., 3:] / self.unit
        out[:, self.free] = displaced(
            poses[:, self.free], self._centre[self.free], twist[..., :3], turns
        )
        return out


def closed_at_once(
    of: BodyEquations, poses: Array, tolerance: float, steps: int
) -> tuple[Array, float]:
    """Undamped steps of some bodies, as `solve_sparse`: poses, (bodies, 12), and residual, mm."""
    state = DescentState(of, poses[None].copy(), None, tolerance, (0.0, 2.0, 0.0))
    state.steps(steps)
    return state.poses[0], float(np.abs(state.f).max(initial=0.0))


def stiffness_at_once(s: DragSystem, poses: Array, firm: tuple[float, float]) -> Array:
    """The matrix of `compliance.assemble`, (6 bodies, 6 bodies), in the order of elimination.

    Args:
        poses: (bodies, 12), world; firm: stiffness of a freedom of a joint, and of a body.
    """
    m, basis, n = s.moving, s.basis, len(s.moving.pattern.bodies)
    u, v = np.where(m.pattern.position < 0, n, m.pattern.position)[m.pair].T
    both = joints_at_once(m, poses, basis, firm[0])
    out = np.zeros((n + 1, n + 1, 6, 6))  # what is fixed comes last
    for k, one in zip((u, v), both, strict=True):
        for other, two in zip((u, v), both, strict=True):
            np.add.at(out, (k, other), one.swapaxes(1, 2) @ two)
    matrix: Array = out[:n, :n].swapaxes(1, 2).reshape(6 * n, 6 * n)
    if len(m.rows):
        j = BodyEquations(s.table, m.rows, m.pattern.bodies, basis).evaluate(poses[None])[1][0]
        matrix += j.T @ j
    matrix.flat[:: 6 * n + 1] += firm[1]
    return matrix


def factorised_at_once(matrix: Array) -> Array:
    """Lower Cholesky factor; raises `numpy.linalg.LinAlgError` where it is not definite."""
    return np.asarray(np.linalg.cholesky(matrix), float)


def solved_at_once(low: Array, right: Array) -> Array:
    """The solution with a matrix, by its lower Cholesky factor."""
    return np.asarray(np.linalg.solve(low.T, np.linalg.solve(low, right)))


def joints_at_once(
    m: AffectedBodies, poses: Array, basis: TwistBasis, friction: float
) -> tuple[Array, Array]:
    """Rows of all joints, by the root of their stiffness, (pairs, 6, 6), for both bodies.

    Args:
        friction: stiffness of the freedoms.
    """
    frames, centre = compose_all(poses[m.pair[:, 0]], m.frame), placed_points(poses, basis.centre)
    axes = frames[:, 3:].reshape(-1, 3, 3)
    root = np.sqrt(np.where(m.leaves, friction, 1.0))[:, :, None]
    rows = np.zeros((2, len(frames), 6, 6))
    for end in range(2):
        arm = frames[:, None, :3] - centre[m.pair[:, end], None]
        rows[end, :, :3, :3] = rows[end, :, 3:, 3:] = axes
        rows[end, :, :3, 3:] = np.cross(arm, axes) / basis.length
    return -root * rows[0], root * rows[1]
