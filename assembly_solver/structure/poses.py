"""Poses of parts from those of bodies, and back."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..foundations.geometry.placing import frames_placed
from ..foundations.jit.decorators import borrowing_in_form
from ..foundations.types import Array, Bools, Ints
from .plan import Plan


def part_poses(plan: Plan, bodies: Array, start: Array) -> Array:
    """Poses of the parts, (parts, 12), from those of their bodies, which started at `start`.

    Where a cluster has not moved and its parts were in place, their poses stay bit for bit.
    """
    b, system = plan.bodies, plan.system
    parts = frames_placed(bodies, b.of_part, b.relative)
    if not b.merged:
        return parts
    stays = np.empty(len(bodies), np.bool_)
    limit = system.convergence_tolerance
    _keep(bodies, start, b.of_part, system.start, max(1.0, system.length), limit, stays, parts)
    return parts


def _keep_at_once(
    bodies: Array,
    start: Array,
    of_part: Ints,
    in_place: Array,
    scale: float,
    limit: float,
    stays: Bools,
    parts: Array,
) -> None:
    off = np.abs(parts - in_place).max(axis=1, initial=0.0)
    stays[:] = (bodies == start).all(axis=1)
    stays[of_part[~(off * scale <= limit)]] = False
    unmoved = stays[of_part]
    parts[unmoved] = in_place[unmoved]


@partial(borrowing_in_form, interpreted=_keep_at_once)
def _keep(
    bodies: Array,
    start: Array,
    of_part: Ints,
    in_place: Array,
    scale: float,
    limit: float,
    stays: Bools,
    parts: Array,
) -> None:
    """Put the parts of bodies that did not move where they were, if all were there but for so many
    mm, angles times `scale`.

    Args:
        in_place: the parts at the start; stays: overwritten by which bodies these are.
    """
    for body in range(len(bodies)):
        stays[body] = True
        for k in range(12):
            stays[body] = stays[body] and bodies[body, k] == start[body, k]
    for n in range(len(parts)):
        for k in range(12):
            close = abs(parts[n, k] - in_place[n, k]) * scale <= limit
            stays[of_part[n]] = stays[of_part[n]] and close
    for n in range(len(parts)):
        if stays[of_part[n]]:
            for k in range(12):
                parts[n, k] = in_place[n, k]


def body_poses(plan: Plan, parts: Array) -> Array:
    """Poses of the bodies, (bodies, 12), from those of their first parts."""
    b = plan.bodies
    poses = b.start.copy()
    poses[b.of_part[b.first_parts]] = frames_placed(parts, b.first_parts, b.in_first_parts)
    poses[0] = b.start[0]
    return poses
