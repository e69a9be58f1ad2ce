"""The reduced equations of a component at a pose: as many as it has dependent equations.

Every way within the null space of the Jacobian is closed by all equations but their combinations
that are dependent at the pose.  What is left of these is r, a map of the ways, which starts with
its second order.  Near the pose the component can be exactly where r is zero, so r alone decides
which free motions are finite, and how far the others hold.

Where mates agree but for noise, so do their rates: r has a constant and a linear part of that size.
These are taken off: what is told is so of dimensions for which the pose is what it is told to be.

Source: the reduction of Lyapunov and Schmidt; docs/theory/higher_order.md, 1.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import numpy as np

from ..equations.table import move, residuals
from ..foundations.numerics.linear import left_null_space, null_space
from ..foundations.numerics.rounding import EPSILON, ROUNDING
from ..foundations.types import Array
from ..structure.incidence import slots
from ..structure.steps import Component
from .freedoms import Diagnosis

CLOSINGS = 60
"""Most steps to close a way; the matrix is that of the pose, each gains a factor of the way."""

LONGEST = 0.06
"""Longest way over the characteristic length: where the second order is the larger part."""


LONGER = 4.0 * LONGEST
"""The same where noise hides what is left after shorter ways: higher orders show from there."""


class ClosedWay(NamedTuple):
    """A way that is closed: what is left over the characteristic length, (m,), and its poses."""

    left: Array
    poses: Array


class ReducedEquations:
    """What is left of the dependent equations of a component after a way in its null space.

    Ways are those of the bodies over the characteristic length, as combinations of the free
    motions.

    Attributes:
        free: number of free motions; zero: what is rounding or noise of what is left after
            `LONGEST`; noise: how far mates, and their rates, are off at the pose; longest: way.
    """

    free: int
    zero: float
    noise: float
    longest: float

    def __init__(self, d: Diagnosis, c: Component, cut: float | None = None) -> None:
        """Of the singular values up to a share of the largest, where given, as they are."""
        noisy, cut = cut is None, d.cut if cut is None else cut
        self.d, self.c = d, c
        self.rows, self.twists = d.rows(c), d.basis(c)
        self.bodies = np.array(c.bodies, np.int64)
        self.slot = slots(len(d.poses), c.bodies, c.unknowns)
        self.length = d.plan.system.length
        matrix = d.jacobian(c)
        self.basis, self.dependent = null_space(matrix, cut), left_null_space(matrix, cut)
        self.across = np.linalg.pinv(self._others(matrix), cut)
        self.free = self.basis.shape[1]
        reach = d.plan.system.farthest + self.length
        self.rounding = max(ROUNDING, 64.0 * EPSILON * reach / self.length)
        self.at_pose = np.zeros(self.dependent.shape[1])
        self.first = np.zeros((len(self.at_pose), self.free))
        found = self.with_rates(np.zeros(self.free)) if noisy else None
        if found is not None:
            self.at_pose, self.first = found
        self.noise = max(d.off / self.length, float(np.abs(self.first).max(initial=0.0)))
        self.zero = self.zero_at(LONGEST)
        self.longest = LONGEST if self.zero <= self.rounding else LONGER

    def zero_at(self, size: float) -> float:
        """What is rounding or noise of what is left after a way of a size.

        The noise of the constant and of the linear part is taken off: it goes with the square.
        """
        return max(self.rounding, self.noise * size * size)

    def with_noise(self, multiple: float) -> ReducedEquations:
        """The same with so many times the noise."""
        out = copy(self)
        out.noise = multiple * self.noise
        out.zero = out.zero_at(LONGEST)
        return out

    def closed(self, way: Array) -> ClosedWay | None:
        """A way, (free,), closed; None where it does not close."""
        poses, last = self.step(self.d.poses, self.length * (self.basis @ way)), np.inf
        f = np.empty(len(self.rows))
        for _ in range(CLOSINGS):
            self.d.check()
            residuals(self.d.plan.table, poses, self.rows, f)
            left = self.dependent.T @ f
            rest = f - self.dependent @ left
            size = float(np.abs(rest).max(initial=0.0))
            if size <= self.rounding * self.length:
                return ClosedWay(left / self.length - self.at_pose - self.first @ way, poses)
            if not size < 10.0 * last:
                return None
            poses, last = self.step(poses, -self.across @ rest), size
        return None

    def left(self, way: Array) -> Array | None:
        """What is left after a way, (m,); None where it does not close."""
        found = self.closed(way)
        return None if found is None else found.left

    def with_rates(self, way: Array) -> tuple[Array, Array] | None:
        """What is left after a way and its rates along the ways, (m, free)."""
        found = self.closed(way)
        if found is None:
            return None
        matrix = self.d.jacobian(self.c, found.poses)
        others, along = self._others(matrix), self.basis
        for _ in range(CLOSINGS):
            change = self.across @ (others @ along)
            along = along - change
            if np.abs(change).max(initial=0.0) <= self.rounding:
                break
        return found.left, self.dependent.T @ (matrix @ along) - self.first

    def _others(self, matrix: Array) -> Array:
        """Rows without their dependent combinations."""
        return matrix - self.dependent @ (self.dependent.T @ matrix)

    def step(self, poses: Array, step: Array) -> Array:
        """Poses moved by a step of the unknowns, mm."""
        out = poses.copy()
        move(poses, self.bodies, self.slot, step, 1.0, self.twists, out)
        return out
