"""Poses of parts from those of bodies, and back."""

from __future__ import annotations

import numpy as np

from ..foundations.geometry.nearest_motion import FREE, nearest_motion
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.types import Array
from .plan import Plan


def fitted_start(plan: Plan) -> Array:
    """Start poses of the bodies, (bodies, 12): of a cluster the pose that fits its features best.

    Where these leave a freedom (a spin about the line of two points), the mean of the poses that
    its parts imply decides.
    """
    bodies, cloud = plan.bodies, plan.cloud
    start = bodies.start.copy()
    if not bodies.merged:
        return start
    size = np.bincount(bodies.of_part, minlength=bodies.count)
    for body in np.flatnonzero(size > 1):
        if body == 0:
            continue
        low, high = cloud.first[body], cloud.first[body + 1]
        out, parts = np.empty(12), bodies.parts(int(body))
        own, goal = cloud.own[low:high], cloud.start[low:high]
        implied = compose_all(plan.system.start[parts], invert_all(bodies.relative[parts]))
        nearest_motion(FREE, own, goal, implied.mean(axis=0), plan.system.length, out)
        start[body] = out
    return start


def part_poses(plan: Plan, bodies: Array, start: Array) -> Array:
    """Poses of the parts, (parts, 12), from those of their bodies, which started at `start`.

    Where a cluster has not moved and its parts were in place, their poses stay bit for bit.
    """
    b, system = plan.bodies, plan.system
    parts = compose_all(bodies[b.of_part], b.relative)
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
