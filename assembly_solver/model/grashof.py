"""Classes of four-bar loops by Grashof's condition.

With the shortest and the longest link s and l, and p and q the other two: where s + l < p + q the
shortest link rotates fully relative to its neighbours.  The class then depends on which link is the
shortest: frame, double crank; input, crank-rocker; output, rocker-crank; coupler, double rocker.
Where s + l > p + q no link rotates fully: triple rocker.  Where both are equal all four links can
be collinear, at change points.

Source: F. Grashof (1883); the names as in any text on linkages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

CRANK_ROCKER, ROCKER_CRANK = "crank-rocker", "rocker-crank"
DOUBLE_CRANK, DOUBLE_ROCKER = "double crank", "double rocker"
TRIPLE_ROCKER, CHANGE_POINT = "triple rocker", "change point"

CLASSES: Mapping[str, str] = MappingProxyType(
    {
        CRANK_ROCKER: "{first} turns fully, {last} swings",
        ROCKER_CRANK: "{last} turns fully, {first} swings",
        DOUBLE_CRANK: "{first} and {last} turn fully",
        DOUBLE_ROCKER: "{first} and {last} swing, {coupler} turns fully against them",
        TRIPLE_ROCKER: "no link turns fully",
        CHANGE_POINT: "all links can lie in line, where it may go over to another branch",
    }
)
"""The meaning of each class for the links at the frame and for the coupler."""


def grashof(lengths: Sequence[float], tolerance: float) -> tuple[str, float]:
    """The class of a four-bar and its margin p + q - s - l.

    Args:
        lengths: of frame, input, coupler, output, mm.
        tolerance: largest absolute margin of a change point, mm.
    """
    margin = float(sum(lengths) - 2.0 * (min(lengths) + max(lengths)))
    if abs(margin) <= tolerance:
        return CHANGE_POINT, margin
    if margin < 0:
        return TRIPLE_ROCKER, margin
    shortest = min(range(4), key=lambda k: lengths[k])
    return (DOUBLE_CRANK, CRANK_ROCKER, DOUBLE_ROCKER, ROCKER_CRANK)[shortest], margin
