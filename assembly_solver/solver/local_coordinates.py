"""Unknowns of a component as one vector of coordinates about given poses.

Each body has the translation of its centre and the rotation vector about it as coordinates, for
methods that need a vector space, such as assembly by minimisation.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from ..equations.residuals import residuals_at
from ..equations.table import SPACE, TwistBasis, displace
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array
from ..structure.incidence import jacobian_of
from ..structure.plan import Plan
from ..structure.steps import Component


class LocalCoordinates:
    """Coordinates of the bodies of a component about the poses `origin`, six a body, mm."""

    def __init__(self, plan: Plan, component: Component, origin: Array) -> None:
        self.plan, self.component, self.origin = plan, component, origin
        self.size = 6 * len(component.bodies)
        self._moved = origin.copy()

    def poses(self, x: Array) -> Array:
        """Poses at coordinates x, shape (bodies, 12); the array is overwritten by the next call."""
        s, b = self.plan.system, self.plan.bodies
        axes = np.eye(3)
        for n, body in enumerate(self.component.bodies):
            self._moved[body] = self.origin[body]
            displace(self._moved[body], x[6 * n : 6 * n + 6], axes, b.centre[body], s.length)
        return self._moved

    def residual(self, x: Array) -> Array:
        """Residuals of the component's equations, mm."""
        return residuals_at(self.plan.table, self.poses(x), self.component.rows)

    def jacobian(self, x: Array) -> Array:
        """Derivatives of the residuals by the coordinates, shape (equations, size)."""
        plan, c, s = self.plan, self.component, self.plan.system
        basis = TwistBasis(np.eye(3), plan.bodies.centre, s.length)
        out = jacobian_of(plan.table, self.poses(x), c.rows, c.bodies, SPACE, basis)
        for n in range(len(c.bodies)):
            turn = slice(6 * n + 3, 6 * n + 6)
            out[:, turn] = out[:, turn] @ left_jacobian(x[turn] / s.length)
        return out


def left_jacobian(w: Array) -> Array:
    """Derivative of a rotation by its rotation vector w (rad), as a spin in the world, (3, 3)."""
    n = float(np.linalg.norm(w))
    cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    if n < FAINT:
        return np.eye(3) + 0.5 * cross
    a, b = (1 - cos(n)) / n**2, (n - sin(n)) / n**3
    out: Array = np.eye(3) + a * cross + b * cross @ cross
    return out
