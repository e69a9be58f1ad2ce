"""What placing bodies gives: poses of some or of all, and how many solutions there are."""

from __future__ import annotations

from typing import NamedTuple

from ...foundations.types import Array


class GroupCount(NamedTuple):
    """How many solutions a group has in complex numbers; why that is not known, else nothing."""

    solutions: int | None
    why: str


UNCOUNTED = GroupCount(None, "such loops are sampled, not counted")

SPECIAL = GroupCount(
    None,
    "their mates are redundant, as where loops close for special dimensions only: these are "
    "sampled, not counted",
)
"""The same where equations depend on each other, other than at a dead point."""

IDLE = GroupCount(None, "a body in them turns idly, or nearly so: that has no closures to count")
"""The same of those with a body that turns and moves no feature; rods are distances instead."""

MEETING = "closures meet, at a dead point or along a motion"
"""Why modes are not all where solutions did not stay apart."""


def beyond_reach(legs: int) -> str:
    """The same of a platform on legs with crosses: those not at right angles do not lean freely."""
    return f"legs on crosses ({legs}) do not reach all poses of the platform, or {MEETING}"


def turned_legs(solutions: int, legs: int) -> str:
    """Why the modes of a platform on legs with crosses are not all.

    A leg on a cross and a ball is a distance for the platform.  For one pose of that its own bodies
    stand in two ways, of right angles half a turn of the leg about itself apart.
    """
    return (
        f"all poses of the platform are here, the real ones of {solutions} solutions, but legs on "
        f"crosses ({legs}) hold it in two ways each, turned about themselves; one is listed"
    )


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
