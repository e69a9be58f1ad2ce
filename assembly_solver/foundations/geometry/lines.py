"""Common point of lines in space."""

from __future__ import annotations

import numpy as np

from ..numerics.rounding import DIGITS
from ..types import Array


def meeting_point(points: Array, directions: Array, off: float) -> Array | None:
    """Least-squares common point of lines, mm, shape (3,); None where a line is too far from it.

    Args:
        points, directions: of the lines, each (n, 3), mm, the directions of length 1.
        off: largest distance of a line from the point, mm; or `DIGITS` of the distance of the lines
            from the origin where that is more.
    """
    across = [np.eye(3) - np.outer(u, u) for u in directions]
    goals = np.concatenate([p @ point for p, point in zip(across, points, strict=True)])
    whole = np.concatenate(across)
    point: Array = np.linalg.lstsq(whole, goals, rcond=None)[0]
    distance = float(np.abs(whole @ point - goals).max())
    return point if distance < max(off, DIGITS * float(np.abs(goals).max())) else None
