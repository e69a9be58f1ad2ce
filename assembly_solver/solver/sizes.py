"""How many parts a system moves, by which searches decide what they try."""

from __future__ import annotations

from ..equations.system import System

LARGEST = 48
"""Unknowns up to which systems descend from all starts at once: of the eight parts that seven mates
join.  The cost of a dense step grows with their cube, that of a plan does not."""


def is_small(system: System) -> bool:
    """Whether the parts that constraints join are few enough for dense descents."""
    joined = {*system.ends.ravel().tolist()}.union(*system.wide.values())
    return 6 * int((~system.fixed[list(joined)]).sum()) <= LARGEST


def one_moves(system: System) -> bool:
    """Whether at most one of the parts that constraints join is not held."""
    parts = {p for k in range(len(system.constraints)) for p in system.parts_of(k)}
    return int((~system.fixed[list(parts)]).sum()) < 2
