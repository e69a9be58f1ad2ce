"""Residuals of equations and constraints at given poses of the parts, shape (parts, 12)."""

from __future__ import annotations

import numpy as np

from ..foundations.types import Array, Ints
from .constraint_residuals import constraint_residuals
from .system import Residuals, System
from .table import EquationTable, residuals


def residuals_at(table: EquationTable, poses: Array, rows: Ints | None = None) -> Array:
    """Residual of some or all equations of a table, mm, shape (rows,), at poses (bodies, 12)."""
    rows = np.arange(len(table.target)) if rows is None else rows
    out = np.empty(len(rows))
    residuals(table, poses, rows, out)
    return out


def all_residuals(system: System, parts: Array) -> Array:
    """Residual of every equation of a system, mm, shape (equations,)."""
    return residuals_at(system.table, parts)


def residual_of(system: System, parts: Array) -> Residuals:
    """The residual of each constraint."""
    s, out = system, np.empty((2, len(system.constraints)))
    most = constraint_residuals(s.table, parts, s.first_equation, s.angular, s.length, out)
    return Residuals(out[0], out[1], *most)


def hold(system: System, parts: Array, limit: float) -> bool:
    """Whether the residuals of all constraints are at most so many mm, as `worst_off` tells."""
    return system.within(residual_of(system, parts), limit)


def worst_off(system: System, parts: Array) -> float:
    """Largest residual of a constraint, mm; angles times the characteristic length."""
    return float(system.in_mm(residual_of(system, parts)).max(initial=0.0))
