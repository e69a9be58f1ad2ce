"""Driver forces and their derivatives: virtual work, with equilibrium at every changed pose.

A driver alone moves the parts by v, J v = e.  Its force balances the work of the loads on that,
F = -W v, and changes by dF = -dW v - W dv with J dv = -dJ v: the equations are not solved again;
the changes of J and W along the linear answer of the parts are quotients of differences.

Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989, 11.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..equations.system import compile_system
from ..foundations.altered import altered
from ..foundations.geometry.pose import poses_of
from ..foundations.numerics.rounding import FAINT, FOURTH
from ..foundations.types import Array
from ..kinematics.statics.applied_loads import PartMotion, gathered, loads, springs, weights
from ..model.assembly import Assembly
from .changed_equations import changed_equations, equation_rates
from .least_steps import PoseRows
from .response import PoseResponse
from .variables import Variable, deviating, rated

STEP = FOURTH
"""Step of a quotient, relative: by differences to the fourth order its error is rounding."""

QUOTIENT = ((1.0, 8.0 / 12.0), (-1.0, -8.0 / 12.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0))
"""Steps and weights of the central quotient of the fourth order."""


class ForceRates:
    """Forces of drivers at a solved pose.

    Args:
        before: the assembly; response: its answer at the poses.
        standing: the forces that balance it, N or N mm, by driver; NaN where there is none.
    """

    def __init__(
        self, before: Assembly, response: PoseResponse, standing: Mapping[str, float]
    ) -> None:
        self.before, self.response, self.standing = before, response, standing
        self._work = self._loads(before, response.frames)

    def of(self, driver: str, variables: Sequence[Variable], steps: Array, rates: Array) -> Array:
        """Derivatives of the force of a driver, (variables,), N or N mm for each unit of them.

        NaN where equilibrium does not determine it, there or after a change.

        Args:
            steps, rates: derivatives of the unknowns and of the residuals by the variables, mm.
        """
        least, none = self.response.least, np.full(len(variables), np.nan)
        moved = self._moved(driver)
        balanced = self.standing.get(driver, np.nan)
        scale = float(np.abs(self._work).max()) * float(np.abs(moved).max())
        if not abs(-self._work @ moved - balanced) <= FAINT * max(scale, abs(balanced)):
            return none
        free = least.free if least.freedoms else np.zeros((len(moved), 0))
        motions = np.column_stack([moved, free])
        out = none
        for n, v in enumerate(variables):
            size = self._size(v, steps[:, n], rates[:, n])
            work, rows = self._changes(variables, n, steps[:, n], size, motions)
            force = -(work @ motions) - self._work @ least.of(-rows)
            most = float(np.abs(work).max()) + scale * size
            if np.all(np.abs(force[1:]) <= FAINT * most):
                out[n] = force[0]
        return out

    def _moved(self, driver: str) -> Array:
        """The motion of the parts by a unit of the driver, mm or rad, (unknowns,), mm."""
        unit = self.before.drivers[driver].unit
        own = [Variable(driver, unit, "driver", driver)]
        changed = changed_equations(
            self.response.system, self.before, deviating(self.before, own, rated(np.zeros(1)))
        )
        rates = equation_rates(self.response.system, self.response.frames, changed, 1)
        moved: Array = self.response.steps(rates)[:, 0]
        return np.degrees(moved) if unit == "deg" else moved

    def _size(self, v: Variable, step: Array, rate: Array) -> float:
        """How far a unit of a variable moves what there is, in characteristic lengths."""
        length = self.response.system.length
        least = np.radians(1.0) if v.unit == "deg" else 1.0 / length
        return max(float(np.abs(step).max()) / length, float(np.abs(rate).max()) / length, least)

    def _changes(
        self, variables: Sequence[Variable], n: int, step: Array, size: float, motions: Array
    ) -> tuple[Array, Array]:
        """Derivatives by variable n of the work of the loads, (unknowns,), and of J @ motions."""
        system, length = self.response.system, self.response.system.length
        work, rows = np.zeros(len(step)), np.zeros((self.response.rows.count, motions.shape[1]))
        for sign, weight in QUOTIENT:
            by = sign * STEP / size
            frames = self.response.moved(by * step / length)
            one = deviating(self.before, variables, by * np.eye(len(variables))[n])
            one.move(dict(zip(one.parts, poses_of(frames), strict=True)))
            table = compile_system(one, active_limits=system.active_limits).table
            same = altered(system, table=table._replace(weight=system.table.weight))
            share = weight * size / STEP
            work += share * self._loads(one, frames)
            rows += share * PoseRows(same, frames).times(motions)
        return work, rows

    def _loads(self, assembly: Assembly, frames: Array) -> Array:
        """The work of all loads by the unknowns of the moving parts, (unknowns,), N."""
        system, moving = self.response.system, PartMotion(frames[None])
        actions = [*loads(assembly, moving), *springs(assembly, moving), *weights(assembly, moving)]
        wrenches = gathered(actions, moving.frames, system.centre)[0]
        wrenches[:, 3:] /= system.length
        out: Array = wrenches[self.response.moving].ravel()
        return out
