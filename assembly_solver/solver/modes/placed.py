"""What placing bodies gives: poses of some or of all, and how many solutions there are."""

from __future__ import annotations

from typing import NamedTuple

from ...foundations.types import Array


class GroupCount(NamedTuple):
    """How many solutions a group has in complex numbers; why that is not known, else nothing."""

    solutions: int | None
    why: str


UNCOUNTED = GroupCount(None, "such loops are sampled, not counted")


class Placed(NamedTuple):
    """Poses of the bodies at a solution of a group, and how many closures meet there."""

    poses: Array
    closures: int


class PartialMode(NamedTuple):
    """Poses with the bodies placed so far, and the signs of their stages."""

    poses: Array
    signs: str
    distance: float
    closures: int
