"""Lines in space: where several of them meet."""

from __future__ import annotations

import numpy as np

from ..types import Array


def meeting_point(points: Array, directions: Array, off: float) -> Array | None:
    """The point that all lines pass, of least squares; None where one passes it farther off.

    Args:
        points, directions: of the lines, each (n, 3), mm, the directions of length 1.
        off: what a line may pass beside the point, mm; or, where that is more, a share of 1e-6 of
            how far the lines are from the origin.
    """
    across = [np.eye(3) - np.outer(u, u) for u in directions]
    goals = np.concatenate([p @ point for p, point in zip(across, points, strict=True)])
    whole = np.concatenate(across)
    point: Array = np.linalg.lstsq(whole, goals, rcond=None)[0]
    beside = float(np.abs(whole @ point - goals).max())
    return point if beside < max(off, 1e-6 * float(np.abs(goals).max())) else None
