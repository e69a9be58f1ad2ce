"""Residuals of equations and constraints at given poses of the parts, shape (parts, 12)."""

from __future__ import annotations

import numpy as np

from ..foundations.types import Array, Ints
from .system import System
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


def residual_of(system: System, parts: Array) -> tuple[Array, Array]:
    """Residual length (mm) and angle (rad) of each constraint, each of shape (constraints,)."""
    f = all_residuals(system, parts)
    of, n = system.constraint_of_equation, len(system.constraints)
    lengths = np.sqrt(np.bincount(of, weights=np.where(system.angular, 0.0, f**2), minlength=n))
    turns = np.sqrt(np.bincount(of, weights=np.where(system.angular, f**2, 0.0), minlength=n))
    return lengths, turns / system.length


def worst_off(system: System, parts: Array) -> float:
    """Largest residual of a constraint, mm; angles times the characteristic length."""
    return float(system.in_mm(*residual_of(system, parts)).max(initial=0.0))
