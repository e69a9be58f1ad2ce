"""Residuals of equations and constraints at given poses of the parts, shape (parts, 12)."""

from __future__ import annotations

import numpy as np

from ..foundations.types import Array, Ints
from .system import System
from .table import EquationTable, constraint_residuals, residuals


def residuals_at(table: EquationTable, poses: Array, rows: Ints | None = None) -> Array:
    """Residual of some or all equations of a table, mm, shape (rows,), at poses (bodies, 12)."""
    rows = np.arange(len(table.target)) if rows is None else rows
    out = np.empty(len(rows))
    residuals(table, poses, rows, out)
    return out


def all_residuals(system: System, parts: Array) -> Array:
    """Residual of every equation of a system, mm, shape (equations,)."""
    return residuals_at(system.table, parts)


def residual_of(system: System, parts: Array) -> tuple[Array, Array]:
    """Residual length (mm) and angle (rad) of each constraint, each of shape (constraints,)."""
    out = np.empty((2, len(system.constraints)))
    constraint_residuals(system.table, parts, system.first_equation, system.angular, out)
    return out[0], out[1] / system.length


def hold(system: System, parts: Array, limit: float) -> bool:
    """Whether the residuals of all constraints are at most so many mm, as `worst_off` tells."""
    return system.within(*residual_of(system, parts), limit)


def worst_off(system: System, parts: Array) -> float:
    """Largest residual of a constraint, mm; angles times the characteristic length."""
    return float(system.in_mm(*residual_of(system, parts)).max(initial=0.0))
