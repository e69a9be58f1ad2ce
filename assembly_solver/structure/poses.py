"""Poses of parts from those of bodies, and back."""

from __future__ import annotations

import numpy as np

from ..foundations.geometry.placing import frames_placed
from ..foundations.geometry.pose import compose_all
from ..foundations.types import Array
from .plan import Plan


def part_poses(plan: Plan, bodies: Array, start: Array) -> Array:
    """Poses of the parts, (parts, 12), from those of their bodies, which started at `start`.

    Where a cluster has not moved and its parts were in place, their poses stay bit for bit.
    """
    b, system = plan.bodies, plan.system
    parts = frames_placed(bodies, b.of_part, b.relative)
    if not b.merged:
        return parts
    off = np.abs(parts - system.start).max(axis=1, initial=0.0)
    worst = np.where((bodies == start).all(axis=1), 0.0, np.inf)
    np.maximum.at(worst, b.of_part, off * max(1.0, system.length))
    unmoved = worst[b.of_part] <= system.convergence_tolerance
    parts[unmoved] = system.start[unmoved]
    return parts


def body_poses(plan: Plan, parts: Array) -> Array:
    """Poses of the bodies, (bodies, 12), from those of their first parts."""
    b = plan.bodies
    poses = b.start.copy()
    poses[b.of_part[b.first_parts]] = compose_all(parts[b.first_parts], b.in_first_parts)
    poses[0] = b.start[0]
    return poses
