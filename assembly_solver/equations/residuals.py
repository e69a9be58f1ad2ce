"""What equations and constraints are off at some poses."""

from __future__ import annotations

import numpy as np

from ..foundations.types import Array
from .system import System
from .table import residuals


def all_residuals(system: System, parts: Array) -> Array:
    """Residual of every equation of a system at poses of the parts, mm."""
    rows = np.arange(len(system.table.target))
    out = np.empty(len(rows))
    residuals(system.table, parts, rows, out)
    return out


def residual_of(system: System, parts: Array) -> tuple[Array, Array]:
    """Largest length (mm) and angle (rad) by which each promise is off."""
    f = all_residuals(system, parts)
    of, n = system.promise_of_equation, len(system.promises)
    lengths = np.sqrt(np.bincount(of, weights=np.where(system.angular, 0.0, f**2), minlength=n))
    turns = np.sqrt(np.bincount(of, weights=np.where(system.angular, f**2, 0.0), minlength=n))
    return lengths, turns / system.length


def worst_off(system: System, parts: Array) -> float:
    """What the worst promise is off, mm, angles at the reach of features."""
    return float(system.in_mm(*residual_of(system, parts)).max(initial=0.0))
